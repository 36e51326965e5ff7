"""Potentials that are added to J: gravity to the middle, springs to positions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["TINY", "Pull"]

# Added to squared distances, so that nodes at one place divide nothing by 0.
TINY = 1e-300


@dataclass(frozen=True, slots=True)
class Pull:
    """A potential at one drawing: node costs (n,), gradient (n, d), curvature bounds (n,)."""

    cost: np.ndarray
    gradient: np.ndarray
    curvature: np.ndarray
