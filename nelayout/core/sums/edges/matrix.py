"""Sums over the edges: value, slope, pull and weights of the sparse half of an objective.

The rows of P are cut into fixed chunks.  Each chunk gives the sums of its rows and the pull on them.  The reduction
adds the rows in order.  So other threads, or machines with blocks of rows, can sum the chunks, and the bits stay the
same.  If the graph has one scale factor lambda, the attraction omega is symmetric.  If each row has its own, P_ij and
P_ji differ.  Then an edge pulls both its ends by (omega_ij + omega_ji) / 2.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from nelayout.core.formula.divergences.protocol import BackgroundShare, Divergence, Powers, Similarity
from nelayout.core.formula.kernels import Kernel
from nelayout.numerics.arithmetic import is_array
from nelayout.numerics.conjugate_gradients import conjugate_gradients, laplacian_gradients
from nelayout.numerics.parallel import Threads

__all__ = ["EdgeSums", "Edges", "attracting", "row_ranges"]

# Minimum number of entries in a chunk, and maximum number of chunks.
MIN_CHUNK, MAX_CHUNKS = 1 << 15, 64


class EdgeSums(NamedTuple):
    """sum M edge and its slope in ln lambda, pull (n, d), symmetric omega by entry.

    ``pull``: sum_j omega_ij (y_i - y_j).  ``attraction``: (n,) sum_j max(omega_ij, 0).  Sums not requested are None.
    """

    value: Any
    slope: Any
    pull: Any
    weights: Any
    attraction: Any = None


def attracting(weights: Any) -> Any:
    """Return max(omega_ij, 0); the same array if no edge repels, the usual case."""
    return weights if np.min(weights, initial=0.0) >= 0 else np.maximum(weights, 0.0)


def row_ranges(indptr: np.ndarray, chunk: int) -> list[tuple[int, int, slice]]:
    """Cut rows of a CSR pattern into (start, stop, entries), about ``chunk`` entries each.

    >>> row_ranges(np.array([0, 2, 4, 6]), 3)
    [(0, 2, slice(0, 4, None)), (2, 3, slice(4, 6, None))]
    """
    n, nnz = len(indptr) - 1, int(indptr[-1])
    cuts = [n] if nnz else []
    if nnz > chunk:
        cuts = np.unique([*np.searchsorted(indptr, np.arange(chunk, nnz + chunk, chunk)).clip(1, n), n]).tolist()
    return [(start, stop, slice(int(indptr[start]), int(indptr[stop]))) for start, stop in pairwise([0, *cuts])]


class Edges:
    """The entries of a symmetric pattern P, cut into chunks of rows.

    by_rows  each row has its own lambda, and the values are ``rows``, row-stochastic, None: P's rows by their sums.
             If only row j has the pair (i, j), row i stores a 0
    linear   whether the divergence is linear in p, so that masses leave the edges
    spread   the background of the graph or of each row, if the divergence has one
    """

    def __init__(
        self, P: csr_array, mass: np.ndarray, linear: bool, threads: Threads, compiled: bool, *,
        by_rows: bool = False, rows: np.ndarray | None = None, spread: BackgroundShare | None = None,
    ) -> None:
        self.indptr, self.indices, self.values = P.indptr, P.indices, P.data
        self.by_rows, self.spread = by_rows, spread
        self.threads, self.compiled, self.by_powers = threads, compiled, compiled
        self.n, self.size, self.mass = P.shape[0], len(P.data), mass
        self.longest = int(np.max(np.diff(P.indptr), initial=0))  # entries of the longest row
        self.chunks = row_ranges(P.indptr, max(MIN_CHUNK, -(-self.size // MAX_CHUNKS)) if compiled else self.size)
        self._powers: tuple[Divergence, Powers | None] | None = None
        # Mask of the entries that belong to the row; None if all do.
        self.given: Any = None
        if self.by_rows:
            if rows is None:
                sums = self.row_sums(P.data)
                sums = np.repeat(np.where(sums > 0, sums, 1.0), np.diff(P.indptr))
                rows = np.maximum(P.data / sums, np.finfo(float).tiny)  # an edge must not underflow to 0
            self.values = rows
            self.given = None if (rows > 0).all() else rows > 0
        # M of each entry; None if masses leave the edges.
        self.pair_mass: Any = None if linear or np.all(mass == 1.0) else self.measure_of(0, self.n)
        # p / M of each entry; 1 / M if the entry does not belong to the row.
        self.ratio: Any = self.values if self.given is None else np.where(self.given, self.values, 1.0)
        if self.pair_mass is not None:
            self.ratio = self.ratio / self.pair_mass

    @cached_property
    def rows(self) -> Any:
        """Row of each entry, (nnz,)."""
        return np.repeat(np.arange(self.n, dtype=np.int32), np.diff(self.indptr))

    @cached_property
    def other(self) -> Any:
        """Index of the entry (j, i) for each entry (i, j), (nnz,): columns are sorted."""
        return np.argsort(self.indices, kind="stable").astype(np.int32 if self.size < 2**31 else np.int64)

    @cached_property
    def owner(self) -> np.ndarray:
        """Index of the lambda of each row, (n,)."""
        return np.arange(self.n) if self.by_rows else np.zeros(self.n, dtype=np.int64)

    @cached_property
    def weight(self) -> Any:
        """Sum of P, over the graph or each row."""
        return self.row_sums(self.values) if self.by_rows else float(np.sum(self.values))

    def measure_of(self, start: int, stop: int) -> Any:
        """Return M of the entries of rows start..stop: m_i m_j, by rows m_j."""
        there = self.mass[self.indices[self.indptr[start] : self.indptr[stop]]]
        here = 1.0 if self.by_rows else np.repeat(self.mass[start:stop], np.diff(self.indptr[start : stop + 1]))
        return here * there

    def symmetric(self, omega: Any) -> Any:
        """Return (omega_ij + omega_ji) / 2; omega itself under one lambda."""
        return 0.5 * (omega + omega[self.other]) if self.by_rows else omega

    def scaled_slope(self, divergence: Divergence, b: Similarity) -> Any:
        """Return M d edge(p / M, b) / d ln b of every entry."""
        return self._own(self._bound(divergence, slice(None)).slope(self.ratio, b), slice(None))

    def constants(self, divergence: Divergence) -> Any:
        """Return the constants (n,) that the sum over each row leaves out."""
        return self._of_entries(lambda measure, p: measure * divergence.left_out(p)[0])

    def at_input(self, divergence: Divergence) -> Any:
        """Return (n,) sum_j M edge(P/M, P/M): the edge terms if similarities equal the input's."""

        def edge(measure: Any, p: Any) -> Any:
            return measure * divergence.edge(p, Similarity(Kernel(1.0, 1.0, 1.0), np.zeros(0), known=np.log(p)))

        return self._of_entries(edge)

    def _of_entries(self, each: Callable[[Any, Any], Any]) -> Any:
        """Return the sums of each row, (n,), of a function of M and p / M > 0; p is at least tiny."""

        def found(start: int, stop: int, here: slice) -> Any:
            measure, p = self.measure_of(start, stop), self.values[here]
            p = p if self.given is None else np.where(self.given[here], p, 1.0)
            return self._given(each(measure, np.maximum(p / measure, np.finfo(float).tiny)), here)

        return self._summed(found)

    def row_sums(self, weights: Any) -> Any:
        """Return (n,) sum_j w_ij."""
        return self._summed(lambda _start, _stop, here: weights[here])

    def stretch(self, weights: Any, Y: Any) -> Any:
        """Return tr(Y^T L_w Y) = 1/2 sum_ij w_ij |y_i - y_j|^2, for a uniform stretch of Y."""

        def stretched(start: int, stop: int, here: slice) -> Any:
            return weights[here] * self._lengths_and_ends(Y, start, stop, here)[0]

        return 0.5 * float(np.add.reduce(self._summed(stretched), axis=0))

    def _summed(self, each: Callable[[int, int, slice], Any]) -> Any:
        """Return the sums of each row, (n,), of what ``each`` gives for the entries of a chunk."""
        answer = self._room()

        def work(start: int, stop: int, here: slice) -> None:
            answer[start:stop] = self._sums_of_chunk(each(start, stop, here), start, stop)

        self._by_chunks(work)
        return answer

    def _by_chunks(self, work: Callable[[int, int, slice], Any]) -> list[Any]:
        """Apply a function of start, stop and entries to all chunks of rows, on threads."""
        return self.threads.map(lambda chunk: work(*chunk), self.chunks)

    def node_values(self, Y: Any, kernel: Kernel, divergence: Divergence, lam: Any) -> Any:
        """Return (n,) sum_j M_ij edge(P_ij / M_ij, lambda q_ij)."""
        return self.sums(Y, kernel, divergence, lam, frozenset({"rows"})).value

    def sums(
        self, Y: Any, kernel: Kernel, divergence: Divergence, lam: Any, want: frozenset[str], xi: Any = None
    ) -> EdgeSums:
        """Return the sums over the graph or each row, for its ``lam``; ``xi``: lengths^2 or None.

        ``want``: "pull", "weights", "attraction" in addition to value and slope; "rows": value and slope of each row.
        """
        pull = np.zeros_like(Y) if "pull" in want else None
        # By rows, an edge pulls by both its entries, so all omega must be computed before.
        powers = self._powers_of(divergence)
        if powers is not None and self._is_equal(powers, Y.shape[1], want):
            return self._by_logarithms(Y, kernel, powers, float(lam), pull, "attraction" in want)
        late, each = self.by_rows and pull is not None, not want.isdisjoint(("weights", "attraction"))
        omega = np.empty_like(self.values, dtype=np.float64) if late or each else None
        drawn = None if late else pull
        if powers is None:
            value, slope = self._by_arrays(Y, kernel, divergence, lam, drawn, omega, xi)
        elif self.by_powers:
            value, slope = self._by_powers(Y, kernel, powers, lam, drawn, omega)
        else:
            value, slope = self._by_numpy(Y, kernel, powers, lam, drawn, omega, xi, "rows" in want)
        weights: Any = None if omega is None else self.symmetric(omega)
        if late:
            self._by_chunks(lambda start, stop, here: self._pull(Y, weights[here], start, stop, here, pull))
        if is_array(slope) and not self.by_rows and "rows" not in want:
            value, slope = float(np.add.reduce(value, axis=0)), float(np.add.reduce(slope, axis=0))
        attraction = self.row_sums(attracting(weights)) if "attraction" in want else None
        return EdgeSums(value, slope, pull, weights if "weights" in want else None, attraction)

    def _by_arrays(
        self, Y: Any, kernel: Kernel, divergence: Divergence, lam: Any, pull: Any, omega: Any, known: Any
    ) -> tuple[Any, Any]:
        """Compute the sums of each row by the divergence's own formulas, chunk by chunk."""
        values, slopes = self._room(), self._room()
        log_lam = np.log(lam) if is_array(lam) else None

        def work(start: int, stop: int, here: slice) -> None:
            xi, ends = self._lengths_and_ends(Y, start, stop, here) if known is None else (known, None)
            log_b = None if log_lam is None else kernel.log(xi) + log_lam[self.rows[here]]
            sums = self._bound(divergence, here).edge_and_slope(self.ratio[here], Similarity(kernel, xi, lam, log_b))
            each, slope = (self._own(some, here) for some in sums)
            if pull is not None or omega is not None:
                attraction = -kernel.decay(xi) * slope
                if pull is not None:
                    self._pull(Y, attraction, start, stop, here, pull, ends)
                if omega is not None:
                    omega[here] = attraction
            values[start:stop] = self._sums_of_chunk(each, start, stop)
            slopes[start:stop] = self._sums_of_chunk(slope, start, stop)

        self._by_chunks(work)
        return values, slopes

    def _by_numpy(
        self, Y: Any, kernel: Kernel, powers: Powers, lam: Any, pull: Any, omega: Any, xi: Any, by_row: bool
    ) -> tuple[Any, Any]:
        """Return the same as `_by_powers` by NumPy, or the sums of a single group at once."""
        ends = None
        if xi is None:
            xi, ends = self._lengths_and_ends(Y, 0, self.n, slice(0, self.size))
        base = kernel.base(xi)
        known = kernel.log(xi, base) + np.log(lam)[self.rows] if is_array(lam) else None
        each, slope = powers.varying(Similarity(kernel, xi, lam, known, base))
        if pull is not None or omega is not None:
            attraction = np.multiply(slope, -kernel.decay(xi, base), out=omega)
            if pull is not None:
                self._pull(Y, attraction, 0, self.n, slice(0, self.size), pull, ends)
        if not self.by_rows and not by_row:
            whole = float(np.add.reduce(powers.constant)) if is_array(powers.constant) else powers.constant
            return float(np.add.reduce(each)) + whole, float(np.add.reduce(slope))
        return self._sums_of_chunk(each, 0, self.n) + powers.constant, self._sums_of_chunk(slope, 0, self.n)

    def _by_powers(self, Y: Any, kernel: Kernel, powers: Powers, lam: Any, pull: Any, omega: Any) -> tuple[Any, Any]:
        """Compute the sums of a divergence with one power of b, from `_powers_of`."""
        from nelayout.core.sums.edges import loops

        values, slopes = np.zeros(self.n), np.zeros(self.n)
        log_lam = np.atleast_1d(np.log(lam))
        form = "log" if powers.form == "boxcox" and powers.order == 0 else powers.form
        add = loops.POWER_SUMS[form, Y.shape[1] == 2]
        out, keep = np.empty((0, 0)) if pull is None else pull, np.empty(0) if omega is None else omega
        room = 3 + Y.shape[1], max(loops.BLOCK_ENTRIES, self.longest)

        def work(start: int, stop: int, here: slice) -> None:
            add(
                self.indptr, self.indices, powers.factor, powers.times, Y, kernel.a, kernel.b, kernel.c, log_lam,
                self.owner, powers.order, start, stop, omega is not None, pull is not None, values, slopes, out, keep,
                np.empty(room)
            )

        self._by_chunks(work)
        values += powers.constant
        return values, slopes

    def _is_equal(self, powers: Powers, d: int, want: frozenset[str]) -> bool:
        """Return whether edges are ln b of equal similarities, summed by `_by_logarithms`."""
        logarithm = powers.form == "boxcox" and powers.order == 0 and np.ndim(powers.constant) == 0
        return logarithm and self._has_equal_values and d == 2 and want.isdisjoint(("weights", "rows"))

    @cached_property
    def _has_equal_values(self) -> bool:
        """Return whether compiled loops sum over equal similarities, under one lambda."""
        plain = self.compiled and not self.by_rows and self.pair_mass is None
        return plain and bool(self.size and np.all(self.values == self.values[0]))

    def _by_logarithms(
        self, Y: Any, kernel: Kernel, powers: Powers, lam: float, pull: Any, attraction: bool
    ) -> EdgeSums:
        """Compute the sums of equal similarities whose edge is a multiple of ln b."""
        from nelayout.core.sums.edges import loops

        each = powers.times * float(powers.factor[0])
        sums = np.zeros(self.n) if attraction else None
        out, rows = np.empty((0, 0)) if pull is None else pull, np.empty(0) if sums is None else sums

        def work(start: int, stop: int, _: slice) -> float:
            return loops.equal_logarithms(
                self.indptr, self.indices, Y, kernel.a, kernel.b, kernel.c, -each, start, stop, pull is not None,
                out, sums is not None, rows
            )

        lengths = float(np.add.reduce(self._by_chunks(work)))
        slope = each * self.size
        attraction_sums = sums if sums is None or each <= 0 else np.zeros(self.n)  # edges that repel
        return EdgeSums(slope * float(np.log(lam)) - each * lengths, slope, pull, None, attraction_sums)

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def _powers_of(self, divergence: Divergence) -> Powers | None:
        """Return M edge of each entry as a power of b, with constants (n,); None if not a power."""
        if self._powers is None or self._powers[0] is not divergence:
            every = slice(None)
            found = self._bound(divergence, every).edge_powers(self.ratio)
            if found is not None:
                factor = self._own(found.factor, every)
                constant: Any = 0.0
                if np.ndim(found.constant) or found.constant:
                    constant = self.row_sums(self._own(found.constant + np.zeros_like(factor), every))
                found = found._replace(factor=factor, constant=constant)
            self._powers = divergence, found
        return self._powers[1]

    def _bound(self, divergence: Any, here: slice) -> Any:
        """Bind the background of the rows of some entries; a graph's is bound already."""
        if self.spread is None or not self.by_rows:
            return divergence
        return divergence.bound(self.spread.at(self.rows[here]))

    def _own(self, values: Any, here: slice) -> Any:
        """Return M times values of some entries, 0 if the entry does not belong to the row."""
        return self._given(values if self.pair_mass is None else values * self.pair_mass[here], here)

    def _given(self, values: Any, here: slice) -> Any:
        return values if self.given is None else np.where(self.given[here], values, 0.0)

    def _room(self) -> Any:
        """Return (n,) zeros for the sums, on the device of the sums."""
        return np.zeros(self.n)

    def _lengths_and_ends(self, Y: Any, start: int, stop: int, here: slice) -> tuple[Any, Any]:
        """Return squared lengths of the entries, and y_i - y_j (None in compiled form)."""
        if self.compiled:
            from nelayout.core.sums.edges import loops

            xi = np.empty(here.stop - here.start)
            loops.squared_lengths(self.indptr, self.indices, Y, start, stop, xi)
            return xi, None
        ends = Y.take(self.rows, axis=0)
        ends -= Y.take(self.indices, axis=0)
        return np.einsum("ij,ij->i", ends, ends), ends

    def _pull(self, Y: Any, omega: Any, start: int, stop: int, here: slice, out: Any, ends: Any = None) -> None:
        """Set out to sum omega (y_i - y_j) over each row; ``ends``: differences, if known."""
        if self.compiled:
            from nelayout.core.sums.edges import loops

            loops.pull(self.indptr, self.indices, omega, here.start, Y, start, stop, out)
            return
        ends = Y[self.rows] - Y[self.indices] if ends is None else ends
        for c in range(Y.shape[1]):
            out[:, c] = np.bincount(self.rows, omega * ends[:, c], minlength=self.n)

    def _sums_of_chunk(self, each: Any, start: int, stop: int) -> Any:
        """Sum values of the entries of rows start..stop, row by row."""
        answer = np.zeros(stop - start)
        if self.compiled:
            from nelayout.core.sums.edges import loops

            loops.row_sums(self.indptr, each, start, stop, answer)
            return answer
        first, filled = self._filled
        answer[filled] = np.add.reduceat(each, first)
        return answer

    @cached_property
    def _filled(self) -> tuple[np.ndarray, Any]:
        """First entry of each row that has entries, and the indices of these rows."""
        filled = self.indptr[:-1] < self.indptr[1:]
        return self.indptr[:-1][filled], slice(None) if filled.all() else filled

    def solve(
        self, weights: Any, scale: float, ridge: Any, right: Any, tolerance: float, max_iter: int, free: Any = None
    ) -> Any:
        """Solve (scale L_w + ridge) X = right, (n, d), by conjugate gradients; 0 if not ``free``.

        ``ridge`` is a number times I, or a diagonal (n,).
        """
        sums, ridges = self.row_sums(weights), np.full(self.n, ridge)
        given: Any = {"tolerance": tolerance, "max_iter": max_iter, "free": free}
        if self.compiled:
            graph = (self.indptr, self.indices, weights)
            return laplacian_gradients(graph, scale, ridges, sums, right, self.threads, **given)
        matrix = csr_array((weights, self.indices, self.indptr), shape=(self.n, self.n))
        diagonal = (scale * sums + ridges)[:, None]
        return conjugate_gradients(lambda X: diagonal * X - scale * (matrix @ X), diagonal[:, 0], right, **given)
