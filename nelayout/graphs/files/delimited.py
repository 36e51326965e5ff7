"""Read delimited text: rows, blocks of columns, numbers and names.

The separator is the sign that gives every row the same number of fields, outside quotes::

    >>> rows = Rows(Source("two.csv", b'"Doe, J";"Roe, R";0,5\\n'))
    >>> [cells for _, cells in rows]
    [['Doe, J', 'Roe, R', '0,5']]

`Rows.blocks` yields columns of many rows at once.  `Numbers` reads a column of numbers, `Names` columns of names::

    >>> (_, (first, second, third)), = rows.blocks(1, lambda line, cells: None)
    >>> Numbers(rows).read(third, [1])
    (array([0.5]), None)
"""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice, zip_longest
from typing import Any

import numpy as np

from nelayout.graphs.files.matrices import number_columns
from nelayout.graphs.files.record import Source, count_of, numbered
from nelayout.graphs.headings import ends_named
from nelayout.graphs.to_floats import whole

__all__ = [
    "COMMENTS", "HEAD_ROWS", "Names", "Numbers", "Rows", "is_missing", "is_word2vec", "number", "typed",
]  # fmt: skip

COMMENTS = ("#", "%")
# Signs between fields, the most reliable first; None means blanks.
SEPARATORS = ("\t", ";", "|", ",", None)
# Cells for a missing value, as in pandas, and its NaT: "NA" is missing, "Na" is sodium.
MISSING = frozenset(
    {"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA"}
    | {"NULL", "NaN", "NaT", "None", "n/a", "nan", "null"}
)
# Numbers of letters and of rows from which the form of a table is detected.
HEAD_LETTERS, HEAD_ROWS = 2**16, 200
# Letters and rows of a block.
BLOCK_LETTERS, BLOCK_ROWS = 2**20, 2**14
# Codes, numbers with a decimal comma, and perhaps points between thousands.
CODE = re.compile(r"[+-]?0[0-9]+")
DECIMAL_COMMA = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+(?:[eE][+-]?\d+)?")
THOUSANDS = re.compile(r"^[+-]?\d{1,3}(?:\.\d{3})+$", re.MULTILINE)
# A line with another point.
POINT = re.compile(rf"^(?!{THOUSANDS.pattern[1:]}).*\.", re.MULTILINE)


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


def is_word2vec(first: Sequence[str], second: Sequence[str]) -> bool:
    """Return whether a row counts the rows and the numbers of each, as in word2vec text.

    >>> is_word2vec(["60", "2"], ["king", "0.5", "-1"]), is_word2vec(["1", "2"], ["2", "3"])
    (True, False)
    """
    counts = len(first) == 2 and all(map(str.isdecimal, first)) and int(first[1]) == len(second) - 1 > 1
    return counts and all(number(cell) is not None for cell in second[1:])


def is_missing(cell: str) -> bool:
    """Return whether a cell stands for a missing value."""
    return cell in MISSING


def typed(cells: Sequence[str]) -> list[int | None] | list[float | None] | list[str | None]:
    """Return the cells of a column as whole numbers, numbers or text, None for missing ones.

    A column with a code, such as 01001, is text.

    >>> typed(["1", "NA"]), typed(["1", "0,5"]), typed(["01001", "1001"]), typed(["a", ""])
    ([1, None], [1.0, 0.5], ['01001', '1001'], ['a', None])
    """
    known = {cell: number(cell) for cell in set(cells) if not is_missing(cell)}
    numbers = whole(list(known))
    if numbers is not None:
        plain = dict(zip(known, numbers, strict=True))
        return [plain.get(cell) for cell in cells]
    if None in known.values() or any(CODE.fullmatch(cell) for cell in known):
        return [cell if cell in known else None for cell in cells]
    return [known.get(cell) for cell in cells]


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
        self.dropped, self.hashed, self.started = 0, 0, False

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        self.dropped, self.hashed, self.started = 0, 0, False
        return self._rows(self.text, self.before)

    def blocks(
        self, start: int, check: Callable[[int, list[str]], None]
    ) -> Iterator[tuple[Sequence[int], list[Sequence[str]]]]:
        """Yield (lines, columns) of many rows, from a line on; `check` may refuse each row."""
        top = at = self._place(start)
        while at < len(self.text):
            stop = self.text.find("\n", at + BLOCK_LETTERS) + 1 or len(self.text)
            columns = self._split(self.text[at:stop])
            if columns is None:
                break
            yield range(start, start + len(columns[0])), columns
            at, start = stop, start + len(columns[0])
        if at == len(self.text):
            return
        self.dropped, self.hashed, self.started = 0, 0, False
        above = sum(1 for _ in self._rows(self.text[:top], 0))  # counts the comments there
        self.started = above > 0 or at > top
        rows = self._rows(self.text[at:], start - 1)
        while some := list(islice(rows, BLOCK_ROWS)):
            for line, cells in some:
                check(line, cells)
            lines, cells = zip(*some, strict=True)
            padded = list[Sequence[str]](zip_longest(*cells, fillvalue=""))
            yield lines, padded + [("",) * len(lines)] * (self.width - len(padded))

    def numbers(self, start: int, plain: Sequence[int]) -> list[np.ndarray] | None:
        """Return all columns, from a line on, if they are finite numbers; else None.

        Numbers in the `plain` columns must be written as `whole` expects.
        """
        separator = rb"\s+" if self.separator is None else rb"\s*%s\s*" % re.escape(self.separator).encode()
        data = number_columns(self.text, self._place(start), self.width, separator, plain)
        if isinstance(data, int) or not all(len(column) and np.isfinite(column).all() for column in data):
            return None
        return data

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

    def _place(self, line: int) -> int:
        """Return the place of the first letter of a line in the text."""
        at = 0
        for _ in range(line - self.before - 1):
            at = self.text.find("\n", at) + 1 or len(self.text)
        return at

    def _rows(self, text: str, before: int) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows of a part of the text that begins after so many lines."""
        for line, cells in self._parse(text, self.separator, self.quote):
            if cells[0].startswith(self.signs) and self._is_comment(cells, self.started):
                continue
            if self.separator is None:
                end = next((k for k in range(2, len(cells)) if cells[k].startswith(self.signs)), len(cells))
                self.dropped += end < len(cells)
                cells = cells[:end]
            self.started = True
            yield line + before, cells

    def _split(self, block: str) -> list[Sequence[str]] | None:
        """Return the columns of whole lines; None if a row is unusual, such as a comment."""
        sign, width, quoted = self.separator, self.width, self.quote is not None and self.quote in block
        if sign is None and quoted:
            return None
        block = block if block.endswith("\n") else f"{block}\n"
        cells = block.replace("\n", f"{sign or ' '}\0{sign or ' '}").split(sign)
        cells.pop() if sign else None
        rest = cells[width :: width + 1]
        if len(cells) != (width + 1) * len(rest) or rest.count("\0") != len(rest):
            return None
        if quoted and (cells := _unquoted(cells, self.quote or "")) is None:
            return None
        columns: list[Sequence[str]] = [cells[k :: width + 1] for k in range(width)]
        if sign is not None and re.search(r"[^\S\n]", block):
            columns = [list(map(str.strip, column)) for column in columns]
        signed = columns[:1] if sign else columns[:1] + columns[2:]
        if any(mark in block for mark in self.signs) and any(c.startswith(self.signs) for each in signed for c in each):
            return None
        return None if width == 1 and "" in columns[0] else columns  # an empty line

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


def _unquoted(cells: list[str], quote: str) -> list[str] | None:
    """Return cells without quotes around them; None if one has others.

    >>> _unquoted(['"a"', ' "b c"', "d"], '"'), _unquoted(['"a', 'b"'], '"')
    (['a', 'b c', 'd'], None)
    """
    found = [cell.lstrip(" ") for cell in cells]
    found = [cell[1:-1] if cell[:1] == quote == cell[-1:] and len(cell) > 1 else cell for cell in found]
    return None if any(quote in cell for cell in found) else found


class Numbers:
    """Reads columns of numbers, and counts how they are written.

    commas     numbers with a decimal comma
    missing    missing numbers
    thousands  the first line with a point that may stand between thousands, or 0
    points     whether another number has a decimal point
    """

    def __init__(self, rows: Rows) -> None:
        self.separator = rows.separator
        self.commas = self.missing = self.thousands = 0
        self.points = False

    def read(self, cells: Sequence[str], lines: Sequence[int]) -> tuple[np.ndarray, int | None]:
        """Return numbers, NaN for missing ones and text, and the first row of text."""
        text = "\n".join(cells)
        try:
            values = np.fromiter(map(float, cells), np.float64, len(cells))
            usual = not np.isnan(values).any() and "_" not in text
        except ValueError:
            values, usual = np.zeros(0), False
        wrong = None
        if not usual:
            found = [np.nan if is_missing(cell) else None if self.ambiguous(cell) else number(cell) for cell in cells]
            wrong = found.index(None) if None in found else None
            values = np.array(found, dtype=np.float64)
            self.missing += int(np.count_nonzero(np.isnan(values))) - found.count(None)
            self.commas += sum("," in cell for cell in cells)
        if not self.thousands and (first := THOUSANDS.search(text)):
            self.thousands = lines[text.count("\n", 0, first.start())]
        self.points = self.points or POINT.search(text) is not None
        return values, wrong

    def ambiguous(self, cell: str) -> bool:
        """Return whether a comma may be a decimal comma or separate thousands."""
        return self.separator == "," and re.fullmatch(r"[+-]?[1-9]\d{0,2},\d{3}", cell) is not None


class Names:
    """Numbers the names in columns in the order of rows."""

    def __init__(self) -> None:
        self.index = defaultdict[str, int](count().__next__)

    def read(self, *columns: Sequence[str]) -> np.ndarray:
        """Return the numbers of the names, (rows, columns)."""
        names = [""] * (len(columns) * len(columns[0]))
        for k, column in enumerate(columns):
            names[k :: len(columns)] = column
        return np.fromiter(map(self.index.__getitem__, names), np.int64, len(names)).reshape(-1, len(columns))

    @property
    def missing(self) -> list[int]:
        """Numbers of the words for a missing name."""
        return [self.index[word] for word in MISSING if word in self.index]

    def of(self, codes: np.ndarray) -> tuple[list[Any], np.ndarray]:
        """Return the names in the order of nodes, and the place of each number in it.

        Whole numbers increase, others stand in the order of rows.
        """
        names = list[Any](self.index)
        if self.missing:  # rows were left out, and names with them
            used, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
            order = np.argsort(first)
            names, codes = [names[k] for k in used[order].tolist()], np.argsort(order)[inverse].reshape(codes.shape)
        numbers = whole(names)
        if numbers is None:
            return names, codes
        labels, places = numbered(np.array(numbers, dtype=np.int64))
        return labels, places[codes]
