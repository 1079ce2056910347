#!/usr/bin/env python3
"""Unwound equations against the same written out: `random_loops.py CHI [--models N] [--seed S] [--keep FOLDER]`.

Equations with many copies are kept as loops: looked into, differentiated, solved and compiled once for all copies. A model in
which each copy stands for itself knows nothing of that, and has to come to the same numbers, or to the same refusal.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import sys

import chi_process

END = 0.5
SAME = 1e-9
# With events, the mode may be data in one form and written into the equations in the other (sim/part/mode_switches.h): then the steps behind
# an event are not the same, and results agree within what the tolerances, 1e-6, leave.
SAME_WITH_EVENTS = 1e-7
SOLVERS = ("auto", "auto", "auto", "irk", "ida", "cvode", "bdf", "erk")


class Model:
    """`n` states x and unknowns y: y from one kind of equation, x' from another, with coefficients that differ."""

    def __init__(self, rng):
        self.rng = rng
        self.n = rng.choice((52, 60, 131, 150, 200))
        self.solver = rng.choice(SOLVERS)
        self.tabulated = rng.random() < 0.3
        self.low, self.high = rng.choice(((0, 0), (1, 0), (0, 1), (1, 1), (2, 3)))
        self.has_alternatives = rng.random() < 0.5
        self.motion, self.rule = self.state_equation(), self.unknown_equation()

    def inside(self, shift):
        """The index of the copy itself, or of one beside it."""
        return "i" if shift == 0 else f"(i{shift:+d})"

    def neighbour(self):
        shifts = [0, 0, 0]
        if self.low > 0:
            shifts += [-1, -1]
        if self.high > 0:
            shifts += [1, 1]
        return self.inside(self.rng.choice(shifts))

    def number(self):
        return self.rng.choice((
            "0.5", "2", "1/3", "n/100", "(i+1)/n", "(i-3)/n", f"(i-{self.rng.randrange(self.n)})/n", "(i mod 3)", "0.1*i/n",
            "k.i" if self.tabulated else "0.7", "cos(i)", "(n-i)/n", "0.25^2", "g"))

    def leaf(self):
        return self.rng.choice((
            f"x.{self.neighbour()}", f"x.{self.neighbour()}", "x.i", f"y.{self.neighbour()}", "x.(n-1-i)", "x.3", "u", "time", "m"))

    def term(self, depth=2):
        if depth and self.has_alternatives and self.rng.random() < 0.5:
            return self.alternative(depth)
        kind = self.rng.randrange(9 if depth else 2)
        if kind <= 1:
            return self.leaf()
        if kind == 2:
            return f"{self.number()}*{self.leaf()}"
        if kind == 3:
            return f"({self.term(depth - 1)} {self.rng.choice('+-')} {self.term(depth - 1)})"
        if kind == 4:
            return f"{self.rng.choice(('sin', 'cos', 'tanh', 'atan', 'gain'))}({self.term(depth - 1)})"
        if kind == 5:
            return f"{self.leaf()}*{self.leaf()}/(1 + {self.leaf()}^2)"
        if kind == 6:
            return f"{self.leaf()}^{self.rng.choice(('2', '3'))}/(1 + {self.leaf()}^2)^2"
        if kind == 7:
            return f"-{self.leaf()}/({self.number()}*0.1 + 3)"
        return f"sqrt(1 + {self.leaf()}^2)"

    def alternative(self, depth):
        """Each copy is in a mode of its own; `i` and what statements set decide as well as what moves."""
        kind, inner = self.rng.randrange(10), self.term(depth - 1)
        state = f"x.{self.neighbour()}"
        if kind == 0:
            return f"abs({inner})"
        if kind == 1:
            return f"{self.rng.choice(('max', 'min'))}({inner}, {self.number()})"
        if kind == 2:
            return f"{state}*abs({self.leaf()})"
        if kind == 3:
            return f"(if {state} > {self.number()} then {inner} else {self.leaf()})"
        if kind == 4:
            return f"[ {state} > 0.3 -> {inner} | {state} > -0.3 and u > 0 -> 0.2*{self.leaf()} | true -> {self.number()} ]"
        if kind == 5:
            return f"(if {state} > 0.2 or time > 0.1 then 0.1 else {inner})"
        if kind == 6:
            return f"(if {self.rng.choice(('i > 20', 'i mod 2 = 0', 'm = 1', 'on.i', 'not on.i'))} then {inner} else {self.leaf()})"
        if kind == 7:
            return f"(if on.i and {state} > 0 then {self.number()} else 0.417)"
        if kind == 8:
            return f"hinge({self.leaf()}, {inner})"
        return f"0.1*sign({state} - 2)"

    def state_equation(self):
        force = " + ".join(f"0.3*{self.term()}" for _ in range(self.rng.randint(1, 3)))
        return self.rng.choice((
            f"x.i' = -x.i + {force}", f"2*x.i' = {force} - 2*x.i", f"x.i'/(1 + i/n) + x.i = {force}",
            f"(1 + 0.1*sin(i))*x.i' + x.i - ({force}) = 0", f"0 = x.i' + x.i - ({force})",
            f"x.i'*(1 + 0.5*cos(time)) = -x.i + {force}", f"sinh(0.1*x.i') = -0.1*x.i"))

    def unknown_equation(self):
        known = re.sub(r"y\.(\(i[+-]1\)|i)", "x.i", self.term())
        return self.rng.choice((
            f"y.i = {known}", f"3*y.i + 0.5*tanh(y.i) = {known}", f"y.i*(2 + sin(x.i)) = {known}",
            f"4*y.i - y.{self.inside(-1) if self.low else '0'} - y.{self.inside(1) if self.high else '0'} = {known}",
            f"4*y.i + sin(y.{self.inside(-1) if self.low else 'i'}) = {known}", f"(i+1)*y.i/n = {known}/n",
            f"y.i^3 + y.i = {known}"))

    def text(self, unwound):
        n, parts = self.n, []
        for name, rule, end in (("x", self.motion, "x.i' = -x.i"), ("y", self.rule, "y.i = 0.1*x.i")):
            low, high = self.low, n - 1 - self.high
            edges = [i for i in range(n) if i < low or i > high]
            if unwound:
                parts.append(f"i: nat <- {low}..n-{1 + self.high}: {rule}")
            else:
                parts += [self.copy(rule, i) for i in range(low, high + 1)]
            parts += [self.copy(end, i) for i in edges]
        table = ", ".join(f"{(7 * i) % 11}/10.0" for i in range(n))
        constant = f"const k: real^{n} = [{table}]\n" if self.tabulated else ""
        return (f"{constant}func gain(a: real) -> real = a/(2 + a^2)\n"
                f"func hinge(a, b: real) -> real = if a > b then a - b else 0\n"
                f"proc P(n: nat, g: real) = |[ x, y: real^{n}, u: real := 0.4, m: int := 1, j: nat := 0, on: bool^{n}\n"
                f"| |y|, u' = -0.1*u, " + "\n, ".join(parts) +
                "\n| *[ j < n -> x.j := sin(j + 1.0); on.j := j mod 3 = 0; j := j + 1 ]; delta 0.2; m := 2; on.7 := true; delta 0.3; !x, y, \"\\n\"\n]|\n"
                f"sys S() = |[ P({n}, 0.35) ]|\n")

    @staticmethod
    def copy(rule, i):
        return re.sub(r"\bi\b", str(i), rule)


def numbers(answer):
    return [float(v) for v in re.findall(r"-?\d+\.?\d*(?:e[-+]?\d+)?|nan|inf", answer.output)]


def check(chi, seed, options):
    model = Model(random.Random(f"loops {seed}"))
    arguments = ["run", "{}", "--end", str(END), "--solver", model.solver, "--quiet", "--no-progress"]
    loop, plain = (chi_process.call(chi, arguments, options.timeout, text=model.text(unwound)) for unwound in (True, False))
    problems, off = [], 0.0
    for name, answer in (("loop", loop), ("plain", plain)):
        if answer.kind() not in ("ok", "refused", "slow"):
            problems.append(f"{name}: {answer.kind()} {answer.errors.strip()[:300]}")
    if problems or "slow" in (loop.kind(), plain.kind()):
        return model, problems, off, loop.kind()
    if loop.kind() != plain.kind():
        problems.append(f"{model.solver}: loop {loop.kind()}, plain {plain.kind()}: {(loop.errors + plain.errors).strip()[:400]}")
    elif loop.kind() == "ok":
        a, b = numbers(loop), numbers(plain)
        off = max((abs(x - y) / max(1, abs(y)) for x, y in zip(a, b)), default=0.0) if len(a) == len(b) else float("inf")
        if not a or not off <= (SAME_WITH_EVENTS if model.has_alternatives else SAME):
            problems.append(f"{model.solver}: off by {off:.1e}")
    elif loop.errors.split(":")[0] != plain.errors.split(":")[0]:
        problems.append(f"{model.solver}: {loop.errors.splitlines()[0]} against {plain.errors.splitlines()[0]}")
    return model, problems, off, loop.kind()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chi")
    parser.add_argument("--models", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=20.0, help="seconds of processor time for one call")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="a folder for the models that fail")
    parser.add_argument("--show", action="store_true", help="print the model of --seed and stop")
    options = parser.parse_args()
    if options.show:
        print(Model(random.Random(f"loops {options.seed}")).text(True))
        return 0
    chi = os.path.abspath(options.chi)
    failed, worst, kinds = 0, 0.0, {}
    seeds = range(options.seed, options.seed + options.models)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for seed, (model, problems, off, kind) in zip(seeds, pool.map(lambda s: check(chi, s, options), seeds)):
            worst = max(worst, off)
            kinds[kind] = kinds.get(kind, 0) + 1
            if not problems:
                continue
            failed += 1
            print(f"seed {seed}:\n    " + "\n".join(problems).replace("\n", "\n    "), flush=True)
            if options.keep:
                folder = pathlib.Path(options.keep)
                folder.mkdir(parents=True, exist_ok=True)
                for name, unwound in (("loop", True), ("plain", False)):
                    (folder / f"{name}_{seed}.chi").write_text(model.text(unwound), "utf-8")
    told = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    print(f"{options.models} models ({told}), {failed} failed; off by {worst:.0e} at most")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
