"""The line search of all directions: shorten a step until J has fallen enough (Armijo).

One call is one trial.  After a failure the next length is the minimum of the parabola through J, its slope and J there.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from nelayout.core.optimizers.step import Minimizable
from nelayout.core.record.evaluation import Evaluation

__all__ = ["MAX_TRIALS", "Tried", "Trial", "tried"]

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
    """A direction (n, d), the slope of J along it, the length to try, the count of failures."""

    direction: Any
    slope: float
    length: float = 1.0
    failed: int = 0


class Tried(NamedTuple):
    """The end of a trial: positions and J there, the move, the next trial, if it is a step."""

    Y: Any
    move: Any
    evaluation: Evaluation
    trial: Trial
    taken: bool


@np.errstate(invalid="ignore", divide="ignore", over="ignore")
def tried(objective: Minimizable, Y: Any, now: Evaluation, trial: Trial, attraction: bool = False) -> Tried:
    """Try a length from Y, where J is ``now``; Y and ``now`` come back if it is no step.

    If J is infinite because a few nodes fly off, these nodes are held back and the others go on.  If the gradient
    overflows, the step is cut short.
    """
    length = trial.length
    move = length * trial.direction
    candidate = Y + move
    then = objective.evaluate(candidate, attraction=attraction)
    finite, promised = abs(then.value) < math.inf, length * trial.slope
    low = finite and then.value <= now.value + SUFFICIENT * promised
    if low and objective.arithmetic.product(then.gradient, then.gradient) < STEEPEST:
        return Tried(candidate, move, then, trial, True)
    if low:
        shorter = HELD
    else:  # the minimum of the parabola through the failed trial, as a part of its length
        rise = 2.0 * ((then.value - now.value if finite else 0.0) - promised)
        shorter = min(max(-promised / rise if rise > 0 else math.inf, SHORTEST), LONGEST)
    following = trial._replace(length=length * shorter, failed=trial.failed + 1)
    if not finite:
        following = _held_back(objective, now, trial, following, then.lost)
    return Tried(Y, move, now, following, False)


def _held_back(objective: Minimizable, now: Evaluation, trial: Trial, following: Trial, lost: np.ndarray) -> Trial:
    """Return the next trial where J is infinite: without lost nodes, or with short moves."""
    direction = trial.direction
    moves = np.asarray(np.sqrt(np.einsum("ij,ij->i", direction, direction)))
    flying = np.zeros(len(moves))
    flying[lost] = moves[lost]
    if np.max(flying) > 0:
        factor = (flying == 0).astype(float)
    else:
        most = HELD * np.max(moves)
        factor = most / np.maximum(np.maximum(moves, most), np.finfo(float).tiny)
    held = direction * objective.to_device(factor)[:, None]
    slope = objective.arithmetic.product(held, now.gradient)
    if slope < 0:
        return Trial(held, slope, trial.length, following.failed)
    return trial._replace(length=HELD * trial.length, failed=following.failed)
