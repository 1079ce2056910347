#!/usr/bin/env python3
"""Studies from outside: `run.py CHI [KILLS]`. A study that is killed at random moments goes on from its store and gives the same table; any number of
workers gives the same bytes; an interrupt keeps the rows that are there; a store that another process holds is told."""
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

TANKS = """proc Tanks(k: real) =
|[ V1: real := 1.0, V2: real := 0.0, n: nat := 0, open: bool := false, Qv, Qo: real
 | |Qv, Qo|, V1' = 1.0 - Qv, V2' = Qv - Qo
 , [ open -> Qv = k*sqrt(V1) | not open -> Qv = 0.0 ], Qo = 0.5*V2
 | *[ nabla V1 >= 2.0; open := true; n := n + 1; nabla V1 <= 1.0; open := false ]
]|
"""


def call(chi, runs, *more):
    return [chi, "sweep", "tanks.chi", "-p", f"k=1:2:{1 / runs}", "--end", "10", "--measure", "peak = max(V2)", "--measure", "n(end)", "--out", "t.csv", *more]


def table(chi, folder, runs, *more):
    done = subprocess.run(call(chi, runs, *more), cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, (folder / "t.csv").read_text() if (folder / "t.csv").exists() else done.stderr


def killed(chi, folder, kills):
    """Each attempt is killed a little later; the last may end."""
    runs = 1500
    code, whole = table(chi, folder, runs, "-j", "2")
    if code != 0:
        yield f"a sweep ends with {code}: {whole}"
    draw = random.Random(3)
    for kill in range(kills):
        (folder / "t.csv").unlink(missing_ok=True)
        process = subprocess.Popen(call(chi, runs, "--store", "s.sqlite", "-j", "2"), cwd=folder, stderr=subprocess.DEVNULL)
        time.sleep(draw.uniform(0.0, 0.6))
        process.kill()
        process.wait()
        if kill % 5 == 4:
            (folder / "s.sqlite").unlink(missing_ok=True)
    code, again = table(chi, folder, runs, "--store", "s.sqlite", "-j", "3")
    if code != 0 or again != whole:
        yield f"after {kills} kills the study ends with {code} and another table"
    left = [name for name in os.listdir(folder) if name.startswith("t.csv") and name != "t.csv" or name.startswith(".t")]
    if left:
        yield f"{left} is left behind"


def interrupted(chi, folder):
    (folder / "t.csv").unlink(missing_ok=True)
    process = subprocess.Popen(call(chi, 200000, "-j", "2"), cwd=folder, stderr=subprocess.PIPE, text=True)
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    said = process.communicate()[1]
    kept = (folder / "t.csv").read_text() if (folder / "t.csv").exists() else ""
    if process.returncode != 130 or "kept" not in said or not kept.startswith("run,k,seed,peak"):
        yield f"an interrupt ends with {process.returncode}: {said}{kept[:100]}"
    numbers = [int(line.partition(",")[0]) for line in kept.splitlines()[1:]]
    if numbers != list(range(len(numbers))):
        yield "an interrupt leaves rows out"


def held(chi, folder):
    """A file that is no database, and one in a folder that does not exist."""
    (folder / "no.sqlite").write_text("this is no database, but text of some length\n" * 50)
    code, text = subprocess.run(call(chi, 2, "--store", "no.sqlite"), cwd=folder, capture_output=True, text=True, check=False).returncode, ""
    if code != 2:
        yield f"a store that is none: exit code {code} {text}"
    base = sqlite3.connect(folder / "w.sqlite", isolation_level=None)
    base.execute("PRAGMA journal_mode = WAL")
    base.execute("CREATE TABLE other (x)")
    code, text = table(chi, folder, 20, "--store", "w.sqlite")
    if code != 0:
        yield f"a store that somebody else has open: {code}: {text}"
    base.close()


def main():
    chi, kills = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 4
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "tanks.chi").write_text(TANKS)
        problems += [*killed(chi, folder, kills), *interrupted(chi, folder), *held(chi, folder)]
    print("\n".join(problems) or "studies go on")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
