"""The passes of a plan: each takes a `Drawing` and returns another one.

A pass is a frozen value with a name, its most iterations and the fact that put it into the plan.  `fold` applies passes
one after another.  `BestOf` tries alternatives and compares whole drawings; `Levels` compares drawings of coarse
graphs.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from nelayout.core.added.descent import place
from nelayout.core.added.objective import AddedNodes, new_edges_of
from nelayout.core.catalogue.record import Method
from nelayout.core.catalogue.stages import Descend
from nelayout.core.formula.kernels import Radial
from nelayout.core.objective import Objective
from nelayout.core.optimizers import Optimizer
from nelayout.core.optimizers.minimize import StoppingRule
from nelayout.core.optimizers.size import best_size, means, size_search, spread_search
from nelayout.core.optimizers.step import attraction_of
from nelayout.core.passes.costs import Cost, CostModel, radials_of
from nelayout.core.passes.drawing import Drawing, Run, flattened
from nelayout.core.passes.facts import circle
from nelayout.core.passes.placement import frame, place_missing, random_positions, stir_flat
from nelayout.core.passes.score import Score
from nelayout.core.passes.springs import springs
from nelayout.core.passes.tidiness import crossings, tidiness
from nelayout.core.problem import Settings
from nelayout.core.record.progress import LOG, Stopped
from nelayout.numerics.arithmetic import radius

__all__ = [
    "Candidate", "Descent", "InSpace", "BestOf", "Pass", "Place", "PlaceMissing", "Resize", "fold",
    "passes_within", "resized", "seconds_of", "sized",
]  # fmt: skip

# Radius, in widths of a bounded kernel, below which a drawing counts as collapsed to a point.
# see tuning: POINT
POINT = 1e-2
# Smallest factor by which a size search shrinks a drawing that another objective has sized.
# see tuning: MAX_SHRINKING
MAX_SHRINKING = 0.1
# Fraction of J below which steps of majorization end a stage: each solves a system.
# see tuning: CALM
CALM = 1e-6
# Waves of nodes that the objective positions; farther nodes start about the mean of their neighbors.
# see tuning: WAVES
WAVES = 8


@dataclass(frozen=True, kw_only=True)
class Pass:
    """One step of a plan.

    name   its name in traces, tables and the progress bar
    steps  most iterations
    why    the fact that put it into the plan
    """

    name: str
    steps: int = 0
    why: str = ""

    @property
    def nested(self) -> tuple[Pass, ...]:
        """Return the passes that plans list below this one."""
        return ()

    def cost(self, model: CostModel) -> Cost:
        """Return the cost for one graph, without nested passes."""
        return model.steps(model.method, self.steps, self.steps) if self.steps else Cost()

    def loops(self, method: Method) -> Iterator[Radial | str]:
        """Yield its compiled loops, without nested passes: radials, "stress", "crossings"."""
        yield from ()

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        """Return the drawing after this pass."""
        raise TypeError(f"{type(self).__name__} is not a pass by itself")


def fold(passes: Sequence[Pass], drawing: Drawing, run: Run) -> Drawing:
    """Apply passes one after another, each in its part of the time, until the time is over."""
    costs = _shares([[each] for each in passes], drawing, run)
    for k, each in enumerate(passes):
        if k and run.observer.over:
            break
        with run.observer.within(each.name), run.observer.part(costs[k], sum(costs[k + 1 :]), each.steps):
            drawing = run.once(partial(each, drawing), drawing)
    return drawing


def _shares(ways: Sequence[Sequence[Pass]], drawing: Drawing, run: Run) -> list[float]:
    """Return the forecast seconds of each tuple of passes; zeros if nobody asks for them."""
    if not run.observer.planned:
        return [0.0] * len(ways)
    return [seconds_of(each, len(drawing.Y), drawing.affinity.P.nnz, run) for each in ways]


def seconds_of(passes: Sequence[Pass], n: int, entries: int, run: Run) -> float:
    """Return the forecast seconds of passes on a connected graph of n nodes."""
    model = CostModel(run.method, Settings(run.dim, nbody=run.sums.nbody), n, entries)
    return sum(each.cost(model).seconds for _, each in passes_within(tuple(passes)))


@dataclass(frozen=True, kw_only=True)
class Place(Pass):
    """Give every node an initial position.

    kind  "random", "circle" (a ring's nodes in order), "given" (the caller's),
          or "as_given" (the caller's, even if they coincide); missing nodes start at their neighbors
    """

    kind: str

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        if self.kind == "random":
            return drawing.at(random_positions(len(drawing.Y), run.dim, run.rng))
        if self.kind == "circle":
            return drawing.at(circle(drawing.affinity.P, run.dim))
        part = drawing.part
        assert part.start is not None
        middle, extent = frame(part.start)  # any unit
        Y = place_missing((part.start - middle) / extent, drawing.affinity.P, run.rng)
        Y = Y if self.kind == "as_given" else stir_flat(Y, part.free, run.rng)
        return replace(drawing, Y=Y, place=middle, size=np.full(run.dim, 1.0 / extent))


@dataclass(frozen=True, kw_only=True)
class PlaceMissing(Pass):
    """Move nodes without an initial position to where their own part of J is least.

    Nodes that are joined to placed nodes come first, then the nodes that are joined to these.  Each is placed by
    itself, by `nelayout.core.added`; later iterations settle what they share.
    """

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        Y, P, placed = drawing.Y, drawing.affinity.P, drawing.part.known
        if np.count_nonzero(placed) < 2 or not radius(Y[placed]) > 0:
            return drawing
        method = replace(drawing.method or run.method, variational=False)
        objective = run.sums.on_cpu.objective(method, drawing.affinity)
        middle = drawing.center
        size = size_search(objective, Y - middle)
        Z = size * (Y - middle)
        for _ in range(WAVES):
            reached = ~placed & (P @ placed.astype(float) > 0)
            if not reached.any():
                break
            at = place(AddedNodes(objective, Z, run.sums.threads, placed), new_edges_of(objective, reached, placed))
            sound = np.isfinite(at).all(axis=1)
            Z[np.flatnonzero(reached)[sound]] = at[sound]
            placed = placed | reached
            Z = place_missing(np.where(placed[:, None], Z, np.nan), P, run.rng)
        return drawing.at(stir_flat(Z / size + middle, drawing.part.free, run.rng))


@dataclass(frozen=True, kw_only=True)
class Descent(Pass):
    """Carry out a stage: minimize an objective, after a search for the size with the least J.

    stage              the stage; ``steps`` counts its most iterations in place of ``max_iter``
    optimizer          takes the iterations
    springs            tie nodes to their initial positions, see `nelayout.core.passes.springs`
    skip_converged     skip it if the drawing has converged before
    keep_objective     take the objective of the drawing instead of the method's
    restore_objective  leave the drawing the objective that it had
    emphasis           of large distances in the objective; None: as it is
    coarser            take place on the next coarser graph, as part of `nelayout.core.passes.levels.Levels`
    size_only          the drawing is at rest by symmetry: find its size alone
    """

    stage: Descend
    optimizer: Optimizer
    springs: bool = False
    skip_converged: bool = False
    keep_objective: bool = False
    restore_objective: bool = False
    emphasis: float | None = None
    coarser: bool = False
    size_only: bool = False

    def cost(self, model: CostModel) -> Cost:
        whole = 0.5 * self.steps if self.coarser else self.steps  # the next coarser graph has half of the nodes
        stress = bool(self.emphasis or model.method.mu)
        return model.steps(model.method.during(self.stage), whole, self.steps, self.optimizer.name, stress)

    def loops(self, method: Method) -> Iterator[Radial | str]:
        yield from radials_of(method.during(self.stage))
        if self.emphasis or method.mu:
            yield "stress"

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        if self.skip_converged and drawing.reason == "converged":
            return drawing
        method = ((self.keep_objective and drawing.method) or run.method).during(self.stage, self.emphasis)
        same = self.keep_objective and not self.restore_objective
        exaggeration = drawing.exaggeration if same else self.stage.exaggeration
        found = self._descended(drawing, method, exaggeration, run)
        if not self.restore_objective:
            return found
        return replace(found, method=drawing.method, exaggeration=drawing.exaggeration)

    def _descended(self, drawing: Drawing, method: Method, exaggeration: float, run: Run) -> Drawing:
        """Bring a drawing to the size for an objective, then minimize the objective."""
        objective = run.objective(drawing, method, exaggeration)
        bounded = not method.kernel.singular and drawing.free is None
        # stress does not depend on the size
        other = drawing.method is None or drawing.method.with_checked(emphasis=method.emphasis) != method
        if other or (bounded and radius(drawing.Y) < POINT):
            drawing = resized(drawing, objective, alone=self.size_only)
            if bounded and (now := radius(drawing.Y)) < POINT:  # the minimizer decides if it becomes a point
                drawing = drawing.at(drawing.Y * (10 * POINT / now))
        before = drawing
        if self.springs and run.stability:
            objective = springs(objective, drawing, run.stability)
        tol = self.stage.tol
        lull = self.stage.lull if tol else 0.0
        calm = CALM if lull and self.optimizer.name == "majorize" else 0.0
        rule = StoppingRule(force=tol, stall=lull or None, point=POINT if bounded else 0.0, calm=calm)
        drawing = run.minimize(objective, drawing, self.optimizer, self.steps, rule, run.report(drawing, self.name))
        if bounded and radius(drawing.Y) < POINT:
            # If J is lowest at a point (t-SNE of a clique), shapes are rounding errors: keep the last one.
            drawing = drawing.at(before.Y * (POINT / radius(before.Y)))
        reason = "converged" if self.size_only else drawing.reason
        return replace(drawing, method=method, exaggeration=exaggeration, reason=reason)


def resized(drawing: Drawing, objective: Objective, thoroughly: bool = False, alone: bool = False) -> Drawing:
    """Scale a drawing to its best size.

    ``thoroughly``: try all sizes; ``alone``: no step follows.
    """
    middle, sized = drawing.center, drawing.method is not None
    centered = drawing.Y - middle
    if thoroughly:
        factor = best_size([(objective, centered)])[0]
    else:
        factor = size_search(objective, centered, radius(centered) if sized else None, alone)
    if sized and factor < MAX_SHRINKING:  # a point cannot grow back
        factor = 1.0
    place = drawing.place + middle / drawing.size
    return replace(drawing, Y=centered * factor, place=place, size=drawing.size * factor)


def sized(drawing: Drawing, run: Run) -> Drawing:
    """Scale a drawing that no objective has moved to the size with the least J."""
    return drawing if drawing.method is not None else resized(drawing, run.objective(drawing, run.method))


@dataclass(frozen=True, kw_only=True)
class InSpace(Pass):
    """Descend from random positions with one dimension more, and lay them flat."""

    descend: Descent

    def cost(self, model: CostModel) -> Cost:
        return self.descend.cost(model)

    def loops(self, method: Method) -> Iterator[Radial | str]:
        return self.descend.loops(method)

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        Y = random_positions(len(drawing.Y), min(run.dim + 1, 3), run.rng)
        there = self.descend(Drawing(Y, drawing.affinity, drawing.given), run)
        return Drawing(flattened(there.Y, run.dim), drawing.affinity, drawing.given)


@dataclass(frozen=True, kw_only=True)
class Resize(Pass):
    """Scale a drawing with springs, or its fixed nodes alone, to the size with the least J."""

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        objective = run.objective(drawing, drawing.method or run.method, drawing.exaggeration)
        if drawing.free is None:
            return resized(drawing, objective, thoroughly=True)
        fixed = ~drawing.free
        middle = means(drawing.Y, fixed)
        factor = spread_search(objective, drawing.Y, fixed)
        Y = np.where(fixed, middle + factor * (drawing.Y - middle), drawing.Y)
        place = drawing.place + (1.0 - 1.0 / factor) * middle / drawing.size
        return replace(drawing, Y=Y, place=place, size=drawing.size * factor)


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One alternative of `BestOf`.

    passes  lead to it; empty: the drawing as it is
    start   from where: "given" (the drawing that `BestOf` is given), "last" (the branch before), "best" (so far), or
            another drawing
    margin  its measure must exceed the best so far by (margin - 1) times its amount
    stop    skip the next branches if its measure is less than this fraction of the best so far
    every   try it even if branches are skipped
    """

    passes: tuple[Pass, ...]
    start: str | Drawing = "given"
    margin: float = 1.0
    stop: float = 0.0
    every: bool = False


@dataclass(frozen=True, kw_only=True)
class BestOf(Pass):
    """Try branches and keep the best; its own step shows the kept drawing.

    Only drawings that differ are measured.

    by   "J": the least value of the last descent's objective; "score": the largest quality score; "tidy": the largest
         score times the tidiness; "crossings": the fewest; "rest": the least moves of given nodes
    enough  J of the first branch, in nats (of each row under connections by rows); others are tried above
    """

    branches: tuple[Candidate, ...]
    by: str
    enough: float = 0.0
    steps: int = 1

    @property
    def nested(self) -> tuple[Pass, ...]:
        """Return the passes of all branches."""
        return tuple(each for branch in self.branches for each in branch.passes)

    def cost(self, model: CostModel) -> Cost:
        return Cost()

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        best = last = given = drawing
        found, live, measured = -math.inf, True, False
        measure = MEASURES[self.by](drawing, run)
        costs = _shares([branch.passes for branch in self.branches], drawing, run)
        for number, branch in enumerate(self.branches):
            if not branch.passes or not (live or branch.every):
                continue
            if number and run.observer.over:
                break
            known = {"given": given, "last": last, "best": best}
            start = known[branch.start] if isinstance(branch.start, str) else branch.start
            try:
                with run.observer.part(costs[number], sum(costs[number + 1 :])):
                    last = fold(branch.passes, start, run)
            except Stopped as stopped:
                if number:
                    stopped.drawing = replace(best, reason="stopped")
                raise
            if number and last.same(best):
                continue
            if number and not measured:
                found, measured = measure(best), True
            measured, value = True, measure(last)
            better = not number or value > found + (branch.margin - 1.0) * (abs(found) if math.isfinite(found) else 0.0)
            self._log(branch, value, better)
            rows = len(drawing.Y) if run.method.connection.by_rows else 1
            if not number and self.enough and abs(value) <= self.enough * rows:
                live = False
            if branch.stop and math.isfinite(found) and value < branch.stop * found:
                live = False
            if better:
                best, found = last, value
        run.report(best, self.name)(run.value(best), best.Y)
        return best

    def _log(self, branch: Candidate, value: float, better: bool) -> None:
        """Log the measure of a branch, and whether it is the best so far."""
        if LOG.isEnabledFor(logging.DEBUG):
            name = branch.passes[-1].name if branch.passes else "as it is"
            LOG.debug("%s, %s: %s %.6g%s", self.name, name, self.by, abs(value), ", best so far" if better else "")


def passes_within(passes: tuple[Pass, ...], depth: int = 0):
    """Yield passes with their depth, each before its nested ones."""
    for each in passes:
        yield depth, each
        yield from passes_within(each.nested, depth + 1)


# A function of a drawing, made from the drawing that `BestOf` starts with.  Larger is better.
Measure = Callable[[Drawing], float]


def _by_value(_: Drawing, run: Run) -> Measure:
    """Measure drawings by minus J; return minus infinity if a drawing collapsed."""
    return lambda now: -math.inf if now.reason == "collapsed" else -run.value(now)


def _by_score(drawing: Drawing, run: Run, tidy: bool = False) -> Measure:
    """Measure drawings by the quality score; ``tidy``: times the tidiness."""
    score = Score(drawing.affinity.P, run.sums.threads)
    return lambda now: score(now.Y) * (tidiness(drawing.affinity.P, now.Y) if tidy else 1.0)


def _by_rest(_: Drawing, run: Run) -> Measure:
    """Measure drawings by minus the median step of nodes with initial positions, in radii."""

    def measure(now: Drawing) -> float:
        objective = run.sums.objective(now.method or run.method, now.affinity)
        objective = replace(objective, exaggeration=now.exaggeration)
        at = objective.evaluate(now.Y, attraction=True)
        with np.errstate(all="ignore"):
            step = np.asarray(np.sqrt(np.sum(at.gradient**2, axis=1)) / (4.0 * attraction_of(at)))
        move = float(np.median(step[now.part.known])) / (radius(now.Y) or 1.0)
        return -move if math.isfinite(move) else -math.inf

    return measure


def _by_crossings(drawing: Drawing, _: Run) -> Measure:
    """Measure drawings by minus their crossings."""
    P = drawing.affinity.P if drawing.given is None else drawing.given.seen_edges
    return lambda now: -crossings(P, now.Y, math.inf)


MEASURES = {
    "J": _by_value, "crossings": _by_crossings, "score": _by_score, "tidy": partial(_by_score, tidy=True),
    "rest": _by_rest,
}  # fmt: skip
