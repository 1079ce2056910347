#!/usr/bin/env python3
"""Runs the examples and makes a page that shows them: `make_gallery.py CHI FOLDER [EXAMPLE...]`.

Each example whose `Run:` line asks for a plot becomes a picture in FOLDER/index.html that leads to its interactive page.
"""
import concurrent.futures
import html
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CALL = re.compile(r"^// Run: chi run (\S+)(.*--plot.*)$", re.M)
FIELDS = {
    "mechanics": "Mechanics", "circuits": "Circuits and power electronics", "process": "Process engineering", "control": "Control",
    "physics": "Physics", "hybrid": "Hybrid systems", "manufacturing": "Manufacturing", "papers": "The papers",
}

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Gallery of \u03c7</title>
<style>
:root {{ color-scheme: light dark; --back: #f3f4f6; --card: #fff; --text: #1c2330; --soft: #5b6576; --line: #d9dde3; --accent: #0b66c3; }}
@media (prefers-color-scheme: dark) {{ :root {{ --back: #0d1117; --card: #161b22; --text: #e6e9ee; --soft: #98a2b1; --line: #2a313b; --accent: #6cb2ff; }} }}
body {{ margin: 0 auto; max-width: 1240px; padding: 24px; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; }}
h1 {{ margin: 0 0 4px; }}
h2 {{ margin: 28px 0 10px; }}
p {{ color: var(--soft); margin: 0; }}
.cards {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(270px, 1fr)); gap: 14px; }}
a {{ display: flex; flex-direction: column; background: var(--card); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; color: inherit; text-decoration: none; }}
a:hover {{ border-color: var(--accent); }}
.picture {{ height: 190px; background: #fff; overflow: hidden; }}
.picture img {{ width: 100%; height: auto; display: block; }}
.picture {{ position: relative; }}
.picture::after {{ content: ""; position: absolute; inset: 160px 0 0; background: linear-gradient(transparent, #fff); }}
@media (prefers-color-scheme: dark) {{ .picture {{ filter: invert(.9) hue-rotate(180deg); }} }}
.text {{ padding: 8px 12px 10px; }}
.text b {{ color: var(--accent); font-weight: 600; }}
.text span {{ display: -webkit-box; -webkit-line-clamp: 3; -webkit-box-orient: vertical; overflow: hidden; color: var(--soft); font-size: 13px; }}
</style>
</head>
<body>
<h1>\u03c7</h1>
<p>{count} models of <code>examples/</code>, simulated in {seconds:.1f} s. Click one to zoom, look at values, events and modes.</p>
{sections}
</body>
</html>
"""


def described(text):
    """The head of a model up to its Run line, as one text."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("//") or line.startswith("// Run:"):
            break
        lines.append(line[2:].strip())
    return " ".join(lines).strip()


def with_code(text):
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text))


def run(chi, folder, path):
    """Draws one example; what stands about it in the page, or nothing if it cannot be drawn."""
    text = path.read_text("utf-8")
    call = CALL.search(text)
    name = path.relative_to(ROOT / "examples").with_suffix("").as_posix()
    target = folder / name.replace("/", "_")
    options = [word for word in shlex.split(call[2]) if word not in ("--plot", "--stats")]
    for ending in (".svg", ".html"):
        done = subprocess.run([chi, "run", str(path), *options, "--plot", str(target) + ending, "--quiet", "--no-progress"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        if done.returncode not in (0, 3) or not pathlib.Path(str(target) + ending).exists():
            print(f"{name}: {done.stderr.decode()}", file=sys.stderr)
            return None
    return name.partition("/")[0], (
        f'<a href="{target.name}.html"><div class="picture"><img src="{target.name}.svg" loading="lazy" alt=""></div>'
        f'<div class="text"><b>{html.escape(path.stem)}</b><span>{with_code(described(text))}</span></div></a>')


def main():
    import time
    chi, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    chosen = [ROOT / "examples" / (name + ".chi") for name in sys.argv[3:]]
    paths = chosen or sorted(p for p in (ROOT / "examples").rglob("*.chi") if CALL.search(p.read_text("utf-8")))
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        cards = [card for card in pool.map(lambda p: run(chi, folder, p), paths) if card]
    seconds = time.monotonic() - start
    sections = ""
    for field, title in FIELDS.items():
        mine = [card for where, card in cards if where == field]
        if mine:
            sections += f'<h2>{title}</h2>\n<div class="cards">\n' + "\n".join(mine) + "\n</div>\n"
    page = folder / "index.html"
    page.write_text(PAGE.format(count=len(cards), seconds=seconds, sections=sections), "utf-8")
    print(page)
    return 0 if len(cards) == len(paths) else 1


if __name__ == "__main__":
    sys.exit(main())
