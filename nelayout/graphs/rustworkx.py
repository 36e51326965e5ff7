"""rustworkx graphs; positions go back as ``{node index: array}``, as its own ``mpl_draw(graph, pos=...)`` takes.

A node answers to its index, also where indices have holes after nodes were removed, and where the nodes are distinct
texts to its text.  The payload of a node or an edge
is any object: a dict holds attributes, and a number on an edge is its weight.

    >>> import rustworkx
    >>> G = rustworkx.PyGraph()
    >>> G.extend_from_weighted_edge_list([(0, 1, 2.5), (1, 2, {"weight": 4.0}), (0, 2, None)])
    >>> read(G, "weight", "similarity").adjacency.toarray()
    array([[0. , 2.5, 1. ],
           [2.5, 0. , 4. ],
           [1. , 4. , 0. ]])
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from nelayout.errors import InputError, unknown
from nelayout.graphs import per_node
from nelayout.graphs.edge_lists import add_edges, network_of
from nelayout.graphs.network import Host, Links, Network
from nelayout.graphs.to_floats import REAL

__all__ = ["RustworkxHost", "as_networkx", "guard", "host", "links", "places", "read", "recognizes"]


def recognizes(G: Any) -> bool:
    """Whether `G` is a PyGraph or PyDiGraph."""
    module = sys.modules.get("rustworkx")
    return module is not None and isinstance(G, (module.PyGraph, module.PyDiGraph))


def read(G: Any, weight: str | None, weight_kind: str) -> Network:
    """The `Network` of a rustworkx graph; see `nelayout.graphs.read` for the rules."""
    return network_of(links(G), RustworkxHost(G), _directed(G), weight, weight_kind)


def links(G: Any) -> Links:
    """The edges in the order of `G.weighted_edge_list()`.

    Where a payload is a number, all of them but dicts are the attribute "weight", so that text among numbers is found.
    The entries of dicts are attributes of their names.
    """
    edges = G.weighted_edge_list()
    position = {node: k for k, node in enumerate(G.node_indices())}
    payloads = [payload for _, _, payload in edges]
    plain = {"weight"} if any(_is_number(payload) for payload in payloads) else set()
    names = plain.union(*(payload for payload in payloads if isinstance(payload, Mapping)))

    def attribute(name: str) -> list:
        bare = name in plain
        return [
            payload.get(name) if isinstance(payload, Mapping) else payload if bare else None for payload in payloads
        ]

    ends = np.array([(position[u], position[v]) for u, v, _ in edges], dtype=np.int64).reshape(-1, 2)
    return Links(ends[:, 0], ends[:, 1], sorted(name for name in names if isinstance(name, str)), attribute)


class RustworkxHost(Host):
    """A rustworkx graph as the host of a layout: nodes by index, the entries of dicts as their attributes."""

    def __init__(self, G: Any):
        self.G = G
        numbers, names = list(G.node_indices()), list(G.nodes())
        named = all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
        self.aliases: Sequence[Sequence[Hashable]] = [numbers, names] if named else [numbers]

    @property
    def stores(self) -> bool:
        """Whether every node is a dict, in which positions can be kept."""
        return all(isinstance(payload, dict) for payload in self.G.nodes())

    def attributes(self) -> list[str]:
        names = set().union(*(payload for payload in self.G.nodes() if isinstance(payload, Mapping)))
        return sorted(name for name in names if isinstance(name, str))

    def attribute(self, name: str, what: str) -> list:
        if name not in self.attributes():
            raise unknown(f"node attribute for {what}", name, self.attributes())
        return [payload.get(name) if isinstance(payload, Mapping) else None for payload in self.G.nodes()]

    def write(self, Y: np.ndarray, store_pos_as: str | None = None) -> dict[Hashable, np.ndarray]:
        """{node index: float64 array}, in the order of `G.node_indices()`."""
        pos = dict(zip(self.aliases[0], np.array(Y, dtype=np.float64), strict=True))
        if store_pos_as is not None:
            if not self.stores:
                raise InputError(
                    f"store_pos_as={store_pos_as!r} needs nodes that are dicts; use the dict that comes back"
                )
            for payload, position in zip(self.G.nodes(), pos.values(), strict=True):
                payload[store_pos_as] = position
        return pos


host = RustworkxHost
guard = nullcontext  # its errors are not about wrong input to layouts


def places(pos: Any) -> per_node.Places | None:
    """A `Pos2DMapping`, as rustworkx's own layouts give; ours are dicts, which are opened as networkx's."""
    kind = getattr(sys.modules.get("rustworkx"), "Pos2DMapping", None)
    if kind is None or not isinstance(pos, kind):
        return None
    given = dict(pos.items())
    return per_node.Places(given, lambda Y: dict(zip(given, Y, strict=True)))


def as_networkx(G: Any, labels: Sequence[Hashable], node_data: Mapping[str, Any]) -> Any:
    """Copy nodes and edges; text and numbers that are nodes become their attribute "label"."""
    import networkx as nx

    del node_data
    kinds = (nx.MultiDiGraph, nx.DiGraph) if _directed(G) else (nx.MultiGraph, nx.Graph)
    H = kinds[0 if G.multigraph else 1]()
    for label, payload in zip(labels, G.nodes(), strict=True):
        named = {"label": payload} if isinstance(payload, (str, *REAL)) else {}
        H.add_nodes_from([(label, payload if isinstance(payload, Mapping) else named)])
    return add_edges(H, labels, links(G))


def _directed(G: Any) -> bool:
    return isinstance(G, sys.modules["rustworkx"].PyDiGraph)


def _is_number(payload: Any) -> bool:
    return isinstance(payload, REAL) and not isinstance(payload, (bool, np.bool_))
