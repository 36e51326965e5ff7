"""Which components of a graph are drawn: of equal small ones, one is."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

__all__ = ["MAX_REPEATED_NODES", "first_of_kind"]

# Components up to this size are drawn once for all that are equal to them.
MAX_REPEATED_NODES = 30
MIX = np.uint64(0x9E3779B97F4A7C15)  # odd, its bits without order: Knuth's multiplicative hash


def first_of_kind(P: csr_array, labels: np.ndarray) -> np.ndarray:
    """(C,) mask of the components that are no copies of one before: nodes in the same order, the same weights.

    >>> pairs = csr_array(np.kron(np.eye(3), [[0.0, 1.0], [1.0, 0.0]]))
    >>> first_of_kind(pairs, np.array([0, 0, 1, 1, 2, 2]))
    array([ True, False, False])
    """
    sizes = np.bincount(labels)
    order = np.argsort(labels, kind="stable")
    local = np.empty(len(labels), dtype=np.uint64)
    local[order] = np.arange(len(labels)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    rows = np.repeat(np.arange(len(labels)), np.diff(P.indptr))
    keys = _mixed(_mixed(_mixed(P.data.view(np.uint64)) ^ local[rows]) ^ local[P.indices])
    sums = np.zeros(len(sizes), dtype=np.uint64)
    np.add.at(sums, labels[rows], keys)  # whole numbers: the order of the sum does not matter
    first = np.zeros(len(sizes), dtype=bool)
    first[np.unique(np.stack([sizes.astype(np.uint64), sums]), axis=1, return_index=True)[1]] = True
    return first | (sizes > MAX_REPEATED_NODES)


def _mixed(values: np.ndarray) -> np.ndarray:
    values = values * MIX
    return values ^ (values >> np.uint64(29))
