"""The way of a graph, one direction: read, take apart, draw each component, pack, orient, write back.

Empty graphs, single nodes, disconnected graphs, units and labels are settled here; what is below sees connected
graphs of two or more nodes, or, for a joint drawing with a start, several components, and nothing of the hosts.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np
from scipy.sparse import csr_array

from nelayout import graphs
from nelayout.alpha.choice import AlphaChoice
from nelayout.catalogue import method_named
from nelayout.method import Method
from nelayout.nbody import backend, surprise
from nelayout.numerics.parallel import Threads, threads_for
from nelayout.objective import Affinity
from nelayout.placing.components import components, side_by_side
from nelayout.placing.final import finish
from nelayout.record.progress import Stopped, Watch
from nelayout.record.solution import Solution
from nelayout.run.alpha_walk import at_best_alpha
from nelayout.run.assembly import Part, assemble
from nelayout.run.component import Drawing, Task, draw_component
from nelayout.run.costs import NUMPY_PAIRS, warn_of_memory
from nelayout.run.input_affinity import input_affinity, mass_for
from nelayout.run.options import LayoutOptions, checked
from nelayout.run.request import read_request
from nelayout.run.start import GAP, place_missing, pull_in_outliers, radius, random_positions
from nelayout.run.sums import Floor
from nelayout.run.variational_component import variational_component
from nelayout.similarities.masses import node_mass

__all__ = ["drawn", "solve"]

# Components up to this size are drawn once for all that are equal to them.
REPEATED = 30


def solve(
    G: Any, method: str | Method = "auto", pos: Any = None, fixed: Any = None, **options: Unpack[LayoutOptions]
) -> Solution:
    """Draw a graph and keep all the evidence: value, trace, connection scalar, reason of the end, cost of each node.

    ``method`` is a name (``nelayout.methods()`` lists them) or a ``nelayout.Method``; the other keywords are those
    of every layout function.

    >>> import networkx as nx, nelayout as nl
    >>> solution = nl.solve(nx.karate_club_graph(), "ws-sne", seed=1)
    >>> solution.reason in ("converged", "max_iter"), len(solution.trace) > 10
    (True, True)
    """
    return drawn(G, method, pos, fixed, options)


def drawn(
    G: Any,
    method: str | Method,
    pos: Any,
    fixed: Any,
    options: LayoutOptions,
    *,
    memory_known: bool = False,
    rows: np.ndarray | None = None,
    features: np.ndarray | None = None,
) -> Solution:
    """`solve` for callers that know more.

    memory_known  the memory needed has been compared with what there is
    rows          (nnz,) row-stochastic similarities on the pattern of G, a connected symmetric csr_array; taken by
                  connections by rows in place of G's own rows
    features      (n, p) what is known of each node of a connected G, for variational methods
    """
    with graphs.guard(G):
        return _Run(method_named(method), checked(dict(options)), memory_known, rows, features).solve(G, pos, fixed)


@dataclass
class _Run:
    """One call: its settings, and what it finds on the way."""

    method: Method
    options: dict[str, Any]
    memory_known: bool = False
    rows: np.ndarray | None = None
    features: np.ndarray | None = None
    notes: list[str] = field(default_factory=list)
    choice: AlphaChoice | None = None

    def solve(self, G: Any, pos: Any, fixed: Any) -> Solution:
        began = time.perf_counter()
        o, dim = self.options, self.options["dim"]
        with threads_for(o["n_jobs"]) as threads:
            a = read_request(G, self.method, o, pos, fixed)
            host, P, labels, start, still, n = a.network.host, a.P, a.labels, a.start, a.still, len(a.labels)
            self.notes.extend(a.notes)
            if not self.memory_known:
                warn_of_memory(self.method, o, *a.sizes)
            mass = self.method.mass if o["mass"] is None else o["mass"]
            mass, notes = node_mass(P, mass_for(P, mass), host, a.rng)
            self.notes.extend(notes)
            if a.joint and start is not None and np.isnan(start).all():
                start = None
            pieces = [(np.arange(n), P)] if a.joint else components(P, labels) if n else ()
            if not a.joint and self.rows is None and self.features is None:  # these go by the order of the nodes
                pieces = (side_by_side(*piece) for piece in pieces)
            parts = [
                self._part(nodes, self._affinity(graph, mass[nodes], threads), start, still) for nodes, graph in pieces
            ]
            with self._watch() as watch:
                floor = self._floor(n, sum(part.affinity.P.nnz for part in parts), threads)
                task = Task(self.method, dim, floor, a.optimizer, o["max_iter"], o["tol"])
                if a.joint and start is None:
                    reason = self._joined(parts[0], components(P, labels), task, a.rng, watch)
                else:
                    reason = self._draw(parts, task, a.rng, watch, n)
            Y = assemble(parts, start, still, (n, dim), o["scale"])
            Y, notes = finish(Y, start, still, a.size, o["scale"], o["center"])
            self.notes.extend(notes)
            return self._solution(host, Y, parts, labels, reason, watch, began, floor)

    def _affinity(self, graph: csr_array, mass: np.ndarray, threads: Threads) -> Affinity:
        affinity, notes = input_affinity(graph, mass, self.method, self.options["smoothing"], threads)
        self.notes.extend(notes)
        if self.features is not None and len(self.features) == len(mass):
            affinity = replace(affinity, features=self.features)
        # A walk has changed the pattern; what underflows on the way has left it.
        if self.rows is not None and len(self.rows) == affinity.P.nnz and not self.options["smoothing"]:
            return replace(affinity, rows=self.rows)
        return affinity

    def _part(
        self, nodes: np.ndarray, affinity: Affinity, start: np.ndarray | None, still: np.ndarray | None
    ) -> Part:
        here, held = None if start is None else start[nodes], None if still is None else still[nodes]
        if here is not None and self.options["max_iter"] != 0:
            here, count = pull_in_outliers(here, held)
            if count:
                self.notes.append(
                    f"{count} node{'s lie' if count > 1 else ' lies'} more than {GAP:.0f} times as far out in pos as "
                    "the others, which would be a dot: the drawing starts with them brought nearer"
                )
        return Part(nodes, affinity, here, held)

    def _floor(self, n: int, entries: int, threads: Threads) -> Floor:
        compiled = n**2 + 20 * entries > NUMPY_PAIRS
        return Floor(backend(self.options["nbody"], threads, compiled), threads, compiled)

    @contextmanager
    def _watch(self):
        if not self.options["progress"]:
            yield Watch(self.options["callback"])
            return
        from tqdm import tqdm

        with tqdm(unit=" steps", desc=self.method.name) as bar:
            yield Watch(self.options["callback"], bar.update)

    def _joined(
        self, whole: Part, pieces: Iterable[tuple[np.ndarray, csr_array]], task: Task, rng: np.random.Generator,
        watch: Watch,
    ) -> str:
        """Draws several components in one objective, by its last stage: coarse graphs would drift apart without end.

        They start side by side, as they are drawn alone.
        """
        n, mass, threads = len(whole.nodes), whole.affinity.mass, task.floor.threads
        alone = [self._part(nodes, self._affinity(graph, mass[nodes], threads), None, None) for nodes, graph in pieces]
        reason = self._draw(alone, task, rng, watch, n)
        whole.start = assemble(alone, None, None, (n, task.dim), None)
        if reason != "stopped":
            return self._draw([whole], task, rng, watch, n)
        whole.drawing = Drawing(whole.start, reason=reason)
        return reason

    def _draw(self, parts: list[Part], task: Task, rng: np.random.Generator, watch: Watch, n: int) -> str:
        """Fills in the drawings; the reason of the end is the largest component's."""
        whole = np.zeros((n, task.dim))
        for part in parts:
            if part.start is not None:
                whole[part.nodes] = np.nan_to_num(part.start)
        known: dict[tuple, Drawing] = {}
        shift, stopped = 0.0, False
        for part in parts:
            here = part.affinity.P
            if len(part.nodes) == 1:
                at = np.zeros((1, task.dim)) if part.start is None or np.isnan(part.start[0, 0]) else part.start
                part.drawing = Drawing(np.array(at), reason="converged")
                continue
            part.drawing = Drawing(np.zeros((len(part.nodes), task.dim)))
            if stopped:
                if part.start is None:
                    part.drawing.Y = random_positions(len(part.nodes), task.dim, rng)
                else:
                    part.drawing.Y = place_missing(part.start, here, rng)
                continue
            key = None
            if len(part.nodes) <= REPEATED and part.start is None:
                key = tuple(a.tobytes() for a in (here.indptr, here.indices, here.data, part.affinity.mass))
                if key in known:
                    part.drawing = known[key]
                    continue

            def show(Y: np.ndarray, part: Part = part, shift: float = shift) -> np.ndarray:
                assert part.drawing is not None
                part.drawing.Y = Y
                if part.start is None:
                    whole[part.nodes] = Y
                    whole[part.nodes, 0] += shift
                else:
                    whole[part.nodes] = part.drawing.before
                return whole.copy()

            try:
                if task.method.choose is not None:  # the largest component decides for all
                    task = self._chosen(part, task, rng, watch, show)
                    stopped = part.drawing.reason == "stopped"
                else:
                    draw = variational_component if task.method.variational else draw_component
                    part.drawing = draw(part.affinity, task, rng, watch, show, part.start, part.fixed, part.drawing)
            except Stopped:
                part.drawing.reason, stopped = "stopped", True
            if key is not None:
                known[key] = part.drawing
            show(part.Y)
            shift += 6.0 * radius(part.Y)
        return "stopped" if stopped else parts[0].drawing.reason if parts and parts[0].drawing else "converged"

    def _chosen(
        self, part: Part, task: Task, rng: np.random.Generator, watch: Watch, show: Callable[[np.ndarray], np.ndarray]
    ) -> Task:
        """Draws the component at the order that suits it, by which the others are to be drawn."""
        assert part.drawing is not None
        found = at_best_alpha(part.affinity, task, rng, watch, show, part.start, part.fixed, part.drawing)
        self.method, self.choice = found.method, found.choice
        self.notes.extend(found.notes)
        return replace(task, method=found.method)

    def _solution(
        self,
        host: graphs.Host,
        Y: np.ndarray,
        parts: list[Part],
        labels: np.ndarray,
        reason: str,
        watch: Watch,
        began: float,
        floor: Floor,
    ) -> Solution:
        value, connection, odd = 0.0, float("nan"), None
        cost = np.zeros(len(Y))
        for part in parts:
            if len(part.nodes) < 2 or part.drawing is None:
                continue
            objective = floor.objective(part.drawing.method or self.method, part.affinity)
            evaluation = objective.evaluate(part.Y, gradient=False)
            value += evaluation.value
            cost[part.nodes] = objective.node_cost(part.Y, evaluation.lam)
            if math.isnan(connection):
                connection = evaluation.lam
            if not odd and (odd := surprise(floor.nbody, part.Y, objective.radials)):
                self.notes.append(odd)
        positions = host.write(Y, self.options["store_pos_as"])
        return Solution(
            positions,
            value,
            tuple(watch.trace),
            connection,
            reason,
            cost,
            labels,
            tuple(self.notes),
            time.perf_counter() - began,
            self.choice,
        )
