#!/usr/bin/env python3
"""Pages of the library: `make_library_pages.py CHI FOLDER` writes FOLDER/index.md, and FOLDER/MODULE/NAME.md of each definition with its
terminals, parameters, equations per mode and example, and the plot of a run of the example: of the variables that its test is about."""
import concurrent.futures
import html
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMN = re.compile(r"[A-Za-z_]\w*(?:\[\d+\])?(?:\.\w+(?:\[\d+\])?)*")
WORDS = re.compile(r"^(EXPECT|ALWAYS|final|first|max|min|event|state|slide|jump|at|time|abs|sin|cos|exp|sqrt|tan|tanh|atan|asin|ln|pi|e|t|exit|count|no|printed|rel)$")


def plot(chi, definition, target):
    """Draws a run of the example; whether there is a plot."""
    test = ROOT / "tests" / "library" / definition["module"] / (definition["name"] + ".chi")
    if not test.exists():
        return False
    text = test.read_text("utf-8")
    options = re.search(r"(?m)^// RUN: (.*)$", text)
    names = [name for line in re.findall(r"(?m)^// (?:EXPECT|ALWAYS) (.*)$", text) for name in COLUMN.findall(re.split(r" at |\+-", line)[0])]
    names = [name for name in dict.fromkeys(names) if not WORDS.match(name)][:6]
    for variables in (["--vars", ",".join(names)] if names else [], []):
        done = subprocess.run([chi, "run", str(test), *shlex.split(options[1] if options else ""), *variables, "--plot", str(target), "--quiet", "--no-progress"],
                              capture_output=True, check=False, timeout=500)
        if done.returncode == 0 and target.exists():
            return True
    return False


def rows(head, entries):
    cell = lambda text: html.escape(text, quote=False).replace("|", "&#124;").replace("\n", " ")
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(cell(part) for part in entry) + " |" for entry in entries])


def page(definition, picture):
    name, module = definition["name"], definition["module"]
    parts = [f"# {module}.{name}", html.escape(definition["description"], quote=False)]
    if definition["kind"] in ("proc", "sys"):
        arguments = ", ".join(parameter["name"] for parameter in definition["parameters"])
        parts.append(f"```chi\nfrom {module} import {name}\n{name}({arguments})\n```")
    terminals = [p for p in definition["parameters"] if p["terminal"]]
    others = [p for p in definition["parameters"] if not p["terminal"]]
    if terminals:
        parts.append("## Terminals\n\n" + rows(("name", "node", ""), [(p["name"], p["type"], p["description"]) for p in terminals]))
    if others:
        parts.append("## Parameters\n\n" + rows(("name", "type", "default", ""), [(p["name"], p["type"], p["default"] or "", p["description"]) for p in others]))
    equations = []
    for group in definition["equations"]:
        equations += [f"while {group['guard']}:"] * bool(group["guard"]) + ["  " * bool(group["guard"]) + line for line in group["equations"]]
    if equations:
        parts.append("## Equations\n\n```\n" + "\n".join(equations) + "\n```")
    if definition["statements"]:
        parts.append("## Statements\n\n```\n" + definition["statements"] + "\n```")
    if definition["example"]:
        parts.append("## Example\n\n```chi\n" + definition["example"].strip("\n") + "\n```")
    if picture:
        parts.append(f"![A run of the example]({name}.svg)")
    return "\n\n".join(parts) + "\n"


def main():
    chi, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    lines = subprocess.run([chi, "doc", "--json"], capture_output=True, check=True, text=True).stdout.splitlines()
    definitions = [json.loads(line) for line in lines]

    def write(definition):
        place = folder / definition["module"].replace(".", "/")
        place.mkdir(parents=True, exist_ok=True)
        picture = plot(chi, definition, place / (definition["name"] + ".svg"))
        (place / (definition["name"] + ".md")).write_text(page(definition, picture), "utf-8")
        return picture

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        pictures = sum(pool.map(write, definitions))
    index = ["# Library", "The components that are built into `chi`. Each has a test with a known answer; its example is that test."]
    for module in dict.fromkeys(definition["module"] for definition in definitions):
        index.append(f"## {module}\n\n" + "\n".join(
            f"- [{d['name']}]({module.replace('.', '/')}/{d['name']}.md): {d['summary']}" for d in definitions if d["module"] == module))
    (folder / "index.md").write_text("\n\n".join(index) + "\n", "utf-8")
    print(f"{len(definitions)} pages, {pictures} plots")


if __name__ == "__main__":
    main()
