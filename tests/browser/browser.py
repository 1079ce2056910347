"""A page in headless Chromium, used as a person would: by the events of pointer and keys.

Steps are JavaScript that is added to a copy of the page; what they note in `seen` comes back, and a picture of the page as they left it is
kept. Nothing waits for a clock: the browser's time is virtual and goes on when it has nothing to do. No name of a host is known to the
browser, so a page that needs more than its disk fails.
"""
import html
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

SKIPPED = 77
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync", "--hide-scrollbars",
         "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--enable-logging=stderr",
         "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=20000", "--dump-dom"]

# Frames come as the display likes; timers belong to the browser's virtual time.
HEAD = """<script>
const ownFrames = window.requestAnimationFrame;
window.requestAnimationFrame = (draw) => setTimeout(draw, 10);
var seen = { errors: [] };
addEventListener("error", (e) => seen.errors.push(e.message || "cannot load " + (e.target.src || e.target.href)), true);
addEventListener("unhandledrejection", (e) => seen.errors.push(String(e.reason)));
for (const level of ["error", "warn"]) console[level] = (...words) => seen.errors.push(words.join(" "));
</script>"""

STEPS = """<script>
(async () => {
const wait = (n) => new Promise((then) => setTimeout(then, 20 * n));
const $$ = (what) => [...document.querySelectorAll(what)];
// How many colours, apart from mixtures at edges, a canvas shows.
const colours = (canvas) => {
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data, count = new Map();
  for (let i = 0; i < pixels.length; i += 4) {
    if (pixels[i + 3] !== 255) continue;
    const colour = "#" + (pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]).toString(16).padStart(6, "0");
    count.set(colour, (count.get(colour) || 0) + 1);
  }
  return [...count].filter(([, n]) => n >= 40).map(([c]) => c);
};
// The pointer does something at a place of an element.
const at = (node, type, x, y, more) => {
  const box = node.getBoundingClientRect();
  const Kind = type === "wheel" ? WheelEvent : type.startsWith("pointer") ? PointerEvent : MouseEvent;
  node.setPointerCapture = () => {};
  node.dispatchEvent(new Kind(type, { clientX: box.left + x, clientY: box.top + y, bubbles: true, cancelable: true, pointerId: 1, ...more }));
};
try {
await wait(5);
@STEPS@
await wait(5);
} catch (problem) { seen.errors.push(String(problem.stack)); }
const note = document.createElement("pre");
note.id = "seen";
note.style.display = "none";
note.textContent = JSON.stringify(seen);
document.body.append(note);
window.requestAnimationFrame = ownFrames;  // the picture can be of another size
})();
</script>
</body>"""


def program():
    """The browser; without one the test is skipped."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not found:
        print("no browser here: skipped")
        sys.exit(SKIPPED)
    return found


def run(arguments):
    """Exit code, document and messages of the browser. It can hang when the machine is busy: then once more, and at last the test is skipped."""
    for _ in range(3):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            process = subprocess.Popen([program(), *arguments, f"--user-data-dir={profile}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       start_new_session=True)
            try:
                out, err = process.communicate(timeout=150)
                return process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
    print("the browser does not answer: skipped")
    sys.exit(SKIPPED)


def visit(page, steps, picture, size=(1200, 800), dark=False):
    """Opens the file `page`, takes the steps and returns what they saw; `picture` is the PNG that is written."""
    page, picture = pathlib.Path(page).resolve(), pathlib.Path(picture).resolve()
    picture.parent.mkdir(parents=True, exist_ok=True)
    picture.unlink(missing_ok=True)
    text = page.read_text("utf-8")
    head, body = re.search(r"<head[^>]*>", text), text.rindex("</body>")
    used = page.with_name(f"{page.stem}.{os.getpid()}.used.html")
    used.write_text(text[:head.end()] + HEAD + text[head.end():body] + STEPS.replace("@STEPS@", steps) + text[body + len("</body>"):], "utf-8")
    scheme = ["--blink-settings=preferredColorScheme=0"] if dark else ["--blink-settings=preferredColorScheme=1"]
    call = [*FLAGS, *scheme, f"--window-size={size[0]},{size[1]}", f"--screenshot={picture}", used.as_uri()]
    try:
        code, dom, said = run(call)
    finally:
        used.unlink()
    found = re.search(r'<pre id="seen"[^>]*>(.*?)</pre>', dom, re.S)
    if not found:
        ran = code == 0 and dom
        print(f"{page.name} did not come to its end" if ran else f"the browser did not run (exit code {code}): skipped")
        sys.exit(1 if ran else SKIPPED)
    seen = json.loads(html.unescape(found[1]))
    seen["errors"] += [line for line in said.splitlines() if ":CONSOLE" in line]
    seen["pictured"] = picture.exists() and picture.stat().st_size > 5000
    return seen


class Report:
    """Collects what is not as it should be."""

    def __init__(self):
        self.problems = []

    def wants(self, page, seen, **wanted):
        """No errors, a picture, and the values of `wanted`; one that can be called is asked."""
        for key, value in {"errors": [], "pictured": True, **wanted}.items():
            found = seen.get(key)
            try:
                right = value(found) if callable(value) else found == value
            except (TypeError, KeyError):  # it was not seen
                right = False
            if not right:
                self.problems.append(f"{page}: {key} is {found!r}" + ("" if callable(value) else f" instead of {value!r}"))

    def end(self, folder):
        print("\n".join(self.problems) or "all as it should be")
        print(f"screenshots: {pathlib.Path(folder).resolve()}")
        return 1 if self.problems else 0
