"""Lines: nodes with a common coordinate, which nobody has fixed.

``line`` (n, d) has the number of each node's line on each axis, -1 where the coordinate is free.

>>> Y, line = np.array([[0.0, 1.0], [2.0, 3.0], [5.0, 5.0]]), np.array([[0, -1], [0, -1], [-1, -1]])
>>> on_lines(Y, line).tolist()
[[1.0, 1.0], [1.0, 3.0], [5.0, 5.0]]
"""

from __future__ import annotations

import numpy as np

__all__ = ["lines_hold", "on_lines", "turned_to_lines"]


def on_lines(Y: np.ndarray, line: np.ndarray) -> np.ndarray:
    """Return Y (n, d) with the mean of each line in place of its nodes' coordinates."""
    Y = Y.copy()
    for axis in range(line.shape[1]):
        nodes = np.flatnonzero(line[:, axis] >= 0)
        own = line[nodes, axis]
        sums, count = np.bincount(own, Y[nodes, axis]), np.bincount(own)
        Y[nodes, axis] = sums[own] / count[own]
    return Y


def lines_hold(Y: np.ndarray, line: np.ndarray) -> bool:
    """Return True if the nodes of each line have one coordinate, to the bit."""
    for axis in range(line.shape[1]):
        nodes = np.flatnonzero(line[:, axis] >= 0)
        first = np.unique(line[nodes, axis], return_index=True, return_inverse=True)[1:]
        if (Y[nodes, axis] != Y[nodes[first[0]], axis][first[1]]).any():
            return False
    return True


def turned_to_lines(Y: np.ndarray, line: np.ndarray) -> np.ndarray:
    """Return Y (n, 2) turned so that its nodes are as near to their lines as they can be.

    >>> Y = turned_to_lines(np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0]]), np.array([[0, -1], [0, -1], [-1, -1]]))
    >>> bool(abs(Y[0, 0] - Y[1, 0]) < 1e-12)
    True
    """
    spread = np.zeros((2, 2))
    for axis, sign in ((0, 1.0), (1, -1.0)):
        one = np.where(np.arange(2) == axis, line, -1)
        both = np.stack([one[:, axis]] * 2, axis=1)
        away = Y - on_lines(Y, both)
        spread += sign * np.einsum("ia,ib->ab", away, away)
    along = np.linalg.eigh(spread)[1][:, 0]  # x of the result: the direction across vertical lines
    along = along if along[0] >= 0 else -along
    return np.stack([Y[:, 0] * along[0] + Y[:, 1] * along[1], Y[:, 1] * along[0] - Y[:, 0] * along[1]], axis=1)
