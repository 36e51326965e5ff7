"""Exact sums over the pairs within each graph of a batch: graphs drawn together do not feel each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from nelayout.formula.kernels import Radial
from nelayout.numerics.parallel import Threads
from nelayout.sums.nbody.exact import TASK_PAIRS, sums_within
from nelayout.sums.nbody.field import Field

__all__ = ["Islands"]


@dataclass(frozen=True)
class Islands:
    """Sums over all pairs of each graph in O(sum n^2) time, by compiled loops.

    starts  (C + 1,) where each graph's nodes begin, and the end of the last
    """

    starts: np.ndarray
    threads: Threads = field(default_factory=Threads, compare=False)
    name: str = "islands"
    tolerance: float = 1e-12

    def fields(self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...]) -> tuple[Field, ...]:
        """Potential and force of each radial function."""
        return tuple(sums_within(Y, charges, radials, self._within, self._tasks, self.threads))

    @cached_property
    def _within(self) -> tuple[np.ndarray, np.ndarray]:
        """(n,) first node of each node's graph, and the end of that graph."""
        sizes = np.diff(self.starts)
        return np.repeat(self.starts[:-1], sizes), np.repeat(self.starts[1:], sizes)

    @cached_property
    def _tasks(self) -> list[tuple[int, int]]:
        """Ranges of nodes for the threads, with about as many pairs each."""
        low, high = self._within
        pairs = np.cumsum(high - low)
        cuts = np.unique(np.searchsorted(pairs, np.arange(0, pairs[-1], TASK_PAIRS))).tolist()
        return list(zip(cuts, [*cuts[1:], len(pairs)], strict=True))
