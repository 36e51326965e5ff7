"""Sums over edges on a device: `nelayout.sums.edges` with arrays on the device.

Entries are processed in ranges of rows that fit into the device's block, which bounds the memory.  Rows are summed
segment by segment, without atomic additions, so equal positions give the same bits.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.formula.divergences.protocol import Powers, Spread
from nelayout.formula.kernels import Kernel
from nelayout.numerics.conjugate_gradients import conjugate_gradients
from nelayout.numerics.groups import Groups
from nelayout.numerics.parallel import Threads
from nelayout.similarities.random_walk import RandomWalk
from nelayout.sums.device.arrays import array_of, rows_of, segment_sums
from nelayout.sums.edges.matrix import Edges, row_ranges

__all__ = ["DeviceEdges", "walk_on"]


class DeviceEdges(Edges):
    """`Edges` with arrays on a device."""

    def __init__(
        self, on: Any, P: Any, mass: np.ndarray, linear: bool, *, groups: Groups, rows: Any, spread: Spread | None
    ) -> None:
        super().__init__(P, np.asarray(mass), linear, Threads(), False, groups=groups, rows=rows, spread=spread)
        self.on = on
        self.offsets = on.array(self.indptr.astype(np.int64))
        self.rows, self.other = on.array(self.rows), on.array(self.other) if self.by_rows else None
        self.measure, self.given, self.pair_mass = (
            None if each is None else on.array(each)
            for each in (self.measure_of(0, self.n), self.given, self.pair_mass)
        )
        self.indices, self.values, self.ratio = on.array(self.indices), on.array(self.values), on.array(self.ratio)
        self.chunks = list(row_ranges(self.indptr, on.block))
        self.by_powers = True
        if spread is not None:
            self.spread = Spread(*(x if np.ndim(x) == 0 else on.array(x) for x in (spread.eps, spread.missing)))

    def measure_of(self, start: int, stop: int) -> Any:
        """Return M of the entries of rows start..stop."""
        if not hasattr(self, "measure"):  # not brought to the device yet
            return super().measure_of(start, stop)
        return self.measure[self.indptr[start] : self.indptr[stop]]

    def _apart(self, Y: np.ndarray, start: int, stop: int) -> Any:
        """Return the (m, d) tensor y_i - y_j of the entries of rows start..stop."""
        here, entries = self.on.array(Y).tensor, slice(self.indptr[start], self.indptr[stop])
        return rows_of(here, self.rows.tensor[entries]) - rows_of(here, self.indices.tensor[entries])

    def _lengths_and_ends(self, Y: np.ndarray, start: int, stop: int) -> tuple[Any, Any]:
        apart = self._apart(Y, start, stop)
        return array_of((apart * apart).sum(dim=1)), array_of(apart)

    def _pull(self, Y: np.ndarray, omega: Any, start: int, stop: int, out: Any, ends: Any = None) -> None:
        apart = self._apart(Y, start, stop) if ends is None else self.on.array(ends).tensor
        out[start:stop] = self._pulls(apart, omega, start, stop)

    def _pulls(self, apart: Any, omega: Any, start: int, stop: int) -> Any:
        """Return sum_j omega_ij (y_i - y_j) of rows start..stop."""
        weighted = apart * omega.tensor[:, None]
        return array_of(segment_sums(weighted, self.offsets.tensor[start : stop + 1] - int(self.indptr[start])))

    def row_sums(self, weights: Any) -> Any:
        """Return (n,) sum_j w_ij."""
        if not hasattr(self, "offsets"):  # not brought to the device yet
            return super().row_sums(weights)
        here = self.on.array(weights).tensor
        return array_of(segment_sums(here, self.offsets.tensor) if len(here) else here.new_zeros(self.n))

    def _sums_of_chunk(self, each: Any, start: int, stop: int) -> Any:
        if not hasattr(self, "offsets"):
            return super()._sums_of_chunk(each, start, stop)
        return array_of(segment_sums(each.tensor, self.offsets.tensor[start : stop + 1] - int(self.indptr[start])))

    def _room(self) -> Any:
        return self.on.array(np.zeros(self.n))

    def _by_powers(self, Y: Any, kernel: Kernel, powers: Powers, lam: Any, pull: Any, omega: Any) -> tuple[Any, Any]:
        order, values, slopes = powers.order, self._room(), self._room()
        log_lam: Any = np.log(lam) if np.ndim(lam) else math.log(lam) if lam > 0 else -math.inf
        for start, stop in self.chunks:
            here = slice(self.indptr[start], self.indptr[stop])
            factor, apart = powers.times * powers.factor[here], self._apart(Y, start, stop)
            xi = array_of((apart * apart).sum(dim=1))
            log_b = kernel.log(xi) + (log_lam[self.rows[here]] if np.ndim(lam) else log_lam)
            if order == 0:
                each, slope = factor * log_b, factor
            elif powers.form == "boxcox":
                power = np.exp(order * log_b)
                each, slope = factor * ((power - 1.0) / order), factor * power
            else:
                each = factor * np.exp(order * log_b)
                slope = order * each
            values[start:stop] = self._sums_of_chunk(each, start, stop)
            slopes[start:stop] = self._sums_of_chunk(slope, start, stop)
            attraction = -kernel.decay(xi) * slope
            if omega is not None:
                omega[here] = attraction
            if pull is not None:
                pull[start:stop] = self._pulls(apart, attraction, start, stop)
        return values + powers.constant, slopes

    def solve(
        self, weights: Any, scale: float, ridge: Any, right: Any, tolerance: float, max_iter: int, free: Any = None
    ) -> Any:
        """Return X (n, d) with (scale L_w + ridge) X = right, see `Edges.solve`."""
        right, weights = self.on.array(right), self.on.array(weights)
        diagonal = scale * self.row_sums(weights) + (ridge if np.ndim(ridge) == 0 else self.on.array(ridge))

        pattern = self.chunks, self.indptr, self.offsets.tensor, self.indices.tensor

        def times(X: Any) -> Any:
            return diagonal[:, None] * X - scale * _products(*pattern, weights.tensor, X)

        return conjugate_gradients(times, diagonal, right, tolerance=tolerance, max_iter=max_iter, free=free)


class DeviceMatrix:
    """A CSR matrix (n, n) on a device, for products ``matrix @ X`` with arrays (n, d) there."""

    def __init__(self, on: Any, matrix: csr_array) -> None:
        self.on, self.indptr = on, matrix.indptr
        self.offsets = on.array(matrix.indptr.astype(np.int64)).tensor
        self.indices, self.data = on.array(matrix.indices).tensor, on.array(matrix.data).tensor

    def __matmul__(self, X: Any) -> Any:
        ranges = row_ranges(self.indptr, self.on.block)
        return _products(ranges, self.indptr, self.offsets, self.indices, self.data, self.on.array(X))


def _products(ranges: Iterable[tuple[int, int]], indptr: np.ndarray, offsets: Any, indices: Any, data: Any, X: Any):
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
