#!/usr/bin/env python3
"""The page of `chi analyze --html` in a browser: `structure_page.py CHI SCREENSHOTS`. Exit 77 (skipped) where there is no browser."""
import os
import pathlib
import subprocess
import sys
import tempfile

import browser

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# One equation too many for x, one too few for z.
SINGULAR = "proc P() = |[ x, y, z: real | |x, y, z|, x + y = 1.0, x - y = 0.0, x * y = 4.0 ]|\n"

# A cell says what is in it: the row of the constraint and the unknown that it determines.
USE = """
const canvas = document.getElementById("matrix"), tip = document.getElementById("tip");
const told = (x, y) => { at(canvas, "pointermove", x, y); return tip.style.display === "block" ? tip.textContent : ""; };
seen.facts = document.getElementById("facts").textContent;
seen.problems = [...document.getElementById("problem").options].map((o) => o.value);
seen.colours = colours(canvas).length;
// From left to right and from top to bottom: every cell of the picture.
const texts = new Set();
for (let y = 10; y < canvas.clientHeight; y += 22) for (let x = 10; x < canvas.clientWidth; x += 22) texts.add(told(x, y));
texts.delete("");
seen.texts = [...texts];
at(canvas, "wheel", canvas.clientWidth / 2, canvas.clientHeight / 2, { deltaY: 900 });
await wait(2);
const smaller = new Set();
for (let y = 10; y < canvas.clientHeight; y += 30) for (let x = 10; x < canvas.clientWidth; x += 30) if (told(x, y)) smaller.add(x + "," + y);
seen.zoomed = smaller.size;
at(canvas, "dblclick", 10, 10);
await wait(2);
at(canvas, "pointermove", canvas.clientWidth * 0.5, 230);
"""


def main():
    chi, shots = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    browser.program()
    report = browser.Report()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "singular.chi").write_text(SINGULAR)
        pendulum = str(ROOT / "examples" / "mechanics" / "pendulum.chi")
        for model, page, code in [(pendulum, "pendulum.html", 0), ("singular.chi", "singular.html", 1)]:
            done = subprocess.run([chi, "analyze", model, "--html", page], cwd=folder, capture_output=True, check=False)
            if done.returncode != code:
                report.problems.append(f"{page}: exit code {done.returncode}\n{done.stderr.decode()}")
        seen = browser.visit(folder / "pendulum.html", USE, shots / "structure.png")
        report.wants(
            "structure", seen, facts="5 equations, index 3, 2 degrees of freedom", colours=lambda n: n >= 5,
            problems=lambda p: len(p) == 2, zoomed=lambda n: n > 0,
            texts=lambda t: len(t) == 81 and sum("determined by this equation" in s for s in t) == 9 and any(
                "Pendulum.x^2 + Pendulum.y^2 = 1, differentiated 2 times" in s for s in t))
        seen = browser.visit(folder / "pendulum.html", "seen.colours = colours(document.getElementById('matrix')).length;",
                             shots / "structure-dark.png", dark=True)
        report.wants("structure in the dark", seen, colours=lambda n: n >= 5)
        if (folder / "singular.html").exists():
            seen = browser.visit(folder / "singular.html", USE, shots / "structure-singular.png")
            report.wants("singular structure", seen, texts=lambda t: len(t) == 6 and all("part of what is singular" in s for s in t))
    return report.end(shots)


if __name__ == "__main__":
    sys.exit(main())
