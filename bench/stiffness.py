#!/usr/bin/env python3
"""How well `auto` chooses: `stiffness.py CHI [--repeat N] [NAME...]`.

Stiff, non-stiff and mixed problems of the literature and of practice, each with every method alone and with `auto`. Prints the
processor time of each run in milliseconds, and what `auto` takes beside the best single one. A method that takes too long is stopped.
"""
import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile

METHODS = ("erk", "irk", "bdf", "cvode", "ida")
LIMIT = 5  # seconds of processor time for a single run
GOAL = 1.5
START = 5.0  # milliseconds: a difference that the start of the process may make


def proc(declared, equations, statements=""):
    body = "\n , ".join(f"{name}: real := {value!r}" for name, value in declared.items())
    return f"proc P() =\n|[ {body}\n | " + "\n , ".join(equations) + (f"\n | {statements}" if statements else "") + "\n]|\n"


def heat(n):
    c = float(n * n)
    return (f"proc P() =\n|[ T: real^{n}\n | T.0' = {c!r}*(1.0 - 2*T.0 + T.1)\n"
            f" , T.{n - 1}' = {c!r}*(T.{n - 2} - 2*T.{n - 1} + 0.5*sin(time))\n"
            f" , (i: nat <- 1..{n - 2}: T.i' = {c!r}*(T.(i-1) - 2*T.i + T.(i+1)))\n]|\n")


def lags(n):
    return (f"proc P() =\n|[ x: real^{n}\n | x.0' = {float(n)!r}*(1.0 - x.0)\n"
            f" , (i: nat <- 1..{n - 1}: x.i' = {float(n)!r}*(x.(i-1) - x.i))\n]|\n")


def vdp(mu):
    return proc({"x": 2.0, "v": 0.0}, ["x' = v", f"v' = {mu!r}*(1 - x*x)*v - x"])


def decay(rate):
    return proc({"y": 0.0}, [f"y' = -{rate!r}*(y - cos(time))"])


def plateaus(rate, period):
    return proc({"y": 0.0, "u": 1.0}, [f"y' = {rate!r}*(u - y)"], f"*[ true -> delta {period!r}; u := 1.0 - u ]")


def rectifier(c, r):
    return proc({"v": 0.0, "i": 0.0}, ["|i|", "i = 1e-12*(exp((10*sin(314.159265*time) - v - 1.0*i)/0.026) - 1)", f"v' = (i - v/{r!r})/{c!r}"])


HIRES = ["y0' = -1.71*y0 + 0.43*y1 + 8.32*y2 + 0.0007", "y1' = 1.71*y0 - 8.75*y1", "y2' = -10.03*y2 + 0.43*y3 + 0.035*y4",
         "y3' = 8.32*y1 + 1.71*y2 - 1.12*y3", "y4' = -1.745*y4 + 0.43*y5 + 0.43*y6",
         "y5' = -280*y5*y7 + 0.69*y3 + 1.71*y4 - 0.43*y5 + 0.69*y6", "y6' = 280*y5*y7 - 1.81*y6", "y7' = -280*y5*y7 + 1.81*y6"]
DAMPING = "k' = if time < 10 then 0.0 else (if time < 10.001 then 2e7 else (if time < 20 or time >= 20.001 then 0.0 else -2e7))"

PROBLEMS = {  # text, end time
    "kepler": (proc({"x": 0.4, "y": 0.0, "u": 0.0, "w": 2.0},
                    ["x' = u", "y' = w", "u' = -x/(x*x + y*y)^1.5", "w' = -y/(x*x + y*y)^1.5"]), 100),
    "lotka_volterra": (proc({"x": 1.0, "y": 1.0}, ["x' = 1.5*x - x*y", "y' = x*y - 3*y"]), 200),
    "lorenz": (proc({"x": 1.0, "y": 1.0, "z": 1.0}, ["x' = 10*(y - x)", "y' = x*(28 - z) - y", "z' = x*y - 8*z/3"]), 30),
    "rigid_body": (proc({"x": 0.0, "y": 1.0, "z": 1.0}, ["x' = y*z", "y' = -x*z", "z' = -0.51*x*y"]), 200),
    "oscillator": (proc({"x": 1.0, "v": 0.0}, ["x' = v", "v' = -x"]), 5000),
    "brusselator": (proc({"x": 1.5, "y": 3.0}, ["x' = 1 + x*x*y - 4*x", "y' = 3*x - x*x*y"]), 500),
    "vdp_1": (vdp(1.0), 200),
    "vdp_10": (vdp(10.0), 200),
    "vdp_30": (vdp(30.0), 200),
    "vdp_100": (vdp(100.0), 500),
    "vdp_1000": (vdp(1000.0), 5000),
    "lienard": (proc({"x": 2.0, "v": -0.66}, ["x' = v", "v' = ((1 - x*x)*v - x)/1e-6"]), 11),
    "robertson": (proc({"a": 1.0, "b": 0.0, "c": 0.0}, ["a' = -0.04*a + 1e4*b*c", "b' = 0.04*a - 1e4*b*c - 3e7*b*b", "c' = 3e7*b*b"]), 1e5),
    "oregonator": (proc({"x": 1.0, "y": 2.0, "z": 3.0},
                        ["x' = 77.27*(y + x*(1 - 8.375e-6*x - y))", "y' = (z - (1 + x)*y)/77.27", "z' = 0.161*(x - z)"]), 360),
    "hires": (proc({"y0": 1.0, **{f"y{k}": 0.0 for k in range(1, 7)}, "y7": 0.0057}, HIRES), 322),
    "prothero_1e3": (decay(1e3), 200),
    "prothero_1e6": (decay(1e6), 20),
    "curtiss": (decay(50.0), 2000),
    "flame": (proc({"y": 0.0001}, ["y' = y*y - y*y*y"]), 20000),
    "fitzhugh": (proc({"v": -1.0, "w": 1.0}, ["v' = (v - v*v*v/3 - w + 0.5)/0.001", "w' = v + 0.7 - 0.8*w"]), 20),
    "heat_50": (heat(50), 1),
    "heat_200": (heat(200), 1),
    "lags_100": (lags(100), 2),
    "lags_1000": (lags(1000), 1),
    "plateaus_fast": (plateaus(1e3, 0.1), 50),
    "plateaus_slow": (plateaus(1e5, 1.0), 100),
    "plateaus_tiny": (plateaus(1e4, 1e-3), 2),
    "rectifier": (rectifier(1e-3, 100.0), 2),
    "rectifier_stiff": (rectifier(1e-6, 1e4), 1),
    "two_scales": (proc({"x": 1.0, "y": 1.0}, ["x' = -1e4*(x - y)", "y' = -0.1*y + 0.1*sin(time)"]), 100),
    "stiff_later": (proc({"x": 1.0, "v": 0.0, "k": 0.0},
                         ["x' = v", "v' = -100*x - k*v", "k' = if time < 10 then 0.0 else 20.0"]), 200),
    "stiff_between": (proc({"x": 1.0, "v": 0.0, "k": 0.0}, ["x' = v", "v' = -100*x + 10*sin(9*time) - k*v", DAMPING]), 300),
    "thermostat": (proc({"T": 15.0, "q": 2.0}, ["T' = -0.1*(T - 10) + q"],
                        "*[ true -> nabla T >= 21.0; q := 0.0; nabla T <= 19.0; q := 2.0 ]"), 5000),
    "ball": (proc({"x": 1.0, "v": 0.0}, ["x' = v", "v' = -9.81"], "*[ true -> nabla x <= 0 and v < 0; v := -v ]"), 1000),
}


def run(chi, path, end, solver):
    """Milliseconds of processor time, and steps; None if it took too long or failed."""
    command = [chi, "run", path, "--end", repr(end), "--solver", solver, "--quiet", "--stats", "--json", "--points", "2"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 5)))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        return None
    taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return 1e3 * taken, int(re.search(r'"steps"\s*:\s*(\d+)', done.stdout).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chi")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    chi = os.path.abspath(options.chi)
    bad = 0
    print(f"{'problem':16}" + "".join(f"{m:>10}" for m in METHODS) + f"{'auto':>10}{'ratio':>8}       steps of auto")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.names or PROBLEMS:
            text, end = PROBLEMS[name]
            path = os.path.join(folder, name + ".chi")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

            def best_of(solver):
                return min((s for s in (run(chi, path, end, solver) for _ in range(options.repeat)) if s), default=None)
            single = [best_of(m) for m in METHODS]
            best = min((s[0] for s in single if s), default=float("inf"))
            auto = best_of("auto")
            ratio = auto[0] / best if auto else float("inf")
            is_bad = auto is None or (ratio > GOAL and auto[0] - best > START)
            bad += is_bad
            cells = "".join(f"{s[0]:10.2f}" if s else f"{'-':>10}" for s in (*single, auto))
            print(f"{name:16}{cells}{ratio:8.2f}{'  <--' if is_bad else '     '}  {auto[1] if auto else ''}", flush=True)
    print(f"{len(options.names or PROBLEMS)} problems, {bad} above {GOAL}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
