// A cell of a notebook: a model with the state of a widget, and the widget.

const bytes = (text) => new DataView(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
const read = (text) => JSON.parse(text, (_, x) => (x?.base64 === undefined ? x : bytes(x.base64)));
const revived = read(document.getElementById("state").textContent);
const heard = {};
window.told = [];
window.model = {
  get: (name) => revived[name],
  set: (name, value) => { revived[name] = value; told.push(name); heard[name]?.forEach((f) => f()); },
  save_changes() {}, send: (content) => told.push(content),
  on: (event, f) => (heard[event.slice(7)] ??= new Set()).add(f), off: (event, f) => heard[event.slice(7)].delete(f),
};
window.python = (name, value) => {
  revived[name] = read(JSON.stringify(value));
  heard[name].forEach((f) => f());
};
import(URL.createObjectURL(new Blob([document.getElementById("program").textContent], { type: "text/javascript" })))
  .then(({ default: { render } }) => {
    window.close_widget = render({ model, el: document.getElementById("cell") });
    window.host = document.getElementById("cell").firstElementChild;
    window.nelayout = host.nelayout;
  });
