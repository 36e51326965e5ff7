"""Principal components and spectral coordinates, with the same bits for any threads.

A sum of floats depends on its order, and BLAS orders by threads.  A sum of integers does not: entries are rounded to
so few bits that every partial sum stays below 2^53.  That moves a component by about 2^-15 of the largest deviation.
Spectral coordinates are slow directions of the random walk, which separate clusters: the smallest eigenvalues of the
normalized Laplacian.  For two cliques with one edge between them, the first coordinate separates the cliques::

    >>> P = np.kron(np.eye(2), np.ones((4, 4)) - np.eye(4))
    >>> P[3, 4] = P[4, 3] = 1
    >>> x = spectral_coordinates(csr_array(P), 1)[:, 0]
    >>> len(set(np.sign(x[:4]))), bool(np.sign(x[0]) == -np.sign(x[7]))
    (1, True)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from nelayout.numerics.blocks import rows_at_once

__all__ = ["principal_components", "spectral_coordinates"]

# Numbers of subspace iterations, and of sweeps of Jacobi rotations at most.
ITERATIONS, MAX_SWEEPS = 8, 30
# Number of additional directions; only these converge slowly.
EXTRA_DIRECTIONS = 8
# Orthonormalizations for spectral coordinates, and steps of the walk before each.
ROUNDS, STEPS = 20, 10
# Maximum number of columns for computing the covariance, in one pass over X.
MAX_COVARIANCE_COLUMNS = 2000


def principal_components(X: Any, dim: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return scores (n, dim), directions (d, dim) and mean (d,) of X (n, d), array or sparse.

    Directions are orthonormal, in order of decreasing variance; the largest entry of each is positive.

    >>> X = np.array([[0.0, 0.0], [2.0, 0.1], [4.0, 0.0], [6.0, 0.1]])
    >>> principal_components(X, 1)[0].ravel().round(2).tolist()
    [-3.0, -1.0, 1.0, 3.0]
    """
    n, d = X.shape
    mean = np.asarray(X.sum(axis=0, dtype=np.float64)).ravel() / n
    width = min(dim + EXTRA_DIRECTIONS, d)
    Q = _orthonormal(np.random.default_rng(0).standard_normal((d, width)))
    if width < d and d <= MAX_COVARIANCE_COLUMNS and d <= n and not issparse(X):
        covariance, unit = np.zeros((d, d)), _unit(_largest(X, mean), _bits(n))
        for _, block in _blocks(X, mean, unit):
            covariance += block.T @ block
        covariance *= unit**2
        for _ in range(ITERATIONS):
            Q = _orthonormal(_exact_product(covariance, Q))
    elif width < d:
        for _ in range(ITERATIONS):
            Q = _orthonormal(_back(X, mean, _scores(X, mean, Q)))
    T = _scores(X, mean, Q)
    values, vectors = _symmetric_eigen(_exact_product(T.T, T))
    vectors = vectors[:, np.argsort(-values, kind="stable")[:dim]]
    Q = _positive(np.stack([np.sum(Q * column, axis=1) for column in vectors.T], axis=1))  # at full precision
    return _scores(X, mean, Q), Q, mean


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
        V = _orthonormal(np.column_stack([first, V]))[:, 1:]
    return _positive(V[:, :count] * scale[:, None])


def _positive(X: np.ndarray) -> np.ndarray:
    """Return X (n, d) with signs of columns that make the largest entry of each positive."""
    largest = X[np.argmax(np.abs(X), axis=0), np.arange(X.shape[1])]
    return X * np.where(largest < 0, -1.0, 1.0)


def _scores(X: Any, mean: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """Return (X - mean) Q."""
    if issparse(X):
        return np.asarray(X @ Q) - np.sum(mean[:, None] * Q, axis=0)
    bits = _bits(X.shape[1])
    (integers, scale), unit = _integers(Q, bits), _unit(_largest(X, mean), bits)
    out = np.empty((len(X), Q.shape[1]))
    for here, block in _blocks(X, mean, unit):
        out[here] = (block @ integers) * (unit * scale)
    return out


def _back(X: Any, mean: np.ndarray, T: np.ndarray) -> np.ndarray:
    """Return (X - mean)^T T."""
    if issparse(X):
        return np.asarray(X.T @ T) - mean[:, None] * np.sum(T, axis=0)
    bits = _bits(len(X))
    (integers, scale), unit = _integers(T, bits), _unit(_largest(X, mean), bits)
    out = np.zeros((X.shape[1], T.shape[1]))
    for here, block in _blocks(X, mean, unit):
        out += block.T @ integers[here]  # integers: exact in any order
    return out * (unit * scale)


def _blocks(X: np.ndarray, mean: np.ndarray, unit: float) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield ranges of rows, and the centered rows as whole numbers of units."""
    rows = rows_at_once(8 * X.shape[1])
    for here in (slice(start, start + rows) for start in range(0, len(X), rows)):
        block = X[here] - mean
        block *= 1 / unit
        yield here, np.rint(block, out=block)


def _bits(terms: int) -> int:
    """Return the bits of each factor that keep sums of ``terms`` products below 2^53."""
    return (53 - math.ceil(math.log2(max(terms, 2)))) // 2


def _largest(X: np.ndarray, mean: np.ndarray) -> float:
    if not X.size:
        return 0.0
    return float(max(np.max(np.max(X, axis=0) - mean), np.max(mean - np.min(X, axis=0))))


def _unit(largest: float, bits: int) -> float:
    """Return the power of two in which ``largest`` is an integer of ``bits`` bits."""
    return math.ldexp(1.0, math.frexp(largest)[1] - bits) if largest > 0 else 1.0


def _integers(A: np.ndarray, bits: int) -> tuple[np.ndarray, float]:
    unit = _unit(float(np.max(np.abs(A), initial=0.0)), bits)
    return np.rint(A / unit), unit


def _exact_product(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Return A @ B, both rounded to integers, so that the order of summation does not matter."""
    bits = _bits(A.shape[1])
    (a, one), (b, two) = _integers(A, bits), _integers(B, bits)
    return (a @ b) * (one * two)


def _orthonormal(A: np.ndarray) -> np.ndarray:
    """Make columns orthonormal (Gram-Schmidt, twice); a dependent column gets a new direction."""
    Q = np.ascontiguousarray(A.T)
    fresh = np.random.default_rng(1)
    for i in range(len(Q)):
        before = math.sqrt(float(np.sum(Q[i] * Q[i])))
        for _ in range(3):
            for _ in range(2):
                Q[i] -= np.sum(np.sum(Q[:i] * Q[i], axis=1)[:, None] * Q[:i], axis=0)
            length = math.sqrt(float(np.sum(Q[i] * Q[i])))
            if length > 1e-10 * before and length > 0:
                break
            Q[i] = fresh.standard_normal(Q.shape[1])
            before = math.sqrt(float(np.sum(Q[i] * Q[i])))
        Q[i] /= length if length > 0 else 1.0
    return np.ascontiguousarray(Q.T)


def _symmetric_eigen(S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return eigenvalues and eigenvectors (columns) of a small symmetric matrix, by Jacobi."""
    p = len(S)
    S, V = (S + S.T) / 2, np.eye(p)
    total = float(np.sum(S * S))
    players = np.arange(p + p % 2)  # an even number; the partner of a missing index pauses
    half = len(players) // 2
    for _ in range(MAX_SWEEPS):
        rest = S - np.diag(np.diag(S))
        if float(np.sum(rest * rest)) <= 1e-24 * total:
            break
        for _ in range(len(players) - 1):
            i, j = players[:half], players[half:][::-1]
            i, j = i[(i < p) & (j < p)], j[(i < p) & (j < p)]
            # cosine and sine of the rotations that make S_ij zero
            off, gap = S[i, j], (S[j, j] - S[i, i]) / 2
            t = off / np.where(off == 0, 1.0, np.abs(gap) + np.hypot(gap, off))
            t = np.where(gap < 0, -t, t)
            c = 1 / np.hypot(1.0, t)
            s = t * c
            for M in (S, V):
                a, b = M[:, i], M[:, j]
                M[:, i], M[:, j] = c * a - s * b, s * a + c * b
            a, b = S[i], S[j]
            S[i], S[j] = c[:, None] * a - s[:, None] * b, s[:, None] * a + c[:, None] * b
            players[1:] = np.roll(players[1:], 1)
    return np.diag(S).copy(), V
