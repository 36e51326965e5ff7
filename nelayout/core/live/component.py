"""One connected graph of an open drawing, in the units of its own objective.

A component remembers its minimizer between steps.  Its positions X are about the origin; X / unit + shift are the
positions in the picture.  A component that moves as a whole changes its shift alone, so that J keeps its bits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from nelayout.core.catalogue.record import Method
from nelayout.core.catalogue.stages import BALANCED, SLOW
from nelayout.core.live.steady import Steady, shortened, within_reach
from nelayout.core.objective import Affinity
from nelayout.core.optimizers import LBFGS
from nelayout.core.optimizers.minimize import Monitor, StoppingRule
from nelayout.core.passes.drawing import Summation
from nelayout.core.passes.passes import POINT
from nelayout.core.passes.placement import stir_flat

__all__ = ["Component", "Minimized"]

# Part of all decrease since the last edit that ten steps bring at rest: less than in layouts, because an edit raises J
# far more than the last steps lower it.
LULL = SLOW / 10
# Part of J that each of several steps brings at rest, at most: a large map would creep on for minutes otherwise.
CALM = 3e-6
# At rest, no node has moved farther in each of so many steps in a row, in parts of the reach: a node on a long way
# across a large drawing hardly changes J.
STILL, STILL_STEPS = 0.05, 5


@dataclass(frozen=True, slots=True)
class Minimized:
    """The objective of a component: a method, and the factor on its edges."""

    method: Method
    exaggeration: float = 1.0


@dataclass(eq=False)
class Component:
    """A connected graph that descends.

    nodes     (k,) rows of the whole graph
    ids       (k,) numbers that the nodes keep while rows change
    minimized the objective; None: a single node, which only moves as a whole
    affinity  similarities and masses
    X         (k, d) positions in the units of the objective
    unit      factor from the picture to X
    shift     (d,) the origin of X in the picture
    target    (d,) where the shift is going; None: it stays
    free      (k, d) mask of the coordinates that may change; None: all
    crowded   whether it overlapped another component when it was first drawn, and may stay there
    reason    why the descent has ended; empty: it goes on
    still     steps in a row with hardly a move
    retried   whether the descent has gone on from a lull without its memory
    """

    nodes: np.ndarray
    ids: np.ndarray
    minimized: Minimized | None
    affinity: Affinity
    X: np.ndarray
    unit: float
    shift: np.ndarray
    sums: Summation
    target: np.ndarray | None = None
    free: np.ndarray | None = None
    crowded: bool = False
    reason: str = ""
    objective: Steady | None = None
    state: Any = None
    monitor: Monitor | None = None
    still: int = 0
    retried: bool = False

    def begin(self) -> None:
        """Make the objective, and evaluate it."""
        if self.minimized is None or not self.affinity.P.nnz:
            self.reason = "converged"
            return
        objective = self.sums.objective(self.minimized.method, self.affinity, self.free)
        self.objective = Steady(replace(objective, exaggeration=self.minimized.exaggeration))
        self.state, self.retried = None, False
        self._evaluate()

    def hold(self, free: np.ndarray | None) -> None:
        """Change the mask of free coordinates; the descent goes on.

        The memory of the last moves at rest is of slow waves through the whole drawing, and is dropped.
        """
        self.free, self.target = free, None if free is not None else self.target
        if self.objective is not None:
            self.objective, self.state = Steady(self.objective.objective.sharing(free=free)), None
            self.retried = False
            self._evaluate()

    def move(self, row: int, x: np.ndarray) -> None:
        """Put a held node elsewhere; the descent goes on."""
        self.X = self.X.copy()
        self.X[row] = x
        if self.objective is not None:
            self.retried = False
            self._evaluate()

    @property
    def positions(self) -> np.ndarray:
        """(k, d) in the picture."""
        return self.X / self.unit + self.shift

    @property
    def value(self) -> float:
        """J, or 0 for a single node."""
        return 0.0 if self.state is None else float(self.state.evaluation.value)

    def step(self, reach: float) -> bool:
        """Take one trial that moves no node farther than ``reach``, in the picture.

        Return True if positions have changed.
        """
        assert self.objective is not None
        assert self.monitor is not None
        before, most = self.X, reach * self.unit
        if not math.isfinite(self.state.evaluation.value):
            return self._come_back(most)
        optimizer = LBFGS(limit=partial(within_reach, reach=most))
        self.X, self.state = optimizer.step(self.objective, self.X, self.state)
        reason = self.monitor.after(self.objective, self.X, before, self.state)
        way = self.X - before
        length = math.sqrt(float(np.max(np.einsum("ij,ij->i", way, way))))
        taken = self.state.taken
        if taken:
            self.still = self.still + 1 if length <= STILL * most else 0
        rests = self.still >= STILL_STEPS or self.state.stuck or reason == "collapsed"
        self.reason = reason if rests else ""
        if self.reason == "lull" and not self.retried:  # the memory may mislead: once more without it
            self.state, self.retried = None, True
            self._evaluate()
        return taken

    def _evaluate(self) -> None:
        """Take the state at the latest positions; a descent from there begins."""
        assert self.objective is not None
        objective, optimizer = self.objective, LBFGS()
        state = self.state

        def at(X: np.ndarray) -> Any:
            return optimizer.init(objective, X) if state is None else optimizer.again(objective, X, state)

        now = at(self.X)
        if not math.isfinite(now.evaluation.value):  # perhaps nodes coincide that repel each other without bound
            self.X = stir_flat(self.X, self.free, np.random.default_rng(0))
            now = at(self.X)
        if not math.isfinite(now.evaluation.value):
            state = None  # a memory of what follows infinite values has no meaning
        self.state, self.reason = now, ""
        bounded = self.minimized is not None and not self.minimized.method.kernel.singular and self.free is None
        self.still = 0
        rule = StoppingRule(force=BALANCED, stall=LULL, calm=CALM, point=POINT if bounded else 0.0)
        self.monitor = Monitor.of(rule, objective, self.X, now.evaluation.value)

    def _come_back(self, reach: float) -> bool:
        """Move nodes that are too far for floats to the mean of their neighbors; False if none."""
        assert self.objective is not None
        lost = self.objective.evaluate(self.X, weights=True).lost
        lost = lost if self.free is None else lost[self.free[lost].all(axis=1)]
        P = self.affinity.P
        count = np.maximum(np.diff(P.indptr)[lost], 1)[:, None]
        rows = P[lost]
        rows.data = np.ones_like(rows.data)
        way = (rows @ self.X) / count - self.X[lost]
        if not way.any():
            self.reason = "lull"
            return False
        self.X = self.X.copy()
        self.X[lost] += shortened(way, reach)
        self.state = None
        self._evaluate()
        return True
