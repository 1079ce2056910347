#!/usr/bin/env python3
"""Every figure of the book is drawn by a run, as the one that is kept: `figures.py CHI`. Compared is what is written in it, names and labels of axes."""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KEPT = ROOT / "docs" / "pictures"


def words_of(path):
    return re.findall(r"<text[^>]*>([^<]*)</text>", path.read_text("utf-8"))


def main():
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([str(ROOT / "scripts" / "make_figures.sh"), sys.argv[1], name], check=True)
        drawn = {path.name for path in folder.iterdir()}
        kept = {path.name for path in KEPT.glob("*.svg")}
        problems += [f"{figure}: no run draws it" for figure in sorted(kept - drawn)]
        problems += [f"{figure}: is not in docs/pictures; make docs" for figure in sorted(drawn - kept)]
        problems += [f"{figure}: is another now; make docs" for figure in sorted(drawn & kept) if words_of(folder / figure) != words_of(KEPT / figure)]
    used = set()
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        used |= set(re.findall(r"\]\([^)]*pictures/([\w.-]+)\)", page.read_text("utf-8")))
    problems += [f"{figure}: is on no page" for figure in sorted(kept - used)]
    print("\n".join(problems) or f"{len(drawn)} figures, all drawn by runs")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
