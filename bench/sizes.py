#!/usr/bin/python3
"""Large models and long runs of chi: time an event, and memory, as the model or the run grows.

    sizes.py BUILD_DIR

A calendar costs the logarithm of what is in it, and misses of the cache; all else is linear, and a longer run takes no
more memory.
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = sys.argv[1]

# What grows, the model, its parameters, the counter that is the rate's.
RUNS = [
    ("10^7 timers of 10^3 processes", "many_timers", {"n": 10**3, "k": 10**4}, "time_events"),
    ("10^7 timers of 10^4 processes", "many_timers", {"n": 10**4, "k": 10**3}, "time_events"),
    ("10^7 timers of 10^5 processes", "many_timers", {"n": 10**5, "k": 10**2}, "time_events"),
    ("10^7 timers of 10^6 processes", "many_timers", {"n": 10**6, "k": 10}, "time_events"),
    ("10^7 timers at once", "many_timers", {"n": 10**7, "k": 1}, "time_events"),
    ("a buffer of 10^5 lots", "fifo", {"n": 10**5}, "communications"),
    ("a buffer of 10^6 lots", "fifo", {"n": 10**6}, "communications"),
    ("a buffer of 10^7 lots", "fifo", {"n": 10**7}, "communications"),
    ("M/M/1, 10^7 actions", "mm1", {"n": 2 * 10**6}, "resumptions"),
    ("M/M/1, 10^8 actions", "mm1", {"n": 2 * 10**7}, "resumptions"),
    ("selection over 10 channels", "channels", {"n": 10, "k": 10**6}, "communications"),
    ("selection over 10^4 channels", "channels", {"n": 10**4, "k": 10**6}, "communications"),
    ("10 senders, one selection", "select", {"n": 10, "k": 10**6}, "communications"),
    ("10^3 senders, one selection", "select", {"n": 10**3, "k": 10**6}, "communications"),
    ("10^4 senders, one selection", "select", {"n": 10**4, "k": 10**6}, "communications"),
    ("10^6 processes started", "started", {"n": 10**6}, "time_events"),
    ("10^7 processes started", "started", {"n": 10**7}, "time_events"),
]


def run(model, parameters):
    options = [text for name, value in parameters.items() for text in ("-p", f"{name}={value}")]
    process = subprocess.Popen([f"{BUILD}/chi", "run", f"{HERE}/models/{model}.chi", "--json", *options],
                               stdout=subprocess.PIPE, text=True)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{model} failed:\n{text}")
    return json.loads(text.strip().splitlines()[-1])["summary"], usage.ru_maxrss / 1024


MEMORY = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")

for name, model, parameters, count in RUNS:
    if parameters["n"] >= 10**7 and model == "many_timers" and MEMORY < 12e9:
        print(f"{name:32} left out: it takes 7 GB")
        continue
    summary, megabytes = run(model, parameters)
    seconds = summary["seconds"]["simulate"]
    print(f"{name:32} {summary[count]:>12} {count.replace('_', ' '):14} {1e9 * seconds / summary[count]:8.0f} ns each"
          f" {megabytes:8.0f} MB at most")
    sys.stdout.flush()
