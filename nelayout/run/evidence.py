"""The evidence of drawings: J, its gradient, lambda and the cost of each node, of the positions that are given back.

J of a graph is the sum over its components, which share nothing but the sheet.  Sums over all pairs are exact where
that takes no longer than `EXACT`, whatever backend the run had.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nelayout.catalogue.record import Method
from nelayout.formula.connections import LARGEST_OF_DRAWINGS
from nelayout.formula.kernels import Radial
from nelayout.objective import Objective
from nelayout.run.state import Component, Summation
from nelayout.sums.nbody import Exact, Field, NBody, backend, backend_note
from nelayout.sums.nbody.auto import exact_cost

__all__ = ["Evidence", "evidence_of", "grows", "objective_of"]

# Nanoseconds of exact sums over all pairs, on one core, up to which values are taken from them: 0.2 s, for which the
# Cauchy kernel sums the pairs of 17,000 nodes, and the reverse divergence those of 5,000.
EXACT = 2e8
# Sizes, in parts of the drawing's, to each of which J falls from the one before where it has no best size.
SIZES = (1.1, 10.0, 1e3)
# Rise of J, in parts of itself, that counts as none: of large drawings all digits of J but the last are the same.
# About a minimum, a tenth more size takes J up by some thousandths.
FLAT = 1e-10


Values = Mapping[int, tuple[float, float, np.ndarray]]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The value of a drawing and where it comes from.

    value       sum of J over the components
    largest     J of the largest component; 0 without one of two or more nodes
    connection  its lambda; NaN without one
    node_cost   (n,), see `nelayout.Solution`
    gradient_norm  sqrt(sum |dJ/dy|^2) over all coordinates; NaN where it was not asked for
    notes       sentences on the sums
    """

    value: float
    largest: float
    connection: float
    node_cost: np.ndarray
    gradient_norm: float
    notes: tuple[str, ...]


def objective_of(part: Component, method: Method, sums: Summation) -> Objective:
    """The objective of a component, for its value: with exact sums where they cost little, else with the run's."""
    objective = sums.on_cpu.objective(method, part.affinity)
    if exact_cost(len(part.nodes), objective.radials) > EXACT:
        objective = sums.objective(method, part.affinity)
    else:
        objective = replace(objective, nbody=backend("exact", sums.threads, sums.compiled))
    return replace(objective, largest=LARGEST_OF_DRAWINGS)


def evidence_of(
    parts: Sequence[Component], method: Method, sums: Summation, known: Values | None = None, gradient: bool = False
) -> Evidence:
    """Look at the drawings of all components of a graph, which are in the units of their objectives.

    method  whose objective it is where a drawing does not know its own
    known   J, lambda and costs of some components, by their id
    """
    n, known = sum(len(part.nodes) for part in parts), known or {}
    values, cost, largest, connection, squares = np.zeros(len(parts)), np.zeros(n), 0.0, math.nan, 0.0
    notes = list[str]()
    for k, part in enumerate(parts):
        if len(part.nodes) < 2:
            continue
        if id(part) in known:
            values[k], lam, cost[part.nodes] = known[id(part)]
        else:
            objective = objective_of(part, part.drawing.method or method, sums)
            if not objective.connection.by_rows:  # which write into their sums
                objective = replace(objective, nbody=_Remembering(objective.nbody))
            found = objective.evaluate(part.drawing.Y, gradient=gradient)
            values[k], lam = found.value, found.lam
            cost[part.nodes] = np.asarray(objective.node_cost(part.drawing.Y, lam))
            squares += float(np.sum(found.gradient * found.gradient))
            said = backend_note(sums.nbody, part.drawing.Y, objective.radials)
            notes.extend([said] if said and not notes else [])
        if math.isnan(connection):
            largest, connection = float(values[k]), float(lam)
    norm = math.sqrt(squares) if gradient else math.nan
    return Evidence(float(sum(values.tolist())), largest, connection, cost, norm, tuple(notes))


def grows(parts: Sequence[Component], method: Method, sums: Summation, value: float) -> bool:
    """Whether J of the largest component, now ``value``, falls for ever as it grows: it has no best size.

    So it is of t-SNE and ws-SNE of many lattices and trees: far apart, nodes under the Cauchy kernel compare like those
    under a power of the distance, which knows no size.  Only exact sums can tell.
    """
    part = next((part for part in parts if len(part.nodes) > 1 and part.affinity.P.nnz), None)
    if part is None or part.free is not None:
        return False
    objective = objective_of(part, part.drawing.method or method, sums)
    if objective.scale_free or objective.kernel.a == 0 or not isinstance(objective.nbody, Exact):
        return False
    at, rounding = value, FLAT * abs(value)
    for size in SIZES:
        larger = objective.evaluate(size * part.drawing.Y, gradient=False).value
        if not math.isfinite(at) or not larger <= at + rounding:
            return False
        at = larger
    return True


class _Remembering:
    """An N-body backend that sums only once for the same positions and charges, the value's and the costs'."""

    def __init__(self, nbody: NBody) -> None:
        self.nbody, self.name, self.tolerance = nbody, nbody.name, nbody.tolerance
        self.last: tuple[Any, Any, dict[Radial, Field]] = (None, None, {})

    def fields(self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...]) -> tuple[Field, ...]:
        """Potential and force of each radial function."""
        positions, own, known = self.last
        if positions is not Y or own is not charges or not known.keys() >= set(radials):
            known = dict(zip(radials, self.nbody.fields(Y, charges, radials), strict=True))
            self.last = Y, charges, known
        return tuple(known[radial] for radial in radials)
