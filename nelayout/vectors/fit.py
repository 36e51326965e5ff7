"""`Fit`: a finished embedding with all that placing new rows on it takes.

A new row is compared with the fitted rows as they were compared with each other, and placed where the method's own
objective, as a function of this one row, is lowest (`nelayout.added`)::

    >>> from nelayout.vectors.fitting import fit_vectors
    >>> X = np.array([[0.0], [1.0], [2.0], [50.0], [51.0], [52.0]])
    >>> fit = fit_vectors(X, n_neighbors=2, random_state=0)
    >>> Y = fit.solution.positions
    >>> places = fit.place(np.array([[1.0], [51.4]]), Threads())
    >>> bool((places[0] == Y[1]).all()), int(np.argmin(((Y - places[1]) ** 2).sum(axis=1))) in (3, 4, 5)
    (True, True)
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from nelayout.added.descent import place
from nelayout.added.objective import AddedNodes, Ties, walked
from nelayout.method_record import Method
from nelayout.numerics.parallel import Threads
from nelayout.record.solution import Solution
from nelayout.run.part_costs import NUMPY_PAIRS
from nelayout.run.state import Component, Summation
from nelayout.vectors.entropic import calibrate
from nelayout.vectors.neighbors import Space
from nelayout.vectors.similarities import Similarities

__all__ = ["Fit"]


@dataclass(frozen=True, slots=True)
class Fit:
    """A finished embedding.

    space       the rows and their metric, or the similarities in their place
    k           neighbors of a row; 0: as many as have a similarity
    perplexity  of the weights; None: binary ones
    graph       (n, n) what was drawn: neighbors or similarities, with the edges that join components
    part        the whole graph as one component, with its similarities, masses and method
    """

    space: Space | Similarities
    k: int
    perplexity: float | None
    graph: csr_array
    part: Component
    solution: Solution

    @property
    def method(self) -> Method:
        """The method whose objective the drawing minimizes; of "auto", the one that it chose."""
        assert self.part.drawing.method is not None
        return self.part.drawing.method

    def place(self, X: Any, threads: Threads) -> np.ndarray:
        """(m, dim) places of other rows, as `input.read_vectors` gives them, each without regard to the others.

        A fitted row is given the place that it has; one that was fitted several times, that of the first.
        """
        Y = np.asarray(self.solution.positions)
        known = self._known(X)
        answer = np.empty((X.shape[0], Y.shape[1]))
        answer[known >= 0] = Y[known[known >= 0]]
        new = np.flatnonzero(known < 0)
        if len(new):
            unit = float(np.max(self.solution.unit))
            added = AddedNodes(self._objective(threads), Y * unit, threads)
            answer[new] = place(added, self._ties(X[new], threads)) / unit
        return answer

    def _objective(self, threads: Threads):
        n, entries = len(self.part.nodes), self.part.affinity.P.nnz
        compiled = n**2 + 20 * entries > NUMPY_PAIRS
        return Summation.of("auto", threads, compiled).objective(self.method, self.part.affinity)

    def _ties(self, X: Any, threads: Threads) -> Ties:
        """The edges of new rows: those of an average fitted row, shared out among their nearest."""
        of, to, share = self._shares(X, threads)
        P, walk = self.part.affinity.P, self.part.affinity.walk
        if walk is not None:
            weight = walked(walk, to, share)
            return Ties(of, to, weight, weight, np.ones(X.shape[0]))
        whole = 1.0 if self.method.connection.by_rows else float(np.sum(P.data)) / len(self.part.nodes)
        weight = whole * share
        return Ties(of, to, weight, weight, np.ones(X.shape[0]))

    def _shares(self, X: Any, threads: Threads) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The new row and the fitted row of each edge, and the part of the new row's weight that it has."""
        if isinstance(self.space, Similarities):
            return self.space.shares(X)
        found = self.space.nearest_from(X, self.k, threads)
        m, k = found.indices.shape
        if self.perplexity is None:
            share = np.full((m, k), 1.0 / k)
        else:
            share = calibrate(found.distances, self.perplexity, threads)
        return np.repeat(np.arange(m), k), found.indices.ravel(), share.ravel()

    def _known(self, X: Any) -> np.ndarray:
        """(m,) the first fitted row that is equal to each row; -1: there is none."""
        given = self.space.original
        if isinstance(self.space, Space) and self.space.given.table is not None:
            # of rows of distances, a fitted one is at distance 0 from itself
            if issparse(X):
                zero = X.data == 0
                known = np.full(X.shape[0], -1)
                known[np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[zero][::-1]] = X.indices[zero][::-1]
                return known
            zero = X == 0
            return np.where(zero.any(axis=1), np.argmax(zero, axis=1), -1)
        first: dict[bytes, int] = {}
        for number, key in enumerate(_keys(given)):
            first.setdefault(key, number)
        return np.array([first.get(key, -1) for key in _keys(X)], dtype=np.int64)


def _keys(X: Any) -> list[bytes]:
    """A key of each row that equal rows share, whatever the type of their numbers."""
    if issparse(X):
        ranges = zip(X.indptr[:-1].tolist(), X.indptr[1:].tolist(), strict=True)
        return [X.indices[a:b].astype(np.int64).tobytes() + X.data[a:b].tobytes() for a, b in ranges]
    return [blake2b((row.astype(np.float64) + 0.0).tobytes(), digest_size=16).digest() for row in X]
