"""Edges: lines under the nodes, thinner and then fainter the more ink they would need, with heads for arrows."""

from __future__ import annotations

from typing import Any

import numpy as np

from nelayout.errors import InputError, unknown
from nelayout.pictures.bundles import BUNDLED_UP_TO, curves, detours
from nelayout.pictures.lines import Lines
from nelayout.pictures.raster import paint
from nelayout.pictures.sheet import RASTER_FROM, Sheet

__all__ = ["STYLES", "check_style", "edges", "faintness"]

STYLES = ("straight", "faded", "bundled")

_INK = 0.14  # share of the sheet that all edges darken together
_THIN = (0.25, 1.0)  # points, least and largest width of an edge by default
_BY_NUMBER = (0.3, 4.0)  # points, least width, and the widest edge where widths are in proportion to numbers
_ALPHA = (0.004, 0.55)  # least and largest opacity of an edge; an 8-bit image keeps nothing of less
_LINES_UP_TO = 20_000  # edges up to which each is a line of its own
_HEAD = (5.5, 3.6)  # points, least length of an arrow's head, and its width
_FOG = 0.7  # share of its opacity that the farthest edge of a drawing in space loses
_BY_LENGTH = {"straight": 0.5, "faded": 1.0, "bundled": 0.25}  # powers of length that edges fade by, see `faintness`
_FAINTEST = 0.1  # factor of the longest faded edges: set by eye, so that single ones are just seen
_CURVED_UP_TO = 100_000  # points of lines up to which vector files hold them: four megabytes of svg
_HEAD_FROM = 5  # points of a curve from its end, from where on it is straight enough for the direction of its head


def check_style(style: Any, m: int) -> None:
    """Raise `InputError` for a way to draw edges that there is not, or that `m` edges are too many for."""
    if style not in STYLES:
        raise unknown("edges", style, STYLES) if isinstance(style, str) else InputError(
            f"edges is {style!r}; allowed are {', '.join(map(repr, STYLES))}"
        )
    if style == "bundled" and m > BUNDLED_UP_TO:
        raise InputError(
            f"the graph has {m:,} edges, and edges='bundled' takes up to {BUNDLED_UP_TO:,}, as its time grows with "
            "the square of their number; edges='faded' lets the clusters of any graph show"
        )


def faintness(length: np.ndarray, n: int, style: str) -> np.ndarray:
    """(m,) factors of opacity, up to 1, of edges of these lengths between n nodes.

    In "straight" pictures they fall with the root of the length beyond the median, where there are many edges a node:
    the few long edges of a hairball do not hide the short ones, and those of a tree, its limbs, keep their strength. If
    "faded" they fall with the length itself beyond the lower quartile, in any graph, to a tenth: a long edge has hardly
    more ink than a short one, and what is dense are the clusters.
    """
    usual = float(np.quantile(length, 0.25 if style == "faded" else 0.5))
    crowded = 1.0 if style == "faded" else float(np.clip(len(length) / n - 1.0, 0.0, 1.0))
    least = 1e-9 * (float(length.max()) or 1.0)  # of edges between nodes at one place
    fade = np.minimum(1.0, (max(usual, least) / np.maximum(length, least)) ** (crowded * _BY_LENGTH[style]))
    return np.maximum(fade, _FAINTEST) if style == "faded" else fade


def edges(
    sheet: Sheet,
    Y: np.ndarray,
    lines: Lines,
    rgba: np.ndarray | None,
    sizes: np.ndarray,
    depth: np.ndarray | None = None,
    style: str = "straight",
) -> None:
    """Draw the lines, longest first; see `nelayout.draw` for the `style`.

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
    fade = faintness(length, n, style)
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
    tracks = curves(Y, detours(Y, rows, cols)) if style == "bundled" else list(np.stack([Y[rows], Y[cols]], axis=1))
    raster = n + m > RASTER_FROM or sum(map(len, tracks)) > _CURVED_UP_TO
    _draw(sheet, tracks, width, np.concatenate([rgb, alpha[:, None]], axis=1), sizes[cols], lines.heads, raster)


def _draw(
    sheet: Sheet,
    tracks: list[np.ndarray],
    width: np.ndarray,
    colors: np.ndarray,
    sizes: np.ndarray,
    heads: bool,
    raster: bool,
) -> None:
    """Draw lines through the points (2 or more, 2) of `tracks`; heads end at dots of these `sizes` (m,), in points."""
    from matplotlib.collections import LineCollection, PolyCollection

    how: dict[str, Any] = {"zorder": 1, "clip_on": False, "rasterized": raster}
    if heads:
        start = np.array([track[-min(len(track), _HEAD_FROM)] for track in tracks])
        end = np.array([track[-1] for track in tracks])
        along = (end - start) * sheet.points
        length = np.maximum(np.hypot(*along.T), 1e-9)[:, None]
        along = along / length
        across = along[:, ::-1] * [1.0, -1.0]
        free = length - sizes[:, None] / 2
        head = np.minimum(np.maximum(_HEAD[0], 2.5 * width[:, None]), np.maximum(free, 0.0))
        half = head * _HEAD[1] / _HEAD[0] / 2
        tip = end - along * (length - free) / sheet.points
        base = tip - along * head / sheet.points
        corners = np.stack([tip, base + across * half / sheet.points, base - across * half / sheet.points], axis=1)
        solid = np.concatenate([colors[:, :3], np.minimum(1.0, 1.5 * colors[:, 3:])], axis=1)
        sheet.ax.add_collection(
            PolyCollection(list(corners), facecolors=solid, edgecolors="none", **how), autolim=False
        )
        tracks = [_up_to(track, foot) for track, foot in zip(tracks, base, strict=True)]
    widths = width[0] if (width == width[0]).all() else width
    lines = LineCollection(tracks, linewidths=widths, edgecolors=colors, capstyle="butt", joinstyle="round", **how)
    sheet.ax.add_collection(lines, autolim=False)


def _up_to(track: np.ndarray, foot: np.ndarray) -> np.ndarray:
    """The track with `foot`, near its end, for its end: points that lie nearer to the end than that are left out."""
    away = np.hypot(*(track - track[-1]).T)
    before = track[:-1][away[:-1] > np.hypot(*(foot - track[-1]))]
    return np.concatenate([before if len(before) else track[:1], foot[None]])
