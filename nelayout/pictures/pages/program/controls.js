// The tools above the drawings, and what stands beside them: the legend, and what is known of the selected nodes.

const MOST_FOUND = 12; // names that a search offers
const MOST_LISTED = 40; // names in a list of neighbors or selected nodes
const NOBODY = "no node has this name"; // what a search says that finds none

// A field to search nodes by name: a list opens under it, arrows choose, Enter selects.
function searchField(page) {
  const list = element("ul", { id: "found", role: "listbox", "aria-label": "Nodes found", hidden: true });
  const input = element("input", {
    id: "search", type: "search", role: "combobox", "aria-controls": "found", "aria-expanded": "false",
    "aria-autocomplete": "list", placeholder: "Search nodes", "aria-label": "Search nodes by name", autocomplete: "off",
  });
  const lower = page.data.names.map((name) => name.toLowerCase());
  let [found, at] = [[], -1];
  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const choose = (node) => {
    if (node === undefined) return;
    close();
    page.search(node);
  };
  const mark = (k) => {
    at = k;
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === k)));
    if (k >= 0) input.setAttribute("aria-activedescendant", `found-${k}`);
  };
  input.addEventListener("input", () => {
    const wanted = input.value.trim().toLowerCase();
    const [first, other] = [[], []];
    for (let i = page.data.n - 1; wanted && i >= 0 && first.length < MOST_FOUND; i--) {
      const node = page.data.order[i];
      const place = lower[node].indexOf(wanted);
      if (place === 0) first.push(node);
      else if (place > 0 && other.length < MOST_FOUND) other.push(node);
    }
    found = [...first, ...other].slice(0, MOST_FOUND).sort((i, j) => (lower[j] === wanted) - (lower[i] === wanted));
    list.replaceChildren(...found.map((node, k) => element("li", {
      id: `found-${k}`, role: "option", "aria-selected": "false", onpointerdown: (event) => { event.preventDefault(); choose(node); },
    }, page.data.names[node])));
    if (wanted && !found.length) list.append(element("li", { role: "option", "aria-disabled": "true" }, NOBODY));
    list.hidden = !wanted;
    input.setAttribute("aria-expanded", String(!list.hidden));
    mark(found.length ? 0 : -1);
    if (wanted) page.say(found.length ? `${found.length === MOST_FOUND ? "at least " : ""}${found.length} found` : NOBODY);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") mark(Math.min(at + 1, found.length - 1));
    else if (event.key === "ArrowUp") mark(Math.max(at - 1, 0));
    else if (event.key === "Enter") choose(found[at]);
    else if (event.key === "Escape") {
      close();
      input.value = "";
    } else return;
    event.preventDefault();
  });
  input.addEventListener("blur", close);
  return element("div", { class: "search" }, input, list);
}

function box(text, checked, change) {
  const input = element("input", { type: "checkbox", checked });
  input.addEventListener("change", () => change(input.checked));
  return element("label", {}, input, text);
}

function button(text, label, press) {
  return element("button", { type: "button", title: label, "aria-label": /\w/.test(text) ? null : label, onclick: press }, text);
}

function toolButtons(page) {
  const space = page.panels.some((panel) => panel.seen);
  const tools = [...(space ? [["turn", "Turn", "Drag to turn, with Shift or the right button to move, click to select"]] : []), ["move", "Move", "Drag to move, click to select"], ["box", "Box", "Drag a box to select"], ["lasso", "Lasso", "Draw a line around nodes to select"], ...(page.draggable && !space ? [["drag", "Drag", "Drag a node to move and pin it, click a pinned node to release it"]] : [])];
  const buttons = tools.map(([tool, text, label]) => button(text, label, () => {
    page.tool = tool;
    buttons.forEach((each, k) => each.setAttribute("aria-pressed", String(tools[k][0] === tool)));
    page.find("panels").dataset.tool = tool;
  }));
  buttons.forEach((each, k) => each.setAttribute("aria-pressed", String(k === 0)));
  [[page.tool]] = tools;
  return element("span", { class: "joined", role: "group", "aria-label": "Mouse" }, ...buttons);
}

// The edges on or off, and the share of them, strongest first, that is shown.
function edgeTools(page) {
  const { data } = page;
  if (!data.m) return [];
  const parts = [box("Edges", true, (on) => { page.edges = on; page.repaint(); })];
  if (data.weights) {
    const told = (count) => (count ? `${data.weightName} ≥ ${written(data.weights[count - 1])}: ${count.toLocaleString("en")}` : "none");
    // Room for the longest, so that the bar keeps its lines while the slider moves.
    const longest = Math.max(...Array.from({ length: 101 }, (_, percent) => told(Math.round((data.m * percent) / 100)).length));
    const said = element("output", {}, told(data.m));
    said.style.minWidth = `${longest}ch`;
    const range = element("input", { type: "range", min: "0", max: "100", value: "100", id: "strongest", "aria-label": `Edges shown, those of the largest ${data.weightName} first, percent` });
    range.addEventListener("input", () => {
      let count = Math.round((data.m * range.value) / 100);
      while (count > 0 && count < data.m && data.weights[count] === data.weights[count - 1]) count++;
      page.shown = count;
      said.textContent = told(count);
      for (const panel of page.panels) panel.darkening = null;
      page.mark();
    });
    parts.push(element("label", {}, "Strongest", range, said));
  }
  return parts;
}

// The choices of a color, and the color that is none of them.
function fillColors(page, color) {
  const options = [...page.data.choices.keys()];
  if (!page.data.choices.has(page.color)) options.unshift(page.color);
  color.replaceChildren(...options.map((name) => element("option", { value: name, selected: name === page.color }, page.data.choices.has(name) ? name : "one color")));
}

function fillBar(page) {
  const color = element("select", { id: "color" });
  fillColors(page, color);
  color.addEventListener("change", () => {
    page.setColor(color.value);
    page.tell("colors");
  });
  const bar = page.find("bar");
  bar.append(searchField(page), element("label", {}, "Color", color), ...edgeTools(page), box("Names", page.names, (on) => { page.names = on; page.drawOver(); }));
  if (page.panels.length > 1) bar.append(box("Move together", true, (on) => { page.linked = on; }));
  const zoom = (factor) => () => page.panels.slice(0, page.linked ? 1 : undefined).forEach((panel) => panel.zoomAt(panel.width / 2, panel.height / 2, factor));
  bar.append(toolButtons(page), element("span", { class: "joined", role: "group", "aria-label": "Zoom" },
    button("−", "Zoom out", zoom(1 / 1.5)), button("+", "Zoom in", zoom(1.5)), button("Fit", "Show everything", () => page.fitAll())));
}

// The classes, each a box that shows or hides its nodes and a button that selects them, or the scale.
function legend(page) {
  const choice = page.data.choices.get(page.color);
  if (!choice) return element("div");
  const title = element("h2", {}, choice.name);
  if (choice.kind === "numbers") {
    const bar = element("div", { class: "scale", role: "img", "aria-label": `from ${written(choice.low, choice.unit)} to ${written(choice.high, choice.unit)}` });
    bar.style.background = `linear-gradient(90deg, ${SCALE.map((_, k) => `rgb(${onScale(k / (SCALE.length - 1), page.dark).join(" ")})`).join(",")})`;
    const note = choice.log ? element("span", {}, "logarithmic") : "";
    const ends = [`${choice.below ? "≤ " : ""}${written(choice.low, choice.unit)}`, `${choice.above ? "≥ " : ""}${written(choice.high, choice.unit)}`];
    return element("div", {}, title, bar, element("div", { class: "ends" }, element("span", {}, ends[0]), note, element("span", {}, ends[1])));
  }
  const column = choice.columns[0];
  const counts = new Array(column.names.length + 1).fill(0);
  for (const code of column.codes) counts[code < 0 ? column.names.length : code]++;
  const items = column.names.map((name, k) => {
    const dot = element("span", { class: "dot" });
    dot.style.background = (page.dark ? column.dark : column.colors)[k];
    const press = () => page.select(nodesOfClass(column, k), false);
    const shown = element("input", { type: "checkbox", checked: !page.hidden.has(name), "aria-label": `Show ${name}`, title: "Show these nodes" });
    shown.addEventListener("change", () => page.hide([...column.names].filter((other) => (other === name ? !shown.checked : page.hidden.has(other)))));
    return element("li", {}, shown, element("button", { type: "button", onclick: press, title: "Select these nodes" }, dot, element("span", {}, name), element("small", {}, String(counts[k]))));
  });
  return element("div", {}, title, element("ul", { class: "classes" }, ...items));
}

function nodesOfClass(column, k) {
  const found = [];
  column.codes.forEach((code, i) => { if (code === k) found.push(i); });
  return found;
}

function nameList(page, nodes) {
  const items = nodes.slice(0, MOST_LISTED).map((node) => element("li", {}, element("button", {
    type: "button", onclick: () => { page.select([node], false); page.show(node); },
    onpointerenter: () => page.setHover(node), onpointerleave: () => page.setHover(-1),
  }, page.data.names[node])));
  if (nodes.length > MOST_LISTED) items.push(element("li", {}, `and ${(nodes.length - MOST_LISTED).toLocaleString("en")} more`));
  return element("ul", { class: "names" }, ...items);
}

// Facts about the selected nodes.
function details(page) {
  const { data } = page;
  const nodes = [...page.selected];
  if (!nodes.length) return element("p", { class: "hint" }, `Click a node, or draw a box or a lasso, to see its neighbors${page.panels.length > 1 ? " in every drawing" : ""}.`);
  const clear = button("Clear", "Clear the selection", () => page.select([], false));
  if (nodes.length > 1) {
    return element("div", {}, element("h2", {}, `${nodes.length.toLocaleString("en")} nodes selected`), clear, nameList(page, nodes.sort((i, j) => data.degree(j) - data.degree(i))));
  }
  const [node] = nodes;
  const table = element("dl");
  for (const column of data.columns) {
    const facts = page.panels.map((panel) => factsOf(data, node, panel.index).find(([name]) => name === column.name)?.[1]);
    const several = column.drawing !== undefined && page.panels.length > 1;
    if (several && column.drawing !== Math.min(...data.columns.filter((other) => other.name === column.name).map((other) => other.drawing))) continue;
    const told = several ? page.panels.map((panel, k) => `${facts[k] ?? "–"} ${panel.name}`).join("\n") : facts.find((fact) => fact !== undefined);
    if (told !== undefined) table.append(element("dt", {}, column.name), element("dd", {}, told));
  }
  const around = [...new Set(data.neighbors.subarray(data.start[node], data.start[node + 1]))].sort((i, j) => data.degree(j) - data.degree(i));
  return element("div", {}, element("h2", {}, data.names[node]), clear, table, element("h3", {}, `${around.length.toLocaleString("en")} neighbors`), nameList(page, around));
}
