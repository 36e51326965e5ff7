"""Anchors: nodes are where a map has them, up to the size and the place of the map.

    T(Y) = 1 - <u, v>,      u = (y_i - c) / |y - c|,      v = (a_i - b) / |a - b|,

over the coordinates of all nodes with an anchor a_i.  c and b are the middles of these nodes and of their anchors, with
weights w_i: 1, on a coarse graph the nodes that it stands for.  T is 0 where the drawing is the map at some size and
place, 1 where they have nothing in common, and 2 where the drawing is the map upside down.  Near 0 it is half of the
part of the drawing's variance that the map does not explain.  Where all these nodes coincide, T is 1 and its gradient
counts as 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nelayout.core.terms.pull import Pull, about_middle, flat

__all__ = ["Anchored"]


@dataclass(frozen=True, eq=False)
class Anchored:
    """Anchors (n, d), NaN rows for nodes without one; ``weight`` (n,), 0 for these."""

    places: np.ndarray
    weight: np.ndarray
    strength: float = 1.0
    name = "anchors"
    upright = True

    @classmethod
    def over(cls, places: np.ndarray, strength: float = 1.0) -> Anchored:
        """Return the term of anchors (n, d), NaN rows for nodes without one."""
        return cls(places, (~np.isnan(places[:, 0])).astype(float), strength)

    @cached_property
    def _there(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """Nodes with an anchor (k,), their parts of the weight, v / w (k, d), and |a - b|."""
        nodes = np.flatnonzero(self.weight)
        part = self.weight[nodes] / np.sum(self.weight[nodes])
        about = self.places[nodes] - self.middle
        extent = float(np.abs(about).max()) or 1.0  # the map's units may be of any magnitude
        size = extent * float(np.sqrt(np.einsum("i,ij,ij->", part, about / extent, about / extent)))
        return nodes, part, about / (size or 1.0), size

    @cached_property
    def middle(self) -> np.ndarray:
        """(d,) the middle of the anchors."""
        nodes = np.flatnonzero(self.weight)
        part = self.weight[nodes] / np.sum(self.weight[nodes])
        return np.einsum("i,ij->j", part, self.places[nodes])

    def at(self, Y: np.ndarray) -> Pull:
        """Return T at positions Y (n, d)."""
        nodes, part, goal, _ = self._there
        goal = flat(goal, Y.shape[1])
        about, size = about_middle(Y[nodes], part)
        cost, gradient, curvature = np.zeros(len(Y)), np.zeros_like(Y), np.zeros(len(Y))
        if size == 0.0:
            cost[nodes] = part
            return Pull(cost, gradient, curvature)
        here = about / size
        away = here - goal
        cost[nodes] = 0.5 * part * np.einsum("ij,ij->i", away, away)
        alike = 1.0 - np.add.reduce(cost)
        gradient[nodes] = part[:, None] * (alike * here - goal) / size
        curvature[nodes] = part / (size * size)
        return Pull(cost, gradient, curvature)

    def to_map(self, Y: np.ndarray) -> np.ndarray:
        """Return Y (n, d) at the size and place where it is nearest to the map in squares."""
        nodes, part, goal, size = self._there
        middle = np.einsum("i,ij->j", part, Y[nodes])
        about = Y[nodes] - middle
        squares = float(np.einsum("i,ij,ij->", part, about, about))
        alike = float(np.einsum("i,ij,ij->", part, about, goal))
        factor = size * alike / squares if squares > 0 < alike else 1.0
        return factor * (Y - middle) + self.middle

    def of(self, nodes: np.ndarray) -> Anchored | None:
        """Return the term of some nodes; None without two different anchors."""
        return _kept(self.places[nodes], self.weight[nodes], self.strength)

    def merged(self, cluster: np.ndarray, n: int) -> Anchored | None:
        """Return the term of n clusters of nodes, with the mean of their anchors."""
        weight = np.bincount(cluster, self.weight, minlength=n)
        sums = [np.bincount(cluster, self.weight * np.nan_to_num(x), minlength=n) for x in self.places.T]
        with np.errstate(invalid="ignore"):
            return _kept(np.stack(sums, axis=1) / weight[:, None], weight, self.strength)


def _kept(places: np.ndarray, weight: np.ndarray, strength: float) -> Anchored | None:
    """Return the term; None without two different anchors."""
    known = places[weight > 0]
    return Anchored(places, weight, strength) if len(known) and (known != known[0]).any() else None
