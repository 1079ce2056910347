// Numbers as people read them, and times as rows.

function niceStep(rough) {
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  const f = rough / power;
  return power * (f < 1.5 ? 1 : f < 3.5 ? 2 : f < 7.5 ? 5 : 10);
}

function ticks(low, high, count) {
  const step = niceStep(high / Math.max(1, count) - low / Math.max(1, count));
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
