"""Exact sums over all pairs: NumPy in blocks for small work, else compiled loops."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nelayout.core.formula.kernels import Radial
from nelayout.core.sums.nbody.field import Field
from nelayout.numerics.arithmetic import MAX_BLAS_ENTRIES, is_array
from nelayout.numerics.parallel import Threads

__all__ = ["BLOCK_PAIRS", "MAX_TABLE_PAIRS", "Exact", "PairTable", "sums_at", "sums_by_blocks"]

# Number of pairs in a block of the NumPy form, 64 KB.  Arrays from 128 KB on are often new pages of memory, and their
# first use may cost more than the sums.
BLOCK_PAIRS = MAX_BLAS_ENTRIES
# Largest number of pairs in a `PairTable`.
MAX_TABLE_PAIRS = 40_000
# Number of pairs in a task of the compiled form, about 0.4 ms.
TASK_PAIRS = 1 << 18


@dataclass(frozen=True)
class Exact:
    """Sums of all pairs in O(n^2) time, by compiled loops (``compiled``) or by NumPy."""

    compiled: bool = False
    threads: Threads = field(default_factory=Threads, compare=False)
    name: str = "exact"

    def fields(self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...]) -> tuple[Field, ...]:
        """Return potential and force of each radial function."""
        if self.compiled:
            own = np.arange(len(Y))
            return tuple(sums_at(Y, charges, radial, Y, self.threads, own) for radial in radials)
        return tuple(sums_by_blocks(Y, charges, radials))


def sums_at(
    Y: np.ndarray, charges: np.ndarray, radial: Radial, at: np.ndarray, threads: Threads, own: np.ndarray | None = None
) -> Field:
    """Return the field at points ``at`` (k, d) of charges (n,) at Y (n, d), compiled.

    own     (k,) node that each point does not feel, itself; -1 or None: none
    """
    from nelayout.core.sums.nbody import pair_loops

    (n, d), k = Y.shape, len(at)
    (key, *numbers), potential, force = radial.code, np.empty(k), np.empty((3, k))
    points, places, add = pair_loops.as_points(Y), pair_loops.as_points(at), pair_loops.pair_sums(*key)
    own = np.full(k, -1) if own is None else own
    rows = max(1, TASK_PAIRS // max(n, 1))
    tasks = [(start, min(start + rows, k)) for start in range(0, k, rows)]
    threads.map(lambda task: add(points, charges, *numbers, places, own, *task, potential, force), tasks)
    return Field(potential, np.ascontiguousarray(force[:d].T))


class PairTable:
    """All pairs of a small graph, for one layout after another: sums, then the gradient.

    The derivatives of J in the sums follow from the sums, so the slopes of the radial functions are kept until then.
    The next layout overwrites the arrays.  ``products`` (n, n) are M, 0 for a node and itself.
    """

    def __init__(self, mass: np.ndarray, radials: tuple[Radial, ...], dim: int) -> None:
        self.mass, self.radials, self.dim, n = mass, radials, dim, len(mass)
        self.diffs, self.xi, self.scratch = np.empty((dim, n, n)), np.empty((n, n)), np.empty((n, n))
        self.slopes: list[np.ndarray] = []
        self.products = np.multiply.outer(mass, mass)
        self.itself = self.xi.reshape(-1)[:: n + 1]
        self.products.reshape(-1)[:: n + 1] = 0.0

    def totals(self, Y: np.ndarray) -> list[float]:
        """Return sum M r over all pairs of each radial function."""
        return [float(np.add.reduce(np.vecdot(value, self.products))) for value in self._values(Y)]

    def potentials(self, Y: np.ndarray) -> list[np.ndarray]:
        """Return the potential (n,) of the masses at positions Y of each radial function."""
        values = self._values(Y)
        for value in values:
            np.fill_diagonal(value, 0.0)
        return [np.einsum("ij,j->i", value, self.mass) for value in values]

    def _values(self, Y: np.ndarray) -> list[np.ndarray]:
        """Return the values (n, n) of each radial function; keep differences and slopes."""
        columns, xi = np.ascontiguousarray(Y.T), self.xi
        np.subtract(columns[:, :, None], columns[:, None], out=self.diffs)
        np.multiply(self.diffs[0], self.diffs[0], out=xi)
        for diff in self.diffs[1:]:
            xi += np.multiply(diff, diff, out=self.scratch)
        self.itself[...] = 1.0  # any finite number will do
        values, self.slopes = map(list, zip(*(radial.value_and_slope(xi) for radial in self.radials), strict=True))
        return values

    def gradient(self, charges: list[Any], entries: np.ndarray, pulls: np.ndarray) -> np.ndarray:
        """Return sum_j w_ij (y_i - y_j), (n, d), with w = 2 sum_k r_k' (c_ki m_j + m_i c_kj).

        charges  c_k (n,) for each radial function, or the factor of the masses
        entries  indices of different pairs in the flat array of all pairs, (nnz,)
        pulls    summand of w at each entry, (nnz,)
        """
        weights: Any = None
        for slope, charge in zip(self.slopes, charges, strict=True):
            if is_array(charge):
                across = np.multiply.outer(charge, self.mass)
                across += across.T.copy()
                across *= 2.0
            else:
                across = np.multiply(self.products, 4.0 * charge, out=self.scratch)
            if weights is None:
                weights = np.multiply(slope, across, out=slope)
            else:
                weights += slope * across
        weights.reshape(-1)[entries] += pulls
        return np.ascontiguousarray(np.vecdot(weights, self.diffs).T)


def sums_by_blocks(Y: Any, charges: Any, radials: tuple[Radial, ...], pairs: int = BLOCK_PAIRS) -> list[Field]:
    """Return potential and force of each radial function by arrays, in blocks of ``pairs``."""
    n, columns = Y.shape[0], [Y[..., c] for c in range(Y.shape[1])]
    fields = [Field(np.empty_like(Y, shape=Y.shape[:-1]), np.empty_like(Y)) for _ in radials]
    rows = max(1, pairs // max(n, 1))
    for start in range(0, n, rows):
        at = slice(start, min(start + rows, n))
        diffs = [column[at][..., None] - column[..., None, :] for column in columns]
        xi = diffs[0] * diffs[0]
        for diff in diffs[1:]:
            xi += diff * diff
        itself(xi, start)[...] = 1.0  # an arbitrary finite number
        for radial, whole in zip(radials, fields, strict=True):
            value, slope = radial.value_and_slope(xi)
            itself(value, start)[...] = 0.0
            itself(slope, start)[...] = 0.0
            whole.potential[at] = np.einsum("...ij,...j->...i", value, charges)
            slope *= charges[..., None, :]
            for c, diff in enumerate(diffs):
                whole.force[(at, c)] = 2.0 * np.einsum("...ij,...ij->...i", slope, diff)
    return fields


def itself(pairs: np.ndarray, start: int) -> np.ndarray:
    """Return a view of the entries (node, itself), for rows from ``start`` on (rows, n)."""
    rows, n = pairs.shape
    return pairs.reshape(rows * n)[..., start :: n + 1]
