"""The grid of the mesh for one drawing: the cheapest that is accurate, and its cost.

Example: a drawing of 120 x 120 units of the Cauchy kernel gets a step of 1/4 to 1/2.  A drawing thirty times as large
would need a thousand times the points.  It gets a coarser grid, and its near pairs are added one by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nelayout.formula.kernels import Radial
from nelayout.sums.nbody.field import COSTS

__all__ = ["CUTOFF", "Grid", "grid_for", "plane", "square_counts"]

Counts = Callable[[Any, Any, float, float, float, int, int], float]

# Grid steps in units of the kernel's width: the coarsest that is accurate without pairs, and the finest that is tried.
STEP, FINEST = 0.4, 0.25
# Most grid points per node, points that any grid may have, and most points of a grid without pairs: with the zeros
# around them they take some 32 bytes each, several times over.
POINTS_PER_NODE, LEAST_POINTS, UNSPLIT_POINTS = 16.0, 128 * 128, 1 << 25
# Points of the transforms, per node and in all, up to which they take less time than sorting nodes into cells.
FEW, FEWEST = 6.0, 4 * LEAST_POINTS
# Nanoseconds for a point of the transforms, and for sorting a node into its cell.
POINT_COST, NODE_COST = 10.0, 65.0
# Grids that are tried, each sqrt(2) coarser than the one before.
TRIED = 6
# Range of the pair part in grid steps.
CUTOFF = 2.5
# Part of a sum that is neglected beyond the reach of a kernel.
NEGLIGIBLE = 3e-4
# Lengths of transforms are these times a power of two: few, so that spectra are used again while a drawing grows.
FACTORS = (16, 18, 20, 22, 24, 27, 30)


@dataclass(frozen=True, slots=True)
class Grid:
    """The grid of one drawing: lowest point, step, numbers of points, and how its kernel is split."""

    x0: float
    y0: float
    h: float
    nx: int
    ny: int
    lx: int  # lengths of the transforms: the grid and enough zeros between its ends
    ly: int
    near: bool  # whether the kernel is split
    cost: float = field(default=0.0, compare=False)  # of one sum, in nanoseconds
    steps: float = CUTOFF  # range of the pair part in grid steps

    @property
    def cutoff(self) -> float:
        """Squared range of the pair part."""
        return self.cell**2

    @property
    def cell(self) -> float:
        """Range of the pair part, and side of the cells that its pairs are looked for in."""
        return self.steps * self.h


def plane(Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the two columns of a drawing, the second one zeros if it is a line."""
    return np.ascontiguousarray(Y[:, 0]), np.ascontiguousarray(Y[:, 1]) if Y.shape[1] == 2 else np.zeros(len(Y))


def square_counts(X: np.ndarray, Z: np.ndarray, x0: float, y0: float, cell: float, columns: int, cells: int) -> float:
    """Sum of the squared numbers of nodes in square cells, ``columns`` to a row."""
    from nelayout.sums.nbody import mesh_loops

    return mesh_loops.square_counts(X, Z, x0, y0, cell, columns, np.zeros(cells, dtype=np.int32))


def grid_for(
    X: np.ndarray, Z: np.ndarray, radial: Radial, fineness: float = 1.0, counts: Counts = square_counts
) -> Grid:
    """Choose the cheapest accurate grid for the sums of a radial function over a drawing.

    A grid fine enough for the kernel needs no pairs.  A coarser one needs all pairs within ``CUTOFF`` steps; they are
    counted, since one dense cluster can hold most of them.  ``fineness`` below 1 makes the steps that much smaller, and
    the range of the pairs as much more steps.  ``counts``: `square_counts`, or its form on a device.
    """
    box = float(X.min()), float(Z.min()), float(X.max()), float(Z.max())
    width, height = max(box[2] - box[0], 1e-12), box[3] - box[1]
    most = max(LEAST_POINTS, POINTS_PER_NODE * len(X)) / fineness**2
    finest = _step(width, height, most)
    resolved = STEP * fineness * _width(radial)
    cheap = _step(width, height, max(FEWEST, FEW * len(X)) / (2.0 * fineness) ** 2)
    if cheap <= resolved:
        return _grid(box, min(_rounded(max(cheap, FINEST / STEP * resolved)), resolved), radial, near=False)

    # Without pairs up to four times the usual grid, if that is cheaper.
    best = None
    unsplit = min(4.0 * most, UNSPLIT_POINTS)
    if resolved > 0 and (width / resolved + 4.0) * (height / resolved + 4.0) <= unsplit:
        best = _grid(box, resolved, radial, near=False)
    pair = COSTS[radial.kind][1]
    step = _rounded(max(finest, fineness * _coarse(radial)))
    for k in range(TRIED):
        grid = _grid(box, step * 2.0 ** (k / 2.0), radial, near=True)
        grid = replace(grid, steps=CUTOFF / fineness)
        cost = grid.cost + NODE_COST * len(X) + pair * _touching_pairs(X, Z, box, grid.cell, counts)
        if best is None or cost < best.cost:
            best = replace(grid, cost=cost)
        elif k and best.near:
            break
    assert best is not None
    return best


def _grid(box: tuple[float, float, float, float], step: float, radial: Radial, *, near: bool) -> Grid:
    low_x, low_y, high_x, high_y = box
    x0, y0 = (math.floor(low_x / step) - 1) * step, (math.floor(low_y / step) - 1) * step
    nx, ny = int((high_x - x0) / step) + 3, int((high_y - y0) / step) + 3
    reach = _reach(radial) / step + 4.0
    lx, ly = (_points(math.ceil(k + min(k, reach))) for k in (nx, ny))
    return Grid(x0, y0, step, nx, ny, lx, ly, near, cost=POINT_COST * lx * ly)


def _reach(radial: Radial) -> float:
    """Distance beyond which an even plane of nodes adds less than ``NEGLIGIBLE`` of the whole; inf if there is none."""
    kernel = radial.kernel
    if radial.form != "power" or kernel.singular or radial.order <= 0:
        return math.inf
    if kernel.a == 0:
        return math.sqrt(-math.log(NEGLIGIBLE) / (kernel.b * radial.order))
    p = kernel.b * radial.order / kernel.a
    if p <= 1:
        return math.inf
    return math.sqrt((NEGLIGIBLE ** (1.0 / (1.0 - p)) - 1.0) * kernel.c / kernel.a)


def _width(radial: Radial) -> float:
    """Distance over which a radial function varies near 0; 0 if it is singular there."""
    kernel = radial.kernel
    if kernel.singular:
        return 0.0
    steep = 2.0 if radial.form == "power-log" else 1.0
    rate = kernel.b * max(1.0, abs(radial.order))
    # Short tails bend as sharply as the Gaussian's.
    shrink = 1.0 if _long_tailed(radial) else 0.8
    return shrink * math.sqrt(kernel.c / (max(kernel.a, rate) * steep))


def _coarse(radial: Radial) -> float:
    """Smallest step for which grid and pairs together are accurate; 0 if they always are."""
    least = 5.6 if radial.form == "power-log" else 2.8 if radial.form == "power" and _long_tailed(radial) else 4.0
    return least * STEP * _width(radial)


def _long_tailed(radial: Radial) -> bool:
    """Whether a function falls no faster than the square of a Cauchy kernel."""
    return radial.kernel.b * max(1.0, abs(radial.order)) <= 2.0 * radial.kernel.a


def _step(width: float, height: float, points: float) -> float:
    """Step of a grid of that many points, margins of 4 points included."""
    margin, free = 4.0, points - 16.0
    across = margin * (width + height)
    return (across + math.sqrt(across * across + 4.0 * free * width * height)) / (2.0 * free)


def _rounded(step: float) -> float:
    return 2.0 ** (math.ceil(4.0 * math.log2(step)) / 4.0)


def _touching_pairs(
    X: np.ndarray, Z: np.ndarray, box: tuple[float, float, float, float], cell: float, counts: Counts
) -> float:
    """Approximate number of pairs of nodes in touching square cells."""
    x0, y0, high_x, high_y = box
    rows, columns = int((high_x - x0) / cell) + 1, int((high_y - y0) / cell) + 1
    return 9.0 * counts(X, Z, x0, y0, cell, columns, rows * columns)


def _points(k: int) -> int:
    """Round up to a length from the list; it is even."""
    power = max(0, math.ceil(math.log2(max(k, 64) / 32)))
    return next(f << power for f in (*FACTORS, 32) if f << power >= k)
