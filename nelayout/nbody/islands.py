"""Exact sums over the pairs within each graph of a batch: graphs drawn together do not feel each other."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from nelayout.kernels import Radial
from nelayout.nbody.exact import TASK_PAIRS, sums_within
from nelayout.nbody.field import Field
from nelayout.numerics.parallel import Threads

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
        sizes = np.diff(self.starts)
        pairs = np.cumsum(np.repeat(sizes, sizes))
        cuts = np.unique(np.searchsorted(pairs, np.arange(0, pairs[-1], TASK_PAIRS))).tolist()
        tasks = list(zip(cuts, [*cuts[1:], len(pairs)], strict=True))
        within = np.repeat(self.starts[:-1], sizes), np.repeat(self.starts[1:], sizes)
        return tuple(sums_within(Y, charges, radials, within, tasks, self.threads))
