"""The one loop: stages, coarse to fine, stopping, trace and callbacks live here and nowhere else.

A connected graph comes in as an affinity, a drawing goes out.  Methods whose stages say so are first taken through the
levels of the coarsened graph; between two objectives the drawing is brought to the size that suits the next one.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from nelayout.method import Method
from nelayout.objective import Affinity, Evaluation, Objective
from nelayout.optimizers import Optimizer, optimizer_named
from nelayout.record.progress import Watch
from nelayout.run.auto.verdict import Judge
from nelayout.run.descent import descend
from nelayout.run.levels import objective_of, through_levels
from nelayout.run.start import frame, place_missing, radius, random_positions, size_search, stir_flat
from nelayout.run.sums import Floor
from nelayout.stages import LARGE, annealed

__all__ = ["Drawing", "draw_component", "road_pull"]

# A drawing of a smaller radius, in units of a bounded kernel, counts as shrunk to a point.
POINT = 1e-2
# Nor is a drawing of a similar objective made smaller than this part of itself.
SHRUNK = 0.1
# With fixed nodes, the size of the drawing is searched for this many times.
RESIZINGS = 5
# What has fewer junctions is no map; and edges pull at most as hard as the number of nodes divided by this.
LEAST_JUNCTIONS, WIDEST = 10, 16
EVEN = 2.0  # the largest weight of a single path or ring, beside the least
# A candidate this much worse than the best so far ends the search; on large graphs, one that is hardly better.
WORSE, HARDLY_BETTER = 0.95, 1.05


@dataclass
class Drawing:
    """A component while it is drawn; ``Y`` is always the best that there is, for callbacks and interrupted runs."""

    Y: np.ndarray
    method: Method | None = None  # whose objective it was drawn by last
    evaluation: Evaluation | None = None
    reason: str = "max_iter"
    place: np.ndarray | float = 0.0  # a warm start lies at Y / size + place
    size: float = 1.0

    @property
    def before(self) -> np.ndarray:
        """Y at the size and place of its warm start."""
        with np.errstate(over="ignore"):  # a start near the end of the range of floats may have grown
            return self.Y / self.size + self.place


@dataclass(frozen=True, slots=True)
class Task:
    """How one component is to be drawn."""

    method: Method
    dim: int
    floor: Floor
    optimizer: Optimizer | None = None
    max_iter: int | None = None
    tol: float | None = None


def draw_component(
    affinity: Affinity,
    task: Task,
    rng: np.random.Generator,
    watch: Watch,
    show: Callable[[np.ndarray], np.ndarray],
    start: np.ndarray | None = None,
    fixed: np.ndarray | None = None,
    into: Drawing | None = None,
) -> Drawing:
    """Draw one connected graph of two or more nodes, or any with edges from a start.

    ``start`` (n, dim) with NaN rows for nodes without a position is a warm start; ``fixed`` masks nodes that stay.
    ``show`` turns the component's positions into the whole graph's, for callbacks.  Positions come back in the
    method's own units, those of fixed nodes scaled with the rest; ``into`` holds them also when the run is interrupted.
    """
    n = affinity.P.shape[0]
    stages = task.method.stages if task.optimizer is None or task.optimizer.name != "momentum" else annealed("momentum")
    drawing = Drawing(np.zeros((n, task.dim))) if into is None else into
    free = None if fixed is None or not fixed.any() else ~fixed
    if start is not None and not np.isnan(start).all():
        drawing.place, extent = frame(start)
        drawing.size = 1.0 / extent
        drawing.Y = place_missing((start - drawing.place) / extent, affinity.P, rng)
        if task.max_iter != 0:
            drawing.Y = stir_flat(drawing.Y, free, rng)
        # Strong attraction or another kernel would draw another map: a start that the reader knows goes to the last
        # stage.
        stages = (replace(stages[-1], candidate=False, levels=False),)
    elif not any(stage.levels for stage in stages) or n == 2:
        drawing.Y = random_positions(n, task.dim, rng)

    pull = road_pull(affinity.P) if any(stage.straight for stage in stages) else 1.0
    stages = tuple(stage.at(n, pull) for stage in stages)
    candidates: list[tuple[float, Drawing]] = []
    judge = Judge(affinity.P, task.floor.threads)
    sized_for: Method | None = None
    done = 0
    own_steps = sum(stage.max_iter for stage in stages if not stage.levels)

    def current(Y: np.ndarray) -> np.ndarray:
        drawing.Y = Y
        return show(Y)

    for stage in stages:
        method = objective_of(stage, task.method)
        if stage.levels:
            drawing.Y = through_levels(affinity, stage, task.method, task.dim, task.floor, rng, watch, current)
            continue
        objective = task.floor.objective(method, affinity, free).exaggerated(stage.attraction)
        bounded = not method.kernel.singular and free is None
        if sized_for != method or (bounded and radius(drawing.Y) < POINT):
            _resize(objective, drawing, sized_for is not None)
            sized_for = method
            if bounded and (now := radius(drawing.Y)) < POINT:  # let the minimizer say whether it is to be a point
                drawing.Y = drawing.Y * (10 * POINT / now)
        steps = stage.max_iter
        if task.max_iter is not None:  # shared out among the stages in proportion
            before, done = done, done + stage.max_iter
            steps = round(task.max_iter * done / own_steps) - round(task.max_iter * before / own_steps)
        optimizer = task.optimizer or optimizer_named(stage.optimizer)
        tol = stage.tol if task.tol is None else task.tol

        # How far apart the fixed nodes are, in the drawing's units, is free: search for it on the way.
        rounds = 1 if free is None or task.max_iter == 0 else RESIZINGS if free.any() else 0
        entered = drawing.Y
        for turn in range(rounds):
            if turn:
                _spread_fixed(objective, drawing)
            share = steps // rounds + (turn < steps % rounds)
            drawing.Y, drawing.evaluation, drawing.reason = descend(
                objective, drawing.Y, optimizer, share, tol, watch.on(stage.name, current), POINT if bounded else 0.0
            )
        if bounded and radius(drawing.Y) < POINT:
            # Where an objective wants nothing else (t-SNE of a clique), shapes are rounding errors: keep the last one.
            drawing.Y = entered * (POINT / radius(entered))
        drawing.method = method
        if stage.candidate:
            best = max((judged for judged, _ in candidates), default=0.0)
            candidates.append((judge.score(drawing.Y), copy(drawing)))
            if candidates[-1][0] < best * (WORSE if n <= LARGE else HARDLY_BETTER):
                break  # the next one would go further in the same direction
    if candidates:
        _, kept = max(candidates, key=lambda candidate: candidate[0])
        vars(drawing).update(vars(kept))
    return drawing


def road_pull(P: csr_array) -> float:
    """How much harder the edges of a road map have to pull than a kernel of their own length asks for; else 1.

    A path with two neighbors a node has room to bend as soon as it is longer than the kernel reaches, and then winds
    through all the space that there is.  Edges that pull L^2 times as hard become L times as short beside the kernel,
    which so reaches from one end of a path of L edges to the other; L is the mean over all paths.

    What is held from one side only, or is as small as the kernel, falls together under such a pull.  So a road map is
    a graph in which most nodes have two neighbors; three or four roads meet at its junctions; ends are at most half as
    many as junctions; and of ten edges at most one is in a triangle.  A single path or ring is a road as well, if its
    weights hardly differ: the harder edges pull, the more of that difference is in their lengths.
    """
    degree = np.diff(P.indptr)
    n, junctions, ends = len(degree), degree[degree > 2], int(np.count_nonzero(degree == 1))
    inner = n - len(junctions) - ends
    if not len(junctions):
        return max(1.0, n / WIDEST) if P.data.max() <= EVEN * P.data.min() else 1.0
    if 2 * inner <= n or len(junctions) < LEAST_JUNCTIONS or np.mean(junctions) > 4.0 or 2 * ends > len(junctions):
        return 1.0
    A = csr_array((np.ones(P.nnz), P.indices, P.indptr), shape=P.shape)
    triangles = csr_array(A @ A).multiply(A)
    if 10 * triangles.nnz > P.nnz:
        return 1.0
    # Beside a kernel much wider than the whole drawing, this would shrink to a point.
    return max(1.0, min((P.nnz / (int(np.sum(junctions)) + ends)) ** 2, n / WIDEST))


def _resize(objective: Objective, drawing: Drawing, sized: bool) -> None:
    """Bring a drawing to the size that the objective wants, with its centroid at the origin.

    ``sized``: its size is that of a similar objective, and the search starts there.
    """
    middle = np.sum(drawing.Y, axis=0) / len(drawing.Y)
    drawing.place = drawing.place + middle / drawing.size
    drawing.Y = drawing.Y - middle
    factor = size_search(objective, drawing.Y, guess=radius(drawing.Y) if sized else None)
    if sized and factor < SHRUNK:  # a point, from which there is no way back
        factor = 1.0
    drawing.Y = drawing.Y * factor
    drawing.size *= factor


def _spread_fixed(objective: Objective, drawing: Drawing) -> None:
    """Bring the fixed nodes alone to the size that the objective wants, about their own centroid."""
    assert objective.free is not None
    fixed = ~objective.free
    here = drawing.Y[fixed]
    middle = np.sum(here, axis=0) / len(here)
    factor = size_search(objective, drawing.Y, fixed)
    drawing.Y = drawing.Y.copy()
    drawing.Y[fixed] = middle + factor * (here - middle)
    drawing.place = drawing.place + (1.0 - 1.0 / factor) * middle / drawing.size
    drawing.size *= factor
