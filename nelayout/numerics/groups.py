"""Groups of rows: which nodes share a scale factor, and which share a value of J.

`Whole` is one graph: its sums are Python numbers.  `Parts` are several graphs one after another: its sums are arrays
(C,), one number for each graph.  In `Rows` every node is one group.  Algorithms that use these functions run on one
graph and on a thousand, and one small graph does not need arrays.

>>> parts = Parts(np.array([2, 3]))
>>> parts.sum(np.array([1.0, 2.0, 3.0, 4.0, 5.0])), parts.spread(np.array([0.5, 7.0]))
(array([ 3., 12.]), array([0.5, 0.5, 7. , 7. , 7. ]))
>>> WHOLE.sum(np.array([1.0, 2.0])), WHOLE.where(True, "yes", "no")
(3.0, 'yes')
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

__all__ = ["WHOLE", "Groups", "Parts", "Rows", "Whole", "several"]


def several(x: Any) -> bool:
    """Return whether x is an array with an axis; `numpy.ndim` is slow for floats."""
    return getattr(x, "ndim", 0) > 0


@dataclass(frozen=True, slots=True)
class Whole:
    """One graph: every sum over its rows is a number."""

    def sum(self, x: Any) -> Any:
        """Sum the rows: (n,) to a float, (n, d) to (d,)."""
        total = np.add.reduce(x, axis=0)
        return float(total) if x.ndim == 1 else total

    def mean(self, x: Any) -> Any:
        """Return the mean of the rows."""
        return self.sum(x) / max(len(x), 1)

    def max(self, x: Any) -> float:
        """Return the largest entry of (n,) or (n, d)."""
        return float(np.max(x))

    def radius(self, Y: Any) -> float:
        """Return the root mean squared distance to the centroid."""
        away = Y - np.add.reduce(Y, axis=0) / max(len(Y), 1)
        return math.sqrt(float(np.einsum("ij,ij->", away, away)) / max(len(Y), 1))

    def spread(self, values: Any) -> Any:
        """Return the value of each row's group: the number itself."""
        return values

    columns = full = spread  # as factors of (n, d); the value for each group

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        """Return x for groups where the condition is true, else y."""
        return x if condition else y

    def all(self, condition: Any) -> bool:
        """Return whether the condition is true for every group."""
        return bool(condition)

    def any(self, condition: Any) -> bool:
        """Return whether the condition is true for a group."""
        return bool(condition)

    def divide(self, x: float, y: float) -> float:
        """Return x / y, infinity unless y > 0."""
        return x / y if y > 0 else math.inf


@dataclass(frozen=True, eq=False)
class Parts:
    """Several graphs, one after another; ``sizes`` (C,), each 1 or more.

    Methods are those of `Whole`, with arrays (C,) for numbers.
    """

    sizes: np.ndarray

    @property
    def count(self) -> int:
        """Number of parts."""
        return len(self.sizes)

    @cached_property
    def starts(self) -> np.ndarray:
        """First row of each part, and the number of rows, (C + 1,)."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    @cached_property
    def of(self) -> np.ndarray:
        """Part of each row, (n,)."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @cached_property
    def equal(self) -> int:
        """Size of the parts if all are equal, else 0."""
        return int(self.sizes[0]) if len(self.sizes) and not np.any(self.sizes != self.sizes[0]) else 0

    def sum(self, x: np.ndarray) -> np.ndarray:
        if self.equal:
            return np.add.reduce(x.reshape(-1, self.equal, *x.shape[1:]), axis=1)
        if x.ndim == 2:
            return np.stack([np.add.reduceat(column, self.starts[:-1]) for column in x.T], axis=1)
        return np.add.reduceat(x, self.starts[:-1])

    def mean(self, x: np.ndarray) -> np.ndarray:
        return self.sum(x) / (self.sizes if x.ndim == 1 else self.sizes[:, None])

    def max(self, x: np.ndarray) -> np.ndarray:
        if self.equal:
            return np.max(x.reshape(len(self.sizes), -1), axis=1)
        return np.maximum.reduceat(x if x.ndim == 1 else np.maximum.reduce(x, axis=1), self.starts[:-1])

    def radius(self, Y: np.ndarray) -> np.ndarray:
        away = Y - self.spread(self.mean(Y))
        return np.sqrt(self.mean(np.einsum("ij,ij->i", away, away)))

    def spread(self, values: Any) -> Any:
        """Give each row the value of its part, (C,) to (n,), (C, d) to (n, d); a number stays one."""
        if not several(values):
            return values
        return values.repeat(self.equal, axis=0) if self.equal else values[self.of]

    def columns(self, values: Any) -> Any:
        """Give each row the value of its part, (C,) to (n, 1); a number stays one."""
        return self.spread(values)[:, None] if several(values) else values

    def full(self, value: Any) -> np.ndarray:
        """Return (C,) copies of one value."""
        return np.full(len(self.sizes), value, dtype=object if isinstance(value, str) else None)

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        return np.where(condition, x, y)

    def all(self, condition: Any) -> bool:
        return np.count_nonzero(condition) == len(condition)

    def any(self, condition: Any) -> bool:
        return bool(np.count_nonzero(condition))

    def divide(self, x: Any, y: np.ndarray) -> np.ndarray:
        return np.where(y > 0, x / np.where(y > 0, y, 1.0), np.inf)

    def take(self, kept: np.ndarray) -> tuple[Parts, np.ndarray]:
        """Return the parts of a mask (C,), and the mask (n,) of their rows."""
        return Parts(self.sizes[kept]), kept[self.of]


@dataclass(frozen=True, slots=True)
class Rows:
    """Every row is a group: for scale factors, never for values of J."""

    def spread(self, values: Any) -> Any:
        """Return the values."""
        return values

    sum = spread


WHOLE = Whole()
Groups = Whole | Parts | Rows
