#!/usr/bin/env python3
"""Random networks of tanks: `random_tanks.py CHI [--models N] [--seed S] [--solver NAME] [--keep FOLDER]`.

Orifices, check valves and weirs between tanks that pumps fill and that run empty. The flow through an orifice goes with the
root of the difference in level: where that is zero it has an infinite slope, and integrators can lose their way without a
word. There is no closed form, so all solvers run, and are compared with each other and with Runge-Kutta steps taken here,
which are short and know nothing of events.
"""
import argparse
import concurrent.futures
import dataclasses
import math
import os
import pathlib
import random
import sys

import chi_process

SOLVERS = ("auto", "erk", "irk", "ida", "cvode", "bdf")
END = 6.0
STEP = 1e-3
AMONG, BESIDE = 5e-5, 3e-4  # how far solvers are from each other, and from the steps taken here


@dataclasses.dataclass
class Pipe:
    source: int
    target: int  # -1: out of the model
    law: str  # orifice, valve (an orifice that lets through one way only), weir, linear
    size: float
    style: int
    height: float

    def flow(self, d):
        if self.law == "orifice":
            return math.copysign(self.size * math.sqrt(abs(d)), d)
        if self.law == "linear":
            return self.size * d
        return 0.0 if d <= 0 else self.size * (math.sqrt(d) if self.law == "valve" else d)

    def equation(self, k):
        c, d, q = repr(self.size), f"d{k}", f"q{k}"
        return {
            "orifice": (f"{q} = if {d} > 0 then {c}*sqrt({d}) else -{c}*sqrt(-{d})",
                        f"{q} = {c}*sign({d})*sqrt(abs({d}))",
                        f"[ {d} >= 0 -> {q} = {c}*sqrt({d}) | {d} < 0 -> {q} = -{c}*sqrt(-{d}) ]"),
            "valve": (f"{q} = if {d} > 0 then {c}*sqrt({d}) else 0",
                      f"{q} = {c}*sqrt(max({d}, 0.0))",
                      f"[ {d} > 0 -> {q} = {c}*sqrt({d}) | {d} <= 0 -> {q} = 0 ]"),
            "weir": (f"{q} = max(0.0, {c}*{d})", f"{q} = if {d} > 0 then {c}*{d} else 0", f"{q} = {c}*max({d}, 0.0)"),
            "linear": (f"{q} = {c}*{d}",) * 3,
        }[self.law][self.style]


@dataclasses.dataclass
class Pump:
    tank: int
    size: float
    kind: str  # sine, pulses, constant
    period: float

    def flow(self, t, piece):
        if self.kind == "sine":
            return self.size * max(0.0, math.sin(3 * self.period * t))
        return self.size if self.kind == "constant" or piece % 2 == 0 else 0.0


class Network:
    def __init__(self, r):
        n = r.randint(1, 4)
        self.areas = [round(r.uniform(0.5, 2), 2) for _ in range(n)]
        self.levels = [r.choice((0.0, round(r.uniform(0.1, 2), 2))) for _ in range(n)]
        self.pipes = []
        while not self.pipes:
            for _ in range(r.randint(1, n + 2)):
                source, target = r.randrange(n), r.randrange(-1, n)
                law = r.choice(("orifice", "valve", "weir", "linear"))
                size, style = round(r.uniform(0.2, 1), 2), r.randrange(3)
                height = round(r.uniform(0, 0.5), 1) if r.random() < 0.3 else 0.0
                if source != target:
                    self.pipes.append(Pipe(source, target, law, size, style, height))
        self.pumps = [Pump(r.randrange(n), round(r.uniform(0.2, 1), 2), kind, round(r.uniform(0.4, 1.5), 2))
                      for kind in r.sample(("sine", "pulses", "constant"), r.randint(1, 2))]
        self.loss = r.random() < 0.7

    def text(self):
        n = len(self.areas)
        flows = [f"{x}{k}" for k in range(len(self.pipes)) for x in "qd"]
        flows += [f"p{k}" for k, p in enumerate(self.pumps) if p.kind == "sine"]
        actions = [f"p{k} := {p.size!r}" for k, p in enumerate(self.pumps) if p.kind == "constant"]
        actions += [f"*[ p{k} := {p.size!r}; delta {p.period!r}; p{k} := 0.0; delta {p.period!r} ]"
                    for k, p in enumerate(self.pumps) if p.kind == "pulses"]
        names = [f"q{k}, d{k}" for k in range(len(self.pipes))] + [f"p{k}" for k in range(len(self.pumps))]
        equations = ["|" + ", ".join(flows) + "|"]
        for k, pipe in enumerate(self.pipes):
            below = f"h{pipe.target}" if pipe.target >= 0 else "0"
            equations += [f"d{k} = h{pipe.source} - {below} - {pipe.height!r}", pipe.equation(k)]
        equations += [f"p{k} = {p.size!r}*max(0.0, sin({3 * p.period!r}*time))"
                      for k, p in enumerate(self.pumps) if p.kind == "sine"]
        for i in range(n):
            terms = f"-(if h{i} > 0 then 0.05 else 0)*h{i}" if self.loss else "0"
            terms += "".join(f" - q{k}" if p.source == i else f" + q{k}"
                             for k, p in enumerate(self.pipes) if i in (p.source, p.target))
            terms += "".join(f" + p{k}" for k, p in enumerate(self.pumps) if p.tank == i)
            equations.append(f"{self.areas[i]!r}*h{i}' = {terms}")
        levels = ", ".join(f"h{i}: real := {h!r}" for i, h in enumerate(self.levels))
        return (f"proc Tanks() =\n|[ {levels}, {', '.join(names)}: real\n | " + "\n , ".join(equations)
                + ("\n | " + "; ".join(actions) if actions else "") + "\n]|\n")

    def slopes(self, t, piece, h):
        result = [-0.05 * x if self.loss and x > 0 else 0.0 for x in h]
        for pipe in self.pipes:
            out = pipe.target < 0
            q = pipe.flow(h[pipe.source] - (0.0 if out else h[pipe.target]) - pipe.height)
            result[pipe.source] -= q
            if not out:
                result[pipe.target] += q
        for pump in self.pumps:
            result[pump.tank] += pump.flow(t, piece)
        return [x / a for x, a in zip(result, self.areas)]

    def solution(self):
        """The levels at the end, by the classical Runge-Kutta method between the switchings of the pumps."""
        periods = [p.period for p in self.pumps if p.kind == "pulses"] or [END]
        h, begin, piece = list(self.levels), 0.0, 0
        while begin < END - 1e-12:
            end = min((piece + 1) * periods[0], END)
            count = max(1, math.ceil((end - begin) / STEP))
            dt = (end - begin) / count
            for k in range(count):
                t = begin + k * dt
                a = self.slopes(t, piece, h)
                b = self.slopes(t + dt / 2, piece, [x + dt / 2 * v for x, v in zip(h, a)])
                c = self.slopes(t + dt / 2, piece, [x + dt / 2 * v for x, v in zip(h, b)])
                d = self.slopes(t + dt, piece, [x + dt * v for x, v in zip(h, c)])
                h = [x + dt / 6 * (p + 2 * q + 2 * r + s) for x, p, q, r, s in zip(h, a, b, c, d)]
            begin, piece = end, piece + 1
        return h


def check(chi, seed, options):
    """The text and the problems of one model, and the largest difference among solvers."""
    network = Network(random.Random(f"tanks {seed}"))
    text, problems, answers = network.text(), [], {}
    right = network.solution()
    for solver in [options.solver] if options.solver else SOLVERS:
        arguments = ["run", "{}", "--end", repr(END), "--points", "2", "--out", "{csv}", "--solver", solver]
        answer = chi_process.call(chi, arguments, options.timeout, text)
        if answer.kind() != "ok" or not answer.rows:
            problems.append(f"{solver}: {answer.kind()} {answer.errors.strip()[:300]}")
            continue
        last = dict(zip(answer.columns, answer.rows[-1]))
        answers[solver] = [last[f"h{i}"] for i in range(len(right))]
        beside = max(abs(x - y) for x, y in zip(answers[solver], right))
        if not beside <= BESIDE:
            problems.append(f"{solver}: wrong by {beside:.1e}: {answers[solver]}, expected {right}")
    spread = max((max(column) - min(column) for column in zip(*answers.values())), default=0.0)
    if not spread <= AMONG:
        problems.append(f"solvers differ by {spread:.1e}: {answers}")
    return text, problems, spread


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chi")
    parser.add_argument("--models", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--solver", choices=SOLVERS)
    parser.add_argument("--timeout", type=float, default=10.0, help="seconds of processor time for one call")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="a folder for the models that fail")
    parser.add_argument("--show", action="store_true", help="print the model of --seed and stop")
    options = parser.parse_args()
    if options.show:
        print(Network(random.Random(f"tanks {options.seed}")).text())
        return 0
    chi = os.path.abspath(options.chi)
    failed, worst = 0, 0.0
    seeds = range(options.seed, options.seed + options.models)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for seed, (text, problems, spread) in zip(seeds, pool.map(lambda s: check(chi, s, options), seeds)):
            worst = max(worst, spread)
            if not problems:
                continue
            failed += 1
            print(f"seed {seed}:\n    " + "\n".join(problems).replace("\n", "\n    "), flush=True)
            if options.keep:
                folder = pathlib.Path(options.keep)
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"tanks_{seed}.chi").write_text(f"// chi run --end {END}\n{text}", "utf-8")
    print(f"{options.models} models, {failed} failed; solvers differ by {worst:.0e} at most")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
