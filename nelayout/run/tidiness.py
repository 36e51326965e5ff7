"""Crossings and symmetry of drawings in the plane, which the quality score does not see.

tidiness = (1 + X)^(-`CROSSINGS_POWER`), times `SYMMETRY` for a symmetric drawing, with the number X of crossings
"""

from __future__ import annotations

import math

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.breadth_first import COMPILED_ABOVE
from nelayout.numerics.groups import Parts
from nelayout.quality.crossings import Segments
from nelayout.quality.edges import edges

__all__ = ["crossed", "crossings", "crossings_of_each", "is_symmetric", "least_distance", "step_between", "tidiness"]

# Powers of a score that is multiplied by the tidiness: of 1 + X, and the factor of a symmetric drawing.
CROSSINGS_POWER, SYMMETRY = 0.15, 1.25
# Candidate pairs for each edge (of `Segments`) above which crossings are not counted: most edges cross many others.
MOST_PAIRS = 50
# Trials of a step until no further edges cross, and the part of its step below which a node stays.
TRIALS, LEAST_STEP = 10, 0.2
# Distance, in typical distances between nodes, within which a node of a symmetric drawing has a mirror image.
IMAGE = 0.5


def tidiness(P: csr_array, Y: np.ndarray, graphs: Parts) -> np.ndarray:
    """Return how tidy each graph (C,) is in a drawing Y (n, 2) of graphs; larger is better.

    >>> square = csr_array(np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]))
    >>> corners, one = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), Parts(np.array([4]))
    >>> bool(tidiness(square, corners, one) > tidiness(square, corners[[0, 2, 1, 3]], one))
    True
    """
    found, each = crossings_of_each(P, Y, graphs), np.split(Y, graphs.starts[1:-1])
    symmetry = [SYMMETRY if is_symmetric(own) else 1.0 for own in each]
    return (1.0 + np.nan_to_num(found)) ** -CROSSINGS_POWER * symmetry


def crossings(P: csr_array, Y: np.ndarray) -> float:
    """Return the number of crossings of Y (n, 2), or NaN for too many pairs of edges."""
    return float(crossings_of_each(P, Y, Parts(np.array([len(Y)])))[0])


def crossings_of_each(P: csr_array, Y: np.ndarray, graphs: Parts) -> np.ndarray:
    """Return the crossings (C,) of each graph in Y (n, 2), NaN for too many pairs of edges.

    The graphs are laid side by side, so that one sweep counts them all.
    """
    i, j = edges(P)
    if graphs.count > 1:
        away = Y - graphs.spread(graphs.mean(Y))
        extent = graphs.max(np.abs(away))
        Y = away / graphs.spread(np.where(extent > 0, extent, 1.0))[:, None]
        Y[:, 0] += 3.0 * graphs.of
    drawn, m = Segments(i, j, Y), np.bincount(graphs.of[i], minlength=graphs.count)
    few = drawn.pairs_of(graphs.of[i], graphs.count) <= MOST_PAIRS * m
    some = np.flatnonzero(few[graphs.of[i]])
    found = np.bincount(graphs.of[i[some]], drawn.count(some, both=False)[0], minlength=graphs.count)
    return np.where(few, found, np.nan)


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
    return np.sqrt(_apart(Y, at).min(axis=1))


def _apart(Y: np.ndarray, at: np.ndarray) -> np.ndarray:
    """(m, n) squared distances."""
    return np.subtract.outer(at[:, 0], Y[:, 0]) ** 2 + np.subtract.outer(at[:, 1], Y[:, 1]) ** 2


def least_distance(Y: np.ndarray) -> float:
    """Return the least distance of two nodes of a small Y (n, 2), in typical distances."""
    away, squares = Y - np.sum(Y, axis=0) / len(Y), _apart(Y, Y)
    np.fill_diagonal(squares, np.inf)
    return math.sqrt(float(squares.min()) / float(np.sum(away * away))) * len(Y)
