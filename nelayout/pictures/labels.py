"""Labels: each stands beside its node, and covers no other node and no other label.

Labels of the most connected nodes come first, then labels of nodes with more free space. The order of the nodes has no
effect. Of all free positions beside a node, a label takes one where it covers few edges. A thin line joins a label of a
chosen node to its node if there is no space beside the node. Other labels without space are left out. Positions are
chosen when the figure is drawn, so labels also fit axes that change their size later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
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
_BEAD = 3.0  # points between points of an edge; a label covers few of these points
_AMBIGUOUS = 10.0  # such points that a label covers rather than being centered nearer to another node
_OVER_DOT = 60.0  # points by which a line is longer rather than passing over another dot
_RINGS = 24  # distances from a node to labels with a line
_TRIED = 256  # positions at the end of a line that are tried at once, for memory
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
    warning lists labels that are left out. `ends` (m, 2) are the nodes of the edges.
    """

    def __init__(
        self, sheet: Sheet, Y: np.ndarray, degree: np.ndarray, texts: list[str], size: np.ndarray, points: float,
        ends: np.ndarray, chosen: bool,
    ):  # fmt: skip
        self.sheet, self.Y, self.texts, self.size, self.points = sheet, Y, texts, size, points
        self.ends = ends if len(ends) <= STYLE.max_vector_items else ends[:0]
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
        center = ax.transData.transform(self.Y) * scale
        paper = center, self.size * sheet.points, sheet.label_room(note), self.points, _beads(center[self.ends])
        room, found, best, hard = _Room(*paper), {}, (0, 0.0), list[int]()
        for _ in range(STYLE.label_rounds if self.chosen else 1):  # labels without space or with long lines come first
            trial = _Room(*paper)
            first = {i: trial.beside(i, self.extent[i]) for i in hard}
            first |= {i: trial.apart(i, self.extent[i]) for i, box in first.items() if box is None}
            tried = {i: trial.beside(i, each) for i, each in self.extent.items() if first.get(i) is None}
            if self.chosen:
                tried |= {i: trial.apart(i, self.extent[i]) for i, box in tried.items() if box is None}
            tried = {i: box for i, box in (first | tried).items() if box is not None}
            lengths = {i: float(np.hypot(*(end - trial.center[i]))) for i, end in trial.lines.items()}
            value = len(tried), -sum(lengths.values())
            if value <= best:
                break
            room, found, best = trial, tried, value
            hard = [i for i in self.extent if i not in found or lengths.get(i, 0.0) > STYLE.short_leader * self.points]
        how = {"color": sheet.paper.ink, "zorder": 3, "parse_math": False, "ha": "center", "va": "center"}
        how |= {"path_effects": [withStroke(linewidth=2.0, foreground=sheet.paper.rgb)], "fontsize": self.points}
        self.left_out = [i for i in self.asked if i not in found]
        for i, box in found.items():
            x, y = self._position(i, (box[:2] + box[2:]) / 2, room)
            self.written.append(ax.text(x, y, self.texts[i], **how))
        thin = {"color": sheet.paper.soft, "alpha": 0.7, "linewidth": STYLE.leader, "clip_on": False}
        thin |= {"zorder": 1.5, "solid_capstyle": "butt"}  # over edges, under dots
        for i, end in room.lines.items():
            ends = np.stack([self._position(i, each, room) for each in (room.rim(i, end), end)], axis=1)
            self.written.append(ax.add_artist(Line2D(*ends, **thin)))
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
    """Free space in points around dots (n, 2), within the walls x0, y0, x1, y1.

    Letters have `points`; labels keep half a letter apart. `beads` (k, 2) are points on edges.
    """

    def __init__(
        self, center: np.ndarray, sizes: np.ndarray, walls: np.ndarray, points: float, beads: np.ndarray
    ) -> None:
        self.center, self.sizes, self.walls, self.tree = center, sizes, walls, KDTree(center)
        self.beads, self.edges = beads, KDTree(beads) if len(beads) else None
        self.space = np.array([STYLE.label_space * points, 0.0])
        self.boxes = np.zeros((0, 4))  # of the labels so far
        self.lines: dict[int, np.ndarray] = {}  # {node: the other end of the line that joins it to its label}
        self.largest = float(sizes.max())

    def beside(self, i: int, extent: np.ndarray) -> np.ndarray | None:
        """Take and return the best free box beside or, without a dot, on a node; None without one."""
        center, sizes = self.center, self.sizes
        off = sizes[i] / 2 + _GAP * np.repeat([1.0, 2.0], len(_STEPS))
        middle = (_MIDDLES * extent / 2 + off.reshape(2, -1, 1) * _STEPS).reshape(-1, 2)
        if sizes[i] == 0:
            off, middle = np.append(0.0, off), np.concatenate([np.zeros((1, 2)), middle])
        low, high = center[i] + middle - extent / 2, center[i] + middle + extent / 2
        free = np.flatnonzero(self._free(low, high))
        reach = float(np.hypot(*extent)) + 9 * _GAP
        near = np.array(self.tree.query_ball_point(center[i], reach + 2 * self.largest), int)
        near = near[near != i]
        # A text may be narrower than its box: then its end is farther from its own dot.
        slack = np.where(abs(middle[:, 0]) >= extent[0] / 2, extent[0] * (1.0 - 1.0 / STYLE.hinting) / 2, 0.0)
        gap = np.maximum(sizes[near] / 2, (off + slack)[free, None]) + 2 * _GAP
        clear = (_apart(low[free, None], high[free, None], center[near]) >= gap).all(axis=1)
        free = free[clear]
        if not len(free):
            return None
        others = center[i] + middle[free, None] - center[near]
        nearer = np.hypot(others[..., 0], others[..., 1]) > np.hypot(*middle[free].T)[:, None] + _GAP
        cost = 0.1 * free + _AMBIGUOUS * ~nearer.all(axis=1)
        if self.edges is not None:
            beads = self.beads[self.edges.query_ball_point(center[i], reach + self.largest)]
            inside = (beads > low[free, None]) & (beads < high[free, None])
            cost = cost + inside.all(axis=2).sum(axis=1)
        best = 0 if sizes[i] == 0 and free[0] == 0 else free[np.argmin(cost)]  # without a dot, on the node
        return self._take(low[best], high[best])

    def apart(self, i: int, extent: np.ndarray) -> np.ndarray | None:
        """Take and return the nearest free box for a label.

        Its line to the node meets no label and no other line, and no other dot if possible.
        """
        start = self.center[i]
        if (self.center == start).all(axis=1).sum() > 1:
            return None  # a line would point to several nodes
        farthest = STYLE.longest_leader * float(np.hypot(*(self.walls[2:] - self.walls[:2])))
        rings = self.sizes[i] / 2 + np.geomspace(extent[1], max(farthest, 2 * extent[1]), _RINGS)
        middle = start + (rings[:, None, None] * _AIMS).reshape(-1, 2)
        low, high = middle - extent / 2, middle + extent / 2
        end = np.clip(start, low, high)
        length = np.hypot(*(end - start).T)
        order = np.argsort(length, kind="stable")
        near = np.flatnonzero(np.hypot(*(self.center - start).T) < farthest + np.hypot(*extent) + self.largest)
        near = near[near != i]
        dots, radius = self.center[near], self.sizes[near] / 2
        wide = self.boxes + np.concatenate([-self.space, self.space]) / 2
        best, least = -1, np.inf
        for some in np.split(order, range(_TRIED, len(order), _TRIED)):
            if least <= length[some[0]]:
                break
            some = some[self.tree.query(middle[some])[0] > extent[1] / 2]
            some = some[self._free(low[some], high[some])]
            some = some[(_apart(low[some, None], high[some, None], dots) >= radius + 2 * _GAP).all(axis=1)]
            some = some[~_meets(start, end[some, None], wide[:, :2], wide[:, 2:]).any(axis=1)]
            some = some[~_cross(start, end[some, None], *self._leaders()).any(axis=1)]
            cost = length[some] + _OVER_DOT * (_aside(start, end[some, None], dots) < radius + _GAP).sum(axis=1)
            if len(some) and cost.min() < least:
                best, least = int(some[np.argmin(cost)]), float(cost.min())
        if best < 0:
            return None
        self.lines[i] = end[best]
        return self._take(low[best], high[best])

    def rim(self, i: int, end: np.ndarray) -> np.ndarray:
        """Return the point on the rim of a dot where its line to `end` starts."""
        way = end - self.center[i]
        return self.center[i] + way * min(1.0, self.sizes[i] / 2 / (float(np.hypot(*way)) or 1.0))

    def _leaders(self) -> tuple[np.ndarray, np.ndarray]:
        """Return both ends (k, 2) of the lines so far."""
        nodes = list(self.lines)
        return self.center[nodes].reshape(-1, 2), np.array([self.lines[i] for i in nodes]).reshape(-1, 2)

    def _free(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Return (k,) whether boxes are within the walls, on no line, and apart from each label."""
        free = np.all((low >= self.walls[:2]) & (high <= self.walls[2:]), axis=1)
        if not free.any():
            return free
        least, most = low[free].min(axis=0) - self.space, high[free].max(axis=0) + self.space
        near = self.boxes[np.all((self.boxes[:, :2] < most) & (self.boxes[:, 2:] > least), axis=1)]
        apart = (high[:, None] + self.space <= near[:, :2]) | (near[:, 2:] <= low[:, None] - self.space)
        met = _meets(*self._leaders(), low[:, None] - self.space / 2, high[:, None] + self.space / 2)
        return np.asarray(free & np.all(np.any(apart, axis=2), axis=1) & ~np.any(met, axis=1))

    def _take(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        box = np.concatenate([low, high])
        self.boxes = np.concatenate([self.boxes, box[None]])
        return box


def _beads(ends: np.ndarray) -> np.ndarray:
    """Return points (k, 2) on lines with `ends` (m, 2, 2): a label on a line covers some."""
    count = np.ceil(np.hypot(*(ends[:, 1] - ends[:, 0]).T) / _BEAD).astype(int)
    line = np.repeat(np.arange(len(ends)), count)
    share = (np.arange(len(line)) - np.repeat(np.cumsum(count) - count, count) + 0.5) / np.maximum(count[line], 1)
    return ends[line, 0] + share[:, None] * (ends[line, 1] - ends[line, 0])


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


def _cross(start: np.ndarray, end: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Return whether lines from `start` to `end` cross lines from `first` to `last`.

    >>> _cross(np.zeros(2), np.ones(2), np.array([[0.0, 1.0], [2.0, 1.0]]), np.array([[1.0, 0.0], [3.0, 0.0]])).tolist()
    [True, False]
    """
    sides = _side(start, end, first) * _side(start, end, last), _side(first, last, start) * _side(first, last, end)
    return (sides[0] <= 0) & (sides[1] <= 0)


def _side(start: np.ndarray, end: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return numbers of one sign for points on one side of a line."""
    way, to = end - start, points - start
    return way[..., 0] * to[..., 1] - way[..., 1] * to[..., 0]


def _aside(start: np.ndarray, end: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return the distances of points to lines from `start` to `end`.

    >>> _aside(np.zeros(2), np.array([2.0, 0.0]), np.array([[1.0, 3.0], [5.0, 4.0]])).tolist()
    [3.0, 5.0]
    """
    way = end - start
    share = ((points - start) * way).sum(axis=-1) / np.maximum((way**2).sum(axis=-1), 1e-12)
    foot = start + np.clip(share, 0.0, 1.0)[..., None] * way
    return np.hypot(points[..., 0] - foot[..., 0], points[..., 1] - foot[..., 1])
