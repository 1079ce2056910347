#!/usr/bin/python3
"""Net lists as they grow: processor time to the first step, and memory.

    nodes.py BUILD_DIR

The last line is the exponent of the time between the smallest and the largest: 1 is linear.
"""
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = (12_500, 25_000, 50_000, 100_000)


def run(n):
    """Seconds of a processor and megabytes."""
    process = subprocess.Popen([f"{sys.argv[1]}/chi", "run", f"{HERE}/models/net.chi", "-p", f"n={n}", "--end", "1e-6", "--vars", "a[1].v",
                                "--quiet"], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{n} nodes failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


times = []
for size in SIZES:
    seconds, megabytes = min(run(size) for _ in range(3))
    times.append(seconds)
    print(f"{size:8} instances and nodes {seconds:6.2f} s {megabytes:6.0f} MB")
print(f"exponent {math.log(times[-1] / times[0]) / math.log(SIZES[-1] / SIZES[0]):.2f}")
