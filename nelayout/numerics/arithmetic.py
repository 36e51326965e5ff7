"""Sums and updates of whole drawings for the minimizers: NumPy's for small ones, compiled and on threads for large.

Arrays are (n, d) and contiguous.  Chunks are fixed, so threads leave the bits as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from nelayout.numerics.parallel import Threads

__all__ = ["Arithmetic"]

CHUNK = 1 << 15  # numbers, or half as many rows
AT_ONCE = 1 << 12  # numbers up to which copying all curvature pairs into one call takes less time than many calls


@cache
def _loops() -> Any:
    """Import the compiled loops when they are first needed; every look-up of a module costs as much as a small loop."""
    from nelayout.numerics import vector_loops

    return vector_loops


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Sums and updates of a minimizer, in NumPy or compiled on threads."""

    threads: Threads
    compiled: bool

    def at_once(self, Y: np.ndarray) -> bool:
        """Whether `two_loops` is faster than single sums for drawings of the size of Y (n, d), not on a device."""
        return isinstance(Y, np.ndarray) and Y.size <= AT_ONCE

    def product(self, a: np.ndarray, b: np.ndarray) -> float:
        """sum a b."""
        if not self.compiled:  # called ten thousand times for a small graph, hence not by way of np.sum
            return float(np.vdot(a, b))
        a, b = a.reshape(-1), b.reshape(-1)
        return sum(self._map(lambda start, stop: _loops().dot(a, b, start, stop), len(a), CHUNK))

    def weighted(self, a: np.ndarray, b: np.ndarray, weights: np.ndarray) -> float:
        """sum weights_i a_ij b_ij."""
        if not self.compiled:
            return float(np.add.reduce(a * b * weights[:, None], axis=None))
        return sum(self._rows(lambda start, stop: _loops().weighted_dot(a, b, weights, start, stop), a))

    def subtract(self, q: np.ndarray, part: float, change: np.ndarray, other: np.ndarray) -> float:
        """q -= part change in place, then sum q other."""
        if not self.compiled:
            q -= part * change
            return self.product(q, other)
        q, change, other = q.reshape(-1), change.reshape(-1), other.reshape(-1)

        def work(start: int, stop: int) -> float:
            return _loops().subtract_dot(q, part, change, other, start, stop)

        return sum(self._map(work, len(q), CHUNK))

    def scale(self, q: np.ndarray, factor: float, weights: np.ndarray, other: np.ndarray) -> float:
        """q_ij *= factor weights_i in place, then sum q other."""
        if not self.compiled:
            q *= factor * weights[:, None]
            return self.product(q, other)

        def work(start: int, stop: int) -> float:
            return _loops().scale_dot(q, factor, weights, other, start, stop)

        return sum(self._rows(work, q))

    def two_loops(self, q: np.ndarray, pairs: Sequence[tuple[np.ndarray, np.ndarray, float]], inverse: np.ndarray):
        """Run the two loops of limited-memory BFGS in place and in one call, for drawings that `at_once` is true of."""
        moves, changes, curvatures = (np.array(each) for each in zip(*pairs, strict=True))
        k = len(moves)
        flat = moves.reshape(k, -1), changes.reshape(k, -1)
        if not self.compiled:
            _two_loops(q.reshape(-1), *flat, curvatures.tolist(), np.repeat(inverse, q.shape[1]))
            return
        _loops().two_loops((q, q.reshape(-1)), flat[0], (changes, flat[1]), curvatures, inverse, 0, np.empty(k))

    def combine(self, out: np.ndarray, scale: float, force: np.ndarray, factor: float, charges: np.ndarray) -> None:
        """out_ij = scale out_ij + factor charges_i force_ij, in place."""
        if not self.compiled:
            out *= scale
            out += (factor * charges)[:, None] * force
            return

        def work(start: int, stop: int) -> None:
            _loops().combine(out, scale, force, factor, charges, start, stop)

        self._rows(work, out)

    def radius(self, Y: np.ndarray) -> float:
        """Root mean squared distance to the centroid."""
        if not self.compiled:
            apart = Y - Y[0]
            middle = np.add.reduce(apart, axis=0) / len(Y)
            return math.sqrt(max(float(np.vdot(apart, apart)) / len(Y) - float(middle @ middle), 0.0))
        return self._spread(Y, Y, 1.0, 0.0, Y[0])

    def moved(self, Y: np.ndarray, size: float, before: np.ndarray, size_before: float) -> float:
        """Root mean squared change of the places Y / size, not counting a shift of all of them."""
        return self._spread(Y, before, 1.0 / size, 1.0 / size_before, np.zeros(Y.shape[1]))

    def _spread(self, Y: np.ndarray, before: np.ndarray, part: float, part_before: float, shift: np.ndarray) -> float:
        """Radius of part Y - part_before before; most exact where its rows lie close to ``shift``."""
        if not self.compiled:
            apart = part * Y - part_before * before - shift
            middle, squares = np.einsum("ij->j", apart), float(np.einsum("ij,ij->", apart, apart))
        else:

            def work(start: int, stop: int) -> tuple[float, np.ndarray]:
                sums = np.empty(Y.shape[1])
                return _loops().spread(Y, before, part, part_before, shift, start, stop, sums), sums

            found = self._rows(work, Y)
            middle, squares = np.sum([sums for _, sums in found], axis=0), sum(total for total, _ in found)
        middle = middle / len(Y)
        return math.sqrt(max(squares / len(Y) - float(middle @ middle), 0.0))

    def _rows(self, work: Callable[[int, int], Any], Y: np.ndarray) -> list[Any]:
        return self._map(work, len(Y), CHUNK // 2)

    def _map(self, work: Callable[[int, int], Any], n: int, chunk: int) -> list[Any]:
        if n <= chunk:  # some twenty times a step
            return [work(0, n)]
        return self.threads.map(lambda start: work(start, min(start + chunk, n)), range(0, n, chunk))


def _two_loops(
    q: np.ndarray, moves: np.ndarray, changes: np.ndarray, curvatures: list[float], inverse: np.ndarray
) -> None:
    """The two loops over k pairs (k, N) for q (N,), in place: of products of pairs, so that a pass needs no sum over q.

    Ten pairs of 34 nodes take 19 us so, and 44 us one after another.
    """
    k, across, own = len(curvatures), (moves @ changes.T).tolist(), (moves @ q).tolist()
    parts = [0.0] * k
    for i in range(k - 1, -1, -1):
        left, row = own[i], across[i]
        for j in range(i + 1, k):
            left -= parts[j] * row[j]
        parts[i] = left / curvatures[i]
    newest = changes[-1]
    q -= np.array(parts) @ changes
    q *= inverse * (curvatures[-1] / float(newest @ (inverse * newest)))
    for i, seen in enumerate((changes @ q).tolist()):
        for j in range(i):
            seen += parts[j] * across[j][i]
        parts[i] -= seen / curvatures[i]
    q += np.array(parts) @ moves
