"""Finish a layout: separate coincident nodes and overlapping discs, set size and center.

One rule for the size of dots serves pictures, and layouts, which keep the dots apart.

>>> Y, factor, moved, _ = finish(np.array([[0.0, 0.0], [0.0, 0.0], [3.0, 0.0], [0.0, 4.0]]), scale=2.0)
>>> bool((Y[0] != Y[1]).any()), float(np.abs(Y).max()), moved
(True, 2.0, True)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from nelayout.core.placing.orient import fit
from nelayout.core.placing.overlap import separate, split_coincident

__all__ = ["FLATTEST", "Finished", "dot_diameter", "dot_size", "finish", "growth", "part_dots"]

# Fraction of the picture that all dots cover, set by eye: more hides edges, less is hard to see.
COVERED_FRACTION = 0.045
# Points of half of a picture of 8 inches: the largest dot has 11 points, the smallest that can hide others 1 point.
HALF_WIDTH = 288
# Smallest ratio of a picture's sides: a path gets a strip of this shape.
FLATTEST = 0.1
# Maximum number of overlap removals with rescaling, and relative growth that needs no further removal.
MAX_PASSES, NEGLIGIBLE_GROWTH = 6, 1e-3


class Finished(NamedTuple):
    """A finished layout with notes for the user."""

    Y: np.ndarray  # (n, d)
    factor: float  # enlargement of the layout
    moved: bool  # whether some nodes moved relative to others
    notes: tuple[str, ...] = ()


def finish(
    Y: np.ndarray, places: np.ndarray | None = None, fixed: np.ndarray | None = None, size: np.ndarray | None = None,
    scale: float | None = 1.0, center: np.ndarray | None = None, part: Callable[[np.ndarray], np.ndarray] | None = None,
) -> Finished:  # fmt: skip
    """Finish a layout.

    Y       (n, d), in any units
    places  (n, d): its coordinates in the mask ``fixed`` (n, d) are returned bit for bit, without scale and center
    size    (n,) node diameters in the units of the result; None: points, which must not coincide
    scale   the largest absolute coordinate about ``center``; None keeps the units of Y
    part    function that separates nodes that would hide each other
    """
    if not len(Y):
        return Finished(Y, 1.0, False)
    if fixed is not None:
        assert places is not None
        Y = np.where(fixed, places, Y)
        middle = Y.min(axis=0) / 2 + Y.max(axis=0) / 2
        there = Y - middle  # large coordinates lose the digits by which near nodes differ
        Y = split_coincident(there, fixed)
        Y = Y if size is None else separate(Y, size, fixed)
        Y = Y if part is None else part(Y)
        return Finished(np.where(fixed, places, Y + middle), 1.0, bool((there != Y).any()))
    there = fit(Y, scale)
    opened = split_coincident(there)
    fitted = fit(opened, scale)
    factor = growth(Y, there) * growth(opened, fitted)
    Y, notes = fitted if part is None else part(fitted), ()
    if size is not None:
        Y = separate(Y, size, within=scale)
        if scale is not None and float(np.abs(Y).max()) > scale * (1 + 1e-9):
            large = "nodes of this node_size do not fit [-scale, scale]: the drawing is larger than scale"
            notes = (f"{large}; node_size has the units of the positions, see node_size_from_points",)
    moved = bool((opened != there).any() or (fitted != Y).any())
    return Finished(Y if center is None else Y + center, 1.0 if scale is None else factor, moved, notes)


def growth(Y: np.ndarray, fitted: np.ndarray) -> float:
    """Return the factor by which `fit` has enlarged Y; 1 for a point."""
    extent = float(np.abs(Y - np.sum(Y, axis=0) / len(Y)).max())
    return float(np.abs(fitted).max()) / extent if extent else 1.0


def dot_diameter(n_nodes: int, shape: float = 1.0) -> float:
    """Return the dot diameter of `nelayout.draw` in half-widths of the layout (``scale``).

    `shape` is the ratio of the shorter to the longer side, in [0, 1]: a strip has less area and smaller dots.

    >>> round(dot_diameter(25), 3), round(dot_diameter(10_000), 4), round(dot_diameter(100, shape=0.1), 4)
    (0.038, 0.0048, 0.0151)
    """
    area = 4.0 * min(1.0, max(shape, FLATTEST))
    return min(11 / HALF_WIDTH, math.sqrt(COVERED_FRACTION * area / (max(n_nodes, 1) * math.pi / 4)))


def dot_size(Y: np.ndarray) -> float:
    """Return the dot diameter of a picture in units of `Y` (n, d); 0 if dots may overlap.

    >>> round(dot_size(np.array([[-2.0, -2.0], [2.0, 2.0], [0.0, 0.0]])), 3), dot_size(np.arange(100.0)[:, None])
    (0.076, 0.0)
    """
    n, d = Y.shape
    sides = np.sort(Y.max(axis=0) - Y.min(axis=0))
    width = float(sides[-1])
    if width == 0.0:
        return 0.0
    size = dot_diameter(n, float(sides[-2]) / width if d > 1 else 0.0)
    # On a line, dots must not fill more than half.
    return size * width / 2 if size >= 1 / HALF_WIDTH and (d > 1 or n * size <= 1) else 0.0


def part_dots(Y: np.ndarray, size: float, fixed: np.ndarray | None = None) -> np.ndarray:
    """Copy `Y` (n, d) with nodes moved a little until dots of diameter `size` do not overlap.

    Without a mask `fixed` (see `separate`), the largest coordinate about the centroid stays the same.
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
