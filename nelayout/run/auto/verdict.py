"""Which of several drawings of one graph to keep: a quick verdict on neighbors and global order at once.

score = mean neighborhood Jaccard / scale-normalized stress, both on a sample of nodes.  Jaccard compares the
neighbors of a node with as many nearest nodes of the drawing; stress compares distances in the drawing, at their
best common scale, with hops in the graph.  A drawing that buys neighbors by tearing the whole apart gains in the
first and loses in the second.

``nelayout.measure`` takes the same two measures, on more nodes, and breaks ties at random; here ties fall to the
node of the lower number, so that the verdict on a drawing is always the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.breadth_first import COMPILED_ABOVE, hops_from
from nelayout.numerics.parallel import Threads
from nelayout.quality.distances import nearest_by_number, nearest_in_tree
from nelayout.quality.neighborhoods import jaccard_of_nearest
from nelayout.quality.stress import stress_sums

__all__ = ["Judge"]

NEIGHBORHOODS = 1000  # nodes whose neighbors are compared
PIVOTS = 24  # nodes from which hops are counted
MOST_NEIGHBORS = 200  # of a hub that are compared, in graphs that are searched by a tree
SHARED_NODES = 20_000  # from here on several threads sum the stress
BLOCK = 50  # nodes whose neighbors are compared at a time
LEAST = 1e-3  # of both measures: a quotient stays finite


class Judge:
    """Scores drawings of one connected graph, all by the same sample; hops are counted when first asked for."""

    def __init__(self, P: csr_array, threads: Threads) -> None:
        rng, n = np.random.default_rng(0), P.shape[0]
        self.P, self.threads = P, threads if n > COMPILED_ABOVE else Threads()
        self.sample = np.sort(rng.permutation(n)[:NEIGHBORHOODS])
        self.pivots = np.sort(rng.permutation(n)[:PIVOTS])
        self._hops: list[np.ndarray] = []

    def score(self, Y: np.ndarray) -> float:
        """Jaccard / stress of a drawing Y (n, d); larger is better."""
        if not np.isfinite(Y).all():
            return 0.0
        return max(_jaccard(self.P, Y, self.sample), LEAST) / max(self.stress(Y), LEAST)

    def stress(self, Y: np.ndarray) -> float:
        """The mean of (s |y_i - y_j| / hops - 1)^2 over pivots i and all j, at the scale s that makes it least."""
        if not self._hops:
            self._hops = hops_from(self.P, self.pivots, self.threads)

        def sums(k: int) -> tuple[float, float, int]:
            return stress_sums(Y, self.pivots[k], self._hops[k])

        threads = self.threads if len(Y) > SHARED_NODES else Threads()
        total, squares, count = (sum(each) for each in zip(*threads.map(sums, range(len(self.pivots))), strict=True))
        return 1.0 - total * total / (squares * count) if squares > 0 else 1.0


def _jaccard(P: csr_array, Y: np.ndarray, sample: np.ndarray) -> float:
    """Mean over the sample; of hubs in large graphs MOST_NEIGHBORS nearest nodes are looked at."""
    n, degree = len(Y), np.diff(P.indptr)
    nearest: Callable[[np.ndarray, int], np.ndarray]
    if n <= COMPILED_ABOVE:
        nearest, most = partial(nearest_by_number, Y), n - 1
    else:
        from scipy.spatial import KDTree

        nearest, most = partial(nearest_in_tree, KDTree(Y), Y), MOST_NEIGHBORS
    blocks = (sample[k : k + BLOCK] for k in range(0, len(sample), BLOCK))
    found = [jaccard_of_nearest(P, nodes, nearest(nodes, min(int(degree[nodes].max()), most))) for nodes in blocks]
    return float(np.mean(np.concatenate(found)))
