"""Near pairs on a device: the part of a split kernel that the grid cannot carry, pair by pair.

Nodes are sorted by cell, so that the nodes around one are three ranges of neighbors, one in each row of cells.  Their
pairs are written out in blocks, looked at all at once and summed node by node.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from nelayout.formula.kernels import Radial
from nelayout.numerics.pytorch import torch_module
from nelayout.sums.device.arrays import array_of, segment_sums
from nelayout.sums.nbody.grid import Grid
from nelayout.sums.nbody.mesh import single_precision

__all__ = ["Sorted", "near_sums"]


class Sorted(NamedTuple):
    """Nodes sorted by square cell, as tensors: order, places, charges, and the range of the neighbors in three rows.

    first, count  (3, n) of each sorted node, for the row of cells before its own, its own, and the next.
    """

    order: Any
    X: Any
    Z: Any
    charges: Any
    first: Any
    count: Any

    @classmethod
    def of(cls, X: Any, Z: Any, charges: Any, grid: Grid) -> Sorted:
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


def near_sums(nodes: Sorted, radial: Radial, grid: Grid, smooth: np.ndarray, block: int) -> tuple[Any, Any, Any]:
    """Sums (n,) of r - R over pairs nearer than the grid's cutoff, and their gradient along both axes.

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
            xi = torch.where(counted, xi, grid.cutoff)  # a node's own pair may be infinite
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
    """Ranges of nodes whose pairs are about a block together."""
    torch = torch_module()

    ends = count.cumsum(0)
    total = int(ends[-1])
    goals = torch.arange(block, max(total, block), block, device=ends.device)
    cuts = [0, *torch.searchsorted(ends, goals).tolist(), len(count)]
    return list(pairwise(sorted(set(cuts))))
