#!/usr/bin/env python3
"""One system call or allocation fails, in turn, in runs of all commands, solvers and formats: `faults.py CHI [LIBRARY] [--count N]
[--seed S] [--kills N]`. Never a crash, never a torn or lost file, always a message. faults.c, which makes them fail, is LIBRARY; the build puts it into tests/."""
import argparse
import collections
import errno
import json
import os
import random
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness  # noqa: E402
from harness import Place, expect  # noqa: E402

FILES = {
    "ball.chi": "proc P() = |[ y: real := 1.0, v: real := 0.0 | y' = v, v' = -9.81 | *[ nabla y <= 0 and v < 0; v := -0.5*v ] ]|\n",
    "pendulum.chi": "proc P() = |[ x: real := 1.0, y, u, v: real := 0.0, T: real | |T|, x' = u, y' = v, u' = -T*x, v' = -T*y - 9.81, x*x + y*y = 1.0 ]|\n",
    "sparse.chi": "const n: nat = 40\nproc P() = |[ x: real*40 | x.0' = 1.0 - x.0, i: nat <- 1..n-1: x.i' = 1000.0*(x.(i-1) - x.i) ]|\n",
    "tank.chi": "proc P() = |[ V: real := 9.0, Q: real | |Q|, V' = 2 - Q, Q = sqrt(V) ]|\n",
    "loop.chi": "proc P() = |[ x: real := 1.0, a, b: real | |a, b|, x' = -a, a = x + 0.1*sin(b), b = x*x + 0.1*cos(a) ]|\n",
    "queue.chi": "proc G(a: !nat) = |[ i: nat | *[ i < 200 -> delta exponential(1.0); a!i; i := i + 1 ] ]|\n"
                 "proc B(a: ?nat, b: !nat) = |[ xs: nat*, x: nat | *[ true; a?x -> xs := xs ++ [x] | len(xs) > 0; b!hd(xs) -> xs := tl(xs) ] ]|\n"
                 "proc E(b: ?nat) = |[ x: nat | *[ b?x; delta 1.0; !x, \"\\n\" ] ]|\nsyst S() = |[ a, b: -nat | G(a) || B(a, b) || E(b) ]|\n",
    "count.chi": "proc P() = |[ n: nat, s: string, d: {nat: string} | *[ n < 300 -> delta 1.0; n := n + 1; s := str(n); !s, \"\\n\" ] ]|\n",
    "wrong.chi": "proc P() = |[ n: nat := x | n' = 1; m := 2 ]|\nproc Q( = |[ ]|\n",
    "messy.chi": "proc  P()=|[ n:nat|delta 1.0;n:=1]|\n",
    "old.csv": "time,x,y\n" + "".join(f"{i},{i % 7},{i * i}\n" for i in range(300)),
    "old.json": json.dumps({"time": [0, 1, 2], "variables": {"x": [1, 2, 3]}}),
}
# What is called, and which files it writes.
CALLS = [([command, *words.split()], written.split()) for command, words, written in [
    ("run", "ball.chi --end 1 --out r.csv", "r.csv"), ("run", "ball.chi --end 1 --out r.json --out r.mat", "r.json r.mat"),
    ("run", "ball.chi --end 1 --plot p.svg", "p.svg"), ("run", "ball.chi --end 1 --plot p.html --events e.jsonl", "p.html"), ("run", "ball.chi --end 1 --plot", ""),
    ("run", "ball.chi --end 1 --stats --json", ""), ("run", "ball.chi --end 1 --solver ida --out r.csv", "r.csv"), ("run", "ball.chi --end 1 --solver cvode --out r.csv", "r.csv"),
    ("run", "ball.chi --end 1 --solver irk", ""), ("run", "ball.chi --end 1 --solver bdf", ""), ("run", "ball.chi --end 1 --solver erk:rkf45", ""),
    ("run", "pendulum.chi --end 1 --out r.csv", "r.csv"), ("run", "pendulum.chi --end 1 --solver ida --out r.mat", "r.mat"), ("run", "pendulum.chi --end 1 --solver irk", ""),
    ("run", "sparse.chi --end 1", ""), ("run", "sparse.chi --end 1 --solver ida --out r.json", "r.json"), ("run", "sparse.chi --end 1 --solver cvode", ""), ("run", "sparse.chi --end 1 --solver irk", ""),
    ("run", "tank.chi --end 1 --out r.csv", "r.csv"), ("run", "tank.chi --end 1 --solver ida", ""), ("run", "loop.chi --end 1 --out r.csv", "r.csv"), ("run", "loop.chi --end 1 --solver ida", ""),
    ("run", "queue.chi --end 50 --events e.jsonl", ""), ("run", "queue.chi --end 50 --out r.csv", "r.csv"), ("run", "count.chi --out r.csv", "r.csv"), ("run", "count.chi --plot p.svg", "p.svg"),
    ("run", "wrong.chi", ""), ("check", "ball.chi", ""), ("check", "wrong.chi --json", ""), ("check", ".", ""), ("init", "pendulum.chi", ""), ("init", "loop.chi --json", ""),
    ("analyze", "pendulum.chi", ""), ("analyze", "ball.chi --mode all --end 1 --html s.html", "s.html"), ("fmt", "messy.chi", "messy.chi"), ("plot", "old.csv", ""),
    ("plot", "old.csv --out q.svg", "q.svg"), ("plot", "old.json --out q.html", "q.html"), ("explain", "E0004", ""), ("deps", "ball.chi", "")]]
SYSTEM_CALLS = ["write", "read", "open", "openat", "fopen", "fread", "fwrite", "fflush", "close", "fchmod", "fchown", "linkat", "renameat", "readlink", "access", "stat", "fstat",
                "setrlimit", "timer_create", "getrandom"]
ERRORS = [errno.EIO, errno.ENOSPC, errno.EACCES, errno.EINTR, errno.ENOMEM, errno.EMFILE, errno.EDQUOT, errno.EROFS]


class Run:
    """One call without a fault: what it writes, and how many places there are where it can fail."""

    def __init__(self, library, arguments, written):
        self.library, self.arguments, self.written = library, arguments, written
        self.counts = {}
        for call in ["allocation", *SYSTEM_CALLS]:
            with Place(FILES) as place:
                ended = self.call(place, call, 0)
                count = place.read(".count").strip()
                self.counts[call] = int(count or 0)
                self.code = ended.code
                self.good = {name: self.content(place, name) for name in written}

    def call(self, place, call, at, **more):
        environment = {"LD_PRELOAD": self.library, "CHI_FAULT_CALL": call, "CHI_FAULT_AT": str(at), "CHI_FAULT_COUNT": str(place.path / ".count"), **more}
        return place.run(*self.arguments, env=environment, timeout=60)

    @staticmethod
    def content(place, name):
        path = place.path / name
        return path.read_bytes() if path.exists() else None

    def inject(self, call, at, error):
        with Place(FILES) as place:
            for name in self.written:
                if name not in FILES:
                    (place.path / name).write_bytes(b"old")
            ended = self.call(place, call, at, CHI_FAULT_ERROR=str(error))
            what = f"{' '.join(self.arguments)}: {call} {at} fails with {errno.errorcode[error]}"
            good = expect(what, ended.code in (0, 1, 2, 3, 130), f"exit code {ended.code}", ended.err[-300:])
            if ended.code not in (0, self.code) and not (call in ("fwrite", "fflush")):  # these may be the message itself
                good &= expect(what, ended.err or '"message"' in ended.out, "no message, exit code", ended.code)
            if ended.code == 3 and call == "allocation":
                good &= expect(what, "memory" in ended.err or "memory" in ended.out, ended.err[-300:])
            for name in self.written:
                found = self.content(place, name)
                before = FILES[name].encode() if name in FILES else b"old"
                part = ended.code == 3 and self.is_part(name, found)
                good &= expect(what, found in (self.good[name], before) or part, f"{name} is torn or lost", (found or b"missing")[:80])
            left = [n for n in place.names() if n.startswith(".chi-")]
            good &= expect(what, not left, "left behind", left)
            return ended.code

    def is_part(self, name, found):
        """Of a run that failed the rows so far are kept, in a file that is whole."""
        if found in (None, b"old"):
            return False
        if name.endswith(".csv"):
            return self.good[name].startswith(found[:found.rfind(b"\n", 0, len(found) - 1) + 1]) and found.endswith(b"\n")
        if name.endswith(".json"):
            try:
                return len(json.loads(found)["time"]) <= len(json.loads(self.good[name])["time"])
            except ValueError:
                return False
        return found.startswith((b"<", b"\x00\x00\x00\x00", b"\x33", b"\x33\x00\x00\x00")) and len(found) > 100

    def interrupt(self, moment, number):
        """A signal after so much time: an exit, or the kill; files whole in either case."""
        with Place(FILES) as place:
            for name in self.written:
                if name not in FILES:
                    (place.path / name).write_bytes(b"old")
            process = place.start(*self.arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(moment)
            code, seconds = harness.end_by(process, number)
            what = f"{' '.join(self.arguments)}: {signal.Signals(number).name} after {moment:.4f} s"
            expect(what, code in (0, 1, 2, 3, 130) or code == -number, code)  # before `main` a signal kills
            expect(what, seconds < 5, f"ends after {seconds:.2f} s")
            for name in self.written:
                found = self.content(place, name)
                before = FILES[name].encode() if name in FILES else b"old"
                part = code == 130 and self.is_part(name, found)
                expect(what, found in (self.good[name], before) or part, f"{name} is torn or lost", (found or b"missing")[:80])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("chi")
    parser.add_argument("library", nargs="?")
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    harness.CHI = os.path.abspath(options.chi)
    options.library = options.library or os.path.join(os.path.dirname(harness.CHI), "tests", "libchi_faults.so")
    numbers = random.Random(options.seed)
    calls = [c for c in CALLS if options.only in " ".join(c[0])]
    if options.count < 10_000:
        calls = numbers.sample(calls, min(len(calls), max(8, options.count // 40)))
    runs = [Run(os.path.abspath(options.library), *call) for call in calls]
    places = [(run, call, at) for run in runs for call, count in run.counts.items() for at in range(1, count + 1)]
    systems = [p for p in places if p[1] != "allocation"]
    chosen = numbers.sample(systems, min(len(systems), options.count // 2))
    allocations = [p for p in places if p[1] == "allocation"]
    chosen += numbers.sample(allocations, min(len(allocations), options.count - len(chosen)))
    codes = collections.Counter()
    for run, call, at in chosen:
        codes[run.inject(call, at, numbers.choice(ERRORS))] += 1
    signals = [signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU]
    for _ in range(options.kills):
        numbers.choice(runs).interrupt(numbers.random() ** 2 * 0.1, numbers.choice(signals))
    for problem in harness.PROBLEMS[:40]:
        print(problem)
    print(f"{len(chosen)} faults at {len(places)} places in {len(runs)} runs, {options.kills} signals: exit codes {dict(codes)}, {len(harness.PROBLEMS)} problems")
    return 1 if harness.PROBLEMS else 0


if __name__ == "__main__":
    sys.exit(main())
