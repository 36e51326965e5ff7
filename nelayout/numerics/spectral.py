"""Spectral coordinates: slow directions of the random walk, which separate clusters.

They nearly span the subspace of the smallest eigenvalues of the normalized Laplacian.  For two cliques with one edge
between them, the first coordinate separates the cliques::

    >>> P = np.kron(np.eye(2), np.ones((4, 4)) - np.eye(4))
    >>> P[3, 4] = P[4, 3] = 1
    >>> x = spectral_coordinates(csr_array(P), 1)[:, 0]
    >>> len(set(np.sign(x[:4]))), bool(np.sign(x[0]) == -np.sign(x[7]))
    (1, True)
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.principal import orthonormal

__all__ = ["spectral_coordinates"]

# Numbers of additional directions, of orthonormalizations, and of steps of the walk before each.
EXTRA_DIRECTIONS, ROUNDS, STEPS = 8, 20, 10


def spectral_coordinates(P: csr_array, count: int) -> np.ndarray:
    """Return spectral coordinates (n, min(count, n - 1)) of a graph P with edges.

    The slowest is first.  Subspace iteration with (I + D^-1/2 P D^-1/2) / 2 orthogonal to its known first vector, in a
    fixed order of sums.  The largest entry of each column is positive.
    """
    n = P.shape[0]
    filled, strength = P.indptr[:-1] < P.indptr[1:], np.ones(n)  # an isolated node does not move
    strength[filled] = np.add.reduceat(P.data, P.indptr[:-1][filled])
    root = np.sqrt(strength)
    scale = 1.0 / root
    rows = np.repeat(np.arange(n), np.diff(P.indptr))
    S = csr_array((P.data * scale[rows] * scale[P.indices], P.indices, P.indptr), shape=P.shape)
    V = np.random.default_rng(0).standard_normal((n, min(count + EXTRA_DIRECTIONS, n - 1)))
    first = root / np.sqrt(np.sum(strength))
    for _ in range(ROUNDS):
        for _ in range(STEPS):
            V = (V + S @ V) / 2
        V = orthonormal(np.column_stack([first, V]))[:, 1:]
    X = V[:, :count] * scale[:, None]
    largest = X[np.argmax(np.abs(X), axis=0), np.arange(X.shape[1])]
    return X * np.where(largest < 0, -1.0, 1.0)
