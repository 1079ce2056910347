#!/usr/bin/env python3
"""Shrinks a model while a failure stays: `reduce.py MODEL CONDITION -- COMMAND...`, with `{}` for the model in the command.

CONDITION is one of
  kind=hang | kind=internal | kind=signal     what must never be (a signal of any number)
  code=3                                      this exit code
  says=TEXT                                   standard error or output holds the text; may follow code= after a comma
  test=SHELL COMMAND                          exit code 0 means that the failure is still there; `{}` is the model
It removes definitions, items of lists, operands and tokens, largest first, closes brackets around less, puts numbers in
the place of variables together with one equation less, and makes numbers plain, until nothing can be removed.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import chi_process
import tokens as lexer

_SEPARATORS = {",", ";", "|", "||", "+", "-", "*", "/", "^", "and", "or", "->", "=", "<", ">", "<=", ">="}
_STARTS = {"proc", "sys", "syst", "clus", "xper", "func", "const", "type"}


def groups(tokens):
    """Pairs (opening place, closing place) of matching brackets."""
    open_, result = [], []
    for place, (_, text) in enumerate(tokens):
        if text in lexer.OPENING:
            open_.append(place)
        elif text in lexer.CLOSING and open_:
            result.append((open_.pop(), place))
    return result


def items(tokens, first, last, separators):
    """Ranges between separators at the level of [first, last)."""
    depth, start, result = 0, first, []
    for place in range(first, last):
        text = tokens[place][1]
        if text in lexer.OPENING:
            depth += 1
        elif text in lexer.CLOSING:
            depth -= 1
        elif depth == 0 and text in separators:
            result.append((start, place))
            start = place + 1
    result.append((start, last))
    return result


def deletions(tokens):
    """Ranges worth deleting, the longest first."""
    ranges = set()
    starts = [p for p, (_, t) in enumerate(tokens) if t in _STARTS] + [len(tokens)]
    ranges.update(zip(starts, starts[1:]))
    for opening, closing in groups(tokens) + [(-1, len(tokens))]:
        for separators in ({","}, {";"}, {"|"}, {"||"}, _SEPARATORS):
            parts = items(tokens, opening + 1, closing, separators)
            width = len(parts)
            while width >= 1 and len(parts) > 1:
                for place in range(0, len(parts) - width + 1, max(1, width // 2)):
                    first, last = parts[place][0], parts[place + width - 1][1]
                    ranges.add((first, min(last + 1, closing)))
                    ranges.add((max(first - 1, opening + 1), last))
                width //= 2
        ranges.add((opening + 1, closing))
    for size in (1, 2, 3):
        ranges.update((p, p + size) for p in range(len(tokens) - size + 1))
    return sorted((r for r in ranges if 0 <= r[0] < r[1]), key=lambda r: (r[0] - r[1], r[0]))


def unwrapped(tokens):
    """A bracket, or a call, replaced by what stands in it, or by a number."""
    for opening, closing in sorted(groups(tokens), key=lambda g: g[0] - g[1]):
        if tokens[opening][1] == "(":
            head = opening - 1 if opening and tokens[opening - 1][0] == "name" else opening
            yield tokens[:head] + tokens[opening + 1:closing] + tokens[closing + 1:]
            yield tokens[:head] + [("number", "1.0")] + tokens[closing + 1:]


def without_variable(tokens):
    """A variable made a number, with one equation that held it less."""
    names = sorted({t for k, t in tokens if k == "name" and t not in lexer.KEYWORDS})
    for opening, closing in groups(tokens):
        if tokens[opening][1] != "|[":
            continue
        parts = items(tokens, opening + 1, closing, {",", "|"})
        for name in names:
            holding = [p for p in parts if ("name", name) in tokens[p[0]:p[1]]]
            short = [p for p in holding if p[1] - p[0] == 1 or ("sign", ":") in tokens[p[0]:p[1]]]
            for victim in [p for p in holding if p not in short]:
                result, skip = [], False
                for place, token in enumerate(tokens):
                    if any(a <= place < b for a, b in short + [victim]):
                        skip = True
                        continue
                    if skip and token[1] == ",":
                        skip = False
                        continue
                    skip = False
                    if token == ("name", name):
                        token = ("number", "0.0" if tokens[place + 1:place + 2] == [("sign", "'")] else "0.5")
                    elif token[1] == "'" and tokens[place - 1] == ("name", name):
                        continue
                    result.append(token)
                yield result


def plainer(tokens):
    for place, (kind, text) in enumerate(tokens):
        if kind != "number" or "." not in text and "e" not in text.lower():
            continue
        for simple in ("0.0", "1.0", "2.0", f"{float(text):.1g}", f"{float(text):.2g}"):
            if len(simple) < len(text) and simple != text:
                yield tokens[:place] + [("number", simple)] + tokens[place + 1:]


def shrink(tokens, fails, report=lambda tokens: None):
    """The smallest token list found for which `fails(text)` still holds."""
    tried = set()

    def accept(candidate):
        text = lexer.join(candidate)
        if text in tried:
            return False
        tried.add(text)
        return fails(text)

    progress = True
    while progress:
        progress = False
        place = 0
        while True:
            ranges = deletions(tokens)
            if place >= len(ranges):
                break
            first, last = ranges[place]
            candidate = tokens[:first] + tokens[last:]
            if accept(candidate):
                tokens, progress = candidate, True
                report(tokens)
                length = last - first
                place = next((i for i, r in enumerate(deletions(tokens)) if r[1] - r[0] <= length), 10 ** 9)
            else:
                place += 1
        for step in (unwrapped, without_variable, plainer):
            again = True
            while again:
                again = False
                for candidate in step(tokens):
                    if len(candidate) <= len(tokens) and accept(candidate):
                        tokens, progress, again = candidate, True, True
                        report(tokens)
                        break
    return tokens


def condition(text):
    """A predicate on an answer, from the words of the command line."""
    wanted = [part.partition("=")[::2] for part in text.split(",")]

    def holds(answer):
        for key, value in wanted:
            if key == "kind" and not answer.kind().startswith(value):
                return False
            if key == "code" and answer.code != int(value):
                return False
            if key == "says" and value not in answer.errors and value not in answer.output:
                return False
        return True
    return holds


def main():
    if "--" not in sys.argv:
        print(__doc__, file=sys.stderr)
        return 2
    cut = sys.argv.index("--")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("condition")
    parser.add_argument("--timeout", type=float, default=10.0, help="seconds of processor time for one call")
    parser.add_argument("--out", help="where the result goes; standard output otherwise")
    options = parser.parse_args(sys.argv[1:cut])
    command = sys.argv[cut + 1:]
    with open(options.model, encoding="utf-8") as file:
        tokens = lexer.split(file.read())

    if options.condition.startswith("test="):
        def fails(text):
            with tempfile.NamedTemporaryFile("w", suffix=".chi", encoding="utf-8") as model:
                model.write(text)
                model.flush()
                return subprocess.run(["/bin/bash", "-c", options.condition[5:].replace("{}", model.name)], check=False,
                                      stdin=subprocess.DEVNULL, capture_output=True).returncode == 0
    else:
        holds = condition(options.condition)

        def fails(text):
            return holds(chi_process.call(os.path.abspath(command[0]), command[1:], options.timeout, text))

    if not fails(lexer.join(tokens)):
        print("reduce: the model does not fail as told", file=sys.stderr)
        return 1

    def report(smaller):
        print(f"{len(smaller)} tokens", file=sys.stderr)
        if options.out:  # at every step, so that stopping it loses nothing
            with open(options.out, "w", encoding="utf-8") as file:
                file.write(lexer.join(smaller))

    text = lexer.join(shrink(tokens, fails, report))
    if not options.out:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
