"""Straight-line positions of a planar embedding, for any connected graph.

If all faces but the outer one are triangles and each inner node is a weighted mean of its neighbors, no edges cross,
whatever the positive weights are (Tutte, How to draw a graph, 1963; Floater 1997).  So helper nodes fill the faces: one
node within a simple face.  A face that passes a node twice gets a ring of nodes, one at each corner, and the outer
face a ring on a circle.  Long edges then get larger weights, and short ones smaller weights, in several rounds.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.sparse import csc_array, csr_array, diags_array

from nelayout.numerics.planarity import Orders, faces

__all__ = ["straight"]

# Weight of edges of helper nodes at first, and the least weight, in parts of the mean.
# see tuning: HELPER_WEIGHT, LEAST_WEIGHT
HELPER_WEIGHT, LEAST_WEIGHT = 0.3, 1e-2


def straight(orders: Orders, Y: np.ndarray, rounds: int) -> np.ndarray:
    """Return positions (n, 2) of an embedding; the outer face is the outer one of a drawing Y.

    After many ``rounds`` of weights nodes may be too close for floats, so that edges cross.
    """
    n, links = len(orders), [(v, w) for v, order in enumerate(orders) for w in order if v < w]
    every = faces(orders)
    outer = min(every, key=lambda face: _area(Y[face]))
    real, ring = len(links), list[int]()
    for face in every:
        if face is not outer and len(set(face)) == len(face):
            if len(face) > 3:
                links += [(v, n) for v in face]
                n += 1
            continue
        corners = range(n, n + len(face))
        n += len(face)
        for k, corner in enumerate(corners):
            links += [(face[k - 1], corner), (face[k], corner), (corners[k - 1], corner)]
        if face is outer:
            ring = list(corners)
        else:
            links += [(corner, n) for corner in corners]
            n += 1
    return _balanced(np.array(links), real, ring, n, rounds)[: len(orders)]


def _area(Y: np.ndarray) -> float:
    """Return the signed area of a polygon Y (k, 2); negative for the outer face."""
    x, y = Y.T
    return float(np.sum(np.roll(x, -1) * y - x * np.roll(y, -1)))


def _balanced(links: np.ndarray, real: int, ring: list[int], n: int, rounds: int) -> np.ndarray:
    """Return positions (n, 2) with a ring on the unit circle, and edges of similar lengths."""
    from scipy.sparse.linalg import splu  # slow to load; few drawings come here

    i, j = links.T
    angle, Y = math.tau * np.arange(len(ring)) / len(ring), np.zeros((n, 2))
    Y[ring] = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    inner = np.delete(np.arange(n), ring)
    weights = np.where(np.arange(len(i)) < real, 1.0, HELPER_WEIGHT)
    for _ in range(rounds):
        W = csr_array((np.r_[weights, weights], (np.r_[i, j], np.r_[j, i])), shape=(n, n))
        laplacian = csr_array(diags_array(W.sum(axis=1)) - W)
        rows = csr_array(laplacian[inner])
        Y[inner] = splu(csc_array(rows[:, inner])).solve(-(rows[:, ring] @ Y[ring]))
        length = np.sqrt(np.sum((Y[i] - Y[j]) ** 2, axis=1))
        weights = np.maximum(weights * length / np.mean(weights * length), LEAST_WEIGHT)
    return Y
