"""Pairs of edges that cross, and the angles between edges.

Edges with a common node never count. Edges that touch (a node drawn on another edge) or overlap count. A reader cannot
separate them, and a drawing with all nodes at one point must not win. Edges are sorted along one axis, and each is
compared with the edges that begin before it ends. The cost is nearly linear in the number of edges while edges are
short. It is quadratic if most edges reach across the drawing.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.breadth_first import COMPILED_ABOVE
from nelayout.numerics.parallel import threads_for
from nelayout.quality.distances import standardize
from nelayout.quality.edges import edges
from nelayout.quality.samples import NOTHING, Sample, Sampled, sample_of, standard_error

__all__ = ["Segments", "angular_resolution", "crossing_angle", "edge_crossings", "most_crossings"]

# Largest number of edge pairs that are all tested. Larger drawings sample edges, with half as many pairs in all.
PAIRS_EXACT = 400_000_000
# Smallest number of sampled edges; it bounds the relative error.
MIN_SAMPLED_EDGES = 500
# Pairs below which NumPy tests a small graph, so that it loads no compiler; and pairs of one piece of compiled work.
PAIRS_NUMPY = 1_000_000


def edge_crossings(adjacency: csr_array, Y: np.ndarray, sample: Sample = "auto", seed: int = 0) -> Sampled:
    """Return the number of pairs of edges without a common node that share a point.

    `sample`: "auto" counts all up to PAIRS_EXACT candidate pairs and samples edges above. None counts all; an int is
    the number of sampled edges. A sampled count is the mean number of crossings of an edge times half the edges. `Y` is
    (n, 2).
    """
    drawn = Segments(*edges(adjacency), Y)
    crossed, _, exact = drawn.sampled(sample, seed)
    if exact:
        return Sampled(float(crossed.sum()))
    m = len(drawn.first)
    return Sampled(float(crossed.mean() * m / 2), standard_error(crossed, m) * m / 2, exact=False)


def crossing_angle(adjacency: csr_array, Y: np.ndarray, sample: Sample = "auto", seed: int = 0) -> Sampled:
    """Return the mean angle between crossing edges, over 90 degrees; in [0, 1].

    Crossings as in `edge_crossings`, without edges of length 0, which have no direction. Edges that overlap have the
    angle 0. `Y` is (n, 2).
    """
    i, j = edges(adjacency)
    long = (Y[i] != Y[j]).any(axis=1)
    drawn = Segments(i[long], j[long], Y)
    crossed, angle, exact = drawn.sampled(sample, seed, angles=True)
    if not crossed.any():
        return NOTHING
    right = angle / (np.pi / 2)
    value = min(float(right.sum() / crossed.sum()), 1.0)
    if exact:
        return Sampled(value)
    # Derivative of a ratio of means by one edge's sums (delta method).
    spread = (right - value * crossed) / crossed.mean()
    return Sampled(value, standard_error(spread, len(drawn.first)), exact=False)


def angular_resolution(adjacency: csr_array, Y: np.ndarray) -> Sampled:
    """Return the mean over nodes of the smallest angle between two edges, in [0, 1].

    Each angle is divided by 360 / degree degrees. A node with an edge of length 0 counts 0. `Y` is (n, 2).
    """
    Y = standardize(Y)
    degree = np.diff(adjacency.indptr).astype(np.int64)
    several = degree > 1
    if not several.any():
        return NOTHING
    node = np.repeat(np.arange(len(Y)), degree)
    apart = Y[adjacency.indices] - Y[node]
    angle = np.arctan2(apart[:, 1], apart[:, 0])
    angle = angle[np.lexsort((angle, node))]
    gap = np.diff(angle, append=0.0)
    last = np.cumsum(degree)[degree > 0] - 1
    gap[last] = angle[last - degree[degree > 0] + 1] + 2 * np.pi - angle[last]
    smallest = np.full(len(Y), np.inf)
    np.minimum.at(smallest, node, np.maximum(gap, 0.0))
    smallest[node[~apart.any(axis=1)]] = 0.0
    share = smallest[several] * degree[several] / (2 * np.pi)
    return Sampled(float(np.minimum(share, 1.0).mean()))


def most_crossings(adjacency: csr_array) -> int:
    """Return the number of pairs of edges without a common node: an upper bound of crossings."""
    degree = np.diff(adjacency.indptr).astype(object if adjacency.nnz > 2**31 else np.int64)
    m = adjacency.nnz // 2
    return int(m * (m - 1) // 2 - (degree * (degree - 1)).sum() // 2)


class Segments:
    """The edges as segments, arranged for a sweep along the axis where they are shorter.

    Coordinates are replaced by their ranks, so dense parts of a drawing have as many bands as others. Bands across the
    axis cut the drawing; their height is half the mean segment. Each segment enters every band that it reaches. A pair
    is tested in the first band that both reach.
    """

    def __init__(self, i: np.ndarray, j: np.ndarray, Y: np.ndarray) -> None:
        Y = standardize(Y)
        ranks = np.array([np.unique(column, return_inverse=True)[1] for column in Y.T], dtype=np.int32)
        low, high = np.minimum(ranks[:, i], ranks[:, j]), np.maximum(ranks[:, i], ranks[:, j])
        axis = int(np.argmin(np.sum(high - low, axis=1, dtype=float)))  # along which edges are short
        self.compiled = len(Y) > COMPILED_ABOVE
        self.sweep = _Bands(low[axis], high[axis], low[1 - axis], high[1 - axis])
        self.pairs, flip = self.sweep.pairs, ranks[axis, i] > ranks[axis, j]
        self.first, self.second = np.where(flip, j, i), np.where(flip, i, j)
        self.a = np.ascontiguousarray(Y[self.first][:, [axis, 1 - axis]])
        self.b = np.ascontiguousarray(Y[self.second][:, [axis, 1 - axis]])

    def sampled(self, sample: Sample, seed: int, *, angles: bool = False) -> tuple[np.ndarray, np.ndarray, bool]:
        """Return `count` of all segments or of a sample, as in `edge_crossings`; True for all."""
        m, wanted = len(self.first), sample
        if sample == "auto":
            wanted = None if self.pairs <= PAIRS_EXACT else max(PAIRS_EXACT // (2 * m), MIN_SAMPLED_EDGES)
        chosen, exact = sample_of(np.arange(m), wanted, (0, 0), np.random.default_rng(seed))
        crossed, angle = self.count(chosen, both=not exact, angles=angles)
        return crossed, angle, exact

    def count(self, chosen: np.ndarray, *, both: bool, angles: bool = False) -> list[np.ndarray]:
        """Count the later (or `both`) segments that cross each chosen one; sum angles, radians."""
        sweep, m = self.sweep, len(self.first)
        wanted = np.zeros(m, bool)
        wanted[chosen] = True
        entries = np.flatnonzero(wanted[sweep.segment])
        along = np.zeros(m)
        if angles:
            along = np.arctan2(self.b[:, 1] - self.a[:, 1], self.b[:, 0] - self.a[:, 0])
        found = self._tested(entries, sweep.start[entries] if both else entries + 1, along, np.zeros(0, np.int64))
        return [np.bincount(sweep.segment[entries], each, m)[chosen] for each in found]

    def loads(self) -> np.ndarray:
        """Return how many segments cross each one, (m,); each pair is tested once."""
        every, m = np.arange(len(self.sweep.segment)), len(self.first)
        later = np.zeros(m, np.int64)
        found = self._tested(every, every + 1, np.zeros(m), later)[0]
        return np.bincount(self.sweep.segment, found, m) + later

    def _tested(self, entries: np.ndarray, start: np.ndarray, along: np.ndarray, later: np.ndarray):
        """Test each entry and those from ``start`` on; add to ``later`` (m,) unless it is empty."""
        work = self.sweep.stop[entries] - start
        compiled = self.compiled or int(work.sum()) >= PAIRS_NUMPY
        return (self._by_loop if compiled else self._by_numpy)(entries, start, work, along, later)

    def _by_loop(
        self, entries: np.ndarray, start: np.ndarray, work: np.ndarray, along: np.ndarray, later: np.ndarray
    ):
        from nelayout.quality.loops import count_crossings

        # Pieces run on threads. All of them would add to ``later``, so then there is one piece.
        sweep, step = self.sweep, int(work.sum()) + 1 if len(later) else PAIRS_NUMPY
        bounds = np.searchsorted(np.cumsum(work), np.arange(step, int(work.sum()), step))
        pieces = [slice(int(s), int(t)) for s, t in pairwise([0, *bounds, len(entries)]) if t > s]
        found, angle = np.zeros(len(entries), np.int64), np.zeros(len(entries))

        def count(piece: slice) -> None:
            ends = self.a, self.b, self.first, self.second, along
            part = entries[piece]
            bands = sweep.segment, sweep.band, sweep.least, part, start[piece], sweep.stop[part]
            count_crossings(*ends, *bands, found[piece], angle[piece], later)

        with threads_for(None) as threads:
            threads.map(count, pieces)
        return found, angle

    def _by_numpy(
        self, entries: np.ndarray, start: np.ndarray, work: np.ndarray, along: np.ndarray, later: np.ndarray
    ):
        sweep = self.sweep
        t = np.repeat(np.arange(len(entries)), work)
        other = np.arange(len(t)) - np.repeat(np.cumsum(work) - work, work) + start[t]
        here = entries.take(t)
        p, q = sweep.segment.take(here), sweep.segment.take(other)
        (i, j), (k, l) = ((self.first.take(v), self.second.take(v)) for v in (p, q))
        apart = (i != k) & (i != l) & (j != k) & (j != l)
        apart &= np.maximum(sweep.least.take(p), sweep.least.take(q)) == sweep.band.take(here)
        apart &= self.b[:, 0].take(q) >= self.a[:, 0].take(p)
        t, p, q = t[apart], p[apart], q[apart]
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = (
            ends.take(v, axis=0).T for ends, v in ((self.a, p), (self.b, p), (self.a, q), (self.b, q))
        )
        ux, uy, vx, vy = bx - ax, by - ay, dx - cx, dy - cy
        meet = (np.maximum(ay, by) >= np.minimum(cy, dy)) & (np.maximum(cy, dy) >= np.minimum(ay, by))
        meet &= np.sign(ux * (cy - ay) - uy * (cx - ax)) * np.sign(ux * (dy - ay) - uy * (dx - ax)) <= 0
        meet &= np.sign(vx * (ay - cy) - vy * (ax - cx)) * np.sign(vx * (by - cy) - vy * (bx - cx)) <= 0
        if len(later):
            later += np.bincount(q[meet], minlength=len(later))
        t, turn = t[meet], np.abs(along.take(p[meet]) - along.take(q[meet]))
        angle = np.bincount(t, weights=np.minimum(turn, np.pi - turn), minlength=len(entries))
        return np.bincount(t, minlength=len(entries)), angle


class _Bands:
    """Entries (segment, band), sorted by band and then by the begin of the segment.

    segment, band  of each entry
    start, stop    the first entry of its band; one past the last entry of the band that begins before the segment ends
    later          number of entries to compare with each
    least          first band of each segment
    pairs          number of pairs of entries that overlap along the sweep
    """

    def __init__(self, low: np.ndarray, high: np.ndarray, across_low: np.ndarray, across_high: np.ndarray) -> None:
        m, floors, whole = len(low), int(across_high.max(initial=0)) + 1, int(high.max(initial=0)) + 1
        reach = float(np.sum(across_high - across_low, dtype=float)) / max(m, 1)
        bands = min(int(2 * floors / reach), floors, m) if reach > 0 else 1
        # Both are the same increasing function of the rank: segments that meet share a band.
        self.least = (across_low.astype(np.int64) * bands // floors).astype(np.int32)
        reach = across_high.astype(np.int64) * bands // floors - self.least + 1
        segment = np.argsort(low, kind="stable")
        count = reach[segment]
        segment = np.repeat(segment, count)
        inner = np.arange(len(segment)) - np.repeat(np.cumsum(count) - count, count)
        band = (self.least[segment] + inner).astype(np.min_scalar_type(bands))
        order = np.argsort(band, kind="stable")  # segments keep their order within each band
        self.segment, self.band = segment[order], band[order].astype(np.int32)
        self.start = np.searchsorted(self.band, np.arange(bands + 1))[self.band]
        bases = self.band * np.int64(whole)
        self.stop = np.searchsorted(bases + low[self.segment], bases + high[self.segment], side="right")
        self.later = self.stop - np.arange(1, len(segment) + 1)
        self.pairs = int(self.later.sum())
