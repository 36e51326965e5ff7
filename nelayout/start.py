"""Where a drawing starts: random positions, places for newcomers, and the size at which an objective takes one over."""

from __future__ import annotations

import math

import numpy as np

from .objective import Objective

__all__ = ["place_missing", "prolong", "random_positions", "size_search"]

# Moves of a node that has just been split from its cluster, in units of the typical distance between nodes.
JITTER = 0.1
_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0


def random_positions(n: int, dim: int, rng: np.random.Generator) -> np.ndarray:
    """Standard normal positions (n, dim)."""
    return rng.standard_normal((n, dim))


def radius(Y: np.ndarray) -> float:
    """Root mean squared distance to the centroid."""
    centred = Y - np.sum(Y, axis=0) / max(len(Y), 1)
    return math.sqrt(float(np.sum(centred * centred)) / max(len(Y), 1))


def prolong(Y: np.ndarray, cluster: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The finer drawing: every node at its cluster's place, with a little jitter."""
    fine = Y[cluster]
    typical = radius(fine) / math.sqrt(len(fine))
    return fine + JITTER * typical * rng.standard_normal(fine.shape)


def place_missing(Y: np.ndarray, P, rng: np.random.Generator) -> np.ndarray:
    """Positions for the NaN rows of Y (n, d): near the mean of their placed neighbours, wave after wave.

    Nodes that no placed node reaches are scattered over the drawing.
    """
    Y = np.array(Y)
    missing = np.isnan(Y[:, 0])
    if not missing.any():
        return Y
    known = Y[~missing]
    if not len(known):
        return random_positions(*Y.shape, rng)
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


def size_search(objective: Objective, Y: np.ndarray) -> float:
    """s > 0 that minimises J(s Y): the size at which ``objective`` takes over a drawing whose size means nothing to it.

    Brackets the minimum over powers of two from radius 1, then narrows ln s to 0.05 by golden section.
    """
    size = radius(Y)
    if objective.scale_free or not size > 0:
        return 1.0

    def value(log_s: float) -> float:
        v = objective.evaluate(Y * (math.exp(log_s) / size), gradient=False).value
        return v if math.isfinite(v) else math.inf

    step = math.log(2.0)
    a, middle = 0.0, value(0.0)
    up, down = value(step), value(-step)
    direction = step if up < down else -step
    best, near = (up, a + direction) if up < down else (down, a + direction)
    if best >= middle:
        low, high = a - step, a + step
    else:
        previous = a
        for _ in range(60):
            further = value(near + direction)
            if further >= best:
                break
            previous, near, best = near, near + direction, further
        low, high = min(previous, near + direction), max(previous, near + direction)
    x, z = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    fx, fz = value(x), value(z)
    while high - low > 0.05:
        if fx < fz:
            high, z, fz = z, x, fx
            x = high - _GOLDEN * (high - low)
            fx = value(x)
        else:
            low, x, fx = x, z, fz
            z = low + _GOLDEN * (high - low)
            fz = value(z)
    return math.exp((low + high) / 2) / size
