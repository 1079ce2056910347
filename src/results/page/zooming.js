// Zooming, moving, pointing, and the keys for it.

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
