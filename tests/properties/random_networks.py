#!/usr/bin/env python3
"""Random networks of pipes: `random_networks.py CHI [--models N] [--seed S] [--keep FOLDER]`.

Nodes without volume, each with a leak, between pipes, orifices, check valves, pumps, and valves that saturate. All laws are
monotone, so there is one solution at every instant: values are right if the flows that the laws make of them add up to zero.
A sum that is off is always a failure. Refusals are counted: where parallel pipes carry nothing, the equations do not tell
their flows apart, so that one model in ten may be refused.
"""
import argparse
import math
import pathlib
import random
import sys

import chi_process

END, POINTS = 6.0, 13
ALLOWED = 1e-6
ALLOWED_AT_EVENTS = 3e-3  # a pressure that is off by its tolerance, 1e-6, beside the corner of an orifice: the flow is the root of that


def root(x):
    return math.copysign(math.sqrt(abs(x)), x)


def laminar(c, d):
    x = abs(d) / c
    return math.copysign(x if x < 0.5 else (-0.5 + math.sqrt(0.25 + 4 * x)) / 2, d)


# kind: the law as it is written, and the flow for a difference of pressures
LAWS = {
    "pipe": ("{d} = {c}*{q}*abs({q})", lambda c, d: root(d / c)),
    "pump": ("{d} = {c}*{q}*abs({q})", lambda c, d: root((d + 2) / c)),
    "orifice": ("{q} = {c}*(if {d} > 0 then sqrt({d}) else -sqrt(-{d}))", lambda c, d: c * root(d)),
    "check": ("{q} = if {d} > 0 then {c}*{d} else 0.0", lambda c, d: c * max(d, 0)),
    "laminar": ("{d} = if abs({q}) < 0.5 then {c}*{q} else {c}*{q}*(0.5 + abs({q}))", laminar),
    "valve": ("{q} = max(-{c}, min({c}, {d}))", lambda c, d: max(-c, min(c, d))),
}


class Network:
    def __init__(self, seed):
        r = random.Random(seed)
        self.nodes = r.randint(2, 8)
        self.pipes = []
        for k in range(self.nodes + r.randint(0, 4)):
            a = k if k < self.nodes else r.randrange(self.nodes)
            b = r.choice([-1] + [x for x in range(self.nodes) if x != a]) if k else -1  # -1: the boundary
            self.pipes.append((a, b, r.choice(list(LAWS)), round(r.uniform(0.3, 3), 2)))
        self.leaks = [(round(r.uniform(0.01, 0.3), 3), round(r.uniform(-2, 2), 2)) for _ in range(self.nodes)]
        self.amplitude = round(r.uniform(0.5, 4), 2)

    def text(self):
        rows = [f"p0 = {self.amplitude}*sin(time)"]
        for k, (a, b, kind, c) in enumerate(self.pipes):
            lift = " + 2.0" if kind == "pump" else ""
            rows.append(f"d.{k} = p.{a} - {'p0' if b < 0 else f'p.{b}'}{lift}")
            rows.append(LAWS[kind][0].format(q=f"q.{k}", d=f"d.{k}", c=c))
        for i, (leak, head) in enumerate(self.leaks):
            flows = "".join(f" {'-' if a == i else '+'} q.{k}" for k, (a, b, _, _) in enumerate(self.pipes) if i in (a, b))
            rows.append(f"0 = {leak}*({head} - p.{i}){flows}")
        declared = f"q, d: real^{len(self.pipes)}, p: real^{self.nodes}, p0: real"
        return f"proc P() =\n|[ {declared}\n | |q, d, p, p0|\n , " + "\n , ".join(rows) + "\n]|\n"

    def imbalance(self, time, pressures):
        sums = [leak * (head - p) for (leak, head), p in zip(self.leaks, pressures)]
        for a, b, kind, c in self.pipes:
            other = self.amplitude * math.sin(time) if b < 0 else pressures[b]
            flow = LAWS[kind][1](c, pressures[a] - other)
            sums[a] -= flow
            if b >= 0:
                sums[b] += flow
        return max(abs(s) for s in sums)


def verdict(chi, network):
    arguments = ["run", "{}", "--end", str(END), "--points", str(POINTS), "--out", "{csv}"]
    answer = chi_process.call(chi, arguments, timeout=30, text=network.text())
    if answer.kind() != "ok":
        return answer.kind(), answer.errors.split("\n", 1)[0]
    places = [answer.columns.index(f"p[{i}]") for i in range(network.nodes)]
    times = [row[0] for row in answer.rows]
    for row in answer.rows:
        off = network.imbalance(float(row[0]), [float(row[i]) for i in places])
        if not off <= (ALLOWED if times.count(row[0]) == 1 else ALLOWED_AT_EVENTS):
            return "wrong", f"flows are off by {off:.3g} at t = {row[0]}"
    return "ok", ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("chi")
    parser.add_argument("--models", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    refused = failed = 0
    for seed in range(options.seed, options.seed + options.models):
        network = Network(seed)
        kind, why = verdict(options.chi, network)
        if kind == "ok":
            continue
        print(f"seed {seed}: {kind}: {why}", flush=True)
        refused += kind in ("refused", "slow")
        failed += kind not in ("refused", "slow")
        if options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
            (options.keep / f"network_{seed}.chi").write_text(network.text(), encoding="utf-8")
    print(f"{options.models} networks, {refused} refused, {failed} failed")
    return 1 if failed or refused > options.models / 10 else 0


if __name__ == "__main__":
    sys.exit(main())
