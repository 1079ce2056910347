#!/usr/bin/env python3
"""The page of `chi run --plot FILE.html` in a browser: `plot_page.py CHI SCREENSHOTS`. Exit 77 (skipped) where there is no browser."""
import os
import pathlib
import subprocess
import sys
import tempfile

import browser

COUNTING = """
proc P() = |[ n: nat, b: bool, big: nat | *[ n < 5 -> delta 1.0; n := n + 1; b := not b; big := 1000 * n ]; terminate ]|
"""
# Two modes, state events, several variables, one that stands still.
THERMOSTAT = """
proc Room(ref T: real) =
|[ heating: bool := true, outside: real := 15.0, cost: real := 0.0
 | [ heating     -> T' = outside - T + 10.0, cost' = 1.0
   | not heating -> T' = outside - T,        cost' = 0.0
   ]
 | *[ nabla T >= 22.0; heating := false; !"off at ", time, "\\n"; nabla T <= 20.0; heating := true ]
]|
xper = |[ T: real := 18.0 | Room(T) ]|
"""

# Panels, values under the cursor, zoom by wheel and by dragging, hiding a curve, choosing and filtering variables.
USE = """
const canvas = document.querySelector("canvas");
const box = canvas.getBoundingClientRect();
const span = () => document.getElementById("span").textContent;
seen.panels = $$("canvas").length;
seen.colours = Math.min(...$$("canvas").map((c) => colours(c).length));
seen.span = span();
at(canvas, "pointermove", box.width - 12, 40);
await wait(3);
seen.hover = document.querySelector(".entry .value").textContent;
seen.hoverTime = span();
at(canvas, "wheel", 200, 40, { deltaY: -500 });
await wait(3);
at(canvas, "pointerleave", 0, 0);
await wait(3);
seen.zoomed = span();
at(canvas, "dblclick", 100, 40);
await wait(3);
seen.all = span();
at(canvas, "pointerdown", 200, 40, { button: 0 });
at(canvas, "pointermove", 300, 40);
seen.band = $$(".band").length;
at(canvas, "pointerup", 300, 40);
await wait(3);
seen.dragged = span();
document.dispatchEvent(new KeyboardEvent("keydown", { key: "0", bubbles: true }));
await wait(3);
seen.key = span();
document.querySelector(".entry").click();
seen.off = $$(".entry.off").length;
const filter = document.getElementById("filter");
filter.value = "b*";
filter.dispatchEvent(new Event("input"));
seen.filtered = $$("#vars li").map((li) => li.textContent.replace(/[0-9]|new/g, ""));
filter.value = "";
filter.dispatchEvent(new Event("input"));
document.querySelector("#vars input").click();
await wait(3);
seen.panelsLeft = $$("canvas").length;
document.querySelector("#vars input").click();
await wait(3);
seen.panelsAgain = $$("canvas").length;
"""

# The list of events, what a click on one does, kinds switched off, and the mode over time.
EVENTS = """
document.getElementById("tab-events").click();
await wait(6);
seen.events = $$("#events li").map((li) => li.textContent);
seen.kinds = $$("#kinds button").map((b) => b.textContent);
const strip = document.querySelector(".modes canvas");
seen.modes = colours(strip).length;
at(strip, "pointermove", 70, 20);
seen.first = strip.title;
at(strip, "pointermove", strip.clientWidth - 20, 20);
seen.last = strip.title;
$$("#events li").find((li) => li.textContent.includes("state")).click();
await wait(6);
seen.moved = document.getElementById("span").textContent;
seen.cursor = $$(".entry .value").map((v) => v.textContent);
$$("#kinds button").find((b) => b.textContent === "state").click();
await wait(6);
seen.without = $$("#events li").filter((li) => li.textContent.startsWith("state")).length;
$$("#kinds button").find((b) => b.textContent === "state").click();
document.getElementById("reset").click();
await wait(6);
at(document.querySelector("canvas"), "pointermove", 400, 60);
await wait(3);
seen.background = getComputedStyle(document.body).backgroundColor;
"""

SWITCH = """
seen.before = getComputedStyle(document.body).backgroundColor;
document.getElementById("theme").click();
await wait(5);
seen.after = getComputedStyle(document.body).backgroundColor;
document.getElementById("theme").click();
await wait(5);
"""

SIZE = "const image = document.querySelector('img'); await image.decode(); seen.size = image.naturalWidth;"


def main():
    chi, shots = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    browser.program()
    report = browser.Report()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "counting.chi").write_text(COUNTING)
        (folder / "thermostat.chi").write_text(THERMOSTAT)
        for model, options in [("counting", []), ("thermostat", ["--end", "3"])]:
            subprocess.run([chi, "run", model + ".chi", *options, "--plot", model + ".html", "--quiet"], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL)
        seen = browser.visit(folder / "counting.html", USE, shots / "plot.png")
        report.wants("plot", seen, panels=3, colours=lambda n: n >= 2, span="t = 0 \u2026 5", hover="4 \u2192 5", hoverTime="t = 5",
                     all="t = 0 \u2026 5", key="t = 0 \u2026 5", band=1, off=1, filtered=["b", "big"], panelsLeft=2, panelsAgain=3,
                     zoomed=lambda t: t and t != seen["all"], dragged=lambda t: t not in ("", seen["all"], seen["zoomed"]))
        seen = browser.visit(folder / "thermostat.html", EVENTS, shots / "plot-events.png")
        report.wants("events", seen, kinds=["mode", "print", "state"], modes=lambda n: n >= 2, first="heating", last="heating",
                     events=lambda e: [t.partition("t =")[0] for t in e] == ["mode"] + 3 * ["state", "mode", "print", "state", "mode"], moved=lambda t: "\u2026" not in t, without=0,
                     cursor=lambda values: "22" in values and any("\u2192" in v for v in values), background="rgb(243, 244, 246)")
        seen = browser.visit(folder / "thermostat.html", SWITCH, shots / "plot-dark.png", dark=True)
        report.wants("dark", seen, before="rgb(13, 17, 23)", after="rgb(243, 244, 246)")
        subprocess.run([chi, "run", "counting.chi", "--plot", "plot.svg", "--quiet"], cwd=folder, check=True)
        (folder / "svg.html").write_text("<html><head></head><body><img src='plot.svg'></body></html>")
        seen = browser.visit(folder / "svg.html", SIZE, shots / "svg.png")
        report.wants("svg", seen, size=800)
    return report.end(shots)


if __name__ == "__main__":
    sys.exit(main())
