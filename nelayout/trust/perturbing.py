"""Graphs that could have been observed as well: with a few other edges, or weights.

Edges are dropped or rewired, and weights are drawn again.  A spanning forest, chosen at random each time, stays.  So
each component stays in one piece, and a leaf keeps its edge: a drawing of a graph in more pieces would differ because
of the packing of its pieces.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array, csr_array

__all__ = ["free_edges", "perturbed"]


def free_edges(P: csr_array) -> int:
    """Return the number of edges that no spanning forest needs."""
    from scipy.sparse.csgraph import connected_components

    return P.nnz // 2 - P.shape[0] + connected_components(P, directed=False)[0]


def perturbed(P: csr_array, drop: float, rewire: float, reweight: bool, rng: np.random.Generator) -> csr_array:
    """Return P (n, n), symmetric without a diagonal, with some of its edges changed.

    drop      share of all edges that are left out; at most all edges beside a forest
    rewire    share of all edges that swap ends with another one of them: degrees stay (Maslov & Sneppen, Science 296,
              2002)
    reweight  multiply each weight by an exponential variate of mean 1: the Bayesian bootstrap (Rubin, Annals of
              Statistics 9, 1981)
    """
    upper = coo_array(P)
    kept = upper.row < upper.col
    rows, cols, weights = upper.row[kept].astype(np.int64), upper.col[kept].astype(np.int64), upper.data[kept]
    free = rng.permutation(np.flatnonzero(~_in_forest(rows, cols, P.shape[0], rng)))
    swapped = free[: min(2 * round(rewire * len(rows) / 2), len(free) // 2 * 2)]
    dropped = free[len(free) - min(round(drop * len(rows)), len(free) - len(swapped)) :]
    rows, cols = _swapped(rows, cols, swapped, P.shape[0])
    if reweight:
        weights = weights * rng.exponential(size=len(weights))
    left = np.ones(len(rows), dtype=bool)
    left[dropped] = False
    half = csr_array((weights[left], (rows[left], cols[left])), shape=P.shape)
    return csr_array(half + half.T)


def _in_forest(rows: np.ndarray, cols: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Return the mask (m,) of the edges of a random spanning forest."""
    from scipy.sparse.csgraph import minimum_spanning_tree

    number = np.arange(1.0, len(rows) + 1)
    rng.shuffle(number)  # distinct weights, so that an edge is known by its weight
    ends = rows.astype(np.int32), cols.astype(np.int32)  # SciPy before 1.15 takes no others
    tree = minimum_spanning_tree(csr_array((number, ends), shape=(n, n)))
    return np.isin(number, tree.data)


def _swapped(rows: np.ndarray, cols: np.ndarray, chosen: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Swap ends of pairs of edges, u-v and x-y to u-y and x-v, without loops and double edges."""
    one, two = chosen[::2], chosen[1::2]
    new = np.stack([rows[one], cols[two]]), np.stack([rows[two], cols[one]])
    keys = [np.minimum(*ends) * n + np.maximum(*ends) for ends in new]
    old = np.minimum(rows, cols) * n + np.maximum(rows, cols)
    both = np.concatenate(keys)
    values, counts = np.unique(both, return_counts=True)
    single = np.isin(both, values[counts == 1]) & ~np.isin(both, old)
    good = single.reshape(2, -1).all(axis=0)
    for ends in new:
        good &= ends[0] != ends[1]
    rows, cols = rows.copy(), cols.copy()
    for at, ends in zip((one, two), new, strict=True):
        rows[at[good]], cols[at[good]] = np.minimum(*ends)[good], np.maximum(*ends)[good]
    return rows, cols
