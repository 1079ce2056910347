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


def texts(matrix):
    """The columns of a matrix of characters."""
    return ["".join(matrix[:, i]).rstrip("\0 ") for i in range(matrix.shape[1])]


def main():
    try:
        import scipy.io
    except ImportError:
        print("no SciPy here: skipped")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "m.chi").write_text(MODEL)
        subprocess.run([os.path.abspath(sys.argv[1]), "run", "m.chi", "--out", "r.csv", "--out", "r.mat", "--step", "0.3"], cwd=folder, check=True)
        mat = scipy.io.loadmat(f"{folder}/r.mat", chars_as_strings=False)
        with open(f"{folder}/r.csv", encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
    kind = ["".join(row).rstrip("\0 ") for row in mat["Aclass"]]
    names = texts(mat["name"])
    problems = []
    if kind != ["Atrajectory", "1.1", "", "binTrans"]:
        problems.append(f"Aclass is {kind}")
    if names != header:
        problems.append(f"names are {names} instead of {header}")
    for v, name in enumerate(names):
        wanted = [float(row[v]) for row in rows]
        which, place = int(mat["dataInfo"][0, v]), int(mat["dataInfo"][1, v])
        if which == 1:
            found = [mat["data_1"][place - 1, 0]] * len(rows)
        else:
            found = list(mat["data_2"][place - 1, :])
        if found != wanted:
            problems.append(f"{name}: {found} instead of {wanted}")
    if int(mat["dataInfo"][0, names.index("still")]) != 1:
        problems.append("what stands still is not in data_1")
    print("\n".join(problems) or f"{len(names)} columns agree")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
