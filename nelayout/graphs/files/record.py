"""Records: `Source` (bytes of a file), `GraphFile` (a graph), `FileFormat`, `Look`.

Errors name the file and the line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.errors import InputError
from nelayout.graphs import Host, host_of
from nelayout.graphs.host import Attributes, networkx_graph
from nelayout.graphs.plain import plain_text
from nelayout.graphs.to_floats import short_repr
from nelayout.numerics.memory import available, size_in_words

if TYPE_CHECKING:
    import networkx as nx

__all__ = [
    "ANY", "LIMITS", "PLAIN", "Columns", "FileFormat", "GraphFile", "Look", "Reading", "Source", "Unreadable",
    "count_of", "edge_matrix", "from_edges", "from_networkx", "mirror", "number_type", "numbered", "text_labels",
]  # fmt: skip

# Least memory for each item that a file announces, in bytes; a layout needs 300 for a node.
ITEM_BYTES = {"nodes": 300, "rows": 300, "vertices": 300, "entries": 16, "cells": 8, "bytes of arrays": 1}


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the readers of files."""

    networkx_edges: int = 200_000  # of a table or a Pajek file in a networkx graph; a matrix is faster for more
    edge_values: int = 1_000_000  # of a table beside its weights in a networkx graph, to bound the memory
    block_letters: int = 2**21  # of a matrix in text that are converted at once, to bound the memory
    message_letters: int = 300  # about four lines of a terminal; a reader may quote a line of megabytes
    name_ratio: float = 0.8  # least ratio of difflib between a misspelt file name and a suggestion


LIMITS = Limits()


class Unreadable(InputError):
    """Content that does not have the expected format, or is incomplete."""


@dataclass(frozen=True)
class Source:
    """Bytes of a file, its name in messages, notes on a guessed encoding, a line's name."""

    name: str
    data: bytes
    notes: list[str] = field(default_factory=list)
    unit: str = "line"

    @cached_property
    def text(self) -> str:
        """Content as text with uniform line ends: UTF-8, UTF-16, Windows-1252 or Latin-1."""
        head, encoding = self.data[:1024], "utf-8-sig"
        low, high = head[::2].count(0), head[1::2].count(0)
        if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
            encoding = "utf-16"
        elif max(low, high) * 4 >= len(head) > 0 == min(low, high):  # zeros beside the letters
            encoding = "utf-16-le" if high else "utf-16-be"
            self.notes.append("the text is read as UTF-16, although it has no mark")
        try:
            text = self.data.decode(encoding)
        except UnicodeDecodeError as error:
            if encoding != "utf-8-sig":
                raise self.unreadable(f"is not whole as UTF-16 ({error.reason})") from None
            try:
                text, name = self.data.decode("cp1252"), "Windows-1252"
            except UnicodeDecodeError:
                text, name = self.data.decode("latin-1"), "Latin-1"
            self.notes.append(f"the text is not UTF-8 and is read as {name}; save it as UTF-8 if names are wrong")
        if "\x00" in text:
            raise self.no_text(text.partition("\x00")[0].count("\n") + 1)
        return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text

    def check_size(self, count: int, what: str, where: int | str | None = None) -> None:
        """Raise `InputError` if `count` items of `ITEM_BYTES` exceed both the file and the memory."""
        free, each = available(), ITEM_BYTES[what]
        if count > len(self.data) and free is not None and count * each > free:
            need, has = size_in_words(count * each), size_in_words(free)
            raise self.broken(
                f"{count} {what} need about {need} of memory, and {has} are free; the file has {len(self.data)} bytes: "
                "correct the number, or use a machine with more memory",
                where,
            )

    def no_text(self, line: int) -> InputError:
        """Return the error for content with NUL characters."""
        return self.broken("this is not text, or UTF-16 without its mark: save it as UTF-8, or fetch it again", line)

    def broken(self, what: str, where: int | str | None = None) -> InputError:
        """Return the error for wrong content at one point: a line, or words such as "node 3"."""
        place = f", {self.unit} {where}" if isinstance(where, int) else f", {where}" if where else ""
        said = what if len(what) <= LIMITS.message_letters else f"{what[: LIMITS.message_letters]}..."
        return InputError(f"{self.name}{place}: {said}")

    def unreadable(self, what: str, where: int | str | None = None) -> Unreadable:
        """Return the error for content of another format, or incomplete content."""
        return Unreadable(str(self.broken(what, where)))


@dataclass(frozen=True, slots=True, eq=False)
class GraphFile:
    """A graph from a file.

    graph      a networkx graph, or a csr_array for matrices and long edge lists; either can be laid out
    labels     the nodes' labels in node order; a networkx graph has them as nodes, a csr_array has only numbers
    node_data  column name -> one value per node, None where it is missing ("club", "x"; "coords" is (n, 2))
    format     the format's name, see `nelayout.graphs.files.FORMATS`
    notes      sentences on content that nelayout read in an unexpected way
    weight     name of the edge attribute for the entries of a matrix
    weight_kind  "distance" for weights with the heading of a length, unless the caller names their column
    seconds    time to read the file
    """

    graph: Any
    labels: Sequence[Hashable]
    node_data: Mapping[str, Any] = field(default_factory=dict)
    format: str = ""
    notes: tuple[str, ...] = ()
    weight: str = "weight"
    weight_kind: str = "auto"
    seconds: float = 0.0

    def __repr__(self) -> str:
        edges = self.graph.number_of_edges() if hasattr(self.graph, "edges") else self.graph.nnz
        known = f", node data {', '.join(map(repr, self.node_data))}" if self.node_data else ""
        notes = f", {count_of(len(self.notes), 'note')}" if self.notes else ""
        return f"<GraphFile {self.format}: {len(self.labels)} nodes, {edges} edges{known}{notes}>"

    @property
    def host(self) -> Host:
        """Host of the graph, which names its nodes and writes positions in the library's type."""
        return host_of(self.graph)

    @property
    def edge_attributes(self) -> list[str]:
        """Sorted names of the edge attributes; a matrix has one, for its entries."""
        if not hasattr(self.graph, "edges"):
            return [self.weight]
        return sorted({str(name) for *_, data in self.graph.edges(data=True) for name in data})

    def noting(self, *notes: str) -> GraphFile:
        """Return a copy with more notes, except empty ones."""
        return replace(self, notes=(*self.notes, *filter(None, notes)))


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns that a caller names in a table of edges; see `read_graph`.

    weight     the column of the weight, by heading or number, or None
    ends       the columns of both ends, or None
    sheet      the sheet of a workbook, by name or number, or None
    bipartite  whether the two ends are nodes of two kinds
    """

    weight: str | None = None
    ends: tuple[str, str] | None = None
    sheet: str | None = None
    bipartite: bool = False


ANY = Columns()


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """Style of the nodes in a viewer.

    sizes   (n,) diameters in units of the positions, or None: the viewer's own
    colors  "#rrggbb" for each node, or None: the viewer's own
    names   the text beside each node, or None: the node's own
    weight  edge attribute with the weights, if the format has one number for each edge (Pajek)
    """

    sizes: np.ndarray | None = None
    colors: Sequence[str] | None = None
    names: Sequence[str] | None = None
    weight: str | None = "weight"

    def of(self, k: int, name: str = "label", unit: float = 1.0) -> Attributes:
        """Return the known ones of a node's size (in this unit), color, and text (`name`)."""
        given = {"size": self.sizes, "color": self.colors, name: self.names}
        own: Attributes = {field: values[k] for field, values in given.items() if values is not None}
        return own | ({"size": float(own["size"]) / unit} if "size" in own else {})

    @property
    def taken(self) -> set[str]:
        """Attribute names of the style; the graph's attributes with these names are renamed."""
        names = {"size": self.sizes, **dict.fromkeys(("color", *"rgb"), self.colors), "label": self.names}
        return {name for name, values in names.items() if values is not None}


PLAIN = Look()


def text_labels(labels: Sequence[Hashable], name: str, spell: Callable[[Hashable], str] = plain_text) -> list[str]:
    """Return the labels as text; raise `InputError` if two labels have the same text."""
    texts = [spell(label) for label in labels]
    seen: dict[str, Hashable] = {}
    for text, label in zip(texts, labels, strict=True):
        if text in seen:
            raise InputError(
                f"the nodes {seen[text]!r} and {label!r} are both called {text!r} in {name}, where names are text; "
                "relabel one of them, or write json"
            )
        seen[text] = label
    return texts


@dataclass(frozen=True, slots=True)
class FileFormat:
    """One format of graph files.

    name     its name, in messages and for `format=`
    endings  endings of its files, also accepted by `format=`
    sign     a regular expression for the beginning of its content
    read     the content of a file -> the graph
    write    (networkx graph, labels in node order, (n, dim) positions, look) -> content; None if it is read-only
    binary   whether the content may have NUL characters
    columns  whether it is a table of edges: `read` also takes `Columns`
    viewer   suitable half width of a layout in the units of the format's viewer programs, if they also show sizes
             and colors; None for formats without such viewers
    """

    name: str
    endings: tuple[str, ...]
    sign: str
    read: Callable[..., GraphFile]
    write: Callable[[Any, Sequence[Hashable], np.ndarray, Look], bytes] | None = None
    binary: bool = False
    columns: bool = False
    viewer: float | None = None


def from_networkx(G: nx.Graph, file_format: str, notes: tuple[str, ...] = ()) -> GraphFile:
    """Return the record of a networkx graph, with its node attributes as columns."""
    rows = [attributes for _, attributes in G.nodes(data=True)]
    names = dict.fromkeys(name for attributes in rows for name in attributes)
    columns = {str(name): [attributes.get(name) for attributes in rows] for name in names}
    return GraphFile(G, list(G), columns, file_format, notes)


@dataclass(eq=False)
class Reading:
    """Nodes and edges as a parser finds them, and counts of unexpected content.

    multigraph  the file's own declaration; None if the format has none
    where       label -> its location in messages: "line 3", "node 3"
    counts      (noun in the singular, the rest of a note) -> (number, the first example or "")
    """

    source: Source
    name: str
    directed: bool = False
    multigraph: bool | None = None
    nodes: dict[Hashable, Attributes] = field(default_factory=dict)
    edges: list[tuple[Hashable, Hashable, str, object, Attributes]] = field(default_factory=list)
    where: dict[Hashable, str] = field(default_factory=dict)
    counts: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def node(self, label: Hashable, own: Attributes, where: str) -> None:
        """Add a node; raise `InputError` for a missing or repeated name."""
        if label is None:
            raise self.source.broken("a node has no id; give it one", where)
        if label in self.nodes and where.startswith("node"):
            raise self.source.broken(f"{where} has the id {label!r} of another node; rename or remove one")
        if label in self.nodes:
            twice = f"the node {short_repr(label)} is there twice, first in {self.where[label]}; rename or remove one"
            raise self.source.broken(twice, where)
        self.nodes[label], self.where[label] = self._present(own), where

    def edge(self, u: Hashable, v: Hashable, own: Attributes, kind: str = "", key: object = None) -> None:
        """Add an edge; `kind` is "directed", "undirected", "mutual" (both ways) or "" (default)."""
        self.edges.append((u, v, kind, key, self._present(own)))

    def is_nameless(self, u: Hashable, v: Hashable) -> bool:
        """Return whether an end is empty and no node has this name; count such an edge."""
        empty = [x for x in (u, v) if x in ("", None) or str(x).isspace() or str(x) == "nan" != x]
        found = any(x not in self.nodes for x in empty)
        self.count("edge", "without a name at an end left out", n=found)
        return found

    def count(self, noun: str, rest: str, example: str = "", n: int = 1) -> None:
        """Count more items for a note, which shows the first example."""
        before, first = self.counts.get((noun, rest), (0, example))
        if n:
            self.counts[noun, rest] = before + n, first

    def _present(self, own: Attributes) -> Attributes:
        for name in [name for name, value in own.items() if value is None]:
            del own[name]
            self.count("value", "missing", repr(name))
        return own

    def graph_file(self) -> GraphFile:
        """Build the graph, directed if any edge is."""
        self.edges = [edge for edge in self.edges if not self.is_nameless(*edge[:2])]
        usual = "directed" if self.directed else "undirected"
        kinds = Counter(kind or usual for _, _, kind, *_ in self.edges)
        directed = bool(kinds["directed"] + kinds["mutual"]) if self.edges else self.directed
        self.count("undirected edge", "among directed ones: read as directed", n=kinds["undirected"] * directed)
        strangers = {end for u, v, *_ in self.edges for end in (u, v)} - self.nodes.keys()
        self.count("node", "named by edges alone", n=len(strangers))
        repeated = len(self.edges) - len({(u, v) if directed else frozenset((u, v)) for u, v, *_ in self.edges})
        what = "kept: the graph is a multigraph, where weights add up"
        self.count("repeated edge", what, n=repeated * (self.multigraph is False))
        listed = []
        for u, v, kind, key, own in self.edges:
            if repeated or self.multigraph:
                key = next((own.pop(word) for word in ("networkx_key", "key") if word in own), key)
            listed.append((u, v, key, own))
            listed += [(v, u, key, own)] if kind == "mutual" else []
        said = (
            f"{count_of(n, noun)} {rest}" + (f" (the first is {first})" if first else "")
            for (noun, rest), (n, first) in self.counts.items()
        )
        G = networkx_graph(self.nodes, listed, directed, self.multigraph or None)
        return from_networkx(G, self.name, (*self.notes, *said))


def count_of(n: int, what: str) -> str:
    """Return a number and a noun: "1 row", "2 rows", "2 entries"."""
    many = what[:-1] + "ies" if what.endswith("try") else what + "s"
    return f"{n} {what if n == 1 else many}"


def from_edges(
    labels: Sequence[Hashable], rows: np.ndarray, cols: np.ndarray, weights: np.ndarray | None, file_format: str,
    directed: bool = False, node_data: Mapping[str, Any] | None = None, notes: tuple[str, ...] = (),
    weight: str = "weight", weight_kind: str = "auto", shortest: bool = False,
    others: Mapping[str, Sequence] | None = None,
) -> GraphFile:  # fmt: skip
    """Return the record of a list of edges between node numbers.

    Repeated edges with weights add up, or keep the smallest one (`shortest`).  Without weights they count once, as in
    `networkx.read_edgelist`: many files list every undirected edge in both directions.  An edge has the values of its
    first row, or of its shortest one, in the columns `others`; a matrix has none.
    """
    listed, others, first = len(rows), others or {}, np.arange(len(rows))
    if weights is not None and shortest:
        once = _smallest_first(rows, cols, weights, directed)
        rows, cols, weights, first = rows[once], cols[once], weights[once], once
    matrix = edge_matrix(len(labels), rows, cols, weights, directed)
    if len(matrix.data) < listed:
        what = "count once" if weights is None else "keep the shortest length" if shortest else "were added up"
        kept = "; their other columns have the values of one row" if others else ""
        notes = (*notes, f"{listed - len(matrix.data)} repeated edges {what}{kept}")
    if weights is None:
        matrix.data[:] = 1.0
    columns = dict(node_data or {})
    if len(matrix.data) > LIMITS.networkx_edges:
        matrix = matrix if directed else mirror(matrix)
        return GraphFile(matrix, labels, columns, file_format, notes, weight, weight_kind)
    import networkx

    G = networkx.DiGraph() if directed else networkx.Graph()
    G.add_nodes_from(labels)
    for name, values in columns.items():
        networkx.set_node_attributes(G, {v: x for v, x in zip(labels, values, strict=True) if x is not None}, name)
    sources = np.repeat(np.arange(len(labels)), np.diff(matrix.indptr)).tolist()
    ends = [(labels[i], labels[j]) for i, j in zip(sources, matrix.indices.tolist(), strict=True)]
    if weights is None:
        G.add_edges_from(ends)
    else:
        pairs = zip(ends, matrix.data.tolist(), strict=True)
        G.add_weighted_edges_from(((u, v, value) for (u, v), value in pairs), weight)
    if others:
        low, high = (rows, cols) if directed else (np.minimum(rows, cols), np.maximum(rows, cols))
        first = first[np.unique(low.astype(np.int64) * len(labels) + high, return_index=True)[1]].tolist()
        for name, values in others.items():
            known = {end: values[k] for end, k in zip(ends, first, strict=True) if values[k] is not None}
            networkx.set_edge_attributes(G, known, name)
    return GraphFile(G, labels, columns, file_format, notes, weight, weight_kind)


def _smallest_first(rows: np.ndarray, cols: np.ndarray, weights: np.ndarray, directed: bool) -> np.ndarray:
    """Return the place of the smallest weight of each edge."""
    ends = np.stack([rows, cols], axis=1)
    order = np.argsort(weights, kind="stable")
    ends = (ends if directed else np.sort(ends, axis=1))[order]
    return np.sort(order[np.unique(ends, axis=0, return_index=True)[1]])


def numbered(names: np.ndarray) -> tuple[list[int], np.ndarray]:
    """Return the increasing whole numbers of an array, and the place of each entry."""
    whole = names.astype(np.int64, copy=False) if names.dtype.kind != "i" else names
    low = int(whole.min(initial=0))
    width = int(whole.max(initial=0)) - low + 1
    if width > whole.size:
        labels, places = np.unique(whole, return_inverse=True)
        return labels.tolist(), places
    there = np.zeros(width, dtype=bool)
    there[whole - low] = True
    places = np.cumsum(there, dtype=number_type(width)) - 1
    return (np.flatnonzero(there) + low).tolist(), places[whole - low]


def number_type(n: int) -> type[np.int32 | np.int64]:
    """Return the type for numbers up to n, which halves the memory of most graphs."""
    return np.int32 if n < 2**31 else np.int64


def edge_matrix(n: int, rows: np.ndarray, cols: np.ndarray, weights: np.ndarray | None, directed: bool) -> csr_array:
    """Add up edges, without weights as 1 each; undirected ones are above the diagonal."""
    rows, cols = (ends.astype(number_type(n), copy=False) for ends in (rows, cols))
    if not directed:
        rows, cols = np.minimum(rows, cols), np.maximum(rows, cols)
    values = np.ones(len(rows)) if weights is None else weights.astype(np.float64, copy=False)  # sums may be large
    matrix = csr_array((values, (rows, cols)), shape=(n, n))
    matrix.sum_duplicates()
    return matrix


def mirror(upper: csr_array, sign: float = 1.0) -> csr_array:
    """Return the matrix of an upper triangle and, times a sign, of its mirror image below."""
    n = len(upper.indptr) - 1
    rows = np.repeat(np.arange(n, dtype=upper.indices.dtype), np.diff(upper.indptr))
    off = rows != upper.indices
    ends = np.concatenate([upper.indices[off], rows]), np.concatenate([rows[off], upper.indices])
    return csr_array((np.concatenate([sign * upper.data[off], upper.data]), ends), shape=(n, n))
