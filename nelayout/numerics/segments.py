"""Sums over the parts of an array whose rows are those of several graphs, one graph after another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

__all__ = ["Segments"]


@dataclass(frozen=True)
class Segments:
    """Consecutive parts of the rows of an array; ``sizes`` (C,), each 1 or more.

    >>> parts = Segments(np.array([2, 3]))
    >>> parts.sum(np.array([1.0, 2.0, 3.0, 4.0, 5.0])), parts.of
    (array([ 3., 12.]), array([0, 0, 1, 1, 1]))
    """

    sizes: np.ndarray

    @cached_property
    def starts(self) -> np.ndarray:
        """(C + 1,) where each part begins, and the end of the last."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    @cached_property
    def of(self) -> np.ndarray:
        """(n,) part of each row."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def sum(self, values: np.ndarray) -> np.ndarray:
        """(C,) sums of values (n,), or (C, d) of values (n, d)."""
        if values.ndim == 2:
            return np.stack([np.add.reduceat(column, self.starts[:-1]) for column in values.T], axis=1)
        return np.add.reduceat(values, self.starts[:-1])

    def max(self, values: np.ndarray) -> np.ndarray:
        """(C,) largest of values (n,)."""
        return np.maximum.reduceat(values, self.starts[:-1])

    def mean(self, values: np.ndarray) -> np.ndarray:
        """(C,) or (C, d) means."""
        return self.sum(values) / (self.sizes if values.ndim == 1 else self.sizes[:, None])

    def radius(self, Y: np.ndarray) -> np.ndarray:
        """(C,) root mean squared distances to the centroids."""
        count = len(self.sizes)
        return self.spread(Y, Y, np.ones(count), np.zeros(count))

    def spread(
        self, Y: np.ndarray, before: np.ndarray, factor: np.ndarray, factor_before: np.ndarray
    ) -> np.ndarray:
        """(C,) radii of the differences factor Y - factor_before before; factors (C,)."""
        from nelayout.numerics.segment_loops import spread_each  # compiled: not loaded for one small graph

        spread = np.empty(len(self.sizes))
        spread_each(Y, before, factor, factor_before, self.starts, spread)
        return spread

    def take(self, kept: np.ndarray) -> tuple[Segments, np.ndarray]:
        """The parts of a mask (C,) alone, and the mask (n,) of their rows."""
        return Segments(self.sizes[kept]), kept[self.of]
