"""Sums over the edges: value, slope, pull and weights of the sparse half of an objective.

Small graphs are summed by NumPy, large ones by compiled loops over chunks of rows that stay in cache.  Where a
divergence looks at b through one power, the whole sum is one compiled loop; others evaluate their own formulas on the
arrays of a chunk.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from nelayout.formula.divergences.protocol import Divergence, PowerEdges, Powers, Similarity, edge_and_slope
from nelayout.formula.kernels import Kernel
from nelayout.numerics.conjugate_gradients import conjugate_gradients, laplacian_gradients
from nelayout.numerics.parallel import Threads

__all__ = ["EdgeSums", "Edges", "row_ranges"]

# Entries of a chunk, at least, and chunks, at most: both without regard to threads, so that sums keep their bits.
CHUNK, CHUNKS = 1 << 15, 64
NOTHING = np.empty(0)


@dataclass(frozen=True, slots=True)
class EdgeSums:
    """sum M edge and its slope in ln lambda, pull_i = sum_j omega_ij (y_i - y_j), omega on the pattern of P."""

    value: float
    slope: float
    pull: np.ndarray | None
    weights: np.ndarray | None


def row_ranges(indptr: np.ndarray, chunk: int) -> Iterator[tuple[int, int]]:
    """Cut the rows of a CSR pattern into ranges (start, stop) of about ``chunk`` entries, without regard to threads.

    >>> list(row_ranges(np.array([0, 2, 4, 6]), 3))
    [(0, 2), (2, 3)]
    """
    n, nnz = len(indptr) - 1, int(indptr[-1])
    if nnz <= chunk:
        if nnz:
            yield 0, n
        return
    cuts = np.searchsorted(indptr, np.arange(chunk, nnz + chunk, chunk)).clip(1, n)
    start = 0
    for stop in np.unique(cuts).tolist():
        yield start, stop
        start = stop
    if start < n:
        yield start, n


class Edges:
    """The pattern of P cut into row ranges, with its weights and the masses of its pairs."""

    def __init__(self, P: csr_array, mass: np.ndarray, linear: bool, threads: Threads, compiled: bool) -> None:
        self.indptr, self.indices, self.values = P.indptr, P.indices, P.data
        self.threads, self.compiled, self.by_powers = threads, compiled, compiled
        self.n, self.size = P.shape[0], len(P.data)
        self.longest = int(np.max(np.diff(P.indptr), initial=0))  # entries of a row
        self.weight = float(np.sum(P.data))
        # The NumPy form needs the row of every entry; the compiled form never looks at it.
        self.rows = np.repeat(np.arange(0 if compiled else self.n), 0 if compiled else np.diff(P.indptr))
        self.pair_mass: np.ndarray | None = None
        if not linear and not np.all(mass == 1.0):
            self.pair_mass = np.repeat(mass, np.diff(P.indptr)) * mass[P.indices]
        self.chunks = list(row_ranges(P.indptr, max(CHUNK, -(-self.size // CHUNKS)) if compiled else self.size))
        self._powers: tuple[Divergence, Powers | None] | None = None

    def sums(
        self, Y: np.ndarray, kernel: Kernel, divergence: Divergence, lam: float, want: frozenset[str]
    ) -> EdgeSums:
        """``want`` names what to compute beside the slope: "value", "pull", "weights"."""
        pull = np.zeros_like(Y) if "pull" in want else None
        weights = np.empty_like(self.values, dtype=np.float64) if "weights" in want else None
        powers = self._powers_of(divergence) if self.by_powers else None
        if powers is not None:
            return self._by_powers(Y, kernel, powers, lam, pull, weights)

        @np.errstate(over="ignore", invalid="ignore", divide="ignore")  # threads do not inherit the caller's
        def work(rows: tuple[int, int]) -> tuple[float, float]:
            start, stop = rows
            low, high = self.indptr[start], self.indptr[stop]
            xi, ends = self._lengths_and_ends(Y, start, stop)
            similarity = Similarity(kernel, xi, lam)
            p = self.values[low:high]
            m = None if self.pair_mass is None else self.pair_mass[low:high]
            x = p if m is None else p / m
            value = np.nan
            if "value" in want:
                each, slope = edge_and_slope(divergence, x, similarity)
                value = float(np.sum(each if m is None else each * m))
            else:
                slope = divergence.slope(x, similarity)
            if m is not None:
                slope = slope * m
            if pull is not None:
                omega = -kernel.decay(xi) * slope
                self._pull(Y, omega, start, stop, pull, ends)
                if weights is not None:
                    weights[low:high] = omega
            return value, float(np.sum(slope))

        parts = self.threads.map(work, self.chunks)
        return EdgeSums(sum(v for v, _ in parts), sum(s for _, s in parts), pull, weights)

    def _by_powers(
        self, Y: np.ndarray, kernel: Kernel, powers: Powers, lam: float, pull: np.ndarray | None,
        weights: np.ndarray | None
    ) -> EdgeSums:
        """The sums of a divergence with one power of b, given as `_powers_of` gives it."""
        from nelayout.sums.edges import loops

        keep = NOTHING if weights is None else weights
        out = np.empty_like(Y) if pull is None else pull
        log_lam = math.log(lam) if lam > 0 else -math.inf
        form = "log" if powers.form == "boxcox" and powers.order == 0 else powers.form
        add = loops.POWER_SUMS[form, Y.shape[1] == 2]

        def work(rows: tuple[int, int]) -> tuple[float, float]:
            return add(
                self.indptr, self.indices, powers.factor, Y, kernel.a, kernel.b, kernel.c, log_lam, powers.order,
                *rows, weights is not None, out, keep, loops.room_for(self.longest, 2 + Y.shape[1])
            )

        parts = self.threads.map(work, self.chunks)
        value = sum(v for v, _ in parts) + powers.constant
        return EdgeSums(value, sum(s for _, s in parts), pull, weights)

    def _powers_of(self, divergence: Divergence) -> Powers | None:
        """Minus M edge of every entry as a power of b, and the sum of the constants; None where it is not one power.

        It is kept while the divergence stays the same.
        """
        if self._powers is None or self._powers[0] is not divergence:
            self._powers = divergence, self._split(divergence) if isinstance(divergence, PowerEdges) else None
        return self._powers[1]

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def _split(self, divergence: PowerEdges) -> Powers | None:
        m = self.pair_mass
        found = divergence.edge_powers(self.values if m is None else self.values / m)
        if found is None:
            return None
        factor, constant = (part if m is None else m * part for part in (found.factor, found.constant))
        return Powers(found.order, -factor, float(np.sum(constant)), found.form)

    def node_values(self, Y: np.ndarray, kernel: Kernel, divergence: Divergence, lam: float) -> np.ndarray:
        """(n,) sum_j M_ij edge(P_ij / M_ij, lambda q_ij)."""
        each = np.empty_like(self.values, dtype=np.float64)
        for start, stop in self.chunks:
            low, high = self.indptr[start], self.indptr[stop]
            similarity = Similarity(kernel, self._squared_lengths(Y, start, stop), lam)
            if self.pair_mass is None:
                each[low:high] = divergence.edge(self.values[low:high], similarity)
            else:
                m = self.pair_mass[low:high]
                each[low:high] = m * divergence.edge(self.values[low:high] / m, similarity)
        return self.row_sums(each)

    def scaled_slope(self, divergence: Divergence, b: Similarity) -> np.ndarray:
        """M_ij d edge(P_ij / M_ij, b) / d ln b of every entry."""
        if self.pair_mass is None:
            return divergence.slope(self.values, b)
        return self.pair_mass * divergence.slope(self.values / self.pair_mass, b)

    def _squared_lengths(self, Y: np.ndarray, start: int, stop: int) -> np.ndarray:
        return self._lengths_and_ends(Y, start, stop)[0]

    def _lengths_and_ends(self, Y: np.ndarray, start: int, stop: int) -> tuple[np.ndarray, np.ndarray | None]:
        """Squared lengths of the entries, and y_i - y_j of each where NumPy takes them."""
        if self.compiled:
            from nelayout.sums.edges import loops

            xi = np.empty(self.indptr[stop] - self.indptr[start])
            loops.squared_lengths(self.indptr, self.indices, Y, start, stop, xi)
            return xi, None
        ends = Y.take(self.rows, axis=0)
        ends -= Y.take(self.indices, axis=0)
        return np.einsum("ij,ij->i", ends, ends), ends

    def _pull(
        self, Y: np.ndarray, omega: np.ndarray, start: int, stop: int, out: np.ndarray, ends: np.ndarray | None = None
    ) -> None:
        """Sum omega (y_i - y_j) over the entries of each row; ``ends``: the differences, if they are known."""
        if self.compiled:
            from nelayout.sums.edges import loops

            loops.pull(self.indptr, self.indices, omega, self.indptr[start], Y, start, stop, out)
            return
        ends = Y[self.rows] - Y[self.indices] if ends is None else ends
        for c in range(Y.shape[1]):
            out[:, c] = np.bincount(self.rows, omega * ends[:, c], minlength=self.n)

    def solve(
        self,
        weights: np.ndarray,
        scale: float,
        ridge: float | np.ndarray,
        right: np.ndarray,
        tolerance: float,
        max_iter: int,
        free: np.ndarray | None = None,
    ) -> np.ndarray:
        """X (n, d) with (scale L_w + ridge) X = right, by conjugate gradients; 0 where ``free`` (n, d) is False.

        ``ridge`` is a number times I, or a diagonal (n,).
        """
        sums = self.row_sums(weights)
        ridges = np.full(self.n, ridge)
        if self.compiled:
            graph = (self.indptr, self.indices, weights)
            return laplacian_gradients(
                graph, scale, ridges, sums, right, self.threads, tolerance=tolerance, max_iter=max_iter, free=free
            )
        matrix = csr_array((weights, self.indices, self.indptr), shape=(self.n, self.n))
        diagonal = (scale * sums + ridges)[:, None]

        def times(X: np.ndarray) -> np.ndarray:
            return diagonal * X - scale * (matrix @ X)

        return conjugate_gradients(
            times, diagonal[:, 0], right, tolerance=tolerance, max_iter=max_iter, free=free
        )

    def stretch(self, weights: np.ndarray, Y: np.ndarray) -> float:
        """tr(Y^T L_w Y) = 1/2 sum_ij w_ij |y_i - y_j|^2, the work of a stretch of the whole drawing Y (n, d)."""
        parts = []
        for start, stop in self.chunks:
            xi = self._squared_lengths(Y, start, stop)
            parts.append(float(np.sum(weights[self.indptr[start] : self.indptr[stop]] * xi)))
        return 0.5 * sum(parts)

    def row_sums(self, weights: np.ndarray) -> np.ndarray:
        """sum_j w_ij."""
        if not len(weights):
            return np.zeros(self.n)
        answer = np.zeros(self.n)
        if self.compiled:
            from nelayout.sums.edges import loops

            def work(rows: tuple[int, int]) -> None:
                loops.row_sums(self.indptr, weights, *rows, answer)

            self.threads.map(work, self.chunks)
            return answer
        filled = self.indptr[:-1] < self.indptr[1:]
        answer[filled] = np.add.reduceat(weights, self.indptr[:-1][filled])
        return answer
