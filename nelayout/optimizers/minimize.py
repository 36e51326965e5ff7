"""The one loop: steps of an optimizer until the drawing rests.

Every drawing of this package comes out of `minimize`: the levels and stages of a layout, the turns of variational
ft-SNE, and `nelayout.optimizers` on the caller's own objective.  When it ends is said by one rule, a `Rest`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nelayout.numerics.arithmetic import Arithmetic
from nelayout.objective.whole import Evaluation
from nelayout.optimizers.step import Optimizer, State

__all__ = ["Report", "Rest", "minimize", "silent"]

# Called after each step with the objective's value and the positions.
Report = Callable[[float, np.ndarray], None]


def silent(value: float, Y: np.ndarray) -> None:
    """Report nothing."""


@dataclass(frozen=True, slots=True)
class Rest:
    """When a run of steps ends before its last; a part that is 0 (``gain``: None) is not looked at.

    force  "converged": if all nodes went down the gradient by the typical distance between nodes, J would fall, as
           the gradient has it, by less than this part of J, or of the strength of its edges (`objective.Evaluation`)
           where that is less; and so it was after each of the last ``window`` steps, for the forces about a saddle,
           two heaps of nodes, are small as well
    move   "converged", for stages on the way: each of the last ``window`` steps moved nodes by less than this part of
           the typical distance between nodes, growth left out.  A step that was taken back is no move
    gain   "lull": the last ``lull`` steps brought no more than this part of all the decrease so far
    point  "collapsed": the drawing's radius is below this, it shrinks to a point
    """

    move: float = 0.0
    window: int = 5
    gain: float | None = None
    lull: int = 10
    point: float = 0.0
    force: float = 0.0


def minimize(
    objective: Any, Y: np.ndarray, optimizer: Optimizer, max_iter: int, rest: Rest, report: Report = silent
) -> tuple[np.ndarray, Evaluation | None, str]:
    """Take steps of an optimizer from Y (n, d) until the drawing rests, at most ``max_iter``.

    Returns the positions (those on a device copied back), J there (None if no step was to be taken) and the reason of
    the end: one of `Rest`, "lull" also where no step brings anything, or "max_iter".  What ``report`` raises ends the
    run.
    """
    if max_iter <= 0:
        return Y, None, "max_iter"
    state: State = optimizer.init(objective, Y)
    arithmetic = Arithmetic(objective.threads, objective.compiled)
    moves, values, calm = list[float](), [state.evaluation.value], 0
    sized = rest.move > 0 or rest.point > 0 or rest.force > 0
    radius = arithmetic.radius(Y) if sized else 0.0
    for _ in range(max_iter):
        before, radius_before = Y, radius
        Y, state = optimizer.step(objective, Y, state)
        values.append(state.evaluation.value)
        report(values[-1], Y)
        if sized:
            radius = arithmetic.radius(Y)
            if radius < rest.point:
                return np.asarray(Y), state.evaluation, "collapsed"
        if rest.move > 0 and Y is not before:
            moved = arithmetic.moved(Y, radius, before, radius_before) if radius > 0 < radius_before else 0.0
            moves.append(moved * len(Y) ** (1.0 / Y.shape[1]))
        if reason := _ended(rest, moves, values):
            return np.asarray(Y), state.evaluation, reason
        if rest.force > 0:
            calm = calm + 1 if _unbalance(state.evaluation, radius, arithmetic) <= rest.force else 0
            if calm >= rest.window:
                return np.asarray(Y), state.evaluation, "converged"
        if state.stuck:
            return np.asarray(Y), state.evaluation, "converged" if calm or not rest.force else "lull"
    return np.asarray(Y), state.evaluation, "max_iter"


def _unbalance(now: Evaluation, radius: float, arithmetic: Arithmetic) -> float:
    """Part of J, or of its strength, that it would lose if all nodes went down the gradient by the typical distance.

    The gradient g loses at most h sqrt(n) |g| in n moves of the length h.
    """
    n, d = now.gradient.shape
    steepness = math.sqrt(n * arithmetic.product(now.gradient, now.gradient))
    whole = min(now.strength, abs(now.value))
    return steepness * radius / n ** (1.0 / d) / whole if whole > 0 else math.inf


def _ended(rest: Rest, moves: list[float], values: list[float]) -> str:
    """The reason why moves or values end the run; empty where they do not."""
    if rest.move > 0 and len(moves) >= rest.window and max(moves[-rest.window :]) < rest.move:
        return "converged"
    if rest.gain is None or len(values) <= rest.lull:
        return ""
    lull = abs(values[-1 - rest.lull] - values[-1]) <= rest.gain * (values[0] - values[-1])
    return "lull" if lull else ""
