"""Dots: the nodes of a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nelayout.pictures.paper import MIN_WIDTH, RASTER_FROM
from nelayout.pictures.raster import paint_dots
from nelayout.placing.final import dot_diameter

if TYPE_CHECKING:
    from nelayout.pictures.sheet import Sheet

__all__ = ["dot_points", "draw_nodes"]

_SHRINK_FROM = 500  # number of nodes above which dots of one color shrink faster: edges show the shape
_MIN_POINTS = 1.1  # points, the least diameter of a dot, unless it has one color and the edges are an image


def dot_points(inches: np.ndarray, n: int, plain: bool) -> float:
    """Return the points of a dot in `inches` of drawing; `plain`: one color, and edges exist."""
    long, short = float(inches.max()), float(inches.min())
    dot = dot_diameter(n, short / long) * long / 2 * 72
    if plain:
        dot *= min(1.0, (_SHRINK_FROM / max(n, 1)) ** 0.25)
    return dot if plain and n > RASTER_FROM else max(dot, _MIN_POINTS)


def draw_nodes(
    sheet: Sheet, Y: np.ndarray, degree: np.ndarray, diameters: np.ndarray | None, relative: np.ndarray | None, rgba:
    np.ndarray, depth: np.ndarray | None, shapes: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    """Draw the nodes, small degrees or far ones first; return their diameters in units of `Y`.

    `diameters` are also in these units, `relative` ones in usual dots. Dots of one color that would be thinner than
    edges are left out, except isolated nodes. More than RASTER_FROM dots without edges become an image.
    """
    from matplotlib.collections import EllipseCollection

    n = len(Y)
    if n == 0:
        return np.zeros(0)
    if diameters is not None:
        seen = diameters > 0
    else:
        plain = len(rgba) == 1 and bool((degree > 0).any())
        dot = dot_points(sheet.inches, n, plain)
        if n > RASTER_FROM and relative is None and not (degree > 0).any():
            dpi = sheet.image_dpi
            paint_dots(sheet.ax, Y, 72 / dpi / sheet.points, dpi / 72, rgba)  # one point wide
            return np.full(n, 1 / sheet.points)
        size = np.maximum(dot * (np.ones(n) if relative is None else relative), MIN_WIDTH)
        diameters = size / sheet.points
        seen = degree == 0 if plain and dot <= MIN_WIDTH else np.ones(n, dtype=bool)
    order = np.argsort(degree if depth is None else -depth, kind="stable")
    order = order[seen[order]]
    if not len(order):
        return diameters
    outline = min(0.09 * float(diameters.mean()) * sheet.points, 0.8)
    outline = outline if outline >= MIN_WIDTH else 0.0
    given = diameters[order]
    given = given[:1] if (given == given[0]).all() else given  # vector files store a common outline once
    how = {"edgecolors": sheet.paper.rgb if outline else "none", "linewidths": outline, "zorder": 2, "clip_on": False}
    how |= {"facecolors": rgba[order] if len(rgba) == n else rgba, "units": "xy"}
    how |= {"offsets": Y[order], "offset_transform": sheet.ax.transData}
    raster = n + int(degree.sum()) // 2 > RASTER_FROM
    dots = EllipseCollection(given, given, np.zeros(len(given)), rasterized=raster, **how)
    if shapes is not None:
        outlines = _outlines()
        dots.set_paths([outlines[shape] for shape in shapes[order]])
    sheet.ax.add_collection(dots, autolim=False)
    return diameters


def _outlines() -> list[Any]:
    """Return circle, triangle and square, all within the circle, so that dots stay apart."""
    from matplotlib.path import Path
    from matplotlib.transforms import Affine2D

    square = Path.unit_regular_polygon(4).transformed(Affine2D().rotate_deg(45.0))
    return [Path.unit_circle(), Path.unit_regular_polygon(3), square]
