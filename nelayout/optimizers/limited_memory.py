"""Limited-memory BFGS (Nocedal & Wright 2006, alg. 7.4 and 7.5), preconditioned by the pull of each node's edges.

The yardstick for the others on small graphs, and a good finisher.  The first inverse Hessian is diagonal, gradient /
(4 w_i) with w_i the sum of a node's attractions, scaled as usual by the last curvature pair; pairs without positive
curvature are left out.  The step is halved until J has fallen enough (Armijo), so J never rises.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from nelayout.errors import InputError
from nelayout.numerics.arithmetic import Arithmetic
from nelayout.objective.whole import Evaluation, Objective
from nelayout.optimizers.line_search import MAX_TRIALS, search
from nelayout.optimizers.step import attraction_of

__all__ = ["LBFGS", "pairs_kept"]

RENEWAL = 10  # steps after which the diagonal is taken from the current drawing again
# Above, passing over ten pairs costs a third of J itself, and five end as low (J of 70,000 digits: -4.979 and -4.978).
FIVE_PAIRS_FROM = 10_000
ROUNDING = 1e-13  # a promised decrease below this part of J is rounding: the drawing is at its minimum


@dataclass(frozen=True, slots=True)
class LBFGSState:
    evaluation: Evaluation
    # (move, change of gradient, their product), oldest first
    pairs: tuple[tuple[np.ndarray, np.ndarray, float], ...] = ()
    # (n,) inverse curvature of each node's edges, and for how many steps it has served
    inverse: np.ndarray = field(default_factory=lambda: np.empty(0))
    age: int = 0
    trials: int = 0
    stuck: bool = False


@dataclass(frozen=True, slots=True)
class LBFGS:
    """``memory``: how many curvature pairs are kept; None takes 10, and 5 of drawings with more than 10,000 nodes."""

    memory: int | None = None
    name: str = "lbfgs"
    solves: bool = False

    def __post_init__(self) -> None:
        if self.memory is not None and self.memory < 1:
            raise InputError(f"memory must be 1 curvature pair or more, or None for the usual; given {self.memory!r}")

    def check(self, kernel, divergence) -> None:
        """Valid for every method."""

    def init(self, objective: Objective, Y: np.ndarray) -> LBFGSState:
        evaluation = objective.evaluate(Y, weights=True)
        return LBFGSState(evaluation, inverse=_inverse(objective, evaluation))

    def step(self, objective: Objective, Y: np.ndarray, state: LBFGSState) -> tuple[np.ndarray, LBFGSState]:
        now, pairs, inverse = state.evaluation, state.pairs, state.inverse
        arithmetic = Arithmetic(objective.threads, objective.compiled)
        product = arithmetic.product
        direction = _two_loops(now.gradient, pairs, inverse, arithmetic)
        slope = product(direction, now.gradient)
        if not slope < 0:
            direction, pairs = -inverse[:, None] * now.gradient, ()
            slope = product(direction, now.gradient)
        if -slope <= ROUNDING * abs(now.value):
            return Y, replace(state, pairs=pairs, stuck=True)
        renew = state.age + 1 >= RENEWAL
        found = search(objective, Y, now, direction, slope, weights=renew)
        if found is None:
            if pairs:  # the memory may mislead: once more from the gradient alone
                return self.step(objective, Y, replace(state, pairs=(), trials=state.trials + MAX_TRIALS))
            return Y, replace(state, trials=state.trials + MAX_TRIALS, stuck=True)
        then = found.evaluation
        change = then.gradient - now.gradient
        curvature, steepness = product(found.move, change), product(change, change)
        if steepness > 0 and curvature > 1e-10 * steepness * float(np.mean(inverse)):  # a tiny one squares to 0
            pairs = (*pairs, (found.move, change, curvature))[-(self.memory or pairs_kept(len(Y))) :]
        inverse, age = (_inverse(objective, then), 0) if renew else (inverse, state.age + 1)
        return found.Y, LBFGSState(then, pairs, inverse, age, state.trials + found.trials)


def pairs_kept(n: int) -> int:
    """How many curvature pairs of drawings of n nodes are kept unless it is said."""
    return 10 if n <= FIVE_PAIRS_FROM else 5


def _inverse(objective: Objective, evaluation: Evaluation) -> np.ndarray:
    return 1.0 / (4.0 * attraction_of(objective, evaluation))


def _two_loops(gradient: np.ndarray, pairs, inverse: np.ndarray, arithmetic: Arithmetic) -> np.ndarray:
    """The approximate inverse Hessian times -gradient; each pass subtracts one pair's part and looks at the next."""
    if not pairs:
        return -inverse[:, None] * gradient
    q, parts = -gradient, []
    if arithmetic.at_once(q):
        arithmetic.two_loops(q, pairs, inverse)
        return q
    newest = len(pairs) - 1
    seen = arithmetic.product(pairs[newest][0], q)
    for k in range(newest, -1, -1):
        _, change, curvature = pairs[k]
        parts.append(seen / curvature)
        seen = arithmetic.subtract(q, parts[-1], change, pairs[max(k - 1, 0)][0])
    _, change, curvature = pairs[newest]
    seen = arithmetic.scale(q, curvature / arithmetic.weighted(change, change, inverse), inverse, pairs[0][1])
    for k, part in enumerate(reversed(parts)):
        move, _, curvature = pairs[k]
        seen = arithmetic.subtract(q, seen / curvature - part, move, pairs[min(k + 1, newest)][1])
    return q
