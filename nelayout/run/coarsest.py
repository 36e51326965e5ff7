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

from nelayout.catalogue.record import Method
from nelayout.catalogue.stages import SLOW
from nelayout.objective.whole import Affinity
from nelayout.optimizers import Majorize
from nelayout.optimizers.minimize import Report, Rest, minimize, silent
from nelayout.optimizers.together import descend_together
from nelayout.run.size import size_search
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
        Y, evaluation, _ = minimize(objective, Y, Majorize(), COARSEST_STEPS, COARSEST_REST, report)
        if evaluation is not None and evaluation.value < best:
            best, found = evaluation.value, Y
    return found


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def lowest_of_many(affinity: Affinity, dim: int, rng: np.random.Generator) -> np.ndarray:
    """The drawing (n, dim) of the lowest gamma-QuadLog from random starts, of a connected graph."""
    P, n = affinity.P.toarray(), affinity.P.shape[0]
    p, both = (P + P.T) / (2.0 * P.sum()), np.outer(affinity.mass, affinity.mass)
    np.fill_diagonal(both, 0.0)
    both /= both.sum()
    room = np.empty((2, MANY, n, n))

    def evaluate(flat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return _evaluate(flat.reshape(MANY, n, dim), p, both, room)

    Y = rng.standard_normal((MANY, n, dim))
    lengths = np.einsum("i,sid->s", p.sum(axis=1), Y * Y) - np.einsum("ij,sid,sjd->s", p, Y, Y)
    Y /= np.sqrt(2.0 * lengths)[:, None, None]  # sum p d^2 = 1, for which the first step's length is right
    inverse = np.repeat(1.0 / (4.0 * np.maximum(p.sum(axis=1), 1.0 / n)), dim)
    value, flat = descend_together(evaluate, Y.reshape(MANY, -1), inverse, ROUNDS)
    return flat.reshape(MANY, n, dim)[int(np.argmin(value))]


def _evaluate(Y: np.ndarray, p: np.ndarray, both: np.ndarray, room: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """J = ln sum p d^2 - sum w ln d^2 (S,) of drawings Y (S, n, d), and its gradient (S, n d).

    ``p`` and ``both``, the w of pairs of masses, have the sum 1; ``room`` (2, S, n, n) is overwritten.
    """
    itself, (xi, apart) = np.arange(len(p)), room
    xi[:] = 0.0
    for y in np.moveaxis(Y, 2, 0):
        np.subtract(y[:, :, None], y[:, None, :], out=apart)
        np.multiply(apart, apart, out=apart)
        np.add(xi, apart, out=xi)
    pulled = np.einsum("ij,sij->s", p, xi)
    xi[:, itself, itself] = 1.0
    pull = np.divide(both, xi, out=apart)
    value = np.log(pulled) - np.einsum("ij,sij->s", both, np.log(xi, out=xi))
    np.subtract(p / pulled[:, None, None], pull, out=pull)
    slopes = 4.0 * (np.sum(pull, axis=2)[:, :, None] * Y - np.einsum("sij,sjd->sid", pull, Y))
    return value, slopes.reshape(len(Y), -1)
