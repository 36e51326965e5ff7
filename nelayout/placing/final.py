"""Finish a layout: separate coincident nodes and overlapping discs, set size and center.

>>> Y, factor, moved, _ = finish(np.array([[0.0, 0.0], [0.0, 0.0], [3.0, 0.0], [0.0, 4.0]]), scale=2.0)
>>> bool((Y[0] != Y[1]).any()), float(np.abs(Y).max()), moved
(True, 2.0, True)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from nelayout.placing.orient import fit
from nelayout.placing.overlap import separate, split_coincident

__all__ = ["Finished", "finish"]


class Finished(NamedTuple):
    """A finished layout.

    Y       (n, d) positions for the user
    factor  enlargement of the layout
    moved   whether some nodes moved relative to others
    notes   sentences for the user
    """

    Y: np.ndarray
    factor: float
    moved: bool
    notes: tuple[str, ...] = ()


def finish(
    Y: np.ndarray,
    places: np.ndarray | None = None,
    fixed: np.ndarray | None = None,
    size: np.ndarray | None = None,
    scale: float | None = 1.0,
    center: np.ndarray | None = None,
    part: Callable[[np.ndarray], np.ndarray] | None = None,
) -> Finished:
    """Finish a layout.

    Y       (n, d), in any units
    places  (n, d): its coordinates in the mask ``fixed`` (n, d) are returned bit for bit, without scale and center
    size    (n,) node diameters in the units of the result; None: points, which must not coincide
    scale   the largest absolute coordinate about ``center``; None keeps the units of Y
    part    function that separates nodes that would hide each other
    """
    if not len(Y):
        return Finished(Y, 1.0, False)
    # Center first, because large coordinates lose the digits by which near nodes differ.
    if fixed is not None:
        assert places is not None
        Y = np.where(fixed, places, Y)
        middle = Y.min(axis=0) / 2 + Y.max(axis=0) / 2
        there = Y - middle
        Y = split_coincident(there, fixed)
        Y = Y if size is None else separate(Y, size, fixed)
        Y = Y if part is None else part(Y)
        return Finished(np.where(fixed, places, Y + middle), 1.0, bool((there != Y).any()))
    there = fit(Y, scale)
    opened = split_coincident(there)
    fitted = fit(opened, scale)
    factor = _growth(Y, there) * _growth(opened, fitted)
    Y, notes = fitted if part is None else part(fitted), ()
    if size is not None:
        Y = separate(Y, size, within=scale)
        if scale is not None and float(np.abs(Y).max()) > scale * (1 + 1e-9):
            large = "nodes of this node_size do not fit [-scale, scale]: the drawing is larger than scale"
            notes = (f"{large}; node_size has the units of the positions, see node_size_from_points",)
    moved = bool((opened != there).any() or (fitted != Y).any())
    return Finished(Y if center is None else Y + center, 1.0 if scale is None else factor, moved, notes)


def _growth(Y: np.ndarray, fitted: np.ndarray) -> float:
    """Return the factor by which `fit` has enlarged Y; 1 for a point."""
    extent = float(np.abs(Y - np.sum(Y, axis=0) / len(Y)).max())
    return float(np.abs(fitted).max()) / extent if extent else 1.0
