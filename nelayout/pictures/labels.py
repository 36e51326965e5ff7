"""Labels: each stands at its node, has no nearer node, and covers no other label.

Labels of the most connected nodes come first, then labels of nodes with more free space. The order of the nodes has no
effect. A line joins a label of a chosen node to its node if there is no space beside the node. Other labels without
space are left out. Positions are chosen when the figure is drawn, so labels also fit axes that change their size later.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from scipy.spatial import KDTree

from nelayout.errors import warn
from nelayout.pictures.legend import small_letters, text_size, wrapped
from nelayout.pictures.sheet import Sheet

__all__ = ["Labels"]

_MAX_LABELS = 1000  # largest number of labels, of the most connected nodes: more would cover a page
_NOTE = "{:,} of {:,} labels have no room"
_LISTED = 100  # largest number of labels in a warning
_GAP = 1.0  # points between a label and its dot, and extra points to all other dots
_HINTING = (1.08, 1.1)  # factors of the largest width and height of texts at some resolutions
_RINGS = (0.0, 1.0, 2.0)  # points, extra gaps to a dot, tried in this order
_TURNS, _LINE = 48, 0.6  # directions of a line from a node to its label, and its width in points
_ROUNDS = 4  # largest number of attempts to write all labels of chosen nodes


def _sides() -> tuple[np.ndarray, np.ndarray]:
    """Return middles (k, 2) in half labels and unit steps (k, 2) off a dot, best first."""
    flat = [(0, 1), (0, -1), (1, 0), (-1, 0)]
    flat += [(x, y) for x in (0.5, -0.5, 0.25, -0.25, 0.75, -0.75) for y in (1, -1)]
    flat += [(x, y) for x in (1, -1) for y in (0.5, -0.5)]
    corners = [(x, y, angle) for angle in (45, 20, 70) for x in (1, -1) for y in (1, -1)]
    middles = flat + [(x, y) for x, y, _ in corners]
    steps = [(x if abs(x) == 1 else 0, y if abs(y) == 1 else 0) for x, y in flat]
    steps += [(x * math.cos(math.radians(angle)), y * math.sin(math.radians(angle))) for x, y, angle in corners]
    return np.array(middles, float), np.array(steps, float)


_MIDDLES, _STEPS = _sides()


class Labels:
    """Labels of a drawing; they get new positions if the axes change their size.

    Y        (n, 2) positions of the nodes
    degree   (n,) numbers of neighbors
    texts    n texts, "" for a node without a label
    size     (n,) diameters of the dots in units of `Y`
    points   size of the letters
    chosen   whether the user has chosen these nodes: lines join them to labels that are farther away, and a warning
             lists labels that are left out
    """

    def __init__(
        self, sheet: Sheet, Y: np.ndarray, degree: np.ndarray, texts: list[str], size: np.ndarray, points: float,
        chosen: bool,
    ):  # fmt: skip
        self.sheet, self.Y, self.texts, self.size, self.points = sheet, Y, texts, size, points
        self.chosen, self.said = chosen, ()
        near = KDTree(Y).query(Y, k=2)[0][:, 1] if len(Y) > 1 else np.zeros(len(Y))
        rank: Any = (texts, Y[:, 1], Y[:, 0], -near, -degree)  # the last key counts most
        self.asked = [int(i) for i in np.lexsort(rank) if texts[i]]
        self.extent = {i: np.array(text_size(texts[i], points)) * _HINTING for i in self.asked[:_MAX_LABELS]}
        self.written: list[Any] = []
        self.left_out: list[int] = []
        sheet.moved.append(self.place)
        self.place()

    def place(self) -> None:
        """Write the labels that have a free position."""
        sheet, ax = self.sheet, self.sheet.ax
        for text in self.written:
            text.remove()
        self.written, self.left_out = [], []
        if not self.asked:
            return
        small, wide = min(small_letters(), self.points), 72 * float(sheet.cell[0])
        lines = wrapped(_NOTE.format(len(self.asked), len(self.asked)), small, wide).count("\n") + 1
        note = 1.4 * small * lines
        scale = 72 / ax.figure.dpi
        paper = ax.transData.transform(self.Y) * scale, self.size * sheet.points, sheet.label_room(note)
        room, found = self._fit(_Room(*paper))
        how = {"color": sheet.paper.ink, "zorder": 3, "parse_math": False, "ha": "center", "va": "center"}
        how |= {"path_effects": [withStroke(linewidth=2.0, foreground=sheet.paper.rgb)], "fontsize": self.points}
        self.left_out = [i for i in self.asked if i not in found]
        for i, box in found.items():
            x, y = self._position(i, (box[:2] + box[2:]) / 2, room)
            self.written.append(ax.text(x, y, self.texts[i], **how))
        for i, end in room.lines.items():
            center, way = room.center[i], end - room.center[i]
            rim = center + way * min(1.0, room.sizes[i] / 2 / float(np.hypot(*way)))
            # The strip of paper under a line ends at the rim: the dot of the node stays visible.
            for start, color, width in ((rim, sheet.paper.rgb, 3 * _LINE), (center, sheet.paper.ink, _LINE)):
                ends = np.stack([self._position(i, each, room) for each in (start, end)], axis=1)
                line = Line2D(*ends, zorder=2.5, clip_on=False, color=color, linewidth=width, solid_capstyle="butt")
                self.written.append(ax.add_artist(line))
        if self.left_out:
            said = wrapped(_NOTE.format(len(self.left_out), len(self.asked)), small, wide)
            how = {"color": sheet.paper.soft, "ha": "center", "va": "bottom", "fontsize": small}
            self.written.append(ax.text(0.0, sheet.note_height(), said, transform=sheet.under(), **how))

    def _fit(self, empty: _Room) -> tuple[_Room, dict[int, np.ndarray]]:
        """Return a room with as many labels as possible, and the box of each.

        A round gives lines first to labels that had no space in an earlier round.
        """
        best, fitted, hard = empty, {}, []
        for _ in range(_ROUNDS if self.chosen else 1):
            room = _Room(empty.center, empty.sizes, empty.walls)
            found = {i: room.apart(i, self.extent[i]) for i in hard}
            found |= {i: room.beside(i, each) for i, each in self.extent.items() if found.get(i) is None}
            if self.chosen:
                found |= {i: room.apart(i, self.extent[i]) for i in self.extent if found[i] is None}
            boxes = {i: box for i, box in found.items() if box is not None}
            if len(boxes) > len(fitted):
                best, fitted = room, boxes
            hard = [i for i in found if found[i] is None and i not in hard] + hard
            if len(boxes) == len(self.extent):
                break
        return best, fitted

    def _position(self, i: int, points: np.ndarray, room: _Room) -> np.ndarray:
        """Return a position on paper, in points, in units of `Y`."""
        return self.Y[i] + (points - room.center[i]) / self.sheet.points

    def tell(self) -> None:
        """Warn once of labels of chosen nodes that are left out."""
        said = tuple(self.texts[i] for i in self.left_out)
        if self.chosen and said and said != self.said:
            listed = ", ".join(map(repr, said[:_LISTED])) + f" and {len(said) - _LISTED} more" * (len(said) > _LISTED)
            warn(
                f"{len(said)} of {len(self.asked)} labels have no room beside their node and are left out: {listed}. "
                "A larger figure or a smaller font_size makes room"
            )
        self.said = said


class _Room:
    """The free space around dots and labels, in points.

    center  (n, 2) positions of the dots
    sizes   (n,) diameters of the dots
    walls   the box x0, y0, x1, y1 for labels
    boxes   (k, 4) boxes of the labels so far
    lines   {node: the other end of the line that joins it to its label}
    """

    def __init__(self, center: np.ndarray, sizes: np.ndarray, walls: np.ndarray) -> None:
        self.center, self.sizes, self.walls, self.tree = center, sizes, walls, KDTree(center)
        self.boxes = np.zeros((0, 4))
        self.lines: dict[int, np.ndarray] = {}
        self.largest = float(sizes.max())

    def beside(self, i: int, extent: np.ndarray) -> np.ndarray | None:
        """Take and return the best free box beside or, without a dot, on a node; None without one."""
        center, sizes, rim = self.center, self.sizes, self.sizes[i] / 2 + _GAP
        off = np.repeat(rim + np.array(_RINGS), len(_STEPS))
        middle = np.tile(_MIDDLES, (len(_RINGS), 1)) * extent / 2 + np.tile(_STEPS, (len(_RINGS), 1)) * off[:, None]
        if sizes[i] == 0:
            off, middle = np.append(0.0, off), np.concatenate([np.zeros((1, 2)), middle])
        low = center[i] + middle - extent / 2
        high, own = low + extent, np.hypot(*middle.T)
        reach = float(np.hypot(*extent)) + 2 * self.largest + 6 * _GAP + 2 * _RINGS[-1]
        near = np.array(self.tree.query_ball_point(center[i], reach), int)
        near = near[near != i]
        gap = np.maximum(np.maximum(sizes[near], sizes[i]) / 2 + 2 * _GAP, off[:, None] + 2 * _GAP)
        clear = _apart(low[:, None], high[:, None], center[near]) >= gap
        others = center[i] + middle[:, None] - center[near]
        nearer = np.hypot(others[..., 0], others[..., 1]) > own[:, None] + _GAP
        best = np.flatnonzero(self._free(low, high) & (clear & nearer).all(axis=1))
        return self._take(low[best[0]], high[best[0]]) if len(best) else None

    def apart(self, i: int, extent: np.ndarray) -> np.ndarray | None:
        """Take and return a free box for a label that a line joins to its node, or None.

        The box has the smallest product of the length of its line and 1 + the number of dots and lines that it crosses.
        """
        start = self.center[i]
        if (self.center == start).all(axis=1).sum() > 1:
            return None  # a line would point to several nodes
        turns = 2 * math.pi * np.arange(_TURNS) / _TURNS
        rings = np.arange(extent[1], float(np.hypot(*(self.walls[2:] - self.walls[:2]))), extent[1] / 2)
        middle = start + (rings[:, None, None] * np.stack([np.cos(turns), np.sin(turns)], axis=1)).reshape(-1, 2)
        low, high = middle - extent / 2, middle + extent / 2
        inside = np.flatnonzero(self._free(low, high))
        end = np.clip(start, low, high)
        length = np.hypot(*(end - start).T)
        best, least = None, math.inf
        for k in inside[np.argsort(length[inside], kind="stable")].tolist():
            if length[k] >= least:
                break
            near = self.tree.query_ball_point(middle[k], float(np.hypot(*extent)) / 2 + self.largest / 2 + 2 * _GAP)
            clear = _apart(low[k], high[k], self.center[near]) >= self.sizes[near] / 2 + 2 * _GAP
            if not clear.all() or self._is_covered(start, end[k], low[k], high[k]):
                continue
            cost = length[k] * (1 + self._crossings(i, end[k]))
            if cost < least:
                best, least = k, cost
        if best is None:
            return None
        self.lines[i] = end[best]
        return self._take(low[best], high[best])

    def _free(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Return (k,) whether boxes are within the walls and on no label."""
        inside = (low >= self.walls[:2]).all(axis=1) & (high <= self.walls[2:]).all(axis=1)
        first, last = np.maximum(self.boxes[:, :2], low[:, None]), np.minimum(self.boxes[:, 2:], high[:, None])
        return inside & ~np.any(np.all(first < last, axis=2), axis=1)

    def _is_covered(self, start: np.ndarray, end: np.ndarray, low: np.ndarray, high: np.ndarray) -> bool:
        """Return whether a new line meets a label, or a line meets the box of the new label."""
        lines = [(self.center[j], other) for j, other in self.lines.items()]
        if _meets(start, end, self.boxes[:, :2] - _GAP, self.boxes[:, 2:] + _GAP).any():
            return True
        return any(_meets(*line, low - _GAP, high + _GAP).any() for line in lines)

    def _crossings(self, i: int, end: np.ndarray) -> int:
        """Return the number of other dots and lines that a line crosses."""
        start, way = self.center[i], end - self.center[i]
        near = self.tree.query_ball_point(start + way / 2, float(np.hypot(*way)) / 2 + self.largest / 2)
        near = np.array([j for j in near if j != i], int)
        share = np.clip((self.center[near] - start) @ way / max(float(way @ way), 1e-12), 0.0, 1.0)
        dots = np.hypot(*(self.center[near] - start - share[:, None] * way).T) < self.sizes[near] / 2
        return int(dots.sum()) + sum(_cross(start, end, self.center[j], other) for j, other in self.lines.items())

    def _take(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        box = np.concatenate([low, high])
        self.boxes = np.concatenate([self.boxes, box[None]])
        return box


def _apart(low: np.ndarray, high: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return the distances of points to boxes, 0 within a box.

    >>> _apart(np.zeros(2), np.ones(2), np.array([[4.0, 5.0], [0.5, 0.5]])).tolist()
    [5.0, 0.0]
    """
    aside = np.maximum(np.maximum(low - points, points - high), 0.0)
    return np.hypot(aside[..., 0], aside[..., 1])


def _meets(start: np.ndarray, end: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return whether a line from `start` to `end` meets boxes.

    >>> _meets(np.zeros(2), np.ones(2), np.array([[0.4, 0.4], [0.6, 0.0]]), np.array([[0.5, 0.6], [0.7, 0.4]])).tolist()
    [True, False]
    """
    way = np.where(end == start, 1e-12, end - start)
    one, other = (low - start) / way, (high - start) / way
    first = np.minimum(one, other).max(axis=-1)
    last = np.maximum(one, other).min(axis=-1)
    return (first <= last) & (first <= 1) & (last >= 0)


def _cross(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> bool:
    """Return whether the lines from a to b and from c to d cross.

    >>> _cross(*np.array([[0, 0], [2, 2], [0, 2], [2, 0]])), _cross(*np.array([[0, 0], [1, 0], [0, 1], [1, 1]]))
    (True, False)
    """

    def side(p: np.ndarray, q: np.ndarray, r: np.ndarray) -> float:
        return float((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))

    return side(a, b, c) * side(a, b, d) <= 0 and side(c, d, a) * side(c, d, b) <= 0
