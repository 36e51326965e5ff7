"""Which lines a picture has: one for each pair of nodes, or, where edges differ, one for each edge of the graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nelayout import graphs
from nelayout.errors import InputError, unknown

__all__ = ["Lines", "read_lines"]

# Edges up to which a digraph has arrows: beyond, heads of 5 points cover each other.
_ARROWS_UP_TO = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The lines between nodes.

    rows, cols  (m,) the nodes that each joins; with heads, the second is the one that the arrow points to
    width       points, one number; or (m,) numbers >= 0 that the widths are to be in proportion to; None: as fits
    rgb         (m, 3), or (1, 3) for one color
    own         whether each edge was given its color
    heads       whether lines are arrows
    """

    rows: np.ndarray
    cols: np.ndarray
    width: float | np.ndarray | None
    rgb: np.ndarray
    own: bool
    heads: bool


def read_lines(G: Any, network: graphs.Network, color: Any, width: Any, arrows: Any) -> Lines:
    """The lines of a graph that was read as `network`; see `nelayout.draw` for the rules."""
    from matplotlib.colors import is_color_like, to_rgb

    if arrows not in (True, False, "auto"):
        raise InputError(f'arrows is {arrows!r}; allowed are True, False and "auto"')
    adjacency = network.adjacency
    n, pairs = len(network.labels), adjacency.nnz // 2
    heads = network.directed and (pairs <= _ARROWS_UP_TO if isinstance(arrows, str) else arrows)
    one_color = isinstance(color, (str, tuple)) and is_color_like(color)
    one_width = width is None or isinstance(width, (int, float, np.number))
    if one_width and width is not None and not (np.isfinite(width) and width >= 0):
        raise InputError(f"edge_width is {width!r}; give points, a number >= 0")
    rows = np.repeat(np.arange(n), np.diff(adjacency.indptr))
    if one_color and one_width and not heads:
        upper = rows < adjacency.indices
        ends = rows[upper], adjacency.indices[upper].astype(np.int64)
        return Lines(*ends, None if width is None else float(width), np.array([to_rgb(color)]), False, False)
    if G is None:
        raise InputError("edge_color and edge_width for each edge need a graph; points without a graph have no edges")
    links = graphs.links(G)
    # Only the network's own edges stay: no self-loops, and none of weight 0 if weights were read.
    kept = np.isin(links.rows * n + links.cols, rows * n + adjacency.indices)
    rgb = np.array([to_rgb(color)]) if one_color else _colors(_each(color, "edge_color", links, network))[kept]
    if not one_width:
        width = _widths(_each(width, "edge_width", links, network))[kept]
    elif width is not None:
        width = float(width)
    return Lines(links.rows[kept], links.cols[kept], width, rgb, not one_color, heads)


def _each(x: Any, what: str, links: graphs.Links, network: graphs.Network) -> list:
    """One value for each edge of the graph, from an attribute's name, a dict {(u, v): value} or a sequence."""
    m = len(links.rows)
    if isinstance(x, str):
        if x not in links.names:
            kind = "edge attribute or color" if what == "edge_color" else "edge attribute"
            raise unknown(f"{kind} for {what}", x, links.names)
        return links.attribute(x)
    if isinstance(x, Mapping):
        names = network.labels
        ends = [(names[i], names[j]) for i, j in zip(links.rows.tolist(), links.cols.tolist(), strict=True)]
        found = [x.get((u, v), None if network.directed else x.get((v, u))) for u, v in ends]
        if m and all(value is None for value in found):
            raise InputError(f"no key of {what} is an edge of the graph; its keys are pairs, such as {ends[0]!r}")
        return found
    if not hasattr(x, "__len__") or len(x) != m:
        size = f"has {len(x)} entries" if hasattr(x, "__len__") else f"is {x!r}"
        raise InputError(
            f"{what} {size} and the graph has {m} edges; give one for all, one entry per edge in the graph's own "
            "order, a dict {(u, v): value}, or the name of an edge attribute"
        )
    return x.tolist() if isinstance(x, np.ndarray) else list(x)


def _colors(values: list) -> np.ndarray:
    from matplotlib.colors import is_color_like, to_rgb

    for value in values:
        if value is not None and not is_color_like(value):
            raise InputError(
                f"edge_color holds {value!r}, which is no color; give matplotlib colors, such as 'red' or '#0072b2'"
            )
    return np.array([to_rgb("#b4b4b4" if value is None else value) for value in values]).reshape(-1, 3)


def _widths(values: list) -> np.ndarray:
    try:
        widths = np.array([1.0 if value is None else float(value) for value in values])
    except (TypeError, ValueError):
        widths = np.array([np.nan])
    if not (np.isfinite(widths) & (widths >= 0)).all():
        bad = next(v for v in values if not isinstance(v, (int, float, np.number)) or not 0 <= v < np.inf)
        raise InputError(f"edge_width holds {bad!r}; every width must be a finite number >= 0")
    return widths
