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
// A part can fall into pieces that know their mode each: told once.
let events = data.events.map(([time, kind, what, where, part]) => ({ time, kind, what, where, part }));
const told = new Map();
events = events.filter((e) => e.kind !== "mode" || (told.get(e.part) !== e.what && told.set(e.part, e.what)));
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
