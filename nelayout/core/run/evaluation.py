"""The value of drawings: J, its gradient, lambda and the cost of each node.

J of a graph is the sum over its components, which share only the sheet.  Sums over all pairs are exact if exact sums
take at most `MAX_EXACT_NS`, with every backend of the run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from nelayout.core.catalogue.record import Method
from nelayout.core.formula.connections import LARGEST_OF_DRAWINGS
from nelayout.core.objective import Objective
from nelayout.core.optimizers.size import FLAT_SIZE, best_size
from nelayout.core.passes.drawing import Drawing, Summation
from nelayout.core.passes.placement import centered
from nelayout.core.problem import Problem, Settings
from nelayout.core.run.splitting import split, with_similarities
from nelayout.core.similarities.masses import node_mass
from nelayout.core.sums.nbody import Exact, backend_note
from nelayout.core.sums.nbody.field import exact_cost
from nelayout.numerics.parallel import threads_for

__all__ = ["Evidence", "evaluate", "evidence_of", "is_unbounded", "objective_of"]

# Nanoseconds of exact sums over all pairs, on one core, up to which values are taken from them.
MAX_EXACT_NS = 2e8
# Factors of the size; J falls from each to the next where it has no best size.
GROWING_SIZES = (1.1, 10.0, 1e3)


def evaluate(
    problem: Problem, Y: np.ndarray, method: Method, settings: Settings, best: bool = False
) -> tuple[Evidence, float]:
    """Evaluate positions Y (n, dim) of a problem by a method.

    ``best``: at the size with the least J.  Return the evidence and the factor of the size.
    """
    with threads_for(settings.n_jobs) as threads:
        mass, said = node_mass(problem.P, problem.mass, None, settings.rng, method.gravity is None)
        parts, more = split(problem, method, settings, mass, problem.joint)
        parts, similar = with_similarities(parts, problem, method, settings.smoothing, threads)
        sums, notes = Summation(settings.nbody, threads), [*said, *more, *similar]
        blank = [replace(Drawing.of(part, Y.shape[1]), method=method) for part in parts]
        drawings, unit = [each.at(centered(Y[each.part.nodes])) for each in blank], 1.0
        if best:
            drawn = [each for each in drawings if len(each.Y) > 1]
            unit, about = best_size([(objective_of(each, method, sums), each.Y) for each in drawn])
            notes += [about] if about else []
            drawings = [each.at(unit * each.Y) for each in drawings]
        found = evidence_of(drawings, method, sums, gradient=True)
    return replace(found, notes=(*notes, *found.notes)), unit


def _coincident(drawings: Sequence[Drawing], method: Method) -> np.ndarray:
    """Return pairs (k, 2) of coincident nodes of one component under a singular kernel."""
    found = [np.empty((0, 2), dtype=int)]
    for each in drawings:
        if (each.method or method).kernel.singular:
            order = np.lexsort(each.Y.T)
            same = (each.Y[order[1:]] == each.Y[order[:-1]]).all(axis=1)
            found.append(np.sort(each.part.nodes[np.stack([order[:-1], order[1:]], axis=1)[same]], axis=1))
    return np.concatenate(found)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The value of a drawing and where it comes from.

    value       sum of J over the components; infinite where floats do not hold it
    largest     J of the largest component; 0 without one of two or more nodes
    connection  its lambda; NaN without one
    node_cost   (n,), see `nelayout.Solution`
    gradient_norm  sqrt(sum |dJ/dy|^2) over all coordinates; NaN if it was not asked for
    terms       what each term adds to J, by its name
    together    pairs (k, 2) of coincident nodes under a kernel that is infinite there: J is then infinite, too
    notes       sentences on the sums
    """

    value: float
    largest: float
    connection: float
    node_cost: np.ndarray
    gradient_norm: float
    together: np.ndarray
    notes: tuple[str, ...]
    terms: dict[str, float] = field(default_factory=dict)


def objective_of(drawing: Drawing, method: Method, sums: Summation) -> Objective:
    """Return a component's objective for its value: with exact sums if they are cheap."""
    objective = sums.on_cpu.objective(method, drawing.affinity)
    if exact_cost(len(drawing.Y), objective.radials) > MAX_EXACT_NS:
        objective = sums.objective(method, drawing.affinity)
    else:
        objective = replace(objective, nbody=Exact(objective.compiled, sums.threads))
    return replace(objective, largest=LARGEST_OF_DRAWINGS, in_one_loop=False)


@np.errstate(over="ignore", invalid="ignore")
def evidence_of(drawings: Sequence[Drawing], method: Method, sums: Summation, gradient: bool = False) -> Evidence:
    """Evaluate the drawings of all components of a graph, in the units of their objectives.

    method  of drawings that have no method
    """
    n, drawn = sum(len(drawing.Y) for drawing in drawings), [each for each in drawings if len(each.Y) > 1]
    whole = sum(len(each.Y) for each in drawn)
    value, largest, lam, cost, squares = 0.0, 0.0, math.nan, np.zeros(n), 0.0
    notes, comparable, terms = list[str](), True, dict[str, float]()
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
        for name, pull in objective.terms(each.Y).items():
            terms[name] = terms.get(name, 0.0) + float(np.sum(pull.cost))
        if not notes:
            said = backend_note(sums.backend(len(each.Y), each.affinity.P.nnz), each.Y, objective.radials)
            notes.extend([said] if said else [])
    if not comparable and len(drawn) > 1:
        notes.append("node costs compare within a component, not between components")
    together = _coincident(drawn, method)
    cost[together] = math.inf
    cost = np.where(np.isnan(cost), math.inf, cost)
    value = math.inf if len(together) or not math.isfinite(value) else value
    norm = math.sqrt(squares) if math.isfinite(value) and math.isfinite(squares) else math.inf
    if math.isfinite(value):
        if not np.isfinite(cost).all():
            notes.append("costs of nodes that are beyond the range of floats are infinite")
        if not math.isfinite(norm):
            said = 'size="best" brings the drawing to a size that suits'
            notes.append(f"the gradient is beyond the range of floats; {said}")
    return Evidence(value, largest, lam, cost, norm if gradient else math.nan, together, tuple(notes), terms)


def is_unbounded(drawings: Sequence[Drawing], method: Method, sums: Summation, value: float) -> bool:
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
