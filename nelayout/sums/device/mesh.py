"""Particle-mesh sums on a device: the method of `nelayout.sums.nbody.mesh`, with PyTorch.

The grid and its error are the same as on the CPU.  Charges are spread cell by cell.  Nodes are sorted by cell, and
their weights for each of the 16 points around are summed over the cell.  Each sum is added to its point.  So no two
threads add to one number, and the bits do not change.

Near pairs, which a coarse grid cannot resolve, are added one by one.  Nodes are sorted by larger cells.  The neighbors
of a node are then three ranges of nodes, one in each row of cells.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from nelayout.formula.kernels import Radial
from nelayout.numerics.pytorch import torch_module
from nelayout.sums.device.arrays import array_of, double_or_widest, segment_sums
from nelayout.sums.nbody.field import Field
from nelayout.sums.nbody.grid import Grid, grid_for
from nelayout.sums.nbody.mesh import FARTHEST, SPECTRA, TOLERANCE, single_precision, taylor

__all__ = ["DeviceMesh"]


@dataclass(frozen=True, slots=True)
class DeviceMesh:
    """Sums in O(n + grid log grid) on a device, in 1-D or 2-D; ``block``: pairs at once."""

    block: int
    name: str = "mesh"
    tolerance: float = TOLERANCE
    _spectra: dict = field(default_factory=dict, compare=False, repr=False)

    def grids(self, Y: Any, radials: tuple[Radial, ...]) -> dict[Radial, Grid]:
        """Choose the grid of each radial function; coordinates must be below ``FARTHEST``."""
        X, Z = _plane(Y)
        return {radial: grid_for(array_of(X), array_of(Z), radial, 1.0, _square_counts) for radial in radials}

    def fields(
        self, Y: Any, charges: Any, radials: tuple[Radial, ...], grids: dict[Radial, Grid] | None = None
    ) -> tuple[Field, ...]:
        """Return the field of each radial function, on ``grids`` or on the result of `grids`."""
        if not np.all(np.abs(Y) < FARTHEST):
            return tuple(Field(np.nan * Y[:, 0], np.nan * Y) for _ in radials)
        torch, (X, Z) = torch_module(), _plane(Y)
        grids = self.grids(Y, radials) if grids is None else grids
        answer: dict[Radial, Field] = {}
        for grid in dict.fromkeys(grids.values()):
            places = _Places.of(X, Z, grid)
            transform = torch.fft.rfft2(places.spread(charges.tensor, grid), s=(grid.lx, grid.ly))
            nodes = _Sorted.of(X, Z, charges.tensor, grid) if grid.near else None
            for radial in [radial for radial in grids if grids[radial] == grid]:
                spectrum, lags, smooth = self._spectrum(radial, grid, X.device)
                values = torch.fft.irfft2(transform * spectrum, s=(grid.lx, grid.ly))[: grid.nx, : grid.ny]
                p, px, pz = places.read(values, charges.tensor, lags, grid, self.block)
                if nodes is not None:
                    more, mx, mz = _near_sums(nodes, radial, grid, smooth, self.block)
                    p, px, pz = p + more, px + mx, pz + mz
                answer[radial] = Field(array_of(p), array_of(torch.stack([px, pz][: Y.shape[1]], dim=1)))
        return tuple(answer[radial] for radial in radials)

    def _spectrum(self, radial: Radial, grid: Grid, device: Any) -> tuple[Any, list[list[float]], np.ndarray]:
        """Return the kernel's transform without the splines' blur, its field at lags, its center."""
        torch = torch_module()
        key = (radial, grid.h, grid.lx, grid.ly, grid.near)
        if key not in self._spectra:
            number, (lx, ly) = double_or_widest(device), (grid.lx, grid.ly)
            x, y = (torch.arange(k, device=device, dtype=number) for k in (lx, ly))
            x, y = torch.minimum(x, lx - x) * grid.h, torch.minimum(y, ly - y) * grid.h
            xi = (x * x)[:, None] + y * y
            smooth = taylor(radial, grid.cutoff) if grid.near else np.zeros(4)
            near = xi < grid.cutoff if grid.near else torch.zeros_like(xi, dtype=torch.bool)
            value: Any = radial.value(array_of(torch.where(near, grid.cutoff, xi)))
            z = xi - grid.cutoff
            value = torch.where(near, smooth[0] + z * (smooth[1] + z * (smooth[2] + z * smooth[3])), value.tensor)
            # The kernel is even along both axes: its transform is real.
            spectrum = torch.fft.rfft2(value).real
            for axis, k in ((0, lx), (1, ly)):
                waves = torch.arange(spectrum.shape[axis], device=device, dtype=number) * (2.0 * np.pi / k)
                blur = ((2.0 + torch.cos(waves)) / 3.0) ** 2
                spectrum = spectrum / (blur[:, None] if axis == 0 else blur)
            lags = torch.fft.irfft2(spectrum, s=(lx, ly))[:4, :4].tolist()
            if len(self._spectra) >= SPECTRA:
                self._spectra.clear()
            self._spectra[key] = spectrum.to(torch.float32), lags, smooth
        return self._spectra[key]


@dataclass(frozen=True, slots=True)
class _Places:
    """Nodes on a grid: the point (n,) below each, and relative coordinates (n,) in its cell."""

    at: Any
    s: Any
    t: Any

    @classmethod
    def of(cls, X: Any, Z: Any, grid: Grid) -> _Places:
        torch = torch_module()
        gx, gz = (X - grid.x0) / grid.h, (Z - grid.y0) / grid.h
        ix, iz = gx.to(torch.int32), gz.to(torch.int32)
        return cls(ix.to(torch.int64) * grid.ny + iz, gx - ix, gz - iz)

    def spread(self, charges: Any, grid: Grid) -> Any:
        """Return the charges on the grid, (nx, ny)."""
        torch = torch_module()
        order = torch.argsort(self.at, stable=True)
        cells, counts = torch.unique_consecutive(self.at[order], return_counts=True)
        offsets = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
        a, b = _spline(self.s[order]), _spline(self.t[order])
        density = torch.zeros(grid.nx * grid.ny, dtype=torch.float32, device=charges.device)
        for k in range(4):
            weight = a[k] * charges[order]
            for m in range(4):
                sums = segment_sums(weight * b[m], offsets).to(torch.float32)
                points = cells + ((k - 1) * grid.ny + m - 1)
                density[points] = density[points] + sums  # for one k and m, each cell has its own point
        return density.reshape(grid.nx, grid.ny)

    def read(
        self, values: Any, charges: Any, lags: list[list[float]], grid: Grid, block: int
    ) -> tuple[Any, Any, Any]:
        """Return potential and gradient (n,) along both axes, without each node's own effect."""
        torch = torch_module()
        parts = zip(*(each.split(block) for each in (self.at, self.s, self.t, charges)), strict=True)
        found = [_Places(at, s, t)._read(values, m, lags, grid) for at, s, t, m in parts]
        p, px, pz = (torch.cat(each) for each in zip(*found, strict=True))
        return p, px, pz

    def _read(self, values: Any, charges: Any, lags: list[list[float]], grid: Grid) -> tuple[Any, Any, Any]:
        a, b, c, d = _spline(self.s), _spline(self.t), _spline_slope(self.s), _spline_slope(self.t)
        flat = values.reshape(-1)
        p, px, pz = 0.0, 0.0, 0.0
        for k in range(4):
            value, steep = 0.0, 0.0
            for m in range(4):
                g = flat[self.at + ((k - 1) * grid.ny + m - 1)].to(charges.dtype)
                value, steep = value + b[m] * g, steep + d[m] * g
            p, px, pz = p + a[k] * value, px + c[k] * value, pz + a[k] * steep
        (u, du), (v, dv) = _autocorrelations(a, c), _autocorrelations(b, d)
        for k in range(4):
            value = sum(v[m] * lags[k][m] for m in range(4))
            steep = sum(dv[m] * lags[k][m] for m in range(4))
            p, px, pz = p - charges * (u[k] * value), px - charges * (du[k] * value), pz - charges * (u[k] * steep)
        return p, px / grid.h, pz / grid.h


class _Sorted(NamedTuple):
    """Nodes sorted by square cell, as tensors: order, positions, charges, ranges of neighbors.

    first, count  (3, n) of each sorted node, for the rows of cells before, at and behind its own.
    """

    order: Any
    X: Any
    Z: Any
    charges: Any
    first: Any
    count: Any

    @classmethod
    def of(cls, X: Any, Z: Any, charges: Any, grid: Grid) -> _Sorted:
        torch = torch_module()
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
            begin = starts[other * columns + low]
            first.append(begin)
            count.append(torch.where(inside, starts[other * columns + high + 1] - begin, 0))
        return cls(order, X[order], Z[order], charges[order], torch.stack(first), torch.stack(count))


def _near_sums(nodes: _Sorted, radial: Radial, grid: Grid, smooth: np.ndarray, block: int) -> tuple[Any, Any, Any]:
    """Return sums (n,) of r - R over pairs within the grid's cutoff, and their gradients.

    R is the polynomial that the mesh has added, see `nelayout.sums.nbody.near_loops`.  ``block``: pairs at once.
    """
    torch = torch_module()
    number = torch.float32 if single_precision(radial) else nodes.X.dtype
    sums = nodes.X.new_zeros((3, len(nodes.X)))
    for first, count in zip(nodes.first, nodes.count, strict=True):
        for start, stop in _ranges(count, block):
            counts = count[start:stop]
            offsets = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
            i = torch.repeat_interleave(torch.arange(start, stop, device=counts.device), counts)
            j = torch.arange(len(i), device=counts.device) + (first[start:stop] - offsets[:-1])[i - start]
            dx, dz = (each[i] - each[j] for each in (nodes.X, nodes.Z))
            dx, dz = dx.to(number), dz.to(number)
            xi = dx * dx + dz * dz
            z = xi - grid.cutoff
            counted = (z < 0) & (i != j)
            xi = torch.where(counted, xi, grid.cutoff)  # r may be infinite at distance 0
            m = torch.where(counted, nodes.charges[j].to(number), 0.0)
            sums_of: Any = radial.value_and_slope(array_of(xi))
            value, slope = (each.tensor for each in sums_of)
            s0, s1, s2, s3 = smooth.tolist()
            w = m * (slope - (s1 + z * (2.0 * s2 + z * (3.0 * s3))))
            parts = m * (value - (s0 + z * (s1 + z * (s2 + z * s3)))), 2.0 * w * dx, 2.0 * w * dz
            for total, part in zip(sums, parts, strict=True):
                total[start:stop] += segment_sums(part, offsets).to(total.dtype)
    answer = torch.empty_like(sums)
    answer[:, nodes.order] = sums
    return answer[0], answer[1], answer[2]


def _ranges(count: Any, block: int) -> list[tuple[int, int]]:
    """Return ranges of nodes with about one block of pairs each."""
    torch = torch_module()
    ends = count.cumsum(0)
    total = int(ends[-1])
    goals = torch.arange(block, max(total, block), block, device=ends.device)
    cuts = [0, *torch.searchsorted(ends, goals).tolist(), len(count)]
    return list(pairwise(sorted(set(cuts))))


def _plane(Y: Any) -> tuple[Any, Any]:
    """Return the two columns of the positions as tensors, the second one zeros on a line."""
    X = Y.tensor[:, 0].contiguous()
    return X, Y.tensor[:, 1].contiguous() if Y.shape[1] == 2 else X.new_zeros(len(X))


def _square_counts(X: Any, Z: Any, x0: float, y0: float, cell: float, columns: int, cells: int) -> float:
    """Compute `grid.square_counts` on the device; whole numbers add up alike in any order."""
    torch = torch_module()
    x, y = ((each.tensor - low) / cell for each, low in ((X, x0), (Z, y0)))
    at = x.to(torch.int64) * columns + y.to(torch.int64)
    counts = torch.bincount(at, minlength=cells).to(double_or_widest(at.device))
    return float((counts * counts).sum())


def _spline(t: Any) -> tuple[Any, Any, Any, Any]:
    """Return weights of the four points around a node at fraction t of its cell."""
    s = 1.0 - t
    return s * s * s / 6.0, 2.0 / 3.0 - t * t * (2.0 - t) / 2.0, 2.0 / 3.0 - s * s * (2.0 - s) / 2.0, t * t * t / 6.0


def _spline_slope(t: Any) -> tuple[Any, Any, Any, Any]:
    """Return derivatives in t of the weights of `_spline`."""
    s = 1.0 - t
    return -s * s / 2.0, t * (1.5 * t - 2.0), s * (2.0 - 1.5 * s), t * t / 2.0


def _autocorrelations(a: tuple[Any, ...], c: tuple[Any, ...]) -> tuple[list[Any], list[Any]]:
    """Return u_k = sum_j a_j a_{j+k} over both signs of k = 0..3, and half its slope (c: a')."""
    u, slope = [], []
    for k in range(4):
        u.append(sum(a[j] * a[j + k] for j in range(4 - k)) * (2.0 if k else 1.0))
        slope.append(sum(a[j] * c[j + k] + (c[j] * a[j + k] if k else 0.0) for j in range(4 - k)))
    return u, slope
