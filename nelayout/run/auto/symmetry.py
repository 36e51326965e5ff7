"""Symmetry: whether nodes that the graph cannot tell apart are drawn alike.

The leaves of a star are all the same.  On a circle around the hub they look the same; scattered over a disc they do
not, though the disc may keep more neighborhoods.  Which nodes are the same is found by refining colors: nodes of one
color whose neighbors have the same colors, by edges of the same weights, keep one color.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

__all__ = ["Symmetry"]

# Rounds of refinement: nodes that differ in what is so many edges around them are told apart.
ROUNDS = 4
# Graphs of more nodes are not looked at: the eye finds no single nodes there.
LARGEST = 2_000


class Symmetry:
    """The classes of nodes that look the same from within the graph."""

    def __init__(self, P: csr_array) -> None:
        n = P.shape[0]
        self.P, self.degree = P, np.diff(P.indptr)
        color = np.zeros(n, dtype=np.int64)
        if n <= LARGEST:
            for _ in range(ROUNDS):
                color = self._refined(color)
        size = np.bincount(color, minlength=1)
        self.some = size[color] > 1 if n <= LARGEST else np.zeros(n, dtype=bool)
        self.color = color
        rows = np.repeat(np.arange(n), self.degree)
        looked_at = self.some[rows]
        self.rows, self.cols = rows[looked_at], P.indices[looked_at]

    def _refined(self, color: np.ndarray) -> np.ndarray:
        """Colors of nodes by their own and those of their neighbors, as numbers from 0."""
        rng = np.random.default_rng(0)
        code = rng.integers(0, 2**63, size=(len(color), 2), dtype=np.uint64)  # sums of them are the same in any order
        rows = np.repeat(np.arange(len(color)), self.degree)
        around = np.zeros((len(color), 2), dtype=np.uint64)
        weight = (self.P.data + 0.0).view(np.uint64)[:, None] | np.uint64(1)
        np.add.at(around, rows, weight * code[color[self.P.indices]])
        return np.unique(np.column_stack([around, color.astype(np.uint64)]), axis=0, return_inverse=True)[1].ravel()

    def broken(self, Y: np.ndarray) -> float:
        """How far nodes of one class are drawn apart from alike: 0 not at all; Y (n, d).

        The mean over all nodes of the coefficient of variation, within the node's class, of the distance from the
        center and of the mean length of the node's edges, whichever is larger.
        """
        if not self.some.any():
            return 0.0
        length = np.linalg.norm(Y[self.rows] - Y[self.cols], axis=1)
        edges = np.bincount(self.rows, length, minlength=len(Y)) / np.maximum(self.degree, 1)
        radius = np.linalg.norm(Y - Y.mean(axis=0), axis=1)
        varied = np.maximum(self._variation(edges), self._variation(radius))
        return float(np.sum(varied[self.some]) / len(Y))

    def _variation(self, x: np.ndarray) -> np.ndarray:
        """Coefficient of variation of x within the class of each node, (n,)."""
        size = np.bincount(self.color)
        mean = np.bincount(self.color, x) / size
        square = np.bincount(self.color, (x - mean[self.color]) ** 2) / size
        return (np.sqrt(square) / np.maximum(mean, 1e-12 * max(float(x.max()), 1e-300)))[self.color]
