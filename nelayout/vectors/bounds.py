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
from typing import Any

import numpy as np
from scipy.sparse import issparse

from nelayout.numerics.parallel import Threads
from nelayout.numerics.principal import principal_components

__all__ = ["Vectors", "first_k", "search", "search_from", "squared_distances"]

# Pairs bounded at once: 32 MB of float32.
BLOCK_PAIRS = 1 << 23

# Principal directions of the first comparison; tried 64, 100 on MNIST: 440, 130 pairs left to measure.
DIRECTIONS = 100

# Columns from which the first comparison pays.
LONG = 160

# n^2 d from which it pays, and from which measuring is compiled.
LONG_WORK = 2e10

# Rows on which a kind of bound is tried before it is used for all.
SAMPLE = 64

# Squared length of a row, in units of the longest of the table, from which bounds are given up: products overflow.
MOST = 1e30

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
            if bound.is_last or self._left_over(k) <= max(4 * k + 20, self.n / 32):
                break

    def squared(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """(m,) squared distances of m pairs."""
        return squared_distances(self.X, rows, cols, self._compiled)

    def squared_from(self, others: Any, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """(m,) squared distances from ``rows`` of another table to ``cols`` of this one."""
        return squared_distances(others, rows, cols, self._compiled, self.X)

    def _bounds(self) -> Iterator[Any]:
        if issparse(self.X):
            yield _SparseBound(self.X)
            return
        if self.X.shape[1] > LONG and self.work > LONG_WORK:
            yield _along_directions(self.X)
        yield _Bound(self.X, np.float32)
        yield _Bound(self.X, np.float64)

    def _left_over(self, k: int) -> float:
        """Number of pairs that a row leaves to be measured, on average over a few rows."""
        rows = np.unique(np.linspace(0, self.n - 1, SAMPLE).astype(np.int64))
        return len(_candidates_among(self, rows, k, None)[0]) / len(rows)


class _Bound:
    """Lower bounds of |z_i - z_j|^2 / unit by one product of the augmented rows (z, 1, |z|^2).

    A sum of p + 2 products in precision u is wrong by at most 2 (p + 4) u (|z_i|^2 + |z_j|^2), and rounding
    the rows themselves moves it by 6 u as much; twice that is taken off.
    """

    def __init__(self, Z: np.ndarray, dtype: Any) -> None:
        n, p = Z.shape
        self.mean = mean = np.sum(Z, axis=0, dtype=np.float64) / n
        self.project: Any = None  # rows of the table -> rows of Z, where these are not the same
        self.is_last = dtype == np.float64
        self.right = np.empty((n, p + 2), dtype=dtype)
        norm = np.empty(n)
        rows = max(1, (1 << 20) // max(p, 1))
        for start in range(0, n, rows):
            centered = Z[start : start + rows] - mean
            norm[start : start + rows] = np.sum(centered * centered, axis=1)
        self.unit = float(np.max(norm, initial=0.0)) or 1.0
        for start in range(0, n, rows):
            self.right[start : start + rows, :p] = (Z[start : start + rows] - mean) * (
                -2 / np.sqrt(self.unit)
            )
        u = float(np.finfo(dtype).eps) / 2
        self.right[:, p] = 1
        self.right[:, p + 1] = norm / self.unit * (1 - 4 * (p + 8) * u)

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        left = self.right[rows]
        left[:, :-2] *= -0.5
        left[:, -2:] = left[:, :-3:-1]
        return left @ self.right.T

    def of_others(self, X: np.ndarray) -> np.ndarray:
        """The bounds from rows of another table; 0 from those so far away that floats know none."""
        Z = X if self.project is None else self.project(X)
        p, dtype = Z.shape[1], self.right.dtype
        centered = Z - self.mean
        norm = np.sum(centered * centered, axis=1) / self.unit
        far = ~(norm < MOST)
        centered[far], norm[far] = 0.0, 0.0
        left = np.ones((len(Z), p + 2), dtype=dtype)
        left[:, :p] = centered / np.sqrt(self.unit)
        left[:, p] = norm * (1 - 4 * (p + 8) * float(np.finfo(dtype).eps) / 2)
        A = left @ self.right.T
        A[far] = 0.0
        return A


class _SparseBound:
    """Lower bounds as `_Bound` has them, for sparse rows, whose product needs no threads."""

    is_last = True

    def __init__(self, X: Any) -> None:
        self.X, self.transposed = X, X.T.tocsr()
        norm = np.asarray(X.multiply(X).sum(axis=1)).ravel()
        self.unit = float(np.max(norm, initial=0.0)) or 1.0
        self.norm = norm / self.unit * (1 - 4 * (X.shape[1] + 8) * 2.0**-53)

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        A = (self.X[rows] @ self.transposed).toarray()
        A *= -2 / self.unit
        A += self.norm
        A += self.norm[rows, None]
        return A

    def of_others(self, X: Any) -> np.ndarray:
        """The bounds from rows of another table."""
        norm = np.asarray(X.multiply(X).sum(axis=1)).ravel() / self.unit
        A = (X @ self.transposed).toarray()
        A *= -2 / self.unit
        A += self.norm
        A += norm[:, None] * (1 - 4 * (self.X.shape[1] + 8) * 2.0**-53)
        A[~(norm < MOST)] = 0.0
        return A


def _along_directions(X: np.ndarray) -> _Bound:
    """Bound by the leading principal directions of a sample of the rows, and by the length outside of them."""
    n = len(X)

    def project(rows: np.ndarray) -> np.ndarray:
        centered = rows - mean
        z = centered @ Q
        outside = np.sum(centered * centered, axis=1) - np.sum(z * z, axis=1)
        return np.column_stack([z, np.sqrt(np.maximum(outside, 0.0))])

    sample = X[np.linspace(0, n - 1, min(n, 5000)).astype(np.int64)]
    _, Q, mean = principal_components(sample, DIRECTIONS)
    rows = max(1, (1 << 20) // X.shape[1])
    Z = np.concatenate([project(X[start : start + rows]) for start in range(0, n, rows)])
    bound = _Bound(Z, np.float32)
    bound.is_last, bound.project = False, project
    return bound


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

    found = threads.map(block, range(0, len(rows), size))
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

    found = threads.map(block, range(0, others.shape[0], size))
    return np.concatenate([f[0] for f in found]), np.concatenate([f[1] for f in found])


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
    j = _near(A, k)
    i = np.repeat(np.arange(m), k)
    worst = np.max(measure(i, j.ravel()).reshape(m, k), axis=1)
    limit = np.minimum(worst / unit * (1 + 1e-6), np.finfo(A.dtype).max / 2).astype(A.dtype)
    limit = np.nextafter(limit, A.dtype.type(np.inf))
    i, j = np.divmod(np.flatnonzero(limit[:, None] >= A), n)
    return i, j, worst


def _near(A: np.ndarray, k: int) -> np.ndarray:
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
