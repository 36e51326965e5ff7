"""Read pandas tables of edges; positions go back as a DataFrame indexed by node.

Headings name the columns with the ends, as in edge-list files.  `weight` names a column without missing values.
Rows are undirected edges.  Weights of repeated edges add up; without weights, repeated edges count once::

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
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nelayout.errors import InputError, InputTypeError
from nelayout.graphs.headings import FROM, ends_named, first_of
from nelayout.graphs.listed import ListedHost, ListedLibrary, is_a, network_of
from nelayout.graphs.network import Links, Network
from nelayout.graphs.per_node import Places
from nelayout.graphs.to_floats import short_repr

__all__ = ["PandasHost", "as_networkx", "guard", "host", "links", "places", "read", "recognizes"]

AXES = ("x", "y", "z")
# Largest number of headings in a message.
MAX_NAMES = 8


class PandasHost(ListedHost):
    """A table of edges: nodes in the order in which they appear."""

    def __init__(self, G: Any):
        super().__init__(G)
        self.ends, pairs = _ends(G)
        self.number = {label: k for k, label in enumerate(dict.fromkeys(label for pair in pairs for label in pair))}
        self.pairs = np.array([(self.number[u], self.number[v]) for u, v in pairs], dtype=np.int64).reshape(-1, 2)
        self.aliases: Sequence[Sequence[Hashable]] = [list(self.number)]

    def links(self) -> Links:
        """Return the rows in order; other columns are edge attributes, None where missing."""
        G = self.G
        names = [name for k, name in enumerate(G.columns) if k not in self.ends and isinstance(name, str)]

        def attribute(name: str) -> list:
            missing = G[name].isna().tolist()
            return [None if gone else value for value, gone in zip(G[name].tolist(), missing, strict=True)]

        return Links(self.pairs[:, 0], self.pairs[:, 1], names, attribute)

    def attribute(self, name: str, what: str) -> list:
        raise InputError(
            f"{what}={name!r}: a table of edges has no columns about nodes; give a Series or a dict keyed by node"
        )

    def write(self, Y: np.ndarray, store_pos_as: str | None = None) -> Any:
        """Return a DataFrame, indexed by node, with the columns x, y (and z)."""
        if store_pos_as is not None:
            raise InputError(
                f"store_pos_as={store_pos_as!r}: a table of edges has no rows for nodes; use the DataFrame that comes "
                "back"
            )
        pandas = sys.modules["pandas"]
        nodes = pandas.Index(self.aliases[0], name="node", tupleize_cols=False)
        return pandas.DataFrame(np.array(Y, dtype=np.float64), nodes, list(AXES[: np.shape(Y)[1]]))


def _ends(G: Any) -> tuple[tuple[int, int], list[tuple[Hashable, Hashable]]]:
    """Return the columns of the ends, and the ends of each edge."""
    columns = ends_named(G.columns)
    if columns is not None and first_of(G.columns, FROM) is None and "f" in {G.dtypes.iloc[k].kind for k in columns}:
        columns = None  # pairs such as umap1 and umap2
    if columns is None:
        names = [repr(name) for name in G.columns]
        shown = ", ".join(names[:MAX_NAMES]) + (f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else "")
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


def places(pos: Any) -> Places | None:
    """Open a DataFrame indexed by node: its columns x, y and z, or all if none is called x.

    If the index has duplicates, the rows are in node order.
    """
    if not is_a(pos, "pandas", "DataFrame"):
        return None
    columns = [axis for axis in AXES if axis in pos.columns] if "x" in pos.columns else list(pos.columns)
    rows = pos[columns].to_numpy()
    given = dict(zip(pos.index.tolist(), rows, strict=True)) if pos.index.is_unique else rows
    return Places(given, lambda Y: type(pos)(np.array(Y), pos.index, columns))


_LIBRARY = ListedLibrary("pandas", ["DataFrame"], PandasHost, places)
recognizes, links, as_networkx = _LIBRARY.recognizes, _LIBRARY.links, _LIBRARY.as_networkx
host, guard = PandasHost, _LIBRARY.guard


def read(G: Any, weight: str | None, weight_kind: str) -> Network:
    """Return the `Network` of a table of edges; see `nelayout.graphs.read` for the rules.

    Raises `InputTypeError` naming the columns if they do not name the ends.
    """
    host = PandasHost(G)
    listed, notes = host.links(), ()
    if weight not in listed.names:
        low, high = np.minimum(listed.rows, listed.cols), np.maximum(listed.rows, listed.cols)
        first = np.unique(np.column_stack([low, high]), axis=0, return_index=True)[1]
        if len(first) < len(low):
            notes = (f"{len(low) - len(first)} repeated edges count once",)
            listed = Links(low[first], high[first], listed.names, lambda name: list(G[name].iloc[first]))
    else:  # a missing weight is an error, not a weight of 1
        column = [float("nan") if value is None else value for value in listed.attribute(str(weight))]
        listed = Links(listed.rows, listed.cols, [str(weight)], lambda _: column)
    network = network_of(listed, host, False, weight, weight_kind)
    return replace(network, notes=(*notes, *network.notes))
