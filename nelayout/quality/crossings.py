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
from nelayout.quality.protocol import Measure, Score
from nelayout.quality.samples import Sampled, sample_of, standard_error

__all__ = ["CROSSINGS", "edge_crossings", "most_crossings"]

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
    rng = np.random.default_rng(seed)
    drawn = _Segments(adjacency, Y)
    m = len(drawn.first)
    if sample == "auto":
        wanted = None if drawn.pairs <= PAIRS_EXACT else max(PAIRS_SAMPLED // m, SAMPLE_LEAST)
    else:
        wanted = sample
    chosen, exact = sample_of(np.arange(m), wanted, 0, 0, rng)
    if exact:
        return Sampled(float(drawn.count(chosen, both=False).sum()))
    crossed = drawn.count(chosen, both=True)
    return Sampled(float(crossed.mean() * m / 2), standard_error(crossed, m) * m / 2, exact=False)


def most_crossings(adjacency: csr_array) -> int:
    """Pairs of edges without a common node: the number of crossings that no drawing exceeds."""
    degree = np.diff(adjacency.indptr).astype(object if adjacency.nnz > 2**31 else np.int64)
    m = adjacency.nnz // 2
    return int(m * (m - 1) // 2 - (degree * (degree - 1)).sum() // 2)


class _Segments:
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

    def count(self, chosen: np.ndarray, *, both: bool) -> np.ndarray:
        """For each chosen segment, how many of the later ones cross it; with `both`, of all others."""
        sweep, m = self.sweep, len(self.first)
        wanted = np.zeros(m, bool)
        wanted[chosen] = True
        entries = np.flatnonzero(wanted[sweep.segment])
        start = sweep.start[entries] if both else entries + 1
        work = sweep.stop[entries] - start
        if int(work.sum()) <= PAIRS_NUMPY:
            found = self._count_plainly(entries, start)
        else:
            found = self._count_compiled(entries, start, work)
        return np.bincount(sweep.segment[entries], weights=found, minlength=m)[chosen]

    def _count_compiled(self, entries: np.ndarray, start: np.ndarray, work: np.ndarray) -> np.ndarray:
        from nelayout.quality.crossing_loops import count_crossings

        sweep = self.sweep
        bounds = np.searchsorted(np.cumsum(work), np.linspace(0, int(work.sum()), CHUNKS + 1)[1:-1])
        pieces = [slice(int(s), int(t)) for s, t in pairwise([0, *bounds, len(entries)]) if t > s]

        def count(piece: slice) -> np.ndarray:
            ends = self.a, self.b, self.first, self.second
            part = entries[piece]
            return count_crossings(
                *ends, sweep.segment, sweep.band, sweep.least, part, start[piece], sweep.stop[part]
            )

        with threads_for(None) as threads:
            return np.concatenate(threads.map(count, pieces))

    def _count_plainly(self, entries: np.ndarray, start: np.ndarray) -> np.ndarray:
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
        return np.bincount(t[meet], minlength=len(entries))


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


CROSSINGS = Measure(
    "crossings",
    "pairs of edges without a common node whose segments share a point",
    edge_crossings,
    ("adjacency", "Y", "sample", "seed"),
    Score(
        "1 - value / number of pairs of edges without a common node",
        lambda value, drawing: 1.0 - value / max(most_crossings(drawing.adjacency), 1),
        count=True,
    ),
    dim=2,
)
