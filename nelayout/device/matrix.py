"""Products with a sparse matrix on a device, row by row in a fixed order; random walks are made of them."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.device.arrays import array_of
from nelayout.device.segments import segment_sums
from nelayout.edges.matrix import row_ranges
from nelayout.similarities.random_walk import RandomWalk

__all__ = ["DeviceMatrix", "walk_on"]


class DeviceMatrix:
    """A CSR matrix (n, n) on a device, for products ``matrix @ X`` with arrays (n, d) there."""

    def __init__(self, on: Any, matrix: csr_array) -> None:
        self.on, self.indptr = on, matrix.indptr
        self.offsets = on.array(matrix.indptr.astype(np.int64)).tensor
        self.indices, self.data = on.array(matrix.indices).tensor, on.array(matrix.data).tensor

    def __matmul__(self, X: Any) -> Any:
        X = self.on.array(X)
        answer = np.zeros_like(X)
        for start, stop in row_ranges(self.indptr, self.on.block):
            here = slice(self.indptr[start], self.indptr[stop])
            parts = X.tensor.index_select(0, self.indices[here]) * self.data[here, None]
            offsets = self.offsets[start : stop + 1] - int(self.indptr[start])
            answer[start:stop] = array_of(segment_sums(parts, offsets))
        return answer


def walk_on(on: Any, walk: RandomWalk) -> RandomWalk:
    """The walk with its matrix, sums over rows and bounds on a device."""
    other: Any = copy.copy(walk)
    other.row_sums, other.attraction = on.array(walk.row_sums), on.array(walk.attraction)
    other.S = DeviceMatrix(on, walk.S)
    return other
