"""Pictures of drawings, with matplotlib.

Sizes follow from how full the sheet is: nodes together cover a small share of it, and edges are the fainter the more
ink they would need, long ones more than short ones, so that 50 nodes look like a diagram and 400,000 like a map.  Only
matplotlib's objects are used (a `Figure` and its Agg canvas), never pyplot, and no global setting is changed.
"""

from __future__ import annotations

import functools
import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from nelayout import graphs
from nelayout.drawing import layers
from nelayout.drawing.colors import coloring
from nelayout.errors import InputError, missing_extra
from nelayout.graphs.files import check_output, deliver, output_format
from nelayout.placing.dots import FLATTEST

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FORMATS", "draw", "render"]

FORMATS = ("png", "svg", "pdf")

_SHEET = 8.0  # inches, the longer side of the drawing
_BORDER = 0.2  # inches around it
_LABEL_BORDER = 0.5  # inches around it where labels may stick out
_SIDE = 1.5  # inches for a legend or a color bar
_TITLE = 0.4  # inches for a title
_RASTER_FROM = 20_000  # nodes + edges from which a vector file holds them as an image


def draw(
    G: Any,
    pos: Any,
    path: str | Path | BinaryIO | None = None,
    *,
    labels: Any = None,
    color: Any = None,
    node_size: Any = None,
    ax: Any = None,
    title: str | None = None,
    legend: bool = True,
    edge_color: Any = "#30343c",
    dpi: float = 150.0,
    format: str | None = None,  # noqa: A002  # the name users know
) -> Figure:
    """Draw the graph `G` at the positions `pos`, and write the picture to `path`.

    Both axes have one scale, and there is no frame. Edges lie under the nodes, the most connected nodes on top; an
    edge within a class has its color. Positions on a line are drawn on a line, of positions in space the first two
    coordinates count.

    Parameters
    ----------
    G : any graph that the layouts take
    pos : positions as a layout returns them (dict, `igraph.Layout` or array), or a `Solution`; every node needs one
    path : a file whose ending is png, svg or pdf (or `format` says it), written whole or not at all; or an open
        binary file, which needs `format`; None writes nothing
    labels : True for the nodes' own labels, the name of a node attribute, or a dict or array of texts. Of up to 60
        nodes all are written, of more nodes those of the highest degree that find room
    color : the name of a node attribute, a dict or array of values, or one matplotlib color. Texts, booleans and up
        to 12 different whole numbers are classes, in colors that the color-blind can tell apart and with a legend of
        up to 12 of them; other numbers are a scale (viridis, with a color bar). A node without a value is gray
    node_size : diameters in the units of `pos` (number, dict, array or attribute), 0 for no dot. By default dots
        follow from the number of nodes; where `color` tells no nodes apart, dots of large graphs
        are small and, from some 30,000 nodes on, only isolated nodes are drawn
    ax : matplotlib axes to draw on; by default a new figure as large as the drawing needs
    title : a line above the drawing
    legend : whether to explain the colors
    edge_color : one matplotlib color
    dpi : dots per inch of a PNG; the longer side of the drawing is 8 inches
    format : "png", "svg" or "pdf"

    Returns
    -------
    matplotlib.figure.Figure
        shown by notebooks as it is; ``figure.savefig`` writes further copies.

    Raises
    ------
    MissingExtra
        without matplotlib; the message names the install command.
    InputError
        for a node without a position, an unknown attribute or format, or a folder that does not exist.

    Examples
    --------
    >>> import networkx as nx
    >>> G = nx.path_graph(3)
    >>> figure = draw(G, {0: (0, 0), 1: (1, 0), 2: (1, 1)}, "path.png", labels=True, color=["a", "a", "b"])
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.colors import to_rgb
        from matplotlib.figure import Figure
    except ImportError as error:
        if error.name and error.name.partition(".")[0] != "matplotlib":
            raise
        raise missing_extra("matplotlib", "draw", "pictures") from None

    network = graphs.read(G, weight=None)
    with graphs.guard(G):
        kind = _picture_format(path, format)
        Y = _flat(network, pos)
        n = len(Y)
        degree = np.diff(network.adjacency.indptr)
        colors = coloring(network, color)
        texts = None if labels is None or labels is False else _texts(network, labels)
        diameters = None
        if node_size is not None:
            diameters = network.host.values(node_size, "node_size", nonnegative=True)

        low, high = (Y.min(axis=0), Y.max(axis=0)) if n else (np.zeros(2), np.ones(2))
        reach = 0.0 if diameters is None or n == 0 else float(diameters.max()) / 2
        low, high = low - reach, high + reach
        extent = np.maximum(high - low, FLATTEST * float((high - low).max()))
        if extent.max() == 0:
            extent[:] = 1.0
        if ax is None:
            side = _SIDE if legend and colors.explained else 0.0
            inches = _SHEET * extent / extent.max()
            border = _BORDER if texts is None else _LABEL_BORDER
            width, height = inches[0] + 2 * border + side, inches[1] + 2 * border + (_TITLE if title else 0)
            figure: Any = Figure(figsize=(width, height), dpi=dpi, facecolor="white")
            FigureCanvasAgg(figure)
            ax = figure.add_axes(
                (border / width, border / height, inches[0] / width, inches[1] / height), facecolor="none"
            )
            figure._repr_png_ = functools.partial(_png, figure)
        else:
            figure = ax.figure
            box = ax.get_window_extent()
            inches = extent * min(box.width / extent[0], box.height / extent[1]) / figure.dpi
        middle = (low + high) / 2
        ax.set_xlim(middle[0] - extent[0] / 2, middle[0] + extent[0] / 2)
        ax.set_ylim(middle[1] - extent[1] / 2, middle[1] + extent[1] / 2)
        ax.set_aspect("equal")
        ax.set_axis_off()

        points = float(inches[0]) * 72 / float(extent[0])  # points per unit of Y
        raster = n + network.adjacency.nnz // 2 > _RASTER_FROM
        layers.edges(ax, Y, network.adjacency, points, to_rgb(edge_color), colors, raster)
        sizes = layers.nodes(ax, Y, degree, diameters, points, colors, raster)
        if texts is not None:
            layers.labels(ax, Y, degree, texts, sizes, points)
        if legend and colors.explained:
            layers.explain(ax, colors)
        if title:
            ax.set_title(title, fontsize=12, color="#202020")
        if path is not None and kind is not None:
            content = render(figure, kind, dpi)
            if isinstance(path, (str, os.PathLike)):
                deliver(path, content)
            else:
                path.write(content)
    return figure


def _picture_format(path: Any, given: str | None) -> str | None:
    if path is None:
        return None
    if hasattr(path, "write"):
        if given is None:
            raise InputError(f"an open file has no ending; give format= one of {', '.join(FORMATS)}")
        return output_format("-", given, FORMATS)
    check_output(path)
    return output_format(path, given, FORMATS)


def _flat(network: graphs.Network, pos: Any) -> np.ndarray:
    """(n, 2) positions for the sheet: a line stays a line, of positions in space the first two coordinates count."""
    opened = graphs.places(pos)
    d = opened.dim
    if d not in (1, 2, 3):
        raise InputError(f"positions have {d} coordinates; a picture needs 1, 2 or 3")
    Y = network.host.positions(opened.given, d)
    without = np.flatnonzero(np.isnan(Y).any(axis=1))
    if len(without):
        raise InputError(
            f"node {network.labels[without[0]]!r} has no position ({len(without)} of {len(Y)} nodes have "
            "none); give every node one"
        )
    return np.concatenate([Y[:, :2], np.zeros((len(Y), max(2 - d, 0)))], axis=1)


def _texts(network: graphs.Network, labels: Any) -> list[str]:
    given = list(network.labels) if labels is True else network.host.objects(labels, "labels")
    return ["" if text is None else _text(text) for text in given]


def _text(value: Any) -> str:
    """A label as people write it: GraphML's 5.0 is 5."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def render(figure: Any, kind: str, dpi: float = 150.0) -> bytes:
    """A figure as the content of a PNG, SVG or PDF file, without the date."""
    content = io.BytesIO()
    undated = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    figure.savefig(content, format=kind, dpi=dpi, metadata=undated)
    return content.getvalue()


def _png(figure: Any) -> bytes:
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=figure.dpi)
    return content.getvalue()
