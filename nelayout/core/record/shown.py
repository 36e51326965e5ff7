"""Tables as text and HTML, and lists and dicts of results that print as tables.

>>> TableOfRows([{"name": "tsne", "mass": "unit"}, {"name": "ws-sne", "mass": "degree"}], ("name", "mass"))
name    mass
tsne    unit
ws-sne  degree
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

__all__ = ["TableOfRows", "TableOfValues", "html_table", "text_table"]


def text_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return columns of text, each as wide as its widest cell."""
    lines = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table for notebooks."""

    def line(tag: str, cells: Sequence[str]) -> str:
        inner = (escape(cell).replace("  ", "&emsp;") for cell in cells)
        return "<tr>" + "".join(f"<{tag} style='text-align:left'>{cell}</{tag}>" for cell in inner) + "</tr>"

    body = "".join(line("td", row) for row in rows)
    return f"<table><thead>{line('th', head)}</thead><tbody>{body}</tbody></table>"


class TableOfRows(list[dict[str, Any]]):
    """A list of dicts that prints as a table of some of their keys; in notebooks of all keys."""

    def __init__(self, rows: Iterable[dict[str, Any]] = (), columns: Sequence[str] = ()) -> None:
        super().__init__(rows)
        self.columns = tuple(columns)

    def __repr__(self) -> str:
        return text_table(self.columns, [[str(row[name]) for name in self.columns] for row in self])

    def _repr_html_(self) -> str:
        names = list(self[0]) if self else []
        return html_table(names, [[str(row[name]) for name in names] for row in self])


class TableOfValues(dict[str, Any]):
    """A dict of records with value, score and error that prints as a table."""

    def _lines(self) -> tuple[Sequence[str], list[list[str]]]:
        rows = [
            [name, f"{each.value:.4g}", f"{each.score:.3f}", "" if each.exact else f"{each.error:.2g}"]
            for name, each in self.items()
        ]
        return ("measure", "value", "score", "standard error"), rows

    def __repr__(self) -> str:
        return text_table(*self._lines())

    def _repr_html_(self) -> str:
        return html_table(*self._lines())
