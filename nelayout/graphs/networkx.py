"""Read networkx graphs, digraphs, multigraphs and views; positions are ``{node: array}``.

nelayout does not import networkx here: a caller who passes one of its graphs has loaded it.

    >>> import networkx as nx
    >>> G = nx.MultiDiGraph([("a", "b", {"weight": 2}), ("b", "a"), ("b", "b")])
    >>> network = read(G, "weight", "similarity")
    >>> network.labels, network.adjacency.data
    (['a', 'b'], array([3., 3.]))
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, compress, count
from operator import eq, methodcaller
from typing import Any

import numpy as np

from nelayout.errors import InputError, Unsupported, for_networkx, unknown
from nelayout.graphs import per_node
from nelayout.graphs.network import Host, Links, Network, symmetric
from nelayout.graphs.to_floats import plain_numbers, short_repr
from nelayout.graphs.weights import attribute_words, check_kind, similarities, unread, zero_note

__all__ = ["NetworkxHost", "as_networkx", "guard", "host", "links", "places", "read", "recognizes"]


def recognizes(G: Any) -> bool:
    """Return whether `G` is a networkx graph."""
    module = sys.modules.get("networkx")
    graph = getattr(module, "Graph", None)
    return graph is not None and isinstance(G, graph)


def read(G: Any, weight: str | None, weight_kind: str) -> Network:
    """Return the `Network` of a networkx graph; see `nelayout.graphs.read` for the rules."""
    host = NetworkxHost(G)
    with guard():
        check_kind(weight_kind)
        labels = host.aliases[0]
        n = len(labels)
        rows, cols, data = _edges(G, labels)
        weights, notes, doubts = np.ones(len(rows)), (), ()
        if weight is not None and len(rows):
            if any(weight in attributes for attributes in data):
                weights = similarities(
                    [attributes.get(weight, 1) for attributes in data],
                    weight_kind,
                    attribute_words(weight),
                    lambda k: f"edge ({short_repr(labels[rows[k]])}, {short_repr(labels[cols[k]])})",
                )
                notes = zero_note(int(np.count_nonzero(weights == 0)))
            else:
                notes, doubts = unread(weight, set().union(*data), lambda name: _numeric(data, name))
        return Network(
            labels=labels,
            adjacency=symmetric(n, rows, cols, weights),
            directed=G.is_directed(),
            weighted=bool(np.any((weights != 1) & (weights != 0))),
            notes=notes,
            host=host,
            zeros=bool(np.any(weights == 0)),
            doubts=doubts,
        )


def links(G: Any) -> Links:
    """Return the edges in the order of `G.edges`."""
    rows, cols, data = _edges(G, list(G), loops=True)
    names = sorted(name for name in set().union(*data) if isinstance(name, str))
    return Links(rows, cols, names, lambda name: [own.get(name) for own in data] or [None] * len(rows))


def _edges(G: Any, labels: Sequence[Hashable], loops: bool = False) -> tuple[np.ndarray, np.ndarray, list[dict]]:
    """Return ends and attribute dicts of each edge once (undirected: from the earlier node).

    If no edge has an attribute, there are no dicts. Walking the adjacency is faster than `G.edges`, because networkx
    returns its own dicts.
    """
    n, index = len(labels), None if _counted(labels) else dict(zip(labels, range(len(labels)), strict=True))

    def numbers(nodes: Iterable[Any], count: int) -> np.ndarray:
        return np.fromiter(nodes if index is None else map(index.__getitem__, nodes), dtype=np.int64, count=count)

    neighbors = [each for _, each in G.adjacency()]
    degrees = np.fromiter(map(len, neighbors), dtype=np.int64, count=n)
    rows = np.repeat(numbers((node for node, _ in G.adjacency()), n), degrees)
    cols = numbers(chain.from_iterable(neighbors), len(rows))
    keep = rows != cols if G.is_directed() else rows < cols
    if loops:
        keep |= rows == cols

    def attributes() -> Iterator[dict]:
        return chain.from_iterable(map(methodcaller("values"), neighbors))

    data = list(compress(attributes(), keep.tolist())) if any(attributes()) else []
    if not keep.all():
        rows, cols = rows[keep], cols[keep]
    if G.is_multigraph():
        parallel = np.array([len(edges) for edges in data], dtype=np.int64)
        rows, cols = np.repeat(rows, parallel), np.repeat(cols, parallel)
        data = [own for edges in data for own in edges.values()]
    return rows, cols, data


def _counted(labels: Sequence[Hashable]) -> bool:
    """Return whether the labels are 0, 1, 2, ..., in order."""
    return all(map(eq, labels, count()))


def _numeric(data: list[dict], name: str) -> bool:
    """Return whether all values that are set are numbers; booleans do not count as numbers."""
    given = [attributes[name] for attributes in data if name in attributes]
    return not isinstance(given[0], (bool, str)) and plain_numbers(given) is not None


@contextmanager
def guard() -> Iterator[None]:
    """Turn `InputError` and `Unsupported`, within the block, into `NetworkXError` as well."""
    try:
        yield
    except (InputError, Unsupported) as error:
        translated = for_networkx(error)
        if translated is error:
            raise
        raise translated.with_traceback(error.__traceback__) from error.__cause__


class NetworkxHost(Host):
    """A networkx graph as the host of a layout: dicts keyed by node, arrays in node order."""

    stores = True

    def __init__(self, G: Any):
        self.G = G
        self.aliases: Sequence[Sequence[Hashable]] = [list(G)]

    def attributes(self) -> list[str]:
        names = set().union(*(data for _, data in self.G.nodes(data=True)))
        return sorted(name for name in names if isinstance(name, str))

    def attribute(self, name: str, what: str) -> list:
        if not any(name in data for _, data in self.G.nodes(data=True)):
            raise unknown(f"node attribute for {what}", name, self.attributes())
        return [data.get(name) for _, data in self.G.nodes(data=True)]

    def write(self, Y: np.ndarray, store_pos_as: str | None = None) -> dict[Hashable, np.ndarray]:
        """Return {node: float64 array}, in the order of the graph's nodes."""
        pos = dict(zip(self.aliases[0], np.array(Y, dtype=np.float64), strict=True))
        if store_pos_as is not None:
            for node, position in pos.items():
                self.G.nodes[node][store_pos_as] = position
        return pos


host = NetworkxHost


def places(pos: Any) -> per_node.Places | None:
    """Open dicts keyed by node, and pandas Series; None for other types."""
    given = per_node.as_mapping(pos)
    return None if given is None else per_node.Places(given, lambda Y: dict(zip(given, Y, strict=True)))


def as_networkx(G: Any, labels: Sequence[Hashable], node_data: Mapping[str, Any]) -> Any:
    """Return the graph itself."""
    del labels, node_data
    return G
