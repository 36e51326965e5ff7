// The data of the page: arrays out of base64, the neighbors of each node, the colors that a column stands for.

const SCALE = ["#440154", "#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725"];
const TOO_DARK = 0.3; // share of the scale that does not show on a dark page
const DAY = 86400000; // milliseconds
const KINDS = { f4: Float32Array, f8: Float64Array, i2: Int16Array, u1: Uint8Array, u2: Uint16Array, u4: Uint32Array };

// Bytes of a buffer or of a view of one.
function bytesOf(data) {
  return ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data);
}

// An array out of base64 in a file, or out of the bytes that a widget gets; a list of texts as it is.
function unpacked(held) {
  if (Array.isArray(held)) return held;
  if (typeof held.data !== "string") {
    const bytes = bytesOf(held.data);
    return held.type === "json" ? JSON.parse(new TextDecoder().decode(bytes)) : new KINDS[held.type](bytes.slice().buffer);
  }
  const text = atob(held.data);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  return new KINDS[held.type](bytes.buffer);
}

// Edges by pairs of node numbers. Neighbors of node i are neighbors[start[i]] to neighbors[start[i + 1] - 1], by the edges
// of the same places in `edge`.
function linkUp(data, ends) {
  const { n } = data;
  const m = ends.length / 2;
  Object.assign(data, { m, ends, start: new Uint32Array(n + 1), neighbors: new Uint32Array(2 * m), edge: new Uint32Array(2 * m) });
  for (const node of ends) data.start[node + 1]++;
  for (let i = 0; i < n; i++) data.start[i + 1] += data.start[i];
  const next = data.start.slice();
  for (let k = 0; k < 2 * m; k++) {
    const place = next[data.ends[k]]++;
    data.neighbors[place] = data.ends[k ^ 1];
    data.edge[place] = k >> 1;
  }
}

function readColumn(column) {
  if (column.kind === "classes") column.codes = unpacked(column.codes);
  else column.values = unpacked(column.values);
  return column;
}

function readData(data) {
  const [rows, cols] = [unpacked(data.rows), unpacked(data.cols)];
  data.names = unpacked(data.names);
  const [n, m] = [data.names.length, rows.length];
  data.n = n;
  data.weights = data.weights && unpacked(data.weights);
  for (const drawing of data.drawings) {
    drawing.dim = drawing.xyz ? 3 : 2;
    drawing.shapes = (drawing.shapes ?? []).map(unpacked); // a widget has none
    drawing.places = drawing.xyz ? (drawing.xyz = unpacked(drawing.xyz)) : (drawing.xy = unpacked(drawing.xy));
  }
  data.columns.forEach(readColumn);
  const ends = new Uint32Array(2 * m);
  for (let e = 0; e < m; e++) [ends[2 * e], ends[2 * e + 1]] = [rows[e], cols[e]];
  linkUp(data, ends);
  data.degree = (i) => data.start[i + 1] - data.start[i];
  data.order = Uint32Array.from({ length: n }, (_, i) => i).sort((i, j) => data.degree(i) - data.degree(j) || i - j);
  data.choices = choicesOf(data);
  return data;
}

// Choices of a color for nodes: columns of one name, one for all drawings or one for each, are one choice.
function choicesOf(data) {
  const choices = new Map();
  for (const column of data.columns) {
    if (column.kind === "texts") continue;
    const choice = choices.get(column.name) || { name: column.name, kind: column.kind, unit: column.unit, columns: [] };
    choice.columns.push(column);
    choices.set(column.name, choice);
  }
  for (const choice of choices.values()) if (choice.kind === "numbers") Object.assign(choice, boundsOf(choice.columns));
  return choices;
}

// The scale that holds the scales of all columns; `below` and `above`: whether values lie beyond it.
function boundsOf(columns) {
  const low = Math.min(...columns.map((column) => column.low)), high = Math.max(...columns.map((column) => column.high));
  const log = columns.every((column) => column.log);
  const some = (test) => columns.some((column) => column.values.some(test));
  return { low, high, log, below: !log && some((value) => value < low), above: some((value) => value > high) };
}

function columnFor(choice, drawing) {
  return choice.columns.find((column) => column.drawing === undefined || column.drawing === drawing);
}

function rgbOf(hex) {
  const full = hex.length === 4 ? hex.replace(/[^#]/g, "$&$&") : hex;
  return [1, 3, 5].map((k) => parseInt(full.slice(k, k + 2), 16));
}

// The color of a share of the scale, on a dark page without the dark end.
function onScale(share, dark) {
  const whole = Math.min(Math.max(share, 0), 1);
  const place = (dark ? TOO_DARK + (1 - TOO_DARK) * whole : whole) * (SCALE.length - 1);
  const k = Math.min(Math.floor(place), SCALE.length - 2);
  const [a, b] = [rgbOf(SCALE[k]), rgbOf(SCALE[k + 1])];
  return a.map((value, c) => Math.round(value + (place - k) * (b[c] - value)));
}

// (3 n) red, green and blue of the nodes in a drawing, by the name of a choice or by one color; `dark`: on a dark page.
function colorsOf(data, color, drawing, dark) {
  const result = new Uint8Array(3 * data.n);
  const choice = data.choices.get(color);
  const column = choice && columnFor(choice, drawing);
  const missing = rgbOf(data.unknown[Number(dark)]);
  const put = (i, rgb) => { for (let c = 0; c < 3; c++) result[3 * i + c] = rgb[c]; };
  if (!column) {
    const one = choice ? missing : rgbOf(data.plain.includes(color) ? data.plain[Number(dark)] : color);
    for (let i = 0; i < data.n; i++) put(i, one);
  } else if (choice.kind === "classes") {
    const table = (dark ? column.dark : column.colors).map(rgbOf);
    for (let i = 0; i < data.n; i++) put(i, table[column.codes[i]] || missing);
  } else {
    const by = choice.log ? Math.log : (x) => x;
    const [low, span] = [by(choice.low), by(choice.high) - by(choice.low)];
    const table = Array.from({ length: 256 }, (_, k) => onScale(k / 255, dark));
    for (let i = 0; i < data.n; i++) {
      const value = column.values[i];
      const share = span > 0 ? Math.min(Math.max((by(value) - low) / span, 0), 1) : 0.5;
      put(i, Number.isFinite(by(value)) ? table[Math.round(255 * share)] : missing);
    }
  }
  return result;
}

// A number in up to five digits, whole ones in full; days since 1970 as a date, with the time unless it is midnight.
function written(value, unit = "") {
  if (unit === "date") return new Date(Math.round(value * DAY)).toISOString().slice(0, 19).replace("T", " ").replace(" 00:00:00", "");
  if (unit) return `${written(value)} ${unit}`;
  if (Number.isInteger(value)) return Math.abs(value) < 1e4 ? String(value) : value.toLocaleString("en");
  return Number(value.toPrecision(5)).toString();
}

// Facts about a node in a drawing, as pairs of name and text.
function factsOf(data, i, drawing) {
  const facts = [];
  for (const column of data.columns) {
    if (column.drawing !== undefined && column.drawing !== drawing) continue;
    let text = null;
    if (column.kind === "classes") text = column.names[column.codes[i]] ?? null;
    else if (column.kind === "texts") text = column.values[i];
    else if (Number.isFinite(column.values[i])) text = written(column.values[i], column.unit);
    if (text !== null) facts.push([column.name, text]);
  }
  return facts;
}
