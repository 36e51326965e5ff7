"""`nl.plan` and `nl.estimate`: passes, time and memory of a call, before any work.

The cost of a pass is its iterations times the cost of one, which sums over all pairs (or a mesh) and over the edges.
The costs hold for one core of a 2.5 GHz server with compiled loops on disk.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from typing import Any, Unpack

import numpy as np

from nelayout import graphs
from nelayout.catalogue import with_own
from nelayout.catalogue.keywords import takes_common_keywords
from nelayout.catalogue.options import MethodOptions, check_options
from nelayout.catalogue.record import Method
from nelayout.catalogue.stages import FINEST
from nelayout.errors import InputError
from nelayout.formula.kernels import Radial
from nelayout.numerics import loop_store
from nelayout.numerics.distances import pivots_of
from nelayout.numerics.memory import size_in_words, warn_if_short
from nelayout.numerics.parallel import Threads, thread_count
from nelayout.optimizers import LBFGS
from nelayout.run.drawing import Part, uses_loops
from nelayout.run.facts import Facts
from nelayout.run.layers import Layers
from nelayout.run.levels import STARTS_NODES, Levels, Rough, polylog
from nelayout.run.passes import Descent, InSpace, Keep, Pass, passes_within
from nelayout.run.plan import COMPARED, Settings
from nelayout.run.plan import plan as passes_of
from nelayout.run.request import NOTHING_KNOWN, Request, checked_stability, read_request
from nelayout.run.several_machines import Forecast
from nelayout.run.taking_apart import take_apart
from nelayout.run.untangling import MAX_MOVES, NODE_MOVES, Redraw, Untangle
from nelayout.similarities.masses import NAMED, node_mass
from nelayout.similarities.random_walk import KEPT, WHOLE
from nelayout.sums.device import device_named
from nelayout.sums.edges.walk import can_smooth_exactly
from nelayout.sums.nbody.field import exact_cost, tree_cost

__all__ = ["Estimate", "Plan", "PlannedPass", "estimate", "loops_within", "plan", "warn_of_memory"]

# Seconds of an iteration: however small, with each sum over a mesh once more; for each node likewise; for each pair of
# nodes by NumPy; and for each entry.
CALL, NODE, PAIR = 2.2e-4, 1.5e-7, 15e-9
ENTRY = {"numpy": 40e-9, "compiled": 5e-9}
# Seconds for each node and entry that is read, written or made similar, and for each entry that levels merge; for each
# node that moves by itself, and for each move that untangles.
READ, TIDY_NODE, MOVE = 1e-6, 5e-5, 1.2e-4
# Seconds for each entry that a walk keeps, mean degree, and 1 / (1 - rho).
PUSH = 0.3e-9
# Seconds of any run, of compiling the loops that most runs need, and of loading them in a process.
RUN, COMPILING, LOADING = 0.02, 7.0, 0.5
# Part of a second core's time that is used.
SECOND_CORE = 0.6
# Bytes at the peak: of any run (or array of a mesh), for each node, entry, and pair of nodes (or of node and pivot).
BYTES_LEAST, BYTES_NODE, BYTES_ENTRY, BYTES_PAIR = 620_000, 380, 62, 22

HEAD = ("pass", "graphs x nodes", "steps", "seconds", "memory", "why")


@dataclass(frozen=True, slots=True)
class PlannedPass:
    """One line of a plan.

    name    the pass; with its branches indented after it, where it compares drawings
    graphs  how many components take it
    nodes   of the largest of them
    steps   most iterations
    why     the fact that put it into the plan
    seconds, bytes  of all these components together
    depth   0, or more for the passes of a branch
    """

    name: str
    graphs: int
    nodes: int
    steps: int
    why: str
    seconds: float
    bytes: int
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """The passes that a call will run: the result of `plan`; it prints as a table.

    method   the method's name
    nodes, edges, components  of the graph
    passes   in order, the passes of the largest component first
    seconds  of the whole run on this number of threads: the sum of the passes
    bytes    allocated at the peak
    evaluations  of the objective of the largest component, about
    nbody    the backend for sums over all pairs of the largest component
    device_bytes  allocated on the device; 0 without one
    cluster  the same drawing on several machines; None: not asked for
    """

    method: str
    nodes: int
    edges: int
    components: int
    passes: tuple[PlannedPass, ...]
    seconds: float
    bytes: int
    evaluations: int
    nbody: str
    device_bytes: int = 0
    cluster: Forecast | None = None

    @property
    def steps(self) -> int:
        """Most iterations of all passes."""
        return sum(each.steps for each in self.passes)

    def _rows(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = []
        for p in self.passes:
            graphs, steps = f"{p.graphs:,} x {p.nodes:,}", f"{p.steps:,}" if p.steps else ""
            rows.append(("  " * p.depth + p.name, graphs, steps, _short(p.seconds), size_in_words(p.bytes), p.why))
        return [*rows, ("total", "", f"{self.steps:,}", _short(self.seconds), size_in_words(self.bytes), "")]

    def __repr__(self) -> str:
        rows = [HEAD, *self._rows()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        return "\n".join([self._title(), *lines, *([] if self.cluster is None else [str(self.cluster)])])

    def _title(self) -> str:
        parts = f"{self.components:,} component{'s' if self.components != 1 else ''}"
        return f"{self.method}: {self.nodes:,} nodes, {self.edges:,} edges, {parts}"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in HEAD)
        rows = "".join(
            "<tr>"
            + "".join(f"<td style='text-align:left'>{escape(cell).replace('  ', '&emsp;')}</td>" for cell in row)
            + "</tr>"
            for row in self._rows()
        )
        return f"<p>{escape(self._title())}</p><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


@dataclass(frozen=True, slots=True)
class Estimate:
    """The result of `estimate`: the last line of the plan.

    seconds      of one run on this number of threads
    bytes        allocated at the peak, without the graph's own and the libraries'
    device_bytes  allocated on the device; 0 without one
    nodes, edges  of the graph
    evaluations  of the objective of the largest component, about
    nbody        the backend for sums over all pairs of the largest component
    """

    seconds: float
    bytes: int
    nodes: int
    edges: int
    evaluations: int
    nbody: str
    device_bytes: int = 0

    def __str__(self) -> str:
        """Return a line for a log."""
        seconds, size = _short(self.seconds), _short(self.bytes / 1e6)
        return f"about {seconds} s and {size} MB for {self.nodes} nodes and {self.edges} edges"


@takes_common_keywords
def plan(
    G: Any, method: str | Method = "auto", pos: Any = None, fixed: Any = None, *, stability: float | None = None,
    workers: int | None = None, memory: int | str | None = None, **options: Unpack[MethodOptions],
) -> Plan:  # fmt: skip
    """List the passes that draw G, each with its reason, time and memory; draw nothing.

    The last rows are reading, writing and compiling loops that this machine does not have yet.  Reading includes the
    file if G comes from `read_graph`.

    Parameters
    ----------
    method : default "auto"
        a name or a ``nelayout.Method``
    stability : default None
        as of `layout_sequence`, for a snapshot that is drawn from the positions ``pos`` of the one before
    workers, memory : optional
        machines of a cluster, and bytes that each may take ("64GB"): ``cluster`` lists their needs, see
        `nelayout.distributed.layout`

    Returns
    -------
    Plan
        ``passes`` (``name``, ``steps``, ``why``, ``seconds``, ``bytes``), and the whole run's ``seconds`` and
        ``bytes``, right within about a factor of two; it prints as a table, in notebooks too

    Raises
    ------
    InputError
        for the same graphs and keywords as `solve`, in the same words, and `Unsupported` likewise

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> found = nl.plan(nx.karate_club_graph(), "ws-sne")
    >>> [each.name for each in found.passes if each.depth == 0][:3]
    ['shape', 'tail x 0', 'tail x 0.5']
    """
    with graphs.guard(G):
        record, common = with_own(method, options)
        o = check_options(common)
        stability = None if stability is None else checked_stability(stability)
        request = read_request(G, record, o, pos, fixed)
        reading = getattr(G, "seconds", None)
        file = 0.0 if reading is None else reading + READ * (len(request.labels) + request.P.nnz)
        found = _planned(request, thread_count(o["n_jobs"]), stability, file)
        if workers is None and memory is not None:
            raise InputError(f"memory must come with workers; got memory={memory!r} alone. Give workers as well")
        if workers is None:
            return found
        return replace(found, cluster=Forecast.of(found.nodes, 2 * found.edges, workers, memory))


@takes_common_keywords
def estimate(G: Any, method: str | Method = "auto", **options: Unpack[MethodOptions]) -> Estimate:
    """Estimate the seconds and bytes of drawing G: the sum of its `plan`; draw nothing.

    Of the common keywords, affinity, perplexity, hops, dim, node_size, smoothing, max_iter, optimizer, nbody, device
    and n_jobs count.  The seconds are the CPU's.  For vectors, estimate the graph:
    ``nelayout.estimate(nelayout.knn_graph(X), method)``.

    Parameters
    ----------
    method : default "auto"
        a name or a ``nelayout.Method``

    Returns
    -------
    Estimate
        right within about a factor of two on a server of the 2020s that does nothing else

    Raises
    ------
    InputError
        for the same graphs and keywords as `solve`, in the same words, and `Unsupported` likewise

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> small, large = (nl.estimate(nx.grid_2d_graph(k, k), "ws-sne") for k in (20, 40))
    >>> small.seconds < large.seconds, small.bytes < large.bytes, large.nodes
    (True, True, 1600)
    """
    found = plan(G, method, **options)
    return Estimate(
        found.seconds, found.bytes, found.nodes, found.edges, found.evaluations, found.nbody, found.device_bytes
    )


def _planned(request: Request, threads: int, stability: float | None, file: float) -> Plan:
    """Return the plan of a call; ``file``: seconds of reading and writing files."""
    o, method, n = request.options, request.method, len(request.labels)
    settings = Settings(o["dim"], request.optimizer, o["max_iter"], o["tol"], stability)
    groups: dict[Any, list[Facts]] = {}
    near = request.near
    for part in _parts(request):
        facts = Facts.of(part, method, o["dim"])
        if near is not None:
            facts = replace(facts, entries=math.ceil(facts.n * min(near, facts.n - 1)))
        passes = passes_of(method, facts, settings)
        if method.choose is not None and not groups:  # the largest component decides for all
            last = method.stages[-1].max_iter if settings.max_iter is None else settings.max_iter
            steps, why = method.choose.drawings * min(COMPARED, last) + last, "alpha is chosen from the data"
            walk = Descent(name="walk over alpha", steps=steps, optimizer=settings.optimizer or LBFGS(), why=why)
            passes = (*passes, walk)
        groups.setdefault(passes, []).append(facts)
    rows, largest, first, entries = list[PlannedPass](), 0, (0, "exact"), request.P.nnz
    for passes, some in sorted(groups.items(), key=lambda item: (item[1][0].own_start, -item[1][0].n)):
        count, nodes = len(some), max(facts.n for facts in some)
        size = round(float(np.sqrt(np.mean([facts.n**2 for facts in some]))))
        model = CostModel(method, o, size, sum(facts.entries for facts in some) // count, n, threads, count)
        evaluations, entries = 0.0, max(entries, count * model.entries)
        for depth, each in passes_within(passes):
            cost = model(each) + model.similarities() if each is passes[0] else model(each)
            seconds, evaluations = count * cost.seconds, evaluations + cost.evaluations
            rows.append(PlannedPass(each.name, count, nodes, each.steps, each.why, seconds, cost.bytes, depth))
        if size > largest:
            largest, first = size, (round(evaluations), model.nbody)
    components, drawn = int(request.labels.max(initial=-1)) + 1, max((row.nodes for row in rows), default=0)
    peak = held_bytes(n, entries) + max((row.bytes for row in rows), default=0)
    apart = TIDY_NODE * n if o["node_size"] is not None else 0.0
    seconds = file + RUN + READ * (n + request.P.nnz) + 0.5 * CALL * max(components - 1, 0) + apart
    rows.append(PlannedPass("read, pack and write", components, n, 0, "every graph", seconds, 0))
    loops = (0.0 if "nelayout.numerics.compiling" in sys.modules else LOADING) + COMPILING * (not loop_store.compiled())
    if loops and uses_loops(n, entries):
        rows.append(PlannedPass("compile and load loops", components, n, 0, "not yet done here", loops, 0))
    device = device_named(o["device"])
    there = device.needs(drawn, int(request.sizes[1].sum())) if device is not None and drawn >= device.least else 0
    total = sum(row.seconds for row in rows)
    return Plan(method.name, n, request.P.nnz // 2, components, tuple(rows), total, peak, *first, there)


def _parts(request: Request) -> list[Part]:
    """Return the parts to draw: different components; if joint, all nodes, after components."""
    o, method = request.options, request.method
    mass = request.mass
    # Plans do not look at named centralities, which may take long.
    if isinstance(mass, str) and mass in NAMED and mass != "unit":
        mass = "strength"
    mass, _ = node_mass(request.P, mass, request.network.host, np.random.default_rng(0), method.gravity is None)
    own = replace(method, perplexity=None, hops=None, emphasis=0.0)
    plain = replace(request, method=own, options={**o, "smoothing": 0.0})

    def parts(joint: bool) -> list[Part]:
        return take_apart(plain, mass, joint, NOTHING_KNOWN, Threads(), np.bincount(request.labels) > 1)[0]

    alone = [] if request.joint and request.start is not None else parts(False)
    alone = list({part.key or k: part for k, part in enumerate(alone)}.values())
    if not request.joint:
        return alone
    start = np.zeros((len(request.labels), o["dim"])) if request.start is None else request.start
    whole = parts(True) if len(request.labels) > 1 else []
    return [*alone, *(replace(part, start=start, own_start=request.start is None) for part in whole)]


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds, bytes at the peak, and evaluations of the objective."""

    seconds: float = 0.0
    bytes: int = 0
    evaluations: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.seconds + other.seconds, max(self.bytes, other.bytes), self.evaluations + other.evaluations)


class CostModel:
    """Costs of passes on n nodes, one of ``count`` graphs; ``nodes``: of all components."""

    def __init__(
        self, method: Method, o: dict[str, Any], n: int, entries: int, nodes: int, threads: int = 1, count: int = 1
    ) -> None:
        self.method, self.n, self.dim, self.count, self.rho = method, n, o["dim"], count, o["smoothing"]
        exact = method.affinity == "raw" and can_smooth_exactly(method.kernel, method.divergence, method.connection)
        self.given, self.operator = entries, bool(self.rho) and exact
        cut = self.rho and not exact
        self.entries = n * min(n - 1, max(KEPT, WHOLE**2 // n)) if cut else entries
        self.compiled = uses_loops(nodes, self.entries)
        self.form = "compiled" if self.compiled else "numpy"
        self.backend = "exact" if count > 1 else o["nbody"]
        self.speed = 1.0 + SECOND_CORE * (min(threads, 4) - 1) if self.compiled else 1.0

    def __call__(self, each: Pass) -> Cost:
        """Return the cost of one pass on one graph; branches of `Keep` are passes of their own."""
        if isinstance(each, Keep):
            return Cost()
        if isinstance(each, Levels):
            stage = each.stage
            method = self.method if stage.power is None else polylog(stage.power)
            whole = stage.max_iter * (2.0 if each.finest else 2.0 * FINEST)  # each level has half of the nodes
            merging = Cost(READ * self.entries)
            return merging + self._steps(method, whole, each.steps, stage.optimizer)
        if isinstance(each, Rough):
            copies = min(each.copies, self.n, max(1.0, STARTS_NODES / self.n))
            cost = self._steps(self.method, copies * each.steps, each.steps)
            held = copies * (BYTES_NODE * self.n + BYTES_ENTRY * self.entries)
            return replace(cost, bytes=cost.bytes + int(held))
        if isinstance(each, Untangle):
            cycles = max(self.entries // 2 - self.n + 1, 0)  # a graph without cycles has hardly a crossing
            moves = (MAX_MOVES + NODE_MOVES * self.n) * min(1.0, cycles / self.n)
            return Cost(TIDY_NODE * self.n + MOVE * moves)
        if isinstance(each, InSpace):
            return self(each.descend)
        if isinstance(each, Redraw):
            return sum(map(self, (*each.descents, each.untangle)), Cost())
        if not isinstance(each, Descent):
            own = self._steps(self.method, each.steps, each.steps) if each.steps else Cost()
            inner = passes_within((*each.free, *each.across)) if isinstance(each, Layers) else ()
            return sum((self(one) for _, one in inner), own)
        whole = 0.5 * each.steps if each.coarser else each.steps  # the next coarser graph has half of the nodes
        cost = self._steps(self.method.during(each), whole, each.steps, each.optimizer.name)
        if not each.emphasis and not self.method.mu:
            return cost
        pairs = self.n * len(pivots_of(self.n))
        seconds = each.steps * ENTRY[self.form] * pairs / self.speed
        return Cost(cost.seconds + seconds, cost.bytes + BYTES_PAIR * pairs, cost.evaluations)

    def similarities(self) -> Cost:
        """Return the cost of similarities from path lengths, or of cutting a random walk short."""
        if self.method.perplexity is None and self.entries == self.given:
            return Cost()
        each = READ if self.method.perplexity is not None else PUSH * self.given / self.n / (1.0 - self.rho)
        return Cost(each * self.entries, BYTES_ENTRY * self.entries)

    def _steps(self, method: Method, steps: float, calls: float, optimizer: str = "lbfgs") -> Cost:
        """Return the cost of iterations on the whole graph, and of ``calls`` on any level."""
        radials, name, size = radials_of(method), self._backend(radials_of(method)), 0
        each = NODE * self.n + ENTRY[self.form] * self.entries
        if not self.compiled:
            each += len(radials) * PAIR * self.n**2
            size = BYTES_PAIR * self.n**2
        elif name == "exact":
            each += 1e-9 * exact_cost(self.n, radials)
        else:
            mesh = len(radials) * (CALL + NODE * self.n)
            each += 1e-9 * tree_cost(self.n, self.dim, radials) if name == "tree" else mesh
            size = int(1.8 * BYTES_LEAST)  # a mesh and its transform
        if method.connection.by_rows:
            each *= 2  # passes over all pairs
        if self.operator:  # the walk is solved for in each evaluation
            each += ENTRY[self.form] * self.entries / math.sqrt(1.0 - self.rho)
        if optimizer == "majorize":  # a linear system
            each += ENTRY["numpy"] * self.entries
        return Cost(steps * (each / self.speed + NODE * self.n) + calls * CALL / self.count, size, steps)

    def _backend(self, radials: tuple[Radial, ...]) -> str:
        """Return the backend of sums over all pairs of an even drawing."""
        if self.backend != "auto" or not self.compiled:
            return self.backend if self.compiled else "exact"
        from nelayout.sums.nbody.auto import EXACT_FREE  # not loaded for small graphs

        return "exact" if exact_cost(self.n, radials) <= EXACT_FREE else "mesh" if self.dim == 2 else "tree"

    @property
    def nbody(self) -> str:
        """Return the backend for the method's own sums."""
        return self._backend(radials_of(self.method))


def radials_of(method: Method) -> tuple[Radial, ...]:
    """Return the radial functions that an evaluation sums."""
    found = {radial for term in method.divergence.pairs for radial in term.radials(method.kernel)}
    return tuple(found | ({Radial(method.kernel)} if method.connection.needs_normalizer else set()))


def loops_within(passes: tuple[Pass, ...], method: Method) -> Iterator[Radial | str]:
    """Yield what a plan computes by compiled loops: radial functions, "stress", "crossings"."""
    for _, each in passes_within(passes):
        if isinstance(each, Levels):
            yield from radials_of(method if each.stage.power is None else polylog(each.stage.power))
        elif isinstance(each, Descent):
            yield from radials_of(method.during(each))
            if each.emphasis or method.mu:
                yield "stress"
        elif isinstance(each, Untangle):
            yield "crossings"


def held_bytes(n: int, entries: int) -> int:
    """Return the bytes of any run, and of all nodes and entries."""
    return BYTES_LEAST + BYTES_NODE * n + BYTES_ENTRY * entries


def warn_of_memory(method: Method, o: dict[str, Any], sizes: np.ndarray, entries: np.ndarray, held: int = 0) -> bool:
    """Warn if drawing these components takes too much memory; return True if it warned.

    entries  of each component's matrix, two an edge, the largest first
    held     bytes that other work needs before, at its peak
    """
    n, largest, own = int(sizes.sum()), int(sizes.max(initial=0)), int(entries.max(initial=0))
    if not uses_loops(n, entries.sum()):
        return False
    model = CostModel(method, o, largest, own, n)
    costs = [model.similarities(), *map(model, passes_of(method, Facts(largest, own), Settings(o["dim"])))]
    needed = held_bytes(n, model.entries + int(entries.sum()) - own) + max(cost.bytes for cost in costs)
    remedies = ["Fewer edges (of vectors, a smaller n_neighbors) take less"]
    if o["smoothing"]:
        remedies.append("so does smoothing=0")
    if method.perplexity is not None:
        remedies.append("so does a smaller perplexity")
    what = f"drawing {n:,} nodes by {method.name}"
    return warn_if_short(max(needed, held), what, "; ".join(remedies))
