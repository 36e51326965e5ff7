"""Many drawings on one sheet: components beside each other, isolated nodes in tidy rows.

Each connected component is drawn alone, in whatever units its objective has.  Here the drawings get a common
unit, the typical distance of neighboring nodes: a component of n nodes covers the area n (its outline grown
by half a unit all around), so two nodes take as much paper in a small component as in a large one.  Then the
largest lies in the middle and the others are laid around it, in the free place nearest to the middle.  A
graph of one component of 300 nodes, thirty pairs and fifty isolated nodes gives a disc of 300, a ring of
short strokes about it, and a block of five rows below.

The outline of a component is its circumscribed 32-gon: outlines never overlap, so no edge of one component
crosses another.  `sheet` finds the free places.  Sizes and input order decide everything.

On a line (d = 1) the components stand one after another, in space (d = 3) side by side on the xy-plane.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nelayout.placing.sheet import ANGLES, ASPECT, SIDES, on_shared_sheet, on_sheet

__all__ = ["pack", "pack_around"]

LONG_AREA = 0.2  # a thin outline counts as an area of at least this share of its diameter squared


def pack(drawings: Sequence[np.ndarray], gap: float = 1.0) -> list[np.ndarray]:
    """Scale and place `drawings`, a list of (n_i, d) arrays in any units, so that they share one sheet.

    Returns new arrays in the input order, centered on the middle of the whole figure.  The unit is that of the
    largest drawing, which keeps its size; the others are scaled so that areas (lengths, volumes for d = 1, 3)
    are in proportion to the numbers of nodes.  Outlines are at least `gap` typical node distances apart, more
    between large components (3% of their width).  Drawings of one node are isolated nodes: they fill rows,
    one typical node distance apart, in a block below or beside the others.  A drawing whose nodes all
    coincide keeps them on one point and gets room for them.  An empty list gives an empty list; one drawing
    comes back centered and otherwise as it was.

    >>> import numpy as np
    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> big, pair, isolated = pack([square, np.array([[0.0, 0.0], [0.0, 7.0]]), np.zeros((1, 2))])
    >>> bool(np.ptp(pair[:, 1]) < 2.0), isolated.shape
    (True, (1, 2))
    """
    drawings = [np.array(Y, dtype=np.float64, ndmin=2) for Y in drawings]
    if not drawings:
        return []
    d = drawings[0].shape[1]
    sizes = np.array([len(Y) for Y in drawings])
    shapes = np.flatnonzero(sizes > 1)
    isolated = np.flatnonzero(sizes == 1)
    order = shapes[np.argsort(-sizes[shapes], kind="stable")]
    outline, factor, middle = _outlines([drawings[i] for i in order], sizes[order])
    margin = 0.5 * gap + 0.015 * _width(outline)
    offsets = _line(outline, margin) if d == 1 else on_sheet(outline + margin[:, None])

    placed: list[np.ndarray] = [np.empty((0, d))] * len(drawings)
    for rank, i in enumerate(order):
        Y = (drawings[i] - middle[rank]) * factor[rank]
        Y[:, : min(d, 2)] += offsets[rank, : min(d, 2)]
        placed[i] = Y
    for i, place in zip(isolated, _rows(len(isolated), offsets, outline, gap, d), strict=True):
        placed[i] = place[None, :]

    filled = [placed[i] for i in np.flatnonzero(sizes > 0)]
    if filled:
        low = np.min([Y.min(axis=0) for Y in filled], axis=0)
        high = np.max([Y.max(axis=0) for Y in filled], axis=0)
        unit = factor[0] if len(order) else 1.0
        placed = [(Y - (low + high) / 2) / unit for Y in placed]
    return placed


def pack_around(
    placed: Sequence[np.ndarray], stays: Sequence[bool], drawings: Sequence[np.ndarray], gap: float = 1.0
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Pack `drawings` around others that have their places on the sheet, all lists of (n_i, d) arrays.

    Returns both lists anew: `placed` as they were, but that one whose outline has come to overlap a larger one's moves
    as a whole to the free place nearest to its own, unless `stays` has it; `drawings` at the scale of the largest of
    `placed` and around it, isolated nodes one by one.  On a line they stand to the right.  At least one is placed.

    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> (there,), (new,) = pack_around([square], [True], [np.zeros((1, 2))])
    >>> bool((there == square).all()), bool(0.9 < np.abs(new - 0.5).max() < 2.5)
    (True, True)
    """
    sizes, more = np.array([len(Y) for Y in placed]), np.array([len(Y) for Y in drawings], dtype=int)
    order, rest = np.argsort(-sizes, kind="stable"), np.argsort(-more, kind="stable")
    d = placed[0].shape[1]
    outline, factor, middle = _outlines([placed[i] for i in order], sizes[order])
    unit = float(factor[0])
    drawn = outline.max(axis=1) < 1e6 * np.sqrt(sizes[order])  # an outline beyond all bounds would empty the board
    outline = outline * (unit / factor)[:, None]
    origin = middle[0]
    own, scales, centers = _outlines([drawings[i] for i in rest], more[rest])
    there = (middle - origin) * unit
    if d == 1:
        right = float((there[:, 0] + outline[:, 0]).max())
        ends = right + np.cumsum(2.0 * (own[:, 0] + 0.5 * gap)) + 0.5 * gap
        moved, offsets = there, np.stack([ends - own[:, 0] - 0.5 * gap, np.zeros(len(own))], axis=1)
    else:
        margin, least = 0.5 * gap + 0.015 * _width(outline), 0.5 * gap + 0.015 * _width(own)
        stay = np.array([bool(stays[i]) for i in order]) | ~drawn
        flat = there[:, :2]
        moved, offsets = on_shared_sheet(outline, flat, stay, own + least[:, None], margin)
    old, new = list(placed), list(drawings)
    for rank, i in enumerate(order.tolist()):
        step = moved[rank, : min(d, 2)] - there[rank, : min(d, 2)]
        if step.any():
            old[i] = placed[i].copy()
            old[i][:, : min(d, 2)] += step / unit
    for rank, i in enumerate(rest.tolist()):
        new[i] = (drawings[i] - centers[rank]) * (scales[rank] / unit) + origin
        new[i][:, : min(d, 2)] += offsets[rank, : min(d, 2)] / unit
    return old, new


def _outlines(drawings: list[np.ndarray], sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Support functions h (c, 32) of the scaled drawings about their middles; scale factors; middles.

    The polygon of a drawing is {y : y . u_k <= h_k} over 32 directions u_k in the xy-plane.
    """
    c = len(drawings)
    if c == 0:
        return np.zeros((0, SIDES)), np.zeros(0), np.zeros((0, 2))
    Y = np.concatenate(drawings)
    d = Y.shape[1]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    low, high = np.minimum.reduceat(Y, starts), np.maximum.reduceat(Y, starts)
    middle = (low + high) / 2
    X = Y - np.repeat(middle, sizes, axis=0)
    x, y = X[:, 0], (X[:, 1] if d > 1 else np.zeros(len(X)))
    h = np.empty((c, SIDES))
    for k in range(SIDES // 2):
        along = x * np.cos(ANGLES[k]) + y * np.sin(ANGLES[k])
        h[:, k] = np.maximum.reduceat(along, starts)
        h[:, k + SIDES // 2] = -np.minimum.reduceat(along, starts)
    factor = np.ones(c)
    if d == 1:
        extent = (high - low)[:, 0]
        np.divide(sizes - 1.0, extent, out=factor, where=extent > 0)
    elif d == 2:
        area, perimeter, width = _area(h), _perimeter(h), _width(h)
        factor = _scale(np.maximum(area, LONG_AREA * width**2), perimeter, sizes)
    else:
        # in space a ball of n nodes at unit distance has the volume n: its root mean square radius is known
        spread = np.sqrt(np.add.reduceat((X * X).sum(axis=1), starts) / sizes)
        ball = np.sqrt(3 / 5) * (3 * sizes / (4 * np.pi)) ** (1 / 3)
        np.divide(ball, spread, out=factor, where=spread > 0)
    h = h * factor[:, None]
    stacked = h.max(axis=1) <= 0  # all nodes on one point: the room of a disc of that many nodes
    h[stacked] = np.sqrt(sizes[stacked] / np.pi)[:, None]
    return h, factor, middle


def _scale(area: np.ndarray, perimeter: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Solve s^2 area + s perimeter/2 + pi/4 = n for s: the outline grown by 1/2 covers n units (Steiner)."""
    rest = sizes - np.pi / 4
    root = np.sqrt((perimeter / 2) ** 2 + 4 * area * rest)
    denominator = perimeter / 2 + root
    return np.divide(2 * rest, denominator, out=np.ones(len(sizes)), where=denominator > 0)


def _sides(h: np.ndarray) -> np.ndarray:
    """Side lengths of the polygons with support values h (c, 32)."""
    step = 2 * np.pi / SIDES
    return (np.roll(h, 1, axis=1) + np.roll(h, -1, axis=1) - 2 * np.cos(step) * h) / np.sin(step)


def _area(h: np.ndarray) -> np.ndarray:
    return 0.5 * (h * _sides(h)).sum(axis=1)


def _perimeter(h: np.ndarray) -> np.ndarray:
    return _sides(h).sum(axis=1)


def _width(h: np.ndarray) -> np.ndarray:
    """Largest width over the directions: nearly the diameter of the drawing."""
    half = SIDES // 2
    return (h[:, :half] + h[:, half:]).max(axis=1, initial=0.0)


def _line(h: np.ndarray, margin: np.ndarray) -> np.ndarray:
    """Offsets on a line: the largest in the middle, the next ones to its right and left in turn."""
    offsets = np.zeros((len(h), 2))
    if len(h):
        half = h[:, 0] + margin
        right, left = half[0], -half[0]
        for rank in range(1, len(h)):
            if right <= -left:
                offsets[rank, 0], right = right + half[rank], right + 2 * half[rank]
            else:
                offsets[rank, 0], left = left - half[rank], left - 2 * half[rank]
    return offsets


def _rows(k: int, offsets: np.ndarray, h: np.ndarray, gap: float, d: int) -> np.ndarray:
    """Places (k, d) of the isolated nodes: rows one unit apart, below or beside the figure of the others."""
    if k == 0:
        return np.zeros((0, d))
    quarter = SIDES // 4
    if len(h):
        left, right = (offsets[:, 0] - h[:, 2 * quarter]).min(), (offsets[:, 0] + h[:, 0]).max()
        bottom, top = (offsets[:, 1] - h[:, 3 * quarter]).min(), (offsets[:, 1] + h[:, quarter]).max()
        distance = gap + 1.0 + 0.03 * max(right - left, top - bottom)
    else:
        left = right = bottom = top = distance = 0.0
    width, height = right - left, top - bottom
    i = np.arange(k)
    if d == 1:
        return (right + distance + i)[:, None]
    columns = int(max(np.ceil(np.sqrt(ASPECT * k)), min(k, np.floor(width) + 1)))
    lines = int(max(np.ceil(np.sqrt(k / ASPECT)), min(k, np.floor(height) + 1)))
    below = max(width, columns - 1) / (height + distance + -(-k // columns) - 1 or 1.0)
    beside = (width + distance + -(-k // lines) - 1) / (max(height, lines - 1) or 1.0)
    places = np.zeros((k, d))
    if len(h) == 0 or abs(np.log((below or 1.0) / ASPECT)) <= abs(np.log((beside or 1.0) / ASPECT)):
        places[:, 0] = (left + right) / 2 - (columns - 1) / 2 + i % columns
        places[:, 1] = bottom - distance - i // columns
    else:
        columns = -(-k // lines)  # the rows run left to right here too
        lines = -(-k // columns)
        places[:, 0] = right + distance + i % columns
        places[:, 1] = (bottom + top) / 2 + (lines - 1) / 2 - i // columns
    return places
