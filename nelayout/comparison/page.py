"""A comparison as HTML: a table for notebooks, and a page that stands alone."""

from __future__ import annotations

import io
import math
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from nelayout.comparison.figure import shown
from nelayout.graphs.files import check_output, deliver
from nelayout.quality import MEASURES

if TYPE_CHECKING:
    from nelayout.comparison.compared import Comparison

__all__ = ["page", "table_html", "write_page"]

STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color:#202020}"
    "figure{margin:0}figure svg{max-width:100%;height:auto}table{border-collapse:collapse;margin:1rem 0}"
    "th,td{padding:.25rem .6rem;text-align:right;border-bottom:1px solid #dddddd}"
    "th:first-child{text-align:left}"
    "dt{font-weight:600}"
)


def table_html(comparison: Comparison) -> str:
    """A row per drawing, a column per measure; the best of each is bold, a sampled value shows its error."""
    names = list(next(iter(comparison.measured.values()), {}))
    best = {name: max((row[name].score for row in comparison.measured.values()), key=_rank) for name in names}
    heads = "".join(f'<th title="{escape(MEASURES[name].definition)}">{escape(name)}</th>' for name in names)
    lines = [f"<table><thead><tr><th></th>{heads}</tr></thead><tbody>"]
    for drawing, row in comparison.measured.items():
        cells = []
        for name, found in row.items():
            text = (
                shown(found.value) if found.exact else f"{shown(found.value)} &plusmn; {shown(found.error)}"
            )
            cells.append(f"<td><b>{text}</b></td>" if found.score == best[name] else f"<td>{text}</td>")
        lines.append(f"<tr><th>{escape(drawing)}</th>{''.join(cells)}</tr>")
    return "\n".join([*lines, "</tbody></table>"])


def write_page(comparison: Comparison, path: Path) -> None:
    """Figure, table and definitions in one file; see `Comparison.to_html`."""
    check_output(path)
    deliver(path, page(comparison).encode())


def page(comparison: Comparison) -> str:
    """The page itself."""
    picture = io.StringIO()
    comparison.plot().savefig(picture, format="svg", metadata={"Date": None})
    svg = picture.getvalue()
    names = next(iter(comparison.measured.values()), {})
    meanings = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(MEASURES[name].definition)}; "
        f"score: {escape(MEASURES[name].score.words)}</dd>"
        for name in names
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(' | '.join(comparison.drawings))}</title><style>{STYLE}</style></head><body>"
        f"<figure>{svg[svg.index('<svg') :]}</figure>{table_html(comparison)}<dl>{meanings}</dl>"
        "</body></html>\n"
    )


def _rank(score: float) -> float:
    return -1.0 if math.isnan(score) else score
