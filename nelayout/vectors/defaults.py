"""Defaults that follow the number of rows: neighbors with their weights, and the outline of the drawing.

Among few rows the tenth neighbor may be of another class, and ten equal edges say nothing of the order of large
distances: weights that fall off, over many neighbors, know more.  Among many rows the ten nearest are alike, and edges
cost time::

    >>> [default_weights(n) for n in (200, 400, 1600, 70_000)]
    [(90, 30.0), (75, 30.0), (19, 10.0), (15, 10.0)]
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from nelayout.catalogue import METHODS
from nelayout.catalogue.record import Method
from nelayout.catalogue.stages import CoarseToFine, Descend
from nelayout.formula.connections import Fixed
from nelayout.numerics.principal import principal_components
from nelayout.run.bending import Goal, goal_between
from nelayout.vectors.input import NEIGHBORS, REACH
from nelayout.vectors.metrics import Metric
from nelayout.vectors.neighbors import Neighbors
from nelayout.vectors.start import has_components

__all__ = [
    "default_weights",
    "distance_goal",
    "outline",
    "weights_for",
    "weights_of_ties",
    "with_equal_rows",
    "with_last_bend",
    "with_steps_for_vectors",
]

# Perplexities of few and of many rows, and between these the neighbors for each unit: 30 up to 500 rows, 10 from 1,500
# on.  Found by 10-neighbor class accuracy and trustworthiness against openTSNE's default on 21 sets of 150 to 5,000
# rows (`benchmarks/vector_defaults.py`).  With fewer neighbors for a unit their weights are nearly equal: 1,440
# pictures of objects have an accuracy of 0.972 with a perplexity of 10 on 21 neighbors, and 0.948 with one of 16.
WIDEST, NARROWEST, HALF = 30.0, 10.0, 2.0

# Neighbors of many rows, and similarities that the rows between share out.  15 neighbors are as accurate as 30 at a
# perplexity of 10 and take half the time; 24 and more join the turns of a rolled sheet of 1,500 rows, 22 do not.
FEWEST, SHARED = 15, 30_000
# Part of the rows of which half of the neighbors are equally near, from which the widest lists are taken: 5,000 texts
# of 100 words have 0.75, and then an accuracy of 0.756, not 0.737; sets of measurements have 0. And the most rows for
# which that is done, whose edges take 200 MB.
TIED, MOST_TIED = 0.25, 50_000
# Entries of the rows with which some rows are compared over the whole way, 32 MB; and the fewest such rows.
COMPARED, LEAST_COMPARED = 4_000_000, 200
# Steps after the last bend.  With 20 distances are in the same order and J as low; with all 80 their rank correlation
# is 0.01 to 0.02 lower on half of the sets (faces 0.54 in place of 0.61).
LAST_STEPS = 30


def default_weights(n: int) -> tuple[int, float]:
    """Neighbors and perplexity of n rows, more than `NEIGHBORS`."""
    perplexity = min(max(SHARED / n / HALF, NARROWEST), WIDEST, (n - 1) / REACH)
    most = min(round(REACH * WIDEST), n - 1)
    return min(max(math.ceil(SHARED / n), FEWEST), most), perplexity


def weights_of_ties(found: Neighbors) -> tuple[int, float] | None:
    """Neighbors and perplexity of rows that have many others equally near; None where that is not so.

    Rows of few values do: which of the others stand in a list of 15 is then chance, and a wide list has most of them.
    """
    n, k = found.distances.shape
    widest = min(round(REACH * WIDEST), n - 1)
    if k < 2 or k >= widest or n > MOST_TIED:
        return None
    tied = np.mean(found.distances[:, -1] <= found.distances[:, (k - 1) // 2])
    return (widest, min(WIDEST, widest / REACH)) if tied > TIED else None


def weights_for(method: Method, n_neighbors: Any, perplexity: Any, n: int, most: int) -> tuple[Any, Any]:
    """Number of neighbors and perplexity as they were given, or the defaults if neither was.

    The methods with a fixed connection compare weights as they are, so that their unit matters, and one that judges its
    drawings ("auto") counts hops, which heavy and light edges shorten alike: theirs is the graph without weights.
    Where no more than ``most`` neighbors of each row are known, these have to do.
    """
    if n_neighbors is not None or (perplexity is not None and most == n - 1):
        return n_neighbors, perplexity
    if perplexity is not None:
        return min(most, math.ceil(REACH * perplexity)), perplexity
    if n <= NEIGHBORS or _judges(method) or isinstance(method.connection, Fixed):
        return (None if most == n - 1 else min(most, NEIGHBORS)), None
    k, worth = default_weights(n)
    if k <= most:
        return k, worth
    return (most, min(worth, most / REACH)) if most > REACH else (most, None)


def with_steps_for_vectors(method: Method) -> Method:
    """The method with no more steps for few rows than for many, where its kernel has a tail.

    Groups that few edges join then drift apart without end, and further steps hardly draw anything else: on 1,797
    digits 240 in place of 80 lower J of ws-SNE from 0.998 to 0.980, make the drawing 1.5 times as wide and its groups
    as much smaller in it, and take the rank correlation of distances from 0.447 to 0.433.
    """
    if not _has_tail(method):
        return method
    stages = (replace(stage, small=None) if isinstance(stage, Descend) else stage for stage in method.stages)
    return replace(method, stages=tuple(stages))


def with_last_bend(method: Method) -> Method:
    """The method with its last stage in two, where a drawing is bent before each stage.

    What most of the steps have undone of a bend, the rest does not undo again.
    """
    *before, last = method.stages
    if not isinstance(last, Descend) or last.max_iter <= LAST_STEPS:
        return method
    settle = replace(last, name="settle", max_iter=last.max_iter - LAST_STEPS, starts=False)
    return replace(method, stages=(*before, settle, replace(last, max_iter=LAST_STEPS)))


def _judges(method: Method) -> bool:
    """Whether a method chooses among drawings, as "auto" does."""
    return any(isinstance(stage, Descend) and stage.judged for stage in method.stages)


def with_equal_rows(method: Method) -> Method:
    """A method of the catalogue with rows that count alike, where its masses are the strengths of nodes; others as is.

    A row's similarities to others sum to one, whichever row it is; that some rows are near to more others than others
    are is no weight of theirs.  On 21 sets of up to 5,000 rows strengths take up to 0.012 from the trustworthiness
    that rows of mass 1 have.
    """
    strengths = isinstance(method.mass, str) and method.mass == "strength"
    return replace(method, mass="unit") if strengths and method.name in METHODS else method


def outline(rows: Any, method: Method, dim: int) -> np.ndarray | None:
    """First principal components (n, dim) of rows (n, d) or None, for a method with coarse levels; None: without."""
    if not has_components(rows, dim) or not any(isinstance(stage, CoarseToFine) for stage in method.stages):
        return None
    return principal_components(rows, dim)[0]


def distance_goal(metric: Metric, n: int, method: Method) -> Goal | None:
    """The distances between some of n rows towards which a drawing is bent on its way, see `nelayout.run.order`.

    Only of kernels with a tail, under which nearly the same J has many arrangements of groups: others gain nothing, and
    Gaussian ones draw a rolled sheet folded.  None also for methods that choose among several drawings by hops, for
    variational ones, and where distances are not known.
    """
    if not _has_tail(method) or _judges(method) or method.variational:
        return None
    width = 1 if metric.rows is None else metric.rows.shape[1]
    return goal_between(n, metric.between_some, max(COMPARED // max(width, 1), LEAST_COMPARED))


def _has_tail(method: Method) -> bool:
    return method.kernel.a > 0 and not method.kernel.singular
