"""The canonical orientation of a layout.

An objective does not depend on rotations and reflections, so two runs may give one layout at two angles. `canonical`
makes the principal axis of the positions horizontal. The heavier half (more mass beyond the centroid) is then turned to
the right and up. For example, the heavy head of a comet is always on the right.

Ties are decided in this order:

1. No principal axis (a square grid, a cycle, K_n: the variances agree to one part in a hundred). In the plane, the
   first clear k-fold harmonic `sum_i r_i^k exp(i k theta_i)`, k = 3..12, gives the angle, so that the layout stands on
   a side. The rules below choose among the k rotations. In space, or without a clear harmonic, the first of the nodes
   farthest from the centroid is on the axis.
2. Two halves of equal mass: the longer tail (third moment) is right or up. If the tails are equal too, the first node
   off the axis is right or up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["ON_AXIS", "canonical", "fit", "transform"]

SAME_VARIANCE = 1e-2  # relative gap below which two principal axes count as one plane
CLEAR_HARMONIC = 0.2  # fraction of the k-th moment above which a k-fold symmetry is visible
FAINT_HARMONIC = 1e-3  # fraction below which a harmonic is ignored
ON_AXIS = 1e-6  # |coordinate| below this fraction of the layout's radius counts as on the axis (on the plane)
HARMONICS = range(3, 13)


def canonical(Y: np.ndarray, mass: np.ndarray | None = None) -> np.ndarray:
    """Turn and mirror `Y` (n, d): principal axis horizontal, heavier half right and up.

    Distances are kept; the centroid moves to the origin.  The principal axes are the eigenvectors of `sum_i (y_i -
    ybar)(y_i - ybar)^T`, the widest first.  `mass` (n,), default 1 each, only decides which half is heavier.  A rotated
    or mirrored copy of `Y` gives the same layout up to rounding.  Deterministic, bit for bit.

    >>> import numpy as np
    >>> Y = canonical(np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 5.0]]))
    >>> bool(abs(Y[:, 1]).max() < 1e-12), [round(float(x), 9) for x in Y[:, 0]]
    (True, [2.0, 1.0, -3.0])
    """
    Y = np.array(Y, dtype=np.float64, ndmin=2)
    n, d = Y.shape
    if n == 0 or d == 0:
        return Y
    Y -= Y.sum(axis=0) / n
    radius = float(np.abs(Y).max())
    if radius == 0.0:
        return Y
    unit = Y / radius  # moments of any order stay finite
    m = np.ones(n) if mass is None else np.asarray(mass, dtype=np.float64)
    unit, turns = _principal(unit)
    unit = _settle(unit, m, turns)
    return unit * radius


def fit(Y: np.ndarray, scale: float | None = 1.0) -> np.ndarray:
    """Move the centroid of `Y` (n, d) to the origin and fit [-scale, scale] around it.

    As in `networkx.rescale_layout`, the largest absolute coordinate after centering is `scale`, and the aspect ratio is
    kept. `scale=None` only centers. A single node is at the origin.

    >>> import numpy as np
    >>> fit(np.array([[0.0, 0.0], [4.0, 2.0]]), scale=1.0).tolist()
    [[-1.0, -0.5], [1.0, 0.5]]
    """
    Y = np.array(Y, dtype=np.float64, ndmin=2)
    if not len(Y):
        return Y
    Y -= Y.sum(axis=0) / len(Y)
    extent = float(np.abs(Y).max(initial=0.0))
    if scale is not None and extent > 0.0:
        Y /= extent  # division first: scale/extent may overflow for a layout of denormal size
        Y *= scale
    return Y + 0.0  # no negative zeros


def transform(Y: np.ndarray, source: np.ndarray, target: np.ndarray, *, scale: bool, reflect: bool) -> np.ndarray:
    """Return `Y` under the best similarity transform of `source` (m, d) onto `target` (m, d).

    >>> square = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    >>> turned = 3 * square[:, ::-1] + 7
    >>> transform(turned, turned, square, scale=True, reflect=True).round(9).tolist()
    [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    """
    center, goal = source.mean(axis=0), target.mean(axis=0)
    S, T = source - center, target - goal
    H = np.einsum("ia,ib->ab", S, T)
    U, stretch, Vt = np.linalg.svd(H)  # so small a matrix has the same bits for any number of LAPACK's threads
    if not reflect and np.linalg.det(U @ Vt) < 0:
        U[:, -1] *= -1
        stretch[-1] *= -1
    size, gain = (S * S).sum(), float(stretch.sum())
    factor = gain / size if scale and size > 0 and gain > 0 else 1.0
    return goal + factor * _turn(Y - center, (U @ Vt).T)


def _principal(X: np.ndarray) -> tuple[np.ndarray, int]:
    """Return X in its principal axes, and k: rotations by 360/k degrees are still undecided."""
    d = X.shape[1]
    if d == 1:
        return X, 1
    moments = np.einsum("ia,ib->ab", X, X)
    values, vectors = np.linalg.eigh(moments)  # BLAS uses one thread for such a small matrix
    values, axes = values[::-1], vectors.T[::-1]
    free = _equal_runs(values)
    if d == 2 and free:
        return _stand_on_a_side(X)
    if free:
        axes = _axes_from_nodes(X, axes, free)
    return _turn(X, axes), 1


def _equal_runs(values: np.ndarray) -> list[tuple[int, int]]:
    """Return index ranges of (descending) variances that count as equal."""
    runs, start = [], 0
    for end in range(1, len(values) + 1):
        if end == len(values) or values[end - 1] - values[end] > SAME_VARIANCE * values[0]:
            if end - start > 1:
                runs.append((start, end))
            start = end
    return runs


def _turn(X: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Return X along the rows of `axes`; with explicit sums, bits do not depend on BLAS."""
    return np.asarray(sum(X[:, b, None] * axes[:, b] for b in range(X.shape[1])))


def _stand_on_a_side(X: np.ndarray) -> tuple[np.ndarray, int]:
    """Turn a layout in the plane so that its k-fold symmetry stands on a side; return k too."""
    z = X[:, 0] + 1j * X[:, 1]
    power = np.abs(z)
    best_share, best = 0.0, (2, 0.0)
    for k in HARMONICS:
        harmonic = (z**k).sum()
        share = abs(harmonic) / (power**k).sum()
        if share > max(FAINT_HARMONIC, best_share * (1 + 1e-6)):
            # corners point along angle(harmonic)/k; a side at the bottom puts a corner at -90 + 180/k degrees
            best_share, best = share, (k, np.pi / k - np.pi / 2 - np.angle(harmonic) / k)
        if best_share > CLEAR_HARMONIC:
            break  # a square's 12-fold moment is larger than its 4-fold moment, because corners weigh more
    k, angle = best
    if best_share == 0.0:
        far = z[np.argmax(power >= power.max() * (1 - 1e-9))]
        k, angle = 1, -float(np.angle(far))
    c, s = np.cos(angle), np.sin(angle)
    return _turn(X, np.array([[c, -s], [s, c]])), k


def _axes_from_nodes(X: np.ndarray, axes: np.ndarray, runs: list[tuple[int, int]]) -> np.ndarray:
    """Replace axes of equal variance by directions towards the first of the farthest nodes."""
    axes = axes.copy()
    for start, end in runs:
        inside = _turn(X, axes[start:end])
        chosen: list[np.ndarray] = []
        for _ in range(end - start):
            length = np.sqrt((inside * inside).sum(axis=1))
            if length.max() <= ON_AXIS:
                break
            first = int(np.argmax(length >= length.max() * (1 - 1e-6)))
            direction = inside[first] / length[first]
            chosen.append(direction)
            along = sum(inside[:, b] * direction[b] for b in range(end - start))
            inside = inside - np.multiply.outer(along, direction)
        if len(chosen) == end - start:
            old = axes[start:end].copy()
            for k, direction in enumerate(chosen):
                axes[start + k] = sum(direction[b] * old[b] for b in range(end - start))
    return axes


def _settle(X: np.ndarray, mass: np.ndarray, turns: int) -> np.ndarray:
    """Choose among reflections of X and `turns` plane rotations by mass, tail, node order."""
    weight, d, candidates = mass / (float(mass.sum()) or 1.0), X.shape[1], [X]
    if turns > 1:
        waves = [(np.cos(angle), np.sin(angle)) for angle in 2 * np.pi * np.arange(turns) / turns]
        candidates = [_turn(X, np.array([[c, -s], [s, c]])) for c, s in waves]
    found = [_settled(Z, weight) for Z in candidates]
    for rule in range(2 * d if turns > 1 else 0):  # the heaviest right half, then the heaviest upper half; then tails
        found = _best(found, [keys[rule] for _, keys in found])
    off = np.flatnonzero((np.abs(X) > ON_AXIS).any(axis=1))
    for i in off[:64]:  # two nodes that are not opposite decide every rotation
        if len(found) == 1:
            break
        for a in range(d):
            found = _best(found, [float(Z[i, a]) for Z, _ in found])
    return found[0][0]


def _settled(X: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, list[float]]:
    """Reflect axes of X: the first key but 0 is positive; return halves and tails as well.

    A half is the mass right of the centroid minus the mass left of it, a tail the third moment; the last key is the
    first node off the axis.
    """
    off = np.abs(X) > ON_AXIS
    halves, tails = (np.einsum("i,ia->a", weight, each) for each in (np.sign(np.where(off, X, 0.0)), X**3))
    firsts = [float(column[mask.argmax()]) if mask.any() else 0.0 for column, mask in zip(X.T, off.T, strict=True)]
    each = zip(halves.tolist(), tails.tolist(), firsts, strict=True)
    sign = np.array([-1.0 if next((key for key in keys if abs(key) > 1e-9), 0.0) < 0 else 1.0 for keys in each])
    return X * sign, [*(halves * sign).tolist(), *(tails * sign).tolist()]


def _best(candidates: list[Any], keys: list[float]) -> list[Any]:
    least = max(keys) - 1e-9
    return [each for each, key in zip(candidates, keys, strict=True) if key >= least]
