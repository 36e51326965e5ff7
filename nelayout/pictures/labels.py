"""Labels: each touches its node, has no nearer node, and covers no other label.

A label without a free position is left out. Labels of the most connected nodes come first, then labels of nodes with
more free space. The order of the nodes has no effect. Positions are chosen when the figure is drawn, so labels also fit
axes that change their size later.
"""

from __future__ import annotations

from typing import Any

import numpy as np
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
# Sides of a dot, best first: above, below, right, left, above and below to one side, at the corners.
_SIDES = np.array(
    [(0, 1), (0, -1), (1, 0), (-1, 0), (0.5, 1), (-0.5, 1), (0.5, -1), (-0.5, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)]
)
_NEARER = np.where(np.abs(_SIDES).min(axis=1) == 1, 0.5**0.5, 1.0)[:, None]  # position of a dot's rim at its corners


class Labels:
    """Labels of a drawing; they get new positions if the axes change their size.

    Y        (n, 2) positions of the nodes
    degree   (n,) numbers of neighbors
    texts    n texts, "" for a node without a label
    size     (n,) diameters of the dots in units of `Y`
    points   size of the letters
    chosen   whether the user has chosen these nodes: a warning lists labels that are left out
    counted  whether a note in the picture counts labels that are left out
    """

    def __init__(
        self, sheet: Sheet, Y: np.ndarray, degree: np.ndarray, texts: list[str], size: np.ndarray, points: float,
        chosen: bool, counted: bool,
    ):  # fmt: skip
        self.sheet, self.Y, self.texts, self.size, self.points = sheet, Y, texts, size, points
        self.chosen, self.counted, self.said = chosen, counted, ()
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
        small, wide = small_letters(), 72 * float(sheet.cell[0])
        lines = wrapped(_NOTE.format(len(self.asked), len(self.asked)), small, wide).count("\n") + 1
        note = 1.4 * small * lines if self.counted else 0.0
        scale, room = 72 / ax.figure.dpi, sheet.label_room(note)
        center, unit = ax.transData.transform(self.Y) * scale, sheet.points
        tree, boxes, sizes = KDTree(center), np.zeros((0, 4)), self.size * unit
        how = {"color": sheet.paper.ink, "zorder": 3, "parse_math": False, "ha": "center", "va": "center"}
        how |= {"path_effects": [withStroke(linewidth=2.0, foreground=sheet.paper.rgb)], "fontsize": self.points}
        for i in self.asked:
            found = self._place_of(i, center, sizes, tree, room, boxes)
            if found is None:
                self.left_out.append(i)
                continue
            boxes = np.concatenate([boxes, found[None]])
            x, y = self.Y[i] + ((found[:2] + found[2:]) / 2 - center[i]) / unit
            self.written.append(ax.text(x, y, self.texts[i], **how))
        if self.left_out and self.counted:
            said = wrapped(_NOTE.format(len(self.left_out), len(self.asked)), small, wide)
            how = {"color": sheet.paper.soft, "ha": "center", "va": "bottom", "fontsize": small}
            self.written.append(ax.text(0.0, sheet.note_height(note), said, transform=sheet.under(), **how))

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

    def _place_of(
        self, i: int, center: np.ndarray, sizes: np.ndarray, tree: KDTree, room: np.ndarray, boxes: np.ndarray
    ) -> np.ndarray | None:
        """Return the box x0, y0, x1, y1 of a label on the best free side of its dot, or None."""
        if i not in self.extent:
            return None
        extent = self.extent[i]
        low = center[i] + _SIDES * _NEARER * (sizes[i] / 2 + _GAP) - (1 - _SIDES) / 2 * extent
        high = low + extent
        own = np.hypot(*(low + extent / 2 - center[i]).T)
        reach = float(np.hypot(*extent)) + 2 * sizes.max() + 6 * _GAP
        near = np.array(tree.query_ball_point(center[i], reach), int)
        near = near[near != i]
        for k in np.flatnonzero((low >= room[:2]).all(axis=1) & (high <= room[2:]).all(axis=1)).tolist():
            over = np.maximum(boxes[:, :2], low[k]) < np.minimum(boxes[:, 2:], high[k])
            aside = np.maximum(np.maximum(low[k] - center[near], center[near] - high[k]), 0.0)
            clear = np.hypot(*aside.T) >= np.maximum(sizes[near], sizes[i]) / 2 + 2 * _GAP
            nearer = np.hypot(*(low[k] + extent / 2 - center[near]).T) > own[k] + _GAP
            if not over.all(axis=1).any() and clear.all() and nearer.all():
                return np.concatenate([low[k], high[k]])
        return None
