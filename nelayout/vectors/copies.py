"""Equal rows are drawn once, as one node with all their weights and masses.

Afterwards, copies are set beside it. Rows 0 and 2 are equal, so that three of four rows are drawn::

    >>> copies = Copies.of(np.array([[1.0], [5.0], [1.0], [6.0]]))
    >>> copies.kind.tolist(), copies.first.tolist()
    ([0, 1, 0, 2], [0, 1, 3])
    >>> square = csr_array([[0.0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 1], [0, 1, 1, 0]])
    >>> copies.merged(square)[0].toarray().tolist()
    [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]

A search for neighbors breaks ties by index. So copies have different neighbors, which would separate them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.placing.overlap import split_coincident
from nelayout.record.solution import Progress
from nelayout.vectors.neighbors import kinds_of

__all__ = ["Copies"]


@dataclass(frozen=True, slots=True)
class Copies:
    """Kind (n,) of each row, one number for all equal rows, and first row (u,) of each kind."""

    kind: np.ndarray
    first: np.ndarray

    @classmethod
    def of(cls, X: Any) -> Copies:
        """Find the equal rows of a table."""
        first, kind = kinds_of(X)
        return cls(kind, first)

    @property
    def any(self) -> bool:
        """True if two rows are equal."""
        return len(self.first) < len(self.kind)

    def one_of_each(self, values: Any) -> Any:
        """Return the values (u, ...) of the first rows of all kinds; None and names stay."""
        return values[self.first] if isinstance(values, np.ndarray) else values

    def merged(self, graph: csr_array, shares: np.ndarray | None = None) -> tuple[csr_array, np.ndarray | None]:
        """Return the graph of kinds with summed weights, and similarities of rows on its edges."""
        u, of = len(self.first), np.repeat(self.kind, np.diff(graph.indptr)).astype(np.int64)
        to = self.kind[graph.indices]
        apart = of != to
        key, at = np.unique(of[apart] * u + to[apart], return_inverse=True)
        i, j = key // u, key % u
        ends = np.searchsorted(i, np.arange(u + 1)).astype(np.int32)
        each = csr_array((np.bincount(at, graph.data[apart], len(key)), j.astype(np.int32), ends), (u, u))
        both = csr_array((each + each.T) / 2.0)  # bits equal to the transpose
        both.sort_indices()
        if shares is None:
            return both, None
        rows = np.bincount(at, shares[apart], len(key))
        alone = np.bincount(i, rows, u)[i] == 0  # kinds with no neighbors other than their copies
        rows[alone] = both.data[alone]
        return both, rows / np.bincount(i, rows, u)[i]

    def within(self, graph: csr_array, merged: csr_array) -> tuple[float, np.ndarray] | None:
        """Return the share of weight between copies, and the number of rows (u,) of each kind."""
        return (float(1.0 - merged.sum() / graph.sum()), np.bincount(self.kind)) if self.any else None

    def masses(self, mass: Any) -> Any:
        """Return the masses of kinds, sums over their rows; names stay, except "unit"."""
        if isinstance(mass, str) and mass != "unit":
            return mass
        n = len(self.kind)
        given = [mass[k] for k in range(n)] if isinstance(mass, Mapping) else 1.0 if isinstance(mass, str) else mass
        return np.bincount(self.kind, np.broadcast_to(np.asarray(given, np.float64), n))

    def told(self, callback: Callable[..., object] | None) -> Callable[[Progress], object] | None:
        """Return the callback with the positions of all rows."""
        if callback is None:
            return None
        return lambda state: callback(replace(state, positions=state.positions[self.kind]))

    def beside(self, Y: np.ndarray) -> np.ndarray:
        """Return positions of all rows: copies are close to the position (u, dim) of their kind."""
        return split_coincident(Y[self.kind])
