"""A quick verdict on drawings of one graph, of which the best is kept: neighbors, global order and symmetry at once.

score = mean neighborhood Jaccard / (scale-normalized stress)^(2/3) / (1 + broken symmetry)^6 * (1 - hidden / 10)

All look at the drawing as a picture shows it: nodes of small graphs are parted where they would hide each other, and
the share of hidden nodes counts against large ones.  Jaccard compares the neighbors of a node with as many nearest
nodes of the drawing; stress compares distances in the drawing, at their best common scale, with hops in the graph; both
on a sample of nodes.  A drawing that buys neighbors by tearing the whole apart gains in the first and loses in the
second.

``nelayout.measure`` takes the same two measures, on more nodes, and breaks ties at random; here ties fall to the
node of the lower number, so that the verdict on a drawing is always the same.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.breadth_first import COMPILED_ABOVE, hops_from
from nelayout.numerics.parallel import Threads
from nelayout.quality.stress import stress_sums
from nelayout.run.auto.symmetry import Symmetry
from nelayout.run.parting import Neighborhoods, part_and_measure

__all__ = ["PARTED", "Judge"]

# Nodes up to which a drawing is judged with its nodes parted.  Parting for every verdict took a quarter of the time of
# graphs of 700 to 1,000 nodes, and the same drawings were kept.
PARTED = 400
PIVOTS = 24  # nodes from which hops are counted
SHARED_NODES = 20_000  # from here on several threads sum the stress
HIDDEN = 0.1  # share of the score that a drawing loses in which every node lies within a dot of another
LEAST = 1e-3  # of both measures: a quotient stays finite
# Powers of stress and of broken symmetry in the score.  With stress itself, the flattest drawing won where a clearer
# one had hardly more stress (usair97, usairports2010); a broken symmetry must outweigh what chance does to the
# neighborhoods of stars, wheels and complete bipartite graphs, and most graphs have none to break.
STRESS_POWER, SYMMETRY_POWER = 2 / 3, 6.0


class Judge:
    """Scores drawings of one connected graph, all by the same sample; hops are counted when first asked for."""

    def __init__(self, P: csr_array, threads: Threads) -> None:
        n = P.shape[0]
        self.P, self.threads = P, threads if n > COMPILED_ABOVE else Threads()
        self.neighborhoods = Neighborhoods(P)
        self.pivots = np.sort(np.random.default_rng(1).permutation(n)[:PIVOTS])
        self._hops: list[np.ndarray] = []

    @cached_property
    def symmetry(self) -> Symmetry:
        """The nodes that look alike, found when first asked for."""
        return Symmetry(self.P)

    def score(self, Y: np.ndarray) -> float:
        """The verdict on a drawing Y (n, d); larger is better."""
        if not np.isfinite(Y).all():
            return 0.0
        seen, kept = 1.0, None
        if len(Y) <= PARTED:
            Y, kept = part_and_measure(Y, self.neighborhoods)
        else:
            seen -= HIDDEN * self.neighborhoods.hidden(Y)
        return seen * self.plain(Y, kept) / (1.0 + self.symmetry.broken(Y)) ** SYMMETRY_POWER

    def plain(self, Y: np.ndarray, kept: float | None = None) -> float:
        """The verdict on neighbors and global order alone; ``kept``: what Y keeps of the neighborhoods, if known."""
        kept = self.neighborhoods.kept(Y) if kept is None else kept
        return max(kept, LEAST) / max(self.stress(Y), LEAST) ** STRESS_POWER

    def stress(self, Y: np.ndarray) -> float:
        """The mean of (s |y_i - y_j| / hops - 1)^2 over pivots i and all j, at the scale s that makes it least."""
        if not self._hops:
            self._hops = hops_from(self.P, self.pivots, self.threads)

        def sums(k: int) -> tuple[float, float, int]:
            return stress_sums(Y, self.pivots[k], self._hops[k])

        threads = self.threads if len(Y) > SHARED_NODES else Threads()
        total, squares, count = (sum(each) for each in zip(*threads.map(sums, range(len(self.pivots))), strict=True))
        return 1.0 - total * total / (squares * count) if squares > 0 else 1.0
