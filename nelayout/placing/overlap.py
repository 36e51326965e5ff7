"""Nodes that lie on one another, taken apart.

Two questions, two functions.  `split_coincident` needs no node size: a star's leaves that a layout left on
one point become a small sunflower about that point, everything else stays where it is.  `separate` knows the
node diameters: discs that overlap push each other apart, along the line through their centers, until none do.
Two discs of diameter 1 at distance 0.4 move by 0.3 each.

Both search neighbors on a grid of cells, sorted by key; no loop over nodes or pairs runs in Python.
"""

from __future__ import annotations

import itertools

import numpy as np

from nelayout.errors import InputError

__all__ = ["separate", "split_coincident"]

_GOLDEN = np.pi * (3.0 - np.sqrt(5.0))
_NEAR = 1e-4  # of the typical distance extent / n^(1/d): nearer nodes coincide to the eye
_NEAR_FLOAT32 = 5e-7  # of the largest coordinate: four float32 roundings
_PETAL = 0.25  # distance of sunflower neighbors, in typical distances
_SLACK = 1e-4  # discs are pushed this share farther than needed, so that pushing ends
_SKIN = 0.3  # pairs are listed up to this share beyond touching, and pushed `_PUSHES` times before a new list
_PUSHES = 6
_CROWDED = 60  # candidate pairs per node above which the drawing is enlarged before pushing
_FAST = 0.85  # a round must leave less than this share of the overlap, else the drawing is enlarged
_ENLARGE = 1.06
_TOWARDS_EVEN = 0.04
_ROUNDS = 400


def split_coincident(Y: np.ndarray, fixed: np.ndarray | None = None) -> np.ndarray:
    """A copy of `Y` (n, d) in which no two nodes coincide.

    Afterwards two nodes are at least 1e-4 typical distances apart (extent / n^(1/d), the spacing of n nodes
    spread evenly over the drawing) and at least 5e-7 of the largest coordinate: they stay apart in float32.
    Only nodes nearer than that to another one (up to a factor 3: cells of a grid decide) are moved, to a
    sunflower about their common place whose neighbors are a quarter of the typical distance apart (on a
    line: evenly, about it), in the order of their coordinates. `fixed`, a boolean mask (n,), marks nodes that
    never move: two fixed nodes may still coincide.  The order of the rows matters only to nodes at exactly one
    place.  Deterministic; Y is not changed.

    >>> import numpy as np
    >>> Y = split_coincident(np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]]))
    >>> bool((Y[0] != Y[1]).any()), Y[2].tolist()
    (True, [1.0, 0.0])
    """
    Y = np.array(Y, dtype=np.float64, ndmin=2)
    n, d = Y.shape
    if n < 2 or d == 0:
        return Y
    still = np.zeros(n, dtype=bool) if fixed is None else np.asarray(fixed, dtype=bool)
    extent = float((Y.max(axis=0) - Y.min(axis=0)).max())
    largest = float(np.abs(Y).max())
    typical = extent / n ** (1.0 / d)
    if typical <= _NEAR_FLOAT32 * largest:  # one heap: it opens to a share of its distance from the origin
        typical = 1e-3 * largest or 1.0
    near = max(_NEAR * typical, _NEAR_FLOAT32 * largest)
    for attempt in range(20):
        group = _heaps(Y, near)
        size = np.bincount(group)
        free_in = np.bincount(group, weights=~still)
        moving = np.flatnonzero((size[group] > 1) & ~still)
        if len(moving) == 0:
            return Y
        with_fixed = free_in < size
        order = moving[np.lexsort((*Y[moving].T[::-1], group[moving]))]
        heap = group[order]
        first = np.concatenate([[0], np.flatnonzero(np.diff(heap)) + 1])
        counts = np.diff(np.concatenate([first, [len(order)]]))
        rank = np.arange(len(order)) - np.repeat(first, counts)
        rank = rank + with_fixed[heap]  # a fixed node keeps the middle of the flower
        counts = np.repeat(counts, counts)
        weight = np.where(with_fixed[group], still, True).astype(np.float64)
        for a in range(d):
            total, mean = np.bincount(group, weights=weight), np.bincount(group, weights=weight * Y[:, a])
            Y[order, a] = mean[heap] / total[heap]
        if d == 1:
            step = np.maximum(_PETAL * typical / counts, 3 * near)
            Y[order, 0] += step * (rank - (~with_fixed[heap]) * (counts - 1) / 2) * (1 + 0.37 * attempt)
        else:
            radius = max(_PETAL * typical, 3 * near) * np.sqrt(rank + 0.5)
            Y[order, 0] += radius * np.cos(_GOLDEN * rank + attempt)
            Y[order, 1] += radius * np.sin(_GOLDEN * rank + attempt)
    return separate(Y, near, fixed=still)  # flowers that keep falling on each other


def separate(
    Y: np.ndarray,
    node_size: float | np.ndarray,
    fixed: np.ndarray | None = None,
    within: float | None = None,
    center: np.ndarray | None = None,
) -> np.ndarray:
    """A copy of `Y` (n, d) in which no two discs (intervals, balls) of diameters `node_size` overlap.

    `node_size`: a scalar or (n,), in the units of Y, not negative; touching is no overlap.  Overlapping discs
    push each other apart, the smaller one giving way more; where that does not end, because there are too
    many for their place, the drawing is enlarged a little about its centroid and pushed again, so that it
    always ends (with `fixed` nodes, only the nodes in conflict go outwards).  `within`: keep the
    coordinates in [-within, within] about `center` where that is possible (crowded places are spread over the
    free ones first); overlap-free wins.  `fixed`, a boolean mask (n,): these never move, two of
    them may overlap.  Deterministic; Y is not changed.
    Raises `InputError` for a negative or non-finite size.

    >>> import numpy as np
    >>> separate(np.array([[0.0, 0.0], [0.4, 0.0]]), 1.0).round(2).tolist()
    [[-0.3, 0.0], [0.7, 0.0]]
    """
    Y = np.array(Y, dtype=np.float64, ndmin=2)
    n, d = Y.shape
    size = np.broadcast_to(np.asarray(node_size, dtype=np.float64), (n,))
    if n and not (np.isfinite(size).all() and size.min() >= 0.0):
        i = int(np.argmin(np.where(np.isfinite(size), size, -1.0)))
        raise InputError(f"node_size is {size[i]!r} for node number {i}; give finite diameters of 0 or more")
    if n < 2 or d == 0:
        return Y
    still = np.zeros(n, dtype=bool) if fixed is None else np.asarray(fixed, dtype=bool)
    if size.max() == 0.0:
        return split_coincident(Y, still)
    Y = split_coincident(Y, still)  # a heap has no line through its centers to push along
    radius = size / 2
    middle = np.zeros(d) if center is None else np.asarray(center, dtype=np.float64)
    overlap = np.inf
    for attempt in range(_ROUNDS):
        try:
            pairs = _touching(Y, radius, _SKIN, _CROWDED * n)
        except _Crowded:
            Y = _enlarge(Y, ~still, 1.25)
            continue
        depth, conflict = _overlap(Y, radius, pairs, still)
        if depth == 0.0:
            return Y
        walls = within if attempt < _ROUNDS // 2 else None
        if depth > _FAST * overlap:
            if walls is None:
                Y = _enlarge(Y, conflict & ~still if still.any() else ~still, _ENLARGE)
            else:
                Y = _spread(Y, ~still, middle, walls)
        overlap = depth
        for _ in range(_PUSHES):
            Y = _push(Y, radius, pairs, still)
            if walls is not None:
                Y = np.where(still[:, None], Y, np.clip(Y, middle - walls, middle + walls))
    return _line_up(Y, radius, still)


class _Crowded(Exception):
    """Too many pairs are near each other to list them all."""


def _enlarge(Y: np.ndarray, moving: np.ndarray, factor: float) -> np.ndarray:
    middle = Y.sum(axis=0) / len(Y)
    return np.where(moving[:, None], middle + factor * (Y - middle), Y)


def _spread(Y: np.ndarray, moving: np.ndarray, middle: np.ndarray, within: float) -> np.ndarray:
    """Along each axis a step towards equal steps in the same order: dense places thin out, borders stay."""
    rank = np.argsort(np.argsort(Y, axis=0, kind="stable"), axis=0, kind="stable")
    even = middle + within * ((2 * rank + 1) / len(Y) - 1)
    return np.where(moving[:, None], Y + _TOWARDS_EVEN * (even - Y), Y)


def _gaps(Y: np.ndarray, i: np.ndarray, j: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    difference = Y[i] - Y[j]
    return difference, np.sqrt((difference * difference).sum(axis=1))


def _overlap(
    Y: np.ndarray, radius: np.ndarray, pairs: tuple[np.ndarray, np.ndarray], still: np.ndarray
) -> tuple[float, np.ndarray]:
    """The summed depth of all overlaps that can be mended, relative to the sizes; the mask of their nodes."""
    i, j = pairs
    _, distance = _gaps(Y, i, j)
    touch = radius[i] + radius[j]
    open_ = (distance < touch) & ~(still[i] & still[j])
    conflict = np.zeros(len(Y), dtype=bool)
    conflict[i[open_]] = conflict[j[open_]] = True
    return float((1.0 + _SLACK - distance[open_] / touch[open_]).sum()), conflict


def _push(
    Y: np.ndarray, radius: np.ndarray, pairs: tuple[np.ndarray, np.ndarray], still: np.ndarray
) -> np.ndarray:
    """One push of every overlapping pair; a node pushed from k sides moves by 2/(k + 1) of the sum."""
    i, j = pairs
    difference, distance = _gaps(Y, i, j)
    touch = (radius[i] + radius[j]) * (1 + _SLACK)
    now = np.flatnonzero(distance < radius[i] + radius[j])
    if len(now) == 0:
        return Y
    i, j, difference, distance, touch = i[now], j[now], difference[now], distance[now], touch[now]
    same = distance <= 1e-9 * touch
    if same.any():  # no line through the centers: any direction will do, if it differs from pair to pair
        angle = _GOLDEN * (i[same] + j[same])
        difference[same] = 0.0
        difference[same, 0] = np.cos(angle) if Y.shape[1] > 1 else 1.0
        if Y.shape[1] > 1:
            difference[same, 1] = np.sin(angle)
    step = (touch - distance) / np.where(same, 1.0, distance)
    share_i = radius[j] / (radius[i] + radius[j])
    share_i = np.where(still[i], 0.0, np.where(still[j], 1.0, share_i))
    share_j = np.where(still[j], 0.0, 1.0 - share_i)
    n = len(Y)
    count = np.bincount(i, minlength=n) + np.bincount(j, minlength=n)
    relax = 2.0 / (count + 1.0)
    Y = Y.copy()
    for a in range(Y.shape[1]):
        move = step * difference[:, a]
        total = np.bincount(i, move * share_i, minlength=n) - np.bincount(j, move * share_j, minlength=n)
        Y[:, a] += relax * total
    return Y


def _line_up(Y: np.ndarray, radius: np.ndarray, still: np.ndarray) -> np.ndarray:
    """The last resort: nodes that still overlap leave the drawing and stand in a row below it."""
    i, j = _touching(Y, radius, 0.0)
    _, distance = _gaps(Y, i, j)
    bad = (distance < radius[i] + radius[j]) & ~(still[i] & still[j])
    leave = np.unique(np.where(still[i[bad]], j[bad], i[bad]))
    widths = 2 * radius[leave] * (1 + _SLACK)
    x = Y[:, 0].min() + np.cumsum(widths) - widths / 2
    if Y.shape[1] == 1:
        x = x - Y[:, 0].min() + (Y[:, 0] + radius).max() * (1 + _SLACK)
    else:
        Y[leave, 1] = (Y[:, 1] - radius).min() - 1.01 * radius.max()
    Y[leave, 0] = x
    return Y


def _cells(Y: np.ndarray, cell: float) -> tuple[np.ndarray, list[int]]:
    """Integer keys of the cells of the nodes, and the strides of the key along each axis.

    Only the first three axes are used; one free cell at each border keeps neighbors from wrapping round.
    """
    X = Y[:, :3]
    low = X.min(axis=0)
    cell = max(cell, float((X.max(axis=0) - low).max()) / 2 ** (60 // X.shape[1]))
    place = ((X - low) / cell).astype(np.int64) + 1
    strides, width = [1], 1
    for a in range(X.shape[1] - 1):
        width *= int(place[:, a].max()) + 2
        strides.append(width)
    key = place[:, 0].copy()
    for a in range(1, X.shape[1]):
        key += place[:, a] * strides[a]
    return key, strides


def _heaps(Y: np.ndarray, near: float) -> np.ndarray:
    """A group number for every node: nodes in one cell, or in cells that touch, are one heap."""
    key, strides = _cells(Y, near)
    cells, group = np.unique(key, return_inverse=True)
    ends = []
    for offset in itertools.product((-1, 0, 1), repeat=len(strides)):
        shift = sum(o * s for o, s in zip(offset, strides, strict=True))
        if shift <= 0:
            continue
        at = np.searchsorted(cells, cells + shift)
        at[at == len(cells)] = 0
        found = np.flatnonzero(cells[at] == cells + shift)
        ends.append((found, at[found]))
    a = np.concatenate([e[0] for e in ends])
    b = np.concatenate([e[1] for e in ends])
    label = np.arange(len(cells))
    while len(a):
        low = np.minimum(label[a], label[b])
        new = label.copy()
        np.minimum.at(new, label[a], low)
        np.minimum.at(new, label[b], low)
        new = new[new]
        if (new == label).all():
            break
        label = new
    return np.unique(label[group.reshape(-1)], return_inverse=True)[1].reshape(-1)


def _touching(
    Y: np.ndarray, radius: np.ndarray, skin: float, limit: float = np.inf
) -> tuple[np.ndarray, np.ndarray]:
    """All pairs with |y_i - y_j| < (1 + skin)(r_i + r_j); `Crowded` where more than `limit` had to be tried.

    Nodes are classed by powers of two of their radius, and each class searches, on a grid of its own, among
    itself and the smaller ones, so one huge disc does not make the cells of all the others huge.
    """
    floor = np.maximum(radius, radius.max() * 1e-3)
    level = np.floor(np.log2(floor)).astype(int)
    first, second, tried = [], [], 0
    for k in np.unique(level):
        upper, members = np.flatnonzero(level == k), np.flatnonzero(level <= k)
        key, strides = _cells(Y[members], 2.0 * float(floor[upper].max()) * (1 + skin))
        order = np.argsort(key, kind="stable")
        members, key, of_level = members[order], key[order], level[members[order]] == k
        own = np.flatnonzero(of_level)
        for offset in itertools.product((-1, 0, 1), repeat=len(strides) - 1):
            shift = sum(o * s for o, s in zip(offset, strides[1:], strict=True))
            begin = np.searchsorted(key, key[own] + shift - 1)
            count = np.searchsorted(key, key[own] + shift + 1, side="right") - begin
            total = int(count.sum())
            tried += total
            if tried > 2 * limit:
                raise _Crowded
            a = np.repeat(own, count)
            b = np.arange(total) + np.repeat(begin - np.concatenate([[0], np.cumsum(count)[:-1]]), count)
            keep = np.flatnonzero(~of_level[b] | (a < b))  # a pair of one class is met from both ends
            i, j = members[a[keep]], members[b[keep]]
            _, distance = _gaps(Y, i, j)
            close = distance < (1 + skin) * (radius[i] + radius[j])
            first.append(i[close])
            second.append(j[close])
    return np.concatenate(first), np.concatenate(second)
