// The page: its state, and what changes when the state does.

const MOVING = 140; // milliseconds after the last move from which a panel is painted in full
const SLOW = 45; // milliseconds of a frame from which fewer edges are painted while the view moves
const FIRST = 60000; // edges, all panels together, that are painted first of all: any graphics card has time for them
const PATIENCE = 6000; // milliseconds that painting all panels in full may take where there is no graphics card
const KEYS_IN_SPACE = " W, A, S and D turn the drawing, Q and E roll it.";
const KEYS = "Arrows go from node to node, Enter selects, Shift and arrows move the drawing, + and − zoom, 0 shows everything, Escape clears, / searches.";

// Within `root`, a document or the shadow root of a widget; marks of its state go to the element `host`.
class Page {
  constructor(root, host, data) {
    Object.assign(this, {
      root, host, data, panels: [], selected: new Set(), hidden: new Set(), pinned: new Set(), searched: -1, levels: null, hover: -1,
      names: true, edges: true, linked: true, tool: "move", draggable: false, active: null, budget: 0, lastFrame: 0, waiting: false, resting: 0,
      dark: false, theme: THEMES.light, themeChosen: false, begun: false, ended: new AbortController(),
    });
  }

  get body() {
    return this.root.body || this.find("body");
  }

  // What the reader has changed, by its name: a widget tells it to Python.
  tell(name) {}

  find(id) {
    return this.root.getElementById(id);
  }

  // Paint every panel in the next frame; `moving`: a first part of the edges if that is all there is time for.
  repaint(moving = false) {
    clearTimeout(this.resting);
    this.moving = moving;
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame((now) => {
      this.waiting = false;
      if (this.ended.signal.aborted) return;
      const spent = now - this.lastFrame;
      if (this.moving && this.lastFrame) {
        if (spent > SLOW) this.budget = Math.max(4000, Math.min(this.budget, this.data.m) / 2);
        else if (spent < SLOW / 2) this.budget *= 1.5;
      }
      this.lastFrame = this.moving ? now : 0;
      for (const panel of this.panels) panel.paint(this.moving ? Math.ceil(this.budget) : this.most);
      this.drawOver();
      this.tell("camera");
      if (this.moving) this.resting = setTimeout(() => this.repaint(), MOVING);
    });
  }

  drawOver() {
    for (const panel of this.panels) panel.drawOver();
  }

  // After the first picture, of a part of the edges: how many there is time for. A machine without a graphics card paints
  // some million a second where they are short, and far fewer where they are long.
  complete() {
    const { data, panels } = this;
    if (this.ended.signal.aborted) return;
    const part = Math.floor(FIRST / panels.length);
    this.host.dataset.painted = Math.round(performance.now());
    if (data.m > part) {
      const [without, within] = [0, part].map((edges) => Math.min(...[1, 2].map(() => {
        const begun = performance.now();
        panels[0].paint(edges);
        return performance.now() - begun;
      })));
      const each = Math.max(within - without, 0.1) / part;
      this.most = Math.max(part, Math.floor((PATIENCE / panels.length - without) / each));
      if (this.most < data.m) this.find("count").append(` (${this.most.toLocaleString("en")} edges are painted: without a graphics card all would take too long)`);
    }
    this.repaint();
    requestAnimationFrame(() => requestAnimationFrame(() => { this.host.dataset.complete = Math.round(performance.now()); }));
  }

  setView(panel, view) {
    panel.view = view;
    if (this.linked) for (const other of this.panels) other.view = { ...view };
    this.repaint(true);
  }

  fitAll() {
    for (const panel of this.panels) panel.fitAll();
    this.repaint();
  }

  // Turn a drawing in space, and those that move with it.
  turn(panel, step) {
    for (const each of this.linked ? this.panels : [panel]) each.turn(step);
    this.repaint(true);
  }

  setTheme(dark) {
    this.dark = dark;
    this.theme = THEMES[dark ? "dark" : "light"];
    this.host.dataset.theme = dark ? "dark" : "light";
    this.find("theme")?.setAttribute("aria-pressed", String(dark));
    if (this.rgb) this.setColor(this.color);
  }

  // Bring a node into the middle of every panel, near enough to see its surroundings.
  show(node) {
    for (const panel of this.panels) {
      const zoom = Math.max(panel.view.zoom, this.data.n > 200 ? 2 : 1);
      const [x, y] = panel.toScreen(node);
      const inside = x > 30 && y > 30 && x < panel.width - 30 && y < panel.height - 30;
      if (inside) continue;
      const [cx, cy] = panel.placeOf(node);
      panel.view = { x: cx, y: cy, zoom };
    }
    this.repaint();
  }

  // `panel` is the one that the mouse is in; a node is shown in all.
  setHover(node, panel = null, event = null) {
    const tip = this.find("tip");
    if (node !== this.hover) {
      this.hover = node;
      this.drawOver();
    }
    tip.hidden = node < 0 || !event;
    if (tip.hidden) return;
    if (tip.dataset.node !== `${node} ${panel.index}`) {
      tip.dataset.node = `${node} ${panel.index}`;
      const lines = factsOf(this.data, node, panel.index).map(([name, text]) => element("div", {}, element("span", {}, name), ` ${text}`));
      tip.replaceChildren(element("strong", {}, this.data.names[node]), ...lines);
    }
    const [width, height, box] = [tip.offsetWidth, tip.offsetHeight, this.body.getBoundingClientRect()];
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const [right, bottom] = [Math.min(innerWidth, box.right) - box.left, Math.min(innerHeight, box.bottom) - box.top];
    tip.style.left = `${Math.max(4, x + 16 + width > right ? x - 16 - width : x + 16)}px`;
    tip.style.top = `${Math.max(4, Math.min(y + 16, bottom - height - 4))}px`;
  }

  select(nodes, more) {
    const before = more ? this.selected : new Set();
    const known = more && nodes.length === 1 && before.has(nodes[0]);
    this.selected = new Set([...before, ...nodes]);
    if (known) this.selected.delete(nodes[0]);
    this.mark();
    this.find("details").replaceChildren(details(this));
    const count = this.selected.size;
    this.tell("selection");
    this.say(count === 1 ? `selected: ${this.described([...this.selected][0], 0)}` : count ? `${count} nodes selected` : "nothing selected");
  }

  // Select the node that a search has found, and bring it into sight.
  search(node) {
    this.searched = node;
    this.find("search").value = node < 0 ? "" : this.data.names[node];
    if (node >= 0) {
      this.select([node], false);
      this.show(node);
    }
    this.tell("searched");
  }

  // Hide the nodes of some classes, by their names, and their edges.
  hide(names) {
    const [column] = this.data.choices.get(this.color)?.columns ?? [];
    this.hidden = new Set(names);
    this.away = names.length ? Uint8Array.from(column.codes, (code) => Number(this.hidden.has(column.names[code]))) : null;
    this.find("legend").replaceChildren(legend(this));
    this.showEdges();
    this.mark();
    this.tell("hidden");
  }

  // Take other edges, as pairs of node numbers.
  link(ends) {
    linkUp(this.data, ends);
    this.shown = this.data.m;
    this.showEdges();
  }

  // Edges of hidden nodes shrink to a point.
  showEdges() {
    const { data, away } = this;
    const ends = away ? data.ends.slice() : data.ends;
    for (let e = 0; away && e < ends.length; e += 2) if (away[ends[e]] || away[ends[e + 1]]) ends[e] = ends[e + 1];
    this.painter.setEdges(ends);
    for (const panel of this.panels) panel.darkening = null;
  }

  // Levels of the nodes and the edges that stand out, by the classes and edges that are shown and by the selection.
  mark() {
    const { data } = this;
    this.levels = this.selected.size || this.away ? new Uint8Array(data.n).fill(this.selected.size ? 0 : 1) : null;
    const ends = [];
    for (const i of this.selected) {
      for (let k = data.start[i]; k < data.start[i + 1]; k++) {
        const j = data.neighbors[k];
        if (data.edge[k] >= this.shown || this.away?.[i] || this.away?.[j]) continue;
        this.levels[j] = Math.max(this.levels[j], 1);
        if (!this.selected.has(j) || i < j) ends.push(i, j);
      }
      this.levels[i] = 2;
    }
    this.away?.forEach((away, i) => { if (away) this.levels[i] = HIDDEN; });
    this.painter.setMarked(Uint32Array.from(ends));
    this.recolor();
  }

  // Color the nodes by the name of a choice or by one color.
  setColor(color) {
    if (color !== this.color && this.hidden.size) this.hide([]);
    this.color = color;
    this.rgb = this.panels.map((panel) => colorsOf(this.data, color, panel.index, this.dark));
    this.find("legend").replaceChildren(legend(this));
    this.recolor();
  }

  // Color the nodes by a column, which takes the place of the one with its name.
  colorBy(column) {
    const { data } = this;
    if (this.hidden.size) this.hide([]);
    data.columns = [column, ...data.columns.filter(({ name }) => name !== column.name)];
    data.choices = choicesOf(data);
    this.setColor(column.name);
    this.find("details").replaceChildren(details(this));
  }

  // Move all nodes of the first drawing, but the node that the mouse holds.
  setPlaces(places) {
    const [[panel], { dragged }] = [this.panels, this];
    if (dragged && !dragged.done) places.set([dragged.x, dragged.y], 2 * dragged.node);
    panel.setPlaces(places);
    this.repaint();
  }

  // Move one node by hand; `done`: the mouse has let it go, and it stays pinned.
  drag(node, x, y, done) {
    const [panel] = this.panels;
    panel.xy.set([x, y], 2 * node);
    this.painter.setPlace(0, node, x, y);
    this.dragged = { node, x, y, done };
    this.tell("dragged");
    if (done) this.setPinned([...this.pinned, node]);
    this.repaint(true);
  }

  setPinned(nodes) {
    this.pinned = new Set(nodes);
    this.drawOver();
    this.tell("pinned");
  }

  // Diameters (n) of the dots as shares of the usual one; null: all are usual.
  setSizes(sizes) {
    this.data.sizes = sizes;
    this.painter.setSizes(sizes);
    this.repaint();
  }

  recolor() {
    this.rgb.forEach((rgb, k) => this.painter.setColors(k, rgb, this.levels));
    this.repaint();
  }

  described(node, drawing) {
    return [this.data.names[node], ...factsOf(this.data, node, drawing).map((fact) => fact.join(" ")), `${this.data.degree(node)} edges`].join(", ");
  }

  say(text) {
    this.find("status").textContent = text;
  }

  start() {
    const { data } = this;
    this.shown = data.m;
    this.budget = this.most = FIRST / data.drawings.length;
    this.color = data.color;
    try {
      this.painter = new WebGLPainter(data);
    } catch {
      this.painter = new PlainPainter(data);
      this.find("bar").before(element("p", { class: "note" }, "This browser has no WebGL 2: drawings are slower, and show at most 30,000 edges."));
    }
    this.panels = data.drawings.map((_, k) => new Panel(this, k));
    this.panels.forEach((panel, k) => { if (panel.seen) this.painter.setPlaces(k, panel.seen); });
    const grid = this.find("panels");
    grid.dataset.count = Math.min(this.panels.length, 5);
    grid.append(...this.panels.map((panel) => panel.figure));
    this.find("count").textContent = `${data.n.toLocaleString("en")} nodes · ${data.m ? `${data.m.toLocaleString("en")} edges · ` : ""}${data.drawings.length} drawing${data.drawings.length > 1 ? "s" : ""}`;
    this.find("aside").append(element("div", { id: "legend" }), element("div", { id: "details" }, details(this)),
      element("details", { open: false }, element("summary", {}, "Keys"), element("p", { id: "keys" }, this.panels.some((panel) => panel.seen) ? KEYS + KEYS_IN_SPACE : KEYS)));
    this.body.append(element("div", { id: "tip", hidden: true, "aria-hidden": "true" }));
    followSurroundings(this);
    fillBar(this);
    this.body.querySelector("header").append(themeButton(this));
    this.setColor(this.color);
    this.root.addEventListener("keydown", (event) => {
      if (event.key !== "/" || /INPUT|SELECT/.test(this.root.activeElement?.tagName)) return;
      event.preventDefault();
      this.find("search").focus();
    });
    const fitted = () => {
      if (this.panels.map((panel) => panel.resize()).includes(true)) this.repaint();
      if (this.begun || this.panels[0].width <= 1) return; // nothing is seen yet, such as in a hidden tab
      this.begun = true;
      requestAnimationFrame(() => requestAnimationFrame(() => this.complete()));
    };
    const observer = new ResizeObserver(fitted);
    observer.observe(grid);
    this.ended.signal.addEventListener("abort", () => observer.disconnect());
    fitted();
    if (data.film) this.film = new Film(this);
  }

  stop() {
    clearTimeout(this.resting);
    this.ended.abort();
    this.painter.release();
  }
}
