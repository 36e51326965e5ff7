"""The edge half of an objective when a random walk smooths the similarities.

Then every pair is an edge.  The sum over pairs is affordable only if it is quadratic in the positions.  So omega_ij =
d edge / d xi_ij must not depend on the distance: edge(p, b(xi)) = p (e_0 + (e_1 - e_0) xi).  The sum then needs only
sum p and sum_ij p_ij xi_ij = 2 sum_i y_i R_i, R = (diag(p1) - p) Y.  This holds for the beta divergence of order
1 - a/b of the kernel.  Examples are Itakura-Saito with the inverse squared distance (QuadLog, gamma-QuadLog), and the
I-divergence with the Gaussian kernel at a fixed lambda (Elastic Embedding).
"""

from __future__ import annotations

import numpy as np

from nelayout.core.formula.connections import Connection, Fixed
from nelayout.core.formula.divergences.protocol import Divergence, Similarity
from nelayout.core.formula.kernels import Kernel
from nelayout.core.similarities.random_walk import RandomWalk
from nelayout.core.sums.edges.matrix import EdgeSums

__all__ = ["WalkEdges", "can_smooth_exactly"]

_ONE = np.ones(1)


def can_smooth_exactly(kernel: Kernel, divergence: Divergence, connection: Connection) -> bool:
    """Return whether the edge term is quadratic, and p's diagonal adds only a constant to J.

    The walk estimates its diagonal in large graphs.  It adds a constant if lambda is fixed, or for pure powers of the
    distance: an edge of length 0 then has no slope.
    """
    if not divergence.linear or connection.needs_normalizer:
        return False
    xi = np.array([0.25, 1.0, 2.0, 7.0])
    omega = -kernel.decay(xi) * divergence.slope(np.ones(4), Similarity(kernel, xi))
    if not np.allclose(omega, omega[0], rtol=1e-12, atol=0.0):
        return False
    at_zero = divergence.slope(_ONE, Similarity(kernel, np.zeros(1)))
    return isinstance(connection, Fixed) or bool(np.abs(at_zero[0]) < 1e-100)


class WalkEdges:
    """`matrix.Edges` for the dense p of a random walk.

    Weights omega_ij = w p_ij are one number, w, in an array of one.  ``weight`` is sum p without its diagonal.  R is
    linear in Y.  The walk's `solve` returns (diag(p1) - p) X along with X.  So after this move, the next positions need
    no further system except for rounding.
    """

    def __init__(self, walk: RandomWalk) -> None:
        self.walk, self.n, self.size = walk, walk.n, 1
        self.weight = float(np.sum(walk.to_others))
        self._seen: list[tuple[np.ndarray, np.ndarray]] = []  # the last positions and their R, newest last
        self._move: tuple[np.ndarray, np.ndarray] | None = None  # the last solution X and (diag(p1) - p) X

    def sums(
        self, Y: np.ndarray, kernel: Kernel, divergence: Divergence, lam: float, want: frozenset[str]
    ) -> EdgeSums:
        """Return the sums of `matrix.Edges.sums`."""
        R = self._laplacian(Y)
        at = Similarity(kernel, np.array([0.0, 1.0]), lam)
        p = np.ones(2)
        edge, slope = divergence.edge(p, at), divergence.slope(p, at)
        total = 2.0 * float(np.sum((Y - np.sum(Y, axis=0) / self.n) * R))  # sum p_ij xi_ij
        omega = -float(np.asarray(kernel.decay(_ONE)).flat[0]) * float(slope[1])
        return EdgeSums(
            float(self.weight * edge[0] + total * (edge[1] - edge[0])),
            float(self.weight * slope[0] + total * (slope[1] - slope[0])),
            omega * R if "pull" in want else None,
            np.array([omega]) if "weights" in want else None,
            self.row_sums(np.array([max(omega, 0.0)])) if "attraction" in want else None,
        )

    def node_values(self, Y: np.ndarray, kernel: Kernel, divergence: Divergence, lam: float) -> np.ndarray:
        """Return (n,) sum_j edge(p_ij, lambda q_ij); sum_j p_ij xi_ij = 2 y_i R_i - R(|y|^2)_i."""
        edge = divergence.edge(np.ones(2), Similarity(kernel, np.array([0.0, 1.0]), lam))
        Y = Y - np.sum(Y, axis=0) / self.n
        square = np.sum(Y * Y, axis=1)[:, None]
        xi = 2.0 * np.sum(Y * self._laplacian(Y), axis=1) - self.walk.laplacian(square)[:, 0]
        return self.walk.to_others * edge[0] + xi * (edge[1] - edge[0])

    def scaled_slope(self, divergence: Divergence, b: Similarity) -> np.ndarray:
        """Return d edge(p, b) / d ln b per unit of p."""
        return divergence.slope(_ONE, b)

    def solve(
        self, weights: np.ndarray, scale: float, ridge: float | np.ndarray, right: np.ndarray, tolerance: float,
        max_iter: int, free: np.ndarray | None = None,
    ) -> np.ndarray:
        """Solve (scale w (diag(p1) - p) + ridge) X = right, (n, d); 0 where not ``free`` (n, d)."""
        self._move = self.walk.solve(scale * float(weights[0]), ridge, right, tolerance, max_iter, free)
        return self._move[0]

    def stretch(self, weights: np.ndarray, Y: np.ndarray) -> float:
        """Return w tr(Y^T (diag(p1) - p) Y), as `matrix.Edges.stretch`."""
        Y = Y - np.sum(Y, axis=0) / self.n
        return float(weights[0]) * float(np.sum(Y * self._laplacian(Y)))

    def row_sums(self, weights: np.ndarray) -> np.ndarray:
        """Return w sum_{j != i} p_ij, bounded closely from above, for step lengths."""
        return float(weights[0]) * self.walk.attraction

    def _laplacian(self, Y: np.ndarray) -> np.ndarray:
        for seen, R in self._seen:
            if np.array_equal(seen, Y):
                return R
        start = None
        for seen, R in self._seen[-1:]:
            square = float(np.sum(seen * seen))
            start = (float(np.sum(seen * Y)) / square if square > 0 else 1.0) * R
        if self._move is not None:
            for seen, R in self._seen:
                if np.array_equal(seen + self._move[0], Y):
                    start = R + self._move[1]
        R = self.walk.laplacian(Y, start)
        self._seen = [*self._seen[-1:], (Y, R)]
        return R
