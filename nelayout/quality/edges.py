"""Even edges, distinct nodes, and nodes that overlap when drawn as discs.

The path a - b - c drawn at 0, 1, 3 has edges of length 1 and 2. Their mean is 1.5, the standard deviation 0.5, the
variation 1/3. Drawn as discs of diameter 1 at 0, 0.5 and 3, two nodes overlap.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from nelayout.placing.overlap import near_pairs
from nelayout.quality.distances import lengths, standardize
from nelayout.quality.samples import NOTHING, Sampled

__all__ = ["coincident_nodes", "edge_length_variation", "edges", "node_resolution", "overlapping_nodes"]


def edges(adjacency: csr_array) -> tuple[np.ndarray, np.ndarray]:
    """Return each undirected edge once, as index arrays (i, j) with i < j."""
    i = np.repeat(np.arange(len(adjacency.indptr) - 1), np.diff(adjacency.indptr))
    once = i < adjacency.indices
    return i[once], adjacency.indices[once].astype(np.int64)


def edge_length_variation(adjacency: csr_array, Y: np.ndarray) -> Sampled:
    """Return the standard deviation of drawn edge lengths over their mean, >= 0; 0 is even.

    NaN without edges and if every edge has length 0.
    """
    length = lengths(standardize(Y), *edges(adjacency))
    return Sampled(float(length.std() / length.mean())) if length.any() else NOTHING


def coincident_nodes(Y: np.ndarray) -> Sampled:
    """Return the number of nodes that share their exact position with another node."""
    _, inverse, count = np.unique(np.asarray(Y), axis=0, return_inverse=True, return_counts=True)
    return Sampled(float((count[inverse.ravel()] > 1).sum()))


def node_resolution(Y: np.ndarray) -> Sampled:
    """Return the smallest node distance over the median nearest-node distance, in [0, 1].

    1: all nodes have the same distance to their nearest node; 0: two nodes coincide. NaN below two nodes.
    """
    from scipy.spatial import KDTree

    Y = standardize(Y)
    if len(Y) < 2:
        return NOTHING
    gap = KDTree(Y).query(Y, k=2, workers=-1)[0][:, 1]
    typical = np.median(gap)
    return Sampled(float(gap.min() / typical) if typical > 0 else 0.0)


def overlapping_nodes(Y: np.ndarray, diameters: np.ndarray) -> Sampled:
    """Return the number of nodes with discs that overlap: |y_i - y_j| < (s_i + s_j) / 2.

    `Y` (n, dim), `diameters` (n,) in its units, >= 0. Discs that touch do not overlap, up to rounding.
    """
    Y, radius = np.asarray(Y, np.float64), np.asarray(diameters, np.float64) / 2 * (1 - 1e-9)
    struck, discs = np.zeros(len(Y), bool), np.flatnonzero(radius > 0)
    for i, j in near_pairs(Y[discs], radius[discs]) if len(discs) else ():
        struck[discs[i]] = struck[discs[j]] = True
    return Sampled(float(struck.sum()))
