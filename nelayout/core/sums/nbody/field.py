"""Protocol of an N-body backend, the record of its result, and the costs of its sums."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from nelayout.core.formula.kernels import Radial

__all__ = ["COSTS", "Field", "NBody", "exact_cost", "tree_cost"]

# Costs on one core in nanoseconds, by kind of radial function: a pair in exact sums, a near pair of the mesh, and a
# node of the tree in 1, 2 and 3 dimensions. Only their ratios matter, for the choice of a backend and of a grid.
COSTS = {
    "inverse": (0.7, 0.3, 650.0, 1100.0, 3000.0),
    "half power": (1.6, 0.5, 650.0, 1100.0, 3000.0),
    "logarithm": (1.9, 1.1, 700.0, 1400.0, 4000.0),
    "gaussian": (1.9, 0.5, 700.0, 1400.0, 4000.0),
    "inverse and logarithm": (4.5, 3.8, 700.0, 1400.0, 4000.0),
    "general": (4.5, 3.8, 900.0, 2000.0, 7000.0),
}


class Field(NamedTuple):
    """Sums of one radial function at every node."""

    potential: np.ndarray  # (n,)  sum_{j != i} c_j r(xi_ij)
    force: np.ndarray  # (n, d)  its gradient in y_i, 2 sum_j c_j r'(xi_ij) (y_i - y_j)


class NBody(Protocol):
    """A backend, which supports all radial functions."""

    @property
    def name(self) -> str: ...

    def fields(self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...]) -> tuple[Field, ...]: ...


def exact_cost(n: int, radials: tuple[Radial, ...]) -> float:
    """Return the time of all pairs of n nodes, compiled, on one core, in nanoseconds."""
    return sum(COSTS[radial.kind][0] for radial in radials) * float(n) * n


def tree_cost(n: int, d: int, radials: tuple[Radial, ...]) -> float:
    """Return the time of tree sums at n nodes in d dimensions, on one core, in nanoseconds."""
    return sum(COSTS[radial.kind][1 + d] for radial in radials) * n
