"""Random-walk smoothing as a sparse matrix, for objectives that need every single p_ij.

p = (1 - rho) (I - rho D^-1/2 A D^-1/2)^-1 is full.  Small graphs keep all of it.  In larger ones each row keeps its
largest entries, found by pushing, and p_ij stays if either end keeps it.  The diagonal is
dropped.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.blocks import rows_at_once
from nelayout.numerics.parallel import Threads
from nelayout.similarities.random_walk import RandomWalk

__all__ = ["truncated_walk"]

# Nodes up to which p is kept whole.
WHOLE = 500
# Entries kept of each row: at least KEPT, and more as long as there are not more than WHOLE^2 in all.
KEPT = 64
# Error of an entry, in parts of sqrt(d_i d_j) / (mean d * entries kept), d the strengths.
TOLERANCE = 0.1


def truncated_walk(graph: csr_array, rho: float, threads: Threads | None = None) -> tuple[csr_array, float]:
    """Truncate p to P (n, n), symmetric without a diagonal; return P and its share of p_ij.

    >>> path = csr_array(np.array([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> P, part = truncated_walk(path, 0.5)
    >>> P.toarray().round(3), part
    (array([[0.   , 0.236, 0.083],
           [0.236, 0.   , 0.236],
           [0.083, 0.236, 0.   ]]), 1.0)
    """
    walk = RandomWalk(graph, rho)
    n = walk.n
    if n <= WHOLE:
        return _whole(walk), 1.0
    from nelayout.similarities import loops

    kept = max(KEPT, WHOLE**2 // n)
    columns = np.full((n, kept), -1, dtype=np.int32)
    values, own = np.zeros((n, kept)), np.zeros(n)
    S, root = walk.S, np.sqrt(walk.strength)
    tolerance = TOLERANCE / (kept * float(np.mean(walk.strength)))

    size = rows_at_once(256 * kept)

    def work(start: int) -> None:
        rows = start, min(start + size, n)
        loops.largest_of_rows(S.indptr, S.indices, S.data, root, rho, tolerance, *rows, columns, values, own)

    (threads or Threads()).map(work, range(0, n, size))
    filled = columns >= 0
    rows = np.repeat(np.arange(n, dtype=np.int32), np.sum(filled, axis=1))
    half = csr_array((values[filled], (rows, columns[filled])), shape=(n, n))
    ends = csr_array((np.ones(len(half.data)), half.indices, half.indptr), shape=(n, n))
    P, ends = _canonical(half + half.T), _canonical(ends + ends.T)
    P.data = np.divide(P.data, ends.data)  # the mean of both ends, or what one of them alone has kept
    everything = float(np.sum(walk.row_sums)) - float(np.sum(own))
    return P, min(1.0, float(np.sum(P.data)) / everything)


def _whole(walk: RandomWalk) -> csr_array:
    p = walk.times(np.eye(walk.n))
    p = np.maximum((p + p.T) / 2, 0.0)
    np.fill_diagonal(p, 0.0)
    return _canonical(csr_array(p))


def _canonical(P: csr_array) -> csr_array:
    P = csr_array(P)
    P.sort_indices()
    return csr_array((P.data, P.indices.astype(np.int32), P.indptr.astype(np.int32)), shape=P.shape)
