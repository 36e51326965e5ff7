"""`draw`: a picture of a graph at given positions."""

from __future__ import annotations

import importlib
import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from nelayout import graphs
from nelayout.errors import InputError, missing_extra
from nelayout.graphs.files import check_output, deliver, output_format
from nelayout.pictures.colors import Coloring, coloring
from nelayout.pictures.edges import check_style
from nelayout.pictures.edges import edges as draw_edges
from nelayout.pictures.labels import LABEL_POINTS, write_labels
from nelayout.pictures.legend import explain, legend_size, make_room
from nelayout.pictures.lettering import text_size
from nelayout.pictures.lines import read_lines
from nelayout.pictures.nodes import nodes
from nelayout.pictures.paper import paper
from nelayout.pictures.sheet import SHEET, Margins, open_sheet
from nelayout.pictures.sizes import amounts, node_diameters, relative_diameters
from nelayout.pictures.space import draw_in_space, is_space, seen_from_aside
from nelayout.run.keywords import checks_keywords

if TYPE_CHECKING:
    from matplotlib.figure import Figure
else:
    Figure = Any  # signatures are read without matplotlib, too

__all__ = ["FORMATS", "draw", "needs_matplotlib", "render"]

FORMATS = ("png", "svg", "pdf")

# Inches around the drawing; where labels may stick out; beneath it for a note.
_BORDER, _LABEL_BORDER, _FOOT = 0.2, 0.5, 0.3
# Share of the background that the farthest nodes of a drawing in space are mixed with.
_MIST = 0.35


@checks_keywords
def draw(
    G: Any,
    pos: Any,
    path: str | Path | BinaryIO | None = None,
    *,
    labels: Any = None,
    color: Any = None,
    node_size: Any = None,
    edge_color: Any = None,
    edge_width: Any = None,
    edges: str = "straight",
    arrows: Any = "auto",
    weight: str | None = None,
    title: str | None = None,
    legend: bool = True,
    background: Any = "auto",
    figsize: tuple[float, float] | None = None,
    ax: Any = None,
    dpi: float = 150.0,
    format: str | None = None,  # noqa: A002  # the name users know
) -> Figure:
    """Draw the graph `G` at the positions `pos`, and write the picture to `path`.

    Both axes have one scale, and there is no frame. Edges lie under the nodes, the most connected nodes on top; an
    edge within a class has its color. Beyond 20,000 edges they are painted as an image whose shades show how dense
    they lie; so are as many points without edges. Positions on a line are drawn on a line, those in space as seen from
    one side, the far parts fainter.

    Parameters
    ----------
    G : graph or None
        Any graph that the layouts take. None draws points without edges, such as vectors.
    pos : positions
        As a layout returns them (dict, `igraph.Layout` or array), or a `Solution`. Every node needs one.
    path : str, Path or binary file, optional
        A file whose ending is png, svg or pdf (or `format` says it), written whole or not at all; or an open binary
        file, which needs `format`. None writes nothing.
    labels : bool, str, dict or array
        True for the nodes' own labels, the name of a node attribute, or texts. Of up to 60 nodes all are written,
        of more nodes those of the highest degree that find room.
    color : str, dict or array
        One matplotlib color, or values for the nodes: the name of a node attribute, "degree" or "strength", a dict
        or an array. Values that all are color names, hex codes or RGB are these colors. Texts (also colors among
        other texts, or of one letter), booleans and up to 20 different whole numbers are classes, with a legend of up
        to 24 of them and a note for more. Eight colors can be told apart by every reader: in drawings of up to 1,000
        nodes classes from the ninth on have dots of other shapes. Other numbers are a scale (viridis) with a color bar.
        A node without a value is gray.
    node_size : float, str, dict or array
        Diameters in the units of `pos` (see `node_size_from_points`), 0 for no dot; a node attribute that holds them;
        or "degree" or "strength" for areas in proportion to these. These words win over node attributes of the same
        name, as those for masses do; values that a graph holds under them are given as a dict. By default ("auto", as
        in the layouts) dots follow from the number of nodes.
        Where `color` tells no nodes apart, dots of large graphs are small, and from some 50,000 nodes on
        only isolated nodes are drawn.
    edge_color : color, str, dict or array
        One color, by default a gray that stands out from the background; or a color for each edge: an edge attribute, a
        dict {(u, v): color}, or a sequence in the graph's own order of edges.
    edge_width : float, str, dict or array
        Points for all edges; or numbers that the widths are in proportion to, the largest 4 points: an edge
        attribute, a dict or a sequence. By default edges are the thinner the more ink they need.
    edges : {"straight", "faded", "bundled"}
        How edges are drawn. "faded": the longer, the fainter, so that clusters show in a tangle of long edges.
        "bundled", up to 20,000 edges: a long edge is bent along a path of short ones between its own ends, at most
        twice as long, so that many share a way; an edge without such a path stays straight (edge-path bundling:
        Wallinger, Archambault, Auber, Nöllenburg and Peltonen 2022, doi:10.1109/TVCG.2021.3114795).
    arrows : bool or "auto"
        Whether edges of a directed graph are arrows; "auto" up to 1,000 edges.
    weight : str, optional
        The edge attribute that the layout took for weights: edges of weight 0, which are none, are then left out.
        "strength" sums it at each node, and "weight" where None is given.
    title : str, optional
        A line above the drawing.
    legend : bool
        Whether to explain the colors.
    background : color or None
        "white", "dark", any matplotlib color, or None for a transparent picture. Letters, edges, outlines and colors
        of classes and scales follow it; those that were given stay. "auto" is white, and on `ax` what lies behind it.
    figsize : pair of float, optional
        Width and height of the figure in inches. By default it is as large as needed for a drawing of 8 inches.
    ax : matplotlib axes, optional
        Axes to draw on, all within them. On 3-D axes positions in space can be turned.
    dpi : float
        Dots per inch of a PNG, and of large graphs in other formats.
    format : {"png", "svg", "pdf"}, optional
        Of `path`, where its ending does not say it.

    Returns
    -------
    matplotlib.figure.Figure
        Shown by notebooks as it is; ``figure.savefig`` writes further copies.

    Raises
    ------
    MissingExtra
        Without matplotlib; the message names the install command.
    InputError
        For a node without a position, a diameter larger than the drawing, an unknown attribute or format, or a folder
        that does not exist.

    Examples
    --------
    >>> import networkx as nx
    >>> G = nx.path_graph(3)
    >>> figure = draw(G, {0: (0, 0), 1: (1, 0), 2: (1, 1)}, "path.png", labels=True, color=["a", "a", "b"])
    >>> figure = draw(None, [(0, 0), (1, 0), (1, 1)], color=["red", "red", "#0072b2"])
    """
    needs_matplotlib()
    network = graphs.points(pos) if G is None else graphs.read(G, weight=weight)
    with graphs.guard(G):
        kind = _picture_format(path, format)
        places = _places(network, pos)
        extent = float(np.ptp(places, axis=0).max()) if len(places) else 0.0
        back = paper(background, ax)
        ready = isinstance(color, Coloring)
        colors = color if ready else coloring(network, color, amounts(G, network, color, weight), paper=back)
        texts = None if labels is None or labels is False else _texts(network, labels)
        node_size = None if isinstance(node_size, str) and node_size == "auto" else node_size
        relative = amounts(G, network, node_size, weight)
        relative = None if relative is None else relative_diameters(relative)
        diameters = None if node_size is None or relative is not None else node_diameters(network, node_size, extent)
        lines = read_lines(G, network, back.line if edge_color is None else edge_color, edge_width, arrows)
        check_style(edges, len(lines.rows))
        size = _figure_size(figsize)

        if is_space(ax):
            if places.shape[1] != 3:
                raise InputError(f"ax is 3-D and positions have {places.shape[1]} coordinates; lay out with dim=3")
            if legend:
                make_room(ax, colors)
            draw_in_space(ax, places, lines, colors, diameters, texts, edges, back)
            if title:
                ax.set_title(title, fontsize=12, color=back.ink)
            if legend:  # in the strip that the axes have left, on the figure's own paper
                explain(ax, colors, 0.0, _FOOT, SHEET / 2, paper("auto", ax))
        else:
            Y, depth = seen_from_aside(places) if places.shape[1] == 3 else (_flat(places), None)
            low, high = (Y.min(axis=0), Y.max(axis=0)) if len(Y) else (np.zeros(2), np.ones(2))
            reach = 0.0 if diameters is None or not len(Y) else float(diameters.max()) / 2
            shown = colors if legend else Coloring(colors.rgba)
            margins = _margins(shown, texts)
            sheet = open_sheet(low - reach, high + reach, margins, ax, size, dpi, title, back)
            ax = sheet.ax
            degree = np.diff(network.adjacency.indptr)
            rgba = colors.rgba
            if depth is not None:
                mist = _MIST * depth[:, None]
                misty = rgba[:, :3] * (1 - mist) + mist * np.array(back.rgb)
                rgba = np.concatenate([misty, np.ones((len(Y), 1))], axis=1)
            drawn = nodes(sheet, Y, degree, diameters, relative, rgba, depth, colors.shapes)
            draw_edges(sheet, Y, lines, colors.rgba if colors.grouped else None, drawn, depth, edges)
            if texts is not None:
                write_labels(sheet, Y, degree, texts, drawn)
            explain(ax, shown, margins.side, margins.foot, float(sheet.inches[1]), back)
        figure = ax.figure
        if path is not None and kind is not None:
            content = render(figure, kind, dpi)
            if isinstance(path, (str, os.PathLike)):
                deliver(path, content)
            else:
                path.write(content)
    return figure


def needs_matplotlib() -> None:
    """Raise `MissingExtra`, with the install command, where there is no matplotlib."""
    try:
        importlib.import_module("matplotlib.figure")
    except ImportError as error:
        if error.name and error.name.partition(".")[0] != "matplotlib":
            raise
        raise missing_extra("matplotlib", "draw", "pictures") from None


def _picture_format(path: Any, given: str | None) -> str | None:
    if path is None:
        return None
    if hasattr(path, "write"):
        if given is None:
            raise InputError(f"an open file has no ending; give format= one of {', '.join(FORMATS)}")
        return output_format("-", given, FORMATS)
    check_output(path)
    if given is None and str(path).lower().endswith((".html", ".htm")):
        raise InputError(f"{str(path)!r} is a page, not a picture: nelayout.explore(G, pos, {str(path)!r}) writes it")
    return output_format(path, given, FORMATS)


def _figure_size(figsize: Any) -> tuple[float, float] | None:
    if figsize is None:
        return None
    numbers = np.shape(figsize) == (2,) and all(isinstance(x, (int, float, np.number)) for x in figsize)
    if not numbers or not all(0.5 <= x < 200 for x in figsize):
        raise InputError(f"figsize is {figsize!r}; give width and height in inches, such as (8, 6)")
    return float(figsize[0]), float(figsize[1])


def _places(network: graphs.Network, pos: Any) -> np.ndarray:
    """(n, 1 to 3) positions, one for every node."""
    opened = graphs.places(pos, network.host)
    if opened.dim not in (1, 2, 3):
        raise InputError(f"positions have {opened.dim} coordinates; a picture needs 1, 2 or 3")
    Y = network.host.positions(opened.given, opened.dim)
    without = np.flatnonzero(np.isnan(Y).any(axis=1))
    if len(without):
        raise InputError(
            f"node {network.labels[without[0]]!r} has no position ({len(without)} of {len(Y)} nodes have "
            "none); give every node one"
        )
    return Y


def _flat(Y: np.ndarray) -> np.ndarray:
    return np.concatenate([Y, np.zeros((len(Y), 2 - Y.shape[1]))], axis=1)


def _margins(colors: Coloring, texts: list[str] | None) -> Margins:
    """Room beside the drawing for what is written there."""
    side, high = legend_size(colors, SHEET)
    border = _BORDER if texts is None else _LABEL_BORDER
    wide = max((text_size(text, LABEL_POINTS)[0] for text in texts or ()), default=0.0) / 72
    foot = _FOOT if colors.note else 0.0
    noted = text_size(colors.note, LABEL_POINTS)[0] / 72 if colors.note else 0.0
    return Margins(border, side, foot, (max(wide + side, noted) + 2 * _BORDER, high + foot + 2 * _BORDER))


def _texts(network: graphs.Network, labels: Any) -> list[str]:
    given = list(network.labels) if labels is True else network.host.objects(labels, "labels")
    return ["" if text is None else _text(text) for text in given]


def _text(value: Any) -> str:
    """A label as people write it: GraphML's 5.0 is 5."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def render(figure: Any, kind: str, dpi: float = 150.0) -> bytes:
    """A figure as the content of a PNG, SVG or PDF file, without the date and names made at random."""
    from matplotlib import rc_context

    content = io.BytesIO()
    undated = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    with rc_context({"svg.hashsalt": "nelayout"}):
        figure.savefig(content, format=kind, dpi=dpi, metadata=undated)
    return content.getvalue()
