"""`Kept`: what a run knows of the drawing that its own is to go on from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Kept"]


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """A drawing that stays itself while its graph changes.

    stability  part of its way that the map forgoes, in [0, 1); None: what has a place is fixed
    same       (n,) mask of the nodes whose component is as it was when the start was drawn: it is not drawn again
    """

    stability: float | None
    same: np.ndarray
