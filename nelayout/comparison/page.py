"""A comparison as HTML: a table for notebooks, and a page that stands alone."""

from __future__ import annotations

import io
import math
from html import escape
from typing import Any

from nelayout.comparison.figure import three_digits
from nelayout.comparison.measuring import Measured
from nelayout.quality import MEASURES

__all__ = ["page", "table_html"]

STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color:#202020}"
    "figure{margin:0}figure svg{max-width:100%;height:auto}table{border-collapse:collapse;margin:1rem 0}"
    "th,td{padding:.25rem .6rem;text-align:right;border-bottom:1px solid #dddddd}"
    "th:first-child{text-align:left}h1{font-size:1.3rem}.table{overflow-x:auto}"
    "dt{font-weight:600}"
)


def table_html(measured: dict[str, dict[str, Measured]]) -> str:
    """A row per drawing, a column per measure; the best of each is bold, a sampled value shows its error."""
    names = list(next(iter(measured.values()), {}))
    best = {name: max((row[name].score for row in measured.values()), key=_rank) for name in names}
    heads = "".join(f'<th title="{escape(MEASURES[name].definition)}">{escape(name)}</th>' for name in names)
    lines = [f"<table><thead><tr><th></th>{heads}</tr></thead><tbody>"]
    for drawing, row in measured.items():
        cells = []
        for name, found in row.items():
            text = three_digits(found.value)
            if not found.exact:
                text += f" &plusmn; {three_digits(found.error)}"
            cells.append(f"<td><b>{text}</b></td>" if found.score == best[name] else f"<td>{text}</td>")
        lines.append(f"<tr><th>{escape(drawing)}</th>{''.join(cells)}</tr>")
    return "\n".join([*lines, "</tbody></table>"])


def page(measured: dict[str, dict[str, Measured]], figure: Any) -> str:
    """A matplotlib figure of the drawings, the table and the definitions of the measures; see `Comparison.to_html`."""
    picture = io.StringIO()
    figure.savefig(picture, format="svg", metadata={"Date": None})
    svg = picture.getvalue()
    names = next(iter(measured.values()), {})
    title = escape(" | ".join(measured))
    meanings = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(MEASURES[name].definition)}; "
        f"score: {escape(MEASURES[name].score.words)}</dd>"
        for name in names
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{title}</title><style>{STYLE}</style></head><body>"
        f"<h1>{title}</h1><figure>{svg[svg.index('<svg') :]}</figure>"
        f'<div class="table">{table_html(measured)}</div><dl>{meanings}</dl>'
        "</body></html>\n"
    )


def _rank(score: float) -> float:
    return -1.0 if math.isnan(score) else score
