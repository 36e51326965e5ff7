"""How values are read beside each other: which way is better, which drawing is best, how dark its cell is.

>>> arrow("stress"), arrow("neighborhood"), best("stress", [0.3, 0.1, 0.2])
('↓', '↑', 0.1)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from nelayout.comparison.measuring import Measured
from nelayout.quality import MEASURES

__all__ = [
    "J_OF", "KEY", "Row", "arrow", "best", "explained", "leaders", "marked_cell", "shade", "shown", "table_lines",
]

# Explanation of the signs in a table.
KEY = "↑ higher is better, ↓ lower is better, * best"
# Explanation of what stands behind a ±, where there is one.
SEEDS_KEY = "± the standard deviation over seeds; of one drawing the standard error of the sample"
# Standard errors within which a value is not told from the best, and has a star as well.
ALIKE = 2.0
# Counts up to this are written in full, with no power of ten.
FULL = 1e9
# Values below this are written with a power of ten: four digits of them would need eight places.
TINY = 1e-4


# Before the name of a method: the row of its objective.
J_OF = "J of "


class Row(NamedTuple):
    """The meaning of a row: its definition and the rule of its score in words, and the better direction.

    ``count``: see `nelayout.quality.protocol.Score`.
    """

    definition: str
    score: str
    higher: bool = False
    count: bool = False


OBJECTIVE = Row(
    "the objective of the method, at the size of the drawing that makes it least (nelayout.evaluate)",
    "1 / (1 + how far it is above the least of these drawings, in parts of that one)",
)


def explained(name: str) -> Row:
    """The meaning of a row, of a measure or of a method's objective."""
    if name.startswith(J_OF):
        return OBJECTIVE
    score = MEASURES[name].score
    return Row(MEASURES[name].definition, score.words, score.higher, score.count)


def arrow(name: str) -> str:
    """Sign for the better direction of a measure."""
    return "↑" if explained(name).higher else "↓"


def best(name: str, values: Sequence[float]) -> float | None:
    """The best of the values of a measure, None where all are equally good or one alone is known."""
    known = [value for value in values if not math.isnan(value)]
    if len(set(known)) < 2:
        return None
    return max(known) if explained(name).higher else min(known)


def shade(name: str, row: Mapping[str, Measured], values: Sequence[float]) -> float:
    """Darkness of a cell from 0 to 1: the score; of a count, its distance from the least of the drawings at hand.

    The score of a count is its share of the most there could be, beside which 4,000 crossings are as good as 50,000.

    >>> rows = [{"crossings": Measured(value, 1 - value / 10**6, 0, True)} for value in (3.0, 7.0)]
    >>> [shade("crossings", row, [3.0, 7.0]) for row in rows]
    [1.0, 0.5]
    """
    if not explained(name).count:
        return row[name].score
    least = min((value for value in values if not math.isnan(value)), default=math.nan)
    return (1.0 + least) / (1.0 + row[name].value)


def shown(value: float, digits: int = 4) -> str:
    """A value in so many digits, counts and large values in full; NaN is a dash.

    >>> [shown(value) for value in (51343.0, 4597.2, 0.7777777, 1e-7, math.nan)]
    ['51343', '4597', '0.7778', '1e-07', '–']
    """
    if math.isnan(value):
        return "–"
    if abs(value) < FULL and (value == int(value) or abs(value) >= 10**digits):
        return f"{value:.0f}"
    return f"{value:.{digits if abs(value) >= TINY else 1}g}"


def leaders(name: str, row: Mapping[str, Measured]) -> set[str]:
    """The drawings with the best value of a measure, and those within two standard errors of it; none if all are.

    >>> row = {"a": Measured(0.5, 0.5, 0.01, False), "b": Measured(0.51, 0.51, 0.01, False)}
    >>> sorted(leaders("neighborhood", row)), leaders("neighborhood", {**row, "c": Measured(0.6, 0.6, 0.01, False)})
    ([], {'c'})
    """
    first = best(name, [m.value for m in row.values()])
    if first is None:
        return set()
    top = next(m for m in row.values() if m.value == first)
    found = {
        drawing
        for drawing, m in row.items()
        if m.value == first or abs(m.value - first) <= ALIKE * math.hypot(m.error, top.error)
    }
    return set() if len(found) == sum(not math.isnan(m.value) for m in row.values()) else found


def marked_cell(m: Measured, spread: float | None = None) -> str:
    """A value with the deviation over seeds behind it, or else the error of its sample.

    >>> marked_cell(Measured(0.25, 0.25, 0.01, True), 0.02), marked_cell(Measured(0.25, 0.25, 0.0, True))
    ('0.25 ± 0.02', '0.25')
    """
    if spread is not None and not math.isnan(spread):
        return f"{shown(m.value)} ± {shown(spread, 2)}"
    return shown(m.value) if m.exact else f"{shown(m.value)} ± {shown(m.error, 2)}"


def table_lines(
    measured: Mapping[str, Mapping[str, Measured]],
    spreads: Mapping[str, Mapping[str, float]] | None = None,
    seconds: Mapping[str, float] | None = None,
) -> list[str]:
    """A line per measure and a column per drawing, and the seconds below; a star stands behind the best."""
    rows = [["", *(f"{name} " for name in measured)]]
    spreads, seconds = spreads or {}, seconds or {}
    for name in next(iter(measured.values()), {}):
        found = {drawing: row[name] for drawing, row in measured.items()}
        first = leaders(name, found)
        cells = {drawing: marked_cell(m, spreads.get(drawing, {}).get(name)) for drawing, m in found.items()}
        stars = (f"{cell}{'*' if drawing in first else ' '}" for drawing, cell in cells.items())
        rows.append([f"{name} {arrow(name)}", *stars])
    if seconds:
        rows.append(["seconds", *(f"{shown(seconds.get(drawing, math.nan), 2)} " for drawing in measured)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join([f"{row[0]:<{widths[0]}}", *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in rows]
    return [*lines, KEY, *([SEEDS_KEY] if spreads else [])]
