"""Count the edges on shortest paths, by breadth-first search.

On the path 0 - 1 - 2, from its first node::

    >>> from nelayout.numerics.parallel import Threads
    >>> path = csr_array(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> hops_from(path, np.array([0]), Threads())[0].astype(int)
    array([0, 1, 2])
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.parallel import Threads

__all__ = ["COMPILED_ABOVE", "hops_from", "hops_within"]

# Number of nodes up to which NumPy searches, without the compiler.
COMPILED_ABOVE = 300


def hops_from(adjacency: csr_array, sources: np.ndarray, threads: Threads) -> list[np.ndarray]:
    """Return the edge counts (n,) from each source to all nodes; 0 without a path."""
    n = adjacency.shape[0]
    if n <= COMPILED_ABOVE:
        return list(np.ascontiguousarray(hops_within(adjacency, sources, np.arange(len(sources))).T))
    from nelayout.numerics.breadth_first_loops import hops as count_hops

    def count(source: int) -> np.ndarray:
        hops = np.zeros(n, dtype=np.int32)
        count_hops(adjacency.indptr, adjacency.indices, source, hops, np.empty(n, dtype=np.int32))
        return hops

    return threads.map(count, sources.tolist())


def hops_within(adjacency: csr_array, sources: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return edge counts (n, k) from sources, at once; a column has one source per component."""
    shape = adjacency.shape[0], int(columns.max(initial=-1)) + 1
    edges = csr_array((np.ones(adjacency.nnz), adjacency.indices, adjacency.indptr), shape=adjacency.shape)
    hops, front = np.zeros(shape), np.zeros(shape)
    front[sources, columns] = 1.0
    seen, step = front > 0, 0
    while front.any():
        step += 1
        reached = (edges @ front > 0) & ~seen
        hops[reached] = step
        seen |= reached
        front = reached.astype(float)
    return hops
