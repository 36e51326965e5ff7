"""From the coarsest graph to the finest: how a drawing finds its shape.

Most levels are drawn by an objective without a scale of its own.  That is a shadow of the graph's shape in space: a
mesh that is bent there lies folded, one sheet over another, and no force parts them.  So some coarse levels are drawn
by s-SNE with edges that pull hard instead: what lies within the reach of its kernel is pushed apart, linked or not,
while there are few nodes to move and each move is a large one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from nelayout.catalogue import METHODS
from nelayout.kernels import inverse_power
from nelayout.method import Method
from nelayout.objective import Affinity
from nelayout.optimizers import Majorize, optimizer_named
from nelayout.record.progress import Seen, Watch, nobody
from nelayout.run.auto.verdict import Judge
from nelayout.run.coarsen import Level, hierarchy
from nelayout.run.descent import descend
from nelayout.run.start import prolong, random_positions, size_search
from nelayout.run.sums import Floor
from nelayout.stages import FINEST, LARGE, Stage

__all__ = ["objective_of", "through_levels"]

# The coarsest graph is drawn from this many random starts and the best is kept: it is tiny, and it decides the shape.
COARSEST_STARTS = 3
COARSEST_STEPS = 100
COARSEST_TOL = 0.02
# Above this (graphs of hubs that all are joined to shrink no further) it is drawn once, and callbacks see its steps.
LOOKED_AT = 1000
# Levels of these many nodes are unfolded, if they have at most a quarter of the graph's: finer ones would curl up.
LEAST_UNFOLDED, MOST_UNFOLDED, PART_UNFOLDED = 200, 1000, 1 / 4
UNFOLDING_STEPS, UNFOLDING_TOL = 30, 0.01
# A graph with fewer edges a node is a path, a ring or a tree, a little knotted: it has no sheets, and only bends.
SHEET = 1.2
# Others without sheets bend too (ribbons), fall together (hubs) or fly apart (a few heavy edges).  That shows in their
# stress, which sheets that were parted have hardly ever raised by more than a third.
BENT = 4 / 3


def objective_of(stage: Stage, method: Method) -> Method:
    """The method whose objective a stage minimizes."""
    if stage.shape:
        return replace(METHODS["gamma-quadlog"], kernel=inverse_power(stage.shape))
    return replace(method, kernel=stage.kernel or method.kernel, divergence=stage.divergence or method.divergence)


def through_levels(
    affinity: Affinity,
    stage: Stage,
    method: Method,
    dim: int,
    floor: Floor,
    rng: np.random.Generator,
    watch: Watch,
    show: Callable[[np.ndarray], np.ndarray],
) -> np.ndarray:
    """Positions (n, dim) by ``stage.max_iter`` steps at each level; ``show`` gets those of all nodes at every level."""
    levels, n = hierarchy(affinity, rng), len(affinity.mass)
    optimizer = optimizer_named(stage.optimizer)

    def shown(depth: int) -> Callable[[np.ndarray], np.ndarray]:
        def finest(Y: np.ndarray) -> np.ndarray:
            for finer in range(depth, 0, -1):
                cluster = levels[finer].cluster
                assert cluster is not None
                Y = Y[cluster]
            return show(Y)

        return finest

    flat = objective_of(replace(stage, shape=min(stage.shape, 2.0)), method)  # power 2 lays a path straight
    shape = objective_of(stage, method)
    Y = _coarsest(levels[-1], flat, dim, floor, rng, watch.on(stage.name, shown(len(levels) - 1)))
    for depth in range(len(levels) - 1, -1, -1):
        level, seen = levels[depth], watch.on(stage.name, shown(depth))
        if depth < len(levels) - 1:
            cluster = levels[depth + 1].cluster
            assert cluster is not None
            Y = prolong(Y, cluster, rng)
        if not level.affinity.P.nnz:  # a star has become a single node
            continue
        if not stage.finest and n > LARGE and depth < len(levels) - 1 and len(Y) > FINEST * n:
            continue
        if stage.unfold and dim > 1 and LEAST_UNFOLDED <= len(Y) <= min(MOST_UNFOLDED, PART_UNFOLDED * n):
            parted = _unfolded(level, Y, n / len(Y), floor, seen)
            if parted is not None:
                Y = parted
                continue
        objective = floor.objective(shape, level.affinity).exaggerated(stage.attraction)
        Y, _, _ = descend(objective, Y, optimizer, stage.max_iter, stage.tol, seen)
    return Y


def _unfolded(level: Level, Y: np.ndarray, pull: float, floor: Floor, seen: Seen) -> np.ndarray | None:
    """Y by s-SNE whose edges pull ``pull`` times as hard; None where there were no sheets to part."""
    if level.affinity.P.nnz < 2 * SHEET * len(Y):
        return None
    objective = floor.objective(Method("gaussian"), level.affinity).exaggerated(pull)
    judge, before = Judge(level.affinity.P, floor.threads), Y
    Y = Y - np.sum(Y, axis=0) / len(Y)
    Y = Y * size_search(objective, Y)
    Y, _, _ = descend(objective, Y, optimizer_named("lbfgs"), UNFOLDING_STEPS, UNFOLDING_TOL, seen)
    return Y if np.isfinite(Y).all() and judge.stress(Y) <= BENT * judge.stress(before) else None


def _coarsest(level: Level, method: Method, dim: int, floor: Floor, rng: np.random.Generator, seen: Seen) -> np.ndarray:
    """The best of a few random starts; looked at on the way where the coarsest graph is large all the same."""
    n = level.affinity.P.shape[0]
    if n <= LOOKED_AT:
        seen = nobody
    objective = floor.objective(method, level.affinity)
    best, found = math.inf, random_positions(n, dim, rng)
    if n < 2 or not level.affinity.P.nnz:
        return found
    for _ in range(COARSEST_STARTS if n <= LOOKED_AT else 1):
        Y = random_positions(n, dim, rng)
        Y = Y * (1.0 if objective.scale_free else size_search(objective, Y))
        Y, evaluation, _ = descend(objective, Y, Majorize(), COARSEST_STEPS, COARSEST_TOL, seen)
        if evaluation is not None and evaluation.value < best:
            best, found = evaluation.value, Y
    return found
