"""Choose a backend by the number of nodes, dimension, radial functions and evenness.

Example: the mesh sums over 100,000 nodes spread over a plane.  Now one node moves a thousand times farther out than all
others.  No affordable grid resolves the others then, and the mesh would have to add most pairs one by one.  So the tree
is cheaper.

The choice depends only on the positions, never on the machine: the same seed gives the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nelayout.core.formula.kernels import KERNELS, Radial
from nelayout.core.sums.nbody.exact import Exact
from nelayout.core.sums.nbody.field import Field, NBody, exact_cost, tree_cost
from nelayout.core.sums.nbody.grid import Grid
from nelayout.core.sums.nbody.mesh import FARTHEST, Mesh
from nelayout.core.sums.nbody.tree import Tree

__all__ = ["EXACT_FREE", "MARGIN", "Auto", "exact_cost"]

# Cost of an exact sum up to which "auto" always takes it, in nanoseconds.
EXACT_FREE = 1e6
# Fraction of the mesh's cost below which the tree is taken in a plane: the mesh's error changes less between steps.
MARGIN = 0.5


@dataclass(frozen=True, slots=True)
class Auto:
    """Exact sums for small graphs; else the mesh in a plane if it is fine enough, or the tree."""

    exact: Exact
    mesh: Mesh
    tree: Tree
    name: str = "auto"

    def fields(self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...]) -> tuple[Field, ...]:
        """Return potential and force of each radial function."""
        chosen, grids = self._plan(Y, radials)
        if chosen is self.mesh:
            return self.mesh.fields(Y, charges, radials, grids)
        return chosen.fields(Y, charges, radials)

    def choose(self, Y: np.ndarray, radials: tuple[Radial, ...] = (Radial(KERNELS["cauchy"]),)) -> NBody:
        """Choose the backend for positions Y."""
        return self._plan(Y, radials)[0]

    def note(self, Y: np.ndarray, radials: tuple[Radial, ...]) -> str:
        """Return a note for the user if the tree was chosen in the plane, else ""."""
        chosen, grids = self._plan(Y, radials)
        if chosen is not self.tree or not grids:
            return ""
        return (
            f"most of the {len(Y):,} nodes lie in a small part of the drawing, too small for a mesh: pairs are summed "
            "over a tree of cells"
        )

    def _plan(self, Y: np.ndarray, radials: tuple[Radial, ...]) -> tuple[Exact | Mesh | Tree, dict[Radial, Grid]]:
        """Return the backend, and the grids that a mesh would have."""
        n, d = Y.shape
        exact, tree, grids = exact_cost(n, radials), tree_cost(n, d, radials), dict[Radial, Grid]()
        if exact <= EXACT_FREE:
            return self.exact, grids
        fast, cost = self.tree, tree
        # A grid needs finite numbers; in one dimension the tree is both faster and more accurate.
        if d == 2 and np.all(np.abs(Y) < FARTHEST):
            grids = self.mesh.grids(Y, radials)
            mesh = sum(grid.cost for grid in grids.values())
            if mesh * MARGIN <= tree:
                fast, cost = self.mesh, mesh
        return (fast if cost <= exact else self.exact), grids
