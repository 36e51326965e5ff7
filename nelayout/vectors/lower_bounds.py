"""Lower bounds of squared distances between rows, of all pairs by one matrix product: see `bounds`."""

from __future__ import annotations

from typing import Any

import numpy as np

from nelayout.numerics.principal import principal_components

__all__ = ["Bound", "SparseBound", "along_directions", "limit_of"]

# Principal directions of the first comparison; tried 64, 100 on MNIST: 440, 130 pairs left to measure.
DIRECTIONS = 100

# Squared length of a row, in units of the longest of the table, from which bounds are given up: products overflow.
MOST = 1e30


class Bound:
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
        return self.left(rows) @ self.right.T

    def left(self, rows: np.ndarray) -> np.ndarray:
        """Rows augmented as the first of a pair: the bounds are their products with ``right``."""
        left = self.right[rows]
        left[:, :-2] *= -0.5
        left[:, -2:] = left[:, :-3:-1]
        return left

    def limit(self, squared: np.ndarray) -> np.ndarray:
        """The bound that pairs of no more than these squared distances are sure not to exceed."""
        return limit_of(squared, self.unit, self.right.dtype)

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


class SparseBound:
    """Lower bounds as `Bound` has them, for sparse rows, whose product needs no threads."""

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


def along_directions(X: np.ndarray) -> Bound:
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
    bound = Bound(Z, np.float32)
    bound.is_last, bound.project = False, project
    return bound


def limit_of(squared: np.ndarray, unit: float, dtype: Any) -> np.ndarray:
    """Squared distances in units of ``unit``, with room for their rounding."""
    limit = np.minimum(squared / unit * (1 + 1e-6), np.finfo(dtype).max / 2).astype(dtype)
    return np.nextafter(limit, np.dtype(dtype).type(np.inf))
