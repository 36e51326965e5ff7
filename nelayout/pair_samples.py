"""Pairs drawn for sums that are too long: edges by their weight, and all pairs evenly.

A sum of p_ij h_ij over the edges becomes a mean of h over edges drawn with probability p, a sum over all n (n - 1)
pairs becomes n (n - 1) times a mean.  Sums that are short enough are taken as a whole::

    >>> path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0.0]])
    >>> drawn = PairSamples.of(path, 3, 10, 0.0, np.random.default_rng(0))
    >>> i, j, weight = drawn.edges()
    >>> [(int(a), int(b), float(w)) for a, b, w in zip(i, j, weight)]
    [(0, 1, 0.5), (1, 2, 0.5)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array

from .errors import InputError

__all__ = ["PairSamples"]


@dataclass(frozen=True, slots=True)
class PairSamples:
    """Where pairs are drawn from.

    n           nodes
    i, j, p     edges with i < j, both directions in one; p sums to 1 - background
    reach       running sums of p
    keys        i n + j, increasing
    background  what each ordered pair that is no edge has of P
    count       how many are drawn
    """

    n: int
    i: np.ndarray
    j: np.ndarray
    p: np.ndarray
    reach: np.ndarray
    keys: np.ndarray
    background: float
    count: int
    rng: np.random.Generator

    @classmethod
    def of(cls, P: Any, n: int, count: int, background: float, rng: np.random.Generator) -> PairSamples:
        """Of similarities P (n, n), sparse or dense, of which `background` is spread over the pairs that are no edges.

        Raises `InputError` for another shape, negative or infinite entries, a diagonal, no entry, or a background
        outside [0, 1).
        """
        if not 0 <= background < 1:
            raise InputError(f"background must be a number from 0 to just below 1, given {background!r}")
        A = csr_array(P, dtype=float)
        if A.shape != (n, n):
            raise InputError(f"P has shape {A.shape}, but {n} nodes need ({n}, {n})")
        if not np.all((A.data >= 0) & (A.data < np.inf)):
            raise InputError("P has a negative, missing or infinite entry; similarities are finite and >= 0")
        if np.any(A.diagonal() != 0):
            raise InputError("P has entries on its diagonal; a node is not compared with itself: set them to 0")
        both = coo_array(A + A.T)
        i, j = (ends.astype(np.int64) for ends in both.coords)
        keep = (i < j) & (both.data > 0)
        i, j, p = i[keep], j[keep], both.data[keep]
        if not len(p):
            raise InputError("P has no entry above 0; a drawing needs at least one edge")
        order = np.argsort(i * n + j)
        i, j, p = i[order], j[order], p[order]
        others = n * (n - 1) - 2 * len(p)
        if others == 0:
            background = 0.0
        p = p * ((1.0 - background) / p.sum())
        return cls(n, i, j, p, np.cumsum(p), i * n + j, background / others if others else 0.0, count, rng)

    def pairs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """i, j, how many ordered pairs each stands for, and the p_ij of each, its background where it is no edge.

        Edges are half of what is drawn: all of them, or as many by their p; they lie near, and they differ.
        """
        n, half = self.n, self.count // 2
        if n * (n - 1) // 2 <= self.count:
            i, j = np.triu_indices(n, 1)
            return i, j, np.full(len(i), 2.0), self._similarities(i, j)[0]
        if len(self.p) <= half:
            drawn = np.arange(len(self.p))
        else:  # The last sum is the total: no draw is beyond it.
            drawn = np.searchsorted(self.reach, self.rng.random(half) * self.reach[-1], side="right")
            drawn = np.minimum(drawn, len(self.p) - 1)
        evenly = self.count - len(drawn)
        i, j = self.rng.integers(n, size=evenly), self.rng.integers(n - 1, size=evenly)
        j += j >= i
        i, j = np.concatenate([i, self.i[drawn]]), np.concatenate([j, self.j[drawn]])
        p, edge = self._similarities(i, j)
        often = 1.0 if len(self.p) <= half else half * 2.0 * p / self.reach[-1]
        return i, j, 2.0 / (evenly * 2.0 / (n * (n - 1)) + np.where(edge, often, 0.0)), p

    def _similarities(self, i: np.ndarray, j: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """p_ij of ordered pairs, and which of them are edges."""
        key = np.minimum(i, j) * self.n + np.maximum(i, j)
        place = np.minimum(np.searchsorted(self.keys, key), len(self.keys) - 1)
        edge = self.keys[place] == key
        return np.where(edge, self.p[place] / 2, self.background), edge
