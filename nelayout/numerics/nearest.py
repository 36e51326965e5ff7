"""The k nearest rows of each row: exact, with the same bits for any number of threads.

The index orders equal distances. scipy's k-d tree searches rows of few columns. For others, one matrix product gives a
lower bound of every distance, |x - y|^2 = |x|^2 + |y|^2 - 2 x.y, less its rounding errors. The k pairs with the least
bounds are measured one by one. So is each pair with a bound up to the largest of these k distances. All other pairs are
farther apart.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
from scipy.sparse import issparse

from nelayout.numerics.blocks import rows_at_once
from nelayout.numerics.parallel import Threads, blas_on_one_thread
from nelayout.numerics.principal import principal_components

__all__ = ["Table", "first_k", "nearest_different", "nearest_rows", "squared_distances", "takes_tree", "tree_nearest"]

# Largest number of columns, and of rows times 2^columns, for a k-d tree.
TREE_COLUMNS, TREE_WORK = 9, 1e8
# Number of pieces of a row of bounds: their entrywise minimum is searched first.
STRETCHES = 32
# Number of principal directions of the first bounds, and least rows^2 * columns for them.
DIRECTIONS, LONG_WORK = 100, 2e10
# Least columns, and numbers in all, of a table in which a compiled loop measures distances.
LONG_ROW, LONG_ROWS = 100, 5_000_000
# Number of rows that test a kind of bound, and of evenly spaced rows for the principal directions.
TRIAL_ROWS, SAMPLED = 64, 5000


def first_k(i: np.ndarray, j: np.ndarray, d: np.ndarray, m: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the k smallest (d, j) of each row i < m; every row has at least k entries."""
    order = np.lexsort((j, d, i))
    i, j, d = i[order], j[order], d[order]
    keep = np.arange(len(i)) - np.searchsorted(i, np.arange(m))[i] < k
    return j[keep].reshape(m, k), d[keep].reshape(m, k)


def nearest_rows(
    table: Any,
    k: int,
    threads: Threads,
    rows: np.ndarray | None = None,
    others: Any = None,
    labels: np.ndarray | None = None,
    done: Callable[[int], object] = int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return indices and distances (m, k) of the nearest rows of a `Table` or a `Metric`.

    They are nearest to some of its ``rows``, not counting each row itself, or to rows ``others`` of another table. If
    ``labels`` (n,) are given, neighbors have different labels. ``done`` gets the number of rows of each finished block.
    """

    def block(start: int) -> tuple[np.ndarray, np.ndarray]:
        numbers = np.arange(start, min(start + size, m)) if rows is None else rows[start : start + size]
        here = others[numbers] if rows is None else table.X[numbers]
        own: Any = None  # distances that do not count
        if rows is not None:
            own = (np.arange(len(numbers)), numbers) if labels is None else labels[numbers][:, None] == labels
        i, j, d = table.near(here, k, numbers, own)
        done(len(numbers))
        return first_k(i, j, d, len(numbers), k)

    m = others.shape[0] if rows is None else len(rows)
    size = rows_at_once((4 if isinstance(table, Table) else 8) * table.n)  # a metric gives double precision
    with blas_on_one_thread() if m > size else nullcontext():
        found = threads.map(block, range(0, m, size))
    indices, distances = zip(*found, strict=True)
    return np.concatenate(indices), np.concatenate(distances)


def squared_distances(A: Any, rows: np.ndarray, B: Any, cols: np.ndarray) -> np.ndarray:
    """Return squared distances (m,) of row pairs of A and B, each a plain sum in float64."""
    out = np.empty(len(rows))
    if not issparse(B) and B.shape[1] >= LONG_ROW and B.size >= LONG_ROWS:
        from nelayout.numerics.nearest_loops import sum_squares

        sum_squares(A, rows, B, cols, out)
        return out
    step = rows_at_once(64 * (64 if issparse(A) else A.shape[1]))
    for start in range(0, len(rows), step):
        i, j = rows[start : start + step], cols[start : start + step]
        if issparse(A):
            diff = A[i] - B[j]
            out[start : start + step] = np.asarray(diff.multiply(diff).sum(axis=1)).ravel()
        else:
            diff = A[i].astype(np.float64)
            diff -= B[j]
            out[start : start + step] = np.sum(np.multiply(diff, diff, out=diff), axis=1)
    return out


class Table:
    """Rows (n, d), float32, float64 or CSR, prepared for searches of k neighbors."""

    def __init__(self, X: Any, k: int) -> None:
        self.X, self.n = X, X.shape[0]
        rows = np.unique(np.linspace(0, self.n - 1, TRIAL_ROWS).astype(np.int64))
        own = np.arange(len(rows)), rows
        kinds: list[Any] = [(np.float64, None)]
        if not issparse(X):
            kinds.insert(0, (np.float32, None))
            if X.shape[1] > DIRECTIONS and float(self.n) ** 2 * X.shape[1] > LONG_WORK:
                kinds.insert(0, (np.float32, _along_directions(X)))
        for dtype, project in kinds:
            self.bound = Bound(X, dtype, project)
            if dtype == np.float64 or len(self.candidates(X[rows], k, own)[0]) <= len(rows) * max(
                4 * k + 20, self.n / 32
            ):
                break

    def near(self, here: Any, k: int, numbers: np.ndarray, own: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return pairs (i, j) with the k nearest of each row, and their squared distances."""
        i, j, worst = self.candidates(here, k, own)
        d2 = squared_distances(here, i, self.X, j)
        near = d2 <= worst[i]
        return i[near], j[near], d2[near]

    def candidates(self, here: Any, k: int, own: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return pairs (i, j) that may be near, and upper bounds (m,) of squared distances."""
        A = self.bound(here)
        if own is not None:
            A[own] = np.inf
        j = _least(A, k)
        i = np.repeat(np.arange(len(A)), k)
        worst = np.max(squared_distances(here, i, self.X, j.ravel()).reshape(-1, k), axis=1)
        limit = np.minimum(worst / self.bound.unit * (1 + 1e-6), np.finfo(A.dtype).max / 2).astype(A.dtype)
        limit = np.nextafter(limit, A.dtype.type(np.inf))
        i, j = np.divmod(np.flatnonzero(limit[:, None] >= A), self.n)
        return i, j, worst


class Bound:
    """Lower bounds of squared distances / unit, by one product of rows (z, 1, |z|^2).

    z = (x - mean) / unit^1/2. A sum of p + 2 products in precision u errs by at most 2 (p + 4) u (|z_i|^2 + |z_j|^2).
    Rounding the rows adds at most 6 u (|z_i|^2 + |z_j|^2). Twice the sum is subtracted.
    """

    def __init__(self, X: Any, dtype: Any, project: Callable[[Any], Any] | None) -> None:
        self.project, self.dtype = project, np.dtype(dtype)
        n, p = X.shape[0], X.shape[1] if project is None else DIRECTIONS + 1
        self.largest = np.sqrt(np.finfo(dtype).max)
        self.slack = 1 - 4 * (p + 8) * float(np.finfo(dtype).eps) / 2
        self.unit, self.mean = 1.0, 0.0
        if issparse(X):
            self.unit = float(np.max(_squares(X), initial=0.0)) or 1.0
            self.columns, self.norm = X.T.tocsr(), _squares(X) / self.unit * self.slack
            return
        low, high = np.min(X, axis=0).astype(np.float64), np.max(X, axis=0).astype(np.float64)
        if project is None:
            self.mean = np.sum(X, axis=0, dtype=np.float64) / n
        self.unit = float(np.sum((high - low) ** 2)) or 1.0
        self.right = np.ones((n, p + 2), dtype=dtype)
        step = rows_at_once(16 * X.shape[1])
        for start in range(0, n, step):
            z, norm = self._scaled(X[start : start + step])
            self.right[start : start + step, :p] = -2.0 * z
            self.right[start : start + step, p + 1] = norm

    def _scaled(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        z = (X - self.mean if self.project is None else self.project(X)) / np.sqrt(self.unit)
        return z, _squares(z) * self.slack

    def __call__(self, X: Any) -> np.ndarray:
        """Return the bounds (m, n) from rows X (m, d) to all rows."""
        if issparse(X):
            norm = _squares(X) / self.unit
            A = (X @ self.columns).toarray()
            A *= -2 / self.unit
            A += self.norm
            A += norm[:, None] * self.slack
        else:
            z, norm = self._scaled(X)
            near = norm < self.largest
            left = np.ones((len(z), z.shape[1] + 2), dtype=self.dtype)
            left[:, :-2] = np.where(near[:, None], z, 0.0)
            left[:, -2] = np.where(near, norm, 0.0)
            A = left @ self.right.T
        A[~(norm < self.largest)] = 0.0  # products would overflow
        return A


def _squares(X: Any) -> np.ndarray:
    return np.asarray(X.multiply(X).sum(axis=1)).ravel() if issparse(X) else np.einsum("ij,ij->i", X, X)


def _along_directions(X: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Return the map of rows x to leading directions z and the length r outside of them.

    Distances there are lower bounds: |x - y|^2 >= |z_x - z_y|^2 + (r_x - r_y)^2.
    """
    sample = X[np.linspace(0, len(X) - 1, min(len(X), SAMPLED)).astype(np.int64)]
    _, directions, mean = principal_components(sample, DIRECTIONS)

    def project(rows: np.ndarray) -> np.ndarray:
        centered = rows - mean
        z = centered @ directions
        outside = _squares(centered) - _squares(z)
        return np.column_stack([z, np.sqrt(np.maximum(outside, 0.0))])

    return project


def _least(A: np.ndarray, k: int) -> np.ndarray:
    """Return columns (m, k) of k small finite entries of each row, not always the smallest."""
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


def takes_tree(X: Any) -> bool:
    """Return True if a k-d tree finds the neighbors of these rows."""
    n, d = X.shape
    return not issparse(X) and d <= TREE_COLUMNS and n * 2.0**d <= TREE_WORK


def nearest_different(
    X: Any, k: int, threads: Threads, done: Callable[[int], object] = int
) -> tuple[np.ndarray, np.ndarray]:
    """Return indices and squared distances (n, k) of the nearest rows; all rows must differ."""
    if takes_tree(X):
        return tree_nearest(X, k, threads, done)
    return nearest_rows(Table(X, k), k, threads, np.arange(X.shape[0]), done=done)


def tree_nearest(
    X: np.ndarray, k: int, threads: Threads, done: Callable[[int], object]
) -> tuple[np.ndarray, np.ndarray]:
    """Return indices and squared distances (n, k) of the nearest rows; all rows must differ.

    If others share the k-th distance, more rows are searched for.
    """
    from scipy.spatial import KDTree

    points = X.astype(np.float64)
    tree: Any = KDTree(points)
    n = len(points)
    indices, squared = np.empty((n, k), dtype=np.int64), np.empty((n, k))
    waiting, ask = np.arange(n), min(n, k + 3)
    while len(waiting):
        shared = []
        size = rows_at_once(8 * ask)
        for start in range(0, len(waiting), size):
            rows = waiting[start : start + size]
            distance, found = tree.query(points[rows], k=ask, workers=threads.count)
            distance = np.where(found == rows[:, None], -1.0, distance)  # the row itself, also if others are at 0
            limit = np.sort(distance, axis=1)[:, k] * (1 + 1e-12)
            sure = (distance.max(axis=1) > limit) | (ask == n)
            shared.append(rows[~sure])
            i, at = np.nonzero((distance <= limit[:, None]) & (distance >= 0) & sure[:, None])
            if len(i):
                j = found[i, at]
                d2 = squared_distances(X, rows[i], X, j)
                rank = np.cumsum(sure) - 1
                indices[rows[sure]], squared[rows[sure]] = first_k(rank[i], j, d2, int(sure.sum()), k)
                done(int(sure.sum()))
        waiting, ask = np.concatenate(shared), min(n, 2 * ask)
    return indices, squared
