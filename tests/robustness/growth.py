#!/usr/bin/env python3
"""How the time of check and analysis grows with the text: `growth.py CHI [--largest N]`. Prints the exponent of each kind of text, which
is at most 1.2. Processor time, so that other work on the machine does not count."""
import argparse
import math
import os
import resource
import subprocess
import sys
import tempfile

MOST = 1.2
NOISE = 0.004  # s: below this differences are not measured


def joined(separator, n, text):
    return separator.join(text(i) for i in range(n))


KINDS = {
    "chained functions": lambda n: "func f0(x: real) -> real = x*x + 1.0\n" + joined("", n - 1, lambda i: f"func f{i+1}(x: real) -> real = f{i}(x) + 1.0\n")
    + f"proc P() = |[ x: real := 0.1 | x' = -f{n-1}(x) ]|\n",
    "functions": lambda n: joined("", n, lambda i: f"func f{i}(x: real) -> real = x + {i}.0\n") + "proc P() = |[ x: real := 1.0 | x' = -f0(x) ]|\n",
    "states": lambda n: f"proc P() = |[ {joined(', ', n, lambda i: f'x{i}: real := 1.0')} | {joined(', ', n, lambda i: f'x{i} = 1.0' if False else f'x{i}{chr(39)} = -x{i}')} ]|\n",
    "unknowns one by one": lambda n: f"proc P() = |[ x: real := 1.0, {joined(', ', n, lambda i: f'y{i}: real')} | |{joined(',', n, lambda i: f'y{i}')}|, x' = -y0, y0 = x*x, "
    + joined(", ", n - 1, lambda i: f"y{i+1} = sin(y{i}) + x") + " ]|\n",
    "unknowns in a loop": lambda n: f"proc P() = |[ x: real := 1.0, {joined(', ', n, lambda i: f'y{i}: real')} | |{joined(',', n, lambda i: f'y{i}')}|, x' = -y0, y0 = x*x + 0.1*sin(y{n-1}), "
    + joined(", ", n - 1, lambda i: f"y{i+1} = sin(y{i}) + x") + " ]|\n",
    "a long sum": lambda n: f"proc P() = |[ x: real := 1.0 | x' = {joined(' + ', n, lambda i: f'{i}.0*x')} ]|\n",
    "statements": lambda n: f"proc P() = |[ n: nat | {joined('; ', n, lambda i: f'n := n + {i}')} ]|\n",
    "processes": lambda n: joined("", n, lambda i: f"proc P{i}(ref n: nat) = |[ delta 1.0; n := n + 1 ]|\n") + f"syst S() = |[ n: nat | {joined(' || ', n, lambda i: f'P{i}(n)')} ]|\n",
    "instances": lambda n: f"proc P(ref n: nat) = |[ delta 1.0; n := n + 1 ]|\nsyst S() = |[ n: nat | {joined(' || ', n, lambda i: 'P(n)')} ]|\n",
    "errors on one line": lambda n: f"proc P() = |[ n: nat | {joined('; ', n, lambda i: f'n := m{i}')} ]|\n",
    "errors on many lines": lambda n: "proc P() = |[ n: nat | " + joined(";\n", n, lambda i: f"n := m{i}") + " ]|\n",
    "errors of parsing": lambda n: joined("", n, lambda i: f"proc P{i}( = |[ ]|\n"),
    "parentheses": lambda n: f"proc P() = |[ x: real := {'(' * n}1.0{')' * n} | skip ]|\n",
}


def seconds(chi, command, path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([chi, command, path, "--max-time", "120"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime, done.returncode


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("chi")
    parser.add_argument("--largest", type=int, default=10_000)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    sizes = [n for n in (1000, 3162, 10_000, 31_623, 100_000) if n <= options.largest]
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.chi")
        for command in ("check", "analyze"):
            for kind, text in KINDS.items():
                if options.only not in kind:
                    continue
                times = []
                for n in sizes:
                    with open(path, "w") as file:
                        file.write(text(n))
                    spent, code = seconds(options.chi, command, path)
                    times.append(spent)
                    if code not in (0, 1, 2):
                        print(f"{command} {kind}: exit code {code} at {n}")
                        bad += 1
                # Over the last decade: what is fixed no longer counts there.
                ratio = (times[-1] + NOISE) / (times[-3] + NOISE)
                exponent = math.log(ratio) / math.log(sizes[-1] / sizes[-3])
                if exponent > MOST and seconds(options.chi, command, path)[0] > times[-1] * 0.7:
                    bad += 1
                    print("TOO STEEP ", end="")
                print(f"{command:8}{kind:22}{'  '.join(f'{t:7.3f}' for t in times)} s   exponent {exponent:5.2f}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
