"""Potentials that are added to J: gravity to the middle, springs to positions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Pull"]


@dataclass(frozen=True, slots=True)
class Pull:
    """A potential at one drawing: node costs (n,), gradient (n, d), curvature bounds (n,)."""

    cost: np.ndarray
    gradient: np.ndarray
    curvature: np.ndarray
