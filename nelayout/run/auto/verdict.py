"""Which of several drawings of one graph to keep: a quick verdict on neighbors and global order at once.

score = mean neighborhood Jaccard / scale-normalized stress, both on a sample of nodes.  Jaccard compares the
neighbors of a node with as many nearest nodes of the drawing; stress compares distances in the drawing, at their
best common scale, with hops in the graph.  A drawing that buys neighbors by tearing the whole apart gains in the
first and loses in the second. (The package's measures are in ``comparison``; these are their sampled, deterministic
cousins for use while drawing.)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.parallel import Threads

if TYPE_CHECKING:
    from scipy.spatial import KDTree

__all__ = ["Judge"]

NEIGHBORHOODS = 1000  # nodes whose neighbors are compared
PIVOTS = 24  # nodes from which hops are counted
DENSE_NODES = 300  # up to here distances to all nodes are simply computed: other loops may not be compiled either
MOST_NEIGHBORS = 200  # of a hub that are compared, in graphs of more nodes than that
SHARED_NODES = 20_000  # from here on several threads count
BLOCK = 50  # nodes at a time
LEAST = 1e-3


class Judge:
    """Scores drawings of one connected graph, all by the same sample; hops are counted when first asked for."""

    def __init__(self, P: csr_array, threads: Threads) -> None:
        rng, n = np.random.default_rng(0), P.shape[0]
        self.P, self.threads = P, threads if n > DENSE_NODES else Threads()
        self.sample = np.sort(rng.permutation(n)[:NEIGHBORHOODS])
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
            self._hops = _hops(self.P, self.pivots, self.threads)

        def sums(k: int) -> tuple[float, float, int]:
            away = self._hops[k] > 0
            apart = Y - Y[self.pivots[k]]
            ratio = np.sqrt(np.einsum("ij,ij->i", apart, apart)) / np.where(away, self._hops[k], 1)
            ratio[~away] = 0.0
            return float(np.sum(ratio)), float(np.sum(ratio * ratio)), int(np.count_nonzero(away))

        threads = self.threads if len(Y) > SHARED_NODES else Threads()
        total, squares, count = (sum(each) for each in zip(*threads.map(sums, range(len(self.pivots))), strict=True))
        return 1.0 - total * total / (squares * count) if squares > 0 else 1.0


def _jaccard(P: csr_array, Y: np.ndarray, sample: np.ndarray) -> float:
    if len(Y) <= DENSE_NODES:
        nearest = partial(_nearest, Y)
    else:
        from scipy.spatial import KDTree

        nearest = partial(_nearest_in_tree, KDTree(Y), Y)
    blocks = (sample[k : k + BLOCK] for k in range(0, len(sample), BLOCK))
    return float(np.mean(np.concatenate([_jaccards(P, nodes, nearest) for nodes in blocks])))


def _jaccards(P: csr_array, nodes: np.ndarray, nearest: Callable[[np.ndarray, int], np.ndarray]) -> np.ndarray:
    """Of each node: how far its neighbors are as many nodes as lie nearest; of hubs some are compared."""
    n, degree = P.shape[0], np.diff(P.indptr)[nodes].astype(np.int64)
    order = nearest(nodes, min(int(degree.max()), n - 1))
    most = order.shape[1]
    # Each node has a range of n numbers, one for each node that may be its neighbor, or lie near.
    k = np.minimum(degree, most)
    row = np.repeat(np.arange(len(nodes)), degree)
    entry = np.arange(len(row)) + np.repeat(P.indptr[nodes] - np.cumsum(degree) + degree, degree)
    neighbors = row * n + P.indices[entry]
    near = (np.arange(len(nodes))[:, None] * n + order)[np.arange(most) < k[:, None]]
    both = near[np.isin(near, neighbors, assume_unique=True)]
    common = np.bincount(both // n, minlength=len(nodes))
    return common / (degree + k - common)


def _nearest_in_tree(tree: KDTree, Y: np.ndarray, nodes: np.ndarray, most: int) -> np.ndarray:
    """As `_nearest`, but in any order where distances are the same, and of hubs the first alone."""
    most = min(most, MOST_NEIGHBORS)
    found = np.asarray(tree.query(Y[nodes], most + 1)[1])
    own = found == nodes[:, None]
    own[~own.any(axis=1), -1] = True
    return found[~own].reshape(len(nodes), most)


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


def _hops(P: csr_array, sources: np.ndarray, threads: Threads) -> list[np.ndarray]:
    """For each of some nodes (n,) edges on the shortest path to all others; 0 to itself and where no path leads."""
    n = P.shape[0]
    if n > DENSE_NODES:
        from nelayout.numerics.breadth_first import hops as count_hops

        def count(source: int) -> np.ndarray:
            hops = np.zeros(n, dtype=np.int32)
            count_hops(P.indptr, P.indices, source, hops, np.empty(n, dtype=np.int32))
            return hops

        return threads.map(count, sources.tolist())
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
