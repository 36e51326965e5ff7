"""Sums over the edges of row-stochastic similarities: like `matrix`, with a lambda and sums of its own for each row.

P_ij and P_ji differ, so an edge pulls its two ends by (omega_ij + omega_ji) / 2 each way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from nelayout.formula.divergences.protocol import (
    Divergence,
    PowerEdges,
    Powers,
    Similarity,
    Spread,
    UpToConstants,
    bind,
    edge_and_slope,
)
from nelayout.formula.kernels import Kernel
from nelayout.numerics.parallel import Threads
from nelayout.sums.edges.matrix import Edges

__all__ = ["RowEdgeSums", "RowEdges"]


@dataclass(frozen=True, slots=True)
class RowEdgeSums:
    """(n,) sum_j m_j edge and its slope in ln lambda_i; pull (n, d) and symmetrized omega as in `edges.EdgeSums`."""

    value: np.ndarray
    slope: np.ndarray
    pull: np.ndarray | None
    weights: np.ndarray | None


class RowEdges(Edges):
    """The symmetric pattern of P with row-stochastic values; where only row j has the pair (i, j), row i stores a 0.

    ``rows``: those values, None: P's own, each row divided by its sum.  ``spread``: each row's background, if the
    divergence has one.
    """

    def __init__(
        self, P: csr_array, rows: np.ndarray | None, mass: np.ndarray, spread: Spread | None, threads: Threads,
        compiled: bool
    ) -> None:
        super().__init__(P, mass, True, threads, compiled)
        counts = np.diff(P.indptr)
        if rows is None:
            sums = self.row_sums(P.data)
            # an edge of next to no weight stays one
            rows = np.maximum(P.data / np.repeat(np.where(sums > 0, sums, 1.0), counts), np.finfo(float).tiny)
        self.values = rows
        self.weight = float(np.sum(rows))
        self.pair_mass = mass[P.indices]
        self.spread = spread
        self.rows = np.repeat(np.arange(self.n, dtype=np.int32), counts)
        # The place of the entry (j, i) for each entry (i, j): columns are sorted, so a stable sort by column finds it.
        self.other = np.argsort(P.indices, kind="stable").astype(np.int32 if len(P.indices) < 2**31 else np.int64)
        given = rows > 0
        # A mask of the entries that are the row's own, None if all are; P_ij / m_j, 1 / m_j where the row has none.
        self.given = None if given.all() else given
        self.ratio = np.where(given, rows, 1.0) / self.pair_mass

    def symmetric(self, omega: np.ndarray) -> np.ndarray:
        """(omega_ij + omega_ji) / 2."""
        return 0.5 * (omega + omega[self.other])

    def scaled_slope(self, divergence: Divergence, b: Similarity) -> np.ndarray:
        """m_j d edge(P_ij / m_j, b) / d ln b of every entry."""
        here = divergence if self.spread is None else bind(divergence, self.spread.at(self.rows))
        return self._own(self.pair_mass * here.slope(self.ratio, b), 0, self.size)

    def _own(self, values: np.ndarray, low: int, high: int) -> np.ndarray:
        """Values of the entries low..high, 0 where the row has none."""
        return values if self.given is None else np.where(self.given[low:high], values, 0.0)

    def constants(self, divergence: Divergence) -> np.ndarray:
        """(n,) what a divergence's sum over each row's own entries lacks, beside what its pairs lack."""
        if not isinstance(divergence, UpToConstants):
            return np.zeros(self.n)
        return self.row_sums(self._own(self.pair_mass * divergence.left_out(self.ratio)[0], 0, self.size))

    def at_input(self, divergence: Divergence, kernel: Kernel) -> np.ndarray:
        """(n,) sum_j M edge(P/M, P/M): each row of a drawing as similar as the input."""
        as_input = Similarity(kernel, np.zeros(0), known=np.log(self.ratio))
        return self.row_sums(self._own(self.pair_mass * divergence.edge(self.ratio, as_input), 0, self.size))

    def sums(
        self, Y: np.ndarray, kernel: Kernel, divergence: Divergence, lam: np.ndarray, want: frozenset[str]
    ) -> RowEdgeSums:
        """``lam`` (n,): lambda of each row."""
        powers = self._powers_of(divergence) if self.by_powers else None
        if powers is None:
            value, slope, omega = self._by_arrays(Y, kernel, divergence, lam, "value" in want)
        else:
            value, slope, omega = self._by_row_powers(Y, kernel, powers, lam)
        weights = self.symmetric(omega) if "weights" in want or ("pull" in want and not self.compiled) else None
        pull = np.zeros_like(Y) if "pull" in want else None
        if pull is not None:
            out, both = pull, weights

            def draw(rows: tuple[int, int]) -> None:
                start, stop = rows
                if both is not None:
                    self._pull(Y, both[self.indptr[start] : self.indptr[stop]], start, stop, out)
                    return
                from nelayout.sums.edges import loops

                loops.pull_both(self.indptr, self.indices, omega, self.other, Y, start, stop, out)

            self.threads.map(draw, self.chunks)
        return RowEdgeSums(value, slope, pull, weights if "weights" in want else None)

    def _by_arrays(
        self, Y: np.ndarray, kernel: Kernel, divergence: Divergence, lam: np.ndarray, value: bool
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values and slopes (n,), and omega_ij of every entry, whatever the divergence."""
        with np.errstate(divide="ignore"):
            log_lam = np.log(lam)
        each, slope, omega = (np.zeros_like(self.values) for _ in range(3))

        @np.errstate(over="ignore", invalid="ignore", divide="ignore")
        def work(rows: tuple[int, int]) -> None:
            start, stop = rows
            low, high = self.indptr[start], self.indptr[stop]
            own = self.rows[low:high]
            xi = self._squared_lengths(Y, start, stop)
            here = divergence if self.spread is None else bind(divergence, self.spread.at(own))
            similarity = Similarity(kernel, xi, lam[own], kernel.log(xi) + log_lam[own])
            m, x = self.pair_mass[low:high], self.ratio[low:high]
            if value:
                edge, steep = edge_and_slope(here, x, similarity)
                each[low:high] = self._own(m * edge, low, high)
            else:
                steep = here.slope(x, similarity)
            slope[low:high] = self._own(m * steep, low, high)
            omega[low:high] = -kernel.decay(xi) * slope[low:high]

        self.threads.map(work, self.chunks)
        return self.row_sums(each if value else each[:0]), self.row_sums(slope), omega

    def _by_row_powers(
        self, Y: np.ndarray, kernel: Kernel, powers: Powers, lam: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The sums of `_by_arrays` for a divergence with one power of b, of ``powers`` with a constant for each row."""
        from nelayout.sums.edges import loops

        sums, omega = np.zeros(self.n), np.empty(self.size)
        with np.errstate(divide="ignore"):
            log_lam = np.log(lam)

        def work(rows: tuple[int, int]) -> None:
            loops.row_power_sums(
                self.indptr, self.indices, powers.factor, Y, kernel.a, kernel.b, kernel.c, log_lam,
                powers.order, *rows, sums, omega, loops.room_for(self.longest, 2)
            )

        self.threads.map(work, self.chunks)
        slope = powers.order * sums if powers.order else self.row_sums(powers.factor)
        return sums + powers.constant, slope, omega

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def _powers_of(self, divergence: Divergence) -> Powers | None:
        """m_j edge of every entry as a power of b, with the sum of the constants of each row (n,).

        None for Box-Cox forms of orders other than 0, too: their slopes would need a second sum over each row.
        """
        if self._powers is None or self._powers[0] is not divergence:
            here = divergence if self.spread is None else bind(divergence, self.spread.at(self.rows))
            found = here.edge_powers(self.ratio) if isinstance(here, PowerEdges) else None
            if found is not None and found.form == "boxcox" and found.order:
                found = None
            if found is not None:
                factor, constant = (
                    self._own(self.pair_mass * part, 0, self.size) for part in (found.factor, found.constant)
                )
                found = Powers(found.order, factor, self.row_sums(constant), found.form)
            self._powers = divergence, found
        return self._powers[1]
