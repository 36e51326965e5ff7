"""JSON of Cytoscape and Cytoscape.js (.cyjs): elements with data, and positions in pixels whose y points down.

>>> source = Source("-", b'{"elements": {"nodes": [{"data": {"id": "a"}, "position": {"x": 1, "y": 2}}], "edges": []}}')
>>> read_cytoscape(source).node_data
{'x': [1.0], 'y': [-2.0]}
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

__all__ = ["CYTOSCAPE", "read_cytoscape", "to_cytoscape"]

EXPECTED = '{"elements": {"nodes": [{"data": {"id": ...}}, ...], "edges": [{"data": {"source": ..., "target": ...}}]}}'
# Fields of `data` that Cytoscape gives every element for itself.
INTERNAL = {"SUID", "selected", "shared_name", "shared_interaction"}


def read_cytoscape(source: Source) -> GraphFile:
    """The graph of a Cytoscape file; nodes are named by "id", and their positions become x and y, y pointing up.

    networkx writes the label of a node as "value" beside its id as text: then it is named by that.
    """
    data = load_json(source)
    elements = data.get("elements") if isinstance(data, dict) else None
    if isinstance(elements, list):  # of both kinds, told apart by their ends
        nodes = [each for each in elements if "source" not in _data(source, each)]
        elements = {"nodes": nodes, "edges": [each for each in elements if "source" in _data(source, each)]}
    if not isinstance(elements, dict) or not isinstance(elements.get("nodes"), list):
        raise source.unreadable(f"cannot be read as cytoscape; expected {EXPECTED}")
    nodes = []
    values = {}
    for k, element in enumerate(elements["nodes"]):
        own = {name: value for name, value in _data(source, element).items() if name not in INTERNAL}
        if "id" not in own:
            raise source.broken(f'node {k} has no "id"; expected {EXPECTED}')
        label = own.pop("value") if str(own.get("value")) == str(own["id"]) else own["id"]
        values[str(own["id"])] = label
        place = element.get("position")
        if isinstance(place, dict) and all(_is_number(place.get(axis)) for axis in "xy"):
            own.update(x=float(place["x"]), y=-float(place["y"]))
        nodes.append({**own, "id": label})
    edges = []
    for element in elements.get("edges") or []:
        own = {name: value for name, value in _data(source, element).items() if name not in {*INTERNAL, "id"}}
        for end in ("source", "target"):
            if end in own:
                own[end] = values.get(str(own[end]), own[end])
        edges.append(own)
    ends = {(str(edge.get("source")), str(edge.get("target"))) for edge in edges}
    multiple = bool(data.get("multigraph")) or len(ends) < len(edges)
    whole = {"directed": bool(data.get("directed")), "multigraph": multiple, "nodes": nodes, "edges": edges}
    return build(source, whole, "cytoscape")


def to_cytoscape(G: Any, labels: Sequence[Hashable], Y: np.ndarray, look: Look = PLAIN) -> bytes:
    """Elements with a position each, and a style that shows their size, color and name.

    Cytoscape.js draws the content as it is: ``cytoscape({container: ..., ...content})``; so do Cytoscape and
    `networkx.cytoscape_graph` read it.
    """
    H = scalars(G, labels, Y, "cytoscape", look)
    nodes = []
    for k, label in enumerate(labels):
        taken = {"id", "value"} if look.names is None else {"id", "value", "name"}
        own = {f"own_{n}" if n in taken else n: x for n, x in plain(H.nodes[label]).items()}
        name = own.get("name", str(label)) if look.names is None else look.names[k]
        shown: dict[str, Any] = {"id": str(label), "value": _name(label), "name": name}
        if look.sizes is not None:
            shown["size"] = float(look.sizes[k])
        if look.colors is not None:
            shown["color"] = look.colors[k]
        x, y = own.pop("x"), own.pop("y", 0.0)
        nodes.append({"data": {**own, **shown}, "position": {"x": x, "y": -y}})
    edges = []
    for u, v, *key, attributes in H.edges(data=True, **({"keys": True} if H.is_multigraph() else {})):
        own = {f"own_{n}" if n in {"id", "source", "target", "key"} else n: x for n, x in plain(attributes).items()}
        ends = {"source": _name(u), "target": _name(v), **({"key": key[0]} if key else {})}
        edges.append({"data": {**own, **ends}})
    look_of_nodes: dict[str, str] = {"label": "data(name)"}
    if look.sizes is not None:
        look_of_nodes.update(width="data(size)", height="data(size)")
    if look.colors is not None:
        look_of_nodes["background-color"] = "data(color)"
    style: list[dict[str, Any]] = [{"selector": "node", "style": look_of_nodes}]
    if H.is_directed():
        style.append({"selector": "edge", "style": {"curve-style": "bezier", "target-arrow-shape": "triangle"}})
    data = {
        "data": {},
        "directed": H.is_directed(),
        "multigraph": H.is_multigraph(),
        "elements": {"nodes": nodes, "edges": edges},
        "layout": {"name": "preset"},
        "style": style,
    }
    return encode_json(data)


def _name(label: Hashable) -> str | int:
    """Whole numbers as they are, all else as text: what `networkx.cytoscape_graph` takes for a node."""
    return label if isinstance(label, int) and not isinstance(label, bool) else str(label)


def _data(source: Source, element: Any) -> dict[str, Any]:
    own = element.get("data") if isinstance(element, dict) else None
    if not isinstance(own, dict):
        raise source.broken(f'an element has no "data"; expected {EXPECTED}')
    return own


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


CYTOSCAPE = FileFormat(
    "cytoscape",
    ("cyjs",),
    re.compile(r'\s*\{.*?"elements"\s*:\s*[\[{]', re.DOTALL),
    read_cytoscape,
    to_cytoscape,
    viewer=1000.0,
)
