"""Fourier transforms of a grid along one axis, on threads, with the same bits for any number of them.

The lines are cut into slabs whose size follows from the grid's, each transformed by one thread.  (With threads of its
own a transform may take other lines together, and round differently.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nelayout.numerics.parallel import Threads

__all__ = ["along"]

SLAB, NUMBERS = 64, 1 << 16  # least lines of a slab, and numbers in it: 0.2 ms of work, as handing it over costs 0.1


def along(
    threads: Threads,
    transform: Callable[[np.ndarray], Any],
    grid: np.ndarray,
    axis: int,
    length: int,
    dtype,
    factor: np.ndarray | None = None,
) -> np.ndarray:
    """Apply ``transform`` to all lines of a grid along ``axis``, which come out with ``length`` numbers of ``dtype``.

    ``factor``: numbers by which those of the grid are multiplied first.
    """
    lines = grid.shape[1 - axis]
    slab = max(SLAB, NUMBERS // grid.shape[axis])
    out = np.empty((lines, length) if axis == 1 else (length, lines), dtype=dtype)

    def work(start: int) -> None:
        here = slice(start, min(start + slab, lines))
        where = here if axis == 1 else (slice(None), here)
        out[where] = transform(grid[where] if factor is None else grid[where] * factor[where])

    threads.map(work, range(0, lines, slab))
    return out
