"""`explore`: the page of one drawing; `page_of`: that of several, for `Comparison.to_html`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from nelayout import graphs
from nelayout.errors import InputError, unknown
from nelayout.graphs.files import check_output
from nelayout.pictures.colors import AMOUNTS, PLAIN, class_names
from nelayout.pictures.pages.columns import Column, hex_color, shortened
from nelayout.pictures.pages.page import Drawn, Page

__all__ = ["explore", "page_of", "solution_page"]


def explore(
    G: Any,
    pos: Any,
    path: str | os.PathLike | None = None,
    *,
    labels: Any = None,
    color: Any = None,
    weight: str | None = "weight",
    title: str | None = None,
) -> Page:
    """Open a drawing as a page to zoom, search and select in: one HTML file that needs no network.

    Nodes can be hovered over, searched by name, selected one by one, in a box or by a lasso; the neighbors of what is
    selected stand out. A reader chooses the node attribute that colors the nodes, and down to which weight edges are
    shown. All of it works by mouse and by keyboard, zoom and move also by two fingers. The page is dark where the
    reader's system is, and by a button. `nelayout.draw` makes pictures for print, and
    ``compare(G, {...}).to_html(path)`` the page of several drawings.

    Parameters
    ----------
    G : networkx graph, igraph.Graph, scipy.sparse matrix or array, square array; None for points without edges, such as
        embedded vectors.
    pos : positions as a layout returns them, or a `Solution`, whose cost of each node the page then knows. Positions in
        space (``dim=3``) are turned by dragging, and by the keys W, A, S, D, Q and E.
    path : where the file is written, whole or not at all; None writes none, and a notebook shows the page.
    labels : names of the nodes: a node attribute, a dict or texts; by default the nodes themselves.
    color : what colors the nodes at first: a node attribute, "degree", "strength", a dict or an array of values, or one
        color. By default the degree.
    weight : the edge attribute by which weak edges can be left out; edges of weight 0 are none. None reads none.
    title : the heading of the page.

    Returns
    -------
    Page
        ``.write(path)`` makes the file, ``.html()`` its text.

    Raises
    ------
    InputError
        for a node without a position, an unknown attribute (with near matches), a folder that does not exist, and a
        page of more than 100 MB, which browsers do not bear.

    Examples
    --------
    >>> import networkx as nx, nelayout as nl
    >>> G = nx.karate_club_graph()
    >>> page = nl.explore(G, nl.ws_sne_layout(G, seed=0), "karate.html", color="club")
    >>> page
    Page('A graph of 34 nodes': 34 nodes, 78 edges, 0.1 MB)
    """
    if path is not None:
        check_output(path)
    page = solution_page(G, pos, labels=labels, color=color, weight=weight, title=title)
    if path is not None:
        page.write(path)
    return page


def solution_page(G: Any, pos: Any, *, columns: Iterable[Column] = (), **look: Any) -> Page:
    """The page of one drawing, which has the cost of each node where `pos` is a `Solution`; `look`: see `page_of`."""
    cost = getattr(pos, "node_cost", None)
    costs = [] if cost is None or not len(cost) else [Column("cost", np.asarray(cost), amount=True)]
    name = getattr(pos, "method", "") or "drawing"
    return page_of(G, {name: pos}, columns=[*costs, *columns], **look)


def page_of(
    G: Any,
    drawings: Mapping[str, Any],
    *,
    labels: Any = None,
    color: Any = None,
    weight: str | None = "weight",
    title: str | None = None,
    columns: Iterable[Column] = (),
    facts: Mapping[str, Sequence[str]] | None = None,
    below: str = "",
) -> Page:
    """The page of several drawings {name: positions}; see `explore`, and `Page` for the rest.

    columns  further values of the nodes
    facts    {drawing: short texts beside its heading}
    """
    network = graphs.points(next(iter(drawings.values()))) if G is None else graphs.read(G, weight=weight)
    with graphs.guard(G):
        own = [shortened(label) for label in network.labels]
        names = own if labels is None else _names(network, labels, own)
        known = [column for column in (*columns, *_of_graph(network)) if not _repeats(column, names)]
        if labels is not None:
            known.append(Column("node", own))
        chosen, extra = _color(network, color, known)
        known = [*extra, *known]
        rows = np.repeat(np.arange(len(names)), np.diff(network.adjacency.indptr))
        cols = network.adjacency.indices
        once = rows < cols
        weights = np.asarray(network.adjacency.data)[once]
        differ = len(weights) > 0 and float(weights.min()) < float(weights.max())
        drawn = []
        for name, pos in drawings.items():
            Y = graphs.every_position(network, pos, f"the drawing {name!r}")
            drawn.append(Drawn(str(name), _flat(Y), (facts or {}).get(name, ())))
        return Page(
            names,
            (rows[once], cols[once]),
            weights if differ else None,
            drawn,
            known,
            chosen,
            (f"{len(names):,} points" if G is None else f"A graph of {len(names):,} nodes") if title is None else title,
            below,
            weight or "weight",
        )




def _names(network: graphs.Network, labels: Any, own: list[str]) -> list[str]:
    """The text of each node, its own name where it has none."""
    given = network.host.objects(labels, "labels")
    return [name if text is None else shortened(text) for text, name in zip(given, own, strict=True)]


def _repeats(column: Column, names: list[str]) -> bool:
    """Whether a column says no more than the names do."""
    return column.kind == "texts" and [None if value is None else shortened(value) for value in column.values] == names


def _of_graph(network: graphs.Network) -> list[Column]:
    """The degree, where there are edges, the strength, where they have weights, and the node attributes."""
    amounts = []
    if network.adjacency.nnz:
        amounts.append(Column("degree", np.diff(network.adjacency.indptr), amount=True))
    if network.weighted:
        amounts.append(Column("strength", np.asarray(network.adjacency.sum(axis=1)).ravel(), amount=True))
    names = [name for name in network.host.attributes() if name not in AMOUNTS]
    return [*amounts, *(Column(str(name), network.host.attribute(name, "a page")) for name in names)]


def _color(network: graphs.Network, color: Any, known: list[Column]) -> tuple[str, list[Column]]:
    """The name of the first color, and the column that comes with it where values were given."""
    usual = "degree" if network.adjacency.nnz else PLAIN
    if color is None:
        return usual, []
    if isinstance(color, str):
        if any(column.name == color and column.kind != "texts" for column in known):
            return color, []
        if color in AMOUNTS:  # without weights the strength is the degree
            return usual, []
        plain = hex_color(color)
        if plain is None:
            allowed = [column.name for column in known if column.kind != "texts"]
            raise unknown("node attribute or color for color", color, allowed)
        return plain, []
    plain = hex_color(color) if isinstance(color, tuple) and len(color) != len(network.labels) else None
    if plain is not None:
        return plain, []
    column = Column("color", class_names(network.host.objects(color, "color")))
    if column.kind == "texts":
        raise InputError(
            "color holds more different texts than a reader could tell the colors of apart; give numbers, or at most "
            "60 classes, or show them with labels="
        )
    return "color", [column]


def _flat(Y: np.ndarray) -> np.ndarray:
    """(n, 2 or 3) places of positions on a line, in the plane or in space."""
    if Y.shape[1] not in (1, 2, 3):
        raise InputError(f"positions have {Y.shape[1]} coordinates; a page needs 1, 2 or 3")
    return np.concatenate([Y, np.zeros((len(Y), max(0, 2 - Y.shape[1])))], axis=1)
