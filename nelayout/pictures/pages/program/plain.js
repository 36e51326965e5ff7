// Nodes and edges where the browser has no WebGL 2: slower, with gray edges, of which at most a first part is painted.

const PLAIN_EDGES = 30000;

class PlainPainter {
  constructor(data) {
    this.data = data;
    this.ends = data.ends;
    this.colors = [];
    this.seen = data.drawings.map(({ places }) => ({ xyd: places, order: data.order }));
    this.marked = new Uint32Array(0);
  }

  setPlaces(panel, seen) {
    this.seen[panel] = seen;
  }

  setFlat(panel, places) {
    this.seen[panel].xyd = places;
  }

  setPlace(panel, node, x, y) {
    this.seen[panel].xyd.set([x, y], 2 * node);
  }

  setEdges(ends) {
    this.ends = ends;
  }

  setSizes() {} // read from the data

  release() {}

  setColors(panel, rgb, levels) {
    this.colors[panel] = { rgb, levels };
  }

  setMarked(ends) {
    this.marked = ends;
  }

  paint(context, panel, how) {
    const { width, height } = context.canvas;
    const { xyd, order } = this.seen[panel];
    const { dim } = this.data.drawings[panel];
    const { rgb, levels } = this.colors[panel];
    const [cx, cy, half, halfHigh] = how.view;
    const x = (i) => ((xyd[dim * i] - cx) / half + 1) * (width / 2);
    const y = (i) => (1 - (xyd[dim * i + 1] - cy) / halfHigh) * (height / 2);
    const depth = (i) => (dim === 3 ? xyd[3 * i + 2] : 0);
    const strokes = (ends, count, opacity) => {
      context.strokeStyle = `rgb(${how.gray.slice(0, 3).map((c) => 255 * c).join(" ")} / ${opacity})`;
      context.lineWidth = how.width;
      for (let e = 0; e < count; e++) {
        context.beginPath();
        context.moveTo(x(ends[2 * e]), y(ends[2 * e]));
        context.lineTo(x(ends[2 * e + 1]), y(ends[2 * e + 1]));
        context.stroke();
      }
    };
    context.clearRect(0, 0, width, height);
    strokes(this.ends, Math.min(how.edges, PLAIN_EDGES), how.ink);
    strokes(this.marked, Math.min(this.marked.length / 2, PLAIN_EDGES), how.markedInk);
    for (const wanted of levels ? [0, 1, 2] : [1]) {
      for (const i of order) {
        if (levels && levels[i] !== wanted) continue;
        context.fillStyle = `rgb(${rgb.subarray(3 * i, 3 * i + 3).join(" ")} / ${wanted === 0 ? 0.2 : wanted === 1 ? 1 - MIST * depth(i) : 1})`;
        context.beginPath();
        context.arc(x(i), y(i), (how.size / 2) * (this.data.sizes?.[i] ?? 1) * (wanted === 2 ? 1.45 : 1) * (dim === 3 ? 1 + NEARER * (1 - 2 * depth(i)) : 1), 0, 7);
        context.fill();
        if (wanted === 2 && how.rimmed) {
          context.strokeStyle = `rgb(${how.rim.map((c) => 255 * c).join(" ")})`;
          context.stroke();
        }
      }
    }
    return 0;
  }
}
