"""Distances that a drawing should have, between all nodes of a graph and some of its nodes, the pivots.

In a small graph each node is a pivot, so that all pairs of nodes count.

>>> path = csr_array(np.diag(np.ones(2), 1) + np.diag(np.ones(2), -1))
>>> hop_distances(path, Threads()).weights[1].round(2)
array([[0. , 1. , 0.5],
       [1. , 0. , 1. ],
       [0.5, 1. , 0. ]], dtype=float32)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.breadth_first import hops_from
from nelayout.numerics.parallel import Threads

__all__ = ["Distances", "hop_distances", "pivots_of"]

# Most nodes of a graph of which each is a pivot; pivots of a larger graph, of one with few pairs and of a huge one.
MAX_PAIRED_NODES, PIVOTS, MIN_PIVOTS, PAIRS = 1_000, 200, 50, 20_000_000
# Nodes from which hops are counted at a time: each holds a number for every node of the graph.
AT_ONCE = 20


@dataclass(frozen=True, eq=False)
class Distances:
    """Distances D > 0 that nodes should have from pivots, up to one factor, with the weights w = 1 / max(D, 1)^2.

    pivots   (k,) nodes
    weights  (2, n, k) w and w D of each pair, 0 where it does not count, in single precision
    squares  (n,) sums of w D^2 of each node
    """

    pivots: np.ndarray
    weights: np.ndarray
    squares: np.ndarray

    @classmethod
    def of(cls, pivots: np.ndarray, lengths: np.ndarray) -> Distances:
        """Return the distances (n, k) from pivots; 0: the pair does not count."""
        weights = np.empty((2, *lengths.shape), dtype=np.float32)
        weights[0] = np.where(lengths > 0, 1.0 / np.maximum(lengths, 1.0) ** 2, 0.0)
        np.multiply(weights[0], lengths, out=weights[1], casting="same_kind")
        return cls(pivots, weights, np.einsum("nk,nk->n", weights[1], lengths, dtype=float))

    @cached_property
    def symmetric(self) -> bool:
        """Whether each node is a pivot."""
        return len(self.pivots) == len(self.squares)


def pivots_of(n: int) -> np.ndarray:
    """Return the pivots among n nodes, sorted."""
    if n <= MAX_PAIRED_NODES:
        return np.arange(n)
    count = min(max(PAIRS // n, MIN_PIVOTS), PIVOTS)
    return np.sort(np.random.default_rng(2).permutation(n)[:count])  # other nodes than the score's


def hop_distances(P: csr_array, threads: Threads) -> Distances:
    """Return the numbers of hops between the nodes of a graph and its pivots."""
    pivots = pivots_of(P.shape[0])
    hops = np.empty((P.shape[0], len(pivots)), dtype=np.float32)
    for start in range(0, len(pivots), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        hops[:, some] = np.stack(hops_from(P, pivots[some], threads), axis=1)
    return Distances.of(pivots, hops)
