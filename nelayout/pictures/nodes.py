"""Dots: what a node looks like, unless its size was given."""

from __future__ import annotations

from typing import Any

import numpy as np

from nelayout.pictures.raster import paint_dots
from nelayout.pictures.sheet import RASTER_FROM, Sheet
from nelayout.placing.dots import dot_diameter

__all__ = ["dot_points", "nodes"]

_EDGES_SHOW = 500  # nodes from which dots of one color shrink faster: edges show the shape, dots add nothing
_LEAST = 0.25  # points, the least diameter of a node
_SPECK = 1.0  # points, the dots of `RASTER_FROM` nodes: those of more without edges are not smaller, but an image
_OUTLINED = 3000  # nodes up to which dots have a white outline


def dot_points(sheet: Sheet, n: int, plain: bool) -> float:
    """Diameter of a dot in points; `plain` where all have one color and edges show the shape of a large graph."""
    long, short = float(sheet.inches.max()), float(sheet.inches.min())
    dot = dot_diameter(n, short / long) * long / 2 * 72
    return dot * min(1.0, (_EDGES_SHOW / max(n, 1)) ** 0.25) if plain else dot


def nodes(
    sheet: Sheet,
    Y: np.ndarray,
    degree: np.ndarray,
    diameters: np.ndarray | None,
    relative: np.ndarray | None,
    rgba: np.ndarray,
    depth: np.ndarray | None,
    shapes: np.ndarray | None = None,
) -> np.ndarray:
    """Draw the nodes, those of small degrees first, or in space those far behind; returns diameters in points.

    `diameters` are in units of `Y`, `relative` ones in usual dots.  Dots of one color are left out where they would be
    thinner than edges, but for isolated nodes.  More than `RASTER_FROM` dots without any edges are painted as an image,
    whose shades show how dense they lie.  `shapes` (n,) are numbers of shapes, circles without them.
    """
    from matplotlib.collections import EllipseCollection

    n = len(Y)
    if n == 0:
        return np.zeros(0)
    seen = np.ones(n, dtype=bool)
    if diameters is not None:
        size, given, units = diameters * sheet.points, diameters, "xy"
        seen = diameters > 0
    else:
        plain = len(rgba) == 1 and bool((degree > 0).any())
        dot = dot_points(sheet, n, plain)
        if n > RASTER_FROM and relative is None and not (degree > 0).any():
            dpi = sheet.image_dpi
            paint_dots(sheet.ax, Y, 72 / dpi / sheet.points, _SPECK * dpi / 72, rgba[:, :3])
            return np.full(n, _SPECK)
        size = np.maximum(dot * (np.ones(n) if relative is None else relative), _LEAST)
        given, units = size, "points"
        if plain and dot <= _LEAST:
            seen = degree == 0  # a dot thinner than its edges shows nothing
    order = np.argsort(degree if depth is None else -depth, kind="stable")
    order = order[seen[order]]
    if not len(order):
        return size
    outline = 0.0 if n > _OUTLINED else float(np.clip(size.mean() * 0.09, 0.2, 0.8))
    given = given[order]
    given = given[:1] if (given == given[0]).all() else given  # one outline, which a vector file holds once
    dots = EllipseCollection(
        given,
        given,
        np.zeros(len(given)),
        units=units,
        offsets=Y[order],
        offset_transform=sheet.ax.transData,
        facecolors=rgba[order] if len(rgba) == n else rgba,
        edgecolors=sheet.paper.rgb if outline else "none",
        linewidths=outline,
        zorder=2,
        rasterized=n + int(degree.sum()) // 2 > RASTER_FROM,
        clip_on=False,
    )
    if shapes is not None:
        outlines = _outlines()
        dots.set_paths([outlines[shape] for shape in shapes[order]])
    sheet.ax.add_collection(dots, autolim=False)
    return size


def _outlines() -> list[Any]:
    """Circle, triangle and square, by `palettes.class_shape`: all within the circle, so that dots stay apart."""
    from matplotlib.path import Path

    return [Path.unit_circle(), Path.unit_regular_polygon(3), Path.unit_regular_polygon(4).transformed(_eighth())]


def _eighth() -> Any:
    from matplotlib.transforms import Affine2D

    return Affine2D().rotate_deg(45.0)
