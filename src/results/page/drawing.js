// What a panel shows: grid, curves, events, cursor.

let kLeft = 56; // room for the labels of the values
const kRight = 10, kTop = 6, kBottom = 22;
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
  const margin = 0.06 * high - 0.06 * low;
  return [Math.max(low - margin, -Number.MAX_VALUE), Math.min(high + margin, Number.MAX_VALUE)];
}

// Where a value lies in a range, 0 to 1; also where its extent is no number any more.
function share(value, [low, high]) {
  const scale = Number.isFinite(high - low) ? 1 : 0.25;
  return (scale * value - scale * low) / (scale * high - scale * low);
}

function valueTicks(panel, range, height) {
  const boolean = panel.list.every((v) => v.boolean) && panel.y === null;
  return boolean ? { step: 1, list: [0, 1] } : ticks(range[0], range[1], height / 40);
}

// The range of each panel; all have the same left end, behind the widest label.
function makeRoom() {
  const [first, last] = visibleRows();
  let widest = 44;
  for (const panel of panels) {
    const { ctx, height } = prepare(panel.canvas);
    panel.range = rangeOf(panel, first, last);
    const ys = valueTicks(panel, panel.range, height - kTop - kBottom);
    for (const tick of ys.list) widest = Math.max(widest, ctx.measureText(tickText(tick, ys.step)).width);
  }
  kLeft = Math.ceil(widest) + 12;
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
    if (at === end && !pen && (at === last || !Number.isFinite(column[at + 1]))) { // alone: no line goes through it
      ctx.moveTo(x(times[at]) + 1.5, y(low));
      ctx.arc(x(times[at]), y(low), 1.5, 0, 7);
    } else if (end - at < 4) {
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
  const range = panel.range;
  const x = (t) => frame.left + (t - view[0]) / (view[1] - view[0]) * (frame.right - frame.left);
  const y = (v) => frame.bottom - share(v, range) * (frame.bottom - frame.top);
  ctx.lineWidth = 1;
  ctx.textBaseline = "middle";
  const crisp = (p) => Math.round(p) + 0.5;

  const ys = valueTicks(panel, range, frame.bottom - frame.top);
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
    makeRoom();
    panels.forEach((panel, i) => drawPanel(panel, i === panels.length - 1));
    drawModes();
    document.documentElement.dataset.drawn = "yes";
  });
}
