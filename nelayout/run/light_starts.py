"""Random starts of a small graph, many at a time: rough drawings by stochastic neighbor embedding with a Gaussian.

A Gaussian lets go of no edge, so that it finds the shape of a graph from random places, and dense arrays of all pairs
of ten drawings cost hardly more than those of one: 25 steps of ten drawings of 34 nodes take 6 ms.  Each start is made
of random places that have moved ten times towards the mean of their neighbors, and takes steps of limited-memory BFGS
on J = sum p d^2 + ln sum m m q, q = exp(-d^2); for methods by rows on the sum of that over rows.

>>> from scipy.sparse import csr_array
>>> path = csr_array(np.array([[0.0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]))
>>> light_starts(path, np.ones(4), 3, 2, True, np.random.default_rng(0)).shape
(3, 4, 2)
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from nelayout.optimizers.together import descend_together

__all__ = ["light_starts"]

# Moves of a random start towards the means of neighbors: with 3 and with 10 of them SNE ends in the lowest valley of
# can_96 as often as with none, and 10 need half as many steps; with 30 all starts end alike.
SMOOTHINGS = 10
# Steps of each start: SNE of can_96 then stands within 1 % of its end.
STEPS = 25
# A squared distance so large that its Gaussian is 0.
NONE = 1e30


def light_starts(
    P: csr_array, mass: np.ndarray, count: int, dim: int, by_rows: bool, rng: np.random.Generator
) -> np.ndarray:
    """Rough drawings (count, n, dim) of a graph with edges, the lowest first; ``by_rows``: rows are compared alone."""
    n = P.shape[0]
    W = P.toarray()
    strength = W.sum(axis=1)
    each = np.where(strength > 0, strength, 1.0)[:, None]
    Y = rng.standard_normal((count, n, dim))
    for _ in range(SMOOTHINGS):
        Y = 0.5 * Y + 0.5 * np.einsum("ij,sjd->sid", W / each, Y)
        Y = Y - np.einsum("i,sid->sd", strength / strength.sum(), Y)[:, None]
    W = W / each if by_rows else W / strength.sum()
    p = ((W + W.T) / 2).astype(np.float32)  # rough drawings need no more digits, and half the time
    Y = (Y / np.sqrt(np.mean(Y * Y, axis=1, keepdims=True))).astype(np.float32)
    mass = (mass / mass.mean()).astype(np.float32)
    inverse = np.repeat(1.0 / (4.0 * np.maximum(p.sum(axis=1), p.sum() / n)), dim)

    # Taken once: memory that is new in each round costs as much as the sums.
    room = np.empty((2, count, n, n), dtype=Y.dtype)

    def evaluate(flat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return _evaluate(flat.reshape(count, n, dim), p, mass, by_rows, room)

    value, flat = descend_together(evaluate, Y.reshape(count, n * dim), inverse, STEPS)
    return flat.reshape(count, n, dim)[np.argsort(value, kind="stable")].astype(np.float64)


def _evaluate(
    Y: np.ndarray, p: np.ndarray, mass: np.ndarray, by_rows: bool, room: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """J (S,) of drawings Y (S, n, d), and its gradient (S, n d); ``room`` (2, S, n, n) is overwritten."""
    n, axes = len(p), 2 if by_rows else (1, 2)
    columns = [np.ascontiguousarray(Y[:, :, c]) for c in range(Y.shape[2])]
    xi, apart = room
    xi[:] = 0.0
    for y in columns:
        np.subtract(y[:, :, None], y[:, None, :], out=apart)
        apart *= apart
        xi += apart
    pulled = np.einsum("ij,sij->s", p, xi)
    xi[:, np.arange(n), np.arange(n)] = NONE
    least = np.min(xi, axis=axes, keepdims=True)
    q = np.exp(np.subtract(least, xi, out=xi), out=xi)
    q *= mass if by_rows else mass * mass[:, None]
    total = np.sum(q, axis=axes, keepdims=True)
    value = pulled + np.sum(np.log(total) - least, axis=(1, 2))
    q /= total
    pull = np.subtract(p, q, out=apart)  # p is symmetric, and so is q but for that of rows
    if by_rows:
        pull += p
        pull -= q.transpose(0, 2, 1)
    else:
        pull *= 2.0
    sums = np.sum(pull, axis=2)
    gradient = np.empty_like(Y)
    for c, y in enumerate(columns):
        gradient[:, :, c] = 2.0 * (sums * y - np.einsum("sij,sj->si", pull, y))
    return value, gradient.reshape(len(Y), -1)
