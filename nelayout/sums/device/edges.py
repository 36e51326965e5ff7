"""Sums over edges on a device: those of `nelayout.sums.edges`, whose arrays lie there and whose rows are summed there.

Entries are taken in ranges of rows that fit into the device's block, so that what is made on the way is bounded.  Rows
are summed segment by segment, without atomic additions: the same drawing gives the same bits.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nelayout.formula.divergences.protocol import Powers, Spread
from nelayout.formula.kernels import Kernel
from nelayout.numerics.conjugate_gradients import conjugate_gradients
from nelayout.numerics.parallel import Threads
from nelayout.sums.device.arrays import array_of, segment_sums
from nelayout.sums.device.matrix import products
from nelayout.sums.edges.matrix import Edges, EdgeSums, row_ranges
from nelayout.sums.edges.rows import RowEdges

__all__ = ["DeviceEdges", "DeviceRowEdges"]


class _OnDevice(Edges):
    """The parts of `Edges` that touch memory: lengths, pulls, sums over rows and the linear system."""

    on: Any  # the device; subclasses set it before all else

    def _settle(self) -> None:
        """Bring the arrays to the device, once they are made."""
        on, counts = self.on, np.diff(self.indptr)
        self.offsets = on.array(self.indptr.astype(np.int64))
        self.rows = on.array(np.repeat(np.arange(self.n, dtype=np.int32), counts))
        self.indices, self.values = on.array(self.indices), on.array(self.values)
        self.pair_mass = None if self.pair_mass is None else on.array(self.pair_mass)
        self.chunks = list(row_ranges(self.indptr, on.block))
        self.by_powers = True

    def _apart(self, Y: np.ndarray, start: int, stop: int) -> Any:
        """(m, d) tensor: y_i - y_j of the entries of some rows."""
        here, entries = self.on.array(Y).tensor, slice(self.indptr[start], self.indptr[stop])
        return here.index_select(0, self.rows.tensor[entries]) - here.index_select(0, self.indices.tensor[entries])

    def _lengths_and_ends(self, Y: np.ndarray, start: int, stop: int) -> tuple[Any, Any]:
        apart = self._apart(Y, start, stop)
        return array_of((apart * apart).sum(dim=1)), array_of(apart)

    def _pull(self, Y: np.ndarray, omega: Any, start: int, stop: int, out: Any, ends: Any = None) -> None:
        apart = self._apart(Y, start, stop) if ends is None else self.on.array(ends).tensor
        out[start:stop] = self._pulls(apart, omega, start, stop)

    def _pulls(self, apart: Any, omega: Any, start: int, stop: int) -> Any:
        """sum_j omega_ij (y_i - y_j) of some rows."""
        weighted = apart * omega.tensor[:, None]
        return array_of(segment_sums(weighted, self.offsets.tensor[start : stop + 1] - int(self.indptr[start])))

    def row_sums(self, weights: Any) -> Any:
        """sum_j w_ij."""
        if isinstance(self.indices, np.ndarray):  # not brought to the device yet
            return super().row_sums(weights)
        here = self.on.array(weights).tensor
        return array_of(segment_sums(here, self.offsets.tensor) if len(here) else here.new_zeros(self.n))

    def _by_powers(
        self, Y: np.ndarray, kernel: Kernel, powers: Powers, lam: float, pull: Any, weights: Any
    ) -> EdgeSums:
        log_lam, order = math.log(lam) if lam > 0 else -math.inf, powers.order
        value, slope = powers.constant, 0.0
        for start, stop in self.chunks:
            low, high = self.indptr[start], self.indptr[stop]
            minus, apart = powers.factor[low:high], self._apart(Y, start, stop)
            xi = array_of((apart * apart).sum(dim=1))
            log_b = kernel.log(xi) + log_lam
            if order == 0:
                each, steep = minus * log_b, minus
            elif powers.form == "boxcox":
                power = np.exp(order * log_b)
                each, steep = minus * ((power - 1.0) / order), minus * power
            else:
                each = minus * np.exp(order * log_b)
                steep = order * each
            value, slope = value - float(np.sum(each)), slope - float(np.sum(steep))
            omega = steep * kernel.decay(xi)
            if weights is not None:
                weights[low:high] = omega
            if pull is not None:
                pull[start:stop] = self._pulls(apart, omega, start, stop)
        return EdgeSums(value, slope, pull, weights)

    def solve(
        self, weights: Any, scale: float, ridge: Any, right: Any, tolerance: float, max_iter: int, free: Any = None
    ) -> Any:
        """X (n, d) with (scale L_w + ridge) X = right, see `Edges.solve`."""
        right, weights = self.on.array(right), self.on.array(weights)
        diagonal = scale * self.row_sums(weights) + (ridge if np.ndim(ridge) == 0 else self.on.array(ridge))

        pattern = self.chunks, self.indptr, self.offsets.tensor, self.indices.tensor

        def times(X: Any) -> Any:
            return diagonal[:, None] * X - scale * products(*pattern, weights.tensor, X)

        return conjugate_gradients(times, diagonal, right, tolerance=tolerance, max_iter=max_iter, free=free)


class DeviceEdges(_OnDevice):
    """`Edges` whose arrays lie on a device."""

    def __init__(self, on: Any, P: Any, mass: np.ndarray, linear: bool) -> None:
        self.on = on
        super().__init__(P, np.asarray(mass), linear, Threads(), False)
        self._settle()


class DeviceRowEdges(_OnDevice, RowEdges):
    """`RowEdges` whose arrays lie on a device."""

    def __init__(self, on: Any, P: Any, rows: Any, mass: np.ndarray, spread: Spread | None) -> None:
        self.on = on
        RowEdges.__init__(self, P, rows, np.asarray(mass), spread, Threads(), False)
        self._settle()
        self.other, self.ratio = on.array(self.other), on.array(self.ratio)
        self.given = None if self.given is None else on.array(self.given)
        if spread is not None:
            self.spread = Spread(*(x if np.ndim(x) == 0 else on.array(x) for x in (spread.eps, spread.missing)))

    def _by_row_powers(self, Y: Any, kernel: Kernel, powers: Powers, lam: Any) -> tuple[Any, Any, Any]:
        order, log_lam = powers.order, np.log(lam)
        each, omega = np.empty_like(self.values), np.empty_like(self.values)
        for start, stop in self.chunks:
            here = slice(self.indptr[start], self.indptr[stop])
            xi, factor = self._squared_lengths(Y, start, stop), powers.factor[here]
            log_b = kernel.log(xi) + log_lam[self.rows[here]]
            each[here] = factor * (np.exp(order * log_b) if order else log_b)
            omega[here] = -kernel.decay(xi) * (order * each[here] if order else factor)
        sums = self.row_sums(each)
        return sums + powers.constant, order * sums if order else self.row_sums(powers.factor), omega
