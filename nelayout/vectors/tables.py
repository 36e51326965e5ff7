"""Tables of numbers for `nelayout embed`, one row per sample: CSV and TSV, npy and npz, parquet.

A first row is a header if a cell of it is no number and the cell below is one, if no cell of it is a number, or
if it holds a name that was asked for::

    >>> source = Source("two.csv", b"height,width,kind\\n1,2,oak\\n3,4,ash\\n")
    >>> table = read_table(source, "csv", beside={"--color": "kind"})
    >>> table.X.tolist(), table.beside["--color"].values
    ([[1.0, 2.0], [3.0, 4.0]], ['oak', 'ash'])
"""

from __future__ import annotations

import csv
import io
from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from nelayout.errors import InputError, unknown
from nelayout.graphs.files.matrices import load_arrays
from nelayout.graphs.files.source import Source
from nelayout.vectors.columns import MISSING, Column, Table, choose_columns, names_that_tell_apart, no_number
from nelayout.vectors.parquet import read_parquet

__all__ = ["FORMATS", "Table", "read_table"]

# File ending -> format.
FORMATS = {"csv": "csv", "tsv": "tsv", "npy": "npy", "npz": "npz", "parquet": "parquet"}

# Names of the array that is taken from an archive with several matrices, the first that there is.
MATRIX_NAMES = ("X", "x", "data", "vectors")


def read_table(
    source: Source, kind: str, columns: Sequence[str] | None = None, beside: Mapping[str, str] | None = None
) -> Table:
    """Read the numbers in `columns`, and the values in those of `beside`: option -> column.

    Without `columns` all columns are coordinates but those of `beside`.

    A column is given by its name or, if none is called so, by its number from 1; "3-7" are five of them.  Those of
    `FittedColumns` are given by their names alone.

    Raises
    ------
    InputError
        naming file, row and column: text or nothing where a number should be, rows of different length, a
        column that does not exist, an array that is no matrix.
    MissingExtra
        for parquet without pyarrow.
    """
    read = {"csv": _delimited, "tsv": _delimited, "parquet": _parquet}.get(kind, _arrays)
    return read(source, kind, columns, beside or {})


def _parquet(source: Source, kind: str, columns: Sequence[str] | None, beside: Mapping[str, str]) -> Table:
    return read_parquet(source, columns, beside)


def read_labels(texts: list[str]) -> list[Any]:
    """Labels as what they are: whole numbers, numbers or text, None where there is none."""
    known = [text for text in texts if text.lower() not in MISSING]
    for kind in (int, float):
        try:
            values = iter([kind(text) for text in known])
        except ValueError:
            continue
        return [None if text.lower() in MISSING else next(values) for text in texts]
    return [text or None for text in texts]


def _delimited(source: Source, kind: str, columns: Sequence[str] | None, beside: Mapping[str, str]) -> Table:
    rows = _rows(source, kind)
    top, first = next(rows)
    second = next(rows, None)
    width = len(first)
    header = _is_header(first, [] if second is None else second[1], [*(columns or ()), *beside.values()])
    names = [cell.removeprefix("# ") for cell in first] if header else [str(k + 1) for k in range(width)]
    taken, others = choose_columns(source, columns, beside, names)
    of_name = 0 if header and not names[0] and 0 not in (*taken, *others.values()) else None
    numbers, lines, called = array("d"), array("q"), []
    texts: dict[int, list[str]] = {k: [] for k in others.values()}
    for line, row in chain([] if header else [(top, first)], [] if second is None else [second], rows):
        if len(row) != width:
            raise source.broken(f"there are {len(row)} cells, and {width} in the first row", line)
        try:
            numbers.extend([float(row[k]) for k in taken])
        except ValueError:
            bad = [(names[k], row[k]) for k in taken if not _is_number(row[k])]
            good = [name for k, name in enumerate(names) if name and _is_number(row[k]) and k not in texts]
            raise no_number(source, f"line {line}", bad, good, bool(beside)) from None
        lines.append(line)
        for k, cells in texts.items():
            cells.append(row[k])
        if of_name is not None:
            called.append(row[of_name])
    X = np.frombuffer(numbers, dtype=np.float64).reshape(-1, len(taken))
    if len(X) == 0:
        raise source.broken("there is a header and no row")
    wrong = np.argwhere(~np.isfinite(X))
    if len(wrong):
        i, k = wrong[0].tolist()
        cell = None if np.isnan(X[i, k]) else X[i, k]
        raise no_number(source, f"line {lines[i]}", [(names[taken[k]], cell)], [], True)
    notes = () if of_name is None else ("the first column has no name: it names the rows",)
    for k, name in enumerate(taken):
        if header and columns is None and len(X) > 2 and np.array_equal(X[:, k] - X[0, k], np.arange(len(X))):
            notes += (
                f"the column {names[name]!r} only numbers the rows and counts as a coordinate; --columns leaves it out",
            )
    found = {option: Column(names[k] if header else "", read_labels(texts[k])) for option, k in others.items()}
    fitted = names_that_tell_apart([names[k] for k in taken]) if header else None
    return Table(X, found, called or None, notes, fitted)


def _rows(source: Source, kind: str) -> Iterator[tuple[int, list[str]]]:
    """(line, cells) of every row that is not empty; the separator is the sign most frequent in the first."""
    text = source.text()
    top = next(line for line in text.splitlines() if line.strip())
    usual = "\t,;" if kind == "tsv" else ",;\t"
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(usual, key=top.count), skipinitialspace=True)
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                yield reader.line_num, cells
    except csv.Error as error:
        raise source.broken(f"cannot be read as {kind}: {error}", reader.line_num) from None


def _is_header(first: list[str], second: list[str], asked: Sequence[str]) -> bool:
    if first[0] == "" and first[1:] == [str(k) for k in range(len(first) - 1)]:  # a frame without column names
        return True
    words = [not _is_number(cell) and cell.lower() not in MISSING for cell in first]
    if all(words) or any(word and _is_number(below) for word, below in zip(words, second, strict=False)):
        return True
    return any(word and cell in asked for word, cell in zip(words, first, strict=True))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _arrays(source: Source, kind: str, columns: Sequence[str] | None, beside: Mapping[str, str]) -> Table:
    found = load_arrays(source, kind, "an array of numbers, (n, d)")
    tables = [name for name, values in found.items() if values.ndim == 2 and name != "data"]
    if {"format", "shape", "data"} <= set(found) and not tables:
        from scipy.sparse import csr_array, load_npz

        try:
            X, others = csr_array(load_npz(io.BytesIO(source.data))), {}
        except (ValueError, KeyError, TypeError) as error:
            raise source.broken(f"cannot be read as a sparse matrix: {error}") from None
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
    taken, numbered = choose_columns(source, columns, by_number, [str(k + 1) for k in range(X.shape[1])])
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
