"""`Fit`: a finished embedding, with all that is needed to add new rows to it.

A new row is compared with the fitted rows as they were compared with each other. Its position minimizes the method's
own objective as a function of this one row (`nelayout.added`)::

    >>> from nelayout.vectors.embedding import fit_vectors
    >>> X = np.array([[0.0], [1.0], [2.0], [50.0], [51.0], [52.0]])
    >>> fit = fit_vectors(X, n_neighbors=2, random_state=0)
    >>> Y = fit.solution.positions
    >>> places = fit.place(np.array([[1.0], [51.4]]), Threads())
    >>> bool((places[0] == Y[1]).all()), int(np.argmin(((Y - places[1]) ** 2).sum(axis=1))) in (3, 4, 5)
    (True, True)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.added.descent import place
from nelayout.added.objective import AddedNodes, Ties, walked
from nelayout.catalogue.record import Method
from nelayout.errors import InputError
from nelayout.numerics.parallel import Threads
from nelayout.record.solution import Solution
from nelayout.run.drawing import Drawing, Summation, uses_loops
from nelayout.similarities.entropic import calibrate
from nelayout.vectors.input import Neighbors
from nelayout.vectors.joining import Similarities
from nelayout.vectors.metrics import ROUNDING
from nelayout.vectors.neighbors import Space, row_keys

__all__ = ["Fit"]


@dataclass(frozen=True, slots=True)
class Fit:
    """A finished embedding.

    space       the rows and their metric, or the similarities instead
    k           neighbors of a row; 0: all rows with a similarity
    perplexity  of the weights; None: binary ones
    graph       (n, n) drawn graph: neighbors or similarities, with the edges that join components
    drawing     of the whole graph as one component, with its similarities, masses and method
    """

    space: Space | Similarities
    k: int
    perplexity: float | None
    graph: csr_array
    drawing: Drawing
    solution: Solution

    @property
    def method(self) -> Method:
        """Method of the drawing; of "auto", the method that it chose."""
        assert self.drawing.method is not None
        return self.drawing.method

    def place(self, X: Any, threads: Threads) -> np.ndarray:
        """Return positions (m, dim) of other rows, one by one; a fitted row keeps its position."""
        Y = np.asarray(self.solution.positions)
        if isinstance(self.space, Similarities):
            found, known = None, _equal_rows(self.space.original, X)
        else:
            found = _within_floats(self.space, X, self.k, threads)
            known = self._nearest_if_same(self.space, found, X)
        answer = np.empty((X.shape[0], Y.shape[1]))
        answer[known >= 0] = Y[known[known >= 0]]
        new = np.flatnonzero(known < 0)
        if len(new):
            unit = float(np.max(self.solution.unit))
            compiled = uses_loops(len(Y), self.drawing.affinity.P.nnz)
            objective = Summation.of("auto", threads, compiled).objective(self.method, self.drawing.affinity)
            added = AddedNodes(objective, Y * unit, threads)
            of, to, share = self._shares(X, new, found, threads)
            answer[new] = place(added, self._ties(len(new), of, to, share)) / unit
        return answer

    def _ties(self, m: int, of: np.ndarray, to: np.ndarray, share: np.ndarray) -> Ties:
        """Return edges of m new rows; their nearest share the weight of an average fitted row."""
        P, walk = self.drawing.affinity.P, self.drawing.affinity.walk
        if walk is not None:
            weight = walked(walk, to, share)
        else:
            whole = 1.0 if self.method.connection.by_rows else float(np.sum(P.data)) / len(self.drawing.Y)
            weight = whole * share
        return Ties(of, to, weight, weight, np.ones(m))

    def _shares(
        self, X: Any, new: np.ndarray, found: Neighbors | None, threads: Threads
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return new row and fitted row of each edge, and its share of the new row's weight."""
        if isinstance(self.space, Similarities):
            return self.space.shares(X[new])
        assert found is not None
        indices, distances = found.indices[new], found.distances[new]
        m, k = indices.shape
        if self.perplexity is None:
            share = np.full((m, k), 1.0 / k)
        else:
            share = calibrate(distances, self.perplexity, threads)
        return np.repeat(np.arange(m), k), indices.ravel(), share.ravel()

    @staticmethod
    def _nearest_if_same(space: Space, found: Neighbors, X: Any) -> np.ndarray:
        """Return (m,) the fitted row that equals each row, or -1."""
        same, one = space.given.convert(np.array([ROUNDING**2, 1.0]))
        near, far = found.distances[:, 0], found.distances[:, -1]
        known = np.where(near <= same / one * far, found.indices[:, 0], -1)
        if space.given.euclidean or space.given.table is not None:
            return known
        equal = _equal_rows(space.original, X)  # some metrics separate equal rows: russellrao, functions
        return np.where(known < 0, equal, known)


def _within_floats(space: Space, X: Any, k: int, threads: Threads) -> Neighbors:
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


def _equal_rows(fitted: Any, X: Any) -> np.ndarray:
    """Return (m,) the first fitted row with the same numbers as each row, or -1."""
    first: dict[bytes, int] = {}
    for number, key in enumerate(row_keys(fitted)):
        first.setdefault(key, number)
    return np.array([first.get(key, -1) for key in row_keys(X)], dtype=np.int64)
