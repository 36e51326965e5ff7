"""Read graphs of libraries, and write their positions: a `Host` for each.

| library | labels of a node | positions go back as |
|---|---|---|
| networkx | the nodes | `{node: array}` |
| igraph | names, if distinct, and indices, if no name is a number | `igraph.Layout` |
| rustworkx | indices; payloads, if distinct texts | `{index: array}` |
| networkit | ids | an array with a row for each id, NaN for removed nodes |
| graph-tool | numbers | a vertex property map |
| pandas, polars, pyarrow | the ends of the edges, in order of appearance | a DataFrame of pandas indexed by node |
| SciPy, NumPy | 0 .. n-1 | an array |

nelayout does not import the libraries here: a caller who passes one of their graphs has loaded the library.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, compress, count
from operator import eq, methodcaller
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array, issparse

from nelayout.errors import InputError, InputTypeError, Unsupported, for_networkx, missing_extra
from nelayout.graphs.headings import FROM, NODE, ends_named, first_of, is_length, is_weight
from nelayout.graphs.host import AXES, MISSING, Host, Links, Places, as_mapping, holds_weights, is_a
from nelayout.graphs.network import (
    NEGATIVE,
    Network,
    canonical,
    check_kind,
    check_size,
    similarities,
    whole_matrix,
    zero_note,
)
from nelayout.graphs.to_floats import REAL, plain_numbers, rounded_note, short_repr, whole

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["LIBRARIES", "ArrayHost", "IgraphHost", "NetworkxHost", "PandasHost"]

NUMBERS_ARE_NAMES = (
    "a whole number in pos, fixed, mass and node_size means the vertex of that name, since names are numbers here; "
    "give an igraph.Vertex, such as g.vs[0], for an index"
)
# Largest number of headings in a message.
MAX_NAMES = 8


def _listed(ids: Sequence[Any], pairs: Any, names: Sequence[str], attribute: Any) -> Links:
    """List edges between ids, which increase and may have holes."""
    ends = np.searchsorted(ids, np.array(pairs, dtype=np.int64).reshape(-1, 2))
    return Links(ends[:, 0], ends[:, 1], names, attribute)


class NetworkxHost(Host):
    """A networkx graph, digraph, multigraph or view."""

    package, kinds = "networkx", ("Graph",)
    stores = True

    def __init__(self, G: Any):
        super().__init__(G, [list(G)], G.is_directed())

    @staticmethod
    @contextmanager
    def translated_errors() -> Iterator[None]:
        try:
            yield
        except (InputError, Unsupported) as error:
            translated = for_networkx(error)
            if translated is error:
                raise
            raise translated.with_traceback(error.__traceback__) from error.__cause__

    @staticmethod
    def places(pos: object) -> Places | None:
        """Open dicts keyed by node, and pandas Series."""
        given = as_mapping(pos)
        return None if given is None else Places(given, lambda Y: dict(zip(given, Y, strict=True)))

    def as_networkx(self, labels: Sequence[Hashable], node_data: Mapping[str, object]) -> nx.Graph:
        return self.G

    def links(self, weight: Any = MISSING) -> Links:
        """Return the edges in the order of `G.edges`; with `weight`, None is not a missing value."""
        G, labels = self.G, self.aliases[0]  # walking the adjacency, with networkx's own dicts, is faster than G.edges
        counted = all(map(eq, labels, count()))  # the labels are 0, 1, 2, ..., in order
        n, index = len(labels), None if counted else dict(zip(labels, range(len(labels)), strict=True))

        def numbers(nodes: Iterable[object], length: int) -> np.ndarray:
            found = nodes if index is None else map(index.__getitem__, nodes)
            return np.fromiter(found, dtype=np.int64, count=length)

        neighbors = [each for _, each in G.adjacency()]
        degrees = np.fromiter(map(len, neighbors), dtype=np.int64, count=n)
        rows = np.repeat(numbers((node for node, _ in G.adjacency()), n), degrees)
        cols = numbers(chain.from_iterable(neighbors), len(rows))
        keep = np.full(len(rows), True) if self.directed else rows <= cols

        def attributes() -> Iterator[dict]:
            return chain.from_iterable(map(methodcaller("values"), neighbors))

        data = list(compress(attributes(), keep.tolist())) if any(attributes()) else []
        if not keep.all():
            rows, cols = rows[keep], cols[keep]
        if G.is_multigraph():
            parallel = np.array([len(edges) for edges in data], dtype=np.int64)
            rows, cols = np.repeat(rows, parallel), np.repeat(cols, parallel)
            data = [own for edges in data for own in edges.values()]
        absent, names = None if weight is MISSING else MISSING, sorted(set().union(*data), key=str)
        none = [absent] * len(rows)
        return Links(rows, cols, names, lambda name: [own.get(name, absent) for own in data] or none, absent)

    def edge_names(self, links: Links) -> list[list]:
        """Return the keys of each edge; parallel edges have (u, v, key) as well."""
        names = super().edge_names(links)
        if not self.G.is_multigraph():
            return names
        keys = (key for _, _, key in self.G.edges(keys=True))
        return [[*((*ends, key) for ends in pair), *pair] for pair, key in zip(names, keys, strict=True)]

    def columns(self) -> dict[str, list]:
        rows = [data for _, data in self.G.nodes(data=True)]
        names = sorted(name for name in set().union(*rows) if isinstance(name, str))
        return {name: [data.get(name) for data in rows] for name in names}

    def close(self, Y: np.ndarray) -> dict[Hashable, np.ndarray]:
        return dict(zip(self.aliases[0], Y, strict=True))

    def store(self, name: str, pos: Any) -> None:
        for node, position in pos.items():
            self.G.nodes[node][name] = position


class IgraphHost(Host):
    """An igraph graph; igraph fills missing attributes with None."""

    package, kinds = "igraph", ("Graph",)
    stores = True
    kind = "vertex attribute"

    def __init__(self, G: Any):
        super().__init__(G, directed=G.is_directed())
        numbers, names = range(G.vcount()), G.vs["name"] if "name" in G.vs.attributes() else [None]
        try:
            distinct = len(Counter(names)) == G.vcount() and None not in names
        except TypeError:  # names that are lists: igraph allows any object
            distinct = False
        by_number = distinct and any(isinstance(name, int) for name in names)
        self.aliases = [names] if by_number else [names, numbers] if distinct else [numbers]
        if by_number and names != list(numbers):
            self.about_numbers = (NUMBERS_ARE_NAMES,)

    @staticmethod
    def places(pos: Any) -> Places | None:
        return Places(pos.coords, lambda Y: type(pos)(Y.tolist())) if is_a(pos, "igraph", "Layout") else None

    def links(self, weight: Any = MISSING) -> Links:
        rows, cols = np.array(self.G.get_edgelist(), dtype=np.int64).reshape(-1, 2).T
        return Links(rows, cols, sorted(self.G.es.attributes()), lambda name: list(self.G.es[name]))

    def columns(self) -> dict[str, list]:
        return {name: list(self.G.vs[name]) for name in self.G.vs.attributes()}

    def opened(self, x: Any) -> Any:
        """Return the rows of a Layout; replace igraph.Vertex (also in sequences) by its label."""

        def label(node: Any) -> Any:
            return labels[node.index] if isinstance(node, vertex) and node.index < len(labels) else node

        labels, vertex, places = self.aliases[0], sys.modules["igraph"].Vertex, self.places(x)
        if places is not None:
            return places.given
        if isinstance(x, Mapping):
            return {label(node): value for node, value in x.items()}
        if isinstance(x, (list, tuple, set, frozenset)) or is_a(x, "igraph", "VertexSeq"):
            return [label(node) for node in x]
        return label(x)

    def close(self, Y: np.ndarray) -> Any:
        return sys.modules["igraph"].Layout(Y.tolist(), dim=np.shape(Y)[1])

    def store(self, name: str, pos: Any) -> None:
        self.G.vs[name] = [list(row) for row in pos.coords]


class RustworkxHost(Host):
    """A rustworkx graph; a dict payload holds attributes, a number on an edge is its weight."""

    package, kinds = "rustworkx", ("PyGraph", "PyDiGraph")

    def __init__(self, G: Any):
        super().__init__(G, directed=is_a(G, "rustworkx", "PyDiGraph"))
        numbers, names = list(G.node_indices()), list(G.nodes())
        named = all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
        self.aliases = [numbers, names] if named else [numbers]
        self.stores = all(isinstance(payload, dict) for payload in names)

    @staticmethod
    def places(pos: Any) -> Places | None:
        return NetworkxHost.places(dict(pos.items())) if is_a(pos, "rustworkx", "Pos2DMapping") else None

    def links(self, weight: Any = MISSING) -> Links:
        edges = self.G.weighted_edge_list()
        payloads = [payload for *_, payload in edges]
        # If one payload is a number, every payload except dicts is a weight, so that text among numbers is an error.
        plain = {"weight"} if any(isinstance(p, REAL) and not isinstance(p, (bool, np.bool_)) for p in payloads) else ()

        def attribute(name: str) -> list:
            return [p.get(name) if isinstance(p, Mapping) else p if name in plain else None for p in payloads]

        names = sorted({*plain, *_keys(payloads)})
        return _listed(self.aliases[0], [edge[:2] for edge in edges], names, attribute)

    def columns(self) -> dict[str, list]:
        payloads = list(self.G.nodes())
        dicts = [p if isinstance(p, Mapping) else {} for p in payloads]
        columns = {name: [own.get(name) for own in dicts] for name in _keys(payloads)}
        plain = [p if isinstance(p, (str, *REAL)) else None for p in payloads]
        return {"label": plain, **columns} if any(p is not None for p in plain) else columns

    close = NetworkxHost.close

    def store(self, name: str, pos: Any) -> None:
        for payload, position in zip(self.G.nodes(), pos.values(), strict=True):
            payload[name] = position


def _keys(payloads: list) -> set[str]:
    return {name for p in payloads if isinstance(p, Mapping) for name in p if isinstance(name, str)}


class NetworkitHost(Host):
    """A networkit graph, which does not list its attributes; its own weights are "weight"."""

    package, kinds = "networkit", ("Graph",)

    def __init__(self, G: Any):
        self.ids = list(G.iterNodes())
        super().__init__(G, [self.ids], G.isDirected())

    def links(self, weight: Any = MISSING) -> Links:
        edges: list[tuple[int, int, float, int]] = []
        self.G.forEdges(lambda *edge: edges.append(edge))
        pairs = [edge[:2] if self.directed else sorted(edge[:2]) for edge in edges]  # the higher end comes first
        columns = {"weight": [edge[2] for edge in edges]} if self.G.isWeighted() else {}
        if isinstance(weight, str) and weight not in columns and self.G.hasEdgeIds():
            attached = _attached(self.G.getEdgeAttribute, weight, [edge[3] for edge in edges])
            columns = columns if attached is None else {**columns, weight: attached}
        return _listed(self.ids, pairs, list(columns), columns.__getitem__)

    def attributes(self) -> Sequence[str]:
        return _Attached(self.G)

    def attribute(self, name: str, what: str) -> list:
        attached = _attached(self.G.getNodeAttribute, name, self.ids)
        if attached is None:
            raise InputError(
                f"{what}={name!r}: the networkit graph has no node attribute {name!r}; attach it "
                "with attachNodeAttribute, or give an array with a row for every node id"
            )
        return attached

    def opened(self, x: Any) -> Any:
        """Select the rows of existing nodes if `x` has one row for every id."""
        bound = self.G.upperNodeIdBound()
        whole = len(self.ids) < bound and hasattr(x, "__len__") and not isinstance(x, (str, bytes))
        if not whole or as_mapping(x) is not None or len(x) != bound:
            return x
        return [x[node] for node in self.ids]

    def with_nodes(self, labels: Sequence[Hashable]) -> Host:
        raise _bound_to_graph("networkit")

    def close(self, Y: np.ndarray) -> np.ndarray:
        result = np.full((self.G.upperNodeIdBound(), np.shape(Y)[1]), np.nan)
        result[self.ids] = Y
        return result


class _Attached(list):
    """The attributes of nodes, an empty list that knows whether a name is one of them."""

    def __init__(self, G: Any):
        super().__init__()
        self.G = G

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and _attached(self.G.getNodeAttribute, name, []) is not None


def _bound_to_graph(package: str) -> Unsupported:
    """Return the error for a library of positions that only nodes of the graph can have."""
    return Unsupported(
        f"positions of {package} belong to the nodes of one graph, and nodes come and go here: give a graph of "
        "networkx or igraph, or a matrix"
    )


def _attached(find: Any, name: str, keys: list[int]) -> list | None:
    """Return the values of an attached attribute, None where not set; None if not attached."""
    for kind in (float, int, str):  # networkit finds an attribute only by name and type
        with suppress(RuntimeError):
            attached = find(name, kind)
            values: list[Any] = [None] * len(keys)
            for k, key in enumerate(keys):
                with suppress(ValueError):
                    values[k] = attached[key]
            return values
    return None


class GraphToolHost(Host):
    """A graph-tool graph, read by documented calls: `get_edges`, `new_vertex_property` ..."""

    package, kinds = "graph_tool", ("Graph",)
    stores = True
    kind = "vertex property"

    def __init__(self, G: Any):
        super().__init__(G, [G.get_vertices().tolist()], G.is_directed())

    @staticmethod
    def places(pos: Any) -> Places | None:
        """Open a vertex property map of vectors as a dict by vertex number, without empty vectors."""
        if not is_a(pos, "graph_tool", "VertexPropertyMap"):
            return None
        G = pos.get_graph()
        rows = zip(G.get_vertices().tolist(), (_plain(pos[v]) for v in G.vertices()), strict=True)
        given = {vertex: row for vertex, row in rows if not isinstance(row, list) or row}
        return Places(given, lambda Y: _property_of(G, map(G.vertex, given), Y))

    def links(self, weight: Any = MISSING) -> Links:
        properties = {**self.G.edge_properties, **({"weight": weight} if holds_weights(weight) else {})}

        def attribute(name: str) -> list:
            values = properties[name]
            kind = values.value_type()
            if kind in ("string", "object") or kind.startswith(("vector", "python")):
                return [_plain(values[edge]) for edge in self.G.edges()]
            column = np.asarray(self.G.get_edges([values])).reshape(-1, 3)[:, 2]
            return column.astype(bool).tolist() if kind == "bool" else column.tolist()

        return _listed(self.aliases[0], self.G.get_edges(), sorted(properties), attribute)

    def columns(self) -> dict[str, list]:
        return {name: self.opened(values) for name, values in self.G.vertex_properties.items()}

    def opened(self, x: Any) -> Any:
        return [_plain(x[v]) for v in self.G.vertices()] if is_a(x, "graph_tool", "VertexPropertyMap") else x

    def with_nodes(self, labels: Sequence[Hashable]) -> Host:
        raise _bound_to_graph("graph-tool")

    def close(self, Y: np.ndarray) -> Any:
        return _property_of(self.G, self.G.vertices(), Y)

    def store(self, name: str, pos: Any) -> None:
        self.G.vertex_properties[name] = pos


def _property_of(G: Any, vertices: Iterable[object], Y: np.ndarray) -> Any:
    """Return a vertex property map of "vector<double>" with a row for each vertex."""
    pos = G.new_vertex_property("vector<double>")
    for vertex, row in zip(vertices, np.asarray(Y, dtype=np.float64).tolist(), strict=True):
        pos[vertex] = row
    return pos


def _plain(value: Any) -> Any:
    return list(value) if hasattr(value, "__len__") and not isinstance(value, (str, Mapping)) else value


class PandasHost(Host):
    """A table of edges, with headings as in files: nodes in the order in which they appear."""

    package, kinds = "pandas", ("DataFrame",)
    bare = "a table of edges has no columns about nodes; give a Series or a dict keyed by node"
    # The library's way to rename two columns, and to drop rows with missing names.
    renaming = "df.rename(columns={{{}: 'source', {}: 'target'}})"
    dropping = "df.dropna(subset=[...])"

    def __init__(self, G: Any):
        nodes: list = []
        self.notes: tuple[str, ...] = ()
        if directed := _is_adjacency(G):
            nodes, (G, directed, one_side) = G.index.tolist(), _edges_of(G)
            self.notes = tuple(filter(None, [one_side]))
        ends = ends_named(G.columns)
        if ends is not None and first_of(G.columns, FROM) is None and "f" in {G.dtypes.iloc[k].kind for k in ends}:
            ends = None  # pairs such as umap1 and umap2
        if ends is None:
            names = [repr(name) for name in G.columns]
            more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
            shown = (", ".join(names[:MAX_NAMES]) or "(none)") + more
            first, second = names[:2] if len(names) > 1 else ("...", "...")
            if ends_named(G.index.names) is not None:
                raise InputTypeError(
                    f"the DataFrame must have the ends of edges as columns; got the columns {shown} and the ends in "
                    "the index. Make columns of them: df.reset_index()"
                )
            raise InputTypeError(
                f"the {self.kinds[0]} has the columns {shown}, which do not name the two ends of edges; call them "
                f"source and target: {self.renaming.format(first, second)}. An adjacency table of pandas has the same "
                "names in its index and its columns; vectors, one row per sample, are drawn by nelayout.embed"
            )
        both = G.iloc[:, list(ends)]
        wrong = (both.isna() | both.isin([""])).any(axis=1).to_numpy()
        if wrong.any():
            raise InputError(
                f"the row {short_repr(G.index[int(np.argmax(wrong))])} has no node at an end ({int(wrong.sum())} of "
                f"{len(G)} rows); leave such rows out: {self.dropping}"
            )
        sources, targets = (G.iloc[:, column].tolist() for column in ends)
        pairs = list(zip(sources, targets, strict=True))
        known = dict.fromkeys(chain.from_iterable(pairs))
        floats = np.array([x for x in known if isinstance(x, float)], dtype=np.float64)
        self.notes += tuple(filter(None, [rounded_note(floats)]))
        texts = {x: f"{x:.0f}" for x in known if isinstance(x, (int, float)) and x == x // 1}
        twice = next((x for x, text in texts.items() if text in known), None)
        if twice is not None:
            names = {x: texts.get(x, x) for x in known}
            named = [name for name in names.values() if isinstance(name, str)]
            numbers = whole(named) if len(named) == len(names) else None
            names = names if numbers is None else dict(zip(names, numbers, strict=True))
            pairs = [tuple(map(names.__getitem__, pair)) for pair in pairs]
            kind = "texts" if numbers is None else "numbers"
            why = f"the table has whole numbers and texts for names, and all become {kind}"
            one = f"{twice} and {texts[twice]!r} are one node, as {why}; convert both columns to one type"
            self.notes = (*self.notes, one)
        number = {label: k for k, label in enumerate(dict.fromkeys(chain(nodes, chain.from_iterable(pairs))))}
        super().__init__(G, [list(number)], directed)
        self.pairs = np.array([(number[u], number[v]) for u, v in pairs], dtype=np.int64).reshape(-1, 2)
        self.names = [name for k, name in enumerate(G.columns) if k not in ends and isinstance(name, str)]
        self.lengths = self._lengths()

    def _lengths(self) -> str | None:
        """Return the first column with the heading of a length and numbers > 0, without weights."""
        apart = self.pairs[:, 0] != self.pairs[:, 1]
        lengths = [name for name in self.names if is_length(name) and self.names.count(name) == 1]
        for name in () if any(map(is_weight, self.names)) else lengths:
            values = self.G[name][apart].dropna()
            known = plain_numbers(values.tolist())
            if known is not None and len(known) and values.dtype.kind != "b" and (known > 0).all():
                return name
        return None

    @staticmethod
    def places(pos: Any) -> Places | None:
        """Open columns x, y and z, or all; by index, or in node order if the index repeats."""
        if not is_a(pos, "pandas", "DataFrame"):
            return None
        columns = [axis for axis in AXES if axis in pos.columns] if "x" in pos.columns else list(pos.columns)
        rows = pos[columns].to_numpy()
        given = dict(zip(pos.index.tolist(), rows, strict=True)) if pos.index.is_unique else rows
        return Places(given, lambda Y: type(pos)(np.array(Y), pos.index, columns))

    def links(self, weight: Any = MISSING) -> Links:
        """Return the rows; with `weight`, missing values stay, rows without weights count once."""
        pairs, notes, first = self.pairs, self.notes, slice(None)
        if weight is not MISSING and weight not in self.names:
            first = np.unique(np.sort(pairs, axis=1), axis=0, return_index=True)[1]
            if len(first) < len(pairs):
                notes = (*notes, f"{len(pairs) - len(first)} repeated edges count once")
            pairs = np.sort(pairs[first], axis=1)
        elif weight is not MISSING and not self.directed and (again := self._repeated()):
            notes = (*notes, f"{again} repeated edges were added up")
        (rows, cols), absent = pairs.T, None if weight is MISSING else MISSING

        def attribute(name: str) -> list:
            if (times := self.names.count(name)) > 1:
                raise InputError(
                    f"the {self.kinds[0]} must have the heading {name!r} once; got it {times} times. Rename or drop "
                    "the others"
                )
            values, missing = self.G[name].iloc[first].tolist(), self.G[name].isna().tolist()
            return values if absent is MISSING else [None if k else x for x, k in zip(values, missing, strict=True)]

        return Links(rows, cols, self.names, attribute, absent, notes)

    def _repeated(self) -> int:
        return len(self.pairs) - len(np.unique(np.sort(self.pairs, axis=1), axis=0))

    def keyed_by_edge(self, x: Any) -> Mapping | None:
        """Return `x` if its keys are edges or, for a Series, rows of the table; else None."""
        mapping, rows = as_mapping(x), self.G.index
        by_row = mapping is not None and rows.is_unique and all(key in rows for key in mapping)
        return mapping if by_row else super().keyed_by_edge(x)

    def edge_names(self, links: Links) -> list[list]:
        """Return the keys of each edge, and the row of the table."""
        return [[*keys, row] for keys, row in zip(super().edge_names(links), self.G.index.tolist(), strict=True)]

    def close(self, Y: np.ndarray) -> Any:
        """Return a DataFrame, indexed by node, with the columns x, y (and z)."""
        nodes = sys.modules["pandas"].Index(self.aliases[0], name="node", tupleize_cols=False)
        return sys.modules["pandas"].DataFrame(Y, nodes, list(AXES[: np.shape(Y)[1]]))


class PolarsHost(PandasHost):
    """A polars table of edges, read as the table of pandas that it becomes."""

    package = "polars"
    renaming = "df.rename({{{}: 'source', {}: 'target'}})"
    dropping = "df.drop_nulls([...])"

    def __init__(self, G: Any):
        super().__init__(_in_pandas(G))

    @classmethod
    def places(cls, pos: Any) -> Places | None:
        """Open columns x, y and z by the column that names nodes, or in node order without one."""
        if not cls.recognizes(pos):
            return None
        frame = _in_pandas(pos)
        node = first_of(frame.columns, NODE)
        found: Any = PandasHost.places(frame if node is None else frame.set_index(frame.columns[node]))
        return Places(found.rows, found.close) if node is None else found


class ArrowHost(PolarsHost):
    """A table of edges of pyarrow, read as the table of pandas that it becomes."""

    package, kinds = "pyarrow", ("Table", "RecordBatch")
    renaming = "table.rename_columns({{{}: 'source', {}: 'target'}})"
    dropping = "table.drop_null()"


def _in_pandas(table: Any) -> Any:
    """Convert a table of polars or pyarrow to pandas; keep whole numbers beside nulls."""
    try:
        return table.to_pandas(integer_object_nulls=True, ignore_metadata=True)
    except ImportError as error:
        package = "pandas" if error.name is None else error.name
        extra = "parquet" if package == "pyarrow" else "compare"
        raise missing_extra(package, extra, "tables of polars and pyarrow") from None


def _is_adjacency(frame: Any) -> bool:
    """Return whether index and columns hold the same names, not only numbers from 0."""
    index, columns = frame.index, frame.columns
    counted = type(index).__name__ == type(columns).__name__ == "RangeIndex"
    same = 0 < len(index) == len(columns) and index.is_unique and columns.is_unique and set(index) == set(columns)
    return same and not counted and all(kind.kind in "biuf" for kind in frame.dtypes)


def _edges_of(frame: Any) -> tuple[Any, bool, str]:
    """Return the edges of an adjacency frame without NaN, whether it is directed, and a note."""
    names = frame.index
    A = np.nan_to_num(frame[names].to_numpy(np.float64), posinf=np.inf, neginf=-np.inf)
    A, directed, note = whole_matrix(A)
    rows, cols = np.nonzero(A if directed else np.triu(A))
    columns = {"source": names[rows], "target": names[cols], "weight": A[rows, cols]}
    return type(frame)({name: list(values) for name, values in columns.items()}, columns=list(columns)), directed, note


# The first host that recognizes a graph reads it.
LIBRARIES = (NetworkxHost, IgraphHost, RustworkxHost, NetworkitHost, GraphToolHost, PandasHost, PolarsHost, ArrowHost)


# Fraction of nonzeros, on the diagonal and in all. An asymmetric dense array above both is probably a table of rows:
# self-loops are rare, and graphs sparse.
TABLE_FRACTION = 0.25
MAY_BE_A_TABLE = (
    "the square array is taken for a graph, with weights A + A.T and without its diagonal; vectors, one row per "
    "sample, are drawn by nelayout.embed (a graph is taken without this warning when its diagonal is 0)"
)
# Largest difference between an undirected matrix and its transpose, relative to the largest entry.
SYMMETRY_TOLERANCE = 1e-12


class ArrayHost(Host):
    """A matrix of nodes 0 .. n-1; A + A^T are the weights of a matrix that is not symmetric."""

    package = "arrays"
    bare = "a matrix has no node attributes; give an array of {n} entries, or a number if one is enough"

    def __init__(self, G: Any):
        self.G = G
        self.aliases = [range(*G.shape[:1] or [0])]

    @property
    def directed(self) -> bool:
        """Whether the matrix differs from its transpose."""
        return _symmetric(_as_csr(self.G))[1]

    def links(self, weight: Any = MISSING) -> Links:
        """Return the stored entries row by row; if symmetric, only from the diagonal upward."""
        matrix = _as_csr(self.G)
        rows = np.repeat(np.arange(len(matrix.indptr) - 1), np.diff(matrix.indptr))
        cols, weights = matrix.indices.astype(np.int64), matrix.data.astype(self.G.dtype, copy=False)
        if not _symmetric(matrix)[1]:
            upper = rows <= cols
            rows, cols, weights = rows[upper], cols[upper], weights[upper]
        return Links(rows, cols, ["weight"], lambda _: weights.tolist())

    def opened(self, x: Any) -> Any:
        """Return the n rows of a pandas Series or DataFrame in their own order, without its index."""
        nodes = self.aliases[0]
        if not (isinstance(nodes, range) and hasattr(x, "iloc") and len(x) == len(nodes)):
            return x
        table = PandasHost.places(x)
        return x.tolist() if table is None else table.rows

    @classmethod
    def recognizes(cls, G: object) -> bool:
        """Return whether `G` is a sparse matrix or array, or a NumPy array (of any shape)."""
        return issparse(G) or isinstance(G, np.ndarray)

    @staticmethod
    def places(pos: object) -> Places | None:
        return Places(pos, lambda Y: Y) if hasattr(pos, "__len__") else None

    def read(self, weight: Any, weight_kind: str, signed: bool = False) -> Network:
        """Return the `Network` of an adjacency matrix; see `nelayout.graphs.read` for the rules."""
        G = self.G
        check_kind(weight_kind)
        matrix = _as_csr(G)
        rows = np.repeat(np.arange(len(matrix.indptr) - 1, dtype=matrix.indices.dtype), np.diff(matrix.indptr))
        matrix = _where(matrix, rows != matrix.indices)
        notes: tuple[str, ...] = ()
        zeros = 0
        if weight is None:
            matrix.data = np.ones(len(matrix.data))
        else:

            def name(k: int) -> str:
                row = int(np.searchsorted(matrix.indptr, k, side="right")) - 1
                return f"edge ({row}, {int(matrix.indices[k])})"

            of_rows = "" if issparse(G) else "; vectors, one row per sample, are drawn by nelayout.embed"
            matrix.data = similarities(matrix.data, weight_kind, "weight", name, f"{NEGATIVE}{of_rows}", signed)
            zeros = len(matrix.data) - np.count_nonzero(matrix.data)
            matrix, notes = _where(matrix, matrix.data != 0), zero_note(int(zeros), "stored entries")
        weighted = bool(np.any(matrix.data != 1))
        adjacency, directed = _symmetric(matrix)
        negative = None
        if signed:
            negative = canonical(_where(-adjacency, adjacency.data < 0))
            adjacency = _where(adjacency, adjacency.data > 0)
        doubts, few = (), TABLE_FRACTION * G.shape[0]
        if directed and not issparse(G):
            loops, entries = np.count_nonzero(np.diagonal(G)), np.count_nonzero(G)
            doubts = (MAY_BE_A_TABLE,) if loops > few and entries > few * len(G) else ()
        notes = (*notes, *doubts)
        return Network(
            self.aliases[0], canonical(adjacency), directed, weighted, notes, self, bool(zeros), doubts,
            weight_kind == "distance", negative,
        )  # fmt: skip

    def as_networkx(self, labels: Sequence[Hashable], node_data: Mapping[str, object]) -> nx.Graph:
        """Make a graph of a symmetric matrix, else a digraph; edges have weights unless all are 1."""
        H = super().as_networkx(labels, node_data)
        if all(weight == 1 for *_, weight in H.edges(data="weight")):
            for *_, own in H.edges(data=True):
                own.clear()
        return H


def _as_csr(G: Any) -> csr_array:
    """Return a float64 matrix, sorted, without duplicates; it may share memory with `G`."""
    if isinstance(G, np.ma.MaskedArray):
        G = G.filled(0)
    shape, kind = G.shape, G.dtype
    if len(shape) != 2 or shape[0] != shape[1]:
        turned = ".T" if shape[:1] == (2,) else ""
        raise InputError(
            f"the array must be a square adjacency matrix (n, n); got the shape {shape}. An array E of edges becomes "
            f"a graph by networkx.Graph(E{turned}.tolist()). For vectors, one row per sample, use nelayout.embed"
        )
    if kind.kind not in "biuf":
        raise InputTypeError(
            f"the matrix has dtype {kind}; weights must be real numbers: convert it, e.g. A.astype(float)"
        )
    check_size(shape[0], G.nnz if issparse(G) else int(np.count_nonzero(G)))
    if not issparse(G):
        return csr_array(np.asarray(G, dtype=np.float64))
    matrix: Any = csr_array(G.tocsr()).astype(np.float64, copy=False)
    # new flags and index arrays of the same memory: sorting must not change the caller's matrix
    matrix = csr_array((matrix.data, matrix.indices, matrix.indptr), shape=shape)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def _where(matrix: csr_array, keep: np.ndarray) -> csr_array:
    """Return the entries marked in `keep`; share memory with `matrix` if all are."""
    if keep.all():
        return csr_array((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
    before = np.concatenate([[0], np.cumsum(keep)])
    parts = matrix.data[keep], matrix.indices[keep], before[matrix.indptr]
    return csr_array(parts, shape=matrix.shape)


def _symmetric(matrix: csr_array) -> tuple[csr_array, bool]:
    """Return (A, False) for a symmetric matrix, else (A + A^T, True); exactly symmetric copy."""
    mirrored = matrix.T.tocsr()
    if all(np.array_equal(getattr(matrix, part), getattr(mirrored, part)) for part in ("indptr", "indices", "data")):
        return mirrored, False
    apart = abs(matrix - mirrored).max()
    if apart == 0:
        return mirrored, False
    with np.errstate(over="ignore"):
        total = matrix + mirrored
    undirected = apart <= SYMMETRY_TOLERANCE * np.abs(matrix.data).max()
    return (total * 0.5, False) if undirected else (total, True)
