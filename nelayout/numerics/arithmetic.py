"""Sums and updates of positions for minimizers: NumPy for small graphs, else compiled.

Every sum is a map over blocks of rows and a reduction.  The blocks of one graph are fixed chunks, added in order; the
blocks of several graphs are the graphs.  So the bits do not depend on the number of threads, and other machines can
hold the blocks.

>>> from nelayout.numerics.groups import WHOLE
>>> Arithmetic(WHOLE, Threads(), False).product(np.ones((2, 2)), np.eye(2))
2.0
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from nelayout.numerics.groups import Parts, Whole
from nelayout.numerics.parallel import Threads

__all__ = ["CHUNK", "Arithmetic"]

# Number of rows in a chunk of one graph.
CHUNK = 1 << 14
# Entries up to which BLAS multiplies a matrix and a vector on one thread.
MAX_BLAS_ENTRIES = 1 << 13


@cache
def _loops() -> Any:
    """Import the compiled loops at their first use."""
    from nelayout.numerics import vector_loops

    return vector_loops


@cache
def _chunks(n: int) -> np.ndarray:
    """Return the first row of each chunk, and n, (B + 1,)."""
    return np.append(np.arange(0, n, CHUNK), n)


@dataclass(frozen=True)
class Arithmetic:
    """Sums over the rows of each group, and updates; arrays are (n, d) and contiguous."""

    groups: Whole | Parts
    threads: Threads
    compiled: bool

    def product(self, a: Any, b: Any) -> Any:
        """Return the sum of a b over each group."""
        if not self.compiled:
            if isinstance(self.groups, Whole):
                return float(np.vdot(a, b))
            if self.groups.equal:
                count = len(self.groups.sizes)
                return np.vecdot(a.reshape(count, -1), b.reshape(count, -1))
            return self.groups.sum(np.einsum("ij,ij->i", a, b))
        return self._dots(a.reshape(1, -1), b)[..., 0]

    def products(self, stored: Any, q: Any) -> np.ndarray:
        """Return the products of m arrays ``stored`` (m, n, d) with q (n, d), (m,) or (C, m)."""
        if not self.compiled:
            if isinstance(self.groups, Whole):
                if isinstance(q, np.ndarray) and stored.size <= MAX_BLAS_ENTRIES:
                    return stored.reshape(len(stored), -1).dot(q.reshape(-1))  # faster than @ if small
                return np.asarray(np.einsum("kij,ij->k", stored, q))
            if self.groups.equal:
                count, m = len(self.groups.sizes), len(stored)
                return np.vecdot(stored.reshape(m, count, -1), q.reshape(count, -1)).T
            return self.groups.sum(np.einsum("kij,ij->ik", stored, q))
        return self._dots(stored.reshape(len(stored), -1), q)

    def add(self, out: Any, stored: Any, factors: np.ndarray) -> None:
        """Add sum_k factors_k stored_k to ``out``; factors (m,), or (C, m) of several graphs."""
        if not self.compiled:
            if isinstance(self.groups, Whole):
                if isinstance(out, np.ndarray) and stored.size <= MAX_BLAS_ENTRIES:
                    out += factors.dot(stored.reshape(len(stored), -1)).reshape(out.shape)
                else:
                    out += np.einsum("k,kij->ij", factors, stored)
            elif self.groups.equal:
                parts = stored.reshape(len(stored), len(self.groups.sizes), -1)
                out += np.matmul(factors[:, None], parts.swapaxes(0, 1)).reshape(out.shape)
            else:
                out += np.einsum("ik,kij->ij", self.groups.spread(factors), stored)
            return
        flat, rows = out.reshape(-1), stored.reshape(len(stored), -1)
        blocks, d = self._blocks(out), out.shape[1]
        each = np.empty((len(blocks) - 1, len(stored)))
        each[:] = factors
        self._map(lambda a, b: _loops().add(flat, rows, each, blocks, d, a, b), blocks)

    def combine(self, out: Any, scale: float, force: Any, factors: Any) -> None:
        """Set out_ij = scale out_ij + factors_i force_ij."""
        if not self.compiled:
            out *= scale
            out += factors[:, None] * force
            return
        blocks = self._blocks(out)
        self._map(lambda a, b: _loops().combine(out, scale, force, factors, blocks[a], blocks[b]), blocks)

    def radius(self, Y: Any) -> Any:
        """Return the root mean squared distance to the centroid."""
        groups = self.groups
        return self._spread(Y, Y, groups.full(1.0), groups.full(0.0)) if self.compiled else groups.radius(Y)

    def moved(self, Y: Any, size: Any, before: Any, size_before: Any) -> Any:
        """Return the RMS change of Y / size without a common shift; 0 where a size is 0."""
        groups, sized = self.groups, (size > 0) & (size_before > 0)
        one = groups.full(1.0)
        factors = [groups.where(sized, one / groups.where(sized, each, one), 0.0) for each in (size, size_before)]
        if self.compiled:
            return self._spread(Y, before, *factors)
        return groups.radius(groups.columns(factors[0]) * Y - groups.columns(factors[1]) * before)

    def _spread(self, Y: Any, before: Any, factor: Any, factor_before: Any) -> Any:
        """Return the radius of factor Y - factor_before before, from each first row; compiled."""
        groups, blocks, d = self.groups, self._blocks(Y), Y.shape[1]
        count = len(blocks) - 1
        factors, sums = np.empty((count, 2)), np.empty((count, d + 1))
        factors[:, 0], factors[:, 1] = factor, factor_before
        first = np.zeros(count, dtype=np.int64) if isinstance(groups, Whole) else blocks[:-1]
        self._map(lambda a, b: _loops().spread(Y, before, factors, first, blocks, a, b, sums), blocks)
        if isinstance(groups, Whole):
            sums = np.add.reduce(sums, axis=0) / len(Y)
            return np.sqrt(max(float(sums[d]) - float(np.vdot(sums[:d], sums[:d])), 0.0))
        sums /= groups.sizes[:, None]
        return np.sqrt(np.maximum(sums[:, d] - np.einsum("ij,ij->i", sums[:, :d], sums[:, :d]), 0.0))

    def _dots(self, stored: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Return the (m,) or (C, m) products of ``stored`` (m, n d) with q (n, d)."""
        blocks, flat, d = self._blocks(q), q.reshape(-1), q.shape[1]
        sums = np.empty((len(blocks) - 1, len(stored)))
        self._map(lambda a, b: _loops().dots(stored, flat, blocks, d, a, b, sums), blocks)
        return np.add.reduce(sums, axis=0) if isinstance(self.groups, Whole) else sums

    def _blocks(self, Y: np.ndarray) -> np.ndarray:
        """Return the first row of each block, and the number of rows, (B + 1,)."""
        return self.groups.starts if isinstance(self.groups, Parts) else _chunks(len(Y))

    @cached_property
    def _tasks(self) -> list[tuple[int, int]]:
        """Ranges of groups for the threads, with about a chunk of rows each."""
        starts = self.groups.starts if isinstance(self.groups, Parts) else np.zeros(1, dtype=int)
        cuts = np.unique(np.searchsorted(starts, np.arange(0, starts[-1], CHUNK))).tolist()
        return list(zip(cuts, [*cuts[1:], len(starts) - 1], strict=True)) if cuts else []

    def _map(self, work: Callable[[int, int], Any], blocks: np.ndarray) -> None:
        """Apply ``work`` to all blocks, in ranges for the threads."""
        if len(blocks) == 2:
            work(0, 1)
        elif isinstance(self.groups, Parts):
            self.threads.map(lambda task: work(*task), self._tasks)
        else:
            self.threads.map(lambda k: work(k, k + 1), range(len(blocks) - 1))
