"use strict";
{
const data = JSON.parse(document.getElementById("data").textContent);
const canvas = document.getElementById("matrix"), holder = document.getElementById("holder"), tip = document.getElementById("tip");
const modeBox = document.getElementById("mode"), problemBox = document.getElementById("problem");
const painter = canvas.getContext("2d");
let left = 130, top = 84; // room for names
let shown = null, scale = 1, originX = 0, originY = 0, pointer = null, moved = false;
const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

data.modes.forEach((mode, i) => modeBox.add(new Option(mode.title, i)));
modeBox.hidden = data.modes.length < 2;

function choose() {
  const mode = data.modes[modeBox.value || 0];
  const before = problemBox.value;
  problemBox.replaceChildren();
  for (const name of Object.keys(mode.problems)) problemBox.add(new Option(name, name));
  if (mode.problems[before]) problemBox.value = before;
  shown = mode.problems[problemBox.value];
  // For every cell what is in it: asked for by the pointer.
  shown.cells ??= new Map(shown.entries.map(([i, j, n]) => [i * shown.columns.length + j, n]));
  document.getElementById("facts").textContent = mode.facts +
    (shown.bin > 1 ? ` · a dot stands for ${shown.bin} × ${shown.bin} equations and unknowns` : "");
  reset();
}

function reset() {
  moved = false;
  painter.font = fontOf(13);
  const widest = (texts) => texts.reduce((most, text) => Math.max(most, painter.measureText(text).width), 0);
  left = Math.min(holder.clientWidth * 0.45, Math.max(110, widest(shown.rows.slice(0, 400).map(rowText)) + 22));
  top = Math.min(holder.clientHeight * 0.35, Math.max(60, widest(shown.columns.slice(0, 400)) + 14));
  const width = holder.clientWidth - left - 8, height = holder.clientHeight - top - 8;
  scale = Math.min(width / Math.max(1, shown.columns.length), height / Math.max(1, shown.rows.length), 44);
  originX = left; originY = top;
  draw();
}

const fontOf = (size) => `${size}px system-ui, "DejaVu Sans", sans-serif`;
const raised = (n) => n === 1 ? "" : String(n).replace(/\d/g, (d) => "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[d]);
// Place and text of an equation; one that was differentiated says so.
function rowText(row) {
  const text = row.order > 0 ? `d${raised(row.order)}/dt${raised(row.order)} (${row.name})` : row.name;
  return `${row.where.replace(/^.*?:/, "")}  ${text}`;
}

function draw() {
  const ratio = window.devicePixelRatio || 1, width = holder.clientWidth, height = holder.clientHeight;
  canvas.width = width * ratio; canvas.height = height * ratio;
  painter.setTransform(ratio, 0, 0, ratio, 0, 0);
  painter.clearRect(0, 0, width, height);
  const x = j => originX + j * scale, y = i => originY + i * scale;
  const fill = { single: colour("--single"), linear: colour("--linear"), nonlinear: colour("--nonlinear"), wrong: colour("--wrong") };
  painter.save();
  painter.beginPath(); painter.rect(left, top, width, height); painter.clip();
  for (const [row, column, rows, columns, kind] of shown.blocks) {
    if (y(row) > height || y(row + rows) < top) continue;
    painter.fillStyle = fill[kind];
    painter.fillRect(x(column), y(row), Math.max(1, columns * scale), Math.max(1, rows * scale));
  }
  painter.strokeStyle = colour("--line");
  painter.lineWidth = 1;
  if (scale >= 8) {
    painter.beginPath();
    for (let i = 0; i <= shown.rows.length; ++i) { painter.moveTo(x(0), y(i)); painter.lineTo(x(shown.columns.length), y(i)); }
    for (let j = 0; j <= shown.columns.length; ++j) { painter.moveTo(x(j), y(0)); painter.lineTo(x(j), y(shown.rows.length)); }
    painter.stroke();
  } else {
    painter.strokeRect(x(0), y(0), shown.columns.length * scale, shown.rows.length * scale);
  }
  const plain = colour("--entry"), match = colour("--match");
  const size = scale >= 8 ? scale * 0.5 : Math.max(1, scale), shift = scale >= 8 ? scale * 0.25 : 0;
  for (const [i, j] of shown.entries) {
    const px = x(j) + shift, py = y(i) + shift;
    if (px > width || py > height || px < left - size || py < top - size) continue;
    painter.fillStyle = i === j && i < shown.matched ? match : plain;
    painter.fillRect(px, py, size, size);
  }
  if (pointer) {
    painter.strokeStyle = match;
    painter.strokeRect(x(0), y(pointer.i), shown.columns.length * scale, scale);
    painter.strokeRect(x(pointer.j), y(0), scale, shown.rows.length * scale);
  }
  painter.restore();
  names(x, y, width, height);
}

function names(x, y, width, height) {
  if (scale < 11) return;
  painter.fillStyle = colour("--text");
  painter.font = fontOf(Math.min(13, scale * 0.7));
  painter.textBaseline = "middle";
  painter.save();
  painter.beginPath(); painter.rect(0, top, left - 6, height); painter.clip();
  shown.rows.forEach((row, i) => {
    const py = y(i) + scale / 2;
    if (py > top - 10 && py < height + 10) painter.fillText(rowText(row), 8, py);
  });
  painter.restore();
  painter.save();
  painter.beginPath(); painter.rect(left, 0, width, top); painter.clip();
  shown.columns.forEach((name, j) => {
    const px = x(j) + scale / 2;
    if (px < left - 10 || px > width + 10) return;
    painter.save();
    painter.translate(px, top - 6);
    painter.rotate(-Math.PI / 2);
    painter.fillText(name, 0, 0);
    painter.restore();
  });
  painter.restore();
}

function times(n) { return n === 0 ? "" : n === 1 ? ", differentiated" : `, differentiated ${n} times`; }

canvas.addEventListener("pointermove", event => {
  const box = holder.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top;
  if (event.buttons & 1) {
    originX += event.movementX; originY += event.movementY; moved = true;
    pointer = null; tip.style.display = "none";
    draw();
    return;
  }
  const i = Math.floor((py - originY) / scale), j = Math.floor((px - originX) / scale);
  const row = shown.rows[i], column = shown.columns[j];
  pointer = row && column !== undefined ? { i, j } : null;
  tip.style.display = pointer ? "block" : "none";
  if (pointer) {
    const n = shown.cells.get(i * shown.columns.length + j) || 0;
    const block = shown.blocks.find(([r, c, rows, columns]) => i >= r && i < r + rows && j >= c && j < c + columns);
    tip.textContent = `${row.where}  ${row.name}${times(row.order)}\n${column}` +
      (shown.bin > 1 ? `\n${n} of the cells here are filled` : n ? (i === j && i < shown.matched ? ": determined by this equation" : ": occurs in it") : ": does not occur in it") +
      (block && block[5] ? `\n${block[5]}` : "");
    tip.style.left = Math.min(px + 16, holder.clientWidth - tip.offsetWidth - 6) + "px";
    tip.style.top = Math.min(py + 16, holder.clientHeight - tip.offsetHeight - 6) + "px";
  }
  draw();
});
canvas.addEventListener("pointerdown", event => canvas.setPointerCapture(event.pointerId));
canvas.addEventListener("pointerleave", () => { pointer = null; tip.style.display = "none"; draw(); });
canvas.addEventListener("dblclick", reset);
canvas.addEventListener("wheel", event => {
  event.preventDefault();
  const box = holder.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top;
  const next = Math.min(60, Math.max(0.02, scale * Math.exp(-event.deltaY * 0.0015)));
  originX = px - (px - originX) * next / scale;
  originY = py - (py - originY) * next / scale;
  scale = next;
  moved = true;
  draw();
}, { passive: false });
document.addEventListener("keydown", event => { if (event.key === "0") reset(); });
document.getElementById("reset").onclick = reset;
modeBox.onchange = problemBox.onchange = choose;
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
choose();
new ResizeObserver(() => moved ? draw() : reset()).observe(holder);
}
