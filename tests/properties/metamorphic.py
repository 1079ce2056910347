#!/usr/bin/env python3
"""The same model, told otherwise, must give the same result: `metamorphic.py CHI [--models N] [--seed S] [--relation NAME]`.

Random DAEs (random_dae.py) and hybrid models (random_hybrid.py) with a known solution, each run as it is and changed:
  compiled     with the compiler of formulas and without it: the same bits
  tolerances   a tighter tolerance gives no larger error, beyond what rounding leaves
  clock        time is a state that starts elsewhere
  unrelated    beside a part that has nothing to do with it: the same events, the same values
  merged       two models in one process, in one system of equations
  stretched    in another unit of time: by a power of two the same bits, else within ten tolerances
  magnified    in other units of values, with the absolute tolerance: the same steps, else within ten tolerances
  regularised  an ideal diode is the limit of steep ones: errors fall with epsilon
That a model may be reordered, renamed, written in other units, split into processes, and solved by other integrators and in
other forms is asked by random_dae.py of every model.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import sys

import chi_process
import random_dae
import random_hybrid

OTHER = ("proc Other() =\n|[ o: real := 1.0, w: real := 0.0, n: nat\n | o' = w, w' = -400*o\n"
         " | *[ nabla o > 0; n := n + 1; nabla o < 0 ]\n]|\n")


def dae_case(seed):
    """Text, end time, and the solution as a function of time: values by name."""
    model = random_dae.make(seed, level=1, largest=60)
    return random_dae.write(model, 0)[0], random_dae.END, model.solution


def run(chi, text, end, *more, environment=None):
    arguments = ["run", "{}", "--end", repr(end), "--points", "21", "--out", "{csv}", *more]
    return chi_process.call(chi, arguments, 30.0, text, environment=environment)


def error(answer, solution, rename=lambda name: name):
    """The worst error over all rows, relative to 1 + |value|."""
    worst = 0.0
    for row in answer.rows:
        truth = solution(row[0])
        for name, got in zip(answer.columns[1:], row[1:]):
            if rename(name) in truth:
                x = truth[rename(name)]
                worst = max(worst, abs(got - x) / (1 + abs(x)))
    return worst


def refused(*answers):
    for answer in answers:
        if answer.kind() != "ok":
            return f"{answer.kind()}: {answer.errors.strip()[:400]}"
    return ""


def compiled(chi, seed):
    """Formulas are compiled when they have turned out to be worth it; here at once, and never."""
    if seed % 2:
        text, end, _ = dae_case(seed)
    else:
        _, case = random_hybrid.make(seed)
        text, end = case.text, case.end
    solver = random_dae.SOLVERS[seed // 2 % len(random_dae.SOLVERS)]
    first = run(chi, text, end, "--solver", solver, environment={"CHI_COMPILE": "at-once"})
    second = run(chi, text, end, "--solver", solver)
    problem = refused(first, second)
    if not problem and (first.columns != second.columns or first.rows != second.rows or first.output != second.output):
        problem = "compiled and interpreted results differ"
    return text, problem


def tolerances(chi, seed):
    text, end, solution = dae_case(seed)
    loose, tight = run(chi, text, end, "--rtol", "1e-4", "--atol", "1e-7"), run(chi, text, end, "--rtol", "1e-9", "--atol", "1e-12")
    problem = refused(loose, tight)
    if not problem:
        at_loose, at_tight = error(loose, solution), error(tight, solution)
        if at_loose > 3e-2 or at_tight > 1e-6 or at_tight > max(2 * at_loose, 1e-8):
            problem = f"error {at_loose:.1e} at 1e-4, {at_tight:.1e} at 1e-9"
    return text, problem


def clock(chi, seed):
    text, end, solution = dae_case(seed)
    start = random.Random(seed).choice((3.0, -7.5, 100.0))
    shifted = re.sub(r"\btime\b", f"(clock_ - ({start!r}))", text)
    shifted = shifted.replace("|[ ", f"|[ clock_: real := {start!r}\n , ", 1).replace("\n | ", "\n | clock_' = 1.0\n , ", 1)
    answer = run(chi, shifted, end)
    problem = refused(answer)
    if not problem and error(answer, solution) > 2e-4:
        problem = f"error {error(answer, solution):.1e}"
    return shifted, problem


def unrelated(chi, seed):
    """A hybrid model beside an oscillator with events of its own."""
    kind, case = random_hybrid.make(seed)
    top = re.findall(r"^(?:proc|sys) (\w+)", case.text, re.MULTILINE)[-1]
    text = case.text + OTHER + f"sys Both() =\n|[ {top}() || Other() ]|\n"
    answer = run(chi, text, case.end, "--vars", f"{top}.*")
    problem = refused(answer)
    if not problem:
        answer.columns = [name.removeprefix(f"{top}.") for name in answer.columns]
        problem, _ = random_hybrid.compare(case, answer, 2e-5)
    return text, problem


def merged(chi, seed):
    """Two DAEs in one process: one section of equations, one list of unknowns."""
    first, end, solution = dae_case(seed)
    second, _, _ = dae_case(seed + 1)
    second = re.sub(r"\bv(\d+)\b", r"u\1", second)

    def parts(text):
        return re.fullmatch(r"proc P =\n\|\[ (.*?)\n \| (.*)\n\]\|\n", text, re.DOTALL).groups()
    (declarations, equations), (more_declarations, more_equations) = parts(first), parts(second)
    text = f"proc P =\n|[ {declarations}\n , {more_declarations}\n | {equations}\n , {more_equations}\n]|\n"
    answer = run(chi, text, end)
    problem = refused(answer)
    if not problem and error(answer, solution) > 1e-4:
        problem = f"error {error(answer, solution):.1e}"
    return text, problem


def stretch(text, c):
    """The same in a unit of time that is c times as short."""
    text = re.sub(r"\btime\b", f"(time/{c!r})", text)
    text = re.sub(r"\b(?<![.\"])([A-Za-z]\w*(?:\.\w+)?)'", rf"({c!r}*\1')", text)
    return re.sub(r"\bdelta ([^;|\]\n]+)", rf"delta {c!r}*(\1)", text)


def magnify(text, s):
    """A DAE whose variables have units that are 1/s times as large."""
    declared, equations = re.fullmatch(r"(proc P =\n\|\[ .*?)(\n \| .*)", text, re.DOTALL).groups()
    declared = re.sub(r":= ([^\n,]+)", rf":= (\1)/{s!r}", declared)
    kept = re.split(r"(\|v\d+'?(?:, v\d+'?)*\|)", equations)  # unknown declarations stay as they are
    for k in range(0, len(kept), 2):
        kept[k] = re.sub(r"\b(v\d+'?)(?!\w)", rf"({s!r}*\1)", kept[k])
    return declared + "".join(kept)


def differences(first, second, of_time, of_values, allowed):
    """How two results differ where the second has other units; nothing allowed: all bits count."""
    if allowed == 0:
        rows = [[row[0] / of_time, *(x * of_values for x in row[1:])] for row in second.rows]
        if first.rows == rows:
            return ""
        wrong = next((pair for pair in zip(first.rows, rows) if pair[0] != pair[1]), ("rows", len(first.rows), len(rows)))
        return f"other bits: {wrong}"
    last = [second.rows[-1][0] / of_time, *(x * of_values for x in second.rows[-1][1:])]
    off = max(abs(a - b) / (1 + abs(a)) for a, b in zip(first.rows[-1], last))
    return "" if off <= allowed else f"off by {off:.1e}"


def stretched(chi, seed):
    rng = random.Random(f"stretched {seed}")
    exactly = seed % 3 > 0
    c = 2.0 ** rng.randint(-40, 40) if exactly else 10.0 ** rng.randint(-12, 9)
    if seed % 2:
        text, end, _ = dae_case(seed)
    else:
        _, case = random_hybrid.make(seed)
        text, end = case.text, case.end
    solver = random_dae.SOLVERS[seed // 2 % len(random_dae.SOLVERS)]
    # Rows of equations with derivatives are another number of times as large as the others: IDA factors them all, in another order.
    allowed = 1e-5 if not exactly else 1e-8 if solver == "ida" else 0
    more = ["--solver", solver]
    first, second = run(chi, text, end, *more), run(chi, stretch(text, c), end * c, *more)
    problem = refused(first, second) or differences(first, second, c, 1.0, allowed)
    return stretch(text, c), f"{solver}, {c!r}: {problem}" if problem else ""


def magnified(chi, seed):
    rng = random.Random(f"magnified {seed}")
    exactly = seed % 3 > 0
    s = 2.0 ** rng.randint(-30, 30) if exactly else 10.0 ** rng.randint(-9, 9)
    text, end, _ = dae_case(seed)
    solver = random_dae.SOLVERS[seed // 2 % len(random_dae.SOLVERS)]
    more = ["--solver", solver]
    first, second = run(chi, text, end, *more), run(chi, magnify(text, s), end, *more, "--atol", repr(1e-9 / s))
    problem = refused(first, second) or differences(first, second, 1.0, s, 1e-9 if exactly else 1e-5)
    return magnify(text, s), f"{solver}, {s!r}: {problem}" if problem else ""


def regularised(chi, seed):
    """Every diode `v = min(s, 0), i = max(s, 0)` conducts a little backwards, and resists a little forwards."""
    _, case = random_hybrid.make(seed, "diodes")

    def steep(epsilon):
        text = case.text
        across = r"([^\n,\[]*?)"
        text = re.sub(across + r" = if (s\d+) < 0 then \2 else 0, (i\d+) = if \2 < 0 then 0 else \2",
                      rf"\1 = if \2 < 0 then \2 else {epsilon!r}*\2, \3 = if \2 < 0 then {epsilon!r}*\2 else \2", text)
        text = re.sub(r"\[ (s\d+) < 0 -> " + across + r" = \1, (i\d+) = 0 \| \1 >= 0 -> \2 = 0, \3 = \1 \]",
                      rf"[ \1 < 0 -> \2 = \1, \3 = {epsilon!r}*\1 | \1 >= 0 -> \2 = {epsilon!r}*\1, \3 = \1 ]", text)
        return re.sub(r"min\((s\d+), 0.0\), (i\d+) = max\(\1, 0.0\)",
                      rf"min(\1, 0.0) + {epsilon!r}*max(\1, 0.0), \2 = max(\1, 0.0) + {epsilon!r}*min(\1, 0.0)", text)

    def solution(t):
        return {name: track.values(t)[0] for name, track in case.tracks.items() if track}
    errors = []
    for epsilon in (1e-3, 1e-5):
        answer = run(chi, steep(epsilon), case.end)
        if refused(answer):
            return steep(epsilon), refused(answer)
        errors.append(error(answer, solution))
    problem = "" if errors[1] <= max(0.05 * errors[0], 1e-4) else f"errors {errors[0]:.1e} and {errors[1]:.1e}"
    return steep(1e-5), problem


RELATIONS = {"compiled": compiled, "tolerances": tolerances, "clock": clock, "unrelated": unrelated, "merged": merged,
             "stretched": stretched, "magnified": magnified, "regularised": regularised}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chi")
    parser.add_argument("--models", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--relation", choices=RELATIONS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="a folder for the models that fail")
    options = parser.parse_args()
    chi = os.path.abspath(options.chi)
    names = [options.relation] if options.relation else list(RELATIONS)
    jobs = [(names[s % len(names)], s) for s in range(options.seed, options.seed + options.models)]
    failed, counts = 0, {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (name, seed), (text, problem) in zip(jobs, pool.map(lambda job: RELATIONS[job[0]](chi, job[1]), jobs)):
            counts[name] = counts.get(name, 0) + 1
            if not problem:
                continue
            failed += 1
            print(f"seed {seed} ({name}): " + problem.replace("\n", "\n    "))
            sys.stdout.flush()
            if options.keep:
                folder = pathlib.Path(options.keep)
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"{name}_{seed}.chi").write_text(text, "utf-8")
    print(f"{options.models} pairs, {failed} failed; " + ", ".join(f"{name} {n}" for name, n in counts.items()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
