// The page: its state, and what changes when the state does.

const MOVING = 140; // milliseconds after the last move from which a panel is painted in full
const SLOW = 45; // milliseconds of a frame from which fewer edges are painted while the view moves
const FIRST = 60000; // edges, all panels together, that are painted first of all: any graphics card has time for them
const PATIENCE = 6000; // milliseconds that painting all panels in full may take where there is no graphics card
const KEYS_IN_SPACE = " W, A, S and D turn the drawing, Q and E roll it.";
const KEYS = "Arrows go from node to node, Enter selects, Shift and arrows move the drawing, + and − zoom, 0 shows everything, Escape clears, / searches.";

const page = {
  data: readData(), panels: [], selected: new Set(), levels: null, hover: -1, names: true, edges: true, linked: true, tool: "move",
  active: null, budget: 0, lastFrame: 0, waiting: false, resting: 0,

  dark: false, theme: THEMES.light, themeChosen: false,

  // Paint every panel in the next frame; `moving`: a first part of the edges if that is all there is time for.
  repaint(moving = false) {
    clearTimeout(this.resting);
    this.moving = moving;
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame((now) => {
      this.waiting = false;
      const spent = now - this.lastFrame;
      if (this.moving && this.lastFrame) {
        if (spent > SLOW) this.budget = Math.max(4000, Math.min(this.budget, this.data.m) / 2);
        else if (spent < SLOW / 2) this.budget *= 1.5;
      }
      this.lastFrame = this.moving ? now : 0;
      for (const panel of this.panels) panel.paint(this.moving ? Math.ceil(this.budget) : this.most);
      this.drawOver();
      if (this.moving) this.resting = setTimeout(() => this.repaint(), MOVING);
    });
  },

  drawOver() {
    for (const panel of this.panels) panel.drawOver();
  },

  // After the first picture, of a part of the edges: how many there is time for. A machine without a graphics card paints
  // some million a second where they are short, and far fewer where they are long.
  complete() {
    const { data, panels } = this;
    const part = Math.floor(FIRST / panels.length);
    document.documentElement.dataset.painted = Math.round(performance.now());
    if (data.m > part) {
      const [without, within] = [0, part].map((edges) => Math.min(...[1, 2].map(() => {
        const begun = performance.now();
        panels[0].paint(edges);
        return performance.now() - begun;
      })));
      const each = Math.max(within - without, 0.1) / part;
      this.most = Math.max(part, Math.floor((PATIENCE / panels.length - without) / each));
      if (this.most < data.m) document.getElementById("count").append(` (${this.most.toLocaleString("en")} edges are painted: without a graphics card all would take too long)`);
    }
    this.repaint();
    requestAnimationFrame(() => requestAnimationFrame(() => { document.documentElement.dataset.complete = Math.round(performance.now()); }));
  },

  setView(panel, view) {
    panel.view = view;
    if (this.linked) for (const other of this.panels) other.view = { ...view };
    this.repaint(true);
  },

  fitAll() {
    for (const panel of this.panels) panel.fitAll();
    this.repaint();
  },

  // Turn a drawing in space, and those that move with it.
  turn(panel, step) {
    for (const each of this.linked ? this.panels : [panel]) each.turn(step);
    this.repaint(true);
  },

  setTheme(dark) {
    this.dark = dark;
    this.theme = THEMES[dark ? "dark" : "light"];
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    document.getElementById("theme")?.setAttribute("aria-pressed", String(dark));
    if (this.rgb) this.setColor(this.color);
  },

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
  },

  // `panel` is the one that the mouse is in; a node is shown in all.
  setHover(node, panel = null, event = null) {
    const tip = document.getElementById("tip");
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
    const [width, height] = [tip.offsetWidth, tip.offsetHeight];
    tip.style.left = `${Math.max(4, event.clientX + 16 + width > innerWidth ? event.clientX - 16 - width : event.clientX + 16)}px`;
    tip.style.top = `${Math.max(4, Math.min(event.clientY + 16, innerHeight - height - 4))}px`;
  },

  select(nodes, more) {
    const before = more ? this.selected : new Set();
    const known = more && nodes.length === 1 && before.has(nodes[0]);
    this.selected = new Set([...before, ...nodes]);
    if (known) this.selected.delete(nodes[0]);
    this.mark();
    document.getElementById("details").replaceChildren(details(this));
    const count = this.selected.size;
    this.say(count === 1 ? `selected: ${this.described([...this.selected][0], 0)}` : count ? `${count} nodes selected` : "nothing selected");
  },

  // Levels of the nodes and the edges that stand out, by the selection and the edges that are shown.
  mark() {
    const { data } = this;
    this.levels = this.selected.size ? new Uint8Array(data.n) : null;
    const ends = [];
    for (const i of this.selected) {
      for (let k = data.start[i]; k < data.start[i + 1]; k++) {
        const j = data.neighbors[k];
        if (data.edge[k] >= this.shown) continue;
        this.levels[j] = Math.max(this.levels[j], 1);
        if (!this.selected.has(j) || i < j) ends.push(i, j);
      }
      this.levels[i] = 2;
    }
    this.painter.setMarked(Uint32Array.from(ends));
    this.recolor();
  },

  setColor(color) {
    this.color = color;
    this.rgb = this.panels.map((panel) => colorsOf(this.data, color, panel.index, this.dark));
    document.getElementById("legend").replaceChildren(legend(this));
    this.recolor();
  },

  recolor() {
    this.rgb.forEach((rgb, k) => this.painter.setColors(k, rgb, this.levels));
    this.repaint();
  },

  described(node, drawing) {
    return [this.data.names[node], ...factsOf(this.data, node, drawing).map((fact) => fact.join(" ")), `${this.data.degree(node)} edges`].join(", ");
  },

  say(text) {
    document.getElementById("status").textContent = text;
  },

  start() {
    const { data } = this;
    this.shown = data.m;
    this.budget = this.most = FIRST / data.drawings.length;
    this.color = data.color;
    try {
      this.painter = new WebGLPainter(data);
    } catch {
      this.painter = new PlainPainter(data);
      document.getElementById("bar").before(element("p", { class: "note" }, "This browser has no WebGL 2: drawings are slower, and show at most 30,000 edges."));
    }
    this.panels = data.drawings.map((_, k) => new Panel(this, k));
    this.panels.forEach((panel, k) => { if (panel.seen) this.painter.setPlaces(k, panel.seen); });
    const grid = document.getElementById("panels");
    grid.dataset.count = Math.min(this.panels.length, 5);
    grid.append(...this.panels.map((panel) => panel.figure));
    document.getElementById("count").textContent = `${data.n.toLocaleString("en")} nodes · ${data.m ? `${data.m.toLocaleString("en")} edges · ` : ""}${data.drawings.length} drawing${data.drawings.length > 1 ? "s" : ""}`;
    document.getElementById("aside").append(element("div", { id: "legend" }), element("div", { id: "details" }, details(this)),
      element("details", { open: false }, element("summary", {}, "Keys"), element("p", { id: "keys" }, this.panels.some((panel) => panel.seen) ? KEYS + KEYS_IN_SPACE : KEYS)));
    document.body.append(element("div", { id: "tip", hidden: true, "aria-hidden": "true" }));
    followSystem(this);
    fillBar(this);
    document.querySelector("header").append(themeButton(this));
    this.setColor(this.color);
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || /INPUT|SELECT/.test(document.activeElement.tagName)) return;
      event.preventDefault();
      document.getElementById("search").focus();
    });
    const fitted = () => { if (this.panels.map((panel) => panel.resize()).includes(true)) this.repaint(); };
    new ResizeObserver(fitted).observe(grid);
    fitted();
    requestAnimationFrame(() => requestAnimationFrame(() => this.complete()));
  },
};

window.nelayout = page; // for the console of the browser
page.start();
