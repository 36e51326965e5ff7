// A path of four nodes of two classes, a model as notebooks have it, and elements that only take what they get.

const heard = {}, told = [], state = {
  selection: new DataView(new ArrayBuffer(0)), pinned: new DataView(new ArrayBuffer(0)), hidden: [], searched: -1,
  camera: { x: 0, y: 0, zoom: 1 }, colors: "kind", sizes: null, paused: false, height: 300, _watched: false,
  positions: new DataView(new Float32Array([0, 0, 1, 1, 2, 2, 3, 3]).buffer),
};
const bare = () => ({ dataset: {}, style: { setProperty() {} }, append() {}, setAttribute() {}, addEventListener() {}, replaceChildren() {} });
globalThis.document = { createElement: bare };
globalThis.requestAnimationFrame = (f) => setTimeout(() => f(performance.now()), 0);
const model = {
  get: (name) => state[name],
  set: (name, value) => { state[name] = value; told.push(name); heard[name]?.(); },
  save_changes: () => told.push("saved"),
  send: (content) => told.push(content),
  on: (event, f) => { heard[event.slice(7)] = f; },
  off: (event) => { delete heard[event.slice(7)]; },
};
const python = (name, value) => { state[name] = value; heard[name](); };
const rows = (...numbers) => new DataView(Uint32Array.from(numbers).buffer);
const data = readData({
  names: ["a", "b", "c", "d"], rows: { type: "u2", data: new Uint16Array([0, 1, 2]) }, cols: { type: "u2", data: new Uint16Array([1, 2, 3]) },
  weights: null, drawings: [{ name: "", facts: [], xy: { type: "f4", data: state.positions } }],
  columns: [{ name: "kind", kind: "classes", names: ["even", "odd"], colors: ["#000", "#fff"], dark: ["#000", "#fff"], codes: { type: "i2", data: new Int16Array([0, 1, 0, 1]) } }],
  color: "kind", plain: ["#000", "#fff"], unknown: ["#888", "#999"],
});
const painted = {};
const page = new Page({ getElementById: bare, body: {} }, bare(), data);
page.painter = { setEdges: (ends) => { painted.edges = [...ends]; }, setMarked() {}, setColors() {}, setFlat: (_, xy) => { painted.xy = [...xy]; }, setPlace() {}, setSizes() {}, release() {} };
page.panels = [Object.assign(Object.create(Panel.prototype), { page, index: 0, dim: 2, xy: data.drawings[0].places, view: { x: 0, y: 0, zoom: 1 }, paint() {}, drawOver() {}, resize() {}, toScreen: () => [0, 0], width: 1, height: 1 })];
page.shown = data.m;
page.color = "kind";
page.setColor("kind");
const follow = connect(model, page);
const wait = (time) => new Promise((done) => setTimeout(done, time));
const say = (value) => console.log(JSON.stringify(value));
follow();
