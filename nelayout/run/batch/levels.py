"""From the coarsest graphs to the finest, as in `run.levels`, for a batch: the finest graphs lie one after another,
and so do the coarser ones of those that have any.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nelayout.catalogue.stages import SLOW, CoarseToFine
from nelayout.numerics.groups import Parts
from nelayout.objective import Affinity
from nelayout.objective.stacks import some_of, stacked, tiled
from nelayout.optimizers import Majorize, optimizer_named
from nelayout.optimizers.minimize import Report, Rest, minimize
from nelayout.optimizers.size import size_search
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
    parts: Parts
    going: np.ndarray
    cluster: np.ndarray

    @property
    def rows(self) -> np.ndarray:
        """(n,) mask of the nodes that the coarser level has merged."""
        return self.going[self.parts.of]


def batch_through_levels(
    affinity: Affinity, parts: Parts, stage: CoarseToFine, run: Run, report: Report
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
        objective = stacked(level.affinity, level.parts, method, run.sums.threads, True)
        at = depth

        def here(value: float, Y: np.ndarray, at: int = at) -> None:
            report(value, finest(Y, at))

        Y = minimize(objective, Y, optimizer_named(stage.optimizer), stage.max_iter, rest, here).Y
    return Y


def _hierarchy(affinity: Affinity, parts: Parts, rng: np.random.Generator) -> list[BatchLevel]:
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
        coarse, coarse_parts, kept = some_of(merge(fine, cluster, int(sizes.sum())), Parts(sizes), worth)
        cluster = (np.cumsum(kept) - 1)[cluster[worth[fine_parts.of]]]
        levels.append(BatchLevel(affinity, parts, going, cluster))
        affinity, parts = coarse, coarse_parts


def _prolonged(coarser: np.ndarray, level: BatchLevel, rng: np.random.Generator) -> np.ndarray:
    """`start.prolong` for the graphs that have a coarser one."""
    parts = Parts(level.parts.sizes[level.going])
    fine = coarser[level.cluster]
    typical = parts.radius(fine) / np.sqrt(parts.sizes)
    return fine + (JITTER * typical)[parts.of][:, None] * rng.standard_normal(fine.shape)


def _coarsest(affinity: Affinity, parts: Parts, method, run: Run) -> np.ndarray:
    """The best drawing of each graph from a few random starts, which are drawn as one batch."""
    n, count = len(affinity.mass), len(parts.sizes)
    several = Parts(np.tile(parts.sizes, STARTS))
    objective = stacked(tiled(affinity, STARTS)[0], several, method, run.sums.threads, True)
    Y = random_positions(n * STARTS, run.dim, run.rng)
    Y = Y * several.columns(size_search(objective, Y))
    end = minimize(objective, Y, Majorize(), COARSEST_STEPS, COARSEST_REST)
    best = np.argmin(end.value.reshape(STARTS, count), axis=0)
    return end.Y.reshape(STARTS, n, run.dim)[best[parts.of], np.arange(n)]
