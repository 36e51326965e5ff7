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
DENSE_NODES = 800  # up to here distances to all nodes are simply computed: other loops may not be compiled either
BLOCK = 250  # nodes at a time
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
        return max(_jaccard(self.P, Y, self.sample), LEAST) / max(self.stress(Y), LEAST)

    def stress(self, Y: np.ndarray) -> float:
        """The mean of (s |y_i - y_j| / hops - 1)^2 over pivots i and all j, at the scale s that makes it least."""
        if not self._hops:
            self._hops = _hops(self.P, self.pivots, self.crew)

        def sums(k: int) -> tuple[float, float, int]:
            away = self._hops[k] > 0
            apart = Y - Y[self.pivots[k]]
            ratio = np.sqrt(np.einsum("ij,ij->i", apart, apart)) / np.where(away, self._hops[k], 1)
            ratio[~away] = 0.0
            return float(np.sum(ratio)), float(np.sum(ratio * ratio)), int(np.count_nonzero(away))

        total, squares, count = (sum(each) for each in zip(*self.crew.map(sums, range(len(self.pivots))), strict=True))
        return 1.0 - total * total / (squares * count) if squares > 0 else 1.0


def _jaccard(P: csr_array, Y: np.ndarray, sample: np.ndarray) -> float:
    n, degree = len(Y), np.diff(P.indptr)[sample].astype(np.int64)
    most = min(int(degree.max()), n - 1)
    if n <= DENSE_NODES:
        order = np.concatenate([_nearest(Y, sample[k : k + BLOCK], most) for k in range(0, len(sample), BLOCK)])
    else:
        from scipy.spatial import KDTree

        most = min(most, 200)  # hubs beyond this are compared by their first 200
        found = np.asarray(KDTree(Y).query(Y[sample], most + 1)[1])
        own = found == sample[:, None]
        own[~own.any(axis=1), -1] = True
        order = found[~own].reshape(len(sample), most)
    # Each sampled node has a range of n numbers, one for each node that may be its neighbour, or lie near.
    k = np.minimum(degree, most)
    row = np.repeat(np.arange(len(sample)), degree)
    entry = np.arange(len(row)) + np.repeat(P.indptr[sample] - np.cumsum(degree) + degree, degree)
    neighbours = row * n + P.indices[entry]
    near = (np.arange(len(sample))[:, None] * n + order)[np.arange(most) < k[:, None]]
    both = near[np.isin(near, neighbours, assume_unique=True)]
    common = np.bincount(both // n, minlength=len(sample))
    return float(np.mean(common / (degree + k - common)))


def _nearest(Y: np.ndarray, nodes: np.ndarray, most: int) -> np.ndarray:
    """(len(nodes), most) the nodes that lie nearest to some, in order, from the distances to all."""
    xi = np.zeros((len(nodes), len(Y)))
    for along in Y.T:
        apart = along[nodes, None] - along
        xi += apart * apart
    xi[np.arange(len(nodes)), nodes] = np.inf
    some = np.sort(np.argpartition(xi, most - 1, axis=1)[:, :most], axis=1)
    near = np.take_along_axis(xi, some, 1)
    order = np.take_along_axis(some, np.argsort(near, axis=1, kind="stable"), 1)
    for row in np.flatnonzero(np.count_nonzero(xi <= near.max(axis=1)[:, None], axis=1) > most):  # ties: the first
        order[row] = np.argsort(xi[row], kind="stable")[:most]
    return order


def _hops(P: csr_array, sources: np.ndarray, crew: Workers) -> list[np.ndarray]:
    """For each of some nodes (n,) edges on the shortest path to all others; 0 to itself and where no path leads."""
    n = P.shape[0]
    if n > DENSE_NODES:
        from . import compiled

        def count(source: int) -> np.ndarray:
            hops = np.zeros(n, dtype=np.int32)
            compiled.hops(P.indptr, P.indices, source, hops, np.empty(n, dtype=np.int32))
            return hops

        return crew.map(count, sources.tolist())
    edges = csr_array((np.ones(P.nnz), P.indices, P.indptr), shape=P.shape)
    hops, front = np.zeros((n, len(sources))), np.zeros((n, len(sources)))
    front[sources, np.arange(len(sources))] = 1.0
    seen, step = front > 0, 0
    while front.any():
        step += 1
        reached = (edges @ front > 0) & ~seen
        hops[reached] = step
        seen |= reached
        front = reached.astype(float)
    return list(np.ascontiguousarray(hops.T))
