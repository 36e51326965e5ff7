"""From the coarsest graph to the finest: how a drawing finds its shape.

Most levels use a scale-free objective.  Its drawing resembles a projection of a shape in space.  A mesh that bends in
space is then folded onto itself, and no force separates the layers.  So some coarse levels are drawn by s-SNE with a
strong exaggeration instead.  Nodes within the range of its kernel push each other apart, linked or not.  Coarse levels
have few nodes, and each move is a large one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from nelayout.core.catalogue import METHODS
from nelayout.core.catalogue.record import Method
from nelayout.core.catalogue.stages import FINEST, SLOW, CoarseToFine
from nelayout.core.formula.kernels import Radial, inverse_power
from nelayout.core.objective import Affinity
from nelayout.core.optimizers import LBFGS, optimizer_named
from nelayout.core.optimizers.minimize import StoppingRule, silent
from nelayout.core.optimizers.size import size_search
from nelayout.core.passes.coarsen import COARSEST, Level, hierarchy, merged, strong_edges
from nelayout.core.passes.costs import READ, Cost, CostModel, radials_of
from nelayout.core.passes.drawing import Drawing, Report, Run
from nelayout.core.passes.passes import Descent, Pass, fold
from nelayout.core.passes.placement import centered, random_positions, scattered, stir_flat
from nelayout.core.passes.score import Hops
from nelayout.core.passes.separation import Neighborhoods
from nelayout.numerics.arithmetic import radius

__all__ = ["Levels", "GaussianMultistart", "lowest_copies", "polylog"]

# Nodes of a level that is unfolded, and its largest part of the graph's nodes: finer ones would curl up.
# see tuning: MIN_UNFOLDED, MAX_UNFOLDED, UNFOLDED_PART
MIN_UNFOLDED, MAX_UNFOLDED, UNFOLDED_PART = 200, 1000, 1 / 4
# Iterations of an unfolding.
# see tuning: UNFOLDING_STEPS
UNFOLDING_STEPS = 30
# Move of a node, in typical distances, that ends an unfolding.
# see tuning: UNFOLDING_MOVE
UNFOLDING_MOVE = 0.01
# Factor of the stress of hops beyond which a drawing that goes by distances between rows is left.
# see tuning: MAX_STRESS_RISE
MAX_STRESS_RISE = 4 / 3
# Random starts of a coarsest graph at most, and all nodes of the random starts of a graph together.
# see tuning: COARSEST_STARTS, STARTS_NODES
COARSEST_STARTS, STARTS_NODES = 8, 1300
# Nodes for each further random start: small graphs have few different layouts.
# see tuning: NODES_PER_COPY
NODES_PER_COPY = 5
# Iterations of each of them.
# see tuning: COARSEST_STEPS
COARSEST_STEPS = 50


def polylog(power: float) -> Method:
    """Return gamma-PolyLog of a power: 2 is gamma-QuadLog."""
    return replace(METHODS["gamma-quadlog"], kernel=inverse_power(power))


@dataclass(frozen=True, kw_only=True)
class Levels(Pass):
    """Draw the coarsest graph from random positions, and from each level the next finer one.

    stage   the stage that it carries out; ``steps`` counts the most iterations on all levels
    finest  whether it ends with the graph itself; else at a fifth of its nodes, and others take over
    ways    descents that follow on the next coarser graph
    whole   number of nodes of the graph, if the drawing is of its coarse graph; 0: the drawing's
    last    whether its objective is the drawing's: no pass minimizes another one
    """

    stage: CoarseToFine
    finest: bool = True
    ways: tuple[Descent, ...] = ()
    whole: int = 0
    last: bool = False

    @property
    def nested(self) -> tuple[Pass, ...]:
        """Return the descents."""
        return self.ways

    def cost(self, model: CostModel) -> Cost:
        drawn, stage = model.n * (1.0 if self.finest else FINEST), self.stage
        begun = Cost(READ * model.entries) + model.small(_starts(min(model.n, COARSEST)) * COARSEST_STEPS)
        most = min(MAX_UNFOLDED, UNFOLDED_PART * model.n) if stage.unfold else 0.0
        unfolding = UNFOLDING_STEPS * (1.0 + math.log2(most / MIN_UNFOLDED)) if most >= MIN_UNFOLDED else 0.0
        found = begun + model.steps(polylog(2.0), unfolding * most / model.n, unfolding)
        whole = stage.max_iter * 2.0 * drawn / model.n  # each level has half of the nodes
        calls = stage.max_iter * max(math.log2(drawn / COARSEST), 0.0)
        return found + model.steps(self._method(model.method), whole, calls, stage.optimizer)

    def loops(self, method: Method) -> Iterator[Radial | str]:
        yield from radials_of(self._method(method))

    def _method(self, method: Method) -> Method:
        """Return the method that draws the levels of a graph."""
        return method if self.stage.power is None else polylog(self.stage.power)

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        levels = hierarchy(drawing.affinity, run.rng)
        n, hinted = self.whole or len(drawing.Y), None
        if drawing.given is not None and drawing.given.init_hint is not None:
            fits = min(MAX_UNFOLDED, UNFOLDED_PART * n)
            hinted = next((depth for depth, level in enumerate(levels) if len(level.affinity.mass) <= fits), None)
        Y = np.zeros((0, run.dim))
        for depth in range(len(levels) - 1, -1, -1):
            affinity, cluster = levels[depth].affinity, levels[depth].cluster
            report = run.report(drawing, self.name, lambda Z, at=depth: _finest(Z, levels[:at]))
            if cluster is None:
                Y = self._coarsest(affinity, run, report)
            else:
                Y = Y[cluster]
                Y = scattered(Y, cluster, radius(Y) / np.sqrt(len(Y)), run.rng)
            if cluster is None or (self.draws(len(Y), n) and not run.observer.over):
                Y = self.drawn(affinity, Y, n, run, report)
                if depth == hinted:
                    Y = self._from_hint(drawing, levels[: depth + 1], Y, run, report)
            if self.ways and depth == (0 if self.whole else min(1, len(levels) - 1)):
                after = self._descended(drawing, levels[: depth + 1], Y, run)
                Y, drawing = after.Y, replace(drawing, method=after.method, exaggeration=after.exaggeration)
        if self.last:
            drawing = replace(drawing, method=self._method(run.method))
        return drawing.at(Y)

    def _coarsest(self, affinity: Affinity, run: Run, report: Report) -> np.ndarray:
        """Draw the coarsest graph: keep the lowest of several random starts."""
        method = run.method if self.stage.power is None else polylog(min(self.stage.power, 2.0))
        n = len(affinity.mass)
        # Hubs joined to all others shrink no further: such a graph is reported.
        seen = report if n > STARTS_NODES else silent
        return lowest_copies(affinity, method, _starts(n), COARSEST_STEPS, run, seen)

    def _from_hint(
        self, drawing: Drawing, levels: list[Level], Y: np.ndarray, run: Run, report: Report
    ) -> np.ndarray:
        """Draw the last levels from the hint too; keep it unless a rolled sheet stays rolled."""
        init_hint, mass, cluster = drawing.part.init_hint, drawing.affinity.mass, np.arange(len(drawing.Y))
        assert init_hint is not None
        for finer in levels[:-1]:
            assert finer.cluster is not None
            cluster = finer.cluster[cluster]
        m = len(levels[-1].affinity.mass)
        total = np.bincount(cluster, mass, minlength=m)
        means = np.stack([np.bincount(cluster, mass * column, minlength=m) for column in init_hint.T], axis=1)
        means /= total[:, None]
        begin = stir_flat(means / (radius(means) or 1.0), None, run.rng)
        other = self.drawn(levels[-1].affinity, begin, len(drawing.Y), run, report)
        hops = Hops(merged(strong_edges(drawing.affinity.P), cluster, m), run.sums.threads)
        keeps = np.isfinite(other).all() and hops.stress(other) <= MAX_STRESS_RISE * hops.stress(Y)
        return other if keeps else Y

    def _descended(self, drawing: Drawing, levels: list[Level], Y: np.ndarray, run: Run) -> Drawing:
        """Return the graph of the last level after the descents there; callbacks see all nodes."""
        *finer, level = levels
        seen = replace(run, above=lambda now: drawing.at(_finest(now.Y, finer)))
        return fold(self.ways, Drawing(Y, level.affinity), seen)

    def draws(self, m: int, n: int) -> bool:
        """Return True if it draws a level of m nodes of a graph of n nodes."""
        return self.finest or m <= FINEST * n

    def drawn(self, affinity: Affinity, Y: np.ndarray, n: int, run: Run, report: Report) -> np.ndarray:
        """Draw the graph of one level from positions Y (m, dim); n nodes are in the whole graph."""
        stage, m = self.stage, len(Y)
        drawing = Drawing(Y, affinity)
        if stage.unfold and MIN_UNFOLDED <= m <= min(MAX_UNFOLDED, UNFOLDED_PART * n) and run.dim > 1:
            unfolded = _unfolded(drawing, n / m, run, report)
            if unfolded is not None:
                return unfolded.Y
        rule = StoppingRule(stage.tol, stall=SLOW if stage.tol > 0 else None)
        objective = run.objective(drawing, self._method(run.method))
        # on few nodes the two end alike, and a linear system costs more than the steps of L-BFGS
        optimizer = LBFGS() if m <= COARSEST else optimizer_named(stage.optimizer)
        return run.minimize(objective, drawing, optimizer, stage.max_iter, rule, report).Y


@dataclass(frozen=True, kw_only=True)
class GaussianMultistart(Pass):
    """Draw a graph by symmetric SNE, and keep the lowest of several random starts.

    Methods with a connection by rows take SNE.  A Gaussian releases no edge, so that it finds the shape of a graph from
    random positions.

    copies  random starts at most
    """

    copies: int

    def cost(self, model: CostModel) -> Cost:
        steps = _copies(self.copies, model.n) * self.steps
        return model.steps(model.method, steps, steps)

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        method = METHODS["sne" if run.method.connection.by_rows else "ssne"]
        Y = lowest_copies(drawing.affinity, method, self.copies, self.steps, run)
        return Drawing(Y, drawing.affinity, drawing.given)


def _starts(n: int) -> int:
    """Return how many random starts a coarsest graph of n nodes has at most."""
    return min(COARSEST_STARTS, 1 + n // NODES_PER_COPY)


def _copies(most: int, n: int) -> int:
    """Return how many of at most so many random starts a graph of n nodes has."""
    return max(1, min(most, STARTS_NODES // n))


def lowest_copies(
    affinity: Affinity, method: Method, most: int, steps: int, run: Run, report: Report = silent
) -> np.ndarray:
    """Return the lowest of at most so many random drawings (n, dim) of a graph."""
    n = len(affinity.mass)
    copies = _copies(most, n)
    Y = random_positions(copies * n, run.dim, run.rng)
    if not affinity.P.nnz:
        return Y[:n]
    objective, best, least = run.objective(Drawing(Y[:n], affinity), method), Y[:n], math.inf
    if not objective.scale_free:  # random drawings are of one size
        Y = Y * size_search(objective, Y[:n])
    for start in np.split(Y, copies):
        after = run.minimized(objective, start, LBFGS(), steps, StoppingRule(stall=SLOW), report)
        if after.value < least:
            best, least = after.Y, after.value
    return best


def _finest(Y: np.ndarray, finer: list[Level]) -> np.ndarray:
    """Return positions of the finest graph from a level's."""
    for level in reversed(finer):
        Y = Y[level.cluster]
    return Y


def _unfolded(drawing: Drawing, exaggeration: float, run: Run, report: Report) -> Drawing | None:
    """Draw a level by s-SNE with an exaggeration; return None if no layers separate (paths)."""
    if np.median(np.diff(drawing.affinity.P.indptr)) <= 2:
        return None
    objective = run.objective(drawing, Method("gaussian"), exaggeration)
    hops, kept = Hops(drawing.affinity.P, run.sums.threads), Neighborhoods(drawing.affinity.P).kept
    before = drawing.at(centered(drawing.Y))
    sized = before.at(before.Y * size_search(objective, before.Y))
    rule = StoppingRule(UNFOLDING_MOVE, stall=SLOW)
    after = run.minimize(objective, sized, LBFGS(), UNFOLDING_STEPS, rule, report)
    if not np.isfinite(after.Y).all():
        return None
    parted = kept(after.Y) * hops.stress(before.Y) > kept(before.Y) * hops.stress(after.Y)
    return after if parted else None
