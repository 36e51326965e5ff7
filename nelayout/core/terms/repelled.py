"""Negative weights: their nodes are far from each other.

    T(Y) = sum_e w_e / (1 + |y_i - y_j|^2 / r^2) / sum_e w_e,      r^2 = mean |y_i - c|^2

The sum is over the pairs e = (i, j) with a negative weight -w_e.  T is at most 1, where all of these pairs coincide,
and above 0: J with T has a minimum if J has one.  Where all nodes coincide, T is 1 and its gradient counts as 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nelayout.core.terms.pull import Pull, about_middle

__all__ = ["Repelled"]


@dataclass(frozen=True, eq=False)
class Repelled:
    """Pairs ``one``, ``other`` (m,) with weights > 0, and ``count`` (n,) of nodes."""

    one: np.ndarray
    other: np.ndarray
    weight: np.ndarray
    count: np.ndarray
    strength: float = 1.0
    name = "negative"
    upright = False

    def at(self, Y: np.ndarray) -> Pull:
        """Return T at positions Y (n, d)."""
        n, one, other = len(Y), self.one, self.other
        part = self.count / np.sum(self.count)
        about, radius = about_middle(Y, part)
        square = radius * radius
        own = self.weight / np.sum(self.weight)
        if square == 0.0:
            return Pull(self._halves(own, n), np.zeros_like(Y), np.zeros(n))
        apart = Y[one] - Y[other]
        squares = np.einsum("ij,ij->i", apart, apart) / square
        near = 1.0 / (1.0 + squares)
        slope = own * near * near
        pull = (-2.0 / square) * slope[:, None] * apart
        gradient = np.zeros_like(Y)
        for axis in range(Y.shape[1]):
            each = pull[:, axis]
            gradient[:, axis] = np.bincount(one, each, minlength=n) - np.bincount(other, each, minlength=n)
        gradient += (2.0 * float(np.dot(slope, squares)) / square) * part[:, None] * about
        curvature = self._halves(8.0 * own, n) / square
        return Pull(self._halves(own * near, n), gradient, curvature)

    def _halves(self, x: np.ndarray, n: int) -> np.ndarray:
        """Return half of each pair's x at each of its ends, (n,)."""
        return 0.5 * (np.bincount(self.one, x, minlength=n) + np.bincount(self.other, x, minlength=n))

    def of(self, nodes: np.ndarray) -> Repelled | None:
        """Return the term of some nodes; None without a pair of two of them."""
        index = np.full(len(self.count), -1)
        index[nodes] = np.arange(len(nodes))
        return self._kept(index[self.one], index[self.other], self.count[nodes])

    def merged(self, cluster: np.ndarray, n: int) -> Repelled | None:
        """Return the term of n clusters of nodes."""
        return self._kept(cluster[self.one], cluster[self.other], np.bincount(cluster, self.count, minlength=n))

    def _kept(self, one: np.ndarray, other: np.ndarray, count: np.ndarray) -> Repelled | None:
        kept = (one >= 0) & (other >= 0) & (one != other)
        if not kept.any():
            return None
        return replace(self, one=one[kept], other=other[kept], weight=self.weight[kept], count=count)
