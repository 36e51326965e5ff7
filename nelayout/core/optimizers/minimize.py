"""The one loop: trials of an optimizer until a stopping rule holds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from nelayout.core.objective import Objective
from nelayout.core.optimizers.limited_memory import LBFGS, pairs_kept
from nelayout.core.optimizers.step import Minimizable, Optimizer, State
from nelayout.core.record.evaluation import Evaluation

__all__ = ["Keeper", "Minimized", "Monitor", "Report", "StoppingRule", "minimize", "silent"]

# Steps in a row of almost no decrease that end a run.
CALM_STEPS = 3

# Called after steps with the objective's value and all positions.
Report = Callable[[float, np.ndarray], None]


def silent(value: float, Y: np.ndarray) -> None:
    """Report nothing."""


@dataclass(frozen=True, slots=True)
class StoppingRule:
    """When a run of steps ends before its last; 0 (``stall``: None) turns a check off.

    force  "converged": a move of all nodes down the gradient by the typical distance between nodes would lower J by
           less than this fraction.  The fraction is of J, or of the strength of its edges (`objective.Evaluation`) if
           this is less.  It must hold after each of the last ``window`` steps: forces about a saddle are small, too
    move   "converged", for stages on the way: each of the last ``window`` steps moved nodes by less than this fraction
           of the typical distance between nodes, growth left out
    stall  "lull": the last ``stall_steps`` steps brought at most this fraction of all the decrease so far
    calm   "lull": each of the last ``CALM_STEPS`` steps brought at most this fraction of J, as near a minimum
    point  "collapsed": the drawing's radius is below this, it shrinks to a point
    """

    move: float = 0.0
    window: int = 5
    stall: float | None = None
    stall_steps: int = 10
    point: float = 0.0
    force: float = 0.0
    calm: float = 0.0


class Keeper(Protocol):
    """Keeps the state after a number of steps.

    `load` returns the latest state, or None.  Its argument brings arrays to the device of the objective.
    """

    def load(self, to_device: Callable[[Any], Any], /) -> Any: ...

    def store(self, steps: int, state: Any) -> None: ...


class Minimized(NamedTuple):
    """Positions (n, d), J there and the reason of the end."""

    Y: np.ndarray
    value: float
    reason: str


def minimize(
    objective: Minimizable, Y: np.ndarray, optimizer: Optimizer, max_iter: int, rule: StoppingRule,
    report: Report = silent, keeper: Keeper | None = None,
) -> Minimized:
    """Take steps from Y (n, d) until a rule ends the run, at most ``max_iter``.

    ``report`` is called after each step.  What it raises ends the run.  ``keeper`` stores the state, so that a run can
    go on from there.  The reason is one of `StoppingRule`, "lull" also where no step brings anything, or "max_iter"; J
    is infinite if no step was to be taken.
    """
    if max_iter <= 0:
        return Minimized(Y, math.inf, "max_iter")
    # a loop of a small graph takes less time than storing its state
    if isinstance(objective, Objective) and objective.in_one_loop and isinstance(optimizer, LBFGS):
        found = _in_one_loop(objective, Y, optimizer, max_iter, rule, report)
        if found is not None:
            return found
    kept = None if keeper is None else keeper.load(objective.to_device)
    if kept is None:
        state: Any = optimizer.init(objective, Y)
        monitor, made = Monitor.of(rule, objective, Y, state.evaluation.value), 0
    else:
        Y, state, monitor, made = kept
    while True:
        before = Y
        Y, state = optimizer.step(objective, Y, state)
        reason = monitor.after(objective, Y, before, state)
        if state.taken:
            made += 1
            report(state.evaluation.value, Y)
        if reason or made >= max_iter:
            return Minimized(np.asarray(Y), state.evaluation.value, reason or "max_iter")
        if keeper is not None and state.taken:
            keeper.store(made, (Y, state, monitor, made))


def _in_one_loop(
    objective: Objective, Y: np.ndarray, optimizer: LBFGS, max_iter: int, rule: StoppingRule, report: Report
) -> Minimized | None:
    """Take all steps in a compiled loop; None for an objective or a limit unknown to it."""
    graph = objective.small(Y.shape[1]) if optimizer.limit is None else None
    if graph is None:
        return None
    ends = rule.force, rule.stall, rule.point, rule.window, rule.stall_steps, rule.move
    found = graph.descend(Y, optimizer.memory or pairs_kept(len(Y)), max_iter, ends, report)
    return None if found is None else Minimized(*found)


@dataclass
class Monitor:
    """The stopping rule, and what it remembers of the steps."""

    rule: StoppingRule
    radius: float
    first: float
    values: list[float]  # J after each of the last steps, oldest first
    still: int = 0  # steps in a row of small moves
    balanced: int = 0  # steps in a row with forces in balance
    calm: int = 0  # steps in a row of almost no decrease
    value: float = math.inf  # J after the last step

    @classmethod
    def of(cls, rule: StoppingRule, objective: Minimizable, Y: Any, value: float) -> Monitor:
        """Begin at Y."""
        sized = rule.move > 0 or rule.point > 0 or rule.force > 0
        radius = objective.arithmetic.radius(Y) if sized else 0.0
        return cls(rule, radius, value, [*[math.nan] * (rule.stall_steps if rule.stall is not None else 0), value])

    def after(self, objective: Minimizable, Y: Any, before: Any, state: State) -> str:
        """Return the reason to stop after a trial; empty without a reason."""
        rule, now, radius_before, reason = self.rule, state.evaluation, self.radius, ""
        if state.stuck:
            reason = "converged" if self.balanced > 0 or rule.force == 0 else "lull"
        if not state.taken:
            return reason
        if rule.move > 0 or rule.point > 0 or rule.force > 0:
            self.radius = objective.arithmetic.radius(Y)
        if rule.force > 0:
            self.balanced = self.balanced + 1 if _unbalance(objective, now, self.radius, len(Y)) <= rule.force else 0
            if self.balanced >= rule.window:
                reason = "converged"
        if rule.stall is not None:
            self.values = [*self.values[1:], now.value]
            if abs(self.values[0] - now.value) <= rule.stall * (self.first - now.value):
                reason = "lull"
        if rule.calm > 0:
            self.calm = self.calm + 1 if self.value - now.value <= rule.calm * abs(now.value) else 0
            self.value = now.value
            if self.calm >= CALM_STEPS:
                reason = reason or "lull"
        if rule.move > 0:
            moved = objective.arithmetic.moved(Y, self.radius, before, radius_before)
            # in typical distances between nodes
            self.still = self.still + 1 if moved * len(Y) ** (1.0 / Y.shape[1]) < rule.move else 0
            if self.still >= rule.window:
                reason = "converged"
        if rule.point > 0 and self.radius < rule.point:
            reason = "collapsed"
        return reason


def _unbalance(objective: Minimizable, now: Evaluation, radius: float, n: int) -> float:
    """Return the share of J lost by a typical-distance move of all nodes down the gradient."""
    g = now.gradient
    steepness = math.sqrt(n * objective.arithmetic.product(g, g))
    whole = min(abs(now.value), now.strength)  # in this order: a strength that is not known is NaN, and J decides then
    return steepness * radius / n ** (1.0 / g.shape[1]) / whole if whole > 0 else math.inf
