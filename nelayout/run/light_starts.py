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
    walk, Y = W / each, rng.standard_normal((count, n, dim))
    for _ in range(SMOOTHINGS):
        Y = 0.5 * Y + 0.5 * (walk @ Y)
        Y = Y - (strength / strength.sum() @ Y)[:, None]
    W = walk if by_rows else W / strength.sum()
    p = ((W + W.T) / 2).astype(np.float32)  # rough drawings need no more digits, and half the time
    Y = (Y / np.sqrt(np.mean(Y * Y, axis=1, keepdims=True))).astype(np.float32)
    mass = (mass / mass.mean()).astype(np.float32)
    inverse = np.repeat(1.0 / (4.0 * np.maximum(p.sum(axis=1), p.sum() / n)), dim)

    # Taken once: memory that is new in each round costs as much as the sums.
    room = np.empty((count, n, n), dtype=Y.dtype)

    def evaluate(flat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return _evaluate(flat.reshape(count, n, dim), p, mass, by_rows, room)

    value, flat = descend_together(evaluate, Y.reshape(count, n * dim), inverse, STEPS)
    return flat.reshape(count, n, dim)[np.argsort(value, kind="stable")].astype(np.float64)


def _evaluate(
    Y: np.ndarray, p: np.ndarray, mass: np.ndarray, by_rows: bool, room: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """J (S,) of drawings Y (S, n, d), and its gradient (S, n d); ``room`` (S, n, n) is overwritten.

    Sums over pairs are products of matrices, which take less time than array operations one after another.
    """
    Y = Y - np.mean(Y, axis=1, keepdims=True)  # squared distances by products are exact near the origin
    n, squares = len(p), np.einsum("snd,snd->sn", Y, Y)
    xi = np.matmul(Y, -2.0 * Y.transpose(0, 2, 1), out=room)
    xi += squares[:, :, None]
    xi += squares[:, None, :]
    xi[:, np.arange(n), np.arange(n)] = NONE
    least = np.min(xi, axis=1)[:, :, None] if by_rows else np.min(xi, axis=(1, 2), keepdims=True)
    if by_rows:  # xi[i, j] and xi[j, i] are rounded apart: far out by more than an exponential can hold
        own = np.min(xi, axis=2, keepdims=True)
        least = np.where(np.abs(own - least) > 1.0, own, least)
    e = np.exp(np.subtract(least, xi, out=xi), out=xi)
    strength, pulled = np.sum(p, axis=1), p @ Y
    value = 2.0 * (squares @ strength - np.einsum("snd,snd->s", Y, pulled))
    weighed = np.concatenate((mass[:, None] * Y, np.broadcast_to(mass[:, None], (*Y.shape[:2], 1))), axis=2)
    seen = e @ weighed  # of each row: sum_j m_j e_ij y_j, and sum_j m_j e_ij
    if by_rows:
        total = seen[:, :, -1:]
        shares = np.concatenate((Y, np.ones_like(total)), axis=2) / total
        repelled = seen / total + mass[:, None] * (e.transpose(0, 2, 1) @ shares)
    else:
        seen *= mass[:, None]
        total = np.sum(seen[:, :, -1:], axis=1, keepdims=True)
        repelled = 2.0 * seen / total
    value += np.sum(np.log(total) - least, axis=(1, 2))
    sums = 2.0 * strength[:, None] - repelled[:, :, -1:]
    gradient = 2.0 * (sums * Y - 2.0 * pulled + repelled[:, :, :-1])
    return value, gradient.reshape(len(Y), -1)
