#!/usr/bin/env python3
"""The page of `make demo` in a browser: `gallery_page.py CHI SCREENSHOTS`. Exit 77 (skipped) where there is no browser."""
import pathlib
import re
import subprocess
import sys
import tempfile

import browser

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLES = ["mechanics/bouncing_ball", "mechanics/stick_slip", "mechanics/pendulum", "circuits/half_wave_inductive", "circuits/full_bridge",
            "process/two_tanks", "papers/p3_9_8_switch", "hybrid/two_tanks_hysteresis"]

USE = """
for (const picture of $$("img")) { picture.loading = "eager"; await picture.decode(); }
seen.cards = $$(".cards a").length;
seen.pictures = $$("img").filter((i) => i.naturalWidth === 800 && i.clientWidth > 200).length;
seen.links = $$(".cards a").map((a) => a.getAttribute("href"));
seen.texts = $$(".text span").map((s) => s.textContent.length);
seen.overflow = document.documentElement.scrollWidth > innerWidth;
"""


def main():
    chi, shots = sys.argv[1], pathlib.Path(sys.argv[2])
    browser.program()
    report = browser.Report()
    examples = [name for name in EXAMPLES if (ROOT / "examples" / (name + ".chi")).exists()]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([str(ROOT / "scripts" / "make_gallery.py"), chi, str(folder), *examples], check=True, stdout=subprocess.DEVNULL)
        for dark, picture in [(False, "gallery.png"), (True, "gallery-dark.png")]:
            seen = browser.visit(folder / "index.html", USE, shots / picture, size=(1300, 1000), dark=dark)
            report.wants("gallery", seen, cards=len(examples), pictures=len(examples), overflow=False,
                         texts=lambda lengths: min(lengths) > 20,
                         links=lambda links: all((folder / link).exists() for link in links))
        steps = "seen.colours = colours(document.querySelector('canvas')).length; seen.events = $$('#events li').length;"
        seen = browser.visit(folder / seen["links"][0], steps, shots / "gallery-model.png")
        report.wants("a page of the gallery", seen, colours=lambda n: n >= 2)
        for page in folder.glob("*.html"):
            text = re.sub(r'<script type="application/json".*?</script>', "", page.read_text("utf-8"), flags=re.S)
            if re.search(r"https?://", text):
                report.problems.append(f"{page.name}: asks for the net")
    return report.end(shots)


if __name__ == "__main__":
    sys.exit(main())
