"""A quick quality score of drawings of one graph, by which `BestOf` chooses.

score = mean neighborhood Jaccard / (scale-normalized stress)^(2/3)

Jaccard compares the neighbors of a node with equally many nearest nodes of the drawing.  Stress compares distances in
the drawing, at their best common scale, with hops in the graph.  Both use a sample of the nodes of large graphs.
`nelayout.measure` computes the same two measures on more nodes and breaks ties at random.  Here the node of the
lower number wins a tie.  So the score of a drawing is always the same.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.core.passes.separation import Neighborhoods
from nelayout.numerics.breadth_first import COMPILED_ABOVE, hops_from
from nelayout.numerics.parallel import Threads
from nelayout.quality.stress import stress_sums

__all__ = ["Hops", "Score"]

# Nodes of a graph from which hops are counted.
# see tuning: PIVOTS
PIVOTS = 24
# Least value of both measures: a quotient stays finite.
# see tuning: LEAST
LEAST = 1e-3
# Power of stress in the score.
# see tuning: STRESS_POWER
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
    """Scores drawings of one graph, one drawing after another."""

    def __init__(self, P: csr_array, threads: Threads) -> None:
        self.hops, self.neighborhoods = Hops(P, threads), Neighborhoods(P)

    def __call__(self, Y: np.ndarray) -> float:
        """Return the score of a drawing Y (n, dim); larger is better, 0 if it is not finite."""
        if not np.isfinite(Y).all():
            return 0.0
        return max(self.neighborhoods.kept(Y), LEAST) / max(self.hops.stress(Y), LEAST) ** STRESS_POWER
