"""`nl.plan` and `nl.estimate`: passes, time and memory of a call, before any work.

The cost of a pass is a count of iterations times measured costs.  Each evaluation of the objective sums over all pairs
(or over a mesh) and over the edges.  Linear systems and the memory of the optimizer add to this.  The costs hold for
one core of a 2.5 GHz server with compiled loops on disk.
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
from nelayout.numerics.breadth_first import COMPILED_ABOVE
from nelayout.numerics.distances import pivots_of
from nelayout.numerics.memory import size_in_words, warn_if_short
from nelayout.numerics.parallel import Threads, thread_count
from nelayout.objective.stacks import MAX_STACKED_NODES
from nelayout.optimizers import LBFGS
from nelayout.optimizers.limited_memory import pairs_kept
from nelayout.run.drawing import Part
from nelayout.run.facts import Facts
from nelayout.run.layers import Layers
from nelayout.run.levels import STARTS_NODES, Levels, Rough, polylog
from nelayout.run.passes import Descent, Keep, Pass, passes_within
from nelayout.run.plan import COMPARED, Settings
from nelayout.run.plan import plan as passes_of
from nelayout.run.request import NOTHING_KNOWN, Request, checked_stability, read_request
from nelayout.run.several_machines import Forecast
from nelayout.run.taking_apart import mass_to_read, masses_of, take_apart
from nelayout.run.untangling import Redraw, Untangle
from nelayout.similarities.masses import NAMED
from nelayout.similarities.random_walk import KEPT, WHOLE
from nelayout.sums.device import device_named
from nelayout.sums.edges.walk import can_smooth_exactly

__all__ = [
    "NUMPY_PAIRS", "Estimate", "Plan", "PlannedPass", "estimate", "loops_within", "plan", "uses_loops",
    "warn_of_memory",
]  # fmt: skip

# Pairs of nodes from which compiled loops are loaded.
NUMPY_PAIRS = COMPILED_ABOVE**2
# Seconds of a sum over pairs.  NumPy: for each pair.  Compiled: for each unit of cost.  Fast sums: at least.
NUMPY_PAIR, EXACT_UNIT, MIN_FAST_SUM = 15e-9, 1.1e-9, 3e-4
# Seconds of a fast sum for each node, in 1, 2 and 3 dimensions.
FAST_NODE = {"mesh": (230e-9,) * 3, "tree": (500e-9, 900e-9, 1500e-9)}
# Seconds of an edge sum for each entry, of the smallest evaluation, and of a linear system for each entry.
# A random walk as an operator also counts 1 / sqrt(1 - rho) for each entry.
ENTRY, CALL, SYSTEM_ENTRY = {"numpy": 60e-9, "compiled": 7e-9}, {"numpy": 9e-5, "compiled": 6e-5}, 130e-9
# Factor of both sums where there is one scale factor for each row.
ROWS_FACTOR = 2.5
# Seconds of an iteration of L-BFGS for each coordinate and curvature pair, and however small.
MEMORY_NODE, MEMORY_CALL = 8e-9, 1.5e-4
# Seconds of an evaluation and of an iteration for each node of graphs that are drawn together.
STACKED_NODE = 1.5e-7
# Seconds of an evaluation of stress for each pair of a node and a pivot.
STRESS_PAIR = {"numpy": 2e-8, "compiled": 3e-9}
# Seconds of taking out crossings for each node.
UNTANGLED_NODE = 1e-4
# Seconds of reading and writing for each node and entry, of a component, and of moving nodes apart for each node.
READ, COMPONENT, PARTED_NODE = 1.5e-6, 1.1e-4, 2e-5
# Seconds of cutting a random walk short, for each node, entry kept, mean degree and 1 / (1 - rho).
PUSH = 0.5e-9
# Seconds of similarities from path lengths, for each entry.
PATH_ENTRY = 0.5e-6
# Seconds of any run; of compiling the loops that most runs need, and of loading them in a process.
RUN, COMPILING, LOADING = 0.05, 7.0, 0.5
# Seconds of writing a file, for each node and entry.
WRITE = 1e-6
# Part of a second core's time that is used, and evaluations in an iteration.
SECOND_CORE, TRIALS = 0.6, 1.1
# Part of its most iterations that a descent usually takes: through the levels, and elsewhere.
USUAL_LEVELS, USUAL = 0.6, 0.9
# Bytes at the peak, for each entry and node.  L-BFGS: for each coordinate and curvature pair.  Mesh: for each node.
BYTES_ENTRY, BYTES_NODE, BYTES_MEMORY, BYTES_MESH = 50, 420, 14, 290
# Bytes of any run, and of any mesh.  NumPy and stress: for each pair.  Similarities from path lengths or a random
# walk: for each entry.
BYTES_LEAST, BYTES_LEAST_MESH, BYTES_PAIR, BYTES_STRESS, BYTES_SIMILAR = 500_000, 650_000, 45, 16, 80

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
            rows.append(("  " * p.depth + p.name, graphs, steps, _seconds(p.seconds), size_in_words(p.bytes), p.why))
        return [*rows, ("total", "", f"{self.steps:,}", _seconds(self.seconds), size_in_words(self.bytes), "")]

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
            "<tr>" + "".join(f"<td style='text-align:left'>{escape(cell).replace('  ', '&emsp;')}</td>" for cell in row)
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
        seconds, size = (f"{x:.0f}" if x >= 10 else f"{x:.2g}" for x in (self.seconds, self.bytes / 1e6))
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
        file = 0.0 if reading is None else reading + WRITE * (len(request.labels) + request.P.nnz)
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
            passes = (*passes, _walk(method, settings))
        groups.setdefault((passes, facts.n > MAX_STACKED_NODES and facts.n), []).append(facts)
    rows, whole, largest, first, compiled = [], Cost(), 0, (0, "exact"), False
    held = BYTES_NODE * n + BYTES_ENTRY * request.P.nnz
    for (passes, _), some in sorted(groups.items(), key=lambda item: (item[1][0].own_start, -item[1][0].n)):
        count = len(some)
        size = round(float(np.sqrt(np.mean([facts.n**2 for facts in some]))))
        model = CostModel(method, o, size, sum(facts.entries for facts in some) // count, n * n, threads, count)
        own, compiled = model.similarities(), compiled or model.compiled
        held = max(held, count * model.held())
        for depth, each in passes_within(passes):
            cost = Cost() if isinstance(each, Keep) else model(each)
            if each is passes[0]:
                cost = cost + own
            seconds, nodes = count * cost.seconds, max(facts.n for facts in some)
            rows.append(PlannedPass(each.name, count, nodes, each.steps, each.why, seconds, cost.bytes, depth))
            whole = whole + cost.times(count)
        if size > largest:
            largest, first = size, (round(sum(model(each).evaluations for each in passes)), model.nbody)
    components, drawn = int(request.labels.max(initial=-1)) + 1, max((row.nodes for row in rows), default=0)
    seconds = file + packing_seconds(n, request.P.nnz, components, o["node_size"] is not None)
    rows.append(PlannedPass("read, pack and write", components, n, 0, "every graph", seconds, 0))
    if compiled and (seconds := compiling_seconds()):
        rows.append(PlannedPass("compile and load loops", components, n, 0, "not yet done here", seconds, 0))
    device = device_named(o["device"])
    there = device.needs(drawn, int(request.sizes[1].sum())) if device is not None and drawn >= device.least else 0
    least = BYTES_LEAST + (0 if compiled else BYTES_PAIR * largest**2) if groups else 0
    peak = held + max(row.bytes for row in rows) + least
    total = sum(row.seconds for row in rows)
    return Plan(method.name, n, request.P.nnz // 2, components, tuple(rows), total, peak, *first, there)


def _walk(method: Method, settings: Settings) -> Descent:
    """Return the drawings at one order alpha after another as a pass."""
    assert method.choose is not None
    last = method.stages[-1].max_iter if settings.max_iter is None else settings.max_iter
    steps, optimizer = method.choose.drawings * min(COMPARED, last) + last, settings.optimizer or LBFGS()
    return Descent(name="walk over alpha", steps=steps, optimizer=optimizer, why="alpha is chosen from the data")


def _parts(request: Request) -> list[Part]:
    """Return the parts to draw: different components; if joint, all nodes, after components."""
    o, method = request.options, request.method
    mass = method.mass if o["mass"] is None else o["mass"]
    # Plans do not look at named centralities, which may take long.
    if isinstance(mass_to_read(mass), str) and mass_to_read(mass) in NAMED and mass != "auto":
        mass = "unit" if mass == "unit" else "strength"
    masses, _ = masses_of(request.P, mass, request.network.host, np.random.default_rng(0), method.gravity is None)
    own = replace(method, perplexity=None, hops=None, emphasis=0.0)
    plain = replace(request, method=own, options={**o, "smoothing": 0.0})

    def parts(joint: bool) -> list[Part]:
        return take_apart(plain, masses, joint, NOTHING_KNOWN, Threads(), np.bincount(request.labels) > 1)[0]

    alone = [] if request.joint and request.start is not None else parts(False)
    alone = list({part.key or k: part for k, part in enumerate(alone)}.values())
    if not request.joint:
        return alone
    start = np.zeros((len(request.labels), o["dim"])) if request.start is None else request.start
    whole = parts(True) if len(request.labels) > 1 else []
    return [*alone, *(replace(part, start=start, own_start=request.start is None) for part in whole)]


def _seconds(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds, bytes at the peak, and evaluations of the objective."""

    seconds: float = 0.0
    bytes: int = 0
    evaluations: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.seconds + other.seconds, max(self.bytes, other.bytes), self.evaluations + other.evaluations)

    def times(self, count: float) -> Cost:
        """Return the cost of ``count`` such pieces of work."""
        return Cost(count * self.seconds, self.bytes, self.evaluations)


class CostModel:
    """Costs of passes on graphs of n nodes, ``count`` of them drawn together."""

    def __init__(
        self, method: Method, o: dict[str, Any], n: int, entries: int, pairs: int, threads: int, count: int = 1
    ) -> None:
        self.method, self.n, self.dim, self.count = method, n, o["dim"], count
        self.rho, self.raw_entries = o["smoothing"], entries
        self.entries = self._smoothed_entries()
        self.compiled = pairs + 20 * self.entries > NUMPY_PAIRS
        self.backend = "exact" if count > 1 else o["nbody"]
        self.speed = 1.0 + SECOND_CORE * (min(threads, 4) - 1) if self.compiled else 1.0

    def __call__(self, each: Pass) -> Cost:
        """Return the cost of one pass on one graph; of `Keep`, of all its branches."""
        if isinstance(each, Keep):
            return sum((self(inner) for branch in each.branches for inner in branch.passes), Cost())
        if isinstance(each, Levels):
            stage = each.stage
            method = self.method if stage.power is None else polylog(stage.power)
            steps, finer = USUAL_LEVELS * stage.max_iter, 2.0 if each.finest else 2.0 * FINEST
            return self._steps(method, stage.optimizer, finer * steps, USUAL_LEVELS * each.steps)
        if isinstance(each, Descent):
            cost = self._steps(self.method.during(each), each.optimizer.name, USUAL * each.steps)
            if not each.emphasis and not self.method.mu:
                return cost
            pairs = self.n * len(pivots_of(self.n))
            seconds = STRESS_PAIR["compiled" if self.compiled else "numpy"] * pairs / self.speed
            return replace(cost + Cost(TRIALS * USUAL * each.steps * seconds), bytes=cost.bytes + BYTES_STRESS * pairs)
        if isinstance(each, Rough):
            copies = min(each.copies, self.n, max(1.0, STARTS_NODES / self.n))
            cost = self._steps(self.method, "lbfgs", copies * each.steps, float(each.steps))
            return replace(cost, bytes=int(copies * (cost.bytes + self.held())))
        if isinstance(each, Untangle):
            return Cost(UNTANGLED_NODE * self.n)
        if isinstance(each, Redraw):
            return sum(map(self, (*each.descents, each.untangle)), Cost())
        own = self._steps(self.method, "lbfgs", USUAL * each.steps) if each.steps else Cost()
        return sum(map(self, (*each.free, *each.across)), own) if isinstance(each, Layers) else own

    def held(self) -> int:
        """Return the bytes that are held all the time."""
        return BYTES_ENTRY * self.entries + BYTES_NODE * self.n

    def similarities(self) -> Cost:
        """Return the cost of similarities from path lengths, or of cutting a random walk short."""
        if self.method.perplexity is not None:
            return Cost(PATH_ENTRY * self.entries, BYTES_SIMILAR * self.entries)
        if self.entries == self.raw_entries:
            return Cost()
        degree = self.raw_entries / self.n
        return Cost(PUSH * self.entries * degree / (1.0 - self.rho), BYTES_SIMILAR * self.entries)

    def _smoothed_entries(self) -> int:
        """Return the entries of the graph, or of a truncated walk instead."""
        method = self.method
        exact = method.affinity == "raw" and can_smooth_exactly(method.kernel, method.divergence, method.connection)
        if not self.rho or exact:
            return self.raw_entries
        return self.n * min(self.n - 1, max(KEPT, WHOLE**2 // self.n))

    def _steps(self, method: Method, optimizer: str, steps: float, calls: float | None = None) -> Cost:
        """Return the cost of iterations on the whole graph; ``calls``: iterations with overhead."""
        evaluations = TRIALS * steps
        calls = evaluations if calls is None else TRIALS * calls
        form = "compiled" if self.compiled else "numpy"
        carrier, each = self._sum(radials_of(method))
        each += ENTRY[form] * self.entries
        if self.rho and self.entries == self.raw_entries:  # the walk is an operator, solved for in each evaluation
            each += SYSTEM_ENTRY * self.entries / math.sqrt(1.0 - self.rho)
        if method.connection.by_rows:
            each *= ROWS_FACTOR
        call = min(STACKED_NODE * self.n, CALL[form]) if self.count > 1 else CALL[form]
        seconds = evaluations * each / self.speed + calls * call
        size, memory = 0, pairs_kept(self.n) * self.n * self.dim
        if optimizer == "majorize":
            seconds += steps * SYSTEM_ENTRY * self.entries / self.speed + calls * call
        else:
            seconds += MEMORY_NODE * steps * memory + calls * (call if self.count > 1 else MEMORY_CALL)
            size += BYTES_MEMORY * memory
        size += BYTES_LEAST_MESH + BYTES_MESH * self.n if carrier == "mesh" else 0
        return Cost(seconds, size, evaluations)

    def _sum(self, radials: tuple[Radial, ...]) -> tuple[str, float]:
        """Return the backend and the seconds of one sum over all pairs of an even drawing."""
        if not self.compiled:
            return "exact", len(radials) * NUMPY_PAIR * self.n**2
        from nelayout.sums.nbody.auto import EXACT_FREE, exact_cost  # not loaded for small graphs

        name, exact = self.backend, exact_cost(self.n, radials)
        if name == "auto":
            name = "exact" if exact <= EXACT_FREE else "mesh" if self.dim == 2 else "tree"
        if name == "exact":
            return name, EXACT_UNIT * exact
        return name, len(radials) * max(MIN_FAST_SUM, FAST_NODE[name][self.dim - 1] * self.n)

    @property
    def nbody(self) -> str:
        """Return the backend for the method's own sums."""
        return self._sum(radials_of(self.method))[0]


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


def packing_seconds(nodes: int, entries: int, components: int, apart: bool) -> float:
    """Return the seconds of reading, packing and writing; ``apart``: nodes are moved apart."""
    return RUN + READ * (nodes + entries) + COMPONENT * max(components - 1, 0) + (PARTED_NODE * nodes if apart else 0.0)


def compiling_seconds() -> float:
    """Return the seconds of compiling loops that are not stored, or of loading stored ones."""
    loading = 0.0 if "nelayout.numerics.compiling" in sys.modules else LOADING
    return loading if loop_store.compiled() else COMPILING + loading


def uses_loops(sizes: np.ndarray, entries: np.ndarray) -> bool:
    """Return whether components of these sizes are drawn by compiled loops."""
    return sizes.sum() ** 2 + 20 * entries.sum() > NUMPY_PAIRS


def warn_of_memory(method: Method, o: dict[str, Any], sizes: np.ndarray, entries: np.ndarray, held: int = 0) -> bool:
    """Warn if drawing these components takes too much memory; return True if it warned.

    entries  of each component's matrix, two an edge
    held     bytes that other work needs before, at its peak
    """
    if not uses_loops(sizes, entries):
        return False
    needed = max(_bytes(method, o, sizes, entries), held)
    remedies = ["Fewer edges (of vectors, a smaller n_neighbors) take less"]
    if o["smoothing"]:
        remedies.append("so does smoothing=0")
    if method.perplexity is not None:
        remedies.append("so does a smaller perplexity")
    return warn_if_short(needed, f"drawing {sizes.sum():,} nodes by {method.name}", "; ".join(remedies))


def _bytes(method: Method, o: dict[str, Any], sizes: np.ndarray, entries: np.ndarray) -> int:
    """Return the bytes at the peak: all components, plus the passes of the largest."""
    n, largest = int(sizes.sum()), int(sizes[0])
    model = CostModel(method, o, largest, int(entries[0]), n * n, 1)
    passes = passes_of(method, Facts(largest, int(entries[0])), Settings(o["dim"]))
    rest = BYTES_ENTRY * int(entries[1:].sum()) + BYTES_NODE * (n - largest)
    peak = max((model(each).bytes for each in passes), default=0)
    return model.held() + max(peak, model.similarities().bytes) + BYTES_LEAST + rest
