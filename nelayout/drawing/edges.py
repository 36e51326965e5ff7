"""Edges: lines under the nodes, thinner and then fainter the more ink they would need, with heads for arrows."""

from __future__ import annotations

from typing import Any

import numpy as np

from nelayout.drawing.lines import Lines
from nelayout.drawing.raster import paint
from nelayout.drawing.sheet import RASTER_FROM, Sheet

__all__ = ["edges"]

_INK = 0.14  # share of the sheet that all edges darken together
_THIN = (0.25, 1.0)  # points, least and largest width of an edge by default
_BY_NUMBER = (0.3, 4.0)  # points, least width, and the widest edge where widths are in proportion to numbers
_ALPHA = (0.004, 0.55)  # least and largest opacity of an edge; an 8-bit image keeps nothing of less
_LINES_UP_TO = 20_000  # edges up to which each is a line of its own
_HEAD = (5.5, 3.6)  # points, least length of an arrow's head, and its width
_FOG = 0.7  # share of its opacity that the farthest edge of a drawing in space loses


def edges(
    sheet: Sheet,
    Y: np.ndarray,
    lines: Lines,
    rgba: np.ndarray | None,
    sizes: np.ndarray,
    depth: np.ndarray | None = None,
) -> None:
    """Draw the lines, longest first.

    `rgba` (n, 4) are the colors of nodes of classes: an edge within a class has its color.  `sizes` (n,) are the
    diameters of the nodes in points, at whose borders arrows end.  `depth` (n,) is 0 for the nearest node of a drawing
    in space and 1 for the farthest, which is fainter.
    """
    m, n = len(lines.rows), len(Y)
    if m == 0:
        return
    length = np.maximum(np.hypot(*(Y[lines.rows] - Y[lines.cols]).T) * sheet.points, 1e-6)
    order = np.argsort(-length, kind="stable")
    rows, cols, length = lines.rows[order], lines.cols[order], length[order]
    # alpha ~ length^(-1/2) beyond the median, where there are many edges a node: the few long ones of a hairball do not
    # hide the short ones. The long edges of a tree are its limbs, and keep their strength.
    faded = 0.5 * float(np.clip(m / n - 1.0, 0.0, 1.0))
    fade = np.minimum(1.0, (np.median(length) / length) ** faded)
    # thinner lines before fainter ones: roads and meshes stay dark, only hairballs are made transparent
    area = float(np.prod(sheet.inches)) * 72**2
    ink = _INK * area / float((length * fade).sum())
    usual = float(np.clip(ink / _ALPHA[1], *_THIN))
    width = np.full(m, usual)
    if isinstance(lines.width, np.ndarray):
        largest = float(lines.width.max())
        width = np.maximum(_BY_NUMBER[1] * lines.width[order] / (largest or 1.0), _BY_NUMBER[0])
    elif lines.width is not None:
        width[:] = lines.width
    if lines.width is not None:
        usual = float((length * fade * width).sum() / (length * fade).sum()) or usual
    alpha = np.maximum(np.clip(ink / usual, *_ALPHA) * fade, _ALPHA[0])
    rgb = np.broadcast_to(lines.rgb, (m, 3))[order] if len(lines.rgb) == m else np.tile(lines.rgb, (m, 1))
    if rgba is not None and not lines.own:
        within = (rgba[rows] == rgba[cols]).all(axis=1)
        rgb[within] = rgba[rows[within], :3]
        alpha[within] = np.minimum(1.0, 1.5 * alpha[within])
    if lines.own:
        alpha = np.minimum(1.0, 1.8 * alpha)
    if depth is not None:
        alpha = alpha * (1.0 - _FOG * (depth[rows] + depth[cols]) / 2)
    if m > _LINES_UP_TO:
        dpi = sheet.image_dpi
        one = len(lines.rgb) == 1 and rgba is None
        paint(sheet.ax, Y, (rows, cols), 72 / dpi / sheet.points, alpha * width * dpi / 72, rgb[0] if one else rgb)
        return
    _draw(sheet, Y, (rows, cols), width, np.concatenate([rgb, alpha[:, None]], axis=1), sizes, lines.heads)


def _draw(
    sheet: Sheet,
    Y: np.ndarray,
    ends: tuple[np.ndarray, np.ndarray],
    width: np.ndarray,
    colors: np.ndarray,
    sizes: np.ndarray,
    heads: bool,
) -> None:
    from matplotlib.collections import LineCollection, PolyCollection

    start, end = Y[ends[0]], Y[ends[1]]
    how: dict[str, Any] = {"zorder": 1, "clip_on": False, "rasterized": len(Y) + len(start) > RASTER_FROM}
    if heads:
        along = (end - start) * sheet.points
        length = np.maximum(np.hypot(*along.T), 1e-9)[:, None]
        along = along / length
        across = along[:, ::-1] * [1.0, -1.0]
        free = length - sizes[ends[1]][:, None] / 2
        head = np.minimum(np.maximum(_HEAD[0], 2.5 * width[:, None]), np.maximum(free, 0.0))
        half = head * _HEAD[1] / _HEAD[0] / 2
        tip = end - along * (length - free) / sheet.points
        base = tip - along * head / sheet.points
        corners = np.stack([tip, base + across * half / sheet.points, base - across * half / sheet.points], axis=1)
        solid = np.concatenate([colors[:, :3], np.minimum(1.0, 1.5 * colors[:, 3:])], axis=1)
        sheet.ax.add_collection(
            PolyCollection(list(corners), facecolors=solid, edgecolors="none", **how), autolim=False
        )
        end = base
    segments = list(np.stack([start, end], axis=1))
    widths = width[0] if (width == width[0]).all() else width
    lines = LineCollection(segments, linewidths=widths, edgecolors=colors, capstyle="butt", **how)
    sheet.ax.add_collection(lines, autolim=False)
