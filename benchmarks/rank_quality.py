"""How much of the neighborhoods of vectors a drawing keeps: nelayout's rank measures, and neighbors by a threshold.

All functions here compare tables of all pairs, so they are meant for some thousands of points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

import nelayout as nl


def measured(X: np.ndarray, Y: Any, measure: str) -> float:
    """One of nelayout's measures of an embedding, exact."""
    return nl.measure_vectors(X, Y, measures=measure, sample=None)[measure].value


def curves(X: np.ndarray, Y: Any) -> nl.RankCurves:
    """Q_NX, B_NX and R_NX of an embedding, exact."""
    return nl.rank_curves_vectors(X, Y, sample=None)


@dataclass(frozen=True)
class Retrieval:
    """Mean precision and recall of the rows at one threshold, and their harmonic mean."""

    precision: float
    recall: float

    @property
    def f(self) -> float:
        """2 P R / (P + R); 0 where both are."""
        both = self.precision + self.recall
        return 2.0 * self.precision * self.recall / both if both > 0 else 0.0


def retrieval(p: np.ndarray, q: np.ndarray, threshold: float) -> Retrieval:
    """Neighbors are pairs whose similarity is above the threshold: p (n, n) in the input, q in the drawing [I18].

    A row that retrieves nobody has precision 0; a row without neighbors in the input counts in neither mean.
    """
    true, drawn = p > threshold, q > threshold
    some = true.any(axis=1)
    hits, wanted, found = (true & drawn).sum(axis=1)[some], true.sum(axis=1)[some], drawn.sum(axis=1)[some]
    if not some.any():
        return Retrieval(0.0, 0.0)
    return Retrieval(float(np.mean(hits / np.maximum(found, 1))), float(np.mean(hits / wanted)))


def threshold_of(p: np.ndarray, size: float) -> float:
    """The threshold above which a row of p has `size` neighbors in the mean (ties: fewer)."""
    count = round(size * len(p))
    return float(np.partition(p.ravel(), p.size - count - 1)[p.size - count - 1])


def cauchy_rows(Y: np.ndarray) -> np.ndarray:
    """(n, n) similarities of a drawing by t-SNE and its kin, each row divided by its sum; 0 on the diagonal."""
    Y = np.asarray(Y, np.float64)
    q = 1.0 / (1.0 + cdist(Y, Y, "sqeuclidean"))
    np.fill_diagonal(q, 0.0)
    return q / q.sum(axis=1, keepdims=True)
