"""Exact sums over the pairs within each graph of several; graphs do not act on each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from nelayout.formula.kernels import Radial
from nelayout.numerics.groups import Parts
from nelayout.numerics.parallel import Threads
from nelayout.sums.nbody.exact import TASK_PAIRS, sums_at, sums_by_blocks
from nelayout.sums.nbody.field import Field

__all__ = ["Islands"]


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
            graphs = sums_by_blocks(Y[nodes].reshape(-1, size, Y.shape[1]), charges[nodes].reshape(-1, size), radials)
            for own, each in zip(graphs, found, strict=True):
                each.potential[nodes], each.force[nodes] = own.potential.reshape(-1), own.force.reshape(-1, Y.shape[1])
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
