"""Read graphs of igraph, rustworkx, networkit and graph-tool, and write their positions.

| library | labels of a node | positions go back as |
|---|---|---|
| igraph | names, if distinct, and indices, if no name is a number | `igraph.Layout` |
| rustworkx | indices; payloads, if distinct texts | `{index: array}` |
| networkit | ids | an array with a row for each id, NaN for removed nodes |
| graph-tool | numbers | a vertex property map |

    >>> import igraph as package
    >>> G = package.Graph([(0, 1)], edge_attrs={"weight": [2.5]})
    >>> network = igraph.read(G, "weight", "similarity")
    >>> list(network.labels), network.adjacency.data
    ([0, 1], array([2.5, 2.5]))
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from nelayout.errors import InputError
from nelayout.graphs import per_node
from nelayout.graphs.listed import ListedHost, ListedLibrary, is_a
from nelayout.graphs.network import Links
from nelayout.graphs.per_node import Places
from nelayout.graphs.to_floats import REAL

__all__ = ["graph_tool", "igraph", "networkit", "rustworkx"]


NUMBERS_ARE_NAMES = (
    "a whole number in pos, fixed, mass and node_size means the vertex of that name, since names are numbers here; "
    "give an igraph.Vertex, such as g.vs[0], for an index"
)


def _listed(pairs: Any, names: Sequence[str], attribute: Any) -> Links:
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Links(ends[:, 0], ends[:, 1], names, attribute)


class IgraphHost(ListedHost):
    """An igraph graph; igraph fills missing attributes with None."""

    stores = True
    kind = "vertex attribute"

    def __init__(self, G: Any):
        super().__init__(G)
        self.directed = G.is_directed()
        numbers, names = range(G.vcount()), G.vs["name"] if "name" in G.vs.attributes() else [None]
        try:
            distinct = len(Counter(names)) == G.vcount() and None not in names
        except TypeError:  # names that are lists: igraph allows any object
            distinct = False
        by_number = distinct and any(isinstance(name, int) for name in names)
        self.aliases = [names] if by_number else [names, numbers] if distinct else [numbers]
        if by_number and names != list(numbers):
            self.about_numbers = (NUMBERS_ARE_NAMES,)

    def links(self) -> Links:
        return _listed(self.G.get_edgelist(), sorted(self.G.es.attributes()), lambda name: list(self.G.es[name]))

    def columns(self) -> dict[str, list]:
        return {name: list(self.G.vs[name]) for name in self.G.vs.attributes()}

    def opened(self, x: Any) -> Any:
        """Return the rows of a Layout; replace igraph.Vertex (also in sequences) by its label."""

        def label(node: Any) -> Any:
            return labels[node.index] if isinstance(node, vertex) and node.index < len(labels) else node

        labels, vertex, places = self.aliases[0], sys.modules["igraph"].Vertex, _layout(x)
        if places is not None:
            return places.given
        if isinstance(x, Mapping):
            return {label(node): value for node, value in x.items()}
        if isinstance(x, (list, tuple, set, frozenset)) or is_a(x, "igraph", "VertexSeq"):
            return [label(node) for node in x]
        return label(x)

    def write(self, Y: np.ndarray, store_pos_as: str | None = None) -> Any:
        rows = np.asarray(Y, dtype=np.float64).tolist()
        if store_pos_as is not None:
            self.G.vs[store_pos_as] = [list(row) for row in rows]
        return sys.modules["igraph"].Layout(rows, dim=np.shape(Y)[1])


def _layout(pos: Any) -> Places | None:
    return Places(pos.coords, lambda Y: type(pos)(Y.tolist())) if is_a(pos, "igraph", "Layout") else None


class RustworkxHost(ListedHost):
    """A rustworkx graph; a dict payload holds attributes, a number on an edge is its weight."""

    def __init__(self, G: Any):
        super().__init__(G)
        self.directed = is_a(G, "rustworkx", "PyDiGraph")
        numbers, names = list(G.node_indices()), list(G.nodes())
        named = all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
        self.aliases: Sequence[Sequence[Hashable]] = [numbers, names] if named else [numbers]

    @property
    def stores(self) -> bool:
        """True if every node is a dict, which can hold its position."""
        return all(isinstance(payload, dict) for payload in self.G.nodes())

    def links(self) -> Links:
        edges = self.G.weighted_edge_list()
        position = {node: k for k, node in enumerate(self.G.node_indices())}
        payloads = [payload for *_, payload in edges]
        # If one payload is a number, every payload except dicts is a weight, so that text among numbers is an error.
        plain = {"weight"} if any(isinstance(p, REAL) and not isinstance(p, (bool, np.bool_)) for p in payloads) else ()

        def attribute(name: str) -> list:
            return [p.get(name) if isinstance(p, Mapping) else p if name in plain else None for p in payloads]

        names = sorted({*plain, *_keys(payloads)})
        return _listed([(position[u], position[v]) for u, v, _ in edges], names, attribute)

    def columns(self) -> dict[str, list]:
        payloads = list(self.G.nodes())
        columns = {
            name: [p.get(name) if isinstance(p, Mapping) else None for p in payloads] for name in _keys(payloads)
        }
        plain = [p if isinstance(p, (str, *REAL)) else None for p in payloads]
        return {"label": plain, **columns} if any(p is not None for p in plain) else columns

    def write(self, Y: np.ndarray, store_pos_as: str | None = None) -> dict[Hashable, np.ndarray]:
        pos = dict(zip(self.aliases[0], np.array(Y, dtype=np.float64), strict=True))
        if store_pos_as is not None:
            if not self.stores:
                raise InputError(
                    f"store_pos_as={store_pos_as!r} needs nodes that are dicts; use the dict that comes back"
                )
            for payload, position in zip(self.G.nodes(), pos.values(), strict=True):
                payload[store_pos_as] = position
        return pos


def _keys(payloads: list) -> set[str]:
    return {name for p in payloads if isinstance(p, Mapping) for name in p if isinstance(name, str)}


def _mapping(pos: Any) -> Places | None:
    if not is_a(pos, "rustworkx", "Pos2DMapping"):
        return None
    given = dict(pos.items())
    return Places(given, lambda Y: dict(zip(given, Y, strict=True)))


class NetworkitHost(ListedHost):
    """A networkit graph; its own weights are the attribute "weight".

    networkit can test whether an attribute is attached, but it does not list the names of attributes.
    """

    def __init__(self, G: Any):
        super().__init__(G)
        self.directed = G.isDirected()
        self.ids = list(G.iterNodes())
        self.aliases: Sequence[Sequence[Hashable]] = [self.ids]

    def links(self) -> Links:
        return self.weighed("weight")[0]

    def weighed(self, weight: Any) -> tuple[Links, Any]:
        edges: list[tuple[int, int, float, int]] = []
        self.G.forEdges(lambda *edge: edges.append(edge))
        position = {node: k for k, node in enumerate(self.ids)}
        pairs = np.array([(position[u], position[v]) for u, v, *_ in edges], dtype=np.int64).reshape(-1, 2)
        pairs = pairs if self.directed else np.sort(pairs, axis=1)  # networkit lists the higher end first
        columns = {"weight": [edge[2] for edge in edges]} if self.G.isWeighted() else {}
        if isinstance(weight, str) and weight not in columns and self.G.hasEdgeIds():
            attached = _attached(self.G.getEdgeAttribute, weight, [edge[3] for edge in edges])
            columns = columns if attached is None else {**columns, weight: attached}
        return _listed(pairs, list(columns), columns.__getitem__), weight

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
        if not whole or per_node.as_mapping(x) is not None or len(x) != bound:
            return x
        return [x[node] for node in self.ids]

    def write(self, Y: np.ndarray, store_pos_as: str | None = None) -> np.ndarray:
        if store_pos_as is not None:
            raise InputError(
                f"store_pos_as={store_pos_as!r}: networkit attaches single numbers to nodes, no positions; use the "
                "array that comes back"
            )
        result = np.full((self.G.upperNodeIdBound(), np.shape(Y)[1]), np.nan)
        result[self.ids] = Y
        return result


class _Attached(Sequence):
    def __init__(self, G: Any):
        self.G = G

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and _attached(self.G.getNodeAttribute, name, []) is not None

    def __len__(self) -> int:
        return 0

    def __getitem__(self, index: Any) -> Any:
        return [][index]


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


class GraphToolHost(ListedHost):
    """A graph-tool graph, read by documented calls: `get_edges`, `new_vertex_property` ..."""

    stores = True
    kind = "vertex property"

    def __init__(self, G: Any):
        super().__init__(G)
        self.directed = G.is_directed()
        self.aliases: Sequence[Sequence[Hashable]] = [G.get_vertices().tolist()]

    def links(self) -> Links:
        vertices = self.G.get_vertices()
        position = np.zeros(int(vertices.max(initial=-1)) + 1, dtype=np.int64)
        position[vertices] = np.arange(len(vertices))
        ends = position[np.asarray(self.G.get_edges(), dtype=np.int64).reshape(-1, 2)]
        properties = self.G.edge_properties
        return _listed(ends, sorted(properties), lambda name: self._of_edges(properties[name]))

    def weighed(self, weight: Any) -> tuple[Links, Any]:
        listed = self.links()
        if not graph_tool.holds_weights(weight):
            return listed, weight
        column = self._of_edges(weight)
        return Links(listed.rows, listed.cols, ["weight"], lambda _: column), "weight"

    def _of_edges(self, values: Any) -> list:
        kind = values.value_type()
        if kind in ("string", "object") or kind.startswith(("vector", "python")):
            return [_plain(values[edge]) for edge in self.G.edges()]
        column = np.asarray(self.G.get_edges([values])).reshape(-1, 3)[:, 2]
        return column.astype(bool).tolist() if kind == "bool" else column.tolist()

    def columns(self) -> dict[str, list]:
        return {name: self.opened(values) for name, values in self.G.vertex_properties.items()}

    def opened(self, x: Any) -> Any:
        return [_plain(x[v]) for v in self.G.vertices()] if is_a(x, "graph_tool", "VertexPropertyMap") else x

    def write(self, Y: np.ndarray, store_pos_as: str | None = None) -> Any:
        """Return a vertex property map of type "vector<double>"; `store_pos_as` makes it internal."""
        pos = self.G.new_vertex_property("vector<double>")
        for vertex, row in zip(self.G.vertices(), np.asarray(Y, dtype=np.float64).tolist(), strict=True):
            pos[vertex] = row
        if store_pos_as is not None:
            self.G.vertex_properties[store_pos_as] = pos
        return pos


def _plain(value: Any) -> Any:
    return list(value) if hasattr(value, "__len__") and not isinstance(value, (str, Mapping)) else value


def _property_map(pos: Any) -> Places | None:
    """Open a vertex property map of vectors as a dict by vertex number, without empty vectors."""
    if not is_a(pos, "graph_tool", "VertexPropertyMap"):
        return None
    G = pos.get_graph()
    rows = zip(G.get_vertices().tolist(), (_plain(pos[v]) for v in G.vertices()), strict=True)
    given = {vertex: row for vertex, row in rows if not isinstance(row, list) or row}

    def close(Y: np.ndarray) -> Any:
        moved = G.new_vertex_property("vector<double>")
        for vertex, row in zip(given, np.asarray(Y, dtype=np.float64).tolist(), strict=True):
            moved[G.vertex(vertex)] = row
        return moved

    return Places(given, close)


class _GraphTool(ListedLibrary):
    def holds_weights(self, weight: Any) -> bool:
        """Return whether `weight` is an edge property map, which holds the weights themselves."""
        return is_a(weight, "graph_tool", "EdgePropertyMap")


igraph = ListedLibrary("igraph", ["Graph"], IgraphHost, _layout)
rustworkx = ListedLibrary("rustworkx", ["PyGraph", "PyDiGraph"], RustworkxHost, _mapping)
networkit = ListedLibrary("networkit", ["Graph"], NetworkitHost)
graph_tool = _GraphTool("graph_tool", ["Graph"], GraphToolHost, _property_map)
