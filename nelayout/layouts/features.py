"""Features: a table with a row for each node gives similarities beside the edges.

    P = (1 - share) P_edges + share P_features,

both with the sum of the edges.  P_features joins each node to its nearest neighbors among the rows of a table.  Columns
are standardized, so that they count alike.  Without edges, P is P_features.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from nelayout import graphs
from nelayout.errors import InputError, InputTypeError
from nelayout.graphs.host import as_mapping
from nelayout.graphs.to_floats import numbers, short_repr
from nelayout.numerics.nearest import nearest_different
from nelayout.numerics.parallel import threads_for

__all__ = ["with_features"]

# Nearest neighbors of each node, as in a neighbor graph of vectors.
NEIGHBORS = 10
# Moves of rows in standard deviations, so that equal rows choose their neighbors among each other by chance.
JITTER = 1e-7
FORM = (
    "give an array with a row for each node, a dict of rows, a frame indexed by node, or names of attributes, as 'a,b'"
)


def with_features(
    network: graphs.Network, P: csr_array, given: Any, share: float, n_jobs: int | None
) -> csr_array:
    """Return the weights P (n, n) of edges mixed with similarities of features."""
    columns, names = _columns(network, given)
    if P.shape[0] < 2:
        return P
    X = np.stack([_standardized(column, name) for column, name in zip(columns, names, strict=True)], axis=1)
    n, k = len(X), min(NEIGHBORS, len(X) - 1)
    with threads_for(n_jobs) as threads:
        nearest, _ = nearest_different(X + JITTER * np.random.default_rng(0).standard_normal(X.shape), k, threads)
    rows = csr_array((np.ones(n * k), nearest.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
    alike = csr_array(rows.maximum(rows.T))
    if not P.nnz:
        return graphs.canonical(alike)
    return graphs.canonical(csr_array((1.0 - share) * P + (share * np.sum(P.data) / np.sum(alike.data)) * alike))


def _columns(network: graphs.Network, given: Any) -> tuple[list[np.ndarray], list[str]]:
    """Return the columns of a table with a row for each node, and their names."""
    host, n = network.host, len(network.labels)
    if isinstance(given, str):
        names = [name.strip() for name in given.split(",")]
        return [host.values(name, "feature") for name in names], [repr(name) for name in names]
    names = [repr(name) for name in getattr(given, "columns", ())]
    rows = _rows(network, given)
    if len(rows) != n:
        raise InputError(f"features has {len(rows)} rows and the graph has {n} nodes; {FORM}")
    width = {np.size(row) for row in rows}
    if len(width) > 1 or any(np.ndim(row) > 1 for row in rows):
        raise InputError("features has rows of different lengths; give each node the same number of values")
    count = width.pop() if width else 0
    if n and not count:
        raise InputError(f"features has no columns; {FORM}")
    names = names if len(names) == count else [str(k) for k in range(count)]
    table = [np.atleast_1d(np.asarray(row)).tolist() for row in rows]

    def node(k: int) -> str:
        return f"node {short_repr(network.labels[k])}"

    columns = [numbers([row[k] for row in table], f"feature {name}", node) for k, name in enumerate(names)]
    return columns, names


def _rows(network: graphs.Network, given: Any) -> Sequence[Any] | np.ndarray:
    """Return the rows of a table in the order of the nodes."""
    labels = network.host.aliases[0]
    if hasattr(given, "obsm") and hasattr(given, "X"):
        raise InputTypeError("features is an AnnData object; give one of its tables, as adata.obsm['X_pca']")
    if issparse(given):
        return given.toarray()
    if hasattr(given, "columns") and hasattr(given, "to_numpy"):
        own, values = list(getattr(given, "index", ())), given.to_numpy()
        index: dict[Any, int] = {label: k for k, label in enumerate(own)}
        if len(index) < len(own):
            twice = next(label for k, label in enumerate(own) if index[label] != k)
            raise InputError(f"the frame features has two rows for {short_repr(twice)}; give each node one row")
        if all(label in index for label in labels):
            return values[[index[label] for label in labels]]
        if any(label in index for label in labels):
            lacking = next(label for label in labels if label not in index)
            raise InputError(
                f"the frame features has no row for node {short_repr(lacking)}; give every node one, or "
                "frame.to_numpy() for rows in the order of the nodes"
            )
        if own and labels and not isinstance(network.labels, range) and own != list(range(len(own))):
            raise InputError(
                f"the frame features has no row for a node of the graph: its index is like {short_repr(own[0])}, and "
                f"nodes are like {short_repr(network.labels[0])}; set the index to the nodes, or give "
                "frame.to_numpy() for rows in the order of the nodes"
            )
        return values
    mapping = as_mapping(given)
    if mapping is not None:
        return _of_mapping(network, mapping)
    if isinstance(given, (list, tuple)):
        return given
    opened = network.host.opened(given)
    if hasattr(opened, "__array__") and np.ndim(opened):
        return np.asarray(opened)
    raise InputTypeError(f"features must be a table, got {short_repr(given)}; {FORM}")


def _of_mapping(network: graphs.Network, mapping: Mapping[Hashable, Any]) -> list[Any]:
    """Return the values of a dict in the order of the nodes."""
    found = network.host.objects(mapping, "features")
    lacking = [k for k, value in enumerate(found) if value is None]
    if lacking:
        raise InputError(
            f"node {short_repr(network.labels[lacking[0]])} has no features ({len(lacking):,} of {len(found):,} nodes "
            "have none); give every node a row"
        )
    return list(found)


def _standardized(column: np.ndarray, name: str) -> np.ndarray:
    """Return a column with mean 0 and variance 1; `InputError` for one value alone."""
    unit = float(np.abs(column).max()) or 1.0
    about = column / unit
    about = about - np.sum(about) / len(about)
    spread = float(np.sqrt(np.sum(about * about) / len(about)))
    if not spread > 1e-12:
        raise InputError(
            f"feature {name} has the value {column[0]:g} at every node, which tells no nodes apart; leave it out"
        )
    return about / spread
