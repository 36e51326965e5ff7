"""Groups of rows: which nodes share a scale factor, and which nodes share a value of the objective.

`Whole` is one graph: its sums are Python numbers.  `Parts` are several graphs one after another: its sums are arrays
(C,), one number for each graph.  In `Rows` every node is one group.  Algorithms that are written for these
functions run on one graph and on a thousand, and one small graph does not pay for arrays.

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

__all__ = ["WHOLE", "Groups", "Parts", "Rows", "Whole"]


@dataclass(frozen=True, slots=True)
class Whole:
    """One graph: every sum over its rows is a number."""

    def sum(self, x: Any) -> Any:
        """Sum the rows: a float of (n,), (d,) of (n, d)."""
        total = np.add.reduce(x, axis=0)
        return float(total) if x.ndim == 1 else total

    def mean(self, x: Any) -> Any:
        """Mean of the rows."""
        return self.sum(x) / max(len(x), 1)

    def max(self, x: Any) -> float:
        """Largest of (n,) or (n, d)."""
        return float(np.max(x))

    def radius(self, Y: Any) -> float:
        """Root mean squared distance to the centroid."""
        away = Y - self.mean(Y)
        return math.sqrt(float(np.einsum("ij,ij->", away, away)) / max(len(Y), 1))

    def spread(self, values: Any) -> Any:
        """Give every row the value of its group: the number itself."""
        return values

    def columns(self, values: Any) -> Any:
        """Give every row the value of its group, as a factor of (n, d)."""
        return values

    def full(self, value: Any) -> Any:
        """The value for each group."""
        return value

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        """x for groups that the condition is true of, y for others."""
        return x if condition else y

    def any(self, condition: Any) -> bool:
        """Whether the condition is true of a group."""
        return bool(condition)

    def all(self, condition: Any) -> bool:
        """Whether the condition is true of every group."""
        return bool(condition)

    def invert(self, condition: Any) -> bool:
        """Whether the condition is false."""
        return not condition

    def finite(self, x: float) -> bool:
        """Whether a number is finite."""
        return math.isfinite(x)

    def sqrt(self, x: Any) -> float:
        """Square root."""
        return math.sqrt(x)

    def divide(self, x: float, y: float) -> float:
        """x / y, infinity where y is not above 0."""
        return x / y if y > 0 else math.inf


@dataclass(frozen=True, eq=False)
class Parts:
    """Several graphs, one after another; ``sizes`` (C,), each 1 or more."""

    sizes: np.ndarray

    @property
    def count(self) -> int:
        """Number of parts."""
        return len(self.sizes)

    @cached_property
    def starts(self) -> np.ndarray:
        """(C + 1,) where each part begins, and the end of the last."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    @cached_property
    def of(self) -> np.ndarray:
        """(n,) part of each row."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @cached_property
    def equal(self) -> int:
        """Size of the parts if all have the same, else 0."""
        return int(self.sizes[0]) if len(self.sizes) and not np.any(self.sizes != self.sizes[0]) else 0

    def sum(self, x: np.ndarray) -> np.ndarray:
        """(C,) sums of (n,), or (C, d) sums of (n, d)."""
        if self.equal:
            return np.add.reduce(x.reshape(-1, self.equal, *x.shape[1:]), axis=1)
        if x.ndim == 2:
            return np.stack([np.add.reduceat(column, self.starts[:-1]) for column in x.T], axis=1)
        return np.add.reduceat(x, self.starts[:-1])

    def mean(self, x: np.ndarray) -> np.ndarray:
        """(C,) or (C, d) means."""
        return self.sum(x) / (self.sizes if x.ndim == 1 else self.sizes[:, None])

    def max(self, x: np.ndarray) -> np.ndarray:
        """(C,) largest of (n,) or (n, d)."""
        if self.equal:
            return np.max(x.reshape(len(self.sizes), -1), axis=1)
        x = x if x.ndim == 1 else np.maximum.reduce(x, axis=1)
        return np.maximum.reduceat(x, self.starts[:-1])

    def radius(self, Y: np.ndarray) -> np.ndarray:
        """(C,) root mean squared distances to the centroids."""
        away = Y - self.spread(self.mean(Y))
        return np.sqrt(self.mean(np.einsum("ij,ij->i", away, away)))

    def spread(self, values: Any) -> Any:
        """(n,) of (C,), or (n, d) of (C, d): every row gets the value of its part; a number stays one."""
        if not np.ndim(values):
            return values
        return np.repeat(values, self.equal, axis=0) if self.equal else np.asarray(values)[self.of]

    def columns(self, values: Any) -> Any:
        """(n, 1) of (C,): a factor of (n, d); a number stays one."""
        return self.spread(values)[:, None] if np.ndim(values) else values

    def full(self, value: Any) -> np.ndarray:
        """(C,) of one value."""
        return np.full(len(self.sizes), value, dtype=object if isinstance(value, str) else None)

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        """x for groups that the condition is true of, y for others."""
        return np.where(condition, x, y)

    def any(self, condition: Any) -> bool:
        """Whether the condition is true of a group."""
        return bool(condition.any())

    def all(self, condition: Any) -> bool:
        """Whether the condition is true of every group."""
        return bool(condition.all())

    def invert(self, condition: Any) -> np.ndarray:
        """Negate the condition."""
        return ~condition

    def finite(self, x: np.ndarray) -> np.ndarray:
        """Which numbers are finite."""
        return np.isfinite(x)

    def sqrt(self, x: np.ndarray) -> np.ndarray:
        """Square roots."""
        return np.sqrt(x)

    def divide(self, x: Any, y: np.ndarray) -> np.ndarray:
        """x / y, infinity where y is not above 0."""
        return np.where(y > 0, x / np.where(y > 0, y, 1.0), np.inf)

    def take(self, kept: np.ndarray) -> tuple[Parts, np.ndarray]:
        """The parts of a mask (C,) alone, and the mask (n,) of their rows."""
        return Parts(self.sizes[kept]), kept[self.of]


@dataclass(frozen=True, slots=True)
class Rows:
    """Every row is a group: owners of scale factors, never of values of J."""

    def sum(self, x: Any) -> Any:
        """The rows themselves."""
        return x

    def spread(self, values: Any) -> Any:
        """The values themselves."""
        return values


WHOLE = Whole()
Groups = Whole | Parts | Rows
