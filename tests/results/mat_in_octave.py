#!/usr/bin/python3
"""A MATLAB file of `chi run`, opened by Octave, holds what the CSV holds, names and all digits: `mat_in_octave.py CHI`.
Exit 77 (skipped) without Octave."""
import csv
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

MODEL = """
proc Ball(g: real) =
|[ y: real := 10.0, v: real := 0.0, hits: nat, up: bool
 | y' = v, v' = -g
 | *[ nabla y <= 0; v := -0.8*v; hits := hits + 1; up := true; nabla v <= 0; up := false ]
]|
xper = |[ earth: Ball(9.81) || Ball(1.62) ]|
"""

# As Dymola and OpenModelica lay it out: dataInfo says in which matrix and row a variable is, a negative row turns its sign.
READ = """
load r.mat
for i = 1:columns(name)
  which = dataInfo(1, i); row = dataInfo(2, i);
  if which == 1
    values = data_1(abs(row), 1) * ones(1, columns(data_2));
  else
    values = data_2(abs(row), :);
  endif
  printf("%s", strtrim(strrep(name(:, i)', char(0), ' ')));
  printf(" %.17g", sign(row) * values);
  printf("\\n");
endfor
"""


def main():
    octave = shutil.which("octave-cli") or shutil.which("octave")
    if not octave:
        print("no Octave here: skipped")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "m.chi").write_text(MODEL)
        (folder / "read.m").write_text(READ)
        call = ["run", "m.chi", "--end", "5", "--out", "r.csv", "--out", "r.mat", "--step", "0.25", "--derivatives"]
        subprocess.run([os.path.abspath(sys.argv[1]), *call], cwd=folder, check=True)
        done = subprocess.run([octave, "--no-gui", "--no-init-file", "--quiet", "read.m"], cwd=folder, capture_output=True, check=False)
        with open(folder / "r.csv", encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
    if done.returncode:
        print(done.stderr.decode())
        return 1
    found = {}
    for line in done.stdout.decode().splitlines():
        key, *values = line.split()
        found[key] = [float(v) for v in values]
    problems = [] if list(found) == header else [f"names are {list(found)} instead of {header}"]
    for v, key in enumerate(header):
        wanted = [float(row[v]) for row in rows]
        if repr(found.get(key)) != repr(wanted):
            problems.append(f"{key}: {found.get(key)} instead of {wanted}")
    print("\n".join(problems) or f"{len(header)} columns of {len(rows)} rows agree")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
