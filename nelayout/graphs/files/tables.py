"""Read the graph in delimited text: edges, an adjacency matrix, or Cytoscape's SIF.

    >>> dict(read_edgelist(Source("two.csv", b"source,target,weight\\na,b,2\\n")).graph["a"])
    {'b': {'weight': 2.0}}

Names become integers, in increasing order, if Python writes each of them in this way: 1001, but not 01001 or 1.0.
Others stay text, in order of appearance.
"""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NoReturn

import numpy as np

from nelayout.graphs.files.adjacency import MAX_UNNAMED_COLUMNS, incidence_graph, is_number, matrix_graph
from nelayout.graphs.files.columns import Ends, column_of, of_column
from nelayout.graphs.files.delimited import (
    COMMENTS,
    HEAD_ROWS,
    Names,
    Numbers,
    Rows,
    is_missing,
    is_word2vec,
    number,
    typed,
)
from nelayout.graphs.files.record import (
    ANY,
    LIMITS,
    Columns,
    FileFormat,
    GraphFile,
    Reading,
    Source,
    count_of,
    from_networkx,
    numbered,
)
from nelayout.graphs.headings import (
    FROM,
    NODE,
    TO,
    WEIGHT,
    ends_named,
    first_of,
    is_length,
    is_time,
    is_weight,
)
from nelayout.graphs.to_floats import LARGEST_EXACT, short_repr, whole

__all__ = ["EDGE_LIST", "SIF", "read_edgelist"]

# Maximum number of lines of a title above the headings.
MAX_TITLE_LINES = 5
DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\b.*|\d{1,2}:\d{2}.*")
# Ranges of numbers that may be times: years, yyyymmdd, and seconds to nanoseconds since 1970.
TIMES = ((1900, 2100), (19000101, 21001231), *((3e8 * 10.0**k, 4.2e9 * 10.0**k) for k in (0, 3, 6, 9)))
NEIGHBORS = "If each row is a node and its neighbors, this is an adjacency list: networkx.read_adjlist reads one"
EMBED = "a table of numbers, one row per sample, is drawn by nelayout.embed"


def read_edgelist(source: Source, columns: Columns = ANY) -> GraphFile:
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
        square = len(top) < most and columns.ends is None and not columns.bipartite
        matrix = matrix_graph(source, top) if square else incidence_graph(rows, top[:2]) if columns.bipartite else None
        if matrix is not None:
            return matrix.noting(*rows.notes)
        head = _Head(rows, top, columns)
        labels, pairs, weights, others, notes = _edges(rows, head)
    except csv.Error as error:
        raise source.unreadable(f"cannot be read as a table of edges: {error}") from None
    headings = [head.names[k] if head.header else f"column {k + 1}" for k in head.ends]
    nodes = Ends(labels, pairs.T, headings if head.header or columns.bipartite else ())
    empty = () if len(pairs) or any(notes) else ("there is a header and no row",)
    said = (*head.notes, *rows.notes, *filter(None, notes), *empty)
    return of_column(nodes, weights, "edgelist", said, head.name, head.heading, columns, others)


# columns


def _titles(top: list[tuple[int, list[str]]]) -> int:
    """Return the number of lines above the headings of both ends; they name no node."""
    rows = [row for _, row in top]
    for k, row in enumerate(rows[: MAX_TITLE_LINES + 1]):
        ends = first_of(row, FROM), first_of(row, TO)
        if None in ends or any(len(row[end]) == 1 for end in ends if end is not None):
            continue
        below = {cell for each in rows[k + 1 :] for cell in each}
        above = {cell for each in rows[: k + 1] for cell in each if cell}
        return 0 if not below or below & above else k
    return 0


def _usual_shape(cells: Iterable[str]) -> str:
    """Return the most frequent shape of names: "A0" for Q1 and Q22, "aAa" for partOf."""

    def shape(cell: str) -> str:
        signs = ("A" if x.isupper() else "a" if x.isalpha() else "0" if x.isdigit() else x for x in cell)
        return re.sub(r"(.)\1+", r"\1", "".join(signs))

    return Counter(map(shape, cells)).most_common(1)[0][0]


def _cells(body: list[list[str]], k: int) -> list[str]:
    """Return the cells of a column; a row may be too short for one."""
    return [row[k] for row in body if k < len(row)]


def _counted(body: list[list[str]]) -> bool:
    """Return whether the first column numbers the rows, from 0 or from 1."""
    first = [row[0] for row in body]
    return first in ([str(k + start) for k in range(len(body))] for start in (0, 1))


class _Head:
    """Columns of a table that are read, and notes on this choice.

    asked, given  the column of the weight and the columns of the ends that the caller names, or None
    ends, weight  columns of the two nodes, and of the weight or None
    names    the first row, with the headings if it is a header
    others   columns of edge attributes; a matrix, for a long list of edges, has none
    name, heading  the edge attribute that the weights become, and the heading of their column or ""
    start    the first line that is a row, after the header
    least    the fewest fields of a row; without a header, a short row is an error
    """

    def __init__(self, rows: Rows, top: list[tuple[int, list[str]]], columns: Columns) -> None:
        self.rows, self.source, self.top, self.asked, given = rows, rows.source, top, columns.weight, columns.ends
        self.given = given
        self.weight: int | None = None
        self.name, self.notes = "weight", list[str]()
        if titles := _titles(top):
            self.notes.append(f"{count_of(titles, 'line')} above the headings left out")
            self.top = top = top[titles:]
        head, body = top[0][1], [row for _, row in top[1:]]
        if body and all(len(row) == len(head) + 1 for row in body):  # R omits the heading above the names of rows
            of_r = '"' in rows.text or _counted(body)
            head = [*head, ""] if not any(row[-1] for row in body) else ["", *head] if of_r else head
        if body and is_word2vec(head, body[0]):
            raise self.source.broken(f"this is word2vec text, not an edge list; {EMBED}", top[0][0])
        if len(head) < rows.width and len(body) > 1 and not any(len(row) == len(head) for row in body):
            what = f"this line has {count_of(len(head), 'field')}, and others have {rows.width}"
            raise self.source.broken(f"{what}; leave it out, or begin it with #", top[0][0])
        rows.width = width = len(head)
        for line, row in top[1:]:
            _wrong_length(rows, line, row)
        named = self._named(head, body)
        words = not any(map(is_number, head))
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
        self.start = self.top[0][0] if self.top else rows.before + rows.text.count("\n") + 2
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
        self.names = head
        self.heading = head[self.weight] if self.header and self.weight is not None else ""
        if self.header and unnamed:
            self.notes.append("the first column has no heading and is taken for names of the rows")
        left = [k for k in range(width) if k not in {*self.ends, self.weight}]
        left = [k for k in left if k not in empty or (self.header and head[k])]
        fixed = {self.name, "" if self.weight is None else head[self.weight]}
        lines = rows.text.count("\n")
        long = lines > LIMITS.networkx_edges or lines * len(left) > LIMITS.edge_values
        able = self.header and not long
        self.others = [k for k in left if able and head[k] and head[k] not in fixed and head.count(head[k]) == 1]
        left = [k for k in left if k not in self.others]
        if left:
            names = [repr(head[k]) if self.header and head[k] else str(k + 1) for k in left]
            what = f"column {names[0]} is" if len(left) == 1 else f"columns {', '.join(names[:-1])} and {names[-1]} are"
            able = [name for k, name in zip(left, names, strict=True) if k in numeric and self.weight is None]
            how = f"; weight={able[0] if len(able) == 1 else 'NAME'} reads a column as the weight" if able else ""
            how += "; of a table of this size, only the weights are kept" if long else ""
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
        if named is None or any(is_number(head[k]) for k in named):
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
        cells = [head, *body][words:]
        numbers = all(self._numbers(cells, k) for k in range(int(not self._numbers(cells, 0)), width))
        of_nodes = words and self.rows.separator is not None and head[0].lower() in NODE
        if width > MAX_UNNAMED_COLUMNS and (numbers or not of_nodes):
            hint = (
                f". {EMBED} (an adjacency table has the same names in its first row and its first column, or no names "
                "and as many rows)"
            )
            raise self.source.broken(
                f"there are {width} columns and no headings source and target; name the columns of the ends: "
                f"source=NAME and target=NAME{hint if numbers else ''}",
                line,
            )
        if of_nodes:
            raise self.source.broken(
                f"the first heading is {head[0]!r}, so this is a table of nodes; "
                "a table of edges has the headings source and target. Read the edges and give nodes=TABLE",
                line,
            )
        others = [row[1:] for row in body if not is_number(row[0])]
        if words and not head[0] and width > 2 and others and all(all(map(is_number, row)) for row in others):
            raise self.source.broken(
                "rows and columns of numbers have different names, so this is not an adjacency table, which "
                f"has the same names in its first row and its first column; {EMBED}",
                line,
            )

    def _numbers(self, body: list[list[str]], k: int) -> bool:
        """Return whether a column has numbers alone, beside missing values."""
        cells = [cell for cell in _cells(body, k) if not is_missing(cell)]
        return bool(cells) and all(map(is_number, cells))

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
        shapes = [_usual_shape(each) for each in (first, second, third)]
        alike = [not self.header and shapes[0] == shape for shape in shapes[1:]]
        if bool(shared[0]) != bool(shared[1]):
            relation = bool(shared[1])
        elif not any(shared) and alike[0] != alike[1]:
            relation = alike[1]
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
            "it is unclear which two columns are the ends, the first two or, with a relation between them, the first "
            'and the third; give them the headings source and target, or say format="sif"',
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
            numbers = [k for k in others if k in numeric]
            self.weight = next((k for k in numbers if is_weight(head[k])), None)
            if self.weight is None:
                self.weight = next((k for k in numbers if is_length(head[k])), None)
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
        if self.weight is not None and not (self.header and is_length(head[self.weight])):
            self.notes.append(f"{self._column(head, self.weight)} is read as weight")

    def _column(self, head: list[str], k: int) -> str:
        return f"the column {head[k]!r}" if self.header else "the third column" if k == 2 else f"column {k + 1}"


def _times(values: Iterable[float | None]) -> bool:
    """Return whether all numbers except 0 may be times: years, days, or seconds since 1970."""
    known = [value for value in values if value]
    whole = all(value.is_integer() for value in known)
    return bool(known) and any(low <= min(known) and max(known) <= high for low, high in TIMES[0 if whole else 2 :])


def _wrong_length(rows: Rows, line: int, cells: list[str], least: int = 0) -> None:
    """Raise the error for a row with more fields than others, or with too few."""
    hint, words = "put names that hold the separator in quotes", " ".join(cells)
    if any(cells[rows.width :]):
        what = f"there are {len(cells)} fields, and {rows.width} in other rows: {short_repr(words[:60])}"
    elif len(cells) < least:
        what = f"{least} columns were expected and there are {len(cells)}: {short_repr(words)}"
        hint = "fill in the others"
    else:
        return
    raise rows.source.broken(f"{what}; {hint}. {NEIGHBORS}", line)


def _edges(
    rows: Rows, head: _Head
) -> tuple[list[Any], np.ndarray, np.ndarray | None, Mapping[str, Sequence], list[str]]:
    """Return labels in node order, ends by number, (m, 2), weights, other columns, and notes."""
    (i, j), k = head.ends, head.weight
    if not head.others and all(number(cell, False) is not None for _, row in head.top[:2] for cell in row):
        data = rows.numbers(head.start, head.ends)
        if data is not None:
            ends, weights = np.stack([data[i], data[j]]), None if k is None else data[k]
            del data
            if np.abs(ends).max() < LARGEST_EXACT:
                labels, ends = numbered(ends)
                return labels, ends.T, weights, {}, []
    least = max(i + 1, j + 1, 0 if k is None else k + 1, head.least)
    others: dict[int, list[str]] = {column: [] for column in head.others}
    names, numbers, lost = Names(), Numbers(rows), list[int]()
    pairs, found = [np.zeros((0, 2), dtype=np.int64)], [np.zeros(0)]
    for lines, columns in rows.blocks(head.start, lambda line, cells: _wrong_length(rows, line, cells, least)):
        both, weighed, named = names.read(columns[i], columns[j]), columns[k or 0], range(len(lines))
        if names.missing and (nameless := np.isin(both, names.missing).any(axis=1)).any():
            named = np.flatnonzero(~nameless).tolist()
            lost += [lines[row] for row in np.flatnonzero(nameless).tolist()]
            both, lines, weighed = both[named], [lines[row] for row in named], [weighed[row] for row in named]
        pairs.append(both)
        for column, cells in others.items():
            cells += [columns[column][row] for row in named]
        if k is not None:
            values, wrong = numbers.read(weighed, lines)
            if wrong is not None:
                how = "; write numbers with a decimal point and without commas" if "," in weighed[wrong] else ""
                raise rows.source.broken(f"the weight {weighed[wrong]!r} is not a number{how}", lines[wrong])
            found.append(values)
    if numbers.commas and numbers.thousands:
        what = "weights have decimal commas, and here points; write all of them in one way"
        raise rows.source.broken(what, numbers.thousands)
    shown = ", ".join(map(str, lost[:3])) + (", ..." if len(lost) > 3 else "")
    points_only = numbers.thousands and not numbers.commas and not numbers.points and rows.separator == ";"
    point = f"the point in weights is read as a decimal point (line {numbers.thousands}), and not between thousands"
    notes = [
        f"{count_of(len(lost), 'row')} without a name at an end left out (line {shown})" if lost else "",
        f"{count_of(numbers.commas, 'weight')} read with a decimal comma" if numbers.commas else "",
        point if points_only else "",
    ]
    labels, ends = names.of(np.concatenate(pairs))
    once = len(ends) > 1 and all(np.count_nonzero(ends == end) == 1 for end in ends[0])
    if once and not head.header and isinstance(labels[0], str):
        first = f"the first row is read as an edge of {labels[0]!r} and {labels[1]!r}"
        notes.append(f"{first}; source={labels[0]!r} and target={labels[1]!r} make it a header")
    known = {head.names[column]: typed(cells) for column, cells in others.items()}
    return labels, ends, None if k is None else np.concatenate(found), known, notes


def _networkx_dicts(source: Source) -> GraphFile:
    """Read a file of `networkx.write_edgelist` with a dict of attributes as third column."""
    import networkx

    rows = [row for row in source.text.split("\n") if not row.lstrip().startswith(COMMENTS)]
    plain = all(whole(row.split(None, 2)[:2]) for row in rows if row.strip())
    try:
        G = networkx.parse_edgelist(rows, nodetype=int if plain else None)
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
