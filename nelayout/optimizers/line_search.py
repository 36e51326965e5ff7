"""The line search of all optimizers that go along a direction: shorter until J has fallen enough (Armijo).

For example, from y = 1 with J = y^2 and the direction -4, J is 9 at the whole length; the parabola through what is
known, J(0) = 1, its slope -8 and J(1) = 9, has its minimum at a quarter of it, where J is 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nelayout.numerics.arithmetic import Arithmetic
from nelayout.objective.whole import Evaluation, Objective

__all__ = ["MAX_TRIALS", "Search", "search"]

# Part of the decrease promised by the gradient that a step must bring.
SUFFICIENT = 1e-4
# Trials before a direction is given up.
MAX_TRIALS = 30
# A trial is followed by one at least this part as long, and at most that part (Nocedal & Wright 2006, sec. 3.5).
SHORTEST, LONGEST = 0.05, 0.5
# A step to a place with gradients from here on is cut short: optimizers multiply two of them, in floats up to 1e308.
STEEPEST = 1e150
# Part of the longest move that is left to a node where J is infinite.
HELD = 0.1


@dataclass(frozen=True, slots=True)
class Search:
    """The end of a line search: positions (n, d), the move to them, J there, and the part of the direction taken."""

    Y: np.ndarray
    move: np.ndarray
    evaluation: Evaluation
    length: float
    trials: int


def search(
    objective: Objective,
    Y: np.ndarray,
    now: Evaluation,
    direction: np.ndarray,
    slope: float,
    *,
    length: float = 1.0,
    weights: bool = False,
) -> Search | None:
    """Search along a direction from Y, where J is ``now`` and falls by ``slope`` < 0 per length; None if it is in vain.

    Where J is infinite because a few nodes fly off, these are held back and the others go on.  Positions at which the
    gradient leaves the range of floats are none to go on from: the step is cut short.
    """
    for trial in range(1, MAX_TRIALS + 1):
        move = direction if length == 1.0 else length * direction
        candidate = Y + move
        then = objective.evaluate(candidate, weights=weights)
        if math.isfinite(then.value):
            if then.value > now.value + SUFFICIENT * length * slope:
                length *= _shorter(then.value - now.value, length * slope)
            elif np.abs(then.gradient).max() < STEEPEST:
                return Search(candidate, move, then, length, trial)
            else:  # J is a logarithm of what has overflowed in its gradient
                length *= HELD
            continue
        held = _held_back(direction, then.lost)
        promised = Arithmetic(objective.threads, objective.compiled).product(held, now.gradient)
        if promised < 0:
            direction, slope = held, promised
        else:
            length *= HELD
    return None


def _shorter(rise: float, promised: float) -> float:
    """The minimum of the parabola through a failed trial, as a part of the trial's length.

    ``rise``: by how much J differs there, ``promised``: by how much the slope would have it differ.

    >>> _shorter(8.0, -8.0)
    0.25
    """
    return min(max(-promised / (2.0 * (rise - promised)), SHORTEST), LONGEST)


def _held_back(direction: np.ndarray, lost: np.ndarray) -> np.ndarray:
    """Set the moves of lost nodes to 0; if they are 0 already, cap every move at `HELD` times the longest."""
    if np.any(direction[lost]):
        held = direction.copy()
        held[lost] = 0.0
        return held
    moves = np.sqrt(np.sum(direction * direction, axis=1))
    most = HELD * float(np.max(moves))
    return direction * np.minimum(1.0, most / np.maximum(moves, most))[:, None]
