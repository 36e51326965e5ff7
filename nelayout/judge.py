"""Which of several drawings of one graph to keep: a quick verdict on neighbours and global order at once.

score = mean neighbourhood Jaccard / scale-normalised stress, both on a sample of nodes.  Jaccard compares the
neighbours of a node with as many nearest nodes of the drawing; stress compares distances in the drawing, at their
best common scale, with hops in the graph.  A drawing that buys neighbours by tearing the whole apart gains in the
first and loses in the second. (The package's measures are in ``comparison``; these are their sampled, deterministic
cousins for use while drawing.)
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from .parallel import Workers

__all__ = ["Judge"]

NEIGHBOURHOODS = 1000  # nodes whose neighbours are compared
PIVOTS = 24  # nodes from which hops are counted
DENSE_NODES = 1500  # up to here distances to all nodes are simply computed
LEAST = 1e-3


class Judge:
    """Scores drawings of one connected graph, all by the same sample; hops are counted when first asked for."""

    def __init__(self, P: csr_array, crew: Workers) -> None:
        rng, n = np.random.default_rng(0), P.shape[0]
        self.P, self.crew = P, crew if n > DENSE_NODES else Workers()
        self.sample = np.sort(rng.permutation(n)[:NEIGHBOURHOODS])
        self.pivots = np.sort(rng.permutation(n)[:PIVOTS])
        self._hops: list[np.ndarray] = []

    def score(self, Y: np.ndarray) -> float:
        """Jaccard / stress of a drawing Y (n, d); larger is better."""
        if not np.isfinite(Y).all():
            return 0.0
        return max(_jaccard(self.P, Y, self.sample), LEAST) / max(self._stress(Y), LEAST)

    def _stress(self, Y: np.ndarray) -> float:
        """The mean of (s |y_i - y_j| / hops - 1)^2 over pivots i and all j, at the scale s that makes it least."""
        if not self._hops:
            self._hops = self.crew.map(lambda pivot: _hops(self.P, int(pivot)), self.pivots)

        def sums(k: int) -> tuple[float, float, int]:
            away = self._hops[k] > 0
            apart = Y - Y[self.pivots[k]]
            ratio = np.sqrt(np.einsum("ij,ij->i", apart, apart)) / np.where(away, self._hops[k], 1)
            ratio[~away] = 0.0
            return float(np.sum(ratio)), float(np.sum(ratio * ratio)), int(np.count_nonzero(away))

        total, squares, count = (sum(each) for each in zip(*self.crew.map(sums, range(len(self.pivots))), strict=True))
        return 1.0 - total * total / (squares * count) if squares > 0 else 1.0


def _jaccard(P: csr_array, Y: np.ndarray, sample: np.ndarray) -> float:
    degree = np.diff(P.indptr)
    n, most = len(Y), int(degree[sample].max())
    most = min(most, n - 1)
    if n <= DENSE_NODES:
        order = np.empty((len(sample), most), dtype=np.int64)
        for row, i in enumerate(sample):
            xi = ((Y - Y[i]) ** 2).sum(axis=1)
            xi[i] = np.inf
            order[row] = np.argsort(xi, kind="stable")[:most]
    else:
        from scipy.spatial import KDTree

        most = min(most, 200)  # hubs beyond this are compared by their first 200
        found = np.asarray(KDTree(Y).query(Y[sample], most + 1)[1])
        own = found == sample[:, None]
        own[~own.any(axis=1), -1] = True
        order = found[~own].reshape(len(sample), most)
    total = 0.0
    for row, i in enumerate(sample):
        neighbours = P.indices[P.indptr[i] : P.indptr[i + 1]]
        k = min(len(neighbours), most)
        common = np.isin(order[row, :k], neighbours).sum()
        total += common / (len(neighbours) + k - common)
    return total / len(sample)


def _hops(P: csr_array, source: int) -> np.ndarray:
    """(n,) edges on the shortest path from one node; 0 at the source and where no path leads."""
    n = P.shape[0]
    if n > DENSE_NODES:
        from . import compiled

        hops = np.zeros(n, dtype=np.int32)
        compiled.hops(P.indptr, P.indices, source, hops, np.empty(n, dtype=np.int32))
        return hops
    hops = np.zeros(n)
    seen = np.zeros(n, dtype=bool)
    seen[source] = True
    front, step = np.array([source]), 0
    while len(front):
        step += 1
        reached = np.zeros(n, dtype=bool)
        for i in front:
            reached[P.indices[P.indptr[i] : P.indptr[i + 1]]] = True
        reached &= ~seen
        front = np.flatnonzero(reached)
        hops[front] = step
        seen |= reached
    return hops
