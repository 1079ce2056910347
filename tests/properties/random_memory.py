#!/usr/bin/env python3
"""Random discrete equations: `random_memory.py CHI [--models N] [--seed S] [--keep FOLDER]`.

Reals that move along straight lines, whose slopes memories choose; memories over thresholds of the reals, over what was before
and over each other; counters. The motion is exact, so the run is compared with the rounds of laws.md §8 as they are written
there: times of events, values, counts, and whether the memories come to rest at all.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import sys

import chi_process

END = 12.0
MOST_EVENTS = 400


class Restless(Exception):
    """The same memories come again at one instant."""


class Formula:
    """A truth: its text, and its value given relations, new values and those before."""

    def __init__(self, text, value):
        self.text, self.value = text, value


class Logic:
    def __init__(self, r):
        self.r = r
        self.reals, self.truths = r.randint(1, 3), r.randint(1, 5)
        number = lambda low, high: round(r.uniform(low, high), 3)
        self.start = [number(-1, 1) for _ in range(self.reals)]
        self.slope = [number(-0.5, 0.5) for _ in range(self.reals)]
        self.effect = [[number(-2, 2) if r.random() < 0.6 else 0.0 for _ in range(self.truths)] for _ in range(self.reals)]
        self.first = [r.random() < 0.5 for _ in range(self.truths)]
        self.levels = [set() for _ in range(self.reals)]
        self.formulas = [self.remembering(k) for k in range(self.truths)]
        self.counted = r.randrange(self.truths)

    def remembering(self, k):
        """With two thresholds most of the time, as people write it; else anything, which often does not come to rest."""
        r = self.r
        if r.random() < 0.6:
            i, low = r.randrange(self.reals), round(r.uniform(-1, 0.5), 3)
            high = round(low + r.uniform(0.1, 1), 3)
            self.levels[i] |= {low, high}
            self.slope[i], self.effect[i][k] = round(r.uniform(-1, -0.3), 3), round(r.uniform(1, 3), 3)
            below, until = self.relation(i, "<", low), self.relation(i, "<", high)
            text = f"{below.text} or pre(m{k}) and {until.text}"
            value = lambda at: below.value(at) or at["pre"][k] and until.value(at)
            base = Formula(text, value)
            if r.random() < 0.4:
                more = self.formula(k, 1)
                return Formula(f"({text}) and ({more.text} or pre(m{k}))", lambda at: value(at) and (more.value(at) or at["pre"][k]))
            return base
        any_of = self.formula(k, 2)
        # It looks back, whatever the formula is.
        other = r.randrange(self.truths)
        return Formula(f"({any_of.text}) and pre(m{other}) or ({any_of.text}) and not pre(m{other})", any_of.value)

    def relation(self, i, sign, level):
        def value(at):
            x, v = at["x"][i], at["v"][i]
            above = x > level or x == level and v > 0
            on = x == level and v == 0
            return {"<": not above and not on, ">": above, "<=": not above, ">=": above or on}[sign]
        return Formula(f"x{i} {sign} {level!r}", value)

    def formula(self, k, depth):
        r = self.r
        kind = r.choice(("relation", "relation", "pre", "new", "rises") if depth == 0 else
                        ("relation", "pre", "new", "not", "and", "or", "if", "rises"))
        if kind == "relation":
            i, level = r.randrange(self.reals), round(r.uniform(-1.5, 1.5), 3)
            self.levels[i].add(level)
            return self.relation(i, r.choice(("<", "<=", ">", ">=")), level)
        if kind == "new" and k > 0:
            j = r.randrange(k)
            return Formula(f"m{j}", lambda at: at["new"][j])
        if kind == "rises" and k > 0:
            j = r.randrange(k)
            return Formula(f"rises(m{j})", lambda at: at["new"][j] and not at["pre"][j])
        if depth == 0 or kind in ("pre", "new", "rises"):
            j = r.randrange(self.truths)
            return Formula(f"pre(m{j})", lambda at: at["pre"][j])
        a, b, c = (self.formula(k, depth - 1) for _ in range(3))
        if kind == "not":
            return Formula(f"not ({a.text})", lambda at: not a.value(at))
        if kind == "and":
            return Formula(f"({a.text}) and ({b.text})", lambda at: a.value(at) and b.value(at))
        if kind == "or":
            return Formula(f"({a.text}) or ({b.text})", lambda at: a.value(at) or b.value(at))
        return Formula(f"(if {a.text} then {b.text} else {c.text})", lambda at: b.value(at) if a.value(at) else c.value(at))

    def text(self):
        reals = ", ".join(f"x{i}: real := {x!r}" for i, x in enumerate(self.start))
        truths = ", ".join(f"m{k}: bool := {str(m).lower()}" for k, m in enumerate(self.first))
        equations = [f"x{i}' = {self.slope[i]!r}" + "".join(f" + (if m{k} then {e!r} else 0)" for k, e in enumerate(self.effect[i]) if e)
                     for i in range(self.reals)]
        equations += [f"m{k} <- {f.text}" for k, f in enumerate(self.formulas)]
        equations += [f"n <- if rises(m{self.counted}) then pre(n) + 1 else pre(n)"]
        return f"proc Logic() =\n|[ {reals}, {truths}, n: nat := 0\n | " + "\n , ".join(equations) + "\n]|\n"

    def solution(self):
        """Reals, truths and count at the end, and how often a round changed something; or Restless."""
        x, m, n, t, rounds = list(self.start), list(self.first), 0, 0.0, 0
        speed = lambda: [s + sum(e for e, on in zip(effect, m) if on) for s, effect in zip(self.slope, self.effect)]
        last = list(x)
        for _ in range(MOST_EVENTS):
            seen = [tuple(m)]
            while True:
                at = {"x": x, "v": speed(), "pre": m, "new": []}
                for f in self.formulas:
                    at["new"].append(bool(f.value(at)))
                if at["new"] == m:
                    break
                n += at["new"][self.counted] and not m[self.counted]
                m, rounds = at["new"], rounds + 1
                if tuple(m) in seen:
                    raise Restless(t)
                seen.append(tuple(m))
            v = speed()
            due = [((level - x[i]) / v[i], i, level) for i in range(self.reals) for level in self.levels[i] if v[i] and (level - x[i]) / v[i] > 0]
            step, i, level = min(due, default=(END, 0, None))
            if t + step >= END:
                return [a + (END - t) * b for a, b in zip(x, v)], m, n, rounds
            last = x
            x = [a + step * b for a, b in zip(x, v)]
            x[i] = level
            t += step
        raise Restless(t)


def check(chi, seed, options):
    """The text and the problems of one model, and whether it came to rest."""
    logic = Logic(random.Random(f"memory {seed}"))
    text, problems = logic.text(), []
    arguments = ["run", "{}", "--end", repr(END), "--points", "2", "--out", "{csv}"]
    answer = chi_process.call(chi, arguments, options.timeout, text)
    try:
        x, m, n, _ = logic.solution()
    except Restless:
        if answer.code != 3 or ("E6120" not in answer.errors and "E6108" not in answer.errors):
            problems.append(f"should not come to rest: {answer.kind()} {answer.errors.strip()[:300]}")
        return text, problems, False
    if answer.kind() != "ok" or not answer.rows:
        return text, [f"{answer.kind()} {answer.errors.strip()[:400]}"], True
    last = dict(zip(answer.columns, answer.rows[-1]))
    found = [last[f"x{i}"] for i in range(len(x))]
    if max(abs(a - b) for a, b in zip(found, x)) > 1e-6:
        problems.append(f"reals {found}, expected {x}")
    if [bool(last[f"m{k}"]) for k in range(len(m))] != m or last["n"] != n:
        problems.append(f"memories {[last[f'm{k}'] for k in range(len(m))]}, n = {last['n']}, expected {m}, {n}")
    return text, problems, True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chi")
    parser.add_argument("--models", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=10.0, help="seconds of processor time for one call")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="a folder for the models that fail")
    parser.add_argument("--show", action="store_true", help="print the model of --seed and stop")
    options = parser.parse_args()
    if options.show:
        print(Logic(random.Random(f"memory {options.seed}")).text())
        return 0
    chi = os.path.abspath(options.chi)
    failed, rested = 0, 0
    seeds = range(options.seed, options.seed + options.models)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for seed, (text, problems, rests) in zip(seeds, pool.map(lambda s: check(chi, s, options), seeds)):
            rested += rests
            if not problems:
                continue
            failed += 1
            print(f"seed {seed}:\n    " + "\n".join(problems).replace("\n", "\n    "), flush=True)
            if options.keep:
                folder = pathlib.Path(options.keep)
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"memory_{seed}.chi").write_text(f"// chi run --end {END}\n{text}", "utf-8")
    print(f"{options.models} models, {failed} failed; {rested} came to rest")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
