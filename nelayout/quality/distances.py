"""Distances in a drawing, and which nodes are nearest to a node, itself left out.

Distances that agree to `TIE` (relative) are ties.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy.spatial import KDTree

__all__ = ["TIE", "lengths", "nearest", "nearest_in_tree", "standardize"]

# Relative difference below which two distances are one: far above rounding, far below any reader's eye.
TIE = 1e-9


def standardize(Y: np.ndarray) -> np.ndarray:
    """`Y` in float64, divided by the power of two that brings it into [-1, 1].

    Squared distances then neither under- nor overflow, and the division is exact:
    ties and points in line stay so.
    """
    Y = np.asarray(Y, np.float64)
    _, exponent = np.frexp(np.abs(Y).max(initial=0.0))
    return np.ldexp(Y, -exponent)


def lengths(Y: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """|y_i - y_j| for index arrays i and j."""
    total = np.zeros(len(i))
    for column in Y.T:
        total += (column[i] - column[j]) ** 2
    return np.sqrt(total)


def nearest(X: np.ndarray, nodes: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """The k nodes nearest to each of `nodes`, nearest first, ties at random; (len(nodes), k), 1 <= k < n."""
    from scipy.spatial import KDTree

    n = len(X)
    tree = KDTree(X)
    distance, index = tree.query(X[nodes], min(k + 2, n), workers=-1)
    distance, index = np.asarray(distance), np.asarray(index)
    chosen = _others(index, nodes)[:, :k]
    if n > k + 1:
        upper = distance[:, k] * (1 + TIE)
        tied = np.flatnonzero(distance[:, k + 1] <= upper)
        for t, ball in zip(tied, _balls(tree, X, nodes[tied], upper[tied]), strict=True):
            length = np.sqrt(((X[ball] - X[nodes[t]]) ** 2).sum(axis=1))
            surely = length < distance[t, k] * (1 - TIE)
            border = ball[~surely & (ball != nodes[t])]
            surely = ball[surely & (ball != nodes[t])]
            chosen[t] = np.concatenate([surely, rng.choice(border, k - len(surely), replace=False)])
    length = np.sqrt(((X[chosen] - X[nodes, None]) ** 2).sum(axis=2))
    order = np.lexsort((rng.random(length.shape), length))
    return np.take_along_axis(chosen, order, axis=1)


def nearest_in_tree(tree: KDTree, Y: np.ndarray, nodes: np.ndarray, k: int) -> np.ndarray:
    """The k nodes nearest to each of `nodes`, nearest first, ties as the tree of `Y` reports them; quick."""
    return _others(np.asarray(tree.query(Y[nodes], k + 1)[1]), nodes)


def _others(found: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """Remove `nodes` from what a tree found at them; of coincident nodes it may report any, and not the node itself."""
    own = found == nodes[:, None]
    own[:, -1] |= ~own.any(axis=1)
    return found[~own].reshape(len(nodes), -1)


def _balls(tree: KDTree, X: np.ndarray, nodes: np.ndarray, radius: np.ndarray, at_once: int = 2_000):
    """Yield the indices within radius[t] of each node, a few at a time: a ball may hold very many."""
    for start in range(0, len(nodes), at_once):
        part = slice(start, start + at_once)
        for ball in tree.query_ball_point(X[nodes[part]], radius[part], workers=-1):
            yield np.asarray(ball)
