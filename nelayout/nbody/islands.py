"""Exact sums over the pairs within each graph of a batch: graphs drawn together do not feel each other."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from nelayout.kernels import Radial
from nelayout.nbody.exact import TASK_PAIRS, form_of
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
        from nelayout.nbody import island_loops, pair_loops

        n, d = Y.shape
        points = pair_loops.as_points(Y)
        pairs = np.cumsum(np.diff(self.starts) ** 2)
        cuts = np.unique(np.searchsorted(pairs, np.arange(0, pairs[-1], TASK_PAIRS)))
        tasks = list(zip(cuts.tolist(), [*cuts[1:].tolist(), len(pairs)], strict=True))
        answer = []
        for radial in radials:
            potential, force = np.empty(n), np.empty((n, d))
            code = form_of(radial)

            def work(task: tuple[int, int], potential=potential, force=force, code=code) -> None:
                form, a, b, c, order = code
                first, last = task
                island_loops.island_sums(
                    points, charges, form, a, b, c, order, self.starts, first, last, potential, force
                )

            self.threads.map(work, tasks)
            answer.append(Field(potential, force))
        return tuple(answer)
