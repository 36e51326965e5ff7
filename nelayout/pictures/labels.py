"""Texts beside nodes: none cut, none under the legend, and as few on one another as there is room for."""

from __future__ import annotations

import numpy as np

from nelayout.pictures.lettering import text_size
from nelayout.pictures.sheet import Sheet

__all__ = ["LABEL_POINTS", "write_labels"]

_ALL_LABELS = 60  # nodes up to which every label is written
_SOME_LABELS = 40  # labels of larger graphs, those of the highest degrees first
LABEL_POINTS = 8.0
# Places of a text about its node, best first: above, below, beside, at the corners.
_AROUND = ((0, 1), (0, -1), (1, 0), (-1, 0), (0.8, 0.8), (-0.8, 0.8), (0.8, -0.8), (-0.8, -0.8))
_RINGS = (0.0, 7.0, 16.0)  # points farther out, where all nearer places are taken
# Costs of a text that lies on another text, on a dot, or one place or one ring farther from the best one.
_ON_TEXT, _ON_DOT, _LATER, _FARTHER = 10.0, 1.0, 0.1, 0.5


def write_labels(sheet: Sheet, Y: np.ndarray, degree: np.ndarray, texts: list[str], size: np.ndarray) -> None:
    """Write texts beside their nodes; of large graphs a text that finds no room is left out."""
    from matplotlib.patheffects import withStroke

    n = len(Y)
    few = n <= _ALL_LABELS
    order = np.argsort(-degree, kind="stable")
    order = order if few else order[: 3 * _SOME_LABELS]
    center = (Y - sheet.origin) * sheet.points
    half = np.maximum(size, 1.0)[:, None] / 2
    dots = np.concatenate([center - half, center + half], axis=1)
    boxes = np.zeros((0, 4))
    halo = [withStroke(linewidth=2.0, foreground=sheet.paper.rgb)]
    for i in order.tolist():
        if not texts[i] or len(boxes) >= (n if few else _SOME_LABELS):
            continue
        places = _places(center[i], float(size[i]) / 2, text_size(texts[i], LABEL_POINTS), sheet.room)
        clash = np.array([_ON_TEXT * _meet(boxes, box) + _ON_DOT * _meet(dots, box) for box in places])
        ring, place = np.divmod(np.arange(len(places)), len(_AROUND))
        best = int(np.argmin(clash + _LATER * place + _FARTHER * ring))
        if not few and clash[best] >= _ON_TEXT:
            continue
        box = places[best]
        boxes = np.concatenate([boxes, box[None]])
        x, y = sheet.origin + (box[:2] + box[2:]) / 2 / sheet.points
        sheet.ax.text(
            x,
            y,
            texts[i],
            fontsize=LABEL_POINTS,
            color=sheet.paper.ink,
            ha="center",
            va="center",
            zorder=3,
            path_effects=halo,
            parse_math=False,
        )


def _places(
    center: np.ndarray, radius: float, extent: tuple[float, float], room: tuple[float, float, float, float]
) -> np.ndarray:
    """(24, 4) boxes x0, y0, x1, y1 about a dot, best first; one that sticks out of the room is moved into it."""
    half = np.array(extent) / 2 + [0.5, 0.0]
    aside = np.array(_AROUND)
    middles = np.concatenate([center + aside * (half + radius + 1.0 + ring) for ring in _RINGS])
    low, high = np.array(room[:2]) + half, np.array(room[2:]) - half
    middles = np.clip(middles, np.minimum(low, high), np.maximum(low, high))
    return np.concatenate([middles - half, middles + half], axis=1)


def _meet(boxes: np.ndarray, box: np.ndarray) -> int:
    """How many of the boxes (x0, y0, x1, y1) overlap this one."""
    apart = (boxes[:, 0] >= box[2]) | (boxes[:, 2] <= box[0]) | (boxes[:, 1] >= box[3]) | (boxes[:, 3] <= box[1])
    return len(boxes) - int(apart.sum())
