#!/usr/bin/env python3
"""The table of docs/book/papers.md lists every model of examples/papers, as its head says: `papers.py [--update]`.

The head of such a model begins with the place in the papers that it comes from, as `P3 §9.8, figure 9.24. What it shows.`
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "book" / "papers.md"
MODELS = ROOT / "examples" / "papers"
HEAD = re.compile(r"^(P\d\b[^.]*(?:\.\d[^.]*)*)\.\s+(.*?\.)(?:\s|$)", re.S)
ROW = re.compile(r"^\| ([^|]*) \| `([\w-]+)` \| ([^|]*) \|$", re.M)


def described(path):
    """The place in the papers and the first sentence of what a model shows."""
    lines = []
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith("// "):
            break
        lines.append(line[3:])
    match = HEAD.match(" ".join(lines))
    if not match:
        raise SystemExit(f"{path.name}: the head does not begin with a place in the papers")
    return match[1], match[2].rstrip(".")


def key(row):
    """In the order of the papers: sections before homework, projects, research."""
    place = row[0]
    kind = 1 if re.search(r"\bH9\.", place) else 2 if "project" in place else 3 if "research" in place else 0
    return place[:2], kind, [int(n) for n in re.findall(r"\d+", place[2:])], place


def table():
    rows = sorted(((*described(path), path.stem) for path in MODELS.glob("*.chi")), key=key)
    return [f"| {place} | `{name}` | {what} |" for place, what, name in rows]


def main():
    text = PAGE.read_text("utf-8")
    found = [match[0] for match in ROW.finditer(text) if re.match(r"P\d", match[1])]
    wanted = table()
    if "--update" in sys.argv:
        first, last = text.index(found[0]) if found else text.index("ROWS"), 0
        last = text.index(found[-1]) + len(found[-1]) if found else first + len("ROWS")
        PAGE.write_text(text[:first] + "\n".join(wanted) + text[last:], "utf-8")
        return 0
    problems = [f"missing or different: {row}" for row in wanted if row not in found]
    problems += [f"no such model: {row}" for row in found if row not in wanted]
    problems += [f"no expected numbers: {path.stem}" for path in MODELS.glob("*.chi")
                 if not (ROOT / "tests" / "gallery" / "papers" / (path.stem + ".expect")).exists()]
    print("\n".join(problems) or f"{len(found)} models of the papers, all listed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
