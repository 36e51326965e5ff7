"""The size of dots: one rule for pictures, which draw dots, and for layouts, which leave room for them.

>>> round(dot_diameter(25), 3), round(dot_diameter(10_000), 4), round(dot_diameter(100, shape=0.1), 4)
(0.038, 0.0048, 0.0151)
"""

from __future__ import annotations

import math

import numpy as np

from nelayout.placing.orient import fit
from nelayout.placing.overlap import separate

__all__ = ["FLATTEST", "dot_diameter", "dot_size", "part_dots"]

# Part of the sheet that all dots cover together, set by eye: more hides edges, less is dust.
COVER = 0.045
# Largest dot and smallest dot that hides others, in half-widths: 11 points and one point on a picture of 8 inches.
LARGEST, SPECK = 11 / 288, 1 / 288
# Least ratio of a sheet's sides: a path lies on a strip of this shape.
FLATTEST = 0.1
# Times that a drawing is moved apart and brought back to its size, and growth that needs no further time.
PARTINGS, GROWTH = 6, 1e-3


def dot_diameter(n_nodes: int, shape: float = 1.0) -> float:
    """Return the diameter of a dot of `nelayout.draw` in half-widths of the drawing, that is in units of ``scale``.

    Discs of this diameter that do not overlap in a drawing that fits [-1, 1] do not overlap in the picture. `shape` is
    the shorter side of the drawing over the longer one, in [0, 1]: a strip has less room and smaller dots.
    """
    area = 4.0 * min(1.0, max(shape, FLATTEST))
    return min(LARGEST, math.sqrt(COVER * area / (max(n_nodes, 1) * math.pi / 4)))


def dot_size(Y: np.ndarray) -> float:
    """Return the diameter of the dots that a picture of `Y` (n, d) has, in its units; 0 if they cannot be kept apart.

    Dots of large drawings are specks that hide nothing. On a line, dots that would fill more than half have no room.

    >>> round(dot_size(np.array([[-2.0, -2.0], [2.0, 2.0], [0.0, 0.0]])), 3), dot_size(np.arange(100.0)[:, None])
    (0.076, 0.0)
    """
    n, d = Y.shape
    sides = np.sort(Y.max(axis=0) - Y.min(axis=0))
    width = float(sides[-1])
    if width == 0.0:
        return 0.0
    size = dot_diameter(n, float(sides[-2]) / width if d > 1 else 0.0)
    return size * width / 2 if size >= SPECK and (d > 1 or n * size <= 1) else 0.0


def part_dots(Y: np.ndarray, size: float, fixed: np.ndarray | None = None) -> np.ndarray:
    """Copy `Y` (n, d) with nodes moved, as little as possible, until dots of this diameter do not overlap.

    The largest coordinate about the centroid stays the same, unless there are `fixed` nodes, a mask (n,), or
    coordinates, (n, d): these never change. Deterministic; Y is not changed.

    >>> part_dots(np.array([[-1.0, 0.0], [0.0, 0.0], [0.01, 0.0], [0.99, 0.0]]), 0.04).round(3).tolist()
    [[-1.0, 0.0], [-0.015, 0.0], [0.025, 0.0], [0.99, 0.0]]
    """
    if fixed is not None:
        return separate(Y, size, fixed)
    middle = Y.mean(axis=0)
    extent = float(np.abs(Y - middle).max())
    for _ in range(PARTINGS):
        parted = separate(Y, (1 + GROWTH) * size)
        if np.array_equal(parted, Y):
            break
        grown = float(np.abs(parted - parted.mean(axis=0)).max())
        Y = fit(parted, extent) + middle
        if grown <= (1 + GROWTH) * extent:
            break
    return Y
