"""Read the sheets of workbooks (.xlsx) as tables, by openpyxl.

A sheet becomes text with tabs between the cells, so that the readers of tables read it. A line is a row of the sheet.
"""

from __future__ import annotations

import io
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, time
from functools import partial
from importlib import import_module
from typing import Any

from nelayout.errors import InputError, missing_extra, unknown
from nelayout.graphs.files.foreign import WORKBOOK
from nelayout.graphs.files.record import Columns, FileFormat, GraphFile, Source, count_of
from nelayout.graphs.files.tables import read_edgelist
from nelayout.graphs.files.writers import encode_csv
from nelayout.graphs.headings import NODE, ends_named, first_of
from nelayout.graphs.plain import listed_words

__all__ = ["XLSX", "read_sheet", "sheet_text"]

# What a sheet holds -> usual names of such sheets.
TITLES = {
    "edges": {"edges", "edge list", "edgelist", "links", "relations", "relationships", "connections", "ties", "matrix"},
    "nodes": {"nodes", "vertices", "points", "actors", "node list", "nodelist"},
    "rows": set(),
}
# Rows in which headings are looked for.
HEAD_ROWS = 6
# Excel keeps 15 digits of a number.
LARGEST_IN_EXCEL = 10**15
# Errors of openpyxl for damaged files.
DAMAGED = (
    OSError, SyntaxError, ValueError, LookupError, TypeError, AttributeError, EOFError, ArithmeticError, RuntimeError,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip
ERRORS = frozenset({"#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#SPILL!", "#CALC!"})

Cells = list[Sequence[Any]]


def read_sheet(source: Source, columns: Columns) -> GraphFile:
    """Read the graph of a sheet: a table of edges, or an adjacency matrix."""
    text = sheet_text(source, "edges", columns.sheet)
    return replace(read_edgelist(text, columns), format="xlsx").noting(*text.notes)


def sheet_text(source: Source, held: str, asked: str | None = None) -> Source:
    """Return the text of a sheet that holds edges, nodes or rows; `asked`: name or number."""
    sheets = _sheets(source)
    title = _chosen(source, sheets, held, asked)
    rows, notes = sheets[title], []
    others = [repr(name) for name in sheets if name != title]
    if others and asked is None:
        how = "a sheet called Nodes is read first" if held == "nodes" else "sheet=NAME reads another one"
        said = f"the sheet {title!r} is read, and not {listed_words(others)}; {how}"
        nodes = held == "edges" and next((name for name in sheets if name.lower() in TITLES["nodes"]), None)
        notes.append(f"{said}, and nodes=FILE the columns of {nodes!r}" if nodes else said)
    left = min(next(k for k, cell in enumerate(row) if not _empty(cell)) for row in rows if not all(map(_empty, row)))
    width = max(k + 1 for row in rows for k, cell in enumerate(row) if not _empty(cell))
    cells = [[*map(_text, row[left:width]), *[""] * (width - max(len(row), left))] for row in rows]
    wrong = sum(cell in ERRORS for row in rows for cell in row if isinstance(cell, str))
    large = sum(type(cell) in (int, float) and abs(cell) >= LARGEST_IN_EXCEL for row in rows for cell in row)
    notes += [f"{count_of(wrong, 'cell')} with an error such as #REF! counted as empty"] if wrong else []
    digits = "16 digits or more, and Excel keeps 15 digits: names may have merged. Write such names as text"
    notes += [f"{count_of(large, 'number')} of {digits}"] if large else []
    content = encode_csv(cells[0], cells[1:], "\t")
    return Source(f"{source.name}, sheet {title!r}", content, notes, "row")


def _sheets(source: Source) -> dict[str, Cells]:
    """Return {title: rows} of the visible sheets that hold a cell."""
    try:
        openpyxl = import_module("openpyxl")
    except ImportError:
        raise missing_extra("openpyxl", "excel", "xlsx files") from None
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as packed:
            source.check_size(sum(member.file_size for member in packed.infolist()), "bytes of arrays")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # openpyxl warns of charts and styles that it does not read
            book = openpyxl.load_workbook(io.BytesIO(source.data), read_only=True, data_only=True)
            found = {sheet.title: _rows(sheet) for sheet in book.worksheets if sheet.sheet_state == "visible"}
    except InputError:
        raise
    except DAMAGED as error:
        raise source.unreadable(f"cannot be read as xlsx: {error}") from None
    filled = {title: rows for title, rows in found.items() if not all(_empty(cell) for row in rows for cell in row)}
    if not filled:
        raise source.broken("no visible sheet has a cell; put the table on a sheet that is shown")
    return filled


def _rows(sheet: Any) -> Cells:
    sheet.reset_dimensions()  # some programs write wrong ones
    return list(sheet.iter_rows(values_only=True))


def _chosen(source: Source, sheets: Mapping[str, Cells], held: str, asked: str | None) -> str:
    """Return the title of the sheet by `asked`, its title, its headings, or its place."""
    if asked is not None:
        by_name = {title.lower(): title for title in sheets}
        if asked.lower() in by_name:
            return by_name[asked.lower()]
        if asked.isdecimal() and 1 <= int(asked) <= len(sheets):
            return list(sheets)[int(asked) - 1]
        raise source.broken(str(unknown("sheet", asked, sheets)))

    def fits(title: str) -> Iterator[bool]:
        yield title.strip().lower() not in TITLES[held]
        heads = [list(map(_text, row)) for row in sheets[title][:HEAD_ROWS]]
        named = ends_named if held == "edges" else partial(first_of, names=NODE)
        yield held != "rows" and all(named(head) is None for head in heads)
        yield held == "edges" and title.strip().lower() in TITLES["nodes"]

    return min(sheets, key=lambda title: tuple(fits(title)))


def _empty(cell: object) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _text(cell: Any) -> str:
    """Return a cell as text: whole numbers without a point, dates without a time of 0:00.

    >>> _text(3.0), _text(datetime(2024, 5, 1)), _text("two\\nlines"), _text(True), _text("#REF!")
    ('3', '2024-05-01', 'two lines', 'TRUE', '')
    """
    if _empty(cell) or (isinstance(cell, str) and cell in ERRORS):
        return ""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float):
        with suppress(OverflowError, ValueError):
            return str(int(cell)) if cell == int(cell) else repr(cell)
    if isinstance(cell, datetime) and cell.time() == time():
        cell = cell.date()
    return " ".join(str(cell).split("\n")) if isinstance(cell, str) else str(cell)


SIGN = rf"(?s){WORKBOOK}"
XLSX = FileFormat("xlsx", ("xlsx", "xlsm"), SIGN, read_sheet, binary=True, columns=True)
