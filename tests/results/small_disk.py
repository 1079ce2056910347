#!/usr/bin/python3
"""A disk that is full while results are written: `small_disk.py CHI`. The call says so, exits with 2, leaves no half file and
what was there before as it was. Exit 77 (skipped) where a small file system cannot be mounted."""
import os
import pathlib
import subprocess
import sys
import tempfile

MODEL = "proc P() = |[ x: real := 1.0, v: real := 0.0 | x' = v, v' = -x ]|\n"


def inside(chi, folder):
    """What runs where nothing that is mounted can be seen from outside."""
    disk = pathlib.Path(folder) / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(disk)], capture_output=True, check=False)
    if mounted.returncode:
        return 77
    (disk / "m.chi").write_text(MODEL)
    problems = []
    for option, name in [("--out", "r.csv"), ("--out", "r.mat"), ("--out", "r.json"), ("--plot", "p.html"), ("--events", "e.jsonl")]:
        if option != "--events":
            (disk / name).write_text("old")
        end = ["--end", "10"] if option != "--events" else ["--end", "1e5", "--top", "Q"]
        if option == "--events":
            (disk / "m.chi").write_text("proc Q() = |[ n: nat | *[ delta 1.0; n := n + 1; !n ] ]|\n")
        done = subprocess.run([chi, "run", "m.chi", *end, option, name, "--quiet"], cwd=disk, capture_output=True, check=False)
        said = done.stderr.decode()
        if done.returncode != 2 or f"cannot write" not in said or name not in said:
            problems.append(f"{option} {name}: exit code {done.returncode}\n{said}")
        left = sorted(p.name for p in disk.iterdir())
        if left != sorted({"m.chi", name}):
            problems.append(f"{option} {name}: left behind are {left}")
        if option != "--events" and (disk / name).read_text() != "old":
            problems.append(f"{name} was changed")
        (disk / name).unlink()
    print("\n".join(problems) or "a full disk is told in all formats")
    return 1 if problems else 0


def main():
    if len(sys.argv) == 3:
        return inside(sys.argv[1], sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        call = [sys.executable, __file__, os.path.abspath(sys.argv[1]), folder]
        try:
            done = subprocess.run(["unshare", "--mount", "--map-root-user", *call], check=False)
        except FileNotFoundError:
            return 77
        if done.returncode not in (0, 1) or done.returncode == 1 and not os.path.isdir(folder + "/disk"):
            print("no small file system can be mounted here: skipped")
            return 77
        return done.returncode


if __name__ == "__main__":
    sys.exit(main())
