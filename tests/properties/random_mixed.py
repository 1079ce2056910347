#!/usr/bin/env python3
"""Random models in which statements, equations and structure meet: `random_mixed.py CHI [--models N] [--seed S] [--kind NAME]`.

As random_hybrid.py: the solution is computed here, event by event. Bodies that are coupled and let go, so that the index
changes and speeds jump; collisions whose impulses go through rods; sliding on several borders that depend on each other;
selective waiting for conditions, messages and time-outs under guards that others change; substitute equations that
statements read; instantaneous equations; arrays, records and tuples; delays; sampled control through channels.
"""
import itertools
import math
import re
import sys

import random_dae
import random_hybrid
from expression import TIME, derivative, number, sin, substitute, value, variable
from random_hybrid import Case, Degenerate, Flow, Track, constant, decay, line, main, parabola, real, signed, solve, text_of

NEAR_TIE = 2e-3  # events that are closer are left out: rounding would order them


def moments(r, count, end):
    """Ascending times that are well apart."""
    times = sorted(real(r, 0.03 * end, 0.95 * end, 3) for _ in range(count))
    if any(b - a < 1e-2 for a, b in zip(times, times[1:])):
        raise Degenerate
    return times


def waits(times):
    return [b - a for a, b in zip([0.0] + times, times)]


# --- bodies

def groups(count, edges):
    """Per body the bodies that are tied to it by the edges, itself among them."""
    of = [{i} for i in range(count)]
    for a, b in edges:
        if of[a] is not of[b]:
            joined = of[a] | of[b]
            for i in joined:
                of[i] = joined
    return of


def clutches(r):
    """Bodies that are coupled rigidly and let go at given times: momentum is conserved, forces are what keeps them together."""
    count, end, by_place = r.randint(2, 5), 4.0, r.random() < 0.4
    mass = [real(r, 0.3, 3) for _ in range(count)]
    force = [signed(r, 0.0, 2) for _ in range(count)]
    edges = [(r.randrange(i), i) for i in range(1, count)]  # a tree: the forces are unique
    x, v = [signed(r, 0.0, 2) for _ in range(count)], [signed(r, 0.0, 3) for _ in range(count)]
    times = moments(r, r.randint(2, 6), end)
    toggles = [r.sample(range(len(edges)), 2 if len(edges) > 1 and r.random() < 0.3 else 1) for _ in times]
    declarations = [f"x{i}: real := {x[i]!r}" for i in range(count)] + [f"v{i}: real := {v[i]!r}" for i in range(count)]
    declarations += [f"T{k}: real, c{k}: bool := false" + (f", d{k}: real := 0.0" if by_place else "") for k in range(len(edges))]
    equations = ["|" + ", ".join(f"T{k}" for k in range(len(edges))) + "|"]
    for i in range(count):
        pulls = "".join(f" - T{k}" if a == i else f" + T{k}" for k, (a, b) in enumerate(edges) if i in (a, b))
        equations.append(f"x{i}' = v{i}")
        equations.append(r.choice((f"{mass[i]!r}*v{i}' = {force[i]!r}{pulls}", f"v{i}' = ({force[i]!r}{pulls})/{mass[i]!r}")))
    for k, (a, b) in enumerate(edges):
        law = f"x{a} - x{b} = d{k}" if by_place else r.choice((f"v{a} = v{b}", f"v{a} - v{b} = 0", f"2*v{b} = 2*v{a}"))
        equations.append(r.choice((f"[ c{k} -> {law} | not c{k} -> T{k} = 0 ]", f"[ not c{k} -> 3*T{k} = 0 | c{k} -> {law} ]")))
    r.shuffle(equations)
    closed = set()
    actions = []
    tracks = {f"x{i}": Track() for i in range(count)} | {f"v{i}": Track() for i in range(count)}
    for k in range(len(edges)):
        tracks |= {f"T{k}": Track(), f"c{k}": Track()} | ({f"d{k}": Track()} if by_place else {})
        if by_place:
            tracks[f"d{k}"].begin(0.0, constant(0.0))
    t = 0.0
    for wait, changed in zip(waits(times) + [None], toggles + [()]):
        tied = groups(count, [edges[k] for k in closed])
        a = [sum(force[j] for j in tied[i]) / sum(mass[j] for j in tied[i]) for i in range(count)]
        for i in range(count):
            tracks[f"x{i}"].begin(t, parabola(t, x[i], v[i], a[i]))
            tracks[f"v{i}"].begin(t, line(t, v[i], a[i]))
        for k, (_, b) in enumerate(edges):
            beyond = groups(count, [edges[j] for j in closed if j != k])[b]
            tracks[f"T{k}"].begin(t, constant(sum(mass[j] * a[j] - force[j] for j in beyond) if k in closed else 0.0))
            tracks[f"c{k}"].begin(t, constant(float(k in closed)))
        if wait is None:
            break
        x, v = [p + s * wait + 0.5 * q * wait * wait for p, s, q in zip(x, v, a)], [s + q * wait for s, q in zip(v, a)]
        t += wait
        actions.append(f"delta {wait!r}")
        for k in changed:
            if k in closed:
                closed.remove(k)
                actions.append(f"c{k} := false")
                continue
            closed.add(k)
            if by_place:
                actions.append(f"d{k} := x{edges[k][0]} - x{edges[k][1]}")
                tracks[f"d{k}"].begin(t, constant(x[edges[k][0]] - x[edges[k][1]]))
            actions.append(f"c{k} := true")
        tied = groups(count, [edges[k] for k in closed])
        v = [sum(mass[j] * v[j] for j in tied[i]) / sum(mass[j] for j in tied[i]) for i in range(count)]
    text = ("proc Bodies() =\n|[ " + ", ".join(declarations) + "\n | " + "\n , ".join(equations) + "\n | " + "; ".join(actions)
            + "\n]|\n")
    return Case(text, end, tracks)


def collisions(r):
    """Bodies on a line, some with a second one tied to them: the impact law is given, the impulse goes through the rods."""
    count, end = r.randint(2, 4), 4.0
    e, g = real(r, 0.0, 1.0), r.choice((0.0, signed(r, 0.2, 2)))
    mass = [real(r, 0.3, 3) for _ in range(count)]
    towed = [real(r, 0.3, 2) if r.random() < 0.4 else 0.0 for _ in range(count)]
    x = [0.0]
    for _ in range(count - 1):
        x.append(x[-1] + real(r, 0.4, 2))
    v = [signed(r, 0.0, 2) for _ in range(count)]
    pairs = range(count - 1)
    rods = [i for i in range(count) if towed[i]]
    declarations = [f"x{i}: real := {x[i]!r}, v{i}: real := {v[i]!r}" for i in range(count)]
    declarations += [f"w{i}: real := {v[i]!r}, G{i}: real" for i in rods]
    declarations += [f"F{k}: real, hit{k}: bool := false" for k in pairs] + ["a, b: real := 0.0"]
    forces = [f"F{k}" for k in pairs] + [f"G{i}" for i in rods]
    equations = [f"|{', '.join(forces)}|"] + [f"x{i}' = v{i}" for i in range(count)]
    for i in range(count):
        pushes = (f" + F{i - 1}" if i else "") + (f" - F{i}" if i + 1 < count else "") + (f" - G{i}" if towed[i] else "")
        equations.append(f"{mass[i]!r}*v{i}' = {mass[i] * g!r}{pushes}")
        if towed[i]:
            equations += [f"{towed[i]!r}*w{i}' = {towed[i] * g!r} + G{i}", f"v{i} = w{i}"]
    equations += [f"[ not hit{k} -> F{k} = 0 ]" for k in pairs]
    r.shuffle(equations)
    alternatives = []
    for k in pairs:
        moved = ", ".join([f"v{k}", f"v{k + 1}"] + [f"w{i}" for i in rods if i in (k, k + 1)])
        carried = ", ".join([f"F{k}"] + [f"G{i}" for i in rods if i in (k, k + 1)])
        alternatives.append(f"true; nabla x{k} >= x{k + 1} and v{k} > v{k + 1} -> !time, \"\\n\"; a := v{k}; b := v{k + 1}; hit{k} := true"
                            f"; {{ |{moved}|, impulse |{carried}|, v{k} - v{k + 1} = -{e!r}*(a - b) }}; hit{k} := false")
    text = ("proc Bodies() =\n|[ " + ", ".join(declarations) + "\n | " + "\n , ".join(equations) + "\n | *[ "
            + "\n    | ".join(alternatives) + "\n    ]\n]|\n")
    tracks = {name: Track() for i in range(count) for name in (f"x{i}", f"v{i}")} | {f"w{i}": Track() for i in rods}
    tracks |= {name: None for name in ["a", "b"] + [f"F{k}" for k in pairs] + [f"hit{k}" for k in pairs]} | {f"G{i}": Track() for i in rods}
    for i in rods:
        tracks[f"G{i}"].begin(0.0, constant(0.0))
    t, printed = 0.0, []
    while True:
        for i in range(count):
            tracks[f"x{i}"].begin(t, parabola(t, x[i], v[i], g))
            tracks[f"v{i}"].begin(t, line(t, v[i], g))
            if towed[i]:
                tracks[f"w{i}"].begin(t, line(t, v[i], g))
        hits = sorted(((x[k + 1] - x[k]) / (v[k] - v[k + 1]), k) for k in pairs if v[k] > v[k + 1] + 1e-9)
        hits = [h for h in hits if t + h[0] < end + NEAR_TIE]
        if not hits:
            break
        wait, k = hits[0]
        if wait < NEAR_TIE or t + wait > end - NEAR_TIE or len(hits) > 1 and hits[1][0] - wait < NEAR_TIE or v[k] - v[k + 1] < 0.02:
            raise Degenerate
        if len(printed) > 20:
            raise Degenerate
        x = [p + s * wait + 0.5 * g * wait * wait for p, s in zip(x, v)]
        v = [s + g * wait for s in v]
        t += wait
        printed.append(t)
        m, n = mass[k] + towed[k], mass[k + 1] + towed[k + 1]
        momentum, apart = m * v[k] + n * v[k + 1], e * (v[k] - v[k + 1])
        v[k] = (momentum - n * apart) / (m + n)
        v[k + 1] = v[k] + apart
        x[k + 1] = x[k]
        if any(abs(v[j] - v[j + 1]) < 0.02 and abs(x[j] - x[j + 1]) < 1e-6 for j in pairs) and e < 0.05:
            raise Degenerate  # they stay together: a rounding error brings them together again
    if not printed:
        raise Degenerate
    return Case(text, end, tracks, printed)


# --- sliding

def borders(r):
    """x_i' = a_i - sum of C_ij u_j, where u is the sign of x, and what keeps x on 0 while it slides; C is dominated by its diagonal,
    so that there is one motion."""
    count, end = r.randint(2, 5), 4.0
    c = [[signed(r, 0.1, 0.6) if i != j and r.random() < 0.5 else 0.0 for j in range(count)] for i in range(count)]
    for i in range(count):
        c[i][i] = real(r, 0.4, 1.5) + sum(map(abs, c[i]))
    x = [signed(r, 0.1, 1.5) for _ in range(count)]
    times = moments(r, r.randint(1, 4), end)
    drives = [[signed(r, 0.0, 2.5) for _ in range(count)] for _ in range(len(times) + 1)]
    order = list(range(count))
    declarations = [f"x{i}: real := {x[i]!r}, u{i}: real, a{i}: real := {drives[0][i]!r}" for i in order]
    equations = ["|" + ", ".join(f"u{i}" for i in order) + "|"]
    for i in order:
        equations.append(f"x{i}' = a{i}" + "".join(f" - {text_of(c[i][j])}*u{j}" for j in order if c[i][j]))
        equations.append(r.choice((f"u{i} = sign(x{i})", f"u{i} = if x{i} > 0 then 1.0 else -1.0",
                                   f"[ x{i} >= 0 -> u{i} = 1 | x{i} < 0 -> u{i} = -1 ]")))
    r.shuffle(equations)
    actions = []
    for wait, values in zip(waits(times), drives[1:]):
        actions.append(f"delta {wait!r}; " + "; ".join(f"a{i} := {values[i]!r}" for i in order))
    text = "proc P() =\n|[ " + ", ".join(declarations) + "\n | " + "\n , ".join(equations) + "\n | " + "; ".join(actions) + "\n]|\n"
    tracks = {f"x{i}": Track() for i in order} | {f"u{i}": None for i in order} | {f"a{i}": Track() for i in order}

    def motion(x, drive):
        """Slopes: of every way to slide or leave, the one that agrees with itself."""
        resting = [i for i in order if x[i] == 0.0]
        for way in itertools.product((0, 1, -1), repeat=len(resting)):
            u = [math.copysign(1.0, v) for v in x]
            for i, side in zip(resting, way):
                u[i] = float(side)
            free = [i for i, side in zip(resting, way) if side == 0]
            rest = [drive[i] - sum(c[i][j] * u[j] for j in order if j not in free) for i in free]
            for i, value in zip(free, solve([[c[i][j] for j in free] for i in free], rest) if free else ()):
                u[i] = value
            slope = [0.0 if i in free else drive[i] - sum(c[i][j] * u[j] for j in order) for i in order]
            if all(abs(u[i]) <= 1 for i in free) and all(slope[i] * side > 0 for i, side in zip(resting, way) if side):
                if any(abs(u[i]) > 0.98 for i in free) or any(abs(slope[i]) < 0.02 for i in order if i not in free):
                    raise Degenerate  # hardly slides or hardly moves
                return slope
        raise Degenerate
    t, phase = 0.0, 0
    for i in order:
        tracks[f"a{i}"].begin(0.0, constant(drives[0][i]))
    for _ in range(200):
        slope = motion(x, drives[phase])
        for i in order:
            tracks[f"x{i}"].begin(t, line(t, x[i], slope[i]))
        limit = times[phase] if phase < len(times) else end
        arrivals = sorted((-x[i] / slope[i], i) for i in order if x[i] * slope[i] < 0)
        if arrivals and abs(t + arrivals[0][0] - limit) < NEAR_TIE:
            raise Degenerate
        if arrivals and t + arrivals[0][0] < limit:
            wait, hit = arrivals[0]
            if len(arrivals) > 1 and arrivals[1][0] - wait < NEAR_TIE:
                raise Degenerate
        else:
            wait, hit = limit - t, None
            phase += 1
        x = [p + s * wait for p, s in zip(x, slope)]
        t += wait
        if hit is not None:
            x[hit] = 0.0
        elif phase > len(times):
            return Case(text, end, tracks)
        else:
            for i in order:
                tracks[f"a{i}"].begin(t, constant(drives[phase][i]))
    raise Degenerate


def cells(r):
    """A point moves evenly in each cell of a grid, by nested conditions; where two cells push against each other it slides."""
    count, end = r.randint(2, 3), 5.0
    walls = [sorted({signed(r, 0.0, 1.5) for _ in range(r.randint(1, 3))}) for _ in range(count)]
    if any(b - a < 0.1 for row in walls for a, b in zip(row, row[1:])):
        raise Degenerate
    flow = {cell: [signed(r, 0.2, 1.5) for _ in range(count)] for cell in itertools.product(*(range(len(row) + 1) for row in walls))}
    x = [signed(r, 0.0, 1.5) for _ in range(count)]

    def nested(cell, axis, component):
        if axis == count:
            return text_of(flow[cell][component])
        text = nested(cell + (len(walls[axis]),), axis + 1, component)
        for place in reversed(range(len(walls[axis]))):
            wall = text_of(walls[axis][place])
            less = r.choice((f"x{axis} < {wall}", f"x{axis} <= {wall}", f"not (x{axis} > {wall})", f"2*{wall} > 2*x{axis}"))
            text = f"(if {less} then {nested(cell + (place,), axis + 1, component)} else {text})"
        return text

    def guarded(cell, axis):
        if axis == count:
            return ", ".join(f"x{i}' = {text_of(flow[cell][i])}" for i in range(count))
        alternatives = []
        for place in range(len(walls[axis]) + 1):
            conditions = ([f"x{axis} >= {text_of(walls[axis][place - 1])}"] if place else []) + (
                [f"x{axis} < {text_of(walls[axis][place])}"] if place < len(walls[axis]) else [])
            alternatives.append(" and ".join(conditions) + f" -> {guarded(cell + (place,), axis + 1)}")
        return "[ " + "\n | ".join(alternatives) + " ]"
    equations = guarded((), 0) if r.random() < 0.5 else "\n , ".join(f"x{i}' = {nested((), 0, i)}" for i in range(count))
    text = "proc P() =\n|[ " + ", ".join(f"x{i}: real := {x[i]!r}" for i in range(count)) + f"\n | {equations}\n]|\n"
    tracks = {f"x{i}": Track() for i in range(count)}
    if any(abs(x[i] - w) < 0.01 for i in range(count) for w in walls[i]):
        raise Degenerate
    t, cell, on = 0.0, tuple(sum(w < x[i] for w in walls[i]) for i in range(count)), None  # `on`: slides along the wall above the cell
    while t < end:
        slope = flow[cell]
        if on is not None:
            above = tuple(p + (i == on) for i, p in enumerate(cell))
            down, up = flow[above], flow[cell]
            share = up[on] / (up[on] - down[on]) if up[on] > 0 > down[on] else None
            if share is None or not 0.02 < share < 0.98:
                raise Degenerate  # it leaves the wall: not asked here
            slope = [share * d + (1 - share) * u for d, u in zip(down, up)]
            slope[on] = 0.0
        for i in range(count):
            tracks[f"x{i}"].begin(t, line(t, x[i], slope[i]))
        hits = []
        for i in range(count):
            if abs(slope[i]) < 0.02 and i != on:
                raise Degenerate
            place = cell[i] if slope[i] > 0 else cell[i] - 1
            if i != on and 0 <= place < len(walls[i]):
                hits.append(((walls[i][place] - x[i]) / slope[i], i, place))
        hits.sort()
        if not hits or t + hits[0][0] > end + NEAR_TIE:
            break
        wait, i, place = hits[0]
        if wait < NEAR_TIE or len(hits) > 1 and hits[1][0] - wait < NEAR_TIE or t + wait > end - NEAR_TIE:
            raise Degenerate
        x = [p + s * wait for p, s in zip(x, slope)]
        x[i] = walls[i][place]
        t += wait
        if on is not None:
            raise Degenerate  # two walls at once: no unique motion
        beyond = tuple(p + ((1 if slope[i] > 0 else -1) if j == i else 0) for j, p in enumerate(cell))
        if flow[beyond][i] * slope[i] > 0:
            cell = beyond
        else:
            on = i
            cell = min(cell, beyond)
    if len(tracks["x0"].pieces) < 3:
        raise Degenerate
    return Case(text, end, tracks)


# --- waiting

def timeouts(r):
    """Rounds of selective waiting for a level, a message or a time-out; a switch opens and closes the guard of the level."""
    end = 8.0
    arrivals = moments(r, r.randint(1, 5), end)
    switches = moments(r, r.randint(0, 4), end)
    if any(abs(a - b) < NEAR_TIE for a in arrivals for b in switches):
        raise Degenerate
    rounds = [(signed(r, 0.0, 1), signed(r, 0.3, 2), signed(r, 0.2, 1.5), real(r, 0.2, 1.5)) for _ in range(4)]
    alternatives = [("level", 'open; nabla up*x >= up*level -> a := a + 1'), ("message", "true; c?z -> b := b + 1"),
                    ("time", "true; delta patience -> d := d + 1")]
    r.shuffle(alternatives)
    count = len(rounds)

    def array(k):
        return "<" + ", ".join(text_of(entry[k]) for entry in rounds) + ">"
    text = (f"const starts: real^{count} = {array(0)}, slopes: real^{count} = {array(1)}, levels: real^{count} = {array(2)}\n"
            f" , patiences: real^{count} = {array(3)}\n"
            "proc Waits(c: ?real, ref open: bool, ref x: real, ref a, b, d: nat) =\n"
            "|[ k: nat := 0, z, slope, up, level, patience: real := 0.0\n | x' = slope\n"
            f" | *[ x := starts.k; slope := slopes.k; up := sign(slope); level := levels.k; patience := patiences.k; k := (k + 1) mod {count}\n"
            "    ; [ " + "\n      | ".join(a for _, a in alternatives) + '\n      ]\n    ; !time, "\\n"\n    ]\n]|\n'
            "proc Sends(c: !real) =\n|[ | " + "; ".join(f"delta {w!r}; c!{k + 1}.0" for k, w in enumerate(waits(arrivals))) + " ]|\n"
            "proc Switch(ref open: bool) =\n|[ | " + ("; ".join(f"delta {w!r}; open := not open" for w in waits(switches)) or "skip") + " ]|\n")
    opened = r.random() < 0.7
    text += ("sys S() =\n|[ c: -real, x: real := 0.0, open: bool := " + ("true" if opened else "false") + ", a, b, d: nat := 0\n | "
             + " || ".join(r.sample(["Waits(c, open, x, a, b, d)", "Sends(c)", "Switch(open)"], 3)) + "\n]|\n")
    numbers = {"a": 0, "b": 0, "d": 0}
    tracks = {name: Track() for name in ("x", "open", "a", "b", "d", "Waits.z")} | {
        f"Waits.{name}": None for name in ("k", "slope", "up", "level", "patience")}
    for name in ("a", "b", "d", "Waits.z"):
        tracks[name].begin(0.0, constant(0))
    for k, s in enumerate([0.0] + switches):
        tracks["open"].begin(s, constant(float(opened == (k % 2 == 0))))
    # The sender goes on with its next wait when its message has been taken.
    t, k, sent, printed, pauses, ready = 0.0, 0, 0, [], waits(arrivals), arrivals[0]
    while True:
        x0, slope, level, patience = rounds[k]
        k = (k + 1) % count
        tracks["x"].begin(t, line(t, x0, slope))
        options = [(t + patience, "time")]
        if sent < len(arrivals):
            if 0 < abs(ready - t) < NEAR_TIE:
                raise Degenerate
            options.append((max(t, ready), "message"))
        reaches = t + max(0.0, (level - x0) / slope)
        if abs(x0 - level) < 0.01:
            raise Degenerate
        is_open = opened == (sum(s <= reaches for s in switches) % 2 == 0)
        if any(abs(s - reaches) < NEAR_TIE for s in switches):
            raise Degenerate
        when = reaches if is_open else min((s for s in switches if s > reaches), default=None)
        if when is not None and abs(slope) > 0.05:
            options.append((when, "level"))
        elif when is not None:
            raise Degenerate
        place = {name: p for p, (name, _) in enumerate(alternatives)}
        options.sort(key=lambda o: (o[0], place[o[1]]))
        at, kind = options[0]
        if any(0 < o[0] - at < NEAR_TIE for o in options[1:]) or abs(at - end) < NEAR_TIE:
            raise Degenerate
        if at > t and any(o[0] == at for o in options[1:]):
            raise Degenerate
        if at > end:
            break
        if len(printed) > 200 or at == t and printed and printed[-1] == t and len([p for p in printed if p == t]) > 8:
            raise Degenerate
        t = at
        printed.append(t)
        name = {"level": "a", "message": "b", "time": "d"}[kind]
        numbers[name] += 1
        tracks[name].begin(t, constant(numbers[name]))
        if kind == "message":
            sent += 1
            tracks["Waits.z"].begin(t, constant(sent))
            if sent < len(arrivals):
                ready = t + pauses[sent]
    return Case(text, end, tracks, printed)


def sampled(r):
    """Double integrators whose force is computed by a controller, which gets samples and sends forces through channels."""
    count, end = r.randint(1, 3), 5.0
    text = ("proc Plant(out: !(real#real), in: ?real, ref p, v: real) =\n|[ u: real := 0.0\n | p' = v, v' = u\n"
            " | *[ true; out!<p, v> -> skip | true; in?u -> skip ]\n]|\n"
            "proc Control(in: ?(real#real), out: !real, period, k, l: real) =\n|[ s: real#real, n: nat := 0\n"
            " | *[ delta period; in?s; out!(-k*s.0 - l*s.1); n := n + 1 ]\n]|\n")
    text = text.replace("in: ", "get: ").replace("in?", "get?")
    declarations, instances, tracks = [], [], {}
    for i in range(count):
        p, v, period, k, l = signed(r, 0.2, 2), signed(r, 0.0, 1), real(r, 0.1, 0.8, 3), real(r, 0.2, 1.0), real(r, 0.2, 1.0)
        declarations.append(f"p{i}: real := {p!r}, v{i}: real := {v!r}, s{i}: -(real#real), f{i}: -real")
        instances += [f"Plant(s{i}, f{i}, p{i}, v{i})", f"Control(s{i}, f{i}, {period!r}, {k!r}, {l!r})"]
        place, speed, t, u, n = Track(), Track(), 0.0, 0.0, 0
        counter, forces = Track(), Track()
        label = "" if count == 1 else f"[{i}]"
        first, second = Track(), Track()
        first.begin(0.0, constant(0.0))
        second.begin(0.0, constant(0.0))
        while t < end + 0.1:
            place.begin(t, parabola(t, p, v, u))
            speed.begin(t, line(t, v, u))
            counter.begin(t, constant(n))
            forces.begin(t, constant(u))
            p, v, t = p + v * period + 0.5 * u * period * period, v + u * period, t + period
            first.begin(t, constant(p))
            second.begin(t, constant(v))
            u, n = -k * p - l * v, n + 1
            if abs(t - end) < NEAR_TIE:
                raise Degenerate
        tracks |= {f"p{i}": place, f"v{i}": speed, f"Plant{label}.u": forces, f"Control{label}.n": counter,
                   f"Control{label}.s.0": first, f"Control{label}.s.1": second}
    if r.random() < 0.5:
        r.shuffle(declarations)
    text += "sys S() =\n|[ " + "\n , ".join(declarations) + "\n | " + "\n || ".join(instances) + "\n]|\n"
    return Case(text, end, tracks)


# --- what statements read and solve

def substitutes(r):
    """A state, a bent curve of it as a substitute, another of that: statements wait for it, read it, and read derivatives."""
    end = 6.0
    flow = Flow(r)
    if abs(flow.goal) < 0.1:
        raise Degenerate
    bend, low, high, offset, gain = signed(r, 0.0, 1), real(r, 0.5, 2), real(r, 0.5, 2), signed(r, 0.0, 1), real(r, 0.5, 2)

    def y_of(x):
        return low * (x - bend) if x < bend else high * (x - bend)

    def z_of(x):
        return gain * y_of(x) + x + offset

    def x_of(z):  # both are increasing
        a, b = -1e3, 1e3
        for _ in range(200):
            c = 0.5 * (a + b)
            a, b = (c, b) if z_of(c) < z else (a, c)
        return b
    start, level = signed(r, 0.0, 1), signed(r, 0.2, 3)
    resets = [signed(r, 0.0, 1) for _ in range(3)]
    relation = ">=" if flow.slope(start) > 0 else "<="
    curve = r.choice((f"[ x < {text_of(bend)} -> {low!r}*(x - {text_of(bend)}) | x >= {text_of(bend)} -> {high!r}*(x - {text_of(bend)}) ]",
                      f"if x < {text_of(bend)} then {low!r}*(x - {text_of(bend)}) else {high!r}*(x - {text_of(bend)})",
                      f"(x - {text_of(bend)})*(if not (x > {text_of(bend)}) then {low!r} else {high!r})"))
    equations = [f"x' = {flow.text('x')}", f"y <- {curve}", f"z <- {gain!r}*y + x + {text_of(offset)}", "e' <- 2*x'",
                 "w' = e' - x'"]
    r.shuffle(equations)
    text = (f"const again: real^3 = <{', '.join(map(text_of, resets))}>\n"
            f"proc P() =\n|[ x: real := {start!r}, w: real := 0.0, y, z, e: real, seen, slope: real := 0.0, k: nat := 0\n | "
            + "\n , ".join(equations) + f"\n | *[ nabla z {relation} {text_of(level)}; seen := y + z; slope := e'; x := again.(k mod 3)"
            '; k := k + 1; !time, "\\n" ]\n]|\n')
    tracks = {name: Track() for name in ("x", "w", "seen", "slope", "k")} | {"y": None, "z": None, "e": None}
    goal = x_of(level)
    t, x, k, printed, w0 = 0.0, start, 0, [], 0.0
    for name in ("seen", "slope", "k"):
        tracks[name].begin(0.0, constant(0.0))
    while True:
        motion = flow.function(t, x)
        tracks["x"].begin(t, motion)
        tracks["w"].begin(t, lambda s, motion=motion, x=x, w0=w0: w0 + motion(s) - x)
        if abs(x - goal) < 0.02 or abs(flow.slope(goal)) < 0.05 or abs(goal) > 100:
            raise Degenerate
        passed = x > goal if relation == ">=" else x < goal
        if passed:
            raise Degenerate  # at once, for ever
        wait = flow.reaches(x, goal)
        if wait is None or t + wait > end + NEAR_TIE:
            break
        if wait < NEAR_TIE or abs(t + wait - end) < NEAR_TIE or k > 40:
            raise Degenerate
        t += wait
        w0 += goal - x
        tracks["seen"].begin(t, constant(y_of(goal) + level))
        tracks["slope"].begin(t, constant(2 * flow.slope(goal)))
        x, k = resets[k % 3], k + 1
        tracks["k"].begin(t, constant(k))
        printed.append(t)
    if not printed:
        raise Degenerate
    return Case(text, end, tracks, printed)


def instants(r):
    """Instantaneous equations, linear and not, among them what the ordinary equations say of an algebraic variable."""
    count, end = r.randint(2, 4), 5.0
    flows = [Flow(r) for _ in range(count)]
    x = [signed(r, 0.0, 1.5) for _ in range(count)]
    p = [signed(r, 0.3, 2) for _ in range(count)]
    names = [f"x{i}" for i in range(count)]
    total = " + ".join(f"{text_of(a)}*{n}" for a, n in zip(p, names))
    equations = ["|q|"] + [f"{n}' = {f.text(n)}" for n, f in zip(names, flows)] + [f"q = {total}"]
    r.shuffle(equations)
    times = moments(r, r.randint(1, 4), end)
    tracks = {n: Track() for n in names} | {"q": Track(), "seen": Track()}
    tracks["seen"].begin(0.0, constant(0.0))
    actions, t = [], 0.0
    for wait in waits(times) + [None]:
        motions = [f.function(t, v) for f, v in zip(flows, x)]
        for n, motion in zip(names, motions):
            tracks[n].begin(t, motion)
        tracks["q"].begin(t, lambda s, motions=motions: sum(a * m(s) for a, m in zip(p, motions)))
        if wait is None:
            break
        t += wait
        x = [m(t) for m in motions]
        actions.append(f"delta {wait!r}")
        shape = r.randrange(4)
        if shape == 0:  # through the algebraic variable
            i = r.randrange(count)
            new = signed(r, 0.0, 1.5)
            x[i] = new
            goal = sum(a * v for a, v in zip(p, x))
            actions.append(f"{{ |x{i}|, q = {text_of(goal)} }}")
        elif shape == 1 and any(f.rate for f in flows):  # the steady state of one
            i = r.choice([i for i, f in enumerate(flows) if f.rate])
            x[i] = flows[i].goal
            actions.append(f"{{ |x{i}|, x{i}' = 0 }}")
        else:
            chosen = sorted(r.sample(range(count), r.randint(1, count)))
            new = {i: signed(r, 0.0, 1.5) for i in chosen}
            for i, value in new.items():
                x[i] = value
            rows = []
            for i in chosen:
                a = [signed(r, 0.1, 0.5) if r.random() < 0.6 else 0.0 for _ in range(count)]
                a[i] = r.choice((-1, 1)) * (1.2 + sum(map(abs, a)))
                bent = real(r, 0.1, 0.8) * r.choice((0, 1)) if shape == 3 else 0.0
                sign = math.copysign(1.0, a[i])
                left = " + ".join(f"{text_of(c)}*{n}" for c, n in zip(a, names) if c) + (f" + {text_of(sign * bent)}*sin(x{i})" if bent else "")
                right = sum(c * v for c, v in zip(a, x)) + sign * bent * math.sin(x[i])
                rows.append(f"{left} = {text_of(right)}")
            r.shuffle(rows)
            actions.append("{ |" + ", ".join(f"x{i}" for i in chosen) + "|, " + ", ".join(rows) + " }")
        actions.append("seen := q")
        tracks["seen"].begin(t, constant(sum(a * v for a, v in zip(p, x))))
    text = (f"proc P() =\n|[ " + ", ".join(f"{n}: real := {tracks[n].pieces[0][1](0.0)!r}" for n in names) + ", q, seen: real\n | "
            + "\n , ".join(equations) + "\n | " + "\n ; ".join(actions) + "\n]|\n")
    case = Case(text, end, tracks)
    case.tolerance = 1e-4  # known values with their errors are put into equations
    return case


def containers(r):
    """An array of decays, one of which is watched and set again; a record and a tuple that gather them."""
    n, end = r.randint(2, 5), 5.0
    rates, goals = [real(r, 0.3, 1.5) for _ in range(n)], [signed(r, 0.5, 2) for _ in range(n)]
    starts, levels = [signed(r, 0.0, 1) for _ in range(n)], []
    for i in range(n):
        levels.append(round(starts[i] + real(r, 0.3, 0.8) * (goals[i] - starts[i]), 4))
        if abs(goals[i] - starts[i]) < 0.3:
            raise Degenerate

    def array(values):
        return "<" + ", ".join(map(text_of, values)) + ">"
    shape = r.randrange(3)
    if shape == 0:
        motion = f"i: nat <- 0..{n - 1}: x.i' = rate.i*(goal.i - x.i)"
    elif shape == 1:
        motion = ", ".join(f"x.{i}' = rate.{i}*(goal.{i} - x.{i})" for i in r.sample(range(n), n))
    else:
        motion = "x' = <" + ", ".join(f"rate.{i}*(goal.{i} - x.{i})" for i in range(n)) + ">"
    text = (f"const rate: real^{n} = {array(rates)}, goal: real^{n} = {array(goals)}, level: real^{n} = {array(levels)}\n"
            f" , start: real^{n} = {array(starts)}\n"
            f"func total(x: real^{n}) -> real = |[ s: real := 0.0, i: nat := 0 | *[ i < {n} -> s := s + x.i; i := i + 1 ]; ret s ]|\n"
            f"proc P() =\n|[ x: real^{n} := start, r: {{ sum: real, area: real }} := {{ sum = 0.0, area = 0.0 }}\n"
            " , t: real#real := <0.0, 0.0>, k: nat := 0, m: nat := 0\n"
            f" | {motion}\n , |r.sum|, r.sum = {r.choice(('total(x)', 'sum(x)'))}, r.area' = r.sum, t' = <x.0, 2*x.{n - 1}>\n"
            f" | *[ nabla (goal.k - x.k)*(goal.k - level.k) <= (goal.k - level.k)^2; x.k := start.k; k := (k + 1) mod {n}; m := m + 1"
            '; !time, "\\n" ]\n]|\n')
    names = [f"x[{i}]" for i in range(n)]
    tracks = {name: Track() for name in names + ["r.sum", "r.area", "t.0", "t.1", "k", "m"]}
    t, x, k, m, printed = 0.0, starts[:], 0, 0, []
    areas = [0.0] * n

    def area(i, t0, x0, so_far):
        return lambda s: so_far + goals[i] * (s - t0) + (x0 - goals[i]) * (1 - math.exp(-rates[i] * (s - t0))) / rates[i]
    while True:
        motions = [decay(t, x[i], goals[i], rates[i]) for i in range(n)]
        parts = [area(i, t, x[i], areas[i]) for i in range(n)]
        for name, f in zip(names, motions):
            tracks[name].begin(t, f)
        tracks["r.sum"].begin(t, lambda s, motions=motions: sum(f(s) for f in motions))
        tracks["r.area"].begin(t, lambda s, parts=parts: sum(f(s) for f in parts))
        tracks["t.0"].begin(t, parts[0])
        tracks["t.1"].begin(t, lambda s, parts=parts: 2 * parts[-1](s))
        tracks["k"].begin(t, constant(k))
        tracks["m"].begin(t, constant(m))
        wait = math.log((goals[k] - x[k]) / (goals[k] - levels[k])) / rates[k]
        if abs(wait) < NEAR_TIE or abs(t + wait - end) < NEAR_TIE or m > 60:
            raise Degenerate
        wait = max(wait, 0.0)
        if t + wait > end:
            break
        t += wait
        x, areas = [f(t) for f in motions], [f(t) for f in parts]
        x[k] = starts[k]
        k, m = (k + 1) % n, m + 1
        printed.append(t)
    return Case(text, end, tracks, printed)


def delays(r):
    """x' = a + b x(t - tau) by the method of steps: polynomials; a second variable is the past of the first."""
    tau, a, b, before = real(r, 0.3, 1.5), signed(r, 0.1, 2), signed(r, 0.2, 1.5), signed(r, 0.0, 1)
    late, start, end = real(r, 0.1, 2.5), signed(r, 0.0, 1), 4.0
    if abs(late - tau) < 0.01:
        raise Degenerate
    pieces, t, x = [], 0.0, start  # begin, coefficients in t - begin
    past = [before]
    while t < end:
        rate = [b * c for c in past]
        rate[0] += a
        own = [x] + [c / (k + 1) for k, c in enumerate(rate)]
        pieces.append((t, own))
        x = sum(c * tau ** k for k, c in enumerate(own))
        past, t = own, t + tau

    def value(s):
        begin, own = [p for p in pieces if p[0] <= s][-1]
        return sum(c * (s - begin) ** k for k, c in enumerate(own))
    tracks = {"x": Track(), "y": Track(), "z": Track()}
    tracks["x"].begin(0.0, value)
    tracks["y"].begin(0.0, constant(before))
    tracks["y"].begin(late, lambda s: value(max(0.0, s - late)))
    tracks["z"].begin(0.0, lambda s: before * s)
    tracks["z"].begin(late, lambda s: before * late + integral(max(0.0, s - late)))

    def integral(s):
        total = 0.0
        for begin, own in pieces:
            if begin >= s:
                break
            width = min(tau, s - begin)
            total += sum(c * width ** (k + 1) / (k + 1) for k, c in enumerate(own))
        return total
    text = (f"proc P() =\n|[ x: real := {start!r}, y: real, z: real := 0.0\n | |y|, x' = {text_of(a)} + {text_of(b)}*delay(x, {tau!r}, {text_of(before)})\n"
            f" , y = delay(x, {late!r}, {text_of(before)}), z' = y\n]|\n")
    return Case(text, end, tracks)


def priorities(r):
    """Tasks that are due at the same times change one value, which also decays: in order of priority, then of the text."""
    count, end = r.randint(2, 5), 4.0
    rate, x = real(r, 0.0, 1.0), signed(r, 0.5, 2)
    tasks = [(r.choice((0.25, 0.5, 0.5, 1.0, 0.75)), real(r, -0.9, 0.9), signed(r, 0.1, 1), r.choice((None, 0, 1, 2, 3))) for _ in range(count)]
    text = ("proc Task(period, a, b: real, ref x: real, ref n: nat) =\n|[ | *[ delta period; x := a*x + b; n := n + 1 ] ]|\n"
            f"proc Decay(ref x: real) = |[ x' = -{rate!r}*x ]|\n")
    instances = [f"Task({p!r}, {a!r}, {b!r}, x, n)" + ("" if k is None else f"@{k}") for p, a, b, k in tasks]
    text += f"sys S() =\n|[ x: real := {x!r}, n: nat := 0\n | Decay(x) || " + " || ".join(instances) + "\n]|\n"
    tracks = {"x": Track(), "n": Track()}
    n, t = 0, 0.0
    for step in range(int(end / 0.25) + 1):
        t = 0.25 * step
        if step:
            x *= math.exp(-rate * 0.25)
            due = sorted((k or 0, place) for place, (p, _, _, k) in enumerate(tasks) if math.fmod(t, p) == 0.0)
            for _, place in due:
                x, n = tasks[place][1] * x + tasks[place][2], n + 1
        tracks["x"].begin(t, decay(t, x, 0.0, rate))
        tracks["n"].begin(t, constant(n))
    return Case(text, end + 0.1, tracks)


def rectifiers(r):
    """An ideal diode, inductors and a resistor in series, some with a second diode through which the current runs on: in the state
    that blocks the current is no state. The voltage is switched at given times."""
    end = 5.0
    inductances, R, free = [real(r, 0.2, 2) for _ in range(r.randint(1, 3))], real(r, 0.2, 2), r.random() < 0.5
    L = sum(inductances)
    times = moments(r, r.randint(1, 6), end)
    volts = [signed(r, 0.3, 3) for _ in range(len(times) + 1)]
    shape = r.randrange(3)

    def diode(u, i, s):
        return (f"{u} = if {s} < 0 then {s} else 0, {i} = if {s} < 0 then 0 else {s}",
                f"[ {s} < 0 -> {u} = {s}, {i} = 0 | {s} >= 0 -> {u} = 0, {i} = {s} ]",
                f"{u} = min({s}, 0.0), {i} = max({s}, 0.0)")[shape]
    drops = " + ".join(f"{l!r}*i'" for l in inductances)
    parts = [f"w{k} = {l!r}*i'" for k, l in enumerate(inductances)]
    if r.random() < 0.5:
        drops = " + ".join(f"w{k}" for k in range(len(inductances)))
        more = [f"w{k}" for k in range(len(inductances))]
    else:
        parts, more = [], []
    if free:  # the load is between the node after the diode and ground; the second diode bridges it
        unknown = ["ud", "id", "s", "v", "jd", "q"] + more
        equations = [f"e = ud + v", f"v = {drops} + {R!r}*i", "i = id + jd", "uf = -v", diode("ud", "id", "s"), diode("uf", "jd", "q")] + parts
        unknown.append("uf")
    else:
        unknown = ["ud", "s"] + more
        equations = [f"e = ud + {drops} + {R!r}*i", diode("ud", "i", "s")] + parts
    r.shuffle(equations)
    actions = "; ".join(f"delta {w!r}; e := {text_of(u)}" for w, u in zip(waits(times), volts[1:]))
    text = (f"proc P() =\n|[ i: real := 0.0, e: real := {volts[0]!r}, {', '.join(unknown)}: real\n | |{', '.join(unknown)}|\n , "
            + "\n , ".join(equations) + f"\n | {actions}\n]|\n")
    tracks = {"i": Track(), "e": Track()} | {name: None for name in unknown}
    i = 0.0
    for begin, finish, u in zip([0.0] + times, times + [end + 1], volts):
        tracks["e"].begin(begin, constant(u))
        drive = max(u, 0.0) if free else u
        stops = None
        if not free and drive < 0 and i > 0:
            stops = begin + math.log((i - drive / R) / (-drive / R)) * L / R
            if abs(stops - finish) < NEAR_TIE or abs(stops - end) < NEAR_TIE:
                raise Degenerate
        tracks["i"].begin(begin, decay(begin, i, drive / R, R / L) if drive > 0 or i > 0 else constant(0.0))
        if i > 0 or drive > 0:
            i = decay(begin, i, drive / R, R / L)(finish)
        if stops is not None and stops < finish:
            tracks["i"].begin(stops, constant(0.0))
            i = 0.0
    return Case(text, end, tracks)


def curved(r):
    """y is driven towards the curve sin x, on which it slides while it is fast enough to keep up; then it lags behind."""
    end, a, x0 = 6.0, real(r, 0.5, 2), real(r, 0, 6)
    up, down = real(r, 0.3, 2.5), real(r, 0.3, 2.5)
    if r.random() < 0.2:  # just fast enough
        up, down = r.choice(((a, down), (up, a), (a, a)))
    y0 = math.sin(x0) + signed(r, 0.2, 1.5)
    style = r.randrange(3)
    law = (f"y' = if y > sin(x) then -{down!r} else {up!r}", f"[ y >= sin(x) -> y' = -{down!r} | y < sin(x) -> y' = {up!r} ]",
           f"y' = if 2*(sin(x) - y) < 0 then -{down!r} else {up!r}")[style]
    text = f"proc P() =\n|[ x: real := {x0!r}, y: real := {y0!r}\n | x' = {a!r}, {law}\n]|\n"
    tracks = {"x": Track(), "y": Track()}
    tracks["x"].begin(0.0, line(0.0, x0, a))

    def curve(t):
        return math.sin(x0 + a * t)

    def rise(t):
        return a * math.cos(x0 + a * t)

    def first(condition, t, step=1e-3):
        """When the condition, a number, gets positive after t."""
        while t < end + 0.1:
            if condition(t + step) > 0:
                low, high = t, t + step
                for _ in range(60):
                    middle = 0.5 * (low + high)
                    low, high = (low, middle) if condition(middle) > 0 else (middle, high)
                return high
            t += step
        return None
    t, y, side = 0.0, y0, 1 if y0 > curve(0.0) else -1
    for _ in range(50):
        if side:
            slope = -down if side > 0 else up
            tracks["y"].begin(t, line(t, y, slope))
            leaves = t + (5e-2 if abs(y - curve(t)) < 1e-9 else 0.0)  # it has just left the curve
            if side * (y + slope * (leaves - t) - curve(leaves)) <= 0:
                raise Degenerate
            hit = first(lambda s, t=t, y=y, slope=slope: -side * (y + slope * (s - t) - curve(s)), leaves)
            if hit is None or hit > end:
                break
            if abs(slope - rise(hit)) < 0.1 or abs(up - rise(hit)) < 0.05 or abs(down + rise(hit)) < 0.05:
                raise Degenerate
            t, y = hit, curve(hit)
            side = 0 if -down < rise(hit) < up else -side
        else:
            tracks["y"].begin(t, curve)
            exits = first(lambda s: max(rise(s) - up, -down - rise(s)), t)
            if exits is None or exits > end:
                break
            if abs(abs(rise(exits)) - a) < 0.1:
                raise Degenerate  # the curve hardly gets too steep
            t, y, side = exits, curve(exits), (-1 if rise(exits) > 0 else 1)
    if any(abs(t - end) < 0.02 for t, _ in tracks["y"].pieces[1:]):
        raise Degenerate
    case = Case(text, end, tracks)
    case.tolerance = 5e-5
    return case


def conditions(r):
    """Statements wait for conditions over states, their derivatives and time, one after the other; all are known functions."""
    count, end = r.randint(1, 4), 3.0
    source = random_dae.Model(r.randrange(10 ** 9), 1, count, 0)  # for its trajectories
    names = source.names
    truth = {name: source.truth[name] for name in names}
    known = {(n, 0): truth[n] for n in names} | {(n, 1): derivative(truth[n]) for n in names}
    equations = []
    for name in names:
        left = variable(name, 1) + variable(name) * real(r, 0.5, 2.0)
        for other in r.sample(names, r.randint(0, min(2, count))):
            left = left + sin(variable(other)) * signed(r, 0.1, 0.5)
        equations.append(f"{left.text()} = {substitute(left, known).text()}")
    body, printed, t = [], [], 0.0
    for _ in range(r.randint(2, 6)):
        one, two = variable(r.choice(names), r.randint(0, 1)), variable(r.choice(names), r.randint(0, 1))
        e = r.choice((one, one * two, one + two * signed(r, 0.3, 1), sin(one) + TIME * 0.2, one - TIME * signed(r, 0.1, 0.5), one * one))
        at = substitute(e, known)
        now = value(at, t, {})
        level = round(now + signed(r, 0.05, 0.5), 3)
        up = level > now
        sign = 1 if up else -1
        grid = [t + 0.002 * k for k in range(1, int((end - t) / 0.002))]
        hit = next((s for s in grid if sign * (value(at, s, {}) - level) >= 0), None)
        before = [s for s in grid if hit is None or s < hit - 0.02]
        if abs(level - now) < 0.02 or before and max(sign * (value(at, s, {}) - level) for s in before) > -1e-3:
            raise Degenerate
        if hit is None:
            continue
        low, high = hit - 0.002, hit
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if sign * (value(at, middle, {}) - level) >= 0 else (middle, high)
        if abs(value(derivative(at), high, {})) < 0.1:
            raise Degenerate
        t = high
        printed.append(t)
        relation = r.choice((">=", ">")) if up else r.choice(("<=", "<"))
        shape = r.randrange(3)
        text_e = e.text()
        body.append(f"nabla {text_e} {relation} {text_of(level)}" if shape == 0 else
                    f"nabla not ({text_e} {'<' if up else '>'} {text_of(level)})" if shape == 1 else
                    f"nabla {text_of(level)} - ({text_e}) {'<=' if up else '>='} 0")
        body.append('n := n + 1; !time, "\\n"')
    if not printed:
        raise Degenerate
    tracks = {n: Track() for n in names} | {"n": Track()}
    for n in names:
        tracks[n].begin(0.0, lambda s, n=n: value(truth[n], s, {}))
    for k, s in enumerate([0.0] + printed):
        tracks["n"].begin(s, constant(k))
    text = ("proc P() =\n|[ " + ", ".join(f"{n}: real := {value(truth[n], 0.0, {})!r}" for n in names) + ", n: nat := 0\n | "
            + "\n , ".join(equations) + "\n | " + "\n ; ".join(body) + "\n]|\n")
    case = Case(text, end, tracks, printed)
    case.tolerance = 1e-4
    return case


# --- models made of models

def reformulated(r):
    """A DAE of index up to 4 and another one of index 0 or 1 that has the same solution take turns, at times or at events."""
    model = random_dae.Model(r.randrange(10 ** 9), 1, r.randint(2, 8), r.randint(1, 4))
    end = random_dae.END
    truth = {}
    for name in model.order:  # what the mixed variables are as functions of time
        truth[(name, 0)] = model.truth[name]
        if name in model.mixture:
            truth[(name, 0)] = truth[(name, 0)] - substitute(model.mixture[name], truth)
    names = [name for name in model.names]
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


KINDS = {"clutches": clutches, "collisions": collisions, "borders": borders, "timeouts": timeouts, "sampled": sampled,
         "substitutes": substitutes, "instants": instants, "containers": containers, "delays": delays, "cells": cells,
         "priorities": priorities,
         "rectifiers": rectifiers, "curved": curved, "conditions": conditions, "reformulated": reformulated, "beside": beside}

if __name__ == "__main__":
    sys.exit(main(KINDS, __doc__))
