"""The canonical orientation of a layout among its rotations and reflections.

The principal axis of the positions is horizontal. The heavier half (more mass beyond the centroid) is right and up; of
equal halves, the one with the longer tail (third moment), else with the first node off the axis. Without a principal
axis (a square grid, a cycle, K_n), the first clear k-fold harmonic `sum_i r_i^k exp(i k theta_i)`, k = 3..12, gives the
angle, so that a layout in the plane stands on a side, and these rules choose among the k rotations. In space, or
without a clear harmonic, the first of the nodes farthest from the centroid is on the axis.
"""

from __future__ import annotations

import numpy as np

__all__ = ["ON_AXIS", "canonical", "fit", "transform"]

SAME_VARIANCE = 1e-2  # relative gap below which two principal axes count as one plane
# Fractions of the k-th moment: below the first a harmonic is ignored, above the second the k-fold symmetry is visible.
HARMONIC = (1e-3, 0.2)
ON_AXIS = 1e-6  # |coordinate| below this fraction of the layout's radius counts as on the axis (on the plane)


Settled = tuple[np.ndarray, list[float]]  # positions, and the keys by which they are chosen


def canonical(Y: np.ndarray, mass: np.ndarray | None = None) -> np.ndarray:
    """Turn and mirror `Y` (n, d): principal axis horizontal, heavier half right and up.

    The centroid moves to the origin. `mass` (n,), default 1 each, only decides which half is heavier. A rotated or
    mirrored copy of `Y` gives the same layout up to rounding. Deterministic, bit for bit.

    >>> canonical(np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 5.0]])).round(9)[:, 0].tolist()
    [2.0, 1.0, -3.0]
    """
    Y = np.array(Y, dtype=np.float64, ndmin=2)
    n, d = Y.shape
    if n == 0 or d == 0:
        return Y
    Y -= Y.sum(axis=0) / n
    radius = float(np.abs(Y).max())
    if radius == 0.0:
        return Y
    unit, turns = Y / radius, 1  # moments of any order stay finite
    if d > 1:
        variances, axes = np.linalg.eigh(np.einsum("ia,ib->ab", unit, unit))  # BLAS uses one thread for so few numbers
        variances, axes = variances[::-1], axes.T[::-1]
        if d == 2 and variances[0] - variances[1] <= SAME_VARIANCE * variances[0]:
            unit, turns = _stand_on_a_side(unit)
        else:
            unit = _turn(unit, _axes_from_nodes(unit, axes, variances))
    return _settle(unit, np.ones(n) if mass is None else np.asarray(mass, dtype=np.float64), turns) * radius


def fit(Y: np.ndarray, scale: float | None = 1.0) -> np.ndarray:
    """Move the centroid of `Y` (n, d) to the origin and fit [-scale, scale] around it.

    As in `networkx.rescale_layout`, the largest absolute coordinate after centering is `scale`; None only centers.
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


def _turn(X: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Return X along the rows of `axes`; with explicit sums, bits do not depend on BLAS."""
    return np.asarray(sum(X[:, b, None] * axes[:, b] for b in range(X.shape[1])))


def _rotated(X: np.ndarray, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return _turn(X, np.array([[c, -s], [s, c]]))


def _stand_on_a_side(X: np.ndarray) -> tuple[np.ndarray, int]:
    """Turn a layout in the plane so that its k-fold symmetry stands on a side; return k too."""
    z = X[:, 0] + 1j * X[:, 1]
    power = np.abs(z)
    best_share, best = 0.0, (2, 0.0)
    for k in range(3, 13):
        harmonic = (z**k).sum()
        share = abs(harmonic) / (power**k).sum()
        if share > max(HARMONIC[0], best_share * (1 + 1e-6)):
            # corners point along angle(harmonic)/k; a side at the bottom puts a corner at -90 + 180/k degrees
            best_share, best = share, (k, np.pi / k - np.pi / 2 - np.angle(harmonic) / k)
        if best_share > HARMONIC[1]:
            break  # a square's 12-fold moment is larger than its 4-fold moment, because corners weigh more
    k, angle = best
    if best_share == 0.0:
        far = z[np.argmax(power >= power.max() * (1 - 1e-9))]
        k, angle = 1, -float(np.angle(far))
    return _rotated(X, angle), k


def _axes_from_nodes(X: np.ndarray, axes: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """Replace axes of equal variance by directions towards the first of the farthest nodes."""
    axes, steps = axes.copy(), variances[:-1] - variances[1:]
    for run in np.split(np.arange(len(axes)), np.flatnonzero(steps > SAME_VARIANCE * variances[0]) + 1):
        inside, chosen = _turn(X, axes[run]), list[np.ndarray]()
        while len(run) > 1 and len(chosen) < len(run):
            length = np.sqrt((inside * inside).sum(axis=1))
            if length.max() <= ON_AXIS:
                break
            first = int(np.argmax(length >= length.max() * (1 - 1e-6)))
            chosen.append(inside[first] / length[first])
            along = sum(inside[:, b] * share for b, share in enumerate(chosen[-1]))
            inside = inside - np.multiply.outer(along, chosen[-1])
        if len(chosen) == len(run):
            axes[run] = _turn(np.array(chosen), axes[run].T)
    return axes


def _settle(X: np.ndarray, mass: np.ndarray, turns: int) -> np.ndarray:
    """Choose among reflections of X and `turns` plane rotations by mass, tail, node order."""
    weight, d = mass / (float(mass.sum()) or 1.0), X.shape[1]
    candidates = [X] if turns == 1 else [_rotated(X, 2 * np.pi * k / turns) for k in range(turns)]
    found = [_settled(Z, weight) for Z in candidates]
    for rule in range(2 * d):  # the heaviest right half, then the heaviest upper half; then tails
        found = _best(found, [keys[rule] for _, keys in found])
    off = np.flatnonzero((np.abs(X) > ON_AXIS).any(axis=1))
    for i in off[:64] if len(found) > 1 else ():  # two nodes that are not opposite decide every rotation
        for a in range(d):
            found = _best(found, [float(Z[i, a]) for Z, _ in found])
    return found[0][0]


def _settled(X: np.ndarray, weight: np.ndarray) -> Settled:
    """Reflect axes of X: the first key but 0 is positive; return halves and tails as well."""
    off = np.abs(X) > ON_AXIS
    halves, tails = (np.einsum("i,ia->a", weight, each) for each in (np.sign(np.where(off, X, 0.0)), X**3))
    firsts = [float(column[mask.argmax()]) if mask.any() else 0.0 for column, mask in zip(X.T, off.T, strict=True)]
    each = zip(halves.tolist(), tails.tolist(), firsts, strict=True)
    sign = np.array([-1.0 if next((key for key in keys if abs(key) > 1e-9), 0.0) < 0 else 1.0 for keys in each])
    return X * sign, [*(halves * sign).tolist(), *(tails * sign).tolist()]


def _best(candidates: list[Settled], keys: list[float]) -> list[Settled]:
    least = max(keys) - 1e-9
    return [each for each, key in zip(candidates, keys, strict=True) if key >= least]
