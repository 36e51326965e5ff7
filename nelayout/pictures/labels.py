"""Labels: each touches its own node, is nearer to it than to any other node, and covers no other label.

A label without such a place is left out, and a note in the picture says how many. Labels are placed when the figure is
drawn, so they also fit axes that change their size later.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.patheffects import withStroke
from scipy.spatial import KDTree

from nelayout.pictures.legend import NOTE_POINTS, text_size
from nelayout.pictures.sheet import Sheet

__all__ = ["write_labels"]

_TRIED = 1000  # labels of the most connected nodes that are placed: more would cover a page
_OFF = 1.0  # points between a label and its dot, and by which other dots must be farther away
_HINTED = (1.08, 1.1)  # texts are up to so much wider and higher at some resolutions
# Sides of a dot, best first: above, below, right, left, above and below to one side, at the corners.
_SIDES = np.array(
    [(0, 1), (0, -1), (1, 0), (-1, 0), (0.5, 1), (-0.5, 1), (0.5, -1), (-0.5, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)]
)
_NEARER = np.where(np.abs(_SIDES).min(axis=1) == 1, 0.5**0.5, 1.0)[:, None]  # the rim of a dot at its corners


def write_labels(
    sheet: Sheet, Y: np.ndarray, degree: np.ndarray, texts: list[str], size: np.ndarray, points: float
) -> None:
    """Write texts beside the nodes `Y` (n, 2); `size` (n,) are the diameters of the dots in points."""
    labels = _Labels(sheet, Y, degree, texts, size, points)
    sheet.ax.add_artist(labels)
    labels.place(sheet.points)


class _Labels(Artist):
    """The labels of a drawing: placed again if the axes have a new size when they are drawn."""

    def __init__(
        self, sheet: Sheet, Y: np.ndarray, degree: np.ndarray, texts: list[str], size: np.ndarray, points: float
    ):
        super().__init__()
        self.set_zorder(2.5)
        self.set_in_layout(False)
        self.sheet, self.Y, self.texts, self.size, self.letters = sheet, Y, texts, size, points
        asked = [i for i in np.argsort(-degree, kind="stable").tolist() if texts[i]]
        self.asked, self.tried = len(asked), asked[:_TRIED]
        self.extent = {i: np.array(text_size(texts[i], points)) * _HINTED for i in self.tried}
        self.unit, self.written = 0.0, []

    def draw(self, renderer: Any) -> None:
        """Place and draw the labels if the size of the axes has changed; else the axes draw them."""
        ax = self.sheet.ax
        (x0, _), (x1, _) = ax.transData.transform([(0.0, 0.0), (1.0, 0.0)])
        unit = (x1 - x0) / ax.figure.dpi * 72
        if abs(unit - self.unit) > 1e-6 * self.unit:
            self.place(unit)
            for text in self.written:
                text.draw(renderer)

    def place(self, unit: float) -> None:
        """Write the labels that have a place, if a unit of the positions has `unit` points."""
        sheet = self.sheet
        for text in self.written:
            text.set_visible(False)
            text.remove()
        self.unit, self.written = unit, []
        center = (self.Y - sheet.origin) * unit
        room = np.array(sheet.room) * unit / sheet.points
        note = 1.4 * NOTE_POINTS if self.asked else 0.0
        room[1] = max(room[1], note)
        tree, boxes = KDTree(center), np.zeros((0, 4))
        halo = [withStroke(linewidth=2.0, foreground=sheet.paper.rgb)]
        how = {"color": sheet.paper.ink, "zorder": 3, "path_effects": halo, "parse_math": False}
        how |= {"ha": "center", "va": "center"}
        for i in self.tried:
            found = self._place_of(i, center, tree, room, boxes)
            if found is not None:
                boxes = np.concatenate([boxes, found[None]])
                x, y = sheet.origin + (found[:2] + found[2:]) / 2 / unit
                self.written.append(sheet.ax.text(x, y, self.texts[i], fontsize=self.letters, **how))
        left_out = self.asked - len(self.written)
        if left_out:
            said = f"{left_out:,} of {self.asked:,} labels have no room beside their node"
            how = {"color": sheet.paper.soft, "ha": "center", "va": "bottom", "parse_math": False}
            where = {"transform": sheet.ax.transAxes, "fontsize": NOTE_POINTS}
            self.written.append(sheet.ax.text(0.5, 0.0, said, **how, **where))

    def _place_of(
        self, i: int, center: np.ndarray, tree: KDTree, room: np.ndarray, boxes: np.ndarray
    ) -> np.ndarray | None:
        """Return the box x0, y0, x1, y1 of a label on the best free side of its dot; None if there is no place."""
        extent = self.extent[i]
        low = center[i] + _SIDES * _NEARER * (self.size[i] / 2 + _OFF) - (1 - _SIDES) / 2 * extent
        high = low + extent
        own = np.hypot(*(low + extent / 2 - center[i]).T)
        reach = float(np.hypot(*extent)) + 2 * self.size.max() + 6 * _OFF
        near = np.array(tree.query_ball_point(center[i], reach), int)
        near = near[near != i]
        for k in np.flatnonzero((low >= room[:2]).all(axis=1) & (high <= room[2:]).all(axis=1)).tolist():
            over = np.maximum(boxes[:, :2], low[k]) < np.minimum(boxes[:, 2:], high[k])
            aside = np.maximum(np.maximum(low[k] - center[near], center[near] - high[k]), 0.0)
            clear = np.hypot(*aside.T) >= np.maximum(self.size[near], self.size[i]) / 2 + 2 * _OFF
            nearer = np.hypot(*(low[k] + extent / 2 - center[near]).T) > own[k] + _OFF
            if not over.all(axis=1).any() and clear.all() and nearer.all():
                return np.concatenate([low[k], high[k]])
        return None
