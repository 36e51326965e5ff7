"""Nearest neighbors of vectors: exact, at the speed of a matrix product, the same for any number of threads.

|x - y|^2 = |x|^2 + |y|^2 - 2 x.y for all pairs is one matrix product, but its last bits are noise, which
would swap equal or nearly equal neighbors from run to run.  So the product only gives a *lower bound* of
every distance (rounding errors are taken off); the k best of a row are then measured one by one, and so is
everything whose bound does not exceed the worst of them.  Pairs that were not measured are certainly farther apart.

Long vectors are first compared along their leading principal directions z and by their length r outside of
them,

    |x - y|^2 >= |z_x - z_y|^2 + (r_x - r_y)^2,

a bound again, so the neighbors stay exact.  On MNIST (784 columns) 100 directions leave about 130 of 70,000
to be measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
from scipy.sparse import issparse

from nelayout.numerics.parallel import Threads, blas_on_one_thread
from nelayout.vectors.lower_bounds import Bound, SparseBound, along_directions, limit_of

__all__ = ["Vectors", "first_k", "nearest_bounds", "search", "search_from", "squared_distances"]

# Pairs bounded at once: 32 MB of float32.
BLOCK_PAIRS = 1 << 23

# Columns from which the first comparison pays.
LONG = 160

# n^2 d from which it pays, and from which measuring is compiled.
LONG_WORK = 2e10

# Rows on which a kind of bound is tried before it is used for all.
SAMPLE = 64

# Parts of a block side by side: their entrywise minimum is 32 times smaller to search for the k best.
STRETCHES = 32


class Vectors:
    """Rows compared by Euclidean distance: (n, d) float32 or float64, or CSR with sorted indices."""

    def __init__(self, X: Any, k: int) -> None:
        self.X = X
        self.n = X.shape[0]
        self.work = float(self.n) ** 2 * X.shape[1]
        self._compiled = not issparse(X) and self.work > LONG_WORK
        for bound in self._bounds():
            self.bound = bound
            if bound.is_last or self.left_over(k) <= max(4 * k + 20, self.n / 32):
                break

    @property
    def right(self) -> np.ndarray | None:
        """Dense rows augmented as the second of a pair, (n, p + 2); None of sparse ones."""
        return getattr(self.bound, "right", None)

    def squared(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """(m,) squared distances of m pairs."""
        return squared_distances(self.X, rows, cols, self._compiled)

    def squared_from(self, others: Any, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """(m,) squared distances from ``rows`` of another table to ``cols`` of this one."""
        return squared_distances(others, rows, cols, self._compiled, self.X)

    def _bounds(self) -> Iterator[Any]:
        if issparse(self.X):
            yield SparseBound(self.X)
            return
        if self.X.shape[1] > LONG and self.work > LONG_WORK:
            yield along_directions(self.X)
        yield Bound(self.X, np.float32)
        yield Bound(self.X, np.float64)

    def left_over(self, k: int) -> float:
        """Number of pairs that a row leaves to be measured, on average over a few rows."""
        rows = np.unique(np.linspace(0, self.n - 1, SAMPLE).astype(np.int64))
        return len(_candidates_among(self, rows, k, None)[0]) / len(rows)


def search(
    vectors: Vectors, rows: np.ndarray, k: int, threads: Threads, labels: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Find the k nearest other rows of each of ``rows``, nearest first, equal distances in the order of their index.

    With ``labels`` (n,) only rows of another label count.

    Returns
    -------
    indices (m, k) int64, squared distances (m, k) float64
    """
    size = max(1, BLOCK_PAIRS // max(vectors.n, 1))

    def block(start: int) -> tuple[np.ndarray, np.ndarray]:
        here = rows[start : start + size]
        i, j, worst = _candidates_among(vectors, here, k, labels)
        d2 = vectors.squared(here[i], j)
        near = d2 <= worst[i]
        return first_k(i[near], j[near], d2[near], len(here), k)

    return _blockwise(block, range(0, len(rows), size), threads)


def _blockwise(
    block: Callable[[int], tuple[np.ndarray, np.ndarray]], starts: range, threads: Threads
) -> tuple[np.ndarray, np.ndarray]:
    """Join what a function gives for each of the blocks."""
    with blas_on_one_thread() if len(starts) > 1 else nullcontext():
        found = threads.map(block, starts)
    return np.concatenate([f[0] for f in found]), np.concatenate([f[1] for f in found])


def first_k(i: np.ndarray, j: np.ndarray, d: np.ndarray, m: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k smallest (d, j) of each row i < m; every row has at least k entries."""
    order = np.lexsort((j, d, i))
    i, j, d = i[order], j[order], d[order]
    rank = np.arange(len(i)) - np.searchsorted(i, np.arange(m))[i]
    keep = rank < k
    return j[keep].reshape(m, k), d[keep].reshape(m, k)


def search_from(
    vectors: Vectors, others: Any, k: int, threads: Threads
) -> tuple[np.ndarray, np.ndarray]:
    """Find the k rows of a table that are nearest to each row of ``others`` (m, d), in the form that `search` has."""
    size = max(1, BLOCK_PAIRS // max(vectors.n, 1))

    def block(start: int) -> tuple[np.ndarray, np.ndarray]:
        here = others[start : start + size]

        def measure(i: np.ndarray, j: np.ndarray) -> np.ndarray:
            return vectors.squared_from(here, i, j)

        i, j, worst = _candidates(vectors.bound.of_others(here), measure, vectors.bound.unit, k)
        d2 = measure(i, j)
        near = d2 <= worst[i]
        return first_k(i[near], j[near], d2[near], here.shape[0], k)

    return _blockwise(block, range(0, others.shape[0], size), threads)


def _candidates_among(
    vectors: Vectors, rows: np.ndarray, k: int, labels: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The candidates of rows of the table itself: all rows but themselves, or those of another label."""
    A = vectors.bound(rows)
    if labels is None:
        A[np.arange(len(rows)), rows] = np.inf
    else:
        A[labels[rows][:, None] == labels] = np.inf
    return _candidates(A, lambda i, j: vectors.squared(rows[i], j), vectors.bound.unit, k)


def _candidates(
    A: np.ndarray, measure: Callable[[np.ndarray, np.ndarray], np.ndarray], unit: float, k: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs (row of A, index) that may be among the k nearest, at least k a row, and each row's limit: a squared
    distance that none of its k nearest exceeds.

    A (m, n): lower bounds of squared distances, in units of ``unit``; ``measure`` gives those of pairs.
    """
    m, n = A.shape
    j = nearest_bounds(A, k)
    i = np.repeat(np.arange(m), k)
    worst = np.max(measure(i, j.ravel()).reshape(m, k), axis=1)
    i, j = np.divmod(np.flatnonzero(limit_of(worst, unit, A.dtype)[:, None] >= A), n)
    return i, j, worst


def nearest_bounds(A: np.ndarray, k: int) -> np.ndarray:
    """Columns (m, k) of k small finite entries of each row of A: the best of the k best columns of stretches."""
    m, n = A.shape
    width = n // STRETCHES
    if width >= 4 * k:
        stretches = A[:, : width * STRETCHES].reshape(m, STRETCHES, width)
        pool = stretches.min(axis=1)
        column = np.argpartition(pool, k - 1, axis=1)[:, :k]
        if np.isfinite(np.take_along_axis(pool, column, axis=1)).all():
            stretch = np.argmin(stretches[np.arange(m)[:, None], :, column], axis=2)
            return stretch * width + column
    return np.argpartition(A, k - 1, axis=1)[:, :k]


def squared_distances(
    X: Any, rows: np.ndarray, cols: np.ndarray, compiled: bool = False, others: Any = None
) -> np.ndarray:
    """Squared distances (m,) of m pairs, ``rows`` of X and ``cols`` of X or of another table, in float64.

    Each is a plain sum over the columns.
    """
    out = np.empty(len(rows))
    B = X if others is None else others
    if compiled:
        from nelayout.vectors.bounds_loops import sum_squares

        sum_squares(X, rows, B, cols, out)
        return out
    chunk = max(1, (1 << 18) // (64 if issparse(X) else X.shape[1]))
    for start in range(0, len(rows), chunk):
        i, j = rows[start : start + chunk], cols[start : start + chunk]
        if issparse(X):
            diff = X[i] - B[j]
            out[start : start + chunk] = np.asarray(diff.multiply(diff).sum(axis=1)).ravel()
        else:
            diff = X[i].astype(np.float64)
            diff -= B[j]
            out[start : start + chunk] = np.sum(np.multiply(diff, diff, out=diff), axis=1)
    return out
