"""The line search of all directions: shorten a step until J has fallen enough (Armijo).

One call is one trial.  After a failure the next length is the minimum of the parabola through J, its slope and J there.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from nelayout.objective import Evaluation, Objective
from nelayout.record.evaluation import OfRows, chosen

__all__ = ["MAX_TRIALS", "Trial", "tried"]

# Part of the decrease promised by the gradient that a step must bring.
SUFFICIENT = 1e-4
# Trials before a direction is given up.
MAX_TRIALS = 30
# Bounds of the next trial's length, in parts of the last (Nocedal & Wright 2006, sec. 3.5).
SHORTEST, LONGEST = 0.05, 0.5
# Squared gradients from here on are too steep to go on from: optimizers multiply two gradients, in floats up to 1e308.
STEEPEST = 1e300
# Part of the longest move that is left to a node where J is infinite.
HELD = 0.1


class Trial(NamedTuple):
    """A direction (n, d), and each group's slope of J, length to try and count of failures."""

    direction: OfRows
    slope: Any
    length: Any
    failed: Any


@np.errstate(invalid="ignore", divide="ignore", over="ignore")
def tried(
    objective: Objective, Y: Any, now: Evaluation, trial: Trial, attraction: bool = False
) -> tuple[Any, Any, Evaluation, Trial, Any]:
    """Try a length; return positions, move, J there, the next trial and groups with a step.

    Other groups stay at Y with the evaluation ``now``.  If J is infinite because a few nodes fly off, these nodes are
    held back and the others go on.  If the gradient overflows, the step is cut short.
    """
    parts, length = objective.parts, trial.length
    move = parts.columns(length) * trial.direction
    candidate = Y + move
    then = objective.evaluate(candidate, attraction=attraction)
    finite, promised = abs(then.value) < math.inf, length * trial.slope
    low = finite & (then.value <= now.value + SUFFICIENT * promised)
    taken = low
    if parts.any(low):
        taken = low & (objective.arithmetic.product(then.gradient, then.gradient) < STEEPEST)
        if parts.all(taken):
            return candidate, move, then, trial, taken
    rise = parts.where(finite, then.value - now.value, 0.0)
    # the minimum of the parabola through the failed trial, as a part of its length
    shorter = parts.divide(-promised, 2.0 * (rise - promised))
    shorter = parts.where(low, HELD, np.minimum(np.maximum(shorter, SHORTEST), LONGEST))
    following = trial._replace(length=length * shorter, failed=trial.failed + 1)
    if not parts.all(finite):
        following = _held_back(objective, now, trial, following, finite, then.lost)
    if not parts.any(taken):
        return Y, move, now, following, taken
    Y = np.where(parts.columns(taken), candidate, Y)
    return Y, move, chosen(objective, taken, then, now), following, taken


def _held_back(objective: Objective, now: Evaluation, trial: Trial, following: Trial, finite: Any, lost: Any) -> Trial:
    """Return the next trial of groups of infinite J: without lost nodes, or with short moves."""
    parts, direction = objective.parts, trial.direction
    moves = np.sqrt(np.einsum("ij,ij->i", direction, direction))
    flying = np.zeros(len(direction))
    flying[lost] = np.asarray(moves)[lost]
    fly = parts.max(flying) > 0
    most = parts.spread(HELD * parts.max(moves))
    capped = most / np.maximum(np.maximum(moves, most), np.finfo(float).tiny)
    factor = np.where(parts.spread(fly), flying == 0, capped)
    held = direction * objective.brought(factor)[:, None]
    slope = objective.arithmetic.product(held, now.gradient)
    good = np.logical_not(finite) & (slope < 0)
    return Trial(
        np.where(parts.columns(good), held, direction),
        parts.where(good, slope, trial.slope),
        parts.where(finite, following.length, parts.where(good, trial.length, HELD * trial.length)),
        following.failed,
    )
