"""Potentials that are added to J: gravity to the middle, springs to places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Pull"]


@dataclass(frozen=True, slots=True)
class Pull:
    """A potential at one drawing: the cost of each node (n,), the gradient (n, d), a bound on its curvature (n,)."""

    cost: np.ndarray
    gradient: np.ndarray
    curvature: np.ndarray
