"""Positions with their nodes, out of files and into one networkx graph with its labels."""

from __future__ import annotations

import csv
import io
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from nelayout.errors import InputError
from nelayout.graphs import library_of, per_node, places
from nelayout.graphs.files.record import GraphFile
from nelayout.graphs.files.source import Source

__all__ = ["as_networkx", "as_record", "place_nodes", "read_columns", "read_csv"]

AXIS_NAMES = (("x", "y", "z"), ("X", "Y", "Z"))
# How the column that names the nodes is called, the likeliest first; "row" in embeddings of vectors.
NODE_NAMES = ("node", "row", "id", "label", "name")


def place_nodes(pos: Any, file: GraphFile) -> np.ndarray:
    """(n, dim) positions in the order of the file's nodes; keys may be its labels, or the graph's own.

    Raises `InputError` naming a node without position, or with another number of coordinates.
    """
    opened = places(pos)
    aliases = [file.labels, *file.host.aliases]
    Y = per_node.positions(opened.given, opened.dim, aliases)
    missing = np.isnan(Y).any(axis=1)
    if missing.any():
        raise InputError(f"node {file.labels[int(np.argmax(missing))]!r} has no position; every node needs one")
    return Y


def as_record(graph: Any) -> GraphFile:
    """Record of a graph of any host, with labels as `nelayout.graphs.read` gives them."""
    return graph if isinstance(graph, GraphFile) else GraphFile(graph, library_of(graph).host(graph).aliases[0])


def as_networkx(file: GraphFile) -> Any:
    """The record's graph as a networkx graph with the same labels, node and edge attributes."""
    return library_of(file.graph).as_networkx(file.graph, file.labels, file.node_data)


def read_csv(source: Source) -> tuple[list[str], np.ndarray]:
    """Labels (text) and positions of a table with a header: the first column names nodes, then x, y, z."""
    text = source.text()
    separator = "\t" if "\t" in text.splitlines()[0] else ","
    try:
        rows = list(csv.reader(io.StringIO(text), delimiter=separator))
    except csv.Error as error:
        raise source.broken(f"cannot be read as a table: {error}; fetch or write it again") from None
    header = [name.strip().lower() for name in rows[0]]
    columns = [header.index(axis) for axis in ("x", "y", "z") if axis in header]
    if "x" not in header:
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
    """Labels and positions out of node data: `positions` of an archive, x, y, z, `coords`, or GEXF's viz.

    The y of Pajek points down, and is turned up; its z is left out where all nodes have the same, as in the plane.

    In other files than archives, an attribute `positions` or `coords` is one of the graph's own.
    """
    data: Mapping[str, Any] = file.node_data
    down = file.format == "pajek"
    if file.format == "npz" and "positions" in data:
        return _where_known(file, data["positions"], name)
    for axes in AXIS_NAMES:
        present = [axis for axis in axes if axis in data]
        if down and "z" in present and len(set(data["z"])) == 1:
            present.remove("z")
        if axes[0] in present:
            rows = zip(*(_upward(data[axis]) if down and axis == "y" else data[axis] for axis in present), strict=True)
            return _where_known(file, [[np.nan if value is None else value for value in row] for row in rows], name)
    if "coords" in data:
        return _where_known(file, data["coords"], name)
    if "viz" in data:
        spots = [(viz or {}).get("position", {}) for viz in data["viz"]]
        return _where_known(file, [[spot.get(axis, np.nan) for axis in ("x", "y")] for spot in spots], name)
    raise InputError(
        f"{name} holds no positions; expected node attributes x and y, or an array positions or coords"
    )


def _upward(values: Iterable[Any]) -> list:
    return [None if value is None else -value for value in values]


def _where_known(file: GraphFile, rows: Any, name: str) -> tuple[list[Hashable], np.ndarray]:
    try:
        Y = np.asarray(rows, dtype=np.float64).reshape(len(file.labels), -1 if len(file.labels) else 2)
    except (TypeError, ValueError):
        raise InputError(f"{name} holds no positions: its attributes x, y or coords are no numbers") from None
    known = np.isfinite(Y).all(axis=1)
    return [file.labels[k] for k in np.flatnonzero(known).tolist()], Y[known]
