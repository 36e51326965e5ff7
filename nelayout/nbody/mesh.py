"""Particle-mesh sums: spread the charges on a grid, convolve once, read potential and force with the same splines.

Example: 70,000 nodes whose drawing measures 120 x 120 units of the Cauchy kernel are spread on 240 x 240 points; one
real FFT forth and one back give the potential of every node, and the derivative of the splines its force: one
convolution where interpolation by nodes needs four.

Cubic B-splines blur; their blur is divided out of the kernel's transform ((2 + cos w)/3 squared per axis).  What a
node does to itself is subtracted exactly.  The grid never has more than a few points per node: where the kernel is
too narrow for such a grid, or singular, it is split (particle-particle particle-mesh).  Within ``CUTOFF`` grid steps
the mesh carries a polynomial that continues the kernel smoothly to distance 0, and the difference is added pair by
pair over a list of cells.

The grid's step is one of a geometric sequence and its points lie at multiples of it, so that two drawings a step
apart see the same grid and their values can be compared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from ..errors import Unsupported
from ..kernels import Radial
from ..parallel import Workers
from .exact import _code
from .field import Field

__all__ = ["Grid", "Mesh"]

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
TASK_NODES = 1 << 15
# Of the grid: rounding errors, 1e-7 of the largest potential, are far below the error of the grid itself.
PRECISION = np.float32
# Transforms of kernels that are kept.
SPECTRA = 12
# Part of a sum that may come from beyond the reach of a kernel: far below the error of the grid.
NEGLIGIBLE = 3e-4


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


@dataclass(frozen=True, slots=True)
class Mesh:
    """Sums in O(n + grid log grid), for drawings in one or two dimensions."""

    crew: Workers = field(default_factory=Workers, compare=False)
    name: str = "mesh"
    tolerance: float = 1e-2
    _spectra: dict = field(default_factory=dict, compare=False, repr=False)

    def fields(
        self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...], grids: dict[Radial, Grid] | None = None
    ) -> tuple[Field, ...]:
        """Potential and force of each radial function, on the grids given or on those of ``grids``."""
        d = Y.shape[1]
        if d > 2:
            raise Unsupported(f"the mesh needs drawings in 1 or 2 dimensions, given {d}: use nbody='tree'")
        from .. import compiled_mesh

        X, Z = _columns(Y)
        grids = self.grids(Y, radials) if grids is None else grids
        answer: dict[Radial, Field] = {}
        for grid in dict.fromkeys(grids.values()):
            group = [radial for radial in grids if grids[radial] == grid]
            density = np.zeros((grid.nx, grid.ny), dtype=PRECISION)
            compiled_mesh.spread(X, Z, charges, grid.x0, grid.y0, grid.h, density)
            transform = self._forward(density, grid)
            for radial in group:
                answer[radial] = self._one(X, Z, charges, radial, grid, transform, d)
        return tuple(answer[radial] for radial in radials)

    def grids(self, Y: np.ndarray, radials: tuple[Radial, ...]) -> dict[Radial, Grid]:
        """The grid of each radial function, with its cost."""
        return {radial: grid_for(*_columns(Y), radial) for radial in radials}

    def _forward(self, density: np.ndarray, grid: Grid) -> np.ndarray:
        from scipy import fft

        half = fft.rfft(density, grid.ly, axis=1, workers=self.crew.threads)
        return np.asarray(fft.fft(half, grid.lx, axis=0, workers=self.crew.threads))

    def _one(self, X, Z, charges, radial: Radial, grid: Grid, transform: np.ndarray, d: int) -> Field:
        from scipy import fft

        from .. import compiled_mesh

        spectrum, lags, smooth = self._spectrum(radial, grid)
        transform = transform * spectrum
        half = fft.ifft(transform, axis=0, workers=self.crew.threads, overwrite_x=True)[: grid.nx]
        values = np.asarray(fft.irfft(half, grid.ly, axis=1, workers=self.crew.threads))[:, : grid.ny]
        n = len(X)
        potential, fx, fy = np.empty(n), np.empty(n), np.empty(n)

        def work(start: int) -> None:
            compiled_mesh.read(
                X, Z, charges, grid.x0, grid.y0, grid.h, values, lags, start, min(start + TASK_NODES, n), potential,
                fx, fy
            )

        self.crew.map(work, range(0, n, TASK_NODES))
        if grid.near:
            self._add_near(X, Z, charges, radial, grid, smooth, potential, fx, fy)
        force = np.stack([fx, fy], axis=1) if d == 2 else fx[:, None].copy()
        return Field(potential, force)

    def _spectrum(self, radial: Radial, grid: Grid) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Transform of the kernel with the splines' blur divided out, its field at small lags, and its smooth
        centre.
        """
        key = (radial, grid.h, grid.lx, grid.ly, grid.near)
        if key in self._spectra:
            return self._spectra[key]
        from scipy import fft

        lx, ly = grid.lx, grid.ly
        ix = np.minimum(np.arange(lx), lx - np.arange(lx))[: lx // 2 + 1] * grid.h
        iy = np.minimum(np.arange(ly), ly - np.arange(ly))[: ly // 2 + 1] * grid.h
        xi = (ix * ix)[:, None] + iy * iy
        smooth = np.zeros(4)
        if grid.near:
            smooth = taylor(radial, grid.cutoff)
            inside = xi < grid.cutoff
            quarter = radial.value(np.where(inside, grid.cutoff, xi))
            z = xi[inside] - grid.cutoff
            quarter[inside] = smooth[0] + z * (smooth[1] + z * (smooth[2] + z * smooth[3]))
        else:
            quarter = radial.value(xi)
        # The kernel is even along both axes: its transform is real and needs cosines only.
        even = np.asarray(fft.dct(fft.dct(quarter, 1, axis=0), 1, axis=1))
        blur_x = ((2.0 + np.cos(2.0 * np.pi * np.arange(lx // 2 + 1) / lx)) / 3.0) ** 2
        blur_y = ((2.0 + np.cos(2.0 * np.pi * np.arange(ly // 2 + 1) / ly)) / 3.0) ** 2
        even /= blur_x[:, None] * blur_y
        lags = np.asarray(fft.idct(fft.idct(even, 1, axis=0)[:4], 1, axis=1))[:, :4].copy()
        spectrum = np.concatenate([even, even[-2:0:-1]])
        if len(self._spectra) >= SPECTRA:
            self._spectra.clear()
        self._spectra[key] = spectrum.astype(PRECISION), lags, smooth
        return self._spectra[key]

    def _add_near(self, X, Z, charges, radial: Radial, grid: Grid, smooth, potential, fx, fy) -> None:
        from .. import compiled_mesh

        cell = CUTOFF * grid.h
        column = ((Z - grid.y0) / cell).astype(np.int64)
        row = ((X - grid.x0) / cell).astype(np.int64)
        columns, rows = int(column.max()) + 1, int(row.max()) + 1
        flat = row * columns + column
        order = np.argsort(flat, kind="stable")
        starts = np.zeros(rows * columns + 1, dtype=np.int64)
        np.cumsum(np.bincount(flat, minlength=rows * columns), out=starts[1:])
        Xs, Zs, cs = X[order], Z[order], charges[order]
        p, gx, gy = np.zeros(len(X)), np.zeros(len(X)), np.zeros(len(X))
        code = _near_code(radial)
        tasks = max(1, rows // 64)

        def work(first: int) -> None:
            compiled_mesh.near_sums(
                Xs, Zs, cs, starts, columns, rows, grid.cutoff, *code, smooth, first, min(first + tasks, rows), p,
                gx, gy
            )

        self.crew.map(work, range(0, rows, tasks))
        potential[order] += p
        fx[order] += gx
        fy[order] += gy


def _columns(Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
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
    return names.get(_near_code(radial)[0], "other")


def _near_code(radial: Radial) -> tuple[int, float, float, float, float]:
    """As for all pairs; half powers go the general way, only 1/u has a loop of its own here."""
    return _code(radial, halves=False)


def taylor(radial: Radial, at: float) -> np.ndarray:
    """r and its first three derivatives over k!, at xi = at: the polynomial that replaces r nearer than that.

    Derivatives by complex-step-free Richardson differences of the exact slope, which is smooth there.
    """
    h = 0.02 * at
    slope = radial.slope(at + h * np.array([-2.0, -1.0, 0.0, 1.0, 2.0]))
    first = slope[2]
    second = (8.0 * (slope[3] - slope[1]) - (slope[4] - slope[0])) / (12.0 * h)
    third = (16.0 * (slope[3] + slope[1]) - (slope[4] + slope[0]) - 30.0 * slope[2]) / (12.0 * h * h)
    return np.array([float(radial.value(np.array([at]))[0]), first, second / 2.0, third / 6.0])


# Lengths of transforms are these times a power of two: quickly transformed, and few, so that spectra are used again
# while a drawing grows.
FACTORS = (16, 18, 20, 22, 24, 27, 30)


def _points(k: int) -> int:
    """Round up to a length from the list; it is even."""
    power = max(0, math.ceil(math.log2(max(k, 64) / 32)))
    return next(f << power for f in (*FACTORS, 32) if f << power >= k)
