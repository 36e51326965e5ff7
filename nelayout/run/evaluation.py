"""The value of drawings: J, its gradient, lambda and the cost of each node.

J of a graph is the sum over its components, which share only the sheet.  Sums over all pairs are exact if exact sums
take at most `MAX_EXACT_NS`, with every backend of the run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Unpack

import numpy as np

from nelayout import graphs
from nelayout.catalogue import with_own
from nelayout.catalogue.keywords import takes_evaluation_keywords
from nelayout.catalogue.options import EvaluationOptions, check_options
from nelayout.catalogue.record import Method
from nelayout.errors import InputError, unknown
from nelayout.formula.connections import LARGEST_OF_DRAWINGS
from nelayout.numerics.parallel import threads_for
from nelayout.objective import Objective
from nelayout.optimizers.size import FLAT_SIZE, best_size
from nelayout.record.solution import Evaluated
from nelayout.run.drawing import Drawing, Summation
from nelayout.run.placement import centered
from nelayout.run.request import NOTHING_KNOWN, read_request
from nelayout.run.taking_apart import take_apart
from nelayout.similarities.masses import node_mass
from nelayout.sums.nbody import Exact, backend_note, check_backend
from nelayout.sums.nbody.field import exact_cost

__all__ = ["Evidence", "evaluate", "evidence_of", "grows", "objective_of"]

# Nanoseconds of exact sums over all pairs, on one core, up to which values are taken from them.
MAX_EXACT_NS = 2e8
# Factors of the size; J falls from each to the next where it has no best size.
GROWING_SIZES = (1.1, 10.0, 1e3)


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
    if any(getattr(stage, "judged", False) for stage in recipe.stages):
        raise InputError(
            f"method {recipe.name!r} chooses among several objectives, so that a drawing has no value under it: name "
            'the one that is wanted, such as "ws-sne", or compare drawings with nelayout.compare'
        )
    o = check_options(common)
    with threads_for(o["n_jobs"]) as threads:
        request = read_request(G, replace(recipe, variational=False), o)
        Y = graphs.every_position(request.network, pos)
        check_backend(o["nbody"], Y.shape[1])
        host, relative = request.network.host, recipe.gravity is None
        mass, said = node_mass(request.P, request.mass, host, request.rng, relative)
        parts, more = take_apart(request, mass, request.joint, NOTHING_KNOWN, threads)
        sums = Summation(o["nbody"], threads)
        notes = [*request.notes, *said, *more]
        blank = [replace(Drawing.of(part, Y.shape[1]), method=request.method) for part in parts]
        drawings, unit = [each.at(centered(Y[each.part.nodes])) for each in blank], 1.0
        if size == "best":
            drawn = [each for each in drawings if len(each.Y) > 1]
            unit, about = best_size([(objective_of(each, request.method, sums), each.Y) for each in drawn])
            notes += [about] if about else []
            drawings = [each.at(unit * each.Y) for each in drawings]
        found = evidence_of(drawings, request.method, sums, gradient=True)
        together = _coincident(drawings) if request.method.kernel.singular else np.empty((0, 2), dtype=int)
        notes += [*found.notes, *_why_infinite(found, together, request.method.name, request.network.labels)]
        if len(together):
            cost = found.node_cost.copy()
            cost[together] = math.inf
            found = replace(found, value=math.inf, node_cost=cost)
        if not math.isfinite(found.value):
            value = math.inf if math.isnan(found.value) else found.value
            found = replace(found, value=value, gradient_norm=math.inf)
        elif not math.isfinite(found.gradient_norm):
            found = replace(found, gradient_norm=math.inf)
            notes += ['the gradient is beyond the range of floats; size="best" brings the drawing to a size that suits']
    at = found.value, found.gradient_norm, found.connection, found.node_cost
    return Evaluated(*at, unit, request.labels, tuple(notes), recipe.name)


def _coincident(drawings: Sequence[Drawing]) -> np.ndarray:
    """Return pairs (k, 2) of nodes of one component that coincide to rounding."""
    from scipy.spatial import KDTree

    drawn = [each for each in drawings if len(each.Y) > 1]
    found = [each.part.nodes[KDTree(each.Y).query_pairs(0.0, p=np.inf, output_type="ndarray")] for each in drawn]
    return np.concatenate([np.empty((0, 2), dtype=int), *found])


def _why_infinite(found: Evidence, together: np.ndarray, method: str, names: Sequence[Any]) -> list[str]:
    """Return sentences on why J is infinite; nodes ``together`` (k, 2) repel without bound."""
    if len(together):
        a, b = (names[k] for k in together[0].tolist())
        more = f", as do {len(together) - 1:,} more pairs" if len(together) > 1 else ""
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
    return [f'J is infinite: {why} in floats; size="best" brings the drawing to a size that suits it']


@dataclass(frozen=True, slots=True)
class Evidence:
    """The value of a drawing and where it comes from.

    value       sum of J over the components
    largest     J of the largest component; 0 without one of two or more nodes
    connection  its lambda; NaN without one
    node_cost   (n,), see `nelayout.Solution`
    gradient_norm  sqrt(sum |dJ/dy|^2) over all coordinates; NaN if it was not asked for
    notes       sentences on the sums
    """

    value: float
    largest: float
    connection: float
    node_cost: np.ndarray
    gradient_norm: float
    notes: tuple[str, ...]


def objective_of(drawing: Drawing, method: Method, sums: Summation) -> Objective:
    """Return a component's objective for its value: with exact sums if they are cheap."""
    objective = sums.on_cpu.objective(method, drawing.affinity)
    if exact_cost(len(drawing.Y), objective.radials) > MAX_EXACT_NS:
        objective = sums.objective(method, drawing.affinity)
    else:
        objective = replace(objective, nbody=Exact(objective.compiled, sums.threads))
    return replace(objective, largest=LARGEST_OF_DRAWINGS)


@np.errstate(over="ignore", invalid="ignore")
def evidence_of(drawings: Sequence[Drawing], method: Method, sums: Summation, gradient: bool = False) -> Evidence:
    """Evaluate the drawings of all components of a graph, in the units of their objectives.

    method  of drawings that have no method
    """
    n, drawn = sum(len(drawing.Y) for drawing in drawings), [each for each in drawings if len(each.Y) > 1]
    whole = sum(len(each.Y) for each in drawn)
    value, largest, lam, cost, squares = 0.0, 0.0, math.nan, np.zeros(n), 0.0
    notes, comparable = list[str](), True
    for each in drawn:
        objective = objective_of(each, each.method or method, sums)
        found = objective.evaluate(each.Y, gradient=gradient)
        own = np.asarray(objective.node_cost(each.Y, found.lam))
        comparable = comparable and (objective.of_distributions or objective.by_rows)
        if objective.of_distributions:  # a node of a small component has a large part of its component's similarities
            own = own * (len(each.Y) / whole)
        cost[each.part.nodes] = own
        squares += float(np.sum(found.gradient * found.gradient))
        if each is drawn[0]:
            largest, lam = float(found.value), float(found.lam)
        value += float(found.value)
        if not notes:
            said = backend_note(sums.backend(len(each.Y), each.affinity.P.nnz), each.Y, objective.radials)
            notes.extend([said] if said else [])
    if not comparable and len(drawn) > 1:
        notes.append("node costs compare within a component, not between components")
    norm = math.sqrt(squares) if gradient else math.nan
    cost = np.where(np.isnan(cost), math.inf, cost)
    if math.isfinite(value) and not np.isfinite(cost).all():
        notes.append("costs of nodes that are beyond the range of floats are infinite")
    return Evidence(value, largest, lam, cost, norm, tuple(notes))


def grows(drawings: Sequence[Drawing], method: Method, sums: Summation, value: float) -> bool:
    """Return True if J of the largest component, now ``value``, falls for ever as it grows.

    So it does under t-SNE and ws-SNE for many lattices and trees.  Only exact sums can decide it.
    """
    drawing = next((each for each in drawings if len(each.Y) > 1 and each.affinity.P.nnz), None)
    if drawing is None or drawing.free is not None:
        return False
    objective = objective_of(drawing, drawing.method or method, sums)
    if objective.scale_free or objective.kernel.a == 0 or not isinstance(objective.nbody, Exact):
        return False
    at, rounding = value, FLAT_SIZE * abs(value)
    for size in GROWING_SIZES:
        larger = objective.evaluate(size * drawing.Y, gradient=False).value
        if not math.isfinite(at) or not larger <= at + rounding:
            return False
        at = larger
    return True
