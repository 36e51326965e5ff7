"""Sums over all pairs on a device: exact in blocks, by the mesh, or by the CPU's tree.

Devices are slow at a tree, where each node takes other branches.  So for positions in 3-D or too uneven for a mesh,
the positions go to the CPU and the sums come back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nelayout.core.formula.kernels import Radial
from nelayout.core.sums.device.mesh import DeviceMesh
from nelayout.core.sums.nbody.auto import MARGIN
from nelayout.core.sums.nbody.exact import sums_by_blocks
from nelayout.core.sums.nbody.field import Field, tree_cost
from nelayout.core.sums.nbody.mesh import FARTHEST
from nelayout.core.sums.nbody.tree import Tree

__all__ = ["DeviceSums"]


@dataclass(frozen=True, slots=True)
class DeviceSums:
    """N-body backend on the device ``on``; ``name``: "auto", "exact", "mesh" or "tree"."""

    on: Any
    name: str
    mesh: DeviceMesh
    tree: Tree

    def fields(self, Y: Any, charges: Any, radials: tuple[Radial, ...]) -> tuple[Field, ...]:
        """Return potential and force of each radial function."""
        Y, charges = self.on.array(Y), self.on.array(charges)
        chosen, grids = self._plan(Y, radials)
        if chosen == "exact":
            return tuple(sums_by_blocks(Y, charges, radials, self.on.block))
        if chosen == "mesh":
            return self.mesh.fields(Y, charges, radials, grids)
        found = self.tree.fields(np.asarray(Y), np.asarray(charges), radials)
        return tuple(Field(self.on.array(f.potential), self.on.array(f.force)) for f in found)

    def _plan(self, Y: Any, radials: tuple[Radial, ...]) -> tuple[str, Any]:
        """Return the backend and, for the mesh, its grids."""
        n, d = Y.shape
        if self.name != "auto":
            return self.name, None
        if n * n <= self.on.exact:
            return "exact", None
        if d < 3 and np.all(np.abs(Y) < FARTHEST):
            grids = self.mesh.grids(Y, radials)
            if sum(grid.cost for grid in grids.values()) * MARGIN <= tree_cost(n, d, radials):
                return "mesh", grids
        return "tree", None
