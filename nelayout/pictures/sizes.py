"""Nodes of a picture: diameters in units of the positions, points on paper, and dots."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from nelayout.core.placing.final import dot_diameter
from nelayout.errors import InputError, missing_extra, unknown
from nelayout.graphs import Network, read
from nelayout.graphs.plain import Named
from nelayout.graphs.to_floats import numbers
from nelayout.pictures.colors import AMOUNTS
from nelayout.pictures.raster import paint_dots
from nelayout.pictures.style import STYLE

if TYPE_CHECKING:
    from nelayout.pictures.sheet import Sheet

__all__ = [
    "amounts", "checked", "draw_clouds", "draw_nodes", "node_diameters", "node_size_from_labels",
    "node_size_from_points",
]  # fmt: skip


def node_size_from_points(points: Any, figure: Any = None, *, scale: float = 1.0) -> Any:
    """Return diameters in the units of the positions for dots of `points` points on paper.

    `node_size` of the layouts and of `nelayout.draw` is a diameter in the units of the positions. So nodes without
    overlap have none in a picture of any size. Other packages measure dots in points (1/72 inch) on paper.

    Parameters
    ----------
    points : float, array or dict
        Diameters in points. ``nx.draw`` takes areas in square points: its ``node_size=300`` is ``points=300 ** 0.5``.
    figure : pair of float, matplotlib figure or axes, optional
        Width and height in inches, a figure that is filled by one pair of axes (as ``nx.draw`` makes it), or axes.
        None stands for a picture of `nelayout.draw`, 8 inches long.
    scale : float
        The layout's `scale`.

    Returns
    -------
    float, array or dict
        Diameters in the type of `points`. If x and y have different scales on paper: the larger diameter.

    Raises
    ------
    InputError
        If a size is negative or not a number, or `figure` has another type.

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> G = nx.karate_club_graph()
    >>> size = nl.node_size_from_points(300**0.5, (6.4, 4.8))
    >>> pos = nl.ws_sne_layout(G, node_size=size, seed=0)  # nx.draw(G, pos, node_size=300) hides no node
    >>> round(nl.node_size_from_points(14.4), 3)
    0.05
    """
    checked(scale, "scale")
    size = figure
    if hasattr(figure, "get_size_inches"):
        size = figure.get_size_inches()
    elif hasattr(figure, "get_window_extent") and hasattr(figure, "figure"):
        size = np.array(figure.get_window_extent().size) / figure.figure.dpi
    if figure is None:
        inches = STYLE.sheet
    elif np.shape(size) == (2,) and all(isinstance(x, (int, float, np.number)) and 0 < x < math.inf for x in size):
        inches = float(min(size)) / (1 + 2 * STYLE.axes_margin)
    else:
        raise InputError(f"figure must be width and height in inches, a matplotlib figure or axes; got {figure!r}")
    several = isinstance(points, Mapping) or np.ndim(points) > 0
    given = points.values() if isinstance(points, Mapping) else points if several else [points]
    name = (lambda k: f"entry {k}") if several else (lambda _: "the dot")
    sizes = 2 * scale / (72 * inches) * numbers(list(given), "points", name, nonnegative=True)
    if isinstance(points, Mapping):
        return dict(zip(points, sizes.tolist(), strict=True))
    return sizes if several else float(sizes[0])


def node_size_from_labels(labels: Any, points: float = 10.0, figure: object = None, *, scale: float = 1.0) -> Any:
    """Return boxes in the units of the positions for texts in letters of `points` points.

    Pass them as `node_size` of a layout to keep space for the labels of all nodes, half a letter apart. This function
    measures the default font of matplotlib (``[draw]``).

    Parameters
    ----------
    labels : dict or sequence
        ``{node: text}``, or one text per node in node order.
    points : float
        Font size; 12 in ``nx.draw_networkx_labels``.
    figure, scale
        As `node_size_from_points` takes them.

    Returns
    -------
    dict or (n, 2) array
        ``{node: (width, height)}`` or rows, like `labels`.

    Raises
    ------
    InputError
        If `points` is not a number > 0, `labels` is one text, or `figure` has another type.

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> G = nx.les_miserables_graph()
    >>> size = nl.node_size_from_labels({v: v for v in G}, 6)
    >>> pos = nl.ws_sne_layout(G, node_size=size, seed=0)  # no name covers another
    >>> bool(size["Valjean"][0] > 2 * size["Valjean"][1])
    True
    """
    if isinstance(labels, str) or not hasattr(labels, "__len__"):
        raise InputError(f"labels must be a dict {{node: text}} or one text per node; got {labels!r}")
    checked(points, "points")
    unit = node_size_from_points(1.0, figure, scale=scale)
    try:
        from nelayout.pictures.legend import text_size

        texts = labels.values() if isinstance(labels, Mapping) else labels
        sizes = [text_size(str(text), points) for text in texts]
        space = 1.1 * STYLE.label_space * points  # so that two names do not read as one word
        boxes = [(unit * (STYLE.hinting * wide + space), unit * high) for wide, high in sizes]
    except ImportError:
        raise missing_extra("matplotlib", "draw", "measuring labels") from None
    if isinstance(labels, Mapping):
        return dict(zip(labels, boxes, strict=True))
    return np.array(boxes, dtype=np.float64).reshape(len(boxes), 2)


def checked(x: object, name: str, rule: str = "a number > 0", least: float = 1e-300, most: float = 1e300) -> float:
    """Return a keyword as a number from `least` to `most`, or raise `InputError`."""
    if not isinstance(x, (int, float, np.number)) or isinstance(x, bool) or not least <= x <= most:
        raise InputError(f"{name} must be {rule}; got {x!r}")
    return float(x)


def amounts(G: object, network: Network, word: object, weight: str | None) -> np.ndarray | None:
    """Return (n,) degrees or strengths if `word` is "degree" or "strength", else None."""
    if not isinstance(word, str) or word not in AMOUNTS:
        return None
    if word == "degree":
        return np.diff(network.adjacency.indptr).astype(np.float64)
    heavy = network if weight is not None or G is None else read(G, weight="weight")
    return np.asarray(heavy.adjacency.sum(axis=1), dtype=np.float64).ravel()


def node_diameters(
    G: object, network: Network, node_size: object, weight: str | None, extent: float
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Return (n,) diameters, at most `extent`, and relative ones in usual dots, or None.

    Relative areas are in proportion to the named amounts, within limits. None for both is "auto".
    """
    if node_size is None or (isinstance(node_size, str) and node_size == "auto"):
        return None, None
    attributes = network.host.attributes()
    if isinstance(node_size, str) and node_size not in (*AMOUNTS, *attributes):
        raise unknown("node_size", node_size, ["auto", *AMOUNTS, *attributes])
    if isinstance(node_size, (str, Named)):  # a name, or the values of a name that the graph does not hold
        amount = amounts(G, network, node_size, weight)
        amount = network.host.values(node_size, "node_size", nonnegative=True) if amount is None else amount
        mean = float(amount.mean()) if len(amount) else 0.0
        return None, np.clip(np.sqrt(amount / (mean or 1.0)), STYLE.min_relative_dot, STYLE.max_relative_dot)
    network.host.warn_of_others(node_size, "node_size")
    diameters = network.host.values(node_size, "node_size", nonnegative=True)
    largest = int(np.argmax(diameters)) if len(diameters) else 0
    if len(diameters) and 0 < extent < diameters[largest]:
        size = float(diameters[largest])
        raise InputError(
            f"node_size gives node {network.labels[largest]!r} the diameter {size:g}, and the whole drawing is "
            f"{extent:.3g} wide: node_size must be a diameter in the units of the positions. For areas in proportion "
            "to values give the name of a node attribute. For dots in points give "
            f"nelayout.node_size_from_points(points); nx.draw's node_size={size:g} is points={size:g} ** 0.5"
        )
    return diameters, None


def dot_points(inches: np.ndarray, n: int, plain: bool) -> float:
    """Return the points of a dot in `inches` of drawing; `plain`: one color, and edges exist."""
    long, short = float(inches.max()), float(inches.min())
    dot = dot_diameter(n, short / long) * long / 2 * 72
    if plain:
        dot *= min(1.0, (STYLE.shrink_from / max(n, 1)) ** 0.25)
    return dot if plain and n > STYLE.max_vector_items else max(dot, STYLE.min_dot)


def draw_clouds(sheet: Sheet, Y: np.ndarray, radii: np.ndarray) -> None:
    """Draw a soft disc around each node, behind all else; radii (n,) in units of `Y`."""
    from matplotlib.collections import EllipseCollection

    seen = np.flatnonzero(radii > 0)
    how = {"facecolors": sheet.paper.ink, "edgecolors": "none", "units": "xy", "zorder": 0, "clip_on": False}
    how |= {"alpha": STYLE.cloud_ink, "offsets": Y[seen], "offset_transform": sheet.ax.transData}
    how["rasterized"] = len(seen) > STYLE.max_vector_items
    width = 2 * radii[seen]
    sheet.ax.add_collection(EllipseCollection(width, width, np.zeros(len(seen)), **how), autolim=False)


def draw_nodes(
    sheet: Sheet, Y: np.ndarray, degree: np.ndarray, diameters: np.ndarray | None, relative: np.ndarray | None, rgba:
    np.ndarray, depth: np.ndarray | None, shapes: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    """Draw the nodes, small degrees or far ones first; return their diameters in units of `Y`.

    Dots of one color that would be thinner than edges are left out, except isolated nodes. More than
    20,000 dots without edges become an image.
    """
    from matplotlib.collections import EllipseCollection
    from matplotlib.path import Path
    from matplotlib.transforms import Affine2D

    n = len(Y)
    if n == 0:
        return np.zeros(0)
    if diameters is not None:
        seen = diameters > 0
    else:
        plain = len(rgba) == 1 and bool((degree > 0).any())
        dot = dot_points(sheet.inches, n, plain)
        if n > STYLE.max_vector_items and relative is None and not (degree > 0).any():
            dpi = sheet.image_dpi
            paint_dots(sheet.ax, Y, 72 / dpi / sheet.points, dpi / 72, rgba)  # one point wide
            return np.full(n, 1 / sheet.points)
        size = np.maximum(dot * (np.ones(n) if relative is None else relative), STYLE.min_stroke)
        diameters = size / sheet.points
        seen = degree == 0 if plain and dot <= STYLE.min_stroke else np.ones(n, dtype=bool)
    order = np.argsort(degree if depth is None else -depth, kind="stable")
    order = order[seen[order]]
    if not len(order):
        return diameters
    outline = min(0.09 * float(diameters.mean()) * sheet.points, 0.8)
    outline = outline if outline >= STYLE.min_stroke else 0.0
    given = diameters[order]
    given = given[:1] if (given == given[0]).all() else given  # vector files store a common outline once
    how = {"edgecolors": sheet.paper.rgb if outline else "none", "linewidths": outline, "zorder": 2, "clip_on": False}
    how |= {"facecolors": rgba[order] if len(rgba) == n else rgba, "units": "xy"}
    how |= {"offsets": Y[order], "offset_transform": sheet.ax.transData}
    raster = n + int(degree.sum()) // 2 > STYLE.max_vector_items
    dots = EllipseCollection(given, given, np.zeros(len(given)), rasterized=raster, **how)
    if shapes is not None:  # circle, triangle and square, all within the circle, so that dots stay apart
        square = Path.unit_regular_polygon(4).transformed(Affine2D().rotate_deg(45.0))
        outlines = Path.unit_circle(), Path.unit_regular_polygon(3), square
        dots.set_paths([outlines[shape] for shape in shapes[order]])
    sheet.ax.add_collection(dots, autolim=False)
    return diameters
