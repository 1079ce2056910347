#!/usr/bin/python3
"""Runs the models of bench/models that have equations, and the same by hand, in turn; prints times and ratios.

    equations.py BUILD_DIR REPETITIONS

The time of chi is from the text to the last value: compiling, initial values, simulating; without the start of the
process. That of a program by hand is all that it does, and it was compiled before. SciPy and Octave have rows where
they are there, on the sizes that they take no minutes for.
"""
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import time

from real_time import PREFIX

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = sys.argv[1]
REPETITIONS = int(sys.argv[2])
PYTHON = "/usr/bin/python3"
SCIPY = subprocess.run([PYTHON, "-c", "import scipy.integrate"], capture_output=True).returncode == 0
OCTAVE = shutil.which("octave-cli")


def run(command):
    done = subprocess.run(PREFIX + command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout.strip().splitlines()


class Measured:
    """What several runs of one program took; `work` and `answer` are the same each time."""

    def __init__(self, once):
        self.once, self.seconds, self.work, self.answer = once, [], 0, math.nan

    def again(self):
        seconds, self.work, self.answer = self.once()
        self.seconds.append(seconds)

    def median(self):
        return statistics.median(self.seconds)

    def text(self):
        return f"{1e3 * self.median():9.2f} ms ({1e3 * min(self.seconds):.2f} .. {1e3 * max(self.seconds):.2f})"


def chi(model, n, *options, work="steps"):
    def once():
        lines = run([f"{BUILD}/chi", "run", f"{HERE}/models/{model}.chi", *(["-p", f"n={n}"] if n else []), "--json",
                     *options])
        summary = json.loads(lines[-1])["summary"]
        answer = float(lines[-2]) if len(lines) > 1 else math.nan
        return sum(summary["seconds"].values()), summary[work], answer

    return Measured(once)


def by(*command):
    def once():
        work, seconds, answer = run(list(map(str, command)))[-1].split()
        return float(seconds), int(float(work)), float(answer)

    return Measured(once)


def hand(model, n, rtol, atol):
    return by(f"{BUILD}/bench/equations_by_hand", model, n, rtol, atol)


def scipy(model, method, n, rtol, atol):
    return by(PYTHON, f"{HERE}/baselines/scipy_models.py", model, method, n, rtol, atol)


def octave(model, n, rtol, atol):
    return by(OCTAVE, "--quiet", "--no-init-file", f"{HERE}/baselines/octave_models.m", model, n, rtol, atol)


def compare(title, baseline, rows, goal=None, unit="steps"):
    """`goal`: the most that the first row's time may be, in times of the baseline's."""
    everyone = [baseline] + [row for _, row in rows]
    for _ in range(REPETITIONS):
        for program in everyone:
            program.again()
    print(f"{title:26} {'by hand':16} {baseline.text():40} {baseline.work:7} {unit}, {baseline.answer:.9g}")
    for i, (label, row) in enumerate(rows):
        ratio = row.median() / baseline.median()
        verdict = ""
        if i == 0 and goal is not None:
            verdict = f"  (at most {goal}) {'' if ratio <= goal else 'MISSED'}"
        print(f"{'':26} {label:16} {row.text():40} {row.work:7} {unit}, {row.answer:.9g}"
              f"  takes {ratio:.2f} of it{verdict}")
    sys.stdout.flush()


def smooth(title, model, n, solver, goal, rtol=1e-6, atol=1e-9, others=()):
    tolerances = ["--rtol", str(rtol), "--atol", str(atol)]
    rows = [("chi", chi(model, n, *tolerances)), (f"chi, {solver}", chi(model, n, "--solver", solver, *tolerances))]
    if SCIPY:
        rows += [(f"SciPy {method}", scipy(model, method, n, rtol, atol)) for method in others if method in SCIPYS]
    if OCTAVE:
        rows += [(f"Octave {method}", octave(model, n, rtol, atol)) for method in others if method not in SCIPYS]
    compare(title, hand(model, n, rtol, atol), rows, goal)


SCIPYS = ("LSODA", "BDF", "Radau")
ALL = SCIPYS + ("lsode",)
smooth("Robertson to 1e11", "robertson", 0, "cvode", 3, atol=1e-18, others=ALL)
smooth("transistor amplifier", "amplifier", 0, "ida", 3, atol=1e-8, others=("daspk",))
smooth("heat, 100 cells", "heat", 100, "cvode", 3, others=ALL)
smooth("heat, 1000 cells", "heat", 1000, "cvode", 1.3, others=SCIPYS)
smooth("heat, 10 000 cells", "heat", 10000, "cvode", 1.3)
smooth("cascade of 100 lags", "cascade", 100, "cvode", 3, others=ALL)
smooth("cascade of 1600 lags", "cascade", 1600, "cvode", 1.3)
smooth("advection, 100 cells", "reaction", 100, "cvode", 3, others=ALL)
smooth("advection, 1000 cells", "reaction", 1000, "cvode", 1.3, others=SCIPYS)
smooth("RC ladder, 1000", "ladder", 1000, "cvode", 1.3, others=SCIPYS)
smooth("RC ladder, 9000", "ladder", 9000, "cvode", 1.3)
REPETITIONS = 1  # these take long
smooth("cascade of 12 800 lags", "cascade", 12800, "cvode", 1.3)
smooth("published ladder, 1000", "rc_ladder", 1000, "cvode", 1.3)
smooth("published ladder, 9000", "rc_ladder", 9000, "cvode", 1.3)



def first_step(title, model, sizes, unknowns):
    """From the text to the first step: seconds, memory, and how they grow with the number of equations."""
    seconds = []
    for n in sizes:
        tries = []
        for _ in range(max(REPETITIONS, 3)):
            before = time.perf_counter()
            command = [f"{BUILD}/chi", "run", f"{HERE}/models/{model}.chi", "-p", f"n={n}", "--end", "1e-12", "--quiet"]
            done = subprocess.Popen(PREFIX + command, stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(done.pid, 0)
            if status != 0:
                sys.exit(f"{' '.join(command)} failed")
            tries.append((time.perf_counter() - before, usage.ru_maxrss / 1024))
        seconds.append(statistics.median(t for t, _ in tries))
        print(f"{title:26} {unknowns * n:7} equations: {seconds[-1]:7.3f} s to the first step,"
              f" {max(m for _, m in tries):6.0f} MB")
    exponent = math.log(seconds[-1] / seconds[0]) / math.log(sizes[-1] / sizes[0])
    verdict = "" if exponent <= 1.2 and seconds[-1] <= 10 else "MISSED"
    print(f"{'':26} grows with N to the {exponent:.2f} (at most 1.2) {verdict}")
    sys.stdout.flush()


print()
print("From the text to the first step, from the start of the process; 10^5 equations: at most 10 s and 2 GB")
first_step("heat", "heat", (1000, 10000, 100000), 1)
first_step("heat with alternatives", "switched", (1000, 10000, 100000), 1)
first_step("RC ladder", "ladder", (500, 5000, 50000), 2)

print()
print("State events. By hand: CVODE with its root finder, all in one system; Adams with fixed points, and BDF")
REPETITIONS = min(int(sys.argv[2]), 3)
EXACT = 10 * math.log(15 / 9) + 99999 * 10 * math.log(11 / 9)
print(f"{'':26} the last event of the thermostat is at t = {EXACT:.9g}")
compare("thermostat, 10^5 events", hand("thermostat", 100000, 1e-6, 1e-9),
        [("chi", chi("thermostat", 100000, work="state_events")),
         ("by hand, BDF", hand("thermostat_bdf", 100000, 1e-6, 1e-9)),
         ("by hand, 1e-9", hand("thermostat", 100000, 1e-9, 1e-12))], 0.2, "events")


compare("buck, 10^5 switchings", hand("buck", 100000, 1e-6, 1e-9),
        [("chi", chi("buck", 100000, work="mode_switches"))], unit="switchings")


def growth(title, sizes, programs):
    """Microseconds an event for each size, and how the time grows with the number of events."""
    for label, make in programs:
        measured = [make(n) for n in sizes]
        for _ in range(REPETITIONS):
            for program in measured:
                program.again()
        cells = [f"{n}: {1e6 * m.median() / m.work:.1f}" for n, m in zip(sizes, measured)]
        events = math.log(measured[-1].work / measured[0].work)
        exponent = math.log(measured[-1].median() / measured[0].median()) / events
        print(f"{title:26} {label:16} us an event  {', '.join(cells)}; {measured[-1].median():.3f} s for the last;"
              f" time grows with events to the {exponent:.2f}")
        sys.stdout.flush()


growth("bouncing balls", (10, 100, 1000),
       [("chi", lambda n: chi("balls", n, "--end", "10", work="state_events")),
        ("by hand", lambda n: hand("balls", n, 1e-6, 1e-9))])
growth("rising levels", (500, 2000, 8000), [("chi", lambda n: chi("many_events", n, "--end", "1000", work="state_events"))])


def switches(title, model, sizes):
    """Milliseconds for each size, all with about as many switches of the mode, and how they grow."""
    measured = [chi(model, n, work="mode_switches") for n in sizes]
    for _ in range(REPETITIONS):
        for program in measured:
            program.again()
    cells = [f"{n}: {1e3 * m.median():.0f} ms, {m.work} switches" for n, m in zip(sizes, measured)]
    exponent = math.log(measured[-1].median() / measured[0].median()) / math.log(sizes[-1] / sizes[0])
    print(f"{title:26} {'chi':16} {'; '.join(cells)}; time grows with equations to the {exponent:.2f}")
    sys.stdout.flush()


switches("front over corners", "front", (1000, 4000, 16000))
switches("masses that stick", "friction", (50, 200, 800))

print()
print("Finding state events by method (P9.1, P9.2 of Cellier and Kofman); evaluations an event are in roots_bench below")
FINDERS = ("toms748", "itp", "regula-falsi", "golden-section", "bisection", "cubic-hermite", "inverse-hermite",
           "polynomial")
DETECTIONS = ("signs", "derivative", "bernstein", "sturm")
for option, method in [("--root-finder", m) for m in FINDERS] + [("--root-detection", m) for m in DETECTIONS]:
    thermostat = chi("thermostat", 10000, option, method, work="state_events")
    needles = chi("needles", 100, "--rtol", "1e-8", option, method)
    for _ in range(REPETITIONS):
        thermostat.again()
    needles.again()
    print(f"  {option:18} {method:16} thermostat {1e6 * thermostat.median() / thermostat.work:6.2f} us an event;"
          f" needles missed: {100 - needles.answer:.0f} of 100")
