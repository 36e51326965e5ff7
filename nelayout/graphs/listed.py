"""Protocol of libraries that list their edges: labels, rows, cols, attributes as columns.

A library is a `ListedLibrary` with a `ListedHost`.  This file reads edges and weights, and converts to networkx::

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
    """Graph of a library that lists its edges.

    directed  whether edges have a direction
    kind      name of a node attribute in messages
    """

    stores = False
    directed = False
    kind = "node attribute"

    def __init__(self, G: Any):
        self.G = G

    def links(self) -> Links:
        """Return the edges in the library's own order."""
        raise TypeError("a ListedHost lists its edges")

    def weighed(self, weight: Any) -> tuple[Links, Any]:
        """Return the edges and the attribute name for `weight`."""
        return self.links(), weight

    def columns(self) -> Mapping[str, list]:
        """Return {node attribute: values in node order, None where a node has none}."""
        return {}

    def attributes(self) -> Sequence[str]:
        return sorted(self.columns())

    def attribute(self, name: str, what: str) -> list:
        columns = self.columns()
        if name not in columns:
            raise unknown(f"{self.kind} for {what}", name, columns)
        return columns[name]


class ListedLibrary:
    """A module of `HOSTS` for one package: its graph classes, its host, its positions."""

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
        """Return whether `G` is a graph of the library."""
        return is_a(G, self.package, *self.kinds)

    def read(self, G: Any, weight: Any, weight_kind: str) -> Network:
        """Return the `Network` of a graph; see `nelayout.graphs.read` for the rules."""
        host = self.host(G)
        listed, name = host.weighed(weight)
        return network_of(listed, host, host.directed, name, weight_kind)

    def links(self, G: Any) -> Links:
        """Return the edges in the library's own order."""
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
    """Return whether `x` is an instance of a class of the package; do not import the package."""
    module = sys.modules.get(package)
    kinds = tuple(kind for name in names if (kind := getattr(module, name, None)) is not None)
    return isinstance(x, kinds)


def network_of(listed: Links, host: Any, directed: bool, weight: str | None, weight_kind: str) -> Network:
    """Return the `Network` of listed edges; see `nelayout.graphs.read` for the rules.

    An edge with the value None weighs 1.  Messages name an edge by the labels of its ends.
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
    """Add listed edges with their attributes to a networkx graph of the nodes `labels`."""
    columns = {name: listed.attribute(name) for name in listed.names}
    for k, (i, j) in enumerate(zip(listed.rows.tolist(), listed.cols.tolist(), strict=True)):
        own = {name: values[k] for name, values in columns.items() if values[k] is not None}
        H.add_edges_from([(labels[i], labels[j], own)])
    return H


def _numeric(values: Sequence) -> bool:
    """Return whether all values that are set are numbers; booleans do not count as numbers."""
    given = [value for value in values if value is not None]
    return bool(given) and not isinstance(given[0], (bool, str)) and plain_numbers(given) is not None
