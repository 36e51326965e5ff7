"""The coarsest graph: drawn from scratch, from several random starts, of which the lowest goes on.

It is tiny, and it decides the shape of the whole.  By gamma-QuadLog, which draws most methods' first level, all starts
are drawn at once: eight of a graph of 30 nodes take 7 ms, where three that were majorized one after another took 20 ms
and ended higher on 14 of 20 graphs.

>>> from scipy.sparse import csr_array
>>> path = csr_array(np.array([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]]))
>>> Y = lowest_of_many(Affinity(path, np.ones(3)), 2, np.random.default_rng(0))
>>> (abs(Y[0] - Y[1]).max() < abs(Y[0] - Y[2]).max()).item()  # the ends lie apart
True
"""

from __future__ import annotations

import math

import numpy as np

from nelayout.catalogue import METHODS
from nelayout.catalogue.record import Method
from nelayout.catalogue.stages import SLOW
from nelayout.objective import Affinity
from nelayout.objective.stacks import stacked, tiled
from nelayout.optimizers import LBFGS, Majorize
from nelayout.optimizers.minimize import Report, Rest, minimize, silent
from nelayout.optimizers.size import size_search
from nelayout.run.start import random_positions
from nelayout.run.state import Run

__all__ = ["COARSEST_REST", "COARSEST_STEPS", "REPORTED", "draw_coarsest", "lowest_of_many"]

# Random starts of gamma-QuadLog, and rounds of all of them together, in graphs of at most so many nodes: after 30
# rounds their J, in nats, is 0.02 to 0.05 higher than after 50, and four starts end 0.001 higher than eight.
MANY, ROUNDS, TOGETHER = 8, 50, 80
# Random starts of other graphs and other objectives, one after another.
STARTS = 3
COARSEST_STEPS = 100
COARSEST_REST = Rest(0.02, gain=SLOW)
# Nodes above which the coarsest graph (that of hubs joined to all others shrinks no further) is drawn once, and
# callbacks see its steps.
REPORTED = 1000


def draw_coarsest(affinity: Affinity, method: Method, quadlog: bool, run: Run, report: Report) -> np.ndarray:
    """The best drawing from a few random starts; reported where the coarsest graph is large all the same.

    ``quadlog``: the method is gamma-QuadLog on these masses.
    """
    n = affinity.P.shape[0]
    if n < 2 or not affinity.P.nnz:
        return random_positions(n, run.dim, run.rng)
    if quadlog and n <= TOGETHER:
        return lowest_of_many(affinity, run.dim, run.rng)
    if n <= REPORTED:
        report = silent
    objective = run.sums.objective(method, affinity)
    best, found = math.inf, random_positions(n, run.dim, run.rng)
    for _ in range(STARTS if n <= REPORTED else 1):
        Y = random_positions(n, run.dim, run.rng)
        Y = Y * (1.0 if objective.scale_free else size_search(objective, Y))
        Y, value, _ = minimize(objective, Y, Majorize(), COARSEST_STEPS, COARSEST_REST, report)
        if value < best:
            best, found = value, Y
    return found


def lowest_of_many(affinity: Affinity, dim: int, rng: np.random.Generator) -> np.ndarray:
    """The drawing (n, dim) of the lowest gamma-QuadLog from random starts, of a connected graph."""
    n = affinity.P.shape[0]
    Y = rng.standard_normal((MANY * n, dim))
    objective = stacked(*tiled(affinity, MANY), METHODS["gamma-quadlog"])
    Y, value, _ = minimize(objective, Y, LBFGS(), ROUNDS, Rest())
    return Y.reshape(MANY, n, dim)[int(np.argmin(value))]
