"""The last touches to a drawing: coincident nodes are moved apart, discs until none overlap, and all to size and place.

>>> Y, _ = finish(np.array([[0.0, 0.0], [0.0, 0.0], [3.0, 0.0], [0.0, 4.0]]), scale=2.0)
>>> bool((Y[0] != Y[1]).any()), float(np.abs(Y).max())
(True, 2.0)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nelayout.placing.orient import fit
from nelayout.placing.overlap import separate, split_coincident

__all__ = ["finish"]


def finish(
    Y: np.ndarray,
    places: np.ndarray | None = None,
    fixed: np.ndarray | None = None,
    size: np.ndarray | None = None,
    scale: float | None = 1.0,
    center: np.ndarray | None = None,
    part: Callable[[np.ndarray], np.ndarray] | None = None,
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Finish a drawing: return it as the user gets it, and notes on it.

    Y       (n, d), in any units
    places  (n, d); rows of the nodes in the mask ``fixed`` come back bit for bit, and scale and center do not count
    size    (n,) node diameters in the units of what is given back; None: points, which must not coincide
    scale   the largest absolute coordinate about ``center``; None keeps the units of Y
    part    moves nodes apart that would hide each other
    """
    notes: tuple[str, ...] = ()
    if not len(Y):
        return Y, notes
    # Center the drawing first: far from the origin, coordinates lose the digits by which near nodes differ.
    if fixed is not None:
        assert places is not None
        Y = Y.copy()
        Y[fixed] = places[fixed]
        middle = Y.min(axis=0) / 2 + Y.max(axis=0) / 2
        Y = split_coincident(Y - middle, fixed)
        Y = Y if size is None else separate(Y, size, fixed)
        Y = Y if part is None else part(Y)
        Y = Y + middle
        Y[fixed] = places[fixed]
        return Y, notes
    Y = fit(split_coincident(fit(Y, scale)), scale)
    if part is not None:
        Y = part(Y)
    if size is not None:
        Y = separate(Y, size, within=scale)
        if scale is not None and float(np.abs(Y).max()) > scale * (1 + 1e-9):
            notes = ("nodes of this node_size do not fit [-scale, scale]: the drawing is larger than scale",)
    return (Y if center is None else Y + center), notes
