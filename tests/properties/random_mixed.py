#!/usr/bin/env python3
"""Random models in which statements, equations and structure meet: `random_mixed.py CHI [--models N] [--seed S] [--kind NAME]`.

As random_hybrid.py: the solution is computed here, event by event. Bodies that are coupled and let go, so that the index
changes and speeds jump; collisions whose impulses go through rods; plastic contacts; sliding on several borders that depend on each other;
selective waiting for conditions, messages and time-outs under guards that others change; substitute equations that
statements read; instantaneous equations; arrays, records and tuples; delays; sampled control through channels.
"""
import math
import re
import sys

import mixed_contacts
import mixed_motion
import mixed_statements
import random_dae
import random_hybrid
from expression import derivative, number, substitute, value, variable
from moments import NEAR_TIE
from random_hybrid import Case, Degenerate, Track, constant, main, real, signed, text_of


def reformulated(r):
    """A DAE of index up to 4 and another one of index 0 or 1 that has the same solution take turns, at times or at events."""
    model = random_dae.Model(r.randrange(10 ** 9), 1, r.randint(2, 8), r.randint(1, 4))
    end = random_dae.END
    truth = {}
    for name in model.order:  # what the mixed variables are as functions of time
        truth[(name, 0)] = model.truth[name]
        if name in model.mixture:
            truth[(name, 0)] = truth[(name, 0)] - substitute(model.mixture[name], truth)
    names = list(model.names)
    other, dependent = [], []
    settled = []
    r.shuffle(names)
    for name in names:
        left = variable(name)
        if r.random() < 0.5:
            dependent.append(name)
            left = left + (left * left * left * 0.2 if r.random() < 0.5 else number(0.0))
        else:
            left = variable(name, 1) + left * real(r, 1.0, 2.5)
        for earlier in r.sample(settled, min(len(settled), r.randint(0, 2))):
            left = left + variable(earlier) * signed(r, 0.1, 0.5)
        known = {(n, 0): truth[(n, 0)] for n in names} | {(n, 1): derivative(truth[(n, 0)]) for n in names}
        other.append((left, substitute(left, known)))
        settled.append(name)

    def side(equations, unknown):
        return ", ".join((["|" + ", ".join(unknown) + "|"] if unknown else []) + [f"{a.text()} = {b.text()}" for a, b in equations])
    first, second = side(model.equations, model.dependent), side(other, dependent)
    start = model.solution(0.0)
    known = [n for n in names if n not in model.dependent]
    declarations = [f"{n}: real := {start[n]!r}" if n in known else f"{n}: real" for n in names] + ["given: bool := true"]
    tracks = {n: Track() for n in names} | {"given": Track()}
    for n in names:
        tracks[n].begin(0.0, lambda t, n=n: model.solution(t)[n])
    tracks["given"].begin(0.0, constant(1.0))
    actions, printed, t = [], [], 0.0
    for k in range(r.randint(1, 4)):
        if r.random() < 0.5:
            wait = real(r, 0.1, 0.6)
            actions.append(f"delta {wait!r}")
            t += wait
        else:  # the next level that one of them crosses, clearly
            name = r.choice(names)
            level, before = None, value(truth[(name, 0)], t, {})
            level = round(before + signed(r, 0.02, 0.3), 3)
            if abs(level - before) < 0.02:
                raise Degenerate
            at = next((t + 0.001 * s for s in range(1, 2000) if (value(truth[(name, 0)], t + 0.001 * s, {}) - level) * (before - level) <= 0), None)
            if at is None or at > end:
                continue
            low, high = at - 0.001, at
            for _ in range(60):
                middle = 0.5 * (low + high)
                low, high = (middle, high) if (value(truth[(name, 0)], middle, {}) - level) * (before - level) > 0 else (low, middle)
            if abs(value(derivative(truth[(name, 0)]), high, {})) < 0.1:
                raise Degenerate
            t = high
            actions.append(f"nabla {name} {'>=' if level > before else '<='} {text_of(level)}")
        if abs(t - end) < 0.01 or t > end:
            raise Degenerate
        actions.append('given := not given; !time, "\\n"')
        printed.append(t)
        tracks["given"].begin(t, constant(float(k % 2)))
        if len(printed) != k + 1:
            raise Degenerate
    if not printed:
        raise Degenerate
    text = ("proc P() =\n|[ " + ", ".join(declarations) + f"\n | [ given -> {first}\n   | not given -> {second} ]\n | " + "; ".join(actions)
            + "\n]|\n")
    case = Case(text, end, tracks, printed)
    case.tolerance = 2e-4
    return case


def beside(r):
    """Two or three models of other kinds in one system: each goes its own way."""
    text, tracks, printed, instances, end = "", {}, [], [], math.inf
    cases = []
    for k in range(r.randint(2, 3)):
        kinds = {**random_hybrid.KINDS, **KINDS}
        name = r.choice([n for n in kinds if n not in ("beside", "windows", "diodes")])
        cases.append(kinds[name](r))
        end = min(end, cases[-1].end)
    for k, case in enumerate(cases):
        if any(abs(t - end) < NEAR_TIE for t in case.printed) or any(
                abs(piece[0] - end) < NEAR_TIE for track in case.tracks.values() if isinstance(track, Track) for piece in track.pieces):
            raise Degenerate
        own = case.text
        mine = re.findall(r"^(?:proc|sys|func|const| ,) (\w+)(?:\(|:)", own, re.MULTILINE)
        mine += [c for row in re.findall(r"^(?:const| ,) .*", own, re.MULTILINE) for c in re.findall(r", (\w+): real\^\d+ =", row)]
        top = re.findall(r"^(?:proc|sys) (\w+)", own, re.MULTILINE)[-1]
        definitions = [n for n in dict.fromkeys(mine) if re.search(rf"^(proc|sys|func) {n}\(|\b{n}: real\^\d+ =", own, re.MULTILINE)]
        for n in definitions:
            own = re.sub(rf"\b{n}\b(?!')", f"{n}_{k}", own)
        text += own
        instances.append(f"{top}_{k}()")
        for column, track in case.tracks.items():
            label = column.split(".")[0].split("[")[0]
            tracks[f"{top}_{k}." + (column.replace(label, f"{label}_{k}", 1) if label in definitions else column)] = track
        printed += [t for t in case.printed if t < end]
    text += "sys All() =\n|[ " + " || ".join(instances) + " ]|\n"
    result = Case(text, end, tracks, sorted(printed))
    result.tolerance = max([case.tolerance or 0 for case in cases] + [2e-5])
    return result


KINDS = {
    "clutches": mixed_motion.clutches,
    "collisions": mixed_motion.collisions,
    "contacts": mixed_contacts.contacts,
    "borders": mixed_motion.borders,
    "timeouts": mixed_statements.timeouts,
    "sampled": mixed_statements.sampled,
    "substitutes": mixed_statements.substitutes,
    "instants": mixed_statements.instants,
    "containers": mixed_statements.containers,
    "delays": mixed_statements.delays,
    "cells": mixed_motion.cells,
    "priorities": mixed_statements.priorities,
    "rectifiers": mixed_motion.rectifiers,
    "curved": mixed_motion.curved,
    "conditions": mixed_statements.conditions,
    "reformulated": reformulated,
    "beside": beside,
}

if __name__ == "__main__":
    sys.exit(main(KINDS, __doc__))
