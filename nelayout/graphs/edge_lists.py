"""The `Network` of a library that hands out its edges one by one, with their attributes as columns.

Two edges of which one has no weight, and a self-loop::

    >>> listed = Links(np.array([0, 1, 2]), np.array([1, 2, 2]), ["km"], {"km": [2.0, None, 9.0]}.__getitem__)
    >>> import types
    >>> host = types.SimpleNamespace(aliases=["abc"])
    >>> network_of(listed, host, False, "km", "similarity").adjacency.toarray()
    array([[0., 2., 0.],
           [2., 0., 1.],
           [0., 1., 0.]])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nelayout.graphs.network import Links, Network, symmetric
from nelayout.graphs.to_floats import plain_numbers, short_repr
from nelayout.graphs.weights import attribute_words, check_kind, similarities, unread, zero_note

__all__ = ["add_edges", "network_of"]


def network_of(listed: Links, host: Any, directed: bool, weight: str | None, weight_kind: str) -> Network:
    """The `Network` of listed edges; see `nelayout.graphs.read` for the rules.

    An edge whose value of the attribute is None weighs 1.  Edges are named by the labels of their ends.
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
    """Add listed edges with their attributes to a networkx graph, whose nodes are called by `labels`; returns it."""
    columns = {name: listed.attribute(name) for name in listed.names}
    for k, (i, j) in enumerate(zip(listed.rows.tolist(), listed.cols.tolist(), strict=True)):
        own = {name: values[k] for name, values in columns.items() if values[k] is not None}
        H.add_edges_from([(labels[i], labels[j], own)])
    return H


def _numeric(values: Sequence) -> bool:
    """Whether an edge attribute holds numbers wherever it is set; booleans are answers, not numbers."""
    given = [value for value in values if value is not None]
    return bool(given) and not isinstance(given[0], (bool, str)) and plain_numbers(given) is not None
