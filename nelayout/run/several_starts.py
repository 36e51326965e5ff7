"""Several starts of a small graph: the last stage of a method goes on from the lowest of them.

The way through coarse graphs finds the shape of the whole, and ends in one valley of the objective, whichever seed it
has.  SNE of can_96, 96 nodes of a finite element mesh, ends at 56.2 from four seeds of five, and from one random start
in four at 50.7.  So there are three other kinds of starts, of which each objective has some:

rough      random places, drawn by a Gaussian, see `nelayout.run.light_starts`; the lowest of many
merged     such a drawing of the merged graph, every node of which is about two, with which the objective has gone on
           there.  What it lets go of are edges between groups then: JSE at kappa = 0.05 of can_96 ends at 1.1 to 1.5
           of the lowest known so, 1.6 from rough drawings of the graph itself
flattened  random places in a space with one dimension more, where nodes can pass each other: after some steps of the
           objective the drawing is laid flat on its principal axes.  ws-SNE of can_96 ends within 0.3 % of the lowest
           known so from one start in four, 5 % above it on the way and from three random places of four 6 % or more

Of vectors the caller may know another (`Component.other_start`), also of more rows.

All take some steps of the objective itself; the lowest of them and of the way's drawing, after as many steps, goes on.
Slow objectives let the lowest start and the way's drawing go on together for some more where they are close.

Which drawing goes on is decided after a number of steps that neither a ``tol`` nor a ``max_iter`` changes; with no more
steps than these there is the way alone. So more steps, or a smaller ``tol``, never end higher.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from nelayout.catalogue.record import Method
from nelayout.catalogue.stages import SLOW_TAIL_SMALL, Descend, Stage
from nelayout.formula.connections import Fixed, Optimal
from nelayout.formula.divergences import i_divergence
from nelayout.objective import Affinity
from nelayout.optimizers import Optimizer, optimizer_named
from nelayout.optimizers.minimize import Rest, minimize
from nelayout.optimizers.size import size_search
from nelayout.run.coarsen import hierarchy
from nelayout.run.levels import method_of
from nelayout.run.light_starts import light_starts
from nelayout.run.start import prolong, random_positions
from nelayout.run.state import Component, Drawing, OtherStart, Run

__all__ = ["COMPARED", "descend_from_lowest", "rough_drawings", "steps_of_starts", "tried_before"]

# Most rough drawings, and pairs of nodes of all of them together: 13 of can_96 take 40 ms.  One in ten of these is in
# the lowest valley of SNE: among 8 there was one for 12 seeds of 20, among 16 for 19.
ROUGH, ROUGH_PAIRS = 16, 1.2e5


class Tried(NamedTuple):
    """How many starts of each kind take steps of an objective; ``given``: the component's own other start."""

    given: int = 0
    rough: int = 0
    merged: int = 0
    flattened: int = 0


# Objectives that have made the rough drawings themselves, but for the connection.
ALIKE = Tried(rough=1)
# Logarithms of sums, whose steps are slow.  With one rough drawing gamma-QuadLog ends 0.001 to 0.002 nats higher on
# five of nine graphs (karate, can_96, scotland, worldtrade, sktrade) and alike on the others, in three quarters of the
# time.
SCALE_FREE = Tried(rough=3)
# Other singular kernels, whose steps are as slow: PolyLog of power 3 ends in the lowest valley of football from each of
# twenty flattened starts, from one of two of the way.
SINGULAR = Tried(flattened=1)
# Other Gaussians.  The medians of JSE at kappa = 0.05 of can_96 are 1.08 of the lowest known; 1.36 with two merged ones
# and one of random places, 1.67 with two rough ones and one of random places.
GAUSSIAN = Tried(rough=1, merged=3)
# Steps on the objective of the merged graph: with 30 starts of can_96 end no lower.
MERGED_STEPS = 10
# Kernels with heavy tails.  Of the medians over five seeds of 180 cases, five were more than 0.5 % above the best of
# five random starts with three rough drawings and one of random places, three with one rough and two flattened, eight
# with three flattened alone, and one, of a Gaussian, with these five.
HEAVY = Tried(rough=2, flattened=3)
# Steps on the objective before starts are compared with each other and with the way's drawing.  Ranks of 96 rough
# starts of can_96 after 20 steps have correlations of -0.8 to 0.6 with those of their ends, under six methods, and of
# 0.3 to 0.9 after 40.  Those in space take as many before they are laid flat; after 25 they end higher.
COMPARED = 40
# A start must be lower than the way's drawing by this part of |J|: lower by less is the same minimum.
LOWER = 1e-4
# Steps that the lowest start and the way's drawing both go on where the stage is long, and the part of |J| by which the
# start may be higher before.  HSSNE of tail 2 of football ends at 1.000 to 1.001 of the lowest known so for three seeds
# of five, at 1.004 without.
FINAL, CLOSE = 120, 1e-2
# Dimensions that the sums over pairs know.
MOST_DIMENSIONS = 3
# Nats of a divergence, of that of each row where rows are compared alone, below which the way's drawing is good enough:
# SNE of a path goes to 0 as it grows, and after the first steps a folded path of 40 nodes has 1e-3 in a row, the
# straight one, which ends lower, 4e-3 (NeRV 6e-3).  can_96 has 0.5 in a row, karate 0.6 under JSE.
GOOD_ENOUGH = 1e-2

# Take a component's drawing through a stage of so many steps of a run; True: it is the method's last.
Way = Callable[[Component, Descend, int, Run, bool], None]


def descend_from_lowest(component: Component, stage: Descend, steps: int, run: Run, descend: Way) -> None:
    """Take ``steps`` of a stage from the lowest of the component's drawing and of other starts."""
    first = _compared_after(stage)
    if steps <= first:
        descend(component, stage, steps, run, True)
        return
    method, P = method_of(stage, run.method), component.affinity.P
    tried = tried_before(stage, method, component.other_start)
    final = _steps_of_final(stage, steps)
    chosen = replace(run, tol=None)  # a tol of the caller's must not change which start goes on

    def gone_on(number: int, drawing: Drawing, steps: int) -> tuple[Drawing, float]:
        """A start's drawing after so many steps, and its J."""
        component.drawing = drawing
        descend(component, replace(stage, name=f"start {number}: {stage.name}"), steps, chosen, True)
        return component.drawing, _value(component, method, run)

    best, least, number_of_best = component.drawing, math.inf, 0
    with _kept(component):
        for number, Y in enumerate(_starts(component, stage, first, run, tried), 1):
            drawn, value = gone_on(number, Drawing(Y), first)
            if value < least:
                best, least, number_of_best = drawn, value, number
    descend(component, stage, first, chosen, True)
    taken, value = first, _value(component, method, run)
    if best.reason == "collapsed" or _good_enough(value, method, P.shape[0]):  # collapsed: all points are alike
        least = math.inf
    if final and value - LOWER * abs(value) <= least <= value + CLOSE * abs(value):
        with _kept(component):
            best, least = gone_on(number_of_best, best, final)
        descend(component, stage, final, chosen, True)
        taken, value = first + final, _value(component, method, run)
    if least < value - LOWER * abs(value):
        component.drawing = best
        if number_of_best <= tried.given and component.other_start is not None:
            run.notes.append(component.other_start.said)
    rests = run.tol is None and component.drawing.reason == "converged"
    descend(component, stage, steps - taken, run, True)
    if rests and component.drawing.reason == "max_iter":  # fewer steps were left than tell that a drawing rests
        component.drawing = replace(component.drawing, reason="converged")


@contextmanager
def _kept(component: Component) -> Iterator[None]:
    """Put the component's drawing back at the end: frames for a callback replace it, a callback may stop the run."""
    way = component.drawing
    try:
        yield
    finally:
        component.drawing = way


def _starts(component: Component, stage: Descend, steps: int, run: Run, tried: Tried) -> Iterator[np.ndarray]:
    """Positions (n, dim) of each start; flattened ones take steps in space before."""
    affinity, method = component.affinity, method_of(stage, run.method)
    n = affinity.P.shape[0]
    if tried.given and component.other_start is not None:
        yield component.other_start.draw(run.observer)
    if tried.rough:
        count, by_rows = rough_drawings(n, tried.rough), method.connection.by_rows
        yield from light_starts(affinity.P, affinity.mass, count, run.dim, by_rows, run.rng)[: tried.rough]
    optimizer = run.optimizer or optimizer_named(stage.optimizer)
    for _ in range(tried.merged):
        yield _merged(affinity, method, optimizer, run)
    objective, rest = run.sums.objective(method, affinity), Rest(force=stage.tol)
    for number in range(sum(tried) - tried.flattened + 1, sum(tried) + 1):
        Y = random_positions(n, min(run.dim + 1, MOST_DIMENSIONS), run.rng)
        Y = Y * size_search(objective, Y)
        report = run.report(component, f"start {number}: {stage.name}", lambda Y: _flattened(Y, run.dim))
        yield _flattened(minimize(objective, Y, optimizer, steps, rest, report)[0], run.dim)


def _merged(affinity: Affinity, method: Method, optimizer: Optimizer, run: Run) -> np.ndarray:
    """A rough drawing of the merged graph with which the objective has gone on there, nodes beside their clusters.

    Up to 40 nodes, and stars, are not merged: theirs is another rough drawing.
    """
    cluster, coarse = None, hierarchy(affinity, run.rng, most=1)[-1]
    if coarse.affinity.P.nnz:
        affinity, cluster = coarse.affinity, coarse.cluster
    n = affinity.P.shape[0]
    Y = light_starts(
        affinity.P, affinity.mass, rough_drawings(n, 1), run.dim, method.connection.by_rows, run.rng
    )[0]
    if cluster is None:
        return Y
    objective = run.sums.objective(method, affinity)
    Y = minimize(objective, Y * size_search(objective, Y), optimizer, MERGED_STEPS, Rest())[0]
    return prolong(Y, cluster, run.rng)


def _flattened(Y: np.ndarray, dim: int) -> np.ndarray:
    """(n, dim) the places along the principal axes of positions Y (n, d).

    >>> _flattened(np.array([[3.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0]]), 1).round(6).tolist()
    [[3.0], [-3.0], [0.0], [0.0]]
    """
    centered = Y - np.sum(Y, axis=0) / len(Y)
    axes = np.linalg.eigh(centered.T @ centered)[1][:, ::-1]
    return centered @ axes[:, :dim]


def _good_enough(value: float, method: Method, n: int) -> bool:
    """Whether J of a drawing of n nodes is so low that nothing is left to gain; never of weights in their own units."""
    rows = n if method.connection.by_rows else 1
    return not isinstance(method.connection, Fixed) and abs(value) <= GOOD_ENOUGH * rows


def steps_of_starts(stage: Stage, steps: int, method: Method, other: OtherStart | None = None) -> int:
    """Most steps that `descend_from_lowest` takes beside those of the stage; ``other``: the component's other start."""
    if not isinstance(stage, Descend) or steps <= _compared_after(stage):
        return 0
    tried = tried_before(stage, method, other)
    compared = (sum(tried) + tried.flattened) * _compared_after(stage)
    return compared + _steps_of_final(stage, steps) + (0 if other is None else other.steps)


def _compared_after(stage: Descend) -> int:
    """Steps after which starts are compared with each other and with the way: one is left to whichever goes on."""
    return max(min(COMPARED, stage.max_iter - 1), 0)


def _steps_of_final(stage: Descend, steps: int) -> int:
    """Steps after which the lowest start is compared with the way once more; 0 where it is not."""
    slow = stage.starts and stage.max_iter >= SLOW_TAIL_SMALL
    return FINAL if slow and steps > _compared_after(stage) + FINAL else 0


def rough_drawings(n: int, least: int) -> int:
    """How many rough drawings of n nodes are made."""
    return max(least, min(ROUGH, int(ROUGH_PAIRS // n**2)))


def tried_before(stage: Descend, method: Method, other: OtherStart | None) -> Tried:
    """The starts that take steps of a method's objective before its last stage."""
    return (_of_small_graphs(method) if stage.starts else Tried())._replace(given=int(other is not None))


def _of_small_graphs(method: Method) -> Tried:
    if method.kernel.singular:
        return SCALE_FREE if isinstance(method.connection, Optimal) else SINGULAR
    if method.kernel.a > 0:
        return HEAVY
    return ALIKE if method.divergence == i_divergence() else GAUSSIAN


def _value(component: Component, method: Method, run: Run) -> float:
    """J at a component's drawing; infinity where floats know none."""
    objective = run.sums.objective(method, component.affinity)
    value = objective.evaluate(component.drawing.Y, gradient=False).value
    return value if math.isfinite(value) else math.inf
