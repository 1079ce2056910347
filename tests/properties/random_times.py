#!/usr/bin/env python3
"""Random pulses that time alone decides: `random_times.py CHI [--models N] [--seed S] [--keep FOLDER]`.

Windows of a few last bits to a part of the run, as high as they are narrow, at times of any size, written as conditions,
guards, waiting and parameters. The solution is a sum of exponentials; every begin and every end is an event, at its very
number.
"""
import argparse
import concurrent.futures
import math
import os
import pathlib
import random
import sys

import chi_process

SOLVERS = ("auto", "erk", "irk", "ida", "cvode", "bdf")
FORMS = ("if", "nested", "guards", "otherwise", "scaled", "parameter", "variable", "statements", "flag")
FEW_ULPS = 64  # the narrowest window; narrower than 8 two borders are taken for one


class Case:
    def __init__(self, rng):
        unit = 10.0 ** rng.choice((-12, -9, -3, 0, 2, 7))
        self.start = rng.choice((0.0, 0.0, rng.uniform(1, 1e4) * unit))  # nothing happens before
        self.end = self.start + rng.uniform(1, 3) * unit
        times = sorted(rng.uniform(self.start, self.end) for _ in range(rng.randint(1, 4)))
        self.pulses = []
        for k, begin in enumerate(times):
            behind = times[k + 1] if k + 1 < len(times) else self.end
            width = max((behind - begin) * 10 ** rng.uniform(-9, -0.5), FEW_ULPS * math.ulp(begin))
            end = begin + width
            if end < behind and end - begin > 0:
                self.pulses.append((begin, end, rng.uniform(0.5, 2) * rng.choice((-1, 1)) / (end - begin), rng.choice(FORMS)))
        self.rate = rng.choice((0.0, rng.uniform(0.1, 3) / (self.end - self.start), 1e3 / (self.end - self.start)))
        self.solver = rng.choice(SOLVERS)

    def text(self):
        declared, equations, statements, terms = ["x: real := 0.0"], [], [], [f"-{self.rate!r}*x"]
        for k, (b, e, h, form) in enumerate(self.pulses):
            y = f"y{k}"
            declared.append(f"{y}: real")
            if form not in ("statements", "flag"):
                equations.append(f"|{y}|")
            equations.append({
                "if": f"{y} = if time >= {b!r} and time < {e!r} then {h!r} else 0.0",
                "nested": f"{y} = (if time >= {b!r} then (if time >= {e!r} then 0.0 else {h!r}) else 0.0)",
                "guards": f"[ time < {b!r} or time >= {e!r} -> {y} = 0.0 | time >= {b!r} and time < {e!r} -> {y} = {h!r} ]",
                "otherwise": f"[ not ({b!r} <= time and {e!r} > time) -> {y} = 0 | true -> {y} = {h!r} ]",
                "scaled": f"{y} = if 4*time >= {4 * b!r} and -time/2 > {-e / 2!r} then {h!r} else 0.0",
                "parameter": f"{y} = if time >= b{k} and time < e{k} then {h!r} else 0.0",
                "variable": f"{y} = if time - b{k} >= 0 and time - e{k} < 0 then {h!r} else 0.0",
            }.get(form, ""))
            if form == "variable":
                declared += [f"b{k}: real := {b!r}", f"e{k}: real := {e!r}"]
            if form == "statements":
                statements.append(f"nabla time >= {b!r}; {y} := {h!r}; nabla time >= {e!r}; {y} := 0.0")
            if form == "flag":
                declared.append(f"on{k}: bool := false")
                equations[-1] = f"|{y}|, {y} = if on{k} then {h!r} else 0.0"
                statements.append(f"nabla not (time < {b!r}); on{k} := true; nabla not (time < {e!r}); on{k} := false")
            terms.append(y)
        parameters = ", ".join(f"b{k}: real = {b!r}, e{k}: real = {e!r}"
                               for k, (b, e, _, form) in enumerate(self.pulses) if form == "parameter")
        equations = [f"x' = {' + '.join(terms)}"] + [e for e in equations if e]
        body = "\n , ".join(declared) + "\n | " + "\n , ".join(equations)
        if statements:
            body += "\n | " + "\n ; ".join(statements)
        return f"proc P({parameters}) =\n|[ {body}\n]|\n" if parameters else f"proc P =\n|[ {body}\n]|\n"

    def solution(self, t):
        total = 0.0
        for b, e, h, _ in self.pulses:
            length = min(t, e) - b
            if length > 0:
                a = self.rate
                inside = length if a == 0 else -math.expm1(-a * length) / a
                total += h * inside * math.exp(-a * max(t - e, 0.0))
        return total


def check(chi, seed):
    case = Case(random.Random(f"times {seed}"))
    text = case.text()
    arguments = ["run", "{}", "--end", repr(case.end), "--out", "{csv}", "--solver", case.solver]
    answer = chi_process.call(chi, arguments, 20.0, text)
    if answer.kind() != "ok" or not answer.rows:
        return text, f"{case.solver}: {answer.kind()} {answer.errors.strip()[:300]}"
    column = answer.columns.index("x")
    times = {row[0] for row in answer.rows}
    problems = []
    for b, e, _, form in case.pulses:
        for t in (b, e):
            if not times & {t, math.nextafter(t, math.inf), math.nextafter(t, -math.inf)}:
                problems.append(f"no event at {t!r} ({form})")
    worst = max((abs(row[column] - case.solution(row[0])), row[0]) for row in answer.rows)
    peak = max((abs(case.solution(row[0])) for row in answer.rows), default=0.0)
    if not worst[0] <= 1e-4 * max(1.0, peak):
        problems.append(f"wrong by {worst[0]:.1e} at {worst[1]!r}")
    return text, "; ".join(f"{case.solver}: {p}" for p in problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chi")
    parser.add_argument("--models", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="a folder for the models that fail")
    options = parser.parse_args()
    chi = os.path.abspath(options.chi)
    failed = 0
    seeds = range(options.seed, options.seed + options.models)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for seed, (text, problem) in zip(seeds, pool.map(lambda s: check(chi, s), seeds)):
            if not problem:
                continue
            failed += 1
            print(f"seed {seed}: " + problem.replace("\n", "\n    "), flush=True)
            if options.keep:
                folder = pathlib.Path(options.keep)
                folder.mkdir(parents=True, exist_ok=True)
                end = Case(random.Random(f"times {seed}")).end
                (folder / f"times_{seed}.chi").write_text(f"// chi run --end {end!r}\n{text}", "utf-8")
    print(f"{options.models} models, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
