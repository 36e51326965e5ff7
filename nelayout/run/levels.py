"""From the coarsest graph to the finest: how a drawing finds its shape.

Most levels use a scale-free objective.  Its drawing resembles a projection of a shape in space.  A mesh that bends in
space is then folded onto itself, and no force separates the layers.  So some coarse levels are drawn by s-SNE with a
strong exaggeration instead.  Nodes within the range of its kernel push each other apart, linked or not.  Coarse levels
have few nodes, and each move is a large one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from nelayout.catalogue import METHODS
from nelayout.catalogue.record import Method
from nelayout.catalogue.stages import FINEST, SLOW, CoarseToFine
from nelayout.formula.kernels import inverse_power
from nelayout.numerics.groups import Parts
from nelayout.objective import Affinity
from nelayout.objective.stacks import one_after_another, some_of
from nelayout.optimizers import LBFGS, optimizer_named
from nelayout.optimizers.minimize import Rest, silent
from nelayout.run.coarsen import Level, hierarchy, merged, strong_edges
from nelayout.run.drawing import Drawing, Report, Run
from nelayout.run.parting import Neighborhoods
from nelayout.run.passes import Descent, Pass, fold
from nelayout.run.placement import radius, random_positions, scattered, stir_flat
from nelayout.run.score import Hops

__all__ = ["STARTS_NODES", "Levels", "Rough", "lowest_copies", "polylog"]

# Nodes of a level that is unfolded, and its largest part of the graph's nodes: finer ones would curl up.
MIN_UNFOLDED, MAX_UNFOLDED, UNFOLDED_PART = 200, 1000, 1 / 4
# Iterations of an unfolding.
UNFOLDING_STEPS = 30
# Move of a node, in typical distances, that ends an unfolding.
UNFOLDING_MOVE = 0.01
# Factor of the stress of hops beyond which a drawing that goes by distances between rows is left.
MAX_STRESS_RISE = 4 / 3
# Random starts of a coarsest graph at most, and all nodes of the random starts of a graph together.
COARSEST_STARTS, STARTS_NODES = 8, 1300
# Nodes for each further random start: small graphs have few different layouts.
NODES_PER_COPY = 5
# Iterations of each of them.
COARSEST_STEPS = 50


def polylog(power: float) -> Method:
    """Return gamma-PolyLog of a power: 2 is gamma-QuadLog."""
    return replace(METHODS["gamma-quadlog"], kernel=inverse_power(power))


@dataclass(frozen=True, kw_only=True)
class Levels(Pass):
    """Draw the coarsest graphs from random positions, and from each level the next finer one.

    stage   the stage that it carries out; ``steps`` counts the most iterations on all levels
    finest  whether it ends with the graph itself; else at a fifth of its nodes, and others take over
    ways    descents that follow on the next coarser graph
    whole   number of nodes of the graph, if the drawing is of its coarse graph; 0: the drawing's
    last    whether its objective is the drawing's: no pass minimizes another one
    """

    steps: int = field(default=0, compare=False)  # graphs with other numbers of levels are drawn together
    stage: CoarseToFine
    finest: bool = True
    ways: tuple[Descent, ...] = ()
    whole: int = 0
    last: bool = False

    @property
    def nested(self) -> tuple[Pass, ...]:
        """Return the descents."""
        return self.ways

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        levels = hierarchy(drawing.affinity, drawing.segments, run.rng)
        n, sketched = self.whole or len(drawing.Y), None
        if drawing.count == 1 and drawing.part.sketch is not None:
            fits = min(MAX_UNFOLDED, UNFOLDED_PART * n)
            sketched = next((depth for depth, level in enumerate(levels) if len(level.affinity.mass) <= fits), None)
        Y = np.zeros((0, run.dim))
        for depth in range(len(levels) - 1, -1, -1):
            level, coarser = levels[depth], Y
            Y = np.empty((len(level.affinity.mass), run.dim))
            report = run.report(drawing, self.name, lambda Z, at=depth: _finest(Z, levels[:at]))
            if not level.going.all():
                Y[~level.rows] = self._coarsest(level, run, report)
            if level.going.any():
                Y[level.rows] = _prolonged(coarser, level, run)
            if self.draws(len(Y), n) or not level.going.all():
                Y = self.drawn(level.affinity, level.parts, Y, n, run, report)
                if depth == sketched:
                    Y = self._from_sketch(drawing, levels[: depth + 1], Y, run, report)
            if self.ways and depth == (0 if self.whole else min(1, len(levels) - 1)):
                after = self._descended(drawing, levels[: depth + 1], Y, run)
                Y, drawing = after.Y, replace(drawing, methods=after.methods, exaggeration=after.exaggeration)
        if self.last:
            method = run.method if self.stage.power is None else polylog(self.stage.power)
            drawing = replace(drawing, methods=(method,) * drawing.count)
        return drawing.at(Y)

    def _coarsest(self, level: Level, run: Run, report: Report) -> np.ndarray:
        """Draw the coarsest graphs: keep the lowest of several random starts of each."""
        affinity, parts, _ = some_of(level.affinity, level.parts, ~level.going)
        method = run.method if self.stage.power is None else polylog(min(self.stage.power, 2.0))
        # Hubs joined to all others shrink no further: such a graph is reported.
        large = parts.count == 1 and len(affinity.mass) > STARTS_NODES
        most = min(COARSEST_STARTS, 1 + len(affinity.mass) // (NODES_PER_COPY * parts.count))
        return lowest_copies(affinity, parts, method, most, COARSEST_STEPS, run, report if large else silent)

    def _from_sketch(
        self, drawing: Drawing, levels: list[Level], Y: np.ndarray, run: Run, report: Report
    ) -> np.ndarray:
        """Draw the last levels from the sketch too; keep it unless a rolled sheet stays rolled."""
        sketch, mass, cluster = drawing.part.sketch, drawing.affinity.mass, np.arange(len(drawing.Y))
        assert sketch is not None
        for finer in levels[:-1]:
            cluster = finer.cluster[cluster]
        m = len(levels[-1].affinity.mass)
        total = np.bincount(cluster, mass, minlength=m)
        means = np.stack([np.bincount(cluster, mass * column, minlength=m) for column in sketch.T], axis=1)
        means /= total[:, None]
        begin = stir_flat(means / (radius(means) or 1.0), None, run.rng)
        other = self.drawn(levels[-1].affinity, levels[-1].parts, begin, len(drawing.Y), run, report)
        hops = Hops(merged(strong_edges(drawing.affinity.P), cluster, m), run.sums.threads)
        keeps = np.isfinite(other).all() and hops.stress(other) <= MAX_STRESS_RISE * hops.stress(Y)
        return other if keeps else Y

    def _descended(self, drawing: Drawing, levels: list[Level], Y: np.ndarray, run: Run) -> Drawing:
        """Return the graphs of the last level after the descents there; callbacks see all nodes."""
        *finer, level = levels
        seen = replace(run, above=lambda now: drawing.at(_finest(now.Y, finer)))
        return fold(self.ways, Drawing.on(level.affinity, level.parts, Y), seen)

    def draws(self, m: int, n: int) -> bool:
        """Return True if it draws a level of m nodes of a graph of n nodes."""
        return self.finest or m <= FINEST * n

    def drawn(self, affinity: Affinity, parts: Parts, Y: np.ndarray, n: int, run: Run, report: Report) -> np.ndarray:
        """Draw the graphs of one level from positions Y (m, dim); n nodes are in the whole graph."""
        stage, m = self.stage, len(Y)
        drawing = Drawing.on(affinity, parts, Y)
        fits = MIN_UNFOLDED <= m <= min(MAX_UNFOLDED, UNFOLDED_PART * n)
        if stage.unfold and fits and drawing.count == 1 and run.dim > 1:
            unfolded = _unfolded(drawing, n / m, run, report)
            if unfolded is not None:
                return unfolded.Y
        method = run.method if stage.power is None else polylog(stage.power)
        rest = Rest(stage.tol, lull=SLOW if stage.tol > 0 else None)
        objective = run.objective(drawing, method)
        return run.minimize(objective, drawing, optimizer_named(stage.optimizer), stage.max_iter, rest, report).Y


@dataclass(frozen=True, kw_only=True)
class Rough(Pass):
    """Draw each graph by symmetric SNE, and keep the lowest of several random starts.

    Methods with a connection by rows take SNE.  A Gaussian releases no edge, so that it finds the shape of a graph from
    random positions.

    copies  random starts of a graph at most
    """

    copies: int

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        method = METHODS["sne" if run.method.connection.by_rows else "ssne"]
        graphs = drawing.affinity, drawing.segments
        return Drawing.on(*graphs, lowest_copies(*graphs, method, self.copies, self.steps, run), drawing.parts)


def lowest_copies(
    affinity: Affinity, parts: Parts, method: Method, most: int, steps: int, run: Run, report: Report = silent
) -> np.ndarray:
    """Return the lowest of at most so many random drawings (n, dim) of each graph."""
    count, n, dim = parts.count, len(affinity.mass), run.dim
    copies = max(1, min(most, STARTS_NODES * count // n, n // count))
    Y = random_positions(copies * n, dim, run.rng)
    if not affinity.P.nnz:
        return Y[:n]
    several, segments = one_after_another([affinity] * copies) if copies > 1 else (affinity, parts)
    segments = Parts(np.tile(parts.sizes, copies))
    drawing = Drawing.on(several, segments, Y)
    objective = run.objective(drawing, method)
    if not objective.scale_free:
        drawing = drawing.at(Y * run.sizes(objective, Y)[segments.of][:, None])
    drawing = run.minimize(objective, drawing, LBFGS(), steps, Rest(lull=SLOW), report)
    drawing = replace(drawing, methods=(method,) * drawing.count)
    best = np.argmin(run.values(drawing).reshape(copies, count), axis=0)
    return drawing.Y.reshape(copies, n, dim)[best[parts.of], np.arange(n)]


def _prolonged(coarser: np.ndarray, level: Level, run: Run) -> np.ndarray:
    """Return the positions of the nodes that the coarser level has merged."""
    parts = Parts(level.parts.sizes[level.going])
    fine = coarser[level.cluster]
    typical = parts.radius(fine) / np.sqrt(parts.sizes)
    return scattered(fine, level.cluster, typical[parts.of], run.rng)


def _finest(Y: np.ndarray, finer: list[Level]) -> np.ndarray:
    """Return positions of the finest graphs from a level's; 0 for graphs not drawn yet."""
    for level in reversed(finer):
        fine = np.zeros((len(level.affinity.mass), Y.shape[1]))
        fine[level.rows] = Y[level.cluster]
        Y = fine
    return Y


def _unfolded(drawing: Drawing, exaggeration: float, run: Run, report: Report) -> Drawing | None:
    """Draw a level by s-SNE with an exaggeration; return None if no layers separate (paths)."""
    if np.median(np.diff(drawing.affinity.P.indptr)) <= 2:
        return None
    objective = run.objective(drawing, Method("gaussian"), exaggeration)
    hops, kept = Hops(drawing.affinity.P, run.sums.threads), Neighborhoods(drawing.affinity.P).kept
    before = drawing.at(drawing.Y - drawing.centers())
    sized = before.at(before.Y * run.sizes(objective, before.Y))
    rest = Rest(UNFOLDING_MOVE, lull=SLOW)
    after = run.minimize(objective, sized, LBFGS(), UNFOLDING_STEPS, rest, report)
    if not np.isfinite(after.Y).all():
        return None
    parted = kept(after.Y) * hops.stress(before.Y) > kept(before.Y) * hops.stress(after.Y)
    return after if parted else None
