#!/usr/bin/env python3
"""Numbers in running text are results that a test compares: `claims.py`.

Of the book, the reference and the README: a decimal number, or one before %, ms or s, in a paragraph, a list or a table is one of those, rounded
as it is written, that stand in a block of the page (each block is run or compared by run.py), in a directive of one, or in a model of examples/
that the page names or in its expectations (tests/gallery). The same holds for what the head of an example says; where it tells what to see, also
integers of two digits and more. Every example says how it is run and what to see, has its expectations and is listed in examples/README.md. A table of times, which depend on the machine,
stands behind a comment `<!-- measured: how -->`.
"""
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "models"))

import formula  # noqa: E402

FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
COMMENT = re.compile(r"<!--.*?-->", re.S)
MEASURED = re.compile(r"<!-- measured: [^>]*-->\n(?:\n|\|[^\n]*\n)*")
# Numbers that are names: of a section, a figure, an equation, a version, a code, a paper or a problem.
NAMES = re.compile(r"(?:§|\b(?:[Ff]igures?|[Ee]quations?|[Ss]ections?|[Cc]hapters?|examples?|version|Chi|Debian|C\+\+|RFC|P\d|H|R)(?=[\s\d.]))[\s\d.,]*(?:(?:and|to|or) [\d.]+)*")
NUMBER = re.compile(r"(?<![\w.^/-])(\d+\.\d+(?:e-?\d+)?)(?![\w.]*\d)(?:\s*(ms|%))?|(?<![\w.^/-])(\d+)(?:\s*(ms|%)|(?= s\b))")
INTEGER = re.compile(r"(?<![\w.^/'-])\d{2,}(?![\w.]*\d)")
LITERAL = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
EXPECTED = re.compile(r"(?:=|<=?|>=?|at) *([^=<>]+?)(?: *\+- .*| at .*)?$", re.M)
EXAMPLE = re.compile(r"(?:examples/)?((?:mechanics|circuits|process|control|physics|hybrid|manufacturing|netlists|modelica|papers)/\w+)(?:\.chi)?")


def values_of(text):
    """Every number that stands in a text, and those that the right-hand sides of its directives are."""
    found = {float(literal) for literal in LITERAL.findall(text)}
    for right in EXPECTED.findall(text):
        for piece in [right, *right.split(",")]:
            try:
                found.add(abs(formula.number(piece.strip())))
            except (formula.BadFormula, TypeError):  # words, or variables of the model
                pass
    return found


def values_of_example(name):
    text = (ROOT / "examples" / (name + ".chi")).read_text("utf-8")
    model = "\n".join(line for line in text.splitlines() if not line.startswith("//") or line.startswith("// Run:"))
    expected = ROOT / "tests" / "gallery" / (name + ".expect")
    return values_of(model + "\n" + (expected.read_text("utf-8") if expected.exists() else ""))


def unbacked(text, values):
    """The numbers of a text that are none of the values, rounded."""
    for match in NUMBER.finditer(NAMES.sub(" ", text)):
        digits, unit = match[1] or match[3], match[2] or match[4] or ""
        factor = {"ms": 1e3, "%": 100}.get(unit, 1)
        mantissa, _, exponent = digits.partition("e")
        half = 0.5000001 * 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
        if not any(abs(value * scale - float(digits)) <= half for value in values for scale in {1, factor}):
            yield (digits + " " + unit).strip()


def unbacked_integers(text, values):
    """Integers of what an example tells to see."""
    _, _, seen = NAMES.sub(" ", text).partition("See:")
    for match in INTEGER.finditer(seen):
        if not any(abs(value * scale - float(match[0])) <= 0.5 for value in values for scale in (1, 100)):
            yield match[0]


def head_of(path):
    """What an example says before its Run line, and behind it as long as it is a comment."""
    lines = []
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith("//"):
            break
        if not line.startswith("// Run:"):
            lines.append(line[2:])
    return re.sub(r"`[^`]*`", " ", "\n".join(lines))


def page_problems(page):
    text = page.read_text("utf-8")
    values = set()
    for block in FENCE.findall(text) + COMMENT.findall(text):
        values |= values_of(block)
    for name in set(EXAMPLE.findall(text)):
        if (ROOT / "examples" / (name + ".chi")).exists():
            values |= values_of_example(name)
    prose = MEASURED.sub(lambda m: "\n" * m[0].count("\n"), text)
    for pattern in (FENCE, COMMENT):
        prose = pattern.sub(lambda m: "\n" * m[0].count("\n"), prose)
    prose = re.sub(r"`[^`\n]*`|\]\([^)]*\)", " ", prose)
    for number, line in enumerate(prose.splitlines(), 1):
        for digits in unbacked(line, values):
            yield f"{page.relative_to(ROOT)}:{number}: {digits} is in no result"


def main():
    pages = [ROOT / "README.md", ROOT / "examples" / "README.md", ROOT / "docs" / "index.md", *sorted((ROOT / "docs" / "book").glob("*.md")),
             *sorted((ROOT / "docs" / "reference").glob("*.md")), *sorted((ROOT / "docs" / "language").glob("*.md"))]
    problems = [problem for page in pages if page.name != "papers.md" for problem in page_problems(page)]
    examples = [p for p in sorted((ROOT / "examples").rglob("*.chi")) if p.name != "mistakes.chi"]
    listed = (ROOT / "examples" / "README.md").read_text("utf-8")
    for path in examples:
        name = path.relative_to(ROOT / "examples").with_suffix("").as_posix()
        head, values = head_of(path), values_of_example(name)
        problems += [f"examples/{name}.chi: {digits} is in no result" for digits in [*unbacked(head, values), *unbacked_integers(head, values)]]
        problems += [f"examples/{name}.chi: no line `{word}`" for word in ("// Run:", "// See:") if "\n" + word not in path.read_text("utf-8")]
        if not (ROOT / "tests" / "gallery" / (name + ".expect")).exists():
            problems.append(f"examples/{name}.chi: no expectations")
        if path.parent.name != "papers" and f"({name}.chi)" not in listed:
            problems.append(f"examples/README.md: no {name}")
    print("\n".join(problems) or f"{len(pages)} pages and {len(examples)} examples: every number is a result")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
