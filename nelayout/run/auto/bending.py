"""Bending: a smooth deformation of a finished drawing that lowers its stress and leaves neighbors where they are.

The objectives of neighborhoods hardly say how far apart things should be that are not neighbors, so the whole is often
too flat or too round for its distances.  A polynomial of the coordinates moves what lies together alike: it can
lengthen the arms of a map or round a disc, and tears nothing.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.breadth_first import hops_from
from nelayout.numerics.parallel import Threads
from nelayout.run.start import radius

__all__ = ["FEWEST", "bend", "bent_pairs"]

# Degree of the polynomial, and the part of the way to the least stress that is gone.  Over the 14 graphs of the
# benchmark that are not crowded, half of the way gains 0.013 in the balance, and all of it 0.014, for which it takes
# 0.008 of the neighborhoods in place of 0.002; degree 5 gains 0.016 and shears the rim of cora.
DEGREE, PART = 3, 0.5
# Hops are counted from so many nodes at least, to so many at most, and from more where there are fewer pairs than
# these: of graphs of up to 316 nodes all pairs count, so that a symmetric drawing stays symmetric. With 24 nodes, 3elt
# was bent to suit these: it lost 0.03 of its neighborhoods, with 100 it loses 0.01.
PIVOTS, NODES, PAIRS = 100, 1_000, 100_000
# Nodes from which hops are counted at a time: each holds a number for every node of the graph.
AT_ONCE = 20
# Drawings of fewer nodes are left as they are: 18 coefficients would move them one by one.
FEWEST = 40
# Weight of the squared coefficients, in parts of the drawing's size, beside the mean squared relative error of
# distances: what hardly lowers it moves nothing.
RIDGE = 1e-3
# Most steps, and the part of the stress whose loss in a step is too little to go on.
STEPS, LITTLE = 30, 1e-3


def bend(P: csr_array, Y: np.ndarray, threads: Threads) -> np.ndarray:
    """Bend the drawing Y (n, d) of a connected graph half of the way to the bend that makes its stress least.

    Stress is that of distances relative to hops, as in `nelayout.measure`; it is minimized by majorization (Gansner,
    Koren, North 2004) over the coefficients.  Size and centroid are those of Y.

    >>> path = csr_array(np.diag(np.ones(40), 1) + np.diag(np.ones(40), -1))
    >>> arc = np.stack([np.arange(41.0), 0.03 * np.arange(-20.0, 21.0) ** 2], axis=1)
    >>> straighter = bend(path, arc, Threads())
    >>> bool(np.ptp(straighter[:, 1]) < np.ptp(arc[:, 1]))
    True
    """
    n, middle = len(Y), np.mean(Y, axis=0)
    rng = np.random.default_rng(2)  # other nodes than the verdict's
    pivots = np.sort(rng.permutation(n)[: _pivots(n)])
    others = np.sort(rng.permutation(n)[:NODES])
    hops = np.empty((len(pivots), len(others)))
    for start in range(0, len(pivots), AT_ONCE):
        some = hops_from(P, pivots[start : start + AT_ONCE], threads)
        hops[start : start + AT_ONCE] = [row[others] for row in some]
    away = hops > 0
    weights = np.where(away, 1.0 / np.where(away, hops, 1.0) ** 2, 0.0)
    Z = Y - middle
    apart = _apart(Z, pivots, others)
    total = float(np.sum(weights * apart * apart))
    if not total:
        return Y
    unit = float(np.sum(weights * apart * hops)) / total
    Z = Z * unit
    basis = _polynomials(Z)
    inverse = np.linalg.pinv(_normal(weights, basis, pivots, others) + RIDGE / np.mean(Z * Z) * np.eye(basis.shape[1]))
    coefficients, before = np.zeros((basis.shape[1], Y.shape[1])), np.inf
    for _ in range(STEPS):
        bent = Z + basis @ coefficients
        apart = _apart(bent, pivots, others)
        stress = float(np.sum(weights * (apart - hops) ** 2))
        if stress > (1.0 - LITTLE) * before:
            break
        before = stress
        pull = weights * (1.0 - hops / np.where(apart > 0, apart, np.inf)) / np.sum(weights)
        force = basis[pivots].T @ (pull.sum(axis=1)[:, None] * bent[pivots] - pull @ bent[others])
        force += basis[others].T @ (pull.sum(axis=0)[:, None] * bent[others] - pull.T @ bent[pivots])
        coefficients = coefficients - inverse @ (force + RIDGE / np.mean(Z * Z) * coefficients)
    bent = Z + PART * (basis @ coefficients)
    return middle + bent * (radius(Y - middle) / radius(bent))


def bent_pairs(n: int) -> int:
    """The pairs of nodes whose distances a bend of a drawing of n nodes looks at; 0 where there is none.

    >>> [bent_pairs(n) for n in (30, 100, 10**6)]
    [0, 10000, 100000]
    """
    return 0 if n < FEWEST else min(_pivots(n), n) * min(n, NODES)


def _pivots(n: int) -> int:
    return max(PIVOTS, PAIRS // n)


def _apart(Y: np.ndarray, pivots: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Distances (pivots, others) in a drawing."""
    squared = np.zeros((len(pivots), len(others)))
    for column in Y.T:
        squared += (column[pivots][:, None] - column[others]) ** 2
    return np.sqrt(squared)


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
