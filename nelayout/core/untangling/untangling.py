"""Untangling: fewer edges cross after pieces of a drawing turn and single nodes move.

An objective sums over pairs of nodes, so it does not see that two branches of a tree cross.  A descent cannot part them
either: every small step makes J larger.  Here a whole piece moves at once.  A piece hangs at one node, a cut vertex.
It turns about this node, is mirrored, shrinks and closes.  Nodes at the ends of crossed edges move alone.  A move must
lower

    J + k ln(1 + X).

J is the objective of the drawing and X its number of crossings.  So the last crossings count most.  Then all
nodes settle: they go down J as far as no further edges cross.  k doubles when a round takes out few crossings.

The drawing with the least F = J + `KAPPA` ln(1 + X) of all rounds is the result, so F never rises.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from nelayout.core.catalogue.record import Method
from nelayout.core.formula.divergences import Similarity
from nelayout.core.formula.kernels import Radial
from nelayout.core.objective import Objective
from nelayout.core.objective.linearized import Linearized
from nelayout.core.optimizers import LBFGS
from nelayout.core.optimizers.minimize import Report, StoppingRule, minimize, silent
from nelayout.core.passes.costs import Cost, CostModel
from nelayout.core.passes.drawing import Drawing, Run
from nelayout.core.passes.passes import Descent, Pass
from nelayout.core.passes.tidiness import crossed, crossings, is_symmetric, step_between
from nelayout.core.sums.nbody.exact import BLOCK_PAIRS
from nelayout.core.sums.nbody.outside import Sources
from nelayout.core.untangling.cactus import is_cactus, radial_drawing, searched
from nelayout.numerics.parallel import Threads
from nelayout.quality.edges import edges

__all__ = [
    "CROSSED_NODES", "ESTIMATED", "Estimate", "KAPPA", "Redraw", "Search", "Untangle", "objective_of", "pieces_of",
    "turned",
]  # fmt: skip

# Nats for each e-fold of 1 + X: in the result, and at most in moves.
# see tuning: KAPPA, MOST_KAPPA
KAPPA, MOST_KAPPA = 0.5, 4.0
# Nodes of the largest piece.
# see tuning: MAX_PIECE_NODES
MAX_PIECE_NODES = 300
# Turns of a piece in a full circle, and factors of its distances from its vertex and of its angles there.
# see tuning: TURNS
TURNS, SIZES = 16, (1.0, 0.6, 0.3)
# Candidate positions of a node on each of two circles, and their radii in parts of its mean edge.  The circles are
# around the node and around the mean of its neighbors.
# see tuning: PLACES
PLACES, RADII = 8, (0.35, 0.6)
# Moves of a piece or node with an estimate of J: those with the fewest crossings.
# see tuning: ESTIMATED
ESTIMATED = 12
# Descents in which nodes settle, iterations of each, and the least decrease of J.
# see tuning: SETTLING_STEPS, SETTLED
SETTLING, SETTLING_STEPS, SETTLED = 8, 4, 3e-3
# Part of the crossings above which a round leaves too many: k doubles, or of more crossings than a few, rounds end.
# see tuning: STUBBORN, FEW_CROSSINGS
STUBBORN, FEW_CROSSINGS = 0.5, 10
# Moves that may be tried: of any graph, and for each node; and their factor for trees and cactuses.
# see tuning: MAX_MOVES, NODE_MOVES, CACTUS_FACTOR
MAX_MOVES, NODE_MOVES, CACTUS_FACTOR = 170, 0.25, 4.0
# Tests of two segments, and nodes that settle, which cost as much as a move.
# see tuning: TESTS_PER_MOVE, SETTLED_PER_MOVE
TESTS_PER_MOVE, SETTLED_PER_MOVE = 60_000, 60
# Crossings for each entry above which moves take out few of them.
# see tuning: TANGLED
TANGLED = 0.5
# Nodes from which a graph that may be planar is likely to have crossings, so that it is redrawn.
# see tuning: CROSSED_NODES
CROSSED_NODES = 300

@dataclass(frozen=True, kw_only=True)
class Untangle(Pass):
    """Move pieces and nodes at crossings; symmetric drawings stay, except trees and cactuses."""

    def cost(self, model: CostModel) -> Cost:
        if model.entries // 2 < model.n:
            return model.moves(_moves(model.n, cactus=True))
        sparse = model.entries // 2 < 2 * model.n  # of other graphs most have no crossings, or too many
        return model.moves(0.5 * _moves(model.n, cactus=False)) if sparse else Cost()

    def loops(self, method: Method) -> Iterator[Radial | str]:
        yield "crossings"

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        moves = _is_crossed(drawing, TANGLED) and (not is_symmetric(drawing.Y) or is_cactus(drawing.affinity.P))
        return _untangled(drawing, run) if moves else drawing


@dataclass(frozen=True, kw_only=True)
class Redraw(Pass):
    """Redraw a tree or a cactus with crossings from initial positions without crossings.

    The descents are free at first, and edges that cross then are untangled.  If some still cross, the descents begin
    again and go only as far as no edges cross.  The drawing with fewer crossings stays.
    """

    descents: tuple[Descent, ...]
    untangle: Untangle

    def cost(self, model: CostModel) -> Cost:
        found = sum((each.cost(model) for each in (*self.descents, self.untangle)), Cost())
        return replace(found, seconds=min(1.0, model.n / CROSSED_NODES) * found.seconds)

    def loops(self, method: Method) -> Iterator[Radial | str]:
        for each in (*self.descents, self.untangle):
            yield from each.loops(method)

    def __call__(self, drawing: Drawing, run: Run) -> Drawing:
        P = drawing.affinity.P
        if not is_cactus(P) or not _is_crossed(drawing, math.inf):
            return drawing
        free = start = replace(drawing, Y=radial_drawing(P), method=None)
        for each in self.descents:
            if _takes(each, free.Y):
                free = each(free, run)
        free = self.untangle(free, run)
        if not crossings(P, free.Y):
            return free
        return min((free, self._held(start, run)), key=lambda each: _counted(P, each.Y))

    def _held(self, now: Drawing, run: Run) -> Drawing:
        """Descend from the start as far as no edges cross."""
        for each in self.descents:
            if _takes(each, now.Y):
                now = replace(each, steps=0)(now, run)
                search = Search(now, run)
                search.settle(each.steps // SETTLING_STEPS, run.report(now, f"{each.name}, held"))
                now = replace(now, Y=search.Y, reason="lull")
        return now


def _counted(P: csr_array, Y: np.ndarray) -> float:
    """Return the number of crossings; infinite if there are too many to count."""
    count = crossings(P, Y)
    return math.inf if math.isnan(count) else count


def _takes(descent: Descent, Y: np.ndarray) -> bool:
    """Return whether a drawing takes a descent: sampled distances would break its symmetry."""
    return not (descent.emphasis and is_symmetric(Y))


def _is_crossed(drawing: Drawing, most: float) -> bool:
    """Return whether a drawing has crossings, at most so many for each entry."""
    return 0 < crossings(drawing.affinity.P, drawing.Y) <= most * drawing.affinity.P.nnz


def objective_of(drawing: Drawing, run: Run) -> Objective:
    """Return the objective of a drawing, on the CPU."""
    on_cpu = replace(run, sums=run.sums.on_cpu)
    return on_cpu.objective(drawing, drawing.method or run.method, drawing.exaggeration)


def _moves(n: int, cactus: bool) -> float:
    """Return how many moves may be tried in a graph of n nodes."""
    return (MAX_MOVES + NODE_MOVES * n) * (CACTUS_FACTOR if cactus else 1.0)


def _untangled(drawing: Drawing, run: Run) -> Drawing:
    """Return the drawing with fewer crossings."""
    search = Search(drawing, run)
    pieces, best, kappa = pieces_of(drawing.affinity.P), search.state(), KAPPA
    while search.crossings and kappa <= MOST_KAPPA and search.left > 0 and not run.observer.late:
        before = search.crossings
        search.move(pieces, kappa)
        if search.crossings < before:
            search.settle()
        best = min(best, search.state(), key=lambda state: state[0])
        if search.crossings > STUBBORN * before:
            if search.crossings > FEW_CROSSINGS:
                break
            kappa *= 2
    return drawing.at(best[1])


def pieces_of(P: csr_array) -> list[tuple[int, np.ndarray]]:
    """Return pieces at cut vertices, smallest first: vertex and nodes (s,), at most half.

    In the order of a depth-first search a piece is a range.  It ends where no edge leads back above its vertex.
    """
    n = P.shape[0]
    order, parent = map(np.array, searched(P, deep=True))
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    rows = np.repeat(np.arange(n), np.diff(P.indptr))
    back, least = parent[rows] != P.indices, place.copy()
    np.minimum.at(least, rows[back], place[P.indices[back]])
    low, size, above = least[order].tolist(), [1] * n, [0, *place[parent[order[1:]]].tolist()]
    for k in range(n - 1, 0, -1):
        size[above[k]] += size[k]
        low[above[k]] = min(low[above[k]], low[k])
    found = sorted((size[k], k) for k in range(1, n) if low[k] >= above[k] and size[k] <= min(n // 2, MAX_PIECE_NODES))
    return [(int(order[above[k]]), order[k : k + many]) for many, k in found]


class Search:
    """A drawing Y (n, 2) that moves, its J, its crossings and number of moves left."""

    def __init__(self, drawing: Drawing, run: Run) -> None:
        objective, Y = objective_of(drawing, run), drawing.Y
        self.J, self.P, self.Y, self.threads = objective, objective.affinity.P, Y.copy(), run.sums.threads
        self.observer = run.observer
        self.i, self.j = edges(self.P)
        self.degree, n, m = np.diff(self.P.indptr), len(Y), len(self.i)
        by_node = np.argsort(np.concatenate([self.i, self.j]), kind="stable") % m
        self.at_node = np.split(by_node, np.cumsum(self.degree)[:-1])
        self.low, self.high = np.empty((2, 2, m))
        self.left = _moves(n, is_cactus(self.P))
        self.load, self.value = crossed(self.i, self.j, self.Y), self._value(self.Y)
        self.place(self.Y, np.arange(m), int(self.load.sum()) // 2)

    def state(self) -> tuple[float, np.ndarray]:
        """F and the drawing."""
        return self.value + KAPPA * math.log1p(self.crossings), self.Y

    def _value(self, Y: np.ndarray) -> float:
        return float(self.J.evaluate(Y, gradient=False).value)

    def place(self, Y: np.ndarray, moved: np.ndarray, crossings: int) -> None:
        """Take another drawing, in which some edges have moved, with its crossings."""
        self.Y, self.crossings = Y, crossings
        ends = Y[self.i[moved]], Y[self.j[moved]]
        self.low[:, moved], self.high[:, moved] = np.minimum(*ends).T, np.maximum(*ends).T

    def move(self, pieces: list[tuple[int, np.ndarray]], kappa: float) -> None:
        """Try moves of all crossed pieces, then of all nodes; a crossing counts by ``kappa``."""
        load, before = self.load, self.crossings
        self.estimate = Estimate(self.J, self.Y, self.threads)
        for vertex, nodes in pieces:
            own = np.unique(np.concatenate([self.at_node[v] for v in nodes.tolist()]))
            if load[own].any():
                self._try(nodes, own, lambda at=self.Y[nodes], v=vertex: turned(at, self.Y[v]), kappa)
        load = np.bincount(self.i, load, len(self.Y)) + np.bincount(self.j, load, len(self.Y))
        for node in np.argsort(-load / self.degree, kind="stable")[: np.count_nonzero(load)].tolist():
            self._try(np.array([node]), self.at_node[node], lambda node=node: self.places(node)[:, None], kappa)
        if self.crossings < before:
            self.load, self.value = crossed(self.i, self.j, self.Y), self._value(self.Y)

    def places(self, node: int) -> np.ndarray:
        """Return positions (K, 2) for a node: its own, nearer to its neighbors, and circles."""
        here, near = self.Y[node], self.Y[self.P.indices[self.P.indptr[node] : self.P.indptr[node + 1]]]
        middle, reach = np.sum(near, axis=0) / len(near), math.sqrt(float(np.sum((near - here) ** 2)) / len(near))
        circle = reach * _circle(PLACES)
        line = here + np.array([0.0, 0.5, 1.0, 2.0])[:, None] * (middle - here)
        return np.concatenate([line, here + RADII[0] * circle, middle + RADII[1] * circle])

    def _try(self, nodes: np.ndarray, own: np.ndarray, moves: Callable[[], np.ndarray], kappa: float) -> None:
        """Move nodes and edges to the best of some positions (K, s, 2); the first are their own."""
        if not self.crossings or self.left <= 0 or self.observer.late:
            return
        self.left -= 1.0
        now = int(self.met(nodes, own, self.Y[None, nodes])[0])
        if not now:
            return
        Z = moves()
        met = self.met(nodes, own, Z)
        fewer = np.argsort(met, kind="stable")[: min(ESTIMATED, np.count_nonzero(met < now))]
        if not len(fewer):
            return
        J = self.estimate(self.Y, nodes, Z[np.r_[0, fewer]])
        saved = kappa * (math.log1p(self.crossings) - np.log1p(self.crossings - now + met[fewer]))
        rise = J[1:] - J[0] - saved
        best = int(np.argmin(rise))
        if rise[best] < 0:
            Y = self.Y.copy()
            Y[nodes] = Z[fewer[best]]
            self.place(Y, own, self.crossings - now + int(met[fewer[best]]))

    def met(self, nodes: np.ndarray, own: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Return crossings (K,) of nodes' edges with all other edges, for each of Z (K, s, 2)."""
        i, j, where = self.i[own], self.j[own], np.full(len(self.Y), -1)
        where[nodes] = np.arange(len(nodes))
        ends = np.concatenate([i, j])
        ends = np.concatenate([self.Y[ends[where[ends] < 0]], Z.reshape(-1, 2)])
        (x, y), (right, top) = ends.min(axis=0), ends.max(axis=0)
        low, high = self.low, self.high
        near = (high[0] >= x) & (low[0] <= right) & (high[1] >= y) & (low[1] <= top)
        near[own] = False
        k, l = self.i[near], self.j[near]
        self.left -= len(Z) * len(i) * len(k) / TESTS_PER_MOVE
        if not self.J.compiled:
            return _met_by_numpy(i, j, where, Z, self.Y, k, l)
        from nelayout.core.untangling.untangling_loops import count_met

        found = np.zeros(len(Z), dtype=np.int64)
        count_met(i, j, where, Z, self.Y, k, l, found)
        return found

    def settle(self, descents: int = SETTLING, report: Report = silent) -> None:
        """Descend as far as no further edges cross, until J hardly falls."""
        for _ in range(descents):
            down, last = minimize(self.J, self.Y, LBFGS(), SETTLING_STEPS, StoppingRule(), report)[0], self.value
            self.left -= len(self.Y) / SETTLED_PER_MOVE
            step = step_between(self.i, self.j, self.Y, down, self.load)
            value = math.inf if step is None else self._value(step[0])
            if step is None or not value < last:
                return
            self.load, self.value = step[1], value
            self.place(step[0], np.arange(len(self.i)), int(self.load.sum()) // 2)
            if last - value < SETTLED or self.left <= 0 or self.observer.late:
                return


def _circle(count: int) -> np.ndarray:
    """Return evenly spaced positions (count, 2) on the unit circle, from angle 0 on."""
    angle = 2.0 * math.pi * np.arange(count) / count
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def turned(Y: np.ndarray, vertex: np.ndarray) -> np.ndarray:
    """Return nodes Y (s, 2) turned, mirrored, closer and closed (K, s, 2); Y is first."""
    arms = (Y - vertex) @ np.array([1.0, 1.0j])
    middle = np.sum(arms)
    axis = middle / abs(middle) if middle else 1.0
    reach, angle = np.abs(arms), np.angle(arms * np.conj(axis))
    shapes = np.array([size * reach * np.exp(sign * size * angle * 1j) for size in SIZES for sign in (1, -1)])
    found = shapes[:, None, :] * (axis * (_circle(TURNS) @ np.array([1.0, 1.0j])))[:, None]
    Z = vertex + np.stack([found.real, found.imag], axis=-1).reshape(-1, *Y.shape)
    Z[0] = Y
    return Z


def _met_by_numpy(i, j, where, Z, Y, k, l) -> np.ndarray:
    """Return pairs (K,) of a moved edge and another edge that cross; see `count_met`."""
    found = np.zeros(len(Z), dtype=np.int64)
    used = np.zeros(len(Y), dtype=bool)
    used[k] = used[l] = True
    nodes, place = np.flatnonzero(used), np.cumsum(used) - 1
    first, second, (X, T) = place.take(k), place.take(l), Y.take(nodes, axis=0).T
    step = max(1, BLOCK_PAIRS // max(len(i) * len(nodes), 1))
    for start in range(0, len(Z), step):
        some = Z[start : start + step]
        (ax, ay), (bx, by) = (
            np.where((at < 0)[:, None], Y.take(v, axis=0), some.take(at, axis=1)).reshape(-1, 2).T
            for v, at in ((i, where.take(i)), (j, where.take(j)))
        )
        side = np.multiply.outer(bx - ax, T)
        side -= np.multiply.outer(by - ay, X)
        side -= ((bx - ax) * ay - (by - ay) * ax)[:, None]
        left, right = side >= 0, side <= 0
        meet = left.take(first, axis=1) & right.take(second, axis=1)
        meet |= right.take(first, axis=1) & left.take(second, axis=1)
        line, other = np.nonzero(meet)
        p, q, u, v = i.take(line % len(i)), j.take(line % len(i)), k.take(other), l.take(other)
        apart = (p != u) & (p != v) & (q != u) & (q != v)
        line, u, v = line[apart], u[apart], v[apart]
        ax, ay, bx, by = ax.take(line), ay.take(line), bx.take(line), by.take(line)
        (cx, cy), (dx, dy) = Y.take(u, axis=0).T, Y.take(v, axis=0).T
        meet = ((dx - cx) * (ay - cy) - (dy - cy) * (ax - cx)) * ((dx - cx) * (by - cy) - (dy - cy) * (bx - cx)) <= 0
        for a, b, c, d in ((ax, bx, cx, dx), (ay, by, cy, dy)):
            meet &= (np.maximum(a, b) >= np.minimum(c, d)) & (np.maximum(c, d) >= np.minimum(a, b))
        found[start : start + step] = np.bincount(line[meet] // len(i), minlength=len(some))
    return found


class Estimate:
    """J under one lambda with some moved nodes, to first order in sums at an earlier drawing.

    Constants and gravity are left out.
    """

    def __init__(self, objective: Objective, Y: np.ndarray, threads: Threads) -> None:
        self.J, self.mass, self.then, self.threads = objective, objective.affinity.mass, Y, threads
        self.near = Linearized(objective, Y)
        self.sources, self.stress = Sources(Y, self.mass, threads), objective.stress and objective.stress.near(Y)

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def __call__(self, Y: np.ndarray, nodes: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Return the part of J (K,) that depends on positions Z (K, s, 2) of nodes of Y."""
        mass, radials = self.mass[nodes], self.near.radials
        sums = {radial: np.zeros(len(Z)) for radial in radials}
        every, moved = Z.reshape(-1, 2), np.any(self.then != Y, axis=1)
        moved[nodes] = False
        gone = np.r_[np.flatnonzero(moved), nodes]
        change = np.concatenate([self.then[gone], Y[moved]]), np.concatenate([-self.mass[gone], self.mass[moved]])
        for sources in (self.sources, Sources(*change, self.threads)):
            for radial, potential in zip(radials, sources.potentials(every, radials), strict=True):
                sums[radial] += 2.0 * np.einsum("ki,i->k", potential.reshape(Z.shape[:2]), mass)
        if len(nodes) > 1:
            for k, (x, y) in enumerate(Z.transpose(0, 2, 1)):
                xi = np.subtract.outer(x, x) ** 2 + np.subtract.outer(y, y) ** 2
                for radial in radials:
                    sums[radial][k] += np.einsum("ij,i,j->", radial.value(xi), mass, mass)
        pairs = self.near.of_pairs(sums, 0.0)[0]
        J_of_nodes = pairs + self.near.coupling.d_edges * self._edges(Y, nodes, Z)
        return J_of_nodes + self.stress(Y, nodes, Z) if self.stress else J_of_nodes

    def _edges(self, Y: np.ndarray, nodes: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """(K,) the sum over the entries of the nodes' rows and columns."""
        J, P, where = self.J, self.J.affinity.P, np.full(len(Y), -1)
        where[nodes] = np.arange(len(nodes))
        degree = np.diff(P.indptr)[nodes]
        of = np.repeat(np.arange(len(nodes)), degree)
        entries = np.arange(len(of)) + np.repeat(P.indptr[nodes] - np.cumsum(degree) + degree, degree)
        to, p = P.indices[entries], P.data[entries]
        within = where[to] >= 0
        apart = Z[:, of] - np.where(within[None, :, None], Z[:, where[to]], Y[to])
        M = np.ones(len(p)) if J.divergence.linear else self.mass[nodes][of] * self.mass[to]
        b = Similarity(J.kernel, np.einsum("kec,kec->ke", apart, apart), self.near.lam)
        return np.sum(M * J.phi.edge(p / M, b) * np.where(within, 1.0, 2.0), axis=1)
