"""JSON in node-link form, as `networkx.node_link_data` and D3 write it.

>>> source = Source("-", b'{"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]}')
>>> list(read_nodelink(source).graph.edges)
[('a', 'b')]
"""

from __future__ import annotations

import json
import re
from typing import Any

from nelayout.errors import InputError
from nelayout.graphs.files.record import FileFormat, GraphFile, from_networkx
from nelayout.graphs.files.source import Source
from nelayout.graphs.files.writers import matrix_to_json, to_json

__all__ = ["NODE_LINK", "build", "load_json", "read_nodelink"]

EXPECTED = '{"nodes": [{"id": ...}, ...], "links" or "edges": [{"source": ..., "target": ...}, ...]}'


def read_nodelink(source: Source) -> GraphFile:
    """The graph of a node-link file.

    Nodes are named by "id" (without it by "key" or "name", or by their place); edges stand under "edges" or
    "links"; "source" and "target" are ids, or places where no node is called so (D3).
    """
    return build(source, load_json(source), "json")


def load_json(source: Source) -> Any:
    """The JSON value that a file holds; `InputError` naming the line where it holds none."""
    try:
        return json.loads(source.text())
    except json.JSONDecodeError as error:
        raise source.unreadable(f"no valid JSON: {error.msg}", error.lineno) from None
    except RecursionError:
        raise source.unreadable("no valid JSON: brackets are nested too deeply") from None
    except InputError:
        raise
    except ValueError:  # Python's limit of digits
        raise source.unreadable("no valid JSON: a whole number has thousands of digits") from None


def build(source: Source, data: Any, name: str) -> GraphFile:
    """The graph of node-link data, of a file of the format `name`."""
    import networkx

    if isinstance(data, dict) and isinstance(data.get("graph"), dict) and "nodes" in data["graph"]:
        data = data["graph"]
    edges = data.get("edges", data.get("links")) if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(data.get("nodes"), list) or not isinstance(edges, list):
        raise source.unreadable(f"cannot be read as json node-link; expected {EXPECTED}")
    kinds = {
        (False, False): networkx.Graph,
        (True, False): networkx.DiGraph,
        (False, True): networkx.MultiGraph,
        (True, True): networkx.MultiDiGraph,
    }
    G = kinds[bool(data.get("directed")), bool(data.get("multigraph"))]()
    labels: list[Any] = []
    for k, node in enumerate(data["nodes"]):
        attributes = dict(node) if isinstance(node, dict) else {"id": node}
        key = next((name for name in ("id", "key", "name") if name in attributes), None)
        label = _hashable(k if key is None else attributes.pop(key))
        if label in G:
            raise source.broken(f"node {k} has the id {label!r} of another node; rename or remove one")
        labels.append(label)
        G.add_node(label, **{str(name): value for name, value in attributes.items()})

    def end(edge: Any, k: int, *names: str) -> Any:
        name = next((name for name in names if isinstance(edge, dict) and name in edge), None)
        if name is None:
            raise source.broken(f'edge {k} has no "{names[0]}"; expected {EXPECTED}')
        label = _hashable(edge.pop(name))
        if label in G:
            return label
        if isinstance(label, int) and 0 <= label < len(labels):
            return labels[label]
        raise source.broken(f"edge {k} names the node {label!r}, which does not exist")

    for k, edge in enumerate(edges):
        edge = dict(edge) if isinstance(edge, dict) else edge
        u, v = end(edge, k, "source", "from"), end(edge, k, "target", "to")
        key = _hashable(edge.pop("key", None)) if G.is_multigraph() else None
        attributes = {str(name): value for name, value in edge.items()}
        index = G.add_edge(u, v, key=key) if G.is_multigraph() else G.add_edge(u, v)
        (G.edges[u, v] if index is None else G.edges[u, v, index]).update(attributes)
    return from_networkx(G, name)


def _hashable(value: Any) -> Any:
    """Labels that were tuples are lists in JSON."""
    return tuple(_hashable(part) for part in value) if isinstance(value, list) else value


NODE_LINK = FileFormat(
    "json",
    ("json",),
    re.compile(r"\s*\{\s*\""),
    read_nodelink,
    to_json,
    matrix_to_json,
)
