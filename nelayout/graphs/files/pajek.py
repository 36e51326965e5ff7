"""Read and write Pajek networks (.net): vertices, coordinates, edges, arcs, a matrix.

`networkx.read_pajek` does not support lists, fractions in a matrix, two modes, repeated labels or line numbers.

    >>> source = Source("two.net", b'*Vertices 2\\n1 "St Mary" 0.1 0.2\\n2 b\\n*Edges\\n1 2 3.5\\n')
    >>> dict(read_pajek(source).graph["St Mary"])
    {'b': {'weight': 3.5}}
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from nelayout.graphs.files.delimited import number
from nelayout.graphs.files.record import PLAIN, FileFormat, GraphFile, Look, Source, count_of, from_edges, text_labels
from nelayout.graphs.host import AXES
from nelayout.graphs.plain import is_missing, plain_text
from nelayout.graphs.to_floats import short_repr, utf8

__all__ = ["PAJEK", "read_pajek", "to_pajek"]

# A word, or text between double quotes; "" within it is one double quote.
TOKEN = re.compile(r'"((?:[^"]|"")*)"|(\S+)')
SHAPES = {"ellipse", "box", "diamond", "triangle", "cross", "empty", "house", "man", "woman"}
SHAPES |= {"x_fact", "y_fact", "s_size", "ic", "bc", "bw", "phi", "r", "q", "lc", "la", "lr", "lphi", "fos", "font"}
# Sections of project files without networks.
OTHERS = {"*partition", "*vector", "*permutation", "*cluster", "*hierarchy", "*events", "*tevents"}
# Free fraction of Pajek's unit square on each side, so that dots at the border are complete.
MARGIN_FRACTION = 0.05


class _Reading:
    """State of a reading; one method for the lines of each section."""

    def __init__(self, source: Source):
        self.source = source
        self.n = self.first_mode = -1
        self.listed: dict[int, int] = {}
        self.labels: dict[int, str] = {}
        self.columns: dict[str, dict[int, float]] = {}
        self.edges: list[tuple[int, int]] = []
        self.weights: list[float] = []
        self.directed = self.weighted = False
        self.matrix_row = self.commas = self.words = 0

    def vertices(self, tokens: list[str], line: int) -> None:
        i = self.node(tokens[0], line)
        if i in self.listed:
            raise self.source.broken(
                f"vertex {i + 1} is there twice, first in line {self.listed[i]}; number or remove one", line
            )
        self.listed[i] = line
        if len(tokens) > 1:
            self.labels[i] = tokens[1]
        for axis, token in zip(AXES, tokens[2:5], strict=False):
            value = number(token)
            if value is None:  # shapes and colors follow
                self.words += token not in SHAPES and not token.startswith("[")
                break
            self.columns.setdefault(axis, {})[i] = value

    def pair(self, tokens: list[str], line: int) -> None:
        if len(tokens) < 2:
            raise self.source.broken("an edge needs two vertices", line)
        self.edges.append((self.node(tokens[0], line), self.node(tokens[1], line)))
        weight = 1.0
        if len(tokens) > 2:
            value = number(tokens[2])
            if value is None and not (tokens[2][0].isalpha() or tokens[2][0] == "["):
                raise self.source.broken(f"the weight {short_repr(tokens[2])} is not a number", line)
            self.weighted |= value is not None
            self.commas += value is not None and "," in tokens[2]
            if len(tokens) > 3 and value is not None and number(tokens[3]) is not None:
                what = f"after the weight comes {tokens[3]}; begin a line for each edge, and parameters with a word"
                raise self.source.broken(what, line)
            weight = 1.0 if value is None else value  # a word is a drawing parameter, not a weight: "1 2 c Blue"
        self.weights.append(weight)

    def neighbors(self, tokens: list[str], line: int) -> None:
        first, *others = (self.node(token, line) for token in tokens)
        self.edges.extend((first, other) for other in others)
        self.weights.extend([1.0] * len(others))

    def matrix(self, tokens: list[str], line: int) -> None:
        rows, shift = self.matrix_shape()
        values = list(map(number, tokens))
        if None in values:
            wrong = short_repr(tokens[values.index(None)])
            raise self.source.broken(f"{wrong} in the matrix is not a number; write one", line)
        if len(values) != self.n - shift or self.matrix_row >= rows:
            raise self.source.broken(f"the matrix must have {rows} rows of {self.n - shift} numbers", line)
        for j, value in enumerate(values, shift):
            if value:
                self.edges.append((self.matrix_row, j))
                self.weights.append(value)
        self.matrix_row += 1
        self.weighted, self.directed = True, self.directed or not shift

    def matrix_shape(self) -> tuple[int, int]:
        """Return the rows of a matrix, and the vertex of its first column (two modes: second)."""
        two = 0 < self.first_mode < self.n
        return (self.first_mode, self.first_mode) if two else (self.n, 0)

    def node(self, token: str, line: int) -> int:
        try:
            number = int(token)
        except ValueError:
            raise self.source.broken(f"{short_repr(token)} is not a vertex number", line) from None
        if not 1 <= number <= self.n:
            raise self.source.broken(f"vertex {number} does not exist; there are {self.n}", line)
        return number - 1


# Section -> the method that reads its lines.
SECTIONS = {
    "*edges": _Reading.pair,
    "*arcs": _Reading.pair,
    "*edgeslist": _Reading.neighbors,
    "*arcslist": _Reading.neighbors,
    "*matrix": _Reading.matrix,
}


def read_pajek(source: Source) -> GraphFile:
    """Read the first network of a Pajek file; nodes are named by labels, or numbered from 1."""
    reading = _Reading(source)
    section: Callable[[_Reading, list[str], int], None] | None = None
    arcs, before, notes, relations = False, 0, [], set()
    for line, text in enumerate(source.text.split("\n"), 1):
        text = text.strip()
        if not text or text.startswith("%"):
            continue
        if text.count('"') % 2:
            raise source.broken("a double quote is not closed", line)
        tokens = text.split() if '"' not in text else [a.replace('""', '"') or b for a, b in TOKEN.findall(text)]
        if text.startswith("*"):
            word, _, relation = tokens[0].lower().partition(":")
            relations |= {relation} - {""}
            if reading.n >= 0 and word in ("*network", "*vertices"):
                notes.append(f"the first network of the file is read, and nothing from line {line} on")
                break
            if word == "*network":
                section = None
            elif word == "*vertices":
                if len(tokens) < 2 or not tokens[1].isdecimal():
                    raise source.broken('expected "*Vertices n" with the number of vertices', line)
                reading.n = int(tokens[1])
                source.check_size(reading.n, "vertices", line)
                if len(tokens) > 2 and tokens[2].isdecimal():
                    reading.first_mode = int(tokens[2])
                section = _Reading.vertices
            elif word in SECTIONS and reading.n < 0:
                raise source.broken(f'{tokens[0]} stands before "*Vertices n"; put the vertices first', line)
            elif word in SECTIONS:
                if any(number(token) is not None for token in tokens[1:]):
                    raise source.broken(f"numbers stand beside {tokens[0]}; begin a line for them", line)
                section = SECTIONS[word]
                arcs = word.startswith("*arcs")
            elif word in OTHERS:
                notes.append(f"{tokens[0]} and what follows is not read (line {line})")
                break  # the rest of a project file
            else:
                known = ", ".join(["*vertices", *SECTIONS])
                raise source.broken(f"{short_repr(tokens[0])} is not a section of Pajek; a network has {known}", line)
        elif section is None:
            before = before or line
        else:
            section(reading, tokens, line)
            reading.directed |= arcs
    n = reading.n
    if n < 0:
        raise source.unreadable('cannot be read as pajek: expected "*Vertices n" before the first data', before or None)
    words = "with words after its name, which are not read; names with blanks need double quotes"
    notes = [
        *notes,
        f"text before the first section is left out (line {before})" if before else "",
        f"{count_of(reading.commas, 'weight')} read with a decimal comma" if reading.commas else "",
        f"{count_of(reading.words, 'vertex line')} {words}" if reading.words else "",
        f"{len(relations)} relations are read as one network" if len(relations) > 1 else "",
    ]
    height, listed = reading.matrix_shape()[0], len(reading.listed)
    if 0 < reading.matrix_row < height:
        raise source.unreadable(f"the file ends after {reading.matrix_row} of the {height} rows of its matrix", line)
    if 0 < listed < n:
        if section is _Reading.vertices:
            raise source.unreadable(f"the file ends after {listed} of its {n} vertices", line)
        notes.append(f"{count_of(n - listed, 'vertex line')} of {n} not listed: named by its number")
    if section is _Reading.vertices and n > 1:
        notes.append("there is no section of edges, such as *Edges or *Arcs")
    labels: list = [reading.labels.get(i, str(i + 1)) for i in range(n)]
    columns: dict[str, list] = {axis: [values.get(i) for i in range(n)] for axis, values in reading.columns.items()}
    note = ()
    if len(set(labels)) < n:
        columns["label"], labels = labels, list(range(1, n + 1))
        note = ("nodes are named by their numbers: labels appear more than once",)
    ends = np.array(reading.edges, dtype=np.int64).reshape(-1, 2)
    weights = np.array(reading.weights) if reading.weighted else None
    rows, cols = ends.T
    return from_edges(labels, rows, cols, weights, "pajek", reading.directed, columns, note).noting(*notes)


def to_pajek(G: Any, labels: Sequence[Hashable], Y: np.ndarray, look: Look = PLAIN) -> bytes:
    """Encode vertices with labels and coordinates, and edges (directed: arcs) with weights.

    Pajek's coordinates are in the unit square, with y down.  The layout is moved and resized into it and keeps its
    shape.  Double quotes and line breaks in labels are replaced; node attributes are left out.
    """
    names = text_labels(labels, "pajek", lambda label: re.sub(r"\s", " ", plain_text(label).replace('"', "'")))
    low, high = (Y.min(axis=0), Y.max(axis=0)) if len(Y) else (np.zeros(2), np.ones(2))
    width = float((high - low).max()) or 1.0
    places = 0.5 + (1 - 2 * MARGIN_FRACTION) * (Y / width - low / width - (high - low) / width / 2)
    rows = np.full((len(Y), 3), 0.5)
    rows[:, : min(Y.shape[1], 3)] = places[:, :3]
    rows[:, 1] = 1 - rows[:, 1]
    lines = [f"*Vertices {len(names)}"]
    for k, (name, (x, y, z)) in enumerate(zip(names, rows.tolist(), strict=True), 1):
        lines.append(f'{k} "{name}" {x!r} {y!r} {z!r}')
    number = {label: k for k, label in enumerate(labels, 1)}
    lines.append("*Arcs" if G.is_directed() else "*Edges")
    for u, v, given in G.edges(data=look.weight):
        lacking = is_missing(given)
        weight: Any = 1 if lacking and G.is_multigraph() else given  # parallel edges without weights count once
        known = isinstance(weight, (int, float, np.number)) and not isinstance(weight, bool) and not is_missing(weight)
        lines.append(f"{number[u]} {number[v]}" + (f" {float(weight)!r}" if known else ""))
    text = "\n".join(lines) + "\n"
    return (b"" if text.isascii() else codecs.BOM_UTF8) + utf8(text)  # Pajek needs the mark to detect Unicode


PAJEK = FileFormat(
    "pajek", ("net", "pajek", "paj"), r"(?i)(?:\s*%.*\n)*\s*\*(?:vertices|network)\b", read_pajek, to_pajek
)
