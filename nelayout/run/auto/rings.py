"""Rings and wheels: graphs of one cycle, alone or about a hub, which the method "auto" starts from a circle.

Coarsened and drawn level by level, a ring of 20,000 nodes keeps the dents of its coarse levels, which no kernel that is
shorter than the whole can level.  The rim of a wheel, all of whose nodes are two edges apart at most, comes out of its
coarse levels as a horseshoe with the hub in its opening.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.sparse import csr_array

__all__ = ["circle", "is_ring"]


def is_ring(P: csr_array) -> bool:
    """Whether a connected graph is one cycle, or a wheel: one cycle, and a hub that is joined to all of it.

    >>> is_ring(csr_array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])), is_ring(csr_array([[0, 1], [1, 0]]))
    (True, False)
    """
    degree = np.diff(P.indptr)
    n = len(degree)
    if n > 2 and bool((degree == 2).all()):
        return True
    # Of five nodes or more: in K4 all are hubs.
    wheel = n > 4 and int(degree.max()) == n - 1 and int(np.count_nonzero(degree == 3)) == n - 1
    return wheel and len(_around(P)) == n - 1


def circle(P: csr_array, dim: int) -> np.ndarray:
    """The nodes of a ring in order on a circle, (n, dim), one unit apart; the hub of a wheel in its middle.

    >>> circle(csr_array([[0, 1, 1], [1, 0, 1], [1, 1, 0]]), 2).round(2).tolist()
    [[0.48, 0.0], [-0.24, 0.41], [-0.24, -0.41]]
    """
    order = _around(P)
    angle = 2.0 * math.pi * np.arange(len(order)) / len(order)
    Y = np.zeros((P.shape[0], dim))
    Y[order, 0] = np.cos(angle)
    if dim > 1:
        Y[order, 1] = np.sin(angle)
    return Y * len(order) / (2.0 * math.pi)


def _around(P: csr_array) -> list[int]:
    """The nodes of the cycle in order, from the first one until it comes back there; a wheel's hub is left out."""
    degree = np.diff(P.indptr)
    hub = int(np.argmax(degree)) if degree.max() > 2 else -1
    rows = np.repeat(np.arange(len(degree)), degree)
    ends = P.indices[(rows != hub) & (P.indices != hub)].reshape(-1, 2).tolist()
    neighbors = ends if hub < 0 else [*ends[:hub], [], *ends[hub:]]
    first = 0 if hub else 1
    order, before, here = [first], first, neighbors[first][0]
    while here != first:
        order.append(here)
        one, other = neighbors[here]
        before, here = here, other if one == before else one
    return order
