"""Sizes of nodes: diameters in the units of a drawing, words for them, and points on paper as such diameters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from nelayout.errors import InputError, missing_extra, unknown
from nelayout.graphs import Network, read
from nelayout.graphs.to_floats import numbers
from nelayout.pictures.colors import AMOUNTS
from nelayout.pictures.sheet import SHEET

__all__ = ["amounts", "node_diameters", "node_size_from_labels", "node_size_from_points", "relative_diameters"]

# Share of an axis that matplotlib leaves free on each side of the data (its setting axes.xmargin).
_MARGIN = 0.05
# Least and largest dot by degree or strength, in usual dots.
_RELATIVE = (0.5, 3.0)


def node_size_from_points(points: Any, figure: Any = None, *, scale: float = 1.0) -> Any:
    """Diameters in the units of a drawing that are `points` points (1/72 inch) on paper.

    `node_size` of the layouts and of `nelayout.draw` is a diameter in the units of the drawing, so that "no two nodes
    overlap" holds whatever the size of the picture. Other tools measure dots in points on the paper; this function
    turns these into diameters, for a drawing that fits ``[-scale, scale]`` and a picture of known size.

    Parameters
    ----------
    points : float, array or dict
        Diameters in points. ``nx.draw`` takes areas in square points: its ``node_size=300`` is ``points=300 ** 0.5``.
    figure : pair of float, matplotlib figure or axes, optional
        The paper: width and height in inches, a figure that one pair of axes fills (as ``nx.draw`` makes them), or
        axes. None is a picture of `nelayout.draw`, whose drawing is 8 inches long.
    scale : float
        That of the layout: the drawing fits ``[-scale, scale]``.

    Returns
    -------
    float, array or dict
        Diameters as `points` came. Where x and y have different scales on the paper the larger diameter of both.

    Raises
    ------
    InputError
        for sizes that are negative or no numbers, and a figure that is none.

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> G = nx.karate_club_graph()
    >>> size = nl.node_size_from_points(300**0.5, (6.4, 4.8))
    >>> pos = nl.ws_sne_layout(G, node_size=size, seed=0)  # nx.draw(G, pos, node_size=300) hides no node

    >>> round(nl.node_size_from_points(14.4), 3)
    0.05
    """
    if not (isinstance(scale, (int, float, np.number)) and 0 < scale < math.inf):
        raise InputError(f"scale is {scale!r}; give the layout's scale, a number > 0")
    unit = 2 * scale / (72 * _inches(figure))
    if isinstance(points, Mapping):
        given = numbers(list(points.values()), "points", lambda k: f"entry {k}", nonnegative=True)
        return dict(zip(points, (given * unit).tolist(), strict=True))
    if np.ndim(points):
        return unit * numbers(list(points), "points", lambda k: f"entry {k}", nonnegative=True)
    return float(numbers([points], "points", lambda _: "the dot", nonnegative=True)[0] * unit)


def node_size_from_labels(labels: Any, points: float = 10.0, figure: Any = None, *, scale: float = 1.0) -> Any:
    """Boxes in the units of a drawing that texts take on paper, in letters of `points` points.

    Given to a layout as `node_size`, they keep room for the labels of all nodes. Needs matplotlib (``[draw]``), whose
    default font is measured.

    Parameters
    ----------
    labels : dict or sequence
        ``{node: text}``, or one text per node in node order.
    points : float
        Size of the letters; ``nx.draw_networkx_labels`` has 12.
    figure, scale
        As `node_size_from_points` takes them.

    Returns
    -------
    dict or (n, 2) array
        Widths and heights, ``{node: (width, height)}`` or as rows, as `labels` came.

    Raises
    ------
    InputError
        for a size of letters that is no number > 0, labels that are one text, and a figure that is none.

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> G = nx.les_miserables_graph()
    >>> size = nl.node_size_from_labels({v: v for v in G}, 6)
    >>> pos = nl.ws_sne_layout(G, node_size=size, seed=0)  # no name lies on another
    >>> bool(size["Valjean"][0] > 2 * size["Valjean"][1])
    True
    """
    if isinstance(labels, str) or not hasattr(labels, "__len__"):
        raise InputError(f"labels is {labels!r}; give a dict {{node: text}}, or one text per node")
    if not (isinstance(points, (int, float, np.number)) and 0 < points < math.inf):
        raise InputError(f"points is {points!r}; give the size of the letters, a number > 0")
    unit = node_size_from_points(1.0, figure, scale=scale)
    try:
        from nelayout.pictures.lettering import text_size

        texts = labels.values() if isinstance(labels, Mapping) else labels
        boxes = [tuple(unit * side for side in text_size(str(text), points)) for text in texts]
    except ImportError:
        raise missing_extra("matplotlib", "draw", "measuring labels") from None
    if isinstance(labels, Mapping):
        return dict(zip(labels, boxes, strict=True))
    return np.array(boxes, dtype=np.float64).reshape(len(boxes), 2)


def _inches(figure: Any) -> float:
    """Inches that a drawing has on its shorter side, within matplotlib's margins."""
    if figure is None:
        return SHEET
    if hasattr(figure, "get_size_inches"):
        size = figure.get_size_inches()
    elif hasattr(figure, "get_window_extent") and hasattr(figure, "figure"):
        window = figure.get_window_extent()
        size = np.array([window.width, window.height]) / figure.figure.dpi
    else:
        size = figure
    if np.shape(size) != (2,) or not all(isinstance(x, (int, float, np.number)) and 0 < x < math.inf for x in size):
        raise InputError(f"figure is {figure!r}; give its width and height in inches, a matplotlib figure, or its axes")
    return float(min(size)) / (1 + 2 * _MARGIN)


def amounts(G: Any, network: Network, word: Any, weight: str | None) -> np.ndarray | None:
    """(n,) the degrees or strengths that a word stands for, node attribute or not; None for anything else."""
    if not isinstance(word, str) or word not in AMOUNTS:
        return None
    if word == "degree":
        return np.diff(network.adjacency.indptr).astype(np.float64)
    heavy = network if weight is not None or G is None else read(G, weight="weight")
    return np.asarray(heavy.adjacency.sum(axis=1), dtype=np.float64).ravel()


def relative_diameters(amount: np.ndarray) -> np.ndarray:
    """Diameters in usual dots whose areas are in proportion to an amount, but that none is too small to be seen.

    >>> relative_diameters(np.array([0.0, 1.0, 4.0, 3.0])).round(2).tolist()
    [0.5, 0.71, 1.41, 1.22]
    """
    mean = float(amount.mean()) if len(amount) else 0.0
    return np.clip(np.sqrt(amount / (mean or 1.0)), *_RELATIVE)


def node_diameters(network: Network, node_size: Any, extent: float) -> np.ndarray:
    """(n,) diameters, checked: none is larger than the whole drawing, whose longer side is `extent` (0: one place)."""
    attributes = network.host.attributes()
    if isinstance(node_size, str) and node_size not in attributes:
        raise unknown("node_size", node_size, ["auto", *AMOUNTS, *attributes])
    diameters = network.host.values(node_size, "node_size", nonnegative=True)
    largest = int(np.argmax(diameters)) if len(diameters) else 0
    if len(diameters) and 0 < extent < diameters[largest]:
        size = float(diameters[largest])
        raise InputError(
            f"node_size gives node {network.labels[largest]!r} the diameter {size:g}, and the whole drawing is "
            f"{extent:.3g} wide: node_size is a diameter in the units of the positions. For dots in points give "
            f"nelayout.node_size_from_points(points); nx.draw's node_size={size:g} is points={size:g} ** 0.5"
        )
    return diameters
