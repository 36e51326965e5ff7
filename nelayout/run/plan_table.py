"""`nl.plan` and `nl.estimate`: passes, time and memory of a call, before any work.

Each pass says what it costs, see `nelayout.run.costs`.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from html import escape
from typing import Any, Unpack

import numpy as np

from nelayout import graphs
from nelayout.catalogue import with_own
from nelayout.catalogue.keywords import takes_common_keywords
from nelayout.catalogue.options import MethodOptions, check_options
from nelayout.catalogue.record import Method
from nelayout.errors import InputError
from nelayout.numerics import loop_store
from nelayout.numerics.memory import size_in_words, warn_if_short
from nelayout.numerics.parallel import Threads, thread_count
from nelayout.run.costs import CALL, COMPILING, LOADING, PARTED_NODE, READ, CostModel, held_bytes
from nelayout.run.drawing import Part, uses_loops
from nelayout.run.facts import Facts
from nelayout.run.passes import passes_within
from nelayout.run.plan import Settings, walk_over_alpha
from nelayout.run.plan import plan as passes_of
from nelayout.run.request import NOTHING_KNOWN, Request, checked_stability, read_request
from nelayout.run.several_machines import Forecast
from nelayout.run.taking_apart import take_apart
from nelayout.similarities.masses import NAMED, node_mass
from nelayout.sums.device import device_named

__all__ = ["Plan", "PlannedPass", "estimate", "plan", "warn_of_memory"]

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
    bytes    allocated at the peak, without the graph's own and the libraries'
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
def estimate(G: Any, method: str | Method = "auto", **options: Unpack[MethodOptions]) -> Plan:
    """Return the plan of drawing G, for its ``seconds`` and ``bytes``; draw nothing.

    Of the common keywords, affinity, perplexity, hops, dim, node_size, smoothing, max_iter, optimizer, nbody, device
    and n_jobs count.  The seconds are the CPU's.  For vectors, estimate the graph:
    ``nelayout.estimate(nelayout.knn_graph(X), method)``.

    Parameters
    ----------
    method : default "auto"
        a name or a ``nelayout.Method``

    Returns
    -------
    Plan
        right within about a factor of two on a server of the 2020s that does nothing else; see `plan`

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
    return plan(G, method, **options)


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
            passes = (*passes, walk_over_alpha(method, settings))
        groups.setdefault(passes, []).append(facts)
    rows, largest, first, entries = list[PlannedPass](), 0, (0, "exact"), request.P.nnz
    for passes, some in sorted(groups.items(), key=lambda item: (item[1][0].own_start, -item[1][0].n)):
        count, nodes = len(some), max(facts.n for facts in some)
        size = round(float(np.sqrt(np.mean([facts.n**2 for facts in some]))))
        model = CostModel(method, o, size, sum(facts.entries for facts in some) // count, threads)
        evaluations, entries = 0.0, max(entries, count * model.entries)
        for depth, each in passes_within(passes):
            cost = each.cost(model) + model.similarities() if each is passes[0] else each.cost(model)
            seconds, evaluations = count * cost.seconds, evaluations + cost.evaluations
            rows.append(PlannedPass(each.name, count, nodes, each.steps, each.why, seconds, cost.bytes, depth))
        if size > largest:
            largest, first = size, (round(evaluations), model.nbody)
    components, drawn = int(request.labels.max(initial=-1)) + 1, max((row.nodes for row in rows), default=0)
    peak = held_bytes(n, entries) + max((row.bytes for row in rows), default=0)
    apart = PARTED_NODE * n if o["node_size"] is not None else 0.0
    seconds = file + READ * (n + request.P.nnz) + CALL * components + apart
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


def warn_of_memory(method: Method, o: dict[str, Any], sizes: np.ndarray, entries: np.ndarray, held: int = 0) -> bool:
    """Warn if drawing these components takes too much memory; return True if it warned.

    entries  of each component's matrix, two an edge, the largest first
    held     bytes that other work needs before, at its peak
    """
    n, largest, own = int(sizes.sum()), int(sizes.max(initial=0)), int(entries.max(initial=0))
    if not uses_loops(n, entries.sum()):
        return False
    model = CostModel(method, o, largest, own)
    passes = passes_of(method, Facts(largest, own), Settings(o["dim"]))
    costs = [model.similarities(), *(each.cost(model) for each in passes)]
    needed = held_bytes(n, model.entries + int(entries.sum()) - own) + max(cost.bytes for cost in costs)
    remedies = ["Fewer edges (of vectors, a smaller n_neighbors) take less"]
    if o["smoothing"]:
        remedies.append("so does smoothing=0")
    if method.perplexity is not None:
        remedies.append("so does a smaller perplexity")
    what = f"drawing {n:,} nodes by {method.name}"
    return warn_if_short(max(needed, held), what, "; ".join(remedies))
