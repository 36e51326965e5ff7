"""A comparison as HTML: a table for notebooks, and a page that stands alone."""

from __future__ import annotations

import io
import math
from html import escape
from typing import Any

from nelayout.comparison.measuring import Measured
from nelayout.comparison.ranking import KEY, arrow, best, explained, shade, shown

__all__ = ["page", "table_html"]

STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color:#202020}"
    "figure{margin:0}figure svg{max-width:100%;height:auto}table{border-collapse:collapse;margin:1rem 0}"
    "th,td{padding:.25rem .6rem;text-align:right;border-bottom:1px solid #dddddd}"
    "th:first-child{text-align:left}h1{font-size:1.3rem}h2{font-size:1.1rem}.table{overflow-x:auto}"
    "dt{font-weight:600}"
)


def table_html(measured: dict[str, dict[str, Measured]]) -> str:
    """A row per measure, a column per drawing; the best is bold with a star, a sampled value shows its error."""
    heads = "".join(f"<th>{escape(drawing)}</th>" for drawing in measured)
    lines = [f"<table><thead><tr><th></th>{heads}</tr></thead><tbody>"]
    for name in next(iter(measured.values()), {}):
        values = [row[name].value for row in measured.values()]
        first = best(name, values)
        cells = []
        for row in measured.values():
            text = shown(row[name].value)
            if not row[name].exact:
                text += f" &plusmn; {shown(row[name].error, 2)}"
            if row[name].value == first:
                text = f"<b>{text}*</b>"
            cells.append(f'<td style="{_background(shade(name, row, values))}">{text}</td>')
        title = escape(explained(name).definition)
        lines.append(f'<tr><th title="{title}">{escape(name)} {arrow(name)}</th>{"".join(cells)}</tr>')
    return "\n".join([*lines, f"</tbody></table><p>{KEY}; darker is better</p>"])


def _background(dark: float) -> str:
    """Style of a cell: black letters stay readable on the darkest."""
    return "" if math.isnan(dark) else f"background:rgba(33,113,181,{0.45 * dark:.2f})"


def page(measured: dict[str, dict[str, Measured]], figure: Any) -> str:
    """A matplotlib figure of the drawings, the table and the definitions of the measures; see `Comparison.to_html`."""
    picture = io.StringIO()
    figure.savefig(picture, format="svg", metadata={"Date": None})
    svg = picture.getvalue()
    names = next(iter(measured.values()), {})
    count = f"{len(measured)} drawings" if len(measured) > 1 else "A drawing"
    title = f"{count} of a graph: {escape(', '.join(measured))}"
    meanings = "".join(
        f"<dt>{escape(name)} {arrow(name)}</dt><dd>{escape(explained(name).definition)}; "
        f"score: {escape(explained(name).score)}</dd>"
        for name in names
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{title}</title><style>{STYLE}</style></head><body>"
        f"<h1>{title}</h1><figure>{svg[svg.index('<svg') :]}</figure>"
        f'<h2>Measures</h2><div class="table">{table_html(measured)}</div><dl>{meanings}</dl>'
        "</body></html>\n"
    )
