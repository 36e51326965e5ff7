"""The verdict of `run.auto.verdict` on a batch of drawings, by neighbors and stress alone, in compiled loops."""

from __future__ import annotations

import numpy as np

from nelayout.numerics.groups import Parts
from nelayout.objective import Affinity
from nelayout.run.auto.verdict import LEAST, PIVOTS, STRESS_POWER

__all__ = ["BatchJudge"]


class BatchJudge:
    """Scores drawings of graphs one after another; hops are counted at once."""

    def __init__(self, affinity: Affinity, parts: Parts) -> None:
        from nelayout.run.batch import verdict_loops

        self.P, self.parts = affinity.P, parts
        self.pivots = _pivots(parts)
        self.hops = np.full((self.pivots.shape[1], len(parts.of)), -1, dtype=np.int32)
        queue = np.empty(len(parts.of), dtype=np.int64)
        verdict_loops.hops_each(self.P.indptr, self.P.indices, parts.starts, self.pivots, self.hops, queue)

    def scores(self, Y: np.ndarray) -> np.ndarray:
        """(C,) the verdict on each drawing, symmetry and hidden nodes aside; larger is better."""
        from nelayout.run.batch import verdict_loops

        jaccard, stress = np.zeros(len(self.parts.sizes)), np.zeros(len(self.parts.sizes))
        verdict_loops.score_each(
            self.P.indptr, self.P.indices, self.parts.starts, self.pivots, self.hops, Y, jaccard, stress,
            np.empty(len(Y))
        )
        finite = self.parts.sum((~np.isfinite(Y).all(axis=1)).astype(float)) == 0
        return np.where(finite, np.maximum(jaccard, LEAST) / np.maximum(stress, LEAST) ** STRESS_POWER, 0.0)


def _pivots(parts: Parts) -> np.ndarray:
    """(C, at most PIVOTS) nodes of each graph that its judge counts from, -1 where there are fewer."""
    pivots = np.full((len(parts.sizes), min(PIVOTS, int(parts.sizes.max()))), -1)
    for n in np.unique(parts.sizes).tolist():
        own = np.sort(np.random.default_rng(1).permutation(n)[:PIVOTS])
        pivots[np.flatnonzero(parts.sizes == n), : len(own)] = own
    return pivots
