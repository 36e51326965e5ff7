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
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nelayout.catalogue.stages import LARGE_GRAPH
from nelayout.errors import InputError
from nelayout.objective import Evaluation, Objective
from nelayout.optimizers.line_search import MAX_TRIALS, Trial, tried
from nelayout.optimizers.step import attraction_of
from nelayout.record.evaluation import OfPairs, OfRows, Shared, chosen

__all__ = ["LBFGS", "pairs_kept"]

# Steps after which the diagonal is taken from the current positions again.
RENEWAL = 10
# A predicted decrease below this fraction of J, or of its edges' strength, is rounding: J is at its minimum.
ROUNDING = 1e-13
# Least curvature of a pair, in parts of that which the diagonal has along its change of gradient.
LEAST_CURVATURE = 1e-10
# Least curvature that floats can divide by.
SMALLEST = float(np.finfo(float).tiny)


class Memory(NamedTuple):
    """Curvature pairs in slots, one slot more than pairs; a step writes into the empty slot."""

    moves: OfPairs  # (m, n, d); in single precision in a large graph
    changes: OfPairs  # the same
    inverted: Any  # (m, m), or (C, m, m): K, 0 at slots without a pair
    curvature: Any  # (m,), or (C, m): D
    scale: Any  # what the diagonal is multiplied by
    unit: Shared = 1.0  # a factor of gradients, so that their changes stay in the range of single precision
    slot: Shared = 0  # the free one

    @classmethod
    def empty(cls, objective: Any, Y: Any, pairs: int, steepest: float | None = None) -> Memory:
        """Return an empty memory of ``pairs`` pairs; single precision with a largest gradient."""
        one, m, real = np.asarray(objective.parts.full(1.0)), pairs + 1, Y.dtype if steepest is None else np.float32
        unit = 0.5 ** math.frexp(steepest)[1] if steepest is not None and 0 < steepest < math.inf else 1.0
        moves, changes = (np.empty_like(Y, shape=(m, *Y.shape), dtype=real) for _ in range(2))
        moves[:], changes[:] = 0.0, 0.0
        K, curvature = np.zeros((*one.shape, m, m)), np.zeros((*one.shape, m))
        return cls(moves, changes, K, curvature, objective.parts.full(1.0), unit)

    def direction(self, objective: Any, gradient: Any, inverse: Any) -> Any:
        """Return the approximate inverse Hessian times -gradient."""
        sums, parts, K = objective.arithmetic, objective.parts, self.inverted
        q = -self.unit * gradient
        a = _times(K, sums.products(self.moves, q))
        sums.add(q, self.changes, -a)
        q *= (parts.spread(self.scale / self.unit) * inverse)[:, None]
        c = _times(np.swapaxes(K, -1, -2), self.curvature * a - sums.products(self.changes, q))
        sums.add(q, self.moves, c)
        return q

    def with_pair(self, objective: Any, move: Any, change: Any, inverse: Any, taken: Any) -> Memory:
        """Return the memory with a step's pair, in groups where J curves upward along it."""
        sums, parts, p = objective.arithmetic, objective.parts, self.slot
        change = self.unit * change
        self.moves[p], self.changes[p] = move, change
        across = sums.products(self.moves, change)
        weighted, curvature = sums.product(change, inverse[:, None] * change) / self.unit, across.T[p]
        sound = taken & (weighted > 0) & (curvature > LEAST_CURVATURE * weighted) & (curvature > SMALLEST)
        if not parts.any(sound):
            return self
        K, D, free = self.inverted.copy(), self.curvature.copy(), (p + 1) % len(self.moves)
        divisor = parts.where(sound, curvature, 1.0)
        column = _times(K, -across)
        column[..., p] = 1.0
        column /= divisor[..., None]
        K[..., p] = column if parts.all(sound) else np.where(np.asarray(sound)[..., None], column, 0.0)
        D[..., p] = divisor
        K[..., free, :] = 0.0
        K[..., free] = 0.0
        scale = parts.where(sound, parts.divide(curvature, weighted), self.scale)
        return Memory(self.moves, self.changes, K, D, scale, self.unit, free)

    def without(self, objective: Any, forgotten: Any) -> Memory:
        """Return the memory without the pairs of groups that restart from the gradient alone."""
        inverted = np.where(np.asarray(forgotten)[..., None, None], 0.0, self.inverted)
        return self._replace(inverted=inverted, scale=objective.parts.where(forgotten, 1.0, self.scale))


def _times(K: np.ndarray, x: np.ndarray) -> np.ndarray:
    return K.dot(x) if K.ndim == 2 else np.matmul(K, x[..., None])[..., 0]


class LBFGSState(NamedTuple):
    """See `nelayout.optimizers.step.State`; ``inverse`` (n,) has served ``age`` steps."""

    evaluation: Evaluation
    memory: Memory
    trial: Trial
    inverse: OfRows
    taken: Any = True
    stuck: Any = False
    age: Shared = 0


@dataclass(frozen=True, slots=True)
class LBFGS:
    """``memory``: number of curvature pairs; None: 10, and 5 for more than 10,000 nodes."""

    memory: int | None = None
    name: str = "lbfgs"

    def __post_init__(self) -> None:
        if self.memory is not None and self.memory < 1:
            raise InputError(f"memory must be 1 curvature pair or more, or None for the usual; given {self.memory!r}")

    def check(self, kernel, divergence) -> None:
        """Valid for every method."""

    def init(self, objective: Objective, Y: Any) -> LBFGSState:
        now, full = objective.evaluate(Y, attraction=True), objective.parts.full
        Y = objective.brought(Y)
        count = self.memory or pairs_kept(len(Y) // np.size(now.value))
        trial = Trial(np.zeros_like(Y), full(0.0), full(1.0), full(0))
        large = isinstance(Y, np.ndarray) and objective.arithmetic.compiled and len(Y) > LARGE_GRAPH
        steepest = float(np.max(np.abs(now.gradient))) if large and not np.ndim(now.value) else None
        memory = Memory.empty(objective, Y, count, steepest)
        return LBFGSState(now, memory, trial, _inverse(objective, now), full(True), full(False))

    def step(self, objective: Objective, Y: Any, state: LBFGSState) -> tuple[Any, LBFGSState]:
        now, memory, trial, inverse, _, stuck, age = state
        parts = objective.parts
        vain = trial.failed >= MAX_TRIALS
        if parts.any(vain):  # the memory may mislead: once more from the gradient alone
            stuck = stuck | (vain & ~np.any(memory.inverted, axis=(-1, -2)))
            memory = memory.without(objective, vain)
            trial = trial._replace(failed=parts.where(vain, 0, trial.failed))
        if parts.any(trial.failed == 0):
            trial, memory = _aimed(objective, now, memory, trial, inverse)
        promised = -trial.length * trial.slope  # a strength that is not known is NaN
        stuck = stuck | (promised <= ROUNDING * abs(now.value)) | (promised <= ROUNDING * now.strength)
        if parts.all(stuck):
            return Y, LBFGSState(now, memory, trial, inverse, parts.full(False), stuck, age)
        renew = age + 1 >= RENEWAL
        Y, move, then, trial, taken = tried(objective, Y, now, trial, attraction=renew)
        if not parts.any(taken):
            return Y, LBFGSState(now, memory, trial, inverse, taken, stuck, age)
        if renew:
            inverse = np.where(parts.spread(taken), _inverse(objective, then), inverse)
        memory = memory.with_pair(objective, move, then.gradient - now.gradient, inverse, taken)
        trial = trial._replace(
            length=parts.where(taken, 1.0, trial.length), failed=parts.where(taken, 0, trial.failed)
        )
        return Y, LBFGSState(then, memory, trial, inverse, taken, stuck, 0 if renew else age + 1)


def pairs_kept(n: int) -> int:
    """Return the number of curvature pairs for n nodes: ten are slow on a large graph."""
    return 10 if n <= LARGE_GRAPH else 5


def _inverse(objective: Objective, evaluation: Evaluation) -> Any:
    """(n,) inverse curvature of each node's edges."""
    return 1.0 / (4.0 * attraction_of(objective, evaluation))


def _aimed(objective: Objective, now: Evaluation, memory: Memory, trial: Trial, inverse: Any) -> tuple[Trial, Memory]:
    """Return the first trials along new directions, for groups without a current direction."""
    parts, product = objective.parts, objective.arithmetic.product
    direction = memory.direction(objective, now.gradient, inverse)
    slope = product(direction, now.gradient)
    uphill = np.logical_not(slope < 0)
    if parts.any(uphill):
        plain = -inverse[:, None] * now.gradient
        direction = np.where(parts.columns(uphill), plain, direction)
        memory = memory.without(objective, uphill)
        slope = parts.where(uphill, product(plain, now.gradient), slope)
    aimed = Trial(direction, slope, parts.full(1.0), parts.full(0))
    return chosen(objective, trial.failed == 0, aimed, trial), memory
