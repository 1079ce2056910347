// Buttons of the head, light and dark, and the first picture.

const side = document.querySelector("aside");
function setSide(open) {
  side.hidden = !open;
  $("side").setAttribute("aria-pressed", String(open));
  draw();
}
$("side").onclick = () => setSide(side.hidden);
$("reset").onclick = showAll;
$("marks").onclick = () => { marksOn = !marksOn; $("marks").setAttribute("aria-pressed", String(marksOn)); draw(); };
function setTheme(next) {
  theme = next;
  style = null;
  document.documentElement.dataset.theme = theme;
  draw();
}
$("theme").onclick = () => setTheme(theme === "dark" ? "light" : "dark");
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (e) => setTheme(e.matches ? "dark" : "light"));
addEventListener("resize", draw);
new ResizeObserver(draw).observe($("stack"));

for (const list of data.panels) {
  const panel = newPanel();
  for (const index of list) addTo(panel, variables[index]);
}
$("marks").setAttribute("aria-pressed", String(marksOn));
$("marks").hidden = $("tab-events").hidden = events.length === 0;
choose("vars");
setSide(innerWidth > 760);
setTheme(theme);
rebuild();
