#!/usr/bin/env python3
"""Runs the models of the given folders with two builds of chi and compares what they do, byte for byte.

    scripts/compare_traces.py OLD NEW [FOLDER...]

compares results (CSV), event log, standard output, diagnostics and exit code of each run. The folders default to
tests/models and examples. A run is `// RUN: options` of a test model, or `// Run: chi run FILE options` of an
example; `// ARGS:` and the model's folder apply as in the tests. Where results differ, the largest deviation of any
value is reported, relative to the range of its column. Exits with 1 if any run differs.
"""
import argparse
import concurrent.futures
import csv
import math
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DIRECTIVE = re.compile(r"^//\s*(RUN|ARGS)\b:?\s*(.*)$", re.M)
EXAMPLE = re.compile(r"^//\s*Run:\s*chi run \S+\s*(.*)$", re.M)
WRITES = {"--out", "--events"}  # options with a file, which the comparison sets itself
PLOTS = {"--plot"}              # and with an optional one
TIMES = re.compile(r"^ .* ms$", re.M)  # of `--stats`: different in every run


def runs_of(path):
    """The option lists with which a model file asks to be run."""
    text = path.read_text("utf-8")
    arguments = []
    runs = []
    for match in DIRECTIVE.finditer(text):
        words = shlex.split(match[2])
        if match[1] == "ARGS":
            arguments += words
        else:
            runs.append(words)
    if not runs:
        runs = [shlex.split(match[1]) for match in EXAMPLE.finditer(text)]
    return [arguments + plain(run) for run in runs]


def plain(words):
    """Options without those that write files."""
    kept = []
    skip = False
    for i, word in enumerate(words):
        if skip:
            skip = False
            continue
        if word in WRITES:
            skip = True
        elif word in PLOTS:
            skip = i + 1 < len(words) and not words[i + 1].startswith("-")
        else:
            kept.append(word)
    return kept


def run(binary, path, options, folder, timeout):
    """Everything a run leaves, by name; None if it took too long."""
    folder.mkdir()
    out, events = folder / "out.csv", folder / "events.jsonl"
    command = [binary, "run", path, *options, "--no-progress", "--color", "never", "--out", out, "--events", events]
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, timeout=timeout, cwd=path.parent,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None
    left = {
        "exit code": str(done.returncode).encode(),
        "output": done.stdout.replace(str(folder).encode(), b""),
        "diagnostics": done.stderr.replace(str(folder).encode(), b""),
    }
    for name, file in (("results", out), ("event log", events)):
        left[name] = file.read_bytes() if file.exists() else b""
    if "--stats" in options:
        for name in ("output", "diagnostics"):
            left[name] = TIMES.sub("", left[name].decode("utf-8", "replace")).encode()
    return left


def deviation(old, new):
    """The largest difference of two values in the same row and column, relative to the column's range; or a reason
    why there is none."""
    tables = [list(csv.reader(text.decode("utf-8", "replace").splitlines())) for text in (old, new)]
    if not tables[0] or not tables[1] or tables[0][0] != tables[1][0]:
        return "other columns"
    if len(tables[0]) != len(tables[1]):
        return f"{len(tables[0])} and {len(tables[1])} rows"
    worst = (0.0, "")
    for k, name in enumerate(tables[0][0]):
        try:
            pairs = [(float(a[k] or "nan"), float(b[k] or "nan")) for a, b in zip(tables[0][1:], tables[1][1:])]
        except (ValueError, IndexError):
            continue
        finite = [a for a, _ in pairs if math.isfinite(a)]
        size = max((abs(a) for a in finite), default=0) or 1
        for a, b in pairs:
            if math.isnan(a) != math.isnan(b):
                return f"a value of {name} is missing in one of them"
            if a != b and not math.isnan(a):
                worst = max(worst, (abs(a - b) / size, name))
    return f"largest deviation {worst[0]:.3g} of the range, of {worst[1]}" if worst[1] else "no value differs"


def compare(task):
    """Name of a run and what differs; an empty text if nothing does."""
    old, new, path, options, timeout, ignored = task
    name = f"{path.relative_to(ROOT)} {shlex.join(options)}"
    with tempfile.TemporaryDirectory() as folder:
        # One folder name for both, since messages may contain it.
        results = []
        for k, binary in enumerate((old, new)):
            results.append(run(binary, path, options, pathlib.Path(folder) / str(k), timeout))
    if results[0] is None and results[1] is None:
        return name, None
    if results[0] is None or results[1] is None:
        return name, f"only one of them ended within {timeout} s"
    if ignored:
        for left in results:
            for what in ("output", "diagnostics", "event log"):
                left[what] = re.sub(ignored.encode(), b"", left[what], flags=re.M)
    differing = [what for what in results[0] if results[0][what] != results[1][what]]
    if not differing:
        return name, ""
    text = ", ".join(differing)
    if "results" in differing:
        text += ": " + deviation(results[0]["results"], results[1]["results"])
    return name, text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("folders", nargs="*", default=["tests/models", "examples"], help="or single files")
    parser.add_argument("--jobs", "-j", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=20, help="seconds per run; what neither build finishes is skipped")
    parser.add_argument("--filter", default="", help="only paths that contain this text")
    parser.add_argument("--ignore", default="", metavar="REGEX", help="text of output and event log that may differ")
    arguments = parser.parse_args()
    tasks = []
    for folder in arguments.folders:
        start = (ROOT / folder).resolve()
        for path in [start] if start.is_file() else sorted(start.rglob("*.chi")):
            if arguments.filter not in str(path):
                continue
            for options in runs_of(path):
                tasks.append((arguments.old.resolve(), arguments.new.resolve(), path, options, arguments.timeout, arguments.ignore))
    same = skipped = 0
    different = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for name, text in pool.map(compare, tasks):
            if text is None:
                skipped += 1
                print(f"skipped (no end in {arguments.timeout:g} s): {name}", flush=True)
            elif text:
                different.append(name)
                print(f"{name}\n    {text}", flush=True)
            else:
                same += 1
    print(f"{same} runs are the same, {len(different)} differ, {skipped} were skipped")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
