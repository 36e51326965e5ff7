"""The passes of a plan: each takes a `Drawing` and returns another one.

A pass is a frozen value with a name, its most iterations and the fact that put it into the plan.  `fold` applies passes
one after another.  `Keep` tries alternatives and compares whole drawings; `Levels` compares drawings of coarse graphs.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from nelayout.added.descent import place
from nelayout.added.objective import AddedNodes, ties_of
from nelayout.catalogue.record import Method
from nelayout.formula.divergences import Divergence
from nelayout.formula.kernels import Kernel
from nelayout.optimizers import Optimizer
from nelayout.optimizers.minimize import Rest
from nelayout.optimizers.size import best_size, means, size_search, spread_search
from nelayout.optimizers.step import attraction_of
from nelayout.record.progress import LOG, Stopped
from nelayout.run.drawing import Drawing, Run, flattened, joined
from nelayout.run.facts import circle
from nelayout.run.placement import frame, place_missing, radius, random_positions, stir_flat
from nelayout.run.score import Score
from nelayout.run.springs import springs
from nelayout.run.tidiness import tidiness

__all__ = [
    "Branch", "Descent", "InSpace", "Keep", "Pass", "Place", "PlaceMissing", "Resize", "fold",
    "passes_within", "sized",
]  # fmt: skip

# Radius, in widths of a bounded kernel, below which a drawing counts as collapsed to a point.
POINT = 1e-2
# Smallest factor by which a size search shrinks a drawing that another objective has sized.
MAX_SHRINKING = 0.1
# Waves of nodes that the objective positions; farther nodes start about the mean of their neighbors.
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

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        """Return the drawing after this pass."""
        raise TypeError(f"{type(self).__name__} is not a pass by itself")


def fold(passes: Sequence[Pass], drawing: Drawing, run: Run) -> Drawing:
    """Apply passes one after another."""
    for each in passes:
        drawing = each(drawing, run)
    return drawing


@dataclass(frozen=True, kw_only=True)
class Place(Pass):
    """Give every node an initial position.

    kind  "random", "circle" (a ring's nodes in order), "given" (the caller's),
          or "still" (the caller's, even if they coincide); missing nodes start at their neighbors
    """

    kind: str

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        if self.kind == "random":
            return drawing.at(random_positions(len(drawing.Y), run.dim, run.rng))
        if self.kind == "circle":
            return drawing.at(np.concatenate([circle(part.affinity.P, run.dim) for part in drawing.parts]))
        return joined([self._given(each, run) for each in drawing.split()])

    def _given(self, drawing: Drawing, run: Run) -> Drawing:
        """Put one graph at its initial positions, in units of their extent (any unit)."""
        part = drawing.part
        assert part.start is not None
        middle, extent = frame(part.start)
        Y = place_missing((part.start - middle) / extent, drawing.affinity.P, run.rng)
        Y = Y if self.kind == "still" else stir_flat(Y, part.free, run.rng)
        return replace(drawing, Y=Y, place=middle[None], size=np.full((1, run.dim), 1.0 / extent))


@dataclass(frozen=True, kw_only=True)
class PlaceMissing(Pass):
    """Move nodes without an initial position to where their own part of J is least.

    Nodes that are joined to placed nodes come first, then the nodes that are joined to these.  Each is placed by
    itself, by `nelayout.added`; later iterations settle what they share.
    """

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        return joined([self._placed(each, run) for each in drawing.split()])

    def _placed(self, drawing: Drawing, run: Run) -> Drawing:
        Y, P, placed = drawing.Y, drawing.affinity.P, drawing.part.known
        if np.count_nonzero(placed) < 2 or not radius(Y[placed]) > 0:
            return drawing
        method = replace(drawing.method or run.method, variational=False)
        objective = run.sums.on_cpu.objective(method, drawing.affinity)
        middle = drawing.centers()
        size = size_search(objective, Y - middle)
        Z = size * (Y - middle)
        for _ in range(WAVES):
            reached = ~placed & (P @ placed.astype(float) > 0)
            if not reached.any():
                break
            at = place(AddedNodes(objective, Z, run.sums.threads, placed), ties_of(objective, reached, placed))
            sound = np.isfinite(at).all(axis=1)
            Z[np.flatnonzero(reached)[sound]] = at[sound]
            placed = placed | reached
            Z = place_missing(np.where(placed[:, None], Z, np.nan), P, run.rng)
        return drawing.at(stir_flat(Z / size + middle, drawing.part.free, run.rng))


@dataclass(frozen=True, kw_only=True)
class Descent(Pass):
    """Minimize an objective by one optimizer, after a search for the size with the least J.

    kernel, divergence  override the method's; None: no override
    optimizer     takes the iterations
    exaggeration  factor on the attraction of all edges
    force, lull   when the descent ends early, see `nelayout.optimizers.minimize.Rest`
    springs       tie nodes to their initial positions, see `nelayout.run.springs`
    rested        skip graphs that have converged before
    same          take the objective of each graph's drawing instead of the method's
    passing       leave the drawing the objective that it had
    emphasis      of large distances in the objective; None: as it is
    coarser       take place on the next coarser graph, as part of `nelayout.run.levels.Levels`
    still         drawings are at rest by symmetry: find their size alone
    """

    kernel: Kernel | None = None
    divergence: Divergence | None = None
    optimizer: Optimizer
    exaggeration: float = 1.0
    force: float = 0.0
    lull: float | None = None
    springs: bool = False
    rested: bool = False
    same: bool = False
    passing: bool = False
    emphasis: float | None = None
    coarser: bool = False
    still: bool = False

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        if self.rested:
            going = np.array([reason != "converged" for reason in drawing.reasons])
            if not going.any():
                return drawing
            return drawing.put(going, replace(self, rested=False)(drawing.take(going), run))
        if not self.same:
            return self._descended(drawing, run.method.during(self), np.full(drawing.count, self.exaggeration), run)
        now = drawing
        for mask, some in drawing.by_method():
            factors = np.full(some.count, self.exaggeration) if self.passing else some.exaggeration
            now = now.put(mask, self._descended(some, (some.method or run.method).during(self), factors, run))
        return replace(now, methods=drawing.methods, exaggeration=drawing.exaggeration) if self.passing else now

    def _descended(self, drawing: Drawing, method: Method, factors: np.ndarray, run: Run) -> Drawing:
        """Bring a drawing to the size for an objective, then minimize the objective."""
        if self.emphasis is not None:
            method = replace(method, emphasis=self.emphasis)
        objective = run.objective(drawing, method, factors)
        bounded = not method.kernel.singular and drawing.free is None
        # stress does not depend on the size
        other = np.array([own is None or replace(own, emphasis=method.emphasis) != method for own in drawing.methods])
        if bounded:
            other |= drawing.radius() < POINT
        if other.any():
            drawing = _resized(drawing, objective, other, run, alone=self.still)
            if bounded:  # the minimizer decides if it becomes a point
                now = drawing.radius()
                drawing = _scaled(drawing, np.where(now < POINT, 10 * POINT / now, 1.0))
        before = drawing
        if self.springs and run.stability:
            objective = springs(objective, drawing, run.stability)
        rest = Rest(force=self.force, lull=self.lull, point=POINT if bounded else 0.0)
        drawing = run.minimize(objective, drawing, self.optimizer, self.steps, rest, run.report(drawing, self.name))
        if bounded and (collapsed := drawing.radius() < POINT).any():
            # If J is lowest at a point (t-SNE of a clique), shapes are rounding errors: keep the last one.
            last = _scaled(before, POINT / before.radius())
            drawing = drawing.at(np.where(_rows(drawing, collapsed)[:, None], last.Y, drawing.Y))
        reasons = ("converged",) * drawing.count if self.still else drawing.reasons
        return replace(drawing, methods=(method,) * drawing.count, exaggeration=factors, reasons=reasons)


def _rows(drawing: Drawing, values: np.ndarray) -> np.ndarray:
    """(n,) the value of each node's graph."""
    return values[drawing.segments.of]


def _scaled(drawing: Drawing, factors: np.ndarray) -> Drawing:
    return drawing.at(drawing.Y * _rows(drawing, factors)[:, None])


def _resized(
    drawing: Drawing, objective: Any, which: np.ndarray, run: Run, thoroughly: bool = False, alone: bool = False
) -> Drawing:
    """Scale the graphs of a mask (C,) to their best size.

    ``thoroughly``: try all sizes of one graph; ``alone``: no step follows.
    """
    middle, sized = drawing.centers(), drawing.methods[0] is not None
    centered = drawing.Y - _rows(drawing, middle)
    if thoroughly:
        factor = np.array([best_size([(objective, centered)])[0]])
    else:
        factor = run.sizes(objective, centered, drawing.at(centered).radius() if sized else None, alone)
    if sized:  # a point cannot grow back
        factor = np.where(factor < MAX_SHRINKING, 1.0, factor)
    moved = centered * _rows(drawing, factor)[:, None]
    return replace(
        drawing,
        Y=np.where(_rows(drawing, which)[:, None], moved, drawing.Y),
        place=np.where(which[:, None], drawing.place + middle / drawing.size, drawing.place),
        size=np.where(which[:, None], drawing.size * factor[:, None], drawing.size),
    )


def sized(drawing: Drawing, run: Run) -> Drawing:
    """Scale the graphs that no objective has moved to the size with the least J."""
    unsized = np.array([method is None for method in drawing.methods])
    if not unsized.any():
        return drawing
    return _resized(drawing, run.objective(drawing, run.method), unsized, run)


@dataclass(frozen=True, kw_only=True)
class InSpace(Pass):
    """Descend from random positions with one dimension more, and lay them flat."""

    descend: Descent

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        Y, graphs = random_positions(len(drawing.Y), min(run.dim + 1, 3), run.rng), (drawing.affinity, drawing.segments)
        there = self.descend(Drawing.on(*graphs, Y, drawing.parts), run)
        return Drawing.on(*graphs, flattened(there.Y, drawing, run.dim), drawing.parts)


@dataclass(frozen=True, kw_only=True)
class Resize(Pass):
    """Scale one graph with springs, or its fixed nodes alone, to the size with the least J."""

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        objective = run.objective(drawing, drawing.method or run.method, drawing.exaggeration)
        if drawing.free is None:
            return _resized(drawing, objective, np.ones(1, dtype=bool), run, thoroughly=True)
        fixed = ~drawing.free
        middle = means(drawing.Y, fixed)
        factor = spread_search(objective, drawing.Y, fixed)
        Y = np.where(fixed, middle + factor * (drawing.Y - middle), drawing.Y)
        place = drawing.place + (1.0 - 1.0 / factor) * middle / drawing.size
        return replace(drawing, Y=Y, place=place, size=drawing.size * factor)


@dataclass(frozen=True, kw_only=True)
class Branch:
    """One alternative of `Keep`.

    passes  lead to it; empty: the drawing as it is
    start   from where: "given" (the drawing that `Keep` is given), "last" (the branch before), "best" (so far), or
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
class Keep(Pass):
    """Try branches and keep the best for each graph; its own step shows the kept drawing.

    Only drawings that differ are measured.

    by   "J": the least value of the last descent's objective; "score": the largest quality score; "tidy": the largest
         score times the tidiness; "rest": the least moves of given nodes
    enough  J of the first branch, in nats (of each row under connections by rows); others are tried above
    """

    branches: tuple[Branch, ...]
    by: str
    enough: float = 0.0
    steps: int = 1

    @property
    def nested(self) -> tuple[Pass, ...]:
        """Return the passes of all branches."""
        return tuple(each for branch in self.branches for each in branch.passes)

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        count = drawing.count
        best = last = given = drawing
        found, live, measured = np.full(count, -math.inf), np.ones(count, dtype=bool), np.zeros(count, dtype=bool)
        measure = MEASURES[self.by](drawing, run)
        for number, branch in enumerate(self.branches):
            going = np.ones(count, dtype=bool) if branch.every else live
            if not (branch.passes and going.any()):
                continue
            known = {"given": given, "last": last, "best": best}
            start = known[branch.start] if isinstance(branch.start, str) else branch.start
            try:
                now = fold(branch.passes, start.take(going), run)
            except Stopped as stopped:
                if number:
                    stopped.drawing = replace(best, reasons=("stopped",) * count)
                raise
            last = last.put(going, now)
            moved = going if not number else going & ~last.same(best)
            if number and (late := moved & ~measured).any():
                found = np.where(late, measure(best, late), found)
            measured |= moved
            value = np.where(moved, measure(last, moved) if moved.any() else found, found)
            bar = found + (branch.margin - 1.0) * np.abs(np.where(np.isfinite(found), found, 0.0))
            better = moved & ((value > bar) | (number == 0))
            best = best.put(better, last.take(better))
            self._log(branch, value, better)
            if not number and self.enough:
                rows = drawing.segments.sizes if run.method.connection.by_rows else 1
                live = live & ~(np.abs(value) <= self.enough * rows)
            if branch.stop:
                live = live & ~(value < np.where(np.isfinite(found), branch.stop * found, -math.inf))
            found = np.where(better, value, found)
        run.report(best, self.name)(float(np.sum(run.values(best))), best.Y)
        return best

    def _log(self, branch: Branch, value: np.ndarray, better: np.ndarray) -> None:
        """Log the measure of a branch, and for how many graphs it is the best so far."""
        if LOG.isEnabledFor(logging.DEBUG):
            name = branch.passes[-1].name if branch.passes else "as it is"
            best = f"best so far for {np.count_nonzero(better)} of {len(better)}"
            LOG.debug("%s, %s: %s %.6g, %s", self.name, name, self.by, float(np.median(np.abs(value))), best)


def passes_within(passes: tuple[Pass, ...], depth: int = 0):
    """Yield passes with their depth, each before its nested ones."""
    for each in passes:
        yield depth, each
        yield from passes_within(each.nested, depth + 1)


# A function of a drawing and the mask (C,) of the graphs that count, made from the drawing that `Keep` starts with.
# Larger is better.
Measure = Callable[[Drawing, np.ndarray], np.ndarray]


def _by_value(drawing: Drawing, run: Run) -> Measure:
    """Measure drawings by minus J; return minus infinity if a drawing collapsed."""

    def measure(now: Drawing, going: np.ndarray) -> np.ndarray:
        found = np.full(now.count, -math.inf)
        found[going] = -run.values(now.take(going))
        return np.where([reason == "collapsed" for reason in now.reasons], -math.inf, found)

    return measure


def _by_score(drawing: Drawing, run: Run, tidy: bool = False) -> Measure:
    """Measure drawings by the quality score; ``tidy``: times the tidiness."""
    score = Score(drawing, run.sums.threads)

    def measure(now: Drawing, going: np.ndarray) -> np.ndarray:
        found = np.where(going, score(now.Y), -math.inf)
        if tidy:
            some = now.take(going)
            found[going] *= tidiness(some.affinity.P, some.Y, some.segments)
        return found

    return measure


def _by_rest(_: Drawing, run: Run) -> Measure:
    """Measure drawings by minus the median step of nodes with initial positions, in radii."""

    def measure(now: Drawing, going: np.ndarray) -> np.ndarray:
        some, found = now.take(going), np.full(now.count, -math.inf)
        some = replace(some, parts=tuple(replace(part, fixed=None) for part in some.parts))
        moves = np.empty(some.count)
        for mask, each in some.by_method():
            objective = run.objective(each, each.method or run.method, each.exaggeration)
            at = objective.evaluate(each.Y, attraction=True)
            with np.errstate(all="ignore"):
                step = np.asarray(np.sqrt(np.sum(at.gradient**2, axis=1)) / (4.0 * attraction_of(objective, at)))
                steps, radii = np.split(step, each.segments.starts[1:-1]), each.radius()
                medians = [np.median(own[part.known]) for own, part in zip(steps, each.parts, strict=True)]
                moves[mask] = np.array(medians) / np.where(radii > 0, radii, 1.0)
        found[going] = np.where(np.isfinite(moves), -moves, -math.inf)
        return found

    return measure


MEASURES = {"J": _by_value, "score": _by_score, "tidy": partial(_by_score, tidy=True), "rest": _by_rest}
