"""Distances that a drawing should have, from all nodes to some nodes, the pivots.

In a small graph each node is a pivot, so that all pairs of nodes count.

>>> path = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]])
>>> Distances.of(np.arange(3), path).weights[1]
array([[0. , 1. , 0.5],
       [1. , 0. , 1. ],
       [0.5, 1. , 0. ]], dtype=float32)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.blocks import rows_at_once
from nelayout.numerics.breadth_first import COMPILED_ABOVE, hops_from, hops_within
from nelayout.numerics.communities import together, together_in_each
from nelayout.numerics.parallel import Threads

__all__ = ["Distances", "hop_distances_of_each", "pivots_of", "row_distances"]

# Pairs of a node and a pivot, or all pairs of a small graph; pivots of a large graph.
# see tuning: PAIRS, MIN_PIVOTS
PAIRS, MIN_PIVOTS = 600_000, 50
# Part of the pairs of rows nearer than the distance that all are taken to have in common, and the least distance.
# see tuning: COMMON, LEAST_LENGTH
COMMON, LEAST_LENGTH = 0.01, 1e-3
# Least rank correlation of distances between rows with numbers of hops, and pivots that tell it: rows that are rolled
# up have less.
# see tuning: MIN_AGREEMENT, TOLD_PIVOTS
MIN_AGREEMENT, TOLD_PIVOTS = 0.35, 24
# Part by which distances within a community are shorter than their hops.
# see tuning: SHORTER
SHORTER = 0.45


@dataclass(frozen=True, eq=False)
class Distances:
    """Distances D > 0 from pivots, up to one factor, with the weights w = 1 / max(D, 1)^2.

    pivots   (k,) nodes
    weights  (2, n, k) w and w D of each pair, 0 where it does not count, in single precision; in memory all nodes of
             a pivot are together
    squares  (n,) sums of w D^2 of each node
    """

    pivots: np.ndarray
    weights: np.ndarray
    squares: np.ndarray

    @classmethod
    def of(cls, pivots: np.ndarray, lengths: np.ndarray) -> Distances:
        """Return the distances (n, k) from pivots; 0: the pair does not count."""
        weights = np.empty((2, *lengths.shape[::-1]), dtype=np.float32).swapaxes(1, 2)
        each = np.maximum(lengths, 1.0)
        np.reciprocal(np.square(each, out=each), out=each)  # in place: there may be many pairs
        each *= lengths > 0
        weights[0] = each
        np.multiply(weights[0], lengths, out=weights[1], casting="same_kind")
        return cls(pivots, weights, np.einsum("nk,nk->n", weights[1], lengths, dtype=float))

    def at(self, nodes: np.ndarray) -> Distances:
        """Return the distances of all nodes in another order."""
        place = np.empty(len(nodes), dtype=np.int64)
        place[nodes] = np.arange(len(nodes))
        weights = self.weights.swapaxes(1, 2)[:, :, nodes].swapaxes(1, 2)
        return Distances(place[self.pivots], weights, self.squares[nodes])

    @cached_property
    def symmetric(self) -> bool:
        """Return True if each node is a pivot."""
        return len(self.pivots) == len(self.squares)

    def agrees(self, P: csr_array, threads: Threads) -> bool:
        """Return True if these distances grow with the numbers of hops in a graph."""
        some = np.linspace(0, len(self.pivots) - 1, min(len(self.pivots), TOLD_PIVOTS)).astype(int)
        nodes = slice(None, None, -(-P.shape[0] * len(some) // PAIRS))
        hops = np.stack(hops_from(P, self.pivots[some], threads), axis=1)[nodes]
        weights, pulls = (each[nodes, some] for each in self.weights)
        known = (hops > 0) & (weights > 0)  # the weight of a huge distance is 0 to floats
        here, there = _ranks(pulls[known] / weights[known]), _ranks(hops[known])
        return bool(np.sum(here * there) >= MIN_AGREEMENT * np.sqrt(np.sum(here * here) * np.sum(there * there)))


def _ranks(values: np.ndarray) -> np.ndarray:
    """Return twice the rank of each value, less the mean; equal values have their mean rank."""
    ordered = np.sort(values)
    ranks = ordered.searchsorted(values) + ordered.searchsorted(values, "right")
    return ranks - np.mean(ranks)


def pivots_of(n: int) -> np.ndarray:
    """Return the pivots among n nodes, sorted."""
    count = max(PAIRS // n, MIN_PIVOTS)
    if count >= n:
        return np.arange(n)
    return np.sort(np.random.default_rng(2).permutation(n)[:count])  # other nodes than the score's


def row_distances(n: int, between: Callable[[np.ndarray, np.ndarray], np.ndarray | None]) -> Distances | None:
    """Return the distances of n rows that ``between`` gives for some rows; None if it cannot.

    They lack what nearly all have in common: no plane shows rows that are all far from each other.  The median is 1, so
    that farther ones count by their ratios, and a few outliers or the near ones, which J draws, do not decide alone.
    """
    pivots = pivots_of(n)
    lengths = between(np.arange(n), pivots) if n > 2 else None
    if lengths is None or not np.isfinite(lengths).all():
        return None
    alike = np.arange(n)[:, None] == pivots
    lengths = np.maximum(lengths - np.quantile(lengths[~alike], COMMON), 0.0)
    median = float(np.median(lengths[~alike]))
    if not median > 0:  # all are alike
        return None
    return Distances.of(pivots, np.where(alike, 0.0, np.maximum(lengths / median, LEAST_LENGTH)))


def hop_distances_of_each(graphs: Sequence[csr_array], threads: Threads, grouped: bool = False) -> list[Distances]:
    """Return the numbers of hops in each graph; small graphs of like size go together.

    ``grouped``: distances within a community of a small graph are shorter, so that its nodes are drawn as a group.
    """
    sizes = np.array([P.shape[0] for P in graphs], dtype=np.int64)
    found, small = dict[int, Distances](), np.flatnonzero((sizes <= COMPILED_ABOVE) & (sizes**2 <= PAIRS))
    small = small[np.argsort(sizes[small], kind="stable")]
    cuts = np.flatnonzero(np.diff(np.cumsum(sizes[small] ** 2) // PAIRS)) + 1
    for some in np.split(small, cuts):
        found.update(zip(some.tolist(), _of_small([graphs[k] for k in some], grouped), strict=True))
    return [found[k] if k in found else _of_large(P, threads, grouped) for k, P in enumerate(graphs)]


def _of_small(graphs: Sequence[csr_array], grouped: bool) -> list[Distances]:
    """Return the distances in graphs, each node a pivot, from one search through all graphs."""
    if not graphs:
        return []
    sizes = np.array([P.shape[0] for P in graphs])
    nodes, first = np.arange(sizes.sum()), np.cumsum(sizes) - sizes
    indices = np.concatenate([P.indices + at for P, at in zip(graphs, first, strict=True)])
    indptr = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(P.indptr) for P in graphs]))])
    joined = csr_array((np.concatenate([P.data for P in graphs]), indices, indptr), shape=(len(nodes), len(nodes)))
    whole = hops_within(joined, nodes, nodes - np.repeat(first, sizes))
    hops = [whole[at : at + n, :n] for at, n in zip(first.tolist(), sizes.tolist(), strict=True)]
    if grouped:
        shares = together_in_each(joined, sizes)
        hops = [own * (1.0 - SHORTER * share) for own, share in zip(hops, shares, strict=True)]
    return [Distances.of(np.arange(len(own)), own) for own in hops]


def _of_large(P: csr_array, threads: Threads, grouped: bool) -> Distances:
    """Return the distances in one graph, from a search for each pivot."""
    pivots = pivots_of(P.shape[0])
    hops = np.empty((len(pivots), P.shape[0]), dtype=np.float32)
    count = rows_at_once(4 * P.shape[0])
    for start in range(0, len(pivots), count):
        some = slice(start, start + count)
        hops[some] = hops_from(P, pivots[some], threads)
    if grouped and len(pivots) == P.shape[0]:
        hops *= 1.0 - SHORTER * together(P)
    return Distances.of(pivots, hops.T)
