"""`nl.evaluate`: a drawing by J, its gradient, the scale factor and the cost of each node."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Literal, Unpack

import numpy as np

from nelayout import core, graphs
from nelayout.core.catalogue import with_own
from nelayout.core.catalogue.record import Method
from nelayout.core.record.solution import Evaluated
from nelayout.core.run.evaluation import Evidence
from nelayout.core.sums.nbody import check_backend
from nelayout.errors import InputError, unknown
from nelayout.keywords.options import EvaluationOptions
from nelayout.keywords.signatures import takes_evaluation_keywords
from nelayout.layouts.call import Call, read_call

__all__ = ["evaluate", "why_infinite"]


@takes_evaluation_keywords
def evaluate(
    G: Any,
    pos: Any,
    method: str | Method,
    size: Literal["given", "best"] = "given",
    **options: Unpack[EvaluationOptions],
) -> Evaluated:
    """Evaluate a drawing by J, its gradient, the scale factor and the cost of each node.

    Most kernels have a width, so their objectives depend on the size of a drawing.  Use size="best" for positions
    that were scaled to fit [-1, 1]. Layout functions move dots apart, which raises J.
    `solve` and layouts with ``node_size=None`` do not.

    Parameters
    ----------
    pos : dict, igraph.Layout, (n, dim) array or Solution
        positions of all nodes
    method :
        a name (``nelayout.methods()`` lists them; "nerv:0.3" carries a number) or a ``nelayout.Method``
    size : default "given"
        "given" takes the positions as they are; "best" first multiplies all of them by the one number that makes J
        least, exact to 1e-8 of it

    Returns
    -------
    Evaluated
        ``value``, ``gradient_norm``, ``connection``, ``node_cost`` and ``unit``, the factor of the positions.
        The value and ``gradient_norm`` are infinite in two cases.  Two nodes that repel each other without bound
        coincide (LinLog and its kin).  Or a node is so far from all others that the kernel underflows to 0 (SNE and
        its kin).  ``notes`` then name the nodes

    Raises
    ------
    InputError
        for a node without a position, with one that is not finite, for an unknown size, for the method "auto", which
        chooses among several objectives, and as `solve` does

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> G = nx.karate_club_graph()
    >>> ours = nl.solve(G, "ws-sne", seed=0, scale=None)
    >>> nl.evaluate(G, ours, "ws-sne").value == ours.value
    True
    >>> theirs = nx.spring_layout(G, seed=0)
    >>> bool(nl.evaluate(G, theirs, "ws-sne", size="best").value > ours.value)
    True
    """
    if not isinstance(size, str) or size not in ("given", "best"):
        raise unknown("size", size, ["given", "best"])
    recipe, common = with_own(method, dict(options))
    if recipe.choose is not None:
        raise InputError(f"{recipe.name} chooses alpha from the data; give an alpha")
    if any(getattr(stage, "candidate", False) for stage in recipe.stages):
        raise InputError(
            f"method {recipe.name!r} chooses among several objectives, so that a drawing has no value under it: name "
            'the one that is wanted, such as "ws-sne", or compare drawings with nelayout.compare'
        )
    with read_call(G, replace(recipe, variational=False), common) as call:
        Y = graphs.every_position(call.network, pos)
        check_backend(call.options["nbody"], Y.shape[1])
        found, unit = core.evaluate(call.problem, Y, call.method, call.settings, size == "best")
        notes = *call.notes, *found.notes, *why_infinite(found, call)
    at = found.value, found.gradient_norm, found.connection, found.node_cost
    return Evaluated(*at, unit, call.problem.labels, notes, recipe.name, found.terms)


def why_infinite(found: Evidence, call: Call) -> list[str]:
    """Return a sentence on why J is infinite; none if it is finite."""
    method, names = call.method.name, call.network.labels
    if len(found.together):
        a, b = (names[k] for k in found.together[0].tolist())
        more = f", as do {len(found.together) - 1:,} more pairs" if len(found.together) > 1 else ""
        why = f"nodes {a!r} and {b!r} lie at one place{more}, and {method} repels such nodes without bound"
        return [f"J is infinite: {why}; move them apart"]
    if math.isfinite(found.value):
        return []
    alone = np.flatnonzero(np.isinf(found.node_cost))
    if 0 < len(alone) < len(names):
        lie = f"and {len(alone) - 1:,} more lie" if len(alone) > 1 else "lies"
        why = f"node {names[alone[0]]!r} {lie} so far from all others that the kernel of {method} is 0 there"
    else:
        why = f"nodes lie so far apart that the kernel of {method} is 0 between them"
    return [f'J is infinite: {why} in floats; nelayout.evaluate with size="best" finds a size that suits the drawing']
