"""Particle-mesh sums: spread charges on a grid, convolve once, interpolate the field.

Cubic B-splines blur; their blur is divided out of the kernel's transform ((2 + cos w)/3 squared per axis).  The effect
of a node on itself is subtracted exactly.  If the kernel is too narrow for an affordable grid, or singular, it is split
(particle-particle particle-mesh).  Within ``CUTOFF`` grid steps, the mesh uses a polynomial that continues the kernel
smoothly to distance 0.  The difference is added pair by pair, over a list of cells.

Steps are in a geometric sequence, and points are multiples of them.  So two successive layouts use the same grid, and
their values can be compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from nelayout.core.formula.kernels import Radial
from nelayout.core.sums.nbody.field import Field
from nelayout.core.sums.nbody.grid import Grid, grid_for, plane
from nelayout.errors import Unsupported
from nelayout.numerics.parallel import Threads

__all__ = ["FARTHEST", "Mesh"]

# Minimum number of nodes in a task, and in a task that adds near pairs; maximum number of tasks.
MIN_TASK_NODES, MIN_NEAR_TASK_NODES, MAX_TASKS = 1 << 13, 1 << 11, 64
# Minimum numbers of lines, and of values, in a slab that one thread transforms.
MIN_SLAB_LINES, MIN_SLAB_NUMBERS = 64, 1 << 16
# Relative error of net forces, with the steps in grid.py.
TOLERANCE = 1e-2
# Precision of the grid: its rounding errors are far below its other errors.
PRECISION, SPECTRAL = np.float32, np.complex64
# Maximum number of stored transforms, of their points in total, and of points relative to the latest transform:
# transforms of large grids fill the memory.
SPECTRA, MAX_SPECTRA_POINTS, MAX_SPECTRA_RATIO = 12, 1 << 22, 2
# Largest coordinate without overflow of squares and grids.
FARTHEST = 1e100


@dataclass(frozen=True, slots=True)
class Mesh:
    """Sums in O(n + grid log grid), in one or two dimensions; ``tolerance`` of net forces."""

    threads: Threads = field(default_factory=Threads, compare=False)
    name: str = "mesh"
    tolerance: float = TOLERANCE
    _spectra: dict = field(default_factory=dict, compare=False, repr=False)

    def grids(self, Y: np.ndarray, radials: tuple[Radial, ...]) -> dict[Radial, Grid]:
        """Choose the grid of each radial function; coordinates must be below ``FARTHEST``."""
        fineness = (self.tolerance / TOLERANCE) ** 0.25  # cubic splines: fourth order
        X, Z = plane(Y)
        return {radial: grid_for(X, Z, radial, fineness) for radial in radials}

    def fields(
        self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...], grids: dict[Radial, Grid] | None = None
    ) -> tuple[Field, ...]:
        """Return the field of each radial function, on ``grids`` or on the result of `grids`."""
        n, d = Y.shape
        if d > 2:
            raise Unsupported(f"the mesh needs positions in 1 or 2 dimensions; got {d}: use the tree")
        from scipy import fft

        from nelayout.core.sums.nbody import mesh_loops

        if not np.all(np.abs(Y) < FARTHEST):
            return tuple(Field(np.full(n, np.nan), np.full(Y.shape, np.nan)) for _ in radials)
        (X, Z), threads = plane(Y), self.threads
        grids = self.grids(Y, radials) if grids is None else grids
        answer = {radial: Field(np.empty(n), np.empty((n, d))) for radial in radials}
        for grid in dict.fromkeys(grids.values()):
            density, lx, ly = np.zeros((grid.nx, grid.ny), dtype=PRECISION), grid.lx, grid.ly

            def spread(grid: Grid = grid, density: np.ndarray = density) -> None:
                mesh_loops.spread(X, Z, charges, grid.x0, grid.y0, grid.h, density)

            def sort(grid: Grid = grid) -> Sorted | None:
                return Sorted.of(X, Z, charges, grid) if grid.near else None

            together = threads if n >= MIN_TASK_NODES else Threads()
            _, in_cells = together.map(lambda work: work(), (spread, sort))
            transform = _along(threads, fft.rfft, density, 1, ly // 2 + 1, SPECTRAL, ly)
            del density, spread  # large arrays end as early as they can
            transform = _along(threads, fft.fft, transform, 0, lx, SPECTRAL, lx)
            for radial in [radial for radial in grids if grids[radial] == grid]:
                spectrum, lags, smooth = self._spectrum(radial, grid)
                values = _along(threads, fft.ifft, transform, 0, grid.nx, SPECTRAL, lx, spectrum)
                values = _along(threads, fft.irfft, values, 1, ly, PRECISION, ly)[:, : grid.ny]
                self._local(X, Z, charges, radial, grid, values, lags, smooth, in_cells, *answer[radial])
        return tuple(answer[radial] for radial in radials)

    def _local(
        self, X, Z, charges, radial: Radial, grid: Grid, values, lags, smooth, in_cells: Sorted | None, potential, force
    ) -> None:
        """Interpolate the field at every node, and add its near pairs."""
        from nelayout.core.sums.nbody import mesh_loops

        n = len(X)
        share = max(MIN_TASK_NODES, -(-n // MAX_TASKS))
        given = X, Z, charges, grid.x0, grid.y0, grid.h, values, lags

        def read(start: int) -> None:
            mesh_loops.read(*given, start, min(start + share, n), potential, force)

        self.threads.map(read, range(0, n, share))
        if in_cells is not None:
            rows, sums = in_cells.rows, np.zeros((3, n))
            some = max(1, -(-rows // max(1, min(MAX_TASKS, n // MIN_NEAR_TASK_NODES))))
            add = in_cells.near_pairs(radial, grid.cutoff, smooth, *sums)
            self.threads.map(lambda first: add(first, min(first + some, rows)), range(0, rows, some))
            mesh_loops.add_back(in_cells.order, *sums, potential, force)

    def _spectrum(self, radial: Radial, grid: Grid) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return half of the kernel's even transform without blur, its field at lags, its center."""
        key = (radial, grid.h, grid.lx, grid.ly, grid.near)
        if key in self._spectra:
            return self._spectra[key]
        from scipy import fft

        halves = [np.arange(k // 2 + 1) for k in (grid.lx, grid.ly)]
        x, y = (half * grid.h for half in halves)
        xi, smooth = (x * x)[:, None] + y * y, taylor(radial, grid.cutoff) if grid.near else np.zeros(4)
        inside = xi < (grid.cutoff if grid.near else 0.0)
        z = xi[inside] - grid.cutoff
        xi[inside] = grid.cutoff  # r may be infinite at distance 0
        quarter = radial.value(xi)
        quarter[inside] = smooth[0] + z * (smooth[1] + z * (smooth[2] + z * smooth[3]))
        # The kernel is even along both axes: its transform is real and needs cosines only.
        even = _along(self.threads, fft.dct, quarter, 0, len(quarter), float, 1)
        even = _along(self.threads, fft.dct, even, 1, even.shape[1], float, 1)
        sizes = zip(halves, (grid.lx, grid.ly), strict=True)
        blur_x, blur_y = (((2.0 + np.cos(2.0 * np.pi * half / k)) / 3.0) ** 2 for half, k in sizes)
        even /= blur_x[:, None] * blur_y
        lags = np.asarray(fft.idct(fft.idct(even, 1, axis=0)[:4], 1, axis=1))[:, :4].copy()
        kept = even.size + sum(known[0].size for known in self._spectra.values())
        if len(self._spectra) >= SPECTRA or kept > max(MAX_SPECTRA_POINTS, MAX_SPECTRA_RATIO * even.size):
            self._spectra.clear()
        self._spectra[key] = even.astype(PRECISION), lags, smooth
        return self._spectra[key]


class Sorted(NamedTuple):
    """Nodes sorted by cell: start of each cell, order of the nodes, positions, charges."""

    starts: np.ndarray
    columns: int
    order: np.ndarray
    X: np.ndarray
    Z: np.ndarray
    charges: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray, Z: np.ndarray, charges: np.ndarray, grid: Grid) -> Sorted:
        from nelayout.core.sums.nbody import mesh_loops

        n, cell = len(X), grid.cell
        columns, rows = int((Z.max() - grid.y0) / cell) + 1, int((X.max() - grid.x0) / cell) + 1
        starts, order = np.zeros(rows * columns + 1, dtype=np.int32), np.empty(n, dtype=np.int32)
        nodes = cls(starts, columns, order, np.empty(n), np.empty(n), np.empty(n))
        at = np.empty(n, dtype=np.int32)
        mesh_loops.by_cells(X, Z, charges, grid.x0, grid.y0, cell, columns, starts, order, *nodes[3:], at)
        return nodes

    @property
    def rows(self) -> int:
        """Number of rows of cells."""
        return (len(self.starts) - 1) // self.columns

    def near_pairs(self, radial: Radial, cutoff: float, smooth: np.ndarray, *sums: np.ndarray) -> Callable:
        """Return a function that adds near pairs of nodes between two rows of cells to ``sums``."""
        from nelayout.core.sums.nbody import near_loops

        key, *numbers = radial.code
        real = np.float32 if single_precision(radial) else np.float64
        add, most = near_loops.near_sums(*key, real), near_loops.most_near(self.starts, self.columns)
        given = self.X, self.Z, self.charges, self.starts, self.columns, self.rows, cutoff, *numbers, smooth

        def between(first: int, last: int) -> None:
            add(*given, first, last, *sums, np.empty((3, most), dtype=real))

        return between


def single_precision(radial: Radial) -> bool:
    """Return whether near pairs are summed in single precision: bounded powers of cheap kinds."""
    return radial.form == "power" and radial.kind != "general" and not radial.kernel.singular


def taylor(radial: Radial, at: float) -> np.ndarray:
    """Return the Taylor polynomial of r at xi = at, four coefficients; it replaces r below.

    Second and third derivatives are Richardson differences of the exact slope.
    """
    h = 0.02 * at
    slope = radial.slope(at + h * np.array([-2.0, -1.0, 0.0, 1.0, 2.0]))
    first = slope[2]
    second = (8.0 * (slope[3] - slope[1]) - (slope[4] - slope[0])) / (12.0 * h)
    third = (16.0 * (slope[3] + slope[1]) - (slope[4] + slope[0]) - 30.0 * slope[2]) / (12.0 * h * h)
    return np.array([float(radial.value(np.array([at]))[0]), first, second / 2.0, third / 6.0])


def _along(
    threads: Threads, transform: Callable[..., Any], grid: np.ndarray, axis: int, kept: int, dtype, how: int,
    even: np.ndarray | None = None,
) -> np.ndarray:
    """Transform all lines along ``axis``; keep the first numbers of each, in ``dtype``.

    ``how``: second argument of the transform.  ``even``, for transforms along axis 0, multiplies the grid first; its
    row k stands for the rows k and -k of the grid.  Slabs of lines depend on the size of the grid, not on the number of
    threads, which keeps the bits.
    """
    lines = grid.shape[1 - axis]
    slab = max(MIN_SLAB_LINES, MIN_SLAB_NUMBERS // grid.shape[axis])
    out = np.empty((lines, kept) if axis == 1 else (kept, lines), dtype=dtype)

    def work(start: int) -> None:
        here: Any = slice(start, min(start + slab, lines))
        here = here if axis == 1 else (slice(None), here)
        given = grid[here]
        if even is not None:
            half, whole = even[here], given
            given = np.empty_like(whole)
            np.multiply(whole[: len(half)], half, out=given[: len(half)])
            np.multiply(whole[len(half) :], half[-2:0:-1], out=given[len(half) :])
        found = transform(given, how, axis=axis)
        out[here] = found if axis == 1 else found[:kept]

    threads.map(work, range(0, lines, slab))
    return out
