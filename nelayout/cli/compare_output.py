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
    """A row for each drawing: the values, the seconds, and the deviations over seeds, as far as there are any."""
    from nelayout.graphs.files.encode import encode_csv

    names = list(next(iter(comparison.measured.values())))
    header, rows = ["drawing", *names], {name: [name, *_values(row)] for name, row in comparison.measured.items()}
    if comparison.seconds:
        header.append("seconds")
    if comparison.spreads:
        header += [f"{name} spread" for name in names]
    for drawing, row in rows.items():
        if comparison.seconds:
            row.append(comparison.seconds.get(drawing))
        if comparison.spreads:
            spread = comparison.spreads.get(drawing, {})
            row += [_known(spread.get(name)) for name in names]
    return encode_csv(header, rows.values())


def _to_json(comparison: Comparison, look: Look) -> bytes:
    """A list of records; null where a measure had nothing to look at."""
    from nelayout.graphs.files.encode import encode_json

    records = []
    for name, row in comparison.measured.items():
        record: dict[str, Any] = {"drawing": name} | dict(zip(row, _values(row), strict=True))
        if name in comparison.seconds:
            record["seconds"] = comparison.seconds[name]
        if name in comparison.spreads:
            record["spread"] = {measure: _known(x) for measure, x in comparison.spreads[name].items()}
        records.append(record)
    return encode_json(records, indent=1)


def _known(value: float | None) -> float | None:
    """The value, None where there is none."""
    return None if value is None or math.isnan(value) else value


def _values(row: Mapping[str, Measured]) -> list[float | None]:
    return [_known(m.value) for m in row.values()]


def _to_html(comparison: Comparison, look: Look) -> bytes:
    return comparison.page(**look).html().encode("utf-8", "replace")


def _to_picture(kind: str) -> Writer:
    def content(comparison: Comparison, look: Look) -> bytes:
        from nelayout.pictures import render

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
