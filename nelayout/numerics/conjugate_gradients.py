"""Preconditioned conjugate gradients for the sparse symmetric systems of the minimizers.

All right-hand sides (the coordinates) run together.  Sums are NumPy's pairwise sums or sums of fixed chunks, not
BLAS's.  So the bits do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nelayout.numerics.arithmetic import CHUNK
from nelayout.numerics.parallel import Threads

__all__ = ["conjugate_gradients", "laplacian_gradients"]


def conjugate_gradients(
    times: Callable[[np.ndarray], np.ndarray], diagonal: np.ndarray, right: np.ndarray, *, tolerance: float = 1e-2,
    max_iter: int = 50, free: np.ndarray | None = None, start: np.ndarray | None = None,
) -> np.ndarray:
    """Return an approximate solution X of A X = right (n, d), A symmetric positive definite.

    times      X (n, d) -> A X
    diagonal   (n,), or (n, d) for systems that differ, positive, the Jacobi preconditioner
    tolerance  stop when each column's residual is at most this fraction of its right-hand side
    free       (n, d) mask of the unknowns; the other entries of X stay 0
    start      (n, d) initial X, instead of 0

    From 0, every iterate X has sum(X * right) > 0.  So with minus a gradient as right-hand side, X is a descent
    direction at every iteration.
    """
    inverse = _inverse(diagonal.reshape(len(right), -1))
    if free is not None:
        inverse = inverse * free

    def columns(a: Any, b: Any) -> Any:
        return np.einsum("ij,ij->j", a, b)

    X = np.zeros_like(right)
    residual = right if free is None else right * free
    goal = tolerance**2 * columns(residual, residual)
    if start is not None:
        X = start
        residual = residual - (times(X) if free is None else times(X) * free)
        if np.all(columns(residual, residual) <= goal):
            return X
    z = inverse * residual
    direction = z
    rho = columns(residual, z)
    for _ in range(max_iter):
        product = times(direction)
        if free is not None:
            product = product * free
        curvature = columns(direction, product)
        going = (curvature > 0) & (rho > 0)
        if not going.any():
            break
        length = np.where(going, rho / np.where(going, curvature, 1.0), 0.0)
        X = X + length * direction
        residual = residual - length * product
        if np.all(columns(residual, residual) <= goal):
            break
        z = inverse * residual
        rho, old = columns(residual, z), rho
        direction = z + np.where(old > 0, rho / np.where(old > 0, old, 1.0), 0.0) * direction
    return X


def _inverse(diagonal: np.ndarray) -> np.ndarray:
    """Return 1 / diagonal; 0 for rows of zeros, which then do not move."""
    held = diagonal > 0
    return np.where(held, 1.0 / np.where(held, diagonal, 1.0), 0.0)


def laplacian_gradients(
    graph: tuple[np.ndarray, np.ndarray, np.ndarray], scale: float, ridge: np.ndarray, sums: np.ndarray,
    right: np.ndarray, threads: Threads, *, tolerance: float, max_iter: int, free: np.ndarray | None = None,
) -> np.ndarray:
    """Solve as `conjugate_gradients` does, from 0, for A = scale L_w + diag(ridge), compiled.

    ``graph``: indptr, indices and weights w; ``sums`` (n,): sum_j w_ij.  Runs on ``threads``.
    """
    from nelayout.numerics import vector_loops as loops

    if free is not None and (free != free[:, :1]).any():  # each axis has its own system
        given: Any = {"tolerance": tolerance, "max_iter": max_iter}
        columns = [
            laplacian_gradients(graph, scale, ridge, sums, column[:, None].copy(), threads, free=mask[:, None], **given)
            for column, mask in zip(right.T, free.T, strict=True)
        ]
        return np.concatenate(columns, axis=1)
    n, d = right.shape
    mask = np.ones(n) if free is None else free[:, 0].astype(float)
    inverse = mask * _inverse(scale * sums + ridge)
    X, residual, product = np.zeros_like(right), right * mask[:, None], np.empty_like(right)
    system = *graph, scale, ridge, mask
    direction = inverse[:, None] * residual
    goal, rho = tolerance**2 * np.sum(residual * residual, axis=0), np.sum(residual * direction, axis=0)
    if n <= CHUNK:
        state = X, residual, direction, rho, product, np.empty((4, d))
        loops.iterate(*system, inverse, goal, max_iter, 0, n, *state)
        return X
    rows = [(start, min(start + CHUNK, n)) for start in range(0, n, CHUNK)]
    parts = np.empty((len(rows), 2, d))

    def multiply(chunk: int) -> None:
        loops.multiply(*system, direction, *rows[chunk], product, parts[chunk, 0])

    def advance(chunk: int) -> None:
        loops.advance(X, residual, direction, product, length, inverse, *rows[chunk], parts[chunk])

    def turn(chunk: int) -> None:
        loops.turn(direction, residual, inverse, factor, *rows[chunk])

    for _ in range(max_iter):
        threads.map(multiply, range(len(rows)))
        curvature = np.sum(parts[:, 0], axis=0)
        going = (curvature > 0) & (rho > 0)
        if not going.any():
            break
        length = np.where(going, rho / np.where(going, curvature, 1.0), 0.0)
        threads.map(advance, range(len(rows)))
        squares, scaled = np.sum(parts, axis=0)
        if np.all(squares <= goal):
            break
        factor = np.where(rho > 0, scaled / np.where(rho > 0, rho, 1.0), 0.0)
        rho = scaled
        threads.map(turn, range(len(rows)))
    return X
