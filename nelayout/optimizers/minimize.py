"""The one loop: steps of an optimizer until each drawing of a graph or a stack rests.

In each round every graph of a stack is tried once.  If J has fallen enough the step is taken.  Otherwise the next round
tries a shorter one.  So no graph waits for the line search of another, and a graph that rests leaves the stack.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from nelayout.numerics.groups import Parts, Whole
from nelayout.optimizers.step import Optimizer, State
from nelayout.record.evaluation import Evaluation, cut

__all__ = ["Keeper", "Minimized", "Report", "Rest", "minimize", "silent"]

# Reasons of an end, by number; 0: none.
REASONS = ("", "converged", "lull", "collapsed", "max_iter")
CONVERGED, LULL, COLLAPSED, MAX_ITER = 1, 2, 3, 4
# A stack is cut down to its moving graphs if they are at most this fraction of all.
THINNED = 0.8

# Called after steps with the objective's value, of a stack their sum, and all positions.
Report = Callable[[float, np.ndarray], None]


def silent(value: float, Y: np.ndarray) -> None:
    """Report nothing."""


@dataclass(frozen=True, slots=True)
class Rest:
    """When a run of steps ends before its last; 0 (``lull``: None) turns a check off.

    force  "converged": a move of all nodes down the gradient by the typical distance between nodes would lower J by
           less than this fraction.  The fraction is of J, or of the strength of its edges (`objective.Evaluation`) if
           this is less.  It must hold after each of the last ``window`` steps: forces about a saddle are small, too
    move   "converged", for stages on the way: each of the last ``window`` steps moved nodes by less than this fraction
           of the typical distance between nodes, growth left out
    lull   "lull": the last ``lull_steps`` steps brought at most this fraction of all the decrease so far
    point  "collapsed": the drawing's radius is below this, it shrinks to a point
    """

    move: float = 0.0
    window: int = 5
    lull: float | None = None
    lull_steps: int = 10
    point: float = 0.0
    force: float = 0.0


class Keeper(Protocol):
    """Keeps the state after a number of steps; `load` returns the latest state, or None."""

    def load(self) -> Any: ...

    def store(self, steps: int, state: Any) -> None: ...


class Minimized(NamedTuple):
    """Positions (n, d), J there and the reason of the end; for a stack, arrays (C,)."""

    Y: np.ndarray
    value: Any
    reason: Any


def minimize(
    objective: Any, Y: np.ndarray, optimizer: Optimizer, max_iter: int, rest: Rest, report: Report = silent,
    keeper: Keeper | None = None,
) -> Minimized:
    """Take steps from Y (n, d) until every graph rests, at most ``max_iter`` for each.

    ``report`` is called after each step; of a stack, each time that the slowest graph has taken one.  What it raises
    ends the run.  ``keeper`` stores the state, of one graph, so that a run can go on from there.  The reason is one of
    `Rest`, "lull" also where no step brings anything, or "max_iter"; J is infinite if no step was to be taken.
    """
    parts = objective.parts
    if max_iter <= 0:
        return Minimized(Y, parts.full(math.inf), parts.full("max_iter"))
    kept = None if keeper is None else keeper.load()
    if kept is None:
        state: State = optimizer.init(objective, Y)
        watch, made = _Watch.of(rest, objective, Y, state.evaluation.value), parts.full(0)
    else:
        Y, state, watch, made = kept
    end = _End(parts, Y, state.evaluation.value) if isinstance(parts, Parts) else None
    slowest = 0
    while True:
        before = Y
        Y, state = optimizer.step(objective, Y, state)
        made = made + state.taken
        reason = watch.after(objective, Y, before, state)
        ended = (reason > 0) | (made >= max_iter)
        if end is None:
            if state.taken:
                report(state.evaluation.value, Y)
            if ended:
                return Minimized(np.asarray(Y), state.evaluation.value, REASONS[reason or MAX_ITER])
            if keeper is not None and state.taken:
                keeper.store(made, (Y, state, watch, made))
            continue
        live = end.after(parts, Y, state.evaluation.value, reason, ended)
        now_slowest = int(made[live].min()) if live.any() else max_iter
        if report is not silent and now_slowest > slowest:
            end.note(parts, Y, state.evaluation.value, live)
            report(float(np.sum(end.value)), end.Y.copy())
        slowest = max(slowest, now_slowest)
        if not live.any():
            return Minimized(end.Y, end.value, np.array(REASONS, dtype=object)[end.reason])
        if np.count_nonzero(live) <= THINNED * len(live):
            state, watch = cut(objective, live, state), watch.cut(live)
            objective, rows = objective.take(live)
            parts, Y, made = objective.parts, Y[rows], made[live]
            end.cut(live, rows)


class _End:
    """Positions of all graphs of a stack, at rest or still moving."""

    def __init__(self, parts: Parts, Y: np.ndarray, value: np.ndarray) -> None:
        count = len(parts.sizes)
        self.Y, self.value, self.reason = Y.copy(), value.copy(), np.full(count, MAX_ITER)
        self.graphs, self.rows, self.live = np.arange(count), np.arange(len(Y)), np.ones(count, dtype=bool)

    def after(self, parts: Parts, Y: np.ndarray, value: np.ndarray, reason: Any, ended: np.ndarray) -> np.ndarray:
        """Note where the graphs that end are; return the mask of graphs that still move."""
        told = self.live & (reason > 0)
        self.reason[self.graphs[told]] = reason[told]
        self.note(parts, Y, value, self.live & ended)
        self.live = self.live & ~ended
        return self.live

    def note(self, parts: Parts, Y: np.ndarray, value: np.ndarray, these: np.ndarray) -> None:
        """Note where the graphs of a mask are."""
        if these.any():
            rows = slice(None) if these.all() else these[parts.of]
            self.Y[self.rows[rows]], self.value[self.graphs[these]] = Y[rows], value[these]

    def cut(self, kept: np.ndarray, rows: np.ndarray) -> None:
        """Look at the graphs of a mask alone."""
        self.graphs, self.rows, self.live = self.graphs[kept], self.rows[rows], self.live[kept]


@dataclass
class _Watch:
    """The rule of rest: what it remembers of the steps of each graph."""

    rest: Rest
    radius: Any
    first: Any
    values: list[Any]  # J after each of the last steps, oldest first
    still: Any  # steps in a row of small moves
    calm: Any  # steps in a row with forces in balance

    @classmethod
    def of(cls, rest: Rest, objective: Any, Y: Any, value: Any) -> _Watch:
        """Begin at Y."""
        full = objective.parts.full
        sized = rest.move > 0 or rest.point > 0 or rest.force > 0
        radius = objective.arithmetic.radius(Y) if sized else full(0.0)
        values = [*[full(math.nan)] * (rest.lull_steps if rest.lull is not None else 0), value]
        return cls(rest, radius, value, values, full(0), full(0))

    def after(self, objective: Any, Y: Any, before: Any, state: State) -> Any:
        """Return each graph's reason to rest after a trial; empty without a reason."""
        rest, parts, taken, now = self.rest, objective.parts, state.taken, state.evaluation
        where, reason = parts.where, parts.full(0)
        if parts.any(state.stuck):
            reason = where(state.stuck, where((self.calm > 0) | (rest.force == 0), CONVERGED, LULL), reason)
        if not parts.any(taken):
            return reason
        radius_before, sizes = self.radius, len(Y) if isinstance(parts, Whole) else parts.sizes
        if rest.move > 0 or rest.point > 0 or rest.force > 0:
            self.radius = objective.arithmetic.radius(Y)
        if rest.force > 0:
            low = _unbalance(objective, now, self.radius, sizes) <= rest.force
            self.calm = where(taken, where(low, self.calm + 1, 0), self.calm)
            reason = where(taken & (self.calm >= rest.window), CONVERGED, reason)
        if rest.lull is not None:
            pushed, every = [*self.values[1:], now.value], parts.all(taken)
            self.values = pushed if every else [where(taken, *pair) for pair in zip(pushed, self.values, strict=True)]
            gained = abs(self.values[0] - now.value)
            reason = where(taken & (gained <= rest.lull * (self.first - now.value)), LULL, reason)
        if rest.move > 0:
            moved = objective.arithmetic.moved(Y, self.radius, before, radius_before)
            low = moved * sizes ** (1.0 / Y.shape[1]) < rest.move  # in typical distances between nodes
            self.still = where(taken, where(low, self.still + 1, 0), self.still)
            reason = where(taken & (self.still >= rest.window), CONVERGED, reason)
        if rest.point > 0:
            reason = where(self.radius < rest.point, COLLAPSED, reason)
        return reason

    def cut(self, kept: np.ndarray) -> _Watch:
        """Return the memory of the graphs of a mask alone."""
        values = [value[kept] for value in self.values]
        return _Watch(self.rest, self.radius[kept], self.first[kept], values, self.still[kept], self.calm[kept])


def _unbalance(objective: Any, now: Evaluation, radius: Any, sizes: Any) -> Any:
    """Return the share of J lost by a typical-distance move of all nodes down the gradient."""
    parts, g = objective.parts, now.gradient
    steepness = np.sqrt(sizes * objective.arithmetic.product(g, g))
    # not min(): a strength that is not known is NaN, and J decides then
    whole = parts.where(now.strength < abs(now.value), now.strength, abs(now.value))
    return parts.divide(steepness * radius / sizes ** (1.0 / g.shape[1]), whole)
