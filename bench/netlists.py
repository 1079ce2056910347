#!/usr/bin/python3
"""Net lists of library components against the same by hand with the modes as code: seconds of simulating, and the ratio.

    netlists.py BUILD_DIR
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = [("inverter", [], "three-phase inverter, 10 kHz, 1 s"), ("llc", ["-p", "n=1000"], "full-bridge LLC, 1000 periods")]


def run(model, options):
    """Seconds of simulating, mode switches, and the answer."""
    done = subprocess.run([f"{sys.argv[1]}/chi", "run", f"{HERE}/models/{model}.chi", *options, "--json"], capture_output=True, check=False, text=True)
    if done.returncode != 0:
        sys.exit(f"{model} failed:\n{done.stdout}{done.stderr}")
    lines = done.stdout.strip().splitlines()
    return json.loads(lines[-1])["summary"]["seconds"]["simulate"], float(lines[-2])


for name, options, text in CASES:
    ours, answer = min(run(name, options) for _ in range(3))
    hand, other = min(run(name + "_modes", options) for _ in range(3))
    if abs(answer - other) > 1e-4 * abs(other):
        sys.exit(f"{name}: {answer} and {other} by hand")
    print(f"{text:36} {ours:8.3f} s, by hand {hand:8.3f} s: {ours / hand:6.1f} times")
