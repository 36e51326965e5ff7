"""Labels: each stands at its node, has no nearer node, and covers no other label.

Labels of the most connected nodes come first, then labels of nodes with more free space. The order of the nodes has no
effect. A line joins a label of a chosen node to its node if there is no space beside the node. Other labels without
space are left out. Positions are chosen when the figure is drawn, so labels also fit axes that change their size later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib import rcParams
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from scipy.spatial import KDTree

from nelayout.errors import LISTED_NAMES, warn
from nelayout.pictures.legend import small_letters, text_size, wrapped
from nelayout.pictures.sheet import Sheet
from nelayout.pictures.style import STYLE

if TYPE_CHECKING:
    from matplotlib.artist import Artist

__all__ = ["Labels"]

_NOTE = "{:,} of {:,} labels have no room"
_GAP = STYLE.label_gap
# Directions from a node to its label, up, down and aside first.
_TURNS = np.array(sorted(range(48), key=lambda k: (min(k % 12, -k % 12), round(k / 12) % 2 == 0, k))) * np.pi / 24
_AIMS = np.stack([np.cos(_TURNS), np.sin(_TURNS)], axis=1).round(12)
# The middle of a label in half labels, and the step from its dot: along an axis, or to a corner.
_MIDDLES = np.clip(1.5 * _AIMS, -1.0, 1.0)
_STEPS = np.where(abs(_MIDDLES) == 1.0, np.sign(_AIMS), 0.0)
_STEPS /= np.hypot(*_STEPS.T)[:, None]


class Labels:
    """Labels of a drawing; they get new positions if the axes change their size.

    The nodes at `Y` (n, 2) have `degree` (n,) neighbors, n `texts`, "" without a label, and dots of diameter `size`
    (n,) in units of `Y`. If the user has `chosen` these nodes, lines join them to labels that are farther away, and a
    warning lists labels that are left out.
    """

    def __init__(
        self, sheet: Sheet, Y: np.ndarray, degree: np.ndarray, texts: list[str], size: np.ndarray, points: float,
        chosen: bool,
    ):  # fmt: skip
        self.sheet, self.Y, self.texts, self.size, self.points = sheet, Y, texts, size, points
        self.chosen, self.said = chosen, ()
        near = KDTree(Y).query(Y, k=2)[0][:, 1] if len(Y) > 1 else np.zeros(len(Y))
        rank = (np.array(texts, dtype=np.str_), Y[:, 1], Y[:, 0], -near, -degree)  # the last key counts most
        self.asked = [int(i) for i in np.lexsort(rank) if texts[i]]
        several, hinted = self.asked[: STYLE.max_diagram_items], [STYLE.hinting, 1.0]
        self.extent = {i: np.array(text_size(texts[i], points)) * hinted for i in several}
        self.written: list[Artist] = []
        self.left_out: list[int] = []
        sheet.mark.labels = self
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
        note = STYLE.line * small * lines
        scale = 72 / ax.figure.dpi
        paper = ax.transData.transform(self.Y) * scale, self.size * sheet.points, sheet.label_room(note)
        room, tried, hard = _Room(*paper), {}, []
        for _ in range(STYLE.label_rounds if self.chosen else 1):  # lines come first to labels that had no space
            room = _Room(*paper)
            tried = {i: room.apart(i, self.extent[i]) for i in hard}
            tried |= {i: room.beside(i, each) for i, each in self.extent.items() if tried.get(i) is None}
            if self.chosen:
                tried |= {i: room.apart(i, self.extent[i]) for i, box in tried.items() if box is None}
            lacking = [i for i, box in tried.items() if box is None]
            if not lacking:
                break
            hard = [*dict.fromkeys(lacking + hard)]
        found = {i: box for i, box in tried.items() if box is not None}
        how = {"color": sheet.paper.ink, "zorder": 3, "parse_math": False, "ha": "center", "va": "center"}
        how |= {"path_effects": [withStroke(linewidth=2.0, foreground=sheet.paper.rgb)], "fontsize": self.points}
        self.left_out = [i for i in self.asked if i not in found]
        for i, box in found.items():
            x, y = self._position(i, (box[:2] + box[2:]) / 2, room)
            self.written.append(ax.text(x, y, self.texts[i], **how))
        thin = rcParams["axes.linewidth"]
        for i, end in room.lines.items():
            center, way = room.center[i], end - room.center[i]
            rim = center + way * min(1.0, room.sizes[i] / 2 / float(np.hypot(*way)))
            # The strip of paper under a line ends at the rim: the dot of the node stays visible.
            for start, color, width in ((rim, sheet.paper.rgb, 3 * thin), (center, sheet.paper.ink, thin)):
                ends = np.stack([self._position(i, each, room) for each in (start, end)], axis=1)
                line = Line2D(*ends, zorder=2.5, clip_on=False, color=color, linewidth=width, solid_capstyle="butt")
                self.written.append(ax.add_artist(line))
        if self.left_out:
            said = wrapped(_NOTE.format(len(self.left_out), len(self.asked)), small, wide)
            self.written.append(sheet.write_note(said, small))

    def _position(self, i: int, points: np.ndarray, room: _Room) -> np.ndarray:
        """Return a position on paper, in points, in units of `Y`."""
        ax = self.sheet.ax
        along = np.where([ax.xaxis_inverted(), ax.yaxis_inverted()], -1.0, 1.0)
        return self.Y[i] + along * (points - room.center[i]) / self.sheet.points

    def tell(self) -> None:
        """Warn once of labels of chosen nodes that are left out."""
        said = tuple(self.texts[i] for i in self.left_out)
        if self.chosen and said and said != self.said:
            more = f" and {len(said) - LISTED_NAMES} more" * (len(said) > LISTED_NAMES)
            listed = ", ".join(map(repr, said[:LISTED_NAMES])) + more
            warn(
                f"{len(said)} of {len(self.asked)} labels have no room beside their node and are left out: {listed}. "
                "A larger figure or a smaller font_size makes room"
            )
        self.said = said


class _Room:
    """Free space in points around dots (n, 2), within the walls x0, y0, x1, y1."""

    def __init__(self, center: np.ndarray, sizes: np.ndarray, walls: np.ndarray) -> None:
        self.center, self.sizes, self.walls, self.tree = center, sizes, walls, KDTree(center)
        self.boxes = np.zeros((0, 4))  # of the labels so far
        self.lines: dict[int, np.ndarray] = {}  # {node: the other end of the line that joins it to its label}
        self.largest = float(sizes.max())

    def beside(self, i: int, extent: np.ndarray) -> np.ndarray | None:
        """Take and return the best free box beside or, without a dot, on a node; None without one."""
        center, sizes = self.center, self.sizes
        off = sizes[i] / 2 + _GAP * np.repeat([1.0, 2.0, 3.0], len(_STEPS))
        middle = (_MIDDLES * extent / 2 + off.reshape(3, -1, 1) * _STEPS).reshape(-1, 2)
        if sizes[i] == 0:
            off, middle = np.append(0.0, off), np.concatenate([np.zeros((1, 2)), middle])
        low, high = center[i] + middle - extent / 2, center[i] + middle + extent / 2
        near = np.array(self.tree.query_ball_point(center[i], np.hypot(*extent) + 2 * self.largest + 9 * _GAP), int)
        near = near[near != i]
        gap = np.maximum(sizes[near] / 2, off[:, None]) + 2 * _GAP
        clear = _apart(low[:, None], high[:, None], center[near]) >= gap
        others = center[i] + middle[:, None] - center[near]
        nearer = np.hypot(others[..., 0], others[..., 1]) > np.hypot(*middle.T)[:, None] + _GAP
        best = np.flatnonzero(self._free(low, high) & (clear & nearer).all(axis=1))
        return self._take(low[best[0]], high[best[0]]) if len(best) else None

    def apart(self, i: int, extent: np.ndarray) -> np.ndarray | None:
        """Take and return the nearest free box for a label; its line to the node meets no label."""
        start = self.center[i]
        if (self.center == start).all(axis=1).sum() > 1:
            return None  # a line would point to several nodes
        rings = np.arange(extent[1], float(np.hypot(*(self.walls[2:] - self.walls[:2]))), extent[1] / 2)
        middle = start + (rings[:, None, None] * _AIMS).reshape(-1, 2)
        free = self._free(middle - extent / 2, middle + extent / 2)
        middle = middle[free & (self.tree.query(middle)[0] > extent[1] / 2)]
        low, high = middle - extent / 2, middle + extent / 2
        end = np.clip(start, low, high)
        for k in np.argsort(np.hypot(*(end - start).T), kind="stable"):
            near = self.tree.query_ball_point(middle[k], np.hypot(*extent) / 2 + self.largest / 2 + 2 * _GAP)
            clear = _apart(low[k], high[k], self.center[near]) >= self.sizes[near] / 2 + 2 * _GAP
            met = _meets(start, end[k], self.boxes[:, :2] - _GAP, self.boxes[:, 2:] + _GAP).any()
            others = ((self.center[j], other) for j, other in self.lines.items())
            if clear.all() and not met and not any(_meets(*line, low[k] - _GAP, high[k] + _GAP) for line in others):
                self.lines[i] = end[k]
                return self._take(low[k], high[k])
        return None

    def _free(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Return (k,) whether boxes are within the walls and on no label."""
        inside = (low >= self.walls[:2]).all(axis=1) & (high <= self.walls[2:]).all(axis=1)
        first, last = np.maximum(self.boxes[:, :2], low[:, None]), np.minimum(self.boxes[:, 2:], high[:, None])
        return inside & ~np.any(np.all(first < last, axis=2), axis=1)

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
