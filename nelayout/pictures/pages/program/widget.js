// A page within a notebook: its data come from the model of a widget, and what the reader changes goes back to the model.

const NARROW = 640; // pixels of width up to which the legend stands below the drawing
const TELLING = 60; // milliseconds between two messages about a view or a node that moves

// The elements that a page in a file has from the start.
function skeleton(title) {
  return element("div", { id: "body" },
    element("header", {}, title && element("h1", {}, title), element("p", { id: "count" })),
    element("div", { id: "bar", role: "group", "aria-label": "Tools" }),
    element("main", {}, element("div", { id: "panels" }), element("aside", { id: "aside" })),
    element("p", { id: "status", role: "status", "aria-live": "polite", class: "aside-text" }));
}

const floats = (data) => unpacked({ type: "f4", data });
const numbersOf = (data) => [...unpacked({ type: "u4", data })];
const bytesFor = (numbers) => new DataView(Uint32Array.from(numbers).sort().buffer);

// The data of a page out of the model.
function heldBy(model) {
  const { drawings: [drawing], columns, ...data } = model.get("_data");
  const color = model.get("colors");
  const every = typeof color === "string" ? columns : [color, ...columns];
  return readData({
    ...data, columns: every.map((column) => ({ ...column })), color: color.name ?? color,
    drawings: [{ ...drawing, [drawing.dim === 3 ? "xyz" : "xy"]: { type: "f4", data: model.get("positions") } }],
  });
}

function cameraOf({ panels: [panel] }) {
  const { x, y, zoom } = panel.view;
  return { x, y, zoom, ...(panel.seen ? { turn: [...panel.seen.turn] } : {}) };
}

function setCamera(page, { x, y, zoom, turn }) {
  const [panel] = page.panels;
  panel.view = { x, y, zoom };
  if (panel.seen && turn) {
    panel.seen.turnTo(turn);
    page.painter.setPlaces(0, panel.seen);
  }
  page.repaint();
}

function isSame(a, b) {
  if (!ArrayBuffer.isView(a)) return JSON.stringify(a) === JSON.stringify(b);
  const [one, other] = [bytesOf(a), bytesOf(b)];
  return one.length === other.length && one.every((byte, k) => byte === other[k]);
}

// Join a page and a model, in both directions; a function that follows all that the model has.
function connect(model, page) {
  let [timer, paused, kept] = [0, false, false]; // `kept`: newer positions wait for the end of a pause
  const pause = button("Pause", "Keep the positions that are shown while newer ones come", () => {
    model.set("paused", !paused);
    model.save_changes();
  });
  const place = () => {
    kept = false;
    page.setPlaces(floats(model.get("positions")));
  };
  const traits = {
    selection: { read: () => bytesFor(page.selected), write: (rows) => page.select(numbersOf(rows), false) },
    hidden: { read: () => [...page.hidden], write: (names) => page.hide(names) },
    camera: { read: () => cameraOf(page), write: (camera) => setCamera(page, camera) },
    searched: { read: () => page.searched, write: (node) => page.search(node) },
    pinned: { read: () => bytesFor(page.pinned), write: (rows) => page.setPinned(numbersOf(rows)) },
    colors: {
      read: () => page.color,
      write: (color) => {
        if (typeof color === "string") page.setColor(color);
        else page.colorBy(readColumn({ ...color }));
        fillColors(page, page.find("color"));
      },
    },
    sizes: { write: (sizes) => page.setSizes(sizes && floats(sizes)) },
    positions: {
      write: () => {
        kept = true;
        if (!paused) place();
      },
    },
    _watched: { write: (on) => on && page.find("bar").append(pause) },
    paused: {
      write: (on) => {
        paused = on;
        pause.setAttribute("aria-pressed", String(on));
        if (kept && !paused) place();
      },
    },
    height: { write: (pixels) => page.host.style.setProperty("--height", `${pixels}px`) },
  };
  const due = new Set();
  const flush = () => {
    clearTimeout(timer);
    timer = 0;
    const changed = [...due].filter((name) => name in traits && !isSame(traits[name].read(), model.get(name)));
    if (due.has("dragged")) model.send({ kind: "dragged", ...page.dragged });
    due.clear();
    if (changed.includes("colors") && model.get("colors").name === page.color) changed.splice(changed.indexOf("colors"), 1);
    for (const name of changed) model.set(name, traits[name].read());
    if (changed.length) model.save_changes();
  };
  page.tell = (name) => {
    due.add(name);
    if (name === "camera" || (name === "dragged" && !page.dragged.done)) timer ||= setTimeout(flush, TELLING);
    else flush();
  };
  const follow = (name) => {
    const [{ read, write }, value] = [traits[name], model.get(name)];
    if (!read || !isSame(read(), value)) write(value);
  };
  const ends = Object.keys(traits).map((name) => {
    const heard = () => follow(name);
    model.on(`change:${name}`, heard);
    return () => model.off(`change:${name}`, heard);
  });
  page.ended.signal.addEventListener("abort", () => {
    clearTimeout(timer);
    for (const end of ends) end();
  });
  return () => ["_watched", "height", "sizes", "hidden", "selection", "pinned", "camera", "paused"].forEach(follow);
}

export default {
  render({ model, el }) {
    // Keys belong to the drawing: the notebook would take D for the deletion of a cell.
    const host = element("div", { "data-lm-suppress-shortcuts": "true" });
    const root = host.attachShadow({ mode: "open" });
    el.append(host);
    root.append(element("style", {}, STYLE), skeleton(model.get("_data").title));
    host.style.setProperty("--height", `${model.get("height")}px`);
    const page = new Page(root, host, heldBy(model));
    page.draggable = true;
    host.nelayout = page; // for the console of the browser
    const follow = connect(model, page);
    page.start();
    follow();
    const observer = new ResizeObserver(([{ contentRect }]) => page.body.classList.toggle("narrow", contentRect.width < NARROW));
    observer.observe(host);
    return () => {
      observer.disconnect();
      page.stop();
    };
  },
};
