#!/usr/bin/env python3
"""One circuit, written in three ways: `three_ways.py CHI [--models N] [--seed S] [--keep FOLDER]`.

Ideal elements as curves in a parameter, as guarded equations and as complementarities mean the same: the same modes one after the
other, at times that differ by no more than ten tolerances, and the same values in the end.
"""
import argparse
import json
import pathlib
import random
import sys

import chi_process

RTOL = 1e-6
WAYS = ("curve", "guards", "complements")


def pair(way, k, a, b):
    """0 <= a complements b >= 0; a and b are expressions, k a number for the parameter."""
    if way == "complements":
        return [f"0 <= {a} complements {b} >= 0"]
    if way == "guards":
        return [f"[ {b} > 0 or {a} < 0 -> {a} = 0 | not ({b} > 0 or {a} < 0) -> {b} = 0 ]"]
    return [f"{a} = if s.{k} > 0 then s.{k} else 0", f"{b} = if s.{k} > 0 then 0 else -s.{k}"]


def bounded(way, k, c, f, v):
    """-c <= f <= c complements v."""
    if way == "complements":
        return [f"-{c} <= {f} <= {c} complements {v}"]
    if way == "guards":
        low, high = f"{f} < -{c} or {f} <= -{c} and {v} > 0", f"{f} > {c} or {f} >= {c} and {v} < 0"
        return [f"[ {low} -> {f} = -{c} | not ({low}) and ({high}) -> {f} = {c} | not ({low}) and not ({high}) -> {v} = 0 ]"]
    return [f"{f} = if s.{k} > {c} then -{c} else if s.{k} < -{c} then {c} else -s.{k}",
            f"{v} = if s.{k} > {c} then s.{k} - {c} else if s.{k} < -{c} then s.{k} + {c} else 0"]


def rectifier(r, way):
    """A bridge with a resistance in its line, on a resistor, a coil or a capacitor."""
    load = r.choice(["R", "RL", "RC"])
    rs, rl, x, shift = round(r.uniform(0.1, 2), 2), round(r.uniform(2, 50), 1), round(r.uniform(0.01, 0.2), 3), round(r.uniform(0, 3), 2)
    rows = [f"10*sin(6*time + {shift}) - {rs}*il = a - b", "u.0 = a - p", "u.1 = b - p", "u.2 = -a", "u.3 = -b",
            "il = i.0 - i.2", "i.0 + i.1 = id", "i.2 + i.3 = id"]
    rows += {"R": [f"p = {rl}*id", "x' = p"], "RL": [f"{x}*x' = p - {rl}*x", "id = x"], "RC": [f"{x}*x' = id - x/{rl}", "p = x"]}[load]
    for k in range(4):
        rows += pair(way, k, f"i.{k}", f"-u.{k}")
    return "u, i: real^4, a, b, p, il, id: real, x: real := 0.0", "u, i, a, b, p, il, id", rows, 4, ["x"], 5


def phases(r, way):
    """Six diodes behind line inductances on a resistor with a coil, floating or its ends grounded by large resistors."""
    ls, rl, ld = round(r.uniform(1e-3, 1e-2), 4), round(r.uniform(2, 20), 1), round(r.uniform(0.05, 0.5), 3)
    up, down = r.choice([("", ""), (" + p/1e3", " - n/1e3")])
    rows = ["g.0 = 10*sin(6*time)", "g.1 = 10*sin(6*time - 2*pi/3)", "g.2 = 10*sin(6*time + 2*pi/3)",
            f"i.0 + i.1 + i.2 = x{up}", f"{ld}*x' = p - n - {rl}*x"]
    for k in range(3):
        rows += [f"{ls}*l.{k}' = g.{k} - e.{k}", f"l.{k} = i.{k} - i.{k + 3}", f"u.{k} = e.{k} - p", f"u.{k + 3} = n - e.{k}"]
    rows += [f"i.3 + i.4 + i.5 = x{down}"]
    for k in range(6):
        rows += pair(way, k, f"i.{k}", f"-u.{k}")
    return "u, i: real^6, g, e: real^3, l: real^3, p, n: real, x: real := 0.0", "u, i, g, e, p, n", rows, 6, ["x"], 2


def clutches(r, way):
    """Shafts in a row with clutches between them, driven at one end."""
    n = r.randint(1, 4)
    rows = []
    for k in range(n + 1):
        torque = ([f"{round(r.uniform(2, 6), 2)}*sin(3*time + {round(r.uniform(0, 3), 2)})"] if k == 0 else []) + \
            ([f"f.{k}"] if k < n else []) + ([f"-f.{k - 1}"] if k > 0 else []) + [f"-{round(r.uniform(0.1, 0.5), 2)}*w.{k}"]
        rows.append(f"{round(r.uniform(0.5, 2), 2)}*w.{k}' = " + " + ".join(torque))
    for k in range(n):
        rows += bounded(way, k, round(r.uniform(0.5, 2), 2), f"f.{k}", f"(w.{k} - w.{k + 1})")
    return f"w: real^{n + 1}, f: real^{n}", "f", rows, n, [f"w[{k}]" for k in range(n + 1)], 4


def contact(r, way):
    """A body that is pressed on a floor and pulled off it again, and slides there."""
    mu, push, pull = round(r.uniform(0.1, 0.6), 2), round(r.uniform(1, 8), 2), round(r.uniform(5, 20), 1)
    rows = ["y' = v", f"v' = n - 10 + {pull}*sin(2*time + {round(r.uniform(0, 3), 2)})", "x' = w", f"w' = f.0 + {push}*cos(3*time)"]
    rows += pair(way, 0, "y", "n")
    rows += bounded(way, 1, mu, "f.0", "w")
    return f"x, w: real := 0.0, y: real := {round(r.uniform(0.1, 1), 2)}, v: real := 0.0, n: real, f: real^1", "n, f", rows, 2, ["x", "y"], 2


def relays(r, way):
    """Integrators with relays, one behind the other."""
    n = r.randint(1, 3)
    rows = []
    for k in range(n):
        drive = f"{round(r.uniform(0.2, 0.8), 2)}*sin({round(r.uniform(1, 4), 2)}*time)"
        rows.append(f"x.{k}' = f.{k} + {drive}" + (f" + 0.3*f.{k - 1}" if k else ""))
        rows += bounded(way, k, 1.5, f"f.{k}", f"x.{k}")
    start = ", ".join(str(round(r.uniform(-1, 1), 2)) for _ in range(n))
    return f"x: real^{n} := [{start}], f: real^{n}", "f", rows, n, [f"x[{k}]" for k in range(n)], 3


def model(seed, way):
    r = random.Random(seed)
    make = r.choice([rectifier, phases, clutches, contact, relays])
    declared, unknown, rows, parameters, results, end = make(r, way)
    if way == "curve":
        declared += f", s: real^{parameters}"
        unknown += ", s"
    return f"proc P() =\n|[ {declared}\n | |{unknown}|\n , " + "\n , ".join(rows) + "\n]|\n", results, end


def run(chi, seed, way):
    text, results, end = model(seed, way)
    answer = chi_process.call(chi, ["run", "{}", "--end", str(end), "--rtol", str(RTOL), "--points", "11", "--out", "{csv}", "--quiet", "--events", "/dev/stdout"],
                              timeout=30, text=text)
    return text, results, end, answer


def instants(text):
    """When the mode changes; what follows at once counts once."""
    times = []
    for line in text.splitlines():
        event = json.loads(line)
        if event["kind"] in ("mode", "slide") and event["time"] > 0:
            if not times or event["time"] > times[-1] + 1e-4:
                times.append(event["time"])
    return times


def compare(seed, found):
    (_, results, end, first), problems = found[WAYS[-1]], []
    for way, (_, _, _, answer) in found.items():
        if answer.kind() != "ok":
            problems.append(f"{way}: {answer.kind()}: {answer.errors.strip().splitlines()[:1]}")
    if problems:
        return problems
    wanted = instants(first.output)
    for way, (_, _, end, answer) in found.items():
        times = instants(answer.output)
        if len(times) != len(wanted):
            problems.append(f"{way}: {len(times)} instants, as complementarity {len(wanted)}")
        elif any(abs(a - b) > 10 * RTOL * end for a, b in zip(times, wanted)):
            off = max(abs(a - b) for a, b in zip(times, wanted))
            problems.append(f"{way}: instants differ by {off:.2g}")
        for name in results:
            j, k = first.columns.index(name), answer.columns.index(name)
            size = max(abs(row[j]) for row in first.rows) + 1e-3
            a, b = first.rows[-1][j], answer.rows[-1][k]
            if abs(a - b) > 100 * RTOL * size:
                problems.append(f"{way}: {name} is {b} at the end, as complementarity {a}")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("chi")
    parser.add_argument("--models", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    failures = 0
    for seed in range(arguments.seed, arguments.seed + arguments.models):
        found = {way: run(arguments.chi, seed, way) for way in WAYS}
        problems = compare(seed, found)
        if not problems:
            continue
        failures += 1
        print(f"seed {seed}: " + "; ".join(problems))
        if arguments.keep:
            arguments.keep.mkdir(parents=True, exist_ok=True)
            for way, (text, *_) in found.items():
                (arguments.keep / f"{seed}_{way}.chi").write_text(text, encoding="utf-8")
    print(f"{arguments.models} circuits, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
