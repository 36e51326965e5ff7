"""Shapes of groups: hulls, circles or boxes around their members.

No other node and no other shape enters a shape.  It is convex: the points x with <x - c, u_k> <= h_k for some
directions u_k, where c is the middle of the group.  Hulls have 24 sides at most, as circles have, and boxes four.

A group moves as a whole.  Two shapes that overlap push each other apart the shortest way among their directions.
Groups within a group come first, then the group as a whole.  Nodes in no group then leave the shapes.

>>> Y, groups = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.1], [3.0, 0.1], [1.5, 0.0]]), [np.arange(2), np.arange(2, 4)]
>>> Z = part_shapes(Y, groups, "box", 0.1)
>>> one, other = outlines(Z, groups, "box", 0.1)
>>> bool(one[:, 1].max() < other[:, 1].min()), np.ptp(Z[:2], axis=0).round(9).tolist()
(True, [2.0, 0.0])
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nelayout.core.placing.final import dot_size

__all__ = ["SHAPES", "gathered", "outlines", "part_shapes", "shape_gap"]

# Name of a shape -> the number of its sides.
SHAPES = {"hull": 24, "circle": 24, "box": 4}
# Rounds of pushes before the middles of all groups move apart, and the factor by which they do.
ROUNDS, ENLARGEMENT = 30, 1.05
# Gap in typical distances of nodes, where dots may overlap.
GAP = 0.25
# Part by which a push exceeds an overlap, so that pushing ends.
MORE = 1e-3
# Largest part of the drawing's area that the circles of groups may cover before they are pushed.
MAX_COVERED = 0.4
# Distance from the middle of a group, in typical ones, that a member hardly exceeds.
FAR_OUT = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class _Shapes:
    """Convex shapes: directions (K, 2), middles (G, 2), and supports (G, K) about them."""

    normal: np.ndarray
    middle: np.ndarray
    support: np.ndarray

    @classmethod
    def of(cls, Y: np.ndarray, groups: Sequence[np.ndarray], shape: str, gaps: np.ndarray) -> _Shapes:
        sides = SHAPES[shape]
        angle = 2.0 * math.pi * np.arange(sides) / sides
        normal = np.stack([np.cos(angle), np.sin(angle)], axis=1).round(15)
        low = np.array([Y[group].min(axis=0) for group in groups])
        middle = low / 2 + np.array([Y[group].max(axis=0) for group in groups]) / 2
        if shape == "circle":
            reach = [math.sqrt(np.max(np.sum((Y[g] - m) ** 2, axis=1))) for g, m in zip(groups, middle, strict=True)]
            support = np.repeat(np.array(reach)[:, None], sides, axis=1)
        else:
            support = np.array([((Y[g] - m) @ normal.T).max(axis=0) for g, m in zip(groups, middle, strict=True)])
        return cls(normal, middle, support + gaps[:, None])

    @property
    def reach(self) -> np.ndarray:
        """(G,) radii of circles around the shapes."""
        return self.support.max(axis=1) / math.cos(math.pi / len(self.normal))

    def polygon(self, k: int) -> np.ndarray:
        """Return the corners (K, 2) of a shape, counterclockwise."""
        u, h = self.normal, self.support[k]
        v, g = np.roll(u, -1, axis=0), np.roll(h, -1)
        cross = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
        corners = np.stack([h * v[:, 1] - g * u[:, 1], u[:, 0] * g - v[:, 0] * h], axis=1) / cross[:, None]
        return self.middle[k] + corners

    def moved(self, gap: float) -> np.ndarray:
        """Return the middles (G, 2) at which no two shapes are nearer than the gap."""
        from scipy.spatial import KDTree  # not loaded without shapes

        at, reach = self.middle.copy(), self.reach
        opposite = np.roll(self.support, len(self.normal) // 2, axis=1)
        turn = 0
        while True:
            pairs = KDTree(at).query_pairs(2.0 * float(reach.max()) + gap, output_type="ndarray")
            one, other = pairs[np.sum((at[pairs[:, 0]] - at[pairs[:, 1]]) ** 2, axis=1)
                               < (reach[pairs[:, 0]] + reach[pairs[:, 1]] + gap) ** 2].T  # fmt: skip
            depth = self.support[one] + opposite[other] + gap - (at[other] - at[one]) @ self.normal.T
            way = np.argmin(depth, axis=1)
            depth = depth[np.arange(len(one)), way]
            hit = np.flatnonzero(depth > 0)
            if not len(hit):
                return at
            one, other = one[hit], other[hit]
            push = (depth[hit] * (1.0 + MORE) + MORE * (gap + 1e-9 * reach.max()))[:, None] * self.normal[way[hit]]
            share = (reach[one] ** 2 / (reach[one] ** 2 + reach[other] ** 2))[:, None]  # a large shape moves less
            count = np.maximum(np.bincount(np.concatenate([one, other]), minlength=len(at)), 1)[:, None]
            for axis in range(2):
                at[:, axis] -= np.bincount(
                    one, ((1.0 - share) * push / np.sqrt(count[one]))[:, axis], minlength=len(at)
                )
                at[:, axis] += np.bincount(other, (share * push / np.sqrt(count[other]))[:, axis], minlength=len(at))
            turn += 1
            if turn % ROUNDS == 0:
                middle = np.sum(at, axis=0) / len(at)
                at = middle + ENLARGEMENT * (at - middle)

    def without(self, points: np.ndarray, gap: float) -> np.ndarray | None:
        """Return points (m, 2) moved out of the shapes; None if none is in one."""
        from scipy.spatial import KDTree

        if not len(points):
            return None
        near = KDTree(points).query_ball_point(self.middle, self.reach + gap)
        index = np.concatenate([np.array(each, dtype=np.int64) for each in near])
        owner = np.repeat(np.arange(len(near)), [len(each) for each in near])
        depth = self.support[owner] + gap - (points[index] - self.middle[owner]) @ self.normal.T
        inside = np.flatnonzero((depth > 0).all(axis=1))
        if not len(inside):
            return None
        way = np.argmin(depth[inside], axis=1)
        step = depth[inside, way] * (1.0 + MORE) + MORE * gap
        out = points.copy()
        out[index[inside]] += step[:, None] * self.normal[way]  # of several shapes the last counts
        return out


def shape_gap(Y: np.ndarray) -> float:
    """Return the space within and between shapes: the diameter of a dot."""
    sides = np.ptp(Y, axis=0)
    return dot_size(Y) or GAP * float(sides.max()) / math.sqrt(len(Y)) or 1.0


def outlines(Y: np.ndarray, groups: Sequence[np.ndarray], shape: str, gap: float) -> list[np.ndarray]:
    """Return a convex polygon (k, 2), counterclockwise, around each group.

    Y (n, 2) are positions.  Members are at least a gap within it.  An outer group has one more for each level of groups
    in it.
    """
    levels = _levels(_parents(groups))
    shapes = _Shapes.of(Y, groups, shape, gap * levels) if groups else None
    return [] if shapes is None else [shapes.polygon(k) for k in range(len(groups))]


def gathered(Y: np.ndarray, groups: Sequence[np.ndarray]) -> np.ndarray:
    """Return Y (n, 2) with members far from the middle of their group drawn nearer.

    Then groups shrink about their middles until their circles cover `MAX_COVERED` of the drawing.
    """
    Y, area = Y.copy(), 0.0
    outer = [group for group, parent in zip(groups, _parents(groups), strict=True) if parent < 0]
    for group in outer:
        middle = np.median(Y[group], axis=0)
        away = Y[group] - middle
        distance = np.sqrt(np.einsum("ij,ij->i", away, away))
        reach = FAR_OUT * float(np.median(distance))
        if reach > 0:
            factor = reach * np.tanh(distance / reach) / np.where(distance > 0, distance, 1.0)
            Y[group] = middle + factor[:, None] * away
            area += math.pi * float(np.max(factor * distance)) ** 2
    whole = float(np.prod(np.ptp(Y, axis=0)))
    factor = min(1.0, math.sqrt(MAX_COVERED * whole / area)) if area > 0 < whole else 1.0
    for group in outer:
        middle = np.sum(Y[group], axis=0) / len(group)
        Y[group] = middle + factor * (Y[group] - middle)
    return Y


def part_shapes(Y: np.ndarray, groups: Sequence[np.ndarray], shape: str, gap: float) -> np.ndarray:
    """Return Y (n, 2) with the shapes of groups a gap apart.

    No other node is within a gap of a shape.  Of nested groups the outer shape contains the inner ones.
    """
    Y, parents = np.array(Y, dtype=np.float64), _parents(groups)
    levels = _levels(parents)
    for outer in [*np.argsort(levels, kind="stable").tolist(), -1]:
        inner = [k for k, parent in enumerate(parents) if parent == outer]
        if inner:
            nodes = np.arange(len(Y)) if outer < 0 else groups[outer]
            Y = _apart(Y, nodes, [groups[k] for k in inner], shape, gap * levels[inner], gap)
    return Y


def _parents(groups: Sequence[np.ndarray]) -> list[int]:
    """Return for each group the smallest group that contains it, or -1."""
    holder = np.full(1 + max((int(group.max()) for group in groups), default=-1), -1)
    parents = [-1] * len(groups)
    for k in sorted(range(len(groups)), key=lambda k: -len(groups[k])):
        parents[k] = int(holder[groups[k][0]])
        holder[groups[k]] = k
    return parents


def _levels(parents: Sequence[int]) -> np.ndarray:
    """Return the number of levels of groups in each group, with its own, (G,)."""
    levels = np.ones(len(parents), dtype=np.int64)
    for k in range(len(parents)):
        level, at = 1, k
        while (at := parents[at]) >= 0:
            level += 1
            levels[at] = max(levels[at], level)
    return levels


def _apart(
    Y: np.ndarray, nodes: np.ndarray, groups: Sequence[np.ndarray], shape: str, gaps: np.ndarray, gap: float
) -> np.ndarray:
    """Return Y with the shapes of disjoint groups apart, other ``nodes`` outside."""
    loose = np.setdiff1d(nodes, np.concatenate(groups))
    Y = Y.copy()
    while True:
        shapes = _Shapes.of(Y, groups, shape, gaps)
        moves = shapes.moved(gap) - shapes.middle
        for group, move in zip(groups, moves, strict=True):
            Y[group] += move
        shapes = _Shapes.of(Y, groups, shape, gaps)
        for _ in range(ROUNDS):
            out = shapes.without(Y[loose], gap)
            if out is None:
                return Y
            Y[loose] = out
        # nodes between narrow shapes: the groups give way
        center = np.sum(shapes.middle, axis=0) / len(groups)
        for group, middle in zip(groups, shapes.middle, strict=True):
            Y[group] += (ENLARGEMENT - 1.0) * (middle - center)
        Y[loose] += (ENLARGEMENT - 1.0) * (Y[loose] - center)
