"""Rings: graphs of one cycle, which the method "auto" starts from a circle.

Coarsened and drawn level by level, a ring of 20,000 nodes keeps the dents of its coarse levels, which no kernel that is
shorter than the whole can level.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.sparse import csr_array

__all__ = ["circle", "is_ring"]


def is_ring(P: csr_array) -> bool:
    """Whether a connected graph is one cycle.

    >>> is_ring(csr_array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])), is_ring(csr_array([[0, 1], [1, 0]]))
    (True, False)
    """
    return P.shape[0] > 2 and P.nnz == 2 * P.shape[0] and bool((np.diff(P.indptr) == 2).all())


def circle(P: csr_array, dim: int) -> np.ndarray:
    """The nodes of a ring in order on a circle, (n, dim), one unit apart.

    >>> circle(csr_array([[0, 1, 1], [1, 0, 1], [1, 1, 0]]), 2).round(2).tolist()
    [[0.48, 0.0], [-0.24, 0.41], [-0.24, -0.41]]
    """
    n, neighbors = P.shape[0], P.indices.reshape(-1, 2).tolist()
    order, before, here = [0], 0, neighbors[0][0]
    while here:
        order.append(here)
        one, other = neighbors[here]
        before, here = here, other if one == before else one
    angle = np.empty(n)
    angle[order] = 2.0 * math.pi * np.arange(n) / n
    Y = np.zeros((n, dim))
    Y[:, 0] = np.cos(angle)
    if dim > 1:
        Y[:, 1] = np.sin(angle)
    return Y * n / (2.0 * math.pi)
