"""A comparison as HTML: its table, and what a page has beside the drawings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

import numpy as np

from nelayout import graphs
from nelayout.comparison.measuring import Measured
from nelayout.comparison.ranking import arrow, explained, keys, shown, table_rows
from nelayout.pictures.pages import Column, Page, page_of
from nelayout.quality.neighborhoods import jaccard_index

__all__ = ["comparison_page", "neighbors_kept", "table_html"]

# Largest number of entries of the adjacency for a column "neighbors kept" of each drawing.
MAX_ADJACENCY_ENTRIES = 1_000_000


def table_html(
    measured: Mapping[str, Mapping[str, Measured]],
    spreads: Mapping[str, Mapping[str, float]] | None = None,
    seconds: Mapping[str, float] | None = None,
) -> str:
    """Return a row per measure and a column per drawing, then seconds; the best has a star."""
    heads = "".join(f"<th>{escape(drawing)}</th>" for drawing in measured)
    lines = [f"<table><thead><tr><th></th>{heads}</tr></thead><tbody>"]
    for name, cells in table_rows(measured, spreads).items():
        row = ""
        for cell in cells:
            text = cell.text.replace("±", "&plusmn;")
            # Black letters stay readable on the darkest background.
            style = "" if math.isnan(cell.dark) else f"background:rgba(33,113,181,{0.45 * cell.dark:.2f})"
            row += f'<td style="{style}">{f"<b>{text}*</b>" if cell.best else text}</td>'
        title = escape(explained(name).definition)
        lines.append(f'<tr><th title="{title}">{escape(name)} {arrow(name)}</th>{row}</tr>')
    if seconds:
        times = "".join(f"<td>{shown(seconds.get(drawing, math.nan), 2)}</td>" for drawing in measured)
        lines.append(f"<tr><th>seconds</th>{times}</tr>")
    said = keys(measured, spreads, "* best, or not clearly worse; the bluer the better")
    return "\n".join([*lines, f"</tbody></table><p>{'; '.join(said)}</p>"])


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
    seconds: Mapping[str, float] | None = None,
    spreads: Mapping[str, Mapping[str, float]] | None = None,
    words: str = "",
    columns: Iterable[Column] = (),
) -> Page:
    """Return the page of a comparison; see `Comparison.to_html`.

    classes  the class of each node, the default color
    seconds  {drawing: its seconds}, also beside its heading
    spreads  {drawing: {measure: standard deviation over seeds}}
    words    a text over the table; an empty line begins a paragraph
    columns  more values of the nodes
    """
    known = [] if classes is None else [Column("class", classes)]
    network = None if G is None else graphs.read(G, weight=weight)
    if network is not None and 0 < network.adjacency.nnz <= MAX_ADJACENCY_ENTRIES:
        for name, pos in drawings.items():
            kept = neighbors_kept(network, graphs.every_position(network, pos))
            known.append(Column("neighbors kept", kept, name, amount=True))
    if color is None and classes is not None and known[0].kind != "texts":
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
        G, drawings, labels=labels, color=color, weight=weight, title=title, columns=[*known, *columns],
        facts=facts, below=below,
    )  # fmt: skip


def neighbors_kept(network: graphs.Network, Y: np.ndarray) -> np.ndarray:
    """Return each node's value, (n,), of the measure "neighborhood"; NaN for isolated nodes."""
    nodes = np.flatnonzero(np.diff(network.adjacency.indptr))
    result = np.full(len(Y), np.nan)
    if len(nodes):
        result[nodes] = jaccard_index(Y, nodes, network.adjacency[nodes])
    return result
