"""From the coarsest graph to the finest: how a drawing finds its shape.

Most levels use a scale-free objective.  Its drawing resembles a projection of a shape in space: a mesh that bends in
space comes out folded onto itself, and nothing pushes the layers apart.  So some coarse levels are drawn by s-SNE with
a strong exaggeration instead: nodes within the reach of its kernel push each other apart, linked or not, while there
are few nodes to move and each move is a large one.

Where the caller knows an outline of the drawing (of vectors: their principal components), one coarse level is also
drawn from that.  It has the order of large distances, which a graph of neighbors hardly knows; but a sheet that is
rolled up in it stays rolled up.  So both drawings are compared with the graph's own distances.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from nelayout.catalogue import METHODS
from nelayout.catalogue.record import Method
from nelayout.catalogue.stages import FINEST, LARGE_GRAPH, SLOW, CoarseToFine, Stage
from nelayout.formula.kernels import inverse_power
from nelayout.optimizers import optimizer_named
from nelayout.optimizers.minimize import Report, Rest, minimize
from nelayout.optimizers.size import size_search
from nelayout.run.auto.verdict import Judge
from nelayout.run.coarsen import Level, hierarchy
from nelayout.run.coarsest import COARSEST_STEPS, REPORTED, draw_coarsest
from nelayout.run.start import prolong, radius, stir_flat
from nelayout.run.state import Component, Run, Summation
from nelayout.run.strong_edges import merged_pattern, strong_edges

__all__ = ["LEAST_GRAPH_UNFOLDED", "first_method", "method_of", "through_levels"]

# Levels of these many nodes are unfolded, if they have at most this part of the graph's: finer ones would curl up.
LEAST_UNFOLDED, MOST_UNFOLDED, PART_UNFOLDED = 200, 1000, 1 / 4
# Nodes of the smallest graph of which a level is unfolded.
LEAST_GRAPH_UNFOLDED = int(LEAST_UNFOLDED / PART_UNFOLDED)
UNFOLDING_STEPS = 30
UNFOLDING_REST = Rest(0.01, gain=SLOW)
# Edges a node below which a level is a path, a ring or a tree, a little knotted: it has no layers, and only bends.
SHEET = 1.2
# Unfolding harms graphs that have no layers: ribbons bend, hubs collapse, heavy edges fly apart.  Their stress then
# rises; after a successful unfolding it rose by more than a third in hardly any case.  Beyond it, unfolding is undone,
# and the drawing from an outline left: where a sheet is rolled up in the outline, its stress is 5 to 7 times that of
# the way through the levels, and with groups at most 1.3 times (handwritten digits, objects, faces, statlog shuttle).
BENT = 4 / 3
# An unfolding that keeps so many times as much of the neighborhoods has parted layers that lay on each other, and may
# raise the stress as much.  In triangulations of random points neighborhoods rise 2.3 to 2.7 times and stress up to 1.6
# times; in none of the graphs that unfolding harms do neighborhoods rise twice (a clique with a path: 1.8 times).
PARTED = 2.0


def method_of(stage: Stage, method: Method) -> Method:
    """The method whose objective a stage minimizes."""
    if isinstance(stage, CoarseToFine):
        return method if stage.power is None else _polylog(stage.power)
    kernel, divergence = stage.kernel or method.kernel, stage.divergence or method.divergence
    return replace(method, kernel=kernel, divergence=divergence, variational=False)


def first_method(stage: CoarseToFine, method: Method) -> Method:
    """The method that draws the coarsest graph: of a power of 2 at most, which lays a path straight."""
    return method_of(stage, method) if stage.power is None else _polylog(min(stage.power, 2.0))


def _polylog(power: float) -> Method:
    return replace(METHODS["gamma-quadlog"], kernel=inverse_power(power))


def through_levels(component: Component, stage: CoarseToFine, run: Run) -> np.ndarray:
    """Draw the coarsest graph, and from each level the next finer one; positions (n, dim) of the last."""
    levels, n = hierarchy(component.affinity, run.rng), len(component.nodes)
    clusters = [level.cluster for level in levels[1:]]
    each = stage.max_iter + (UNFOLDING_STEPS if stage.unfold else 0)
    first_ones = COARSEST_STEPS if levels[-1].affinity.P.shape[0] > REPORTED else 0
    sketched = None if component.sketch is None else _sketched(levels)
    run.observer.expect(first_ones + (len(levels) + (sketched is not None)) * each)

    def report(depth: int) -> Report:
        def finest(Y: np.ndarray) -> np.ndarray:
            for cluster in reversed(clusters[:depth]):
                assert cluster is not None
                Y = Y[cluster]
            return Y

        return run.report(component, stage.name, finest)

    first = first_method(stage, run.method)
    method, optimizer = method_of(stage, run.method), optimizer_named(stage.optimizer)
    rest = Rest(stage.tol, gain=SLOW if stage.tol > 0 else None)

    def unfolds(m: int) -> bool:
        return stage.unfold and run.dim > 1 and LEAST_UNFOLDED <= m <= min(MOST_UNFOLDED, PART_UNFOLDED * n)

    def draw(depth: int, Y: np.ndarray) -> np.ndarray:
        level = levels[depth]
        if unfolds(len(Y)):
            unfolded = _unfold(level, Y, n / len(Y), run.sums, report(depth))
            if unfolded is not None:
                return unfolded
        objective = run.sums.objective(method, level.affinity)
        return minimize(objective, Y, optimizer, stage.max_iter, rest, report(depth))[0]

    quadlog = stage.power is not None and stage.power >= 2
    Y = draw_coarsest(levels[-1].affinity, first, quadlog, run, report(len(levels) - 1))
    for depth in range(len(levels) - 1, -1, -1):
        level, coarsest = levels[depth], depth == len(levels) - 1
        if not coarsest:
            cluster = clusters[depth]
            assert cluster is not None
            Y = prolong(Y, cluster, run.rng)
        if not level.affinity.P.nnz:  # a star has become a single node
            continue
        if not stage.finest and n > LARGE_GRAPH and not coarsest and len(Y) > FINEST * n:
            continue
        Y = draw(depth, Y)
        if depth == sketched:
            assert component.sketch is not None
            other = draw(depth, stir_flat(_means(component.sketch, levels[1 : depth + 1]), None, run.rng))
            judge = Judge(_hops_of(levels[: depth + 1]), run.sums.threads)
            if np.isfinite(other).all() and judge.stress(other) <= BENT * judge.stress(Y):
                Y = other
    return Y


def _sketched(levels: list[Level]) -> int | None:
    """The finest level with few enough nodes to be unfolded; None: the coarsening ends before."""
    most = min(MOST_UNFOLDED, PART_UNFOLDED * levels[0].affinity.P.shape[0])
    return next((depth for depth, level in enumerate(levels) if level.affinity.P.shape[0] <= most), None)


def _hops_of(levels: list[Level]) -> csr_array:
    """The graph of the last level in which hops are counted: of the strong edges of the finest, merged."""
    cluster = np.arange(levels[0].affinity.P.shape[0])
    for level in levels[1:]:
        assert level.cluster is not None
        cluster = level.cluster[cluster]
    return merged_pattern(strong_edges(levels[0].affinity.P), cluster)


def _means(Y: np.ndarray, levels: list[Level]) -> np.ndarray:
    """Means (m, dim) of the finest nodes Y (n, dim) in each node of the last level; of radius 1."""
    mass = np.ones(len(Y))
    for level in levels:
        assert level.cluster is not None
        n = level.affinity.P.shape[0]
        merged = np.bincount(level.cluster, mass, minlength=n)
        sums = [np.bincount(level.cluster, mass * column, minlength=n) for column in Y.T]
        Y, mass = np.stack(sums, axis=1) / merged[:, None], merged
    return Y / (radius(Y) or 1.0)


def _unfold(level: Level, Y: np.ndarray, exaggeration: float, sums: Summation, report: Report) -> np.ndarray | None:
    """Draw a level by s-SNE with an exaggeration; None where there were no layers to part."""
    if level.affinity.P.nnz < 2 * SHEET * len(Y):
        return None
    objective = sums.objective(Method("gaussian"), level.affinity).exaggerated(exaggeration)
    judge, before = Judge(level.affinity.P, sums.threads), Y
    Y = Y - np.sum(Y, axis=0) / len(Y)
    Y = Y * size_search(objective, Y)
    Y, _, _ = minimize(objective, Y, optimizer_named("lbfgs"), UNFOLDING_STEPS, UNFOLDING_REST, report)
    if not np.isfinite(Y).all():
        return None
    bent = judge.stress(Y) / max(judge.stress(before), np.finfo(float).tiny)
    if bent <= BENT:
        return Y
    kept = judge.neighborhoods.kept
    return Y if bent <= PARTED and kept(Y) >= PARTED * kept(before) else None
