#!/usr/bin/python3
"""A MATLAB file of `chi run`, read by SciPy, holds what the CSV holds: `mat_in_scipy.py CHI`. Exit 77 (skipped) without SciPy."""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

MODEL = """
proc P() = |[ n: nat, b: bool, x: real := 0.1, still: real := 2.5
| *[ n < 3 -> delta 0.7; n := n + 1; b := not b; x := x * 3 + still ]; terminate
]|
"""

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Arrays, records of several processes, derivatives, modes in which some do not exist.
EXAMPLES = [("examples/circuits/cockcroft_walton.chi", ["--end", "3", "--derivatives"]),
            ("examples/mechanics/breaking_pendulum.chi", ["--end", "1.2", "--derivatives"]),
            ("examples/manufacturing/unreliable_line.chi", ["--end", "50"])]


def texts(matrix):
    """The columns of a matrix of characters."""
    return ["".join(matrix[:, i]).rstrip("\0 ") for i in range(matrix.shape[1])]


def compare(mat, header, rows):
    """Where the names or any value of the two are not the same, to the last bit; `nan` is the same as `nan`."""
    kind = ["".join(row).rstrip("\0 ") for row in mat["Aclass"]]
    names = texts(mat["name"])
    if kind != ["Atrajectory", "1.1", "", "binTrans"]:
        yield f"Aclass is {kind}"
    if names != header:
        yield f"names are {names} instead of {header}"
        return
    for v, name in enumerate(names):
        wanted = [float(row[v]) for row in rows]
        which, place = int(mat["dataInfo"][0, v]), int(mat["dataInfo"][1, v])
        found = [mat["data_1"][place - 1, 0]] * len(rows) if which == 1 else list(mat["data_2"][place - 1, :])
        if list(map(float.hex, map(float, found))) != list(map(float.hex, wanted)):
            yield f"{name}: {found} instead of {wanted}"
        # The CSV holds the shortest text that reads back as the same number.
        longer = [row[v] for row, value in zip(rows, wanted) if len(row[v]) > len(repr(value))]
        if longer:
            yield f"{name}: {longer[:3]} could be shorter"


def main():
    try:
        import scipy.io
    except ImportError:
        print("no SciPy here: skipped")
        return 77
    problems, columns = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "m.chi").write_text(MODEL)
        for model, options in [("m.chi", ["--step", "0.3"]), *EXAMPLES]:
            call = [os.path.abspath(sys.argv[1]), "run", str(ROOT / model if "/" in model else model), "--out", "r.csv", "--out", "r.mat", "--quiet"]
            subprocess.run([*call, *options], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            mat = scipy.io.loadmat(folder / "r.mat", chars_as_strings=False)
            with open(folder / "r.csv", encoding="utf-8", newline="") as file:
                header, *rows = csv.reader(file)
            problems += [f"{model}: {problem}" for problem in compare(mat, header, rows)]
            columns += len(header)
            if model == "m.chi" and int(mat["dataInfo"][0, header.index("still")]) != 1:
                problems.append("what stands still is not in data_1")
    print("\n".join(problems) or f"{columns} columns agree")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
