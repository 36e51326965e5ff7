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

__all__ = ["score"]

NEIGHBOURHOODS = 1000  # nodes whose neighbours are compared
PIVOTS = 24  # nodes from which hops are counted
DENSE_NODES = 1500  # up to here distances to all nodes are simply computed
LEAST = 1e-3


def score(P: csr_array, Y: np.ndarray, rng: np.random.Generator) -> float:
    """Jaccard / stress of a drawing Y (n, d) of a connected graph; larger is better."""
    n = P.shape[0]
    if not np.isfinite(Y).all():
        return 0.0
    sample = np.sort(rng.permutation(n)[:NEIGHBOURHOODS])
    pivots = np.sort(rng.permutation(n)[:PIVOTS])
    return max(_jaccard(P, Y, sample), LEAST) / max(_stress(P, Y, pivots), LEAST)


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


def _stress(P: csr_array, Y: np.ndarray, pivots: np.ndarray) -> float:
    e_over_d = squares = 0.0
    rows = []
    for pivot in pivots:
        hops = _hops(P, int(pivot))
        away = hops > 0
        ratio = np.sqrt(((Y[away] - Y[pivot]) ** 2).sum(axis=1)) / hops[away]
        rows.append(ratio)
        e_over_d += float(ratio.sum())
        squares += float((ratio * ratio).sum())
    if not squares > 0:
        return 1.0
    scale = e_over_d / squares
    count = sum(len(ratio) for ratio in rows)
    return sum(float(((scale * ratio - 1.0) ** 2).sum()) for ratio in rows) / count


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
