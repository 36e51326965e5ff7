"""Gravity: a pull on every node to the middle of the drawing, a potential added to J.

    G(Y) = g sum_i m_i |y_i - c|     or, strong,     g/2 sum_i m_i |y_i - c|^2,        c = mean of all y_i

It keeps nodes together that no edge joins. Masses are not scaled to mean 1. Shared gravity is divided by their sum:
strong and shared, it is the compression of tsNET.
Sources: Jacomy, Venturini, Heymann & Bastian, ForceAtlas2, PLoS ONE 9(6), 2014; c instead of the origin: networkx;
Kruiger et al., Graph layouts by t-SNE, Computer Graphics Forum 36, 2017.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nelayout.core.formula.part_names import number_within
from nelayout.core.terms.pull import Pull
from nelayout.errors import InputError

__all__ = ["Gravity"]

# Least distance from the middle in the bound 1 / |y| of the curvature, relative to the drawing's radius.
MIN_DISTANCE_SHARE = 1e-12


@dataclass(frozen=True, slots=True)
class Gravity:
    """A pull g >= 0; ``strong``: in proportion to the distance; ``shared``: over sum m."""

    strength: float = 1.0
    strong: bool = False
    shared: bool = False

    def __post_init__(self) -> None:
        number_within(self.strength, "gravity", 0.0)
        if not isinstance(self.strong, (bool, np.bool_)):
            raise InputError(f"strong_gravity must be True or False; got {self.strong!r}")

    @property
    def name(self) -> str:
        return f"{'strong ' * self.strong}{'shared ' * self.shared}{self.strength:g}"

    def at(self, Y: np.ndarray, mass: np.ndarray) -> Pull:
        """Return the pull at positions Y (n, d), masses (n,)."""

        def middle(x: np.ndarray) -> Any:
            return np.add.reduce(x, axis=0) / len(x)

        away = Y - middle(Y)
        weight = self.strength * mass
        if self.shared:
            weight = weight / np.add.reduce(mass)
        squares = np.einsum("ij,ij->i", away, away)
        if self.strong:
            cost, curvature = 0.5 * weight * squares, weight
        else:
            # |y| is below the parabola of curvature 1 / |y| that touches it
            distance = np.sqrt(squares)
            nearest = MIN_DISTANCE_SHARE * np.sqrt(middle(squares))
            cost, curvature = weight * distance, weight / np.maximum(distance, np.where(nearest > 0, nearest, 1.0))
        force = curvature[:, None] * away
        return Pull(cost, force - middle(force), curvature)  # c moves with the nodes

    def beside(
        self, at: np.ndarray, masses: np.ndarray, Y: np.ndarray, mass: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return G (m,) of Y (n, d) with one node more at each ``at`` (m, d), and its gradients."""
        value, gradient = np.empty(len(at)), np.empty_like(at)
        for t, place in enumerate(at):
            pull = self.at(np.vstack([place, Y]), np.append(masses[t], mass))
            value[t], gradient[t] = float(np.sum(pull.cost)), pull.gradient[0]
        return value, gradient
