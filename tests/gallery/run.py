#!/usr/bin/env python3
"""Runs the examples as their head comment says: `run.py CHI [EXAMPLE...]`.

The line `// Run: chi run examples/FOLDER/NAME.chi OPTIONS` of an example is the call. What it must deliver stands beside this
file, in FOLDER/NAME.expect, one directive a line as in ../models/README.md, without the `//`; what stands behind a line `ALSO: OPTIONS` is
about a call with these options instead. pending.txt lists examples that are expected to fail. Exit code 77: the only example is pending.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "models"))

import case as cases  # noqa: E402
import execute  # noqa: E402
import run as models  # noqa: E402

CALL = re.compile(r"^// Run: chi run (\S+)(.*)$", re.MULTILINE)
ONLY_FOR_THE_EYE = ("--plot", "--stats")
WHICH_PART = ("--top", "-p")  # hold for `chi init` and `chi analyze` as well


def name_of(path):
    return path.relative_to(ROOT / "examples").with_suffix("").as_posix()


def cases_of(path):
    """The directives of each call of an example: its own one with the expectations beside this file, and those that are asked for there."""
    call = CALL.search(path.read_text("utf-8"))
    if not call:
        raise cases.BadDirective("1: no line `// Run: chi run examples/...`")
    if (ROOT / call[1]).resolve() != path.resolve():
        raise cases.BadDirective(f"1: the Run line is about {call[1]}")
    expected = HERE / (name_of(path) + ".expect")
    found = [call_of(call[2])]
    for line in expected.read_text("utf-8").splitlines() if expected.exists() else []:
        if line.startswith("ALSO:"):
            found.append(call_of(line.removeprefix("ALSO:")))
        elif line.strip():
            found[-1].append("// " + line)
    return found


def call_of(text):
    """A call as directives."""
    options, arguments = [], []
    words = iter(word for word in shlex.split(text) if word not in ONLY_FOR_THE_EYE)
    for word in words:
        if word in WHICH_PART:
            arguments += [word, next(words, "")]
        else:
            options.append(word)
    return ["// RUN: " + shlex.join(options), "// ARGS: " + shlex.join(arguments)]


def run_example(chi, path, timeout):
    problems = []
    try:
        for lines in cases_of(path):
            with tempfile.TemporaryDirectory() as folder:
                listing = pathlib.Path(folder) / "directives.chi"
                listing.write_text("\n".join(lines), "utf-8")
                case = cases.read(listing)
            case.path = path
            problems += execute.run(chi, case, timeout)
    except cases.BadDirective as bad:
        problems.append(f"{path.name}:{bad}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chi")
    parser.add_argument("examples", nargs="*", help="FOLDER/NAME; all when none is given")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=500.0)
    options = parser.parse_intermixed_args()
    chi = os.path.abspath(options.chi)
    if options.examples:
        paths = [ROOT / "examples" / (name + ".chi") for name in options.examples]
    else:
        paths = sorted(p for p in (ROOT / "examples").rglob("*.chi") if CALL.search(p.read_text("utf-8")))
    pending = models.read_pending(HERE / "pending.txt")
    failed = waiting = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, problems in zip(paths, pool.map(lambda p: run_example(chi, p, options.timeout), paths)):
            name = name_of(path)
            if not problems:
                if name in pending:
                    print(f"{name}: passes, though pending.txt lists it")
                continue
            failed += name not in pending
            waiting += name in pending
            print(f"{name}:{' (pending)' if name in pending else ''}")
            for problem in problems:
                print("  " + problem.replace("\n", "\n    "))
    print(f"{len(paths) - failed - waiting} passed, {failed} failed, {waiting} pending")
    if failed or not paths:
        return 1
    return models.SKIPPED if waiting and len(paths) == 1 else 0


if __name__ == "__main__":
    sys.exit(main())
