"""Similarity transforms: move, turn and resize a layout to fit another (Procrustes).

>>> square = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
>>> turned = 3 * square[:, ::-1] + 7
>>> transform(turned, turned, square, scale=True, reflect=True).round(9).tolist()
[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
"""

from __future__ import annotations

import numpy as np

__all__ = ["transform"]


def transform(
    Y: np.ndarray, source: np.ndarray, target: np.ndarray, *, scale: bool, reflect: bool
) -> np.ndarray:
    """Return `Y` under the best similarity transform of `source` (m, d) onto `target` (m, d)."""
    center, goal = source.mean(axis=0), target.mean(axis=0)
    S, T = source - center, target - goal
    dim = S.shape[1]
    # NumPy's sums have a fixed order; the bits of a BLAS product depend on its threads.
    H = np.array([[(S[:, a] * T[:, b]).sum() for b in range(dim)] for a in range(dim)])
    R = _rotation(H, reflect)
    size = (S * S).sum()
    gain = sum(float(H[a, b] * R[a, b]) for a in range(dim) for b in range(dim))
    factor = gain / size if scale and size > 0 and gain > 0 else 1.0
    moved = np.empty_like(Y)
    for b in range(dim):
        moved[:, b] = goal[b] + factor * sum((Y[:, a] - center[a]) * R[a, b] for a in range(dim))
    return moved


def _rotation(H: np.ndarray, reflect: bool) -> np.ndarray:
    """Return the orthogonal R with the largest sum(H * R), a rotation unless `reflect`."""
    if len(H) == 1:
        return np.array([[-1.0 if reflect and H[0, 0] < 0 else 1.0]])
    if len(H) == 2:
        along, across = H[0, 0] + H[1, 1], H[0, 1] - H[1, 0]
        mirrored, turned = H[0, 0] - H[1, 1], H[0, 1] + H[1, 0]
        if reflect and np.hypot(mirrored, turned) > np.hypot(along, across):
            angle = np.arctan2(turned, mirrored)
            return np.array([[np.cos(angle), np.sin(angle)], [np.sin(angle), -np.cos(angle)]])
        angle = np.arctan2(across, along)
        return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    # So small a matrix has the same bits for any number of LAPACK's threads.
    U, _, Vt = np.linalg.svd(H)
    if not reflect and np.linalg.det(U @ Vt) < 0:
        U[:, -1] *= -1
    return U @ Vt
