"""Planar graphs: other drawings, which begin and stay without crossings.

A drawing with crossings gives the orders of edges around nodes.  Embeddings with similar orders are placed without
crossings (`nelayout.core.untangling.tutte`).  Each descends on J with a large emphasis, held by a barrier
(`nelayout.core.untangling.held`).  In the drawing of least value pieces and nodes jump to where no edges cross and the
value is less.  Then all nodes descend on the drawing's own J.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from nelayout.core.catalogue.record import Method
from nelayout.core.formula.kernels import Radial
from nelayout.core.objective import Objective
from nelayout.core.passes.costs import Cost, CostModel
from nelayout.core.passes.drawing import Drawing, Run
from nelayout.core.passes.passes import Pass
from nelayout.core.passes.tidiness import crossings
from nelayout.core.untangling.held import Held, held
from nelayout.core.untangling.tutte import straight
from nelayout.core.untangling.untangling import (
    CROSSED_NODES,
    ESTIMATED,
    Estimate,
    Search,
    objective_of,
    pieces_of,
    turned,
)
from nelayout.numerics.arithmetic import radius
from nelayout.numerics.planarity import embedding
from nelayout.quality.edges import edges

__all__ = ["Planar", "held_steps"]

# Embeddings that descend, nodes of all of them together (one always descends), and the noise of the drawing that gives
# the orders of all but the first, in edge lengths.
# see tuning: STARTS, MAX_STARTED_NODES, NOISE
STARTS, MAX_STARTED_NODES, NOISE = 5, 1500, 1.0
# Rounds of weights, by which the edges of a start get similar lengths.
# see tuning: WEIGHT_ROUNDS
WEIGHT_ROUNDS = 8
# Emphasis of large distances before the last descent.
# see tuning: HELD_EMPHASIS
HELD_EMPHASIS = 0.7
# Parts of the steps: of all starts together and of the last descent.  So many rounds of jumps share the rest.
# see tuning: TRIED, LAST, JUMPS
TRIED, LAST, JUMPS = 0.4, 0.2, 3
# Strengths of the barrier times n: at first, and in the last descent.
# see tuning: STRONG_BARRIER, LAST_BARRIER
STRONG_BARRIER, LAST_BARRIER = 0.3, 0.03
# Decrease of the value for which a piece or a node jumps, and pieces and nodes that are tried in a round.
# see tuning: LEAST_GAIN, MOST_JUMPS
LEAST_GAIN, MOST_JUMPS = 1e-3, 120
# Seconds of a held step: of any graph, for each node, and for each pair of a node and an edge.
# see tuning: HELD_CALL, HELD_NODE, HELD_PAIR
HELD_CALL, HELD_NODE, HELD_PAIR = 8e-4, 6e-6, 5e-9
# Seconds for each node of an embedding and its positions, and of a jump.
# see tuning: START_NODE, JUMP_NODE
START_NODE, JUMP_NODE = 7e-4, 4e-6
# Seconds of held steps in any graph, the part of the seconds of other descents, and most steps.
# see tuning: FREE_SECONDS, PART_OF_DESCENTS, MOST_HELD_STEPS
FREE_SECONDS, PART_OF_DESCENTS, MOST_HELD_STEPS = 1.0, 0.25, 800


def _step_seconds(n: int, entries: int) -> float:
    return HELD_CALL + HELD_NODE * n + HELD_PAIR * n * (entries // 2)


def _starts_of(n: int) -> int:
    return max(1, min(STARTS, MAX_STARTED_NODES // n))


def held_steps(n: int, entries: int, seconds: float) -> int:
    """Return the number of held steps for a graph beside descents that take so many seconds."""
    return min(MOST_HELD_STEPS, int(max(FREE_SECONDS, PART_OF_DESCENTS * seconds) / _step_seconds(n, entries)))


@dataclass(frozen=True, kw_only=True)
class Planar(Pass):
    """Draw a planar graph again, without crossings; ``steps`` counts held steps."""

    def cost(self, model: CostModel) -> Cost:
        share, n = min(1.0, model.n / CROSSED_NODES), model.n  # others have no crossing
        each = _starts_of(n) * START_NODE * n + JUMPS * MOST_JUMPS * JUMP_NODE * n
        return Cost(share * (each + self.steps * _step_seconds(n, model.entries)), evaluations=self.steps)

    def loops(self, method: Method) -> Iterator[Radial | str]:
        yield "stress"
        yield "crossings"

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        if not crossings(drawing.affinity.P, drawing.Y):
            return drawing
        found = _Redrawing(drawing, run, self).drawn()
        return drawing if found is None else replace(drawing, Y=found, reason="lull")


class _Redrawing:
    """Drawings without crossings of one planar graph."""

    def __init__(self, before: Drawing, run: Run, planned: Planar) -> None:
        self.before, self.P, self.threads, self.steps = before, before.affinity.P, run.sums.threads, planned.steps
        self.own = objective_of(before, run)
        self.run, self.report = run, run.report(before, planned.name)
        self.widely = replace(before, method=replace(before.method or run.method, emphasis=HELD_EMPHASIS))
        self.wide = objective_of(self.widely, run)
        self.i, self.j = edges(self.P)
        length = float(np.median(np.sqrt(np.sum((before.Y[self.i] - before.Y[self.j]) ** 2, axis=1))))
        self.length = length or 1.0

    def drawn(self) -> np.ndarray | None:
        """Return positions (n, 2); None if rounding makes edges cross in each start."""
        steps = int(TRIED * self.steps / _starts_of(len(self.before.Y)))
        starts = (self._held(self.wide, Y, steps, STRONG_BARRIER) for Y in self._starts())
        Y = min(starts, key=lambda each: each[1], default=(None, 0.0))[0]
        if Y is None:
            return None
        steps = int((1.0 - TRIED - LAST) * self.steps / JUMPS)
        for _ in range(JUMPS):
            before, Y = Y, self._jumped(Y)
            if Y is before or self.run.observer.late:
                break
            Y = self._held(self.wide, Y, steps, STRONG_BARRIER)[0]
        return self._held(self.own, Y, int(LAST * self.steps), LAST_BARRIER)[0]

    def _starts(self) -> Iterator[np.ndarray]:
        """Yield positions (n, 2) of different embeddings without crossings."""
        Y, rng, seen = self.before.Y, np.random.default_rng(0), list[object]()
        for k in range(_starts_of(len(Y))):
            noise = NOISE * self.length * rng.standard_normal(Y.shape) if k else 0.0
            orders = embedding(self.P, Y + noise)
            if orders is None or orders in seen or (seen and self.run.observer.late):
                continue
            seen.append(orders)
            Z = straight(orders, Y, WEIGHT_ROUNDS)
            if crossings(self.P, Z):
                Z = straight(orders, Y, 1)
            if not crossings(self.P, Z):
                Z -= np.sum(Z, axis=0) / len(Z)
                yield Z * (radius(Y - self.before.center) / radius(Z))

    def _held(self, objective: Objective, Y: np.ndarray, steps: int, strength: float) -> tuple[np.ndarray, float]:
        barrier = Held(objective, self.i, self.j, strength / len(Y), self.length)
        return held(barrier, Y, steps, self.report)

    def _jumped(self, Y: np.ndarray) -> np.ndarray:
        """Return the drawing after pieces and nodes have jumped; the same array if none has."""
        search = Search(self.widely.at(Y), self.run)
        search.estimate, search.left = Estimate(self.wide, Y, self.threads), min(search.left, MOST_JUMPS)
        value = Held(self.wide, self.i, self.j, STRONG_BARRIER / len(Y), self.length)
        least, moved = value(Y)[0], False

        def jump(nodes: np.ndarray, own: np.ndarray, Z: np.ndarray) -> None:
            nonlocal least, moved
            if search.left <= 0 or self.run.observer.late:
                return
            search.left -= 1.0
            free = np.flatnonzero(search.met(nodes, own, Z[1:]) == 0) + 1
            if not len(free):
                return
            free = free[:: -(-len(free) // ESTIMATED)]
            J = search.estimate(search.Y, nodes, Z[np.r_[0, free]])
            best = int(np.argmin(J[1:]))
            if J[1 + best] > J[0] - LEAST_GAIN:
                return
            now = search.Y.copy()
            now[nodes] = Z[free[best]]
            then = value(now)[0]
            if then < least - LEAST_GAIN and not crossings(self.P, now):
                search.place(now, own, 0)
                least, moved = then, True

        for vertex, nodes in pieces_of(self.P):
            own = np.unique(np.concatenate([search.at_node[v] for v in nodes.tolist()]))
            jump(nodes, own, turned(search.Y[nodes], search.Y[vertex]))
        for v in range(len(Y)):
            jump(np.array([v]), search.at_node[v], search.places(v)[:, None])
        return search.Y if moved else Y
