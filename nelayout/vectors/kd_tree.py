"""The k nearest rows of every row by a k-d tree, for rows of few columns, and the dimension that rows have.

Rows on a plane have two dimensions, however many columns they are written in::

    >>> plane = np.random.default_rng(0).random((2000, 2))
    >>> round(Tree(plane @ np.array([[1.0, 2.0, 0.0], [0.5, 0.0, 1.0]])).dimension())
    2
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nelayout.numerics.parallel import Threads
from nelayout.vectors.bounds import first_k, squared_distances

__all__ = ["Tree"]

# Rows whose neighbors, this many and twice as many, tell the dimension: its standard error is 2 %.
SAMPLE, NEIGHBORS = 200, 10


class Tree:
    """A k-d tree over distinct rows."""

    def __init__(self, X: np.ndarray) -> None:
        from scipy.spatial import KDTree

        self.X, self.points = X, X.astype(np.float64)
        self.tree: Any = KDTree(self.points)

    def dimension(self) -> float:
        """Dimension of the rows about a few of them; infinite where none tells it, as all its neighbors are as near.

        Where rows are spread evenly in d dimensions, the logarithm of the distance of the (k + 1)-th nearest is on
        average 1 / (k d) above that of the k-th (Levina and Bickel 2004, where the same Poisson process is behind it).
        """
        rows = np.linspace(0, len(self.points) - 1, SAMPLE).astype(np.int64)
        near, far = self.tree.query(self.points[rows], k=[NEIGHBORS + 1, 2 * NEIGHBORS + 1])[0].T
        told = (near > 0) & np.isfinite(far)  # squares of distances may be beyond what floats hold
        ratio = np.mean(np.log(far[told] / near[told])) if told.any() else 0.0
        return float(np.sum(1 / np.arange(NEIGHBORS, 2 * NEIGHBORS)) / ratio) if ratio > 0 else np.inf

    def nearest(self, k: int, threads: Threads) -> tuple[np.ndarray, np.ndarray]:
        """Search for the k nearest; where the k-th distance is shared, the tree is asked for more."""
        n = len(self.points)
        indices, squared = np.empty((n, k), dtype=np.int64), np.empty((n, k))
        waiting, ask = np.arange(n), min(n, k + 3)
        while len(waiting):
            shared = []
            size = max(1, (1 << 22) // ask)
            for start in range(0, len(waiting), size):
                rows = waiting[start : start + size]
                answer = self.tree.query(self.points[rows], k=ask, workers=threads.count)
                found = answer[1]
                distance = np.where(found == rows[:, None], -1.0, answer[0])  # itself, also when others lie at 0
                limit = np.sort(distance, axis=1)[:, k] * (1 + 1e-12)
                sure = (distance.max(axis=1) > limit) | (ask == n)
                shared.append(rows[~sure])
                i, at = np.nonzero((distance <= limit[:, None]) & (distance >= 0) & sure[:, None])
                if not len(i):
                    continue
                j = found[i, at]
                rank = np.cumsum(sure) - 1
                d2 = squared_distances(self.X, rows[i], j)
                indices[rows[sure]], squared[rows[sure]] = first_k(rank[i], j, d2, int(sure.sum()), k)
            waiting, ask = np.concatenate(shared), min(n, 2 * ask)
        return indices, squared
