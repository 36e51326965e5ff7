"""Which grid the mesh takes for a drawing: the cheapest that is accurate, and what it costs.

Example: a drawing of 120 x 120 units of the Cauchy kernel is given a step of 1/4 to 1/2.  Drawn thirty times as large,
it would need a thousand times the points: a coarser grid is taken, and what it cannot tell is added pair by pair.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from ..kernels import Radial
from .exact import _code

__all__ = ["CUTOFF", "Grid", "grid_for", "near_code", "plane"]

# Grid steps in units of the kernel's width sqrt(c/a) (1/sqrt(b) for the Gaussian): up to the first the mesh alone is
# accurate enough; finer than the second pays no more.
STEP, FINEST = 0.5, 0.25
# Grid points per node, at most: the bound that keeps an expanded drawing affordable.
POINTS_PER_NODE = 16.0
LEAST_POINTS = 128 * 128
# Nanoseconds for a grid point, and for a pair of nodes in touching cells by the form of the radial function:
# measured on two cores.  Only their ratios matter, for the choice between a finer grid and more pairs.
POINT_COST = 40.0
PAIR_COST = {"inverse": 3.0, "logarithm": 4.5, "gaussian": 4.5, "power": 7.0, "other": 20.0}
# Range of the pair part in grid steps.
CUTOFF = 2.5
# Part of a sum that may come from beyond the reach of a kernel: far below the error of the grid.
NEGLIGIBLE = 3e-4
# Lengths of transforms are these times a power of two: quickly transformed, and few, so that spectra are used again
# while a drawing grows.
FACTORS = (16, 18, 20, 22, 24, 27, 30)


@dataclass(frozen=True, slots=True)
class Grid:
    """Where the grid of one drawing lies: lowest point, step and numbers of points."""

    x0: float
    y0: float
    h: float
    nx: int
    ny: int
    lx: int  # lengths of the transforms: the grid and as much emptiness as keeps its ends from touching
    ly: int
    near: bool  # whether the kernel is split
    cost: float = field(default=0.0, compare=False)  # of one sum, in nanoseconds

    @property
    def cutoff(self) -> float:
        """Squared range of the pair part."""
        return (CUTOFF * self.h) ** 2


def plane(Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The two columns of a drawing; a line lies in the plane too."""
    return np.ascontiguousarray(Y[:, 0]), np.ascontiguousarray(Y[:, 1]) if Y.shape[1] == 2 else np.zeros(len(Y))


def grid_for(X: np.ndarray, Z: np.ndarray, radial: Radial) -> Grid:
    """The grid on which a drawing's sums of a radial function are taken: the cheapest that is accurate.

    A grid fine enough for the kernel needs no pairs; a coarser one needs all pairs within ``CUTOFF`` steps, whose
    number is counted on the drawing itself, since one dense cluster can hold most of them.
    """
    width, height = max(float(np.ptp(X)), 1e-12), float(np.ptp(Z))
    most = max(LEAST_POINTS, POINTS_PER_NODE * len(X))
    finest = _step(width, height, most)
    resolved = STEP * _width(radial)
    if finest <= resolved:
        step = max(finest, FINEST / STEP * resolved)
        return _grid(X, Z, min(_rounded(step), resolved), radial, near=False)
    finest = _rounded(finest)
    pair = PAIR_COST[_pair_form(radial)]
    counts = _histogram(X, Z, CUTOFF * finest)
    best, step = math.inf, finest
    for k in range(4):
        h = finest * 2.0**k
        pairs = 9.0 * float(np.sum(counts * counts))
        cost = POINT_COST * (width / h + 4.0) * (height / h + 4.0) + pair * pairs
        if cost < best:
            best, step = cost, h
        counts = _halved(counts)
    # Up to four times the usual grid, if that spares the pairs altogether and is cheaper.
    points = (width / resolved + 4.0) * (height / resolved + 4.0) if resolved > 0 else math.inf
    if points <= 4.0 * most and POINT_COST * points < best:
        return _grid(X, Z, resolved, radial, near=False)
    return replace(_grid(X, Z, step, radial, near=True), cost=best)


def _grid(X: np.ndarray, Z: np.ndarray, step: float, radial: Radial, *, near: bool) -> Grid:
    x0, y0 = (math.floor(X.min() / step) - 1) * step, (math.floor(Z.min() / step) - 1) * step
    nx, ny = int((X.max() - x0) / step) + 3, int((Z.max() - y0) / step) + 3
    reach = _reach(radial) / step + 4.0
    lx, ly = (_points(math.ceil(k + min(k, reach))) for k in (nx, ny))
    return Grid(x0, y0, step, nx, ny, lx, ly, near, POINT_COST * nx * ny)


def _reach(radial: Radial) -> float:
    """The distance beyond which the rest of a plane of nodes adds less than ``NEGLIGIBLE`` of the whole; inf if
    there is none.

    For q^t = (1 + (a/c) xi)^-p in the plane that part is (1 + (a/c) xi)^(1 - p).
    """
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
    """The distance over which a radial function varies near 0; 0 if it is singular there."""
    kernel = radial.kernel
    if kernel.singular:
        return 0.0
    steep = 2.0 if radial.form == "power-log" else 1.0
    if kernel.a == 0:
        return 1.0 / math.sqrt(kernel.b * max(1.0, abs(radial.order)) * steep)
    return math.sqrt(kernel.c / (kernel.a * max(1.0, kernel.b * abs(radial.order) / kernel.a) * steep))


def _step(width: float, height: float, points: float) -> float:
    """The step of a grid of that many points, margins of 4 points included."""
    margin, free = 4.0, points - 16.0
    across = margin * (width + height)
    return (across + math.sqrt(across * across + 4.0 * free * width * height)) / (2.0 * free)


def _rounded(step: float) -> float:
    return 2.0 ** (math.ceil(4.0 * math.log2(step)) / 4.0)


def _histogram(X: np.ndarray, Z: np.ndarray, cell: float) -> np.ndarray:
    """Numbers of nodes in square cells."""
    row = ((X - X.min()) / cell).astype(np.int64)
    column = ((Z - Z.min()) / cell).astype(np.int64)
    columns = int(column.max()) + 1
    flat = np.bincount(row * columns + column, minlength=(int(row.max()) + 1) * columns)
    return flat.reshape(-1, columns).astype(float)


def _halved(counts: np.ndarray) -> np.ndarray:
    """The histogram of cells twice as wide."""
    padded = np.pad(counts, ((0, counts.shape[0] % 2), (0, counts.shape[1] % 2)))
    return padded[0::2, 0::2] + padded[1::2, 0::2] + padded[0::2, 1::2] + padded[1::2, 1::2]


def _pair_form(radial: Radial) -> str:
    from .. import compiled

    names = {
        compiled.INVERSE: "inverse",
        compiled.LOGARITHM: "logarithm",
        compiled.GAUSSIAN: "gaussian",
        compiled.POWER: "power",
    }
    return names.get(near_code(radial)[0], "other")


def near_code(radial: Radial) -> tuple[int, float, float, float, float]:
    """As for all pairs; half powers go the general way, only 1/u has a loop of its own here."""
    return _code(radial, halves=False)


def _points(k: int) -> int:
    """Round up to a length from the list; it is even."""
    power = max(0, math.ceil(math.log2(max(k, 64) / 32)))
    return next(f << power for f in (*FACTORS, 32) if f << power >= k)
