"""Ties: positions, and with them an objective, as functions of free parameters.

A node on a circle has its arc as its one parameter.  Nodes on a vertical line share their x.  Optimizers see a `Tied`
objective, which asks the objective of the method at the positions, and carries the gradient back to the parameters.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from nelayout.core.objective import Evaluation, Objective
from nelayout.core.placing.lines import on_lines
from nelayout.core.placing.rings import on_circles

__all__ = ["OnArcs", "OnLines", "Tied"]


class Tied(ABC):
    """An objective as a function of free parameters x (n, k); see `Minimizable`."""

    def __init__(self, objective: Objective) -> None:
        self.objective, self.free = objective, None
        self.mass, self.edges, self.arithmetic = objective.mass, objective.edges, objective.arithmetic

    @abstractmethod
    def positions(self, x: np.ndarray) -> np.ndarray:
        """Return the positions (n, d)."""

    @abstractmethod
    def slopes(self, x: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """Return the derivatives in x from the gradient (n, d)."""

    def evaluate(
        self, Y: np.ndarray, *, gradient: bool = True, weights: bool = False, attraction: bool = False
    ) -> Evaluation:
        """Evaluate J at the parameters Y (n, k)."""
        found = self.objective.evaluate(
            self.positions(Y), gradient=gradient, weights=weights, attraction=attraction
        )
        return found._replace(gradient=self.slopes(Y, found.gradient)) if len(found.gradient) else found

    def attraction_at_zero(self, lam: float) -> np.ndarray:
        return self.objective.attraction_at_zero(lam)

    def to_device(self, x: Any) -> Any:
        return x


class OnArcs(Tied):
    """Nodes on circles: x (n, 1) are arcs, angle times radius; any number in the middle."""

    def __init__(self, objective: Objective, radius: np.ndarray) -> None:
        super().__init__(objective)
        self.radius = radius

    def arcs(self, angle: np.ndarray) -> np.ndarray:
        """Return the parameters (n, 1) of angles (n,)."""
        return (self.radius * angle)[:, None]

    def angles(self, x: np.ndarray) -> np.ndarray:
        """Return the angles (n,)."""
        return x[:, 0] / np.where(self.radius > 0, self.radius, 1.0)

    def positions(self, x: np.ndarray) -> np.ndarray:
        return on_circles(self.radius, self.angles(x))

    def slopes(self, x: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        angle = self.angles(x)
        along = np.cos(angle) * gradient[:, 1] - np.sin(angle) * gradient[:, 0]
        return np.where(self.radius > 0, along, 0.0)[:, None]


class OnLines(Tied):
    """Nodes of a line share a coordinate: the mean of their parameters x (n, d) on its axis."""

    def __init__(self, objective: Objective, line: np.ndarray) -> None:
        super().__init__(objective)
        self.line = line

    def positions(self, x: np.ndarray) -> np.ndarray:
        return on_lines(x, self.line)

    def slopes(self, x: np.ndarray, gradient: np.ndarray) -> np.ndarray:  # the map is linear
        return on_lines(gradient, self.line)
