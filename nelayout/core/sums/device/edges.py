"""Sums over edges on a device: `nelayout.core.sums.edges` with arrays on the device.

Entries are processed in ranges of rows that fit into the device's block, which bounds the memory.  Rows are summed
segment by segment, without atomic additions, so equal positions give the same bits.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from nelayout.core.formula.divergences.protocol import BackgroundShare, Powers
from nelayout.core.formula.kernels import Kernel
from nelayout.core.similarities.random_walk import RandomWalk
from nelayout.core.sums.device.arrays import array_of, rows_of, segment_sums
from nelayout.core.sums.edges.matrix import Edges, row_ranges
from nelayout.numerics.conjugate_gradients import conjugate_gradients

__all__ = ["DeviceEdges", "walk_on"]


class DeviceEdges(Edges):
    """`Edges` of one graph, brought to the device ``on``."""

    on: Any
    indices: Any

    def __init__(self, on: Any, plain: Edges) -> None:
        vars(self).update(vars(plain), on=on, chunks=row_ranges(plain.indptr, on.block), by_powers=True)
        self.offsets = on.array(plain.indptr.astype(np.int64)).tensor
        self.rows, self.measure = on.array(plain.rows), on.array(plain.measure_of(0, plain.n))
        self.other = on.array(plain.other) if plain.by_rows else None
        for name in ("indices", "values", "ratio", "given", "pair_mass"):
            each = getattr(plain, name)
            setattr(self, name, None if each is None else on.array(each))
        if plain.spread is not None:
            given = plain.spread.eps, plain.spread.missing
            self.spread = BackgroundShare(*(on.array(x) if np.ndim(x) else x for x in given))

    def measure_of(self, start: int, stop: int) -> Any:
        """Return M of the entries of rows start..stop."""
        return self.measure[self.indptr[start] : self.indptr[stop]]

    def row_sums(self, weights: Any) -> Any:
        """Return (n,) sum_j w_ij."""
        here = self.on.array(weights).tensor
        return array_of(segment_sums(here, self.offsets) if len(here) else here.new_zeros(self.n))

    def _sums_of_chunk(self, each: Any, start: int, stop: int) -> Any:
        return array_of(segment_sums(each.tensor, self.offsets[start : stop + 1] - int(self.indptr[start])))

    def _room(self) -> Any:
        return self.on.array(np.zeros(self.n))

    def _lengths_and_ends(self, Y: Any, start: int, stop: int, here: slice) -> tuple[Any, Any]:
        there = self.on.array(Y).tensor
        apart = rows_of(there, self.rows.tensor[here]) - rows_of(there, self.indices.tensor[here])
        return array_of((apart * apart).sum(dim=1)), array_of(apart)

    def _pull(self, Y: Any, omega: Any, start: int, stop: int, here: slice, out: Any, ends: Any = None) -> None:
        apart = self._lengths_and_ends(Y, start, stop, here)[1] if ends is None else self.on.array(ends)
        out[start:stop] = self._sums_of_chunk(apart * omega[:, None], start, stop)

    def _by_powers(self, Y: Any, kernel: Kernel, powers: Powers, lam: Any, pull: Any, omega: Any) -> tuple[Any, Any]:
        order, values, slopes = powers.order, self._room(), self._room()
        log_lam: Any = np.log(lam) if np.ndim(lam) else math.log(lam) if lam > 0 else -math.inf
        for start, stop, here in self.chunks:
            xi, apart = self._lengths_and_ends(Y, start, stop, here)
            factor = powers.times * powers.factor[here]
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
                self._pull(Y, attraction, start, stop, here, pull, apart)
        return values + powers.constant, slopes

    def solve(
        self, weights: Any, scale: float, ridge: Any, right: Any, tolerance: float, max_iter: int, free: Any = None
    ) -> Any:
        """Return X (n, d) with (scale L_w + ridge) X = right, see `Edges.solve`."""
        right, weights = self.on.array(right), self.on.array(weights)
        diagonal = scale * self.row_sums(weights) + (ridge if np.ndim(ridge) == 0 else self.on.array(ridge))
        matrix = DeviceMatrix(self.on, self.chunks, self.offsets, self.indices.tensor, weights.tensor)

        def times(X: Any) -> Any:
            return diagonal[:, None] * X - scale * (matrix @ X)

        return conjugate_gradients(times, diagonal, right, tolerance=tolerance, max_iter=max_iter, free=free)


@dataclass(frozen=True)
class DeviceMatrix:
    """A CSR matrix (n, n) on a device, in chunks of rows, for ``matrix @ X``, X (n, d)."""

    on: Any
    chunks: list[tuple[int, int, slice]]
    offsets: Any
    indices: Any
    data: Any

    def __matmul__(self, X: Any) -> Any:
        X = self.on.array(X)
        answer = np.zeros_like(X)
        for start, stop, here in self.chunks:
            parts = rows_of(X.tensor, self.indices[here]) * self.data[here, None]
            answer[start:stop] = array_of(segment_sums(parts, self.offsets[start : stop + 1] - here.start))
        return answer


def walk_on(on: Any, walk: RandomWalk) -> RandomWalk:
    """Return the walk with its matrix, sums over rows and bounds on a device."""
    other, S = copy.copy(walk), walk.S
    arrays = (on.array(each).tensor for each in (S.indptr.astype(np.int64), S.indices, S.data))
    matrix = DeviceMatrix(on, row_ranges(S.indptr, on.block), *arrays)
    sums = {name: on.array(getattr(walk, name)) for name in ("row_sums", "attraction", "to_others")}
    vars(other).update(**sums, S=matrix)
    return other
