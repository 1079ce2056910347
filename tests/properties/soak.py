#!/usr/bin/env python3
"""Everything random, for a given time: `soak.py CHI [--seconds N] [--report FILE] [--fuzzers BUILD] [--keep FOLDER]`.

Goes round all kinds in slices, each with seeds that were not used before, until the time is over: random DAEs, random hybrid
and mixed models, metamorphic pairs, mutated models, bad inputs, faults of the machine, and the libFuzzer programs of BUILD if it is
given. Writes how many of each there were, and what failed. The first seed is the day's unless --seed says otherwise.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
# Name, arguments of a slice with {} for the seed, seeds that it uses up, what counts its cases.
SLICES = (
    ("random DAEs", ["random_dae.py", "{chi}", "--models", "200", "--seed", "{}"], 200, r"^(\d+) models, (\d+) failed"),
    ("random hybrid models", ["random_hybrid.py", "{chi}", "--models", "400", "--seed", "{}"], 400, r"^(\d+) models, (\d+) failed"),
    ("random times", ["random_times.py", "{chi}", "--models", "400", "--seed", "{}"], 400, r"^(\d+) models, (\d+) failed"),
    ("random mixed models", ["random_mixed.py", "{chi}", "--models", "400", "--seed", "{}"], 400, r"^(\d+) models, (\d+) failed"),
    ("random ideal networks", ["random_ideal.py", "{chi}", "--models", "200", "--laws", "7", "--seed", "{}"], 200, r"^(\d+) runs, .*, (\d+) failed"),
    ("metamorphic pairs", ["metamorphic.py", "{chi}", "--models", "120", "--seed", "{}"], 120, r"^(\d+) pairs, (\d+) failed"),
    ("mutated models", ["mutate_models.py", "{chi}", "--each", "1", "--seed", "{}"], 1, r"^(\d+) calls, (\d+) failed"),
    ("bad inputs", ["bad_inputs.py", "{chi}", "--inputs", "500", "--seed", "{}"], 500, r"^(\d+) inputs, \d+ refused, (\d+) failed"),
    ("injected faults", ["../robustness/faults.py", "{chi}", "--count", "5000", "--kills", "200", "--seed", "{}"], 1, r"^(\d+) faults .*, (\d+) problems"),
    ("kinds of faults", ["faults.py", "{chi}"], 1, r"^(\d+) kinds of faults, (\d+) failed"),
)
FUZZERS = ("frontend", "results", "statements")


class Soak:
    def __init__(self, options):
        self.options = options
        self.chi = os.path.abspath(options.chi)
        self.seed = {name: options.seed for name, *_ in SLICES}
        self.count, self.failed, self.said = {}, {}, []

    def add(self, name, cases, failed, output):
        self.count[name] = self.count.get(name, 0) + cases
        self.failed[name] = self.failed.get(name, 0) + failed
        if failed:
            self.said.append(f"--- {name}\n{output[-4000:]}")

    def slice(self, name, words, step, pattern):
        seed = self.seed[name]
        self.seed[name] += step
        command = [word.replace("{chi}", self.chi).replace("{}", str(seed)) for word in words]
        command[0] = str(HERE / command[0])
        if self.options.keep and command[0].rsplit("/", 1)[1] != "faults.py":
            command += ["--keep", str(pathlib.Path(self.options.keep, name.replace(" ", "_")))]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        output = done.stdout.decode("utf-8", "replace")
        found = re.findall(pattern, output, re.MULTILINE)
        cases, failed = map(int, found[-1]) if found else (0, 1)
        self.add(name, cases, failed, output)

    def fuzz(self, target, seconds):
        script = HERE.parents[1] / "scripts" / "fuzz.sh"
        done = subprocess.run([str(script), self.options.fuzzers, str(seconds), target], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        output = done.stdout.decode("utf-8", "replace")
        found = re.findall(r"number_of_executed_units: (\d+)", output)
        self.add(f"inputs of the {target} fuzzer", int(found[-1]) if found else 0, int(done.returncode != 0), output)

    def run(self):
        start = time.monotonic()
        left = lambda: self.options.seconds - (time.monotonic() - start)  # noqa: E731
        while left() > 0:
            for entry in SLICES:
                if left() > 0:
                    self.slice(*entry)
            for target in FUZZERS if self.options.fuzzers else ():
                if left() > 0:
                    self.fuzz(target, max(1, int(min(60, left()))))
        return time.monotonic() - start

    def report(self, seconds):
        lines = [f"# Soak of {seconds:.0f} s, first seed {self.options.seed}", "", "| kind | cases | failed |", "|---|---|---|"]
        lines += [f"| {name} | {n} | {self.failed[name]} |" for name, n in self.count.items()]
        return "\n".join(lines + [""] + self.said) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chi")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=int(time.time()) // 86400 * 1000000)
    parser.add_argument("--report", type=pathlib.Path)
    parser.add_argument("--fuzzers", help="the build folder with the libFuzzer programs")
    parser.add_argument("--keep", help="a folder for what fails")
    options = parser.parse_args()
    soak = Soak(options)
    text = soak.report(soak.run())
    print(text, end="")
    if options.report:
        options.report.write_text(text, "utf-8")
    return 1 if any(soak.failed.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
