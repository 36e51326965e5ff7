"""The evidence of drawings: J, its gradient, lambda and the cost of each node.

J of a graph is the sum over its components, which share only the sheet.  Sums over all pairs are exact if exact sums
take at most `MAX_EXACT_NS`, with every backend of the run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from nelayout.catalogue.record import Method
from nelayout.formula.connections import LARGEST_OF_DRAWINGS
from nelayout.objective import Objective
from nelayout.objective.stacks import MAX_STACKED_NODES, stackable, stacked
from nelayout.optimizers.size import FLAT_SIZE
from nelayout.run.drawing import Drawing, Summation, joined
from nelayout.sums.nbody import Exact, backend, backend_note
from nelayout.sums.nbody.field import exact_cost

__all__ = ["Evidence", "evidence_of", "grows", "objective_of"]

# Nanoseconds of exact sums over all pairs, on one core, up to which values are taken from them.
MAX_EXACT_NS = 2e8
# Factors of the size; J falls from each to the next where it has no best size.
GROWING_SIZES = (1.1, 10.0, 1e3)


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
        objective = replace(objective, nbody=backend("exact", sums.threads, sums.compiled))
    return replace(objective, largest=LARGEST_OF_DRAWINGS)


@np.errstate(over="ignore", invalid="ignore")
def evidence_of(
    drawings: Sequence[Drawing], method: Method, sums: Summation, gradient: bool = False
) -> Evidence:
    """Evaluate the drawings of all components of a graph, in the units of their objectives.

    method  of drawings that have no method
    """
    n = sum(len(drawing.Y) for drawing in drawings)
    values, lams, cost, squares = np.zeros(len(drawings)), np.full(len(drawings), math.nan), np.zeros(n), 0.0
    drawn = sum(len(drawing.Y) for drawing in drawings if len(drawing.Y) > 1)
    notes, comparable = list[str](), True
    for which in _together(drawings, method):
        some = joined([drawings[k] for k in which])
        own = some.method or method
        if len(which) > 1:
            objective = stacked(some.affinity, some.segments, own, sums.threads, sums.compiled)
            objective = replace(objective, largest=LARGEST_OF_DRAWINGS)
        else:
            objective = objective_of(some, own, sums)
        found = objective.evaluate(some.Y, gradient=gradient)
        values[which], lams[which] = found.value, found.lam
        each = np.asarray(objective.node_cost(some.Y, found.lam))
        comparable = comparable and (objective.of_distributions or objective.by_rows)
        if objective.of_distributions:  # a node of a small component has a large part of its component's similarities
            sizes = [len(part.nodes) for part in some.parts]
            each = each * np.repeat(np.array(sizes) / drawn, sizes)
        cost[np.concatenate([part.nodes for part in some.parts])] = each
        squares += float(np.sum(found.gradient * found.gradient))
        said = backend_note(sums.nbody, some.Y, objective.radials) if len(which) == 1 else ""
        notes.extend([said] if said and not notes else [])
    if not comparable and sum(len(drawing.Y) > 1 for drawing in drawings) > 1:
        notes.append("node costs compare within a component, not between components")
    largest = next((k for k, drawing in enumerate(drawings) if len(drawing.Y) > 1), None)
    norm = math.sqrt(squares) if gradient else math.nan
    at_largest = (0.0, math.nan) if largest is None else (float(values[largest]), float(lams[largest]))
    cost = np.where(np.isnan(cost), math.inf, cost)
    if np.isfinite(values).all() and not np.isfinite(cost).all():
        notes.append("costs of nodes that are beyond the range of floats are infinite")
    return Evidence(float(sum(values.tolist())), *at_largest, cost, norm, tuple(notes))


def _together(drawings: Sequence[Drawing], method: Method) -> list[list[int]]:
    """Return lists of drawings of at least two nodes; small ones of one method make one list."""
    groups: dict[object, list[int]] = {}
    for k, drawing in enumerate(drawings):
        if len(drawing.Y) < 2:
            continue
        own = drawing.method or method
        small = len(drawing.Y) <= MAX_STACKED_NODES and stackable(own, drawing.affinity)
        groups.setdefault(id(own) if small else -k - 1, []).append(k)
    return list(groups.values())


def grows(drawings: Sequence[Drawing], method: Method, sums: Summation, value: float) -> bool:
    """Return True if J of the largest component, now ``value``, falls for ever as it grows.

    This happens under t-SNE and ws-SNE for many lattices and trees.  Far apart, nodes under the Cauchy kernel compare
    as under a power of the distance, which has no unit.  Only exact sums can decide it.
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
