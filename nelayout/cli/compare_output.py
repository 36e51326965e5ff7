"""Output of `nelayout compare`: the formats of its file."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from nelayout.cli.arguments import PICTURES

if TYPE_CHECKING:
    from nelayout.comparison import Comparison, Measured

__all__ = ["DATA", "WRITERS"]

# Keywords of `Comparison.plot`, and for a page those of `Comparison.page`.
Look = dict[str, Any]
Writer = Callable[["Comparison", Look], bytes]


def _to_csv(comparison: Comparison, look: Look) -> bytes:
    from nelayout.graphs.files.encode import encode_csv

    header = ["drawing", *next(iter(comparison.measured.values()))]
    return encode_csv(header, ([name, *_values(row)] for name, row in comparison.measured.items()))


def _to_json(comparison: Comparison, look: Look) -> bytes:
    """A list of records; null where a measure had nothing to look at."""
    from nelayout.graphs.files.encode import encode_json

    records = [
        {"drawing": name} | dict(zip(row, _values(row), strict=True)) for name, row in comparison.measured.items()
    ]
    return encode_json(records, indent=1)


def _values(row: Mapping[str, Measured]) -> list[float | None]:
    return [None if math.isnan(m.value) else m.value for m in row.values()]


def _to_html(comparison: Comparison, look: Look) -> bytes:
    return comparison.page(**look).html().encode("utf-8", "replace")


def _to_picture(kind: str) -> Writer:
    def content(comparison: Comparison, look: Look) -> bytes:
        from nelayout.drawing import render

        return render(comparison.plot(**look), kind)

    return content


# Format -> (comparison, how it is shown) -> content.
WRITERS: dict[str, Writer] = {
    **{kind: _to_picture(kind) for kind in PICTURES},
    "csv": _to_csv,
    "json": _to_json,
    "html": _to_html,
}

# Formats that hold the measures alone.
DATA = ("csv", "json")
