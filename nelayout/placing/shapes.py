"""Shapes of nodes that must not overlap: discs by their diameters, boxes by their sides.

Two shapes that overlap are parted the shortest way: discs along the line through their centers, boxes along the axis in
which they overlap least.  So two labels, which are wide and low, most often go up and down::

    >>> labels = Boxes(np.array([[4.0, 1.0], [4.0, 1.0]]))
    >>> Y = np.array([[0.0, 0.0], [1.0, 0.4]])
    >>> which, push, part = labels.overlaps(Y, np.array([0]), np.array([1]))
    >>> which.tolist(), push.round(3).tolist(), part.round(3).tolist()
    ([0], [[0.0, -0.6]], [0.6])
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from nelayout.placing.near_pairs import gaps, touching_pairs

__all__ = ["Boxes", "Discs", "Shapes"]

GOLDEN = np.pi * (3.0 - np.sqrt(5.0))
SLACK = 1e-4  # shapes are pushed this share farther than needed, so that pushing ends


class Shapes(Protocol):
    """One shape for each of n nodes.

    reach  (n,) how far the shape reaches from its center at most
    half   (n, d) half of its sides along the axes
    even   whether all are alike and of one size in all directions
    """

    reach: np.ndarray
    half: np.ndarray
    even: bool

    def near(
        self, Y: np.ndarray, skin: float, limit: float = np.inf, of: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Pairs (i, j) among which are all that overlap or would if they were larger by the part ``skin``; see
        `touching_pairs`.
        """
        ...

    def overlaps(
        self, Y: np.ndarray, i: np.ndarray, j: np.ndarray, held: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Which of m pairs overlap, (k,), how far i is to move from j, or j from i, vectors (k, d), and the part of
        their common size by which they overlap, (k,), above 0.

        The mask ``held`` (m, d) has the axes along which a pair cannot be parted.
        """
        ...


class Discs:
    """Discs (intervals, balls) of diameters (n,)."""

    def __init__(self, size: np.ndarray, d: int) -> None:
        self.reach = size / 2
        self.half = np.repeat(self.reach[:, None], d, axis=1)
        self.even = bool(size.min() == size.max())

    def near(
        self, Y: np.ndarray, skin: float, limit: float = np.inf, of: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        return touching_pairs(Y, self.reach, skin, limit, of)

    def overlaps(
        self, Y: np.ndarray, i: np.ndarray, j: np.ndarray, held: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        difference, distance = gaps(Y, i, j)
        touch = np.full(len(i), 2.0 * self.reach[0]) if self.even else self.reach[i] + self.reach[j]
        over = distance < touch if held is None else (distance < touch) & ~held.all(axis=1)
        which = np.flatnonzero(over)
        difference, distance, touch = difference[which], distance[which], touch[which]
        part = 1.0 + SLACK - distance / touch
        if held is not None:
            return which, _along(difference, touch, i[which] + j[which], held[which]), part
        depth, same = touch * (1 + SLACK) - distance, distance <= 1e-9 * touch
        if same.any():  # no line through the centers: any direction will do, if it differs from pair to pair
            difference[same] = _directions((i + j)[which][same], Y.shape[1])
            depth, distance = np.where(same, touch * (1 + SLACK), depth), np.where(same, 1.0, distance)
        return which, (depth / distance)[:, None] * difference, part


def _along(difference: np.ndarray, touch: np.ndarray, number: np.ndarray, held: np.ndarray) -> np.ndarray:
    """How far to move discs that stay as far apart along the axes in ``held`` as they are, and touch at (k,)."""
    across = np.sqrt(np.sum(np.where(held, difference, 0.0) ** 2, axis=1))
    way = np.where(held, 0.0, difference)
    length = np.sqrt(np.sum(way * way, axis=1))
    same = np.flatnonzero(length <= 1e-9 * touch)
    way[same] = 0.0
    way[same, np.argmin(held[same], axis=1)] = 1.0 - 2.0 * (number[same] % 2)
    unit = np.where(length > 1e-9 * touch, length, 1.0)
    apart = np.where(length > 1e-9 * touch, length, 0.0)
    reach = touch * (1 + SLACK)
    wanted = np.sqrt(np.maximum(reach * reach - across * across, 0.0)) - apart
    return (wanted / unit)[:, None] * way


class Boxes:
    """Boxes of sides (n, d) along the axes: labels, cards."""

    def __init__(self, size: np.ndarray) -> None:
        self.half = size / 2
        self.reach = np.sqrt(np.sum(self.half * self.half, axis=1))
        self.even = bool((size == size[0]).all())
        # In units of the usual sides wide boxes are squares, and the discs about them not much larger.
        usual = np.mean(self.half, axis=0)
        self._unit = np.where(usual > 0, usual, 1.0)
        self._around = np.sqrt(np.sum((self.half / self._unit) ** 2, axis=1))

    def near(
        self, Y: np.ndarray, skin: float, limit: float = np.inf, of: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        return touching_pairs(Y / self._unit, self._around, skin, limit, of)

    def overlaps(
        self, Y: np.ndarray, i: np.ndarray, j: np.ndarray, held: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        difference, touch = Y[i] - Y[j], self.half[i] + self.half[j]
        away = np.abs(difference)
        over = np.all(away < touch, axis=1)
        if held is not None:
            over &= ~held.all(axis=1)
        which = np.flatnonzero(over)
        away, touch = away[which], touch[which]
        depth = touch * (1 + SLACK) - away
        if held is not None:
            depth = np.where(held[which], np.inf, depth)
        axis, pairs = np.argmin(depth, axis=1), np.arange(len(which))
        sign = np.sign(difference[which, axis])
        sign = np.where(sign == 0, 1.0 - 2.0 * ((i + j)[which] % 2), sign)
        push = np.zeros_like(away)
        push[pairs, axis] = sign * depth[pairs, axis]
        return which, push, 1.0 + SLACK - np.max(away / touch, axis=1)


def _directions(number: np.ndarray, d: int) -> np.ndarray:
    """Unit vectors that differ from number to number."""
    directions = np.zeros((len(number), d))
    angle = GOLDEN * number
    directions[:, 0] = np.cos(angle) if d > 1 else 1.0
    if d > 1:
        directions[:, 1] = np.sin(angle)
    return directions
