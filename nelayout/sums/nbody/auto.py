"""The choice of a backend: by the number of nodes, the dimension, the radial function, and how unevenly nodes lie.

Example: 100,000 nodes spread over a plane cost the mesh 60 ms and the tree 110 ms.  With one node a thousand times
farther out than all others, no affordable grid tells the others apart, and the mesh would have to add most of their
pairs one by one: the tree takes over, which a far node costs nothing.

The choice depends on the drawing alone, never on the machine, so that the same seed gives the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nelayout.formula.kernels import KERNELS, Radial
from nelayout.numerics.parallel import Threads
from nelayout.sums.nbody.exact import Exact
from nelayout.sums.nbody.field import Field, NBody
from nelayout.sums.nbody.grid import Grid
from nelayout.sums.nbody.mesh import FARTHEST, Mesh
from nelayout.sums.nbody.tree import Tree

__all__ = ["EXACT_FREE", "MARGIN", "TREE_COST", "Auto", "exact_cost", "need"]

# Nanoseconds for a pair in the exact form, and for a node in the tree in 1, 2 and 3 dimensions, by the arithmetic
# that the radial function takes (`need`): measured on one core, clouds of 2,000 to 100,000 nodes.  The costs of the
# mesh stand in grid.py.
EXACT_COST = {"division": 0.7, "root": 1.6, "logarithm": 1.9, "1/u and logarithm": 4.5, "general": 4.5}
TREE_COST = {
    "division": (650.0, 1100.0, 3000.0),
    "root": (650.0, 1100.0, 3000.0),
    "logarithm": (700.0, 1400.0, 4000.0),
    "1/u and logarithm": (700.0, 1400.0, 4000.0),
    "general": (900.0, 2000.0, 7000.0),
}
# Nanoseconds of an exact sum up to which it is always taken: what another backend could save is not worth its error.
EXACT_FREE = 1e6
# In a plane the tree is taken below this part of the mesh's cost: the mesh's error changes less from step to step.
MARGIN = 0.5
PLAIN = (Radial(KERNELS["cauchy"]),)


@dataclass(frozen=True, slots=True)
class Auto:
    """Exact sums for small drawings; else the mesh in a plane, the tree in space and where a mesh is too coarse."""

    exact: Exact
    mesh: Mesh
    tree: Tree
    name: str = "auto"

    @classmethod
    def on(cls, threads: Threads, compiled: bool) -> Auto:
        """Make all backends with the same threads."""
        return cls(Exact(compiled, threads), Mesh(threads), Tree(threads))

    @property
    def tolerance(self) -> float:
        return max(self.mesh.tolerance, self.tree.tolerance)

    def fields(self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...]) -> tuple[Field, ...]:
        """Potential and force of each radial function."""
        chosen, _, grids = self._plan(Y, radials)
        if chosen is self.mesh:
            return self.mesh.fields(Y, charges, radials, grids)
        return chosen.fields(Y, charges, radials)

    def choose(self, Y: np.ndarray, radials: tuple[Radial, ...] = PLAIN) -> NBody:
        """Choose the backend for a drawing."""
        return self._plan(Y, radials)[0]

    def reason(self, Y: np.ndarray, radials: tuple[Radial, ...] = PLAIN) -> str:
        """A sentence on why that backend was chosen."""
        chosen, costs, _ = self._plan(Y, radials)
        n, d = Y.shape
        if chosen is self.exact:
            return f"{n:,} nodes: all pairs are summed exactly"
        if chosen is self.mesh:
            return f"{n:,} nodes in a plane, evenly enough for a mesh: pairs are summed on a grid"
        if "mesh" not in costs:
            return f"{n:,} nodes in {d} dimension{'s' * (d > 1)}: pairs are summed over a tree of cells"
        return (
            f"most of the {n:,} nodes lie in a small part of the drawing, too small for a mesh: pairs are summed over "
            "a tree of cells"
        )

    def note(self, Y: np.ndarray, radials: tuple[Radial, ...] = PLAIN) -> str | None:
        """A note for the user when the tree carries a drawing in the plane: why; else None."""
        chosen, costs, _ = self._plan(Y, radials)
        return self.reason(Y, radials) if chosen is self.tree and "mesh" in costs else None

    def _plan(
        self, Y: np.ndarray, radials: tuple[Radial, ...]
    ) -> tuple[Exact | Mesh | Tree, dict[str, float], dict[Radial, Grid]]:
        """Backend, cost of each in nanoseconds, and the grids of the mesh."""
        n, d = Y.shape
        needs = [need(radial) for radial in radials]
        exact = exact_cost(n, radials)
        tree = sum(TREE_COST[need][d - 1] for need in needs) * n
        costs, grids = {"exact": exact, "tree": tree}, {}
        if exact <= EXACT_FREE:
            return self.exact, costs, grids
        # A grid needs numbers; in one dimension the tree is both faster and more accurate.
        if d == 2 and np.all(np.abs(Y) < FARTHEST):
            grids = self.mesh.grids(Y, radials)
            costs["mesh"] = sum(grid.cost for grid in grids.values())
            if costs["mesh"] * MARGIN <= tree:
                return (self.mesh if costs["mesh"] <= exact else self.exact), costs, grids
        return (self.tree if tree <= exact else self.exact), costs, grids


def exact_cost(n: int, radials: tuple[Radial, ...]) -> float:
    """Nanoseconds of all pairs of n nodes, compiled, on one core."""
    return sum(EXACT_COST[need(radial)] for radial in radials) * float(n) * n


def need(radial: Radial) -> str:
    """Arithmetic that a radial function takes: a division, roots, a logarithm or an exponential, or several of them."""
    a, b, order = radial.kernel.a, radial.kernel.b, radial.order
    twice = 2.0 * b * order / a if a else 0.0
    if radial.form == "power":
        if twice == 2:
            return "division"
        return "root" if twice in (1, 3, 4) else "general" if a else "logarithm"
    if radial.form == "boxcox" and order == 0:
        return "logarithm" if a else "root"
    return "1/u and logarithm" if radial.form == "power-log" and twice == 2 else "general"
