"""Sums and updates of positions for minimizers: NumPy for small graphs, else compiled.

Every sum is a map over fixed chunks of rows and a reduction in their order.  So the bits do not depend on the number of
threads, and other machines can hold the rows.

>>> Arithmetic(Threads(), False).product(np.ones((2, 2)), np.eye(2))
2.0
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from nelayout.numerics.parallel import Threads

__all__ = ["CHUNK", "Arithmetic", "is_array", "radius"]

# Number of rows in a chunk.
CHUNK = 1 << 14
# Entries up to which BLAS multiplies a matrix and a vector on one thread.
MAX_BLAS_ENTRIES = 1 << 13


def is_array(x: Any) -> bool:
    """Return whether x has an axis; `numpy.ndim` is slow for floats."""
    return getattr(x, "ndim", 0) > 0


def radius(Y: Any) -> float:
    """Return the root mean squared distance to the centroid, for positions Y (n, d)."""
    away = Y - np.add.reduce(Y, axis=0) / max(len(Y), 1)
    return math.sqrt(float(np.einsum("ij,ij->", away, away)) / max(len(Y), 1))


@cache
def _loops() -> Any:
    """Import the compiled loops at their first use."""
    from nelayout.numerics import vector_loops

    return vector_loops


@cache
def _chunks(n: int) -> list[tuple[int, int, int]]:
    """Return first row, end and number of each chunk."""
    return [(low, min(low + CHUNK, n), k) for k, low in enumerate(range(0, n, CHUNK))]


@dataclass(frozen=True)
class Arithmetic:
    """Sums over the rows of a graph, and updates; arrays are (n, d) and contiguous."""

    threads: Threads
    compiled: bool

    def product(self, a: Any, b: Any) -> float:
        """Return the sum of a b."""
        if not self.compiled:
            return float(np.vdot(a, b))
        return float(self._dots(a.reshape(1, -1), b)[0])

    def products(self, stored: Any, q: Any) -> np.ndarray:
        """Return the products (m,) of m arrays ``stored`` (m, n, d) with q (n, d)."""
        if self.compiled:
            return self._dots(stored.reshape(len(stored), -1), q)
        if isinstance(q, np.ndarray) and stored.size <= MAX_BLAS_ENTRIES:
            return stored.reshape(len(stored), -1).dot(q.reshape(-1))  # faster than @ if small
        return np.asarray(np.einsum("kij,ij->k", stored, q))

    def add(self, out: Any, stored: Any, factors: np.ndarray) -> None:
        """Add sum_k factors_k stored_k to ``out``; factors (m,)."""
        if not self.compiled:
            if isinstance(out, np.ndarray) and stored.size <= MAX_BLAS_ENTRIES:
                out += factors.dot(stored.reshape(len(stored), -1)).reshape(out.shape)
            else:
                out += np.einsum("k,kij->ij", factors, stored)
            return
        flat, rows = out.reshape(-1), stored.reshape(len(stored), -1)
        d = out.shape[1]
        self._map(lambda low, high, _: _loops().add(flat, rows, factors, d * low, d * high), len(out))

    def combine(self, out: Any, scale: float, force: Any, factors: Any) -> None:
        """Set out_ij = scale out_ij + factors_i force_ij."""
        if not self.compiled:
            out *= scale
            out += factors[:, None] * force
            return
        self._map(lambda low, high, _: _loops().combine(out, scale, force, factors, low, high), len(out))

    def radius(self, Y: Any) -> float:
        """Return the root mean squared distance to the centroid."""
        return self._spread(Y, Y, 1.0, 0.0) if self.compiled else radius(Y)

    def moved(self, Y: Any, size: float, before: Any, size_before: float) -> float:
        """Return the RMS change of Y / size without a common shift; 0 if a size is 0."""
        if not (size > 0 and size_before > 0):
            return 0.0
        if self.compiled:
            return self._spread(Y, before, 1.0 / size, 1.0 / size_before)
        return radius((1.0 / size) * Y - (1.0 / size_before) * before)

    def _spread(self, Y: Any, before: Any, factor: float, factor_before: float) -> float:
        """Return the radius of factor Y - factor_before before; compiled."""
        n, d = Y.shape
        sums = np.empty((len(_chunks(n)), d + 1))
        self._map(
            lambda low, high, k: _loops().spread(Y, before, factor, factor_before, low, high, sums[k]), n
        )
        means = np.add.reduce(sums, axis=0) / n
        return math.sqrt(max(float(means[d]) - float(np.vdot(means[:d], means[:d])), 0.0))

    def _dots(self, stored: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Return the products (m,) of ``stored`` (m, n d) with q (n, d)."""
        flat, (n, d) = q.reshape(-1), q.shape
        sums = np.empty((len(_chunks(n)), len(stored)))
        self._map(lambda low, high, k: _loops().dots(stored, flat, d * low, d * high, sums[k]), n)
        return np.add.reduce(sums, axis=0)

    def _map(self, work: Callable[[int, int, int], Any], n: int) -> None:
        """Apply ``work`` to the first row, end and number of each chunk of n rows."""
        chunks = _chunks(n)
        if len(chunks) == 1:
            work(*chunks[0])
        else:
            self.threads.map(lambda chunk: work(*chunk), chunks)
