"""A comparison as a figure, and as a page: its drawings, and its table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Protocol

import numpy as np

from nelayout import graphs
from nelayout.comparison.ranking import Cell, Rows, Spreads, arrow, explained, keys, shown, table_rows
from nelayout.errors import missing_extra
from nelayout.pictures import draw
from nelayout.pictures.colors import Inks, class_coloring, coloring
from nelayout.pictures.legend import LEGEND_STYLE, dots, fitted, text_size
from nelayout.pictures.legend import explained as explained_colors
from nelayout.pictures.pages import Column, Page, page_of
from nelayout.pictures.paper import Paper, paper
from nelayout.pictures.sizes import amounts
from nelayout.quality.neighborhoods import jaccard_index

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["comparison_page", "neighbors_kept", "side_by_side", "table_html"]

# Largest number of entries of the adjacency for a column "neighbors kept" of each drawing.
MAX_ADJACENCY_ENTRIES = 1_000_000


@dataclass(frozen=True, slots=True)
class Panels:
    """Sizes in the figure of a comparison, in inches and in points of letters."""

    max_columns: int = 4  # drawings in a row
    side: float = 3.4  # inches of a drawing
    line: float = 0.3  # inches of a line of the table or of the legend
    cell: float = 0.7  # inches of a column of the table
    names: float = 3.2  # inches for the names of the drawings in the table
    title: float = 12.0  # points of a drawing's name
    small: float = 8.0  # points of text in the table and the legend


PANELS = Panels()


class Compared(Protocol):
    """The fields of `Comparison` that its views show."""

    @property
    def measured(self) -> Rows: ...
    @property
    def spreads(self) -> Spreads: ...
    @property
    def drawings(self) -> Mapping[str, object]: ...
    @property
    def G(self) -> object: ...
    @property
    def labels(self) -> list | None: ...
    @property
    def seconds(self) -> dict[str, float]: ...
    @property
    def node_cost(self) -> dict[str, np.ndarray]: ...
    @property
    def verdict(self) -> list[str]: ...


def side_by_side(comparison: Compared, colors: object, labels: object, table: bool, background: object) -> Figure:
    """Draw the figure of `Comparison.plot`: a legend below, a color bar beside the first row."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine
    except ImportError:
        raise missing_extra("matplotlib", "compare", "figures") from None

    back, drawings, found = paper(background), comparison.drawings, comparison.measured if table else {}
    G, known, inks = comparison.G, comparison.labels, Inks(paper=back)
    if colors is None and known is not None:
        color = class_coloring(known, getattr(known, "name", ""), inks)
    else:
        network = graphs.points(next(iter(drawings.values()))) if G is None else graphs.read(G, None)
        color = coloring(network, colors, amounts(G, network, colors, None), inks=inks)
    rows = -(-len(drawings) // PANELS.max_columns)
    columns = -(-len(drawings) // rows)
    measures = len(next(iter(found.values()), {}))
    names = max((text_size(name, PANELS.small)[0] / 72 for name, _ in color.classes), default=0.0)
    bar = explained_colors(color, PANELS.side, PANELS.side).side if color.bounds else 0.0
    wide = max(columns * PANELS.side + bar, PANELS.cell * (measures + 3) if measures else 0.0)
    entries = max(1, int(wide / (0.5 + names)))
    legend = PANELS.line * (-(-len(color.classes) // entries) + bool(color.classes))
    high = [rows * (PANELS.side + PANELS.line) + legend, PANELS.line * (len(drawings) + 4)][: 1 + bool(measures)]
    layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1)
    figure = Figure(figsize=(wide, sum(high)), dpi=100, facecolor=back.color or "none", layout=layout)
    FigureCanvasAgg(figure)
    parts = figure.subfigures(len(high), 1, squeeze=False, height_ratios=high, facecolor="none")[:, 0]
    axes = parts[0].subplots(rows, columns, squeeze=False).ravel()
    for ax in axes[len(drawings) :]:
        ax.set_axis_off()
    for number, (ax, (name, pos)) in enumerate(zip(axes, drawings.items(), strict=False)):
        how = {"labels": labels, "legend": number == columns - 1 and bar > 0, "background": background}
        draw(G, pos, ax=ax, color=color, **how)
        short = fitted(name, PANELS.title, 72 * (PANELS.side - 0.3))
        title = ax.set_title(short, fontsize=PANELS.title, color=back.ink, y=1.0)
        title.set_parse_math(False)
        ax.set_anchor("N")  # titles are level
    if color.classes:
        handles = dots(color.classes, back, PANELS.small, color.shapes is not None)
        how = {"title": color.name or None, "fontsize": PANELS.small, "title_fontsize": PANELS.small, **LEGEND_STYLE}
        how |= {"loc": "outside lower center", "ncols": min(entries, len(handles)), "labelcolor": back.ink}
        parts[0].legend(handles=handles, **how)
    if measures:
        _table(parts[1].subplots(), found, comparison.seconds, back)
    return figure


def _table(ax: Axes, found: Rows, seconds: dict[str, float], back: Paper) -> None:
    """Draw one cell per drawing and measure, the darker the better; the best of each is bold."""
    columns = {f"{name.replace('_', ' ')} {arrow(name)}": cells for name, cells in table_rows(found, digits=3).items()}
    if seconds:
        columns["seconds"] = [Cell(shown(seconds.get(name, math.nan), 2), False, math.nan) for name in found]
    dark = np.array([[each.dark for each in cells] for cells in columns.values()]).T
    ax.pcolormesh(dark, cmap="Blues", vmin=0.0, vmax=1.2, edgecolors=back.rgb, linewidth=1.0)
    ax.set_ylim(len(found), 0)
    how = {"fontsize": PANELS.small, "color": back.ink, "parse_math": False}
    ax.set_xticks(np.arange(len(columns)) + 0.5, list(columns), rotation=30, ha="left", **how)
    ax.set_yticks(np.arange(len(found)) + 0.5, [fitted(name, PANELS.small, 72 * PANELS.names) for name in found], **how)
    ax.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    ax.spines[:].set_visible(False)
    ax.set_facecolor("none")
    for m, cells in enumerate(columns.values()):
        for r, each in enumerate(cells):
            ink = back.ink if math.isnan(each.dark) else "white" if each.dark > 0.55 else "#202020"
            how = {"weight": "bold" if each.best else "normal", "fontsize": PANELS.small, "color": ink}
            ax.text(m + 0.5, r + 0.5, each.text.partition(" ±")[0], ha="center", va="center", **how)


def table_html(found: Compared) -> str:
    """Return the measures in rows, with a column per drawing, then the seconds."""
    measured, spreads, seconds = found.measured, found.spreads, found.seconds
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
    found: Compared, labels: object, color: object, weight: str | None, title: str | None, columns: Iterable[Column]
) -> Page:
    """Return the page of a comparison; see `Comparison.page`."""
    G, drawings, classes = found.G, found.drawings, found.labels
    known = [] if classes is None else [Column("class", classes)]
    network = None if G is None else graphs.read(G, weight=weight)
    if network is not None and 0 < network.adjacency.nnz <= MAX_ADJACENCY_ENTRIES:
        for name, pos in drawings.items():
            kept = neighbors_kept(network, graphs.every_position(network, pos))
            known.append(Column("neighbors kept", kept, name, amount=True))
    known += [Column("node cost", cost, name, amount=True) for name, cost in found.node_cost.items()]
    if color is None and classes is not None and known[0].kind != "texts":
        color = "class"
    facts = {name: [f"{shown(spent, 2)} s"] for name, spent in found.seconds.items()}
    below = "".join(f"<p>{escape(sentence)}</p>" for sentence in found.verdict)
    names = list(next(iter(found.measured.values()), {}))
    if names:
        meanings = "".join(
            f"<dt>{escape(name)} {arrow(name)}</dt><dd>{escape(explained(name).definition)}; "
            f"score: {escape(explained(name).score)}</dd>"
            for name in names
        )
        below += f"<h2>Measures</h2>{table_html(found)}<h2>Definitions</h2><dl>{meanings}</dl>"
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
