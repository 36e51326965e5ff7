"""Bending: a smooth deformation of a drawing towards given distances, which leaves neighbors where they are.

The objectives of neighborhoods hardly say how far apart things should be that are not neighbors.  A polynomial of the
coordinates moves what lies together alike: it can lengthen the arms of a map, round a disc or part groups, and tears
nothing.  Distances are given between some rows and some others, which is enough for its few coefficients.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from nelayout.run.start import radius

__all__ = ["FEWEST", "Goal", "bent", "pivots_of", "sampled"]

# Degree of the polynomial.  With 5, over 14 graphs half of the way gains 0.016 in the balance in place of 0.013, and
# shears the rim of cora.
DEGREE = 3
# Distances are taken from so many nodes at least, to so many at most, and from more where there are fewer pairs than
# these: of graphs of up to 316 nodes all pairs count, so that a symmetric drawing stays symmetric. With 24 nodes, 3elt
# was bent to suit these: it lost 0.03 of its neighborhoods, with 100 it loses 0.01.
PIVOTS, NODES, PAIRS = 100, 1_000, 100_000
# Drawings of fewer nodes are left as they are: 18 coefficients would move them one by one.
FEWEST = 40
# Weight of the squared coefficients, in parts of the drawing's size, beside the mean squared relative error of
# distances: what hardly lowers it moves nothing.
RIDGE = 1e-3
# Most steps, and the part of the stress whose loss in a step is too little to go on.
STEPS, LITTLE = 30, 1e-3


class Goal(NamedTuple):
    """Distances (k, m) that a drawing should have, up to one factor, between nodes (k,) and others (m,).

    weights  (k, m) of the squared differences; 0 for a node and itself
    """

    nodes: np.ndarray
    others: np.ndarray
    lengths: np.ndarray
    weights: np.ndarray


def sampled(n: int, most: int = NODES) -> tuple[np.ndarray, np.ndarray]:
    """The nodes of n from which distances are taken, and those, at most so many, to which; both sorted."""
    rng = np.random.default_rng(2)  # other nodes than the verdict's
    return np.sort(rng.permutation(n)[: pivots_of(n)]), np.sort(rng.permutation(n)[: min(NODES, most)])


def pivots_of(n: int) -> int:
    """Most nodes of n from which distances are taken."""
    return max(PIVOTS, PAIRS // n)


def bent(Y: np.ndarray, goal: Goal, part: float) -> np.ndarray:
    """Bend the drawing Y (n, d) a part of the way to the bend that makes its stress least.

    Stress is the weighted sum of squared differences between the goal's distances and the drawing's, at their best
    common scale.  It is minimized by majorization (Gansner, Koren, North 2004) over the coefficients.  Size and
    centroid are those of Y.
    """
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
    for _ in range(STEPS):
        moved = Z + basis @ coefficients
        _measure(moved, pivots, others, apart, room)
        np.subtract(apart, lengths, out=room)
        room *= room
        room *= weights
        stress = float(np.sum(room))
        if stress > (1.0 - LITTLE) * before:
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
