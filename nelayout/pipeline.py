"""The way of a graph, one direction: read, take apart, draw each component, pack, orient, write back.

Empty graphs, single nodes, disconnected graphs, units and labels are settled here; what is below sees connected
graphs of two or more nodes and nothing of the hosts.
"""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np
from scipy.sparse import csr_array

from . import graphs
from .affinities.magnitude import ordinary
from .affinities.masses import node_mass
from .assembly import Part, assembled
from .catalogue import method_named
from .components import component_labels, components
from .costs import NUMPY_PAIRS, warn_of_memory
from .errors import InputError, Unsupported, unknown
from .finish import finished
from .method import Method
from .nbody import BACKENDS, backend, surprise
from .objective import Affinity
from .optimizers import Optimizer, optimizer_named
from .options import LayoutOptions, checked, generator
from .parallel import Workers, workers
from .similarities import input_affinity
from .solution import Solution
from .solver import Drawing, Floor, Task, draw_component
from .start import GAP, drawn_in, place_missing, radius, random_positions
from .watch import Stopped, Watch

__all__ = ["drawn", "solve"]

# The mass "auto" of the method "auto" is the degree from this mean degree and share of all nodes on: in dense graphs
# hubs crowd the middle unless they repel in proportion; in sparse ones equal masses keep neighbours and distances
# better. (Decided on usairports2010, usair97, email_eu_core, polblogs, worldtrade against jazz, musae_facebook,
# lastfm_asia, cora.) Of graphs of that mean degree also those are meant where hubs have most of the edges: the mean of
# the squared degrees is HUBS times the square of the mean, or more. (soc_slashdot0902 has 12, and equal masses find a
# third of the neighbours there that strengths do; random graphs of power-law degrees with 8 and 9 gain a quarter and
# more. The graphs above have at most 4.2; ndwww has 42, but a mean degree below 7, and is drawn better without.)
DENSE_DEGREE, DENSE_SHARE, HUBS = 8.0, 0.01, 8.0
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
) -> Solution:
    """`solve` for callers that know more.

    memory_known  the memory needed has been compared with what there is
    rows          (nnz,) row-stochastic similarities on the pattern of G, a connected symmetric csr_array; taken by
                  connections by rows in place of G's own rows
    """
    with graphs.guard(G):
        return _Run(method_named(method), checked(dict(options)), memory_known, rows).solve(G, pos, fixed)


@dataclass
class _Run:
    """One call: its settings, and what it finds on the way."""

    method: Method
    options: dict[str, Any]
    memory_known: bool = False
    rows: np.ndarray | None = None
    notes: list[str] = field(default_factory=list)

    def solve(self, G: Any, pos: Any, fixed: Any) -> Solution:
        began = time.perf_counter()
        o, dim = self.options, self.options["dim"]
        optimizer = self._optimizer()
        if o["nbody"] not in BACKENDS:
            raise unknown("nbody", o["nbody"], BACKENDS)
        rng = generator(o["seed"])
        with workers(o["n_jobs"]) as crew:
            network = graphs.read(G, o["weight"], o["weight_kind"])
            # Weights that only decide about sizes are rescaled early, others when floats would overflow.
            sizes_only = self.method.kernel.is_power or self.method.connection.name != "fixed"
            P, notes = ordinary(network.adjacency, 40 if sizes_only else 300)
            host = network.host
            if o["store_pos_as"] is not None and not host.stores:
                raise InputError("store_pos_as needs a graph with node attributes; an array has none")
            self.notes.extend((*network.notes, *notes))
            start = None if pos is None else host.positions(pos, dim)
            still = self._fixed(host, fixed, start, network.labels)
            size = None if o["node_size"] is None else host.values(o["node_size"], "node_size", nonnegative=True)
            if start is not None and o["max_iter"] == 0:  # nothing moves: what has a place keeps it
                held = ~np.isnan(start[:, 0])
                still = held if size is None and held.any() else still
            labels = component_labels(P)
            if o["components"] == "joint" and labels.max(initial=0) > 0:
                raise Unsupported(
                    f"the graph has {labels.max() + 1} components, and {self.method.name} has no minimum on a "
                    "disconnected graph: its components repel each other without end. Use components='pack', or "
                    "connect them"
                )
            if not self.memory_known:
                warn_of_memory(self.method, o, np.bincount(labels), np.bincount(labels, np.diff(P.indptr)).astype(int))
            mass, notes = node_mass(P, self._mass(P), host, rng)
            self.notes.extend(notes)
            parts = [
                self._part(nodes, self._affinity(graph, mass[nodes], crew), start, still)
                for nodes, graph in components(P, labels)
            ] if len(labels) else []
            with self._watch(parts) as watch:
                floor = self._floor(len(labels), sum(part.affinity.P.nnz for part in parts), crew)
                task = Task(self.method, dim, floor, optimizer, o["max_iter"], o["tol"])
                reason = self._draw(parts, task, rng, watch, len(labels))
            Y = assembled(parts, start, still, (len(labels), dim), o["scale"])
            Y, notes = finished(Y, start, still, size, o["scale"], o["center"])
            self.notes.extend(notes)
            return self._solution(host, Y, parts, labels, reason, watch, began, floor)

    def _mass(self, P: csr_array) -> Any:
        """What the caller or the method names; "auto": strengths where hubs are joined to a good part of a dense
        graph or have most of its edges.
        """
        mass = self.method.mass if self.options["mass"] is None else self.options["mass"]
        if not (isinstance(mass, str) and mass == "auto"):
            return mass
        n = max(P.shape[0], 1)
        mean_degree = P.nnz / n
        squares = float(np.sum(np.diff(P.indptr).astype(np.float64) ** 2)) / n
        crowded = mean_degree >= DENSE_SHARE * n or squares >= HUBS * mean_degree**2
        return "strength" if mean_degree >= DENSE_DEGREE and crowded else "unit"

    def _optimizer(self) -> Optimizer | None:
        if isinstance(self.options["optimizer"], str) and self.options["optimizer"] == "auto":
            return None
        optimizer = optimizer_named(self.options["optimizer"])
        optimizer.check(self.method.kernel, self.method.divergence)
        return optimizer

    def _fixed(self, host: graphs.Host, fixed: Any, start: np.ndarray | None, names) -> np.ndarray | None:
        if fixed is None:
            return None
        nodes = host.nodes(fixed, "fixed")
        if not len(nodes):
            return None
        if start is None:
            raise InputError("fixed nodes need positions: give them in pos")
        homeless = nodes[np.isnan(start[nodes, 0])]
        if len(homeless):
            raise InputError(f"fixed node {names[int(homeless[0])]!r} has no position in pos: give it one, or free it")
        mask = np.zeros(len(start), dtype=bool)
        mask[nodes] = True
        return mask

    def _affinity(self, graph: csr_array, mass: np.ndarray, crew: Workers) -> Affinity:
        affinity, notes = input_affinity(graph, mass, self.method, self.options["smoothing"], crew)
        self.notes.extend(notes)
        # A walk has changed the pattern; what underflows on the way has left it.
        if self.rows is not None and len(self.rows) == affinity.P.nnz and not self.options["smoothing"]:
            return replace(affinity, rows=self.rows)
        return affinity

    def _part(
        self, nodes: np.ndarray, affinity: Affinity, start: np.ndarray | None, still: np.ndarray | None
    ) -> Part:
        here, held = None if start is None else start[nodes], None if still is None else still[nodes]
        if here is not None and self.options["max_iter"] != 0:
            here, count = drawn_in(here, held)
            if count:
                self.notes.append(
                    f"{count} node{'s lie' if count > 1 else ' lies'} more than {GAP:.0f} times as far out in pos as "
                    "the others, which would be a dot: the drawing starts with them brought nearer"
                )
        return Part(nodes, affinity, here, held)

    def _floor(self, n: int, entries: int, crew: Workers) -> Floor:
        compiled = n**2 + 20 * entries > NUMPY_PAIRS
        return Floor(backend(self.options["nbody"], crew, compiled), crew, compiled)

    @contextmanager
    def _watch(self, parts: list[Part]):
        if not self.options["progress"]:
            yield Watch(self.options["callback"])
            return
        from tqdm import tqdm

        with tqdm(unit=" steps", desc=self.method.name) as bar:
            yield Watch(self.options["callback"], bar.update)

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
                part.drawing = draw_component(
                    part.affinity, task, rng, watch, show, part.start, part.fixed, part.drawing
                )
            except Stopped:
                part.drawing.reason, stopped = "stopped", True
            if key is not None:
                known[key] = part.drawing
            show(part.Y)
            shift += 6.0 * radius(part.Y)
        return "stopped" if stopped else parts[0].drawing.reason if parts and parts[0].drawing else "converged"

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
            cost[part.nodes] = objective.node_cost(part.Y, evaluation.connection)
            if math.isnan(connection):
                connection = evaluation.connection
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
        )
