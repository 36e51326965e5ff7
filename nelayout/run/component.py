"""A component's way through the stages of its method.

A connected graph comes in as an affinity, a drawing goes out.  Some stages go through the levels of coarsened graphs;
before a stage with another objective, the drawing is brought to the size that suits that one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nelayout.catalogue.stages import LARGE_GRAPH, SHAPE, SMALL_GRAPH, CoarseToFine, Descend, Stage, early_exaggeration
from nelayout.objective import Objective
from nelayout.optimizers import optimizer_named
from nelayout.optimizers.minimize import Rest, minimize
from nelayout.optimizers.size import best_size, means, size_search, spread_search
from nelayout.placing.overlap import split_coincident
from nelayout.record.progress import Stopped
from nelayout.run.auto.bending import bend
from nelayout.run.auto.candidates import Candidate, Candidates
from nelayout.run.auto.masses import TRIAL_STEPS
from nelayout.run.auto.resuming import resume
from nelayout.run.auto.rings import circle, is_ring
from nelayout.run.auto.roads import road_exaggeration
from nelayout.run.auto.stars import is_star
from nelayout.run.bending import FEWEST
from nelayout.run.held import hold
from nelayout.run.layers import descend_in_layers, layer_axes
from nelayout.run.levels import method_of, through_levels
from nelayout.run.newcomers import place_newcomers
from nelayout.run.order import bend_towards_rows
from nelayout.run.several_starts import descend_from_lowest, steps_of_starts, tried_before
from nelayout.run.start import frame, place_missing, radius, random_positions, stir_flat
from nelayout.run.state import Component, Drawing, Run
from nelayout.run.strays import brought_home

__all__ = [
    "POINT",
    "SHRUNK",
    "draw_alone",
    "draw_component",
    "put_at_start",
    "rest_of",
    "shares_of",
    "steps_of",
    "take_best",
]

# Below this radius, in widths of a bounded kernel, a drawing counts as collapsed to a point.
POINT = 1e-2
# A size search that starts at the size of a similar objective never shrinks a drawing to less than this part of it.
SHRUNK = 0.1
# Typical distances between the nodes of a heap that is opened before the last stage, of large graphs whose masses
# differ: light nodes with the same neighbors, as the leaves of a hub, lie on one place and hardly push each other away
# from it.  Of 0.1, 0.25 and 0.5, the second ends lowest: J of ws-SNE falls by 0.7 % on ca_grqc_lcc, 0.5 % on
# soc_slashdot0902 and 0.2 % on cora and lastfm_asia, in as many steps.  Where all nodes weigh alike, J falls and rises
# by chance; small graphs have more steps, and their J changes by 0.03 % at most.
OPENED = 0.25
# Rounds in which a stage with fixed nodes searches for the size of the drawing.
RESIZINGS = 5
# Rounds of the last stage with springs to a start, which hold its size as well as its shape: before each, the size of
# both is searched for.
HOLDINGS = 4


def draw_component(component: Component, run: Run) -> None:
    """Draw one connected graph of two or more nodes, or any with edges from a start, by the stages of the run's method.

    ``component.drawing`` holds the positions, in the method's own units, those of fixed nodes scaled with the rest; it
    holds the latest also when the run is interrupted.
    """
    stages = _stages(component, run)
    candidates = Candidates(component.affinity.P, run.sums.threads) if any(map(_judged, stages)) else None
    tries = candidates is not None and component.other_mass is not None
    shares = shares_of([*map(steps_of, stages)], run.max_iter)
    others = steps_of_starts(stages[-1], shares[-1], run.method, component.other_start)
    run.observer.begin(sum(shares) + others + (TRIAL_STEPS if tries else 0) + (candidates is not None))
    layers = layer_axes(component).any()
    for stage, steps in zip(stages, shares, strict=True):
        if isinstance(stage, CoarseToFine):
            Y = through_levels(component, stage, run)
            component.drawing = replace(component.drawing, Y=Y)
            continue
        if steps and component.goal is not None and not component.placed:
            component.drawing = replace(component.drawing, Y=bend_towards_rows(component, run.sums.threads))
        if steps and stage is stages[-1] and not run.method.kernel.singular and _has_heaps(component):
            component.drawing = replace(component.drawing, Y=split_coincident(component.drawing.Y, petal=OPENED))
        if layers:
            descend_in_layers(component, stage, steps, run, draw_component, _descend)
        elif steps and stage is stages[-1] and any(tried_before(stage, run.method, component.other_start)):
            descend_from_lowest(component, stage, steps, run, _descend)
        else:
            _descend(component, stage, steps, run, last=stage is stages[-1])
        if candidates and stage.judged and not candidates.add(_candidate(component, stage)):
            break
    if component.drawing.method is None:
        component.drawing = replace(component.drawing, method=method_of(stages[-1], run.method))
    if candidates and candidates.best:
        if tries:
            _try_masses(component, candidates.best, run)
            candidates.add(_candidate(component, candidates.best.stage))
        take_best(component, candidates, run)


def _has_heaps(component: Component) -> bool:
    """Whether nodes may lie in heaps that the last stage is too short to open, and that no start has put there."""
    return component.start is None and len(component.nodes) > SMALL_GRAPH and np.ptp(component.affinity.mass) > 0


def draw_alone(component: Component, run: Run) -> None:
    """Draw one component beside others: its drawing says if it was stopped; else frames show it from then on."""
    try:
        draw_component(component, run)
    except Stopped:
        component.drawing = replace(component.drawing, reason="stopped")
        raise
    run.canvas.settle([component])


def _candidate(component: Component, stage: Descend) -> Candidate:
    return Candidate(component.drawing, stage, component.affinity)


def _try_masses(component: Component, best: Candidate, run: Run) -> None:
    """Go on from the best drawing, by the stage that made it, with the other masses."""
    component.drawing = best.drawing
    component.affinity = replace(component.affinity, mass=component.other_mass)
    _descend(component, replace(best.stage, name="other masses"), TRIAL_STEPS, run, last=False)


def take_best(component: Component, candidates: Candidates, run: Run) -> None:
    """Take the best candidate, bent if the verdict on that is better; the last step of the trace then says so."""
    best = candidates.best
    if best is None:
        return
    method, Y = best.drawing.method, best.drawing.Y
    component.drawing, _, component.affinity = best
    if method is None or len(Y) < FEWEST:
        return
    bent = replace(best.drawing, Y=bend(component.affinity.P, Y, run.sums.threads))
    if candidates.prefer(best._replace(drawing=bent)):
        component.drawing = bent
        value = run.sums.objective(method, best.affinity).evaluate(bent.Y, gradient=False).value
        run.report(component, "bend")(value, bent.Y)


def _judged(stage: Stage) -> bool:
    return isinstance(stage, Descend) and stage.judged


def _stages(component: Component, run: Run) -> tuple[Stage, ...]:
    """The stages for this component, whose drawing is put where they begin."""
    P, method, rng = component.affinity.P, run.method, run.rng
    n = P.shape[0]
    momentum = run.optimizer is not None and run.optimizer.name == "momentum"
    stages = early_exaggeration("momentum") if momentum else method.stages
    if momentum and method.scheduled:
        note = "optimizer='momentum' takes a schedule of its own, early exaggeration, in place of the method's stages"
        run.notes.extend([note] if note not in run.notes else [])
    component.drawing = Drawing(np.zeros((n, run.dim)))
    if component.start is not None and component.placed:
        judged = tuple(stage.at(n) for stage in stages if isinstance(stage, Descend) and stage.judged)
        own = resume(component, judged, run) if judged else stages[-1]
        last = put_at_start(component, (own,), run)
        again = run.stability is not None and component.free is None and not momentum
        stages = (*_before(stages, own), *last) if again else last
    elif n == 2 or not isinstance(stages[0], CoarseToFine):
        component.drawing = Drawing(random_positions(n, run.dim, rng))
    elif any(map(_judged, stages)) and is_star(P):
        if component.other_mass is not None:  # the masses are auto's own; leaves of one mass spread evenly
            component.affinity = replace(component.affinity, mass=np.ones(n))
        stages = (replace(SHAPE, finest=True),)
    elif any(map(_judged, stages)) and run.dim > 1 and is_ring(P):
        component.drawing = Drawing(circle(P, run.dim))
        stages = tuple(stage for stage in stages if isinstance(stage, Descend))
    road = road_exaggeration(P) if any(isinstance(s, Descend) and s.straight for s in stages) else 1.0
    return tuple(stage.at(n, road) if isinstance(stage, Descend) else stage for stage in stages)


def _before(stages: tuple[Stage, ...], own: Stage) -> tuple[Stage, ...]:
    """The stages on the graph itself before one of them: a held map goes through them again, to let new nodes in."""
    found = []
    for stage in stages:
        if stage.name == own.name:
            break
        if isinstance(stage, Descend):
            found.append(replace(stage, judged=False, starts=False))
    return tuple(found)


def put_at_start(component: Component, stages: tuple[Stage, ...], run: Run) -> tuple[Stage, ...]:
    """Put a component's drawing at its start; the stages that go on from there."""
    assert component.start is not None
    middle, extent = frame(component.start)
    # Exaggeration or another kernel would draw another map: a start goes to the last stage alone.
    last, P, start = stages[-1], component.affinity.P, (component.start - middle) / extent
    if run.max_iter == 0:
        Y = place_missing(start, P, run.rng)
    else:
        Y = place_newcomers(component, start, method_of(last, run.method), run)
        Y = stir_flat(Y, component.free, run.rng)
    component.drawing = Drawing(Y, place=middle, size=1.0 / extent)
    if isinstance(last, CoarseToFine):
        return (last.as_descent(),)
    return (replace(last, judged=False, starts=last.starts and component.own_start and P.nnz > 0),)


def steps_of(stage: Stage) -> int:
    """Most steps of a stage that are shared out: those on the graph itself."""
    return stage.max_iter if isinstance(stage, Descend) else 0


def shares_of(own: list[int], max_iter: int | None) -> list[int]:
    """Most steps of each stage: its own, of the last one ``max_iter`` where that is given.

    The stages before the last prepare for it alike, however many steps it takes: so more steps never end higher.

    >>> shares_of([40, 20, 80], 500)
    [40, 20, 500]
    """
    return own if max_iter is None else [*own[:-1], max_iter]


def rest_of(stage: Descend, run: Run, last: bool, bounded: bool) -> Rest:
    """When a stage ends before its steps are taken.

    The caller's ``tol`` is for the last stage, like ``max_iter``; and whoever gives one of the two wants its steps, so
    that a lull ends no run then.
    """
    tol = run.tol if last and run.tol is not None else stage.tol
    asked = last and (run.tol is not None or run.max_iter is not None)
    return Rest(force=tol, gain=None if asked or not tol else stage.lull, point=POINT if bounded else 0.0)


def _descend(component: Component, stage: Descend, steps: int, run: Run, last: bool) -> None:
    """Take a component's drawing through one stage on the graph itself, the method's last one or another."""
    method, free = method_of(stage, run.method), component.free
    objective = run.sums.objective(method, component.affinity, free).exaggerated(stage.exaggeration)
    bounded = not method.kernel.singular and free is None
    drawing = component.drawing
    if drawing.method != method or (bounded and radius(drawing.Y) < POINT):
        drawing = _resize(objective, drawing)
        if bounded and (now := radius(drawing.Y)) < POINT:  # let the minimizer say whether it is to be a point
            drawing = replace(drawing, Y=drawing.Y * (10 * POINT / now))
    strays, at_home = last and component.start is None and len(drawing.Y) > LARGE_GRAPH, objective
    if strays:
        at_home = run.sums.on_cpu.objective(method, component.affinity, free).exaggerated(stage.exaggeration)
        drawing = replace(drawing, Y=brought_home(at_home, drawing.Y))
    plain, objective = objective, hold(objective, component, drawing, run.stability)
    held = objective is not plain
    optimizer = run.optimizer or optimizer_named(stage.optimizer)
    rest = rest_of(stage, run, last, bounded)

    # How far apart the fixed nodes are, in the drawing's units, is free: search for it on the way, after as many steps
    # whatever their number, and before the last.
    rounds = 1 if free is None or run.max_iter == 0 or layer_axes(component).any() else RESIZINGS if free.any() else 0
    if held and last and not plain.scale_free and run.max_iter != 0:
        rounds = HOLDINGS
    each, left = max(stage.max_iter // max(rounds, 1), 1), steps
    entered = drawing.Y
    for turn in range(rounds):
        if turn and left and held:
            drawing = _resize(plain, replace(drawing, method=method), thoroughly=True)
            objective = hold(plain, component, drawing, run.stability)
        elif turn and left:
            drawing = _spread_fixed(objective, drawing)
        component.drawing = drawing
        share = left if turn == rounds - 1 else min(each, left)
        Y, _, reason = minimize(objective, drawing.Y, optimizer, share, rest, run.report(component, stage.name))
        drawing, left = replace(drawing, Y=Y, reason=reason), left - share
    if strays:
        drawing = replace(drawing, Y=brought_home(at_home, drawing.Y))
    if rounds == HOLDINGS and held:
        drawing = _resize(plain, replace(drawing, method=method), thoroughly=True)
    if bounded and radius(drawing.Y) < POINT:
        # If the objective is lowest at a point (t-SNE of a clique), shapes are rounding errors: keep the last one.
        drawing = replace(drawing, Y=entered * (POINT / radius(entered)))
    component.drawing = replace(drawing, method=method)


def _resize(objective: Objective, drawing: Drawing, thoroughly: bool = False) -> Drawing:
    """Bring a drawing to the size that the objective wants, with its centroid at the origin.

    A drawing that a similar objective was minimized for is of nearly that size: the search starts there.  Springs may
    hold it at a size that is not the best; ``thoroughly`` looks at all sizes.
    """
    middle = np.sum(drawing.Y, axis=0) / len(drawing.Y)
    Y = drawing.Y - middle
    sized = drawing.method is not None
    if thoroughly and len(Y) <= LARGE_GRAPH:
        factor = best_size([(objective, Y)])[0]
    else:
        factor = size_search(objective, Y, guess=radius(Y) if sized else None)
    if sized and factor < SHRUNK:  # a point, from which there is no way back
        factor = 1.0
    return replace(drawing, Y=Y * factor, place=drawing.place + middle / drawing.size, size=drawing.size * factor)


def _spread_fixed(objective: Objective, drawing: Drawing) -> Drawing:
    """Bring what is fixed alone to the size that the objective wants, about its own centroid."""
    assert objective.free is not None
    fixed = ~objective.free
    middle = means(drawing.Y, fixed)
    factor = spread_search(objective, drawing.Y, fixed)
    Y = np.where(fixed, middle + factor * (drawing.Y - middle), drawing.Y)
    place = drawing.place + (1.0 - 1.0 / factor) * middle / drawing.size
    return replace(drawing, Y=Y, place=place, size=drawing.size * factor)
