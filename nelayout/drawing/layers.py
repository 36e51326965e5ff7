"""The layers of a picture: edges, nodes, labels, and what the colors mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nelayout.drawing.colors import Coloring
from nelayout.placing.dots import dot_diameter

__all__ = ["LEGEND_STYLE", "dots", "edges", "explain", "labels", "nodes"]

_EDGES_SHOW = 500  # nodes from which dots of one color shrink faster: edges show the shape, dots add nothing
_NODE_POINTS = 0.25  # points, the least diameter of a node
_INK = 0.14  # share of the sheet that all edges darken together
_EDGE_POINTS = (0.25, 1.0)  # least and largest width of an edge
_EDGE_ALPHA = (0.004, 0.55)  # least and largest opacity of an edge; an 8-bit image keeps nothing of less
_BUNCH_FROM = 20_000  # edges above which several share a path
_ALL_LABELS = 60  # nodes up to which every label is written
_SOME_LABELS = 40  # labels of larger graphs, those of the highest degrees first
_LABEL_POINTS = 8.0
LEGEND_STYLE = {"frameon": False, "fontsize": 9, "handletextpad": 0.2, "borderaxespad": 0.0}


def edges(
    ax: Any,
    Y: np.ndarray,
    adjacency: Any,
    points: float,
    rgb: tuple,
    coloring: Coloring,
    raster: bool,
) -> None:
    """Draw the edges, longest first; a path holds several of nearly one length: 450,000 edges take a second."""
    from matplotlib.collections import LineCollection, PathCollection
    from matplotlib.path import Path as Outline

    rows = np.repeat(np.arange(len(Y)), np.diff(adjacency.indptr))
    upper = rows < adjacency.indices
    rows, cols = rows[upper], adjacency.indices[upper]
    m = len(rows)
    if m == 0:
        return
    length = np.hypot(*(Y[rows] - Y[cols]).T)
    order = np.argsort(-length, kind="stable")
    segments = np.stack([Y[rows[order]], Y[cols[order]]], axis=1)
    length = np.maximum(length[order] * points, 1e-6)
    sheet = ax.get_window_extent()
    area = float(sheet.width * sheet.height) * (72 / ax.figure.dpi) ** 2
    # alpha ~ length^(-1/2) beyond the median: the few long edges of a hairball do not hide the short ones
    fade = np.minimum(1.0, np.sqrt(np.median(length) / length))
    # thinner lines before fainter ones: roads and meshes stay dark, only hairballs are made transparent
    ink = _INK * area / float((length * fade).sum())
    width = float(np.clip(ink / _EDGE_ALPHA[1], *_EDGE_POINTS))
    alpha = np.clip(ink / width, *_EDGE_ALPHA) * fade
    colors = np.concatenate([np.tile(rgb, (m, 1)), np.maximum(alpha, _EDGE_ALPHA[0])[:, None]], axis=1)
    bunch = 1 if m <= _BUNCH_FROM else 8
    if len(coloring.rgba) > 1 and coloring.bounds is None:  # an edge within a class has its color
        ends = coloring.rgba[rows[order]], coloring.rgba[cols[order]]
        within = (ends[0] == ends[1]).all(axis=1)
        colors[within, :3] = ends[0][within, :3]
        colors[within, 3] = np.minimum(1.0, 1.5 * colors[within, 3])
        if bunch > 1:
            segments, colors = _by_color(segments, colors, bunch)
            m = len(segments)
    colors = colors[::bunch]
    how = {"linewidths": width, "edgecolors": colors, "zorder": 1, "rasterized": raster, "clip_on": False}
    if bunch == 1:
        ax.add_collection(LineCollection(list(segments), **how), autolim=False)
        return
    codes = np.tile(np.array([Outline.MOVETO, Outline.LINETO], dtype=Outline.code_type), bunch)
    flat = segments.reshape(-1, 2)
    paths = []
    for i in range(0, 2 * m, 2 * bunch):
        part = flat[i : i + 2 * bunch]
        paths.append(Outline(part, codes[: len(part)]))
    ax.add_collection(PathCollection(paths, facecolors="none", **how), autolim=False)


def _by_color(segments: np.ndarray, colors: np.ndarray, bunch: int) -> tuple[np.ndarray, np.ndarray]:
    """Segments, longest first, so that each ``bunch`` in a row has one color; a bunch short of some repeats its last.

    A path that goes over a segment twice darkens it once.

    >>> red, blue = [1.0, 0.0, 0.0, 0.5], [0.0, 0.0, 1.0, 0.5]
    >>> segments = np.arange(12.0).reshape(3, 2, 2)
    >>> segments, colors = _by_color(segments, np.array([red, blue, red]), 2)
    >>> segments[:, 0, 0].tolist(), colors[:, 0].tolist()
    ([0.0, 8.0, 4.0, 4.0], [1.0, 1.0, 0.0, 0.0])
    """
    group = np.unique(colors[:, :3], axis=0, return_inverse=True)[1].reshape(-1)
    bunches = []
    for color in range(int(group.max()) + 1):
        here = np.flatnonzero(group == color)
        bunches.append(np.pad(here, (0, -len(here) % bunch), mode="edge").reshape(-1, bunch))
    chosen = np.concatenate(bunches)
    chosen = chosen[np.argsort(chosen[:, 0], kind="stable")].ravel()
    return segments[chosen], colors[chosen]


def nodes(
    ax: Any,
    Y: np.ndarray,
    degree: np.ndarray,
    diameters: np.ndarray | None,
    points: float,
    colors: Coloring,
    raster: bool,
) -> np.ndarray:
    """Draw the nodes, small degrees first; returns their diameters in points.

    Dots of one color shrink with n until the edges are thicker, and are then left out but for isolated nodes.
    """
    from matplotlib.collections import EllipseCollection

    n = len(Y)
    if n == 0:
        return np.zeros(0)
    seen = np.ones(n, dtype=bool)
    if diameters is not None:
        size, given, units = diameters * points, diameters, "xy"
        seen = diameters > 0
    else:
        sheet = ax.get_window_extent()
        long, short = max(sheet.width, sheet.height), min(sheet.width, sheet.height)
        plain = len(colors.rgba) == 1
        dot = dot_diameter(n, short / long) * float(long) / 2 * 72 / ax.figure.dpi
        dot *= min(1.0, (_EDGES_SHOW / n) ** 0.25) if plain else 1.0
        size = np.full(n, max(dot, _NODE_POINTS))
        given, units = size, "points"
        if plain and dot <= _NODE_POINTS:
            seen = degree == 0  # a dot thinner than its edges shows nothing
    order = np.argsort(degree, kind="stable")
    order = order[seen[order]]
    if not len(order):
        return size
    outline = 0.0 if n > 3000 else float(np.clip(size.mean() * 0.09, 0.2, 0.8))
    ax.add_collection(
        EllipseCollection(
            given[order],
            given[order],
            np.zeros(len(order)),
            units=units,
            offsets=Y[order],
            offset_transform=ax.transData,
            facecolors=colors.rgba[order] if len(colors.rgba) == n else colors.rgba,
            edgecolors="white" if outline else "none",
            linewidths=outline,
            zorder=2,
            rasterized=raster,
            clip_on=False,
        ),
        autolim=False,
    )
    return size


def labels(ax: Any, Y: np.ndarray, degree: np.ndarray, texts: list[str], size: np.ndarray, points: float) -> None:
    """Write texts above, below or beside their nodes; of large graphs a text that finds no room is left out."""
    from matplotlib.patheffects import withStroke

    n = len(Y)
    order = np.argsort(-degree, kind="stable")
    order = order if n <= _ALL_LABELS else order[: 3 * _SOME_LABELS]
    wanted = n if n <= _ALL_LABELS else _SOME_LABELS
    center = Y * points
    half = np.maximum(size, 1.0)[order] / 2
    taken = np.concatenate([center[order] - half[:, None], center[order] + half[:, None]], axis=1)  # dots
    boxes = np.zeros((0, 4))
    halo = [withStroke(linewidth=2.0, foreground="white")]
    for i in order:
        text = texts[i]
        if not text or len(boxes) >= wanted:
            continue
        w, h = 0.58 * _LABEL_POINTS * len(text) / 2, 0.6 * _LABEL_POINTS
        r = size[i] / 2 + 1.5
        best = None
        for dx, dy in ((0, r + h), (0, -r - h), (r + w, 0), (-r - w, 0)):
            x, y = center[i, 0] + dx, center[i, 1] + dy
            box = np.array([x - w, y - h, x + w, y + h])
            clash = 10 * _meet(boxes, box) + _meet(taken, box)
            if best is None or clash < best[0]:
                best = (clash, x, y, box)
        if best is None or (n > _ALL_LABELS and best[0] >= 10):
            continue
        boxes = np.concatenate([boxes, best[3][None]])
        ax.text(
            best[1] / points,
            best[2] / points,
            text,
            fontsize=_LABEL_POINTS,
            color="#202020",
            ha="center",
            va="center",
            zorder=3,
            path_effects=halo,
            parse_math=False,
        )


def _meet(boxes: np.ndarray, box: np.ndarray) -> int:
    """How many of the boxes (x0, y0, x1, y1) overlap this one."""
    apart = (boxes[:, 0] >= box[2]) | (boxes[:, 2] <= box[0]) | (boxes[:, 1] >= box[3]) | (boxes[:, 3] <= box[1])
    return len(boxes) - int(apart.sum())


def dots(classes: Sequence[tuple[str, Any]]) -> list[Any]:
    """The entries of a legend: a dot in the color of each class, and its name."""
    from matplotlib.lines import Line2D

    how = {"linestyle": "", "marker": "o", "markersize": 7, "markeredgecolor": "white"}
    return [Line2D([], [], color=rgba, label=name, **how) for name, rgba in classes]


def explain(ax: Any, colors: Coloring) -> None:
    """Draw a legend of the classes, or a color bar, right of the drawing."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    if colors.classes:
        ax.legend(handles=dots(colors.classes), loc="center left", bbox_to_anchor=(1.01, 0.5), **LEGEND_STYLE)
    elif colors.bounds is not None:
        inset = ax.inset_axes((1.02, 0.2, 0.02, 0.6))
        bar = ax.figure.colorbar(ScalarMappable(Normalize(*colors.bounds), cmap="viridis"), cax=inset)
        bar.outline.set_visible(False)
        inset.tick_params(labelsize=8, length=2, color="#606060", labelcolor="#202020")
