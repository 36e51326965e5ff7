"""Strong edges: paths between nodes use them if weak edges would be shortcuts.

The smallest similarities of a perplexity are a hundredth of the largest.  Two of them between turns of a rolled
sheet shorten a long path, though they hardly pull.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from nelayout.placing.components import component_labels

__all__ = ["merged_pattern", "strong_edges"]

# An edge is strong if it has at least this fraction of the largest weight at one of its ends.
PART = 0.1


def strong_edges(P: csr_array) -> csr_array:
    """Return the strong edges of a connected graph, and weak edges that keep it connected.

    >>> P = csr_array(np.array([[0, 1, 0.01, 0], [1, 0, 1, 0], [0.01, 1, 0, 0.01], [0, 0, 0.01, 0]]))
    >>> (strong_edges(P).toarray() > 0).astype(int)
    array([[0, 1, 0, 0],
           [1, 0, 1, 0],
           [0, 1, 0, 1],
           [0, 0, 1, 0]])
    """
    n = P.shape[0]
    rows, top = np.repeat(np.arange(n), np.diff(P.indptr)), np.zeros(n)
    np.maximum.at(top, rows, P.data)
    kept = P.data >= PART * np.minimum(top[rows], top[P.indices])
    if kept.all():
        return P
    part = component_labels(_some(P, rows, kept))
    return _some(P, rows, kept | (part[rows] != part[P.indices]))


def merged_pattern(P: csr_array, cluster: np.ndarray) -> csr_array:
    """Return the graph of clusters, all weights 1; ``cluster`` (n,): cluster of each node."""
    m, n = int(cluster.max()) + 1, P.shape[0]
    rows, cols = cluster[np.repeat(np.arange(n), np.diff(P.indptr))], cluster[P.indices]
    codes = np.unique(rows[rows != cols].astype(np.int64) * m + cols[rows != cols])
    indptr = np.searchsorted(codes, np.arange(m + 1, dtype=np.int64) * m).astype(np.int32)
    return csr_array((np.ones(len(codes)), (codes % m).astype(np.int32), indptr), shape=(m, m))


def _some(P: csr_array, rows: np.ndarray, kept: np.ndarray) -> csr_array:
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows[kept], minlength=P.shape[0]))]).astype(P.indptr.dtype)
    return csr_array((P.data[kept], P.indices[kept], indptr), shape=P.shape)
