#!/usr/bin/env python3
"""Random networks of ideal elements against brute force: `random_ideal.py CHI [--models N] [--seed S] [--laws M] [--keep FOLDER]`.

Resistors, capacitors, inductors, sources and ideal diodes are connected at t = 1, with whatever charges and currents they have
by then. The values just after the instant are those of a mode; all 2^m modes are tried, in rational numbers: the one-step
problem at h = 2^-200 has the signs that hold just after the instant (Heemels, Schumacher and Weiland, "Linear complementarity
systems", SIAM J. Appl. Math. 60(4), 2000: the rational complementarity problem), and its values less O(h) are those after it.
Where a mode takes an impulse, the problem is posed again with the values that the impulse leaves.

A run must end with values of one of the solutions, however the diodes are written; a run with other values, or with values
where there are none, is a failure. A refusal where brute force has a solution is counted: at most one in a thousand. Networks whose
modes are all singular, as a node that only diodes hold, are left out.
"""
import argparse
import itertools
import pathlib
import random
import sys
from fractions import Fraction

import chi_process

H = Fraction(1, 2**200)
LARGE = 2**60  # of a value at h: an impulse, or the derivative of one
ROUNDS = 6
NEAR = 1e-6


def solve(matrix, right):
    """Gauss's elimination; None if the matrix is singular."""
    n = len(right)
    rows = [list(row) + [b] for row, b in zip(matrix, right)]
    for k in range(n):
        pivot = next((i for i in range(k, n) if rows[i][k] != 0), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(k + 1, n):
            if rows[i][k] == 0:
                continue
            factor = rows[i][k] / rows[k][k]
            for j in range(k, n + 1):
                if rows[k][j] != 0:
                    rows[i][j] -= factor * rows[k][j]
    x = [Fraction(0)] * n
    for k in reversed(range(n)):
        x[k] = (rows[k][n] - sum(rows[k][j] * x[j] for j in range(k + 1, n))) / rows[k][k]
    return x


class Network:
    """Elements (kind, a, b, size, slope or value before) between nodes; node 0 is grounded."""

    def __init__(self, seed, most_laws):
        r = random.Random(seed)
        self.nodes = r.randint(2, 5)
        self.elements = []
        diodes = r.randint(1, most_laws)
        kinds = ["D"] * diodes + r.choices("RRCLVI", k=r.randint(self.nodes - 1, self.nodes + 4))
        r.shuffle(kinds)
        for k, kind in enumerate(kinds):
            a = k + 1 if k + 1 < self.nodes else r.randrange(self.nodes)
            b = r.randrange(k + 1) if k + 1 < self.nodes else r.choice([x for x in range(self.nodes) if x != a])
            if r.random() < 0.5:
                a, b = b, a
            size = r.randint(1, 3) if kind in "RCL" else r.randint(-3, 3)
            more = r.randint(-2, 2) if kind in "CL" else r.choice([0, 0, -1, 1]) if kind in "VI" else 0
            self.elements.append((kind, a, b, size, more))

    def of(self, kinds):
        return [e for e in self.elements if e[0] in kinds]

    def start(self):
        return [Fraction(e[4]) for e in self.of("CL")]

    def after(self, mode, before):
        """States, and whether the conditions of the mode hold, at h; None if the mode is singular."""
        branches = self.of("V") + [d for d, on in zip(self.of("D"), mode) if on]
        nodes = self.nodes - 1
        n = nodes + len(branches)
        matrix = [[Fraction(0)] * n for _ in range(n)]
        right = [Fraction(0)] * n

        def carry(a, b, conductance, source):
            """A current conductance*(v_a - v_b) + source from a to b."""
            for node, sign in ((a, 1), (b, -1)):
                if node == 0:
                    continue
                if a:
                    matrix[node - 1][a - 1] += sign * conductance
                if b:
                    matrix[node - 1][b - 1] -= sign * conductance
                right[node - 1] -= sign * source

        states = iter(before)
        for kind, a, b, size, more in self.elements:
            if kind == "R":
                carry(a, b, Fraction(1, size), 0)
            elif kind == "I":
                carry(a, b, 0, size + more * H)
            elif kind == "C":
                carry(a, b, size / H, -size * next(states) / H)
            elif kind == "L":
                carry(a, b, H / size, next(states))
        for k, (kind, a, b, size, more) in enumerate(branches):
            for node, sign in ((a, 1), (b, -1)):
                if node:
                    matrix[node - 1][nodes + k] += sign
                    matrix[nodes + k][node - 1] += sign
            right[nodes + k] = Fraction(size) + more * H if kind == "V" else Fraction(0)
        x = solve(matrix, right)
        if x is None:
            return None
        v = [Fraction(0)] + x[:nodes]
        current = iter(x[nodes + len(self.of("V")):])
        holds = all((next(current) >= 0) if on else (v[d[1]] - v[d[2]] <= 0) for d, on in zip(self.of("D"), mode))
        states = iter(before)
        result = []
        for kind, a, b, size, _ in self.elements:
            if kind == "C":
                next(states)
                result.append(v[a] - v[b])
            elif kind == "L":
                result.append(next(states) + H / size * (v[a] - v[b]))
        return result, holds

    def solutions(self):
        """The values of states just after the instant; None if no mode is regular."""
        any_regular = False
        found, asked = set(), {tuple(self.start())}
        for _ in range(ROUNDS):
            new = set()
            for before in asked:
                for mode in itertools.product((False, True), repeat=len(self.of("D"))):
                    answer = self.after(mode, before)
                    if answer is None:
                        continue
                    any_regular = True
                    values, holds = answer
                    if not holds or any(abs(x) > LARGE for x in values):
                        continue
                    limit = tuple(x.limit_denominator(10**15) for x in values)
                    if limit == before:
                        found.add(limit)
                    else:
                        new.add(limit)
            asked = new
            if not asked:
                break
        return found if any_regular else None

    def text(self, form):
        states = self.of("CL")
        rows, flows = [], [[] for _ in range(self.nodes)]

        def v(node):
            return f"v.{node}" if node else "0.0"

        x = j = s = 0
        for kind, a, b, size, more in self.elements:
            u = f"{v(a)} - {v(b)}"
            if kind in "VI":
                source = f"{size}.0" + (f" + {more}.0*(time - 1.0)" if more else "")
            if kind == "R":
                flow = f"({u})/{size}.0"
            elif kind == "C":
                rows.append(f"x.{x} = {u}")
                flow = f"{size}.0*x.{x}'"
                x += 1
            elif kind == "L":
                rows.append(f"{size}.0*x.{x}' = {u}")
                flow = f"x.{x}"
                x += 1
            elif kind == "I":
                flow = f"({source})"
            else:
                flow = f"j.{j}"
                if kind == "V":
                    rows.append(f"{u} = {source}")
                elif form == "curve":
                    rows.append(f"{u} = if s.{s} < 0.0 then s.{s} else 0.0")
                    rows.append(f"j.{j} = if s.{s} < 0.0 then 0.0 else s.{s}")
                    s += 1
                else:
                    rows.append(f"s.{s} = {u}")
                    rows.append(f"[ s.{s} > 0.0 or j.{j} > 0.0 -> s.{s} = 0.0 | s.{s} <= 0.0 and j.{j} <= 0.0 -> j.{j} = 0.0 ]")
                    s += 1
                j += 1
            flows[a].append(f" + {flow}")
            flows[b].append(f" - {flow}")
        rows += [f"0.0 ={''.join(flow)}" for flow in flows[1:]]
        rows.append("v.0 = 0.0")
        off = [f"v.{k} = 0.0" for k in range(self.nodes)] + [f"j.{k} = 0.0" for k in range(j)] + [f"s.{k} = 0.0" for k in range(s)]
        off += [f"x.{k}' = 0.0" for k in range(x)]
        declared = f"v: real^{self.nodes}, j: real^{j}, s: real^{s}"
        unknown = "v, j, s"
        values = ", ".join(f"{float(e[4])}" for e in states)
        if states:
            declared += f", x: real^{x} := <{values}>" if x > 1 else f", x: real^1"
        first = f"x.0 := {values}; " if len(states) == 1 else ""
        return (f"proc P() =\n|[ {declared}, on: bool := false\n | |{unknown}|\n , [ on -> " + "\n   , ".join(rows)
                + "\n   | not on -> " + ", ".join(off) + f" ]\n | {first}delta 1.0; on := true\n]|\n")


def verdict(chi, network, form, solutions):
    arguments = ["run", "{}", "--end", "1.001", "--points", "2", "--out", "{csv}"]
    answer = chi_process.call(chi, arguments, timeout=30, text=network.text(form))
    kind = answer.kind()
    if kind not in ("ok", "refused") or answer.code not in (0, 3):
        return kind if kind != "refused" else "wrong", answer.errors.split("\n", 1)[0]
    at_one = [row for row in answer.rows if float(row[0]) == 1.0]
    if kind == "refused":
        return ("none", "") if not solutions else ("refused", answer.errors.split("\n", 1)[0])
    count = len(network.start())
    places = [answer.columns.index(f"x[{k}]") for k in range(count)]
    values = [float(at_one[-1][p]) for p in places]
    for solution in solutions:
        if all(abs(a - float(b)) <= NEAR * (1 + abs(float(b))) for a, b in zip(values, solution)):
            return "ok", ""
    exact = [[float(x) for x in solution] for solution in sorted(solutions)]
    return "wrong", f"{values}, by brute force {exact if exact else 'none'}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("chi")
    parser.add_argument("--models", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--laws", type=int, default=5, help="diodes at most")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    asked = none = refused = failed = several = 0
    for seed in range(options.seed, options.seed + options.models):
        network = Network(seed, options.laws)
        solutions = network.solutions()
        if solutions is None:
            continue
        several += len(solutions) > 1
        for form in ("curve", "guard"):
            asked += 1
            kind, why = verdict(options.chi, network, form, solutions)
            none += kind == "none"
            if kind in ("ok", "none"):
                continue
            print(f"seed {seed}, {form}: {kind}: {why}", flush=True)
            refused += kind == "refused"
            failed += kind != "refused"
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"ideal_{seed}_{form}.chi").write_text(network.text(form), encoding="utf-8")
    print(f"{asked} runs, {none} without a solution, {several} networks with several, {refused} refused, {failed} failed")
    return 1 if failed or refused > asked / 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
