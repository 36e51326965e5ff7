"""Anchors: a spring from each node to a place of its own, as a potential that is added to J.

    A(Y) = 1/2 sum_i k_i |y_i - a_i|^2

What is pulled with the curvature c and tied by a spring of k = 9 c goes one tenth of the way that it would go without:
its stability is k / (c + k) = 0.9.  `stiffness` makes k of c for the stability that is asked for, so that the number
means the same whatever the objective and its units:

>>> stiffness(0.9, np.array([2.0, 4.0])).round(9).tolist()
[18.0, 36.0]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nelayout.formula.potentials.pull import Pull

__all__ = ["Anchors", "stiffness"]


@dataclass(frozen=True, slots=True, eq=False)
class Anchors:
    """Springs to places (n, d), in the units of the drawing; ``stiffness`` (n,) >= 0, 0 for a node without one."""

    places: np.ndarray
    stiffness: np.ndarray

    def at(self, Y: np.ndarray, mass: np.ndarray) -> Pull:
        """The pull at positions Y (n, d); springs do not know of masses."""
        away = Y - self.places
        cost = 0.5 * self.stiffness * np.einsum("ij,ij->i", away, away)
        return Pull(cost, self.stiffness[:, None] * away, self.stiffness)


def stiffness(stability: float, curvature: np.ndarray) -> np.ndarray:
    """k_i (n,) of springs that take the part ``stability``, in [0, 1), of a way against ``curvature`` (n,)."""
    return stability / (1.0 - stability) * curvature
