"""Several starts of a small graph: the last stage of a method goes on from the lowest of them.

The way through coarse graphs finds the shape of the whole, and ends in one valley of the objective, whichever seed it
has.  SNE of can_96, 96 nodes of a finite element mesh, ends at 56.2 from four seeds of five, and from one random start
in four at 50.7.  So rough drawings are made from random places by a Gaussian, see `nelayout.run.light_starts`.  The
lowest of these take some steps of the objective itself; the lowest then has as many steps again, and the lower of it
and of the way's drawing, after as many steps, goes on.

Which drawing goes on is decided after a number of steps that no ``tol`` changes, so that more steps, or a smaller
``tol``, never end higher.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from nelayout.connections import Fixed
from nelayout.divergences import i_divergence
from nelayout.method_record import Method
from nelayout.record.progress import Stopped
from nelayout.run.levels import method_of
from nelayout.run.light_starts import light_starts
from nelayout.run.state import Component, Drawing, Run
from nelayout.stages import Descend, Stage

__all__ = ["descend_from_lowest", "rough_drawings", "steps_of_starts"]

# Most rough drawings, and pairs of nodes of all of them together: 13 of can_96 take 40 ms.  One in ten of these is in
# the lowest valley of SNE: among 8 there was one for 12 seeds of 20, among 16 for 19.
ROUGH, ROUGH_PAIRS = 16, 1.2e5
# Rough drawings that take steps of the objective: one where they were made by it, but for its connection, and where
# steps are slow, under singular kernels; else two.
TRIED_ALIKE, TRIED = 1, 2
# Steps of a start on the objective before the starts are compared, and before the lowest is compared with the way's
# drawing: after 20 steps starts stand in the order of their ends (correlations of 0.6 to 0.99 on can_96 and karate).
FIRST_STEPS, THEN_STEPS = 20, 40
# A start must be lower than the way's drawing by this part of |J|: lower by less is the same minimum.
LOWER = 1e-4
# Nats of a divergence, of that of each row where rows are compared alone, below which the way's drawing is good enough:
# SNE of a path goes to 0 as it grows, and after the first steps a folded path of 40 nodes has 1e-3 in a row, the
# straight one, which ends lower, 4e-3 (NeRV 6e-3).  can_96 has 0.5 in a row, karate 0.6 under JSE.
GOOD_ENOUGH = 1e-2

# Take a component's drawing through a stage of so many steps of a run; True: it is the method's last.
Way = Callable[[Component, Descend, int, Run, bool], None]


def descend_from_lowest(component: Component, stage: Descend, steps: int, run: Run, descend: Way) -> None:
    """Take ``steps`` of a stage from the lowest of the component's drawing and of other starts."""
    method, P = method_of(stage, run.method), component.affinity.P
    (first, then), tried = _compared_after(steps), _tried(method)
    chosen = replace(run, tol=None)  # a tol of the caller's must not change which start goes on
    way, best, least, which = component.drawing, component.drawing, math.inf, ""
    count = rough_drawings(P.shape[0], tried)
    rough = light_starts(P, component.affinity.mass, count, run.dim, method.connection.by_rows, run.rng)
    try:
        for number, Y in enumerate(rough[:tried], 1):
            component.drawing, name = Drawing(Y), f"start {number}: {stage.name}"
            descend(component, replace(stage, name=name), first, chosen, True)
            if (value := _value(component, method, run)) < least:
                best, least, which = component.drawing, value, name
        if math.isfinite(least):
            component.drawing = best
            descend(component, replace(stage, name=which), then - first, chosen, True)
            best, least = component.drawing, _value(component, method, run)
    except Stopped:
        component.drawing = way
        raise
    component.drawing = way
    descend(component, stage, then, chosen, True)
    value = _value(component, method, run)
    lower = least < value - LOWER * abs(value) and not _good_enough(value, method, P.shape[0])
    if lower and best.reason != "collapsed":  # all points are alike
        component.drawing = best
    descend(component, stage, steps - then, run, True)


def _good_enough(value: float, method: Method, n: int) -> bool:
    """Whether J of a drawing of n nodes is so low that nothing is left to gain; never of weights in their own units."""
    rows = n if method.connection.by_rows else 1
    return not isinstance(method.connection, Fixed) and abs(value) <= GOOD_ENOUGH * rows


def steps_of_starts(stage: Stage, steps: int, method: Method) -> int:
    """Most steps that `descend_from_lowest` takes beside those of the stage."""
    first, then = _compared_after(steps)
    return _tried(method) * first + then - first if isinstance(stage, Descend) and stage.starts else 0


def _compared_after(steps: int) -> tuple[int, int]:
    """Steps after which starts are compared with each other, and with the way: one is left to whichever goes on."""
    then = max(min(THEN_STEPS, steps - 1), 0)
    return min(FIRST_STEPS, then), then


def rough_drawings(n: int, least: int) -> int:
    """How many rough drawings of n nodes are made."""
    return max(least, min(ROUGH, int(ROUGH_PAIRS // n**2)))


def _tried(method: Method) -> int:
    """How many rough drawings take steps of the objective."""
    alike = method.kernel.a == 0 and method.divergence == i_divergence()
    return TRIED_ALIKE if alike or method.kernel.singular else TRIED


def _value(component: Component, method: Method, run: Run) -> float:
    """J at a component's drawing; infinity where floats know none."""
    objective = run.sums.objective(method, component.affinity)
    value = objective.evaluate(component.drawing.Y, gradient=False).value
    return value if math.isfinite(value) else math.inf
