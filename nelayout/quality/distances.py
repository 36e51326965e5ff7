"""Distances in a drawing, and the distances of the input that a drawing should follow.

Distances that agree to `TIE` (relative) are ties. The distance of nodes that no path joins is infinite. Measures of
ranks treat such nodes as one last tie; measures of distances leave the pair out.

    >>> path = csr_array(np.array([[0.0, 1, 0], [1, 0, 5], [0, 5, 0]]))
    >>> hop_distances(path).rows(np.array([0])), path_distances(path).rows(np.array([0]))
    (array([[0., 1., 2.]]), array([[0., 1., 6.]]))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.blocks import rows_at_once
from nelayout.numerics.breadth_first import hops_from
from nelayout.numerics.parallel import threads_for

if TYPE_CHECKING:
    from scipy.spatial import KDTree

__all__ = [
    "TIE", "InputDistances", "blocks", "dense_levels", "hop_distances", "lengths", "near_shares", "nearest_in_tree",
    "path_distances", "squared_from", "standardize",
]  # fmt: skip

# Relative difference below which two distances are ties: far above rounding.
TIE = 1e-9


def standardize(Y: np.ndarray) -> np.ndarray:
    """Return `Y` in float64, divided by the power of two that brings it into [-1, 1].

    Squared distances then neither underflow nor overflow. The division is exact, so ties remain ties.
    """
    Y = np.asarray(Y, np.float64)
    _, exponent = np.frexp(np.abs(Y).max(initial=0.0))
    return np.ldexp(Y, -exponent)


def lengths(Y: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Return |y_i - y_j| for index arrays i and j."""
    total = np.zeros(len(i))
    for column in Y.T:
        total += (column[i] - column[j]) ** 2
    return np.sqrt(total)


def squared_from(Y: np.ndarray, node: int) -> np.ndarray:
    """Return the squared distances from one node to all, (n,)."""
    total = np.zeros(len(Y))
    for column in Y.T:
        total += (column - column[node]) ** 2
    return total


def near_shares(tree: KDTree, nodes: np.ndarray, k: int) -> csr_array:
    """Return the chance of each node to be in the k < n nearest to `nodes`, (len(nodes), n).

    Nodes tied at the k-th distance share the remaining ranks equally, so each row sums to k.
    """
    Y = np.asarray(tree.data)
    last: Any = [k + 1]  # the first is the node itself
    radius = np.asarray(tree.query(Y[nodes], last, workers=-1)[0])[:, 0]
    balls = tree.query_ball_point(Y[nodes], radius * (1 + TIE), workers=-1)
    row, other = np.repeat(np.arange(len(nodes)), [len(ball) for ball in balls]), np.concatenate(balls).astype(np.int64)
    row, other = row[other != nodes[row]], other[other != nodes[row]]
    border = lengths(Y, nodes[row], other) >= radius[row] * (1 - TIE)
    tied = np.bincount(row[border], minlength=len(nodes))
    left = k - np.bincount(row[~border], minlength=len(nodes))
    share = np.where(border, (left / np.maximum(tied, 1))[row], 1.0)
    return csr_array((share, (row, other)), shape=(len(nodes), len(Y)))


def nearest_in_tree(tree: KDTree, Y: np.ndarray, nodes: np.ndarray, k: int) -> np.ndarray:
    """Return the k nodes nearest to each of `nodes`, nearest first; the tree orders ties."""
    found = np.asarray(tree.query(Y[nodes], k + 1)[1])
    own = found == nodes[:, None]
    own[:, -1] |= ~own.any(axis=1)  # among coincident nodes the tree may leave out the node itself
    return found[~own].reshape(len(nodes), -1)


def blocks(nodes: np.ndarray, n: int) -> list[np.ndarray]:
    """Return the nodes in blocks that fit memory with n numbers for each node."""
    size = rows_at_once(8 * n)
    return [nodes[start : start + size] for start in range(0, len(nodes), size)]


@dataclass(frozen=True, slots=True, eq=False)
class InputDistances:
    """Distances between n nodes or rows, some rows at a time.

    n      number of nodes
    find   numbers of nodes (m,) -> distances (m, n), infinite if not defined
    graph  (n, n) graph with infinite distances between its components; None: all distances are finite
    """

    n: int
    find: Callable[[np.ndarray], np.ndarray]
    graph: csr_array | None = None

    def rows(self, nodes: np.ndarray) -> np.ndarray:
        """Return distances from `nodes`, (len(nodes), n): 0 to itself, infinite if not defined."""
        result = np.asarray(self.find(nodes), np.float64)
        result[np.arange(len(nodes)), nodes] = 0.0
        return result

    def blocks(self, nodes: np.ndarray) -> Iterator[list[tuple[int, int, np.ndarray]]]:
        """Yield for each of `nodes` its number among them, the node and its distances."""
        for some in blocks(np.arange(len(nodes)), self.n):
            yield list(zip(some.tolist(), nodes[some].tolist(), self.rows(nodes[some]), strict=True))


def hop_distances(adjacency: csr_array) -> InputDistances:
    """Return numbers of edges on shortest paths; `adjacency` (n, n) is symmetric."""

    def find(nodes: np.ndarray) -> np.ndarray:
        with threads_for(None) as threads:
            hops = hops_from(adjacency, nodes, threads)
        return np.array([np.where(row > 0, row, np.inf) for row in hops]).reshape(len(nodes), len(adjacency.indptr) - 1)

    return InputDistances(adjacency.shape[0], find, adjacency)


def path_distances(lengths: csr_array) -> InputDistances:
    """Return lengths of shortest paths; `lengths` (n, n) is symmetric, each entry is > 0."""
    # Dijkstra's algorithm of SciPy 1.13 takes only 32-bit indices.
    indices, indptr = lengths.indices.astype(np.int32), lengths.indptr.astype(np.int32)
    graph = csr_array((lengths.data, indices, indptr), shape=lengths.shape)

    def find(nodes: np.ndarray) -> np.ndarray:
        from scipy.sparse.csgraph import dijkstra

        return np.asarray(dijkstra(graph, directed=False, indices=nodes))

    return InputDistances(graph.shape[0], find, graph)


def dense_levels(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Return rank classes (m,) int32 of `values` from 0, and their number; ties share a class."""
    far = ~np.isfinite(values)
    top = float(values[~far].max(initial=0.0))
    if top < len(values) and (values[~far] == np.rint(values[~far])).all():  # numbers of edges need no sorting
        number = np.where(far, top + 1, values).astype(np.int64)
        rank = np.cumsum(np.bincount(number, minlength=1) > 0) - 1
        return rank[number].astype(np.int32), int(rank[-1]) + 1
    order = np.argsort(values)
    ordered = values[order]
    rank = np.empty(len(values), np.int32)
    rank[order] = np.cumsum(np.concatenate([[False], ordered[1:] > ordered[:-1] * (1 + TIE)]))
    return rank, int(rank[order[-1]]) + 1
