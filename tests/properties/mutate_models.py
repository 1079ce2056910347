#!/usr/bin/env python3
"""Mutated models must be answered: `mutate_models.py CHI [--each N] [--seed S] [--keep FOLDER]`.

Takes the models of the repository, changes numbers, names, operators and pieces, and calls `chi run`, `check` and `fmt`.
The exit code must be a promised one, within bounded memory; never a signal or an internal error. A mutated model may well
ask for 1e300 events, so what takes long is interrupted, and has to stop then.
Whatever was found once is kept in the corpus folder and replayed first.
"""
import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import random
import sys

import chi_process
import tokens as lexer

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"
FOLDERS = ("tests/models", "examples", "tests/papers", "tests/golden/run")
NUMBERS = ("0", "0.0", "1", "2.0", "1e300", "1e-300", "1e9", "1e-9", "inf", "(-1)", "(-1.0)", "0.5", "9223372036854775807")
SWAPS = (("+", "-", "*", "/", "^"), ("<", ">", "<=", ">=", "=", "/="), ("and", "or"), ("true", "false"), ("delta", "nabla"),
         ("sin", "cos", "exp", "ln", "sqrt", "abs", "sign", "asin", "tan", "floor"), ("min", "max", "atan2"), (";", "|", ","),
         ("real", "nat", "int", "bool"), ("div", "mod"), (":=", "="), ("!", "?"))
MEMORY = 3 << 30


def mutate(r, tokens):
    """A copy with one change."""
    tokens = list(tokens)
    numbers = [i for i, (k, _) in enumerate(tokens) if k == "number"]
    names = [i for i, (k, t) in enumerate(tokens) if k == "name" and t not in lexer.KEYWORDS]
    kind = r.random()
    if kind < 0.35 and numbers:
        tokens[r.choice(numbers)] = ("number", r.choice(NUMBERS))
    elif kind < 0.5 and names:
        tokens[r.choice(names)] = tokens[r.choice(names)]
    elif kind < 0.58 and names:
        tokens[r.choice(names)] = r.choice((("number", r.choice(NUMBERS)), ("name", "time")))
    elif kind < 0.75:
        able = [(i, g) for i, (_, t) in enumerate(tokens) for g in SWAPS if t in g]
        if able:
            place, group = r.choice(able)
            tokens[place] = ("sign", r.choice(group))
    elif kind < 0.82:
        place = r.randrange(len(tokens))
        del tokens[place:place + r.randint(1, 4)]
    elif kind < 0.9:
        place, length = r.randrange(len(tokens)), r.randint(1, 12)
        other = r.randrange(len(tokens))
        tokens[other:other] = tokens[place:place + length]
    else:
        commas = [i for i, (_, t) in enumerate(tokens) if t in (",", ";", "|")]
        if len(commas) > 2:
            place = r.randrange(len(commas) - 1)
            a, b = commas[place], commas[place + 1]
            target = r.choice(commas)
            piece = tokens[a:b]
            if r.random() < 0.5:
                tokens[target:target] = piece  # twice
            else:
                del tokens[a:b]
    return tokens


def mutated(name, tokens):
    """The model and the call that a name stands for: other models in the repository change nothing about it."""
    r = random.Random(name)
    for _ in range(r.choice((1, 1, 2, 3))):
        tokens = mutate(r, tokens) or tokens
    command = r.choice(("run",) * 8 + ("check", "fmt"))
    arguments = [command, "{}"]
    if command == "run":
        arguments += ["--end", "1", "--points", "11", "--out", "{csv}"]
        if r.random() < 0.4:
            arguments += ["--solver", r.choice(("ida", "cvode", "erk", "irk"))]
    return lexer.join(tokens), arguments


def verdict(chi, text, arguments, timeout):
    answer = chi_process.call(chi, arguments, timeout, text, MEMORY)
    kind = answer.kind()
    if kind == "refused" and not (answer.errors.strip() or answer.output.strip()):
        kind = "silent"
    return ("" if kind in ("ok", "refused", "slow") else kind), answer


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chi")
    parser.add_argument("--each", type=int, default=1, help="mutations of each model")
    parser.add_argument("--share", type=float, default=1.0, help="of them, the same at every time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=3.0, help="seconds of processor time for one call, until it is interrupted")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="a folder for the models that fail")
    parser.add_argument("--largest", type=int, default=20000, help="models with more characters are left out")
    options = parser.parse_args()
    chi = os.path.abspath(options.chi)
    paths = sorted(p for folder in FOLDERS for p in (ROOT / folder).rglob("*.chi"))
    sources = [(p, lexer.split(t)) for p in paths if len(t := p.read_text("utf-8", "replace")) <= options.largest]
    sources = [(p, t) for p, t in sources if t]
    failed, codes = 0, {}

    def replay(path):
        first, _, text = path.read_text("utf-8").partition("\n")
        return path.name, text, first.removeprefix("// chi ").split(), *verdict(
            chi, text, first.removeprefix("// chi ").split(), options.timeout)

    def attempt(job):
        name, tokens = job
        text, arguments = mutated(name, tokens)
        return name, text, arguments, *verdict(chi, text, arguments, options.timeout)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        work = [(replay, p) for p in sorted(CORPUS.glob("*.chi"))]
        jobs = [(f"{number} {path.relative_to(ROOT)}", tokens)
                for number in range(options.seed, options.seed + options.each) for path, tokens in sources]
        work += [(attempt, job) for job in jobs if random.Random(f"share {job[0]}").random() < options.share]
        for name, text, arguments, problem, answer in pool.map(lambda job: job[0](job[1]), work):
            codes[answer.code] = codes.get(answer.code, 0) + 1
            if not problem:
                continue
            failed += 1
            print(f"{name}: {problem}: chi {' '.join(arguments)}\n    {answer.errors.strip()[-300:]}")
            sys.stdout.flush()
            if options.keep:
                folder = pathlib.Path(options.keep)
                folder.mkdir(parents=True, exist_ok=True)
                file = f"{problem.replace(' ', '_')}_{hashlib.sha1(text.encode()).hexdigest()[:8]}.chi"
                (folder / file).write_text(f"// chi {' '.join(arguments)}\n{text}", "utf-8")
    print(f"{len(work)} calls, {failed} failed; exit codes " + ", ".join(f"{c}: {n}" for c, n in sorted(codes.items(), key=str)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
