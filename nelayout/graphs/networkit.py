"""networkit graphs; positions go back as an array whose row k is the place of node k.

networkit's own layouts have a row for every id, too; here those of removed nodes are NaN.  The graph's own weights are
the attribute "weight"; an attached edge attribute goes by its name.

    >>> import networkit
    >>> G = networkit.Graph(4, weighted=True)
    >>> _ = G.addEdge(0, 3, 2.5), G.removeNode(1)
    >>> network = read(G, "weight", "similarity")
    >>> network.labels, network.adjacency.data
    ([0, 2, 3], array([2.5, 2.5]))
    >>> network.host.write(np.ones((3, 2))).tolist()
    [[1.0, 1.0], [nan, nan], [1.0, 1.0], [1.0, 1.0]]
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Mapping, Sequence
from contextlib import nullcontext, suppress
from typing import Any

import numpy as np

from nelayout.errors import InputError
from nelayout.graphs import per_node
from nelayout.graphs.edge_lists import add_edges, network_of
from nelayout.graphs.network import Host, Links, Network

__all__ = ["NetworkitHost", "as_networkx", "guard", "host", "links", "places", "read", "recognizes"]

# The types of the attributes that networkit attaches; one is found only when its type is named.
TYPES = (float, int, str)


def recognizes(G: Any) -> bool:
    """Whether `G` is a networkit.Graph."""
    graph = getattr(sys.modules.get("networkit"), "Graph", None)
    return graph is not None and isinstance(G, graph)


def read(G: Any, weight: str | None, weight_kind: str) -> Network:
    """The `Network` of a networkit graph; see `nelayout.graphs.read` for the rules."""
    listed = links(G)
    if isinstance(weight, str) and weight != "weight" and (column := _edge_attribute(G, weight)) is not None:
        listed = Links(listed.rows, listed.cols, [weight], lambda _: column)
    return network_of(listed, NetworkitHost(G), G.isDirected(), weight, weight_kind)


def links(G: Any) -> Links:
    """The edges as `G.forEdges` visits them, with the graph's own weights; attached attributes are not listed."""
    edges: list[tuple[int, int, float, int]] = []
    G.forEdges(lambda *edge: edges.append(edge))
    position = {node: k for k, node in enumerate(G.iterNodes())}
    ends = np.array([(position[u], position[v]) for u, v, *_ in edges], dtype=np.int64).reshape(-1, 2)
    if not G.isDirected():  # which networkit lists from the higher to the lower
        ends = np.sort(ends, axis=1)
    own = [weight for _, _, weight, _ in edges]
    return Links(ends[:, 0], ends[:, 1], ["weight"] if G.isWeighted() else [], lambda _: own)


def _edge_attribute(G: Any, name: str) -> list | None:
    """An attached attribute, None where an edge has none, in the order of `links`; None without such an attribute."""
    if not G.hasEdgeIds():  # without which nothing can be attached
        return None
    edges: list[int] = []
    G.forEdges(lambda *edge: edges.append(edge[3]))
    attached = _attached(G.getEdgeAttribute, name)
    return None if attached is None else _values(attached, edges)


def _attached(find: Any, name: str) -> Any:
    for kind in TYPES:
        with suppress(RuntimeError):  # there is no such attribute, or it is of another type
            return find(name, kind)
    return None


def _values(attached: Any, keys: list[int]) -> list:
    values: list[Any] = [None] * len(keys)
    for k, key in enumerate(keys):
        with suppress(ValueError):  # never set
            values[k] = attached[key]
    return values


class _Attached(Sequence):
    """The names of attached node attributes, of which networkit answers whether one is there, but lists none."""

    def __init__(self, G: Any):
        self.G = G

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and _attached(self.G.getNodeAttribute, name) is not None

    def __len__(self) -> int:
        return 0

    def __getitem__(self, index: Any) -> Any:
        return [][index]


class NetworkitHost(Host):
    """A networkit graph as the host of a layout: nodes by id, arrays with a row for every id up to the highest."""

    stores = False

    def __init__(self, G: Any):
        self.G = G
        self.ids = list(G.iterNodes())
        self.aliases: Sequence[Sequence[Hashable]] = [self.ids]

    def attributes(self) -> Sequence[str]:
        return _Attached(self.G)

    def attribute(self, name: str, what: str) -> list:
        attached = _attached(self.G.getNodeAttribute, name)
        if attached is None:
            raise InputError(
                f"{what} is the name {name!r}, and no node attribute of the networkit graph is called so; attach it "
                "with attachNodeAttribute, or give an array with a row for every node id"
            )
        return _values(attached, self.ids)

    def opened(self, x: Any) -> Any:
        """Rows of the nodes that exist, out of one row for every id."""
        bound = self.G.upperNodeIdBound()
        whole = len(self.ids) < bound and hasattr(x, "__len__") and not isinstance(x, (str, bytes))
        if not whole or per_node.as_mapping(x) is not None or len(x) != bound:
            return x
        return [x[node] for node in self.ids]

    def write(self, Y: np.ndarray, store_pos_as: str | None = None) -> np.ndarray:
        """(upper node id, dim) float64, NaN for ids of removed nodes."""
        if store_pos_as is not None:
            raise InputError(
                f"store_pos_as={store_pos_as!r}: networkit attaches single numbers to nodes, no positions; use the "
                "array that comes back"
            )
        result = np.full((self.G.upperNodeIdBound(), np.shape(Y)[1]), np.nan)
        result[self.ids] = Y
        return result


host = NetworkitHost
guard = nullcontext  # its errors are not about wrong input to layouts


def places(pos: Any) -> per_node.Places | None:
    """None: its positions are arrays and lists."""
    del pos


def as_networkx(G: Any, labels: Sequence[Hashable], node_data: Mapping[str, Any]) -> Any:
    """Copy nodes and edges with the graph's own weights; parallel edges make a multigraph."""
    import networkx as nx

    del node_data
    listed = links(G)
    pairs = set(zip(listed.rows.tolist(), listed.cols.tolist(), strict=True))
    kinds = (nx.MultiDiGraph, nx.DiGraph) if G.isDirected() else (nx.MultiGraph, nx.Graph)
    H = kinds[0 if len(pairs) < len(listed.rows) else 1]()
    H.add_nodes_from(labels)
    return add_edges(H, labels, listed)
