"""One stage: steps of one optimizer on one objective until the drawing rests."""

from __future__ import annotations

import numpy as np

from nelayout.numerics.arithmetic import Arithmetic
from nelayout.objective import Evaluation, Objective
from nelayout.optimizers import Optimizer
from nelayout.record.progress import Seen

__all__ = ["descend"]

# Moves are judged over this many steps, so that one short step ends nothing.
WINDOW = 5
# Nor is a stage worth going on with when these many steps have brought less than this part of all its decrease.
LULL, SLOW = 10, 3e-4


def descend(
    objective: Objective,
    Y: np.ndarray,
    optimizer: Optimizer,
    steps: int,
    tol: float,
    seen: Seen,
    point: float = 0.0,
) -> tuple[np.ndarray, Evaluation | None, str]:
    """Steps of one optimizer until the drawing rests or its radius falls below ``point``, at most ``steps``."""
    if steps <= 0:
        return Y, None, "max_iter"
    state = optimizer.init(objective, Y)
    arithmetic = Arithmetic(objective.threads, objective.compiled)
    moves, values, old = list[float](), [state.evaluation.value], arithmetic.radius(Y)
    for _ in range(steps):
        before = Y
        Y, state = optimizer.step(objective, Y, state)
        seen(state.evaluation.value, Y)
        size = arithmetic.radius(Y)
        if state.stuck or size < point:
            return Y, state.evaluation, "converged"
        # In typical distances, growth left out: a drawing that only grows is done (some objectives have no best size).
        moved = arithmetic.moved(Y, size, before, old) if size > 0 < old else 0.0
        moves.append(moved * len(Y) ** (1.0 / Y.shape[1]))
        old = size
        values.append(state.evaluation.value)
        lull = len(values) > LULL and abs(values[-1 - LULL] - values[-1]) < SLOW * (values[0] - values[-1])
        if (tol > 0 and lull) or (len(moves) >= WINDOW and max(moves[-WINDOW:]) < tol):
            return Y, state.evaluation, "converged"
    return Y, state.evaluation, "max_iter"
