"""Tables for `nelayout embed`, a row per sample: CSV, TSV, xlsx, npy, npz, Arrow, Parquet."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import islice
from typing import Any

import numpy as np

from nelayout.errors import InputError, unknown
from nelayout.graphs.files.arrow import read_columns
from nelayout.graphs.files.delimited import Numbers, Rows, is_missing, is_word2vec, number, typed
from nelayout.graphs.files.matrices import load_arrays, load_sparse
from nelayout.graphs.files.record import Source, count_of
from nelayout.graphs.files.sheets import sheet_text

__all__ = ["FORMATS", "FittedColumns", "Table", "read_table"]

# File ending -> name of the format, which is also an ending.
FORMATS = {name: name for name in ("csv", "tsv", "xlsx", "npy", "npz", "arrow", "parquet")} | {"feather": "arrow"}
# Names of the matrix in an archive with several, in order of preference.
MATRIX_NAMES = ("X", "x", "data", "vectors")
# Prefix of pandas' columns with the names of rows in parquet files.
INDEX_PREFIX = "__index_level_"


@dataclass(frozen=True, slots=True)
class Column:
    """A column beside the coordinates: name ("" if it has none), and a value or None per row."""

    title: str
    values: list[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Rows of numbers, and the values beside their positions.

    X        (n, d), dense or CSR
    beside   option ("--color", "--label") -> a column that is not a coordinate
    names    of the rows, None if the file has none
    notes    sentences about surprising readings of the file
    columns  names of the coordinates, None if the file has no distinct names
    """

    X: Any
    beside: Mapping[str, Column] = field(default_factory=dict)
    names: list[str] | None = None
    notes: tuple[str, ...] = ()
    columns: tuple[str, ...] | None = None


class FittedColumns(tuple[str, ...]):
    """Names of the columns of a fitted map: another table is read by these names only."""

    __slots__ = ()


def read_table(
    source: Source, kind: str, columns: Sequence[str] | None = None, beside: Mapping[str, str] | None = None,
    sheet: str | None = None,
) -> Table:  # fmt: skip
    """Read numbers of `columns` (None: all others), and `beside`: option -> column.

    `sheet` is the sheet of a workbook, by name or number.

    A column is given by its name or, if no column has this name, by its number from 1. "3-7" are five columns.
    """
    source = sheet_text(source, "rows", sheet) if kind == "xlsx" else source
    text = kind in ("csv", "tsv", "xlsx")
    read = _delimited if text else _typed if kind in ("arrow", "parquet") else _arrays
    try:
        return read(source, kind, columns, beside or {})
    except csv.Error as error:
        raise source.broken(f"cannot be read as {kind}: {error}") from None


def _delimited(source: Source, kind: str, columns: Sequence[str] | None, beside: Mapping[str, str]) -> Table:
    table = Rows(source, comments=False)
    (top, first), *body = islice(table, 2)
    if body and is_word2vec(first, body[0][1]):
        first = ["", *map(str, range(len(body[0][1]) - 1))]  # as a frame without column names has
    width = table.width = len(first)
    header = _is_header(first, body[0][1] if body else [], [*(columns or ()), *beside.values()])
    names = [cell.removeprefix("# ") for cell in first] if header else [str(k + 1) for k in range(width)]
    taken, others = _choose_columns(source, columns, beside, names)
    if header and not body:
        raise source.broken("there is a header and no row")
    of_name = 0 if header and not names[0] and 0 not in (*taken, *others.values()) else None
    texts: dict[int, list[str]] = {k: [] for k in (*others.values(), *([] if of_name is None else [of_name]))}

    def check(line: int, cells: list[str]) -> None:
        if len(cells) != width:
            raise source.broken(f"there are {len(cells)} cells, and {width} in the first row", line)

    numbers, parts = Numbers(table), list[np.ndarray]()
    for lines, cells in table.blocks(body[0][0] if header else top, check):
        part = np.column_stack([numbers.read(cells[k], lines)[0] for k in taken])
        wrong = np.flatnonzero(~np.isfinite(part).all(axis=1))
        if len(wrong):
            at = int(wrong[0])
            bad = [(names[k], cells[k][at]) for k, x in zip(taken, part[at], strict=True) if not np.isfinite(x)]
            good = [name for k, name in enumerate(names) if name and number(cells[k][at]) is not None]
            good = [name for name in good if name not in dict(bad) and names.index(name) not in texts]
            raise _no_number(source, f"line {lines[at]}", bad, good, bool(beside))
        parts.append(part)
        for k, known in texts.items():
            known.extend(cells[k])
    X = np.concatenate(parts)
    called = texts.get(0) if of_name == 0 else None
    notes = () if called is None else ("the first column has no name: it names the rows",)
    if numbers.commas:
        notes += (f"{count_of(numbers.commas, 'number')} read with a decimal comma",)
    notes += tuple(source.notes)
    for k, name in enumerate(taken):
        if header and columns is None and len(X) > 2 and np.array_equal(X[:, k] - X[0, k], np.arange(len(X))):
            notes += (
                f"the column {names[name]!r} only numbers the rows and counts as a coordinate; --columns leaves it out",
            )
    found = {option: Column(names[k] if header else "", typed(texts[k])) for option, k in others.items()}
    fitted = _names_apart([names[k] for k in taken]) if header else None
    return Table(X, found, called, notes, fitted)


def _is_header(first: list[str], second: list[str], asked: Sequence[str]) -> bool:
    """Return True if a cell is text over a number or asked for, or if no cell is a number."""
    if first[0] == "" and first[1:] == [str(k) for k in range(len(first) - 1)]:  # a frame without column names
        return True
    words = [number(cell) is None and not is_missing(cell) for cell in first]
    over = (word and number(below) is not None for word, below in zip(words, second, strict=False))
    return all(words) or any(over) or any(word and cell in asked for word, cell in zip(words, first, strict=True))


def _arrays(source: Source, kind: str, columns: Sequence[str] | None, beside: Mapping[str, str]) -> Table:
    found = load_arrays(source, kind, "an array of numbers, (n, d)")
    tables = [name for name, values in found.items() if values.ndim == 2 and name != "data"]
    if {"format", "shape", "data"} <= set(found) and not tables:
        X, others = load_sparse(source), {}
    else:
        name = _matrix(source, found)
        X, others = found[name], {other: values for other, values in found.items() if other != name}
    found, by_number = {}, {}
    for option, word in beside.items():
        if not others or word.isdecimal():
            by_number[option] = word
            continue
        fitting = [other for other, values in others.items() if values.shape == X.shape[:1]]
        if word not in fitting:
            raise InputError(f"{source.name}: {unknown(f'array for {option}', word, fitting)}")
        found[option] = Column(word, others[word].tolist())
    taken, numbered = _choose_columns(source, columns, by_number, [str(k + 1) for k in range(X.shape[1])])
    for option, k in numbered.items():
        column: Any = X[:, [k]]
        values = column if isinstance(X, np.ndarray) else column.toarray()
        found[option] = Column("", values.ravel().tolist())
    return Table(X[:, taken], found)


def _matrix(source: Source, found: dict[str, np.ndarray]) -> str:
    matrices = [name for name, values in found.items() if values.ndim == 2 and values.dtype.kind in "biuf"]
    named = [name for name in MATRIX_NAMES if name in matrices]
    if len(matrices) == 1 or named:
        return named[0] if named else matrices[0]
    held = ", ".join(f"{name or 'an array'} {values.shape} of {values.dtype}" for name, values in found.items())
    raise source.broken(
        f"holds {held or 'nothing'}; expected one array of numbers, (n, d) with a row per sample"
        + (f", or that one of them is called {MATRIX_NAMES[0]}" if len(matrices) > 1 else "")
    )


def _typed(source: Source, kind: str, columns: Sequence[str] | None, beside: Mapping[str, str]) -> Table:
    table = read_columns(source, kind)
    index = [name for name in table.column_names if name.startswith(INDEX_PREFIX)]
    called = [str(name) for name in table.column(index[0]).to_pylist()] if index else None
    table = table.drop_columns(index)
    names = table.column_names
    taken, others = _choose_columns(source, columns, beside, names)
    blocks = [(names[k], *_numbers(table.column(k))) for k in taken]
    bad = [(name, *culprit) for name, _, culprit in blocks if culprit is not None]
    if bad:
        good = [name for name, _, culprit in blocks if culprit is None]
        wrong = [(name, value) for name, value, _ in bad]
        raise _no_number(source, f"row {bad[0][2] + 1}", wrong, good, bool(beside))
    X = np.concatenate([block for _, block, _ in blocks], axis=1)
    found = {option: Column(names[k], table.column(k).to_pylist()) for option, k in others.items()}
    fitted = _names_apart([names[k] for k in taken]) if X.shape[1] == len(taken) else None
    return Table(X, found, called, columns=fitted)


def _numbers(column: Any) -> tuple[Any, tuple[Any, int] | None]:
    """Return (n, width) numbers; else the first value that is not a number, and its row."""
    types, kind = import_module("pyarrow.types"), column.type
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        if column.null_count:
            return None, (None, column.to_pylist().index(None))
        wide = column.to_numpy()
        block = np.asarray(wide, dtype=np.float32 if wide.dtype == np.float32 else np.float64)
        wrong = np.flatnonzero(~np.isfinite(block))
        if not len(wrong):
            return block[:, None], None
        return None, (None if np.isnan(block[wrong[0]]) else block[wrong[0]], int(wrong[0]))
    values = column.to_pylist()
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        width = next((len(value) for value in values if value is not None), 0)
        for i, value in enumerate(values):
            if value is None or len(value) != width or any(x is None for x in value):
                return None, (value, i)
        try:
            return np.array(values, dtype=np.float64), None
        except (TypeError, ValueError):
            return None, (values[0], 0)
    return None, (next((value for value in values if value is not None), None), 0)


def _choose_columns(
    source: Source, columns: Sequence[str] | None, beside: Mapping[str, str], names: Sequence[str]
) -> tuple[list[int], dict[str, int]]:
    """Return numbers from 0 of the coordinate columns, and {option: number} of the others."""
    names = list(names)

    def column(word: str, option: str) -> int:
        if names.count(word) > 1:
            many = f"{names.count(word)} columns are called {word!r}"
            raise source.broken(f"{many}; give {option} the number of its column")
        if word in names:
            return names.index(word)
        if word.isdecimal() and 1 <= int(word) <= len(names):
            return int(word) - 1
        if _numbered(names):
            allowed = f"a number from 1 to {len(names)}"
            raise source.broken(f"the columns have no names; give {option} {allowed}, not {word!r}")
        raise InputError(f"{source.name}: {unknown(f'column for {option}', word, filter(None, names))}")

    others = {option: column(word, option) for option, word in beside.items()}
    if isinstance(columns, FittedColumns):
        return _as_fitted(source, columns, names), others
    if columns is None:
        # A first column without a name has the rows' names.
        taken = [k for k, name in enumerate(names) if k not in others.values() and (k or name)]
    else:
        taken = []
        for word in columns:
            low, dash, high = word.partition("-")
            if word in names or not (dash and low.isdecimal() and high.isdecimal()):
                taken.append(column(word, "--columns"))
            elif 1 <= int(low) <= int(high) <= len(names):
                taken.extend(range(int(low) - 1, int(high)))
            else:
                raise source.broken(f"--columns {word} is not a range of the columns 1 to {len(names)}")
        twice = next((k for i, k in enumerate(taken) if k in taken[:i]), None)
        if twice is not None:
            raise source.broken(f"the column {names[twice]!r} is twice in --columns")
        for option, k in others.items():
            if k in taken:
                raise source.broken(
                    f"the column {beside[option]!r} is the {option}, not a coordinate; remove it from --columns"
                )
    if not taken:
        raise source.broken("there is no column with coordinates")
    return taken, others


def _as_fitted(source: Source, fitted: FittedColumns, names: list[str]) -> list[int]:
    """Return the numbers of the columns with the fitted names, in the order of these."""
    absent = [name for name in fitted if names.count(name) != 1]
    if not absent:
        return [names.index(name) for name in fitted]
    listed = ", ".join(fitted[:8]) + (f", ... ({len(fitted)} in all)" if len(fitted) > 8 else "")
    what = f"there is no column {absent[0]!r}"
    if _numbered(names):
        what = "the columns have no names"
    elif absent[0] in names:
        what = f"{names.count(absent[0])} columns are called {absent[0]!r}"
    raise source.broken(
        f"{what}; the map was fitted to {listed}: give a table with these, or name the columns that stand for them, in "
        "their order, with --columns"
    )


def _names_apart(names: Sequence[str]) -> tuple[str, ...] | None:
    """Return the names of columns if all are distinct and not empty, else None."""
    return tuple(names) if len({*names, ""}) == len(names) + 1 and not _numbered(names) else None


def _numbered(names: Sequence[str]) -> bool:
    """Return True if the names are the numbers 1, 2, ..., as in a table without a header."""
    return list(names) == [str(k + 1) for k in range(len(names))]


def _no_number(
    source: Source, line: str, bad: Sequence[tuple[str, Any]], good: Sequence[str], colored: bool
) -> InputError:
    """Return the error for a row: `bad` columns with contents, `good` the other columns."""
    name, value = bad[0]
    if value is None or is_missing(str(value).strip()):
        return InputError(
            f"{source.name}, {line}: the column {name!r} has no value; fill it in, leave the row out, or name the "
            "other columns with --columns"
        )
    several = "" if len(bad) == 1 else f" ({', '.join(repr(other) for other, _ in bad[1:4])} too)"
    short = 0 < len(good) <= 6 and "," not in "".join(good)
    rest = f"--columns {shlex.quote(','.join(good))}" if short else "--columns"
    choice = "" if colored else f"--color {shlex.quote(name)} if it holds classes, or name "
    return InputError(
        f"{source.name}, {line}: the column {name!r} holds {str(value)[:40]!r}, not a number{several}; "
        f"give {choice}the columns to use with {rest}"
    )
