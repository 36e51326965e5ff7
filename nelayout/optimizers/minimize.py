"""The one loop: steps of an optimizer until the drawing rests, of one graph or of a stack of graphs.

Every drawing of this package comes out of `minimize`: the levels and stages of a layout, the turns of variational
ft-SNE, and `nelayout.optimizers` on the caller's own objective.  When it ends is said by one rule, a `Rest`.

In each round every graph of a stack is tried once.  If J has fallen enough the step is taken, otherwise the next round
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
# A stack is cut down to the graphs that move when these are at most this part of all.
THINNED = 0.8

# Called after steps with the objective's value, of a stack their sum, and all positions.
Report = Callable[[float, np.ndarray], None]


def silent(value: float, Y: np.ndarray) -> None:
    """Report nothing."""


@dataclass(frozen=True, slots=True)
class Rest:
    """When a run of steps ends before its last; a part that is 0 (``lull``: None) is not looked at.

    force  "converged": if all nodes went down the gradient by the typical distance between nodes, J would fall, as
           the gradient has it, by less than this part of J, or of the strength of its edges (`objective.Evaluation`)
           where that is less; and so it was after each of the last ``window`` steps, for the forces about a saddle,
           two heaps of nodes, are small as well
    move   "converged", for stages on the way: each of the last ``window`` steps moved nodes by less than this part of
           the typical distance between nodes, growth left out
    lull   "lull": the last ``lull_steps`` steps brought no more than this part of all the decrease so far
    point  "collapsed": the drawing's radius is below this, it shrinks to a point
    """

    move: float = 0.0
    window: int = 5
    lull: float | None = None
    lull_steps: int = 10
    point: float = 0.0
    force: float = 0.0


class Keeper(Protocol):
    """Keeps the state of a run of steps."""

    def load(self) -> Any:
        """Return the state that was kept last; None if there is none."""
        ...

    def store(self, steps: int, state: Any) -> None:
        """Keep the state after so many steps, or leave it."""
        ...


class Minimized(NamedTuple):
    """Positions (n, d), J there and the reason of the end: a float and a word, of a stack arrays (C,) of them."""

    Y: np.ndarray
    value: Any
    reason: Any


def minimize(
    objective: Any, Y: np.ndarray, optimizer: Optimizer, max_iter: int, rest: Rest, report: Report = silent,
    keeper: Keeper | None = None,
) -> Minimized:
    """Take steps of an optimizer from Y (n, d) until every graph rests, at most ``max_iter`` for each.

    ``report`` is called after each step; of a stack, each time that the slowest graph has taken one.  What it raises
    ends the run.  ``keeper`` stores the state, of one graph, so that a run can go on from there.

    Returns
    -------
    Y, value, reason
        The positions (those on a device copied back), J there (infinite if no step was to be taken) and the reason of
        the end: one of `Rest`, "lull" also where no step brings anything, or "max_iter".
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
        """Note where the graphs that moved are; a mask of those that still do."""
        live = self.live
        rows = slice(None) if live.all() else live[parts.of]
        self.Y[self.rows[rows]], self.value[self.graphs[live]] = Y[rows], value[live]
        told = live & (reason > 0)
        self.reason[self.graphs[told]] = reason[told]
        self.live = live & ~ended
        return self.live

    def cut(self, kept: np.ndarray, rows: np.ndarray) -> None:
        """Look at the graphs of a mask alone."""
        self.graphs, self.rows, self.live = self.graphs[kept], self.rows[rows], self.live[kept]


@dataclass
class _Watch:
    """The rule of rest: what it remembers of the steps of each graph."""

    rest: Rest
    radius: Any
    first: Any
    values: np.ndarray  # J after each of the last steps, oldest first
    still: Any  # steps in a row of small moves
    calm: Any  # steps in a row with forces in balance

    @classmethod
    def of(cls, rest: Rest, objective: Any, Y: Any, value: Any) -> _Watch:
        """Begin at Y."""
        full = objective.parts.full
        sized = rest.move > 0 or rest.point > 0 or rest.force > 0
        radius = objective.arithmetic.radius(Y) if sized else full(0.0)
        values = np.stack([full(math.nan)] * (rest.lull_steps if rest.lull is not None else 0) + [value])
        return cls(rest, radius, value, values, full(0), full(0))

    def after(self, objective: Any, Y: Any, before: Any, state: State) -> Any:
        """The reason to rest of each graph after a trial; empty where there is none."""
        rest, parts, taken, now = self.rest, objective.parts, state.taken, state.evaluation
        where, reason = parts.where, parts.full(0)
        if parts.any(state.stuck):
            reason = where(state.stuck, where((self.calm > 0) | (rest.force == 0), CONVERGED, LULL), reason)
        if not parts.any(taken):
            return reason
        radius_before = self.radius
        if rest.move > 0 or rest.point > 0 or rest.force > 0:
            self.radius = objective.arithmetic.radius(Y)
        if rest.force > 0:
            low = _unbalance(objective, now, self.radius) <= rest.force
            self.calm = where(taken, where(low, self.calm + 1, 0), self.calm)
            reason = where(taken & (self.calm >= rest.window), CONVERGED, reason)
        if rest.lull is not None:
            pushed = np.concatenate([self.values[1:], np.asarray(now.value)[None]])
            self.values = where(taken, pushed, self.values)
            gained = abs(self.values[0] - now.value)
            reason = where(taken & (gained <= rest.lull * (self.first - now.value)), LULL, reason)
        if rest.move > 0:
            moved = objective.arithmetic.moved(Y, self.radius, before, radius_before)
            low = moved * _typical(parts, Y) < rest.move
            self.still = where(taken, where(low, self.still + 1, 0), self.still)
            reason = where(taken & (self.still >= rest.window), CONVERGED, reason)
        if rest.point > 0:
            reason = where(self.radius < rest.point, COLLAPSED, reason)
        return reason

    def cut(self, kept: np.ndarray) -> _Watch:
        """The memory of the graphs of a mask alone."""
        values = self.values[:, kept]
        return _Watch(self.rest, self.radius[kept], self.first[kept], values, self.still[kept], self.calm[kept])


def _typical(parts: Any, Y: Any) -> Any:
    """n^(1/d) of each graph: the radius in typical distances between nodes."""
    return (len(Y) if isinstance(parts, Whole) else parts.sizes) ** (1.0 / Y.shape[1])


def _unbalance(objective: Any, now: Evaluation, radius: Any) -> Any:
    """Part of J, or of its strength, that it would lose if all nodes went down the gradient by the typical distance."""
    parts, g = objective.parts, now.gradient
    sizes = len(g) if isinstance(parts, Whole) else parts.sizes
    steepness = parts.sqrt(sizes * objective.arithmetic.product(g, g))
    # not min(): a strength that is not known is NaN, and J decides then
    whole = parts.where(now.strength < abs(now.value), now.strength, abs(now.value))
    return parts.divide(steepness * radius / _typical(parts, g), whole)
