"""A comparison as HTML: its table, and what a page has beside the drawings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

import numpy as np

from nelayout import graphs
from nelayout.comparison.measuring import Measured
from nelayout.comparison.ranking import KEY, SEEDS_KEY, arrow, explained, leaders, marked_cell, shade, shown
from nelayout.pictures.pages import Column, Page, page_of
from nelayout.quality.neighborhoods import hits

__all__ = ["comparison_page", "neighbors_kept", "table_html"]

# Neighbors, all nodes together, up to which it is found for each node how many of them are near in each drawing: some
# three seconds a drawing.
_NEIGHBORS = 1_000_000


def table_html(
    measured: Mapping[str, Mapping[str, Measured]],
    spreads: Mapping[str, Mapping[str, float]] | None = None,
    seconds: Mapping[str, float] | None = None,
) -> str:
    """A row per measure, a column per drawing, and the seconds below; the best is bold with a star.

    A value has the deviation over seeds behind it, or else the error of its sample.
    """
    heads = "".join(f"<th>{escape(drawing)}</th>" for drawing in measured)
    lines = [f"<table><thead><tr><th></th>{heads}</tr></thead><tbody>"]
    spreads, seconds = spreads or {}, seconds or {}
    for name, first in leaders(measured).items():
        values = [row[name].value for row in measured.values()]
        cells = []
        for drawing, row in measured.items():
            text = marked_cell(row[name], spreads.get(drawing, {}).get(name)).replace("±", "&plusmn;")
            if drawing in first:
                text = f"<b>{text}*</b>"
            cells.append(f'<td style="{_background(shade(name, row, values))}">{text}</td>')
        title = escape(explained(name).definition)
        lines.append(f'<tr><th title="{title}">{escape(name)} {arrow(name)}</th>{"".join(cells)}</tr>')
    if seconds:
        times = "".join(f"<td>{shown(seconds.get(drawing, math.nan), 2)}</td>" for drawing in measured)
        lines.append(f"<tr><th>seconds</th>{times}</tr>")
    keys = f"{KEY}; the bluer the better" + (f"; {SEEDS_KEY}" if spreads else "")
    return "\n".join([*lines, f"</tbody></table><p>{keys}</p>"])


def _background(dark: float) -> str:
    """Style of a cell: black letters stay readable on the darkest."""
    return "" if math.isnan(dark) else f"background:rgba(33,113,181,{0.45 * dark:.2f})"


def comparison_page(
    G: Any,
    drawings: Mapping[str, Any],
    measured: Mapping[str, Mapping[str, Measured]],
    classes: list[Any] | None = None,
    *,
    labels: Any = None,
    color: Any = None,
    weight: str | None = "weight",
    title: str | None = None,
    columns: Iterable[Column] = (),
    seconds: Mapping[str, float] | None = None,
    spreads: Mapping[str, Mapping[str, float]] | None = None,
    words: str = "",
) -> Page:
    """The page of a comparison: drawings, table, and the definitions of its measures; see `Comparison.to_html`.

    classes  the class of each node, which colors the nodes unless `color` says otherwise
    columns  further values of the nodes
    seconds  {drawing: its seconds}, which stand beside its heading, too
    spreads  {drawing: {measure: standard deviation over seeds}}
    words    a text over the table, in plain text; an empty line begins a paragraph
    """
    columns = [*([] if classes is None else [Column("class", classes)]), *columns]
    network = None if G is None else graphs.read(G, weight=weight)
    if network is not None and 0 < network.adjacency.nnz <= _NEIGHBORS:
        for name, pos in drawings.items():
            kept = neighbors_kept(network, graphs.every_position(network, pos))
            columns.append(Column("neighbors kept", kept, name, amount=True))
    if color is None and classes is not None and columns[0].kind != "texts":
        color = "class"
    facts = {name: [f"{shown(spent, 2)} s"] for name, spent in (seconds or {}).items()}
    below = "".join(f"<p>{escape(part)}</p>" for part in words.split("\n\n") if part.strip())
    names = list(next(iter(measured.values()), {}))
    if names:
        meanings = "".join(
            f"<dt>{escape(name)} {arrow(name)}</dt><dd>{escape(explained(name).definition)}; "
            f"score: {escape(explained(name).score)}</dd>"
            for name in names
        )
        below += f"<h2>Measures</h2>{table_html(measured, spreads, seconds)}<h2>Definitions</h2><dl>{meanings}</dl>"
    if title is None:
        count = f"{len(drawings)} drawings" if len(drawings) > 1 else "A drawing"
        title = f"{count} of {'vectors' if G is None else 'a graph'}: {', '.join(drawings)}"
    return page_of(
        G, drawings, labels=labels, color=color, weight=weight, title=title, columns=columns, facts=facts, below=below
    )


def neighbors_kept(network: graphs.Network, Y: np.ndarray) -> np.ndarray:
    """The Jaccard index of each node's neighbors and as many nearest nodes in a drawing, NaN for isolated nodes.

    Its mean is the measure "neighborhood"; ties of nearest nodes are broken at random, with the seed 0.
    """
    degree = np.diff(network.adjacency.indptr).astype(np.int64)
    nodes = np.flatnonzero(degree)
    result = np.full(len(Y), np.nan)
    if len(nodes):
        found = hits(Y, nodes, network.adjacency[nodes], np.random.default_rng(0))
        result[nodes] = found / (2 * degree[nodes] - found)
    return result
