#!/usr/bin/env python3
"""Opens the HTML plot in headless Chromium and uses it: `plot_page.py CHI`. Exit 77 (skipped) where there is no browser.

A script added to the page does what a person would do, by the same events, and leaves what it saw in the document.
Nothing here waits for a clock: the browser's time is virtual and goes on when it has nothing to do.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MODEL = """
proc P() = |[ n: nat, b: bool, big: nat | *[ n < 5 -> delta 1.0; n := n + 1; b := not b; big := 1000 * n ]; terminate ]|
"""

USE = """
<script>
(() => {
const seen = {errors: []};
addEventListener("error", (e) => seen.errors.push(e.message));
const frames = (n, then) => n === 0 ? then() : requestAnimationFrame(() => frames(n - 1, then));
const inked = (canvas) => {
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  const colors = new Set();
  for (let i = 0; i < pixels.length; i += 4) if (pixels[i + 3] === 255) colors.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
  return colors.size;
};
frames(3, () => {
  const canvases = document.querySelectorAll("canvas");
  const canvas = canvases[0], box = canvas.getBoundingClientRect();
  seen.panels = canvases.length;
  seen.inked = [...canvases].map(inked);
  seen.span = document.getElementById("span").textContent;
  const at = (type, Kind, x, more) => canvas.dispatchEvent(new Kind(type, {clientX: box.left + x, clientY: box.top + 40, bubbles: true, cancelable: true, pointerId: 1, ...more}));
  canvas.setPointerCapture = () => {};
  at("pointermove", PointerEvent, box.width - 12);
  frames(2, () => {
    seen.hover = document.querySelector(".entry .value").textContent;
    seen.hoverTime = document.getElementById("span").textContent;
    at("wheel", WheelEvent, 200, {deltaY: -500});
    frames(2, () => {
      at("pointerleave", PointerEvent, 0);
      frames(2, () => {
        seen.zoomed = document.getElementById("span").textContent;
        at("dblclick", MouseEvent, 100);
        frames(2, () => {
          seen.all = document.getElementById("span").textContent;
          at("pointerdown", PointerEvent, 200, {button: 0});
          at("pointermove", PointerEvent, 300);
          at("pointerup", PointerEvent, 300);
          frames(2, () => {
            seen.dragged = document.getElementById("span").textContent;
            document.querySelector(".entry").click();
            seen.off = document.querySelectorAll(".entry.off").length;
            document.querySelector("#vars input").click();
            seen.panelsLeft = document.querySelectorAll("canvas").length;
            document.getElementById("tab-events").click();
            document.getElementById("reset").click();
            document.getElementById("theme").click();
            setTimeout(() => {
              seen.events = document.querySelectorAll("#events li").length;
              const pre = document.createElement("pre");
              pre.id = "seen";
              pre.textContent = JSON.stringify(seen);
              document.body.append(pre);
            }, 500);
          });
        });
      });
    });
  });
});
})();
</script>
</body>
"""

# Frames come as the display likes; timers belong to the browser's virtual time.
HEAD = "<head><script>window.requestAnimationFrame = (draw) => setTimeout(draw, 10);</script>"

BROWSER = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
           "--disable-background-networking", "--disable-component-update", "--window-size=1000,700",
           "--virtual-time-budget=20000", "--dump-dom"]


def main():
    chi = sys.argv[1]
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not browser:
        print("no browser here: skipped")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "m.chi").write_text(MODEL)
        subprocess.run([chi, "run", "m.chi", "--plot", "p.html"], cwd=folder, check=True)
        page = (folder / "p.html").read_text("utf-8")
        (folder / "p.html").write_text(page.replace("<head>", HEAD).replace("</body>", USE), "utf-8")
        try:
            done = subprocess.run([browser, *BROWSER, f"--user-data-dir={folder}/profile", f"file://{folder}/p.html"],
                                  capture_output=True, timeout=400, check=False)
        except subprocess.TimeoutExpired:
            print("the browser does not answer: skipped")
            return 77
    match = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout.decode("utf-8", "replace"), re.S)
    if not match:
        if done.returncode != 0 or not done.stdout:
            print(f"the browser did not run (exit code {done.returncode}): skipped")
            return 77
        print("the page did not come to its end")
        return 1
    seen = json.loads(match[1].replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&"))
    print(json.dumps(seen, indent=1, ensure_ascii=False))
    wanted = {
        "errors": [], "panels": 3, "span": "t = 0 \u2026 5", "hoverTime": "t = 5", "all": "t = 0 \u2026 5", "off": 1,
        "panelsLeft": 2, "hover": "4 \u2192 5",
    }
    problems = [f"{key} is {seen.get(key)!r} instead of {value!r}" for key, value in wanted.items() if seen.get(key) != value]
    if min(seen["inked"]) < 5:
        problems.append("a panel is empty")
    if seen["zoomed"] in (seen["all"], "") or seen["dragged"] in (seen["all"], seen["zoomed"]):
        problems.append("zooming changes nothing")
    if seen["events"] < 5:
        problems.append("events are missing")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
