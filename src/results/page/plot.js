"use strict";
// Draws a trace: stacked panels over one time axis. Everything is in this page.
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);

function decode(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Float64Array.from({ length: bytes.length / 8 }, (_, i) => view.getFloat64(8 * i, true));
}

const times = decode(data.times);
const rows = times.length;
const full = rows > 0 ? [times[0], times[rows - 1]] : [0, 1];
if (full[1] <= full[0]) full[1] = full[0] + 1;
const variables = data.variables.map((v, index) => {
  const column = v.d === undefined ? new Float64Array(rows).fill(v.c === null ? NaN : v.c) : decode(v.d);
  let low = Infinity, high = -Infinity;
  for (const x of column) {
    if (x < low && Number.isFinite(x)) low = x;
    if (x > high && Number.isFinite(x)) high = x;
  }
  if (low > high) low = high = 0;
  return { index, name: v.n, boolean: v.k === 2, column, low, high, panel: null, hidden: false, color: 0 };
});

// Events: those of the run's log, or, without one, the times that stand twice.
let events = data.events.map(([time, kind, what, where, part]) => ({ time, kind, what, where, part }));
if (events.length === 0) {
  for (let i = 1; i < rows; ++i) {
    if (times[i] === times[i - 1] && (events.length === 0 || events[events.length - 1].time !== times[i]))
      events.push({ time: times[i], kind: "event", what: "values change", where: "", part: "" });
  }
}
const kinds = [...new Set(events.map((e) => e.kind))].sort();
const kindOff = new Set();

const palettes = {
  light: ["#0072b2", "#d55e00", "#009e73", "#b4458f", "#b58900", "#3aa0da", "#6b4fbb", "#4d4d4d"],
  dark: ["#5ab4f0", "#ff8c42", "#3fd0a4", "#e58bc0", "#f0c24b", "#9ad1f5", "#b39dff", "#c8ccd2"],
};
const modePalette = ["#7aa6d8", "#e3a57f", "#84c7a8", "#cfa0c0", "#d9c27a", "#a79be0"];
let theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";

let view = full.slice();
let cursor = -1; // row under the pointer
let marksOn = events.length > 0;
let panels = [];

// ---- numbers ----

function niceStep(rough) {
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  const f = rough / power;
  return power * (f < 1.5 ? 1 : f < 3.5 ? 2 : f < 7.5 ? 5 : 10);
}

function ticks(low, high, count) {
  const step = niceStep((high - low) / Math.max(1, count));
  const list = [];
  for (let k = Math.ceil(low / step - 1e-9); k <= high / step + 1e-9; ++k) list.push(k * step);
  return { step, list };
}

function tickText(value, step) {
  if (Math.abs(value) < step * 1e-6) return "0";
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  if (decimals <= 5 && Math.abs(value) < 1e6) return value.toFixed(decimals).replace("-", "\u2212");
  const digits = Math.max(1, Math.floor(Math.log10(Math.abs(value))) - Math.floor(Math.log10(step) + 1e-9) + 1);
  return shortExponent(value.toPrecision(Math.min(digits, 17)));
}

function shortExponent(text) {
  return text.replace(/\.?0+e/, "e").replace("e+", "e").replace(/-/g, "\u2212");
}

function valueText(value) {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value).replace("-", "\u2212");
  return shortExponent(String(Number(value.toPrecision(7))));
}

// The first row whose time is not below t.
function lowerBound(t) {
  let low = 0, high = rows;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < t) low = middle + 1; else high = middle;
  }
  return low;
}

// ---- panels ----

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

// ---- modes: a lane a part ----

const lanes = [];
for (const event of events) {
  if (event.kind !== "mode") continue;
  let lane = lanes.find((l) => l.part === event.part);
  if (!lane) {
    if (lanes.length >= 12) continue;
    lane = { part: event.part, changes: [], names: [] };
    lanes.push(lane);
  }
  if (!lane.names.includes(event.what)) lane.names.push(event.what);
  lane.changes.push({ time: event.time, what: event.what });
}
let modeCanvas = null;

function buildModes() {
  modeCanvas = null;
  if (lanes.length === 0 || panels.length === 0) return;
  const box = el("div", "panel modes");
  const holder = el("div", "holder");
  holder.style.height = holder.style.minHeight = 20 * lanes.length + 6 + "px";
  modeCanvas = el("canvas");
  modeCanvas.style.cursor = "default";
  holder.append(modeCanvas);
  box.append(holder);
  $("stack").append(box);
}

function drawModes() {
  if (modeCanvas === null) return;
  const { ctx, width } = prepare(modeCanvas);
  const frame = { left: kLeft, right: width - kRight };
  const x = (t) => frame.left + (t - view[0]) / (view[1] - view[0]) * (frame.right - frame.left);
  ctx.textBaseline = "middle";
  lanes.forEach((lane, row) => {
    const top = 3 + 20 * row;
    ctx.save();
    ctx.beginPath();
    ctx.rect(frame.left, top, frame.right - frame.left, 18);
    ctx.clip();
    lane.changes.forEach((change, i) => {
      const from = Math.max(x(change.time), frame.left);
      const to = Math.min(i + 1 < lane.changes.length ? x(lane.changes[i + 1].time) : x(full[1]), frame.right);
      if (to <= from) return;
      ctx.fillStyle = modePalette[lane.names.indexOf(change.what) % modePalette.length];
      ctx.fillRect(from, top, Math.max(to - from, 1), 17);
      if (ctx.measureText(change.what).width + 8 < to - from) {
        ctx.fillStyle = "#111";
        ctx.textAlign = "left";
        ctx.fillText(change.what, from + 4, top + 9);
      }
    });
    ctx.restore();
    ctx.fillStyle = color("--soft");
    ctx.textAlign = "right";
    ctx.fillText(shorten(ctx, lane.part || "mode", kLeft - 10), kLeft - 6, top + 9);
  });
}

function shorten(ctx, text, width) {
  while (text.length > 2 && ctx.measureText(text).width > width) text = text.slice(0, -2) + "\u2026";
  return text;
}

// ---- drawing ----

const kLeft = 56, kRight = 10, kTop = 6, kBottom = 22;
let style = null;
const color = (name) => (style ||= getComputedStyle(document.documentElement)).getPropertyValue(name).trim();

function prepare(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  ctx.font = "12px system-ui, 'DejaVu Sans', sans-serif";
  return { ctx, width, height };
}

// Rows that are seen, and one more on both sides, so that lines leave the picture.
function visibleRows() {
  let first = Math.max(0, lowerBound(view[0]) - 1);
  while (first > 0 && times[first - 1] === times[first]) --first;
  let last = lowerBound(view[1]);
  while (last < rows - 1 && times[last + 1] === times[last]) ++last;
  return [first, Math.min(rows - 1, last)];
}

function rangeOf(panel, first, last) {
  if (panel.y !== null) return panel.y;
  let low = Infinity, high = -Infinity;
  for (const v of panel.list) {
    if (v.hidden) continue;
    if (first === 0 && last === rows - 1) { // all of it
      low = Math.min(low, v.low);
      high = Math.max(high, v.high);
      continue;
    }
    for (let i = first; i <= last; ++i) {
      const x = v.column[i];
      if (x < low && Number.isFinite(x)) low = x;
      if (x > high && Number.isFinite(x)) high = x;
    }
  }
  if (low > high) return [0, 1];
  if (high - low < 1e-12 * Math.max(Math.abs(low), Math.abs(high)) || high === low) {
    const around = low === 0 ? 1 : Math.abs(low) * 0.1;
    return [low - around, high + around];
  }
  const margin = 0.06 * (high - low);
  return [low - margin, high + margin];
}

// A line through all points; where several share a column of pixels, through the first, the least,
// the greatest and the last of them: no peak is lost, and the work goes with the width.
function drawCurve(ctx, column, first, last, x, y) {
  ctx.beginPath();
  let pen = false;
  let at = first;
  while (at <= last) {
    const px = Math.round(x(times[at]));
    let low = column[at], high = low, lowAt = at, highAt = at, end = at;
    if (!Number.isFinite(low)) {
      pen = false;
      ++at;
      continue;
    }
    while (end < last && Math.round(x(times[end + 1])) === px && Number.isFinite(column[end + 1])) {
      ++end;
      const value = column[end];
      if (value < low) { low = value; lowAt = end; }
      if (value > high) { high = value; highAt = end; }
    }
    if (end - at < 4) {
      for (let i = at; i <= end; ++i) pen = stroke(ctx, pen, x(times[i]), y(column[i]));
    } else {
      pen = stroke(ctx, pen, x(times[at]), y(column[at]));
      for (const i of lowAt < highAt ? [lowAt, highAt] : [highAt, lowAt]) pen = stroke(ctx, pen, x(times[i]), y(column[i]));
      pen = stroke(ctx, pen, x(times[end]), y(column[end]));
    }
    at = end + 1;
  }
  ctx.stroke();
}

function stroke(ctx, pen, px, py) {
  const clamped = Math.max(-1e6, Math.min(1e6, py));
  if (pen) ctx.lineTo(px, clamped); else ctx.moveTo(px, clamped);
  return true;
}

function drawPanel(panel, isLast) {
  const { ctx, width, height } = prepare(panel.canvas);
  const frame = { left: kLeft, right: width - kRight, top: kTop, bottom: height - kBottom };
  panel.frame = frame;
  const [first, last] = visibleRows();
  const range = rangeOf(panel, first, last);
  panel.range = range;
  const x = (t) => frame.left + (t - view[0]) / (view[1] - view[0]) * (frame.right - frame.left);
  const y = (v) => frame.bottom - (v - range[0]) / (range[1] - range[0]) * (frame.bottom - frame.top);
  ctx.lineWidth = 1;
  ctx.textBaseline = "middle";
  const crisp = (p) => Math.round(p) + 0.5;

  const allBoolean = panel.list.every((v) => v.boolean) && panel.y === null;
  const ys = allBoolean ? { step: 1, list: [0, 1] } : ticks(range[0], range[1], (frame.bottom - frame.top) / 40);
  ctx.strokeStyle = color("--line");
  ctx.fillStyle = color("--soft");
  ctx.textAlign = "right";
  ctx.beginPath();
  for (const tick of ys.list) {
    const py = y(tick);
    if (py < frame.top - 1 || py > frame.bottom + 1) continue;
    ctx.moveTo(frame.left, crisp(py));
    ctx.lineTo(frame.right, crisp(py));
    ctx.fillText(tickText(tick, ys.step), frame.left - 6, py);
  }
  const xs = ticks(view[0], view[1], (frame.right - frame.left) / 90);
  ctx.textAlign = "center";
  for (const tick of xs.list) {
    const px = x(tick);
    ctx.moveTo(crisp(px), frame.top);
    ctx.lineTo(crisp(px), frame.bottom);
    const text = tickText(tick, xs.step), half = ctx.measureText(text).width / 2;
    ctx.fillText(text, Math.min(px, width - half - 1), frame.bottom + 12);
  }
  ctx.stroke();

  if (marksOn) drawMarks(ctx, frame, x);

  ctx.save();
  ctx.beginPath();
  ctx.rect(frame.left, frame.top - 1, frame.right - frame.left, frame.bottom - frame.top + 2);
  ctx.clip();
  ctx.lineJoin = "round";
  ctx.lineWidth = 1.6;
  for (const v of panel.list) {
    v.swatch.parentNode.style.color = palettes[theme][v.color];
    if (v.hidden || rows === 0) continue;
    ctx.strokeStyle = palettes[theme][v.color];
    drawCurve(ctx, v.column, first, last, x, y);
  }
  ctx.restore();
  ctx.lineWidth = 1;
  ctx.strokeStyle = color("--strong");
  ctx.strokeRect(crisp(frame.left), crisp(frame.top), Math.round(frame.right - frame.left) - 1, Math.round(frame.bottom - frame.top) - 1);
  if (isLast) {
    ctx.textAlign = "right";
    ctx.fillText("time", frame.left - 6, frame.bottom + 12);
  }
  if (cursor >= 0) drawCursor(ctx, panel, frame, x, y);
}

function drawMarks(ctx, frame, x) {
  const seen = events.filter((e) => e.time >= view[0] && e.time <= view[1] && !kindOff.has(e.kind));
  const dense = seen.length > (frame.right - frame.left) / 8; // then short ones only
  ctx.strokeStyle = color("--mark");
  ctx.globalAlpha = dense ? 0.6 : 0.45;
  ctx.setLineDash(dense ? [] : [3, 3]);
  ctx.beginPath();
  let lastPixel = -1;
  for (const event of seen) {
    const px = Math.round(x(event.time));
    if (px === lastPixel) continue;
    lastPixel = px;
    ctx.moveTo(px + 0.5, dense ? frame.bottom - 6 : frame.top);
    ctx.lineTo(px + 0.5, frame.bottom);
  }
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.globalAlpha = 1;
}

function drawCursor(ctx, panel, frame, x, y) {
  const px = x(times[cursor]);
  if (px < frame.left - 1 || px > frame.right + 1) return;
  ctx.strokeStyle = color("--soft");
  ctx.beginPath();
  ctx.moveTo(Math.round(px) + 0.5, frame.top);
  ctx.lineTo(Math.round(px) + 0.5, frame.bottom);
  ctx.stroke();
  for (const v of panel.list) {
    const value = v.column[cursor];
    const py = y(value);
    if (v.hidden || !Number.isFinite(value) || py < frame.top - 4 || py > frame.bottom + 4) continue;
    ctx.fillStyle = palettes[theme][v.color];
    ctx.beginPath();
    ctx.arc(px, py, 3.5, 0, 7);
    ctx.fill();
  }
}

// The values at the cursor, in the legends; where an event is, before and after it.
function showValues() {
  let first = cursor, last = cursor;
  if (cursor >= 0) {
    while (first > 0 && times[first - 1] === times[cursor]) --first;
    while (last < rows - 1 && times[last + 1] === times[cursor]) ++last;
  }
  for (const panel of panels) {
    for (const v of panel.list) {
      if (cursor < 0) { v.valueNode.textContent = ""; continue; }
      const before = valueText(v.column[first]), after = valueText(v.column[last]);
      v.valueNode.textContent = before === after ? after : before + " \u2192 " + after;
    }
  }
  const grain = niceStep((view[1] - view[0]) / 2000); // what can be told apart in this view
  const ends = view.map((t) => valueText(Math.abs(t) < grain ? 0 : Number(t.toPrecision(Math.min(17, Math.max(1, Math.ceil(Math.log10(Math.abs(t) / grain))))))));
  $("span").textContent = "t = " + (cursor < 0 ? ends.join(" \u2026 ") : valueText(times[cursor]));
}

let pending = false;
function draw() {
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => {
    pending = false;
    showValues(); // first: it can change the height of a legend
    panels.forEach((panel, i) => drawPanel(panel, i === panels.length - 1));
    drawModes();
    document.documentElement.dataset.drawn = "yes";
  });
}

// ---- zooming and moving ----

function setView(from, to) {
  const least = 1e-12 * Math.max(Math.abs(full[0]), Math.abs(full[1]), full[1] - full[0]);
  let width = Math.min(Math.max(to - from, least), full[1] - full[0]);
  from = Math.max(full[0], Math.min(from, full[1] - width));
  view = [from, from + width];
  listEventsSoon();
  draw();
}

function showAll() {
  for (const panel of panels) panel.y = null;
  setView(full[0], full[1]);
}

function timeAt(panel, px) {
  const f = panel.frame;
  return view[0] + (px - f.left) / (f.right - f.left) * (view[1] - view[0]);
}
function valueAt(panel, py) {
  const f = panel.frame;
  return panel.range[0] + (f.bottom - py) / (f.bottom - f.top) * (panel.range[1] - panel.range[0]);
}

function listen(panel) {
  const canvas = panel.canvas;
  let drag = null, band = null;
  const clampX = (px) => Math.max(panel.frame.left, Math.min(panel.frame.right, px));
  const clampY = (py) => Math.max(panel.frame.top, Math.min(panel.frame.bottom, py));
  canvas.onwheel = (e) => {
    e.preventDefault();
    const factor = Math.pow(1.0015, e.shiftKey && e.deltaY === 0 ? e.deltaX : e.deltaY);
    if (e.shiftKey) {
      const at = valueAt(panel, clampY(e.offsetY));
      panel.y = panel.range.map((v) => at + (v - at) * factor);
      draw();
    } else if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
      const by = e.deltaX / (panel.frame.right - panel.frame.left) * (view[1] - view[0]);
      setView(view[0] + by, view[1] + by);
    } else {
      const at = timeAt(panel, clampX(e.offsetX));
      setView(at + (view[0] - at) * factor, at + (view[1] - at) * factor);
    }
  };
  canvas.onpointerdown = (e) => {
    if (e.button > 1) return;
    canvas.setPointerCapture(e.pointerId);
    const pan = e.shiftKey || e.button === 1 || e.pointerType === "touch";
    drag = { x: clampX(e.offsetX), y: clampY(e.offsetY), rawX: e.offsetX, rawY: e.offsetY, pan, view: view.slice(), range: panel.range.slice() };
    if (e.button === 1) e.preventDefault();
  };
  canvas.onpointermove = (e) => {
    if (drag === null) { point(panel, e.offsetX); return; }
    if (drag.pan) {
      const f = panel.frame;
      const by = (drag.rawX - e.offsetX) / (f.right - f.left) * (drag.view[1] - drag.view[0]);
      const up = (e.offsetY - drag.rawY) / (f.bottom - f.top) * (drag.range[1] - drag.range[0]);
      if (Math.abs(e.offsetY - drag.rawY) > 12 || panel.y !== null) panel.y = drag.range.map((v) => v + up);
      setView(drag.view[0] + by, drag.view[1] + by);
      return;
    }
    const box = selection(e);
    if (band === null) { band = el("div", "band"); panel.holder.append(band); }
    Object.assign(band.style, { left: box.left + "px", top: box.top + "px", width: box.right - box.left + "px", height: box.bottom - box.top + "px" });
  };
  // What is dragged over: a stretch of time, or, when the pointer goes well up or down, a box.
  function selection(e) {
    const px = clampX(e.offsetX), py = clampY(e.offsetY), f = panel.frame;
    const boxed = Math.abs(py - drag.y) > 30;
    return { left: Math.min(px, drag.x), right: Math.max(px, drag.x), boxed,
             top: boxed ? Math.min(py, drag.y) : f.top, bottom: boxed ? Math.max(py, drag.y) : f.bottom };
  }
  canvas.onpointerup = (e) => {
    if (drag !== null && !drag.pan) {
      const box = selection(e);
      if (box.right - box.left > 4) {
        const from = timeAt(panel, box.left), to = timeAt(panel, box.right);
        if (box.boxed) panel.y = [valueAt(panel, box.bottom), valueAt(panel, box.top)];
        setView(from, to);
      }
    }
    endDrag();
  };
  canvas.onpointercancel = endDrag;
  function endDrag() {
    drag = null;
    if (band !== null) band.remove();
    band = null;
  }
  canvas.onpointerleave = () => { if (drag === null) { cursor = -1; draw(); } };
  canvas.ondblclick = showAll;
}

// The cursor goes to the row that is nearest in time.
function point(panel, px) {
  if (rows === 0) return;
  const t = timeAt(panel, px);
  const after = Math.min(lowerBound(t), rows - 1), before = Math.max(after - 1, 0);
  const next = t - times[before] < times[after] - t ? before : after;
  if (next !== cursor) { cursor = next; draw(); }
}

document.onkeydown = (e) => {
  if (e.target.tagName === "INPUT" || e.target.tagName === "SELECT" || e.ctrlKey || e.metaKey || e.altKey) return;
  const width = view[1] - view[0], middle = (view[0] + view[1]) / 2;
  if (e.key === "ArrowLeft") setView(view[0] - width / 8, view[1] - width / 8);
  else if (e.key === "ArrowRight") setView(view[0] + width / 8, view[1] + width / 8);
  else if (e.key === "+" || e.key === "=") setView(middle - width / 3, middle + width / 3);
  else if (e.key === "-") setView(middle - width * 0.75, middle + width * 0.75);
  else if (e.key === "0" || e.key === "Home") showAll();
  else if (e.key === "e") $("marks").click();
  else if (e.key === "v") $("side").click();
  else return;
  e.preventDefault();
};

// ---- the side: variables and events ----

function glob(text) {
  const pattern = text.replace(/[.+^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".");
  return new RegExp(/[*?]/.test(text) ? "^" + pattern + "$" : pattern, "i");
}

function listVariables() {
  const wanted = glob($("filter").value.trim());
  const found = variables.filter((v) => wanted.test(v.name));
  const list = $("vars");
  list.replaceChildren();
  for (const v of found.slice(0, 400)) {
    const item = el("li"), label = el("label"), box = el("input");
    box.type = "checkbox";
    box.checked = v.panel !== null;
    box.onchange = () => { if (box.checked) show(v); else removeFrom(v); rebuild(); };
    label.append(box, el("span", "", v.name));
    item.append(label);
    if (v.panel !== null) {
      const choice = el("select");
      choice.title = "In which panel";
      panels.forEach((p, i) => choice.append(new Option(String(i + 1), String(i), false, p === v.panel)));
      choice.append(new Option("new", "new"));
      choice.onchange = () => { addTo(choice.value === "new" ? newPanel() : panels[Number(choice.value)], v); rebuild(); };
      item.append(choice);
    }
    list.append(item);
  }
  if (found.length > 400) list.append(el("li", "more", found.length - 400 + " more; filter to find them"));
  if (found.length === 0) list.append(el("li", "more", "none of that name"));
}

let listing = false;
function listEventsSoon() {
  if (listing) return;
  listing = true;
  setTimeout(() => { listing = false; listEvents(); }, 60);
}

function listEvents() {
  if ($("pane-events").hidden) return;
  const seen = events.filter((e) => e.time >= view[0] && e.time <= view[1] && !kindOff.has(e.kind));
  const list = $("events");
  list.replaceChildren();
  for (const event of seen.slice(0, 400)) {
    const item = el("li");
    item.append(el("span", "k", event.kind), el("span", "t", "t = " + valueText(event.time)));
    item.append(el("span", "w", event.what + (event.part ? "  (" + event.part + ")" : "")));
    if (event.where) item.title = event.where;
    item.onclick = () => {
      const width = Math.min(view[1] - view[0], (full[1] - full[0]) / 10);
      cursor = lowerBound(event.time);
      if (cursor >= rows) cursor = rows - 1;
      setView(event.time - width / 2, event.time + width / 2);
    };
    list.append(item);
  }
  if (seen.length > 400) list.append(el("li", "more", seen.length - 400 + " more in this stretch of time; zoom in"));
  if (seen.length === 0) list.append(el("li", "more", "none in this stretch of time"));
  if (data.left_out > 0) list.append(el("li", "more", data.left_out + " events at the end of the run are not in this page"));
}

for (const kind of kinds) {
  const button = el("button", "", kind);
  button.setAttribute("aria-pressed", "true");
  button.onclick = () => {
    if (!kindOff.delete(kind)) kindOff.add(kind);
    button.setAttribute("aria-pressed", String(!kindOff.has(kind)));
    listEvents();
    draw();
  };
  $("kinds").append(button);
}

function choose(tab) {
  for (const name of ["vars", "events"]) {
    $("pane-" + name).hidden = name !== tab;
    $("tab-" + name).setAttribute("aria-pressed", String(name === tab));
  }
  listEvents();
}
$("tab-vars").onclick = () => choose("vars");
$("tab-events").onclick = () => choose("events");
$("filter").oninput = listVariables;

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
