// Colours for χ, which the site's highlighter does not know, and plots of a terminal whose dots keep to their columns whatever the fonts.
(() => {
  const keywords = "type const func proc sys syst clus xper ref bool nat int real string void set dict true false inf and or not div mod in if then else skip delta nabla terminate ret time sample impulse";
  const pieces = new RegExp([
    /(?<c1>\/\/.*)/, /(?<s>"(?:[^"\\]|\\.)*")/, /(?<mf>\b\d+(?:\.\d+)?(?:[eE][-+]?\d+)?\b)/,
    RegExp("\\b(?<k>" + keywords.split(" ").join("|") + ")\\b"), /(?<o>:=|->|<-|\|\[|\]\|)/,
  ].map((r) => r.source).join("|"), "g");

  function span(kind, text) {
    const node = document.createElement("span");
    node.className = kind;
    node.textContent = text;
    return node;
  }

  function colour(code) {
    const text = code.textContent, parts = [];
    let end = 0;
    for (const match of text.matchAll(pieces)) {
      const [kind] = Object.entries(match.groups).find(([, found]) => found !== undefined);
      parts.push(text.slice(end, match.index), span(kind, match[0]));
      end = match.index + match[0].length;
    }
    code.replaceChildren(...parts, text.slice(end));
  }

  // How much narrower than its glyph a cell of dots is.
  function squeeze(code) {
    const ctx = document.createElement("canvas").getContext("2d");
    ctx.font = getComputedStyle(code).font;
    return ctx.measureText("00000000").width / ctx.measureText("\u28ff".repeat(8)).width;
  }

  function align(code) {
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT), nodes = [];
    while (walker.nextNode()) if (/[\u2800-\u28ff]/.test(walker.currentNode.data)) nodes.push(walker.currentNode);
    code.style.setProperty("--squeeze", squeeze(code));
    for (const node of nodes)
      node.replaceWith(...node.data.split(/([\u2800-\u28ff])/).map((t) => /^[\u2800-\u28ff]$/.test(t) ? span("dots", t) : t));
  }

  for (const code of document.querySelectorAll(".language-text code"))
    if (/^(proc|sys|xper|func|const|type)\b/m.test(code.textContent) && /\|\[|->/.test(code.textContent)) colour(code);
  for (const code of document.querySelectorAll("pre code")) if (/[\u2800-\u28ff]/.test(code.textContent)) align(code);
})();
