"""Potentials that are added to J; springs, from each node to a place, are one.

    A(Y) = 1/2 sum_i k_i |y_i - a_i|^2

A spring with k = 9 c against a curvature c shortens a move to one tenth: its stability is k / (c + k) = 0.9.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nelayout.core.terms.pull import Pull

__all__ = ["Springs", "stiffness"]


@dataclass(frozen=True, slots=True, eq=False)
class Springs:
    """Springs to positions (n, d) in units of the drawing; ``stiffness`` (n,) >= 0, 0: none."""

    places: np.ndarray
    stiffness: np.ndarray

    def at(self, Y: np.ndarray, mass: np.ndarray) -> Pull:
        """Return the pull at positions Y (n, d)."""
        away = Y - self.places
        cost = 0.5 * self.stiffness * np.einsum("ij,ij->i", away, away)
        return Pull(cost, self.stiffness[:, None] * away, self.stiffness)


def stiffness(stability: float, curvature: np.ndarray) -> np.ndarray:
    """Return k_i (n,) of springs of a stability in [0, 1) against ``curvature`` (n,).

    >>> stiffness(0.9, np.array([2.0, 4.0])).round(9).tolist()
    [18.0, 36.0]
    """
    return stability / (1.0 - stability) * curvature
