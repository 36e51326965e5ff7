"""`Table`, the result of reading a table of any format; choosing its columns; errors that name a cell."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nelayout.errors import InputError, unknown
from nelayout.graphs.files.source import Source

__all__ = ["MISSING", "Column", "Table", "choose_columns", "no_number"]

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
    notes   sentences about what was read in another way than a user may expect
    """

    X: Any
    beside: Mapping[str, Column] = field(default_factory=dict)
    names: list[str] | None = None
    notes: tuple[str, ...] = ()


def choose_columns(
    source: Source, columns: Sequence[str] | None, beside: Mapping[str, str], names: Sequence[str]
) -> tuple[list[int], dict[str, int]]:
    """Numbers from 0 of the columns that are coordinates, and of those that options name: option -> number.

    A first column without a name holds the rows' names: it is a coordinate only if it is asked for.
    """
    others = {option: _column(source, word, names, option) for option, word in beside.items()}
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
    if list(names) == [str(k + 1) for k in range(len(names))]:
        raise source.broken(f"the columns have no names; give {option} a number from 1 to {len(names)}, not {word!r}")
    raise InputError(f"{source.name}: {unknown(f'column for {option}', word, filter(None, names))}")


def _columns(source: Source, word: str, names: Sequence[str]) -> list[int]:
    low, dash, high = word.partition("-")
    if word in names or not (dash and low.isdecimal() and high.isdecimal()):
        return [_column(source, word, names, "--columns")]
    if not 1 <= int(low) <= int(high) <= len(names):
        raise source.broken(f"--columns {word} is no range of the columns 1 to {len(names)}")
    return list(range(int(low) - 1, int(high)))
