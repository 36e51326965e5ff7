"""Output of `nelayout compare`: the formats of its file, and the table that it prints."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from nelayout.cli.arguments import PICTURES

if TYPE_CHECKING:
    from nelayout.comparison import Comparison, Measured

__all__ = ["WRITERS", "table_lines"]


def table_lines(comparison: Comparison) -> list[str]:
    """A line per measure and a column per drawing, which fits a terminal better than the other way round.

    A star stands behind the best, unless all are equally good.
    """
    rows = [["", *comparison.measured]]
    for name in next(iter(comparison.measured.values())):
        found = [row[name] for row in comparison.measured.values()]
        scores = {m.score for m in found if not math.isnan(m.score)}
        best = max(scores) if len(scores) > 1 else None
        rows.append([name, *(f"{_four_digits(m.value)}{'*' if m.score == best else ' '}" for m in found)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows[0][1:] = [f"{name} " for name in rows[0][1:]]
    return [
        (
            f"{row[0]:<{widths[0]}}"
            + "".join(f"  {cell:>{width + 1}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        ).rstrip()
        for row in rows
    ]


def _four_digits(value: float) -> str:
    """Four digits, and no power of ten where a whole number says it."""
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e9 else f"{value:.4g}"


def _to_csv(comparison: Comparison) -> bytes:
    from nelayout.graphs.files.encode import encode_csv

    header = ["drawing", *next(iter(comparison.measured.values()))]
    return encode_csv(header, ([name, *_values(row)] for name, row in comparison.measured.items()))


def _to_json(comparison: Comparison) -> bytes:
    """A list of records; null where a measure had nothing to look at."""
    from nelayout.graphs.files.encode import encode_json

    records = [
        {"drawing": name} | dict(zip(row, _values(row), strict=True)) for name, row in comparison.measured.items()
    ]
    return encode_json(records, indent=1)


def _values(row: Mapping[str, Measured]) -> list[float | None]:
    return [None if math.isnan(m.value) else m.value for m in row.values()]


def _to_html(comparison: Comparison) -> bytes:
    from nelayout.comparison.page import page

    return page(comparison.measured, comparison.plot()).encode()


def _to_picture(kind: str) -> Callable[[Comparison], bytes]:
    def content(comparison: Comparison) -> bytes:
        from nelayout.drawing import render

        return render(comparison.plot(), kind)

    return content


# Format -> comparison -> content.
WRITERS: dict[str, Callable[[Comparison], bytes]] = {
    **{kind: _to_picture(kind) for kind in PICTURES},
    "csv": _to_csv,
    "json": _to_json,
    "html": _to_html,
}
