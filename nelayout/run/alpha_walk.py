"""alpha="auto": the largest component is drawn at one order after another, and the one that suits it is kept.

Each drawing begins where the one before has ended, so that a few steps take it to its own end; only the first and the
last are drawn out.  The walk over the orders is that of ``alpha_choice``, which knows nothing of drawings.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from nelayout.alpha.choice import AlphaChoice, ExactFit, choose_order
from nelayout.divergences import alpha
from nelayout.method import Method
from nelayout.objective import Affinity
from nelayout.record.progress import Stopped, Watch
from nelayout.row_objective import RowObjective
from nelayout.run.component import Drawing, Task, draw_component

__all__ = ["WALK_STEPS", "Chosen", "at_best_alpha", "settled"]

# Most steps of each drawing on the walk.  With 20, 80 and 200 the order is the same to 0.05 on iris and wine, with 20
# on digits, at a perplexity of 20.
WALK_STEPS = 40
# Pairs that decide, at most: 8,000 give the order to 0.06, and likelihood takes a second for a million.
MOST_PAIRS = 200_000


@dataclass(frozen=True, slots=True)
class Chosen:
    """What came of the walk; ``drawing`` is the component at the chosen order."""

    method: Method
    drawing: Drawing
    choice: AlphaChoice | None
    notes: tuple[str, ...]


def settled(method: Method, order: float = 1.0) -> Method:
    """The method at a given order in place of one that is still to be chosen."""
    return method if method.choose is None else replace(method, divergence=alpha(order), choose=None)


def at_best_alpha(
    affinity: Affinity,
    task: Task,
    rng: np.random.Generator,
    watch: Watch,
    show: Callable[[np.ndarray], np.ndarray],
    start: np.ndarray | None,
    fixed: np.ndarray | None,
    into: Drawing,
) -> Chosen:
    """`draw_component` for a method whose order is to be chosen.

    ``task.max_iter`` bounds the steps of each drawing.  A run that a callback stops ends at the order it was at.
    """
    asked = task.method.choose
    assert asked is not None
    own = task.method.stages[-1]
    few = min(WALK_STEPS, own.max_iter) if task.max_iter is None else min(WALK_STEPS, task.max_iter)
    order = asked.first

    def drawn(place: np.ndarray | None, steps: int | None, name: str) -> Drawing:
        method = settled(task.method, order)
        method = replace(method, stages=(*method.stages[:-1], replace(own, name=name)))
        here = replace(task, method=method, max_iter=steps)
        return draw_component(affinity, here, rng, watch, show, place, fixed, into)

    def place_of(drawing: Drawing) -> np.ndarray:
        """Where the next drawing begins; in the caller's units where there are places to keep."""
        return drawing.Y if start is None else drawing.before

    def fit(at: float, before: Drawing | None) -> tuple[Drawing, np.ndarray, np.ndarray]:
        nonlocal order
        order, name = at, f"alpha {at:.3g}"
        if before is None:
            drawing = drawn(start, task.max_iter, name)
        else:
            drawing = drawn(place_of(before), few, name)
        objective = task.floor.objective(settled(task.method, at), affinity)
        assert isinstance(objective, RowObjective)
        given, made = objective.pairs(drawing.Y)
        every = -(-len(given) // MOST_PAIRS)
        return copy(drawing), given[::every], made[::every]

    choice, notes = None, ()
    try:
        choice, best = choose_order(fit, grid=asked.grid, estimator=asked.estimator, refine=asked.refine)
        order, notes = choice.alpha, (choice.summary, *choice.notes)
        drawn(place_of(best), task.max_iter, own.name)
    except ExactFit:
        notes = (
            f"the drawing gives the similarities back exactly, so every alpha fits equally well: {order:g} was taken",
        )
    except Stopped:
        into.reason = "stopped"
        if choice is None:
            notes = (f"the run was stopped before alpha was chosen, at alpha = {order:.3g}",)
    return Chosen(settled(task.method, order), into, choice, notes)
