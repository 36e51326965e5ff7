"""`Fit`: a finished embedding, with all that is needed to add new rows to it.

A new row is compared with the fitted rows as they were compared with each other. Its position minimizes the method's
own objective as a function of this one row (`nelayout.core.added`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.core.added.descent import place
from nelayout.core.added.objective import AddedNodes, NewEdges, walked
from nelayout.core.passes.drawing import Drawing, Summation
from nelayout.core.record.solution import Solution
from nelayout.core.similarities.entropic import calibrate
from nelayout.errors import InputError
from nelayout.numerics.parallel import Threads
from nelayout.vectors.input import Neighbors
from nelayout.vectors.joining import shares_of_similarities
from nelayout.vectors.metrics import ROUNDING
from nelayout.vectors.neighbors import NeighborIndex, row_keys

__all__ = ["Fit"]


@dataclass(frozen=True, slots=True)
class Fit:
    """A finished embedding.

    rows        the fitted rows as they were given, (n, d); of similarities (n, n)
    space       the rows and their metric; None for similarities
    k           neighbors of a row; 0: all rows with a similarity
    perplexity  of the weights; None: binary ones
    graph       (n, n) drawn graph: neighbors or similarities, with the edges that join components
    drawing     of the whole graph as one component, with its similarities, masses and method
    """

    rows: Any
    space: NeighborIndex | None
    k: int
    perplexity: float | None
    graph: csr_array
    drawing: Drawing
    solution: Solution

    def place(self, X: Any, threads: Threads) -> np.ndarray:
        """Return positions (m, dim) of other rows, one by one; a fitted row keeps its position."""
        positions, affinity, method = np.asarray(self.solution.positions), self.drawing.affinity, self.drawing.method
        nodes = self.drawing.part.nodes  # rows in the order of the drawing
        assert method is not None
        if self.space is None:
            known = self._equal(X)
            of, to, share = shares_of_similarities(X[known < 0])
        else:
            found = _within_floats(self.space, X, self.k, threads)
            same, one = self.space.given.convert(np.array([ROUNDING**2, 1.0]))
            known = np.where(found.distances[:, 0] <= same / one * found.distances[:, -1], found.indices[:, 0], -1)
            if not self.space.given.euclidean and self.space.given.table is None:
                known = np.where(known < 0, self._equal(X), known)  # some separate equal rows: russellrao, functions
            distances, to = found.distances[known < 0], found.indices[known < 0].ravel()
            of, share = np.repeat(np.arange(len(distances)), self.k), np.full(len(to), 1.0 / self.k)
            if self.perplexity is not None:
                share = calibrate(distances, self.perplexity, threads).ravel()
        answer = np.empty((X.shape[0], positions.shape[1]))
        answer[known >= 0] = positions[known[known >= 0]]
        if (known < 0).any():
            unit, Y, to = float(np.max(self.solution.unit)), positions[nodes], np.argsort(nodes)[to]
            sums = Summation("auto", threads)
            added = AddedNodes(sums.objective(method, affinity), Y * unit, threads)
            if affinity.walk is not None:
                weight = walked(affinity.walk, to, share)
            else:  # the nearest rows share the weight of an average fitted row
                weight = share * (1.0 if method.connection.by_rows else float(np.sum(affinity.P.data)) / len(Y))
            ties = NewEdges(of, to, weight, weight, np.ones(int(np.sum(known < 0))))
            answer[known < 0] = place(added, ties) / unit
        return answer

    def _equal(self, X: Any) -> np.ndarray:
        """Return (m,) the first fitted row with the same numbers as each row, or -1."""
        first: dict[bytes, int] = {}
        for number, key in enumerate(row_keys(self.rows)):
            first.setdefault(key, number)
        return np.array([first.get(key, -1) for key in row_keys(X)], dtype=np.int64)


def _within_floats(space: NeighborIndex, X: Any, k: int, threads: Threads) -> Neighbors:
    """Return the k nearest fitted rows of each row; `InputError` if a distance overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = space.nearest_from(X, k, threads)
    wrong = ~np.isfinite(found.distances).all(axis=1)
    if wrong.any():
        more = f", and so are {int(wrong.sum()) - 1} more" if wrong.sum() > 1 else ""
        raise InputError(
            f"row {int(np.argmax(wrong))} of X is so far from the fitted rows that the distances are beyond the range "
            f"of floats{more}: leave it out, or look at its unit"
        )
    return found
