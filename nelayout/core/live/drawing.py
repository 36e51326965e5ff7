"""An open drawing: all components of a graph descend, one short step after another.

Each component has an objective of its own, as in a layout that packs them.  Components do not attract or repel each
other.  A component that overlaps a larger one glides to the nearest free position, without a turn or a change of size.
An edge between two components makes one component, in the units of the larger one.  Where the removal of an edge makes
two, both keep their units.  No edit moves a node; the next steps do, each by at most `REACH` of the drawing's radius.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array, csr_array

from nelayout.core.catalogue.record import Method
from nelayout.core.catalogue.stages import Descend
from nelayout.core.live.component import Component, Minimized
from nelayout.core.optimizers.size import size_search
from nelayout.core.passes.drawing import Part, Summation
from nelayout.core.passes.placement import JITTER
from nelayout.core.placing.packing import pack_around
from nelayout.core.problem import Problem, Settings
from nelayout.core.run.splitting import split, with_similarities
from nelayout.core.run.whole import Result
from nelayout.core.similarities.affinity import within_range
from nelayout.core.similarities.masses import node_mass
from nelayout.numerics.arithmetic import radius
from nelayout.numerics.compressed_rows import canonical

__all__ = ["REACH", "LiveDrawing", "Steps"]

# Longest move of a node in one iteration, in radii of the drawing: at 60 pictures a second, a node crosses the drawing
# in about two seconds, and the eye can follow it.
REACH = 0.02
# Move of a node, in radii of the drawing, after which a timed run ends: one more iteration may follow such a move.
SHOWN = 0.01
# Distance of a new node without neighbors from the right end of the drawing, in typical distances between nodes.
ASIDE = 2.0
# Most iterations that bring a new layout to rest.
SETTLING = 300
# Bits of weights beyond which they are divided by a power of two, as where a layout reads them.
BITS = 300


class Steps(NamedTuple):
    """A run of iterations: their number, their milliseconds, and the longest move of a node.

    ``moved`` is in radii of the drawing.
    """

    iterations: int
    milliseconds: float
    moved: float


class LiveDrawing:
    """A graph as arrays, its positions Y (n, d), and its components.

    problem   the graph at the beginning; ``mass``: (n,), or a name
    method    of the similarities and masses; a component minimizes the method that its layout chose
    result    a layout of the problem
    """

    def __init__(self, problem: Problem, method: Method, settings: Settings, result: Result, sums: Summation) -> None:
        self.P, self.mass, self.lengths = problem.P, problem.mass, problem.lengths
        self.method, self.settings, self.sums = method, settings, sums
        self.Y, n = result.Y.copy(), problem.n
        self.ids, self._next = np.arange(n), n
        self.held, self.touched = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        self.rng = settings.rng
        self._waiting: dict[tuple[int, int], float] = {}
        self._stale = self._unpacked = False
        self.components = list[Component]()
        for drawing, unit in zip(result.drawings, result.units[:, 0].tolist(), strict=True):
            nodes = drawing.part.nodes
            chosen = None
            if len(nodes) > 1 and drawing.method is not None:
                chosen = Minimized(replace(drawing.method, variational=False), drawing.exaggeration)
            shift = _middle(self.Y[nodes])
            X = (self.Y[nodes] - shift) * unit
            self.components.append(Component(nodes, self.ids[nodes], chosen, drawing.affinity, X, unit, shift, sums))
        self._index()
        self.main = self._main(result)
        for each in self.components:
            each.begin()
        for each, away in zip(self.components, self._overlaps(), strict=True):
            each.crowded = away is not None

    def _main(self, result: Result) -> tuple[Minimized, float | None]:
        """Return the objective and the unit of the largest component; None: there is no unit yet."""
        first = next((each for each in self.components if each.minimized is not None), None)
        if first is not None and first.minimized is not None:
            return first.minimized, first.unit
        last = [stage for stage in result.method.stages if isinstance(stage, Descend)][-1:]
        return Minimized(result.method.during(last[0]) if last else result.method), None

    # -- edits ----------------------------------------------------------------------------------------------------

    def set_weight(self, i: int, j: int, weight: float) -> None:
        """Set the similarity of two nodes; 0 removes the edge."""
        self._waiting[min(i, j), max(i, j)] = weight
        self.touched[[i, j]] = True
        self._stale = True

    def add(self, links: dict[int, float], position: np.ndarray | None, mass: float) -> int:
        """Add a node with links to others; return its row.  It starts near its neighbors."""
        i = len(self.Y)
        if position is None:
            position = self._beside(sorted(links))
        self.Y = np.vstack([self.Y, position])
        self.ids, self._next = np.append(self.ids, self._next), self._next + 1
        self.held, self.touched = np.append(self.held, False), np.append(self.touched, True)
        if not isinstance(self.mass, str):
            self.mass = np.append(self.mass, mass)
        self._waiting.update({(j, i): weight for j, weight in links.items()})
        self.touched[list(links)] = True
        self._stale = True
        return i

    def _beside(self, neighbors: list[int]) -> np.ndarray:
        """Return the position of a new node: near its neighbors, or beside the drawing."""
        n, d = self.Y.shape
        if n == 0:
            return np.zeros(d)
        typical = (radius(self.Y) or 1.0) / n ** (1.0 / d)
        if neighbors:
            return _middle(self.Y[neighbors]) + JITTER * typical * self.rng.standard_normal(d)
        place = _middle(self.Y)
        place[0] = float(self.Y[:, 0].max()) + ASIDE * typical
        return place

    def remove(self, i: int) -> None:
        """Remove a node and its edges."""
        self._flush()
        self.touched[self.P.indices[self.P.indptr[i] : self.P.indptr[i + 1]]] = True
        kept = np.arange(len(self.Y)) != i
        self.P = canonical(self.P[kept][:, kept])
        self.Y, self.ids = self.Y[kept], self.ids[kept]
        self.held, self.touched = self.held[kept], self.touched[kept]
        if not isinstance(self.mass, str):
            self.mass = self.mass[kept]
        self._stale = True

    def hold(self, i: int, position: np.ndarray | None) -> None:
        """Hold a node, at a position if one is given."""
        known = self.held[i]
        self.held[i] = True
        if position is not None:
            self.Y[i] = position
        self._unpacked = True
        if self._stale:
            return
        component, row = self._of(i)
        if not known:
            component.hold(self._free(component))
        if position is not None:
            component.move(row, (position - component.shift) * component.unit)

    def let_go(self, i: int) -> None:
        """Free a held node."""
        if not self.held[i]:
            return
        self.held[i], self._unpacked = False, True
        if not self._stale:
            component, _ = self._of(i)
            component.hold(self._free(component))

    def _of(self, i: int) -> tuple[Component, int]:
        """Return the component of a node and the node's row there."""
        return self.components[self._owner[i]], int(self._row[i])

    def _index(self) -> None:
        """Note the component of each node, and its row there."""
        self._known = self.ids
        self._owner, self._row = np.zeros((2, len(self.ids)), dtype=np.int64)
        for k, each in enumerate(self.components):
            self._owner[each.nodes], self._row[each.nodes] = k, np.arange(len(each.nodes))

    def _free(self, component: Component) -> np.ndarray | None:
        """Return the mask of a component's free coordinates; None: all."""
        held = self.held[component.nodes]
        return np.repeat(~held[:, None], self.Y.shape[1], axis=1) if held.any() else None

    def _flush(self) -> None:
        """Bring waiting weights into the matrix."""
        n = len(self.Y)
        if not self._waiting and self.P.shape[0] == n:
            return
        P = self.P
        rows, cols = np.repeat(np.arange(P.shape[0]), np.diff(P.indptr)), P.indices.astype(np.int64)
        low, high = np.array(list(self._waiting), dtype=np.int64).reshape(-1, 2).T
        new = np.array(list(self._waiting.values()))
        stays = ~np.isin(np.minimum(rows, cols) * n + np.maximum(rows, cols), low * n + high)
        some = new > 0
        low, high, new = low[some], high[some], new[some]
        ends = np.concatenate([rows[stays], low, high]), np.concatenate([cols[stays], high, low])
        weights = np.concatenate([P.data[stays], new, new])
        self.P = canonical(csr_array(coo_array((weights, ends), shape=(n, n))))
        self._waiting = {}

    def _renew(self) -> None:
        """Take the graph apart again after edits; unchanged components go on as they were."""
        self._flush()
        n = len(self.Y)
        P, _ = within_range(self.P, BITS)
        method = self.method
        mass, _ = node_mass(P, self.mass, None, None, method.gravity is None)
        problem = Problem(P, mass, lengths=self.lengths)
        parts, _ = split(problem, method, self.settings, mass, False)
        owner, at = np.full(n, -1), np.searchsorted(self._known, self.ids)  # numbers of nodes only grow
        known = np.isin(self.ids, self._known)
        owner[known] = self._owner[at[known]]
        old, self.components = self.components, []
        for part in parts:
            owners = owner[part.nodes]
            counts = np.bincount(owners[owners >= 0], minlength=1)
            before = old[int(np.argmax(counts))] if counts.any() else None
            self.components.append(self._renewed(part, before, problem))
        self._index()
        self.touched[:] = False
        self._stale, self._unpacked = False, True
        self._pack()

    def _renewed(self, part: Part, before: Component | None, problem: Problem) -> Component:
        """Return the component of a part; ``before``: where most of its nodes were."""
        nodes, ids = part.nodes, self.ids[part.nodes]
        same = before is not None and np.array_equal(ids, before.ids) and not self.touched[nodes].any()
        if same and before is not None:
            before.nodes = nodes
            if not np.array_equal(before.affinity.mass, part.affinity.mass):
                before.affinity = replace(before.affinity, mass=part.affinity.mass)
                before.begin()
            free = self._free(before)
            if not _equal(free, before.free):
                before.hold(free)
            return before
        chosen, unit = self.main[0], self.main[1] or 1.0
        if before is not None and before.minimized is not None:
            chosen, unit = before.minimized, before.unit
        shift = _middle(self.Y[nodes])
        X = (self.Y[nodes] - shift) * unit
        if len(nodes) == 1:
            found = Component(nodes, ids, None, part.affinity, X, unit, shift, self.sums)
        else:
            emphasis = self.method.emphasis if chosen.method.mu else 0.0
            method = self.method.with_checked(emphasis=emphasis)
            given = with_similarities([part], problem, method, self.settings.smoothing, self.sums.threads)[0]
            found = Component(nodes, ids, chosen, given[0].affinity, X, unit, shift, self.sums)
        found.free = self._free(found)
        found.begin()
        if self.main[1] is None and found.objective is not None:  # the first edges of a graph without any
            found.unit *= size_search(found.objective.objective, found.X)
            found.X = (self.Y[nodes] - shift) * found.unit
            found.begin()
            self.main = chosen, found.unit
        return found

    # -- steps ----------------------------------------------------------------------------------------------------

    @property
    def at_rest(self) -> bool:
        """Whether all components have come to rest."""
        return (
            not self._stale
            and not self._unpacked
            and all(each.reason and each.target is None for each in self.components)
        )

    @property
    def value(self) -> float:
        """J, the sum over the components."""
        if self._stale:
            self._renew()
        return sum(each.value for each in self.components)

    @property
    def unit(self) -> float | np.ndarray:
        """Factor from Y to the units of J, or (n, 1), where single nodes have the main unit."""
        if self._stale:
            self._renew()
        units = {each.unit for each in self.components if each.minimized is not None} or {self.main[1] or 1.0}
        if len(units) == 1:
            return units.pop()
        answer = np.full((len(self.Y), 1), self.main[1] or 1.0)
        for each in self.components:
            answer[each.nodes] = each.unit
        return answer

    def run(self, seconds: float | None, iterations: int | None) -> Steps:
        """Take iterations for some time or up to a number, until all is at rest."""
        began, count, longest = time.perf_counter(), 0, 0.0
        before, moved = self.Y.copy(), 0.0
        size = radius(self.Y) or 1.0
        with np.errstate(under="ignore"):
            while not self.at_rest and (iterations is None or count < iterations):
                now = time.perf_counter()
                late = seconds is not None and now - began + longest > seconds
                if count and (late or (seconds is not None and moved > SHOWN)):
                    break
                self.iterate()
                count += 1
                longest = max(longest, time.perf_counter() - now)
                if seconds is not None:
                    moved = _farthest(self.Y, before, self.held) / size
        moved = _farthest(self.Y, before, self.held) / size
        return Steps(count, 1e3 * (time.perf_counter() - began), moved)

    def iterate(self, reach: float = REACH) -> None:
        """Take one trial in each component that is not at rest, and let the others glide."""
        if self._stale:
            self._renew()
        away = reach * (radius(self.Y) or 1.0)
        descending = [each for each in self.components if not each.reason]
        if not descending and self._unpacked:
            self._unpacked = False
            self._pack()
        for each in self.components:
            both = not each.reason and each.target is not None
            most = away / 2 if both else away
            changed = not each.reason and each.step(most)
            if each.target is not None:
                way = each.target - each.shift
                length = float(np.sqrt(np.sum(way * way)))
                each.shift = each.target if length <= most else each.shift + (most / length) * way
                each.target = None if length <= most else each.target
                changed = True
            if changed:
                self._show(each)

    def settle(self, scale: float | None) -> None:
        """Bring a new layout to rest at once, and fit it into [-scale, scale]."""
        with np.errstate(under="ignore"):
            for each in self.components:
                for _ in range(SETTLING):
                    if not each.reason:
                        each.step(np.inf)
                each.reason = each.reason or "max_iter"
        for each in self.components:
            self._show(each)
        self._pack()
        middle = _middle(self.Y)
        for each in self.components:
            each.shift, each.target = each.shift if each.target is None else each.target, None
            self._show(each)
        extent = float(np.abs(self.Y - middle).max(initial=0.0))
        factor = 1.0 if scale is None or not extent > 0 else scale / extent
        for each in self.components:
            each.shift, each.unit = (each.shift - middle) * factor, each.unit / factor
            self._show(each)
        if self.main[1] is not None:
            self.main = self.main[0], self.main[1] / factor
        self._unpacked = False

    def _show(self, component: Component) -> None:
        """Write a component's positions; those of held nodes keep their bits."""
        nodes, there = component.nodes, component.positions
        held = self.held[nodes]
        self.Y[nodes] = np.where(held[:, None], self.Y[nodes], there) if held.any() else there

    def _overlaps(self) -> list[np.ndarray | None]:
        """Return the shift of each component that leads out of a larger one; None: no overlap."""
        d = self.Y.shape[1]
        if len(self.components) < 2 or d == 1:
            return [None] * len(self.components)
        first = self.components[0]
        # `pack_around` measures single nodes by the distance between nodes: it shall be about 1
        unit = np.sqrt(len(first.nodes) / 2.0 / np.pi) / (radius(self.Y[first.nodes]) or 1.0)
        there = [unit * self.Y[each.nodes] for each in self.components]
        stays = [bool(self.held[each.nodes].any()) for each in self.components]
        moved, _ = pack_around(there, stays, [], keeps=[each.crowded for each in self.components])
        return [
            None if Z is X else each.shift + (Z[0] - X[0]) / unit
            for each, X, Z in zip(self.components, there, moved, strict=True)
        ]

    def _pack(self) -> None:
        """Let components that overlap larger ones glide to free positions."""
        for each, target in zip(self.components, self._overlaps(), strict=True):
            each.target = target


def _middle(Y: np.ndarray) -> np.ndarray:
    """(d,) the centroid."""
    return np.sum(Y, axis=0) / max(len(Y), 1)


def _equal(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    return (a is None and b is None) or (a is not None and b is not None and np.array_equal(a, b))


def _farthest(Y: np.ndarray, before: np.ndarray, held: np.ndarray) -> float:
    """Return the longest move of a free node."""
    away = Y - before
    squares = np.einsum("ij,ij->i", away, away)
    return float(np.sqrt(np.max(squares, initial=0.0, where=~held)))
