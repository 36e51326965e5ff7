"""Products with a sparse matrix on a device, row by row in a fixed order."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.similarities.random_walk import RandomWalk
from nelayout.sums.device.arrays import array_of, rows_of, segment_sums
from nelayout.sums.edges.matrix import row_ranges

__all__ = ["DeviceMatrix", "products", "walk_on"]


class DeviceMatrix:
    """A CSR matrix (n, n) on a device, for products ``matrix @ X`` with arrays (n, d) there."""

    def __init__(self, on: Any, matrix: csr_array) -> None:
        self.on, self.indptr = on, matrix.indptr
        self.offsets = on.array(matrix.indptr.astype(np.int64)).tensor
        self.indices, self.data = on.array(matrix.indices).tensor, on.array(matrix.data).tensor

    def __matmul__(self, X: Any) -> Any:
        ranges = row_ranges(self.indptr, self.on.block)
        return products(ranges, self.indptr, self.offsets, self.indices, self.data, self.on.array(X))


def products(ranges: Iterable[tuple[int, int]], indptr: np.ndarray, offsets: Any, indices: Any, data: Any, X: Any):
    """Return (n, d) sum_j data_ij x_j by ranges of rows; ``offsets``: ``indptr`` on device."""
    answer = np.zeros_like(X)
    for start, stop in ranges:
        here = slice(indptr[start], indptr[stop])
        parts = rows_of(X.tensor, indices[here]) * data[here, None]
        answer[start:stop] = array_of(segment_sums(parts, offsets[start : stop + 1] - int(indptr[start])))
    return answer


def walk_on(on: Any, walk: RandomWalk) -> RandomWalk:
    """Return the walk with its matrix, sums over rows and bounds on a device."""
    other: Any = copy.copy(walk)
    other.row_sums, other.attraction = on.array(walk.row_sums), on.array(walk.attraction)
    other.S = DeviceMatrix(on, walk.S)
    return other
