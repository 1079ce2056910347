#!/usr/bin/env python3
"""The library: `run.py CHI MODULE` runs the tests of a module, `run.py CHI --complete` looks whether all of it is described and tested.

Of each process and system in library/MODULE there is a model MODULE/NAME.chi here, which uses it and says what its run must deliver, in the
directives of ../models/README.md. `chi doc NAME` shows it as the example. Each definition has a comment with a summary, and a line for each
parameter; what a comment describes is a parameter.
"""
import json
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "models"))
import case as cases  # noqa: E402
import execute  # noqa: E402


def problems_of(chi, path):
    try:
        return execute.run(chi, cases.read(path), 500.0)
    except cases.BadDirective as bad:
        return [f"{path.name}:{bad}"]


def missing(definition):
    """What the comment and the tests do not have."""
    problems = [] if definition["summary"] else ["has no comment"]
    problems += [f"parameter `{p['name']}` is not described" for p in definition["parameters"] if not p["description"]]
    if definition["kind"] not in ("proc", "sys"):
        return problems
    test = FOLDER / definition["module"] / (definition["name"] + ".chi")
    if not test.exists():
        return problems + [f"has no test {test.relative_to(FOLDER)}"]
    text = test.read_text("utf-8")
    code = re.sub(r"//.*", "", text)
    if not re.search(rf"\b{definition['name']}\b", re.sub(r"(?m)^from.*$", "", code)):
        problems.append("is not used in its test")
    if not re.search(r"^// (EXPECT|ALWAYS) ", text, re.M):
        problems.append("has a test that expects nothing")
    return problems


def check_complete(chi):
    told = subprocess.run([chi, "doc", "--json"], capture_output=True, check=True, text=True).stdout
    definitions = [json.loads(line) for line in told.splitlines()]
    wrong = {f"{d['module']}.{d['name']}": missing(d) for d in definitions}
    names = {f"{d['module']}/{d['name']}" for d in definitions}
    for path in sorted(FOLDER.rglob("*.chi")):
        name = path.relative_to(FOLDER).with_suffix("").as_posix()
        if name not in names:
            wrong[name] = ["is the test of no definition"]
    return len(definitions), wrong


def main():
    chi, what = sys.argv[1:]
    if what == "--complete":
        count, wrong = check_complete(chi)
    else:
        paths = sorted((FOLDER / what).rglob("*.chi")) if not what.endswith(".chi") else [FOLDER / what]
        count, wrong = len(paths), {path.stem: problems_of(chi, path) for path in paths}
    failed = {name: problems for name, problems in wrong.items() if problems}
    for name, problems in failed.items():
        for problem in problems:
            print(f"{name}: " + problem.replace("\n", "\n    "))
    print(f"{count} looked at, {len(failed)} wrong")
    return 1 if failed or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
