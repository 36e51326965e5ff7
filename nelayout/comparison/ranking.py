"""How values are read beside each other: which way is better, which drawings are best, how dark a cell is.

>>> arrow("stress"), arrow("neighborhood")
('↓', '↑')
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from nelayout.comparison.measuring import Measured
from nelayout.quality import MEASURES

__all__ = [
    "DESCRIPTIVE", "J_OF", "KEY", "SEEDS_KEY", "Row", "arrow", "beats", "explained", "leaders", "marked_cell", "shade",
    "shown", "table_lines",
]  # fmt: skip

# Explanation of the signs in a table.
KEY = "↑ higher is better, ↓ lower is better, * best, or not told from it"
# Explanation of what stands behind a ±, where there is one.
SEEDS_KEY = "± the standard deviation over seeds; of one drawing the standard error of the sample"
# Standard errors by which two values must differ. At 2, one of 25 measures would differ by chance in every other
# comparison; at 3, in one of thirty.
ERRORS = 3.0
# Part of the scale from 0 to 1 by which two drawings must differ: a hundredth is seen by nobody.
ALIKE = 0.01
# Measures that describe a drawing and do not rank it: nodes at random have more even edges than a good drawing, and a
# circle the most even gaps. They count only where no other was taken.
DESCRIPTIVE = {"edge_length_variation", "resolution"}
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


def beats(name: str, ours: Mapping[str, Measured], theirs: Mapping[str, Measured], values: Iterable[float]) -> bool:
    """Whether a drawing is better than another in one measure, beyond the standard errors and a hundredth of the scale.

    ``values`` are those of all drawings: counts are seen beside the least of them, see `shade`. Where both are beyond
    the end of the scale, as a stress above 1 is, a hundredth of the value counts.
    """
    a, b = ours[name], theirs[name]
    ahead = a.value - b.value if explained(name).higher else b.value - a.value
    if math.isnan(ahead) or ahead <= ERRORS * math.hypot(a.error, b.error):
        return False
    known = list(values)
    mine, other = shade(name, ours, known), shade(name, theirs, known)
    return ahead > ALIKE * abs(b.value) if mine == other == 0 else mine - other > ALIKE


def leaders(measured: Mapping[str, Mapping[str, Measured]]) -> dict[str, set[str]]:
    """{measure: the drawings that no other beats in it}, none of them where nobody is beaten.

    Nobody leads in a measure that only describes, unless there are no others.

    >>> def row(value):
    ...     return {"neighborhood": Measured(value, value, 0.01, False)}
    >>> leaders({"a": row(0.5), "b": row(0.51)}), leaders({"a": row(0.5), "b": row(0.51), "c": row(0.6)})
    ({'neighborhood': set()}, {'neighborhood': {'c'}})
    """
    names = list(next(iter(measured.values()), {}))
    only = all(name in DESCRIPTIVE for name in names)
    found = {}
    for name in names:
        values = {drawing: row[name].value for drawing, row in measured.items() if not math.isnan(row[name].value)}
        first = {
            drawing
            for drawing in values
            if not any(beats(name, measured[other], measured[drawing], values.values()) for other in values)
        }
        found[name] = first if len(first) < len(values) and (only or name not in DESCRIPTIVE) else set()
    return found


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
    for name, first in leaders(measured).items():
        cells = {
            drawing: marked_cell(row[name], spreads.get(drawing, {}).get(name)) for drawing, row in measured.items()
        }
        stars = (f"{cell}{'*' if drawing in first else ' '}" for drawing, cell in cells.items())
        rows.append([f"{name} {arrow(name)}", *stars])
    if seconds:
        rows.append(["seconds", *(f"{shown(seconds.get(drawing, math.nan), 2)} " for drawing in measured)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join([f"{row[0]:<{widths[0]}}", *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in rows]
    return [*lines, KEY, *([SEEDS_KEY] if spreads else [])]
