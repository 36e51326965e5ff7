"""Starts: random positions, the caller's own, and positions for nodes without one."""

from __future__ import annotations

import math

import numpy as np

from nelayout.core.placing.orient import ON_AXIS
from nelayout.numerics.arithmetic import radius

__all__ = [
    "as_before", "centered", "frame", "is_flat", "one_place", "place_missing", "pull_in_outliers",
    "random_positions", "scattered", "stir_flat",
]  # fmt: skip

# Moves of a node that has just been split from its cluster, in units of the typical distance between nodes.
# see tuning: JITTER
JITTER = 0.1
# Factor of the distance from the middle that is a gap between nodes, and the factor to which a gap is reduced.
# see tuning: GAP, NEAR
GAP, NEAR = 100.0, 3.0


def random_positions(n: int, dim: int, rng: np.random.Generator) -> np.ndarray:
    """Standard normal positions (n, dim)."""
    return rng.standard_normal((n, dim))


def centered(Y: np.ndarray) -> np.ndarray:
    """Return Y about its centroid."""
    return Y - np.sum(Y, axis=0) / len(Y)


def frame(Y: np.ndarray) -> tuple[np.ndarray, float]:
    """Return middle (d,) and half the extent (1 for a point) of the known rows of Y (n, d)."""
    known = Y[~np.isnan(Y[:, 0])]
    low, high = known.min(axis=0), known.max(axis=0)
    middle = low / 2 + high / 2
    extent = float(np.max(high / 2 - low / 2))
    rounding = 1e-14 * float(np.abs(known).max())
    return middle, extent if extent > max(rounding, 1e-290) else 1.0


def centered_start(start: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Return initial positions about their mean in units of their extent, mean and extent."""
    middle, extent = frame(start)
    given = (start - middle) / extent
    mean = np.sum(given, axis=0) / len(given)
    return given - mean, middle + extent * mean, extent


def place_of_layers(
    Y: np.ndarray, start: np.ndarray, fixed: np.ndarray, held: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return position (d,) and size (d,) that map Y to its layers: Y / size + position.

    On the axes ``held`` (d,) all nodes stay.  The other axes get the size and the middle of the initial positions.
    Axes without a size, and axes on which some nodes are fixed, keep the unit of the layers.
    """
    given, middle, extent = centered_start(start)
    sizes = [radius(columns[:, axes]) for axes in (held, ~held) for columns in (Y, given)]
    unit = sizes[0] / sizes[1] if sizes[1] > 0 else 1.0
    fits = sizes[2] > 0 < sizes[3] and not fixed[:, ~held].any()
    size = np.where(held, unit, sizes[2] / sizes[3] if fits else unit) / extent
    shift = np.where(held | fixed.any(axis=0), 0.0, np.sum(Y, axis=0) / len(Y))
    return middle - shift / size, size


def one_place(Y: np.ndarray, part: np.ndarray | None = None) -> bool:
    """Return True if all rows of Y are equal; with a mask ``part`` (n, d), on each axis."""
    if part is None:
        return not (Y[0] != Y).any()
    return all(one_place(column[mask, None]) for column, mask in zip(Y.T, part.T, strict=True) if mask.any())


def as_before(Y: np.ndarray, start: np.ndarray, fixed: np.ndarray | None, scale: float | None) -> np.ndarray:
    """Return Y scaled and moved to its start, by radius and centroid of the positioned nodes.

    ``fixed`` (n, d) masks coordinates with one number on each axis.  A start without a size takes ``scale``.
    """
    known = ~np.isnan(start[:, 0])
    there = np.repeat(known[:, None], Y.shape[1], axis=1)
    if fixed is not None:
        there = np.where(fixed.any(axis=0), fixed, there)
    count = np.count_nonzero(there, axis=0)
    middle, extent = frame(start)
    before = (start - middle) / extent  # the reader's units may be of any magnitude
    here = Y - np.sum(Y, axis=0, where=there) / count
    if radius(before[known]) > 0 and radius(here[known]) > 0:
        factor = extent * (radius(before[known]) / radius(here[known]))
    else:
        reach = float(np.abs(here).max())
        factor = scale / reach if scale is not None and reach > 0 else 1.0
    return factor * here + (middle + extent * (np.sum(before, axis=0, where=there) / count))


def pull_in_outliers(Y: np.ndarray, fixed: np.ndarray | None = None) -> tuple[np.ndarray, int]:
    """Return Y (n, d) with far nodes moved closer, and their number; ``fixed`` (n, d) stay.

    A node a million times farther out than all others shrinks them to a dot.  Far nodes are less than half of all
    nodes, and at most one in a hundred if the others coincide.

    >>> pull_in_outliers(np.array([[0.0], [1.0], [2.0], [3.0], [1e9]]))[0].ravel().tolist()
    [0.0, 1.0, 2.0, 3.0, 8.0]
    """
    known = np.flatnonzero(~np.isnan(Y[:, 0]))
    if len(known) < 3:
        return Y, 0
    middle = np.median(Y[known], axis=0)
    unit = float(np.abs(Y[known]).max()) or 1.0
    away = Y[known] / unit - middle / unit
    distance = np.max(np.abs(away), axis=1)  # squares of small ones would vanish beside a node at 1e200
    order = np.argsort(distance, kind="stable")
    near, far = distance[order[:-1]], distance[order[1:]]
    within = np.arange(1, len(known))
    most = np.where(near > 0, within > len(known) // 2, within >= 0.99 * len(known))
    gap = (far > GAP * near) & most
    if not gap.any():
        return Y, 0
    factor = np.empty(len(known))
    factor[order] = np.cumprod(np.r_[1.0, np.where(gap, NEAR * near / np.where(gap, far, 1.0), 1.0)])
    moved = factor < 1.0
    if fixed is not None:
        moved &= ~fixed[known].any(axis=1)
    answer = Y.copy()
    answer[known[moved]] = middle + unit * (factor[moved, None] * away[moved])
    return answer, int(np.count_nonzero(moved))


def stir_flat(Y: np.ndarray, free: np.ndarray | None, rng: np.random.Generator) -> np.ndarray:
    """Move coincident nodes, and all nodes of a flat drawing: they would stay there."""
    order = np.lexsort(Y.T)
    same = np.all(Y[order[1:]] == Y[order[:-1]], axis=1)
    stir = np.full(Y.shape, is_flat(Y))
    stir[order[1:][same]] = stir[order[:-1][same]] = True
    if free is not None:
        stir &= free
    if not stir.any():
        return Y
    typical = (radius(Y) or 1.0) / math.sqrt(len(Y))
    return np.where(stir, Y + JITTER * typical * rng.standard_normal(Y.shape), Y)


def scattered(Y: np.ndarray, cluster: np.ndarray, typical: np.ndarray | float, rng: np.random.Generator) -> np.ndarray:
    """Return positions (n, d) around those of the nodes' clusters, (n, d).

    The members of a cluster spread over an area in proportion to their number: otherwise a hub's leaves would stay on
    one point. Pairs are `JITTER` of the ``typical`` distance between nodes apart, (n,) or a number.
    """
    members = np.bincount(cluster)[cluster]
    return Y + (JITTER * typical * np.sqrt(members / 2))[:, None] * rng.standard_normal(Y.shape)


def is_flat(Y: np.ndarray) -> bool:
    """Return True if Y has fewer dimensions than its columns and its number of nodes allow."""
    rest, extent = centered(Y), 0.0
    for _ in range(min(Y.shape[1], len(Y) - 1)):
        lengths = np.sqrt(np.sum(rest * rest, axis=1))
        far = int(np.argmax(lengths))
        extent = extent or float(lengths[far])
        if not lengths[far] > ON_AXIS * extent:
            return True
        axis = rest[far] / lengths[far]
        rest = rest - np.sum(rest * axis, axis=1)[:, None] * axis
    return False


def place_missing(Y: np.ndarray, P, rng: np.random.Generator) -> np.ndarray:
    """Return Y (n, d) with its NaN rows near placed neighbors, in waves, or else anywhere."""
    Y = np.array(Y)
    missing = np.isnan(Y[:, 0])
    if not missing.any():
        return Y
    known = Y[~missing]
    if not len(known):
        return random_positions(len(Y), Y.shape[1], rng)
    spread = radius(known) or 1.0
    jitter = JITTER * spread / math.sqrt(len(Y)) * rng.standard_normal(Y.shape)
    weight = P.copy()
    weight.data = np.ones_like(weight.data)
    while missing.any():
        here = np.where(missing[:, None], 0.0, Y)
        count = weight @ (~missing).astype(float)
        reached = missing & (count > 0)
        if not reached.any():
            middle = np.sum(known, axis=0) / len(known)
            Y[missing] = middle + spread * rng.standard_normal((int(missing.sum()), Y.shape[1]))
            break
        Y[reached] = (weight @ here)[reached] / count[reached, None] + jitter[reached]
        missing = missing & ~reached
    return Y
