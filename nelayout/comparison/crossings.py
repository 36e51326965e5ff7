"""How many pairs of edges cross.

A square a - b - c - d drawn around its corners has no crossing; its diagonals a - c and b - d cross each
other once. Edges with a common node never count. Edges that only touch (a node drawn on another edge) or
overlap do: a reader cannot tell them apart either, and a drawing that puts everything in one place must not
win.

Edges are sorted along one axis, and each is compared with those that begin before it ends: nearly linear in
the number of edges while edges are short, quadratic only where most edges reach across the drawing.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array

from nelayout.comparison.edges import edges
from nelayout.comparison.neighborhoods import standardized
from nelayout.comparison.samples import Estimate, sample_of, standard_error
from nelayout.errors import Unsupported
from nelayout.parallel import workers

PAIRS_EXACT = 400_000_000
"""Pairs of edges that overlap along the better axis: up to here all are tested, some seconds on two cores."""
PAIRS_SAMPLED = 200_000_000
"""Beyond, as many edges are sampled and tested against all others as make this many pairs."""
SAMPLE_LEAST = 500
"""However many edges there are, this many are sampled: a relative error of some per cent."""
PAIRS_NUMPY = 1_000_000
"""Below this, the plain array code is done before compiled code is loaded."""
CHUNKS = 64
"""Pieces of work handed to the threads; more than cores, since edges differ in length."""


def edge_crossings(adjacency: csr_array, Y: np.ndarray, sample="auto", seed=0) -> Estimate:
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
    m = len(drawn.low)
    if sample == "auto":
        wanted = None if drawn.pairs <= PAIRS_EXACT else max(PAIRS_SAMPLED // m, SAMPLE_LEAST)
    else:
        wanted = sample
    chosen, exact = sample_of(np.arange(m), wanted, 0, 0, rng)
    if exact:
        return Estimate(float(drawn.count(chosen, both=False).sum()))
    crossed = drawn.count(chosen, both=True)
    return Estimate(float(crossed.mean() * m / 2), standard_error(crossed, m) * m / 2, exact=False)


def most_crossings(adjacency: csr_array) -> int:
    """Pairs of edges without a common node: the number of crossings that no drawing exceeds."""
    degree = np.diff(adjacency.indptr).astype(object if adjacency.nnz > 2**31 else np.int64)
    m = adjacency.nnz // 2
    return int(m * (m - 1) // 2 - (degree * (degree - 1)).sum() // 2)


class _Segments:
    """The edges as segments, sorted by where they begin along the axis in which fewer of them overlap."""

    def __init__(self, adjacency: csr_array, Y: np.ndarray) -> None:
        i, j = edges(adjacency)
        Y = standardized(Y)
        sweeps = [self._sweep(Y[i, axis], Y[j, axis]) for axis in (0, 1)]
        axis = int(sweeps[1][0] < sweeps[0][0])
        self.pairs, order, self.low, self.high, self.stop = sweeps[axis]
        i, j = i[order], j[order]
        flip = Y[i, axis] > Y[j, axis]
        self.first, self.second = np.where(flip, j, i), np.where(flip, i, j)
        self.a = np.ascontiguousarray(Y[self.first][:, [axis, 1 - axis]])
        self.b = np.ascontiguousarray(Y[self.second][:, [axis, 1 - axis]])

    @staticmethod
    def _sweep(u: np.ndarray, v: np.ndarray):
        low, high = np.minimum(u, v), np.maximum(u, v)
        order = np.argsort(low, kind="stable")
        low, high = low[order], high[order]
        stop = np.searchsorted(low, high, side="right")
        return int((stop - np.arange(1, len(low) + 1)).sum()), order, low, high, stop

    def count(self, chosen: np.ndarray, *, both: bool) -> np.ndarray:
        """For each chosen segment, how many of the later ones cross it; with `both`, of all others."""
        start = np.zeros(len(chosen), np.int64) if both else chosen + 1
        work = self.stop[chosen] - start
        if int(work.sum()) <= PAIRS_NUMPY:
            return self._count_plainly(chosen, start)
        from nelayout.comparison.segments import count_crossings

        bounds = np.searchsorted(np.cumsum(work), np.linspace(0, int(work.sum()), CHUNKS + 1)[1:-1])
        bounds = np.concatenate([[0], bounds, [len(chosen)]])
        pieces = [slice(int(s), int(t)) for s, t in pairwise(bounds) if t > s]
        with workers(None) as crew:
            return np.concatenate(
                crew.map(
                    lambda piece: count_crossings(
                        self.a,
                        self.b,
                        self.first,
                        self.second,
                        chosen[piece],
                        start[piece],
                        self.stop[chosen[piece]],
                    ),
                    pieces,
                )
            )

    def _count_plainly(self, chosen: np.ndarray, start: np.ndarray) -> np.ndarray:
        size = self.stop[chosen] - start
        t = np.repeat(np.arange(len(chosen)), size)
        p = chosen[t]
        q = np.arange(len(t)) - np.repeat(np.cumsum(size) - size, size) + start[t]
        apart = (
            (self.high[q] >= self.low[p])
            & (self.first[p] != self.first[q])
            & (self.first[p] != self.second[q])
        )
        apart &= (self.second[p] != self.first[q]) & (self.second[p] != self.second[q])
        t, p, q = t[apart], p[apart], q[apart]
        a, b, c, d = self.a[p], self.b[p], self.a[q], self.b[q]
        meet = np.maximum(a[:, 1], b[:, 1]) >= np.minimum(c[:, 1], d[:, 1])
        meet &= np.maximum(c[:, 1], d[:, 1]) >= np.minimum(a[:, 1], b[:, 1])
        meet &= _side(a, b, c) * _side(a, b, d) <= 0
        meet &= _side(c, d, a) * _side(c, d, b) <= 0
        return np.bincount(t[meet], minlength=len(chosen))


def _side(a: np.ndarray, b: np.ndarray, p: np.ndarray) -> np.ndarray:
    """+1 where p lies left of the line from a to b, -1 right, 0 on it."""
    return np.sign((b[:, 0] - a[:, 0]) * (p[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (p[:, 0] - a[:, 0]))
