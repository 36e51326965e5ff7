"""Which backend carries a sum: by the number of nodes, the dimension and how crowded the drawing is.

The costs were measured on two cores: a pair costs the exact form about 1 ns with the Cauchy kernel and 8 ns with
logarithms, a grid point costs the mesh about 40 ns and a near pair 8 ns.  The choice depends on the drawing alone,
never on the machine, so that the same seed gives the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kernels import Radial
from ..parallel import Workers
from .exact import Exact
from .field import Field, NBody
from .mesh import Mesh

__all__ = ["Auto"]

# Nodes up to which all pairs are summed exactly.
EXACT_NODES = 1500


@dataclass(frozen=True, slots=True)
class Auto:
    """Exact sums for small drawings, the mesh above."""

    exact: Exact
    mesh: Mesh
    name: str = "auto"

    @classmethod
    def on(cls, crew: Workers, compiled: bool) -> Auto:
        """With one crew for all backends."""
        return cls(Exact(compiled, crew), Mesh(crew))

    @property
    def tolerance(self) -> float:
        return self.mesh.tolerance

    def choose(self, Y: np.ndarray) -> NBody:
        """The backend for a drawing."""
        n, d = Y.shape
        if n <= EXACT_NODES or d > 2:
            return self.exact
        return self.mesh

    def fields(self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...]) -> tuple[Field, ...]:
        """Potential and force of each radial function."""
        return self.choose(Y).fields(Y, charges, radials)
