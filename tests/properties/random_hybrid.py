#!/usr/bin/env python3
"""Random hybrid models with known solutions: `random_hybrid.py CHI [--models N] [--seed S] [--kind NAME] [--keep FOLDER]`.

Each model is piecewise of a kind that has a closed form, so that the solution is computed here, event by event, without
integrating anything: exponentials and straight lines between guards (automata, thermostats), parabolas (balls, friction),
networks of ideal diodes (every combination of conducting diodes is tried), windows so narrow that no step ends in them,
events at one instant, and chains of events. Models in which a rounding error could change the order of events are not made.
"""
import argparse
import concurrent.futures
import itertools
import math
import os
import pathlib
import random
import sys

import chi_process

SOLVERS = ("auto", "ida", "cvode", "erk", "irk")
NEAR = 2e-4  # so near to an event the values of both sides are right
POINTS = 21


class Degenerate(Exception):
    """Rounding decides what happens."""


class Track:
    """The values of one variable: pieces that begin at ascending times. A piece is a function of time."""

    def __init__(self):
        self.pieces = []

    def begin(self, time, function):
        self.pieces.append((time, function))

    def values(self, time):
        """All values that are right at this time, give or take a little."""
        ends = [t for t, _ in self.pieces[1:]] + [math.inf]
        return [f(time) for (t, f), end in zip(self.pieces, ends) if t - NEAR <= time <= end + NEAR]


class Passage:
    """From 0 to 1 in a window of time whose ends are as good as the solution is."""

    def __init__(self, enters, leaves):
        self.enters, self.leaves = enters, leaves
        self.near = NEAR + 2e-5 * (1 + leaves)  # the error of a motion adds up

    def values(self, time):
        if time < self.enters - self.near:
            return [0.0]
        return [1.0] if time > self.leaves + self.near else [k / 1000 for k in range(1001)]


class Case:
    """A model with its solution: per column a track, or None if its values are not looked at; times that it prints."""

    def __init__(self, text, end, tracks, printed=(), solvers=SOLVERS):
        self.text, self.end, self.tracks, self.printed, self.solvers = text, end, tracks, list(printed), solvers
        self.tolerance = None  # the general one
        self.time_tolerance = 1e-4


def constant(value):
    return lambda t: value


def line(t0, x0, slope):
    return lambda t: x0 + slope * (t - t0)


def parabola(t0, x0, v0, a):
    return lambda t: x0 + v0 * (t - t0) + 0.5 * a * (t - t0) ** 2


def decay(t0, x0, goal, rate):
    """x' = rate (goal - x)."""
    return lambda t: goal + (x0 - goal) * math.exp(-rate * (t - t0))


def real(r, low, high, digits=2):
    return round(r.uniform(low, high), digits)


def signed(r, low, high):
    return real(r, low, high) * r.choice((-1, 1))


def text_of(x):
    return f"({x!r})" if repr(x).startswith("-") else repr(x)


# --- automata: x' = rate (goal - x) or x' = slope in each mode; the first guard that opens resets values and changes the mode

class Flow:
    """One variable in one mode."""

    def __init__(self, r):
        self.rate = real(r, 0.2, 2.0) if r.random() < 0.6 else 0.0
        self.goal = signed(r, 0.3, 2.0)  # the slope if the rate is 0

    def text(self, name):
        return f"{text_of(self.rate)}*({text_of(self.goal)} - {name})" if self.rate else text_of(self.goal)

    def function(self, t0, x0):
        return decay(t0, x0, self.goal, self.rate) if self.rate else line(t0, x0, self.goal)

    def slope(self, x):
        return self.rate * (self.goal - x) if self.rate else self.goal

    def reaches(self, x0, level):
        """How long it takes from x0 to the level; None if it never does."""
        if not self.rate:
            wait = (level - x0) / self.goal
            return wait if wait > 0 else None
        share = (level - self.goal) / (x0 - self.goal) if x0 != self.goal else 0.0
        if abs(share) < 1e-3:
            raise Degenerate  # it creeps towards the level
        return -math.log(share) / self.rate if 0 < share < 1 else None


def automaton(r):
    count, modes = r.randint(1, 3), r.randint(2, 4)
    flows = [[Flow(r) for _ in range(count)] for _ in range(modes)]
    guards = []  # per mode: (variable, relation, level, resets, next mode)
    for mode in range(modes):
        alternatives = []
        for _ in range(r.randint(1, 2)):
            resets = {i: signed(r, 0.0, 1.5) for i in range(count) if r.random() < 0.4}
            following = r.choice([m for m in range(modes) if m != mode])
            alternatives.append((r.randrange(count), r.choice((">=", "<=")), signed(r, 0.2, 1.2), resets, following))
        guards.append(alternatives)
    x = [signed(r, 0.0, 1.0) for _ in range(count)]
    names = [f"x{i}" for i in range(count)]
    equations = []
    style = r.randrange(3)
    for i, name in enumerate(names):
        if style == 0:
            right = text_of(0.0)
            for mode in reversed(range(modes)):
                right = f"if m = {mode} then {flows[mode][i].text(name)} else {right}"
            equations.append(f"{name}' = {right}")
        elif style == 1:
            equations.append("[ " + " | ".join(f"m = {mode} -> {name}' = {flows[mode][i].text(name)}"
                                               for mode in range(modes)) + " ]")
    if style == 2:
        equations.append("[ " + "\n   | ".join(
            f"m = {mode} -> " + ", ".join(f"{name}' = {flows[mode][i].text(name)}" for i, name in enumerate(names))
            for mode in range(modes)) + " ]")
    alternatives = []
    for mode in range(modes):
        for variable, relation, level, resets, following in guards[mode]:
            actions = [f"x{i} := {text_of(v)}" for i, v in resets.items()] + [f"m := {following}", "n := n + 1", '!time, "\\n"']
            alternatives.append(f"m = {mode}; nabla x{variable} {relation} {text_of(level)} -> " + "; ".join(actions))
    declarations = [f"x{i}: real := {v!r}" for i, v in enumerate(x)] + ["m: nat := 0", "n: nat := 0"]
    text = ("proc Automaton() =\n|[ " + ", ".join(declarations) + "\n | " + "\n , ".join(equations)
            + "\n | *[ " + "\n    | ".join(alternatives) + "\n    ]\n]|\n")
    # The run.
    end, t, mode, n = 6.0, 0.0, 0, 0
    tracks = {name: Track() for name in names + ["m", "n"]}
    printed = []
    at_once, slowest = 0, 1.0
    while True:
        for i in range(count):
            tracks[names[i]].begin(t, flows[mode][i].function(t, x[i]))
        tracks["m"].begin(t, constant(mode))
        tracks["n"].begin(t, constant(n))
        options = []
        for place, (variable, relation, level, resets, following) in enumerate(guards[mode]):
            distance = (x[variable] - level) * (1 if relation == ">=" else -1)
            if abs(distance) < 1e-3:
                raise Degenerate
            if distance > 0:
                options.append((0.0, place))
                continue
            wait = flows[mode][variable].reaches(x[variable], level)
            if wait is not None:
                if abs(flows[mode][variable].slope(level)) < 0.02:
                    raise Degenerate  # the time is ill conditioned
                options.append((wait, place))
        options = [o for o in options if t + o[0] < end + 1e-3]
        if not options:
            break
        options.sort()
        wait, place = options[0]
        if wait > 0 and len(options) > 1 and options[1][0] - wait < 1e-3 or t + wait > end - 1e-3:
            raise Degenerate
        at_once = at_once + 1 if wait == 0 else 0
        if at_once > 8 or n > 60:
            raise Degenerate
        variable, _, level, resets, following = guards[mode][place]
        if wait > 0:
            slowest = min(slowest, abs(flows[mode][variable].slope(level)))
        x = [flows[mode][i].function(0.0, x[i])(wait) for i in range(count)]
        t += wait
        if wait > 0:
            x[variable] = level
        for i, v in resets.items():
            x[i] = v
        mode, n = following, n + 1
        printed.append(t)
    if n < 2:
        raise Degenerate
    case = Case(text, end, tracks, printed)
    case.tolerance = 2e-5 * max(1.0, 0.1 / slowest)  # the time of an event is known as well as the level is passed fast
    return case


def thermostats(r):
    """Several rooms, each with its own hysteresis; they share a counter."""
    count = r.randint(1, 6)
    rooms, declarations, instances = [], ["n: nat := 0"], []
    text = ("proc Room(rate, hot, cold, low, high: real, ref T: real, ref n: nat) =\n"
            "|[ on: bool := true\n | T' = rate*((if on then hot else cold) - T)\n"
            " | *[ nabla T >= high; on := false; n := n + 1; nabla T <= low; on := true; n := n + 1 ]\n]|\n")
    end = 8.0
    tracks, times = {}, []
    for i in range(count):
        rate, low, start = real(r, 0.2, 1.5), real(r, 18, 19), real(r, 12, 17)
        high, hot, cold = real(r, low + 0.3, low + 2), real(r, 24, 30), real(r, 5, 14)
        declarations.append(f"T{i}: real := {start!r}")
        instances.append(f"Room({rate!r}, {hot!r}, {cold!r}, {low!r}, {high!r}, T{i}, n)")
        track, t, T, on = Track(), 0.0, start, True
        while t < end:
            goal, level = (hot, high) if on else (cold, low)
            track.begin(t, decay(t, T, goal, rate))
            t += math.log((T - goal) / (level - goal)) / rate
            T, on = level, not on
            times.append(t)
            if abs(t - end) < 1e-3:
                raise Degenerate  # whether it still happens
        tracks[f"T{i}"] = track
        switch = tracks["Room.on" if count == 1 else f"Room[{i}].on"] = Track()
        for k, (begin, _) in enumerate(track.pieces):
            switch.begin(begin, constant(1 - k % 2))
    counter = Track()
    counter.begin(0.0, constant(0))
    for k, t in enumerate(sorted(times)):
        counter.begin(t, constant(k + 1))
    tracks["n"] = counter
    text += "sys Rooms() =\n|[ " + ", ".join(declarations) + "\n | " + "\n || ".join(instances) + "\n]|\n"
    case = Case(text, end, tracks)
    case.tolerance = 2e-4  # every switch adds to the error of the times
    return case


# --- parabolas

def balls(r):
    """Balls with their own restitution, height and gravity, seen until shortly before the first comes to rest."""
    count = r.randint(1, 4)
    data = [(real(r, 0.5, 3), signed(r, 0.0, 2), real(r, 0.4, 0.95), real(r, 3, 15)) for _ in range(count)]
    end = 10.0
    for h, v, e, g in data:
        first = (v + math.sqrt(v * v + 2 * g * h)) / g
        speed = math.sqrt(v * v + 2 * g * h)
        stop, bounces, rest = first, 0, 2 * speed * e / g
        while bounces < 8:
            stop, rest, bounces = stop + rest, rest * e, bounces + 1
        end = min(end, stop)
    end = round(end, 3)
    declarations, processes, tracks = [], [], {}
    for i, (h, v, e, g) in enumerate(data):
        declarations += [f"h{i}: real := {h!r}", f"v{i}: real := {v!r}"]
        height, speed, t = Track(), Track(), 0.0
        while t < end + NEAR:
            height.begin(t, parabola(t, h, v, -g))
            speed.begin(t, line(t, v, -g))
            wait = (v + math.sqrt(v * v + 2 * g * h)) / g
            v = -e * (v - g * wait)
            h, t = 0.0, t + wait
            if abs(t - end) < 1e-3:
                raise Degenerate
        tracks[f"h{i}"], tracks[f"v{i}"] = height, speed
        processes.append(f"Ball({e!r}, {g!r}, h{i}, v{i})")
    condition = r.choice(("h <= 0 and v < 0", "h < 0 and v < 0", "not (h > 0) and v < 0", "v < 0 and 0 >= 2*h"))
    text = (f"proc Ball(e, g: real, ref h, v: real) =\n|[ h' = v, v' = -g\n | *[ nabla {condition}; v := -e*v ]\n]|\n"
            "sys Balls() =\n|[ " + ", ".join(declarations) + "\n | " + " || ".join(processes) + "\n]|\n")
    return Case(text, end, tracks)


def friction(r):
    """x' = a + b t - c sign(x): enters x = 0, slides or crosses, leaves. Several independent ones."""
    count, end = r.randint(1, 3), 4.0
    declarations, equations, tracks = [], [], {}
    for i in range(count):
        a, b, c = signed(r, 0.0, 3), signed(r, 0.2, 2), real(r, 0.5, 2)
        x = 0.0 if r.random() < 0.2 else signed(r, 0.1, 1.5)
        declarations.append(f"x{i}: real := {x!r}")
        pull = f"{text_of(a)} + {text_of(b)}*time"
        shape = r.randrange(4)
        name = f"x{i}"
        if shape == 0:
            equations.append(f"{name}' = {pull} - {c!r}*sign({name})")
        elif shape == 1:
            equations.append(f"{name}' = {pull} - (if {name} > 0 then {c!r} else -{c!r})")
        elif shape == 2:
            equations.append(f"[ {name} >= 0 -> {name}' = {pull} - {c!r} | {name} < 0 -> {name}' = {pull} + {c!r} ]")
        else:
            equations.append(f"{name}' = {pull} - {c!r}*f{i}, |f{i}|, f{i} = if 2*{name} < 0 then -1.0 else 1.0")
            declarations.append(f"f{i}: real")
        track, t = Track(), 0.0
        side = (x > 0) - (x < 0)
        while t < end + NEAR:
            drive = a + b * t
            if side == 0:
                if abs(abs(drive) - c) < 1e-2 and t == 0.0:
                    raise Degenerate
                if abs(drive) < c - 1e-9:  # slides until the drive is as large as the friction
                    track.begin(t, constant(0.0))
                    t = ((c if b > 0 else -c) - a) / b
                    side = 1 if b > 0 else -1
                    if abs(t - end) < 1e-2:
                        raise Degenerate
                    x = 0.0
                    continue
                side = 1 if drive > 0 else -1
            v = drive - side * c
            track.begin(t, parabola(t, x, v, b))
            roots = []  # of x + v s + b s² / 2, s > 0
            discriminant = v * v - 2 * b * x
            if abs(discriminant) < 1e-2 and x != 0.0:
                raise Degenerate  # it may touch
            if discriminant > 0:
                q = -(v + math.copysign(math.sqrt(discriminant), v))
                roots = [s for s in ((q / b), (2 * x / q if q else 0.0)) if s > 1e-9]
            if not roots:
                break
            wait = min(roots)
            t, x = t + wait, 0.0
            drive = a + b * t
            if abs(abs(drive) - c) < 1e-2 or abs(t - end) < 1e-2 or wait < 1e-2 or abs(drive - side * c) < 1e-2:
                raise Degenerate
            side = 0
        tracks[name] = track
        if shape == 3:
            tracks[f"f{i}"] = None  # set-valued while it slides
    text = "proc P() =\n|[ " + ", ".join(declarations) + "\n | " + "\n , ".join(equations) + "\n]|\n"
    return Case(text, end, tracks)


# --- networks of ideal diodes

def solve(matrix, right):
    """Gauss elimination with pivots; None if singular."""
    n = len(right)
    a = [row[:] + [b] for row, b in zip(matrix, right)]
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(a[i][k]))
        if abs(a[p][k]) < 1e-12:
            return None
        a[k], a[p] = a[p], a[k]
        for i in range(k + 1, n):
            f = a[i][k] / a[k][k]
            if f:
                for j in range(k, n + 1):
                    a[i][j] -= f * a[k][j]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (a[k][n] - sum(a[k][j] * x[j] for j in range(k + 1, n))) / a[k][k]
    return x


def diodes(r):
    """Resistors between all nodes and ground make voltages unique; diodes without loops make their currents unique."""
    nodes = r.randint(1, 5)
    resistors = [(i, r.randrange(i), real(r, 0.5, 4)) for i in range(1, nodes + 1)]
    for _ in range(r.randint(0, nodes)):
        a, b = r.sample(range(nodes + 1), 2)
        resistors.append((a, b, real(r, 0.5, 4)))
    tree = list(range(nodes + 1))

    def root(i):
        while tree[i] != i:
            i = tree[i]
        return i
    parts = []  # anode, cathode
    for _ in range(r.randint(1, 2 * nodes)):
        a, b = r.sample(range(nodes + 1), 2)
        if root(a) != root(b) and len(parts) < 5:
            tree[root(a)] = root(b)
            parts.append((a, b))
    sources = [(k, signed(r, 0.5, 4), real(r, 0.5, 5), real(r, 0, 6)) for k in range(1, nodes + 1) if k == 1 or r.random() < 0.5]

    def injected(k, t):
        return sum(a * math.sin(w * t + p) for node, a, w, p in sources if node == k)

    def solution(t):
        size = nodes + len(parts)  # voltages, diode currents
        for on in itertools.product((False, True), repeat=len(parts)):
            matrix = [[0.0] * size for _ in range(size)]
            right = [injected(k, t) for k in range(1, nodes + 1)] + [0.0] * len(parts)
            for a, b, R in resistors:
                for p, q in ((a, b), (b, a)):
                    if p:
                        matrix[p - 1][p - 1] += 1 / R
                        if q:
                            matrix[p - 1][q - 1] -= 1 / R
            for d, (a, b) in enumerate(parts):
                for node, sign in ((a, 1.0), (b, -1.0)):
                    if node:
                        matrix[node - 1][nodes + d] += sign
                        if on[d]:
                            matrix[nodes + d][node - 1] = sign
                if not on[d]:
                    matrix[nodes + d][nodes + d] = 1.0
            x = solve(matrix, right)
            if x is None:
                continue
            volts = [0.0] + x[:nodes]
            if all(x[nodes + d] >= -1e-12 if on[d] else volts[a] - volts[b] <= 1e-12 for d, (a, b) in enumerate(parts)):
                return x
        raise AssertionError("no state of the diodes is consistent")

    cache = {}

    def component(k):
        def at(t):
            if t not in cache:
                cache[t] = solution(t)
            return cache[t][k]
        return at
    voltage = [f"v{k}" if k else "0" for k in range(nodes + 1)]
    equations = []
    for k in range(1, nodes + 1):
        terms = []
        for a, b, R in resistors:
            if k in (a, b):
                other = b if k == a else a
                terms.append(f"(v{k} - {voltage[other]})/{R!r}" if other else f"v{k}/{R!r}")
        for d, (a, b) in enumerate(parts):
            if k in (a, b):
                terms.append(f"i{d}" if k == a else f"-1*i{d}")
        drive = " + ".join(f"{text_of(a)}*sin({w!r}*time + {p!r})" for node, a, w, p in sources if node == k) or "0"
        equations.append(" + ".join(terms) + f" = {drive}")
    hidden = []
    for d, (a, b) in enumerate(parts):
        across = f"{voltage[a]} - {voltage[b]}" if b else voltage[a]
        shape = r.randrange(3)
        if shape == 0:
            equations.append(f"{across} = if s{d} < 0 then s{d} else 0, i{d} = if s{d} < 0 then 0 else s{d}")
        elif shape == 1:
            equations.append(f"[ s{d} < 0 -> {across} = s{d}, i{d} = 0 | s{d} >= 0 -> {across} = 0, i{d} = s{d} ]")
        else:
            equations.append(f"{across} = min(s{d}, 0.0), i{d} = max(s{d}, 0.0)")
        hidden.append(f"s{d}")
    r.shuffle(equations)
    names = [f"v{k}" for k in range(1, nodes + 1)] + [f"i{d}" for d in range(len(parts))]
    tracks = {}
    for k, name in enumerate(names):
        tracks[name] = Track()
        tracks[name].begin(0.0, component(k))
    for name in hidden:
        tracks[name] = None
    everything = names + hidden
    text = ("proc Network() =\n|[ " + ", ".join(everything) + ": real\n | |" + ", ".join(everything) + "|\n , "
            + "\n , ".join(equations) + "\n]|\n")
    return Case(text, 3.0, tracks)


# --- needles, coincidences, chains

def needles(r):
    """A state that moves evenly passes windows 1e-8 wide."""
    width = r.choice((1e-8, 1e-8, 3e-8, 1e-6))
    slope = r.choice((1.0, 2.0, 0.5, 1.5)) * r.choice((1, -1))
    end = r.choice((4.0, 10.0, 100.0))
    times = sorted(real(r, 0.05 * end, 0.95 * end, 3) for _ in range(r.randint(1, 5)))
    if any(b - a < 1e-2 * end for a, b in zip(times, times[1:])):
        raise Degenerate
    levels = [slope * t for t in times]
    if width < 5e-10 * abs(levels[-1]):
        raise Degenerate  # within 1e-10 of the values compared they count as equal
    conditions = []
    for c in levels:
        low, high = text_of(c), text_of(c + width)
        conditions.append(r.choice((f"x >= {low} and x <= {high}", f"x > {low} and x < {high}",
                                    f"not (x < {low} or x > {high})", f"2*x - {high} <= x and x >= {low}",
                                    f"max(x - {high}, {low} - x) <= 0", f"abs(2*x - {low} - {high}) <= {text_of(width)}")))
    tracks = {"x": Track(), "n": Track()}
    tracks["x"].begin(0.0, line(0.0, 0.0, slope))
    tracks["n"].begin(0.0, constant(0))
    for k, t in enumerate(times):
        tracks["n"].begin(t, constant(k + 1))
    shape = r.randrange(3)
    if shape == 0:  # one after the other
        body = "; ".join(f'nabla {c}; n := n + 1; !time, "\\n"' for c in conditions)
        text = f"proc P() =\n|[ x: real := 0.0, n: nat := 0\n | x' = {text_of(slope)}\n | {body}\n]|\n"
        return Case(text, end, tracks, times)
    if shape == 1:  # any of them
        body = f'*[ nabla {" or ".join(f"({c})" for c in conditions)}; n := n + 1; !time, "\\n"; delta {0.005 * end!r} ]'
        text = f"proc P() =\n|[ x: real := 0.0, n: nat := 0\n | x' = {text_of(slope)}\n | {body}\n]|\n"
        return Case(text, end, tracks, times)
    equations = [f"y{k}' = if {c} then {text_of(abs(slope) / width)} else 0.0" for k, c in enumerate(conditions)]
    del tracks["n"]
    for k, t in enumerate(times):
        tracks[f"y{k}"] = Track()
        tracks[f"y{k}"].begin(0.0, constant(0.0))
        tracks[f"y{k}"].begin(t, constant(1.0))
    text = ("proc P() =\n|[ x: real := 0.0, " + ", ".join(f"y{k}" for k in range(len(times))) + f": real := 0.0\n | x' = "
            f"{text_of(slope)}\n , " + "\n , ".join(equations) + "\n]|\n")
    case = Case(text, end, tracks)
    case.tolerance = 1e-3  # the ends of the window are as good as doubles are
    return case


def windows(r):
    """How long a curved motion stays in windows of all widths, relative to what it must be: 1 after each."""
    mean, swing, omega, phase = real(r, 0.5, 2), real(r, 0.0, 0.4), real(r, 0.5, 5), real(r, 0, 6)
    end = r.choice((2.0, 5.0, 20.0))

    def position(t):
        return mean * t + swing / omega * (math.sin(omega * t + phase) - math.sin(phase))

    def arrival(x):
        low, high = 0.0, end
        for _ in range(200):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if position(middle) < x else (low, middle)
        return high
    count = r.randint(1, 4)
    lows = sorted(real(r, 0.05, 0.95, 3) * position(end) for _ in range(count))
    widths = [10 ** r.uniform(-7, -2) for _ in range(count)]
    tops = [a + w for a, w in zip(lows, widths)]
    if any(b - a < 0.01 for a, b in zip(tops, lows[1:])) or tops[-1] > 0.98 * position(end):
        raise Degenerate
    tracks, equations = {"x": Track()}, []
    tracks["x"].begin(0.0, position)
    for k, (a, b) in enumerate(zip(lows, tops)):
        enters, leaves = arrival(a), arrival(b)
        low, high, half, middle = text_of(a), text_of(b), text_of(0.5 * (b - a)), text_of(0.5 * (a + b))
        inside = r.choice((f"(x - {low})*(x - {high}) <= 0", f"x >= {low} and x <= {high}", f"abs(x - {middle}) <= {half}",
                           f"not (x < {low} or x > {high})", f"(x - {low})*({high} - x) >= 0", f"max(x - {high}, {low} - x) <= 0",
                           f"min(x - {low}, {high} - x) > 0", f"2*abs(x - {middle}) - 2*{half} < 0",
                           f"(if x > {middle} then x - {high} else {low} - x) <= 0",
                           f"exp(-((x - {middle})/{half})^2) >= exp(-1)", f"1/(1 + ((x - {middle})/{half})^2) >= 0.5",
                           f"tanh((x - {low})/{half}) - tanh((x - {high})/{half}) >= tanh(2.0)"))
        rate = text_of(1 / (leaves - enters))
        equations.append(r.choice((f"y{k}' = if {inside} then {rate} else 0.0",
                                   f"[ {inside} -> y{k}' = {rate} | not ({inside}) -> y{k}' = 0.0 ]")))
        tracks[f"y{k}"] = Passage(enters, leaves)
    text = ("proc P() =\n|[ x, " + ", ".join(f"y{k}" for k in range(count)) + f": real := 0.0\n | x' = {mean!r} + "
            f"{swing!r}*cos({omega!r}*time + {phase!r})\n , " + "\n , ".join(equations) + "\n]|\n")
    case = Case(text, end, tracks)
    case.tolerance = 1e-3
    return case


def coincidences(r):
    """Ramps that reach their levels at one instant, together with a time event; then all begin again."""
    count, period = r.randint(1, 5), r.choice((1.0, 0.5, 0.3, 0.7, 1.1))
    slopes = [signed(r, 0.2, 3) for _ in range(count)]
    rounds = r.randint(2, 5)
    end = round(period * rounds + 0.4 * period, 6)
    timer = r.random() < 0.7
    needed = count + (1 if timer else 0)
    text = ("proc Ramp(slope, level: real, ref x: real, ref n, k: nat) =\n|[ mine: nat := 0\n | x' = slope\n"
            " | *[ nabla slope*x >= slope*level; n := n + 1; mine := mine + 1; nabla k >= mine ]\n]|\n"
            "proc Timer(period: real, ref n, k: nat) =\n|[ | *[ delta period; n := n + 1; nabla k*period >= time - 0.5*period ] ]|\n")
    resets = "; ".join(f"x{i} := {'0.0' if r.random() < 0.5 else f'x{i} - {text_of(s * period)}'}" for i, s in enumerate(slopes))
    variables = ", ".join(f"x{i}" for i in range(count))
    text += (f"proc Again(ref {variables}: real, ref n, k: nat) =\n"
             f'|[ | *[ nabla n >= {needed}; n := 0; {resets}; k := k + 1; !time, "\\n" ] ]|\n')
    instances = [f"Ramp({text_of(s)}, {text_of(s * period)}, x{i}, n, k)" for i, s in enumerate(slopes)]
    if timer:
        instances.append(f"Timer({period!r}, n, k)")
    instances.append(f"Again({variables}, n, k)")
    r.shuffle(instances)
    text += (f"sys S() =\n|[ {variables}: real := 0.0, n, k: nat := 0\n | " + "\n || ".join(instances) + "\n]|\n")
    tracks = {"n": None, "k": Track()}  # n counts up at the instant
    for k in range(rounds + 1):
        tracks["k"].begin(k * period, constant(k))
    for i, s in enumerate(slopes):
        track = tracks[f"x{i}"] = Track()
        for k in range(rounds + 1):
            track.begin(k * period, line(k * period, 0.0, s))
    for i in range(count):
        tracks["Ramp.mine" if count == 1 else f"Ramp[{i}].mine"] = None
    case = Case(text, end, tracks, [period * (k + 1) for k in range(rounds)])
    case.time_tolerance = 1e-9
    return case


def chains(r):
    """An event causes another at the same instant, through variables, channels and conditions, along a line of processes."""
    length = r.randint(1, 6)
    rate, level = real(r, 0.3, 2), real(r, 0.3, 1.5)
    first = level / rate
    text = f'proc First(ref x, y0: real) =\n|[ x\' = {rate!r}\n | nabla x >= {level!r}; y0 := 1.0; !time, "\\n"\n]|\n'
    declarations, instances = ["x: real := 0.0", "y0: real := 0.0"], ["First(x, y0)"]
    tracks = {"x": Track(), "y0": Track()}
    tracks["x"].begin(0.0, line(0.0, 0.0, rate))
    tracks["y0"].begin(0.0, constant(0.0))
    tracks["y0"].begin(first, constant(1.0))
    t, value, printed = first, 1.0, [first]
    for k in range(1, length + 1):
        kind = r.choice(("condition", "channel", "ramp", "delay"))
        gain = real(r, 0.5, 2)
        before = f"y{k - 1}"
        declarations.append(f"y{k}: real := 0.0")
        track = tracks[f"y{k}"] = Track()
        track.begin(0.0, constant(0.0))
        if kind == "condition":
            text += f'proc P{k}(ref a, b: real) =\n|[ | nabla a > {value / 2!r}; b := {gain!r}*a; !time, "\\n" ]|\n'
            instances.append(f"P{k}({before}, y{k})")
            value *= gain
            track.begin(t, constant(value))
        elif kind == "channel":
            text += (f"proc A{k}(c: !real, ref a: real) =\n|[ | nabla 2*a >= {value!r}; c!a ]|\n"
                     f'proc B{k}(c: ?real, ref b: real) =\n|[ z: real | c?z; b := {gain!r}*z; !time, "\\n" ]|\n')
            declarations.append(f"c{k}: -real")
            instances += [f"A{k}(c{k}, {before})", f"B{k}(c{k}, y{k})"]
            tracks[f"B{k}.z"] = Track()
            tracks[f"B{k}.z"].begin(0.0, constant(0.0))
            tracks[f"B{k}.z"].begin(t, constant(value))
            value *= gain
            track.begin(t, constant(value))
        elif kind == "ramp":  # the value sets a ramp going, which ends a while later
            high = real(r, 0.2, 0.8)
            text += (f"proc P{k}(ref a, b: real) =\n|[ r: real := 0.0\n | r' = if a > {value / 2!r} then {gain!r} else 0.0\n"
                     f' | nabla r >= {high!r}; b := r; !time, "\\n"\n]|\n')
            instances.append(f"P{k}({before}, y{k})")
            tracks[f"P{k}.r"] = Track()
            tracks[f"P{k}.r"].begin(0.0, constant(0.0))
            tracks[f"P{k}.r"].begin(t, line(t, 0.0, gain))
            t += high / gain
            value = high
            track.begin(t, constant(value))
        else:
            wait = real(r, 0.1, 0.6)
            text += f'proc P{k}(ref a, b: real) =\n|[ | nabla a /= 0; delta {wait!r}; b := a + {gain!r}; !time, "\\n" ]|\n'
            instances.append(f"P{k}({before}, y{k})")
            t, value = t + wait, value + gain
            track.begin(t, constant(value))
        printed.append(t)
    r.shuffle(instances)
    text += "sys S() =\n|[ " + ", ".join(declarations) + "\n | " + "\n || ".join(instances) + "\n]|\n"
    return Case(text, round(t + 0.5, 3), tracks, printed)


KINDS = {"automaton": automaton, "thermostats": thermostats, "balls": balls, "friction": friction, "diodes": diodes,
         "needles": needles, "windows": windows, "coincidences": coincidences, "chains": chains}


def make(seed, kind=None, kinds=None):
    kinds = kinds or KINDS
    name = kind or list(kinds)[seed % len(kinds)]
    for attempt in itertools.count():
        try:
            return name, kinds[name](random.Random(f"{name} {seed} {attempt}"))
        except Degenerate:
            pass


def compare(case, answer, tolerance):
    """Problem or empty text, and the worst error."""
    if not answer.rows or abs(answer.rows[-1][0] - case.end) > 1e-9:
        return "the result does not reach the end", 0.0
    if sorted(answer.columns[1:]) != sorted(case.tracks):
        return f"columns are {answer.columns}, expected {sorted(case.tracks)}", 0.0
    tolerance = case.tolerance or tolerance
    worst, where = 0.0, ""
    for row in answer.rows:
        for column, got in zip(answer.columns[1:], row[1:]):
            track = case.tracks[column]
            if track is None:
                continue
            right = track.values(row[0])
            error = min(abs(got - x) / (1 + abs(x)) for x in right)
            if not error <= worst:
                worst, where = error, f"{column}({row[0]!r}) = {got!r}, expected {' or '.join(map(repr, right))}"
    if not worst <= tolerance:
        return f"error {worst:.2g}: {where}", worst
    if case.printed:
        got = [float(w) for w in answer.output.split("\n") if w.strip() and w.strip()[0] in "0123456789"]
        allowed = case.time_tolerance
        if len(got) != len(case.printed) or any(abs(a - b) > allowed for a, b in zip(got, case.printed)):
            return f"events at {got}, expected {case.printed}", worst
    return "", worst


def check(chi, seed, options, kinds):
    kind, case = make(seed, options.kind, kinds)
    solver = options.solver or case.solvers[seed // len(kinds) % len(case.solvers)]
    arguments = ["run", "{}", "--end", repr(case.end), "--points", str(POINTS), "--out", "{csv}", "--solver", solver]
    answer = chi_process.call(chi, arguments, options.timeout, case.text)
    if answer.kind() != "ok":
        return kind, case, arguments, f"{answer.kind()}: {answer.errors.strip()[:600]}", 0.0
    problem, worst = compare(case, answer, options.tolerance)
    return kind, case, arguments, problem and f"wrong: {problem}", worst


def main(kinds, about):
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("chi")
    parser.add_argument("--models", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=kinds)
    parser.add_argument("--solver", choices=SOLVERS)
    parser.add_argument("--tolerance", type=float, default=2e-5, help="error relative to 1 + |value|")
    parser.add_argument("--timeout", type=float, default=10.0, help="seconds of processor time for one call")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="a folder for the models that fail")
    parser.add_argument("--show", action="store_true", help="print the model of --seed and stop")
    options = parser.parse_args()
    if options.show:
        print(make(options.seed, options.kind, kinds)[1].text)
        return 0
    chi = os.path.abspath(options.chi)
    failed, worst = {}, {}
    seeds = range(options.seed, options.seed + options.models)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for seed, (kind, case, arguments, problem, error) in zip(seeds, pool.map(lambda s: check(chi, s, options, kinds), seeds)):
            worst[kind] = max(worst.get(kind, 0.0), error)
            if not problem:
                continue
            failed[kind] = failed.get(kind, 0) + 1
            print(f"seed {seed} ({kind}): chi {' '.join(arguments)}\n    " + problem.replace("\n", "\n    "))
            sys.stdout.flush()
            if options.keep:
                folder = pathlib.Path(options.keep)
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"{kind}_{seed}.chi").write_text(f"// chi {' '.join(arguments)}\n{case.text}", "utf-8")
    print(f"{options.models} models, {sum(failed.values())} failed; largest errors: "
          + ", ".join(f"{kind} {error:.0e}" for kind, error in worst.items()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(KINDS, __doc__))
