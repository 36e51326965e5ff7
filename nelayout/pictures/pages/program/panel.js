// A panel: one drawing on two canvases. The lower one has nodes and edges and is painted when the view or the colors
// change; the upper one has names and what the mouse is at, and is cleared and drawn again at every move.

const LARGEST_DOT = 11; // pixels
const COVER = 0.045; // share of a panel that all dots cover together, as in pictures
const MOST_NAMES = 24; // names of the most connected nodes that a panel shows
const SIDES = [[1, 0], [-1, 0], [0, -1], [0, 1], [1, -1], [-1, -1], [1, 1], [-1, 1]]; // of a dot, for its name, best first
const MOST_NAMED = 20000; // nodes up to which a name is left out that stands nearer to another node
const MOST_RINGS = 3000; // neighbors of the node under the mouse, or selected nodes, that get a ring: more would be black

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null) made.setAttribute(name, value);
  }
  made.append(...children); // texts become text nodes, whatever is written in them
  return made;
}

class Panel {
  constructor(page, index) {
    this.page = page;
    this.index = index;
    const drawing = page.data.drawings[index];
    this.name = drawing.name;
    this.dim = drawing.dim;
    this.view = { x: 0, y: 0, zoom: 1 };
    const { n, m } = page.data;
    this.lower = element("canvas", { "aria-hidden": "true" });
    this.upper = element("canvas", {
      tabindex: "0", role: "application", "aria-roledescription": "graph drawing", "aria-describedby": "keys",
      "aria-label": `${this.name}: ${n} nodes, ${m} edges`,
    });
    const heading = element("figcaption", {}, element("strong", {}, this.name));
    for (const fact of drawing.facts) heading.append(element("span", {}, fact));
    this.figure = element("figure", {}, heading, element("div", { class: "stage" }, this.lower, this.upper));
    this.take(drawing.places, page.data.view);
    listenTo(this);
  }

  // Take places of the nodes; a drawing in space is turned as `turn` says.
  take(places, turn) {
    const { n, m, ends } = this.page.data;
    this.seen = this.dim === 3 ? new Seen(places, turn) : null;
    this.xy = this.seen ? this.seen.xyd : places; // node i is at xy[dim * i], xy[dim * i + 1]
    this.extent = this.seen ? [this.seen.radius, this.seen.radius] : [0, 0]; // in space, however it is turned
    for (let i = 0; i < n && !this.seen; i++) for (const c of [0, 1]) this.extent[c] = Math.max(this.extent[c], Math.abs(this.xy[2 * i + c]));
    for (const shape of this.page.data.drawings[this.index].shapes) shape.forEach((value, k) => { this.extent[k % 2] = Math.max(this.extent[k % 2], Math.abs(value)); });
    let total = 0;
    for (let e = 0; e < m; e++) {
      const [i, j] = [this.dim * ends[2 * e], this.dim * ends[2 * e + 1]];
      total += Math.hypot(this.xy[i] - this.xy[j], this.xy[i + 1] - this.xy[j + 1]);
    }
    this.meanLength = m ? total / m : 0;
  }

  // Move all nodes; the view stays, and a drawing in space stays turned.
  setPlaces(places) {
    const { painter, data } = this.page;
    const turn = this.seen?.turn;
    this.take(places, data.view);
    if (this.seen) {
      this.seen.turnTo(turn);
      painter.setPlaces(this.index, this.seen);
    } else painter.setFlat(this.index, places);
    this.ratio = null; // the extent may be another one
    this.resize();
  }

  // Places of a node in the drawing as it is seen.
  placeOf(i) {
    return [this.xy[this.dim * i], this.xy[this.dim * i + 1]];
  }

  // Turn a drawing in space by a further turn, about its middle or, when zoomed in, about the node in the middle of the panel.
  turn(step) {
    if (!this.seen) return;
    const { view, seen } = this;
    const middle = view.zoom > 1 ? this.nearest(view.x, view.y, Infinity) : -1;
    const point = [view.x, view.y, middle < 0 ? 0 : seen.height(middle)];
    seen.turnTo(product(step, seen.turn));
    this.view = { ...view, x: step[0] * point[0] + step[1] * point[1] + step[2] * point[2], y: step[3] * point[0] + step[4] * point[1] + step[5] * point[2] };
    this.page.painter.setPlaces(this.index, seen);
  }

  // The whole drawing, as it was first seen.
  fitAll() {
    this.view = { x: 0, y: 0, zoom: 1 };
    if (!this.seen) return;
    this.seen.turnTo(this.seen.view);
    this.page.painter.setPlaces(this.index, this.seen);
  }

  // Bring the canvases to the size of their place; whether it had changed.
  resize() {
    const { width, height } = this.upper.getBoundingClientRect();
    const ratio = window.devicePixelRatio || 1;
    const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
    if (this.ratio === ratio && this.lower.width === w && this.lower.height === h) return false;
    for (const canvas of [this.lower, this.upper]) [canvas.width, canvas.height] = [w, h];
    [this.width, this.height, this.ratio] = [w / ratio, h / ratio, ratio];
    const margin = 22;
    this.fit = Math.min((this.width / 2 - margin) / Math.max(this.extent[0], 0.05), (this.height / 2 - margin) / Math.max(this.extent[1], 0.05));
    this.darkening = null;
    return true;
  }

  get scale() {
    return this.fit * this.view.zoom;
  }

  // Diameter of a dot in pixels of the screen; dots grow with the zoom, but more slowly.
  get dot() {
    const n = Math.max(1, this.page.data.n);
    const area = this.width * this.height;
    const usual = Math.min(LARGEST_DOT, Math.sqrt((COVER * area * 4) / (n * Math.PI)));
    return Math.min(Math.max(usual, 1.8) * Math.sqrt(this.view.zoom), Math.max(18, usual));
  }

  // Diameter of the dot of a node.
  dotOf(i) {
    return this.dot * (this.page.data.sizes?.[i] ?? 1);
  }

  toScreen(i) {
    return this.at(this.xy[this.dim * i], this.xy[this.dim * i + 1]);
  }

  // The pixel of a place of the drawing as it is seen.
  at(x, y) {
    return [this.width / 2 + (x - this.view.x) * this.scale, this.height / 2 - (y - this.view.y) * this.scale];
  }

  fromScreen(x, y) {
    return [(x - this.width / 2) / this.scale + this.view.x, (this.height / 2 - y) / this.scale + this.view.y];
  }

  paint(budget) {
    const { page } = this;
    const { m } = page.data;
    const count = page.edges ? Math.min(page.shown, budget) : 0;
    const width = page.data.m > 5000 ? 1 : 1.2;
    const ink = (0.32 * this.width * this.height) / Math.max(page.shown * this.meanLength * this.fit * width, 1);
    const own = Math.min(0.6, Math.min(Math.max(ink, 0.02), 0.5) * this.view.zoom ** 0.8) * Math.max(1, Math.min(page.shown, m) / Math.max(count, 1));
    const found = page.painter.paint(this.lower.getContext("2d"), this.index, {
      view: [this.view.x, this.view.y, this.width / 2 / this.scale, this.height / 2 / this.scale],
      edges: count, ink: page.selected.size ? 0.12 * own : own, markedInk: Math.max(own, 0.16), k: this.darkening,
      width: width * this.ratio, size: this.dot * this.ratio, levels: page.levels, rimmed: page.selected.size <= MOST_RINGS,
      gray: [...page.theme.gray, page.data.choices.get(page.color)?.kind === "numbers" ? 0.88 : 0.6], rim: page.theme.rim, paper: page.theme.paper,
    });
    if (!page.selected.size && count >= Math.min(page.shown, page.most)) this.darkening = found;
    this.drawShapes(this.lower.getContext("2d"));
  }

  // The shapes of groups, behind nodes and edges; inner ones come last.
  drawShapes(pen) {
    const { theme, data } = this.page;
    pen.save();
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.globalCompositeOperation = "destination-over";
    pen.fillStyle = pen.strokeStyle = theme.ink;
    for (const shape of [...data.drawings[this.index].shapes].reverse()) {
      pen.beginPath();
      for (let k = 0; k < shape.length; k += 2) pen.lineTo(...this.at(shape[k], shape[k + 1]));
      pen.closePath();
      pen.globalAlpha = 0.35;
      pen.stroke();
      pen.globalAlpha = 0.07;
      pen.fill();
    }
    pen.restore();
  }

  // Names, and what the mouse is at.
  drawOver() {
    const { page } = this;
    const { data, theme } = page;
    const pen = this.upper.getContext("2d");
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    pen.font = "12px system-ui, sans-serif";
    const taken = [];
    if (page.hover >= 0) {
      this.ring(pen, page.hover);
      this.write(pen, page.hover, taken, true);
    }
    if (page.names) {
      let left = MOST_NAMES;
      const chosen = page.selected.size ? [...page.selected] : data.order.slice(-400).reverse();
      for (const i of chosen.slice(0, 400)) if (left > 0 && i !== page.hover && this.write(pen, i, taken, false)) left--;
    }
    pen.strokeStyle = theme.accent;
    pen.lineWidth = 1.5;
    for (const i of [...page.pinned].slice(0, MOST_RINGS)) {
      const [x, y, r] = [...this.toScreen(i), this.dotOf(i) / 2 + 2];
      if (!page.away?.[i]) pen.strokeRect(x - r, y - r, 2 * r, 2 * r);
    }
    if (this.drawn) {
      pen.beginPath();
      this.drawn.forEach(([x, y], k) => (k ? pen.lineTo(x, y) : pen.moveTo(x, y)));
      pen.closePath();
      pen.fillStyle = theme.veil;
      pen.fill();
      pen.strokeStyle = theme.accent;
      pen.lineWidth = 1.5;
      pen.stroke();
    }
  }

  ring(pen, node) {
    const { page } = this;
    const { data, theme } = page;
    const [x, y] = this.toScreen(node);
    const r = this.dotOf(node) / 2;
    pen.strokeStyle = theme.accent;
    pen.lineWidth = 1;
    pen.globalAlpha = Math.min(0.75, Math.max(0.12, 5 / Math.sqrt(data.degree(node))));
    const last = Math.min(data.start[node + 1], data.start[node] + MOST_RINGS);
    pen.beginPath();
    for (let k = data.start[node]; k < last; k++) {
      if (data.edge[k] >= page.shown || page.away?.[data.neighbors[k]]) continue;
      const [a, b] = this.toScreen(data.neighbors[k]);
      pen.moveTo(x, y);
      pen.lineTo(a, b);
    }
    pen.stroke();
    pen.globalAlpha = Math.min(1, Math.max(0.4, 10 / Math.sqrt(data.degree(node))));
    pen.beginPath();
    for (let k = data.start[node]; k < last; k++) {
      if (data.edge[k] >= page.shown || page.away?.[data.neighbors[k]]) continue;
      const [a, b] = this.toScreen(data.neighbors[k]);
      const around = this.dotOf(data.neighbors[k]) / 2 + 1;
      pen.moveTo(a + around, b);
      pen.arc(a, b, around, 0, 7);
    }
    pen.stroke();
    pen.globalAlpha = 1;
    pen.beginPath();
    pen.arc(x, y, r + 3, 0, 7);
    pen.lineWidth = 3;
    pen.stroke();
  }

  // Write the name of a node on the first side of its dot where the name is within the panel, covers no other name and
  // has its middle nearest to its own node; false if there is no such side, unless it must, or if it is out of sight.
  write(pen, node, taken, must) {
    const [x, y] = this.toScreen(node);
    if (this.page.away?.[node] || x < 0 || y < 0 || x > this.width || y > this.height) return false;
    const name = this.page.data.names[node];
    const text = name.length > 28 ? `${name.slice(0, 27)}…` : name;
    const half = pen.measureText(text).width / 2;
    const off = this.dotOf(node) / 2 + 3;
    const middles = SIDES.map(([a, b]) => [x + a * (b ? half : half + off), y + b * (off + 5)]);
    const boxes = middles.map(([a, b]) => [a - half - 2, b - 8, a + half + 2, b + 8]);
    const inside = (box) => box[0] >= 0 && box[2] <= this.width;
    const free = (box) => !taken.some((b) => box[0] < b[2] && b[0] < box[2] && box[1] < b[3] && b[1] < box[3]);
    const own = ([a, b]) => this.page.data.n > MOST_NAMED || this.nearest(...this.fromScreen(a, b), Infinity) === node;
    let side = boxes.findIndex((box, k) => inside(box) && free(box) && own(middles[k]));
    if (side < 0 && must) side = Math.max(0, boxes.findIndex(inside));
    if (side < 0) return false;
    taken.push(boxes[side]);
    const [left, middle] = [middles[side][0] - half, middles[side][1]];
    pen.lineJoin = "round";
    pen.lineWidth = 3.5;
    pen.strokeStyle = this.page.theme.halo;
    pen.strokeText(text, left, middle + 4);
    pen.fillStyle = this.page.theme.ink;
    pen.fillText(text, left, middle + 4);
    return true;
  }

  // The node at a place of the panel, -1 where none is near; in space the front one of those whose dots cover the place.
  nodeAt(x, y) {
    const [px, py] = this.fromScreen(x, y);
    const { away, data } = this.page;
    if (this.seen) {
      const { order } = this.seen;
      for (let k = order.length - 1; k >= 0; k--) {
        const at = 3 * order[k];
        if (!away?.[order[k]] && Math.hypot(this.xy[at] - px, this.xy[at + 1] - py) < this.dotOf(order[k]) / 2 / this.scale) return order[k];
      }
    }
    const largest = data.sizes ? data.sizes.reduce((a, b) => Math.max(a, b), 1) : 1;
    const near = this.nearest(px, py, (largest * this.dot / 2 + 6) / this.scale);
    if (near < 0 || !data.sizes) return near;
    // Of several sizes: the dot with the rim that is nearest, counted inward too.
    let [best, found] = [6, -1];
    for (let i = 0; i < data.n; i++) {
      const [ax, ay] = this.toScreen(i);
      const apart = Math.hypot(ax - x, ay - y) - this.dotOf(i) / 2;
      if (apart < best && !away?.[i]) [best, found] = [apart, i];
    }
    return found;
  }

  // The node nearest to a place of the drawing as it is seen, -1 where none is nearer than `most`.
  nearest(px, py, most) {
    const { xy, dim } = this;
    const { away } = this.page;
    let [best, found] = [most * most, -1];
    for (let i = 0, k = 0; k < xy.length; i++, k += dim) {
      const [dx, dy] = [xy[k] - px, xy[k + 1] - py];
      const apart = dx * dx + dy * dy;
      if (apart < best && !away?.[i]) [best, found] = [apart, i];
    }
    return found;
  }

  // The nodes within a closed line of places (even-odd rule).
  nodesWithin(line) {
    const found = [];
    for (let i = 0; i < this.page.data.n; i++) {
      const [x, y] = this.toScreen(i);
      let inside = false;
      for (let a = 0, b = line.length - 1; a < line.length; b = a++) {
        const [[ax, ay], [bx, by]] = [line[a], line[b]];
        if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) inside = !inside;
      }
      if (inside && !this.page.away?.[i]) found.push(i);
    }
    return found;
  }

  // The nearest node to the right, left, above or below of a node, -1 where there is none.
  nodeBeside(node, [sx, sy]) {
    let [best, found] = [Infinity, -1];
    const [x, y] = this.placeOf(node);
    for (let i = 0; i < this.page.data.n; i++) {
      const [dx, dy] = [this.xy[this.dim * i] - x, this.xy[this.dim * i + 1] - y];
      const [along, across] = [dx * sx + dy * sy, Math.abs(dx * sy - dy * sx)];
      if (!this.page.away?.[i] && along > 0 && across <= along && along + 2 * across < best) [best, found] = [along + 2 * across, i];
    }
    return found;
  }

  move(change) {
    const view = { ...this.view, ...change };
    view.zoom = Math.min(Math.max(view.zoom, 0.5), 400);
    this.page.setView(this, view);
  }

  zoomAt(x, y, factor) {
    const { view } = this;
    const zoom = Math.min(Math.max(view.zoom * factor, 0.5), 400);
    const keep = (1 / this.scale) * (1 - view.zoom / zoom);
    this.move({ x: view.x + (x - this.width / 2) * keep, y: view.y + (this.height / 2 - y) * keep, zoom });
  }

  bringIntoSight(node) {
    const [x, y] = this.toScreen(node);
    if (x > 10 && y > 10 && x < this.width - 10 && y < this.height - 10) return;
    const [cx, cy] = this.placeOf(node);
    this.move({ x: cx, y: cy });
  }
}
