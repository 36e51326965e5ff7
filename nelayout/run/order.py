"""The order of large distances: on its way the drawing of rows is bent towards the distances between them.

A graph of nearest neighbors hardly knows which of two groups is nearer to a third, and the objectives care little.  So
before each stage on the graph itself the drawing is bent, and the stage then minimizes its objective from there: of the
many drawings with nearly the same J one is found whose large distances are more those of the rows.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nelayout.numerics.parallel import Threads
from nelayout.run.auto.verdict import Judge
from nelayout.run.bending import FEWEST, Goal, bent, sampled
from nelayout.run.levels import BENT
from nelayout.run.state import Component
from nelayout.run.strong_edges import strong_edges

__all__ = ["MANY", "bend_towards_rows", "goal_between"]

# The part of the way to the least stress that is gone before each stage, up to so many rows, and of more.  Over 21 sets
# of up to 5,000 rows all of it takes the rank correlation of distances up by 0.01 more than half of the way, and J by 0
# to 2 % more (pictures of objects and faces 5 %), at the same accuracy and trustworthiness.  More rows are drawn in as
# few steps and pay more: of five sets of 9,000 to 70,000 rows J is 1 to 5 % higher on four with all of it and a last
# bend, their class AUC 0.01 to 0.05 lower, and on the fifth the rank correlation is 0.46, with half of it 0.73.
PART, MANY, PART_OF_MANY = 1.0, 5_000, 0.5
# Part of the pairs that are nearer than what all distances are taken to have in common.  The rank correlation of the
# distances of 5,000 digits of MNIST is 0.45 so, 0.39 where whole distances are the goal; of other sets it rises by up
# to 0.02 or stays, but for groups of very different width (0.92 to 0.82, openTSNE 0.77).
COMMON = 0.01
# Least goal; the median one is 1.
LEAST = 1e-3


def goal_between(
    n: int, distances: Callable[[np.ndarray, np.ndarray], np.ndarray | None], most: int
) -> Goal | None:
    """The goal of n rows, of which some are compared with at most so many others; None where that cannot be done.

    Goals are distances less what nearly all have in common: among many columns all rows are far from each other, which
    no plane can show, and what they differ by would count for little beside it.  Errors count in parts of the median
    goal or of their own, whichever is larger: the far ones of a few outliers would else decide alone, and small
    distances are those of neighbors anyway.
    """
    if n < FEWEST:
        return None
    nodes, others = sampled(n, most)
    lengths = distances(nodes, others)
    if lengths is None or not np.isfinite(lengths).all() or not lengths.any():
        return None
    alike = nodes[:, None] == others
    lengths = np.maximum(lengths - np.quantile(lengths[~alike], COMMON), 0.0)
    median = float(np.median(lengths[~alike]))
    if not median > 0:  # all are alike
        return None
    lengths = np.where(alike, 0.0, np.maximum(lengths / median, LEAST))
    weights = np.where(alike, 0.0, 1.0 / np.maximum(lengths, 1.0) ** 2)
    return Goal(nodes, others, lengths, weights)


def bend_towards_rows(component: Component, threads: Threads) -> np.ndarray:
    """The drawing bent towards the component's goal; as it is from where that raises the stress of hops by a third.

    So it does where a sheet that is rolled up in the rows lies flat in the drawing: it would be rolled up again.
    """
    Y = component.drawing.Y
    assert component.goal is not None
    moved = bent(Y, component.goal, PART if len(Y) <= MANY else PART_OF_MANY)
    if component.unrolled is None:
        judge = Judge(strong_edges(component.affinity.P), threads)
        component.unrolled = judge.stress(moved) > BENT * judge.stress(Y)
    return Y if component.unrolled else moved
