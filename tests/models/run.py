#!/usr/bin/env python3
"""Runs models with known answers: `run.py CHI [OPTIONS] [CASE...]`. README.md describes the directives.

Without cases it runs all of them, in parallel. A case in pending.txt is expected to fail: it fails the run only by
passing with --strict. Exit code 0: all as expected; 1: not; 77: the only case is pending (CTest shows it as skipped).
"""
import argparse
import concurrent.futures
import os
import pathlib
import sys

import case as cases
import execute

FOLDER = pathlib.Path(__file__).resolve().parent
SKIPPED = 77


def read_pending(path):
    """Names of the cases that are expected to fail, with the reason behind `#`."""
    pending = {}
    if path.exists():
        for line in path.read_text("utf-8").splitlines():
            name, _, reason = line.partition("#")
            if name.strip():
                pending[name.strip()] = reason.strip()
    return pending


def find(names):
    """The case files: those named, or all; `folder` or `folder/file`, with or without `.chi`."""
    if not names:
        return sorted(FOLDER.rglob("*.chi"))
    found = []
    for name in names:
        path = pathlib.Path(name)
        if not path.exists():
            path = FOLDER / name
        if not path.exists():
            path = path.with_name(path.name + ".chi")
        found += sorted(path.rglob("*.chi")) if path.is_dir() else [path.resolve()]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chi", help="the executable")
    parser.add_argument("cases", nargs="*", help="case files or folders; all when none is given")
    parser.add_argument("--check", action="store_true", help="only parse the directives and call `chi check`")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="cases at the same time")
    parser.add_argument("--timeout", type=float, default=500.0, help="seconds for one call of chi: a bound for hangs")
    parser.add_argument("--strict", action="store_true", help="a pending case that passes is an error")
    parser.add_argument("--update-pending", action="store_true", help="write pending.txt anew from what fails now")
    parser.add_argument("--quiet", action="store_true", help="do not list pending cases")
    options = parser.parse_intermixed_args()

    chi = os.path.abspath(options.chi)
    paths = find(options.cases)
    pending = read_pending(FOLDER / "pending.txt")

    def run(path):
        try:
            case = cases.read(path)
            return execute.check(chi, case, options.timeout) if options.check else execute.run(chi, case, options.timeout)
        except cases.BadDirective as bad:
            return [f"{path.name}:{bad}"]

    passed, failed, waiting, surprising = [], [], [], []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, problems in zip(paths, pool.map(run, paths)):
            name = path.relative_to(FOLDER).with_suffix("").as_posix() if FOLDER in path.parents else str(path)
            expected = name in pending and not options.check
            if not problems:
                (surprising if expected else passed).append(name)
                if expected:
                    print(f"{name}: passes, though pending.txt lists it")
                continue
            (waiting if expected else failed).append(name)
            if expected and options.quiet:
                continue
            print(f"{name}:{' (pending)' if expected else ''}")
            for problem in problems:
                print("  " + problem.replace("\n", "\n    "))
            sys.stdout.flush()

    print(f"{len(passed)} passed, {len(failed)} failed, {len(waiting)} pending, {len(surprising)} pending but passing")
    if options.update_pending:
        tried = set(passed + failed + waiting + surprising)
        keep = {name: reason for name, reason in pending.items() if name not in tried}
        keep.update({name: pending.get(name, "") for name in failed + waiting})
        head = "# Cases that are expected to fail: name, and after # the reason. run.py --update-pending writes it.\n"
        rows = [f"{name}  # {reason}" if reason else name for name, reason in sorted(keep.items())]
        (FOLDER / "pending.txt").write_text(head + "".join(row + "\n" for row in rows), "utf-8")
    if not paths or failed or (surprising and options.strict):
        return 1
    return SKIPPED if waiting and len(paths) == 1 else 0


if __name__ == "__main__":
    sys.exit(main())
