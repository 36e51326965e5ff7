"""The mesh with its local work on workers: near pairs, and interpolation of the field.

This machine sorts nodes into cells, spreads their charges and transforms the grid.  A slab is a range of rows of
cells.  One message has its nodes, one more row on each side, and its rows of the grid.  Potentials and forces come
back.  Slabs are cut by the positions alone, so the bits do not depend on the workers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nelayout.distributed.team import Team
from nelayout.formula.kernels import Radial
from nelayout.sums.nbody.grid import Grid
from nelayout.sums.nbody.mesh import Mesh, Sorted

__all__ = ["SlabMesh"]


@dataclass(frozen=True, slots=True)
class SlabMesh(Mesh):
    """`Mesh` with as many slabs as the edges have blocks.

    pin  loads the blocks in any form: a worker takes the slabs with the numbers of its blocks
    """

    team: Team | None = None
    pin: Callable[[], None] | None = None

    def _local(
        self, X, Z, charges, radial: Radial, grid: Grid, values, lags, smooth, in_cells: Sorted | None, potential, force
    ) -> None:
        if in_cells is None:
            Mesh._local(self, X, Z, charges, radial, grid, values, lags, smooth, in_cells, potential, force)
            return
        from nelayout.sums.nbody import mesh_loops

        assert self.team is not None
        assert self.pin is not None
        self.pin()
        slabs = _cut(in_cells, grid, values, self.team.blocks)
        found = self.team.round("slabs", local_sums, slabs.__getitem__, radial, grid.h, grid.cutoff, lags, smooth)
        potential[:], force[:] = 0.0, 0.0
        mesh_loops.add_back(in_cells.order, *np.concatenate(found, axis=1, dtype=np.float64), potential, force)


def _cut(nodes: Sorted, grid: Grid, values: np.ndarray, count: int) -> list[tuple[Any, ...]]:
    """Cut sorted nodes into slabs of about equal size, relative to their first grid points."""
    at_rows = nodes.starts[:: nodes.columns]
    cuts = np.searchsorted(at_rows, np.linspace(0, len(nodes.order), count + 1))
    cuts[0], cuts[-1] = 0, nodes.rows
    slabs = []
    for low, high in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        first, last = max(low - 1, 0), min(high + 1, nodes.rows)
        here = slice(at_rows[first], at_rows[last])
        starts = nodes.starts[first * nodes.columns : last * nodes.columns + 1] - at_rows[first]
        bottom, top = max(int(first * grid.steps) - 2, 0), int(last * grid.steps) + 5  # a spline has four points
        places = np.empty((3, len(nodes.X[here])), dtype=np.float32)
        np.subtract(nodes.X[here], grid.x0 + bottom * grid.h, out=places[0], casting="same_kind")
        np.subtract(nodes.Z[here], grid.y0, out=places[1], casting="same_kind")
        places[2] = nodes.charges[here]
        points = np.ascontiguousarray(values[bottom:top])
        slabs.append((places, points, starts, nodes.columns, low - first, high - first))
    return slabs


def local_sums(
    run: str, key: str, given: dict[int, Any], radial: Radial, h: float, cutoff: float, lags: Any, smooth: Any
) -> dict[int, np.ndarray]:
    """Return potential and force (3, m) of the nodes of each slab, in single precision."""
    from nelayout.sums.nbody import mesh_loops

    answer = {}
    for b, (places, values, starts, columns, low, high) in given.items():
        nodes = Sorted(starts, columns, np.zeros(0), *places.astype(float))
        n = places.shape[1]
        sums, potential, force = np.zeros((3, n)), np.zeros(n), np.zeros((n, 2))
        nodes.near_pairs(radial, cutoff, smooth, *sums)(low, high)
        begin, end = int(starts[low * columns]), int(starts[high * columns])
        mesh_loops.read(*nodes[3:], 0.0, 0.0, h, values, lags, begin, end, potential, force)
        sums[0] += potential
        sums[1:] += force.T
        answer[b] = sums[:, begin:end].astype(np.float32)
    return answer
