#!/usr/bin/env python3
"""Lets the search of a built site work from a disk, without a server: `local_search.py SITE`.

A browser does not let a page from a disk load the index or start the worker that searches it. A script may be loaded, so both are put
into one, which every page asks for (site_theme/main.html), and the worker works in the page; where there is a server, nothing changes.
"""
import json
import pathlib
import sys

SCRIPT = """if (location.protocol === "file:") {
  window.__search = { index: Promise.resolve(@INDEX@) };
  // A worker that is none: what is posted to it and what it posts goes through a timer.
  window.Worker = class extends EventTarget {
    constructor() {
      super();
      this.inside = new EventTarget();
      const post = (data) => setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data })));
      const listen = (type, then) => this.inside.addEventListener(type, then);
      new Function("addEventListener", "postMessage", @SOURCE@)(listen, post);
    }
    postMessage(data) { setTimeout(() => this.inside.dispatchEvent(new MessageEvent("message", { data }))); }
    terminate() {}
  };
}
"""


def main():
    site = pathlib.Path(sys.argv[1])
    index = (site / "search" / "search_index.json").read_text("utf-8")
    (worker,) = (site / "assets" / "javascripts" / "workers").glob("search.*.js")
    source = worker.read_text("utf-8").replace("//# sourceMappingURL", "//")
    script = SCRIPT.replace("@SOURCE@", json.dumps(source)).replace("@INDEX@", index)
    (site / "search" / "local.js").write_text(script, "utf-8")


if __name__ == "__main__":
    main()
