#!/usr/bin/env python3
"""Random DAEs with a solution built in: `random_dae.py CHI [--models N] [--seed S] [--keep FOLDER]`.

Trajectories are chosen first. Every equation is an expression E of the variables set equal to E of the trajectories,
so the trajectories solve it; E is chosen such that nothing else does, given the start values of the states:

* pure states        x' + k x + (other pure states)          = the same of X(t)
* states             x' + k x + (anything)                   = ...
* algebraic          z + a z^3 + (anything)                  = ...        (index 1)
* chains of length k p1' = p2, ..., pk' = z + (anything), c(p1, pure states) = ...       (index k + 1)

Then the variables are mixed, x = w + g(others), the equations are combined, scaled, shuffled, turned round, spread over
processes, and the variables renamed. At level 1 the mixture leaves the offsets of the structure right. At level 2 whole
multiples of any equation are added to any other, so that the pattern lies and constraints are hidden behind cancellation.
A wrong trajectory is always a failure, but at level 2 behind a singular point that the run warned of; a refusal is one at level 1.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import sys

import chi_process
from expression import TIME, Expression, call, derivative, expression, number, sin, substitute, value, variable, variables

SOLVERS = ("auto", "ida", "cvode", "erk", "irk")
END = 2.0
POINTS = 5


class Model:
    """Equations `left = right` over mixed variables, with a value of each variable for every time."""

    def __init__(self, seed, level, size, highest):
        self.random = random.Random(seed)
        self.seed, self.level = seed, level
        self.names, self.truth, self.depth, self.pure = [], {}, {}, set()
        self.states, self.dependent, self.equations = [], [], []  # an equation: left side, right side (of time only)
        self.index = 0
        self._choose(size, highest)
        self.mixture = {}  # name -> expression added to the variable of the same name
        self._mix()
        if level >= 2:
            self._combine()

    # --- the solution and its equations
    def _trajectory(self):
        r = self.random
        terms = [number(round(r.uniform(-1, 1), 2))]
        for _ in range(r.randint(1, 2)):
            kind = r.choice(("sin", "exp", "polynomial"))
            factor = round(r.uniform(0.2, 1.0) * r.choice((-1, 1)), 2)
            if kind == "sin":
                terms.append(sin(TIME * round(r.uniform(0.3, 2.5), 2) + round(r.uniform(0, 6), 1)) * factor)
            elif kind == "exp":
                terms.append(call("exp", TIME * -round(r.uniform(0.2, 1.5), 2)) * factor)
            else:
                terms.append((TIME * 0.5 if r.random() < 0.5 else TIME * TIME * 0.25) * factor)
        result = terms[0]
        for term in terms[1:]:
            result = result + term
        return result

    def _new(self, depth, truth=None):
        name = f"v{len(self.names)}"
        self.names.append(name)
        self.truth[name] = truth if truth is not None else self._trajectory()
        self.depth[name] = depth  # how often it may be differentiated by a constraint
        return name

    def _some(self, names, most, bound):
        """A small sum of smooth functions of some of the names."""
        r = self.random
        result = number(0.0)
        chosen = r.sample(names, min(len(names), r.randint(0, most)))
        for name in chosen:
            factor = round(r.uniform(0.1, bound) * r.choice((-1, 1)), 2)
            x = variable(name)
            shape = r.choice(("linear", "linear", "sin", "square", "product"))
            if shape == "sin":
                x = sin(x)
            elif shape == "square":
                x = sin(x) * sin(x)
            elif shape == "product":
                x = sin(x) * sin(variable(r.choice(names)))
            result = result + x * factor
        return result

    def _equation(self, left):
        known = {}
        for name, order in variables(left):
            truth = self.truth[name]
            for _ in range(order):
                truth = derivative(truth)
            known[(name, order)] = truth
        self.equations.append((left, substitute(left, known)))

    def _choose(self, size, highest):
        r = self.random
        pure, chains = [], []
        count = 0
        while count < size:
            kind = r.choice(("pure", "state", "algebraic") + (("chain",) * 2 if highest >= 2 else ()))
            if highest == 0 and kind == "algebraic":
                kind = "state"
            if kind == "pure":
                name = self._new(9)
                pure.append(name)
                self.pure.add(name)
                self.states.append(name)
                count += 1
            elif kind == "state":
                self.states.append(self._new(1))
                count += 1
            elif kind == "algebraic":
                self.dependent.append(self._new(0))
                chains.append((self.dependent[-1],))
                count += 1
            else:
                length = r.randint(1, highest - 1)
                first = self._trajectory()
                names, truth = [], first
                for place in range(length):
                    names.append(self._new(length - place, truth))
                    truth = derivative(truth)
                names.append(self._new(0))
                self.dependent += names
                chains.append(tuple(names))
                count += length + 1
        everything = list(self.names)
        for name in self.states:
            x = variable(name)
            others = self._some([o for o in (pure if name in self.pure else everything) if o != name], 3, 0.25)
            self._equation(variable(name, 1) + x * round(r.uniform(1.0, 2.5), 2) + others)
        settled = list(self.states)  # algebraic values may depend on these and on one another in this order
        for names in chains:
            last = variable(names[-1])
            if len(names) == 1:
                cubic = last + last * last * last * round(r.uniform(0.1, 0.5), 2) if r.random() < 0.5 else last
                self._equation(cubic + self._some(settled, 3, 0.5))
                self.index = max(self.index, 1)
            else:
                for here, following in zip(names[:-2], names[1:-1]):
                    self._equation(variable(here, 1) - variable(following))
                self._equation(variable(names[-2], 1) - last * r.choice((1.0, -1.0, 0.5, 2.0)) + self._some(settled, 2, 0.5))
                first = variable(names[0])
                bent = first + sin(first) * 0.3 if r.random() < 0.5 else first
                self._equation(bent + self._some(pure, 2, 0.5))
                self.index = max(self.index, len(names))
            settled += names

    # --- the mixture of variables: x = w + g(w of others), and its derivative
    def _mix(self):
        r = self.random
        order = list(self.names)
        r.shuffle(order)
        done = []
        for name in order:
            if r.random() < 0.3:
                allowed = [o for o in done if o in self.pure] if name in self.pure else [
                    o for o in done if o in self.pure or self.depth[o] >= self.depth[name]]
                extra = self._some(allowed, 2, 0.5)
                if extra.kind != "number":
                    self.mixture[name] = extra
            done.append(name)
        full = {}
        for name, extra in self.mixture.items():
            x = variable(name) + extra
            full[(name, 0)], full[(name, 1)] = x, derivative(x)
        self.equations = [(substitute(left, full), right) for left, right in self.equations]
        self.order = order

    def _combine(self):
        """Adds whole multiples of equations to others: the solutions stay, the pattern gets misleading."""
        r = self.random
        for _ in range(max(1, len(self.equations) // 3)):
            i, j = r.sample(range(len(self.equations)), 2) if len(self.equations) > 1 else (0, 0)
            if i != j:
                factor = r.choice((1.0, -1.0, 2.0, -3.0))
                self.equations[i] = (self.equations[i][0] + self.equations[j][0] * factor,
                                     self.equations[i][1] + self.equations[j][1] * factor)

    def solution(self, time):
        """The value of every mixed variable."""
        values = {}
        for name in self.order:  # the mixture of a variable holds only earlier ones
            x = value(self.truth[name], time, {})
            values[(name, 0)] = x - value(self.mixture[name], time, values) if name in self.mixture else x
        return {name: values[(name, 0)] for name in self.names}


def write(model, variant):
    """The χ text of a model; a variant other than 0 changes only how it is written. Returns the text and the new names."""
    r = random.Random(model.seed * 1000 + variant)
    names = {name: name for name in model.names}
    order = list(model.names)
    equations = list(model.equations)
    scale = {name: 1.0 for name in model.names}
    processes = 1
    if variant:
        letters = [f"{r.choice('abcxyzQ')}{r.choice(('', '_', 'k'))}{i}" for i in range(len(order))]
        r.shuffle(letters)
        names = dict(zip(model.names, letters))
        r.shuffle(order)
        r.shuffle(equations)
        if variant >= 2:
            scale = {name: r.choice((1.0, 1.0, 8.0, 0.125, 512.0)) for name in order}
            processes = r.randint(1, 3)
    replacement = {}
    for name in model.names:
        for k in (0, 1):
            replacement[(name, k)] = variable(names[name], k) * scale[name]
    start = model.solution(0.0)
    written = []
    for left, right in equations:
        left = substitute(left, replacement)
        style = r.randint(0, 3) if variant else 0
        if style == 1:
            written.append(f"{right.text()} = {left.text()}")
        elif style == 2:
            written.append(f"0 = {left.text()} - ({right.text()})")
        elif style == 3 and variant >= 2:
            factor = r.choice((4.0, 0.25, 100.0))
            written.append(f"{factor}*({left.text()}) = {factor}*({right.text()})")
        else:
            written.append(f"{left.text()} = {right.text()}")
    declarations = []
    for name in order:
        first = start[name] / scale[name]
        if name in model.dependent:
            guess = r.choice((None, 0.1, first))
            declarations.append(f"{names[name]}: real" + ("" if guess is None else f" := {guess!r}"))
        else:
            declarations.append(f"{names[name]}: real := {first!r}")
    unknown = [names[name] for name in order if name in model.dependent]
    if processes == 1:
        body = (["|" + ", ".join(unknown) + "|"] if unknown else []) + written
        text = "proc P =\n|[ " + "\n , ".join(declarations) + "\n | " + "\n , ".join(body) + "\n]|\n"
    else:
        parts = [[] for _ in range(processes)]
        for equation in written + [f"|{name}|" for name in unknown]:
            r.choice(parts).append(equation)
        everything = ", ".join(names[name] for name in order)
        text = ""
        used = []
        for place, part in enumerate(parts):
            if part:
                text += f"proc P{place}(ref {everything}: real) =\n|[ " + "\n , ".join(part) + "\n]|\n"
                used.append(f"P{place}({everything})")
        text += "sys S =\n|[ " + "\n , ".join(declarations) + "\n | " + "\n || ".join(used) + "\n]|\n"
    return text, {names[name]: (name, scale[name]) for name in order}


def compare(model, answer, names, tolerance):
    """The worst error over all rows, relative to 1 + |value|, or a text that says what is missing."""
    if not answer.rows or abs(answer.rows[-1][0] - END) > 1e-9:
        return "the result does not reach the end"
    if sorted(answer.columns[1:]) != sorted(names):
        return f"columns are {answer.columns}"
    worst, where = 0.0, ""
    for row in answer.rows:
        truth = model.solution(row[0])
        for column, got in zip(answer.columns[1:], row[1:]):
            name, scale = names[column]
            error = abs(got * scale - truth[name]) / (1.0 + abs(truth[name]))
            if not error <= worst:
                worst, where = error, f"{column}({row[0]:g}) = {got!r}, expected {truth[name] / scale!r}"
    return (f"error {worst:.2g}: {where}" if not worst <= tolerance else ""), worst


def make(seed, level=None, largest=200):
    r = random.Random(seed)
    highest = seed % 5
    level = (2 if seed % 4 == 3 else 1) if level is None else level
    size = min(largest, int(2 * 10 ** r.uniform(0, 1 if seed % 10 else 2)))
    return Model(seed, level, size, highest)


def check(chi, seed, options, analyze):
    """Problems of one model: a list of (kind, message, text, arguments)."""
    model = make(seed, options.level, options.largest)
    problems, worst = [], 0.0
    solvers = SOLVERS if options.all_solvers else ("auto", SOLVERS[1 + seed % (len(SOLVERS) - 1)])
    if options.solver:
        solvers = (options.solver,)
    for turn, solver in enumerate(solvers):
        text, names = write(model, turn % 3 if not options.all_variants else turn)
        arguments = ["run", "{}", "--end", repr(END), "--points", str(POINTS), "--out", "{csv}", "--solver", solver]
        answer = chi_process.call(chi, arguments, options.timeout, text)
        kind = answer.kind()
        if kind == "ok":
            outcome = compare(model, answer, names, options.tolerance)
            if isinstance(outcome, str):
                problems.append(("result", outcome, text, arguments))
            else:
                worst = max(worst, outcome[1])
                if outcome[0]:  # through a singular point there may be several ways on: the run says so
                    told = model.level > 1 and not options.strict and "W6101" in answer.errors
                    problems.append(("limit" if told else "wrong", outcome[0], text, arguments))
        elif kind != "refused" or model.level == 1 or options.strict:
            problems.append((kind, answer.errors.strip()[:600], text, arguments))
        else:
            problems.append(("limit", answer.errors.strip()[:600], text, arguments))
    if analyze:
        text, _ = write(model, 0)
        arguments = ["analyze", "{}", "--json"]
        answer = chi_process.call(chi, arguments, options.timeout, text)
        refused = answer.kind() == "refused" and model.level > 1 and not options.strict
        if answer.kind() != "ok":
            kind = "limit" if refused else "analyze " + answer.kind()
            problems.append((kind, answer.errors.strip()[:600], text, arguments))
        else:
            report = json.loads(answer.output)
            if report.get("dof") != len(model.states):
                problems.append(("dof", f"{report.get('dof')}, expected {len(model.states)}", text, arguments))
            if model.level == 1 and report.get("index") != model.index:
                problems.append(("index", f"{report.get('index')}, expected {model.index}", text, arguments))
    return problems, worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chi")
    parser.add_argument("--models", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="the first one; each model has its own")
    parser.add_argument("--level", type=int, help="1 or 2; otherwise every fourth model is of level 2")
    parser.add_argument("--largest", type=int, default=200, help="at most so many variables, about")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="error relative to 1 + |value|")
    parser.add_argument("--timeout", type=float, default=30.0, help="seconds for one call")
    parser.add_argument("--all-solvers", action="store_true")
    parser.add_argument("--solver", choices=SOLVERS, help="only this one")
    parser.add_argument("--all-variants", action="store_true")
    parser.add_argument("--strict", action="store_true", help="a refusal at level 2 is a failure as well")
    parser.add_argument("--no-analyze", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="a folder for the models that fail")
    parser.add_argument("--show", action="store_true", help="print the model of --seed and stop")
    options = parser.parse_args()
    if options.show:
        print(write(make(options.seed, options.level, options.largest), 0)[0])
        return 0
    chi = os.path.abspath(options.chi)
    analyze = not options.no_analyze and chi_process.has_command(chi, "analyze")
    failed, limits, errors = 0, 0, []
    seeds = range(options.seed, options.seed + options.models)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for seed, (problems, worst) in zip(seeds, pool.map(lambda s: check(chi, s, options, analyze), seeds)):
            errors.append(worst)
            real = [p for p in problems if p[0] != "limit"]
            limits += len(real) < len(problems)
            failed += bool(real)
            for number_, (kind, message, text, arguments) in enumerate(problems):
                if kind != "limit" or options.strict or options.keep:
                    print(f"seed {seed}: {kind}: {' '.join(arguments)}\n    " + message.replace("\n", "\n    "))
                if options.keep:
                    folder = pathlib.Path(options.keep)
                    folder.mkdir(parents=True, exist_ok=True)
                    (folder / f"{seed}_{number_}_{kind.replace(' ', '_')}.chi").write_text(
                        f"// chi {' '.join(arguments)}\n{text}", "utf-8")
            sys.stdout.flush()
    errors.sort()
    print(f"{options.models} models, {failed} failed, {limits} of level 2 refused; "
          f"errors: median {errors[len(errors) // 2]:.1e}, largest {errors[-1]:.1e}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
