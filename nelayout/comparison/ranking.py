"""Which drawings are best in which measure, in tables and in sentences.

A drawing is better than another if the difference is larger than sampling, one percent of the scale and chance allow.
Several seeds show what chance does: `differences` tests all pairs in all measures, corrected for their number.

A drawing dominates another if it is worse in no measure and better in at least one. The drawings that no other
dominates are the Pareto front; the choice among them depends on the question.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from nelayout.comparison.chance import LEVEL, holm, rank_sum, seeds_needed
from nelayout.comparison.measuring import Measured
from nelayout.quality.table import MEASURES

__all__ = [
    "DESCRIPTIVE", "J_OF", "Cell", "Difference", "Row", "Rows", "Spreads", "arrow", "beats", "deviation", "differences",
    "dominators", "explained", "front", "keys", "leaders", "mean_of", "ranking_measures", "shade", "shown",
    "table_lines", "table_rows", "verdict",
]  # fmt: skip

Rows = Mapping[str, Mapping[str, Measured]]
Spreads = Mapping[str, Mapping[str, float]]

# Number of standard errors by which two sampled values must differ: chance alone does this in one of thirty
# comparisons.
CLEAR_STANDARD_ERRORS = 3.0
# Share of the scale from 0 to 1 by which two drawings must differ.
CLEAR_SCALE_SHARE = 0.01
# Measures that describe a drawing. They rank it only if no other measure was taken: random positions have more even
# edges than a good drawing.
DESCRIPTIVE = {"edge_length_variation", "resolution"}
# Largest number of measures that a sentence names; it counts the rest.
MAX_NAMED_MEASURES = 5
# Prefix of a method's name in the row of its objective.
J_OF = "J of "


class Row(NamedTuple):
    """Meaning of a row of the table: definition and rule of the score in words; see `Score`."""

    definition: str
    score: str
    higher: bool = False
    count: bool = False


OBJECTIVE = Row(
    "the objective of the method, at the size of the drawing that makes it least (nelayout.evaluate)",
    "1 / (1 + how far it is above the least of these drawings, as a part of that value)",
)


def explained(name: str) -> Row:
    """Return the meaning of a row: a measure or a method's objective."""
    if name.startswith(J_OF):
        return OBJECTIVE
    score = MEASURES[name].score
    return Row(MEASURES[name].definition, score.words, score.higher, score.count)


def arrow(name: str) -> str:
    """Return the sign for the better direction of a measure."""
    return "↑" if explained(name).higher else "↓"


def shade(name: str, row: Mapping[str, Measured], values: Sequence[float]) -> float:
    """Return the darkness of a cell from 0 to 1: its score, or for a count smallest / value."""
    if not explained(name).count:  # the scores of 4,000 and of 50,000 crossings hardly differ
        return row[name].score
    least = min((value for value in values if not math.isnan(value)), default=math.nan)
    return (1.0 + least) / (1.0 + row[name].value)


def shown(value: float, digits: int = 4) -> str:
    """Return a value with `digits` digits, counts and large values in full; NaN is a dash.

    >>> [shown(value) for value in (51343.0, 4597.2, 0.7777777, 1e-7, math.nan)]
    ['51343', '4597', '0.7778', '1e-07', '–']
    """
    if math.isnan(value):
        return "–"
    if abs(value) < 1e9 and (value == int(value) or abs(value) >= 10**digits):
        return f"{value:.0f}"
    return f"{value:.{digits if abs(value) >= 10.0**-4 else 1}g}"


class Difference(NamedTuple):
    """Test of two drawings in one measure, over seeds.

    value  of the drawing minus the other's
    p      how likely chance makes such a difference; NaN if neither has several seeds
    holm   the same, corrected for all pairs and measures of the table
    """

    measure: str
    drawing: str
    other: str
    value: float
    p: float
    holm: float


def differences(rows: Rows) -> list[Difference]:
    """Test each pair of drawings in each ranking measure, over seeds; see `rank_sum`."""
    names = ranking_measures(next(iter(rows.values()), {}))
    found = []
    for name in names:
        for one, other in combinations(rows, 2):
            a, b = rows[one][name], rows[other][name]
            ours, theirs = ([x for x in each.runs or (each.value,) if not math.isnan(x)] for each in (a, b))
            p = rank_sum(ours, theirs) if ours and theirs else math.nan
            if np.sign(np.subtract.outer(ours, theirs)).sum() * (a.value - b.value) < 0:
                p = 1.0  # one outlier turns the means against the ranks: neither is better
            found.append(Difference(name, one, other, a.value - b.value, p, p))
    return [each._replace(holm=float(p)) for each, p in zip(found, holm([each.p for each in found]), strict=True)]


def beats(name: str, ours: Mapping[str, Measured], theirs: Mapping[str, Measured], values: Iterable[float]) -> bool:
    """Return whether a drawing is better beyond sampling and 1 % of the scale; see `shade`."""
    a, b = ours[name], theirs[name]
    ahead = a.value - b.value if explained(name).higher else b.value - a.value
    sampled = 0.0 if a.exact and b.exact else CLEAR_STANDARD_ERRORS * math.hypot(a.error, b.error)
    if math.isnan(ahead) or ahead <= sampled:
        return False
    known = list(values)
    mine, other = shade(name, ours, known), shade(name, theirs, known)
    # Of two values beyond the end of the scale, such as stresses above 1, a share of the value counts.
    return ahead > CLEAR_SCALE_SHARE * abs(b.value) if mine == other == 0 else mine - other > CLEAR_SCALE_SHARE


def ranking_measures(names: Iterable[str]) -> list[str]:
    """Return the measures that rank the drawings."""
    every = list(names)
    return [name for name in every if name not in DESCRIPTIVE] or every


def _ranking(rows: Rows) -> dict[str, dict[str, Measured]]:
    """Return the drawings with the measures that rank them."""
    names = ranking_measures(next(iter(rows.values()), {}))
    return {drawing: {name: row[name] for name in names} for drawing, row in rows.items()}


def _better(rows: Rows) -> dict[tuple[str, str], dict[str, float]]:
    """Return {(drawing, other): {measure in which it is better: difference}}, largest first."""
    by_chance = {(d.measure, frozenset((d.drawing, d.other))) for d in differences(rows) if d.holm > LEVEL}
    found = {}
    for one, ours in rows.items():
        for other, theirs in rows.items():
            ahead = {}
            for name in ours if one != other else ():
                values = [row[name].value for row in rows.values()]
                if (name, frozenset((one, other))) not in by_chance and beats(name, ours, theirs, values):
                    ahead[name] = shade(name, ours, values) - shade(name, theirs, values)
            found[one, other] = dict(sorted(ahead.items(), key=lambda item: -item[1]))
    return found


def leaders(measured: Rows) -> dict[str, set[str]]:
    """Return {measure: the drawings that no other beats in it}, empty if no drawing is beaten."""
    ranking = _ranking(measured)
    better, found = _better(ranking), {}
    for name in next(iter(measured.values()), {}):
        known = [drawing for drawing, row in measured.items() if not math.isnan(row[name].value)]
        first = {drawing for drawing in known if not any(name in better[other, drawing] for other in measured)}
        found[name] = first if len(first) < len(known) and name in ranking[known[0]] else set()
    return found


class Cell(NamedTuple):
    """A value in a table: text with its error, True if best, and darkness (NaN for none)."""

    text: str
    best: bool
    dark: float


def table_rows(measured: Rows, spreads: Spreads | None = None, digits: int = 4) -> dict[str, list[Cell]]:
    """Return {measure: a cell per drawing}, with deviations over seeds or sampling errors."""
    rows = {}
    for name, first in leaders(measured).items():
        values = [row[name].value for row in measured.values()]
        rows[name] = []
        for drawing, row in measured.items():
            found, text = row[name], shown(row[name].value, digits)
            spread = (spreads or {}).get(drawing, {}).get(name, math.nan)
            if not math.isnan(spread):
                text = f"{text} ± {shown(spread, 2)}"
            elif not found.exact:
                text = f"{text} ± {shown(found.error, 2)}"
            rows[name].append(Cell(text, drawing in first, shade(name, row, values)))
    return rows


def keys(measured: Rows, spreads: Spreads | None = None, best: str = "* best, or not clearly worse") -> list[str]:
    """Return the explanations of the signs in a table."""
    names = next(iter(measured.values()), {})
    described = [name for name in names if name in DESCRIPTIVE]
    said = [f"↑ higher is better, ↓ lower is better, {best}"]
    if described and len(described) < len(names):
        said.append(f"{_listed(described)} {'describes' if len(described) == 1 else 'describe'} a drawing: no star")
    if spreads:
        said.append("± the standard deviation over seeds; of one drawing the standard error of the sample")
    counts = sorted(len(next(iter(row.values())).runs) for row in measured.values() if row)
    tests = sum(not math.isnan(each.p) for each in differences(measured))
    if counts[-2:-1] > [0] and next(filter(None, counts)) < (needed := seeds_needed(tests)):
        said.append(f"too few seeds to tell layouts from chance: {needed} seeds can, in {tests} tests")
    return said


def table_lines(
    measured: Rows, spreads: Spreads | None = None, seconds: Mapping[str, float] | None = None
) -> list[str]:
    """Return lines: a row per measure, a column per drawing, the seconds, and a key of signs."""
    rows = [["", *(f"{name} " for name in measured)]]
    for name, cells in table_rows(measured, spreads).items():
        rows.append([f"{name} {arrow(name)}", *(f"{cell.text}{'*' if cell.best else ' '}" for cell in cells)])
    if seconds:
        rows.append(["seconds", *(f"{shown(seconds.get(drawing, math.nan), 2)} " for drawing in measured)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join([f"{row[0]:<{widths[0]}}", *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in rows]
    return [*lines, *keys(measured, spreads)]


def mean_of(runs: Sequence[dict[str, Measured]]) -> dict[str, Measured]:
    """Return the mean of each measure over runs with several seeds.

    The standard error joins the error over seeds and the mean sampling error. The sampling error does not shrink with
    more runs, since all runs are measured on the same sample.
    """
    count = len(runs)
    if count == 1:
        return runs[0]
    means = {}
    for name in runs[0]:
        value, score, error = (
            math.fsum(getattr(run[name], of) for run in runs) / count for of in ("value", "score", "error")
        )
        seeds = deviation([run[name].value for run in runs]) / math.sqrt(count)
        error = 0.0 if math.isnan(seeds) else math.hypot(error, seeds)
        values = tuple(run[name].value for run in runs)
        means[name] = Measured(value, score, error, all(run[name].exact for run in runs), values)
    return means


def deviation(values: Sequence[float]) -> float:
    """Return the standard deviation of a sample (n - 1); NaN for fewer than two values."""
    if len(values) < 2:
        return math.nan
    middle = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((x - middle) ** 2 for x in values) / (len(values) - 1))


def dominators(rows: Rows) -> dict[str, list[str]]:
    """Return {drawing: its dominators}, without drawings that no other dominates."""
    better = _better(_ranking(rows))
    found = {name: [other for other in rows if better[other, name] and not better[name, other]] for name in rows}
    return {name: others for name, others in found.items() if others}


def front(rows: Rows) -> list[str]:
    """Return the drawings that no other dominates; all if small differences form a circle."""
    behind = dominators(rows)
    return [name for name in rows if name not in behind] or list(rows)


def verdict(rows: Rows, seconds: Mapping[str, float] | None = None, single: Iterable[str] = ()) -> list[str]:
    """Return sentences on several drawings: the front, strengths, dominated drawings, seconds."""
    if len(rows) < 2:
        return ["There is one drawing, and nothing to compare it with."]
    rows = _ranking(rows)
    better, behind, ahead = _better(rows), dominators(rows), front(rows)
    if len(ahead) == 1:
        said = [f"{ahead[0]} is the only drawing that no other dominates."]
    elif any(better[a, b] for a in ahead for b in ahead):
        choose = "between" if len(ahead) == 2 else "among"
        said = [
            f"No drawing is best in everything: choose {choose} {_listed(ahead)} by the measures that matter to you."
        ]
    else:
        said = [f"{_listed(ahead)} cannot be told apart by these measures."]
    if any(better.values()):
        first = leaders(rows)
        said += [_strengths(name, rows, first, better) for name in ahead]
        said += [_dominated(name, behind[name], rows, better) for name in rows if name not in ahead]
    times, alone = seconds or {}, list(single) if any(better.values()) else []
    if len(times) > 1:
        fast, slow = min(times, key=times.__getitem__), max(times, key=times.__getitem__)
        said.append(
            f"{fast} was the fastest ({shown(times[fast], 2)} s), {slow} the slowest ({shown(times[slow], 2)} s)."
        )
    if alone:
        said.append(
            f"{_listed(alone)}: one seed each; a difference between two methods may be one between two seeds "
            "(seeds=10 draws ten)."
        )
    return said


def _strengths(name: str, rows: Rows, first: Mapping[str, set[str]], better: Mapping) -> str:
    """Return the measures in which a drawing leads, and the one where it is farthest behind."""
    row = rows[name]

    def values(names: list[str]) -> str:
        return _counted([f"{m} ({shown(row[m].value)})" for m in names[:MAX_NAMED_MEASURES]], len(names))

    alone = [m for m in row if first[m] == {name}]
    shared = [m for m in row if name in first[m] and m not in alone]
    said = [f"is best in {values(alone)}"] if alone else []
    if shared:
        said.append(f"{'shares' if alone else 'is among'} the best in {values(shared)}")
    losses = [(loss, m, other) for other in rows for m, loss in better[other, name].items()]
    if losses:
        _, m, other = max(losses, key=lambda each: each[0])
        said.append(f"is worse in {m} ({shown(row[m].value)}; {other} has {shown(rows[other][m].value)})")
    return f"{name} {_listed(said or ['is best in no measure'])}."


def _dominated(name: str, by: list[str], rows: Rows, better: Mapping) -> str:
    first = max(by, key=lambda other: len(better[other, name]))
    ahead = list(better[first, name])
    parts = [f"{m} ({shown(rows[first][m].value)} to {shown(rows[name][m].value)})" for m in ahead[:MAX_NAMED_MEASURES]]
    also = [other for other in by if other != first]
    more = f" ({_listed(also)} dominate{'s' * (len(also) == 1)} it, too)" if also else ""
    return f"{first} dominates {name}: better in {_counted(parts, len(ahead))}, worse in none{more}."


def _counted(parts: list[str], total: int) -> str:
    """Return the first parts, and how many are left."""
    return _listed([*parts, f"{total - len(parts)} more"] if total > len(parts) else parts)


def _listed(words: list[str]) -> str:
    """Return words in one phrase: "a", "a and b", "a, b and c"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
