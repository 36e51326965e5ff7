"""Sums at points other than nodes: the field of finished positions.

Two unit charges at distance 2, and their field half way between them under r = 1/(1 + xi)::

    >>> from nelayout.core.formula.kernels import KERNELS
    >>> sources = Sources(np.array([[0.0, 0.0], [2.0, 0.0]]), np.ones(2), Threads())
    >>> field, = sources.fields(np.array([[1.0, 0.0]]), (Radial(KERNELS["cauchy"]),))
    >>> field.potential, field.force + 0.0
    (array([1.]), array([[0., 0.]]))

The bits at a point depend only on the nodes, not on the other points.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from nelayout.core.formula.kernels import Radial
from nelayout.core.sums.nbody.exact import sums_at
from nelayout.core.sums.nbody.field import Field
from nelayout.core.sums.nbody.tree import Cells, cells_of, field_at
from nelayout.numerics.blocks import rows_at_once
from nelayout.numerics.parallel import Threads

__all__ = ["Sources"]

# Number of nodes up to which NumPy sums all pairs, and from which cells are summed.
MAX_NUMPY_NODES, MIN_TREE_NODES = 500, 5_000


class Sources:
    """Nodes at Y (n, d) with charges (n,)."""

    def __init__(self, Y: np.ndarray, charges: np.ndarray, threads: Threads) -> None:
        self.Y, self.charges, self.threads = Y, charges, threads

    @cached_property
    def _cells(self) -> Cells:
        return cells_of(self.Y, self.charges)

    def fields(self, at: np.ndarray, radials: tuple[Radial, ...]) -> tuple[Field, ...]:
        """Return potential (m,) and force (m, d) of each radial function at points ``at`` (m, d)."""
        if len(self.Y) >= MIN_TREE_NODES:
            return tuple(field_at(self._cells, radial, at, self.threads) for radial in radials)
        if len(self.Y) > MAX_NUMPY_NODES:
            return tuple(sums_at(self.Y, self.charges, radial, at, self.threads) for radial in radials)
        found = tuple(Field(np.empty(len(at)), np.empty(at.shape)) for _ in radials)
        rows = rows_at_once(8 * (at.shape[1] + 4) * len(self.Y))
        for here in (slice(start, start + rows) for start in range(0, len(at), rows)):
            diff = at[here, None] - self.Y
            xi = np.einsum("ijc,ijc->ij", diff, diff)
            for radial, field in zip(radials, found, strict=True):
                value, slope = radial.value_and_slope(xi)
                field.potential[here] = np.einsum("ij,j->i", value, self.charges)
                field.force[here] = 2.0 * np.einsum("ij,j,ijc->ic", slope, self.charges, diff)
        return found

    def potentials(self, at: np.ndarray, radials: tuple[Radial, ...]) -> list[np.ndarray]:
        """Return the potential (m,) of each radial function at points ``at`` (m, d)."""
        if len(self.Y) > MAX_NUMPY_NODES:
            return [field.potential for field in self.fields(at, radials)]
        xi = np.sum([np.subtract.outer(x, y) ** 2 for x, y in zip(at.T, self.Y.T, strict=True)], axis=0)
        return [np.einsum("ij,j->i", radial.value(xi), self.charges) for radial in radials]
