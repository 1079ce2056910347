// The mode over time: a lane for each part of the model whose mode changes.

const kLane = 36, kLaneLabel = 15;
let lanes = [];
// What holds in a mode, without the name of the part, which stands above the lane.
function within(part, what) {
  const name = part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return what.replace(new RegExp("(?<![\\w.\\]])" + name + "\\.", "g"), "");
}
for (const { kind, time, what: full, part } of events) {
  if (kind !== "mode") continue;
  const what = within(part, full);
  let lane = lanes.find((l) => l.part === part);
  if (!lane) {
    lane = { part, changes: [], names: [] };
    lanes.push(lane);
  }
  if (!lane.names.includes(what)) lane.names.push(what);
  lane.changes.push({ time, what });
}
lanes = lanes.filter((lane) => lane.names.length > 1).slice(0, 12);
let modeCanvas = null;

function buildModes() {
  modeCanvas = null;
  if (lanes.length === 0 || panels.length === 0) return;
  const box = el("div", "panel modes");
  const holder = el("div", "holder");
  holder.style.height = holder.style.minHeight = kLane * lanes.length + 4 + "px";
  modeCanvas = el("canvas");
  modeCanvas.style.cursor = "default";
  modeCanvas.onpointermove = (e) => {
    const lane = lanes[Math.min(lanes.length - 1, Math.floor(e.offsetY / kLane))];
    const left = kLeft, right = modeCanvas.clientWidth - kRight;
    modeCanvas.title = modeAt(lane, view[0] + (e.offsetX - left) / (right - left) * (view[1] - view[0]));
  };
  holder.append(modeCanvas);
  box.append(holder);
  $("stack").append(box);
}

// The mode of a part from this time on.
function modeAt(lane, time) {
  let found = "";
  for (const change of lane.changes) if (change.time <= time) found = change.what;
  return found;
}

function drawModes() {
  if (modeCanvas === null) return;
  const { ctx, width } = prepare(modeCanvas);
  const frame = { left: kLeft, right: width - kRight };
  const x = (t) => frame.left + (t - view[0]) / (view[1] - view[0]) * (frame.right - frame.left);
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  lanes.forEach((lane, row) => {
    const top = kLane * row + kLaneLabel, height = kLane - kLaneLabel - 3;
    ctx.fillStyle = color("--soft");
    const at = cursor < 0 ? "" : ": " + modeAt(lane, times[cursor]);
    ctx.fillText(shorten(ctx, "mode of " + lane.part + at, frame.right - frame.left), frame.left, top - kLaneLabel / 2);
    ctx.save();
    ctx.beginPath();
    ctx.rect(frame.left, top, frame.right - frame.left, height);
    ctx.clip();
    lane.changes.forEach((change, i) => {
      const from = Math.max(x(change.time), frame.left);
      const to = Math.min(i + 1 < lane.changes.length ? x(lane.changes[i + 1].time) : x(full[1]), frame.right);
      if (to <= from) return;
      ctx.fillStyle = modePalette[lane.names.indexOf(change.what) % modePalette.length];
      ctx.fillRect(from, top, Math.max(to - from, 1), height);
      if (to - from < 30) return;
      ctx.fillStyle = "#111";
      ctx.fillText(shorten(ctx, change.what, to - from - 8), from + 4, top + height / 2);
    });
    ctx.restore();
  });
}

// The text, cut to a width.
function shorten(ctx, text, width) {
  if (ctx.measureText(text).width <= width) return text;
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ctx.measureText(text.slice(0, middle) + "\u2026").width <= width) low = middle; else high = middle - 1;
  }
  return low === 0 ? "" : text.slice(0, low) + "\u2026";
}
