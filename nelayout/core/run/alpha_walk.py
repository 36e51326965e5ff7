"""alpha="auto": draw the largest component at several orders and keep the best order.

Each drawing begins where the one before has ended, so that a few iterations are enough.  Only the first and the last
converge.  The walk over the orders is in `nelayout.core.formula.alpha_choice`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nelayout.core.catalogue.record import Method
from nelayout.core.formula.alpha_choice import ExactFit, choose_order
from nelayout.core.formula.divergences import alpha
from nelayout.core.passes.drawing import Drawing, Part, Run
from nelayout.core.record.progress import Stopped
from nelayout.core.run.draw import draw_part
from nelayout.core.run.plan import COMPARED

__all__ = ["at_order", "draw_at_best_alpha"]

# Most pairs that decide on an order.
MAX_PAIRS = 200_000


def at_order(method: Method, order: float = 1.0) -> Method:
    """Return the method at a given order if its order is still to be chosen."""
    return method if method.choose is None else replace(method, divergence=alpha(order), choose=None)


def draw_at_best_alpha(part: Part, run: Run) -> tuple[Drawing, Run]:
    """Draw a component at its best order; return the drawing and the run with that order.

    ``run.max_iter`` bounds the iterations of each drawing.  A run that a callback stops ends at the order it was at.
    """
    walk = _Walk(part, run)
    asked, choice, notes = run.method.choose, None, ()
    assert asked is not None
    try:
        choice, best = choose_order(walk.fit, grid=asked.grid, refine=asked.refine)
        walk.order, notes = choice.alpha, (choice.summary, *choice.notes)
        walk.draw(best, run.max_iter, run.method.stages[-1].name)
    except ExactFit:
        exact = "the drawing gives the similarities back exactly, so every alpha fits equally well"
        notes = (f"{exact}: {walk.order:g} was taken",)
    except Stopped as stopped:
        walk.drawing = replace(stopped.drawing or walk.drawing, reason="stopped")
        if choice is None:
            notes = (f"the run was stopped before alpha was chosen, at alpha = {walk.order:.3g}",)
    run.notes.extend(notes)
    return walk.drawing, replace(run, method=at_order(run.method, walk.order), choice=choice)


class _Walk:
    """One component, drawn at several orders; ``order`` and ``drawing`` are the latest."""

    def __init__(self, part: Part, run: Run) -> None:
        self.part, self.run, self.drawing = part, run, Drawing.of(part, run.dim)
        assert run.method.choose is not None
        self.order = run.method.choose.first

    def fit(self, order: float, before: Drawing | None) -> tuple[Drawing, np.ndarray, np.ndarray]:
        """Draw at an order; return the drawing, and the input and drawn similarities of its pairs."""
        self.order, most = order, self.run.max_iter
        few = min(COMPARED, self.run.method.stages[-1].max_iter if most is None else most)
        self.draw(before, most if before is None else few, f"alpha {order:.3g}")
        objective = self.run.sums.on_cpu.objective(at_order(self.run.method, order), self.part.affinity)
        given, made = objective.pairs(self.drawing.Y)
        every = -(-len(given) // MAX_PAIRS)
        return self.drawing, given[::every], made[::every]

    def draw(self, before: Drawing | None, max_iter: int | None, name: str) -> None:
        """Draw at the latest order, from the drawing before; initial positions give the unit."""
        start = self.part.start
        if before is not None:
            start = before.Y if start is None else before.in_place
        method = at_order(self.run.method, self.order)
        method = replace(method, stages=(*method.stages[:-1], replace(method.stages[-1], name=name)))
        here = replace(self.part, start=start)
        drawing = draw_part(here, replace(self.run, method=method, max_iter=max_iter))
        self.drawing = replace(drawing, given=self.part)
