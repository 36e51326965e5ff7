"""Bending: a smooth deformation of a drawing towards given distances, which leaves neighbors where they are.

The objectives of neighborhoods hardly say how far apart things should be that are not neighbors.  A polynomial of the
coordinates moves what lies together alike: it can lengthen the arms of a map, round a disc or part groups, and tears
nothing.  Distances are given between some rows and some others, which is enough for its few coefficients.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np

from nelayout.run.placement import radius

__all__ = ["MIN_BENT_NODES", "Goal", "bent", "bent_pairs", "goal_between"]

# Degree of the polynomial.
DEGREE = 3
# Fewest nodes from which distances are taken, most nodes to which they are taken, and fewest pairs.
MIN_PIVOTS, MAX_OTHERS, MIN_PAIRS = 100, 1_000, 100_000
# Nodes of the smallest drawing that is bent.
MIN_BENT_NODES = 40
# Weight of the squared coefficients, in parts of the drawing's size, beside the mean squared relative error.
RIDGE = 1e-3
# Most iterations; they end earlier when one of them lowers the stress by less than this part.
MAX_STEPS, MIN_GAIN = 30, 1e-3
# Part of the pairs nearer than the distance that all rows are taken to have in common.
COMMON = 0.01
# Least distance between rows; the median is 1.
LEAST_LENGTH = 1e-3


class Goal(NamedTuple):
    """Distances (k, m) that a drawing should have, up to one factor, between nodes (k,) and others (m,).

    weights  (k, m) of the squared differences; 0 for a node and itself
    """

    nodes: np.ndarray
    others: np.ndarray
    lengths: np.ndarray
    weights: np.ndarray


def _sampled(n: int, most: int = MAX_OTHERS) -> tuple[np.ndarray, np.ndarray]:
    """The nodes of n from which distances are taken, and those, at most so many, to which; both sorted."""
    rng = np.random.default_rng(2)  # other nodes than the score's
    return np.sort(rng.permutation(n)[: _pivots(n)]), np.sort(rng.permutation(n)[: min(MAX_OTHERS, most)])


def _pivots(n: int) -> int:
    """Most nodes of n from which distances are taken."""
    return max(MIN_PIVOTS, MIN_PAIRS // n)


def bent(Y: np.ndarray, goal: Goal, part: float) -> np.ndarray:
    """Bend the drawing Y (n, d) a part of the way to the bend that makes its stress least.

    Stress is the weighted sum of squared differences between the goal's distances and the drawing's, at their best
    common scale.  It is minimized by majorization (Gansner, Koren, North 2004) over the coefficients.  Size and
    centroid are those of Y.
    """
    if len(Y) < MIN_BENT_NODES:
        return Y
    (pivots, others, lengths, weights), middle = goal, np.mean(Y, axis=0)
    Z = Y - middle
    apart, room = np.empty_like(lengths), np.empty_like(lengths)  # written again and again: new memory costs more
    _measure(Z, pivots, others, apart, room)
    total = float(np.sum(weights * apart * apart))
    if not total:
        return Y
    Z = Z * (float(np.sum(weights * apart * lengths)) / total)
    basis = _polynomials(Z)
    inverse = np.linalg.pinv(_normal(weights, basis, pivots, others) + RIDGE / np.mean(Z * Z) * np.eye(basis.shape[1]))
    coefficients, before, whole = np.zeros((basis.shape[1], Y.shape[1])), np.inf, np.sum(weights)
    for _ in range(MAX_STEPS):
        moved = Z + basis @ coefficients
        _measure(moved, pivots, others, apart, room)
        np.subtract(apart, lengths, out=room)
        room *= room
        room *= weights
        stress = float(np.sum(room))
        if stress > (1.0 - MIN_GAIN) * before:
            break
        before = stress
        apart[apart == 0.0] = np.inf
        pull = np.divide(lengths, apart, out=room)
        np.subtract(1.0, pull, out=pull)
        pull *= weights
        pull /= whole
        force = basis[pivots].T @ (pull.sum(axis=1)[:, None] * moved[pivots] - pull @ moved[others])
        force += basis[others].T @ (pull.sum(axis=0)[:, None] * moved[others] - pull.T @ moved[pivots])
        coefficients = coefficients - inverse @ (force + RIDGE / np.mean(Z * Z) * coefficients)
    moved = Z + part * (basis @ coefficients)
    return middle + moved * (radius(Y - middle) / radius(moved))


def goal_between(
    n: int, distances: Callable[[np.ndarray, np.ndarray], np.ndarray | None], most: int
) -> Goal | None:
    """The goal of n rows: some rows are compared with at most so many others; None where that cannot be done.

    Goals are distances less what nearly all have in common: among many columns all rows are far from each other, which
    no plane can show, and what they differ by would count for little beside it.  Errors count in parts of the median
    goal or of their own, whichever is larger: the far ones of a few outliers would else decide alone, and small
    distances are those of neighbors anyway.
    """
    if n < MIN_BENT_NODES:
        return None
    nodes, others = _sampled(n, most)
    lengths = distances(nodes, others)
    if lengths is None or not np.isfinite(lengths).all() or not lengths.any():
        return None
    alike = nodes[:, None] == others
    lengths = np.maximum(lengths - np.quantile(lengths[~alike], COMMON), 0.0)
    median = float(np.median(lengths[~alike]))
    if not median > 0:  # all are alike
        return None
    lengths = np.where(alike, 0.0, np.maximum(lengths / median, LEAST_LENGTH))
    weights = np.where(alike, 0.0, 1.0 / np.maximum(lengths, 1.0) ** 2)
    return Goal(nodes, others, lengths, weights)


def bent_pairs(n: int) -> int:
    """Return the pairs of nodes that a bend of a drawing of n nodes looks at."""
    return 0 if n < MIN_BENT_NODES else min(_pivots(n), n) * min(n, MAX_OTHERS)


def _measure(Y: np.ndarray, pivots: np.ndarray, others: np.ndarray, apart: np.ndarray, room: np.ndarray) -> None:
    """Write the distances in a drawing into ``apart`` (pivots, others); ``room``, of this shape, is overwritten."""
    apart[:] = 0.0
    for column in Y.T:
        np.subtract(column[pivots][:, None], column[others], out=room)
        room *= room
        apart += room
    np.sqrt(apart, out=apart)


def _polynomials(Y: np.ndarray) -> np.ndarray:
    """(n, k) orthogonal polynomials of the coordinates on the nodes, with mean 0 and mean square 1."""
    n, d = Y.shape
    powers = [each for each in product(range(DEGREE + 1), repeat=d) if 0 < sum(each) <= DEGREE]
    Y = Y / np.sqrt(np.mean(Y * Y))
    columns = np.stack([np.prod(Y ** np.array(each), axis=1) for each in powers], axis=1)
    left, length, _ = np.linalg.svd(columns - columns.mean(axis=0), full_matrices=False)
    return left[:, length > 1e-9 * length[0]] * np.sqrt(n)


def _normal(weights: np.ndarray, basis: np.ndarray, pivots: np.ndarray, others: np.ndarray) -> np.ndarray:
    """(k, k) the weighted mean of (b_i - b_j)(b_i - b_j)^T over the pairs."""
    near, far = basis[pivots], basis[others]
    mixed = near.T @ (weights @ far)
    squares = near.T @ (weights.sum(axis=1)[:, None] * near) + far.T @ (weights.sum(axis=0)[:, None] * far)
    return (squares - mixed - mixed.T) / np.sum(weights)
