#!/usr/bin/env python3
"""The site of `make docs` in a browser, from the disk: `site_page.py CHI SITE SCREENSHOTS`. It is built into the folder SITE.

Every link of every page leads to a page and a place in it; search finds, dark is dark, figures are there. Exit 77 (skipped) where there is
no browser or no mkdocs.
"""
import html.parser
import os
import pathlib
import shutil
import subprocess
import sys
import urllib.parse

import browser

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

SEARCH = """
const box = document.querySelector("input[name=query]");
box.focus();
document.getElementById("__search").checked = true;
box.value = "pantelides";
box.dispatchEvent(new Event("input", { bubbles: true }));
box.dispatchEvent(new KeyboardEvent("keyup", { key: "s", bubbles: true }));
for (let i = 0; i < 60 && $$(".md-search-result__link").length === 0; ++i) await wait(5);
seen.found = $$(".md-search-result__link").map((a) => a.href.replace(/^.*\\/(\\w+\\/[\\w-]+)\\.html.*$/, "$1"));
"""

LOOK = """
seen.pictures = $$("article img").length;
seen.drawn = $$("article img").filter((i) => i.naturalWidth > 100).length;
seen.background = getComputedStyle(document.body).backgroundColor;
seen.code = $$("pre code").length;
seen.coloured = $$("pre code .k").length;
// A plot of a terminal is as wide as its axis says.
seen.wide = $$("pre code").filter((c) => c.querySelector(".dots") && Math.abs(c.querySelector(".dots").offsetWidth - parseFloat(getComputedStyle(c).fontSize) * 0.6) > 1).length;
seen.dots = $$(".dots").length;
seen.overflow = document.documentElement.scrollWidth > innerWidth;
"""


class Page(html.parser.HTMLParser):
    """The places of a page and what it refers to."""

    def __init__(self, text):
        super().__init__()
        self.places, self.links = {""}, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if attributes.get("id"):
            self.places.add(attributes["id"])
        target = attributes.get("href") if tag in ("a", "link") else attributes.get("src")
        if target:
            self.links.append(target)


def broken_links(site):
    pages = {path: Page(path.read_text("utf-8")) for path in site.rglob("*.html")}
    for path, page in pages.items():
        if path.name == "404.html":
            continue
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                yield f"{path.relative_to(site)}: no {link}"
            elif target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].places:
                yield f"{path.relative_to(site)}: no place {link}"


def main():
    chi, site, shots = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
    # Debian's mkdocs belongs to Debian's Python, whatever else is in the path.
    environment = {**os.environ, "PATH": "/usr/bin:" + os.environ.get("PATH", "")}
    if not shutil.which("mkdocs", path=environment["PATH"]):
        print("no mkdocs here: skipped")
        return browser.SKIPPED
    shutil.rmtree(site, ignore_errors=True)
    subprocess.run([str(ROOT / "scripts" / "make_library_pages.py"), chi, str(ROOT / "docs" / "library")], check=True)
    built = subprocess.run(["mkdocs", "build", "--quiet", "--strict", "--site-dir", str(site)], cwd=ROOT, env=environment, check=False)
    if built.returncode:
        return 1
    subprocess.run([str(ROOT / "scripts" / "local_search.py"), str(site)], check=True)
    report = browser.Report()
    report.problems += sorted(set(broken_links(site)))
    if report.problems:
        return report.end(shots)
    browser.program()
    seen = browser.visit(site / "index.html", SEARCH, shots / "site-search.png")
    report.wants("search", seen, found=lambda f: "theory/index-reduction" in f)
    for dark, background in [(False, "rgb(255, 255, 255)"), (True, "rgb(46, 48, 62)")]:
        seen = browser.visit(site / "book" / "modes.html", LOOK, shots / f"site-{'dark' if dark else 'light'}.png", (1300, 1000), dark)
        report.wants("the book", seen, pictures=lambda n: n > 0, drawn=seen.get("pictures"), background=background, code=lambda n: n > 3, coloured=lambda n: n > 20,
                     dots=lambda n: n > 20, wide=0,
                     overflow=False)
    return report.end(shots)


if __name__ == "__main__":
    sys.exit(main())
