"""`draw`, a picture of a graph at given positions, and `plot`, a picture of embedded rows."""

from __future__ import annotations

import functools
import importlib
import io
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from nelayout import graphs
from nelayout.core.placing.shapes import SHAPES, outlines, shape_gap
from nelayout.errors import InputError, missing_extra, unknown
from nelayout.graphs.files import EXTENSIONS, WRITERS, check_output, deliver, output_format
from nelayout.graphs.groups import groups_of
from nelayout.graphs.plain import Named, spelled
from nelayout.graphs.to_floats import utf8
from nelayout.keywords.signatures import checks_keywords
from nelayout.pictures.colors import Coloring, Inks, class_names, coloring
from nelayout.pictures.edges import draw_edges, read_lines
from nelayout.pictures.legend import (
    letters,
    small_letters,
    text_size,
    warn_of_missing_letters,
    without_missing_letters,
)
from nelayout.pictures.paper import paper
from nelayout.pictures.sizes import amounts, checked, draw_clouds, draw_nodes, node_diameters
from nelayout.pictures.space import draw_in_space, seen_from_aside
from nelayout.pictures.style import STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
else:
    Axes = Figure = object  # signatures must be readable without matplotlib

__all__ = ["FORMATS", "draw", "figure_size", "named_most_central", "plot", "render"]

FORMATS = ("png", "svg", "pdf")
LEGENDS = ("right", "below")  # positions of a legend


@checks_keywords
def draw(
    G: object,
    pos: object,
    path: str | Path | BinaryIO | None = None,
    *,
    labels: object = None,
    font_size: float | None = None,
    color: object = None,
    cmap: object = None,
    palette: object = None,
    vmin: object = None,
    vmax: object = None,
    alpha: float = 1.0,
    node_size: object = None,
    clouds: object = None,
    groups: object = None,
    groups_shape: str = "hull",
    edge_color: object = None,
    edge_width: object = None,
    edges: str = "straight",
    arrows: bool | str = "auto",
    weight: str | None = None,
    title: str | None = None,
    legend: bool | str = True,
    legend_title: str | None = None,
    background: object = "auto",
    figsize: tuple[float, float] | None = None,
    width_mm: float | None = None,
    ax: Axes | None = None,
    dpi: float = 150.0,
    format: str | None = None,  # noqa: A002  # the usual name
) -> Figure:
    """Draw the graph `G` at the positions `pos`, and write the picture to `path`.

    Both axes have one scale and no frame. Nodes cover edges, and the most connected nodes are on top. More than 20,000
    edges, or as many points without edges, are painted as an image that shows their density. Self-loops are circles,
    except the diagonal of a matrix. Positions on a line are drawn on a line. Positions in space are projected from one
    side; far parts are fainter. Letters have the fonts and sizes of ``matplotlib.rcParams``.

    Parameters
    ----------
    G : graph or None
        Any graph that the layouts take. None draws points without edges, such as an embedding.
    pos : positions
        What a layout returns (dict, `igraph.Layout` or array), or a `Solution`. Every node needs a position.
    path : str, Path or binary file, optional
        A file name that ends in png, svg or pdf, or an open binary file with `format`. An error leaves no partial file.
        None writes no file.
    labels : bool, int, str, dict or array
        True for the nodes' own names, a number N for the names of the N nodes with most neighbors, the name of a node
        attribute, or texts. A label stands beside its node and covers no other node and no other label. Labels of the
        most connected nodes come first; labels without space are left out. A note in the picture counts them. If only
        some of the nodes have labels, thin gray lines join labels without space to their nodes, and a warning lists
        labels that are left out. On 3-D axes all labels are drawn, over the dots.
    font_size : float, optional
        Points of the letters of labels, by default 0.8 times ``matplotlib.rcParams["font.size"]``. Smaller letters make
        title, legend and note smaller, too.
    color : str, dict or array
        One matplotlib color, or values for the nodes: the name of a node attribute, "degree", "strength", a dict or an
        array. Color names, hex codes or RGB are used as colors. Texts, booleans and up to 24 different whole numbers
        are classes. A legend names up to 24 classes. From the ninth class on, dots have other shapes in graphs of up to
        1,000 nodes. Other numbers, dates (also as text such as 2024-05-31) and durations are a scale with a color bar.
        A node without a value (None, NaN, NaT, ``pandas.NA``) is gray.
    cmap : str or matplotlib colormap, optional
        The colors of a scale, by default ``matplotlib.rcParams["image.cmap"]`` (viridis). If `cmap` is given, numbers
        are always a scale.
    palette : list, dict or str, optional
        The colors of the classes: one color per class in their order, {class: color}, or the name of a matplotlib
        colormap. If `palette` is given, all values are classes. Categories of pandas keep their order in the legend,
        and a list has one color for each category, used or not.
    vmin : number, date or duration, optional
        The lower end of the scale; values beyond an end have its color. By default the scale holds all values. If a few
        far values (at most 2 % at each end) would flatten it, they are beyond it, and a note counts them.
    vmax : number, date or duration, optional
        The upper end of the scale.
    alpha : float
        Opacity of the dots, from 0 to 1.
    node_size : float, str, dict or array
        Diameters in the units of `pos` (see `node_size_from_points`), 0 for no dot; or a node attribute, "degree" or
        "strength" for areas in proportion to it, from 1/4 to 9 times the area of a usual dot. By default ("auto") the
        number of nodes decides. Dots of large graphs without colors are small; from about 50,000 nodes on only isolated
        nodes are drawn.
    clouds : float, str, dict or array, optional
        Radius of a soft disc behind each node, in the units of `pos`, such as the ``spread`` of `uncertainty`. In the
        plane; 0 for no disc.
    groups : str, dict, array or list of sets, optional
        Groups of nodes, as a layout takes them. Each has a shape behind its nodes and edges, in the plane.
    groups_shape : {"hull", "circle", "box"}
        The shape of groups. Shapes of a layout with the same `groups_shape` do not overlap.
    edge_color : color, str, dict or array
        One color (default: a gray), or values for the edges: an edge attribute, a dict or Series {(u, v): value}, for
        parallel edges of networkx also {(u, v, key): value}, or a sequence in the graph's own order of edges. Values
        are colors, classes or a scale, as for `color`. If all dots have one color, `cmap`, `palette`, `vmin` and `vmax`
        are for the edges, and a legend or color bar explains their colors.
    edge_width : float, str, dict or array
        Points for all edges; or numbers that the widths are in proportion to, the largest 4 points: an edge attribute,
        a dict or a sequence. By default many long edges are thin.
    edges : {"straight", "faded", "bundled", "none"}
        "none" draws no edges. "faded": long edges are faint, so that clusters show. "bundled", up to 20,000 edges: a
        long edge bends along a path of short edges between its ends, at most twice as long (edge-path bundling:
        Wallinger, Archambault, Auber, Nöllenburg and Peltonen 2022, doi:10.1109/TVCG.2021.3114795).
    arrows : bool or "auto"
        True draws edges of a directed graph as arrows; "auto" does so up to 1,000 edges.
    weight : str, optional
        The edge attribute that the layout took for weights: edges of weight 0 are left out. "strength" sums this
        attribute (default "weight") at each node.
    title : str, optional
        A line above the drawing.
    legend : bool, "right" or "below"
        True explains colors, on the right, or below where the drawing on a figure of a given size would else be much
        smaller. On `ax` True means "right".
    legend_title : str, optional
        The heading of the legend, by default the name of the attribute; "" for none.
    background : color or None
        "white", "dark", any matplotlib color, or None for a transparent picture. Default colors follow it. "auto" is
        ``matplotlib.rcParams["figure.facecolor"]``, and on `ax` the color behind the axes.
    figsize : pair of float, optional
        Width and height of the figure in inches. By default the drawing is 8 inches long.
    width_mm : float, optional
        Width of the figure in millimeters, such as 89 or 183 for columns of journals. The height follows the drawing.
    ax : matplotlib axes, optional
        Axes to draw on; what they show already stays in view. Axes of one size show one layout at one size, with and
        without a legend. A figure with ``layout="constrained"`` leaves space for legends beside its axes. On 3-D axes,
        users can turn positions in space.
    dpi : float
        Dots per inch of a PNG, and of large graphs in other formats.
    format : {"png", "svg", "pdf"}, optional
        The format of `path`, if its name has no such ending.

    Returns
    -------
    matplotlib.figure.Figure
        Notebooks show it; ``figure.savefig`` writes further copies.

    Raises
    ------
    MissingExtra
        Without matplotlib; the message names the install command.
    InputError
        For a node without a position, a diameter larger than the drawing, an unknown attribute or format, or a folder
        that does not exist.

    Warns
    -----
    UserWarning
        If labels of chosen nodes have no space, or some keys of a dict or Series are not nodes or edges.

    Examples
    --------
    >>> import networkx as nx
    >>> G = nx.path_graph(3)
    >>> figure = draw(G, {0: (0, 0), 1: (1, 0), 2: (1, 1)}, "path.png", labels=True, color=["a", "a", "b"])
    >>> figure = draw(None, [(0, 0), (1, 0), (1, 1)], color=["red", "red", "#0072b2"])
    """
    _needs_matplotlib()
    network = graphs.points(pos) if G is None else graphs.read(G, weight=weight)
    with graphs.translated_errors(G):
        kind = _picture_format(path, format)
        _check_look(title, legend, legend_title, ax)
        size = figure_size(figsize, width_mm, ax)
        if groups_shape not in SHAPES:
            raise unknown("groups_shape", groups_shape, SHAPES)
        places = graphs.every_position(network, pos)
        if places.shape[1] not in (1, 2, 3):
            raise InputError(f"pos must have 1, 2 or 3 coordinates; got {places.shape[1]}")
        network.host.warn_of_others(graphs.places(pos, network.host).given, "pos")
        usual = small_letters()
        font_size = checked(usual if font_size is None else font_size, "font_size", "a number of points > 0", 0.01, 1e4)
        alpha = checked(alpha, "alpha", "an opacity from 0 to 1", 0.0, 1.0)
        back = paper(background, ax)
        inks = Inks(cmap, palette, back, vmin, vmax)
        colors = color
        if not isinstance(colors, Coloring):
            colors = coloring(network, color, amounts(G, network, color, weight), inks=inks)
        colors = replace(colors, rgba=colors.rgba * [1.0, 1.0, 1.0, alpha])
        same = len(colors.rgba) == 1 or not len(places)  # dots without a meaning leave colors and legend to edges
        edge_inks = inks if same else Inks(paper=back)
        edge_color = back.line if edge_color is None else edge_color
        lines = read_lines(G, network, edge_color, edge_width, arrows, edges, edge_inks)
        shown = lines.colors if same and lines.colors is not None else colors
        _check_ends(inks, shown)
        if not same and lines.colors is not None and (lines.colors.classes or lines.colors.bounds):
            unsaid = f"colors of edges ({lines.colors.name or 'edge_color'}) have no legend, as the dots have one"
            shown = replace(shown, note="; ".join([*[shown.note] * bool(shown.note), unsaid]))
        shown = shown if legend_title is None else replace(shown, name=legend_title)
        shown = shown if legend else Coloring(colors.rgba)
        given = network.labels if labels is True else [None] * len(places)
        if isinstance(labels, (int, np.integer)) and not isinstance(labels, bool):
            given = named_most_central(network, network.labels, int(labels))
        elif not (labels is None or isinstance(labels, bool)):
            given = network.host.objects(labels, "labels")
        texts = ["" if text is None else spelled(text) for text in given]
        texts = [utf8(text).decode() for text in texts]
        title = None if title is None else utf8(str(title)).decode()
        named = tuple((utf8(name).decode(), rgba) for name, rgba in shown.classes)
        shown = replace(shown, classes=named, name=utf8(shown.name).decode())
        warn_of_missing_letters([*texts, *(name for name, _ in shown.classes), shown.name, title or ""])
        extent = float(np.ptp(places, axis=0).max()) if len(places) else 0.0
        diameters, relative = node_diameters(G, network, node_size, weight, extent)
        ink = STYLE.ink if len(colors.rgba) < len(places) else STYLE.ink / 2
        new = ax is None
        if ax is not None and ax.name == "3d":
            if places.shape[1] != 3:
                raise InputError(f"ax is 3-D and pos has {places.shape[1]} coordinates; lay out with dim=3")
            draw_in_space(ax, places, lines, colors, shown, legend, diameters, texts, edges, ink, back, font_size)
            if title:
                ax.set_title(title, color=back.ink, fontsize=min(1.0, font_size / usual) * letters("axes.titlesize"))
        else:
            from nelayout.pictures.labels import Labels
            from nelayout.pictures.sheet import open_sheet

            flat = np.pad(places, ((0, 0), (0, max(0, 2 - places.shape[1]))))
            Y, depth = seen_from_aside(places) if places.shape[1] == 3 else (flat, None)
            reach = 0.0 if diameters is None or not len(Y) else float(diameters.max()) / 2
            longest = max((text_size(text, font_size)[0] for text in sorted(texts, key=len)[-20:]), default=0.0) / 72
            shapes = [] if groups is None else outlines(Y, groups_of(network, groups), groups_shape, shape_gap(Y))
            soft = np.zeros(0) if clouds is None else _cloud_radii(network, clouds, places.shape[1])
            around = [Y + (s * soft)[:, None] for s in (-1, 1)] if len(soft) else []
            seen = np.concatenate([Y, *shapes, *around])
            sheet = open_sheet(seen, reach, shown, legend, longest, font_size, title, ax, size, dpi, back)
            degree = np.diff(network.adjacency.indptr)
            rgba = colors.rgba
            if depth is not None:
                mist = STYLE.depth_fade * depth[:, None]
                misty = rgba[:, :3] * (1 - mist) + mist * np.array(back.rgb)
                rgba = np.concatenate([misty, np.broadcast_to(rgba[:, 3:], (len(Y), 1))], axis=1)
            if len(soft):
                draw_clouds(sheet, Y, soft)
            for shape in shapes:  # of nested groups the outer ones come first
                sheet.ax.fill(*shape.T, facecolor=back.ink, alpha=STYLE.group_ink, linewidth=0.0, zorder=0)
                sheet.ax.fill(*shape.T, fill=False, edgecolor=back.ink, alpha=STYLE.group_line, linewidth=0.7, zorder=0)
            drawn = draw_nodes(sheet, Y, degree, diameters, relative, rgba, depth, colors.shapes)
            draw_edges(sheet, Y, lines, colors.rgba if colors.grouped else None, drawn, depth, edges, ink)
            if any(texts):
                chosen = not all(texts)  # of labels for all nodes, those with space are written
                ends = np.stack([lines.rows, lines.cols], axis=1)
                written = Labels(sheet, Y, degree, texts, drawn, font_size, ends, chosen)
                if new:
                    written.tell()
            ax = sheet.ax
        figure: Any = ax.figure
        if new:
            figure._repr_png_ = functools.partial(render, figure, "png", dpi)
        if path is not None and kind is not None:
            content = render(figure, kind, dpi)
            deliver(path, content)
    return figure


def _cloud_radii(network: graphs.Network, clouds: object, dim: int) -> np.ndarray:
    if dim != 2:
        raise InputError(f"clouds are drawn in the plane, and pos has {dim} coordinates; leave clouds out")
    return network.host.values(clouds, "clouds", nonnegative=True)


def named_most_central(network: graphs.Network, names: Sequence[object], count: int) -> list[object]:
    """Return the names of the `count` nodes with most neighbors, None for other nodes."""
    degree, n = np.diff(network.adjacency.indptr), len(names)
    if not network.adjacency.nnz or count < 1:
        got = count if network.adjacency.nnz else f"{count} for points without edges"
        raise InputError(f"labels must be a number >= 1 of nodes with most neighbors; got {got}. Give texts, or True")
    strength = np.asarray(network.adjacency.sum(axis=1)).ravel()
    order = np.lexsort((np.array([str(name) for name in names]), -strength, -degree))  # the last key counts most
    kept = np.isin(np.arange(n), order[:count]).tolist()
    return [name if keep else None for name, keep in zip(names, kept, strict=True)]


@checks_keywords
def plot(
    Y: object,
    labels: object = None,
    path: str | Path | BinaryIO | None = None,
    *,
    color: object = None,
    cmap: object = None,
    palette: object = None,
    vmin: object = None,
    vmax: object = None,
    alpha: float = 1.0,
    node_size: object = None,
    title: str | None = None,
    legend: bool | str = True,
    legend_title: str | None = None,
    background: object = "auto",
    figsize: tuple[float, float] | None = None,
    width_mm: float | None = None,
    ax: Axes | None = None,
    dpi: float = 150.0,
    format: str | None = None,  # noqa: A002  # the usual name
) -> Figure:
    """Draw an embedding as points and write the picture to `path`: `draw` without a graph.

    More than 20,000 points are painted as an image that shows their density; colors mix where classes meet.

    Parameters
    ----------
    Y : (n, 1 to 3) array or Solution
        What `nelayout.embed` or `nelayout.solve_vectors` returns, or any positions that `nelayout.draw` takes. The
        points of a ``Solution`` are colored by ``node_cost``, unless labels or colors are given.
    labels : (n,) array, list or Series, optional
        The class of each point in the order of Y, or numbers; None is unknown and gray. A legend names up to 24
        classes, and its heading is the name of a Series. If Y is a DataFrame, its index assigns the labels.
    path : str, Path or binary file, optional
        As in `nelayout.draw`.
    color : str or (n,) array, optional
        What `nelayout.draw` takes, instead of labels.
    cmap, palette, vmin, vmax, alpha, node_size, title, legend, legend_title, background
        As in `nelayout.draw`.
    figsize, width_mm, ax, dpi, format
        As in `nelayout.draw`.

    Returns
    -------
    matplotlib.figure.Figure
        Notebooks show it; ``figure.savefig`` writes further copies.

    Raises
    ------
    MissingExtra
        Without matplotlib; the message names the install command.
    InputError
        If labels and colors are both given, if their number differs from the points, and as `nelayout.draw`.

    Examples
    --------
    >>> import numpy as np, nelayout as nl
    >>> X = np.random.default_rng(0).normal(size=(60, 5)) + 9 * (np.arange(60) % 2)[:, None]
    >>> solution = nl.solve_vectors(X, random_state=0)
    >>> figure = nl.plot(solution, np.arange(60) % 2, "classes.png")
    >>> figure = nl.plot(solution, path="costs.png")
    """
    _needs_matplotlib()
    if labels is not None and color is not None:
        raise InputError("labels and color are both given, and a point has one color; leave one of them out")
    network = graphs.points(Y)
    values: object = color
    if labels is not None:
        values = class_names(network.host.objects(labels, "labels"))
    elif color is None and hasattr(Y, "node_cost"):
        values = Named(getattr(Y, "node_cost", ()), "cost")
    inks = Inks(cmap, palette, paper(background, ax), vmin, vmax)
    colors = coloring(network, values, inks=inks)
    _check_ends(inks, colors)
    how = {"title": title, "legend": legend, "legend_title": legend_title, "background": background, "alpha": alpha}
    how |= {"figsize": figsize, "width_mm": width_mm, "ax": ax, "dpi": dpi, "format": format}
    return draw(None, Y, path, color=colors, node_size=node_size, **how)


def _needs_matplotlib() -> None:
    try:
        importlib.import_module("matplotlib.figure")
    except ImportError as error:
        if error.name and error.name.partition(".")[0] != "matplotlib":
            raise
        raise missing_extra("matplotlib", "draw", "pictures") from None


def _picture_format(path: str | Path | BinaryIO | None, given: str | None) -> str | None:
    if path is None:
        return None
    if not isinstance(path, (str, os.PathLike)):
        check_output(path)
        return output_format(path, given, FORMATS)
    check_output(path)
    if given is None and str(path).lower().endswith((".html", ".htm")):
        raise InputError(f"{str(path)!r} is a page, not a picture: nelayout.explore(G, pos, {str(path)!r}) writes it")
    ending = Path(path).suffix.lower().lstrip(".")
    if given is None and EXTENSIONS.get(ending, ending) in WRITERS:
        how = f"nelayout.graphs.files.write_positions({str(path)!r}, G, pos)"
        raise InputError(f"{str(path)!r} is a file of a graph, not a picture: {how} writes it")
    return output_format(path, given, FORMATS)


def _check_look(title: object, legend: object, legend_title: object, ax: Any) -> None:
    for name, text in (("title", title), ("legend_title", legend_title)):
        if not (text is None or isinstance(text, str)):
            raise InputError(f"{name} must be a text or None; got {text!r}")
    if not (isinstance(legend, bool) or (isinstance(legend, str) and legend in LEGENDS)):
        hint = f". legend_title={legend!r} gives a heading" if isinstance(legend, str) else ""
        raise InputError(f'legend must be True, False, "right" or "below"; got {legend!r}{hint}')
    if ax is not None and not hasattr(ax, "get_position"):
        got = f"an array of {np.size(ax)} axes. Pass one of them, such as axes.flat[0]"
        raise InputError(f"ax must be matplotlib axes; got {got if np.ndim(ax) else repr(ax)}")


def _check_ends(inks: Inks, shown: Coloring) -> None:
    """Raise `InputError` for ends of a scale that is none."""
    name = "vmin" if inks.vmin is not None else "vmax"
    if (inks.vmin is not None or inks.vmax is not None) and shown.cmap is None:
        got = "classes" if shown.grouped else "one color"
        raise InputError(f"{name} must be the end of a scale; got {got}. Leave it out, or color by numbers with cmap=")


def figure_size(figsize: Any, width_mm: Any, ax: object) -> tuple[float, float | None] | None:
    """Return width and perhaps height of a new figure in inches, or None."""
    given = {"figsize": figsize, "width_mm": width_mm, "ax": ax}
    several = [name for name, value in given.items() if value is not None]
    if len(several) > 1:
        one, other = several[:2]
        raise InputError(f"{one} must be left out if {other} gives the size of the figure; got both. Give one of them")
    inches = figsize if np.shape(figsize) == (2,) else [None]
    if figsize is not None and not all(isinstance(x, (int, float, np.number)) and 0.5 <= x < 200 for x in inches):
        raise InputError(f"figsize must be width and height in inches, such as (8, 6); got {figsize!r}")
    if width_mm is not None:
        return checked(width_mm, "width_mm", "a width in millimeters, such as 89 or 183", 12.7, 5080.0) / 25.4, None
    return None if figsize is None else (float(figsize[0]), float(figsize[1]))


def render(figure: Figure, kind: str, dpi: float = 150.0) -> bytes:
    """Return a PNG, SVG or PDF file without dates and random names; PDF letters are TrueType."""
    from matplotlib import rc_context

    content = io.BytesIO()
    undated = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    with rc_context({"svg.hashsalt": "nelayout", "pdf.fonttype": 42}), without_missing_letters():
        figure.savefig(content, format=kind, dpi=dpi, metadata=undated)
    return content.getvalue()
