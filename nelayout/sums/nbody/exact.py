"""Exact sums over all pairs: NumPy in blocks for small work, else compiled loops."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from nelayout.formula.kernels import Radial
from nelayout.numerics.parallel import Threads
from nelayout.sums.nbody.field import Field

__all__ = ["BLOCK_PAIRS", "MAX_TABLE_PAIRS", "TASK_PAIRS", "Exact", "PairTable", "sums_at", "sums_by_blocks"]

# Number of pairs in a block of the NumPy form, 96 KB.  Arrays from 128 KB on are often new pages of memory, and their
# first use may cost more than the sums.
BLOCK_PAIRS = 12_000
# Largest number of pairs in a `PairTable`.
MAX_TABLE_PAIRS = 40_000
# Largest squared distance from the center, in units of the kernel, at which matrix products give enough digits.
MAX_PRODUCT_EXTENT = 1e4
# Number of pairs in a task of the compiled form, about 0.4 ms.
TASK_PAIRS = 1 << 18


@dataclass(frozen=True, slots=True)
class Exact:
    """Sums of all pairs in O(n^2) time, by compiled loops (``compiled``) or by NumPy."""

    compiled: bool = False
    threads: Threads = field(default_factory=Threads, compare=False)
    name: str = "exact"
    tolerance: float = 1e-12

    @classmethod
    def on(cls, threads: Threads, compiled: bool) -> Exact:
        """Make it with these threads, compiled or not."""
        return cls(compiled, threads)

    def fields(self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...]) -> tuple[Field, ...]:
        """Return potential and force of each radial function."""
        return tuple(self._compiled(Y, charges, radials) if self.compiled else sums_by_blocks(Y, charges, radials))

    def _compiled(self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...]) -> list[Field]:
        return [sums_at(Y, charges, radial, Y, self.threads, np.arange(len(Y))) for radial in radials]


def sums_at(
    Y: np.ndarray,
    charges: np.ndarray,
    radial: Radial,
    at: np.ndarray,
    threads: Threads,
    own: np.ndarray | None = None,
    within: tuple[np.ndarray, np.ndarray] | None = None,
    tasks: list[tuple[int, int]] | None = None,
) -> Field:
    """Return the field at points ``at`` (k, d) of charges (n,) at Y (n, d), compiled.

    own     (k,) node that each point does not feel, itself; -1 or None: none
    within  two arrays (k,): point i feels nodes low_i to high_i; None: all
    tasks   ranges of points for the threads
    """
    from nelayout.sums.nbody import pair_loops

    (n, d), k = Y.shape, len(at)
    (key, *numbers), potential, force = radial.code, np.empty(k), np.empty((3, k))
    points, places, add = pair_loops.as_points(Y), pair_loops.as_points(at), pair_loops.pair_sums(*key)
    own = np.full(k, -1) if own is None else own
    low, high = (np.zeros(k, dtype=np.int64), np.full(k, n)) if within is None else within
    rows = max(1, TASK_PAIRS // max(n, 1))
    tasks = [(start, min(start + rows, k)) for start in range(0, k, rows)] if tasks is None else tasks
    threads.map(
        lambda task: add(points, charges, *numbers, places, own, low, high, *task, potential, force), tasks
    )
    return Field(potential, np.ascontiguousarray(force[:d].T))


class PairTable:
    """Pairs of small graphs of one size, for several layouts: potentials, then the gradient.

    The derivatives of J in the potentials follow from the potentials, so the slopes of the radial functions are kept
    until then.  The next layout overwrites the arrays.
    """

    def __init__(self, mass: np.ndarray, n: int, radials: tuple[Radial, ...], dim: int) -> None:
        self.mass, self.radials, self.dim = mass.reshape(-1, n), radials, dim
        self.shape = len(self.mass), n, n
        self.diffs, self.xi, self.slopes = (np.empty((k, *self.shape)) for k in (dim, 1, len(radials)))
        self.xi, self.products = self.xi[0], 2.0 * self.mass[:, :, None] * self.mass[:, None]
        rows, graphs = max(1, BLOCK_PAIRS // n), max(1, BLOCK_PAIRS // n**2)
        self.blocks = []  # graphs and rows, then views of the arrays there
        for block in product(range(0, len(self.mass), graphs), range(0, n, rows)):
            at = slice(block[0], block[0] + graphs), slice(block[1], block[1] + rows)
            xi, slopes = self.xi[at], list(self.slopes[:, *at])
            self.blocks.append((at, block[1], xi, itself(xi, block[1]), self.diffs[:, *at], slopes))

    def potentials(self, Y: np.ndarray) -> np.ndarray:
        """Return the potential of the masses at positions Y, (k, C n), of each radial function."""
        count, n, _ = self.shape
        columns, found = np.ascontiguousarray(Y.T).reshape(-1, count, n), np.empty((len(self.radials), count, n))
        for at, start, xi, own, diffs, slopes in self.blocks:
            diffs[...] = columns[:, *at, None]
            diffs -= columns[:, at[0], None]
            first, *others = diffs
            np.multiply(first, first, out=xi)
            for diff in others:
                xi += diff * diff
            own[...] = 1.0  # any finite number will do
            for radial, slope, potential in zip(self.radials, slopes, found, strict=True):
                value, slope[...] = radial.value_and_slope(xi)
                itself(value, start)[...] = 0.0
                np.einsum("cij,cj->ci", value, self.mass[at[0]], out=potential[at])
        return found.reshape(len(found), -1)

    def gradient(self, charges: list[Any], entries: np.ndarray, pulls: np.ndarray) -> np.ndarray:
        """Return sum_j w_ij (y_i - y_j), (C n, d), with w = 2 sum_k r_k' (c_ki m_j + m_i c_kj).

        charges  c_k (C n,) for each radial function, or the factor of the masses of all graphs or of each, (C,)
        entries  indices of different pairs in the flat array of all pairs, (nnz,)
        pulls    summand of w at each entry, (nnz,)
        """
        weights: Any = None
        for slope, charge in zip(self.slopes, charges, strict=True):
            charge = np.asarray(charge)
            if charge.size == self.mass.size > 1:
                across = charge.reshape(self.mass.shape)[:, :, None] * self.mass[:, None]
                slope *= 2.0 * (across + across.swapaxes(1, 2))
            else:
                slope *= np.multiply(self.products, (2.0 * charge).reshape(-1, 1, 1), out=self.xi)
            weights = slope if weights is None else np.add(weights, slope, out=weights)
        weights.reshape(-1)[entries] += pulls
        return np.einsum("cij,acij->cia", weights, self.diffs).reshape(-1, self.dim)


def apart(Y: np.ndarray, start: int, stop: int) -> tuple[list[np.ndarray], np.ndarray]:
    """Return differences by axis and squared distances (1 to itself) of rows start..stop."""
    columns = (Y[..., c] for c in range(Y.shape[-1]))
    diffs = [column[..., start:stop, None] - column[..., None, :] for column in columns]
    xi = diffs[0] * diffs[0]
    for diff in diffs[1:]:
        xi += diff * diff
    itself(xi, start)[...] = 1.0  # an arbitrary finite number
    return diffs, xi


def itself(pairs: np.ndarray, start: int) -> np.ndarray:
    """Return a view of the entries (node, itself), for rows from ``start`` on (..., rows, n)."""
    rows, n = pairs.shape[-2:]
    return pairs.reshape(*pairs.shape[:-2], rows * n)[..., start :: n + 1]


def acting(radial: Radial, xi: np.ndarray, start: int) -> tuple[np.ndarray, np.ndarray]:
    """Return values and slopes of a radial function; 0 from a node to itself."""
    value, slope = radial.value_and_slope(xi)
    itself(value, start)[...] = 0.0
    itself(slope, start)[...] = 0.0
    return value, slope


def field_of(
    value: np.ndarray, slope: np.ndarray, charges: np.ndarray, diffs: list[np.ndarray], Y: np.ndarray
) -> Field:
    """Return the field of charges with values and slopes (..., rows, n)."""
    several = value.ndim > 2
    potential = np.einsum("cij,cj->ci" if several else "ij,j->i", value, charges)
    force = np.empty_like(Y, shape=(*value.shape[:-1], Y.shape[-1]))
    slope *= charges[..., None, :] if several else charges
    for c, diff in enumerate(diffs):
        force[..., c] = 2.0 * np.einsum("cij,cij->ci" if several else "ij,ij->i", slope, diff)
    return Field(potential, force)


def sums_by_blocks(Y: Any, charges: Any, radials: tuple[Radial, ...], pairs: int = BLOCK_PAIRS) -> list[Field]:
    """Return potential and force of each radial function by arrays, in blocks of ``pairs``.

    Y (n, d) and charges (n,) of one graph, or (C, n, d) and (C, n) of several graphs.
    """
    n, several = Y.shape[-2], Y.ndim > 2
    fields = [Field(np.empty_like(Y, shape=Y.shape[:-1]), np.empty_like(Y)) for _ in radials]
    rows, graphs = n if several else max(1, pairs // max(n, 1)), max(1, pairs // max(n, 1) ** 2)
    factors = _factors(Y, charges, radials) if several and graphs == 1 else None
    for first in range(0, len(Y) if several else 1, graphs):
        own = (slice(first, first + graphs),) if several else ()
        for start in range(0, n, rows):
            stop = min(start + rows, n)
            at = (*own, slice(start, stop))
            if factors is None:
                diffs, xi = apart(Y[own], start, stop)
                for radial, whole in zip(radials, fields, strict=True):
                    found = field_of(*acting(radial, xi, start), charges[own], diffs, Y)
                    whole.potential[at], whole.force[at] = found.potential, found.force
                continue
            left, right, centered, weighted = factors
            xi = left[at] @ right[own]
            for radial, whole in zip(radials, fields, strict=True):
                value, slope = acting(radial, xi, start)
                np.matmul(value, charges[(*own, ..., None)], out=whole.potential[at][..., None])
                seen = slope @ weighted[own]
                whole.force[at] = 2.0 * (seen[..., -1:] * centered[at] - seen[..., :-1])
    return fields


def _factors(Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...]) -> tuple[np.ndarray, ...] | None:
    """Return factors of squared distances, centered positions and charges; or None.

    Products of matrices are faster for large graphs.  None: they lack digits, as the kernels vary fast at close nodes.
    Shapes (C, n, d + 2), (C, d + 2, n), (C, n, d) and (C, n, d + 1).
    """
    centered = Y - np.add.reduce(Y, axis=1, keepdims=True) / Y.shape[1]
    squares = np.einsum("cij,cij->ci", centered, centered)[..., None]
    steepest = max(float(np.max(radial.kernel.decay(np.zeros(1)))) for radial in radials)
    if any(radial.kernel.singular for radial in radials) or not float(np.max(squares)) * steepest < MAX_PRODUCT_EXTENT:
        return None
    one, own = np.ones_like(squares), charges[..., None]
    right = np.concatenate([-2.0 * centered, one, squares], axis=-1)
    left = np.concatenate([centered, squares, one], axis=-1)
    return left, np.swapaxes(right, -1, -2), centered, np.concatenate([own * centered, own], axis=-1)
