"""Edge lists: two columns and perhaps a weight, separated by blanks, tabs, commas or semicolons.

Lines that begin with "#" or "%" are comments (SNAP, KONECT). A first row that names the two ends is a header, and so
is, between commas, semicolons or tabs, one of words over numbers::

    >>> dict(read_edgelist(Source("two.csv", b"source,target,weight\\na,b,2\\n")).graph["a"])
    {'b': {'weight': 2.0}}

Under a header with the names of the ends, the weight is the column that is called so; else it is the third, if that
holds numbers.  A note says which columns are left out.  Refused are tables that hold something else: vectors (more
than four columns, or ends that are fractions), and nodes (a first heading such as "id").  Labels that are whole
numbers become integers, in increasing order; all others stay text, in order of appearance.
"""

from __future__ import annotations

import csv
import io
import math
import re
import warnings
from collections.abc import Hashable, Iterator

import numpy as np

from nelayout.graphs.files.record import FileFormat, GraphFile, from_edges, from_networkx
from nelayout.graphs.files.source import Source
from nelayout.graphs.headings import WEIGHT, ends_named, first_of
from nelayout.graphs.to_floats import short_repr

__all__ = ["EDGE_LIST", "read_edgelist"]

COMMENTS = ("#", "%")
# First headings of tables of nodes and of positions, which have no ends.
NODE = {"node", "row", "id", "nodeid", "node_id", "label", "name", "key"}
# Most columns of an edge list whose header does not name the ends: two nodes, a weight and a time (KONECT).
MOST_COLUMNS = 4
# Whole numbers beyond this are not exact as floats: such labels are read as text.
LARGEST_EXACT = 2.0**53


def read_edgelist(source: Source) -> GraphFile:
    """The graph of an edge list, undirected; weighted repeated edges add up, others count once."""
    try:
        return _read(source, source.text())
    except csv.Error as error:
        raise source.unreadable(f"cannot be read as a table of edges: {error}") from None


def _read(source: Source, text: str) -> GraphFile:
    first_line, first = _first(source, text)
    if first.lstrip().startswith("<"):
        raise source.unreadable("this is XML or a page of a server, and no edge list", first_line)
    if "{" in first and first.rstrip().endswith("}"):
        return _networkx_dicts(source, text)
    separator = next((sign for sign in "\t,;" if sign in first), None)
    if separator == "\t" and len(_split(first, separator)) < 2:
        separator = None
    head = _split(first, separator)
    following = next((_split(row, separator) for row in _after(text, first_line)), head)
    columns, has_header, notes = _read_head(source, head, following, first_line, separator)
    numeric = _numeric(text, separator, columns, first_line * has_header)
    if numeric is not None:
        ends, weights = numeric[:, :2].astype(np.int64), numeric[:, 2] if len(columns) == 3 else None
        labels, numbers = np.unique(ends, return_inverse=True)
        numbers = numbers.reshape(ends.shape)
        return from_edges(labels.tolist(), numbers[:, 0], numbers[:, 1], weights, "edgelist", notes=notes)
    return _words(source, text, separator, columns, first_line * has_header, notes)


def _first(source: Source, text: str) -> tuple[int, str]:
    """Number and text of the first line that is no comment."""
    for line, content in enumerate(io.StringIO(text), 1):
        if content.strip() and not content.lstrip().startswith(COMMENTS):
            return line, content
    raise source.broken("there are comments but no edges")


def _split(line: str, separator: str | None) -> list[str]:
    if separator is None:
        return line.split()
    return [token.strip() for token in next(csv.reader([line.strip("\r\n")], delimiter=separator), [])]


def _named_columns(head: list[str]) -> list[int] | None:
    """Columns of source, target and perhaps weight, if a row names the first two."""
    named = ends_named(head)
    if named is None:
        return None
    weight = first_of(head, WEIGHT)
    return [*named] if weight is None else [*named, weight]


def _read_head(
    source: Source, head: list[str], following: list[str], line: int, separator: str | None
) -> tuple[list[int], bool, tuple[str, ...]]:
    """Columns of source, target and weight; whether the first row is a header; what a user should know of both."""
    columns = _named_columns(head)
    if columns is not None:
        return columns, True, _left_out(head, columns, head)
    if len(head) > MOST_COLUMNS:
        raise source.broken(
            f"there are {len(head)} columns and no header with the words source and target; "
            "a table of numbers, one row per sample, is drawn by nelayout.embed",
            line,
        )
    if len(head) < 2:
        raise source.broken(f"an edge needs two columns and there is one: {short_repr(head[0])}", line)
    words = separator is not None and not any(map(_is_number, head))
    if words and head[0].lower() in NODE:
        raise source.broken(
            f"the first heading is {head[0]!r}, so this is a table of nodes; "
            "a table of edges has the headings source and target",
            line,
        )
    weighted = len(head) == len(following) > 2 and _is_number(following[2])
    header = words and (all(map(_is_number, following)) or weighted)
    row = following if header else head
    fraction = next((token for token in row[:2] if _is_fraction(token)), None)
    if fraction is not None:
        raise source.broken(
            f"{fraction} is no node: nodes are words or whole numbers; a table of numbers, one row per sample, is "
            "drawn by nelayout.embed (where such numbers are names, give the columns the headings source and target)",
            line + header,
        )
    columns = [0, 1, 2] if len(row) > 2 and _is_number(row[2]) else [0, 1]
    notes = _left_out(head, columns, head if header else None)
    if len(columns) == 3:
        what = f"the column {head[2]!r}" if header else "the third column"
        notes = (f"{what} is read as weight", *notes)
    if header:
        notes = (f"the first row, {', '.join(map(repr, head))}, is read as a header", *notes)
    return columns, header, notes


def _left_out(row: list[str], columns: list[int], names: list[str] | None) -> tuple[str, ...]:
    """Note on the columns that are not read, by their names or numbers from 1."""
    left = [repr(names[k]) if names else str(k + 1) for k in range(len(row)) if k not in columns]
    if not left:
        return ()
    said = f"column {left[0]} is" if len(left) == 1 else f"columns {', '.join(left[:-1])} and {left[-1]} are"
    how = "" if len(columns) == 3 else f"; the weight is a column called {', '.join(sorted(WEIGHT))}"
    return (f"{said} left out{how}",)


def _after(text: str, line: int) -> Iterator[str]:
    rows = io.StringIO(text)
    for _ in range(line):
        next(rows, None)
    return (row for row in rows if row.strip() and not row.lstrip().startswith(COMMENTS))


def _is_number(token: str) -> bool:
    try:
        float(token)
    except ValueError:
        return False
    return True


def _is_fraction(token: str) -> bool:
    return _is_number(token) and math.isfinite(float(token)) and float(token) != math.floor(float(token))


def _numeric(text: str, separator: str | None, columns: list[int], skip: int) -> np.ndarray | None:
    """(m, 2 or 3) numbers, read at once by NumPy; None if the labels are not whole numbers throughout."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "no data": found empty here, named below
            data = np.loadtxt(
                io.StringIO(text),
                comments=COMMENTS,
                delimiter=separator,
                usecols=columns,
                skiprows=skip,
                ndmin=2,
            )
    except ValueError:
        return None
    ends = data[:, :2]
    if not len(data) or not np.isfinite(ends).all() or np.abs(ends).max() >= LARGEST_EXACT:
        return None
    return data if (ends == np.floor(ends)).all() else None


def _words(
    source: Source, text: str, separator: str | None, columns: list[int], skip: int, notes: tuple[str, ...]
) -> GraphFile:
    """Labels as they are written, line by line."""
    index: dict[Hashable, int] = {}
    ends: list[int] = []
    weights: list[float] = []
    last = max(columns)
    for line, content in enumerate(io.StringIO(text), 1):
        if line <= skip or not content.strip() or content.lstrip().startswith(COMMENTS):
            continue
        row = content.split() if separator is None else _split(content, separator)
        if len(row) <= last:
            found = f"there are {len(row)}: {short_repr(content.strip())}"
            raise source.broken(f"{last + 1} columns were expected and {found}", line)
        if not skip and len(row) > MOST_COLUMNS:
            raise source.broken(f"at most {MOST_COLUMNS} columns were expected and there are {len(row)}", line)
        ends.extend(index.setdefault(row[column], len(index)) for column in columns[:2])
        if len(columns) == 3:
            try:
                weights.append(float(row[columns[2]]))
            except ValueError:
                raise source.broken(f"the weight {row[columns[2]]!r} is no number", line) from None
    pairs = np.array(ends, dtype=np.int64).reshape(-1, 2)
    values = np.array(weights) if len(columns) == 3 else None
    return from_edges(list(index), pairs[:, 0], pairs[:, 1], values, "edgelist", notes=notes)


def _networkx_dicts(source: Source, text: str) -> GraphFile:
    """Read a file of `networkx.write_edgelist`, whose third column is a dict of attributes."""
    import networkx

    rows = [row for row in text.splitlines() if not row.lstrip().startswith(COMMENTS)]
    whole = all(re.match(r"\s*-?\d+\s+-?\d+\s", row) for row in rows if row.strip())
    try:
        G = networkx.parse_edgelist(rows, nodetype=int if whole else None)
    except (TypeError, ValueError, networkx.NetworkXError) as error:
        raise source.unreadable(f"cannot be read as an edge list with attributes: {error}") from None
    return from_networkx(G, "edgelist")


EDGE_LIST = FileFormat(
    "edgelist",
    ("csv", "tsv", "txt", "edges", "edgelist", "el"),
    re.compile(r"(?:\s*[#%].*\n|\s*\n)*[^\s<{*]+[ \t]*[\s,;][ \t]*[^\s<{\[*]+"),
    read_edgelist,
)
