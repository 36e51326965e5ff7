"""Steps of an open drawing: bounded moves, and no growth that does not pay.

Many objectives hardly depend on the size of a drawing: under t-SNE and ws-SNE, J of lattices and trees falls for ever
as they grow, by less and less.  Every edit would then let the drawing grow a little.  So growth has a friction.  With
the slope a = dJ / d ln s of J(s Y), and xi the squared radius, the gradient has a' in place of a:

    a' = sign(a) max(|a| - FRICTION e, 0),        e = (strength of the edges) min(1, -d ln q / d ln xi).

q is flat in a drawing that is far too small, which must be free to grow.  Where a' is 0, steps keep the radius.  J
itself is not changed, and still falls at each step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from nelayout.core.objective import Evaluation, Objective
from nelayout.core.optimizers.line_search import Trial

__all__ = ["Steady", "shortened", "within_reach"]

# Slope of J in ln s that does not change the size, in parts of e.  A drawing with a best size ends within about this
# part of it.
FRICTION = 0.01
# Slope in ln s, in parts of the edges' own slope, that is what rounding leaves of 0.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Steady:
    """An objective as optimizers see it (`Minimizable`), with friction against growth."""

    objective: Objective

    @property
    def arithmetic(self) -> Any:
        return self.objective.arithmetic

    @property
    def edges(self) -> Any:
        return self.objective.edges

    @property
    def mass(self) -> Any:
        return self.objective.mass

    @property
    def free(self) -> np.ndarray | None:
        return self.objective.free

    def to_device(self, x: Any) -> Any:
        return self.objective.to_device(x)

    def attraction_at_zero(self, lam: float) -> Any:
        return self.objective.attraction_at_zero(lam)

    def evaluate(self, Y: Any, *, gradient: bool = True, weights: bool = False, attraction: bool = False) -> Evaluation:
        """Return the evaluation with the gradient that the module describes."""
        now = self.objective.evaluate(Y, gradient=gradient, weights=weights, attraction=attraction)
        if not gradient or not math.isfinite(now.value):
            return now
        away = self.growth(Y)
        slope, square = float(np.sum(now.gradient * away)), float(np.sum(away * away))
        if not square > 0:
            return now
        less = min(abs(slope), FRICTION * now.strength * self._flatness(square / len(Y)))
        return now._replace(gradient=now.gradient - math.copysign(less / square, slope) * away)

    def _flatness(self, xi: float) -> float:
        """Return min(1, -d ln q / d ln xi)."""
        return min(1.0, xi * float(np.max(self.objective.kernel.decay(np.array([xi])))))

    def growth(self, Y: Any) -> Any:
        """Return the move (n, d) of all free coordinates away from the centroid."""
        away = Y - np.sum(Y, axis=0) / len(Y)
        if self.free is not None:
            away[~self.free] = 0.0
        return away


def within_reach(objective: Any, Y: Any, now: Evaluation, trial: Trial, reach: float) -> Trial:
    """Return a trial that moves no node farther than ``reach``.

    It keeps the radius if another one does not pay.  Long moves are shortened one by one.  If the result is no descent,
    the whole direction is shortened.
    """
    direction = shortened(trial.direction, reach)
    away = objective.growth(Y)
    square = float(np.sum(away * away))
    pays = -float(np.sum(now.gradient * away))
    if square > 0 and (abs(pays) <= ROUNDING * now.strength or pays * float(np.sum(direction * away)) < 0):
        there = away + direction
        if objective.free is not None:
            there[~objective.free] = 0.0
        there *= math.sqrt(square / float(np.sum(there * there)))
        direction = there - away
        lengths = np.einsum("ij,ij->i", direction, direction)
        direction *= min(1.0, reach / math.sqrt(float(np.max(lengths)) or 1.0))
    slope = objective.arithmetic.product(direction, now.gradient)
    if slope < 0:
        return trial._replace(direction=direction, slope=slope)
    lengths = np.einsum("ij,ij->i", trial.direction, trial.direction)
    factor = min(1.0, reach / math.sqrt(float(np.max(lengths)) or 1.0))
    return trial._replace(direction=factor * trial.direction, slope=factor * trial.slope)


def shortened(direction: np.ndarray, reach: float) -> np.ndarray:
    """Return moves (k, d) with none longer than ``reach``."""
    lengths = np.sqrt(np.einsum("ij,ij->i", direction, direction))
    return np.divide(reach, lengths, out=np.ones_like(lengths), where=lengths > reach)[:, None] * direction
