"""Which drawing to take, in words: what each is best in, what it gives up for that, and which are dominated.

A drawing is dominated by another that is worse in no measure and better in at least one; those that nobody dominates
are the Pareto front, and which of them to take depends on what is to be seen.

>>> def row(**values):
...     return {name: Measured(value, value, 0.0, True) for name, value in values.items()}
>>> rows = {"a": row(neighborhood=0.9, map_r2=0.2), "b": row(neighborhood=0.5, map_r2=0.8),
...         "c": row(neighborhood=0.3, map_r2=0.7)}
>>> front(rows), dominators(rows)
(['a', 'b'], {'c': ['b']})
>>> for sentence in verdict(rows):
...     print(sentence)
a and b: which to take depends on what is to be seen; neither is at least as good as the other in everything.
a is best in neighborhood (0.9), and gives up map_r2 (0.2; b has 0.8).
b is best in map_r2 (0.8), and gives up neighborhood (0.5; a has 0.9).
c is dominated by b, which is better in neighborhood (0.5 to 0.3) and map_r2 (0.8 to 0.7) and worse in nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nelayout.comparison.measuring import Measured
from nelayout.comparison.ranking import DESCRIPTIVE, beats, leaders, shade, shown

__all__ = ["dominators", "front", "verdict"]

Rows = Mapping[str, Mapping[str, Measured]]

# Measures that a sentence names before it only counts the others.
NAMED = 5


def _ranking(rows: Rows) -> dict[str, dict[str, Measured]]:
    """The measures that rank the drawings."""
    every = next(iter(rows.values()), {})
    names = [name for name in every if name not in DESCRIPTIVE] or list(every)
    return {drawing: {name: row[name] for name in names} for drawing, row in rows.items()}


def _better(rows: Rows) -> dict[tuple[str, str], list[str]]:
    """(drawing, another) -> the measures in which it is better, the largest difference on the scale first."""
    found = {}
    for one, ours in rows.items():
        for other, theirs in rows.items():
            ahead = {}
            for name in ours:
                values = [row[name].value for row in rows.values()]
                if one != other and beats(name, ours, theirs, values):
                    ahead[name] = shade(name, ours, values) - shade(name, theirs, values)
            found[one, other] = sorted(ahead, key=lambda name: -ahead[name])
    return found


def dominators(rows: Rows) -> dict[str, list[str]]:
    """Drawing -> those that are worse than it in no measure and better in one; only of drawings that have some."""
    better = _better(_ranking(rows))
    found = {name: [other for other in rows if better[other, name] and not better[name, other]] for name in rows}
    return {name: others for name, others in found.items() if others}


def front(rows: Rows) -> list[str]:
    """The drawings that nobody dominates; all, where small differences go round in a circle and nobody is left."""
    behind = dominators(rows)
    return [name for name in rows if name not in behind] or list(rows)


def verdict(rows: Rows, seconds: Mapping[str, float] | None = None, single: Iterable[str] = ()) -> list[str]:
    """Sentences on several drawings: the front, what each on it is best in, who is dominated, who was fast.

    ``single`` are the drawings of which one seed is known where others would have been possible.
    """
    if len(rows) < 2:
        return ["There is one drawing, and nothing to compare it with."]
    rows = _ranking(rows)
    better, behind, ahead = _better(rows), dominators(rows), front(rows)
    said = [_on_the_front(ahead, better)]
    if not any(better.values()):
        return [*said, *_time(seconds or {})]
    first = leaders(rows)
    said += [_strengths(name, rows, first, better) for name in ahead]
    if len(ahead) < len(rows):
        said += [_dominated(name, behind[name], rows, better) for name in rows if name not in ahead]
    said += _time(seconds or {})
    alone = list(single)
    if alone:
        said.append(
            f"{_listed(alone)}: one seed each; a difference between two methods may be one between two seeds "
            "(seeds=5 draws five)."
        )
    return said


def _on_the_front(ahead: list[str], better: Mapping[tuple[str, str], list[str]]) -> str:
    if len(ahead) == 1:
        return f"{ahead[0]} is the only drawing that no other dominates."
    if not any(better[a, b] for a in ahead for b in ahead):
        return f"{_listed(ahead)} cannot be told apart by these measures."
    pair = "neither is at least as good as the other" if len(ahead) == 2 else "none is at least as good as the others"
    return f"{_listed(ahead)}: which to take depends on what is to be seen; {pair} in everything."


def _strengths(
    name: str, rows: Rows, first: Mapping[str, set[str]], better: Mapping[tuple[str, str], list[str]]
) -> str:
    """The measures in which a drawing leads, alone or with others, and the one that it gives up most."""
    row = rows[name]
    beaten = {m: [other for other in rows if m in better[other, name]] for m in row}
    best = [m for m in row if name in first[m]]
    alone = [m for m in best if len(first[m]) == 1]
    said = []
    if alone:
        said.append(f"is best in {_measures(alone, row)}")
    shared = [m for m in best if m not in alone]
    if shared:
        said.append(f"{'shares' if alone else 'is among'} the best in {_measures(shared, row)}")
    if not best:
        said.append("is best in nothing and dominated by nobody")
    worst = _largest_loss(name, beaten, rows)
    if worst is not None:
        m, other = worst
        said.append(f"gives up {m} ({shown(row[m].value)}; {other} has {shown(rows[other][m].value)})")
    return f"{name} {', and '.join(said) if len(said) < 3 else f'{said[0]}, {said[1]}, and {said[2]}'}."


def _largest_loss(name: str, beaten: Mapping[str, list[str]], rows: Rows) -> tuple[str, str] | None:
    """The measure in which a drawing is farthest behind on the scale, and the drawing that is ahead there."""
    found = None
    for m, others in beaten.items():
        values = [row[m].value for row in rows.values()]
        for other in others:
            loss = shade(m, rows[other], values) - shade(m, rows[name], values)
            if found is None or loss > found[0]:
                found = loss, m, other
    return None if found is None else found[1:]


def _dominated(name: str, by: list[str], rows: Rows, better: Mapping[tuple[str, str], list[str]]) -> str:
    first = max(by, key=lambda other: len(better[other, name]))
    ahead = better[first, name]
    parts = [f"{m} ({shown(rows[first][m].value)} to {shown(rows[name][m].value)})" for m in ahead[:NAMED]]
    also = f" (so it is by {_listed([other for other in by if other != first])})" if len(by) > 1 else ""
    return f"{name} is dominated by {first}, which is better in {_counted(parts, ahead)} and worse in nothing{also}."


def _time(seconds: Mapping[str, float]) -> list[str]:
    if len(seconds) < 2:
        return []
    fast, slow = min(seconds, key=lambda name: seconds[name]), max(seconds, key=lambda name: seconds[name])
    return [f"{fast} was the fastest ({shown(seconds[fast], 2)} s), {slow} the slowest ({shown(seconds[slow], 2)} s)."]


def _measures(names: list[str], row: Mapping[str, Measured]) -> str:
    return _counted([f"{m} ({shown(row[m].value)})" for m in names[:NAMED]], names)


def _counted(parts: list[str], names: list[str]) -> str:
    """The first parts, and how many names are left."""
    rest = len(names) - len(parts)
    return _listed([*parts, f"{rest} more"] if rest else parts)


def _listed(words: list[str]) -> str:
    """Words in one phrase: "a", "a and b", "a, b and c"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
