"""Limited-memory BFGS (Nocedal & Wright 2006, ch. 7), preconditioned by each node's edges.

The first inverse Hessian H is diagonal, gradient / (4 w_i) with w_i the sum of a node's attractions, scaled by the last
curvature pair.  Pairs without positive curvature are left out.

The direction is the product of the two loops in closed form (Byrd, Nocedal & Schnabel 1994).  With the moves S, the
changes of gradient Z, both oldest first, R the upper triangle of S Z^T, D its diagonal, and K = R^-1,

    a = K S q,    q' = H (q - Z^T a),    c = K^T (D a - Z q'),    direction = q' + S^T c,        q = -gradient:

three passes over the memory; their sums can be taken over blocks of rows.  A new pair adds a column to K; the oldest
pair takes its row and column with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nelayout.core.catalogue.stages import LARGE_GRAPH
from nelayout.core.optimizers.line_search import MAX_TRIALS, Trial, tried
from nelayout.core.optimizers.step import Minimizable, attraction_of
from nelayout.core.record.evaluation import Evaluation
from nelayout.errors import InputError
from nelayout.numerics.arithmetic import Arithmetic

__all__ = ["LBFGS", "pairs_kept"]

# Steps after which the diagonal is taken from the current positions again.
RENEWAL = 10
# A predicted decrease below this fraction of J, or of its edges' strength, is rounding: J is at its minimum.
ROUNDING = 1e-13
# Least curvature of a pair, in parts of that which the diagonal has along its change of gradient.
LEAST_CURVATURE = 1e-10
# Least curvature that floats can divide by.
SMALLEST = float(np.finfo(float).tiny)

# See `LBFGS`.
Limit = Callable[[Minimizable, Any, Evaluation, Trial], Trial]


class Memory(NamedTuple):
    """Curvature pairs in slots, one more than pairs; a step writes into the empty slot."""

    moves: Any  # (m, n, d); in single precision in a large graph
    changes: Any  # the same
    inverted: np.ndarray  # (m, m): K, 0 at slots without a pair
    curvature: np.ndarray  # (m,): D
    scale: float = 1.0  # what the diagonal is multiplied by
    unit: float = 1.0  # a factor of gradients, so that their changes stay in the range of single precision
    slot: int = 0  # the free one

    @classmethod
    def empty(cls, Y: Any, pairs: int, steepest: float | None = None) -> Memory:
        """Return an empty memory of ``pairs`` pairs; single precision with a largest gradient."""
        m, real = pairs + 1, Y.dtype if steepest is None else np.float32
        unit = 0.5 ** math.frexp(steepest)[1] if steepest is not None and 0 < steepest < math.inf else 1.0
        moves, changes = (np.empty_like(Y, shape=(m, *Y.shape), dtype=real) for _ in range(2))
        moves[:], changes[:] = 0.0, 0.0
        return cls(moves, changes, np.zeros((m, m)), np.zeros(m), unit=unit)

    def direction(self, sums: Arithmetic, gradient: Any, inverse: Any) -> Any:
        """Return the approximate inverse Hessian times -gradient."""
        K, q = self.inverted, -self.unit * gradient
        a = K.dot(sums.products(self.moves, q))
        sums.add(q, self.changes, -a)
        q *= (self.scale / self.unit * inverse)[:, None]
        c = K.T.dot(self.curvature * a - sums.products(self.changes, q))
        sums.add(q, self.moves, c)
        return q

    def with_pair(self, sums: Arithmetic, move: Any, change: Any, inverse: Any) -> Memory:
        """Return the memory with a step's pair, if J curves upward along it."""
        p, change = self.slot, self.unit * change
        self.moves[p], self.changes[p] = move, change
        across = sums.products(self.moves, change)
        weighted, curvature = sums.product(change, inverse[:, None] * change) / self.unit, float(across[p])
        if not (weighted > 0 and curvature > LEAST_CURVATURE * weighted and curvature > SMALLEST):
            return self
        K, D, free = self.inverted.copy(), self.curvature.copy(), (p + 1) % len(self.moves)
        column = K.dot(-across)
        column[p] = 1.0
        K[:, p] = column / curvature
        D[p] = curvature
        K[free], K[:, free] = 0.0, 0.0
        return Memory(self.moves, self.changes, K, D, curvature / weighted, self.unit, free)

    def forgotten(self) -> Memory:
        """Return the memory without pairs: the next direction is from the gradient alone."""
        return self._replace(inverted=np.zeros_like(self.inverted), scale=1.0)


class LBFGSState(NamedTuple):
    """See `nelayout.core.optimizers.step.State`.

    ``inverse`` (n,): the diagonal; ``age``: steps since it was taken.
    """

    evaluation: Evaluation
    memory: Memory
    trial: Trial
    inverse: Any
    taken: bool = True
    stuck: bool = False
    age: int = 0


@dataclass(frozen=True, slots=True)
class LBFGS:
    """``memory``: number of curvature pairs; None: 10, and 5 for more than 10,000 nodes.

    ``limit``: a function of the objective, Y, J there and each new trial; it returns the trial to make instead.
    """

    memory: int | None = None
    limit: Limit | None = None
    name: str = "lbfgs"

    def __post_init__(self) -> None:
        if self.memory is not None and self.memory < 1:
            raise InputError(f"memory must be 1 curvature pair or more, or None for the usual; given {self.memory!r}")

    def check(self, kernel, divergence) -> None:
        """Valid for every method."""

    def init(self, objective: Minimizable, Y: Any) -> LBFGSState:
        now, Y = objective.evaluate(Y, attraction=True), objective.to_device(Y)
        large = isinstance(Y, np.ndarray) and objective.arithmetic.compiled and len(Y) > LARGE_GRAPH
        steepest = float(np.max(np.abs(now.gradient))) if large else None
        memory = Memory.empty(Y, self.memory or pairs_kept(len(Y)), steepest)
        return LBFGSState(now, memory, Trial(np.zeros_like(Y), 0.0), _inverse(now))

    def again(self, objective: Minimizable, Y: Any, state: LBFGSState) -> LBFGSState:
        """Return the state at other positions or with other held coordinates; the memory stays."""
        still = Trial(np.zeros_like(Y), 0.0)
        return state._replace(evaluation=objective.evaluate(Y), trial=still, taken=True, stuck=False)

    def step(self, objective: Minimizable, Y: Any, state: LBFGSState) -> tuple[Any, LBFGSState]:
        now, memory, trial, inverse, _, stuck, age = state
        if trial.failed >= MAX_TRIALS:  # the memory may mislead: once more from the gradient alone
            stuck = stuck or not np.any(memory.inverted)
            memory, trial = memory.forgotten(), trial._replace(failed=0)
        if trial.failed == 0:
            trial, memory = _aimed(objective, now, memory, inverse)
            if self.limit is not None:
                trial = self.limit(objective, Y, now, trial)
        promised = -trial.length * trial.slope  # a strength that is not known is NaN
        if stuck or promised <= ROUNDING * abs(now.value) or promised <= ROUNDING * now.strength:
            return Y, LBFGSState(now, memory, trial, inverse, False, True, age)
        renew = age + 1 >= RENEWAL
        Y, move, then, trial, taken = tried(objective, Y, now, trial, attraction=renew)
        if not taken:
            return Y, LBFGSState(now, memory, trial, inverse, False, False, age)
        if renew:
            inverse = _inverse(then)
        memory = memory.with_pair(objective.arithmetic, move, then.gradient - now.gradient, inverse)
        return Y, LBFGSState(then, memory, trial._replace(failed=0), inverse, True, False, 0 if renew else age + 1)


def pairs_kept(n: int) -> int:
    """Return the number of curvature pairs for n nodes: ten are slow on a large graph."""
    return 10 if n <= LARGE_GRAPH else 5


def _inverse(evaluation: Evaluation) -> Any:
    """(n,) inverse curvature of each node's edges."""
    return 1.0 / (4.0 * attraction_of(evaluation))


def _aimed(objective: Minimizable, now: Evaluation, memory: Memory, inverse: Any) -> tuple[Trial, Memory]:
    """Return the first trial along a new direction, and the memory.

    If the memory points uphill, the direction is from the gradient alone.
    """
    sums = objective.arithmetic
    direction = memory.direction(sums, now.gradient, inverse)
    slope = sums.product(direction, now.gradient)
    if not slope < 0:
        direction, memory = -inverse[:, None] * now.gradient, memory.forgotten()
        slope = sums.product(direction, now.gradient)
    return Trial(direction, slope), memory
