#!/usr/bin/env python3
"""Net lists against the same equations written out: `run.py CHI`.

`x.chi` is a net list, `x_written.chi` the same equations by hand. The head of the net list says how it is run and which of its
columns are which of the other's:

    // RUN: --end 1
    // SAME a.v = va, C.p.i = iC

These columns, and the times, are equal to the last bit. `// NEAR 1e-9` instead where the order of a sum differs: then within that.
"""
import csv
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).parent


def columns(chi, model, options):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.csv"
        done = subprocess.run([chi, "run", str(model), *options, "--quiet", "--out", str(out)], capture_output=True, timeout=300,
                              check=False, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{model.name}: exit code {done.returncode}\n{done.stderr}")
        rows = list(csv.reader(out.open()))
    return {name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])}


def problems_of(chi, net):
    text = net.read_text("utf-8")
    options = shlex.split(re.search(r"^// RUN: (.*)$", text, re.M)[1])
    pairs = [pair.split("=") for line in re.findall(r"^// SAME (.*)$", text, re.M) for pair in line.split(",")]
    near = re.search(r"^// NEAR (\S+)$", text, re.M)
    ours = columns(chi, net, options)
    theirs = columns(chi, net.with_name(net.stem + "_written.chi"), options)
    problems = []
    for a, b in [("time", "time")] + [(a.strip(), b.strip()) for a, b in pairs]:
        if a not in ours or b not in theirs:
            problems.append(f"no column {a} among {', '.join(ours)}, or {b} among {', '.join(theirs)}")
        elif near and (len(ours[a]) != len(theirs[b]) or any(
                abs(float(x) - float(y)) > float(near[1]) for x, y in zip(ours[a], theirs[b]))):
            problems.append(f"{a} is not near {b}")
        elif not near and ours[a] != theirs[b]:
            at = next((i for i, (x, y) in enumerate(zip(ours[a], theirs[b])) if x != y), -1)
            problems.append(f"{a} differs from {b} in row {at}: {ours[a][at]} and {theirs[b][at]}")
    return problems


def main():
    failed = 0
    nets = [f for f in sorted(FOLDER.glob("*.chi")) if not f.stem.endswith("_written")]
    for net in nets:
        try:
            problems = problems_of(sys.argv[1], net)
        except RuntimeError as error:
            problems = [str(error)]
        failed += bool(problems)
        for problem in problems:
            print(f"{net.name}: {problem}")
    print(f"{len(nets) - failed} passed, {failed} failed")
    return 1 if failed or not nets else 0


if __name__ == "__main__":
    sys.exit(main())
