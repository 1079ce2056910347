#!/usr/bin/python3
"""Runs the models of bench/models and their baselines in turn, and prints rates and ratios.

    compare.py BUILD_DIR REPETITIONS

A rate is what the model counts (hand-overs, timer events, lots) a second of simulating, without compiling and start-up.
The runs of one model and its baselines alternate, so that what else the machine does meets all of them.
"""
import json
import os
import statistics
import subprocess
import sys

from real_time import PREFIX

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = sys.argv[1]
REPETITIONS = int(sys.argv[2])


def run(command):
    done = subprocess.run(PREFIX + command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def chi(model, n, count, *options):
    """`count`: the counter of the summary that is the rate's, or a number."""

    def once():
        text = run([f"{BUILD}/chi", "run", f"{HERE}/models/{model}.chi", "-p", f"n={n}", "--json", *options])
        summary = json.loads(text.strip().splitlines()[-1])["summary"]
        events = summary[count] if isinstance(count, str) else count
        return events / summary["seconds"]["simulate"]

    return once


def baseline(*command):
    def once():
        events, seconds, _ = run(list(command)).strip().splitlines()[-1].split()
        return float(events) / float(seconds)

    return once


HAND = f"{BUILD}/bench/by_hand"
SYSTEMC = f"{BUILD}/bench/systemc_models"
SIMPY = f"{HERE}/baselines/simpy_models.py"

# Model, what is counted, chi, baselines: name, how to run it, the ratio to reach.
MODELS = [
    ("line of 10 machines", "hand-overs", chi("line", 1000000, "communications"),
     [("C++ by hand", baseline(HAND, "line", "1000000"), 0.2),
      ("SystemC threads", baseline(SYSTEMC, "line", "200000"), 4)]),
    ("1000 timers", "events", chi("timers", 1000, "time_events", "--end", "3000"),
     [("C++ by hand", baseline(HAND, "timers", "2000000"), None),
      ("SystemC methods", baseline(SYSTEMC, "timers", "1000"), 1.5),
      ("SimPy", baseline(SIMPY, "timers", "100"), None)]),
    ("M/M/1", "lots", chi("mm1", 10000000, 10000000),
     [("C++ by hand", baseline(HAND, "mm1", "1000000"), None),
      ("SimPy", baseline(SIMPY, "mm1", "50000"), 50),
      ("SimPy, a store", baseline(SIMPY, "mm1_store", "50000"), None)]),
    ("ping-pong", "hand-overs", chi("pingpong", 5000000, "communications"),
     [("C++ by hand", baseline(HAND, "pingpong", "10000000"), None)]),
    ("buffer of 10^6", "hand-overs", chi("fifo", 1000000, "communications"),
     [("C++ by hand", baseline(HAND, "fifo", "1000000"), None)]),
]


def spread(rates):
    return f"{statistics.median(rates) / 1e6:8.3f} ({min(rates) / 1e6:.3f} .. {max(rates) / 1e6:.3f})"


for name, unit, ours, baselines in MODELS:
    runners = [ours] + [b[1] for b in baselines]
    rates = [[] for _ in runners]
    for _ in range(REPETITIONS):
        for runner, collected in zip(runners, rates):
            collected.append(runner())
    print(f"{name + ', ' + unit:32} {'chi':16} {spread(rates[0])}")
    for (label, _, wanted), collected in zip(baselines, rates[1:]):
        ratio = statistics.median(rates[0]) / statistics.median(collected)
        goal = "" if wanted is None else f"  (wanted: {wanted}) {'' if ratio >= wanted else 'MISSED'}"
        print(f"{'':32} {label:16} {spread(collected):32} chi is {ratio:7.2f} times as fast{goal}")
    sys.stdout.flush()
