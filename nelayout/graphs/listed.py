"""The protocol of libraries that list their edges: labels, rows, cols, and the edge attributes as columns.

A library is a `ListedLibrary` with a `ListedHost`; reading, weights and the way to networkx are written once, here::

    >>> listed = Links(np.array([0, 1, 2]), np.array([1, 2, 2]), ["km"], {"km": [2.0, None, 9.0]}.__getitem__)
    >>> import types
    >>> host = types.SimpleNamespace(aliases=["abc"])
    >>> network_of(listed, host, False, "km", "similarity").adjacency.toarray()
    array([[0., 2., 0.],
           [2., 0., 1.],
           [0., 1., 0.]])
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from nelayout.errors import unknown
from nelayout.graphs import per_node
from nelayout.graphs.network import Host, Links, Network, symmetric
from nelayout.graphs.to_floats import plain_numbers, short_repr
from nelayout.graphs.weights import attribute_words, check_kind, similarities, unread, zero_note

__all__ = ["ListedHost", "ListedLibrary", "add_edges", "is_a", "network_of"]


class ListedHost(Host):
    """A graph of a library that lists its edges.

    directed  whether edges have a direction
    kind      what a node attribute is called in messages
    """

    stores = False
    directed = False
    kind = "node attribute"

    def __init__(self, G: Any):
        self.G = G

    def links(self) -> Links:
        """The edges in the library's own order."""
        raise TypeError("a ListedHost lists its edges")

    def weighed(self, weight: Any) -> tuple[Links, Any]:
        """The edges, and the name of the attribute that `weight` stands for."""
        return self.links(), weight

    def columns(self) -> Mapping[str, list]:
        """Node attribute -> its values in node order, None where a node has none."""
        return {}

    def attributes(self) -> Sequence[str]:
        return sorted(self.columns())

    def attribute(self, name: str, what: str) -> list:
        columns = self.columns()
        if name not in columns:
            raise unknown(f"{self.kind} for {what}", name, columns)
        return columns[name]


class ListedLibrary:
    """A module of `HOSTS` made of a host: the package, the names of its graph classes, and how it opens positions."""

    guard = staticmethod(nullcontext)  # such libraries have no error class for wrong input

    def __init__(
        self,
        package: str,
        kinds: Sequence[str],
        host: Callable[[Any], ListedHost],
        places: Callable[[Any], per_node.Places | None] = lambda _: None,
    ):
        self.package, self.kinds, self.host, self.places = package, kinds, host, places

    def recognizes(self, G: Any) -> bool:
        """Whether `G` is a graph of the library."""
        return is_a(G, self.package, *self.kinds)

    def read(self, G: Any, weight: Any, weight_kind: str) -> Network:
        """The `Network` of a graph; see `nelayout.graphs.read` for the rules."""
        host = self.host(G)
        listed, name = host.weighed(weight)
        return network_of(listed, host, host.directed, name, weight_kind)

    def links(self, G: Any) -> Links:
        """The edges in the library's own order."""
        return self.host(G).links()

    def as_networkx(self, G: Any, labels: Sequence[Hashable], node_data: Mapping[str, Any]) -> Any:
        """Copy nodes and edges with their attributes; parallel edges make a multigraph."""
        import networkx as nx

        del node_data
        host = self.host(G)
        listed = host.links()
        ends = np.column_stack([listed.rows, listed.cols])
        ends = ends if host.directed else np.sort(ends, axis=1)
        kinds = (nx.MultiDiGraph, nx.DiGraph) if host.directed else (nx.MultiGraph, nx.Graph)
        H = kinds[0 if len(np.unique(ends, axis=0)) < len(ends) else 1]()
        H.add_nodes_from(labels)
        for name, values in host.columns().items():
            for label, value in zip(labels, values, strict=True):
                if value is not None:
                    H.nodes[label][name] = value
        return add_edges(H, labels, listed)


def is_a(x: Any, package: str, *names: str) -> bool:
    """Whether `x` is an instance of a class of the package, which is not imported for it."""
    module = sys.modules.get(package)
    kinds = tuple(kind for name in names if (kind := getattr(module, name, None)) is not None)
    return isinstance(x, kinds)


def network_of(listed: Links, host: Any, directed: bool, weight: str | None, weight_kind: str) -> Network:
    """The `Network` of listed edges; see `nelayout.graphs.read` for the rules.

    An edge with the value None weighs 1.  Edges are named by the labels of their ends.
    """
    check_kind(weight_kind)
    labels = host.aliases[0]
    edges = np.flatnonzero(listed.rows != listed.cols)
    rows, cols = listed.rows[edges], listed.cols[edges]
    weights, notes, doubts = np.ones(len(edges)), (), ()

    def given(attribute: str) -> Sequence:
        values = listed.attribute(attribute)
        return values if len(edges) == len(values) else [values[k] for k in edges.tolist()]

    if weight is not None and len(edges):
        values = given(weight) if weight in listed.names else []
        if any(value is not None for value in values):
            weights = similarities(
                [1 if value is None else value for value in values],
                weight_kind,
                attribute_words(weight),
                lambda k: f"edge ({short_repr(labels[rows[k]])}, {short_repr(labels[cols[k]])})",
            )
            notes = zero_note(int(np.count_nonzero(weights == 0)))
        else:
            others = [name for name in listed.names if name != weight]
            notes, doubts = unread(weight, others, lambda name: _numeric(given(name)))
    return Network(
        labels=labels,
        adjacency=symmetric(len(labels), rows, cols, weights),
        directed=directed,
        weighted=bool(np.any((weights != 1) & (weights != 0))),
        notes=notes,
        host=host,
        zeros=bool(np.any(weights == 0)),
        doubts=doubts,
    )


def add_edges(H: Any, labels: Sequence, listed: Links) -> Any:
    """Add listed edges with their attributes to a networkx graph of the nodes `labels`, and return it."""
    columns = {name: listed.attribute(name) for name in listed.names}
    for k, (i, j) in enumerate(zip(listed.rows.tolist(), listed.cols.tolist(), strict=True)):
        own = {name: values[k] for name, values in columns.items() if values[k] is not None}
        H.add_edges_from([(labels[i], labels[j], own)])
    return H


def _numeric(values: Sequence) -> bool:
    """Whether an edge attribute holds numbers on all edges that have it; booleans are answers, not numbers."""
    given = [value for value in values if value is not None]
    return bool(given) and not isinstance(given[0], (bool, str)) and plain_numbers(given) is not None
