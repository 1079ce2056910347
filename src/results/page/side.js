// The side: the picker of variables and the list of events.

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
