"""Several starts of a small graph: the last stage of a method goes on from the lowest of them.

The way through coarse graphs finds the shape of the whole, and ends in one valley of the objective, whichever seed it
has.  SNE of can_96, 96 nodes of a finite element mesh, ends at 56.2 from four seeds of five, and from one random start
in four at 50.7.  So rough drawings are made from random places by a Gaussian, see `nelayout.run.light_starts`.  The
lowest of these, and one of random places as they are, take some steps of the objective itself; the lowest of them and
of the way's drawing, after as many steps, goes on.

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
from nelayout.run.start import random_positions
from nelayout.run.state import Component, Drawing, Run
from nelayout.stages import Descend, Stage

__all__ = ["COMPARED", "descend_from_lowest", "rough_drawings", "steps_of_starts"]

# Most rough drawings, and pairs of nodes of all of them together: 13 of can_96 take 40 ms.  One in ten of these is in
# the lowest valley of SNE: among 8 there was one for 12 seeds of 20, among 16 for 19.
ROUGH, ROUGH_PAIRS = 16, 1.2e5
# Rough drawings that take steps of the objective: one where they were made by it, but for its connection, and where
# steps are slow, under singular kernels; else three.  Beside these, random places: what a Gaussian cannot reach has the
# lowest J of JSE at kappa = 0.05 on can_96 (1.0 to 1.4 of the lowest known for one start in four; rough ones 1.5).
TRIED_ALIKE, TRIED, RANDOM = 1, 3, 1
# Steps on the objective before starts are compared with each other and with the way's drawing.  Ranks of 96 rough
# starts of can_96 after 20 steps have correlations of -0.8 to 0.6 with those of their ends, under six methods, and of
# 0.3 to 0.9 after 40.  Of the medians over seven seeds of 150 cases, 12 were more than 0.5 % above the best of five
# random starts with two rough drawings after 20 steps, 7 after 40 steps with two and random places, 5 with three.
COMPARED = 40
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
    first, (tried, plain) = _compared_after(steps), _tried(method)
    chosen = replace(run, tol=None)  # a tol of the caller's must not change which start goes on
    way, best, least = component.drawing, component.drawing, math.inf
    count = rough_drawings(P.shape[0], tried)
    rough = light_starts(P, component.affinity.mass, count, run.dim, method.connection.by_rows, run.rng)
    starts = [*rough[:tried], *(random_positions(P.shape[0], run.dim, run.rng) for _ in range(plain))]
    try:
        for number, Y in enumerate(starts, 1):
            component.drawing, name = Drawing(Y), f"start {number}: {stage.name}"
            descend(component, replace(stage, name=name), first, chosen, True)
            if (value := _value(component, method, run)) < least:
                best, least = component.drawing, value
    except Stopped:
        component.drawing = way
        raise
    component.drawing = way
    descend(component, stage, first, chosen, True)
    value = _value(component, method, run)
    lower = least < value - LOWER * abs(value) and not _good_enough(value, method, P.shape[0])
    if lower and best.reason != "collapsed":  # all points are alike
        component.drawing = best
    descend(component, stage, steps - first, run, True)


def _good_enough(value: float, method: Method, n: int) -> bool:
    """Whether J of a drawing of n nodes is so low that nothing is left to gain; never of weights in their own units."""
    rows = n if method.connection.by_rows else 1
    return not isinstance(method.connection, Fixed) and abs(value) <= GOOD_ENOUGH * rows


def steps_of_starts(stage: Stage, steps: int, method: Method) -> int:
    """Most steps that `descend_from_lowest` takes beside those of the stage."""
    return sum(_tried(method)) * _compared_after(steps) if isinstance(stage, Descend) and stage.starts else 0


def _compared_after(steps: int) -> int:
    """Steps after which starts are compared with each other and with the way: one is left to whichever goes on."""
    return max(min(COMPARED, steps - 1), 0)


def rough_drawings(n: int, least: int) -> int:
    """How many rough drawings of n nodes are made."""
    return max(least, min(ROUGH, int(ROUGH_PAIRS // n**2)))


def _tried(method: Method) -> tuple[int, int]:
    """How many rough drawings, and how many of random places, take steps of the objective."""
    alike = method.kernel.a == 0 and method.divergence == i_divergence()
    return (TRIED_ALIKE, 0) if alike or method.kernel.singular else (TRIED, RANDOM)


def _value(component: Component, method: Method, run: Run) -> float:
    """J at a component's drawing; infinity where floats know none."""
    objective = run.sums.objective(method, component.affinity)
    value = objective.evaluate(component.drawing.Y, gradient=False).value
    return value if math.isfinite(value) else math.inf
