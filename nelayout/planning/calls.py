"""`nl.plan` and `nl.estimate`: what a call will do, before any work.

Sizes alone stand for a typical graph: a small random graph of the same degrees answers for keywords and path lengths.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from scipy.sparse import csr_array

from nelayout import core
from nelayout.core.catalogue.record import Method
from nelayout.core.passes.costs import READ
from nelayout.core.passes.drawing import uses_loops
from nelayout.core.passes.facts import Facts
from nelayout.core.problem import PreviousLayout
from nelayout.core.run.forecast import Outline, Plan, PlannedPass, plan_of, plan_of_outline
from nelayout.core.run.several_machines import Forecast
from nelayout.errors import InputError
from nelayout.graphs import graph_of
from nelayout.keywords.options import MethodOptions
from nelayout.keywords.signatures import takes_common_keywords
from nelayout.layouts.call import checked_stability, read_call
from nelayout.planning.process import PACKAGES_SECONDS, bytes_now, reading_graph, reading_table, started
from nelayout.planning.tables import plan_of_rows
from nelayout.vectors.input import is_table, read_rows

__all__ = ["estimate", "plan", "plan_of_table"]

# Nodes of the small graph that stands in where sizes alone are given: it answers for keywords and for path lengths.
STAND_IN_NODES = 600
READING = "read the file"
EXAMPLE = "Give a graph, plan(nodes=1000, edges=3000), or plan(rows=70_000, columns=784)"


@takes_common_keywords
def plan(
    G: Any = None, method: str | Method | None = None, pos: Any = None, fixed: Any = None, *,
    nodes: int | None = None, edges: int | None = None, rows: int | None = None,
    stability: float | None = None, workers: int | None = None, memory: int | str | None = None,
    **options: Unpack[MethodOptions],
) -> Plan:  # fmt: skip
    """List the passes that draw G, each with its reason, time and memory; draw nothing.

    The last rows are reading, writing and compiling loops that this machine does not have yet.  Reading includes the
    file if G comes from `read_graph`.  Sizes take the place of a graph or a table that does not exist yet.

    Parameters
    ----------
    G : graph, (n, d) table, or None
        a table with one row per sample is planned as `embed` draws it: an array or sparse matrix that is not square, or
        a frame of four columns or more, without headings of edges
    method : default None
        a name or a ``nelayout.Method``; None: "auto" for graphs, "ws-sne" for tables
    nodes : default None
        of a graph that is read from a table of edges, with ``edges``. ``assumed`` lists what is taken for granted: it
        is connected if it has edges enough, and it is no ring, star or planar graph
    edges : default None
        of such a graph
    rows : default None
        of a table that is read as text; ``columns`` is then its number of columns
    stability : default None
        as of `layout_sequence`, for a snapshot that is drawn from the positions ``pos`` of the one before
    workers, memory : optional
        machines of a cluster, and bytes that each may take ("64GB"): ``cluster`` lists their needs, see
        `nelayout.distributed.layout`

    Returns
    -------
    Plan
        ``passes`` (``name``, ``steps``, ``why``, ``seconds``, ``bytes``), and the whole run's ``seconds`` and
        ``bytes``, right within about a factor of two; ``process_bytes`` of the whole process; it prints as a table, in
        notebooks too

    Raises
    ------
    InputError
        for the same graphs and keywords as `solve`, in the same words, and `Unsupported` likewise; for sizes that no
        graph has, such as more edges than pairs of nodes, and for sizes beside a graph

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> found = nl.plan(nx.karate_club_graph(), "ws-sne")
    >>> [each.name for each in found.passes if each.depth == 0][:4]
    ['split into components', 'similarities', 'shape', 'tail x 0']
    >>> large = nl.plan(nodes=10**6, edges=5 * 10**6, method="ws-sne")
    >>> large.passes[0].name, large.seconds > 60, large.process_bytes > 10**9
    ('read the file', True, True)
    >>> nl.plan(rows=70_000, columns=784).passes[1].name
    'nearest neighbors'
    """
    columns = options.pop("columns", None) if rows is not None or G is None else None
    sizes = {"nodes": nodes, "edges": edges, "rows": rows, "columns": columns}
    known = {name: _whole(name, value) for name, value in sizes.items() if value is not None}
    if known or G is None:
        _check_sizes(G, known, {"pos": pos, "fixed": fixed, "stability": stability})
        found = _of_graph_sizes(known, method, options) if "nodes" in known else _of_rows(known, method, options)
    elif is_table(G):
        if pos is not None or fixed is not None or stability is not None:
            raise InputError("a table of rows has no pos, fixed or stability in its plan: leave them out")
        found = plan_of_table(G, 0.0, method, **options)
    else:
        found = _of_graph(graph_of(G), method, pos, fixed, stability, options)
    if workers is None and memory is not None:
        raise InputError(f"memory must come with workers; got memory={memory!r} alone. Give workers as well")
    if workers is None:
        return found
    return replace(found, cluster=Forecast.of(found.nodes, 2 * found.edges, workers, memory))


def _of_graph(G: Any, method: Any, pos: Any, fixed: Any, stability: Any, options: Mapping[str, Any]) -> Plan:
    with read_call(G, "auto" if method is None else method, options, pos, fixed) as call:
        problem, settings = call.problem, call.settings
        if stability is not None:
            settings = replace(settings, stability=checked_stability(stability))
            problem = replace(problem, previous=PreviousLayout(settings.stability, np.zeros(problem.n, dtype=bool)))
        reading = getattr(G, "seconds", None)
        file = 0.0 if reading is None else reading + READ * (problem.n + problem.P.nnz)
        found = plan_of(core.plan(problem, call.method, settings, quick=True), file)
        return replace(found, process_bytes=bytes_now(_loops(found)) + found.bytes)


def plan_of_table(X: Any, seconds: float, method: Any, **options: Any) -> Plan:
    """Return the plan of a table in memory; ``seconds``: those that reading it took."""
    n, d = read_rows(X).shape
    found = _of_rows({"rows": n, "columns": d}, method, options, given=True)
    if not seconds:
        return found
    file = PlannedPass(READING, 1, n, 0, "done already", seconds, 0)
    return replace(found, passes=(file, *found.passes), seconds=found.seconds + seconds)


def _of_graph_sizes(known: Mapping[str, int], method: Any, options: Mapping[str, Any]) -> Plan:
    """Return the plan of a typical graph with so many nodes and edges."""
    n, m = known["nodes"], known["edges"]
    with read_call(_stand_in(n, m), "auto" if method is None else method, options) as call:
        problem = call.problem
        near = problem.near(call.method)
        apart = problem.dots or problem.size is not None
        wished = bool(problem.terms) or problem.edges is not None
        facts = Facts(n, 2 * m, wished=wished, aligned=problem.lines is not None)
        outline = Outline.of_sizes(n, 2 * m, call.method, call.settings, near, apart, facts, problem.rings)
        found = plan_of_outline(outline, call.method, call.settings)
    alone = outline.components - 1
    joined = "connected" if alone < 1 else f"a tree, and {alone:,} nodes without edges"
    assumed = f"assumed: {joined}; no ring, star or planar graph; read from a table of edges"
    return _read_first(found, *reading_graph(n, m), f"{m:,} lines", (assumed,))


def _of_rows(known: Mapping[str, int], method: Any, options: Mapping[str, Any], given: bool = False) -> Plan:
    """Return the plan of a table; ``given``: it is in memory already."""
    n, d = known["rows"], known["columns"]
    own = {name: value for name, value in options.items() if name != "perplexity"}
    with read_call(_stand_in(n, 5 * n), "ws-sne" if method is None else method, own) as call:
        found = plan_of_rows(n, d, call, options)
    if given:
        return replace(found, process_bytes=bytes_now(_loops(found)) + found.bytes)
    return _read_first(
        found, *reading_table(n, d), f"{n * d:,} numbers", ("assumed: no two rows are equal; read from text",)
    )


def _read_first(found: Plan, seconds: float, size: int, why: str, assumed: tuple[str, ...]) -> Plan:
    """Return a plan that begins with the process and the file."""
    file = PlannedPass(READING, 1, found.nodes, 0, f"{why}; packages are imported", PACKAGES_SECONDS + seconds, size)
    whole = started(_loops(found)) + size + found.bytes
    total = found.seconds + file.seconds
    return replace(found, passes=(file, *found.passes), seconds=total, process_bytes=whole, assumed=assumed)


def _loops(found: Plan) -> bool:
    """Return whether compiled loops run."""
    drawn = max((each.nodes for each in found.passes if each.steps), default=0)
    return bool(drawn) and uses_loops(drawn, 2 * found.edges)


def _stand_in(n: int, m: int) -> csr_array:
    """Return a small random graph with the degrees of a graph of n nodes and m edges."""
    few = min(n, STAND_IN_NODES)
    count = min(math.ceil(m * few / n) if n else 0, few * (few - 1) // 2)
    rng = np.random.default_rng(0)
    pairs = rng.choice(few * (few - 1) // 2, count, replace=False) if count else np.zeros(0, np.int64)
    i = np.floor((1 + np.sqrt(1 + 8 * pairs)) / 2).astype(np.int64)
    j = pairs - i * (i - 1) // 2
    upper = csr_array((np.ones(count), (i, j)), shape=(few, few))
    return csr_array(upper + upper.T)


def _whole(name: str, value: Any) -> int:
    """Return a size as a whole number of at least 0; 1e6 is one."""
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value != int(value) or value < 0:
        raise InputError(f"{name} must be a whole number of at least 0; got {value!r}. {EXAMPLE}")
    return int(value)


def _check_sizes(G: Any, known: Mapping[str, int], others: Mapping[str, Any]) -> None:
    """Raise `InputError` unless the sizes are those of one graph or one table."""
    if not known:
        raise InputError(f"plan needs a graph, a table or sizes; got none. {EXAMPLE}")
    if G is not None:
        raise InputError(f"{' and '.join(known)} must come without G, which has its own sizes. Leave one of them out")
    for pair in (("nodes", "edges"), ("rows", "columns")):
        there = [name for name in pair if name in known]
        if len(there) == 1:
            other = next(name for name in pair if name not in known)
            raise InputError(f"{there[0]} must come with {other}; got {there[0]}={known[there[0]]} alone. {EXAMPLE}")
    if len(known) > 2:
        raise InputError(f"sizes must be those of a graph or of a table; got both. {EXAMPLE}")
    for name, value in others.items():
        if value is not None:
            raise InputError(f"{name} must come with a graph; got {name} beside {' and '.join(known)}. Leave it out")
    if "nodes" in known:
        n, m = known["nodes"], known["edges"]
        if m > n * (n - 1) // 2:
            raise InputError(
                f"edges must be at most nodes (nodes - 1) / 2 = {n * (n - 1) // 2:,}; got {m:,} for {n:,} nodes. Count "
                "parallel edges once, and no loops"
            )
    elif known["rows"] < 2 or known["columns"] < 1:
        raise InputError(
            f"a table must have at least 2 rows and 1 column; got {known['rows']} x {known['columns']}. {EXAMPLE}"
        )


@takes_common_keywords
def estimate(
    G: Any = None, method: str | Method | None = None, *,
    nodes: int | None = None, edges: int | None = None, rows: int | None = None,
    **options: Unpack[MethodOptions],
) -> Plan:  # fmt: skip
    """Estimate the seconds and bytes of drawing G: the sum of its `plan`; draw nothing.

    Of the common keywords, affinity, perplexity, hops, dim, node_size, smoothing, max_iter, optimizer, nbody, device
    and n_jobs count.  The seconds are the CPU's.

    Parameters
    ----------
    nodes : default None
        as of `plan`
    edges : default None
        as of `plan`
    rows : default None
        as of `plan`, with ``columns``
    method : default None
        a name or a ``nelayout.Method``; None: "auto" for graphs, "ws-sne" for tables

    Returns
    -------
    Plan
        ``seconds``, ``bytes`` and ``evaluations`` of the whole run, right within about a factor of two on a server
        of the 2020s that does nothing else

    Raises
    ------
    InputError
        for the same graphs and keywords as `solve`, in the same words, and `Unsupported` likewise; for sizes as `plan`

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> small, large = (nl.estimate(nx.grid_2d_graph(k, k), "ws-sne") for k in (20, 40))
    >>> small.seconds < large.seconds, small.bytes < large.bytes, large.nodes
    (True, True, 1600)
    """
    return plan(G, method, nodes=nodes, edges=edges, rows=rows, **options)
