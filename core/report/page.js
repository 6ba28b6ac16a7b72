"use strict";
(() => {
  const $ = (sel, root = document) => root.querySelector(sel);
  const $$ = (sel, root = document) => [...root.querySelectorAll(sel)];
  const words = text => text.toLowerCase();
  const digits = text => text === "?" ? -1 : Number(text.replace(/,/g, ""));
  const grouped = n => n.toLocaleString("en-US");
  const PAGE = 400, W = 1200, H = 640, LINE = 14, LETTER = 6.65, LEAST = 480;
  const COLUMN = {resident: 3, deferred: 4, demand: 5};
  const query = $("#q"), said = $("#said");
  $$(".js").forEach(e => { e.hidden = false; });

  // A host is its section with the rows of its table, as they stand there.
  const hosts = $$(".host").map(section => {
    const table = $("table.all", section);
    const rows = $$("tbody tr", table).map((tr, i) => ({
      tr, i, id: tr.id, origin: Number(tr.dataset.o), shown: true,
      text: words([$("th", tr).title, ...[...tr.cells].map(c => c.textContent)].join("\n")),
    }));
    const byOrigin = [];
    for (const r of rows) (byOrigin[r.origin] ??= []).push(r);
    return {section, table, rows, byOrigin, n: table.dataset.h, most: PAGE, drill: -1,
      byID: new Map(rows.map(r => [r.id, r])), more: $(".records .more", section)};
  });
  const cost = (r, measure) => digits(r.tr.cells[COLUMN[measure]].textContent);
  const measure = () => $("input[name=m]:checked").id.slice(2);

  // Search.
  function filter() {
    // Every word has to be there; words in quotes, as they stand.
    const wanted = [...words(query.value).matchAll(/"([^"]+)"|[^\s"]+/g)].map(m => m[1] ?? m[0]);
    let found = 0, all = 0;
    for (const h of hosts) {
      for (const r of h.rows) {
        r.shown = wanted.every(w => r.text.includes(w));
        found += r.shown;
      }
      all += h.rows.length;
      page(h);
      $$("figure svg", h.section).forEach(svg => dim(h, svg, wanted.length > 0));
    }
    said.textContent = wanted.length ? `${grouped(found)} of ${grouped(all)} records` : "";
  }

  // page shows as many of the rows that were found as a reader can take in.
  function page(h) {
    let n = 0;
    for (const r of h.rows) r.tr.hidden = !r.shown || ++n > h.most;
    h.more.hidden = n <= h.most;
    $("button", h.more).textContent = `Show all ${grouped(n)} records`;
  }

  // dim takes back the cells that nothing was found in.
  function dim(h, svg, searching) {
    const own = new Set(), drawn = new Set(), several = [];
    for (const a of $$("a.c", svg)) {
      const href = a.getAttribute("href"), r = h.byID.get(href.slice(1));
      if (r) { own.add(r.i); drawn.add(r.origin); a.classList.toggle("off", !r.shown); continue; }
      several.push(a);
      if (/o\d+$/.test(href)) drawn.add(Number(/o(\d+)$/.exec(href)[1]));
    }
    const m = svg.closest("figure").dataset.m;
    for (const a of several) {
      // The last box stands for the origins that have none, or for the host's words.
      const at = /o(\d+)$/.exec(a.getAttribute("href")), rest = a.classList.contains("more");
      let n = 0;
      for (const r of at ? h.byOrigin[at[1]] ?? [] : rest ? h.rows : []) {
        n += r.shown && (at || !drawn.has(r.origin)) && !own.has(r.i) && cost(r, m) > 0;
      }
      a.classList.toggle("off", searching && n === 0);
      const label = $("text", a);
      if (!label) continue;
      label.dataset.was ??= label.textContent;
      label.textContent = searching && n ? `${n} match` : label.dataset.was;
    }
  }

  // Sorting.
  for (const h of hosts) $$("thead th", h.table).forEach((th, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = th.textContent.trim();
    th.replaceChildren(button);
    button.addEventListener("click", () => {
      const numeric = th.classList.contains("n");
      const up = th.hasAttribute("aria-sort") ? th.getAttribute("aria-sort") === "descending" : !numeric;
      $$("thead th", h.table).forEach(t => t.removeAttribute("aria-sort"));
      th.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = new Map(h.rows.map(r => [r, numeric ? digits(r.tr.cells[column].textContent) : words(r.tr.cells[column].textContent)]));
      const sign = up ? 1 : -1;
      h.rows.sort((a, b) => { const x = key.get(a), y = key.get(b); return x < y ? -sign : x > y ? sign : a.i - b.i; });
      $("tbody", h.table).append(...h.rows.map(r => r.tr));
      page(h);
    });
  });

  // The records of one origin, drawn when somebody asks.
  const make = (name, attributes, ...inside) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const k in attributes) e.setAttribute(k, attributes[k]);
    e.append(...inside);
    return e;
  };
  const sum = all => all.reduce((n, v) => n + v.cost, 0);
  // place halves values of like weight until each has a box of its own.
  function place(all, x, y, w, h, draw) {
    if (all.length === 1) return draw(all[0], x, y, w, h);
    const half = sum(all) / 2;
    let n = 0, first = 0;
    do first += all[n++].cost; while (n < all.length - 1 && first + all[n].cost / 2 < half);
    const part = first / (half * 2);
    if (w >= h) {
      place(all.slice(0, n), x, y, w * part, h, draw);
      place(all.slice(n), x + w * part, y, w * (1 - part), h, draw);
    } else {
      place(all.slice(0, n), x, y, w, h * part, draw);
      place(all.slice(n), x, y + h * part, w, h * (1 - part), draw);
    }
  }
  const letters = Object.fromEntries($$(".legend .by-authority li").map(li => [$("svg", li).classList[1], li.textContent.trim()[0]]));
  const cut = (text, n) => { const c = [...text]; return c.length <= n ? text : n < 4 ? "" : c.slice(0, n - 1).join("") + "…"; };
  function drill(h, origin) {
    h.drill = origin;
    const figure = $(".drill", h.section), m = measure(), maps = $(".maps", h.section);
    figure.hidden = origin < 0;
    $$(".map", maps).forEach(f => { f.hidden = origin >= 0; });
    if (origin < 0) return figure.replaceChildren();
    const name = $(`#h${h.n}o${origin} bdi`).textContent;
    let all = (h.byOrigin[origin] ?? []).map(r => ({r, cost: cost(r, m)})).filter(v => v.cost > 0).sort((a, b) => b.cost - a.cost);
    const total = sum(all), n = all.findIndex(v => v.cost / total * W * H < LEAST);
    if (n > 0) all = [...all.slice(0, n), {rest: all.slice(n), cost: sum(all.slice(n))}];
    const back = document.createElement("button");
    back.type = "button";
    back.textContent = "← All origins";
    back.addEventListener("click", () => { drill(h, -1); filter(); const a = $(`.m-${measure()} a[href="#h${h.n}o${origin}"]`, maps); if (a) a.focus(); });
    const head = document.createElement("figcaption"), title = document.createElement("b"), about = document.createElement("span");
    title.textContent = name;
    about.textContent = `${grouped(total)} tokens: ${$("#m-" + m + "+span").textContent.toLowerCase()}`;
    const left = $(`#h${h.n}o${origin} small`);
    if (left) about.textContent += `, ${left.textContent}`;
    head.append(title, about, back);
    const svg = make("svg", {viewBox: `0 0 ${W} ${H}`, role: "group", "aria-label": `Map of ${name}`});
    if (all.length) place(all, 0, 0, W, H, (v, x, y, w, hh) => {
      w = Math.max(0, w - 2); hh = Math.max(0, hh - 2);
      const size = {width: w, height: hh}, r = v.r;
      const cells = r && r.tr.cells, tier = r && $(".tag", r.tr).textContent;
      const label = r ? $("bdi", cells[0]).textContent : `${grouped(v.rest.length)} more`;
      const lines = r ? [label, `${grouped(v.cost)} ${tier}`, cells[7].textContent] : [label, `${grouped(v.cost)} tokens`];
      const a = make("a", {class: r ? "c " + r.tr.className : "c more", transform: `translate(${x + 1} ${y + 1})`, href: r ? "#" + r.id : `#h${h.n}o${origin}`},
        make("title", {}, r ? `${label}: ${lines.slice(1).join(", ")}` : lines.join(": ")), make("rect", size), make("rect", {class: "p", ...size}));
      let drawn = 0;
      for (const [i, l] of lines.entries()) {
        const text = hh - 8 - LINE * i >= LINE - 4 && drawn === i ? cut(l, Math.floor((w - 8) / LETTER)) : "";
        if (text) { a.append(make("text", {x: 6, y: 14 + LINE * i}, text)); drawn++; }
      }
      if (!drawn && r && w >= 14 && hh >= 16) a.append(make("text", {x: 4, y: 13}, letters[r.tr.classList[0]]));
      svg.append(a);
    });
    figure.dataset.m = m;
    figure.replaceChildren(head, svg);
    rove(svg);
    filter();
    return back.focus({preventScroll: true});
  }

  // reveal brings a row into the table, wherever a search or a page has left it.
  function reveal(h, r) {
    if (!r.shown) { query.value = ""; filter(); }
    if (r.tr.hidden) { h.most = Infinity; page(h); }
    $$("tr.at").forEach(tr => tr.classList.remove("at"));
    r.tr.classList.add("at");
  }
  document.addEventListener("click", e => {
    const a = e.target.closest && e.target.closest("svg a");
    if (!a) return;
    const h = hosts.find(x => x.section.contains(a)), id = a.getAttribute("href").slice(1), r = h.byID.get(id);
    if (r) return reveal(h, r);
    const at = /o(\d+)$/.exec(id);
    if (!at) return;
    e.preventDefault();
    if (h.drill < 0) return drill(h, Number(at[1]));
    query.value = words($(`#h${h.n}o${at[1]} bdi`).textContent);
    filter();
    h.table.scrollIntoView();
  });

  // One stop for the tab key in each map; the arrow keys go from box to box.
  function rove(svg) {
    const boxes = $$("a", svg);
    boxes.forEach((a, i) => a.setAttribute("tabindex", i ? -1 : 0));
  }
  $$("figure svg").forEach(rove);
  document.addEventListener("keydown", e => {
    const a = document.activeElement, svg = a && a.closest && a.closest("figure svg");
    const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[e.key];
    if (e.key === "Escape") {
      const h = hosts.find(x => x.drill >= 0);
      if (h && a !== query) $(".drill button", h.section).click();
      return;
    }
    if (!svg || !step) return;
    const middle = b => { const r = b.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; };
    const [x, y] = middle(a);
    let best = null, least = Infinity;
    for (const b of $$("a", svg)) {
      const [bx, by] = middle(b), along = (bx - x) * step[0] + (by - y) * step[1], aside = Math.abs((bx - x) * step[1]) + Math.abs((by - y) * step[0]);
      if (b !== a && along > 1 && along + 2 * aside < least) { least = along + 2 * aside; best = b; }
    }
    if (!best) return;
    e.preventDefault();
    a.setAttribute("tabindex", -1);
    best.setAttribute("tabindex", 0);
    best.focus();
  });

  $(".bar").addEventListener("submit", e => e.preventDefault());
  query.addEventListener("input", filter);
  $$(".chips button").forEach(b => b.addEventListener("click", () => { query.value = query.value === b.dataset.q ? "" : b.dataset.q; filter(); }));
  $$("input[name=m]").forEach(i => i.addEventListener("change", () => hosts.forEach(h => { if (h.drill >= 0) drill(h, h.drill); })));
  hosts.forEach(h => $("button", h.more).addEventListener("click", () => { h.most = Infinity; page(h); }));
  let closed = [];
  window.addEventListener("beforeprint", () => { closed = $$("details:not([open])"); closed.forEach(d => { d.open = true; }); hosts.forEach(h => { h.was = h.most; h.most = Infinity; page(h); }); });
  window.addEventListener("afterprint", () => { closed.forEach(d => { d.open = false; }); hosts.forEach(h => { h.most = h.was; page(h); }); });
  query.value = "";
  hosts.forEach(page);
})();
