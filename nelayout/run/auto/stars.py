"""Stars: graphs whose hub holds all others, most of them as leaves, which the method "auto" spreads over a disc.

Nothing but repulsion says where a leaf lies, and kernels that reach only so far leave leaves in clumps.  The kernel of
gamma-QuadLog reaches everywhere: its drawing of a star is an even disc.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

__all__ = ["is_star"]

# Nodes of the least star that is spread over a disc: the leaves of smaller ones have room on a circle.
LEAST = 165


def is_star(P: csr_array) -> bool:
    """Whether one node is joined to all others, most of which are leaves, and too many for a circle.

    >>> spokes = csr_array((np.ones(200), (np.zeros(200, dtype=int), np.arange(1, 201))), shape=(201, 201))
    >>> is_star(csr_array(spokes + spokes.T)), is_star(csr_array((201, 201)))
    (True, False)
    """
    n, degree = P.shape[0], np.diff(P.indptr)
    if n < LEAST or not P.nnz:
        return False
    return int(degree.max()) == n - 1 and 2 * int(np.count_nonzero(degree == 1)) > n
