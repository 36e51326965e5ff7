"""Take apart nodes that lie on one another.

Two questions, two functions.  `split_coincident` needs no node size: a star's leaves that a layout left on one point
become a small sunflower about that point, everything else stays where it is.  `separate` knows the sizes of the nodes:
discs or boxes that overlap push each other apart, the shortest way (`shapes`), until none do.  Two discs of diameter 1
at distance 0.4 move by 0.3 each.

`near_pairs` finds the nodes that are in each other's way; no loop over nodes or pairs runs in Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nelayout.errors import InputError
from nelayout.placing.near_pairs import Crowded, heaps_of
from nelayout.placing.shapes import GOLDEN, SLACK, Boxes, Discs, Shapes

__all__ = ["separate", "split_coincident"]

NEAR = 1e-4  # nodes nearer than this part of the typical distance extent / n^(1/d) count as coincident
NEAR_FLOAT32 = 5e-7  # so do nodes nearer than this part of the largest coordinate: four float32 roundings
# Distance of sunflower neighbors, in typical distances: far enough for float32, so near that nodes around them stay
# the nearer ones.  (A quarter of the typical distance cost ca_grqc_lcc 7 % of its neighborhoods, netscience 6 %.)
PETAL = 1e-3
SKIN = 0.3  # pairs are listed up to this share beyond touching, and pushed `PUSHES` times before a new list
PUSHES = 6
CROWDED = 60  # candidate pairs per node above which the drawing is enlarged before pushing
FAST = 0.85  # a round must leave less than this share of the overlap, else the drawing is enlarged
ENLARGE = 1.06
TOWARDS_EVEN = 0.04
ROUNDS = 400


def split_coincident(Y: np.ndarray, fixed: np.ndarray | None = None, petal: float = PETAL) -> np.ndarray:
    """Copy `Y` (n, d) with nodes that coincide moved apart.

    Afterwards two nodes are at least 1e-4 typical distances apart (extent / n^(1/d), the spacing of n nodes
    spread evenly over the drawing) and at least 5e-7 of the largest coordinate: they stay apart in float32.
    Only nodes nearer than that to another one (up to a factor 3: cells of a grid decide) are moved, to a
    sunflower about their common place whose neighbors are `petal` typical distances apart (on a line: evenly,
    about it), in the order of their coordinates. `fixed`, a boolean mask (n,), marks nodes that
    never move: two fixed nodes may still coincide.  The order of the rows matters only to nodes at exactly one
    place.  A mask (n, d) holds single coordinates: nodes with such a one part along a line.
    Deterministic; Y is not changed.

    >>> import numpy as np
    >>> Y = split_coincident(np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]]))
    >>> bool((Y[0] != Y[1]).any()), Y[2].tolist()
    (True, [1.0, 0.0])
    """
    Y = np.array(Y, dtype=np.float64, ndmin=2)
    n, d = Y.shape
    if n < 2 or d == 0:
        return Y
    fixed = _by_axis(fixed, n, d)
    held, along = np.asarray(fixed.any(axis=1)), np.argmin(fixed, axis=1)  # its first free axis is a held node's line
    extent = float((Y.max(axis=0) - Y.min(axis=0)).max())
    largest = float(np.abs(Y).max())
    typical = extent / n ** (1.0 / d)
    if typical <= NEAR_FLOAT32 * largest:  # one heap: it opens to a share of its distance from the origin
        typical = 1e-3 * largest or 1.0
    near = max(NEAR * typical, NEAR_FLOAT32 * largest)
    for attempt in range(20):
        group = heaps_of(Y, near)
        size = np.bincount(group)
        moving = np.flatnonzero((size[group] > 1) & ~fixed.all(axis=1))
        if len(moving) == 0:
            return Y
        with_fixed = np.bincount(group, weights=fixed.all(axis=1)) > 0
        order = moving[np.lexsort((*Y[moving].T[::-1], group[moving]))]
        heap = group[order]
        first = np.concatenate([[0], np.flatnonzero(np.diff(heap)) + 1])
        counts = np.diff(np.concatenate([first, [len(order)]]))
        rank = np.arange(len(order)) - np.repeat(first, counts)
        rank = rank + with_fixed[heap]  # a fixed node keeps the middle of the flower
        counts = np.repeat(counts, counts)
        before = Y.copy()
        for a in range(d):
            holding = np.bincount(group, weights=fixed[:, a]) > 0
            weight = np.where(holding[group], fixed[:, a], True).astype(np.float64)
            total, mean = np.bincount(group, weights=weight), np.bincount(group, weights=weight * Y[:, a])
            Y[order, a] = mean[heap] / total[heap]
        on_line = held[order] | (d == 1)
        step = np.maximum(petal * typical / counts, 3 * near)
        place = step * (rank - (~with_fixed[heap]) * (counts - 1) / 2) * (1 + 0.37 * attempt)
        radius = max(petal * typical, 3 * near) * np.sqrt(rank + 0.5)
        Y[order[on_line], along[order[on_line]]] += place[on_line]
        for a, wave in enumerate((np.cos, np.sin) if d > 1 else ()):
            Y[order, a] += np.where(on_line, 0.0, radius * wave(GOLDEN * rank + attempt))
        Y[fixed] = before[fixed]
    return separate(Y, near, fixed)  # sunflowers that overlap each other again and again


def separate(
    Y: np.ndarray,
    node_size: float | np.ndarray,
    fixed: np.ndarray | None = None,
    within: float | None = None,
    center: np.ndarray | None = None,
) -> np.ndarray:
    """Copy `Y` (n, d) with nodes moved until no two discs (intervals, balls) or boxes of `node_size` overlap.

    `node_size`: diameters, a scalar or (n,), or sides of boxes along the axes, (n, d), in the units of Y, not
    negative; touching is no overlap.  Overlapping nodes push each other apart, the smaller one giving way more; where
    that does not end, because there are too many for their place, the drawing is enlarged a little about its centroid
    and pushed again, so that it always ends (with `fixed` nodes, only the nodes in conflict go outwards).  `within`:
    keep the coordinates in [-within, within] about `center` where that is possible (crowded places are spread over the
    free ones first); overlap-free wins.  `fixed`, a boolean mask, (n,) of nodes or (n, d) of coordinates: these never
    change, and nodes overlap that cannot be parted without.  Deterministic; Y is not changed.
    Raises `InputError` for a negative or non-finite size.

    >>> import numpy as np
    >>> separate(np.array([[0.0, 0.0], [0.4, 0.0]]), 1.0).round(2).tolist()
    [[-0.3, 0.0], [0.7, 0.0]]
    >>> separate(np.array([[0.0, 0.0], [1.0, 0.4]]), np.array([[4.0, 1.0], [4.0, 1.0]])).round(2).tolist()
    [[0.0, -0.3], [1.0, 0.7]]
    """
    Y = np.array(Y, dtype=np.float64, ndmin=2)
    n, d = Y.shape
    size = np.asarray(node_size, dtype=np.float64)
    size = size if size.ndim == 2 else np.broadcast_to(size, (n,))
    if n and not (np.isfinite(size).all() and size.min() >= 0.0):
        worst = np.where(np.isfinite(size), size, -1.0).reshape(n, -1).min(axis=1)
        i = int(np.argmin(worst))
        raise InputError(f"node_size is {size[i].tolist()!r} for node number {i}; give finite sizes of 0 or more")
    if n < 2 or d == 0:
        return Y
    fixed = _by_axis(fixed, n, d)
    if size.max() == 0.0:
        return split_coincident(Y, fixed)
    Y = split_coincident(Y, fixed)  # a heap has no line through its centers to push along
    shapes: Shapes = Boxes(size) if size.ndim == 2 else Discs(size, d)
    middle = np.zeros(d) if center is None else np.asarray(center, dtype=np.float64)
    overlap, held = np.inf, fixed if fixed.any() else None
    moved: np.ndarray | None = None  # nodes whose pairs may overlap; None: all
    for attempt in range(ROUNDS):
        try:
            pairs = shapes.near(Y, SKIN, CROWDED * n, moved)
        except Crowded:
            Y, moved = _enlarge(Y, ~fixed, 1.25), None
            continue
        entered = Y
        depth, conflict = _overlap(Y, shapes, pairs, held)
        if depth == 0.0:
            return Y
        walls = within if attempt < ROUNDS // 2 else None
        if depth > FAST * overlap:
            if walls is None:
                Y = _enlarge(Y, ~fixed if held is None else conflict[:, None] & ~fixed, ENLARGE)
            else:
                Y = _spread(Y, ~fixed, middle, walls)
        overlap = depth
        for _ in range(PUSHES):
            Y = _push(Y, shapes, pairs, held)
            if walls is not None:
                Y = np.where(fixed, Y, np.clip(Y, middle - walls, middle + walls))
        moved = (entered != Y).any(axis=1) if shapes.even else None
    return _line_up(Y, shapes, fixed)


def _by_axis(fixed: np.ndarray | None, n: int, d: int) -> np.ndarray:
    """(n, d) mask of the coordinates that never change."""
    if fixed is None:
        return np.zeros((n, d), dtype=bool)
    return np.broadcast_to(np.asarray(fixed, dtype=bool).reshape(n, -1), (n, d))


def _enlarge(Y: np.ndarray, moving: np.ndarray, factor: float) -> np.ndarray:
    middle = Y.sum(axis=0) / len(Y)
    return np.where(moving, middle + factor * (Y - middle), Y)


def _spread(Y: np.ndarray, moving: np.ndarray, middle: np.ndarray, within: float) -> np.ndarray:
    """Move the nodes a step towards even spacing along each axis, in the same order: crowded places thin out."""
    rank = np.argsort(np.argsort(Y, axis=0, kind="stable"), axis=0, kind="stable")
    even = middle + within * ((2 * rank + 1) / len(Y) - 1)
    return np.where(moving, Y + TOWARDS_EVEN * (even - Y), Y)


def _overlap(
    Y: np.ndarray, shapes: Shapes, pairs: tuple[np.ndarray, np.ndarray], fixed: np.ndarray | None
) -> tuple[float, np.ndarray]:
    """Sum of the depths of all overlaps that can be mended, relative to the sizes, and the mask of their nodes."""
    i, j = pairs
    which, _, part = shapes.overlaps(Y, i, j)
    i, j = i[which], j[which]
    if fixed is not None:
        free = ~(fixed[i] & fixed[j]).all(axis=1)
        i, j, part = i[free], j[free], part[free]
    conflict = np.zeros(len(Y), dtype=bool)
    conflict[i] = conflict[j] = True
    return float(part.sum()), conflict


def _push(
    Y: np.ndarray, shapes: Shapes, pairs: tuple[np.ndarray, np.ndarray], fixed: np.ndarray | None
) -> np.ndarray:
    """Push every overlapping pair apart once; a node pushed from k sides moves by 2/(k + 1) of the sum."""
    i, j = pairs
    which, push, _ = shapes.overlaps(Y, i, j, None if fixed is None else fixed[i] & fixed[j])
    if len(which) == 0:
        return Y
    i, j = i[which], j[which]
    share: Any = 0.5 if shapes.even else (shapes.reach[j] / (shapes.reach[i] + shapes.reach[j]))[:, None]
    of_i = push * share
    of_j = of_i if shapes.even else push * (1.0 - share)
    if fixed is not None:
        of_i = np.where(fixed[i], 0.0, np.where(fixed[j], push, of_i))
        of_j = np.where(fixed[j], 0.0, np.where(fixed[i], push, of_j))
    n = len(Y)
    count = np.bincount(i, minlength=n) + np.bincount(j, minlength=n)
    relax = 2.0 / (count + 1.0)
    Y = Y.copy()
    for a in range(Y.shape[1]):
        total = np.bincount(i, of_i[:, a], minlength=n) - np.bincount(j, of_j[:, a], minlength=n)
        Y[:, a] += relax * total
    return Y


def _line_up(Y: np.ndarray, shapes: Shapes, fixed: np.ndarray) -> np.ndarray:
    """Move nodes that still overlap out of the drawing: the last resort.

    They go to a row below it; those with a held coordinate to the end of an axis on which they are free.
    """
    i, j = shapes.near(Y, 0.0)
    which = shapes.overlaps(Y, i, j)[0]
    i, j = i[which], j[which]
    bad = ~(fixed[i] & fixed[j]).all(axis=1)
    leave = np.unique(np.where(fixed[i[bad]].all(axis=1), j[bad], i[bad]))
    half, held = shapes.half, np.asarray(fixed.any(axis=1))
    for a in range(Y.shape[1]):
        there = leave[held[leave] & (np.argmin(fixed[leave], axis=1) == a)]
        widths = 2 * half[there, a] * (1 + SLACK)
        Y[there, a] = (Y[:, a] + half[:, a]).max() * (1 + SLACK) + np.cumsum(widths) - widths / 2
    leave = leave[~held[leave]]
    widths = 2 * half[leave, 0] * (1 + SLACK)
    x = Y[:, 0].min() + np.cumsum(widths) - widths / 2
    if Y.shape[1] == 1:
        x = x - Y[:, 0].min() + (Y[:, 0] + half[:, 0]).max() * (1 + SLACK)
    else:
        Y[leave, 1] = (Y[:, 1] - half[:, 1]).min() - 1.01 * half[:, 1].max()
    Y[leave, 0] = x
    return Y
