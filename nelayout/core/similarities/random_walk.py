"""Random-walk smoothing: dense p = (1 - rho) (I - rho D^-1/2 A D^-1/2)^-1, never formed.

p_ij sums over all walks from i to j, one of k edges with weight (1 - rho) rho^k (Zhou et al. 2003; Yang,
Peltonen & Kaski 2014, sec. 5.2): nodes become similar by the many short walks between them, also without an edge.

Objectives that are quadratic in the drawing need p X, p 1 and solutions of (diag(p1) - p) X = B, and no more of p.
With K = I - rho S, S = D^-1/2 A D^-1/2, each is one sparse symmetric positive definite system.

Other objectives need every single p_ij, and p is full.  Small graphs keep all of it.  In larger ones each row keeps its
largest entries, found by pushing, and p_ij stays if either end keeps it.  The diagonal is dropped.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.blocks import rows_at_once
from nelayout.numerics.compressed_rows import canonical
from nelayout.numerics.conjugate_gradients import conjugate_gradients
from nelayout.numerics.parallel import Threads

__all__ = ["RandomWalk", "truncated_walk"]

# Relative error (Euclidean norm) that products with p keep below.
ACCURACY = 1e-8
# Nodes up to which p is kept whole.
WHOLE = 500
# Random numbers that estimate the diagonal of p in a larger graph.
SIGNS = 50_000
# Entries kept of each row: at least KEPT, and more as long as there are not more than WHOLE^2 in all.
KEPT = 64
# Error of an entry, in parts of sqrt(d_i d_j) / (mean d * entries kept), d the strengths.
TOLERANCE = 0.1


class RandomWalk:
    """p of a symmetric graph (n, n) as an operator; a product costs O((1 - rho)^-1/2) passes."""

    def __init__(self, graph: csr_array, rho: float) -> None:
        self.rho, self.n = rho, len(graph.indptr) - 1
        rows = np.repeat(np.arange(self.n), np.diff(graph.indptr))
        self.strength = np.bincount(rows, graph.data, minlength=self.n)
        root = np.sqrt(self.strength)
        data = graph.data / (root[rows] * root[graph.indices])
        self.S = csr_array((data, graph.indices, graph.indptr), shape=(self.n, self.n))

    @cached_property
    def row_sums(self) -> np.ndarray:
        """Row sums u = p 1, (n,), the diagonal of p counted; 1 where all strengths are equal."""
        root = np.sqrt(self.strength)
        # K sqrt(D) = (1 - rho) sqrt(D): the part that converges slowest is known beforehand
        along = float(np.sum(root)) / max(float(np.sum(self.strength)), 1e-300)
        ones = np.ones((self.n, 1))
        return self._solve_K((1.0 - self.rho) * ones, (along * root)[:, None], 1e-5 * ACCURACY)[:, 0]

    @cached_property
    def attraction(self) -> np.ndarray:
        """Return an upper bound (n,) of sum_{j != i} p_ij: only two-step returns are removed."""
        twice = np.zeros(self.n)
        filled = np.flatnonzero(np.diff(self.S.indptr))
        if len(filled):
            twice[filled] = np.add.reduceat(self.S.data**2, self.S.indptr[filled])
        return self.row_sums - (1.0 - self.rho) * (1.0 + self.rho**2 * twice)

    @cached_property
    def to_others(self) -> np.ndarray:
        """Return (n,) sum_{j != i} p_ij, exact up to `WHOLE` nodes.

        In larger graphs, random signs X estimate the trace of the returns with three steps or more from X^T p X
        (Hutchinson 1990).  Every node then has the mean of these returns.
        """
        if self.n <= WHOLE:
            signs, trials = np.eye(self.n), 1
        else:
            trials = max(SIGNS // self.n, 1)
            signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(self.n, trials))
        later = self.S @ np.asarray(self.S @ np.asarray(self.S @ signs))
        returns = self.rho**3 * np.sum(signs * self.times(np.asarray(later)), axis=1) / trials
        return self.attraction - (returns if self.n <= WHOLE else float(np.mean(returns)))

    def times(self, X: np.ndarray) -> np.ndarray:
        """Product p X for X (n, d)."""
        return (1.0 - self.rho) * self._solve_K(X)

    def laplacian(self, Y: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
        """R_i = sum_j p_ij (y_i - y_j) for Y (n, d); ``start`` is a guess at R.

        The terms of diag(p1) Y - p Y nearly cancel in a smooth drawing.  So R solves
        K R = rho sum_j S_ij u_j (y_i - y_j), which contains only differences.
        """
        Y = Y - np.sum(Y, axis=0) / max(self.n, 1)
        u = self.row_sums[:, None]
        right = self.rho * ((self.S @ u) * Y - self.S @ (u * Y))
        return self._solve_K(right, start)

    def solve(
        self,
        scale: float,
        ridge: float | np.ndarray,
        right: np.ndarray,
        tolerance: float,
        max_iter: int,
        free: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Solve (scale L + ridge) X = right, L = diag(p1) - p, for X; also L X.

        ``ridge`` is a number times I, or a diagonal (n,).  X stays 0 where the mask ``free`` (n, d) is False.

        With g = scale p1 + ridge and X = K Z it is (K - scale (1 - rho) diag(1/g)) Z = right / g.  This system is
        sparse, symmetric and positive definite, and p X = (1 - rho) Z.  Coordinates that stay have 1/g = 0, so
        X_i = (K Z)_i = 0.  The system is nearly singular along Z = p1, a translation of the drawing.  Gradients
        sum to 0 and have no part along it.
        """
        u, rho = self.row_sums, self.rho
        inverse = (1.0 / (scale * u + ridge))[:, None]
        if free is not None:
            inverse = inverse * free
        bound = (scale * (1.0 - rho)) * inverse
        Z = conjugate_gradients(
            lambda Z: self._K(Z) - bound * Z, 1.0 - bound, inverse * right, tolerance=tolerance, max_iter=max_iter
        )
        X = self._K(Z)
        if free is not None:
            X[~free] = 0.0
        # X is not the iterate itself: if the iteration ended early, X may point uphill; right / g never does.
        uphill = np.sum(X * right, axis=0) <= 0.0
        if uphill.any():
            X = np.where(uphill, inverse * right, X)
            Z = np.where(uphill, self._solve_K(X), Z)
        return X, u[:, None] * X - (1.0 - rho) * Z

    def _K(self, X: np.ndarray) -> np.ndarray:
        return X - self.rho * (self.S @ X)

    def _solve_K(
        self, right: np.ndarray, start: np.ndarray | None = None, tolerance: float | None = None
    ) -> np.ndarray:
        """Solve K X = right, with a relative error of ACCURACY or a given residual."""
        if tolerance is None:  # K's eigenvalues are in [1 - rho, 1 + rho]
            tolerance = ACCURACY * (1.0 - self.rho) / (1.0 + self.rho)
        root = math.sqrt((1.0 + self.rho) / (1.0 - self.rho))
        most = 10 + math.ceil(root * math.log(2.0 * root / tolerance))  # twice the bound of theory
        return conjugate_gradients(self._K, np.ones(self.n), right, tolerance=tolerance, max_iter=most, start=start)


def truncated_walk(graph: csr_array, rho: float, threads: Threads | None = None) -> tuple[csr_array, float]:
    """Truncate p to P (n, n), symmetric without a diagonal; return P and its share of p_ij."""
    walk = RandomWalk(graph, rho)
    n = walk.n
    if n <= WHOLE:
        p = walk.times(np.eye(n))
        p = np.maximum((p + p.T) / 2, 0.0)
        np.fill_diagonal(p, 0.0)
        return canonical(csr_array(p)), 1.0
    from nelayout.core.similarities import loops

    kept = max(KEPT, WHOLE**2 // n)
    columns = np.full((n, kept), -1, dtype=np.int32)
    values, own = np.zeros((n, kept)), np.zeros(n)
    S, root = walk.S, np.sqrt(walk.strength)
    tolerance = TOLERANCE / (kept * float(np.mean(walk.strength)))
    size = rows_at_once(256 * kept)

    def work(start: int) -> None:
        rows = start, min(start + size, n)
        loops.largest_of_rows(S.indptr, S.indices, S.data, root, rho, tolerance, *rows, columns, values, own)

    (threads or Threads()).map(work, range(0, n, size))
    filled = columns >= 0
    rows = np.repeat(np.arange(n, dtype=np.int32), np.sum(filled, axis=1))
    half = csr_array((values[filled], (rows, columns[filled])), shape=(n, n))
    ends = csr_array((np.ones(len(half.data)), half.indices, half.indptr), shape=(n, n))
    P, ends = canonical(half + half.T), canonical(ends + ends.T)
    P.data = np.divide(P.data, ends.data)  # the mean of both ends, or what one of them alone has kept
    everything = float(np.sum(walk.row_sums)) - float(np.sum(own))
    return P, min(1.0, float(np.sum(P.data)) / everything)
