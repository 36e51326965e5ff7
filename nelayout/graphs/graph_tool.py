"""graph-tool graphs and views of them; positions go back as a vertex property map, as ``graph_draw(g, pos=...)`` takes.

A vertex answers to its number.  Weights and masses are internal properties by name, or property maps::

    pos = nl.ws_sne_layout(g, weight="km", weight_kind="distance")
    pos = nl.ws_sne_layout(g, weight=g.ep.km, weight_kind="distance")
    graph_tool.draw.graph_draw(g, pos=pos)

Property maps are written through graph-tool's documented calls alone: `get_edges`, `new_vertex_property`, ``map[v]``.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from nelayout.errors import unknown
from nelayout.graphs import per_node
from nelayout.graphs.edge_lists import add_edges, network_of
from nelayout.graphs.network import Host, Links, Network

__all__ = ["GraphToolHost", "as_networkx", "guard", "holds_weights", "host", "links", "places", "read", "recognizes"]


def recognizes(G: Any) -> bool:
    """Whether `G` is a graph_tool.Graph, or a GraphView, which is one too."""
    return _is(G, "Graph")


def read(G: Any, weight: Any, weight_kind: str) -> Network:
    """The `Network` of a graph-tool graph, see `nelayout.graphs.read`; `weight` may be a property map."""
    listed = links(G)
    if holds_weights(weight):
        column = _of_edges(G, weight)
        listed, weight = Links(listed.rows, listed.cols, ["weight"], lambda _: column), "weight"
    return network_of(listed, GraphToolHost(G), G.is_directed(), weight, weight_kind)


def holds_weights(weight: Any) -> bool:
    """Whether `weight` is an edge property map, which is taken as it is, where other libraries have names."""
    return _is(weight, "EdgePropertyMap")


def links(G: Any) -> Links:
    """The edges in the order of `G.get_edges()`."""
    vertices = G.get_vertices()
    position = np.zeros(int(vertices.max(initial=-1)) + 1, dtype=np.int64)
    position[vertices] = np.arange(len(vertices))
    ends = position[np.asarray(G.get_edges(), dtype=np.int64).reshape(-1, 2)]
    return Links(ends[:, 0], ends[:, 1], sorted(G.edge_properties), lambda name: _of_edges(G, G.edge_properties[name]))


def _of_edges(G: Any, values: Any) -> list:
    """A property of every edge, in the order of `links`; arrays, as vectors are, as lists."""
    if values.value_type() in ("string", "object") or values.value_type().startswith(("vector", "python")):
        return [_plain(values[edge]) for edge in G.edges()]
    column = np.asarray(G.get_edges([values])).reshape(-1, 3)[:, 2]
    return column.astype(bool).tolist() if values.value_type() == "bool" else column.tolist()


def _of_vertices(G: Any, values: Any) -> list:
    return [_plain(values[vertex]) for vertex in G.vertices()]


def _plain(value: Any) -> Any:
    return list(value) if hasattr(value, "__len__") and not isinstance(value, (str, Mapping)) else value


def _is(x: Any, name: str) -> bool:
    """Whether `x` is an instance of the class of graph_tool that is called `name`."""
    kind = getattr(sys.modules.get("graph_tool"), name, None)
    return kind is not None and isinstance(x, kind)


class GraphToolHost(Host):
    """A graph-tool graph as the host of a layout: vertices by number, property maps for what each has."""

    stores = True

    def __init__(self, G: Any):
        self.G = G
        self.aliases: Sequence[Sequence[Hashable]] = [G.get_vertices().tolist()]

    def attributes(self) -> list[str]:
        return sorted(self.G.vertex_properties)

    def attribute(self, name: str, what: str) -> list:
        if name not in self.G.vertex_properties:
            raise unknown(f"vertex property for {what}", name, self.attributes())
        return _of_vertices(self.G, self.G.vertex_properties[name])

    def opened(self, x: Any) -> Any:
        return _of_vertices(self.G, x) if _is(x, "VertexPropertyMap") else x

    def write(self, Y: np.ndarray, store_pos_as: str | None = None) -> Any:
        """A vertex property map of type "vector<double>"; `store_pos_as` makes it an internal property."""
        pos = self.G.new_vertex_property("vector<double>")
        for vertex, row in zip(self.G.vertices(), np.asarray(Y, dtype=np.float64).tolist(), strict=True):
            pos[vertex] = row
        if store_pos_as is not None:
            self.G.vertex_properties[store_pos_as] = pos
        return pos


host = GraphToolHost
guard = nullcontext  # its errors are not about wrong input to layouts


def places(pos: Any) -> per_node.Places | None:
    """A vertex property map of vectors, opened as a dict by vertex number; an empty vector is no place."""
    if not _is(pos, "VertexPropertyMap"):
        return None
    G = pos.get_graph()
    rows = zip(G.get_vertices().tolist(), _of_vertices(G, pos), strict=True)
    given = {vertex: row for vertex, row in rows if not isinstance(row, list) or row}

    def close(Y: np.ndarray) -> Any:
        moved = G.new_vertex_property("vector<double>")
        for vertex, row in zip(given, np.asarray(Y, dtype=np.float64).tolist(), strict=True):
            moved[G.vertex(vertex)] = row
        return moved

    return per_node.Places(given, close)


def as_networkx(G: Any, labels: Sequence[Hashable], node_data: Mapping[str, Any]) -> Any:
    """Copy vertices and edges with their internal properties; parallel edges make a multigraph."""
    import networkx as nx

    del node_data
    listed = links(G)
    ends = np.column_stack([listed.rows, listed.cols])
    ends = ends if G.is_directed() else np.sort(ends, axis=1)
    kinds = (nx.MultiDiGraph, nx.DiGraph) if G.is_directed() else (nx.MultiGraph, nx.Graph)
    H = kinds[0 if len(np.unique(ends, axis=0)) < len(ends) else 1]()
    columns = {name: _of_vertices(G, values) for name, values in G.vertex_properties.items()}
    for k, label in enumerate(labels):
        H.add_nodes_from([(label, {name: values[k] for name, values in columns.items()})])
    return add_edges(H, labels, listed)
