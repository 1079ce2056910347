"""Bodies that can only push each other, and ropes that can only pull: plastic impacts. A kind of random_mixed.py."""
import itertools
import math

from moments import NEAR_TIE
from random_hybrid import Case, Degenerate, Track, line, parabola, solve

TOUCHES = 1e-8


def complementary(matrix, right):
    """z >= 0 with w = matrix z + right >= 0 and z w = 0, by trying all sets."""
    size = range(len(right))
    for count in range(len(right) + 1):
        for chosen in itertools.combinations(size, count):
            z = [0.0] * len(right)
            if chosen:
                part = solve([[matrix[i][j] for j in chosen] for i in chosen], [-right[i] for i in chosen])
                if part is None:
                    continue
                for i, value in zip(chosen, part):
                    z[i] = value
            w = [sum(matrix[i][j] * z[j] for j in size) + right[i] for i in size]
            if all(a > -1e-9 for a in z + w):
                return z
    raise Degenerate


class Bodies:
    """On a line; `ties` are (slopes of the gap, its constant): the gap is never negative."""

    def __init__(self, mass, ties):
        self.mass, self.ties = mass, ties
        self.mobility = [[sum(a * b / m for a, b, m in zip(one, other, mass)) for other, _ in ties] for one, _ in ties]

    def rates(self, v):
        return [sum(a * b for a, b in zip(slopes, v)) for slopes, _ in self.ties]

    def gaps(self, x):
        return [rate + tie[1] for rate, tie in zip(self.rates(x), self.ties)]

    def pushed(self, u, among):
        """Velocities or accelerations, after the impulses or forces that keep these gaps from closing."""
        rates = self.rates(u)
        if all(rates[k] > -1e-9 for k in among):
            return list(u)
        force = complementary([[self.mobility[k][n] for n in among] for k in among], [rates[k] for k in among])
        return [a + sum(self.ties[k][0][i] * f for k, f in zip(among, force)) / self.mass[i] for i, a in enumerate(u)]


def first_hit(gap, rate, change):
    """When gap + rate t + change t^2/2 comes to zero from above; a gap that is closed may open first."""
    if abs(gap) < TOUCHES:
        roots = [-2 * rate / change] if abs(rate) > TOUCHES and abs(change) > 1e-12 else []
    elif abs(change) < 1e-12:
        roots = [-gap / rate] if rate else []
    else:
        inside = rate * rate - 2 * gap * change
        if abs(inside) < 1e-3:
            raise Degenerate  # touches, or nearly so
        roots = [(-rate + s * math.sqrt(inside)) / change for s in (-1, 1)] if inside > 0 else []
    return min((t for t in roots if t > 1e-9), default=math.inf)


def law(r, gap, force, s):
    """The corner, as one may write it; it belongs to both branches."""
    return r.choice((
        f"{gap} = if {s} > 0 then 0 else -{s}, {force} = if {s} > 0 then {s} else 0",
        f"{gap} = if {s} >= 0 then 0 else -{s}, {force} = if {s} >= 0 then {s} else 0",
        f"{gap} = if {s} > 0 then {s} else 0, {force} = if {s} > 0 then 0 else -{s}",
        f"{gap} = if 0 <= {s} then 0 else -2*{s}, {force} = if 0 <= {s} then {s} else 0",
        f"{gap} = max(-{s}, 0), {force} = max({s}, 0)",
        f"[ {s} > 0 -> {gap} = 0, {force} = {s} | {s} <= 0 -> {gap} = -{s}, {force} = 0 ]"))


def contacts(r):
    """Whole numbers, so that bodies meet at the same instant, touch at the start and bear no load; some are kicked."""
    count, end = r.choice((1, 2, 2, 3, 3, 4)), 2.93
    has_wall = count == 1 or r.random() < 0.6
    mass = [r.choice((1, 1, 2, 3)) for _ in range(count)]
    x, v = [0.0], [float(r.choice((0, 0, 1, -1, 2, -2, 3))) for _ in range(count)]
    x[0] = float(r.choice((0, 0, 1, 2)))
    for _ in range(count - 1):
        x.append(x[-1] + 1 + r.choice((0, 0, 1, 2)))
    force = [-10.0 * m for m in mass] if r.random() < 0.3 else [float(r.choice((0, 0, 0, -1, -2, 1))) for _ in range(count)]
    unit = [[float(i == j) for j in range(count)] for i in range(count)]
    ties, texts = [], []
    if has_wall:
        ties.append((unit[0], 0.0))
        texts.append("x0")
    for i in range(count - 1):
        apart = [b - a for a, b in zip(unit[i], unit[i + 1])]
        ties.append((apart, -1.0))
        texts.append(f"x{i + 1} - x{i} - 1")
        if r.random() < 0.3:
            rope = max(r.choice((2, 3)), x[i + 1] - x[i])
            ties.append(([-a for a in apart], rope))
            texts.append(f"{rope} - x{i + 1} + x{i}")
    if not ties:
        raise Degenerate
    bodies = Bodies(mass, ties)
    if any(abs(gap) < TOUCHES and rate < 0 for gap, rate in zip(bodies.gaps(x), bodies.rates(v))):
        v = [0.0] * count
    kicks = [(t, [(i, float(r.choice((3, -3, 1, -1, 2, 4)))) for i in sorted(r.sample(range(count), r.randint(1, min(2, count))))],
              float(r.choice((0, 0, 1, -1)))) for t in (1.0625, 1.8125)[:r.randint(0, 2)]]

    equations = ["|" + ", ".join(f"F{k}, s{k}" for k in range(len(ties))) + "|"]
    for i in range(count):
        pushes = "".join(f" + F{k}" if tie[0][i] > 0 else f" - F{k}" for k, tie in enumerate(ties) if tie[0][i])
        equations += [f"x{i}' = v{i}", f"{mass[i]}*v{i}' = {force[i]!r} + f{pushes}"]
    equations += [law(r, gap, f"F{k}", f"s{k}") for k, gap in enumerate(texts)]
    declarations = [f"x{i}: real := {x[i]!r}, v{i}: real := {v[i]!r}" for i in range(count)]
    declarations += [f"F{k}, s{k}: real" for k in range(len(ties))] + ["f: real := 0.0"]
    actions, before = [], 0.0
    for t, kicked, extra in kicks:
        actions += [f"delta {t - before!r}"] + [f"v{i} := {speed!r}" for i, speed in kicked] + [f"f := {extra!r}"]
        before = t
    text = "proc Bodies() =\n|[ " + ", ".join(declarations) + "\n | " + "\n , ".join(equations)
    text += ("\n | " + "; ".join(actions) if actions else "") + "\n]|\n"

    tracks = {name: Track() for i in range(count) for name in (f"x{i}", f"v{i}")}
    tracks |= {name: None for k in range(len(ties)) for name in (f"F{k}", f"s{k}")} | {"f": None}
    t, extra, events = 0.0, 0.0, 0
    while t < end:
        gaps, rates = bodies.gaps(x), bodies.rates(v)
        closed = [k for k in range(len(ties)) if abs(gaps[k]) < TOUCHES and abs(rates[k]) < TOUCHES]
        a = bodies.pushed([(f + extra) / m for f, m in zip(force, mass)], closed)
        for i in range(count):
            tracks[f"x{i}"].begin(t, parabola(t, x[i], v[i], a[i]))
            tracks[f"v{i}"].begin(t, line(t, v[i], a[i]))
        changes = bodies.rates(a)
        hits = {k: t + first_hit(gaps[k], rates[k], changes[k]) for k in range(len(ties)) if k not in closed}
        hit = min(hits.values(), default=math.inf)
        together = [k for k in hits if hit < math.inf and hits[k] < hit + NEAR_TIE]
        if len(together) > 1 and any(changes[k] for k in together):
            raise Degenerate  # integration puts one before the other
        kick = kicks[0][0] if kicks else math.inf
        events += 1
        if abs(hit - kick) < NEAR_TIE or abs(hit - end) < NEAR_TIE or hit - t < NEAR_TIE or events > 60:
            raise Degenerate
        h = min(hit, kick, end) - t
        x = [p + q * h + b * h * h / 2 for p, q, b in zip(x, v, a)]
        v = [q + b * h for q, b in zip(v, a)]
        t += h
        if t == kick:
            for i, speed in kicks[0][1]:
                v[i] = speed
            extra = kicks.pop(0)[2]
        gaps = bodies.gaps(x)
        v = bodies.pushed(v, [k for k in range(len(ties)) if abs(gaps[k]) < TOUCHES])
    return Case(text, end, tracks)
