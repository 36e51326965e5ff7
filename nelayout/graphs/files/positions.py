"""Positions with their nodes, out of files and into one networkx graph with its labels."""

from __future__ import annotations

import csv
import io
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from nelayout.errors import InputError
from nelayout.graphs import arrays, igraph, networkx, per_node
from nelayout.graphs.files.record import GraphFile
from nelayout.graphs.files.source import Source

__all__ = ["as_networkx", "as_record", "placed", "read_columns", "read_csv"]

AXIS_NAMES = (("x", "y", "z"), ("X", "Y", "Z"))
# How the column that names the nodes is called, the likeliest first; "row" in embeddings of vectors.
NODE_NAMES = ("node", "row", "id", "label", "name")


def placed(pos: Any, labels: Sequence[Hashable], numbered: bool) -> np.ndarray:
    """(n, dim) positions in the order of `labels`; with `numbered`, a dict may be keyed by node number too.

    Raises `InputError` naming a node without position, or with another number of coordinates.
    """
    pos = getattr(pos, "coords", pos)  # an igraph.Layout
    mapping = per_node.as_mapping(pos)
    rows = pos if mapping is None else list(mapping.values())
    dim = len(rows[0]) if len(rows) else 2
    Y = per_node.positions(pos, dim, [labels, range(len(labels))] if numbered else [labels])
    missing = np.isnan(Y).any(axis=1)
    if missing.any():
        raise InputError(f"node {labels[int(np.argmax(missing))]!r} has no position; every node needs one")
    return Y


def as_record(graph: Any) -> GraphFile:
    """A record of a host's graph, with labels as `nelayout.graphs.read` gives them."""
    if isinstance(graph, GraphFile):
        return graph
    if networkx.recognizes(graph):
        return GraphFile(graph, list(graph))
    if igraph.recognizes(graph):
        return GraphFile(graph, igraph.IgraphHost(graph).aliases[0])
    if arrays.recognizes(graph):
        return GraphFile(graph, range(graph.shape[0]))
    raise InputError(
        f"{type(graph).__name__} is no graph that can be written; allowed are networkx graphs, igraph.Graph, "
        "square matrices and what read_graph gives"
    )


def as_networkx(file: GraphFile) -> Any:
    """The record's graph as a networkx graph with the same labels, node and edge attributes."""
    G, labels = file.graph, file.labels
    if networkx.recognizes(G):
        return G
    return _from_igraph(G, labels) if igraph.recognizes(G) else _from_matrix(file)


def _from_igraph(G: Any, labels: Sequence[Hashable]) -> Any:
    import networkx as nx

    kinds = (nx.MultiDiGraph, nx.DiGraph) if G.is_directed() else (nx.MultiGraph, nx.Graph)
    H = kinds[0 if G.has_multiple() else 1]()
    for label, vertex in zip(labels, G.vs, strict=True):
        H.add_node(label, **vertex.attributes())
    H.add_edges_from((labels[edge.source], labels[edge.target], edge.attributes()) for edge in G.es)
    return H


def _from_matrix(file: GraphFile) -> Any:
    import networkx as nx
    from scipy.sparse import coo_array, csr_array, triu

    matrix, labels = csr_array(file.graph), file.labels
    apart: Any = matrix - matrix.T
    symmetric = not apart.data.any()
    H = nx.Graph() if symmetric else nx.DiGraph()
    columns = {name: values for name, values in file.node_data.items() if np.ndim(values) == 1}
    H.add_nodes_from(labels)
    for name, values in columns.items():
        if len(values) == len(labels):
            for label, value in zip(labels, values, strict=True):
                H.nodes[label][name] = value
    entries: Any = coo_array(triu(matrix) if symmetric else matrix)
    rows, cols = entries.coords
    ends = [(labels[i], labels[j]) for i, j in zip(rows.tolist(), cols.tolist(), strict=True)]
    if np.all(entries.data == 1):
        H.add_edges_from(ends)
    else:
        weighted = zip(ends, entries.data.tolist(), strict=True)
        H.add_weighted_edges_from((u, v, weight) for (u, v), weight in weighted)
    return H


def read_csv(source: Source) -> tuple[list[str], np.ndarray]:
    """Labels (text) and positions of a table with a header: the first column names nodes, then x, y, z."""
    lines = source.text().splitlines()
    separator = "\t" if "\t" in lines[0] else ","
    rows = list(csv.reader(io.StringIO(source.text()), delimiter=separator))
    header = [name.strip().lower() for name in rows[0]]
    columns = [header.index(axis) for axis in ("x", "y", "z") if axis in header]
    if len(columns) < 2:
        raise source.broken("expected a header with node, x and y", 1)
    name = next((header.index(word) for word in NODE_NAMES if word in header), 0)
    labels, coordinates = [], []
    for line, row in enumerate(rows[1:], 2):
        if not row:
            continue
        try:
            coordinates.append([float(row[column]) for column in columns])
            labels.append(row[name].strip())
        except (ValueError, IndexError):
            raise source.broken(f"expected a node and {len(columns)} numbers, found {row}", line) from None
    return labels, np.array(coordinates).reshape(len(labels), len(columns))


def read_columns(file: GraphFile, name: str) -> tuple[list[Hashable], np.ndarray]:
    """Labels and positions out of node data: `positions` or `coords`, else x, y, z, else GEXF's viz."""
    data: Mapping[str, Any] = file.node_data
    for key in ("positions", "coords"):
        if key in data:
            return _where_known(file, data[key])
    for axes in AXIS_NAMES:
        present = [axis for axis in axes if axis in data]
        if len(present) >= 2:
            rows = zip(*(data[axis] for axis in present), strict=True)
            return _where_known(file, [[np.nan if value is None else value for value in row] for row in rows])
    if "viz" in data:
        spots = [(viz or {}).get("position", {}) for viz in data["viz"]]
        return _where_known(file, [[spot.get(axis, np.nan) for axis in ("x", "y")] for spot in spots])
    raise InputError(
        f"{name} holds no positions; expected node attributes x and y, or an array positions or coords"
    )


def _where_known(file: GraphFile, rows: Any) -> tuple[list[Hashable], np.ndarray]:
    Y = np.asarray(rows, dtype=np.float64)
    known = np.isfinite(Y).all(axis=1)
    return [file.labels[k] for k in np.flatnonzero(known).tolist()], Y[known]
