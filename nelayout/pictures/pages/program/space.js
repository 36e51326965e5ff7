// Drawings in space: how they are turned, and what of them is seen.  A turn is a 3 x 3 matrix, row by row, whose rows are
// right, up and towards the reader.

const LEVELS = 4096; // of depth, by which nodes are put in order: finer than a pixel of any panel

function product(a, b) {
  return [0, 1, 2].flatMap((r) => [0, 1, 2].map((c) => a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c]));
}

// The turn by angles about the axes to the right, upwards and towards the reader.
function turnBy(x, y, z) {
  const [cx, sx, cy, sy, cz, sz] = [Math.cos(x), Math.sin(x), Math.cos(y), Math.sin(y), Math.cos(z), Math.sin(z)];
  const about = product([1, 0, 0, 0, cx, -sx, 0, sx, cx], [cy, 0, sy, 0, 1, 0, -sy, 0, cy]);
  return product([cz, -sz, 0, sz, cz, 0, 0, 0, 1], about);
}

// A drawing in space as it is seen: xyd, for each node the place to the right and upwards and its depth, 0 in front and 1
// at the back; and the nodes in order, those far behind first.
class Seen {
  constructor(places, view) {
    const n = places.length / 3;
    this.places = places;
    this.view = view;
    this.xyd = new Float32Array(3 * n);
    this.order = new Uint32Array(n);
    this.radius = 0;
    for (let i = 0; i < n; i++) this.radius = Math.max(this.radius, Math.hypot(places[3 * i], places[3 * i + 1], places[3 * i + 2]));
    this.turnTo(view);
  }

  turnTo(turn) {
    const { places, xyd, order } = this;
    const [a, b, c, d, e, f, g, h, i] = turn;
    this.turn = turn;
    const wide = 2 * this.radius || 1;
    const first = new Uint32Array(LEVELS + 1);
    const level = (k) => Math.min(LEVELS - 1, Math.floor((1 - xyd[k]) * LEVELS));
    for (let k = 0; k < places.length; k += 3) {
      const [x, y, z] = [places[k], places[k + 1], places[k + 2]];
      xyd[k] = a * x + b * y + c * z;
      xyd[k + 1] = d * x + e * y + f * z;
      xyd[k + 2] = Math.min(1, Math.max(0, 0.5 - (g * x + h * y + i * z) / wide));
      first[level(k + 2) + 1]++;
    }
    for (let l = 0; l < LEVELS; l++) first[l + 1] += first[l];
    for (let k = 2; k < xyd.length; k += 3) order[first[level(k)]++] = (k - 2) / 3;
  }

  // Height of a node over the plane through the middle, towards the reader.
  height(i) {
    return (1 - 2 * this.xyd[3 * i + 2]) * this.radius;
  }
}
