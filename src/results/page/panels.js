// Which variable is in which panel, and the elements of the page that belong to a panel.

function fits(panel, v) {
  if (panel.list.length === 0) return true;
  if (panel.list.length >= 8 || panel.list[0].boolean !== v.boolean) return false;
  if (v.boolean) return true;
  let low = v.low, high = v.high, least = v.high - v.low || Infinity;
  for (const other of panel.list) {
    low = Math.min(low, other.low);
    high = Math.max(high, other.high);
    if (other.high > other.low) least = Math.min(least, other.high - other.low);
  }
  return least === Infinity ? high === low : least >= (high - low) / 8;
}

function freeColor(panel) {
  const used = new Set(panel.list.map((v) => v.color));
  for (let c = 0; c < 8; ++c) if (!used.has(c)) return c;
  return panel.list.length % 8;
}

function addTo(panel, v) {
  removeFrom(v);
  v.color = panel.list.length === 0 ? panels.indexOf(panel) % 8 : freeColor(panel);
  v.panel = panel;
  v.hidden = false;
  panel.list.push(v);
  panel.list.sort((a, b) => a.index - b.index);
}

function removeFrom(v) {
  if (v.panel === null) return;
  v.panel.list = v.panel.list.filter((other) => other !== v);
  v.panel = null;
}

function newPanel() {
  const panel = { list: [], y: null };
  panels.push(panel);
  return panel;
}

function show(v) {
  addTo(panels.find((p) => fits(p, v)) || (panels.length < 8 ? newPanel() : panels[panels.length - 1]), v);
}

function el(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

// Makes the elements of all panels anew; called when variables come, go or move.
function rebuild() {
  panels = panels.filter((p) => p.list.length > 0);
  const stack = $("stack");
  stack.replaceChildren();
  if (panels.length === 0) stack.append(el("p", "", variables.length === 0 ? "There is nothing to plot." : "Choose variables on the right."));
  for (const panel of panels) {
    panel.box = el("div", panel.list.every((v) => v.boolean) ? "panel low" : "panel");
    panel.legend = el("div", "legend");
    panel.holder = el("div", "holder");
    panel.canvas = el("canvas");
    panel.canvas.tabIndex = 0;
    panel.canvas.setAttribute("role", "img");
    panel.canvas.setAttribute("aria-label", panel.list.map((v) => v.name).join(", ") + " over time");
    panel.holder.append(panel.canvas);
    panel.box.append(panel.legend, panel.holder);
    stack.append(panel.box);
    for (const v of panel.list) {
      const entry = el("button", "entry" + (v.hidden ? " off" : ""));
      entry.title = "Click: hide or show. " + v.name;
      v.swatch = el("i");
      v.valueNode = el("span", "value");
      entry.append(v.swatch, el("span", "name", v.name), v.valueNode);
      entry.onclick = () => { v.hidden = !v.hidden; entry.classList.toggle("off", v.hidden); draw(); };
      panel.legend.append(entry);
    }
    listen(panel);
  }
  buildModes();
  listVariables();
  draw();
}
