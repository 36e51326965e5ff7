"""A quick quality score of drawings of the same graphs, by which `Keep` chooses.

score = mean neighborhood Jaccard / (scale-normalized stress)^(2/3)

Jaccard compares the neighbors of a node with equally many nearest nodes of the drawing.  Stress compares distances in
the drawing, at their best common scale, with hops in the graph.  Both use a sample of the nodes of large graphs.
`nelayout.measure` computes the same two measures on more nodes and breaks ties at random.  Here the node of the
lower number wins a tie.  So the score of a drawing is always the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.breadth_first import COMPILED_ABOVE, hops_from
from nelayout.numerics.parallel import Threads
from nelayout.quality.stress import stress_sums
from nelayout.run.drawing import Drawing
from nelayout.run.parting import Neighborhoods

__all__ = ["Hops", "Score"]

# Nodes of a graph from which hops are counted.
PIVOTS = 24
# Least value of both measures: a quotient stays finite.
LEAST = 1e-3
# Power of stress in the score.
STRESS_POWER = 2 / 3


class Hops:
    """The stress of drawings of one graph, from sampled nodes; hops are counted on first use."""

    def __init__(self, P: csr_array, threads: Threads) -> None:
        n = P.shape[0]
        self.P, self.threads, self.small = P, threads, n <= COMPILED_ABOVE
        self.pivots = np.sort(np.random.default_rng(1).permutation(n)[:PIVOTS])

    @cached_property
    def hops(self) -> np.ndarray:
        """(PIVOTS, n) hops from each pivot."""
        return np.stack(hops_from(self.P, self.pivots, self.threads))

    def stress(self, Y: np.ndarray) -> float:
        """Return the mean of (s |y_i - y_j| / hops - 1)^2 over pivots i and all j, at the best s."""
        hops = self.hops  # before the threads, which it takes itself

        def sums(some: Any) -> tuple[float, float, int]:
            return stress_sums(Y, self.pivots[some], hops[some])

        found = [sums(slice(None))] if self.small else self.threads.map(sums, range(len(self.pivots)))
        total, squares, count = (sum(each) for each in zip(*found, strict=True))
        return 1.0 - total * total / (squares * count) if squares > 0 else 1.0


class Score:
    """Scores drawings of the same graphs, one drawing after another."""

    def __init__(self, drawing: Drawing, threads: Threads) -> None:
        self.P, self.segments = drawing.affinity.P, drawing.segments
        self.together = drawing.count > 1
        if self.together:
            self.pivots = _pivots(self.segments.sizes)
            self.hops = self._counted()
        else:
            self.one, self.neighborhoods = Hops(self.P, threads), Neighborhoods(self.P)

    def __call__(self, Y: np.ndarray) -> np.ndarray:
        """Return the score of each graph (C,) in Y (n, dim); larger is better, 0 if not finite."""
        finite = np.logical_and.reduceat(np.isfinite(Y).all(axis=1), self.segments.starts[:-1])
        with np.errstate(all="ignore"):
            jaccard, stress = self._measured(Y) if finite.any() else (np.zeros(len(finite)), np.ones(len(finite)))
        return np.where(finite, np.maximum(jaccard, LEAST) / np.maximum(stress, LEAST) ** STRESS_POWER, 0.0)

    def _measured(self, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(C,) neighborhood Jaccard and (C,) stress."""
        if not self.together:
            return np.array([self.neighborhoods.kept(Y)]), np.array([self.one.stress(Y)])
        from nelayout.run import score_loops

        jaccard, stress = np.zeros((2, len(self.segments.sizes)))
        score_loops.score_each(
            self.P.indptr, self.P.indices, self.segments.starts, self.pivots, self.hops, Y, jaccard, stress,
            np.empty(len(Y)),
        )
        return jaccard, stress

    def _counted(self) -> np.ndarray:
        """(PIVOTS, n) hops from the pivots of each graph."""
        from nelayout.run import score_loops

        n = len(self.segments.of)
        hops, queue = np.zeros((self.pivots.shape[1], n), dtype=np.int32), np.empty(n, dtype=np.int32)
        score_loops.hops_each(self.P.indptr, self.P.indices, self.segments.starts, self.pivots, hops, queue)
        return hops


def _pivots(sizes: Sequence[int] | np.ndarray) -> np.ndarray:
    """Return nodes (C, at most PIVOTS) from which hops are counted; -1 if a graph has fewer."""
    sizes = np.asarray(sizes)
    pivots = np.full((len(sizes), min(PIVOTS, int(sizes.max()))), -1)
    for n in np.unique(sizes).tolist():
        own = np.sort(np.random.default_rng(1).permutation(n)[:PIVOTS])
        pivots[np.flatnonzero(sizes == n), : len(own)] = own
    return pivots
