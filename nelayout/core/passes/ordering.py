"""Order in layers: where a layered drawing begins, so that few edges cross.

Sweeps go down and up.  Each layer takes the order of the means of its nodes' neighbors in the layer before it.  After
each sweep, neighbors in a layer change places where that takes crossings out, and the best order of all sweeps stays.
Then each node goes as near to the mean of its neighbors as the others in its layer let it.  An edge across several
layers has a helper in each of them.

Sources: Sugiyama, Tagawa & Toda, IEEE Trans. Systems, Man, and Cybernetics 11, 1981; Gansner, Koutsofios, North & Vo,
IEEE Trans. Software Eng. 19, 1993 (exchanges).  Places in an order are an isotonic regression.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np
from scipy.sparse import csr_array

__all__ = ["in_order", "placed"]

# Sweeps that order the layers, rounds of exchanges after each, and sweeps that then center nodes.
SWEEPS, EXCHANGES, CENTERINGS = 16, 8, 8
# Helpers up to which edges across layers have them, for each node and edge.
MAX_HELPERS = 10


def in_order(P: csr_array, layer: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return positions along the layers (n,) with few crossings, in distances of neighbors.

    ``layer`` (n,) places of the layers; ``x`` (n,) decides where means are equal.

    >>> P = csr_array([[0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]])
    >>> left, right, under_right, under_left = in_order(P, np.array([0, 0, 1, 1]), np.array([0.0, 1.0, 2.0, 3.0]))
    >>> bool((left < right) == (under_left < under_right))
    True
    """
    rank = np.unique(layer, return_inverse=True)[1]
    rows = np.repeat(np.arange(len(rank)), np.diff(P.indptr))
    down = rank[rows] < rank[P.indices]
    upper, lower = rows[down], P.indices[down].astype(np.int64)
    spans = rank[lower] - rank[upper]
    if np.sum(spans - 1) <= MAX_HELPERS * (len(rank) + len(spans)):
        upper, lower, rank, x = _with_helpers(upper, lower, rank, x)
    layers = [np.flatnonzero(rank == k) for k in range(int(rank.max()) + 1)]
    at = np.empty(len(rank))
    for nodes in layers:
        at[nodes[np.argsort(x[nodes], kind="stable")]] = np.arange(len(nodes), dtype=float)
    above, below = _Neighbors(lower, upper, len(rank)), _Neighbors(upper, lower, len(rank))
    least = _exchanged(at, layers, above, below)
    best = at.copy()
    for turn in range(SWEEPS):
        if not least:
            break
        for nodes in layers[::-1] if turn % 2 else layers:
            wanted = (below if turn % 2 else above).means(at, nodes)
            at[nodes[np.lexsort((at[nodes], wanted))]] = np.arange(len(nodes), dtype=float)
        crossings = _exchanged(at, layers, above, below)
        if crossings < least:
            best, least = at.copy(), crossings
    at = best
    around = _Neighbors(np.concatenate([lower, upper]), np.concatenate([upper, lower]), len(rank))
    for nodes in layers:
        at[nodes] -= (len(nodes) - 1) / 2
    for turn in range(CENTERINGS):
        for nodes in layers[::-1] if turn % 2 else layers:
            at[nodes] = placed(around.means(at, nodes), at[nodes])
    return at[: P.shape[0]]


class _Neighbors:
    """The neighbors of each node on one side, as a matrix of means and as lists."""

    def __init__(self, of: np.ndarray, others: np.ndarray, n: int) -> None:
        weight = 1.0 / np.maximum(np.bincount(of, minlength=n), 1)
        self.matrix = csr_array((weight[of], (of, others)), shape=(n, n))
        ends, first = self.matrix.indices, self.matrix.indptr
        self.lists = [ends[first[k] : first[k + 1]] for k in range(n)]

    def means(self, at: np.ndarray, nodes: np.ndarray) -> np.ndarray:
        """Return the mean place of each node's neighbors; its own place if it has none."""
        own = self.matrix[nodes]
        return np.where(np.diff(own.indptr) > 0, own @ at, at[nodes])


def _with_helpers(
    upper: np.ndarray, lower: np.ndarray, rank: np.ndarray, x: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return edges between neighboring layers alone, and ranks and positions with helpers."""
    between = rank[lower] - rank[upper] - 1
    edge = np.repeat(np.arange(len(upper)), between)
    step = np.arange(len(edge)) - np.repeat(np.cumsum(between) - between, between) + 1
    names = len(rank) + np.arange(len(edge))
    share = step / (between[edge] + 1)
    first, last = np.cumsum(between) - between, np.cumsum(between) - 1
    begins = np.where(between > 0, len(rank) + first, lower)
    inner = step < between[edge]
    tails = np.concatenate([upper, names[inner], len(rank) + last[between > 0]])
    heads = np.concatenate([begins, names[inner] + 1, lower[between > 0]])
    places = (1 - share) * x[upper[edge]] + share * x[lower[edge]]
    return tails, heads, np.concatenate([rank, rank[upper[edge]] + step]), np.concatenate([x, places])


def _exchanged(at: np.ndarray, layers: list[np.ndarray], above: _Neighbors, below: _Neighbors) -> int:
    """Exchange neighbors in layers, in place, while crossings go; return those left."""
    for _ in range(EXCHANGES):
        gained = 0
        for nodes in layers:
            row = nodes[np.argsort(at[nodes])].tolist()
            sides = [{v: np.sort(at[each.lists[v]]).tolist() for v in row} for each in (above, below)]
            for k in range(len(row) - 1):
                one, other = row[k], row[k + 1]
                gain = sum(_crossings(side[one], side[other]) - _crossings(side[other], side[one]) for side in sides)
                if gain > 0:
                    gained += gain
                    row[k], row[k + 1] = other, one
            at[row] = np.arange(len(row), dtype=float)
        if not gained:
            break
    return sum(_between(at, nodes, below) for nodes in layers[:-1])


def _crossings(left: list[float], right: list[float]) -> int:
    """Return crossings of the edges to two sorted lists of places."""
    if not left or not right or left[-1] <= right[0]:
        return 0
    if len(right) < len(left):
        return sum(len(left) - bisect_right(left, place) for place in right)
    return sum(bisect_left(right, place) for place in left)


def _between(at: np.ndarray, nodes: np.ndarray, below: _Neighbors) -> int:
    """Return the crossings of the edges from a layer to the next."""
    row = nodes[np.argsort(at[nodes])].tolist()
    seen, count = list[float](), 0
    for v in row:
        ends = np.sort(at[below.lists[v]]).tolist()
        count += sum(len(seen) - bisect_right(seen, place) for place in ends)
        for place in ends:
            seen.insert(bisect_right(seen, place), place)
    return count


def placed(wanted: np.ndarray, now: np.ndarray) -> np.ndarray:
    """Return the places in the order of ``now``, one apart, nearest to the wanted ones."""
    from scipy.optimize import isotonic_regression

    order = np.argsort(now, kind="stable")
    steps = np.arange(len(order), dtype=float)
    places = np.empty(len(order))
    places[order] = isotonic_regression(wanted[order] - steps).x + steps
    return places
