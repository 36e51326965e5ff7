"""Groups of nodes: an attribute, a value for each node, or sets of nodes.

>>> import networkx as nx
>>> from nelayout.graphs import read
>>> network = read(nx.path_graph(4))
>>> [group.tolist() for group in groups_of(network, [{0, 1}, {2, 3}])]
[[0, 1], [2, 3]]
>>> [group.tolist() for group in groups_of(network, {0: ("a", "b"), 1: ("a", "b"), 2: ("a", "c"), 3: None})]
[[0, 1, 2], [0, 1]]
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from nelayout.errors import InputError
from nelayout.graphs.host import as_mapping
from nelayout.graphs.network import Network
from nelayout.graphs.plain import is_missing
from nelayout.graphs.to_floats import short_repr

__all__ = ["groups_of"]


def groups_of(network: Network, given: Any) -> tuple[np.ndarray, ...]:
    """Return groups as arrays of nodes.

    They come from an attribute, a value for each node, or sets of nodes.  The values of nodes may be tuples, as paths
    into nested groups.  A missing value is no group.
    """
    host, mapping = network.host, as_mapping(given)
    rows = list(given) if mapping is None and isinstance(given, Iterable) and not isinstance(given, str) else []
    named = list(mapping.values()) if mapping is not None else rows
    if named and all(isinstance(each, (AbstractSet, list, np.ndarray)) for each in named):
        found = [host.nodes(list(each), "groups") for each in named]
    else:
        values = host.objects(given, "groups")
        members: dict[Hashable, list[int]] = {}
        for k, value in enumerate(values):
            if value is None or is_missing(value):
                continue
            path = value if isinstance(value, tuple) else (value,)
            for depth in range(1, len(path) + 1):
                members.setdefault(path[:depth], []).append(k)
        found = [np.array(each, dtype=np.int64) for each in members.values()]
    _check_nested(network, found)
    return tuple(each for each in found if len(each) > 1)


def _check_nested(network: Network, groups: Sequence[np.ndarray]) -> None:
    """Raise `InputError` if two groups share a node and neither contains the other."""
    within = np.full(len(network.labels), -1)
    order = sorted(range(len(groups)), key=lambda k: -len(groups[k]))
    for k in order:  # a group lies within the last larger one that has all of its nodes
        outer = np.unique(within[groups[k]])
        if len(outer) > 1:
            node = groups[k][int(np.argmax(within[groups[k]] == outer[-1]))]
            raise InputError(
                f"groups overlap: node {short_repr(network.labels[node])} is in two groups, and neither contains the "
                "other; give disjoint groups, or nested ones"
            )
        within[groups[k]] = k
