"""JSON of graphology, the graphs of sigma.js: nodes with a key and attributes, edges between keys.

>>> source = Source("-", b'{"nodes": [{"key": "a", "attributes": {"x": 1, "y": 2}}], "edges": []}')
>>> read_graphology(source).node_data
{'x': [1], 'y': [2]}
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from nelayout.graphs.files.encode import encode_json
from nelayout.graphs.files.look import PLAIN, Look
from nelayout.graphs.files.nodelink import build, load_json
from nelayout.graphs.files.record import FileFormat, GraphFile
from nelayout.graphs.files.source import Source
from nelayout.graphs.files.writers import plain, scalars

__all__ = ["GRAPHOLOGY", "read_graphology", "to_graphology"]

# Fields of an edge of the house's own, beside which an attribute of that name is renamed.
ENDS = {"source", "target", "from", "to", "key"}
EXPECTED = '{"nodes": [{"key": ..., "attributes": {...}}, ...], "edges": [{"source": ..., "target": ...}, ...]}'


def read_graphology(source: Source) -> GraphFile:
    """The graph of a graphology file; nodes are named by their keys.

    It is directed if its options say so, or else if any edge is not marked as undirected.
    """
    data = load_json(source)
    if not isinstance(data, dict) or not isinstance(data.get("nodes"), list) or not isinstance(data.get("edges"), list):
        raise source.unreadable(f"cannot be read as graphology; expected {EXPECTED}")
    nodes = []
    for k, node in enumerate(data["nodes"]):
        if not isinstance(node, dict) or "key" not in node:
            raise source.broken(f'node {k} has no "key"; expected {EXPECTED}')
        nodes.append({**_attributes(node, {"key"}), "id": node["key"]})
    edges, ends = [], set()
    for k, edge in enumerate(data["edges"]):
        if not isinstance(edge, dict):
            raise source.broken(f"edge {k} is no object; expected {EXPECTED}")
        own = {f"own_{n}" if n in ENDS else n: x for n, x in _attributes(edge, {"key", "undirected"}).items()}
        edges.append({**own, **{end: edge[end] for end in ("source", "target") if end in edge}})
        ends.add((str(edge.get("source")), str(edge.get("target"))))
    options = data["options"] if isinstance(data.get("options"), dict) else {}
    undirected = all(edge.get("undirected") for edge in data["edges"]) and data["edges"]
    whole = {
        "directed": options.get("type") == "directed" or (options.get("type") != "undirected" and not undirected),
        "multigraph": len(ends) < len(edges),
        "nodes": nodes,
        "edges": edges,
    }
    return build(source, whole, "graphology")


def to_graphology(G: Any, labels: Sequence[Hashable], Y: np.ndarray, look: Look = PLAIN) -> bytes:
    """Nodes and edges for ``graph.import(...)``; in sigma.js, y points up and `size` is a radius."""
    H = scalars(G, labels, Y, "graphology", look)
    nodes = []
    for k, label in enumerate(labels):
        own = plain(H.nodes[label])
        shown: dict[str, Any] = {"label": own.get("label", str(label)) if look.names is None else look.names[k]}
        if look.sizes is not None:
            shown["size"] = float(look.sizes[k]) / 2
        if look.colors is not None:
            shown["color"] = look.colors[k]
        nodes.append({"key": str(label), "attributes": {**own, **shown}})
    plainly = {} if H.is_directed() else {"undirected": True}
    edges = [
        {"source": str(u), "target": str(v), "attributes": plain(attributes), **plainly}
        for u, v, attributes in H.edges(data=True)
    ]
    options = {
        "type": "directed" if H.is_directed() else "undirected",
        "multi": H.is_multigraph(),
        "allowSelfLoops": True,
    }
    return encode_json({"options": options, "attributes": {}, "nodes": nodes, "edges": edges})


def _attributes(entry: dict[str, Any], internal: set[str]) -> dict[str, Any]:
    own = entry.get("attributes")
    others = {name: value for name, value in entry.items() if name not in {*internal, "attributes", "source", "target"}}
    return {**others, **(own if isinstance(own, dict) else {})}


GRAPHOLOGY = FileFormat(
    "graphology",
    ("graphology.json",),
    re.compile(r'\s*\{.*?"nodes"\s*:\s*\[\s*\{\s*"key"\s*:[^{}]*"attributes"\s*:\s*\{', re.DOTALL),
    read_graphology,
    to_graphology,
    viewer=400.0,
)
