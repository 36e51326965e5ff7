"""`nl.solve`, and the positions of all layout functions."""

from __future__ import annotations

import logging
import time
from contextlib import nullcontext
from dataclasses import fields, replace
from typing import Any, Unpack

import numpy as np

from nelayout import core
from nelayout.core.catalogue.record import Method
from nelayout.core.passes.drawing import Drawing
from nelayout.core.record.progress import LOG, observe
from nelayout.core.record.solution import Solution
from nelayout.core.run.forecast import warn_of_memory
from nelayout.core.run.whole import SPLIT, Result
from nelayout.keywords.options import MethodOptions
from nelayout.keywords.signatures import takes_common_keywords
from nelayout.layouts.call import Call, read_call
from nelayout.layouts.checkpoint import Checkpoint, check_kept, digest, named, seed_text
from nelayout.layouts.evaluating import why_infinite

# Keywords that decide about the bits of a result, beside graph, method and seed.
NAMED_BY = (
    "components", "dim", "scale", "center", "max_iter", "time_limit", "tol", "optimizer", "nbody", "device",
    "smoothing",
)  # fmt: skip

__all__ = ["drawn", "positions_of", "solution_of", "solve"]


@takes_common_keywords
def solve(
    G: Any, method: str | Method = "auto", pos: Any = None, fixed: Any = None, **options: Unpack[MethodOptions]
) -> Solution:
    """Draw a graph; return positions with J, its trace, the scale factor and all node costs.

    Parameters
    ----------
    method : default "auto"
        a name (``nelayout.methods()`` lists them; "nerv:0.3" carries a number) or a ``nelayout.Method``

    Returns
    -------
    Solution
        ``positions`` in the type of G, and the evidence

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> solution = nl.solve(nx.karate_club_graph(), "ws-sne", seed=1)
    >>> solution.reason in ("converged", "lull", "max_iter", "unbounded"), len(solution.trace) > 10
    (True, True)
    """
    with read_call(G, method, options, pos, fixed) as call:
        return solution_of(call)[0]


def positions_of(
    G: Any, method: str | Method, pos: Any, fixed: Any, **options: Unpack[MethodOptions]
) -> Any:
    """Return the positions that `solve` finds, or the given ones if all nodes stay."""
    with read_call(G, method, options, pos, fixed) as call:
        problem = call.problem
        if problem.start is not None and problem.fixed is not None and problem.fixed.all():
            return call.written(problem.start)
        if LOG.isEnabledFor(logging.DEBUG):  # the log says what J is
            return solution_of(call)[0].positions
        return call.written(drawn(call, evidence=False).Y)


def drawn(call: Call, evidence: bool = True, memory: bool = True) -> Result:
    """Draw a call; ``evidence``: evaluate the result; ``memory``: look whether it suffices."""
    problem, method, settings, o = call.problem, call.method, call.settings, call.options
    if memory:
        warn_of_memory(method, settings, *problem.sizes(method))
    size = problem.n, problem.P.nnz // 2, int(problem.labels.max(initial=-1)) + 1
    LOG.debug("%s of %d nodes, %d edges, %d components", method.name, *size)
    checkpoint = call.checkpoint or _own_checkpoint(call)
    running = nullcontext() if checkpoint is None else checkpoint.running()
    with running, observe(method.name, o["callback"], o["progress"]) as observer:
        if checkpoint is not None:
            limit = None if settings.limit is None else settings.limit.earlier(checkpoint.earlier)
            settings = replace(settings, journal=checkpoint.journal.following(), limit=limit)
        with observer.within(SPLIT):
            work = core.plan(problem, method, settings)
        result = core.draw(work, observer, evidence)
        if checkpoint is None or checkpoint is call.checkpoint:
            return result
        checkpoint.end(result.reason != "stopped")
        return replace(result, notes=(*checkpoint.notes, *result.notes))


def _own_checkpoint(call: Call) -> Checkpoint | None:
    """Return the file of this run; None: nothing is kept."""
    o = call.options
    if o["checkpoint"] is None:
        return None
    check_kept(call.method)
    return Checkpoint(o["checkpoint"], o["resume"], _asked(call), call.settings.rng)


def _asked(call: Call) -> dict[str, str]:
    """Return texts that name a call: what decides about the bits of its result."""
    problem, method, o = call.problem, call.method, call.options
    known = {each.name: getattr(problem, each.name) for each in fields(problem)}
    given = {"pos": "start", "fixed": "fixed", "mass": "mass", "node_size": "size"}
    shown = {name: known.pop(field) for name, field in given.items()}
    count = f"{problem.n:,} nodes, {problem.P.nnz // 2:,} edges"
    texts = {"graph": f"{count}, {digest(known)}", "method": f"{method.name}, {digest(method)}"}
    texts |= {name: named(value) for name, value in (*shown.items(), *((name, o[name]) for name in NAMED_BY))}
    return {**texts, "seed": seed_text(o["seed"], call.settings.rng)}


def solution_of(call: Call, memory: bool = True) -> tuple[Solution, tuple[Drawing, ...]]:
    """Draw a call; return its solution, in the library's type, and the components' drawings."""
    began = time.perf_counter()
    result = drawn(call, memory=memory)
    units, found = result.units, result.evidence
    assert found is not None
    each = np.ones(result.Y.shape)
    for drawing, unit in zip(result.drawings, units, strict=True):
        each[drawing.part.nodes] = unit
    if (each == each[:, :1]).all():
        each = each[:, :1]
    unit = float(units[0, 0]) if len(units) and (units == units[0, 0]).all() else each
    solution = Solution(
        positions=call.written(result.Y), value=found.value, trace=result.trace, connection=found.connection,
        reason=result.reason, node_cost=found.node_cost, components=call.problem.labels,
        notes=(*call.notes, *result.notes, *why_infinite(found, call)), seconds=time.perf_counter() - began,
        choice=result.choice, method=result.method.name, unit=unit, passes=result.passes,
    )
    LOG.debug("%s: %s, J = %.6g, %.2f s", solution.method, solution.reason, found.value, solution.seconds)
    for note in solution.notes:
        LOG.debug("note: %s", note)
    return solution, result.drawings
