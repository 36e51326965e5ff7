"""`nl.plan` and `nl.estimate`: what a call will do, before any work."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from nelayout import core
from nelayout.core.catalogue.record import Method
from nelayout.core.passes.costs import READ
from nelayout.core.problem import PreviousLayout
from nelayout.core.run.forecast import Plan, plan_of
from nelayout.core.run.several_machines import Forecast
from nelayout.errors import InputError
from nelayout.keywords.options import MethodOptions
from nelayout.keywords.signatures import takes_common_keywords
from nelayout.layouts.call import checked_stability, read_call

__all__ = ["estimate", "plan"]


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
    >>> [each.name for each in found.passes if each.depth == 0][:4]
    ['split into components', 'similarities', 'shape', 'tail x 0']
    """
    with read_call(G, method, options, pos, fixed) as call:
        problem, settings = call.problem, call.settings
        if stability is not None:
            settings = replace(settings, stability=checked_stability(stability))
            problem = replace(problem, previous=PreviousLayout(settings.stability, np.zeros(problem.n, dtype=bool)))
        reading = getattr(G, "seconds", None)
        file = 0.0 if reading is None else reading + READ * (problem.n + problem.P.nnz)
        found = plan_of(core.plan(problem, call.method, settings, quick=True), file)
        if workers is None and memory is not None:
            raise InputError(f"memory must come with workers; got memory={memory!r} alone. Give workers as well")
        if workers is None:
            return found
        return replace(found, cluster=Forecast.of(found.nodes, 2 * found.edges, workers, memory))


@takes_common_keywords
def estimate(G: Any, method: str | Method = "auto", **options: Unpack[MethodOptions]) -> Plan:
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
    Plan
        ``seconds``, ``bytes`` and ``evaluations`` of the whole run, right within about a factor of two on a server
        of the 2020s that does nothing else

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
