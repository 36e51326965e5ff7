"""Separate nodes that coincide or overlap.

`split_coincident` needs no node size: nodes at one point become a small sunflower around it, and all other nodes stay.
`separate` takes node sizes: overlapping discs or boxes push each other apart the shortest way until none overlap. Discs
move along the line through their centers, boxes along the axis of the smallest overlap. So two labels, which are wide
and low, usually move up and down.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array

from nelayout.core.placing.components import component_labels
from nelayout.errors import InputError
from nelayout.numerics.blocks import rows_at_once

__all__ = ["near_pairs", "separate", "split_coincident"]

GOLDEN_ANGLE = np.pi * (3.0 - np.sqrt(5.0))
# Share of a length that does not show: the largest distance of coincident nodes, in typical distances extent / n^(1/d);
# and how much farther than necessary two nodes are pushed, in sizes of nodes, so that pushing ends.
UNSEEN = 1e-4
SPACING = 10 * UNSEEN  # distance of neighbors in a sunflower: other nodes around remain farther away
# Relative enlargement of nodes for the list of pairs, and number of pushes per list.
SKIN, PUSHES = 0.3, 6
# Enlargement of a layout without enough space, and largest fraction of the overlap that remains after progress.
ENLARGEMENT, PROGRESS_RATIO = 1.06, 0.85
# Maximum number of rounds, and of listed pairs per node; with more pairs, the layout is enlarged at once.
MAX_ROUNDS, PAIRS_PER_NODE = 400, 60


class _Crowded(Exception):
    """Too many pairs are near each other to list them all."""


def split_coincident(Y: np.ndarray, fixed: np.ndarray | None = None) -> np.ndarray:
    """Copy `Y` (n, d) with coincident nodes separated, so that they differ in float32.

    Nodes within 1e-4 typical distances extent / n^(1/d) (up to 3 times farther, because of the grid cells) move to a
    sunflower around their mean, in the order of their coordinates.  Nodes of a mask `fixed` (n,), or coordinates of a
    mask (n, d), never change.  On a line, and with a fixed coordinate, nodes are spaced evenly along an axis.
    """
    Y = np.array(Y, dtype=np.float64, ndmin=2)
    n, d = Y.shape
    if n < 2 or d == 0:
        return Y
    fixed = _by_axis(fixed, n, d)
    still, line = fixed.all(axis=1), fixed.any(axis=1) | (d == 1)
    free = np.argmin(fixed, axis=1)  # the axis of a node on a line
    largest = float(np.abs(Y).max())
    least = 5e-7 * largest  # four roundings of float32
    typical = float((Y.max(axis=0) - Y.min(axis=0)).max()) / n ** (1.0 / d)
    if typical <= least:  # all coincide: use a fraction of the distance from the origin
        typical = 1e-3 * largest or 1.0
    near = max(UNSEEN * typical, least)
    for attempt in range(20):  # sunflowers may overlap
        group = _heaps_of(Y, near)
        moving = np.flatnonzero((np.bincount(group)[group] > 1) & ~still)
        if len(moving) == 0:
            return Y
        order = moving[np.lexsort((*Y[moving].T[::-1], group[moving]))]
        heap = group[order]
        _, first, counts = np.unique(heap, return_index=True, return_counts=True)
        held = np.bincount(group, weights=still)[heap] > 0  # a fixed node stays in the center of the sunflower
        size, rank = np.repeat(counts, counts), np.arange(len(order)) - np.repeat(first, counts) + held
        before = Y.copy()
        for a in range(d):
            holding = np.bincount(group, weights=fixed[:, a])[group] > 0
            weight = np.where(holding, fixed[:, a], 1.0)
            Y[order, a] = (np.bincount(group, weights=weight * Y[:, a]) / np.bincount(group, weights=weight))[heap]
        along = np.maximum(SPACING * typical / size, 3 * near) * (rank - ~held * (size - 1) / 2) * (1 + 0.37 * attempt)
        radius = max(SPACING * typical, 3 * near) * np.sqrt(rank + 0.5)
        one = line[order]
        Y[order[one], free[order[one]]] += along[one]
        for a, wave in enumerate((np.cos, np.sin) if d > 1 else ()):
            Y[order[~one], a] += (radius * wave(GOLDEN_ANGLE * rank + attempt))[~one]
        Y[fixed] = before[fixed]
    return separate(Y, near, fixed)


def separate(
    Y: np.ndarray,
    node_size: float | np.ndarray,
    fixed: np.ndarray | None = None,
    within: float | None = None,
) -> np.ndarray:
    """Copy `Y` (n, d) with nodes moved until no discs (intervals, balls) or boxes overlap.

    `node_size`: diameters, a scalar or (n,), or sides of boxes (n, d), in the units of Y.  The smaller of two nodes
    moves farther.  Without enough space, the layout is enlarged about its centroid (with `fixed` nodes or coordinates,
    only overlapping nodes move outwards).  `within`: nodes spread out in [-within, within] if there is enough space.
    """
    Y = np.array(Y, dtype=np.float64, ndmin=2)
    n, d = Y.shape
    size = np.asarray(node_size, dtype=np.float64)
    size = size if size.ndim == 2 else np.broadcast_to(size, (n,))
    if n and not (np.isfinite(size).all() and size.min() >= 0.0):
        i = int(np.argmin(np.where(np.isfinite(size), size, -1.0).reshape(n, -1).min(axis=1)))
        raise InputError(f"node_size must be finite and >= 0; got {size[i].tolist()!r} for node number {i}")
    if n < 2 or d == 0:
        return Y
    fixed = _by_axis(fixed, n, d)
    Y = split_coincident(Y, fixed)  # coincident nodes have no direction to be pushed in
    if size.max() == 0.0:
        return Y
    shapes = _Shapes(size, d)
    # Each node covers at least half of its square. If the halves do not fit the box, spreading cannot help.
    if within is not None and np.prod(2 * shapes.half, axis=1).sum() / 2 > np.prod(2 * within + 2 * shapes.half.max(0)):
        within = None
    overlap = np.inf
    moved: np.ndarray | None = None  # nodes that may overlap others; None: all
    for attempt in range(MAX_ROUNDS):
        try:
            i, j = shapes.near(Y, SKIN, PAIRS_PER_NODE * n, moved)
        except _Crowded:
            Y, moved = _enlarge(Y, ~fixed, ENLARGEMENT**4), None
            continue
        which, _, part = shapes.overlaps(Y, i, j, fixed)
        if len(which) == 0:
            return Y
        before, conflict = Y, np.zeros(n, dtype=bool)
        conflict[i[which]] = conflict[j[which]] = True
        depth, walls = float(part.sum()), within if attempt < MAX_ROUNDS // 2 else None
        if depth > PROGRESS_RATIO * overlap and walls is None:
            Y = _enlarge(Y, conflict[:, None] & ~fixed if fixed.any() else ~fixed, ENLARGEMENT)
        elif depth > PROGRESS_RATIO * overlap:  # towards even spacing along each axis, in the same order
            rank = np.argsort(np.argsort(Y, axis=0, kind="stable"), axis=0, kind="stable")
            Y = np.where(fixed, Y, Y + (ENLARGEMENT - 1) * (walls * ((2 * rank + 1) / n - 1) - Y))
        overlap = depth
        for _ in range(PUSHES):
            Y = _push(Y, shapes, i, j, fixed)
            if walls is not None:
                Y = np.where(fixed, Y, np.clip(Y, -walls, walls))
        # A node stopped at the border has not moved, and may still overlap.
        moved = conflict | (before != Y).any(axis=1) if shapes.even else None
    return _line_up(Y, shapes, fixed)


def _by_axis(fixed: np.ndarray | None, n: int, d: int) -> np.ndarray:
    """Return the (n, d) mask of the coordinates that never change."""
    if fixed is None:
        return np.zeros((n, d), dtype=bool)
    return np.broadcast_to(np.asarray(fixed, dtype=bool).reshape(n, -1), (n, d))


def _enlarge(Y: np.ndarray, moving: np.ndarray, factor: float) -> np.ndarray:
    middle = Y.sum(axis=0) / len(Y)
    return np.where(moving, middle + factor * (Y - middle), Y)


def _push(Y: np.ndarray, shapes: _Shapes, i: np.ndarray, j: np.ndarray, fixed: np.ndarray) -> np.ndarray:
    """Push overlapping pairs apart once; a node in k pairs moves by 2/(k + 1) of the sum."""
    which, push, _ = shapes.overlaps(Y, i, j, fixed)
    if len(which) == 0:
        return Y
    i, j = i[which], j[which]
    share = (shapes.reach[j] / (shapes.reach[i] + shapes.reach[j]))[:, None]
    of_i = np.where(fixed[i], 0.0, np.where(fixed[j], push, push * share))
    of_j = np.where(fixed[j], 0.0, np.where(fixed[i], push, push * (1.0 - share)))
    n = len(Y)
    relax = 2.0 / (np.bincount(i, minlength=n) + np.bincount(j, minlength=n) + 1.0)
    Y = Y.copy()
    for a in range(Y.shape[1]):
        Y[:, a] += relax * (np.bincount(i, of_i[:, a], minlength=n) - np.bincount(j, of_j[:, a], minlength=n))
    return Y


def _line_up(Y: np.ndarray, shapes: _Shapes, fixed: np.ndarray) -> np.ndarray:
    """Move nodes that still overlap to a row beyond the end of their first free axis."""
    i, j = shapes.near(Y, 0.0)
    which = shapes.overlaps(Y, i, j, fixed)[0]
    i, j = i[which], j[which]
    leave = np.unique(np.where(fixed[i].all(axis=1), j, i))
    for a in range(Y.shape[1]):
        there = leave[np.argmin(fixed[leave], axis=1) == a]
        widths = 2 * shapes.half[there, a] * (1 + UNSEEN)
        Y[there, a] = (Y[:, a] + shapes.half[:, a]).max() + np.cumsum(widths) - widths / 2
    return Y


class _Shapes:
    """Discs (intervals, balls) of diameters (n,), or boxes of sides (n, d)."""

    def __init__(self, size: np.ndarray, d: int) -> None:
        self.boxes, self.even = size.ndim == 2, bool((size == size[0]).all())
        self.half = size / 2 if self.boxes else np.repeat(size[:, None] / 2, d, axis=1)  # (n, d)
        self.reach = np.sqrt(np.sum(self.half**2, axis=1)) if self.boxes else size / 2  # of the border from the center
        # In units of the mean sides, wide boxes become squares, and their circumscribed discs are not much larger.
        usual = np.mean(self.half, axis=0) if self.boxes else np.ones(d)
        self._unit = np.where(usual > 0, usual, 1.0)
        self._around = np.sqrt(np.sum((self.half / self._unit) ** 2, axis=1)) if self.boxes else self.reach

    def near(
        self, Y: np.ndarray, skin: float, limit: float = np.inf, moved: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return pairs (i, j) that overlap if enlarged by the fraction ``skin``, and some others."""
        i, j = zip(*near_pairs(Y / self._unit, self._around * (1 + skin), limit, moved), strict=True)
        return np.concatenate(i), np.concatenate(j)

    def overlaps(
        self, Y: np.ndarray, i: np.ndarray, j: np.ndarray, fixed: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return overlapping pairs (k,), vectors to separate them (k, d), relative overlaps (k,).

        Pairs without a free coordinate are left out.
        """
        difference = Y[i] - Y[j]
        if self.boxes:
            away, touch = np.abs(difference), self.half[i] + self.half[j]
            which = np.flatnonzero(np.all(away < touch, axis=1))
        else:
            away, touch = _lengths(difference), self.reach[i] + self.reach[j]
            which = np.flatnonzero(away < touch)
        held = fixed[i[which]] & fixed[j[which]]
        free = ~held.all(axis=1)
        which, held = which[free], held[free]
        difference, away, touch, number = (x[which] for x in (difference, away, touch, i + j))
        if not self.boxes:
            return which, _along_the_line(difference, touch, held, number), 1.0 + UNSEEN - away / touch
        # Boxes move along the free axis of the smallest overlap; the numbers of the nodes break ties.
        depth, pairs = touch * (1 + UNSEEN) - away, np.arange(len(which))
        axis = np.argmin(np.where(held, np.inf, depth), axis=1)
        sign, push = np.sign(difference[pairs, axis]), np.zeros_like(depth)
        push[pairs, axis] = np.where(sign == 0, 1.0 - 2.0 * (number % 2), sign) * depth[pairs, axis]
        return which, push, 1.0 + UNSEEN - np.max(away / touch, axis=1)


def _lengths(vectors: np.ndarray) -> np.ndarray:
    return np.sqrt(np.einsum("ij,ij->i", vectors, vectors))


def _along_the_line(difference: np.ndarray, touch: np.ndarray, held: np.ndarray, number: np.ndarray) -> np.ndarray:
    """Separate discs along the line through their centers, or along its free axes."""
    across, way = _lengths(np.where(held, difference, 0.0)), np.where(held, 0.0, difference)
    length = _lengths(way)
    same = np.flatnonzero(length <= 1e-9 * touch)
    wanted = np.sqrt(np.maximum((touch * (1 + UNSEEN)) ** 2 - across**2, 0.0))
    share = (wanted - length) / np.where(length > 1e-9 * touch, length, 1.0)
    if len(same):  # without a line, the direction differs from pair to pair
        line = held[same].any(axis=1)
        angle = np.where(line, np.pi, GOLDEN_ANGLE) * number[same]
        share[same], way[same] = wanted[same], 0.0
        way[same, np.argmin(held[same], axis=1)] = np.cos(angle)
        if held.shape[1] > 1:
            way[same[~line], 1] = np.sin(angle[~line])
    return share[:, None] * way


def _cells(Y: np.ndarray, side: float) -> tuple[np.ndarray, list[int]]:
    """Return each node's cell as a key in a grid of the first three axes, and the strides."""
    X = Y[:, :3] - Y[:, :3].min(axis=0)
    side = max(side, float(X.max()) / 2 ** (60 // X.shape[1]))  # the key fits 63 bits
    cell = (X / side).astype(np.int64) + 1  # a free cell at each border keeps neighbors from wrapping round
    strides = np.cumprod([1, *(cell.max(axis=0)[:-1] + 2)])
    return cell @ strides, strides.tolist()


def _shifts(strides: list[int]) -> list[int]:
    """Return the differences of key between a cell and the cells around it, itself included."""
    return [sum(each) for each in itertools.product(*((-s, 0, s) for s in strides))]


def _heaps_of(Y: np.ndarray, near: float) -> np.ndarray:
    """Return the group of each node: nodes in the same cell of a grid or in touching cells."""
    key, strides = _cells(Y, near)
    cells, group = np.unique(key, return_inverse=True)
    pairs = []
    for shift in _shifts(strides):
        at = np.searchsorted(cells, cells + shift) % len(cells)
        found = np.flatnonzero(cells[at] == cells + shift)
        pairs.append((found, at[found]))
    ends = np.hstack(pairs)
    graph = csr_array((np.ones(len(ends[0])), tuple(ends)), shape=(len(cells), len(cells)))
    return component_labels(graph)[group.reshape(-1)]


def near_pairs(
    Y: np.ndarray, radius: np.ndarray, limit: float = np.inf, moved: np.ndarray | None = None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield pairs with |y_i - y_j| < r_i + r_j in pieces; raise `_Crowded` above `limit`.

    moved: mask (n,) of nodes, for equal radii; only pairs with one of them are listed.
    """
    tried, most = 0, rows_at_once(64)
    # Nodes are grouped by powers of two of their radius. Each group searches itself and the smaller groups, on another
    # grid. So one huge disc does not make the cells of all others huge.
    level = np.frexp(np.maximum(radius, radius.max() * 1e-3))[1]
    for k in np.unique(level):
        members = np.flatnonzero(level <= k)
        key, strides = _cells(Y[members], 2.0 * float(radius[level == k].max()))
        order = np.argsort(key, kind="stable")
        members, key = members[order], key[order]
        searching = level[members] == k if moved is None else moved[members]
        own = np.flatnonzero(searching)
        for shift in _shifts(strides[1:]):  # a row of three cells at a time
            begin = np.searchsorted(key, key[own] + shift - 1)
            count = np.searchsorted(key, key[own] + shift + 1, side="right") - begin
            tried += int(count.sum())
            if tried > 2 * limit:
                raise _Crowded
            for piece in np.split(np.arange(len(own)), np.flatnonzero(np.diff(np.cumsum(count) // most)) + 1):
                size = count[piece]
                a = np.repeat(own[piece], size)
                b = np.arange(len(a)) + np.repeat(begin[piece] - np.cumsum(size) + size, size)
                once = np.where(searching[b], a < b, a != b)  # two searching nodes meet twice
                i, j = members[a[once]], members[b[once]]
                close = _lengths(Y[i] - Y[j]) < radius[i] + radius[j]
                yield i[close], j[close]
