#!/usr/bin/env python3
"""Every diagnostic has its section in docs/diagnostics, and what the section says is so: `check_explanations.py CHI`.

Of the blocks of χ in a section the first one gets the diagnostic, and every further one, the cure, gets no diagnostic of
this code and no error at all. A first line `// RUN: chi ...` says how a block is used; without one it is checked.
Diagnostics that no short text gets (a file of 512 MiB) have no block, and are listed here with the reason.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NO_EXAMPLE = {
    "E0001": "about the file itself",
    "E0002": "needs a file of more than 512 MiB",
    "E1002": "bytes that are no text cannot stand in the page",
    "E6021": "the checker finds a missing `ret` before the run",
    "E2084": "needs a second file",
    "E2085": "needs two more files",
    "E6023": "takes the memory of the machine",
}


def sections():
    """Pairs of code and text, from all pages."""
    for page in sorted((ROOT / "docs/diagnostics").glob("*.md")):
        text = page.read_text("utf-8")
        for part in re.split(r"^## ", text, flags=re.M)[1:]:
            yield part[:5], part, page.name


def used(chi, block):
    """Exit code and codes of the diagnostics, with their severities."""
    match = re.match(r"// RUN: chi (.*)\n", block)
    command = shlex.split(match[1]) if match else ["check"]
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "model.chi").write_text(block, "utf-8")
        done = subprocess.run([chi, command[0], "model.chi", "--json", *command[1:]], cwd=folder, capture_output=True,
                              timeout=500, check=False)
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    reports = [json.loads(line) for line in lines if line.startswith('{"code"')]
    return {(r["code"], r["severity"]) for r in reports}


def problems_of(chi, code, text):
    blocks = re.findall(r"^```chi\n(.*?)^```$", text, flags=re.M | re.S)
    if code in NO_EXAMPLE and not blocks:
        return []
    if not blocks:
        return [f"{code}: no example"]
    problems = []
    if code not in {c for c, _ in used(chi, blocks[0])}:
        problems.append(f"{code}: the example does not get it: {sorted(used(chi, blocks[0]))}")
    for block in blocks[1:]:
        got = used(chi, block)
        if code in {c for c, _ in got} or "error" in {s for _, s in got}:
            problems.append(f"{code}: the cure gets {sorted(got)}")
    return problems


def main():
    chi = os.path.abspath(sys.argv[1])
    codes = set()
    for page in (ROOT / "src/diag").glob("codes*.def"):
        codes |= set(re.findall(r'CHI_DIAG\(\w+, "(\w+)"', page.read_text("utf-8")))
    found = list(sections())
    problems = []
    seen = [code for code, _, _ in found]
    problems += [f"{code}: no section in docs/diagnostics" for code in sorted(codes - set(seen))]
    for code in sorted(set(seen) - codes):
        print(f"{code}: not in src/diag any more")
    problems += [f"{code}: two sections" for code in sorted(c for c in set(seen) if seen.count(c) > 1)]
    for code, text, page in found:
        if not re.match(rf"{code}: [a-z`].*[^.]\n\n", text):
            problems.append(f"{page}: heading of {code} is not `## {code}: lower case, without full stop`")
        shown = subprocess.run([chi, "explain", code], capture_output=True, check=False)
        if shown.stdout.decode("utf-8").strip() != re.split(r"^# ", text, flags=re.M)[0].strip():
            problems.append(f"{code}: `chi explain` shows something else")
    found = [entry for entry in found if entry[0] in codes]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for more in pool.map(lambda entry: problems_of(chi, entry[0], entry[1]), found):
            problems += more
    print("\n".join(problems) or f"{len(found)} explanations, all as they say")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
