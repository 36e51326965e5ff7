"""`explore`, the page of one drawing; `page_of`, of several, for `Comparison.to_html`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from nelayout import graphs
from nelayout.errors import InputError
from nelayout.graphs.files import check_output
from nelayout.pictures.colors import AMOUNTS, MANY_CLASSES, PLAIN, class_names, unknown_color
from nelayout.pictures.pages.page import Column, Drawn, Page, hex_color, shortened

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
    """Make a page of a drawing to zoom, search and select in: one HTML file, without network.

    A reader can hover over nodes, search names, and select nodes one by one, in a box or by a lasso. The page
    highlights their neighbors. A reader can also choose the column that colors the nodes, and hide weak edges. Mouse,
    fingers and keys work. The page is dark if the reader's system is. `nelayout.draw` makes pictures for print, and
    ``compare(G, {...}).to_html(path)`` a page of several drawings.

    Parameters
    ----------
    G : graph or None
        Any graph that the layouts take. None shows points without edges, such as an embedding.
    pos : positions
        What a layout returns, or a `Solution`: the page then shows node costs. Positions in space (``dim=3``) can
        be turned by dragging, and by the keys W, A, S, D, Q and E.
    path : str or Path, optional
        The file; an error leaves no partial file. None writes no file; a notebook shows the page.
    labels : str, dict or array, optional
        Names of the nodes: a node attribute, a dict or texts. By default the nodes themselves.
    color : str, dict or array, optional
        What colors the nodes at first: a node attribute, "degree", "strength", a dict or an array of values, or one
        color. By default the degree.
    weight : str, optional
        The edge attribute by which readers can hide weak edges; edges of weight 0 are left out. None reads no weights.
    title : str, optional
        The heading of the page.

    Returns
    -------
    Page
        ``.write(path)`` makes the file, ``.html()`` returns its text.

    Raises
    ------
    InputError
        For a node without a position, an unknown attribute, a folder that does not exist, and a page of more than 100
        MB.

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
    """Return the page of one drawing, with node costs of a `Solution`; `look`: see `page_of`."""
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
    """Return the page of several drawings {name: positions}; see `explore` and `Page`.

    columns  more values of the nodes
    facts    {drawing: short texts beside its heading}
    """
    network = graphs.points(next(iter(drawings.values()))) if G is None else graphs.read(G, weight=weight)
    with graphs.guard(G):
        own = [shortened(label) for label in network.labels]
        given = [None] * len(own) if labels is None else network.host.objects(labels, "labels")
        names = [name if text is None else shortened(text) for text, name in zip(given, own, strict=True)]
        known = [column for column in (*columns, *_of_graph(network)) if not _repeats(column, names)]
        if labels is not None:
            known.append(Column("node", own))
        chosen, extra = _color(network, color, known)
        rows = np.repeat(np.arange(len(names)), np.diff(network.adjacency.indptr))
        cols = network.adjacency.indices
        once = rows < cols
        weights = np.asarray(network.adjacency.data)[once]
        differ = len(weights) > 0 and float(weights.min()) < float(weights.max())
        drawn = []
        for name, pos in drawings.items():
            Y = graphs.every_position(network, pos, f"the drawing {name!r}")
            if Y.shape[1] not in (1, 2, 3):
                raise InputError(f"{name!r} must have 1, 2 or 3 coordinates; got {Y.shape[1]}")
            flat = np.concatenate([Y, np.zeros((len(Y), max(0, 2 - Y.shape[1])))], axis=1)
            drawn.append(Drawn(str(name), flat, (facts or {}).get(name, ())))
        if title is None:
            title = f"{len(names):,} points" if G is None else f"A graph of {len(names):,} nodes"
        ends = (rows[once], cols[once])
        shown = weights if differ else None
        return Page(names, ends, shown, drawn, [*extra, *known], chosen, title, below, weight or "weight")


def _repeats(column: Column, names: list[str]) -> bool:
    """Return True if the values of a column are the names."""
    return column.kind == "texts" and [None if value is None else shortened(value) for value in column.values] == names


def _of_graph(network: graphs.Network) -> list[Column]:
    """Return degree (if there are edges), strength (if weights), and the node attributes."""
    amounts = []
    if network.adjacency.nnz:
        amounts.append(Column("degree", np.diff(network.adjacency.indptr), amount=True))
    if network.weighted:
        amounts.append(Column("strength", np.asarray(network.adjacency.sum(axis=1)).ravel(), amount=True))
    names = [name for name in network.host.attributes() if name not in AMOUNTS]
    return [*amounts, *(Column(str(name), network.host.attribute(name, "a page")) for name in names)]


def _color(network: graphs.Network, color: Any, known: list[Column]) -> tuple[str, list[Column]]:
    """Return the name of the first color, and a column for given values."""
    colored = [column.name for column in known if column.kind != "texts"]
    if color is None or (isinstance(color, str) and color in AMOUNTS and color not in colored):
        return ("degree" if network.adjacency.nnz else PLAIN), []  # without weights the strength equals the degree
    if isinstance(color, str) and color in colored:
        return color, []
    one = isinstance(color, str) or (isinstance(color, tuple) and len(color) != len(network.labels))
    plain = hex_color(color) if one else None
    if plain is not None:
        return plain, []
    if isinstance(color, str):
        raise unknown_color(color, [name for name in colored if name not in AMOUNTS])
    given = getattr(color, "name", None)  # of a Series
    heading = given if isinstance(given, str) and given not in {column.name for column in known} else "color"
    column = Column(heading, class_names(network.host.objects(color, "color")))
    if column.kind == "texts":
        raise InputError(
            f"color must hold numbers or at most {MANY_CLASSES} classes; got more different texts. Show them with "
            "labels="
        )
    return heading, [column]
