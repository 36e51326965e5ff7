"""Rings: the caller fixes every node's distance from one point; nelayout draws the angles.

The objective of the method decides on the angles, as it does on all coordinates elsewhere.  Its variables are the
arcs, angle times radius.  On a ring a node can hardly pass another one, so the angles at the start decide the order.
nelayout compares two: the angles of the drawing without rings, and sectors for all nodes behind a node, as in a tree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy.sparse import csr_array

from nelayout.core.catalogue.record import Method
from nelayout.core.formula.kernels import Radial
from nelayout.core.objective import Objective
from nelayout.core.optimizers import LBFGS
from nelayout.core.optimizers.minimize import StoppingRule
from nelayout.core.optimizers.size import size_search
from nelayout.core.passes.costs import Cost, CostModel, radials_of
from nelayout.core.passes.drawing import Drawing, Run
from nelayout.core.passes.passes import Pass
from nelayout.core.passes.tidiness import crossings
from nelayout.core.passes.ties import OnArcs
from nelayout.core.placing.rings import in_sectors, on_circles, side_by_side, sifted, sifting_rounds, spaced

__all__ = ["OnRings", "RING_STEPS"]

# Most iterations from each start, and the parts of them between which the size of the rings is searched for.
RING_STEPS, PARTS = 200, 2
# Least fraction of the decrease of J for which iterations go on.
STALL = 1e-4
# Edges up to which the drawing with fewest crossings is kept, else the one with the least J.
MAX_COUNTED_EDGES = 4000
# Parts of the way from the angles at the start to the least J.  The largest with the fewest crossings is taken.
WAYS = (1.0, 0.5, 0.25, 0.0)
# Rounds of sifting from each order at the start; the best one has the others.
FIRST_ROUNDS = 3
# Seconds in which a node is compared with all places on a circle, and with each entry of the matrix.
SIFTED_NODE, SIFTED = 5e-5, 1e-8


@dataclass(frozen=True, kw_only=True)
class OnRings(Pass):
    """Put all nodes on their rings, with angles from the drawing without rings."""

    def cost(self, model: CostModel) -> Cost:
        if self.steps:
            return super().cost(model)
        rounds = sifting_rounds(model.n, model.entries)
        rounds = 3 * min(rounds, FIRST_ROUNDS) + max(rounds - FIRST_ROUNDS, 0)
        return Cost(rounds * model.n * (SIFTED_NODE + SIFTED * model.entries))

    def loops(self, method: Method) -> Iterator[Radial | str]:
        yield from radials_of(method)

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        drawing, part = replace(drawing, method=run.method), drawing.part
        assert part.rings is not None
        assert part.start is not None
        radius, P = part.rings.radius, part.seen_edges
        angle, even = _angles(part.start, radius), part.rings.even
        objective = run.sums.on_cpu.objective(run.method, part.affinity)
        if even or not self.steps or not P.nnz:
            over = partial(getattr, run.observer, "over")
            Y = on_circles(radius, _even(P, angle, part.rings.groups, over) if even else spaced(radius, angle))
            return replace(drawing.at(Y * size_search(objective, Y) if P.nnz else Y), reason="converged")
        found = list[tuple[float, float, float, Drawing]]()
        for start in (angle, in_sectors(P, radius, angle)):
            if found and run.observer.over:
                break
            end, value, reason = self._descended(objective, drawing, start, run)
            for part_way in WAYS if P.nnz <= 2 * MAX_COUNTED_EDGES else WAYS[:1]:
                Y = on_circles(radius, spaced(radius, start + part_way * (end - start)))
                crossed = crossings(P, Y, math.inf) if P.nnz <= 2 * MAX_COUNTED_EDGES else 0.0
                found.append((crossed, -part_way, value, replace(drawing.at(Y), reason=reason)))
        best = min(found, key=lambda each: each[:3])[3]
        return best.at(best.Y * size_search(objective, best.Y))

    def _descended(
        self, objective: Objective, drawing: Drawing, angle: np.ndarray, run: Run
    ) -> tuple[np.ndarray, float, str]:
        """Return angles (n,) of low J that iterations find from others, J and why they ended."""
        rings, value, reason = drawing.part.rings, math.inf, "max_iter"
        assert rings is not None
        radius = rings.radius
        for _ in range(PARTS):
            size = size_search(objective, on_circles(radius, angle))
            arcs = OnArcs(objective, size * radius)
            rule = StoppingRule(stall=STALL)
            report = run.report(drawing, self.name, arcs.positions)
            steps = self.steps // (2 * PARTS)
            x, value, reason = run.minimized(arcs, arcs.arcs(angle), LBFGS(), steps, rule, report)
            angle = arcs.angles(x)
        return angle, value, reason


def _angles(Y: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """Return the angles (n,) of positions about the middle of the innermost nodes.

    >>> _angles(np.array([[1.0, 1.0], [2.0, 1.0], [1.0, 5.0]]), np.array([0.0, 1.0, 1.0])).round(2).tolist()
    [0.0, 0.0, 1.57]
    """
    inner = Y[radius == radius.min()]
    about = Y - np.sum(inner, axis=0) / len(inner)
    return np.arctan2(about[:, 1], about[:, 0])


def _even(
    P: csr_array, angle: np.ndarray, groups: Sequence[np.ndarray], over: Callable[[], bool]
) -> np.ndarray:
    """Return equal angles (n,) in an order with few crossings, turned as the given ones (n,)."""
    starts = np.argsort(angle, kind="stable"), _in_depth(P), np.arange(len(angle))
    rounds = sifting_rounds(len(angle), P.nnz)
    first = min(rounds, FIRST_ROUNDS)
    order = min((sifted(P, each, first, over=over) for each in starts), key=lambda found: found[1])[0]
    order, block = side_by_side(P, order, groups, rounds, over) if groups else (order, None)
    order = sifted(P, order, max(rounds - FIRST_ROUNDS, 0), block, over)[0]
    place = 2.0 * math.pi / len(order) * np.argsort(order)
    away = angle - place
    return place + math.atan2(float(np.sum(np.sin(away))), float(np.sum(np.cos(away))))


def _in_depth(P: csr_array) -> np.ndarray:
    """Return the nodes in the order of a search in depth: edges of a tree do not cross."""
    from scipy.sparse.csgraph import depth_first_order  # not loaded without a circle

    n, found = P.shape[0], list[int]()
    seen = np.zeros(n, dtype=bool)
    for root in range(n):
        if not seen[root]:
            nodes = depth_first_order(P, root, directed=False, return_predecessors=False)
            seen[nodes] = True
            found += nodes.tolist()
    return np.array(found)
