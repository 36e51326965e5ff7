"""`Table`, the result of reading a table of any format; choosing its columns; errors that name a cell."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nelayout.errors import InputError, unknown
from nelayout.graphs.files.source import Source

__all__ = ["MISSING", "Column", "FittedColumns", "Table", "choose_columns", "names_that_tell_apart", "no_number"]

# Names that an error lists of the columns of a fitted table.
LISTED = 8

# Cells, in small letters, that stand for an unknown value.
MISSING = {"", "na", "n/a", "nan", "null", "none", "?"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column that is no coordinate: its name, "" where it has a number only, and a value for each row or None."""

    title: str
    values: list[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Rows of numbers, and what is written beside their positions.

    X       (n, d), dense or CSR
    beside  option that asked for it ("--color", "--label") -> a column that is no coordinate
    names   names of the rows, None where the file has none
    columns names of the coordinates, None where the file has none that tell them apart
    notes   sentences about what was read in another way than a user may expect
    """

    X: Any
    beside: Mapping[str, Column] = field(default_factory=dict)
    names: list[str] | None = None
    notes: tuple[str, ...] = ()
    columns: tuple[str, ...] | None = None


class FittedColumns(tuple[str, ...]):
    """Names of the columns that a map was fitted to: another table is read by these names alone, not by numbers."""

    __slots__ = ()


def choose_columns(
    source: Source, columns: Sequence[str] | None, beside: Mapping[str, str], names: Sequence[str]
) -> tuple[list[int], dict[str, int]]:
    """Numbers from 0 of the columns that are coordinates, and of those that options name: option -> number.

    A first column without a name holds the rows' names: it is a coordinate only if it is asked for.
    """
    others = {option: _column(source, word, names, option) for option, word in beside.items()}
    if isinstance(columns, FittedColumns):
        return _as_fitted(source, columns, names), others
    if columns is None:
        taken = [k for k, name in enumerate(names) if k not in others.values() and (k or name)]
    else:
        taken = [k for word in columns for k in _columns(source, word, names)]
        twice = next((k for i, k in enumerate(taken) if k in taken[:i]), None)
        if twice is not None:
            raise source.broken(f"the column {names[twice]!r} stands twice in --columns")
        for option, k in others.items():
            if k in taken:
                raise source.broken(
                    f"the column {beside[option]!r} is the {option}, which is no coordinate; take it out of --columns"
                )
    if not taken:
        raise source.broken("there is no column with coordinates")
    return taken, others


def _as_fitted(source: Source, fitted: FittedColumns, names: Sequence[str]) -> list[int]:
    """Numbers of the columns that are called like the fitted ones, in the order of these."""
    absent = [name for name in fitted if list(names).count(name) != 1]
    if not absent:
        return [list(names).index(name) for name in fitted]
    listed = ", ".join(fitted[:LISTED]) + (f", ... ({len(fitted)} in all)" if len(fitted) > LISTED else "")
    how_many = list(names).count(absent[0])
    if _numbered(names):
        what = "the columns have no names"
    elif how_many:
        what = f"{how_many} columns are called {absent[0]!r}"
    else:
        what = f"there is no column {absent[0]!r}"
    raise source.broken(
        f"{what}; the map was fitted to {listed}: give a table with these, or name the columns that stand for them, in "
        "their order, with --columns"
    )


def names_that_tell_apart(names: Sequence[str]) -> tuple[str, ...] | None:
    """The names of columns where all have one of their own, else None.

    >>> names_that_tell_apart(["a", "b"]), names_that_tell_apart(["a", "a"]), names_that_tell_apart(["1", "2"])
    (('a', 'b'), None, None)
    """
    return tuple(names) if len({*names, ""}) == len(names) + 1 and not _numbered(names) else None


def _numbered(names: Sequence[str]) -> bool:
    """Whether the columns are called by their numbers, as those of a table without a header are."""
    return list(names) == [str(k + 1) for k in range(len(names))]


def no_number(
    source: Source, line: str, bad: Sequence[tuple[str, Any]], good: Sequence[str], colored: bool
) -> InputError:
    """The error for a row with cells that are no numbers. bad: their columns and contents; good: the other columns."""
    name, value = bad[0]
    if value is None or str(value).strip().lower() in MISSING:
        return InputError(
            f"{source.name}, {line}: the column {name!r} has no value; fill it in, leave the row out, or name the "
            "other columns with --columns"
        )
    several = "" if len(bad) == 1 else f" ({', '.join(repr(other) for other, _ in bad[1:4])} too)"
    rest = (
        f"--columns {shlex.quote(','.join(good))}" if 0 < len(good) <= 6 and "," not in "".join(good) else "--columns"
    )
    choice = "" if colored else f"--color {shlex.quote(name)} if it holds classes, or name "
    return InputError(
        f"{source.name}, {line}: the column {name!r} holds {str(value)[:40]!r}, which is no number{several}; "
        f"give {choice}the columns to use with {rest}"
    )


def _column(source: Source, word: str, names: Sequence[str], option: str) -> int:
    if list(names).count(word) > 1:
        raise source.broken(
            f"{list(names).count(word)} columns are called {word!r}; give the number of the one for {option}"
        )
    if word in names:
        return list(names).index(word)
    if word.isdecimal() and 1 <= int(word) <= len(names):
        return int(word) - 1
    if _numbered(names):
        raise source.broken(f"the columns have no names; give {option} a number from 1 to {len(names)}, not {word!r}")
    raise InputError(f"{source.name}: {unknown(f'column for {option}', word, filter(None, names))}")


def _columns(source: Source, word: str, names: Sequence[str]) -> list[int]:
    low, dash, high = word.partition("-")
    if word in names or not (dash and low.isdecimal() and high.isdecimal()):
        return [_column(source, word, names, "--columns")]
    if not 1 <= int(low) <= int(high) <= len(names):
        raise source.broken(f"--columns {word} is no range of the columns 1 to {len(names)}")
    return list(range(int(low) - 1, int(high)))
