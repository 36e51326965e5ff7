"""Sums and updates of whole drawings for the minimisers: NumPy's for small ones, compiled and on threads for large.

Arrays are (n, d) and contiguous.  Chunks are fixed, so threads leave the bits as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .parallel import Workers

__all__ = ["Arithmetic"]

CHUNK = 1 << 15  # numbers


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """What carries the sums of a minimiser."""

    crew: Workers
    compiled: bool

    def product(self, a: np.ndarray, b: np.ndarray) -> float:
        """sum a b."""
        if not self.compiled:  # called ten thousand times for a small graph, hence not by way of np.sum
            return float(np.add.reduce(a * b, axis=None))
        from . import compiled_vectors

        a, b = a.reshape(-1), b.reshape(-1)
        return sum(self.crew.map(lambda chunk: compiled_vectors.dot(a, b, *chunk), _chunks(len(a))))

    def subtract(self, q: np.ndarray, part: float, change: np.ndarray, other: np.ndarray) -> float:
        """q -= part change in place, then sum q other."""
        if not self.compiled:
            q -= part * change
            return self.product(q, other)
        from . import compiled_vectors

        q, change, other = q.reshape(-1), change.reshape(-1), other.reshape(-1)
        return sum(
            self.crew.map(
                lambda chunk: compiled_vectors.subtract_dot(q, part, change, other, *chunk), _chunks(len(q))
            )
        )


def _chunks(n: int) -> list[tuple[int, int]]:
    return [(start, min(start + CHUNK, n)) for start in range(0, n, CHUNK)]
