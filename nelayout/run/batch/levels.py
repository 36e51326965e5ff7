"""From the coarsest graphs to the finest, as in `run.levels`, for a batch: the finest graphs lie one after another,
and so do the coarser ones of those that have any.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nelayout.catalogue.stages import SLOW, CoarseToFine
from nelayout.numerics.segments import Segments
from nelayout.objective.batch import on_batch, some_of
from nelayout.objective.whole import Affinity
from nelayout.optimizers.minimize import Rest
from nelayout.run.batch.size import size_search_batch
from nelayout.run.batch.steps import BatchReport, minimize_batch
from nelayout.run.coarsen import COARSEST, WORTHWHILE, match, merge
from nelayout.run.coarsest import COARSEST_REST, COARSEST_STEPS
from nelayout.run.levels import first_method, method_of
from nelayout.run.start import JITTER, random_positions
from nelayout.run.state import Run

__all__ = ["batch_through_levels"]

# Random starts of each coarsest graph.  Of 5,160 components of a road network, three starts gain less than 0.2 % in the
# mean verdict and take a tenth more time; one loses 1 %.
STARTS = 2


@dataclass(frozen=True)
class BatchLevel:
    """The graphs of one level, and their way to the next coarser one.

    going    (C,) mask of the graphs that have a coarser one
    cluster  (n of those,) index of the coarser graphs' node that each of their nodes is in
    """

    affinity: Affinity
    parts: Segments
    going: np.ndarray
    cluster: np.ndarray

    @property
    def rows(self) -> np.ndarray:
        """(n,) mask of the nodes that the coarser level has merged."""
        return self.going[self.parts.of]


def batch_through_levels(
    affinity: Affinity, parts: Segments, stage: CoarseToFine, run: Run, report: BatchReport
) -> np.ndarray:
    """Draw the coarsest graph of each, and from each level the next finer one; positions (n, dim) of the finest."""
    levels, dim = _hierarchy(affinity, parts, run.rng), run.dim
    run.observer.expect(len(levels) * stage.max_iter)
    waiting = [random_positions(len(level.affinity.mass), dim, run.rng) for level in levels]

    def finest(Y: np.ndarray, depth: int) -> np.ndarray:
        for k in range(depth - 1, -1, -1):
            finer = waiting[k].copy()
            finer[levels[k].rows] = Y[levels[k].cluster]
            Y = finer
        return Y

    first, method = first_method(stage, run.method), method_of(stage, run.method)
    rest = Rest(stage.tol, gain=SLOW if stage.tol > 0 else None)
    Y = np.zeros((0, dim))
    for depth in range(len(levels) - 1, -1, -1):
        level, coarser = levels[depth], Y
        Y = np.empty((len(level.affinity.mass), dim))
        if not level.going.all():
            Y[~level.rows] = _coarsest(*some_of(level.affinity, level.parts, ~level.going)[:2], first, run)
        if level.going.any():
            Y[level.rows] = _prolonged(coarser, level, run.rng)
        objective = on_batch(level.affinity, level.parts, method, run.sums.threads)
        at = depth

        def here(value: float, positions: Callable[[], np.ndarray], vain: bool, at: int = at) -> None:
            report(value, lambda: finest(positions(), at), vain)

        Y = minimize_batch(objective, Y, stage.optimizer, stage.max_iter, rest, here).Y
    return Y


def _hierarchy(affinity: Affinity, parts: Segments, rng: np.random.Generator) -> list[BatchLevel]:
    """Levels from the finest to that at which no graph is coarsened further."""
    levels = []
    while True:
        nothing, none = np.zeros(len(parts.sizes), dtype=bool), np.zeros(0, dtype=int)
        going = parts.sizes > COARSEST
        if not going.any():
            return [*levels, BatchLevel(affinity, parts, nothing, none)]
        fine, fine_parts, _ = some_of(affinity, parts, going)
        cluster = match(fine, rng)
        sizes = np.maximum.reduceat(cluster, fine_parts.starts[:-1]) + 1
        sizes = np.diff(sizes, prepend=0)
        # A star that becomes a single node is drawn as it is.
        worth = (sizes <= WORTHWHILE * fine_parts.sizes) & (sizes > 1)
        going[going] = worth
        if not worth.any():
            return [*levels, BatchLevel(affinity, parts, nothing, none)]
        coarse, coarse_parts, kept = some_of(merge(fine, cluster, int(sizes.sum())), Segments(sizes), worth)
        cluster = (np.cumsum(kept) - 1)[cluster[worth[fine_parts.of]]]
        levels.append(BatchLevel(affinity, parts, going, cluster))
        affinity, parts = coarse, coarse_parts


def _prolonged(coarser: np.ndarray, level: BatchLevel, rng: np.random.Generator) -> np.ndarray:
    """`start.prolong` for the graphs that have a coarser one."""
    parts = Segments(level.parts.sizes[level.going])
    fine = coarser[level.cluster]
    typical = parts.radius(fine) / np.sqrt(parts.sizes)
    return fine + (JITTER * typical)[parts.of][:, None] * rng.standard_normal(fine.shape)


def _coarsest(affinity: Affinity, parts: Segments, method, run: Run) -> np.ndarray:
    """The best drawing of each graph from a few random starts, which are drawn as one batch."""
    n, count, P = len(affinity.mass), len(parts.sizes), affinity.P
    copies = range(STARTS)
    indptr = np.concatenate([[0], *(P.indptr[1:] + k * P.nnz for k in copies)]).astype(np.int32)
    indices = np.concatenate([P.indices + k * n for k in copies])
    graph = type(P)((np.tile(P.data, STARTS), indices, indptr), shape=(n * STARTS,) * 2)
    several = Affinity(graph, np.tile(affinity.mass, STARTS))
    objective = on_batch(several, Segments(np.tile(parts.sizes, STARTS)), method, run.sums.threads)
    Y = random_positions(n * STARTS, run.dim, run.rng)
    Y = Y * size_search_batch(objective, Y)[objective.parts.of][:, None]
    end = minimize_batch(objective, Y, "majorize", COARSEST_STEPS, COARSEST_REST)
    best = np.argmin(end.value.reshape(STARTS, count), axis=0)
    return end.Y.reshape(STARTS, n, run.dim)[best[parts.of], np.arange(n)]
