"""Particle-mesh sums on a device, with PyTorch: see `nelayout.core.sums.nbody.mesh`.

The grid and its error are the same as on the CPU.  Charges are spread cell by cell: nodes are sorted by cell, their
weights for each of the 16 points around are summed over the cell, and each sum is added to its point.  So no two
threads add to one number, and the bits do not change.  For near pairs, nodes are sorted by larger cells.  The neighbors
of a node are then three ranges of nodes, one in each row of cells.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from nelayout.core.formula.kernels import Radial
from nelayout.core.sums.device.arrays import array_of, double_or_widest, segment_sums, torch
from nelayout.core.sums.nbody.field import Field
from nelayout.core.sums.nbody.grid import Grid, grid_for
from nelayout.core.sums.nbody.mesh import FARTHEST, SPECTRA, single_precision, taylor

__all__ = ["DeviceMesh"]


@dataclass(frozen=True, slots=True)
class DeviceMesh:
    """Sums in O(n + grid log grid) on a device, in 1-D or 2-D; ``block``: pairs at once."""

    block: int
    _spectra: dict = field(default_factory=dict, compare=False, repr=False)

    def grids(self, Y: Any, radials: tuple[Radial, ...]) -> dict[Radial, Grid]:
        """Choose the grid of each radial function; coordinates must be below ``FARTHEST``."""
        X, Z = map(array_of, _plane(Y))
        return {radial: grid_for(X, Z, radial, 1.0, _square_counts) for radial in radials}

    def fields(
        self, Y: Any, charges: Any, radials: tuple[Radial, ...], grids: dict[Radial, Grid] | None = None
    ) -> tuple[Field, ...]:
        """Return the field of each radial function, on ``grids`` or on the result of `grids`."""
        if not np.all(np.abs(Y) < FARTHEST):
            return tuple(Field(np.nan * Y[:, 0], np.nan * Y) for _ in radials)
        X, Z = _plane(Y)
        grids = self.grids(Y, radials) if grids is None else grids
        answer: dict[Radial, Field] = {}
        for grid in dict.fromkeys(grids.values()):
            gx, gz = (X - grid.x0) / grid.h, (Z - grid.y0) / grid.h
            ix, iz = gx.to(torch.int32), gz.to(torch.int32)
            # the point below each node, relative coordinates in its cell, and its charge
            places = ix.to(torch.int64) * grid.ny + iz, gx - ix, gz - iz, charges.tensor
            transform = torch.fft.rfft2(_spread(*places, grid), s=(grid.lx, grid.ly))
            near = _sorted(X, Z, charges.tensor, grid) if grid.near else None
            for radial in [radial for radial in grids if grids[radial] == grid]:
                spectrum, lags, smooth = self._spectrum(radial, grid, X.device)
                values = torch.fft.irfft2(transform * spectrum, s=(grid.lx, grid.ly))[: grid.nx, : grid.ny].reshape(-1)
                parts: Any = zip(*(each.split(max(1, self.block // 16)) for each in places), strict=True)
                found = torch.cat([_read(values, lags, grid, *part) for part in parts], dim=1)
                found[1:] /= grid.h
                if near is not None:
                    found = found + _near_sums(*near, radial, grid, smooth, self.block)
                answer[radial] = Field(array_of(found[0]), array_of(found[1 : Y.shape[1] + 1].T.contiguous()))
        return tuple(answer[radial] for radial in radials)

    def _spectrum(self, radial: Radial, grid: Grid, device: Any) -> tuple[Any, Any, np.ndarray]:
        """Return the kernel's transform without the splines' blur, its field at lags, its center."""
        key = (radial, grid.h, grid.lx, grid.ly, grid.near)
        if key not in self._spectra:
            number, (lx, ly) = double_or_widest(device), (grid.lx, grid.ly)
            x, y = (torch.arange(k, device=device, dtype=number) for k in (lx, ly))
            x, y = torch.minimum(x, lx - x) * grid.h, torch.minimum(y, ly - y) * grid.h
            xi = (x * x)[:, None] + y * y
            smooth = taylor(radial, grid.cutoff) if grid.near else np.zeros(4)
            near = xi < (grid.cutoff if grid.near else 0.0)
            value: Any = radial.value(array_of(torch.where(near, grid.cutoff, xi)))
            z = xi - grid.cutoff
            value = torch.where(near, smooth[0] + z * (smooth[1] + z * (smooth[2] + z * smooth[3])), value.tensor)
            # The kernel is even along both axes: its transform is real.
            spectrum = torch.fft.rfft2(value).real
            for axis, k in ((0, lx), (1, ly)):
                waves = torch.arange(spectrum.shape[axis], device=device, dtype=number) * (2.0 * np.pi / k)
                blur = ((2.0 + torch.cos(waves)) / 3.0) ** 2
                spectrum = spectrum / (blur[:, None] if axis == 0 else blur)
            lags = torch.fft.irfft2(spectrum, s=(lx, ly))[:4, :4]
            if len(self._spectra) >= SPECTRA:
                self._spectra.clear()
            self._spectra[key] = spectrum.to(torch.float32), lags, smooth
        return self._spectra[key]


def _spread(at: Any, s: Any, t: Any, charges: Any, grid: Grid) -> Any:
    """Return the charges on the grid, (nx, ny)."""
    order = torch.argsort(at, stable=True)
    cells, counts = torch.unique_consecutive(at[order], return_counts=True)
    offsets = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    shares = (_splines(s[order]) * charges[order])[:, None] * _splines(t[order])
    sums = segment_sums(shares.reshape(16, -1).T.contiguous(), offsets).to(torch.float32).T
    density = torch.zeros(grid.nx * grid.ny, dtype=torch.float32, device=charges.device)
    for shift, each in zip(_shifts(grid), sums, strict=True):
        density[cells + shift] += each  # for one shift, each cell has its own point
    return density.reshape(grid.nx, grid.ny)


def _read(values: Any, lags: Any, grid: Grid, at: Any, s: Any, t: Any, charges: Any) -> Any:
    """Return potential and gradient of nodes without their own effect, (3, n), in grid steps."""
    a, b, c, d = _splines(s), _splines(t), _slopes(s), _slopes(t)
    shifts = torch.tensor(_shifts(grid), device=at.device)
    g = values[at + shifts[:, None]].to(charges.dtype).reshape(4, 4, -1)
    along, across = (g * b).sum(dim=1), (g * d).sum(dim=1)
    (u, du), (v, dv) = _autocorrelations(a, c), _autocorrelations(b, d)
    own, steep = ((lags[:, :, None] * each).sum(dim=1) for each in (v, dv))
    inner = torch.stack([(u * own).sum(dim=0), (du * own).sum(dim=0), (u * steep).sum(dim=0)])
    outer = torch.stack([(a * along).sum(dim=0), (c * along).sum(dim=0), (a * across).sum(dim=0)])
    return outer - charges * inner


def _sorted(X: Any, Z: Any, charges: Any, grid: Grid) -> tuple[Any, ...]:
    """Return order, positions, charges of nodes by square cell, and ranges of neighbors.

    First neighbor and count, (n, 3) of each sorted node, for the rows of cells before, at and behind its own.
    """
    row, column = (((each - low) / grid.cell).to(torch.int64) for each, low in ((X, grid.x0), (Z, grid.y0)))
    rows, columns = int(row.max()) + 1, int(column.max()) + 1
    at = row * columns + column
    order = torch.argsort(at, stable=True)
    starts = torch.cat([at.new_zeros(1), torch.bincount(at, minlength=rows * columns).cumsum(0)])
    row, column = row[order], column[order]
    low, high = (column - 1).clamp(min=0), (column + 1).clamp(max=columns - 1)
    first, count = [], []
    for other in (row - 1, row, row + 1):
        inside, other = (other >= 0) & (other < rows), other.clamp(0, rows - 1)
        first.append(starts[other * columns + low])
        count.append(torch.where(inside, starts[other * columns + high + 1] - first[-1], 0))
    return order, X[order], Z[order], charges[order], torch.stack(first, dim=1), torch.stack(count, dim=1)


def _near_sums(
    order: Any, X: Any, Z: Any, charges: Any, first: Any, count: Any, radial: Radial, grid: Grid, smooth: np.ndarray,
    block: int,
) -> Any:
    """Return sums of r - R over pairs within the grid's cutoff, and their gradients, (3, n).

    R is the polynomial that the mesh has added, see `nelayout.core.sums.nbody.near_loops`.  ``block``: pairs at once.
    """
    number = torch.float32 if single_precision(radial) else X.dtype
    s0, s1, s2, s3 = smooth.tolist()
    ends, sums = count.sum(dim=1).cumsum(0), []
    goals = torch.arange(block, max(int(ends[-1]), block), block, device=ends.device)
    for start, stop in pairwise(sorted({0, *torch.searchsorted(ends, goals).tolist(), len(ends)})):
        begins, counts = first[start:stop].reshape(-1), count[start:stop].reshape(-1)
        offsets = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
        of = torch.repeat_interleave(torch.arange(len(counts), device=counts.device), counts)
        i = start + of // 3
        j = torch.arange(len(of), device=counts.device) + (begins - offsets[:-1])[of]
        dx, dz = ((each[i] - each[j]).to(number) for each in (X, Z))
        xi = dx * dx + dz * dz
        z = xi - grid.cutoff
        counted = (z < 0) & (i != j)
        xi = torch.where(counted, xi, grid.cutoff)  # r may be infinite at distance 0
        m = torch.where(counted, charges[j].to(number), 0.0)
        sums_of: Any = radial.value_and_slope(array_of(xi))
        value, slope = (each.tensor for each in sums_of)
        w = 2.0 * m * (slope - (s1 + z * (2.0 * s2 + z * (3.0 * s3))))
        parts = m * (value - (s0 + z * (s1 + z * (s2 + z * s3)))), w * dx, w * dz
        sums.append(segment_sums(torch.stack(parts, dim=1), offsets[::3].contiguous()).to(X.dtype))
    answer = torch.empty((len(order), 3), dtype=X.dtype, device=X.device)
    answer[order] = torch.cat(sums)
    return answer.T


def _plane(Y: Any) -> tuple[Any, Any]:
    """Return the two columns of the positions as tensors, the second one zeros on a line."""
    X = Y.tensor[:, 0].contiguous()
    return X, Y.tensor[:, 1].contiguous() if Y.shape[1] == 2 else X.new_zeros(len(X))


def _square_counts(X: Any, Z: Any, x0: float, y0: float, cell: float, columns: int, cells: int) -> float:
    """Compute `mesh_loops.square_counts`; whole numbers add up alike in any order."""
    x, y = ((each.tensor - low) / cell for each, low in ((X, x0), (Z, y0)))
    at = x.to(torch.int64) * columns + y.to(torch.int64)
    counts = torch.bincount(at, minlength=cells).to(double_or_widest(at.device))
    return float((counts * counts).sum())


def _shifts(grid: Grid) -> list[int]:
    """Return how far the 16 points around a node lie from the point below it."""
    return [(k - 1) * grid.ny + m - 1 for k in range(4) for m in range(4)]


def _splines(t: Any) -> Any:
    """Return weights (4, n) of the four points around a node at fraction t of its cell."""
    s = 1.0 - t
    inner = 2.0 / 3.0 - t * t * (2.0 - t) / 2.0, 2.0 / 3.0 - s * s * (2.0 - s) / 2.0
    return torch.stack([s * s * s / 6.0, *inner, t * t * t / 6.0])


def _slopes(t: Any) -> Any:
    """Return derivatives in t of the weights of `_splines`."""
    s = 1.0 - t
    return torch.stack([-s * s / 2.0, t * (1.5 * t - 2.0), s * (2.0 - 1.5 * s), t * t / 2.0])


def _autocorrelations(a: Any, c: Any) -> tuple[Any, Any]:
    """Return u_k = sum_j a_j a_{j+k}, both signs of k = 0..3, (4, n), and half its slope."""
    u = [(a[: 4 - k] * a[k:]).sum(dim=0) * (2.0 if k else 1.0) for k in range(4)]
    slope = [(a[: 4 - k] * c[k:] + (c[: 4 - k] * a[k:] if k else 0.0)).sum(dim=0) for k in range(4)]
    return torch.stack(u), torch.stack(slope)
