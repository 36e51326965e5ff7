"""Limited-memory BFGS (Nocedal & Wright 2006, alg. 7.4 and 7.5), preconditioned by the pull of each node's edges.

The yardstick for the others on small graphs, and a good finisher.  The first inverse Hessian is diagonal, gradient /
(4 w_i) with w_i the sum of a node's attractions, scaled as usual by the last curvature pair; pairs without positive
curvature are left out.  The step is halved until J has fallen enough (Armijo), so J never rises.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from ..objective import Evaluation, Objective
from .step import attraction_of

__all__ = ["LBFGS"]

SUFFICIENT = 1e-4  # part of the decrease promised by the gradient that a step must bring
MAX_TRIALS = 30
RENEWAL = 10  # steps after which the diagonal is taken from the current drawing again
ROUNDING = 1e-13  # a promised decrease below this part of J is rounding: the drawing is at its minimum


@dataclass(frozen=True, slots=True)
class LBFGSState:
    evaluation: Evaluation
    # (move, change of gradient, their product), oldest first
    pairs: tuple[tuple[np.ndarray, np.ndarray, float], ...] = ()
    # (n, 1) inverse curvature of each node's edges, and for how many steps it has served
    inverse: np.ndarray = field(default_factory=lambda: np.empty(0))
    age: int = 0
    trials: int = 0
    stuck: bool = False


@dataclass(frozen=True, slots=True)
class LBFGS:
    """``memory``: how many curvature pairs are kept."""

    memory: int = 10
    name: str = "lbfgs"

    def check(self, kernel, divergence) -> None:
        """Valid for every method."""

    def init(self, objective: Objective, Y: np.ndarray) -> LBFGSState:
        evaluation = objective.evaluate(Y, weights=True)
        return LBFGSState(evaluation, inverse=_inverse(objective, evaluation))

    def step(self, objective: Objective, Y: np.ndarray, state: LBFGSState) -> tuple[np.ndarray, LBFGSState]:
        now, pairs, inverse = state.evaluation, state.pairs, state.inverse
        direction = -_two_loops(now.gradient, pairs, inverse)
        slope = _product(direction, now.gradient)
        if not slope < 0:
            direction, pairs = -inverse * now.gradient, ()
            slope = _product(direction, now.gradient)
        if -slope <= ROUNDING * abs(now.value):
            return Y, replace(state, pairs=pairs, stuck=True)
        renew = state.age + 1 >= RENEWAL
        length = 1.0
        for trial in range(1, MAX_TRIALS + 1):
            candidate = Y + length * direction
            then = objective.evaluate(candidate, weights=renew)
            if math.isfinite(then.value) and then.value <= now.value + SUFFICIENT * length * slope:
                move, change = length * direction, then.gradient - now.gradient
                curvature = _product(move, change)
                if curvature > 1e-10 * _product(change, change) * float(np.mean(inverse)):
                    pairs = (*pairs, (move, change, curvature))[-self.memory :]
                if renew:
                    inverse = _inverse(objective, then)
                age = 0 if renew else state.age + 1
                return candidate, LBFGSState(then, pairs, inverse, age, state.trials + trial)
            length *= 0.5 if trial < 6 else 0.1
        trials = state.trials + MAX_TRIALS
        if pairs:  # the memory may mislead: once more from the gradient alone
            return self.step(objective, Y, replace(state, pairs=(), trials=trials))
        return Y, replace(state, trials=trials, stuck=True)


def _inverse(objective: Objective, evaluation: Evaluation) -> np.ndarray:
    return 1.0 / (4.0 * attraction_of(objective, evaluation))[:, None]


def _two_loops(gradient: np.ndarray, pairs, inverse: np.ndarray) -> np.ndarray:
    q, parts = gradient.copy(), []
    for move, change, curvature in reversed(pairs):
        part = _product(move, q) / curvature
        q -= part * change
        parts.append(part)
    scale = 1.0
    if pairs:
        _, change, curvature = pairs[-1]
        scale = curvature / _product(change * inverse, change)
    q = scale * inverse * q
    for (move, change, curvature), part in zip(pairs, reversed(parts), strict=True):
        q += (part - _product(change, q) / curvature) * move
    return q


def _product(a: np.ndarray, b: np.ndarray) -> float:
    """sum a b; called ten thousand times for a small graph, hence not by way of np.sum."""
    return float(np.add.reduce(a * b, axis=None))
