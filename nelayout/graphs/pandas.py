"""Tables of edges in pandas; positions go back as a DataFrame with a row for each node, called by its index.

The columns with the ends are found by their headings, as in edge-list files; `weight` names a column, in which no value
may be missing.  Rows are undirected edges: weights of repeated ones add up, and without weights they count once::

    >>> import pandas
    >>> table = pandas.DataFrame({"from": ["b", "a", "b"], "to": ["a", "c", "a"], "km": [2.0, 3.0, 5.0]})
    >>> network = read(table, "km", "similarity")
    >>> network.labels, network.adjacency.toarray()[0]
    (['b', 'a', 'c'], array([0., 7., 0.]))
    >>> network.host.write(np.eye(3)[:, :2]).loc["a"].tolist()
    [0.0, 1.0]
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np

from nelayout.errors import InputError, InputTypeError
from nelayout.graphs import per_node
from nelayout.graphs.edge_lists import add_edges, network_of
from nelayout.graphs.headings import ends_named
from nelayout.graphs.network import Host, Links, Network
from nelayout.graphs.to_floats import short_repr

__all__ = ["PandasHost", "as_networkx", "guard", "host", "links", "places", "read", "recognizes"]

AXES = ("x", "y", "z")
# Headings that a message lists.
SHOWN = 8


def recognizes(G: Any) -> bool:
    """Whether `G` is a DataFrame."""
    frame = getattr(sys.modules.get("pandas"), "DataFrame", None)
    return frame is not None and isinstance(G, frame)


def read(G: Any, weight: str | None, weight_kind: str) -> Network:
    """The `Network` of a table of edges; see `nelayout.graphs.read` for the rules.

    Raises `InputTypeError` naming the columns where none names the ends.
    """
    listed, notes = links(G), ()
    if weight not in listed.names:
        low, high = np.minimum(listed.rows, listed.cols), np.maximum(listed.rows, listed.cols)
        first = np.unique(np.column_stack([low, high]), axis=0, return_index=True)[1]
        if len(first) < len(low):
            notes = (f"{len(low) - len(first)} repeated edges count once",)
            listed = Links(low[first], high[first], listed.names, lambda name: list(G[name].iloc[first]))
    if weight in listed.names:  # a missing weight is no weight of 1
        column = [float("nan") if value is None else value for value in listed.attribute(str(weight))]
        listed = Links(listed.rows, listed.cols, [str(weight)], lambda _: column)
    network = network_of(listed, PandasHost(G), False, weight, weight_kind)
    return replace(network, notes=(*notes, *network.notes))


def links(G: Any) -> Links:
    """The rows, in their order; every further column is an attribute of edges, None where a value is missing."""
    columns, ends = _ends(G)
    number = {label: k for k, label in enumerate(dict.fromkeys(label for pair in ends for label in pair))}
    pairs = np.array([(number[u], number[v]) for u, v in ends], dtype=np.int64).reshape(-1, 2)
    names = [name for k, name in enumerate(G.columns) if k not in columns and isinstance(name, str)]

    def attribute(name: str) -> list:
        missing = G[name].isna().tolist()
        return [None if gone else value for value, gone in zip(G[name].tolist(), missing, strict=True)]

    return Links(pairs[:, 0], pairs[:, 1], names, attribute)


def _ends(G: Any) -> tuple[tuple[int, int], list[tuple[Hashable, Hashable]]]:
    """Columns of the ends, and the ends of each edge."""
    columns = ends_named(G.columns)
    if columns is None:
        names = [repr(name) for name in G.columns]
        shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
        first, second = [*names[:2], "..."][:2] if len(names) > 1 else ("...", "...")
        raise InputTypeError(
            f"the DataFrame has the columns {shown or '(none)'}, which do not name the two ends of edges; call them "
            f"source and target: df.rename(columns={{{first}: 'source', {second}: 'target'}}). An adjacency table "
            "becomes a matrix with .to_numpy(); vectors, one row per sample, are drawn by nelayout.embed"
        )
    wrong = G.iloc[:, list(columns)].isna().any(axis=1).to_numpy()
    if wrong.any():
        raise InputError(
            f"the row {short_repr(G.index[int(np.argmax(wrong))])} has no node at an end ({int(wrong.sum())} of "
            f"{len(G)} rows); leave such rows out: df.dropna(subset=[...])"
        )
    source, target = (G.iloc[:, column].tolist() for column in columns)
    return columns, list(zip(source, target, strict=True))


class PandasHost(Host):
    """A table of edges as the host of a layout: nodes in the order in which they appear, places in a DataFrame."""

    stores = False

    def __init__(self, G: Any):
        self.aliases: Sequence[Sequence[Hashable]] = [
            list(dict.fromkeys(label for pair in _ends(G)[1] for label in pair))
        ]

    def attributes(self) -> list[str]:
        return []

    def attribute(self, name: str, what: str) -> list:
        raise InputError(
            f"{what} is the name {name!r}, and a table of edges has no columns about nodes; give a Series or a dict "
            "keyed by node"
        )

    def write(self, Y: np.ndarray, store_pos_as: str | None = None) -> Any:
        """A DataFrame, indexed by node, with the columns x, y (and z)."""
        if store_pos_as is not None:
            raise InputError(
                f"store_pos_as={store_pos_as!r}: a table of edges has no rows for nodes; use the DataFrame that comes "
                "back"
            )
        pandas = sys.modules["pandas"]
        nodes = pandas.Index(self.aliases[0], name="node", tupleize_cols=False)
        return pandas.DataFrame(np.array(Y, dtype=np.float64), nodes, list(AXES[: np.shape(Y)[1]]))


host = PandasHost
guard = nullcontext  # pandas has no error class for wrong input


def places(pos: Any) -> per_node.Places | None:
    """A DataFrame indexed by node: its columns x, y and z, or all of them where there is no x.

    An index that repeats itself names no nodes: such rows are in node order.
    """
    if not recognizes(pos):
        return None
    columns = [axis for axis in AXES if axis in pos.columns] if "x" in pos.columns else list(pos.columns)
    rows = pos[columns].to_numpy()
    given = dict(zip(pos.index.tolist(), rows, strict=True)) if pos.index.is_unique else rows
    return per_node.Places(given, lambda Y: type(pos)(np.array(Y), pos.index, columns))


def as_networkx(G: Any, labels: Sequence[Hashable], node_data: Mapping[str, Any]) -> Any:
    """Make a graph of the rows; repeated edges make a multigraph."""
    import networkx as nx

    del node_data
    listed = links(G)
    pairs = np.sort(np.column_stack([listed.rows, listed.cols]), axis=1)
    H = nx.MultiGraph() if len(np.unique(pairs, axis=0)) < len(pairs) else nx.Graph()
    H.add_nodes_from(labels)
    return add_edges(H, labels, listed)
