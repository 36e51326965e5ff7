"""The size of dots: one rule for pictures and for layouts, which keep the dots apart.

>>> round(dot_diameter(25), 3), round(dot_diameter(10_000), 4), round(dot_diameter(100, shape=0.1), 4)
(0.038, 0.0048, 0.0151)
"""

from __future__ import annotations

import math

import numpy as np

from nelayout.placing.orient import fit
from nelayout.placing.overlap import separate

__all__ = ["FLATTEST", "dot_diameter", "dot_size", "part_dots"]

# Fraction of the picture that all dots cover, set by eye: more hides edges, less is hard to see.
COVERED_FRACTION = 0.045
# Largest dot, and smallest dot that can hide others, in half-widths: 11 points and 1 point in a picture of 8 inches.
MAX_DIAMETER, MIN_DIAMETER = 11 / 288, 1 / 288
# Smallest ratio of a picture's sides: a path gets a strip of this shape.
FLATTEST = 0.1
# Maximum number of overlap removals with rescaling, and relative growth that needs no further removal.
MAX_PASSES, NEGLIGIBLE_GROWTH = 6, 1e-3


def dot_diameter(n_nodes: int, shape: float = 1.0) -> float:
    """Return the dot diameter of `nelayout.draw` in half-widths of the layout (``scale``).

    If discs of this diameter do not overlap in a layout that fits [-1, 1], they do not overlap in the picture. `shape`
    is the ratio of the shorter to the longer side, in [0, 1]: a strip has less area and smaller dots.
    """
    area = 4.0 * min(1.0, max(shape, FLATTEST))
    return min(MAX_DIAMETER, math.sqrt(COVERED_FRACTION * area / (max(n_nodes, 1) * math.pi / 4)))


def dot_size(Y: np.ndarray) -> float:
    """Return the dot diameter of a picture in units of `Y` (n, d); 0 if dots may overlap.

    Dots of large layouts are too small to hide others. On a line, dots must not fill more than half.

    >>> round(dot_size(np.array([[-2.0, -2.0], [2.0, 2.0], [0.0, 0.0]])), 3), dot_size(np.arange(100.0)[:, None])
    (0.076, 0.0)
    """
    n, d = Y.shape
    sides = np.sort(Y.max(axis=0) - Y.min(axis=0))
    width = float(sides[-1])
    if width == 0.0:
        return 0.0
    size = dot_diameter(n, float(sides[-2]) / width if d > 1 else 0.0)
    return size * width / 2 if size >= MIN_DIAMETER and (d > 1 or n * size <= 1) else 0.0


def part_dots(Y: np.ndarray, size: float, fixed: np.ndarray | None = None) -> np.ndarray:
    """Copy `Y` (n, d) with nodes moved a little until dots of diameter `size` do not overlap.

    The largest coordinate about the centroid stays the same without `fixed`.  Nodes in a mask `fixed` (n,), or
    coordinates in a mask (n, d), never change.  Deterministic; Y is not changed.

    >>> part_dots(np.array([[-1.0, 0.0], [0.0, 0.0], [0.01, 0.0], [0.99, 0.0]]), 0.04).round(3).tolist()
    [[-1.0, 0.0], [-0.015, 0.0], [0.025, 0.0], [0.99, 0.0]]
    """
    if fixed is not None:
        return separate(Y, size, fixed)
    middle = Y.mean(axis=0)
    extent = float(np.abs(Y - middle).max())
    for _ in range(MAX_PASSES):
        parted = separate(Y, (1 + NEGLIGIBLE_GROWTH) * size)
        if np.array_equal(parted, Y):
            break
        grown = float(np.abs(parted - parted.mean(axis=0)).max())
        Y = fit(parted, extent) + middle
        if grown <= (1 + NEGLIGIBLE_GROWTH) * extent:
            break
    return Y
