"""Records: `GraphFile` (content of a file), `FileFormat`, `Look` (style of nodes)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.errors import InputError
from nelayout.graphs import Host, host_of
from nelayout.graphs.files.source import Source
from nelayout.graphs.to_floats import short_repr

__all__ = [
    "PLAIN", "FileFormat", "GraphFile", "Look", "Reading", "count_of", "from_edges", "from_networkx", "graph_of",
    "mirror", "number_type", "text_labels",
]  # fmt: skip

# Maximum number of edges for a networkx graph of a table or a Pajek file. A matrix is faster for more.
MAX_NETWORKX_EDGES = 200_000


@dataclass(frozen=True, slots=True, eq=False)
class GraphFile:
    """A graph from a file.

    graph      a networkx graph, or a csr_array for matrices and long edge lists; either can be laid out
    labels     the nodes' labels in node order; a networkx graph has them as nodes, a csr_array has only numbers
    node_data  column name -> one value per node, None where it is missing ("club", "x"; "coords" is (n, 2))
    format     the format's name, see `nelayout.graphs.files.FORMATS`
    notes      sentences on content that nelayout read in an unexpected way
    weight     name of the edge attribute for the entries of a matrix
    seconds    time to read the file
    """

    graph: Any
    labels: Sequence[Hashable]
    node_data: Mapping[str, Any] = field(default_factory=dict)
    format: str = ""
    notes: tuple[str, ...] = ()
    weight: str = "weight"
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
        """Return a copy with more notes."""
        return replace(self, notes=(*self.notes, *notes))


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

    def of(self, k: int, name: str = "label", unit: float = 1.0) -> dict[str, Any]:
        """Return the known ones of a node's size (in this unit), color, and text (`name`)."""
        given = {"size": self.sizes, "color": self.colors, name: self.names}
        own: dict[str, Any] = {field: values[k] for field, values in given.items() if values is not None}
        return own | ({"size": float(own["size"]) / unit} if "size" in own else {})

    @property
    def taken(self) -> set[str]:
        """Attribute names of the style; the graph's attributes with these names are renamed."""
        names = {"size": self.sizes, **dict.fromkeys(("color", *"rgb"), self.colors), "label": self.names}
        return {name for name, values in names.items() if values is not None}


PLAIN = Look()


def text_labels(labels: Sequence[Hashable], name: str, spell: Callable[[Hashable], str] = str) -> list[str]:
    """Return the labels as text; raise `InputError` if two labels have the same text.

    >>> text_labels([1, "a", (2, 3)], "gexf")
    ['1', 'a', '(2, 3)']
    """
    texts = [spell(label) for label in labels]
    if len(set(texts)) < len(texts):
        seen: dict[str, Hashable] = {}
        for text, label in zip(texts, labels, strict=True):
            if text in seen:
                raise InputError(
                    f"the nodes {seen[text]!r} and {label!r} are both called {text!r} in {name}, whose names are text; "
                    "relabel one of them, or write json"
                )
            seen[text] = label
    return texts


@dataclass(frozen=True, slots=True)
class FileFormat:
    """One format of graph files.

    name     its name, in messages and for `format=`
    endings  endings of its files, also accepted by `format=`
    sign     matches the beginning of its content
    read     the content of a file -> the graph
    write    (networkx graph, labels in node order, (n, dim) positions, look) -> content; None if it is read-only
    binary   whether the content may have NUL characters
    columns  whether it is a table of edges: `read` also takes the columns of the weight and of both ends
    viewer   suitable half width of a layout in the units of the format's viewer programs, if they also show sizes
             and colors; None for formats without such viewers
    """

    name: str
    endings: tuple[str, ...]
    sign: re.Pattern[str]
    read: Callable[..., GraphFile]
    write: Callable[[Any, Sequence[Hashable], np.ndarray, Look], bytes] | None = None
    binary: bool = False
    columns: bool = False
    viewer: float | None = None


def from_networkx(G: Any, file_format: str, notes: tuple[str, ...] = ()) -> GraphFile:
    """Return the record of a networkx graph, with its node attributes as columns."""
    rows = [attributes for _, attributes in G.nodes(data=True)]
    names = dict.fromkeys(name for attributes in rows for name in attributes)
    columns = {str(name): [attributes.get(name) for attributes in rows] for name in names}
    return GraphFile(G, list(G), columns, file_format, notes)


def graph_of(
    nodes: Mapping[Any, Mapping],
    edges: Sequence[tuple[Any, Any, Any, Mapping]],
    directed: bool,
    multigraph: bool = False,
) -> Any:
    """Build a networkx graph of edges (u, v, key, attributes); a multigraph if any repeat.

    >>> graph_of({}, [(0, 1, None, {}), (1, 0, None, {})], False).number_of_edges(0, 1)
    2
    """
    import networkx

    pairs = {(u, v) if directed else frozenset((u, v)) for u, v, *_ in edges}
    several = multigraph or len(pairs) < len(edges)
    kinds = (networkx.DiGraph, networkx.MultiDiGraph) if directed else (networkx.Graph, networkx.MultiGraph)
    G: Any = kinds[several]()
    G.add_nodes_from(nodes.items())
    for u, v, key, own in edges:
        key = None if several and key is not None and G.has_edge(u, v, key) else key
        G.add_edges_from([(u, v, key, own)] if several else [(u, v, own)])
    return G


@dataclass(eq=False)
class Reading:
    """Nodes and edges as a parser finds them, and counts of unexpected content.

    multigraph  the file's own declaration; None if the format has none
    where       label -> its location in messages: "line 3", "node 3"
    counts      (noun in the singular, the rest of a note) -> number; `examples` has the first example
    """

    source: Source
    name: str
    directed: bool = False
    multigraph: bool | None = None
    nodes: dict[Any, dict[str, Any]] = field(default_factory=dict)
    edges: list[tuple[Any, Any, str, Any, dict[str, Any]]] = field(default_factory=list)
    where: dict[Any, str] = field(default_factory=dict)
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    examples: dict[tuple[str, str], str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def node(self, label: Any, own: dict[str, Any], where: str) -> None:
        """Add a node; raise `InputError` for a missing or repeated name."""
        if label is None:
            raise self.source.broken("a node has no id; give it one", where)
        if label in self.nodes and where.startswith("node"):
            raise self.source.broken(f"{where} has the id {label!r} of another node; rename or remove one")
        if label in self.nodes:
            twice = f"the node {short_repr(label)} is there twice, first in {self.where[label]}; rename or remove one"
            raise self.source.broken(twice, where)
        self.nodes[label], self.where[label] = self._present(own), where

    def edge(self, u: Any, v: Any, own: dict[str, Any], kind: str = "", key: Any = None) -> None:
        """Add an edge; `kind` is "directed", "undirected", "mutual" (both ways) or "" (default)."""
        self.edges.append((u, v, kind, key, self._present(own)))

    def count(self, noun: str, rest: str, example: str = "") -> None:
        """Count one more item for a note, and keep the first as an example."""
        self.counts[noun, rest] += 1
        self.examples.setdefault((noun, rest), example)

    def _present(self, own: dict[str, Any]) -> dict[str, Any]:
        for name in [name for name, value in own.items() if value is None]:
            del own[name]
            self.count("value", "missing", repr(name))
        return own

    def graph_file(self) -> GraphFile:
        """Build the graph, directed if any edge is."""
        usual = "directed" if self.directed else "undirected"
        kinds = Counter(kind or usual for _, _, kind, *_ in self.edges)
        directed = bool(kinds["directed"] + kinds["mutual"]) if self.edges else self.directed
        if directed and kinds["undirected"]:
            self.counts["undirected edge", "among directed ones: read as directed"] = kinds["undirected"]
        strangers = {end for u, v, *_ in self.edges for end in (u, v)} - self.nodes.keys()
        if strangers:
            self.counts["node", "named by edges alone"] = len(strangers)
        repeated = len(self.edges) - len({(u, v) if directed else frozenset((u, v)) for u, v, *_ in self.edges})
        if repeated and self.multigraph is False:
            self.counts["repeated edge", "kept: the graph is a multigraph, where weights add up"] = repeated
        listed = []
        for u, v, kind, key, own in self.edges:
            if repeated or self.multigraph:
                key = next((own.pop(word) for word in ("networkx_key", "key") if word in own), key)
            listed.append((u, v, key, own))
            listed += [(v, u, key, own)] if kind == "mutual" else []
        said = []
        for (noun, rest), n in self.counts.items():
            first = self.examples.get((noun, rest))
            said.append(f"{count_of(n, noun)} {rest}" + (f" (the first is {first})" if first else ""))
        G = graph_of(self.nodes, listed, directed, bool(self.multigraph))
        return from_networkx(G, self.name, (*self.notes, *said))


def count_of(n: int, what: str) -> str:
    """Return a number and a noun: "1 row", "2 rows", "2 entries"."""
    many = what[:-1] + "ies" if what.endswith("try") else what + "s"
    return f"{n} {what if n == 1 else many}"


def from_edges(
    labels: Sequence[Hashable],
    rows: np.ndarray,
    cols: np.ndarray,
    weights: np.ndarray | None,
    file_format: str,
    directed: bool = False,
    node_data: Mapping[str, Any] | None = None,
    notes: tuple[str, ...] = (),
    weight: str = "weight",
) -> GraphFile:
    """Return the record of a list of edges between node numbers.

    Repeated edges with weights add up.  Without weights they count once, as in `networkx.read_edgelist`: many
    files list every undirected edge in both directions.
    """
    n = len(labels)
    rows, cols = (ends.astype(number_type(n), copy=False) for ends in (rows, cols))
    if not directed:
        rows, cols = np.minimum(rows, cols), np.maximum(rows, cols)
    matrix = csr_array((np.ones(len(rows)) if weights is None else weights, (rows, cols)), shape=(n, n))
    matrix.sum_duplicates()
    if len(matrix.data) < len(rows):
        what = "count once" if weights is None else "were added up"
        notes = (*notes, f"{len(rows) - len(matrix.data)} repeated edges {what}")
    if weights is None:
        matrix.data[:] = 1.0
    columns = dict(node_data or {})
    if len(matrix.data) > MAX_NETWORKX_EDGES:
        return GraphFile(matrix if directed else mirror(matrix), labels, columns, file_format, notes, weight)
    import networkx

    G = networkx.DiGraph() if directed else networkx.Graph()
    G.add_nodes_from(labels)
    for name, values in columns.items():
        networkx.set_node_attributes(G, {v: x for v, x in zip(labels, values, strict=True) if x is not None}, name)
    sources = np.repeat(np.arange(n), np.diff(matrix.indptr)).tolist()
    ends = [(labels[i], labels[j]) for i, j in zip(sources, matrix.indices.tolist(), strict=True)]
    if weights is None:
        G.add_edges_from(ends)
    else:
        pairs = zip(ends, matrix.data.tolist(), strict=True)
        G.add_weighted_edges_from(((u, v, value) for (u, v), value in pairs), weight)
    return GraphFile(G, labels, columns, file_format, notes)


def number_type(n: int) -> Any:
    """Return the type for numbers of n nodes, which halves the memory of most graphs."""
    return np.int32 if n < 2**31 else np.int64


def mirror(upper: csr_array) -> csr_array:
    """Return the symmetric matrix of one triangle and perhaps a diagonal, which counts once."""
    n = len(upper.indptr) - 1
    rows = np.repeat(np.arange(n, dtype=upper.indices.dtype), np.diff(upper.indptr))
    off = rows != upper.indices
    ends = np.concatenate([upper.indices[off], rows]), np.concatenate([rows[off], upper.indices])
    return csr_array((np.concatenate([upper.data[off], upper.data]), ends), shape=(n, n))
