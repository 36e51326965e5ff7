"""igraph graphs; positions go back as an ``igraph.Layout``.

A vertex answers to its index and, where the graph has the attribute "name", to its name.  igraph knows no
missing attribute: None stands for it, in edges (weight 1) as in vertices (no value).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from nelayout.errors import unknown
from nelayout.graphs import per_node
from nelayout.graphs.edge_lists import network_of
from nelayout.graphs.network import Host, Links, Network

__all__ = ["IgraphHost", "as_networkx", "guard", "host", "links", "places", "read", "recognizes"]


def recognizes(G: Any) -> bool:
    """Whether `G` is an igraph.Graph."""
    graph = getattr(sys.modules.get("igraph"), "Graph", None)
    return graph is not None and isinstance(G, graph)


def read(G: Any, weight: str | None, weight_kind: str) -> Network:
    """The `Network` of an igraph graph; see `nelayout.graphs.read` for the rules."""
    return network_of(links(G), IgraphHost(G), G.is_directed(), weight, weight_kind)


def links(G: Any) -> Links:
    """The edges in the order of `G.es`."""
    ends = np.array(G.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    return Links(ends[:, 0], ends[:, 1], sorted(G.es.attributes()), lambda name: list(G.es[name]))


class IgraphHost(Host):
    """An igraph graph as the host of a layout: vertices by name or index, `igraph.Layout` for positions."""

    stores = True

    def __init__(self, G: Any):
        self.G = G
        self.aliases: Sequence[Sequence[Hashable]] = _aliases(G)

    def attributes(self) -> list[str]:
        return sorted(self.G.vs.attributes())

    def attribute(self, name: str, what: str) -> list:
        if name not in self.G.vs.attributes():
            raise unknown(f"vertex attribute for {what}", name, self.attributes())
        return list(self.G.vs[name])

    def positions(self, pos: Any, dim: int) -> np.ndarray:
        opened = places(pos)
        return per_node.positions(pos if opened is None else opened.given, dim, self.aliases)

    def write(self, Y: np.ndarray, store_pos_as: str | None = None) -> Any:
        """An `igraph.Layout`, rows in the order of the vertices."""
        rows = np.asarray(Y, dtype=np.float64).tolist()
        if store_pos_as is not None:
            self.G.vs[store_pos_as] = [list(row) for row in rows]
        return sys.modules["igraph"].Layout(rows, dim=np.shape(Y)[1])


host = IgraphHost
guard = nullcontext  # igraph has no error class for wrong input


def places(pos: Any) -> per_node.Places | None:
    """An `igraph.Layout`."""
    layout = getattr(sys.modules.get("igraph"), "Layout", None)
    if layout is None or not isinstance(pos, layout):
        return None
    return per_node.Places(pos.coords, lambda Y: type(pos)(Y.tolist()))


def as_networkx(G: Any, labels: Sequence[Hashable], node_data: Mapping[str, Any]) -> Any:
    """Copy vertices and edges with their attributes; `node_data` would only repeat them."""
    import networkx as nx

    del node_data
    kinds = (nx.MultiDiGraph, nx.DiGraph) if G.is_directed() else (nx.MultiGraph, nx.Graph)
    H = kinds[0 if G.has_multiple() else 1]()
    for label, vertex in zip(labels, G.vs, strict=True):
        H.add_node(label, **vertex.attributes())
    H.add_edges_from((labels[edge.source], labels[edge.target], edge.attributes()) for edge in G.es)
    return H


def _aliases(G: Any) -> list[Sequence[Hashable]]:
    """Vertex names, if they are distinct, then indices."""
    numbers = range(G.vcount())
    if "name" not in G.vs.attributes():
        return [numbers]
    names = G.vs["name"]
    try:
        distinct = len(Counter(names)) == len(names) and None not in names
    except TypeError:  # names that are lists: igraph allows any object
        return [numbers]
    return [names, numbers] if distinct else [numbers]
