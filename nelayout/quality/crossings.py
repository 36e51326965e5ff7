"""How many pairs of edges cross.

A square a - b - c - d drawn around its corners has no crossing; its diagonals a - c and b - d cross each
other once. Edges with a common node never count. Edges that only touch (a node drawn on another edge) or
overlap do: a reader cannot tell them apart either, and a drawing that puts everything in one place must not
win.

Edges are sorted along one axis, and each is compared with those that begin before it ends: nearly linear in
the number of edges while edges are short, quadratic only where most edges reach across the drawing.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array

from nelayout.errors import Unsupported
from nelayout.numerics.parallel import threads_for
from nelayout.quality.distances import standardize
from nelayout.quality.edges import edges
from nelayout.quality.protocol import AFFINE, Measure, Score
from nelayout.quality.samples import Sampled, sample_of, standard_error

__all__ = ["CROSSINGS", "Segments", "edge_crossings", "most_crossings", "sampled_edges"]

# Pairs of edges that overlap along the better axis: up to here all are tested, some seconds on two cores.
PAIRS_EXACT = 400_000_000
# Beyond, as many edges are sampled and tested against all others as make this many pairs.
PAIRS_SAMPLED = 200_000_000
# Least number of edges that are sampled: the relative error is then some per cent.
SAMPLE_LEAST = 500
# Pairs below which plain array code is done before compiled code is loaded.
PAIRS_NUMPY = 1_000_000
# Numbers of bands to try: more bands leave fewer pairs to test, but long edges enter several bands.
BANDS = (1, 16, 128, 1024)
# Most bands that the average edge may enter, so that memory stays linear.
ENTRIES_PER_EDGE = 4
# Pieces of work handed to the threads; more than cores, since edges differ in length.
CHUNKS = 64


def edge_crossings(
    adjacency: csr_array, Y: np.ndarray, sample: str | int | None = "auto", seed: int = 0
) -> Sampled:
    """Number of pairs of edges without a common node whose segments share a point.

    `sample`: "auto" counts exactly up to PAIRS_EXACT candidate pairs and samples edges beyond, None always
    counts, an int samples that many edges; a sampled count is the mean number of crossings of an edge times
    half the edges. `Y` is (n, 2). Raises `Unsupported` in other dimensions, where segments do not generally
    meet.
    """
    if Y.shape[1] != 2:
        raise Unsupported(
            f"crossings are defined for drawings in 2 dimensions, given {Y.shape[1]}; leave them out"
        )
    drawn = Segments(adjacency, Y)
    m = len(drawn.first)
    chosen, exact = sampled_edges(drawn, sample, seed)
    crossed, _ = drawn.count(chosen, both=not exact)
    if exact:
        return Sampled(float(crossed.sum()))
    return Sampled(float(crossed.mean() * m / 2), standard_error(crossed, m) * m / 2, exact=False)


def sampled_edges(drawn: Segments, sample: str | int | None, seed: int) -> tuple[np.ndarray, bool]:
    """The segments to look at, and whether they are all; see `edge_crossings` for `sample`."""
    m, wanted = len(drawn.first), sample
    if sample == "auto":
        wanted = None if drawn.pairs <= PAIRS_EXACT else max(PAIRS_SAMPLED // m, SAMPLE_LEAST)
    return sample_of(np.arange(m), wanted, 0, 0, np.random.default_rng(seed))


def most_crossings(adjacency: csr_array) -> int:
    """Pairs of edges without a common node: the number of crossings that no drawing exceeds."""
    degree = np.diff(adjacency.indptr).astype(object if adjacency.nnz > 2**31 else np.int64)
    m = adjacency.nnz // 2
    return int(m * (m - 1) // 2 - (degree * (degree - 1)).sum() // 2)


class Segments:
    """The edges as segments, laid out for the sweep.

    The drawing is cut into bands across the better axis, and each segment enters every band that it reaches.
    Within a band, entries are sorted by where they begin; a pair is looked at in the first band that both
    reach.
    """

    def __init__(self, adjacency: csr_array, Y: np.ndarray) -> None:
        i, j = edges(adjacency)
        Y = standardize(Y)
        best = None
        for axis in (0, 1):
            u, v = (np.minimum(Y[i, a], Y[j, a]) for a in (axis, 1 - axis))
            u_high, v_high = (np.maximum(Y[i, a], Y[j, a]) for a in (axis, 1 - axis))
            for bands in BANDS:
                found = _Sweep.over(u, u_high, v, v_high, bands)
                if found is not None and (best is None or found.cost < best[0].cost):
                    best = found, axis
                if best is not None and best[0].cost <= PAIRS_NUMPY:
                    break
        assert best is not None  # one band holds every edge once, which is never refused
        self.sweep, axis = best
        self.pairs = self.sweep.pairs
        flip = Y[i, axis] > Y[j, axis]
        self.first, self.second = np.where(flip, j, i), np.where(flip, i, j)
        self.a = np.ascontiguousarray(Y[self.first][:, [axis, 1 - axis]])
        self.b = np.ascontiguousarray(Y[self.second][:, [axis, 1 - axis]])

    def count(self, chosen: np.ndarray, *, both: bool, angles: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """For each chosen segment, how many of the later ones cross it, with `both` of all others; and at which angles.

        The second array has the sum of the angles in radians, at most pi / 2 each; without `angles` it is empty.
        """
        sweep, m = self.sweep, len(self.first)
        wanted = np.zeros(m, bool)
        wanted[chosen] = True
        entries = np.flatnonzero(wanted[sweep.segment])
        start = sweep.start[entries] if both else entries + 1
        work = sweep.stop[entries] - start
        if int(work.sum()) <= PAIRS_NUMPY:
            found, angle = self._count_plainly(entries, start, angles)
        else:
            found, angle = self._count_compiled(entries, start, work, angles)
        of = sweep.segment[entries]
        count = np.bincount(of, weights=found, minlength=m)[chosen]
        return count, np.bincount(of, weights=angle, minlength=m)[chosen] if angles else np.zeros(0)

    def _count_compiled(
        self, entries: np.ndarray, start: np.ndarray, work: np.ndarray, angles: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        from nelayout.quality.crossing_loops import count_crossings

        sweep = self.sweep
        # Direction of each segment, 0 for all where no angle is asked for: the loop is one for both.
        along = _angle(self.a, self.b) if angles else np.zeros(len(self.first))
        bounds = np.searchsorted(np.cumsum(work), np.linspace(0, int(work.sum()), CHUNKS + 1)[1:-1])
        pieces = [slice(int(s), int(t)) for s, t in pairwise([0, *bounds, len(entries)]) if t > s]
        found, angle = np.zeros(len(entries), np.int64), np.zeros(len(entries))

        def count(piece: slice) -> None:
            ends = self.a, self.b, self.first, self.second, along
            part = entries[piece]
            places = sweep.segment, sweep.band, sweep.least, part, start[piece], sweep.stop[part]
            count_crossings(*ends, *places, found[piece], angle[piece])

        with threads_for(None) as threads:
            threads.map(count, pieces)
        return found, angle

    def _count_plainly(
        self, entries: np.ndarray, start: np.ndarray, angles: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        sweep = self.sweep
        size = sweep.stop[entries] - start
        t = np.repeat(np.arange(len(entries)), size)
        other = np.arange(len(t)) - np.repeat(np.cumsum(size) - size, size) + start[t]
        p, q = sweep.segment[entries[t]], sweep.segment[other]
        apart = (self.b[q, 0] >= self.a[p, 0]) & (self.first[p] != self.first[q])
        apart &= (self.first[p] != self.second[q]) & (self.second[p] != self.first[q])
        apart &= (self.second[p] != self.second[q]) & (
            np.maximum(sweep.least[p], sweep.least[q]) == sweep.band[entries[t]]
        )
        t, p, q = t[apart], p[apart], q[apart]
        a, b, c, d = self.a[p], self.b[p], self.a[q], self.b[q]
        meet = np.maximum(a[:, 1], b[:, 1]) >= np.minimum(c[:, 1], d[:, 1])
        meet &= np.maximum(c[:, 1], d[:, 1]) >= np.minimum(a[:, 1], b[:, 1])
        meet &= _side(a, b, c) * _side(a, b, d) <= 0
        meet &= _side(c, d, a) * _side(c, d, b) <= 0
        found = np.bincount(t[meet], minlength=len(entries))
        if not angles:
            return found, np.zeros(len(entries))
        between = _between(_angle(a[meet], b[meet]), _angle(c[meet], d[meet]))
        return found, np.bincount(t[meet], weights=between, minlength=len(entries))


@dataclass(frozen=True, slots=True, eq=False)
class _Sweep:
    """Entries (segment, band), sorted by band and then by where the segment begins.

    segment, band: of each entry. start: first entry of its band; stop: one past the last entry of the band
    that begins before the segment ends. least: first band of each segment. pairs: of entries that overlap
    along the sweep.
    """

    segment: np.ndarray
    band: np.ndarray
    start: np.ndarray
    stop: np.ndarray
    least: np.ndarray
    pairs: int

    @property
    def cost(self) -> int:
        """Pairs to test; an entry counts as much as ten of them."""
        return self.pairs + 10 * len(self.segment)

    @classmethod
    def over(cls, low, high, across_low, across_high, bands: int) -> _Sweep | None:
        """A sweep of segments that reach from low to high and across; None if the bands hold too many entries."""
        m = len(low)
        floor = across_low.min(initial=1.0)
        width = max(across_high.max(initial=-1.0) - floor, 1e-300) / bands
        # Both are the same rising function of the coordinate: segments that meet have a band in common.
        least = np.minimum((across_low - floor) / width, bands - 1).astype(np.int32)
        most = np.minimum((across_high - floor) / width, bands - 1).astype(np.int32)
        reach = (most - least + 1).astype(np.int64)
        if int(reach.sum()) > ENTRIES_PER_EDGE * m:
            return None
        segment = np.repeat(np.arange(m), reach)
        band = least[segment] + (np.arange(len(segment)) - np.repeat(np.cumsum(reach) - reach, reach)).astype(
            np.int32
        )
        order = np.lexsort((low[segment], band))
        segment, band = segment[order], band[order]
        begin = np.searchsorted(band, np.arange(bands + 1))
        stop = np.empty(len(segment), np.int64)
        for s, t in pairwise(begin):
            if t > s:
                inside = segment[s:t]
                stop[s:t] = s + np.searchsorted(low[inside], high[inside], side="right")
        pairs = int((stop - np.arange(1, len(segment) + 1)).sum())
        return cls(segment, band, begin[band], stop, least, pairs)


def _side(a: np.ndarray, b: np.ndarray, p: np.ndarray) -> np.ndarray:
    """+1 where p lies left of the line from a to b, -1 right, 0 on it."""
    return np.sign((b[:, 0] - a[:, 0]) * (p[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (p[:, 0] - a[:, 0]))


def _angle(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Direction of the segments from a to b, in radians; NaN for those of length 0."""
    apart = b - a
    return np.where(apart.any(axis=1), np.arctan2(apart[:, 1], apart[:, 0]), np.nan)


def _between(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Angle between two directions, at most pi / 2; 0 where one of them is NaN."""
    turn = np.abs(first - second) % np.pi
    return np.nan_to_num(np.minimum(turn, np.pi - turn))


CROSSINGS = Measure(
    "crossings",
    "pairs of edges without a common node whose segments share a point",
    edge_crossings,
    ("adjacency", "Y", "sample", "seed"),
    Score(
        "1 - value / number of pairs of edges without a common node",
        lambda value, drawing: 1.0 - value / max(most_crossings(csr_array(drawing.adjacency)), 1),
        count=True,
    ),
    dim=2,
    invariances=AFFINE,
    complexity="O(m log m + pairs of edges that overlap along one axis)",
    sampling="edges, where more than 4e8 pairs overlap along one axis",
    source="Purchase 2002; edges that touch or overlap cross",
)
