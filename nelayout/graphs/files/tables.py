"""Read tables of text, such as edge lists: from bytes to rows, and from rows to edges.

The separator is the sign that gives every row the same number of fields, outside quotes::

    >>> [cells for _, cells in Rows(Source("two.csv", b'"Doe, J";"Roe, R";0,5\\n'))]
    [['Doe, J', 'Roe, R', '0,5']]
    >>> dict(read_edgelist(Source("two.csv", b"source,target,weight\\na,b,2\\n")).graph["a"])
    {'b': {'weight': 2.0}}

Labels that are all whole numbers become integers in increasing order; others stay text, in order of appearance.
"""

from __future__ import annotations

import csv
import math
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice
from typing import Any, NoReturn

import numpy as np

from nelayout.errors import unknown
from nelayout.graphs.files.matrices import number_columns
from nelayout.graphs.files.record import (
    FileFormat,
    GraphFile,
    Reading,
    Source,
    count_of,
    from_edges,
    from_networkx,
    numbered,
)
from nelayout.graphs.headings import FROM, NODE, TO, WEIGHT, ends_named, first_of, is_time, is_weight
from nelayout.graphs.to_floats import short_repr

__all__ = ["EDGE_LIST", "SIF", "Rows", "column_of", "is_missing", "number", "read_edgelist"]

COMMENTS = ("#", "%")
# Signs between fields, the most reliable first; None means blanks.
SEPARATORS = ("\t", ";", "|", ",", None)
# Cells for a missing value, as in pandas: "NA" is missing, "Na" is sodium.
MISSING = frozenset(
    {"", "#N/A", "#NA", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null", "-nan", "-NaN"}
)
# Numbers of letters and of rows from which the form of a table is detected.
HEAD_LETTERS, HEAD_ROWS = 2**16, 200
# Letters of a block of rows.
BLOCK_LETTERS = 2**20
# Maximum number of columns of an edge list without headings for the ends: two nodes, a weight and a time (KONECT).
MAX_UNNAMED_COLUMNS = 4
# Larger whole numbers are not exact as floats; such labels are read as text.
LARGEST_EXACT = 2.0**53
# Numbers with a decimal comma, and perhaps points between thousands.
DECIMAL_COMMA = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+(?:[eE][+-]?\d+)?")
THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:\.\d{3})+")
DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\b.*|\d{1,2}:\d{2}.*")
# Ranges of numbers that may be times: years, yyyymmdd, and seconds to nanoseconds since 1970.
TIMES = ((1900, 2100), (19000101, 21001231), *((3e8 * 10.0**k, 4.2e9 * 10.0**k) for k in (0, 3, 6, 9)))
NEIGHBORS = "If each row is a node and its neighbors, this is an adjacency list: networkx.read_adjlist reads one"
EMBED = "a table of numbers, one row per sample, is drawn by nelayout.embed"


def number(cell: str, comma: bool = True) -> float | None:
    """Return the number in a cell, also with a decimal comma; None for other text.

    >>> number("0,5"), number("1.234,5"), number("1e-3"), number("x"), number("1_000")
    (0.5, 1234.5, 0.001, None, None)
    """
    try:
        return None if "_" in cell else float(cell)
    except ValueError:
        if not comma or not DECIMAL_COMMA.fullmatch(cell):
            return None
        return float(cell.replace(".", "").replace(",", "."))


def is_missing(cell: str) -> bool:
    """Return whether a cell stands for a missing value."""
    return cell in MISSING


class Rows:
    """Rows of a table, as (line, cells); comments and empty lines are left out.

    separator  the sign between fields, None for blanks
    width      the number of fields in most of the first rows
    exact      whether blanks around fields belong to them
    comments   whether lines that begin with # or % may be comments
    notes      guesses, and what was left out so far
    """

    def __init__(self, source: Source, exact: bool = False, comments: bool = True):
        text = source.text
        said = re.match(r'\s*"?sep=(.)"?[ \t]*\n', text, re.IGNORECASE)  # written by and for Excel
        self.source, self.exact, self.before = source, exact, text[: said.end()].count("\n") if said else 0
        self.signs = COMMENTS if comments else ()
        self.text = text[said.end() :] if said else text
        self.separator, self.quote, self.width = self._dialect(said[1] if said else "")
        self.dropped = self.hashed = 0

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        self.dropped = self.hashed = 0
        started = False
        for line, cells in self._parse(self.text, self.separator, self.quote):
            if cells[0].startswith(self.signs) and self._is_comment(cells, started):
                continue
            if self.separator is None:
                end = next((k for k in range(2, len(cells)) if cells[k].startswith(self.signs)), len(cells))
                self.dropped += end < len(cells)
                cells = cells[:end]
            started = True
            yield line + self.before, cells

    @property
    def notes(self) -> list[str]:
        unpaired = not self.quote and '"' in self.text
        hashed = f"{count_of(self.hashed, 'line')} beginning with # or % read as rows, with as many fields as others"
        said = [
            "double quotes are not in pairs and are read as letters" if unpaired else "",
            f"{count_of(self.dropped, 'comment')} after # or % left out" if self.dropped else "",
            hashed if self.hashed else "",
        ]
        return list(filter(None, said))

    def broken(self, line: int, cells: list[str]) -> Exception:
        """Return the error for a row that has more fields than the others."""
        return self.source.broken(
            f"there are {len(cells)} fields, and {self.width} in other rows: {short_repr(' '.join(cells)[:60])}; put "
            f"names that hold the separator in quotes. {NEIGHBORS}",
            line,
        )

    def ambiguous(self, cell: str) -> bool:
        """Return whether a comma may be a decimal comma or separate thousands."""
        return self.separator == "," and re.fullmatch(r"[+-]?[1-9]\d{0,2},\d{3}", cell) is not None

    def _is_comment(self, cells: list[str], started: bool) -> bool:
        """Return whether a row that begins with # or % is a comment; count it."""
        whole = len(cells) == self.width
        marked = len(cells[0]) == 1 or cells[0][1].isspace() or cells[0][1] in COMMENTS
        comment = self.separator is None or not whole or (marked and not started and not ends_named(cells))
        if comment:
            self.dropped += started or (whole and (self.separator is not None or not marked))
        else:
            self.hashed += not (not started and ends_named(cells))
        return comment

    def _parse(self, text: str, separator: str | None, quote: str | None) -> Iterator[tuple[int, list[str]]]:
        if separator is None and (quote is None or quote not in text):
            for line, content in enumerate(_lines(text), 1):
                if cells := content.split():
                    yield line, cells
            return
        text = text.replace("\t", " ") if separator is None else text
        quoting = csv.QUOTE_NONE if quote is None else csv.QUOTE_MINIMAL
        how: dict[str, Any] = {"delimiter": separator or " ", "quotechar": quote or '"', "quoting": quoting}
        reader = csv.reader(_lines(text), skipinitialspace=not self.exact, strict=True, **how)
        last = 0
        for row in reader:
            line, last = last + 1, reader.line_num
            cells = row if self.exact else [cell.strip() for cell in row]
            cells = [cell for cell in cells if cell] if separator is None else cells
            if len(cells) > 1 or any(cells):
                yield line, cells

    def _dialect(self, said: str) -> tuple[str | None, str | None, int]:
        """Return separator, quote and width that give all first rows the same number of fields."""
        cut = len(self.text) > HEAD_LETTERS
        head = self.text[:HEAD_LETTERS].rpartition("\n")[0] if cut else self.text
        single = re.search(r"(?:^|[\t ,;|])'[^'\n]*'(?:[\t ,;|]|$)", head, re.MULTILINE)
        quotes = ["'" if single and '"' not in head else '"', None]
        found: dict[Any, list[int]] = {}
        for quote in quotes:
            for sign in [said] if said else SEPARATORS:
                rows: list[list[str]] = []
                try:
                    rows.extend(cells for _, cells in islice(self._parse(head or self.text, sign, quote), HEAD_ROWS))
                except csv.Error as error:
                    if not cut or "unexpected end" not in str(error):
                        continue
                plain = [len(cells) for cells in rows if not cells[0].startswith(self.signs)]
                found[sign, quote] = plain or [len(cells) for cells in rows] or [0]
            level = [sign for sign, q in found if q == quote and _level(found[sign, q])]
            if level[:1] == [","] and not re.search(r"(?<!\d),|,(?!\d)", head) and found.get((None, quote), [0])[0] > 2:
                level = level[1:]  # decimal commas between blanks
            if level:
                return level[0], quote, max(found[level[0], quote])
        if not found:
            for _ in self._parse(self.text, ",", '"'):  # raises the error of the csv module
                pass
        sign, quote = max(found, key=lambda key: (sum(w > 1 for w in found[key]) / len(found[key]), key[1] is not None))
        return sign, quote, Counter(found[sign, quote]).most_common(1)[0][0]


def _lines(text: str) -> Iterator[str]:
    """Yield lines with their ends; `io.StringIO` would take four bytes for each letter."""
    return (found[0] for found in re.finditer(r".*\n|.+", text))


def _level(widths: list[int]) -> bool:
    """Return whether all rows have the same width >= 2; R's header may be one field shorter."""
    first, *others = widths
    return len(set(widths)) == 1 < first or (len(set(others)) == 1 and others[0] == first + 1 > 2)


def read_edgelist(source: Source, weight: str | None = None, ends: tuple[str, str] | None = None) -> GraphFile:
    """Read the undirected graph of a table of edges, or an adjacency matrix; see `read_graph`."""
    start = re.search(r"^[^\S\n]*([^\s#%].*)$", source.text, re.MULTILINE)
    if start and start[1].startswith("<"):
        line = source.text.count("\n", 0, start.start(1)) + 1
        raise source.unreadable("this is XML or a page of a server, not an edge list", line)
    if start and "{" in start[1] and start[1].rstrip().endswith("}"):
        return _networkx_dicts(source)
    try:
        rows = Rows(source)
        most = max(HEAD_ROWS, rows.width + 2)
        top = list(islice(rows, most))
        if not top:
            what = "there are comments but no edges; between names that begin with # or %, write tabs or commas"
            raise source.broken(what)
        matrix = _matrix(source, top) if len(top) < most and ends is None else None
        if matrix is not None:
            return matrix.noting(*rows.notes)
        head = _Head(rows, top, weight, ends)
        labels, pairs, weights, notes = _numeric(rows, head) or _plain(rows, head) or _words(rows, head)
    except csv.Error as error:
        raise source.unreadable(f"cannot be read as a table of edges: {error}") from None
    said = (*head.notes, *rows.notes, *filter(None, notes))
    return from_edges(labels, pairs[:, 0], pairs[:, 1], weights, "edgelist", notes=said, weight=head.name)


# adjacency matrices


def _matrix(source: Source, top: list[tuple[int, list[str]]]) -> GraphFile | None:
    """Return the graph of an adjacency table, None for other tables."""
    cells = [row for _, row in top]
    head, body = cells[0], cells[1:]
    head = ["", *head] if body and len(head) + 1 == len(body[0]) else head
    n = len(head)
    if n < 3 or any(len(row) > n for row in body):
        return None
    across, down = head[1:], [row[0] for row in body]
    short = any(len(row) < n for row in body)
    if len(body) == n - 1 == len(set(across)) and set(across) == set(down) and not _is_number(head[0]):
        grid = _grid([row[1:] + [""] * (n - len(row)) for row in body])
        if grid is None and not short:
            line, cell = next((line, cell) for line, row in top[1:] for cell in row[1:] if _grid([[cell]]) is None)
            what = f"{short_repr(cell)} is not a number, in an adjacency table (rows and columns have the same names)"
            raise source.broken(f"{what}; write a number, or nothing where there is no edge", line)
        if grid is None:
            return None
        labels, (A, missing) = down, grid
        A = A[:, [across.index(name) for name in down]]
    elif short:
        return None
    else:
        candidates = [([str(k) for k in range(n)], cells)] if len(cells[0]) == n else []
        candidates.append((head, body))
        if not _is_number(head[0]):
            candidates.append(([row[0] for row in cells], [row[1:] for row in cells]))
        for labels, block in candidates:
            square = block and len(block) == len(block[0]) == len(set(labels)) > 2
            if square and (grid := _grid(block)):
                A, missing = grid
                signs = np.array_equal(A, A.T) + (not A.diagonal().any())
                if signs > (labels is head and any(map(_is_number, head))):
                    break
        else:
            return None
    directed = not np.array_equal(A, A.T)
    i, j = np.nonzero(A if directed else np.triu(A))
    kind = ", directed as it is not symmetric" if directed else ""
    notes = [f"the table is read as the adjacency matrix of {len(A)} nodes{kind}"]
    if missing:
        notes.append(f"{count_of(missing, 'cell')} without a number count as no edge")
    weights = None if np.isin(A, (0, 1)).all() else A[i, j]
    return from_edges(_whole(labels) or labels, i, j, weights, "edgelist", directed, notes=tuple(notes))


def _grid(rows: list[list[str]]) -> tuple[np.ndarray, int] | None:
    """Return cells as numbers and the count of missing cells (0); None if one is text."""
    cells = [{"true": "1", "false": "0", "-": "", ".": ""}.get(cell.lower(), cell) for row in rows for cell in row]
    values = [0.0 if is_missing(cell) else number(cell) for cell in cells]
    return None if None in values else (np.array(values).reshape(len(rows), -1), sum(map(is_missing, cells)))


# columns


def _is_number(cell: str) -> bool:
    return number(cell) is not None and not is_missing(cell)


def _cells(body: list[list[str]], k: int) -> list[str]:
    """Return the cells of a column; a row may be too short for one."""
    return [row[k] for row in body if k < len(row)]


def _counted(body: list[list[str]]) -> bool:
    """Return whether the first column numbers the rows, from 0 or from 1."""
    first = [row[0] for row in body]
    return first in ([str(k + start) for k in range(len(body))] for start in (0, 1))


def column_of(
    source: Source, asked: str, names: Sequence[str], columns: Sequence[int], what: str, hint: str = ""
) -> int:
    """Return the first column with this heading, in any case, or this number from 1."""
    named = [k for k in columns if k < len(names)]
    fitting = [k for k in named if names[k] == asked] + [k for k in named if names[k].lower() == asked.lower()]
    if not fitting and asked.isdecimal() and int(asked) - 1 in columns:
        fitting = [int(asked) - 1]
    if not fitting:
        known = [names[k] for k in named if names[k]] or [str(k + 1) for k in columns]
        raise source.broken(str(unknown(f"column for {what}", asked, known)) + hint)
    return fitting[0]


class _Head:
    """Columns of a table that are read, and notes on this choice.

    asked, given  the column of the weight and the columns of the ends that the caller names, or None
    ends, weight  columns of the two nodes, and of the weight or None
    name     the edge attribute that the weights become
    start    the first line that is a row, after the header
    least    the fewest fields of a row; without a header, a short row is an error
    """

    def __init__(
        self, rows: Rows, top: list[tuple[int, list[str]]], asked: str | None, given: tuple[str, str] | None
    ) -> None:
        self.rows, self.source, self.top, self.asked, self.given = rows, rows.source, top, asked, given
        self.weight: int | None = None
        self.name, self.notes = "weight", list[str]()
        head, body = top[0][1], [row for _, row in top[1:]]
        if body and all(len(row) == len(head) + 1 for row in body):  # R omits the heading above the names of rows
            of_r = '"' in rows.text or _counted(body)
            head = [*head, ""] if not any(row[-1] for row in body) else ["", *head] if of_r else head
        if len(head) < rows.width and len(body) > 1 and not any(len(row) == len(head) for row in body):
            what = f"this line has {count_of(len(head), 'field')}, and others have {rows.width}"
            raise self.source.broken(f"{what}; leave it out, or begin it with #", top[0][0])
        rows.width = width = len(head)
        for line, row in top[1:]:
            if any(row[width:]):
                raise rows.broken(line, row)
        named = self._named(head, body)
        words = not any(map(_is_number, head))
        self._refuse(head, body, named, words)
        numeric = [k for k in range(width) if self._numbers(body, k)]
        over = any(k >= 2 and not is_missing(head[k]) for k in numeric)
        unnamed = not head[0] and width > 2  # the names or numbers of the rows
        numbers = given is not None and all(name.isdecimal() for name in given)
        all_below = len(numeric) == width or over or (unnamed and _counted(body))
        self.header = (named is not None and not numbers) or (words and all_below)
        if self.header:
            self.top = top[1:]
        body = [row for _, row in self.top]
        self.start = self.top[0][0] if self.top else rows.text.count("\n") + 1
        numeric = [k for k in range(width) if self._numbers(body, k)]
        empty = {k for k in range(width) if not any(_cells(body, k))}
        if self.header and unnamed:
            empty.add(0)
        usable = [k for k in range(width) if k not in empty or not body]
        self.least = 0 if self.header else max(usable, default=0) + 1
        self.ends = named or self._unnamed(head, body, numeric, usable)
        if given is None and (named is None or first_of(head, FROM) is None):
            self._no_fractions()
        if self.header and named is None:
            self.notes.append(f"the first row, {', '.join(map(repr, head))}, is read as a header")
        self._choose_weight(head, body, numeric, usable, named)
        if self.header and unnamed:
            self.notes.append("the first column has no heading and is taken for names of the rows")
        left = [k for k in range(width) if k not in {*self.ends, self.weight}]
        left = [k for k in left if k not in empty or (self.header and head[k])]
        if left:
            names = [repr(head[k]) if self.header and head[k] else str(k + 1) for k in left]
            what = f"column {names[0]} is" if len(left) == 1 else f"columns {', '.join(names[:-1])} and {names[-1]} are"
            able = [name for k, name in zip(left, names, strict=True) if k in numeric and self.weight is None]
            how = f"; weight={able[0] if len(able) == 1 else 'NAME'} reads a column as the weight" if able else ""
            self.notes.append(f"{what} not read{how}")

    def _named(self, head: list[str], body: list[list[str]]) -> tuple[int, int] | None:
        """Return the ends that the caller or headings name; not node1, node2 above such names."""
        if self.given is not None:
            names = [] if all(name.isdecimal() for name in self.given) else head
            found = [column_of(self.source, name, names, range(len(head)), "an end") for name in self.given]
            if found[0] == found[1]:
                raise self.source.broken(f"both ends are the column {self.given[0]!r}; name two columns")
            return found[0], found[1]
        named = ends_named(head)
        if named is None or any(_is_number(head[k]) for k in named):
            return None
        letters = [re.sub(r"[\W\d_]", "", head[k]).lower() for k in named]
        below = [cell for k in named for cell in _cells(body, k)]
        return None if any(re.sub(r"[\W\d_]", "", cell).lower() in letters for cell in below) else named

    def _refuse(self, head: list[str], body: list[list[str]], named: Any, words: bool) -> None:
        """Raise the error for a table without edges."""
        line, width = self.top[0][0], len(head)
        if width < 2:
            raise self.source.broken(f"an edge needs two columns and there is one: {short_repr(head[0])}", line)
        if named is not None:
            return
        if width > MAX_UNNAMED_COLUMNS:
            numbers = all(self._numbers([head, *body][words:], k) for k in range(width))
            hint = (
                f". {EMBED} (an adjacency table has the same names in its first row and its first column, or no names "
                "and as many rows)"
            )
            raise self.source.broken(
                f"there are {width} columns and no headings source and target; name the columns of the ends: "
                f"source=NAME and target=NAME{hint if numbers else ''}",
                line,
            )
        if words and self.rows.separator is not None and head[0].lower() in NODE:
            raise self.source.broken(
                f"the first heading is {head[0]!r}, so this is a table of nodes; "
                "a table of edges has the headings source and target. Read the edges and give nodes=TABLE",
                line,
            )
        others = [row[1:] for row in body if not _is_number(row[0])]
        if words and not head[0] and width > 2 and others and all(all(map(_is_number, row)) for row in others):
            raise self.source.broken(
                "rows and columns of numbers have different names, so this is not an adjacency table, which "
                f"has the same names in its first row and its first column; {EMBED}",
                line,
            )

    def _numbers(self, body: list[list[str]], k: int) -> bool:
        """Return whether a column has numbers alone, beside missing values."""
        cells = [cell for cell in _cells(body, k) if not is_missing(cell)]
        return bool(cells) and all(map(_is_number, cells))

    def _no_fractions(self) -> None:
        for line, row in self.top:
            for cell in (row[k] for k in self.ends if k < len(row)):
                value = number(cell)
                if value is not None and math.isfinite(value) and not value.is_integer():
                    raise self.source.broken(
                        f"{cell} is not a node: nodes are words or whole numbers; {EMBED} (if such numbers are names, "
                        "give the columns the headings source and target)",
                        line,
                    )

    def _unnamed(
        self, head: list[str], body: list[list[str]], numeric: list[int], usable: list[int]
    ) -> tuple[int, int]:
        """Return ends that no headings name: of three columns, those with common names."""
        one = next((k for k in (first_of(head, TO), first_of(head, FROM)) if k is not None and self.header), None)
        if one is not None:
            other = next(k for k in [*usable, 0, 1] if k != one)
            return min(one, other), max(one, other)
        plain, skipping = ((*usable, 0, 1)[0], (*usable, 0, 1)[1]), (usable[:1] + usable[2:3])
        if len(usable) < 3:
            return plain
        cells = [_cells(body, k) for k in usable[:3]]
        first, second, third = map(set, cells)
        shared = [len(first & other) for other in (second, third)]
        if usable[2] in numeric:
            if not self.header and second & third and not any(shared) and _times(map(number, first)):
                self.notes.append("the first column looks like times; the second and the third are read as the ends")
                return usable[1], usable[2]
            again = 2 * sum(cell in first for cell in cells[2]) > len(body)
            if not self.header and again and not shared[0] and len(second) == len(body) > 2 and len(third) > 2:
                self._unclear()  # the numbers may identify relations
            return plain
        if all(DATE.fullmatch(cell) or is_missing(cell) for cell in third):
            return plain
        if bool(shared[0]) != bool(shared[1]):
            relation = bool(shared[1])
        elif 2 * len(third) <= len(second) or 2 * len(second) <= len(third):
            relation = 2 * len(third) > len(second)
        elif self.header:
            self.notes.append("the first two columns are read as the ends; headings source and target name others")
            return plain
        else:
            self._unclear()
        if not relation:
            self.notes.append("the second column is read as an end, and the third as a relation")
        elif any(second):
            self.notes.append("the second column holds relations, and the first and the third are read as the ends")
        return (skipping[0], skipping[1]) if relation else plain

    def _unclear(self) -> NoReturn:
        raise self.source.broken(
            "it is unclear which two of the three columns are the ends, the first two or, with a relation between "
            'them, the first and the third; give them the headings source and target, or say format="sif"',
            self.top[0][0],
        )

    def _choose_weight(
        self, head: list[str], body: list[list[str]], numeric: list[int], usable: list[int], named: Any
    ) -> None:
        others = [k for k in range(len(head)) if k not in self.ends]
        asked = self.asked
        if asked is not None and (asked != "weight" or "weight" in head):
            names = head if self.header else []
            self.name, hint = asked, "; weight=None reads none"
            self.weight = column_of(self.source, asked, names, others, "weight", hint)
            return
        if self.header:
            self.weight = first_of((name if k in others else "" for k, name in enumerate(head)), WEIGHT)
            if self.weight is not None:
                return
            self.weight = next((k for k in others if is_weight(head[k]) and k in numeric), None)
        third = usable[2] if len(usable) > 2 else 2
        ends_by_heading = self.given is not None or (named is not None and first_of(head, FROM) is not None)
        alone = not self.header or (len(usable) == 3 and not ends_by_heading)
        if self.weight is None and third in others and alone:
            values = [number(cell) for cell in _cells(body, third) if not is_missing(cell)]
            most = 2 * sum(value is not None for value in values) > len(values) or (values[:1] not in ([], [None]))
            time = (self.header and is_time(head[third])) or (most and _times(values))
            if most and time:
                self.notes.append(f"{self._column(head, third)} looks like times and is not read as weight")
            elif most:
                self.weight = third
        if self.weight is not None:
            self.notes.append(f"{self._column(head, self.weight)} is read as weight")

    def _column(self, head: list[str], k: int) -> str:
        return f"the column {head[k]!r}" if self.header else "the third column" if k == 2 else f"column {k + 1}"


def _times(values: Iterable[float | None]) -> bool:
    """Return whether all numbers except 0 may be times: years, days, or seconds since 1970."""
    known = [value for value in values if value]
    whole = all(value.is_integer() for value in known)
    return bool(known) and any(low <= min(known) and max(known) <= high for low, high in TIMES[0 if whole else 2 :])


# rows: labels in node order, the ends of edges by number, weights or None, and notes

_Edges = tuple[list, np.ndarray, np.ndarray | None, list[str]]


def _numeric(rows: Rows, head: _Head) -> _Edges | None:
    """Read a table of numbers alone at once; None if a cell or a row does not fit."""
    if any(number(cell, False) is None for _, row in head.top[:2] for cell in row):
        return None
    at = _body(rows, head)
    separator = rb"\s+" if rows.separator is None else rb"\s*%s\s*" % re.escape(rows.separator).encode()
    data = number_columns(rows.text, at, rows.width, separator)
    if isinstance(data, int) or not all(len(column) and np.isfinite(column).all() for column in data):
        return None
    ends, weights = np.stack([data[k] for k in head.ends]), None if head.weight is None else data[head.weight]
    del data
    if ends.dtype.kind == "f" and (np.abs(ends).max() >= LARGEST_EXACT or (ends != np.floor(ends)).any()):
        return None
    labels, numbers = numbered(ends)
    return labels, numbers.T, weights, []


def _body(rows: Rows, head: _Head) -> int:
    """Return the place of the first letter after the heading."""
    at = 0
    for _ in range(head.start - rows.before - 1):
        at = rows.text.find("\n", at) + 1
    return at


def _plain(rows: Rows, head: _Head) -> _Edges | None:
    """Read words and numbers block by block; None if a row is unusual, such as a comment."""
    text, sign, width, (i, j), k = rows.text, rows.separator, rows.width, head.ends, head.weight
    index, at, ends, weights = defaultdict[str, int](count().__next__), _body(rows, head), list[Any](), list[Any]()
    quote = rows.quote if rows.quote is not None and text.find(rows.quote, at) >= 0 else None
    # beside semicolons a point may separate thousands
    unusual = sign == ";" or (sign is None and quote is not None)
    if unusual or width < max(i + 1, j + 1, 0 if k is None else k + 1, head.least):
        return None
    while at < len(text):
        stop = text.find("\n", at + BLOCK_LETTERS) + 1 or len(text)
        block, at = text[at:stop], stop
        block = block if block.endswith("\n") else f"{block}\n"
        cells = block.replace("\n", f"{sign or ' '}\0{sign or ' '}").split(sign)
        cells.pop() if sign else None
        rest = cells[width :: width + 1]
        if len(cells) != (width + 1) * len(rest) or rest.count("\0") != len(rest):
            return None
        if quote is not None and quote in block and (cells := _unquoted(cells, quote)) is None:
            return None
        columns = [list(map(str.strip, cells[each :: width + 1])) for each in range(width)]
        signed = columns[:1] if sign else columns[:1] + columns[2:]
        if any(mark in block for mark in rows.signs) and any(c.startswith(rows.signs) for each in signed for c in each):
            return None
        names = [""] * (2 * len(rest))
        names[::2], names[1::2] = columns[i], columns[j]
        ends.append(np.fromiter(map(index.__getitem__, names), np.int64, len(names)))
        if any(word in index for word in MISSING):
            return None
        if k is not None:
            try:
                weights.append(np.fromiter(map(float, columns[k]), float, len(rest)))
            except ValueError:
                return None
            if np.isnan(weights[-1]).any() or ("_" in block and any("_" in cell for cell in columns[k])):
                return None
    pairs = np.concatenate(ends).reshape(-1, 2) if ends else np.zeros((0, 2), dtype=np.int64)
    return _in_order(list(index), pairs, np.concatenate(weights) if k is not None and weights else None, head, [])


def _unquoted(cells: list[str], quote: str) -> list[str] | None:
    """Return cells without quotes around them; None if one has others.

    >>> _unquoted(['"a"', ' "b c"', "d"], '"'), _unquoted(['"a', 'b"'], '"')
    (['a', 'b c', 'd'], None)
    """
    found = [cell.lstrip(" ") for cell in cells]
    found = [cell[1:-1] if cell[:1] == quote == cell[-1:] and len(cell) > 1 else cell for cell in found]
    return None if any(quote in cell for cell in found) else found


def _words(rows: Rows, head: _Head) -> _Edges:
    """Read the labels of any kind, row by row."""
    index: dict[str, int] = {}
    ends, weights, lost = array("q"), array("d"), array("q")
    (i, j), k, missing, commas, thousands, points = head.ends, head.weight, 0, 0, 0, 0
    least = max(i + 1, j + 1, 0 if k is None else k + 1, head.least)
    for line, cells in rows:
        if line < head.start:
            continue
        if any(cells[rows.width :]):
            raise rows.broken(line, cells)
        if len(cells) < least:
            found = f"there are {len(cells)}: {short_repr(' '.join(cells))}"
            raise rows.source.broken(
                f"{least} columns were expected and {found}; fill in the others. {NEIGHBORS}", line
            )
        if cells[i] in MISSING or cells[j] in MISSING:
            lost.append(line)
            continue
        ends.append(index.setdefault(cells[i], len(index)))
        ends.append(index.setdefault(cells[j], len(index)))
        if k is not None:
            cell = cells[k]
            value = 1.0 if is_missing(cell) else number(cell)
            if value is None or ("," in cell and rows.ambiguous(cell)):
                how = "; write numbers with a decimal point and without commas" if "," in cell else ""
                raise rows.source.broken(f"the weight {cell!r} is not a number{how}", line)
            missing += is_missing(cell)
            commas += "," in cell
            thousand = "." in cell and THOUSANDS.fullmatch(cell) is not None
            thousands, points = thousands or (thousand and line), points + ("." in cell and not thousand)
            weights.append(value)
    if commas and thousands:
        raise rows.source.broken(
            "weights have decimal commas, and here points; write all of them in one way", thousands
        )
    shown = ", ".join(map(str, lost[:3])) + (", ..." if len(lost) > 3 else "")
    points_only = thousands and not commas and not points and rows.separator == ";"
    note = f"the point in weights is read as a decimal point (line {thousands}), and not between thousands"
    notes = [
        f"{count_of(len(lost), 'row')} without a name at an end left out (line {shown})" if lost else "",
        f"{count_of(missing, 'weight')} missing: such edges weigh 1" if missing else "",
        f"{count_of(commas, 'weight')} read with a decimal comma" if commas else "",
        note if points_only else "",
    ]
    pairs = np.frombuffer(ends, dtype=np.int64).reshape(-1, 2)
    return _in_order(list(index), pairs, np.array(weights) if k is not None else None, head, notes)


def _in_order(
    labels: list[Any], pairs: np.ndarray, weights: np.ndarray | None, head: _Head, notes: list[str]
) -> _Edges:
    """Return edges with whole numbers as labels in increasing order; note a likely header."""
    whole = _whole(labels)
    if whole is not None:
        labels, renumbered = numbered(np.array(whole, dtype=np.int64))
        pairs = renumbered[pairs]
    elif not head.header and len(pairs) > 1 and all(np.count_nonzero(pairs == end) == 1 for end in pairs[0]):
        names = " and ".join(map(repr, labels[:2]))
        notes.append(f"the first row is read as an edge of {names}; headings source and target make it a header")
    return labels, pairs, weights, notes


def _whole(labels: Iterable[str]) -> list[int] | None:
    """Return labels as integers, None unless all are whole numbers."""
    values = [number(label, False) for label in labels]
    whole = [int(x) for x in values if x is not None and abs(x) < LARGEST_EXACT and x.is_integer()]
    return whole if len(whole) == len(values) else None


def _networkx_dicts(source: Source) -> GraphFile:
    """Read a file of `networkx.write_edgelist` with a dict of attributes as third column."""
    import networkx

    rows = [row for row in source.text.split("\n") if not row.lstrip().startswith(COMMENTS)]
    whole = all(re.match(r"\s*-?\d+\s+-?\d+\s", row) for row in rows if row.strip())
    try:
        G = networkx.parse_edgelist(rows, nodetype=int if whole else None)
    except (TypeError, ValueError, networkx.NetworkXError) as error:
        raise source.unreadable(f"cannot be read as an edge list with attributes: {error}") from None
    return from_networkx(G, "edgelist")


def read_sif(source: Source) -> GraphFile:
    """Read Cytoscape's simple interactions: a node, a relation, its targets; or a node alone.

    >>> read_sif(Source("a.sif", b"a pp b c\\nd\\n")).graph.edges(data="interaction")
    EdgeDataView([('a', 'b', 'pp'), ('a', 'c', 'pp')])
    """
    reading = Reading(source, "sif", multigraph=False)
    separator = "\t" if "\t" in source.text else None
    for line, content in enumerate(source.text.split("\n"), 1):
        cells = [cell.strip() for cell in content.split(separator)]
        cells = [cell for cell in cells if cell]
        if len(cells) == 2:
            raise source.broken(f"expected a node, a relation and other nodes, or a node alone; got {cells}", line)
        reading.nodes.update({name: {} for name in (*cells[:1], *cells[2:])})
        for other in cells[2:]:
            reading.edge(cells[0], other, {"interaction": cells[1]})
    if not reading.edges:
        reading.notes.append("there is no edge: tabs or blanks stand between a node, a relation and other nodes")
    return reading.graph_file()


ENDINGS = ("csv", "tsv", "txt", "edges", "edgelist", "el", "ncol", "tab")
TWO_WORDS = r"(?:\s*[#%].*\n|\s*\n)*[^\s<{*]+[ \t]*[\s,;][ \t]*[^\s<{\[*]+"
EDGE_LIST = FileFormat("edgelist", ENDINGS, TWO_WORDS, read_edgelist, columns=True)
SIF = FileFormat("sif", ("sif",), r"(?!)", read_sif)
