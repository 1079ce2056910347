"""What statements wait for, read, solve and change. Kinds of random_mixed.py."""
import math

import random_dae
from expression import TIME, derivative, sin, substitute, value, variable
from moments import NEAR_TIE, moments, waits
from random_hybrid import Case, Degenerate, Flow, Track, constant, decay, line, parabola, real, signed, text_of


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
    case = Case(text, end, tracks, printed)
    case.tolerance = 2e-5 * max(1.0, 0.2 / abs(flow.slope(goal)))  # the time is known as well as the level is passed fast
    return case


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
