// A film: one drawing at several times, with a slider and a button that plays. Between two times nodes go straight from
// place to place; those that come fade in, those that leave fade out.

const STEP = 900; // milliseconds from one time to the next
const JUMP = 1400; // most milliseconds on the way to a time far off
const AWAY = 1e6; // where the painter has nodes that are not there

class Film {
  constructor(page) {
    const { data } = page;
    const held = data.film;
    this.page = page;
    this.names = held.names;
    this.count = held.names.length;
    this.places = unpacked(held.xy);
    this.bits = unpacked(held.edges);
    this.ends = data.ends;
    this.total = data.m;
    this.shares = new Float32Array(data.n).fill(1); // 1 there, 0 not there, between: coming or leaving
    this.at = 0;
    this.step = -1;
    this.frame = 0;
    this.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const [panel] = page.panels;
    panel.extent = [0, 0];
    this.places.forEach((value, k) => { if (Math.abs(value) > panel.extent[k % 2]) panel.extent[k % 2] = Math.abs(value); });
    panel.ratio = null;
    panel.resize();
    this.adapt(panel);
    panel.figure.append(this.controls());
    page.find("count").textContent = `${data.n.toLocaleString("en")} nodes · ${this.total.toLocaleString("en")} edges · ${this.count} snapshots`;
    this.show(this.count - 1);
  }

  controls() {
    this.range = element("input", { type: "range", min: "0", max: String(this.count - 1), step: "1", id: "time", "aria-label": "Snapshot" });
    this.range.addEventListener("input", () => { this.stop(); this.go(Number(this.range.value)); });
    this.said = element("output", { for: "time" });
    this.button = button("Play", "Play from here, or from the beginning", () => (this.playing ? this.stop() : this.play()));
    this.button.setAttribute("aria-pressed", "false");
    return element("div", { id: "film", role: "group", "aria-label": "Time" }, this.button, this.range, this.said);
  }

  // Colors fade with the nodes, and nodes that are not there can be neither hit nor brought into sight.
  adapt(panel) {
    const { page } = this;
    page.recolor = () => {
      page.rgb.forEach((rgb, k) => page.painter.setColors(k, this.faded(rgb), page.levels));
      page.repaint();
    };
    const [show, write, nodeBeside] = [page.show, panel.write, panel.nodeBeside];
    page.show = (node) => {
      if (!this.shares[node]) this.show(this.first(node));
      show.call(page, node);
    };
    panel.write = (pen, node, ...more) => this.shares[node] > 0.5 && write.call(panel, pen, node, ...more);
    panel.nodeBeside = (node, step) => nodeBeside.call(panel, this.shares[node] ? node : this.present(), step);
  }

  faded(rgb) {
    const result = rgb.slice();
    const { paper } = this.page.theme;
    this.shares.forEach((share, i) => {
      if (share < 1) for (let c = 0; c < 3; c++) result[3 * i + c] = 255 * paper[c] + share * (rgb[3 * i + c] - 255 * paper[c]);
    });
    return result;
  }

  there(time, node) {
    return !Number.isNaN(this.places[2 * (time * this.page.data.n + node)]);
  }

  // The first time at which a node is there.
  first(node) {
    let time = 0;
    while (time < this.count - 1 && !this.there(time, node)) time++;
    return time;
  }

  // The most connected node that is there.
  present() {
    return this.page.data.order.findLast((node) => this.shares[node]);
  }

  // Put everything where it is at a time, which may lie between two snapshots.
  show(time) {
    const { page } = this;
    const { data } = page;
    const [before, after] = [Math.floor(time), Math.ceil(time)];
    const part = time - before;
    const eased = part * part * (3 - 2 * part);
    const [panel] = page.panels;
    const painted = new Float32Array(2 * data.n);
    for (let i = 0; i < data.n; i++) {
      const [a, b] = [2 * (before * data.n + i), 2 * (after * data.n + i)];
      const [here, then] = [!Number.isNaN(this.places[a]), !Number.isNaN(this.places[b])];
      this.shares[i] = (here ? 1 - eased : 0) + (then ? eased : 0);
      for (const c of [0, 1]) {
        const [x, y] = [this.places[a + c], this.places[b + c]];
        const place = here && then ? x + eased * (y - x) : here ? x : y;
        panel.xy[2 * i + c] = this.shares[i] ? place : NaN;
        painted[2 * i + c] = this.shares[i] ? place : AWAY;
      }
    }
    this.at = time;
    page.painter.setFlat(0, painted);
    const step = part < 0.5 ? before : after;
    if (step === this.step) page.recolor();
    else this.link(step);
  }

  // The edges of a snapshot.
  link(step) {
    const { page } = this;
    const { data } = page;
    this.step = step;
    const bytes = this.bits.length / this.count;
    const ends = [];
    for (let e = 0; e < this.total; e++) if (this.bits[step * bytes + (e >> 3)] & (1 << (e & 7))) ends.push(this.ends[2 * e], this.ends[2 * e + 1]);
    page.link(Uint32Array.from(ends));
    page.hover = page.hover >= 0 && this.shares[page.hover] ? page.hover : -1;
    const nodes = Array.from({ length: data.n }, (_, i) => i).filter((i) => this.there(step, i)).length;
    this.said.textContent = `${this.names[step]} of ${this.count}: ${nodes.toLocaleString("en")} nodes, ${data.m.toLocaleString("en")} edges`;
    this.range.setAttribute("aria-valuetext", this.said.textContent);
    if (Number(this.range.value) !== step && !this.moving) this.range.value = step;
    page.mark();
    page.find("details").replaceChildren(details(page));
  }

  // Go to a snapshot, through those between.
  go(target, done = () => {}) {
    cancelAnimationFrame(this.frame);
    if (this.still || target === this.at) {
      this.show(target);
      done();
      return;
    }
    const [from, spent] = [this.at, Math.min(JUMP, STEP * Math.abs(target - this.at))];
    let begun = null;
    const next = (now) => {
      begun ??= now;
      const part = Math.min(1, (now - begun) / spent);
      this.moving = part < 1;
      this.show(part < 1 ? from + part * (target - from) : target);
      if (part < 1) this.frame = requestAnimationFrame(next);
      else done();
    };
    this.moving = true;
    this.frame = requestAnimationFrame(next);
  }

  play() {
    this.playing = true;
    this.button.textContent = "Pause";
    this.button.setAttribute("aria-pressed", "true");
    if (this.step === this.count - 1) this.show(0);
    const on = () => {
      this.range.value = this.step;
      if (!this.playing) return;
      if (this.step >= this.count - 1) this.stop();
      else if (this.still) this.waiting = setTimeout(() => this.go(this.step + 1, on), STEP);
      else this.go(this.step + 1, on);
    };
    on();
  }

  stop() {
    this.playing = this.moving = false;
    clearTimeout(this.waiting);
    cancelAnimationFrame(this.frame);
    this.button.textContent = "Play";
    this.button.setAttribute("aria-pressed", "false");
  }
}
