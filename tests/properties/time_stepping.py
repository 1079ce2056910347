#!/usr/bin/env python3
"""Time stepping converges to the event-driven solution: `time_stepping.py CHI [--only NAME]`.

Each model is run event-driven with small tolerances, and by `--solver timestep` with steps h, h/4 and h/16. The mean error of the
variables over the run shrinks like h; like h^2 with theta = 1/2 where the motion is smooth. So the event-driven runs are checked by a
method that shares neither event location nor index reduction nor integrators with them.
"""
import argparse
import csv
import math
import pathlib
import subprocess
import sys
import tempfile

# name: (variables, end, h, theta, model)
MODELS = {
    "decay": ("x", 2, 0.05, 1, "proc P() = |[ x: real := 1.0 | x' = -x ]|"),
    "decay_trapezoidal": ("x", 2, 0.05, 0.5, "proc P() = |[ x: real := 1.0 | x' = -x ]|"),
    "van_der_pol": ("x y", 6, 0.02, 0.5, "proc P() = |[ x: real := 2.0, y: real | x' = y, y' = (1 - x^2)*y - x ]|"),
    "pendulum": ("x y", 1.5, 0.02, 1, """proc P() =
|[ x: real := 1.0, y, u, v, F: real | |F, y, v|, x' = u, y' = v, u' = -F*x, v' = -F*y - 9.81, x^2 + y^2 = 1 ]|"""),
    # P3 §9.11: half-wave rectifier with line inductance and ideal diode.
    "half_wave_rectifier": ("u2 i0", 0.06, 2e-4, 1, """proc P() =
|[ i0, u2, u0, u1, iR, iC, uL, ud0, s0: real
 | |u0, u1, iR, iC, uL, ud0, s0|
 , u0 = 10*sin(2*pi*50*time), u1 = 1*i0, u2 = 50*iR, iC = 1e-3*u2', uL = 1e-2*i0', u0 = uL + u1 + ud0 + u2, i0 = iC + iR
 , ud0 = (if s0 >= 0 then 0 else s0), i0 = (if s0 >= 0 then s0 else 0)
]|"""),
    "bridge": ("u iL", 0.05, 2e-4, 1, """proc P() =
|[ u, iL, e, v1, v2, ud1, ud2, ud3, ud4, i1, i2, i3, i4, s1, s2, s3, s4: real
 | |e, v1, v2, ud1, ud2, ud3, ud4, i1, i2, i3, i4, s1, s2, s3, s4|
 , e = 10*sin(2*pi*50*time), 1e-3*iL' = e - 0.5*iL - (v1 - v2)
 , iL = i1 - i3, i1 + i2 = 1e-3*u' + u/20, i1 - i3 + i2 - i4 = 0
 , ud1 = v1 - u, ud2 = v2 - u, ud3 = -v1, ud4 = -v2
 , ud1 = (if s1 >= 0 then 0 else s1), i1 = (if s1 >= 0 then s1 else 0), ud2 = (if s2 >= 0 then 0 else s2), i2 = (if s2 >= 0 then s2 else 0)
 , ud3 = (if s3 >= 0 then 0 else s3), i3 = (if s3 >= 0 then s3 else 0), ud4 = (if s4 >= 0 then 0 else s4), i4 = (if s4 >= 0 then s4 else 0)
]|"""),
    "buck": ("u i", 2e-3, 1e-6, 1, """proc P() =
|[ u, i, vx, s: real, on: bool := true
 | |vx, s|, 1e-3*i' = vx - u, 1e-4*u' = i - u/5
 , [ on -> vx = 24, s = 0 | not on -> i = (if s >= 0 then s else 0), vx = (if s >= 0 then 0 else -s) ]
 | *[ delta 4e-5; on := false; delta 6e-5; on := true ]
]|"""),
    "stick_slip": ("x v", 6, 0.01, 1, """proc P() =
|[ x: real, v: real, F: real, s: real
 | |F, s|, x' = v, v' = F - 4*x
 , v - 1 = if s > 1 then s - 1 else if s < -1 then s + 1 else 0
 , F = -0.6*(if s > 1 then 1 else if s < -1 then -1 else s)
]|"""),
    "clutch": ("w1 w2", 3, 0.01, 1, """proc P() =
|[ w1: real := 3.0, w2: real, T, s: real
 | |T, s|, w1' = 0.5 - T, 2*w2' = T - 0.2*w2
 , w1 - w2 = if s > 1 then s - 1 else if s < -1 then s + 1 else 0
 , T = 1.5*(if s > 1 then 1 else if s < -1 then -1 else s)
]|"""),
    "relay_that_slides": ("x y", 3, 0.01, 1, "proc P() = |[ x: real := 0.5, y: real | x' = 0.4*cos(time) - sign(x), y' = 0.3 - sign(x) - y ]|"),
    "coupled_relays": ("x y", 3, 0.01, 1,
                       "proc P() = |[ x: real := 0.5, y: real := -0.8 | x' = 0.3 - sign(x) + 0.4*sign(y), y' = -0.2 - sign(y) - 0.3*sign(x) ]|"),
    "drop": ("y v", 1.2, 0.004, 1, """proc P() =
|[ y: real := 1.0, v, F, s: real | |F, s|, y' = v, v' = F - 9.81, y = if s >= 0 then s else 0, F = if s >= 0 then 0 else -s ]|"""),
    "column": ("y1 y2 y3", 1.2, 0.004, 1, """proc P() =
|[ y1: real := 0.3, y2: real := 0.6, y3: real := 1.2, v1, v2, v3, F1, F2, F3, s1, s2, s3: real
 | |F1, F2, F3, s1, s2, s3|, y1' = v1, y2' = v2, y3' = v3, v1' = F1 - F2 - 9.81, v2' = F2 - F3 - 9.81, v3' = F3 - 9.81
 , y1 = (if s1 >= 0 then s1 else 0), F1 = (if s1 >= 0 then 0 else -s1)
 , y2 - y1 = (if s2 >= 0 then s2 else 0), F2 = (if s2 >= 0 then 0 else -s2)
 , y3 - y2 = (if s3 >= 0 then s3 else 0), F3 = (if s3 >= 0 then 0 else -s3)
]|"""),
    "limiter": ("x v", 6, 0.02, 1, "proc P() = |[ x: real := 3.0, v: real | x' = v, v' = -max(-1, min(1, x)) - 0.1*v ]|"),
    "thermostat": ("T", 4, 0.005, 1, """proc P() =
|[ T: real := 18.0, on: bool := true | T' = (if on then 12.0 else 0.0) - 0.3*(T - 5) | *[ nabla T >= 21; on := false; nabla T <= 19; on := true ] ]|"""),
    "friction_on_a_slope": ("x v", 3, 0.01, 1, """proc P() =
|[ x, v: real, F, s: real
 | |F, s|, x' = v, v' = 1.2*sin(2*time) - F
 , v = if s > 1 then s - 1 else if s < -1 then s + 1 else 0
 , F = 0.5*(if s > 1 then 1 else if s < -1 then -1 else s)
]|"""),
    "tanks": ("a b", 3, 0.01, 1, "proc P() = |[ a: real := 2.0, b: real | a' = -(if a > b then a - b else 0), b' = (if a > b then a - b else 0) - (if b > 0.5 then 2*(b - 0.5) else 0) ]|"),
}


def run(chi, file, out, end, options):
    call = [chi, "run", file, "--end", str(end), "--points", "200", "--out", out, "--no-progress", *options]
    done = subprocess.run(call, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, call))}\n{done.stderr}")
    with open(out) as rows:
        return {float(row["time"]): row for row in csv.DictReader(rows)}


def value(row, name):
    return next(float(x) for key, x in row.items() if key == name or key.endswith("." + name))


def mean_error(found, exact, names, end):
    """At the points that both runs have; those at events only one has."""
    grid = [t for t in exact if t in found]
    if len(grid) < 150:
        raise RuntimeError(f"only {len(grid)} points in common")
    return sum(abs(value(found[t], n) - value(exact[t], n)) for t in grid for n in names) / len(grid)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chi")
    parser.add_argument("--only")
    args = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, (variables, end, h, theta, text) in MODELS.items():
            if args.only not in (None, name):
                continue
            file = folder / f"{name}.chi"
            file.write_text(text + "\n")
            try:
                exact = run(args.chi, file, folder / "exact.csv", end, ["--rtol", "1e-9", "--atol", "1e-11"])
                errors = []
                for step in (h, h / 4, h / 16):
                    options = ["--solver", "timestep", "--step-size", repr(step), "--theta", str(theta)]
                    errors.append(mean_error(run(args.chi, file, folder / "steps.csv", end, options), exact, variables.split(), end))
            except RuntimeError as why:
                print(f"{name}: {why}")
                failed += 1
                continue
            order = math.log(errors[0] / errors[2], 16) if errors[2] > 0 else math.inf
            least = 0.75 if theta == 1 else 1.6
            good = order > least or errors[2] < 1e-9
            failed += not good
            print(f"{name}: errors {', '.join(f'{e:.2e}' for e in errors)}, order {order:.2f}{'' if good else f', not {least}'}")
    print(f"{len(MODELS)} models, {failed} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
