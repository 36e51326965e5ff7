"""How large a dot is: one rule for pictures, which draw dots, and for layouts, which keep room for them.

>>> round(dot_diameter(25), 3), round(dot_diameter(10_000), 4), round(dot_diameter(100, shape=0.1), 4)
(0.038, 0.0048, 0.0151)
"""

from __future__ import annotations

import math

import numpy as np

from nelayout.placing.orient import fit
from nelayout.placing.overlap import separate

__all__ = ["FLATTEST", "dot_diameter", "dot_size", "part_dots"]

# Share of the sheet that all dots cover together: a tenth would hide edges, a hundredth be dust.  Set by eye.
_COVER = 0.045
# Largest dot, in half-widths: 11 points on the 8 inches of a picture, the size of a line of text.
_LARGEST = 11 / 288
# Least ratio of a sheet's sides: a path lies on a strip of this shape.
FLATTEST = 0.1
# Dots smaller than this, in half-widths, hide nothing: one point on the 8 inches of a picture, the width of an edge.
# So are those of more than some 19,000 nodes.
SPECK = 1 / 288
# A line has no room for dots that together are longer than this share of it.
LINE = 0.5
# Times that a drawing which has grown is brought back to its size and parted again; the growth that ends it, and the
# share by which dots are therefore parted further than they are wide.
PARTINGS, GROWTH = 6, 1e-3


def dot_diameter(n_nodes: int, shape: float = 1.0) -> float:
    """Diameter of a dot of `nelayout.draw` in half-widths of the drawing, that is in units of ``scale``.

    A drawing of `n_nodes` nodes that fits [-1, 1] has dots of at most this diameter in its units: discs that do
    not overlap at it do not overlap in the picture.  `shape` is the shorter side of the drawing over the longer one,
    in [0, 1]: a strip has less room, and smaller dots.
    """
    area = 4.0 * min(1.0, max(shape, FLATTEST))
    return min(_LARGEST, math.sqrt(_COVER * area / (max(n_nodes, 1) * math.pi / 4)))


def dot_size(Y: np.ndarray) -> float:
    """Diameter of the dots that a picture of `Y` (n, d) has, in its units; 0 where they hide nothing.

    They are specks in large drawings, and on a line that has no room for them they would lie on each other anyway.

    >>> round(dot_size(np.array([[-2.0, -2.0], [2.0, 2.0], [0.0, 0.0]])), 3), dot_size(np.arange(100.0)[:, None])
    (0.076, 0.0)
    """
    n, d = Y.shape
    sides = np.sort(Y.max(axis=0) - Y.min(axis=0))
    width = float(sides[-1])
    if width == 0.0:
        return 0.0
    size = dot_diameter(n, float(sides[-2]) / width if d > 1 else 0.0)
    room = d > 1 or n * size <= 2 * LINE
    return size * width / 2 if size >= SPECK and room else 0.0


def part_dots(Y: np.ndarray, size: float, fixed: np.ndarray | None = None) -> np.ndarray:
    """Copy `Y` (n, d) with nodes moved, as little as possible, until dots of this diameter do not overlap.

    The largest coordinate about the centroid stays what it is, unless there are `fixed` nodes, a mask (n,), or
    coordinates, (n, d): these never change.  Deterministic; Y is not changed.

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
