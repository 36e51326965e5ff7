"""Exact sums over all pairs: NumPy in blocks for small work, else compiled loops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from nelayout.formula.kernels import Radial
from nelayout.numerics.arithmetic import MAX_BLAS_ENTRIES
from nelayout.numerics.groups import WHOLE, Parts, Whole, several
from nelayout.numerics.parallel import Threads
from nelayout.sums.nbody.field import Field

__all__ = ["BLOCK_PAIRS", "MAX_TABLE_PAIRS", "Exact", "PairTable", "sums_at", "sums_by_blocks"]

# Number of pairs in a block of the NumPy form, 64 KB.  Arrays from 128 KB on are often new pages of memory, and their
# first use may cost more than the sums.
BLOCK_PAIRS = MAX_BLAS_ENTRIES
# Largest number of pairs in a `PairTable`.
MAX_TABLE_PAIRS = 40_000
# Largest squared distance from the center, in units of the kernel, at which matrix products give enough digits.
MAX_PRODUCT_EXTENT = 1e4
# Number of pairs in a task of the compiled form, about 0.4 ms.
TASK_PAIRS = 1 << 18


@dataclass(frozen=True)
class Exact:
    """Sums of all pairs in O(n^2) time, by compiled loops (``compiled``) or by NumPy.

    Several graphs do not act on each other: pairs count within each of ``parts``.
    """

    compiled: bool = False
    threads: Threads = field(default_factory=Threads, compare=False)
    parts: Whole | Parts = WHOLE
    name: str = "exact"

    def fields(self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...]) -> tuple[Field, ...]:
        """Return potential and force of each radial function."""
        if self.compiled:
            given = Y, self.threads, np.arange(len(Y)), *self._within_and_tasks
            return tuple(sums_at(Y, charges, radial, *given) for radial in radials)
        if isinstance(self.parts, Whole):
            return tuple(sums_by_blocks(Y, charges, radials))
        found, d = tuple(Field(np.empty(len(Y)), np.empty_like(Y)) for _ in radials), Y.shape[1]
        for size, nodes in self.classes:
            graphs = sums_by_blocks(Y[nodes].reshape(-1, size, d), charges[nodes].reshape(-1, size), radials)
            for own, each in zip(graphs, found, strict=True):
                each.potential[nodes], each.force[nodes] = own.potential.reshape(-1), own.force.reshape(-1, d)
        return found

    @cached_property
    def classes(self) -> list[tuple[int, Any]]:
        """Sizes of the graphs, and the nodes of all graphs of each size."""
        assert isinstance(self.parts, Parts)
        if self.parts.equal:
            return [(self.parts.equal, slice(None))]
        starts, sizes = self.parts.starts[:-1], self.parts.sizes
        each = np.unique(sizes).tolist()
        return [(size, (starts[sizes == size][:, None] + np.arange(size)).reshape(-1)) for size in each]

    @cached_property
    def _within_and_tasks(self) -> tuple[Any, Any]:
        """Ends of each node's graph, and ranges of nodes with about equal numbers of pairs."""
        if isinstance(self.parts, Whole):
            return None, None
        starts, sizes = self.parts.starts, self.parts.sizes
        pairs = np.cumsum(np.repeat(sizes, sizes))
        cuts = np.unique(np.searchsorted(pairs, np.arange(0, pairs[-1], TASK_PAIRS))).tolist()
        within = np.repeat(starts[:-1], sizes), np.repeat(starts[1:], sizes)
        return within, list(zip(cuts, [*cuts[1:], len(pairs)], strict=True))


def sums_at(
    Y: np.ndarray, charges: np.ndarray, radial: Radial, at: np.ndarray, threads: Threads,
    own: np.ndarray | None = None, within: tuple[np.ndarray, np.ndarray] | None = None,
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
    threads.map(lambda task: add(points, charges, *numbers, places, own, low, high, *task, potential, force), tasks)
    return Field(potential, np.ascontiguousarray(force[:d].T))


class PairTable:
    """Pairs of small graphs of one size, for several layouts: sums, then the gradient.

    The derivatives of J in the sums follow from the sums, so the slopes of the radial functions are kept until then.
    The next layout overwrites the arrays.  ``products`` (C, n, n) are M, 0 for a node and itself.
    """

    def __init__(self, mass: np.ndarray, n: int, radials: tuple[Radial, ...], dim: int) -> None:
        self.mass, self.radials, self.dim = mass.reshape(-1, n), radials, dim
        self.shape = len(self.mass), n, n
        self.diffs, self.xi, self.slopes = (np.empty((k, *self.shape)) for k in (dim, 1, len(radials)))
        self.xi, self.products = self.xi[0], self.mass[:, :, None] * self.mass[:, None]
        itself(self.products, 0)[...] = 0.0
        rows, graphs = max(1, BLOCK_PAIRS // n), max(1, BLOCK_PAIRS // n**2)
        self.blocks = []  # graphs and rows, then views of the arrays there
        for block in product(range(0, len(self.mass), graphs), range(0, n, rows)):
            at = slice(block[0], block[0] + graphs), slice(block[1], block[1] + rows)
            xi, slopes = self.xi[at], list(self.slopes[:, *at])
            self.blocks.append((at, block[1], xi, itself(xi, block[1]), self.diffs[:, *at], slopes, self.products[at]))

    def totals(self, Y: np.ndarray) -> np.ndarray:
        """Return sum M r over the pairs of each graph, (k, C), of each radial function."""
        found = np.zeros((len(self.radials), self.shape[0]))
        for at, k, _, value, products in self._values(Y):
            graphs = len(value)
            found[k, at[0]] += np.vecdot(value.reshape(graphs, -1), products.reshape(graphs, -1))
        return found

    def potentials(self, Y: np.ndarray) -> np.ndarray:
        """Return the potential of the masses at positions Y, (k, C n), of each radial function."""
        found = np.empty((len(self.radials), *self.mass.shape))
        for at, k, start, value, _ in self._values(Y):
            itself(value, start)[...] = 0.0
            np.einsum("cij,cj->ci", value, self.mass[at[0]], out=found[k, *at])
        return found.reshape(len(found), -1)

    def _values(self, Y: np.ndarray) -> Iterator[tuple[Any, int, int, np.ndarray, np.ndarray]]:
        """Yield graphs and rows, radial function, first row, values and M of each block."""
        columns = np.ascontiguousarray(Y.T).reshape(self.dim, *self.mass.shape)
        for at, start, xi, own, diffs, slopes, products in self.blocks:
            np.subtract(columns[:, *at, None], columns[:, at[0], None], out=diffs)
            np.multiply(diffs[0], diffs[0], out=xi)
            for diff in diffs[1:]:
                np.add(xi, diff * diff, out=xi)
            own.fill(1.0)  # any finite number will do
            for k, radial in enumerate(self.radials):
                value, slopes[k][...] = radial.value_and_slope(xi)
                yield at, k, start, value, products

    def gradient(self, charges: list[Any], entries: np.ndarray, pulls: np.ndarray) -> np.ndarray:
        """Return sum_j w_ij (y_i - y_j), (C n, d), with w = 2 sum_k r_k' (c_ki m_j + m_i c_kj).

        charges  c_k (C n,) for each radial function, or the factor of the masses of all graphs or of each, (C,)
        entries  indices of different pairs in the flat array of all pairs, (nnz,)
        pulls    summand of w at each entry, (nnz,)
        """
        weights: Any = None
        for slope, charge in zip(self.slopes, charges, strict=True):
            if not several(charge):
                slope *= np.multiply(self.products, 4.0 * charge, out=self.xi)
            elif charge.size == self.mass.size:
                across = charge.reshape(self.mass.shape)[:, :, None] * self.mass[:, None]
                slope *= 2.0 * (across + across.swapaxes(1, 2))
            else:
                slope *= np.multiply(self.products, (4.0 * charge)[:, None, None], out=self.xi)
            weights = slope if weights is None else np.add(weights, slope, out=weights)
        weights.reshape(-1)[entries] += pulls
        return np.ascontiguousarray(np.vecdot(weights, self.diffs).reshape(self.dim, -1).T)


def itself(pairs: np.ndarray, start: int) -> np.ndarray:
    """Return a view of the entries (node, itself), for rows from ``start`` on (..., rows, n)."""
    rows, n = pairs.shape[-2:]
    return pairs.reshape(*pairs.shape[:-2], rows * n)[..., start :: n + 1]


def sums_by_blocks(Y: Any, charges: Any, radials: tuple[Radial, ...], pairs: int = BLOCK_PAIRS) -> list[Field]:
    """Return potential and force of each radial function by arrays, in blocks of ``pairs``.

    Y (n, d) and charges (n,) of one graph, or (C, n, d) and (C, n) of several graphs.
    """
    n, several, columns = Y.shape[-2], Y.ndim > 2, [Y[..., c] for c in range(Y.shape[-1])]
    fields = [Field(np.empty_like(Y, shape=Y.shape[:-1]), np.empty_like(Y)) for _ in radials]
    rows, graphs = n if several else max(1, pairs // max(n, 1)), max(1, pairs // max(n, 1) ** 2)
    factors = _factors(Y, charges, radials) if several and graphs == 1 else None
    for first, start in product(range(0, len(Y) if several else 1, graphs), range(0, n, rows)):
        own = (slice(first, first + graphs),) if several else ()
        at, acting = (*own, slice(start, min(start + rows, n))), charges[own]
        if factors is None:
            diffs = [column[at][..., None] - column[own][..., None, :] for column in columns]
            xi = diffs[0] * diffs[0]
            for diff in diffs[1:]:
                xi += diff * diff
            itself(xi, start)[...] = 1.0  # an arbitrary finite number
        else:
            xi = factors[0][at] @ factors[1][own]
        for radial, whole in zip(radials, fields, strict=True):
            value, slope = radial.value_and_slope(xi)
            itself(value, start)[...] = 0.0
            itself(slope, start)[...] = 0.0
            if factors is None:
                whole.potential[at] = np.einsum("...ij,...j->...i", value, acting)
                slope *= acting[..., None, :]
                for c, diff in enumerate(diffs):
                    whole.force[(*at, c)] = 2.0 * np.einsum("...ij,...ij->...i", slope, diff)
            else:
                np.matmul(value, acting[..., None], out=whole.potential[at][..., None])
                seen = slope @ factors[3][own]
                whole.force[at] = 2.0 * (seen[..., -1:] * factors[2][at] - seen[..., :-1])
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
