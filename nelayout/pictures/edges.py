"""Edges of a picture: straight, faded or bundled lines under the nodes, arrows with heads.

Edge-path bundling bends a long edge along a path of shorter edges between its own ends, so that edges run together.
Source: Wallinger, Archambault, Auber, Nöllenburg and Peltonen, "Edge-Path Bundling: A Less Ambiguous Edge Bundling
Approach". IEEE Transactions on Visualization and Computer Graphics 28(1), 2022. Here edge 0 - 2 is bent:

>>> Y = np.array([[0.0, 0.0], [1.0, 0.4], [2.0, 0.0]])
>>> ways = detours(Y, np.array([0, 1, 0]), np.array([1, 2, 2]))
>>> [way.tolist() for way in ways]
[[0, 1], [1, 2], [0, 1, 2]]
>>> curves(Y, ways)[2][[0, STYLE.curve_points // 2, -1]].round(2).tolist()
[[0.0, 0.0], [1.0, 0.2], [2.0, 0.0]]
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from nelayout import graphs
from nelayout.errors import InputError, unknown
from nelayout.graphs.host import warn_of_others
from nelayout.graphs.plain import Named, categories_of, is_missing, listed, name_of
from nelayout.graphs.to_floats import numbers, short_repr
from nelayout.pictures.colors import Coloring, Inks, of_values
from nelayout.pictures.raster import paint
from nelayout.pictures.style import STYLE

if TYPE_CHECKING:
    from nelayout.pictures.sheet import Sheet

__all__ = ["Lines", "check_style", "curves", "detours", "draw_edges", "read_lines", "strokes"]

# Edge style -> power of the length by which edges fade, see `strokes`.
_FADES = {"straight": 0.5, "faded": 1.0, "bundled": 0.25, "none": 0.0}


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Lines of a picture: one per pair of nodes, or per edge if edges differ; loops are last."""

    rows: np.ndarray  # (m,)
    cols: np.ndarray  # (m,) arrows point to these nodes
    width: float | np.ndarray | None  # points, or (m,) numbers that widths are in proportion to
    rgb: np.ndarray  # (m, 3), or (1, 3) for one color
    own: bool  # whether each edge has a color from the caller
    heads: bool  # whether lines are arrows
    colors: Coloring | None = None  # the meaning of the colors, if they are classes or a scale


def check_style(style: object, m: int) -> None:
    """Raise `InputError` for an unknown style, or for more edges than can be bundled."""
    if not isinstance(style, str):
        raise InputError(f"edges must be one of {', '.join(map(repr, _FADES))}; got {style!r}")
    if style not in _FADES:
        raise unknown("edges", style, _FADES)
    if style == "bundled" and m > STYLE.max_vector_items:
        most = f"{STYLE.max_vector_items:,}"
        raise InputError(f"edges='bundled' takes up to {most} edges; the graph has {m:,}. Draw them with edges='faded'")


def read_lines(
    G: object, network: graphs.Network, color: Any, width: Any, arrows: bool | str, style: str, inks: Inks
) -> Lines:
    """Return the lines of `G`, which was read as `network`; see `nelayout.draw` for the rules."""
    from matplotlib.colors import is_color_like, to_rgb

    if arrows not in (True, False, "auto"):
        raise InputError(f'arrows must be True, False or "auto"; got {arrows!r}')
    adjacency = network.adjacency
    n, pairs = len(network.labels), adjacency.nnz // 2
    heads = network.directed and (pairs <= STYLE.max_diagram_items if isinstance(arrows, str) else arrows)
    check_style(style, pairs)
    if style == "none":
        return Lines(np.zeros(0, int), np.zeros(0, int), None, np.zeros((1, 3)), False, False)
    one_color = isinstance(color, (str, tuple)) and is_color_like(color)
    one_width = width is None or isinstance(width, (int, float, np.number))
    if one_width and width is not None and not (np.isfinite(width) and width >= 0):
        raise InputError(f"edge_width must be points, a number >= 0; got {width!r}")
    points: Any = None if width is None or not one_width else float(width)
    rows = np.repeat(np.arange(n), np.diff(adjacency.indptr))
    if G is None and not (one_color and one_width):
        raise InputError("edge_color and edge_width for each edge need a graph; points without a graph have no edges")
    links = graphs.links(G) if G is not None else graphs.Links(rows, rows, (), lambda _: [])
    # The diagonal of a matrix makes no loops: similarities often have full diagonals.
    loop = (links.rows == links.cols) & (not isinstance(network.host, graphs.ArrayHost))
    loops = np.unique(links.rows[loop])
    if one_color and one_width and not heads:
        upper = rows < adjacency.indices
        start, end = (np.append(ends[upper], loops).astype(np.int64) for ends in (rows, adjacency.indices))
        return Lines(start, end, points, np.array([to_rgb(color)]), False, False)
    # Keep the edges that the network has: no edges of weight 0 if weights were read.
    kept = np.flatnonzero(np.isin(links.rows * n + links.cols, rows * n + adjacency.indices) | loop)
    kept = kept[np.argsort(loop[kept], kind="stable")]
    labels = network.labels

    def name(k: int) -> str:
        return f"edge ({short_repr(labels[links.rows[k]])}, {short_repr(labels[links.cols[k]])})"

    found = None if one_color else of_values(_each(color, "edge_color", links, network), "edge_color", inks=inks)
    rgb = np.array([to_rgb(color)]) if found is None else found.rgba.reshape(-1, 4)[kept, :3]
    if not one_width:
        widths = [1.0 if value is None else value for value in _each(width, "edge_width", links, network)]
        points = numbers(widths, "edge_width", name, nonnegative=True)[kept]
    explained = None if found is None else replace(found, of_edges=True, shapes=None)
    return Lines(links.rows[kept], links.cols[kept], points, rgb, not one_color, heads, explained)


def _each(x: Any, what: str, links: graphs.Links, network: graphs.Network) -> Named:
    """Return one value per edge, or None, from an attribute's name, a mapping or a list.

    Warn of keys that are not edges.
    """
    m = len(links.rows)
    if isinstance(x, str):
        if x not in links.names:
            kind = "edge attribute or color" if what == "edge_color" else "edge attribute"
            raise unknown(f"{kind} for {what}", x, links.names)
        return Named(listed(links.attribute(x)), x)
    mapping = network.host.keyed_by_edge(x)
    if mapping is not None:
        names = network.host.edge_names(links)
        found = [next((key for key in keys if key in mapping), None) for keys in names]
        if m and all(key is None for key in found):
            raise InputError(f"{what} must have edges for keys, such as {names[0][0]!r}; got other keys")
        warn_of_others(mapping, {key for keys in names for key in keys}, what, "edges")
        values = (None if key is None or is_missing(mapping[key]) else mapping[key] for key in found)
        return Named(values, name_of(x), categories_of(x))
    if not hasattr(x, "__len__") or len(x) != m:
        size = f"{len(x)} entries" if hasattr(x, "__len__") else repr(x)
        raise InputError(
            f"{what} must have one entry for each of the {m} edges; got {size}. Give one value for all, a sequence in "
            "the graph's own order, a dict {(u, v): value}, or the name of an edge attribute"
        )
    return listed(x)


def strokes(
    lines: Lines, length: np.ndarray, n: int, inches: np.ndarray, rgba: np.ndarray | None, style: str, ink: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return width (m,) and color (m, 4) of lines; lengths and widths are in points.

    "straight" edges fade above the median length, if there are many edges per node. So long edges of a hairball do not
    hide short ones, and the branches of a tree stay. "faded" edges fade above the lower quartile, in any graph.
    """
    m, faded = len(length), style == "faded"
    crowded = 1.0 if faded else float(np.clip(m / n - 1.0, 0.0, 1.0))
    least = 1e-9 * (float(length.max()) or 1.0)  # for edges of length 0
    short = max(float(np.quantile(length, 0.25 if faded else 0.5)), least)
    fade = np.minimum(1.0, (short / np.maximum(length, least)) ** (crowded * _FADES[style]))
    fade = np.maximum(fade, STYLE.min_faded_opacity) if faded else fade
    # Lines become thinner first, then fainter: roads and meshes stay dark.
    dark = ink * float(np.prod(inches)) * 72**2 / float((length * fade).sum())
    usual = float(np.clip(dark / STYLE.max_opacity, STYLE.min_stroke, STYLE.usual_width))
    width = np.full(m, usual)
    if isinstance(lines.width, np.ndarray):
        width = np.maximum(STYLE.max_width * lines.width / (float(lines.width.max()) or 1.0), STYLE.min_stroke)
    elif lines.width is not None:
        width[:] = lines.width
    if lines.width is not None:
        usual = float((length * fade * width).sum() / (length * fade).sum()) or usual
    alpha = np.maximum(np.clip(dark / usual, STYLE.min_opacity, STYLE.max_opacity) * fade, STYLE.min_opacity)
    rgb = np.broadcast_to(lines.rgb, (m, 3)).copy()
    strong = np.full(m, lines.own)
    if not lines.own and rgba is not None:
        strong = (rgba[lines.rows] == rgba[lines.cols]).all(axis=1)
        rgb[strong] = rgba[lines.rows[strong], :3]
    alpha[strong] = np.minimum(1.0, STYLE.emphasis * alpha[strong])
    return width, np.concatenate([rgb, alpha[:, None]], axis=1)


def draw_edges(
    sheet: Sheet, Y: np.ndarray, lines: Lines, rgba: np.ndarray | None, sizes: np.ndarray, depth: np.ndarray | None,
    style: str, ink: float,
) -> None:  # fmt: skip
    """Draw the lines, longest first; see `nelayout.draw` for the `style`.

    `rgba` (n, 4) are colors of classes: an edge within a class has its color. `sizes` (n,) are diameters of nodes in
    units of `Y`: arrows end at the rim. `depth` (n,) is 0 for the nearest node of a 3-D drawing, 1 for the farthest.
    All edges together may darken the share `ink` of the drawing.
    """
    m, n = len(lines.rows), len(Y)
    if m == 0:
        return
    length = np.maximum(np.hypot(*(Y[lines.rows] - Y[lines.cols]).T) * sheet.points, 1e-6)
    loop = lines.rows == lines.cols
    length[loop] = np.median(length[~loop]) if not loop.all() else 1.0
    width, colors = strokes(lines, length, n, sheet.inches, rgba, style, ink)
    if depth is not None:
        colors[:, 3] *= 1.0 - STYLE.depth_fade * (depth[lines.rows] + depth[lines.cols]) / 2
    order = np.argsort(-np.where(loop, 0.0, length), kind="stable")
    straight, curled = order[~loop[order]], order[loop[order]]
    rows, cols = lines.rows[straight], lines.cols[straight]
    if len(straight) > STYLE.max_vector_items:
        dpi = sheet.image_dpi
        amount = (colors[:, 3] * width)[straight] * dpi / 72
        rgb = colors[0, :3] if len(lines.rgb) == 1 and rgba is None else colors[straight, :3]
        paint(sheet.ax, Y, (rows, cols), 72 / dpi / sheet.points, amount, rgb)
        tracks, order = [], curled
    elif style == "bundled":
        tracks = curves(Y, detours(Y, rows, cols))
    else:
        tracks = list(np.stack([Y[rows], Y[cols]], axis=1))
    turn = np.linspace(0.0, 2 * np.pi, STYLE.curve_points)
    for i in lines.rows[curled].tolist():  # circles on the side away from the neighbors
        others = np.concatenate([lines.cols[lines.rows == i], lines.rows[lines.cols == i]])
        away = Y[i] - Y[others].mean(axis=0)
        x, y = away / np.hypot(*away) if away.any() else (0.0, 1.0)
        turned = np.stack([x - x * np.cos(turn) - y * np.sin(turn), y - y * np.cos(turn) + x * np.sin(turn)], axis=1)
        tracks.append(Y[i] + max(STYLE.loop * sizes[i], STYLE.min_loop / sheet.points) * turned)
    if tracks:
        _draw(sheet, tracks, width[order], colors[order], sizes[lines.cols[order]] if lines.heads else None, n)


def _draw(sheet: Sheet, tracks: list, width: np.ndarray, colors: np.ndarray, sizes: np.ndarray | None, n: int) -> None:
    """Draw lines along the points (2 or more, 2) of each track; heads end at dots of `sizes`."""
    from matplotlib.collections import LineCollection, PolyCollection

    raster = n + sum(map(len, tracks)) // 2 > STYLE.max_vector_items  # a straight line has two points
    how: dict[str, Any] = {"zorder": 1, "clip_on": False, "rasterized": raster}
    if sizes is not None:
        start = np.array([track[-min(len(track), 5)] for track in tracks])  # from there a curve is nearly straight
        end = np.array([track[-1] for track in tracks])
        along = (end - start) * sheet.points
        length = np.maximum(np.hypot(*along.T), 1e-9)[:, None]
        along = along / length
        across = along[:, ::-1] * [1.0, -1.0]
        free = length - sizes[:, None] * sheet.points / 2
        head = np.minimum(np.maximum(STYLE.head_length, 2.5 * width[:, None]), np.maximum(free, 0.0))
        half = head * STYLE.head_width / STYLE.head_length / 2
        tip = end - along * (length - free) / sheet.points
        base = tip - along * head / sheet.points
        corners = np.stack([tip, base + across * half / sheet.points, base - across * half / sheet.points], axis=1)
        solid = np.concatenate([colors[:, :3], np.minimum(1.0, STYLE.emphasis * colors[:, 3:])], axis=1)
        heads = PolyCollection(list(corners), facecolors=solid, edgecolors="none", **how)
        sheet.ax.add_collection(heads, autolim=False)
        for k, (track, foot) in enumerate(zip(tracks, base, strict=True)):  # lines end at the foot of the head
            away = np.hypot(*(track - track[-1]).T)
            before = track[:-1][away[:-1] > np.hypot(*(foot - track[-1]))]
            tracks[k] = np.concatenate([before if len(before) else track[:1], foot[None]])
    widths = width[0] if (width == width[0]).all() else width
    lines = LineCollection(tracks, linewidths=widths, edgecolors=colors, capstyle="butt", joinstyle="round", **how)
    sheet.ax.add_collection(lines, autolim=False)


def detours(Y: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> list[np.ndarray]:
    """Return the nodes (2 or more,) on the line of each edge rows[k], cols[k], ends included.

    Parallel and reverse edges share one line. The longest edge chooses first. It takes the path with the least sum of
    squared lengths, if that path is at most twice as long. The edges of this path stay straight.
    """
    from scipy.sparse.csgraph import dijkstra

    n = len(Y)
    low, high = np.minimum(rows, cols).astype(np.int64), np.maximum(rows, cols).astype(np.int64)
    pairs, edge = np.unique(low * n + high, return_inverse=True)
    ends = np.stack([pairs // n, pairs % n])
    m = len(pairs)
    length = np.sqrt(((Y[ends[0]] - Y[ends[1]]) ** 2).sum(axis=1))
    both = np.concatenate(ends), np.concatenate(ends[::-1])
    graph = csr_array((np.tile(np.arange(1.0, m + 1), 2), both), shape=(n, n))
    graph.indices, graph.indptr = graph.indices.astype(np.int32), graph.indptr.astype(np.int32)  # for scipy 1.13
    which = graph.data.astype(np.int64) - 1
    entries = np.argsort(which, kind="stable").reshape(m, 2)
    graph.data = length[which] ** STYLE.detour
    number = {pair: k for k, pair in enumerate(pairs.tolist())}
    kept = np.zeros(m, dtype=np.bool_)
    ways: dict[int, np.ndarray] = {}
    for k in np.argsort(-length, kind="stable").tolist():
        if kept[k] or length[k] == 0.0:
            continue
        graph.data[entries[k]] = np.inf  # the edge itself is left out
        source, target = ends[:, k].tolist()
        most = (STYLE.detour * length[k]) ** STYLE.detour  # squares add up to at most the square of the sum
        _, before = dijkstra(graph, indices=source, limit=most, return_predecessors=True)
        way = [target]
        while before[way[-1]] >= 0:
            way.append(int(before[way[-1]]))
        steps = [number[min(step) * n + max(step)] for step in pairwise(way)]
        if way[-1] != source or length[steps].sum() > STYLE.detour * length[k]:
            graph.data[entries[k]] = length[k] ** STYLE.detour
            continue
        kept[steps] = True
        ways[k] = np.array(way[::-1])
    found = [ways.get(k, ends[:, k]) for k in edge.tolist()]
    return [way if way[0] == i else way[::-1] for way, i in zip(found, rows.tolist(), strict=True)]


def curves(Y: np.ndarray, ways: list[np.ndarray]) -> list[np.ndarray]:
    """Return points (2 or 25, dim) of a Bezier curve per way; its nodes are control points."""
    share = np.linspace(0.0, 1.0, STYLE.curve_points)[:, None, None]
    result = []
    for way in ways:
        points = np.broadcast_to(Y[way], (STYLE.curve_points, len(way), Y.shape[1]))
        while len(way) > 2 and points.shape[1] > 1:  # de Casteljau: stable for paths of any length
            points = (1 - share) * points[:, :-1] + share * points[:, 1:]
        result.append(points[:, 0] if len(way) > 2 else Y[way])
    return result
