"""alpha="auto": the largest component is drawn at one order after another, and the one that suits it is kept.

Each drawing begins where the one before has ended, so that a few steps take it to its own end; only the first and the
last are drawn out.  The walk over the orders is
that of `nelayout.formula.alpha.choice`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nelayout.catalogue.record import Method
from nelayout.formula.alpha.choice import ExactFit, choose_order
from nelayout.formula.divergences import alpha
from nelayout.objective.rows import RowObjective
from nelayout.record.progress import Stopped
from nelayout.run.component import draw_component
from nelayout.run.state import Component, Drawing, Run

__all__ = ["WALK_STEPS", "at_order", "draw_at_best_alpha"]

# Most steps of each drawing on the walk.  With 20, 80 and 200 the order is the same to 0.05 on iris and wine, with 20
# on digits, at a perplexity of 20.
WALK_STEPS = 40
# Pairs that decide, at most: 8,000 give the order to 0.06, and likelihood takes a second for a million.
MOST_PAIRS = 200_000


def at_order(method: Method, order: float = 1.0) -> Method:
    """The method at a given order in place of one that is still to be chosen."""
    return method if method.choose is None else replace(method, divergence=alpha(order), choose=None)


def draw_at_best_alpha(component: Component, run: Run) -> Run:
    """Draw a component at the order that fits it best; return the run with that order and the choice.

    ``run.max_iter`` bounds the steps of each drawing.  A run that a callback stops ends at the order it was at.
    """
    walk = _Walk(component, run)
    asked, choice, notes = run.method.choose, None, ()
    assert asked is not None
    try:
        choice, best = choose_order(walk.fit, grid=asked.grid, refine=asked.refine)
        walk.order, notes = choice.alpha, (choice.summary, *choice.notes)
        walk.draw(best, run.max_iter, run.method.stages[-1].name)
    except ExactFit:
        exact = "the drawing gives the similarities back exactly, so every alpha fits equally well"
        notes = (f"{exact}: {walk.order:g} was taken",)
    except Stopped:
        component.drawing = replace(component.drawing, reason="stopped")
        if choice is None:
            notes = (f"the run was stopped before alpha was chosen, at alpha = {walk.order:.3g}",)
    run.notes.extend(notes)
    return replace(run, method=at_order(run.method, walk.order), choice=choice)


class _Walk:
    """One component, drawn at one order after another; ``order`` is the latest."""

    def __init__(self, component: Component, run: Run) -> None:
        self.component, self.run = component, run
        assert run.method.choose is not None
        self.order = run.method.choose.first
        most = run.method.stages[-1].max_iter if run.max_iter is None else run.max_iter
        self.few = min(WALK_STEPS, most)

    def fit(self, order: float, before: Drawing | None) -> tuple[Drawing, np.ndarray, np.ndarray]:
        """The drawing at an order, from the one before, and the similarities of its pairs, given and drawn."""
        self.order, name = order, f"alpha {order:.3g}"
        self.draw(before, self.run.max_iter if before is None else self.few, name)
        objective = self.run.sums.on_cpu.objective(at_order(self.run.method, order), self.component.affinity)
        assert isinstance(objective, RowObjective)
        given, made = objective.pairs(self.component.drawing.Y)
        every = -(-len(given) // MOST_PAIRS)
        return self.component.drawing, given[::every], made[::every]

    def draw(self, before: Drawing | None, max_iter: int | None, name: str) -> None:
        """Draw at the latest order, from the drawing before; in the caller's units where there are places to keep."""
        start = self.component.start
        if before is not None:
            start = before.Y if start is None else before.in_place
        method = at_order(self.run.method, self.order)
        method = replace(method, stages=(*method.stages[:-1], replace(method.stages[-1], name=name)))
        here = replace(self.component, start=start)
        try:
            draw_component(here, replace(self.run, method=method, max_iter=max_iter))
        finally:  # also of a run that a callback stops
            self.component.drawing = here.drawing
