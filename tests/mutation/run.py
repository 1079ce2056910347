#!/usr/bin/env python3
"""Are the tests able to fail? `run.py SCRATCH [--only TEXT] [--jobs N] [--report FILE]`, `run.py --check`.

Copies the tree to SCRATCH, and builds there. Each mutation of mutations.py is applied, what depends on it is built again, and
the tests meant to catch it are run until one fails: caught. A mutation that no longer compiles counts as a mistake of the list.
Exit code 1 if one survived. `--check` only looks whether the texts to change are there.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import time

from mutations import MUTATIONS

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 600  # seconds for one test


def copy_tree(scratch):
    files = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                           stdout=subprocess.PIPE).stdout
    present = b"\0".join(f for f in files.split(b"\0") if f and (ROOT / f.decode()).exists())
    scratch.mkdir(parents=True, exist_ok=True)
    pack = subprocess.Popen(["tar", "--null", "-T", "-", "-cf", "-"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    unpack = subprocess.Popen(["tar", "-xf", "-"], cwd=scratch, stdin=pack.stdout)
    pack.stdin.write(present)
    pack.stdin.close()
    if pack.wait() or unpack.wait():
        raise SystemExit("mutation: the tree cannot be copied")
    for mutation in MUTATIONS:  # what was built of them last may have been mutated
        os.utime(scratch / mutation.file)


def target_of(test):
    return "chi" if test.startswith("models/") else test


def build(scratch, targets, jobs):
    done = subprocess.run(["ninja", "-C", str(scratch / "build"), "-j", str(jobs), *sorted(set(targets))], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode == 0, done.stdout.decode("utf-8", "replace")


def passes(scratch, test, jobs, patience=PATIENCE):
    if test.startswith("models/"):
        folder = str(scratch / "tests" / test)
        command = [str(scratch / "tests/models/run.py"), str(scratch / "build/chi"), folder, "--quiet", "--jobs", str(jobs),
                   "--timeout", "200"]
    else:
        command = [str(scratch / "build/tests" / test), "--gtest_brief=1", "--gtest_fail_fast"]
    limits = "ulimit -v 8000000 -c 0; "
    try:
        return subprocess.run(["/bin/bash", "-c", limits + 'exec "$@"', "mutation", *command], cwd=scratch, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              timeout=patience).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def mistake(tree, mutation):
    """What is wrong with its text, or nothing."""
    path = tree / mutation.file
    count = path.read_text("utf-8").count(mutation.old) if path.exists() else 0
    return "" if count == 1 else f"the text to change stands {count} times in {mutation.file}"


def check():
    wrong = [f"{m.name}: {mistake(ROOT, m)}" for m in MUTATIONS if mistake(ROOT, m)]
    print("\n".join(wrong + [f"{len(MUTATIONS)} mutations, {len(wrong)} of them without a place"]))
    return 1 if wrong else 0


def attempt(scratch, mutation, jobs, patience):
    """`caught by ...`, `survived`, or what is wrong with the list."""
    wrong = mistake(scratch, mutation)
    if wrong:
        return wrong
    path = scratch / mutation.file
    original = path.read_text("utf-8")
    try:
        path.write_text(original.replace(mutation.old, mutation.new), "utf-8")
        for test in mutation.tests:
            built, output = build(scratch, [target_of(test)], jobs)
            if not built:
                return "does not compile: " + next((line for line in output.splitlines() if "error" in line), "")[-200:]
            if not passes(scratch, test, jobs, patience[test]):
                return f"caught by {test}"
        return "survived"
    finally:
        path.write_text(original, "utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scratch", type=pathlib.Path, nargs="?")
    parser.add_argument("--check", action="store_true", help="only look whether each has its place in the text")
    parser.add_argument("--only", action="append", help="mutations with this text in their name; repeatable")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--report", type=pathlib.Path)
    options = parser.parse_args()
    if options.check:
        return check()
    if options.scratch is None:
        parser.error("SCRATCH is needed")
    scratch = options.scratch.resolve()
    chosen = [m for m in MUTATIONS if any(text in m.name for text in options.only or [""])]
    copy_tree(scratch)
    subprocess.run(["cmake", "--preset", "release"], cwd=scratch, check=True, stdout=subprocess.DEVNULL)
    tests = sorted({t for m in chosen for t in m.tests})
    built, output = build(scratch, [target_of(t) for t in tests], options.jobs)
    if not built:
        print(output[-3000:])
        return 1
    broken, patience = [], {}
    for test in tests:
        start = time.monotonic()
        if not passes(scratch, test, options.jobs):
            broken.append(test)
        patience[test] = 20 + 8 * (time.monotonic() - start)  # a mutation may loop for ever, and is caught then
    if broken:
        print("fail without any mutation:", ", ".join(broken))
        return 1
    lines, bad = [], 0
    for mutation in chosen:
        verdict = attempt(scratch, mutation, options.jobs, patience)
        bad += not verdict.startswith("caught")
        lines.append(f"{mutation.name}: {verdict}")
        print(lines[-1], flush=True)
    lines.append(f"{len(chosen)} mutations, {len(chosen) - bad} caught, {bad} not")
    print(lines[-1])
    if options.report:
        options.report.write_text("\n".join(lines) + "\n", "utf-8")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
