"""A graph with its positions -> the bytes of a file; each format's record names its writer.

JSON, GraphML, GEXF and npz hold the whole graph and can be read again; CSV holds the positions only.  Numbers
are written such that they read back as the same floats.  The formats of viewers hold a `Look` as well.
"""

from __future__ import annotations

import io
import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from nelayout.graphs.arrays import edges as matrix_edges
from nelayout.graphs.files.encode import encode_csv, encode_json, encode_npz
from nelayout.graphs.files.look import PLAIN, Look, text_labels

__all__ = ["axes", "item", "matrix_to_json", "plain", "scalars", "to_csv", "to_gexf", "to_graphml", "to_json", "to_npz"]

AXES = ("x", "y", "z")
# Attributes in which networkx looks for GEXF's own things, such as the name of a node; those of a graph are renamed.
GEXF_WORDS = {"id", "pid", "parents", "slices", "spells", "viz"}


def axes(dim: int) -> list[str]:
    """Column names of coordinates: x, y, z; x1 ... xd beyond three dimensions."""
    return list(AXES[:dim]) if dim <= 3 else [f"x{k + 1}" for k in range(dim)]


def to_json(G: Any, labels: Sequence[Hashable], Y: np.ndarray, look: Look = PLAIN) -> bytes:
    """Node-link: nodes with id, their attributes, x and y; edges with theirs, under "edges"."""
    own = dict(G.nodes(data=True))
    nodes = [{**plain(_others(own[label])), "id": label} if own[label] else {"id": label} for label in labels]
    edges = []
    for u, v, *key, attributes in G.edges(data=True, **_keys(G)):
        edge = plain(attributes) if attributes else {}
        if key:
            edge["key"] = key[0]
        edge["source"], edge["target"] = u, v
        edges.append(edge)
    return _node_link(G.is_directed(), G.is_multigraph(), nodes, edges, Y)


def matrix_to_json(G: Any, labels: Sequence[Hashable], Y: np.ndarray) -> bytes:
    """The graph of a matrix, as `to_json` writes it, without the time and the memory of a networkx graph."""
    directed, ends, weights = matrix_edges(G, labels)
    if weights is None:
        edges = [{"source": u, "target": v} for u, v in ends]
    else:
        numbers = plain(dict(enumerate(weights))).values() if not np.isfinite(weights).all() else weights
        edges = [{"weight": w, "source": u, "target": v} for (u, v), w in zip(ends, numbers, strict=True)]
    return _node_link(directed, False, [{"id": label} for label in labels], edges, Y)


def _node_link(directed: bool, multigraph: bool, nodes: list[dict], edges: list[dict], Y: np.ndarray) -> bytes:
    """The file of nodes without coordinates and edges, with the coordinates Y (n, d)."""
    for name, column in zip(axes(Y.shape[1]), Y.T.tolist(), strict=True):
        for node, value in zip(nodes, column, strict=True):
            node[name] = value
    data = {"directed": directed, "multigraph": multigraph, "graph": {}, "nodes": nodes, "edges": edges}
    return encode_json(data, default=item)


def to_csv(G: Any, labels: Sequence[Hashable], Y: np.ndarray, look: Look = PLAIN) -> bytes:
    """One row per node: node, x, y (and z)."""
    rows = ([item(label), *row] for label, row in zip(labels, Y.tolist(), strict=True))
    return encode_csv(["node", *axes(Y.shape[1])], rows)


def to_graphml(G: Any, labels: Sequence[Hashable], Y: np.ndarray, look: Look = PLAIN) -> bytes:
    """GraphML with the node attributes x, y (and z), size, r, g, b and label.

    Gephi finds them by these names, and takes r, g and b as whole numbers (its class ImporterGraphML).
    """
    import networkx

    H = scalars(G, labels, Y, "graphml", look)
    for k, label in enumerate(labels):
        shown = H.nodes[label]
        if look.sizes is not None:
            shown["size"] = float(look.sizes[k])
        if look.colors is not None:
            shown.update(zip("rgb", look.channels(k), strict=True))
        if look.names is not None:
            shown["label"] = look.names[k]
    buffer = io.BytesIO()
    networkx.write_graphml(H, buffer)
    return buffer.getvalue()


def to_gexf(G: Any, labels: Sequence[Hashable], Y: np.ndarray, look: Look = PLAIN) -> bytes:
    """GEXF with the node attributes x and y, and viz:position, viz:size and viz:color, which Gephi draws."""
    import networkx

    H = scalars(G, labels, Y, "gexf", Look(names=look.names))
    for own in (*H.nodes.values(), *H.edges.values()):
        for name in GEXF_WORDS & own.keys():
            own[f"own_{name}"] = own.pop(name)
    for k, (label, row) in enumerate(zip(labels, Y.tolist(), strict=True)):
        x, y, z = [*row, 0.0, 0.0][:3]
        shown: dict[str, Any] = {"position": {"x": x, "y": y, "z": z}}
        if look.sizes is not None:
            shown["size"] = float(look.sizes[k])
        if look.colors is not None:
            shown["color"] = {**dict(zip("rgb", look.channels(k), strict=True)), "a": 1.0}
        if look.names is not None:
            H.nodes[label]["label"] = look.names[k]
        H.nodes[label]["viz"] = shown
    buffer = io.BytesIO()
    networkx.write_gexf(H, buffer)
    return buffer.getvalue()


def to_npz(G: Any, labels: Sequence[Hashable], Y: np.ndarray, look: Look = PLAIN) -> bytes:
    """Arrays `positions`, `labels`, `rows`, `cols`, `n`, `directed`, and `weights` if an edge has one."""
    index = {label: k for k, label in enumerate(labels)}
    edges = list(G.edges(data="weight"))
    arrays: dict[str, Any] = {
        "positions": Y,
        "labels": _label_array(labels),
        "rows": np.array([index[u] for u, _, _ in edges], dtype=np.int64),
        "cols": np.array([index[v] for _, v, _ in edges], dtype=np.int64),
        "n": np.array(len(labels)),
        "directed": np.array(G.is_directed()),
    }
    if any(weight is not None for _, _, weight in edges):
        arrays["weights"] = np.array([1.0 if weight is None else float(weight) for _, _, weight in edges])
    return encode_npz(arrays)


def _keys(G: Any) -> dict[str, bool]:
    return {"keys": True} if G.is_multigraph() else {}


def _others(attributes: dict) -> dict:
    """A node's attributes but its coordinates, of which an old z or y would stand beside new ones."""
    return {name: value for name, value in attributes.items() if name not in AXES}


def plain(attributes: dict) -> dict[str, Any]:
    """Attributes as JSON knows them: text as names, no NaN."""
    return {
        str(name): None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in attributes.items()
    }


def item(value: Any) -> Any:
    """A plain Python value for one of NumPy's, and text for anything else that formats do not know."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    return str(value)


def scalars(G: Any, labels: Sequence[Hashable], Y: np.ndarray, file_format: str, look: Look = PLAIN) -> Any:
    """A copy in which every attribute is a text, a number or a boolean, with coordinates: viewers know no others.

    An attribute of a node that is called like one of the look's is renamed "own_...".  Raises `InputError` where two
    labels are the same text, as which the format knows them.
    """
    text_labels(labels, file_format)

    def known(attributes: dict) -> dict[str, Any]:
        result = {}
        for name, value in attributes.items():
            value = value.item() if isinstance(value, np.generic) else value
            if value is not None:
                result[str(name)] = value if isinstance(value, (str, int, float, bool)) else str(value)
        return result

    H = G.__class__()
    names = axes(Y.shape[1])
    for label, row in zip(labels, Y.tolist(), strict=True):
        own = {f"own_{key}" if key in look.taken else key: x for key, x in known(_others(G.nodes[label])).items()}
        H.add_nodes_from([(label, {**own, **dict(zip(names, row, strict=True))})])
    for u, v, *key, attributes in G.edges(data=True, **_keys(G)):
        index = H.add_edge(u, v, *key)
        (H.edges[u, v] if index is None else H.edges[u, v, index]).update(known(attributes))
    return H


def _label_array(labels: Sequence[Hashable]) -> np.ndarray:
    """Whole numbers as integers, everything else as text (no pickle)."""
    if all(isinstance(label, (int, np.integer)) and not isinstance(label, bool) for label in labels):
        return np.array(list(labels), dtype=np.int64)
    return np.array([str(label) for label in labels])
