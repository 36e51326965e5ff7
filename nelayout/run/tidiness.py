"""Crossings and symmetry of drawings in the plane, which the quality score does not see.

tidiness = (1 + X)^(-`CROSSINGS_POWER`), times `SYMMETRY` for a symmetric drawing, with the number X of crossings
"""

from __future__ import annotations

import math

import numpy as np
from scipy.sparse import csr_array

from nelayout.quality.crossings import Segments
from nelayout.quality.edges import edges

__all__ = ["MOST_PAIRS", "is_symmetric", "tidiness"]

# Powers of a score that is multiplied by the tidiness: of 1 + X, and the factor of a symmetric drawing.
CROSSINGS_POWER, SYMMETRY = 0.15, 1.25
# Candidate pairs for each edge (of `Segments`) above which crossings are not counted: most edges cross many others.
MOST_PAIRS = 50
# Distance, in typical distances between nodes, within which a node of a symmetric drawing has a mirror image.
IMAGE = 0.5


def tidiness(P: csr_array, Y: np.ndarray) -> float:
    """Return how tidy a drawing Y (n, 2) of a graph is; larger is better.

    >>> square = csr_array(np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]))
    >>> corners = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> tidiness(square, corners) > tidiness(square, corners[[0, 2, 1, 3]])
    True
    """
    drawn = Segments(*edges(P), Y)
    m, crossings = len(drawn.first), drawn.pairs
    if drawn.pairs <= MOST_PAIRS * m:
        crossings = float(drawn.count(np.arange(m), both=False)[0].sum())
    return (1.0 + crossings) ** -CROSSINGS_POWER * (SYMMETRY if is_symmetric(Y) else 1.0)


def is_symmetric(Y: np.ndarray) -> bool:
    """Return whether half a turn, or a mirror at a principal axis, brings each node of Y (n, 2) near to a node.

    >>> is_symmetric(np.array([[0.0, 1.0], [0.0, -1.0], [2.0, 0.0]]))
    True
    """
    from scipy.spatial import KDTree

    centered = Y - np.sum(Y, axis=0) / len(Y)
    Z = np.einsum("ia,ab->ib", centered, np.linalg.eigh(np.einsum("ia,ib->ab", centered, centered))[1])
    tree, typical = KDTree(Z), math.sqrt(float(np.sum(Z * Z))) / len(Z)
    images = (tree.query(Z * signs)[0] for signs in ((-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0)))
    return any(math.sqrt(float(np.mean(apart * apart))) < IMAGE * typical for apart in images)
