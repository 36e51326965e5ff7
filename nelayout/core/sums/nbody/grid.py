"""Choose the grid of the mesh for given positions: the cheapest accurate grid.

Example: positions over 120 x 120 units of the Cauchy kernel get a step of 1/4 to 1/2.  At thirty times this size, the
same step would need a thousand times the points.  The grid is coarser then, and its near pairs are added one by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from nelayout.core.formula.kernels import Radial
from nelayout.core.sums.nbody.field import COSTS

__all__ = ["CUTOFF", "Grid", "grid_for", "plane"]

# Grid steps in units of the kernel's width: the coarsest accurate step without pairs, and the finest tried.
UNSPLIT_STEP, MIN_STEP = 0.4, 0.25
# Maximum number of grid points per node, number that is always allowed, and maximum without pairs.  With the zeros
# around them, points take about 32 bytes each, several times.
POINTS_PER_NODE, ALLOWED_POINTS, MAX_UNSPLIT_POINTS = 16.0, 128 * 128, 1 << 25
# Points of the transforms, per node and in total, up to which they take less time than sorting nodes into cells.
CHEAP_POINTS_PER_NODE, CHEAP_POINTS = 6.0, 4 * ALLOWED_POINTS
# Costs of a point of the transforms, and of sorting a node into its cell, in nanoseconds.
POINT_COST, NODE_COST = 10.0, 65.0
# Maximum number of grids tried, each sqrt(2) coarser than the grid before.
MAX_TRIED_GRIDS = 6
# Range of the pair sums in grid steps.
CUTOFF = 2.5
# Fraction of a sum that is neglected beyond the reach of a kernel.
NEGLIGIBLE_FRACTION = 3e-4
# Lengths of transforms are these times a power of two: few, so that spectra are reused while a layout grows.
FACTORS = (16, 18, 20, 22, 24, 27, 30)


@dataclass(frozen=True, slots=True)
class Grid:
    """A grid: lowest point, step, numbers of points, and how its kernel is split."""

    x0: float
    y0: float
    h: float
    nx: int
    ny: int
    lx: int  # lengths of the transforms: the grid and zeros between its ends
    ly: int
    near: bool  # whether the kernel is split
    cost: float = field(default=0.0, compare=False)  # of one sum, in nanoseconds
    steps: float = CUTOFF  # range of the pair sums in grid steps

    @property
    def cell(self) -> float:
        """Range of the pair sums, and side of the cells for finding pairs."""
        return self.steps * self.h

    @property
    def cutoff(self) -> float:
        """Squared range of the pair sums."""
        return self.cell**2


def plane(Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the two columns of the positions, the second one zeros on a line."""
    return np.ascontiguousarray(Y[:, 0]), np.ascontiguousarray(Y[:, 1]) if Y.shape[1] == 2 else np.zeros(len(Y))


def _square_counts(X: np.ndarray, Z: np.ndarray, x0: float, y0: float, cell: float, columns: int, cells: int) -> float:
    """Return the sum of the squared numbers of nodes in square cells, ``columns`` to a row."""
    from nelayout.core.sums.nbody import mesh_loops

    return mesh_loops.square_counts(X, Z, x0, y0, cell, columns, np.zeros(cells, dtype=np.int32))


def grid_for(
    X: np.ndarray, Z: np.ndarray, radial: Radial, fineness: float = 1.0,
    counts: Callable[..., float] = _square_counts,
) -> Grid:
    """Choose the cheapest accurate grid for the sums of a radial function.

    A grid fine enough for the kernel needs no pairs.  A coarser grid needs all pairs within ``CUTOFF`` steps.  Its cost
    counts them, because one dense cluster can contain most pairs.  ``fineness`` below 1 multiplies the steps and
    divides the range in steps.  ``counts``: `_square_counts`, or its form on a device.
    """
    x0, y0, x1, y1 = box = float(X.min()), float(Z.min()), float(X.max()), float(Z.max())
    width, height = max(x1 - x0, 1e-12), y1 - y0
    most = max(ALLOWED_POINTS, POINTS_PER_NODE * len(X)) / fineness**2
    resolved = UNSPLIT_STEP * fineness * _width(radial)
    cheap = _step(width, height, max(CHEAP_POINTS, CHEAP_POINTS_PER_NODE * len(X)) / (2.0 * fineness) ** 2)
    if cheap <= resolved:
        return _grid(box, min(_rounded(max(cheap, MIN_STEP / UNSPLIT_STEP * resolved)), resolved), radial, near=False)

    # A grid without pairs may have four times the usual points, if it is cheaper.
    best = None
    unsplit = min(4.0 * most, MAX_UNSPLIT_POINTS)
    if resolved > 0 and (width / resolved + 4.0) * (height / resolved + 4.0) <= unsplit:
        best = _grid(box, resolved, radial, near=False)
    least = 4.0  # smallest step at which grid and pairs together are accurate, relative to the step without pairs
    if radial.form in ("power", "power-log"):
        least = 5.6 if radial.form == "power-log" else 2.8 if _long_tailed(radial) else 4.0
    coarse = least * UNSPLIT_STEP * _width(radial)  # 0 if all are
    step = _rounded(max(_step(width, height, most), fineness * coarse))
    for k in range(MAX_TRIED_GRIDS):
        grid = _grid(box, step * 2.0 ** (k / 2.0), radial, near=True)
        grid = replace(grid, steps=CUTOFF / fineness)
        rows, columns = int(width / grid.cell) + 1, int(height / grid.cell) + 1
        pairs = 9.0 * counts(X, Z, x0, y0, grid.cell, columns, rows * columns)  # in touching cells
        cost = grid.cost + NODE_COST * len(X) + COSTS[radial.kind][1] * pairs
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
    """Return the distance beyond which an even plane adds a negligible fraction, or inf."""
    kernel = radial.kernel
    if radial.form != "power" or kernel.singular or radial.order <= 0:
        return math.inf
    if kernel.a == 0:
        return math.sqrt(-math.log(NEGLIGIBLE_FRACTION) / (kernel.b * radial.order))
    p = kernel.b * radial.order / kernel.a
    if p <= 1:
        return math.inf
    return math.sqrt((NEGLIGIBLE_FRACTION ** (1.0 / (1.0 - p)) - 1.0) * kernel.c / kernel.a)


def _width(radial: Radial) -> float:
    """Return the distance over which a radial function varies near 0; 0 if singular."""
    kernel = radial.kernel
    if kernel.singular:
        return 0.0
    steep = 2.0 if radial.form == "power-log" else 1.0
    rate = kernel.b * max(1.0, abs(radial.order))
    # Short tails have a curvature as sharp as the Gaussian's.
    shrink = 1.0 if _long_tailed(radial) else 0.8
    return shrink * math.sqrt(kernel.c / (max(kernel.a, rate) * steep))


def _long_tailed(radial: Radial) -> bool:
    """Return whether a function decays no faster than the square of a Cauchy kernel."""
    return radial.kernel.b * max(1.0, abs(radial.order)) <= 2.0 * radial.kernel.a


def _step(width: float, height: float, points: float) -> float:
    """Return the step of a grid of ``points`` points, with margins of 4 points."""
    margin, free = 4.0, points - 16.0
    across = margin * (width + height)
    return (across + math.sqrt(across * across + 4.0 * free * width * height)) / (2.0 * free)


def _rounded(step: float) -> float:
    return 2.0 ** (math.ceil(4.0 * math.log2(step)) / 4.0)


def _points(k: int) -> int:
    """Round up to an even length from the list."""
    power = max(0, math.ceil(math.log2(max(k, 64) / 32)))
    return next(f << power for f in (*FACTORS, 32) if f << power >= k)
