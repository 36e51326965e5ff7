// Nodes and edges by WebGL: one hidden canvas paints every panel, and its picture is copied to the panel's own.
//
// The edges stand once in a buffer, as pairs of node numbers; the places of the nodes are a texture for each panel, their
// colors another. Edges are summed up as ink in floating point and then darkened as ln(1 + k t) / k, as in the pictures
// of nelayout.draw: single lines keep their strength, and a hundred thousand do not become one black spot.

const WIDE = 2048; // nodes in a row of a texture
const THIN_FROM = 30000; // edges from which lines are one pixel wide and not smoothed, which is faster
const [FOG, MIST, NEARER] = ["0.7", "0.6", "0.3"]; // of the farthest: ink that its edges lose, paper in its color; how much larger the nearest dot is
const HIDDEN = 3; // level of nodes that are not painted, beside 0 faded, 1 usual and 2 selected
const DENSEST = 2; // ink of the densest places after darkening
const NODE_AT = `
uniform highp sampler2D places;
uniform highp sampler2D colors;
uniform vec4 view; // middle x, y in the drawing; half a panel's width and height in the drawing
uniform float space; // 1 for a drawing in space
vec3 placeOf(uint i) { // x, y of the panel from -1 to 1; depth from 0 to 1, in the plane 0
  vec3 p = texelFetch(places, ivec2(int(i) % ${WIDE}, int(i) / ${WIDE}), 0).xyz;
  return vec3((p.xy - view.xy) / view.zw, space * p.z);
}
float fogOf(float depth) { return 1.0 - ${FOG} * depth; }
vec4 colorOf(uint i) { return texelFetch(colors, ivec2(int(i) % ${WIDE}, int(i) / ${WIDE}), 0); }
`;
const HEAD = "#version 300 es\nprecision highp float;\nprecision highp int;\n";

const LINE_VERTEX = `${HEAD}${NODE_AT}
in uint node;
out vec3 tint; out float beside; out float fog;
void main() {
  vec3 p = placeOf(node);
  gl_Position = vec4(p.xy, 0.0, 1.0); tint = colorOf(node).rgb; beside = 0.0; fog = fogOf(p.z);
}`;
const BAND_VERTEX = `${HEAD}${NODE_AT}
in uvec2 ends;
uniform vec2 half_size; uniform float width;
out vec3 tint; out float beside; out float fog;
void main() {
  bool second = gl_VertexID > 1;
  vec3 from = placeOf(ends.x), to = placeOf(ends.y);
  vec2 a = from.xy * half_size, b = to.xy * half_size;
  vec2 along = b - a;
  float size = length(along);
  vec2 across = size > 0.0 ? vec2(-along.y, along.x) / size : vec2(0.0);
  float side = (gl_VertexID & 1) == 0 ? -1.0 : 1.0;
  beside = side * (width / 2.0 + 0.75);
  gl_Position = vec4(((second ? b : a) + across * beside) / half_size, 0.0, 1.0);
  tint = colorOf(second ? ends.y : ends.x).rgb;
  fog = fogOf(second ? to.z : from.z);
}`;
const INK_FRAGMENT = `${HEAD}
in vec3 tint; in float beside; in float fog;
uniform float ink; uniform float width; uniform vec4 gray;
out vec4 result;
void main() {
  float t = ink * fog * clamp(width / 2.0 + 0.5 - abs(beside), 0.0, 1.0);
  result = vec4(mix(tint, gray.rgb, gray.a) * t, t);
}`;
const SHEET_VERTEX = `${HEAD}
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }`;
const SHEET_FRAGMENT = `${HEAD}
uniform highp sampler2D inks; uniform float k;
out vec4 result;
void main() {
  vec4 t = texelFetch(inks, ivec2(gl_FragCoord.xy), 0);
  float dark = 1.0 - exp(-(k > 0.0 ? log(1.0 + k * t.a) / k : t.a));
  result = vec4(t.rgb / max(t.a, 1e-6), 1.0) * dark;
}`;
const NODE_VERTEX = `${HEAD}${NODE_AT}
in uint node;
uniform highp sampler2D sizes;
uniform float size; uniform int wanted; uniform vec3 paper; uniform bool sized;
out vec3 tint; flat out int level; flat out float points;
void main() {
  vec4 color = colorOf(node);
  level = int(color.a * ${HIDDEN}.0 + 0.5);
  vec3 p = placeOf(node);
  tint = mix(color.rgb, paper, level == 0 ? (paper.r < 0.5 ? 0.7 : 0.82) : level == 2 ? 0.0 : ${MIST} * p.z);
  float own = sized ? texelFetch(sizes, ivec2(int(node) % ${WIDE}, int(node) / ${WIDE}), 0).r : 1.0;
  points = size * own * (level == 2 ? 1.45 : 1.0) * (1.0 + ${NEARER} * (space - 2.0 * p.z)) + 1.0;
  gl_PointSize = points;
  gl_Position = level == wanted ? vec4(p.xy, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}`;
const NODE_FRAGMENT = `${HEAD}
in vec3 tint; flat in int level; flat in float points;
uniform vec3 rim; uniform vec3 paper; uniform bool rimmed;
out vec4 result;
void main() {
  bool strong = level == 2 && rimmed;
  float inside = (points - 1.0) / 2.0 - length(gl_PointCoord - 0.5) * points;
  float cover = clamp(inside + 0.5, 0.0, 1.0);
  float line = strong ? max(1.2, points * 0.12) : points * 0.09;
  float ring = points < 6.0 && !strong ? 0.0 : clamp(line - inside + 0.5, 0.0, 1.0);
  result = vec4(mix(tint, strong ? rim : paper, ring), 1.0) * cover;
}`;

class WebGLPainter {
  // Throws where the browser has no WebGL 2 with floating-point pictures.
  constructor(data) {
    this.data = data;
    this.canvas = document.createElement("canvas");
    const gl = this.canvas.getContext("webgl2", { antialias: false });
    if (!gl || !gl.getExtension("EXT_color_buffer_float")) throw new Error("no WebGL 2");
    this.gl = gl;
    this.thin = data.m > THIN_FROM;
    this.programs = {
      line: this.program(LINE_VERTEX, INK_FRAGMENT), band: this.program(BAND_VERTEX, INK_FRAGMENT),
      sheet: this.program(SHEET_VERTEX, SHEET_FRAGMENT), node: this.program(NODE_VERTEX, NODE_FRAGMENT),
    };
    this.edges = this.strokes(data.ends);
    this.marked = this.strokes(new Uint32Array(0));
    this.nodes = this.numbers(this.programs.node, "node", data.order, 1, 0);
    this.orders = data.drawings.map(({ dim }) => (dim === 3 ? this.numbers(this.programs.node, "node", data.order, 1, 0) : this.nodes));
    this.places = data.drawings.map(({ dim, places }) => (dim === 3 ? gl.createTexture() : this.texture(gl.RG32F, gl.RG, gl.FLOAT, places, 2, Float32Array)));
    this.space = data.drawings.map(({ dim }) => Number(dim === 3));
    this.colors = data.drawings.map(() => null);
    this.sizes = null;
    this.ink = gl.createTexture();
    this.target = gl.createFramebuffer();
    gl.disable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
  }

  program(vertex, fragment) {
    const gl = this.gl;
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const at = (name) => gl.getUniformLocation(program, name);
    return { program, at };
  }

  // A buffer of node numbers as the attribute of a program; `divisor` 1: one entry for each instance.
  numbers(program, name, values, size, divisor, buffer = this.gl.createBuffer()) {
    const gl = this.gl;
    const vao = gl.createVertexArray();
    gl.bindVertexArray(vao);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    if (values) gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
    const place = gl.getAttribLocation(program.program, name);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribIPointer(place, size, gl.UNSIGNED_INT, 0, 0);
    gl.vertexAttribDivisor(place, divisor);
    return { vao, buffer };
  }

  strokes(ends) {
    const lines = this.numbers(this.programs.line, "node", ends, 1, 0);
    return { buffer: lines.buffer, lines: lines.vao, bands: this.numbers(this.programs.band, "ends", null, 2, 1, lines.buffer).vao };
  }

  texture(inner, format, type, values, channels, Kind, texture = this.gl.createTexture()) {
    const gl = this.gl;
    const height = Math.max(1, Math.ceil(this.data.n / WIDE));
    const full = new Kind(WIDE * height * channels);
    full.set(values);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
    gl.texImage2D(gl.TEXTURE_2D, 0, inner, WIDE, height, 0, format, type, full);
    return texture;
  }

  // Places of a drawing in space as it is seen, see `Seen`.
  setPlaces(panel, { xyd, order }) {
    const gl = this.gl;
    this.texture(gl.RGB32F, gl.RGB, gl.FLOAT, xyd, 3, Float32Array, this.places[panel]);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.orders[panel].buffer);
    gl.bufferData(gl.ARRAY_BUFFER, order, gl.DYNAMIC_DRAW);
  }

  // Places (2 n) of the nodes of a drawing in the plane.
  setFlat(panel, places) {
    const gl = this.gl;
    this.texture(gl.RG32F, gl.RG, gl.FLOAT, places, 2, Float32Array, this.places[panel]);
  }

  // The place of one node of a drawing in the plane.
  setPlace(panel, node, x, y) {
    const gl = this.gl;
    gl.bindTexture(gl.TEXTURE_2D, this.places[panel]);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, node % WIDE, Math.floor(node / WIDE), 1, 1, gl.RG, gl.FLOAT, new Float32Array([x, y]));
  }

  setEdges(ends) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.edges.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, ends, gl.DYNAMIC_DRAW);
  }

  // Diameters (n) as shares of the usual one; null: all are usual.
  setSizes(sizes) {
    const gl = this.gl;
    this.sizes = sizes && this.texture(gl.R32F, gl.RED, gl.FLOAT, sizes, 1, Float32Array, this.sizes || undefined);
  }

  // Browsers keep a few contexts of WebGL only.
  release() {
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }

  // Colors (3 n) of the nodes in a panel, and their levels (n), see `HIDDEN`.
  setColors(panel, rgb, levels) {
    const gl = this.gl;
    const full = new Uint8Array(4 * this.data.n);
    for (let i = 0; i < this.data.n; i++) {
      for (let c = 0; c < 3; c++) full[4 * i + c] = rgb[3 * i + c];
      full[4 * i + 3] = (255 * (levels ? levels[i] : 1)) / HIDDEN;
    }
    this.colors[panel] = this.texture(gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, full, 4, Uint8Array, this.colors[panel] || undefined);
  }

  // Edges that stand out, as pairs of node numbers.
  setMarked(ends) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.marked.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, ends, gl.DYNAMIC_DRAW);
    this.marked.count = ends.length / 2;
  }

  fit(width, height) {
    const gl = this.gl;
    if (this.canvas.width >= width && this.canvas.height >= height) return;
    this.canvas.width = Math.max(width, this.canvas.width);
    this.canvas.height = Math.max(height, this.canvas.height);
    gl.bindTexture(gl.TEXTURE_2D, this.ink);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA16F, this.canvas.width, this.canvas.height, 0, gl.RGBA, gl.HALF_FLOAT, null);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.ink, 0);
  }

  // Paint a panel: see `Panel.paint` for the fields of `how`. Returns k of the darkening, see `darkening`.
  paint(context, panel, how) {
    const gl = this.gl;
    const { width, height } = context.canvas;
    how.space = this.space[panel];
    this.fit(width, height);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.places[panel]);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.colors[panel]);
    gl.activeTexture(gl.TEXTURE3);
    gl.bindTexture(gl.TEXTURE_2D, this.sizes);
    gl.activeTexture(gl.TEXTURE2);
    gl.viewport(0, 0, width, height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.blendFunc(gl.ONE, gl.ONE);
    if (how.edges > 0) this.stroke(this.edges, how.edges, how, how.ink);
    if (this.marked.count) this.stroke(this.marked, this.marked.count, how, how.markedInk);
    const k = how.k ?? darkening(gl, width, height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const sheet = this.use("sheet", how);
    gl.bindTexture(gl.TEXTURE_2D, this.ink);
    gl.uniform1i(sheet.at("inks"), 2);
    gl.uniform1f(sheet.at("k"), k);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.bindTexture(gl.TEXTURE_2D, null);
    const node = this.use("node", how);
    gl.bindVertexArray(this.orders[panel].vao);
    gl.uniform1f(node.at("size"), how.size);
    gl.uniform1i(node.at("sized"), Number(this.sizes !== null));
    gl.uniform1i(node.at("sizes"), 3);
    gl.uniform3fv(node.at("rim"), how.rim);
    gl.uniform1i(node.at("rimmed"), Number(how.rimmed));
    gl.uniform3fv(node.at("paper"), how.paper);
    for (const level of how.levels ? [0, 1, 2] : [1]) {
      gl.uniform1i(node.at("wanted"), level);
      gl.drawArrays(gl.POINTS, 0, this.data.n);
    }
    context.clearRect(0, 0, width, height);
    context.drawImage(this.canvas, 0, this.canvas.height - height, width, height, 0, 0, width, height);
    return k;
  }

  stroke(strokes, count, how, ink) {
    const gl = this.gl;
    const { at } = this.use(this.thin ? "line" : "band", how);
    gl.uniform1f(at("ink"), ink);
    gl.uniform4fv(at("gray"), how.gray);
    gl.uniform1f(at("width"), this.thin ? 1 : how.width);
    gl.bindVertexArray(this.thin ? strokes.lines : strokes.bands);
    if (this.thin) gl.drawArrays(gl.LINES, 0, 2 * count);
    else {
      gl.uniform2f(at("half_size"), gl.getParameter(gl.VIEWPORT)[2] / 2, gl.getParameter(gl.VIEWPORT)[3] / 2);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
    }
  }

  use(name, how) {
    const gl = this.gl;
    const { program, at } = this.programs[name];
    gl.useProgram(program);
    gl.uniform1i(at("places"), 0);
    gl.uniform1i(at("colors"), 1);
    gl.uniform4fv(at("view"), how.view);
    gl.uniform1f(at("space"), how.space);
    return this.programs[name];
  }
}

// k of ln(1 + k t) / k, by which the densest of the inked pixels come out at `DENSEST`; 0 where little lies on the sheet.
function darkening(gl, width, height) {
  const pixels = new Float32Array(4 * width * height);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.FLOAT, pixels);
  const inked = [];
  for (let p = 3; p < pixels.length; p += 4) if (pixels[p] > 1e-3) inked.push(pixels[p]);
  inked.sort((a, b) => a - b);
  const densest = inked[Math.floor(0.998 * inked.length)] ?? 0;
  if (!(densest > DENSEST)) return 0;
  let [low, high] = [-20, 5];
  for (let step = 0; step < 40; step++) {
    const k = Math.exp((low + high) / 2);
    if (Math.log1p(k * densest) / k > DENSEST) low = (low + high) / 2;
    else high = (low + high) / 2;
  }
  return Math.exp(low);
}
