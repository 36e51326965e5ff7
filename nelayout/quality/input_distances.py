"""Distances that a drawing should follow: numbers of edges, lengths of paths, or distances of vectors.

On the path a - b - c, whose second edge has length 5, c is 2 edges and a length of 6 from a::

    >>> path = csr_array(np.array([[0.0, 1, 0], [1, 0, 5], [0, 5, 0]]))
    >>> [level.tolist() for level, count in Hops(path).levels(np.array([0]))], Hops(path).rows(np.array([0]))
    ([[-1, 0, 1]], array([[0., 1., 2.]]))
    >>> PathLengths(path).rows(np.array([0]))
    array([[0., 1., 6.]])

Where no path leads from one node to another their distance is not defined: it is infinite here.  Measures of ranks take
such nodes for one last class of ties, farther than all that a path reaches; measures of distances leave the pair out.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.breadth_first import hops_from
from nelayout.numerics.parallel import threads_for
from nelayout.quality.distances import TIE

__all__ = ["Hops", "InputDistances", "PathLengths", "VectorDistances", "dense_levels"]


# Nodes up to which numbers of edges are kept, 50 MB: several measures look at the same rows.
TABLE = 5_000


class InputDistances:
    """Distances between n nodes or rows, given row by row; subclasses compute the rows."""

    n: int

    def rows(self, nodes: np.ndarray) -> np.ndarray:
        """(len(nodes), n) float64: distances from each of `nodes`, 0 to itself, infinite where none is defined."""
        raise TypeError(f"{type(self).__name__} does not say how its rows are found")

    def levels(self, nodes: np.ndarray) -> list[tuple[np.ndarray, int]]:
        """For each of `nodes` the rank class (n,) of every other node, 0 the nearest, -1 itself; and their number."""
        found = []
        for node, row in zip(nodes.tolist(), self.rows(nodes), strict=True):
            level = np.full(self.n, -1, np.int32)
            other = np.arange(self.n) != node
            level[other], count = dense_levels(row[other])
            found.append((level, count))
        return found


class Hops(InputDistances):
    """Numbers of edges on shortest paths of a graph; `adjacency` (n, n) is symmetric."""

    def __init__(self, adjacency: csr_array) -> None:
        self.adjacency, self.n = adjacency, adjacency.shape[0]
        self._table: np.ndarray | None = None

    def rows(self, nodes: np.ndarray) -> np.ndarray:
        result = np.empty((len(nodes), self.n))
        for t, hops in enumerate(self._hops(nodes)):
            result[t] = np.where(hops > 0, hops, np.inf)
            result[t, nodes[t]] = 0.0
        return result

    def levels(self, nodes: np.ndarray) -> list[tuple[np.ndarray, int]]:
        found = []
        for node, hops in zip(nodes.tolist(), self._hops(nodes), strict=True):
            farthest = int(hops.max(initial=0))
            level = np.where(hops > 0, hops - 1, farthest).astype(np.int32)
            level[node] = -1
            unreached = self.n - 1 - np.count_nonzero(hops)
            found.append((level, farthest + int(unreached > 0)))
        return found

    def _hops(self, nodes: np.ndarray) -> list[np.ndarray]:
        """Numbers of edges from each of `nodes`, 0 to itself and to nodes that no path reaches."""
        if self.n > TABLE:
            return self._searched(nodes)
        if self._table is None:
            self._table, self._known = np.zeros((self.n, self.n), np.int16), np.zeros(self.n, bool)
        new = nodes[~self._known[nodes]]
        if len(new):
            self._table[new], self._known[new] = self._searched(new), True
        return list(self._table[nodes])

    def _searched(self, nodes: np.ndarray) -> list[np.ndarray]:
        with threads_for(None) as threads:
            return hops_from(self.adjacency, nodes, threads)


class PathLengths(InputDistances):
    """Lengths of shortest paths; the entries of the symmetric `lengths` (n, n) are lengths of edges, all > 0."""

    def __init__(self, lengths: csr_array) -> None:
        # Dijkstra's algorithm of SciPy 1.13 takes indices of 32 bits alone.
        indices, indptr = lengths.indices.astype(np.int32), lengths.indptr.astype(np.int32)
        self.lengths, self.n = csr_array((lengths.data, indices, indptr), shape=lengths.shape), lengths.shape[0]

    def rows(self, nodes: np.ndarray) -> np.ndarray:
        from scipy.sparse.csgraph import dijkstra

        return np.asarray(dijkstra(self.lengths, directed=False, indices=nodes), np.float64)


class VectorDistances(InputDistances):
    """Distances of n vectors from `find`, a function of row numbers (m,) that returns (m, n) finite distances."""

    def __init__(self, n: int, find: Callable[[np.ndarray], np.ndarray]) -> None:
        self.n, self._find = n, find

    def rows(self, nodes: np.ndarray) -> np.ndarray:
        result = np.asarray(self._find(nodes), np.float64)
        result[np.arange(len(nodes)), nodes] = 0.0
        return result


def dense_levels(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Rank classes of `values` from 0, equal ones (to `TIE`, relative) in one class; int32 (m,), and their number.

    >>> dense_levels(np.array([3.0, 1.0, np.inf, 3.0]))
    (array([1, 0, 2, 1], dtype=int32), 3)
    """
    if not len(values):
        return np.zeros(0, np.int32), 0
    order = np.argsort(values)
    ordered = values[order]
    rank = np.empty(len(values), np.int32)
    rank[order] = np.cumsum(np.concatenate([[False], ordered[1:] > ordered[:-1] * (1 + TIE)]))
    return rank, int(rank[order[-1]]) + 1
