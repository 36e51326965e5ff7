"""Pairs drawn for sums over all n (n - 1) pairs: some evenly, some edges by their weight, some that lie near.

Each counts by one over how often it is to be expected, so that sums are right in the mean.  Those that are short enough
are taken as a whole::

    >>> path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0.0]])
    >>> drawn = PairSamples.of(path, 3, 0.0, np.random.default_rng(0))
    >>> i, j, weight, p = drawn.pairs(5, 5)
    >>> [(int(a), int(b), float(w), float(s)) for a, b, w, s in zip(i, j, weight, p)]
    [(0, 1, 2.0, 0.25), (0, 2, 2.0, 0.0), (1, 2, 2.0, 0.25)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array

from nelayout.errors import InputError

__all__ = ["PairSamples", "near_pairs"]


@dataclass(frozen=True, slots=True)
class PairSamples:
    """The pairs of nodes from which samples are drawn.

    n           nodes
    i, j, p     edges with i < j, both directions in one; p sums to 1 - background
    reach       running sums of p
    keys        i n + j, increasing
    background  what each ordered pair that is no edge has of P
    """

    n: int
    i: np.ndarray
    j: np.ndarray
    p: np.ndarray
    reach: np.ndarray
    keys: np.ndarray
    background: float
    rng: np.random.Generator

    @classmethod
    def of(cls, P: Any, n: int, background: float, rng: np.random.Generator) -> PairSamples:
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
        return cls(n, i, j, p, np.cumsum(p), i * n + j, background / others if others else 0.0, rng)

    def pairs(
        self, evenly: int, edges: int, near: np.ndarray | None = None, nears: int = 0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """i, j, how many ordered pairs each stands for, and the p_ij of each, its background where it is no edge.

        Of three kinds: pairs drawn evenly; edges, all or as many as are asked for, by their p; and some of the pairs
        `near`, increasing keys, that lie close together in a drawing.  A pair of several kinds may come more than once;
        it counts by how often it is to be expected.  All pairs come once where they are no more than those asked for.
        """
        n = self.n
        if n * (n - 1) // 2 <= evenly + edges + nears:
            i, j = np.triu_indices(n, 1)
            return i, j, np.full(len(i), 2.0), self._similarities(i * n + j)[0]
        near = np.empty(0, dtype=np.int64) if near is None else near
        all_edges, all_near = len(self.p) <= edges, len(near) <= nears
        whole = [self.keys] if all_edges else []
        if all_near:
            whole.append(near[~self._similarities(near)[1]] if all_edges else near)
        i, j = self.rng.integers(n, size=evenly), self.rng.integers(n - 1, size=evenly)
        j += j >= i
        some = [np.minimum(i, j) * n + np.maximum(i, j)]
        if not all_edges:  # The last sum is the total: no draw is beyond it.
            drawn = np.searchsorted(self.reach, self.rng.random(edges) * self.reach[-1], side="right")
            some.append(self.keys[np.minimum(drawn, len(self.p) - 1)])
        if not all_near:
            some.append(near[self.rng.integers(len(near), size=nears)])
        key = np.concatenate(some)
        p, edge = self._similarities(key)
        close = _among(near, key)
        once = ~((all_edges & edge) | (all_near & close))  # what comes as a whole is not drawn a second time
        often = np.full(len(key), evenly * 2.0 / (n * (n - 1)))
        often += np.where(edge, edges * 2.0 * p / self.reach[-1], 0.0)
        often += np.where(close, nears / max(len(near), 1), 0.0)
        certain = np.concatenate([*whole, key[:0]])
        weight = np.concatenate([np.full(len(certain), 2.0), 2.0 / often[once]])
        p, key = np.concatenate([self._similarities(certain)[0], p[once]]), np.concatenate([certain, key[once]])
        return key // n, key % n, weight, p

    def _similarities(self, key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """p_ij of ordered pairs, and which of them are edges."""
        edge = _among(self.keys, key)
        place = np.minimum(np.searchsorted(self.keys, key), len(self.keys) - 1)
        return np.where(edge, self.p[place] / 2, self.background), edge


def _among(keys: np.ndarray, key: np.ndarray) -> np.ndarray:
    """Which of the numbers ``key`` are among the increasing ``keys``."""
    place = np.searchsorted(keys, key)
    found = place < len(keys)
    found[found] = keys[place[found]] == key[found]
    return found


def near_pairs(Y: np.ndarray, count: int) -> np.ndarray:
    """Increasing keys i n + j, i < j, of the pairs in which one is among the `count` nearest nodes of the other."""
    from scipy.spatial import KDTree

    n = len(Y)
    i = np.repeat(np.arange(n), min(count, n - 1) + 1)
    j = KDTree(Y).query(Y, min(count, n - 1) + 1)[1].ravel()
    return np.unique((np.minimum(i, j) * n + np.maximum(i, j))[i != j])
