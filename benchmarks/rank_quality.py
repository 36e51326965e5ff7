"""How much of the neighborhoods of vectors a drawing keeps, as the papers on embeddings count it.

Take four points on a line at 0, 1, 3, 7, drawn at 0, 1, 7, 3: the last two have changed places.  Around the
first point the ranks were 1, 2, 3 and are 1, 3, 2: of its two nearest one is kept, one came in, one went out.

All functions here compare tables of all pairs, so they are meant for some thousands of points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

RELEVANT, MOST = 20, 100
"""Neighbors in the input that are relevant, and the most that are retrieved in the drawing [A15, sec. 4]."""
ROWS_AT_ONCE = 500
FEW_COLUMNS = 3
"""Drawings are compared by differences, which do not cancel; data by a matrix product, which is fast."""


def squared_distances(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """(len(A), len(B)), column by column."""
    far = np.zeros((len(A), len(B)))
    for a, b in zip(A.T, B.T, strict=True):
        far += (a[:, None] - b[None, :]) ** 2
    return far


def ranks(X: np.ndarray) -> np.ndarray:
    """(n, n) int32: the rank of row j around row i, 1 for the nearest, 0 on the diagonal; ties by index."""
    X = np.asarray(X, np.float64)
    n = len(X)
    found = np.empty((n, n), np.int32)
    squares = np.einsum("ij,ij->i", X, X)
    for start in range(0, n, ROWS_AT_ONCE):
        rows = slice(start, min(start + ROWS_AT_ONCE, n))
        if X.shape[1] <= FEW_COLUMNS:
            far = squared_distances(X[rows], X)
        else:
            far = squares[rows, None] + squares[None, :] - 2.0 * (X[rows] @ X.T)
        here = np.arange(rows.stop - start)
        far[here, start + here] = -np.inf
        order = np.argsort(far, axis=1, kind="stable")
        found[start + here[:, None], order] = np.arange(n, dtype=np.int32)
    return found


def reversed_ranks(table: np.ndarray) -> np.ndarray:
    """The table of `ranks` that counts from the farthest row: 1 for it, 0 on the diagonal."""
    return np.where(table > 0, len(table) - table, 0).astype(np.int32)


@dataclass(frozen=True)
class Agreement:
    """Curves over K = 1 .. n-1 [L13, (41)-(44)].

    kept      (n-1,) Q_NX: mean share of a row's K nearest that are among its K nearest in the drawing
    surplus   (n-1,) B_NX: of the pairs within both, those whose rank grew less those whose rank fell

    A stranger that comes in raises the ranks of all behind it, and a neighbor that is torn away lowers them. So
    B_NX > 0 says intrusions and < 0 extrusions, as the paper reads its figures; (43) as printed is -B_NX.
    """

    kept: np.ndarray
    surplus: np.ndarray

    @property
    def gain(self) -> np.ndarray:
        """(n-2,) R_NX for K = 1 .. n-2: 0 for a random drawing, 1 for a perfect one."""
        others = len(self.kept)
        K = np.arange(1, others)
        return (others * self.kept[:-1] - K) / (others - K)

    @property
    def area(self) -> float:
        """The mean of R_NX with weights 1/K (Lee et al. 2015)."""
        weights = 1.0 / np.arange(1, len(self.kept))
        return float(np.sum(weights * self.gain) / np.sum(weights))

    @property
    def intrusion(self) -> float:
        """The mean of 100 B_NX: above 0 strangers come in, below 0 neighbors are torn away."""
        return float(100.0 * np.mean(self.surplus))


def agreement(before: np.ndarray, after: np.ndarray) -> Agreement:
    """The curves of two tables of `ranks`."""
    n = len(before)
    off = ~np.eye(n, dtype=bool)
    rho, r = before[off], after[off]
    # A pair is within both K-neighborhoods from K = max of its ranks on.
    larger = np.maximum(rho, r)
    scale = n * np.arange(1, n)

    def counted(which: np.ndarray) -> np.ndarray:
        return np.cumsum(np.bincount(larger[which], minlength=n)[1:]) / scale

    nearer, farther = counted(rho > r), counted(rho < r)
    return Agreement(counted(rho == r) + nearer + farther, farther - nearer)


def retrieval_auc(before: np.ndarray, after: np.ndarray, relevant: int = RELEVANT, most: int = MOST) -> float:
    """Area under mean precision against mean recall when 1 .. most neighbors are retrieved in the drawing [A15].

    The `relevant` nearest in the input are the relevant ones.  The curve begins at recall 0 with the precision of
    one neighbor and ends at the recall of `most` of them; between its points it is straight.
    """
    most = min(most, len(before) - 1)
    wanted = (before > 0) & (before <= relevant)
    hits = np.cumsum(np.bincount(after[wanted], minlength=len(before))[1 : most + 1]) / len(before)
    precision, recall = hits / np.arange(1, most + 1), hits / relevant
    return float(np.trapezoid(np.r_[precision[0], precision], np.r_[0.0, recall]))


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
    q = 1.0 / (1.0 + squared_distances(Y, Y))
    np.fill_diagonal(q, 0.0)
    return q / q.sum(axis=1, keepdims=True)
