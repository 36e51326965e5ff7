"""Crossings and symmetry of drawings in the plane, which the quality score does not see.

tidiness = (1 + X)^(-`CROSSINGS_POWER`), times `SYMMETRY` for a symmetric drawing, with the number X of crossings
"""

from __future__ import annotations

import math

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.breadth_first import COMPILED_ABOVE
from nelayout.quality.crossings import Segments
from nelayout.quality.edges import edges

__all__ = ["crossed", "crossings", "is_symmetric", "step_between", "tidiness"]

# Powers of a score that is multiplied by the tidiness: of 1 + X, and the factor of a symmetric drawing.
# see tuning: CROSSINGS_POWER, SYMMETRY
CROSSINGS_POWER, SYMMETRY = 0.4, 1.25
# Candidate pairs for each edge (of `Segments`) above which crossings are not counted: most edges cross many others.
# see tuning: MOST_PAIRS
MOST_PAIRS = 50
# Trials of a step until no further edges cross, and the part of its step below which a node stays.
# see tuning: TRIALS, LEAST_STEP
TRIALS, LEAST_STEP = 10, 0.2
# Distance, in typical distances between nodes, within which a node of a symmetric drawing has a mirror image.
# see tuning: IMAGE
IMAGE = 0.5


def tidiness(P: csr_array, Y: np.ndarray) -> float:
    """Return how tidy a drawing Y (n, 2) of a graph is; larger is better.

    >>> square = csr_array(np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]))
    >>> corners = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> tidiness(square, corners) > tidiness(square, corners[[0, 2, 1, 3]])
    True
    """
    found = crossings(P, Y)
    return (1.0 + (0.0 if math.isnan(found) else found)) ** -CROSSINGS_POWER * (SYMMETRY if is_symmetric(Y) else 1.0)


def crossings(P: csr_array, Y: np.ndarray, most: float = MOST_PAIRS) -> float:
    """Return the number of crossings of Y (n, 2), or NaN for too many pairs of edges.

    ``most``: candidate pairs for each edge.
    """
    i, j = edges(P)
    drawn = Segments(i, j, Y)
    if drawn.pairs > most * len(i):
        return math.nan
    return float(np.sum(drawn.count(np.arange(len(i)), both=False)[0]))


def crossed(i: np.ndarray, j: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Return how many edges (m,) cross each edge (i, j)."""
    return Segments(i, j, Y).loads()


def step_between(
    i: np.ndarray, j: np.ndarray, Y: np.ndarray, Z: np.ndarray, before: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """Move Y (n, 2) towards Z while no more edges (i, j) cross; return drawing and `crossed`.

    ``before``: `crossed` of Y.  The steps of nodes at further crossings are halved.  None: some edges still cross after
    the last trial.
    """
    share = np.ones((len(Y), 1))
    for _ in range(TRIALS):
        now = Y + share * (Z - Y)
        found = crossed(i, j, now)
        if found.sum() <= before.sum():
            return now, found
        more = found > before
        ends = np.unique(np.concatenate([i[more], j[more]]))
        share[ends] = np.where(share[ends] > LEAST_STEP, 0.5 * share[ends], 0.0)
    return None


def is_symmetric(Y: np.ndarray) -> bool:
    """Return True if half a turn or a mirror at a principal axis brings nodes near to nodes.

    >>> is_symmetric(np.array([[0.0, 1.0], [0.0, -1.0], [2.0, 0.0]]))
    True
    """
    centered = Y - np.sum(Y, axis=0) / len(Y)
    Z = np.einsum("ia,ab->ib", centered, np.linalg.eigh(np.einsum("ia,ib->ab", centered, centered))[1])
    typical = math.sqrt(float(np.sum(Z * Z))) / len(Z)
    images = (_nearest(Z, Z * signs) for signs in ((-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0)))
    return any(math.sqrt(float(np.mean(apart * apart))) < IMAGE * typical for apart in images)


def _nearest(Y: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return distances (m,) from positions (m, 2) to the nearest of Y (n, 2)."""
    if len(Y) > COMPILED_ABOVE:
        from scipy.spatial import KDTree

        return KDTree(Y).query(at)[0]
    apart = np.subtract.outer(at[:, 0], Y[:, 0]) ** 2 + np.subtract.outer(at[:, 1], Y[:, 1]) ** 2
    return np.sqrt(apart.min(axis=1))
