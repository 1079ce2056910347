#!/usr/bin/env python3
"""Runs the models and calls in docs/book, docs/reference and in the README of the project: `run.py CHI [PAGE...]`. README.md beside this says
what is compared.

Exit code 0: all is as the book says; 1: not; 77: all that fails on the only page is pending.
"""
import argparse
import math
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGES = [ROOT / "docs" / "book", ROOT / "docs" / "reference"]
sys.path.insert(0, str(HERE.parent / "models"))

import case as cases  # noqa: E402
import execute  # noqa: E402
import run as models  # noqa: E402

BLOCK = re.compile(r"(?:<!--(?P<comment>(?:(?!-->).)*)-->[ \t]*\n\s*)?^```(?P<kind>chi|console|cpp|csv|json)\n(?P<text>.*?)^```$", re.M | re.S)
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
PLOT = re.compile(r"[│└]")
DRAWN = re.compile(r"[│┴└⠀-⣿]|\d ms\b")
RELATIVE, ABSOLUTE = 1e-3, 1e-6


def split_comment(comment):
    """The name of a block and its directives."""
    lines = [line.strip() for line in (comment or "").splitlines() if line.strip()]
    name = lines.pop(0) if lines and re.fullmatch(r"[\w-]+\.chi", lines[0]) else ""
    return name, lines


def model_problems(chi, folder, name, directives, timeout):
    """What is wrong with one model, which stands in the file `folder/name`."""
    path = folder / name
    try:
        listing = folder / "directives.txt"
        listing.write_text("\n".join("// " + line for line in directives or ["CHECK"]), "utf-8")
        case = cases.read(listing)
        case.path = path
        if directives:
            return execute.run(chi, case, timeout)
        done = subprocess.run([chi, "check", str(path)], capture_output=True, timeout=timeout, check=False)
        said = (done.stdout + done.stderr).decode("utf-8", "replace").strip()
        return [said or f"exit code {done.returncode}"] if done.returncode or said else []
    except cases.BadDirective as bad:
        return [str(bad)]


def file_problems(folder, comment, text):
    """A program or a result that a page shows is a file: of the repository, or one that a call on the page made."""
    name = (comment or "").strip()
    if not name:
        return []
    path = ROOT / name if "/" in name else folder / name
    if not path.exists():
        return [f"there is no {name}"]
    wanted, found = text.splitlines(), path.read_text("utf-8").splitlines()
    return [] if same_text(wanted, found) else [f"{name} is another:\n" + "\n".join(found[:12])]


def call(chi, folder, command, timeout):
    """What a call prints, model output first and diagnostics behind."""
    words = shlex.split(command)
    if words[0] != "chi":
        return f"not a call of chi: {command}"
    done = subprocess.run([chi, *words[1:]], cwd=folder, capture_output=True, timeout=timeout, check=False)
    return (done.stdout + done.stderr).decode("utf-8", "replace").rstrip("\n")


def same_line(wanted, found):
    if DRAWN.search(wanted) and DRAWN.search(found):
        return True
    if " ".join(NUMBER.sub("#", wanted).split()) != " ".join(NUMBER.sub("#", found).split()):
        return False
    pairs = zip(NUMBER.findall(wanted), NUMBER.findall(found))
    return all(math.isclose(float(a), float(b), rel_tol=RELATIVE, abs_tol=ABSOLUTE) for a, b in pairs)


def same_text(wanted, found):
    """Whether the lines agree; `...` stands for any lines."""
    if not wanted:
        return not found
    if wanted[0].strip() == "...":
        return any(same_text(wanted[1:], found[skip:]) for skip in range(len(found) + 1))
    return bool(found) and same_line(wanted[0], found[0]) and same_text(wanted[1:], found[1:])


def without_wording(lines):
    """Of a diagnostic what does not change when somebody says it better: its code and its place."""
    lines = [re.sub(r"^(error|warning)\[(\w+)\]:.*", r"\1[\2]", line) for line in lines]
    names = {i for i, line in enumerate(lines[1:]) if PLOT.search(line)}  # above a panel
    return [line for i, line in enumerate(lines) if DRAWN.search(line) or i in names or not re.match(r"^\s+= (note|help): |^ {8,}\S|^\s*\d* \| ", line)]


def calls_of(text):
    """Pairs of a command and the lines that stand below it."""
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, _, shown = part.partition("\n")
        yield command, [line.rstrip() for line in shown.rstrip().splitlines()]


def console_problems(chi, folder, text, timeout, only_shown):
    problems = []
    for command, wanted in calls_of(text):
        found = call(chi, folder, command, timeout)
        if only_shown:
            wanted = wanted[:1] + ["..."]
        if not same_text(without_wording(wanted), without_wording([line.rstrip() for line in found.splitlines()])):
            problems.append(f"$ {command}\n{found}\n-- the page says\n" + "\n".join(wanted))
    return problems


def updated_console(chi, folder, text, timeout):
    shown = ""
    for command, wanted in calls_of(text):
        found = [line.rstrip() for line in call(chi, folder, command, timeout).splitlines()]
        plots = [[line for line in lines if PLOT.search(line)] for lines in (wanted, found)]
        lines = wanted if wanted and plots[0] == plots[1] and same_text(wanted, found) else found
        shown += f"$ {command}\n" + "".join(line + "\n" for line in lines)
    return shown


def run_page(chi, page, timeout, update):
    """Triples of block number, line and problems; rewrites the consoles of the page on request."""
    text = page.read_text("utf-8")
    results, pieces, end = [], [], 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for number, block in enumerate(BLOCK.finditer(text), 1):
            line = text.count("\n", 0, block.start("text")) + 1
            try:
                if block["kind"] == "chi":
                    name, directives = split_comment(block["comment"])
                    name = name or f"block{number}.chi"
                    (folder / name).write_text(block["text"], "utf-8")
                    problems = model_problems(chi, folder, name, directives, timeout)
                elif block["kind"] != "console":
                    problems = file_problems(folder, block["comment"], block["text"])
                elif update:
                    pieces += [text[end:block.start("text")], updated_console(chi, folder, block["text"], timeout)]
                    end, problems = block.end("text"), []
                else:
                    problems = console_problems(chi, folder, block["text"], timeout, (block["comment"] or "").strip() == "shown")
            except subprocess.TimeoutExpired:
                problems = [f"no answer in {timeout:g} s"]
            results.append((number, line, problems))
    if update:
        page.write_text("".join(pieces) + text[end:], "utf-8")
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chi")
    parser.add_argument("pages", nargs="*", help="names of pages; all when none is given")
    parser.add_argument("--timeout", type=float, default=500.0, help="seconds for one call")
    parser.add_argument("--update", action="store_true", help="write what is printed now into the pages")
    options = parser.parse_intermixed_args()
    chi = os.path.abspath(options.chi)
    front = ROOT / "README.md"
    every = [front, *(page for folder in PAGES for page in sorted(folder.glob("*.md")))]
    pages = [page for page in every if page.stem in options.pages or not options.pages]
    pending = models.read_pending(HERE / "pending.txt")
    total = failed = waiting = 0
    for page in pages:
        for number, line, problems in run_page(chi, page, options.timeout, options.update):
            total += 1
            expected = f"{page.stem}:{number}" in pending
            if expected and not problems:
                print(f"{page.stem}:{number}: passes, though pending.txt lists it")
            if not problems:
                continue
            failed += not expected
            waiting += expected
            print(f"{page.relative_to(ROOT)}:{line} (block {number}):{' (pending)' if expected else ''}")
            for problem in problems:
                print("  " + problem.replace("\n", "\n    "))
    print(f"{total - failed - waiting} blocks as the book says, {failed} not, {waiting} pending")
    if failed:
        return 1
    return models.SKIPPED if waiting and len(pages) == 1 else 0


if __name__ == "__main__":
    sys.exit(main())
