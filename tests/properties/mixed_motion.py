"""Motion whose structure changes: bodies that are coupled or collide, sliding, diodes. Kinds of random_mixed.py."""
import itertools
import math

from moments import NEAR_TIE, moments, waits
from random_hybrid import Case, Degenerate, Track, constant, decay, line, parabola, real, signed, solve, text_of


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
            less = r.choice((f"x{axis} < {wall}", f"x{axis} <= {wall}", f"not (x{axis} > {wall})", f"2*{wall} > 2*x{axis}",
                             f"exp(x{axis} - {wall}) < 1", f"z{axis} > 1 - 2*{wall}", f"sinh(x{axis} - {wall}) <= 0"))
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
    declarations = [f"x{i}: real := {x[i]!r}" for i in range(count)]
    for i in range(count):  # walls may be told by other variables, and by other functions
        if f"z{i} " in equations:
            equations += f"\n , |z{i}|, z{i} = 1 - 2*x{i}"
            declarations.append(f"z{i}: real")
    text = "proc P() =\n|[ " + ", ".join(declarations) + f"\n | {equations}\n]|\n"
    tracks = {f"x{i}": Track() for i in range(count)} | {f"z{i}": None for i in range(count) if f"z{i} " in equations}
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


def curved(r):
    """y is driven towards the curve sin x, on which it slides while it is fast enough to keep up; then it lags behind. q is switched
    on the same curve, written otherwise."""
    end, a, x0 = 6.0, real(r, 0.5, 2), real(r, 0, 6)
    up, down = real(r, 0.3, 2.5), real(r, 0.3, 2.5)
    if r.random() < 0.2:  # just fast enough
        up, down = r.choice(((a, down), (up, a), (a, a)))
    y0 = math.sin(x0) + signed(r, 0.2, 1.5)
    style = r.randrange(3)
    law = (f"y' = if y > sin(x) then -{down!r} else {up!r}", f"[ y >= sin(x) -> y' = -{down!r} | y < sin(x) -> y' = {up!r} ]",
           f"y' = if 2*(sin(x) - y) < 0 then -{down!r} else {up!r}")[style]
    above, below = signed(r, 0.2, 2), signed(r, 0.2, 2)  # slopes of q
    otherwise = r.choice(("y > sin(x)", "exp(y - sin(x)) > 1", "z > 0", "sinh(2*(y - sin(x))) > 0"))
    text = (f"proc P() =\n|[ x: real := {x0!r}, y: real := {y0!r}, q: real := 0.0, z: real\n | x' = {a!r}, {law}\n"
            f" , q' = if {otherwise} then {text_of(above)} else {text_of(below)}\n , |z|, z = 3*y - 3*sin(x)\n]|\n")
    tracks = {"x": Track(), "y": Track(), "q": Track(), "z": None}
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
    q = 0.0
    for _ in range(50):
        q = tracks["q"].pieces[-1][1](t) if t > 0 else q
        if side:
            slope = -down if side > 0 else up
            tracks["y"].begin(t, line(t, y, slope))
            tracks["q"].begin(t, line(t, q, above if side > 0 else below))
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
            share = (above - below) / (up + down)
            tracks["q"].begin(t, lambda s, t=t, q=q, share=share: q + below * (s - t)
                              + share * (up * (s - t) - (curve(s) - curve(t))))
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
