"""Exact sums over the pairs within each graph of several; graphs do not act on each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from nelayout.formula.kernels import Radial
from nelayout.numerics.groups import Parts
from nelayout.numerics.parallel import Threads
from nelayout.sums.nbody.exact import BLOCK_PAIRS, TASK_PAIRS, acting, apart, field_of, sums_at
from nelayout.sums.nbody.field import Field

__all__ = ["Islands"]

# Largest squared distance from the center, in units of the kernel, at which matrix products give enough digits.
MAX_PRODUCT_EXTENT = 1e4


@dataclass(frozen=True)
class Islands:
    """Sums over all pairs of each graph in O(sum n^2): compiled, or NumPy by graph size."""

    parts: Parts
    threads: Threads = field(default_factory=Threads, compare=False)
    compiled: bool = False
    name: str = "islands"
    tolerance: float = 1e-12

    def fields(self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...]) -> tuple[Field, ...]:
        """Return potential and force of each radial function."""
        if self.compiled:
            given = Y, self.threads, np.arange(len(Y)), self._within, self._tasks
            return tuple(sums_at(Y, charges, radial, *given) for radial in radials)
        found = [Field(np.empty(len(Y)), np.empty_like(Y)) for _ in radials]
        for size, nodes in self.classes:
            graphs = Equal(Y[nodes].reshape(-1, size, Y.shape[1]))
            for radial, each in zip(radials, found, strict=True):
                potential, force = graphs.field(charges[nodes].reshape(-1, size), radial)
                each.potential[nodes], each.force[nodes] = potential.reshape(-1), force.reshape(-1, Y.shape[1])
        return tuple(found)

    @cached_property
    def classes(self) -> list[tuple[int, Any]]:
        """Sizes of graphs, and the nodes of all graphs of each size."""
        if self.parts.equal:
            return [(self.parts.equal, slice(None))]
        starts, sizes = self.parts.starts[:-1], self.parts.sizes
        each = np.unique(sizes).tolist()
        return [(size, (starts[sizes == size][:, None] + np.arange(size)).reshape(-1)) for size in each]

    @cached_property
    def _within(self) -> tuple[np.ndarray, np.ndarray]:
        """First node of each node's graph, and the end of that graph, (n,)."""
        starts, sizes = self.parts.starts, self.parts.sizes
        return np.repeat(starts[:-1], sizes), np.repeat(starts[1:], sizes)

    @cached_property
    def _tasks(self) -> list[tuple[int, int]]:
        """Ranges of nodes for the threads, with about equal numbers of pairs."""
        low, high = self._within
        pairs = np.cumsum(high - low)
        cuts = np.unique(np.searchsorted(pairs, np.arange(0, pairs[-1], TASK_PAIRS))).tolist()
        return list(zip(cuts, [*cuts[1:], len(pairs)], strict=True))


class Equal:
    """Graphs (C, n, d) of one size, in blocks of about `BLOCK_PAIRS` pairs.

    For kernels that vary slowly between close nodes, squared distances and forces are products of matrices.
    """

    def __init__(self, Y: np.ndarray) -> None:
        count, n, _ = Y.shape
        self.Y = Y
        each = max(1, BLOCK_PAIRS // n**2)
        self.blocks = [slice(k, k + each) for k in range(0, count, each)]

    def field(self, charges: np.ndarray, radial: Radial) -> tuple[np.ndarray, np.ndarray]:
        """Return potential (C, n) and force (C, n, d) of charges (C, n)."""
        potential, force = np.empty_like(charges), np.empty_like(self.Y)
        steepest = np.max(radial.kernel.decay(np.zeros(1)))
        if radial.kernel.singular or not self.extent * steepest < MAX_PRODUCT_EXTENT:
            for block, value, slope, diffs in self._acting(radial, False):
                found = field_of(value, slope, charges[block], diffs, self.Y[block])
                potential[block], force[block] = found.potential, found.force
            return potential, force
        own = charges[..., None]
        weighted, seen = np.concatenate([own * self.centered, own], -1), np.empty((*own.shape[:2], force.shape[-1] + 1))
        for block, value, slope, _ in self._acting(radial, True):
            np.matmul(value, own[block], out=potential[block][..., None])
            np.matmul(slope, weighted[block], out=seen[block])
        seen *= 2.0
        np.multiply(seen[..., -1:], self.centered, out=force)
        force -= seen[..., :-1]
        return potential, force

    def _acting(self, radial: Radial, smooth: bool) -> Iterator[tuple[slice, np.ndarray, np.ndarray, Any]]:
        """Yield values and slopes of a radial function, and differences of positions, by block."""
        for block in self.blocks:
            diffs: Any = None
            if smooth:
                left, right = self._factors
                xi = left[block] @ right[block]
            else:
                diffs, xi = apart(self.Y[block], 0, self.Y.shape[1])
            yield block, *acting(radial, xi, 0), diffs

    @cached_property
    def centered(self) -> np.ndarray:
        """Positions relative to the center of each graph."""
        return self.Y - np.add.reduce(self.Y, axis=1, keepdims=True) / self.Y.shape[1]

    @cached_property
    def _squares(self) -> np.ndarray:
        return np.einsum("cij,cij->ci", self.centered, self.centered)[..., None]

    @cached_property
    def extent(self) -> float:
        """Largest squared distance from a center."""
        return float(np.max(self._squares))

    @cached_property
    def _factors(self) -> tuple[np.ndarray, np.ndarray]:
        """Factors (C, n, d + 2) and (C, d + 2, n) of squared distances |y|^2 + |z|^2 - 2 y z."""
        Y, squares, one = self.centered, self._squares, np.ones_like(self._squares)
        right = np.concatenate([-2.0 * Y, one, squares], axis=-1)
        return np.concatenate([Y, squares, one], axis=-1), np.swapaxes(right, -1, -2)
