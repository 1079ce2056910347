#!/usr/bin/env python3
"""Random collisions: `random_collisions.py CHI [--models N] [--seed S] [--keep FOLDER]`.

Balls in a row that touch, with any masses, velocities and coefficients of restitution, meet at one instant: at the start, with
`--start jump`, or later. What is left is compared with Moreau's law solved by trying every set of closed contacts.
"""
import argparse
import itertools
import pathlib
import random
import sys

import chi_process


def solve(rows, right):
    """Gauss elimination of a small system; None if it is singular."""
    n = len(rows)
    table = [list(row) + [b] for row, b in zip(rows, right)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(table[i][k]))
        if abs(table[pivot][k]) < 1e-12:
            return None
        table[k], table[pivot] = table[pivot], table[k]
        for i in range(n):
            if i != k:
                f = table[i][k] / table[k][k]
                table[i] = [a - f * b for a, b in zip(table[i], table[k])]
    return [table[i][n] / table[i][i] for i in range(n)]


class Collision:
    def __init__(self, seed):
        r = random.Random(seed)
        n = r.randint(2, 5)
        self.masses = [round(r.uniform(0.2, 4), 2) for _ in range(n)]
        self.velocities = [round(r.uniform(-2, 2), 2) if r.random() < 0.7 else 0.0 for _ in range(n)]
        self.restitution = [r.choice([0, 0.5, 1, round(r.random(), 2)]) for _ in range(n - 1)]
        self.later = r.random() < 0.5  # they come from where they were 0.5 before, if that was apart
        gaps = [0.5 * (a - b) for a, b in zip(self.velocities, self.velocities[1:])]
        if self.later and any(g < 0 for g in gaps):
            self.later = False

    def text(self):
        n = len(self.masses)
        places = [i - (0.5 * v if self.later else 0) for i, v in enumerate(self.velocities)]
        listed = lambda values: "[" + ", ".join(repr(float(x)) for x in values) + "]"
        rows = []
        for i, m in enumerate(self.masses):
            force = ("N.%d" % (i - 1) if i else "") + (" - N.%d" % i if i + 1 < n else "")
            rows.append(f"{m}*v.{i}' = {force}")
        for i, e in enumerate(self.restitution):
            rows.append(f"0 <= x.{i + 1} - x.{i} - 1 complements N.{i} >= 0" + (f" restitution {e}" if e else ""))
        return (f"proc P() =\n|[ x: real^{n} := {listed(places)}, v: real^{n} := {listed(self.velocities)}, N: real^{n - 1}\n"
                f" | |N|\n , x' = v\n , " + "\n , ".join(rows) + "\n]|\n")

    def after(self):
        n = len(self.masses)
        closing = [b - a for a, b in zip(self.velocities, self.velocities[1:])]
        wanted = [-e * min(w, 0.0) for e, w in zip(self.restitution, closing)]

        def rate(i, k):  # of gap i by an impulse in contact k
            result = 0.0
            for ball, sign in ((i + 1, 1), (i, -1)):
                result += sign * ((1 if ball == k + 1 else 0) - (1 if ball == k else 0)) / self.masses[ball]
            return result

        for count in range(n):
            for closed in itertools.combinations(range(n - 1), count):
                p = solve([[rate(i, k) for k in closed] for i in closed], [wanted[i] - closing[i] for i in closed])
                if p is None or any(x < -1e-9 for x in p):
                    continue
                rates = [closing[i] + sum(rate(i, k) * x for k, x in zip(closed, p)) for i in range(n - 1)]
                if any(rates[i] < wanted[i] - 1e-9 for i in range(n - 1)):
                    continue
                v = list(self.velocities)
                for k, x in zip(closed, p):
                    v[k] -= x / self.masses[k]
                    v[k + 1] += x / self.masses[k + 1]
                return v
        return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("chi")
    parser.add_argument("--models", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    failures = 0
    for seed in range(arguments.seed, arguments.seed + arguments.models):
        model = Collision(seed)
        end = 0.5001 if model.later else 1e-4  # before balls that were left apart meet again
        answer = chi_process.call(arguments.chi, ["run", "{}", "--end", str(end), "--start", "jump", "--out", "{csv}"], text=model.text())
        wanted = model.after()
        problem = None
        if answer.kind() != "ok":
            problem = f"{answer.kind()}: {answer.errors.strip().splitlines()[:1]}"
        else:
            found = [answer.rows[-1][answer.columns.index(f"v[{k}]")] for k in range(len(wanted))]
            if max(abs(a - b) for a, b in zip(found, wanted)) > 1e-6:
                problem = f"found {found}, wanted {wanted}"
        if problem:
            failures += 1
            print(f"seed {seed}: {problem}")
            if arguments.keep:
                arguments.keep.mkdir(parents=True, exist_ok=True)
                (arguments.keep / f"{seed}.chi").write_text(model.text(), encoding="utf-8")
    print(f"{arguments.models} collisions, {failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
