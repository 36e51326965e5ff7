"""Majorization and L-BFGS on a batch of graphs: the steps and the rest of `minimize`, for each graph on its own.

In each round every graph is tried once: where J has fallen enough the step is taken, elsewhere the next round tries
a shorter one (a larger rho).  So no graph waits for the line search of another, and a graph that rests leaves the
batch.  A hundred graphs of ten nodes take as many calls as one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nelayout.objective.batch import BatchEvaluation, BatchObjective
from nelayout.optimizers.limited_memory import RENEWAL, ROUNDING, pairs_kept
from nelayout.optimizers.line_search import HELD, LONGEST, SHORTEST, SUFFICIENT
from nelayout.optimizers.line_search import MAX_TRIALS as MOST_SHORTER
from nelayout.optimizers.majorization import MAX_TRIALS as MOST_RHOS
from nelayout.optimizers.majorization import SMALLEST_RHO, Majorize
from nelayout.optimizers.minimize import Rest
from nelayout.optimizers.step import attracting

__all__ = ["BATCH_STEPS", "BatchEnd", "BatchReport", "minimize_batch"]

# A batch from which at most this part of its graphs still moves is cut down to these.
THINNED = 0.8
# Reasons to rest by their numbers in the rounds; 0 is none.
REASONS = np.array(["", "converged", "lull", "collapsed"], dtype=object)
MOVING, CONVERGED, LULL, COLLAPSED = range(len(REASONS))

# Of the entries of an evaluation without the attraction of edges.
NO_MASK = np.zeros(0, dtype=bool)

# Given the sum of all values, a function that gives the positions of all graphs, and whether the round was in vain: the
# graph with the most steps to come has taken none, and there will be a round more.
BatchReport = Callable[[float, Callable[[], np.ndarray], bool], None]


@dataclass(frozen=True, slots=True)
class BatchEnd:
    """Positions (n, d), J (C,) there (infinite if no step was to be taken), and the reasons (C,) of the end."""

    Y: np.ndarray
    value: np.ndarray
    reason: np.ndarray


class _Majorize:
    """The steps of `Majorize`."""

    plain = Majorize()
    weighs = True

    def __init__(self, objective: BatchObjective, now: BatchEvaluation, dim: int) -> None:
        pull = objective.edges.row_sums(attracting(now.weights))
        mean = objective.parts.mean(pull)
        self.rho = 4.0 * np.where(mean > 0, mean, 1.0)
        self.trials = np.zeros(len(mean), dtype=int)

    def propose(
        self, objective: BatchObjective, now: BatchEvaluation, live: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Moves (n, d) of the live graphs, and which of them (C,) have none left to try."""
        from nelayout.numerics import segment_loops

        edges, parts, mass = objective.edges, objective.parts, objective.affinity.mass
        weights = attracting(now.weights)
        sums = edges.row_sums(weights)
        self.rho = np.maximum(self.rho, SMALLEST_RHO * 4.0 * parts.mean(sums))
        ridge = (self.rho / parts.mean(mass))[parts.of] * mass + now.stiffness
        move, residual = np.zeros_like(now.gradient), -now.gradient
        direction, product, room = np.empty_like(move), np.empty_like(move), np.empty((6, move.shape[1]))
        segment_loops.solve_each(
            edges.indptr, edges.indices, weights, 4.0, ridge, np.ones(len(mass)), 1.0 / (4.0 * sums + ridge),
            self.plain.tolerance, self.plain.inner, parts.starts, live, move, residual, direction, product, room
        )
        return move, self.trials >= MOST_RHOS

    def judge(self, objective: BatchObjective, now: BatchEvaluation, then: BatchEvaluation) -> np.ndarray:
        """Which graphs (C,) take the step."""
        good = np.isfinite(then.value) & (then.value <= now.value)
        first = self.trials == 0
        larger = np.where(self.trials < 3, 2.0, 4.0)
        self.rho = np.where(good, np.where(first, self.rho / 2.0, self.rho), larger * self.rho)
        self.trials = np.where(good, 0, self.trials + 1)
        return good

    def take(self, kept: np.ndarray, rows: np.ndarray) -> None:
        self.rho, self.trials = self.rho[kept], self.trials[kept]


class _LBFGS:
    """The steps of `LBFGS`; ``weighs``: whether the next evaluation is to have the attraction of the edges."""

    def __init__(self, objective: BatchObjective, now: BatchEvaluation, dim: int) -> None:
        n, count, slots = len(objective.parts.of), len(objective.parts.sizes), pairs_kept(0)
        self.moves, self.changes = np.zeros((slots, n, dim)), np.zeros((slots, n, dim))
        self.curvatures, self.counts = np.ones((slots, count)), np.zeros(count, dtype=np.int64)
        self.inverse, self.age = _inverse(objective, now), 0
        self.direction, self.slope = np.zeros((n, dim)), np.zeros(count)
        self.length, self.trials = np.ones(count), np.zeros(count, dtype=int)

    def propose(
        self, objective: BatchObjective, now: BatchEvaluation, live: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Moves (n, d) of the live graphs, and which of them (C,) have none left to try."""
        from nelayout.numerics import segment_loops

        vain = self.trials >= MOST_SHORTER  # the memory may mislead: once more from the gradient alone
        stuck = vain & (self.counts == 0)
        self.counts[vain] = 0
        self.trials[vain] = 0
        fresh = live & (self.trials == 0)
        segment_loops.directions(
            _twice(now.gradient), _twice(self.moves)[1], _twice(self.changes), self.curvatures, self.counts,
            self.inverse, objective.parts.starts, fresh, _twice(self.direction), self.slope, np.empty(len(self.moves))
        )
        self.length[fresh] = 1.0
        # Nothing is left to gain from here, or where a step failed that promised next to nothing.
        stuck |= live & (-self.length * self.slope <= ROUNDING * (1.0 + np.abs(now.value)))
        return (self.length * live)[objective.parts.of][:, None] * self.direction, stuck

    @property
    def weighs(self) -> bool:
        return self.age + 1 >= RENEWAL

    def judge(self, objective: BatchObjective, now: BatchEvaluation, then: BatchEvaluation) -> np.ndarray:
        """Which graphs (C,) take the step."""
        from nelayout.numerics import segment_loops

        rise, promised = then.value - now.value, self.length * self.slope
        finite = np.isfinite(then.value)
        good = finite & (rise <= SUFFICIENT * promised)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            shorter = np.clip(-promised / (2.0 * (rise - promised)), SHORTEST, LONGEST)
        segment_loops.remember(
            self.direction, self.length, now.gradient, then.gradient, self.moves, self.changes, self.curvatures,
            self.counts, self.inverse, objective.parts.starts, good
        )
        self.length = np.where(good, self.length, self.length * np.where(finite, shorter, HELD))
        self.trials = np.where(good, 0, self.trials + 1)
        self.age += 1
        if self.age >= RENEWAL:
            self.inverse = np.where(good[objective.parts.of], _inverse(objective, then), self.inverse)
            self.age = 0
        return good

    def take(self, kept: np.ndarray, rows: np.ndarray) -> None:
        self.moves, self.changes = (np.compress(rows, each, axis=1) for each in (self.moves, self.changes))
        self.curvatures, self.counts = np.compress(kept, self.curvatures, axis=1), self.counts[kept]
        self.inverse, self.direction, self.slope = self.inverse[rows], self.direction[rows], self.slope[kept]
        self.length, self.trials = self.length[kept], self.trials[kept]


# The optimizers that a batch is drawn by, under the names of `OPTIMIZERS`.
BATCH_STEPS = {"majorize": _Majorize, "lbfgs": _LBFGS}


def _twice(array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An array (..., n, d) as it is, and as (..., n d) of the same memory."""
    return array, array.reshape(*array.shape[:-2], -1)


def _inverse(objective: BatchObjective, now: BatchEvaluation) -> np.ndarray:
    """`limited_memory._inverse` for each graph."""
    pull = objective.edges.row_sums(attracting(now.weights)) + 0.25 * now.stiffness
    mean = objective.parts.mean(pull)
    return 1.0 / (4.0 * np.maximum(pull, np.where(mean > 0, mean, 1.0)[objective.parts.of]))


class _Resting:
    """The rule of rest for each graph: its last moves and values."""

    def __init__(self, rest: Rest, value: np.ndarray) -> None:
        self.rest, self.first = rest, value
        self.moves = np.full((rest.window, len(value)), np.inf)
        self.values = np.full((rest.lull + 1, len(value)), np.nan)
        self.values[-1] = value
        self.calm = np.zeros(len(value), dtype=int)

    def after(
        self, taken: np.ndarray, now: BatchEvaluation, moved: np.ndarray, radius: np.ndarray, unbalance: np.ndarray
    ) -> np.ndarray:
        """Numbers (C,) of the `REASONS` to rest after a round in which graphs of the mask ``taken`` have moved."""
        rest = self.rest
        reason = np.zeros(len(taken), dtype=np.int8)
        if rest.force > 0:
            self.calm = np.where(taken, np.where(unbalance <= rest.force, self.calm + 1, 0), self.calm)
            reason[taken & (self.calm >= rest.window)] = CONVERGED
        if rest.gain is not None:  # not a number before there are enough values: false
            self.values = np.where(taken, np.vstack([self.values[1:], now.value]), self.values)
            gained = np.abs(self.values[0] - self.values[-1])
            reason[taken & (gained <= rest.gain * (self.first - self.values[-1]))] = LULL
        if rest.move > 0:
            self.moves = np.where(taken, np.vstack([self.moves[1:], moved]), self.moves)
            reason[taken & (self.moves.max(axis=0) < rest.move)] = CONVERGED
        reason[radius < rest.point] = COLLAPSED
        return reason

    def take(self, kept: np.ndarray) -> None:
        self.first, self.moves, self.values = self.first[kept], self.moves[:, kept], self.values[:, kept]
        self.calm = self.calm[kept]


def minimize_batch(
    objective: BatchObjective, Y: np.ndarray, optimizer: str, max_iter: int, rest: Rest,
    report: BatchReport | None = None,
) -> BatchEnd:
    """Take steps from Y (n, d) until every graph of the batch rests, at most ``max_iter`` for each.

    optimizer  a name of `BATCH_STEPS`
    report     is called after each round
    """
    count = len(objective.parts.sizes)
    end = BatchEnd(Y.copy(), np.full(count, np.inf), np.full(count, "max_iter", dtype=object))
    if max_iter <= 0 or not count:
        return end
    parts, places, rows = objective.parts, np.arange(count), np.arange(len(Y))
    now = objective.evaluate(Y, weights=True)
    steps = BATCH_STEPS[optimizer](objective, now, Y.shape[1])
    resting, live, made = _Resting(rest, now.value), np.ones(count, dtype=bool), np.zeros(count, dtype=int)
    sized = rest.move > 0 or rest.point > 0 or rest.force > 0
    radius, end.value[:] = parts.radius(Y) if sized else np.zeros(count), now.value

    def latest() -> np.ndarray:
        end.Y[rows] = Y
        return end.Y

    while True:
        move, stuck = steps.propose(objective, now, live)
        stuck &= live
        candidate = Y + move
        then = objective.evaluate(candidate, weights=steps.weighs)
        taken = steps.judge(objective, now, then) & live & ~stuck
        of_rows = taken[parts.of]
        before, radius_before = Y, radius
        Y = np.where(of_rows[:, None], candidate, Y)
        now = now.updated(then, taken, of_rows, of_rows[objective.edges.rows] if len(then.weights) else NO_MASK)
        left, made = max_iter - made[live].min(), made + taken
        moved, unbalance = np.zeros(len(taken)), np.full(len(taken), np.inf)
        if sized:
            radius = parts.radius(Y)
        if rest.move > 0:
            moved = _moved(objective, Y, radius, before, radius_before)
        if rest.force > 0:
            unbalance = _unbalance(objective, now, radius, Y.shape[1])
        reason = resting.after(taken, now, moved, radius, unbalance)
        at_rest = (resting.calm > 0) | (rest.force == 0)
        reason = np.where(stuck & (reason == MOVING), np.where(at_rest, CONVERGED, LULL), reason)
        rests = live & (reason != MOVING)
        end.value[places] = now.value
        end.reason[places[rests]] = REASONS[reason[rests]]
        live = live & ~rests & (made < max_iter)
        if report is not None:
            vain = live.any() and max_iter - made[live].min() == left
            report(float(np.sum(end.value)), latest, bool(vain))
        if not live.any():
            latest()
            return end
        if np.count_nonzero(live) <= THINNED * len(live):
            latest()
            objective, kept, entries = objective.take(live)
            steps.take(live, kept)
            resting.take(live)
            now, Y, rows = now.take(live, kept, entries), Y[kept], rows[kept]
            parts, places, radius, made = objective.parts, places[live], radius[live], made[live]
            live = np.ones(len(places), dtype=bool)


def _moved(
    objective: BatchObjective, Y: np.ndarray, radius: np.ndarray, before: np.ndarray, radius_before: np.ndarray
) -> np.ndarray:
    """(C,) root mean squared moves in typical distances between nodes, growth and shifts left out."""
    parts = objective.parts
    sound = (radius > 0) & (radius_before > 0)
    now = np.where(sound, 1.0 / np.where(sound, radius, 1.0), 0.0)
    then = np.where(sound, 1.0 / np.where(sound, radius_before, 1.0), 0.0)
    return parts.spread(Y, before, now, then) * parts.sizes ** (1.0 / Y.shape[1])


def _unbalance(objective: BatchObjective, now: BatchEvaluation, radius: np.ndarray, d: int) -> np.ndarray:
    """(C,) `minimize`'s measure of what each J would lose by the gradient, in parts of J or of its strength."""
    sizes = objective.parts.sizes
    squares = objective.parts.sum(np.sum(now.gradient * now.gradient, axis=1))
    whole = np.minimum(now.strength, np.abs(now.value))
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.sqrt(sizes * squares) * radius / sizes ** (1.0 / d) / whole
    return np.where(whole > 0, found, np.inf)
