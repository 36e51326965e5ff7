"""JSON: node-link (networkx, D3, vis.js), Cytoscape.js, graphology (sigma.js) and JSON Graph; its content says which.

>>> source = Source("-", b'{"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]}')
>>> list(read_json(source).graph.edges)
[('a', 'b')]
>>> source = Source("-", b'{"elements": {"nodes": [{"data": {"id": "a"}, "position": {"x": 1, "y": 2}}], "edges": []}}')
>>> read_json(source).node_data
{'x': [1.0], 'y': [-2.0]}
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from nelayout.errors import InputError
from nelayout.graphs.files.encode import encode_json
from nelayout.graphs.files.record import PLAIN, FileFormat, GraphFile, Look, from_networkx, graph_of
from nelayout.graphs.files.source import Source
from nelayout.graphs.files.tables import count_of
from nelayout.graphs.files.writers import axes, edges_of, item, plain, renamed, scalars, without_axes

__all__ = ["CYTOSCAPE", "GRAPHOLOGY", "NODE_LINK", "read_json", "to_cytoscape", "to_graphology", "to_json"]

NODE_LINKS = '{"nodes": [{"id": ...}, ...], "links" or "edges": [{"source": ..., "target": ...}, ...]}'
ELEMENTS = '{"elements": {"nodes": [{"data": {"id": ...}}, ...], "edges": [{"data": {"source": ..., "target": ...}}]}}'
KEYS = '{"nodes": [{"key": ..., "attributes": {...}}, ...], "edges": [{"source": ..., "target": ...}, ...]}'
EXPECTED = f"{NODE_LINKS}, or the JSON of Cytoscape.js, graphology or JSON Graph"
# Fields that Cytoscape gives every element for itself.
INTERNAL = {"SUID", "selected", "shared_name", "shared_interaction"}
# Fields of an edge, beside which an attribute of that name is renamed.
ENDS = {"source", "target", "from", "to", "key"}


def read_json(source: Source) -> GraphFile:
    """The graph of a JSON file of any form.

    Nodes are named by "id" (without it by "key" or "name", or by their place); "source" and "target" are ids, or
    places where no end is an id (D3).  Repeated edges make a multigraph, so that their weights add up.
    """
    try:
        data = json.loads(source.text())
    except json.JSONDecodeError as error:
        raise source.unreadable(f"no valid JSON: {error.msg}", error.lineno) from None
    except RecursionError:
        raise source.unreadable("no valid JSON: brackets are nested too deeply") from None
    except InputError:
        raise
    except ValueError:  # Python's limit of digits
        raise source.unreadable("no valid JSON: a whole number has thousands of digits") from None
    notes: tuple[str, ...] = ()
    if isinstance(data, dict) and isinstance(data.get("graphs"), list) and data["graphs"]:
        notes = (f"the first of {len(data['graphs'])} graphs is read",) if len(data["graphs"]) > 1 else ()
        data = {"graph": data["graphs"][0]}
    if isinstance(data, dict) and isinstance(data.get("graph"), dict) and "nodes" in data["graph"]:
        data = _json_graph(data["graph"])
    elif isinstance(data, dict) and isinstance(data.get("nodes"), dict):
        data = _json_graph(data)
    if _holds(data, "data") or (isinstance(data, dict) and "elements" in data):
        return _cytoscape(source, data, notes)
    if isinstance(data, dict) and _holds(data.get("nodes"), "data") and "id" not in data["nodes"][0]:
        return _cytoscape(source, {"elements": data}, notes)
    if isinstance(data, dict) and _holds(data.get("nodes"), "attributes") and "key" in data["nodes"][0]:
        return _graphology(source, data, notes)
    if _holds(data, "source", "from"):
        data = {"nodes": None, "edges": data}
    return _build(source, data, "json", notes)


def _holds(listed: Any, *names: str) -> bool:
    """Whether a list begins with an object that has one of the fields."""
    return (
        isinstance(listed, list)
        and bool(listed)
        and isinstance(listed[0], dict)
        and not listed[0].keys().isdisjoint(names)
    )


def _json_graph(data: dict) -> dict:
    """JSON Graph as node-link: nodes may be an object keyed by their ids, and attributes stand under "metadata"."""

    def flat(entry: Any) -> Any:
        own = entry.get("metadata") if isinstance(entry, dict) else None
        others = {k: x for k, x in entry.items() if k != "metadata"} if isinstance(own, dict) else entry
        return {**own, **others} if isinstance(own, dict) else others

    nodes, edges = data["nodes"], data.get("edges", data.get("links"))
    keyed = isinstance(nodes, dict)
    if keyed:
        nodes = [{**(flat(node) if isinstance(node, dict) else {}), "id": name} for name, node in nodes.items()]
    listed = [flat(node) for node in nodes] if isinstance(nodes, list) else nodes
    links = [flat(edge) for edge in edges] if isinstance(edges, list) else [] if edges is None and keyed else edges
    return {"directed": keyed, **data, "nodes": listed, "edges": links}


def _build(source: Source, data: Any, form: str, notes: tuple[str, ...]) -> GraphFile:
    """The graph of node-link data."""
    edges = data.get("edges", data.get("links")) if isinstance(data, dict) else None
    nodes = data.get("nodes") if isinstance(data, dict) else None
    if not isinstance(edges, list) or not (isinstance(nodes, list) or (nodes is None and edges and form == "json")):
        raise source.unreadable(f"cannot be read as json node-link; expected {EXPECTED}")
    labels: dict[Any, dict] = {}
    for k, node in enumerate(nodes or []):
        own = dict(node) if isinstance(node, dict) else {"id": node}
        key = next((name for name in ("id", "key", "name") if name in own), None)
        label = _hashable(k if key is None else own.pop(key))
        if label in labels:
            raise source.broken(f"node {k} has the id {label!r} of another node; rename or remove one")
        labels[label] = own
    ends = [
        tuple(_end(source, edge, k, names) for names in (("source", "from"), ("target", "to")))
        for k, edge in enumerate(edges)
    ]
    if nodes is None:
        labels = {end: {} for pair in ends for end in pair}
    ends, said = _known(source, list(labels), ends)
    directed, told = bool(data.get("directed")), bool(data.get("multigraph"))
    repeated = len(ends) - len({pair if directed else frozenset(pair) for pair in ends})
    missing, listed = 0, []
    for (u, v), edge in zip(ends, edges, strict=True):
        own = {str(name): value for name, value in edge.items()}
        for name in ("source" if "source" in own else "from", "target" if "target" in own else "to"):
            del own[name]
        key = _hashable(own.pop("key", None)) if told else None
        missing += sum(value is None for value in own.values())
        listed.append((u, v, key, {name: value for name, value in own.items() if value is not None}))
    named = {label: {str(name): value for name, value in own.items()} for label, own in labels.items()}
    G = graph_of(named, listed, directed, told)
    if repeated and not told:
        said = (*said, f"{count_of(repeated, 'repeated edge')}: the graph is a multigraph, where weights add up")
    if missing:
        said = (*said, f"{count_of(missing, 'value')} of edges null: counted as missing")
    return from_networkx(G, form, (*notes, *said))


def _end(source: Source, edge: Any, k: int, names: tuple[str, str]) -> Any:
    if not isinstance(edge, dict):
        raise source.broken(f"edge {k} is no object; expected {EXPECTED}")
    name = next((name for name in names if name in edge), None)
    if name is None:
        raise source.broken(f'edge {k} has no "{names[0]}"; expected {NODE_LINKS}')
    end = edge[name]  # D3 puts the node itself in the place of its id once it was drawn
    return _hashable(end.get("id", end.get("name")) if isinstance(end, dict) else end)


def _known(source: Source, labels: list, ends: list[tuple]) -> tuple[list[tuple], tuple[str, ...]]:
    """The nodes at the ends: ids, ids of another type (1 and "1"), or places where no end is an id."""
    every, texts = {end for pair in ends for end in pair}, {str(label): label for label in labels}
    strangers = every.difference(labels)
    if not strangers:
        return ends, ()
    if len(texts) == len(labels) and all(str(end) in texts for end in strangers):
        note = f"{len(strangers)} ids are numbers in one place and text in another, and are taken as the same"
        return [tuple(end if end not in strangers else texts[str(end)] for end in pair) for pair in ends], (note,)
    if len(strangers) == len(every) and all(type(end) is int and 0 <= end < len(labels) for end in every):
        return [tuple(labels[end] for end in pair) for pair in ends], ()
    k = next(k for k, pair in enumerate(ends) if not strangers.isdisjoint(pair))
    stranger = next(end for end in ends[k] if end in strangers)
    raise source.broken(f"edge {k} names the node {stranger!r}, which does not exist")


def _hashable(value: Any) -> Any:
    """Labels that were tuples are lists in JSON."""
    if isinstance(value, dict):
        return json.dumps(value)
    return tuple(_hashable(part) for part in value) if isinstance(value, list) else value


def _cytoscape(source: Source, data: Any, notes: tuple[str, ...]) -> GraphFile:
    """Nodes are named by "id"; positions become x and y, y pointing up.

    networkx writes the label of a node as "value" beside its id as text: then it is named by that.
    """
    elements = data if isinstance(data, list) else data["elements"]
    whole = data if isinstance(data, dict) else {}
    if isinstance(elements, list):  # of both kinds, told apart by their ends
        of_edges = ["source" in _data(source, each) or each.get("group") == "edges" for each in elements]
        elements = {
            kind: [each for each, is_edge in zip(elements, of_edges, strict=True) if is_edge == (kind == "edges")]
            for kind in ("nodes", "edges")
        }
    if not isinstance(elements, dict) or not isinstance(elements.get("nodes"), list):
        raise source.unreadable(f"cannot be read as cytoscape; expected {ELEMENTS}")
    nodes, values = [], {}
    for k, element in enumerate(elements["nodes"]):
        own = {name: value for name, value in _data(source, element).items() if name not in INTERNAL}
        if "id" not in own:
            raise source.broken(f'node {k} has no "id"; expected {ELEMENTS}')
        label = own.pop("value") if str(own.get("value")) == str(own["id"]) else own["id"]
        values[str(own["id"])] = label
        place = element.get("position")
        if isinstance(place, dict) and all(type(place.get(axis)) in (int, float) for axis in "xy"):
            own.update(x=float(place["x"]), y=-float(place["y"]))
        nodes.append({**own, "id": label})
    edges = []
    for element in elements.get("edges") or []:
        own = {name: value for name, value in _data(source, element).items() if name not in {*INTERNAL, "id"}}
        edges.append(
            {**own, **{end: values.get(str(own[end]), own[end]) for end in ("source", "target") if end in own}}
        )
    multiple = bool(whole.get("multigraph"))
    graph = {"directed": bool(whole.get("directed")), "multigraph": multiple, "nodes": nodes, "edges": edges}
    return _build(source, graph, "cytoscape", notes)


def _data(source: Source, element: Any) -> dict[str, Any]:
    own = element.get("data") if isinstance(element, dict) else None
    if not isinstance(own, dict):
        raise source.broken(f'an element has no "data"; expected {ELEMENTS}')
    return own


def _graphology(source: Source, data: dict, notes: tuple[str, ...]) -> GraphFile:
    """Nodes are named by their keys; directed if the options say so, or if an edge is not marked as undirected."""
    if not isinstance(data.get("edges"), list):
        raise source.unreadable(f"cannot be read as graphology; expected {KEYS}")
    nodes = []
    for k, node in enumerate(data["nodes"]):
        if not isinstance(node, dict) or "key" not in node:
            raise source.broken(f'node {k} has no "key"; expected {KEYS}')
        nodes.append({**_attributes(node, {"key"}), "id": node["key"]})
    edges = []
    for k, edge in enumerate(data["edges"]):
        if not isinstance(edge, dict):
            raise source.broken(f"edge {k} is no object; expected {KEYS}")
        own = {f"own_{n}" if n in ENDS else n: x for n, x in _attributes(edge, {"key", "undirected"}).items()}
        edges.append({**own, **{end: edge[end] for end in ("source", "target") if end in edge}})
    options = data["options"] if isinstance(data.get("options"), dict) else {}
    undirected = all(edge.get("undirected") for edge in data["edges"]) and data["edges"]
    directed = options.get("type") == "directed" or (options.get("type") != "undirected" and not undirected)
    multiple = bool(options.get("multi")) and len({(e.get("source"), e.get("target")) for e in edges}) < len(edges)
    graph = {"directed": directed, "multigraph": multiple, "nodes": nodes, "edges": edges}
    return _build(source, graph, "graphology", notes)


def _attributes(entry: dict[str, Any], internal: set[str]) -> dict[str, Any]:
    own = entry.get("attributes")
    others = {name: value for name, value in entry.items() if name not in {*internal, "attributes", "source", "target"}}
    return {**others, **(own if isinstance(own, dict) else {})}


# writing


def to_json(G: Any, labels: Sequence[Hashable], Y: np.ndarray, look: Look = PLAIN) -> bytes:
    """Node-link: nodes with id, their attributes, x and y; edges with theirs, under "edges"."""
    own = dict(G.nodes(data=True))
    nodes = [
        {**renamed(plain(without_axes(own[label])), {"id"}), "id": label} if own[label] else {"id": label}
        for label in labels
    ]
    taken, edges = {"source", "target", *(("key",) if G.is_multigraph() else ())}, []
    for u, v, key, attributes in edges_of(G):
        edge = renamed(plain(attributes), taken) if attributes else {}
        if G.is_multigraph():
            edge["key"] = key
        edge["source"], edge["target"] = u, v
        edges.append(edge)
    return _node_link(G.is_directed(), G.is_multigraph(), nodes, edges, Y)


def matrix_to_json(G: Any, labels: Sequence[Hashable], Y: np.ndarray) -> bytes:
    """The graph of a matrix, as `to_json` writes it, without the time and the memory of a networkx graph."""
    from nelayout.graphs.arrays import edges as matrix_edges

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


def to_cytoscape(G: Any, labels: Sequence[Hashable], Y: np.ndarray, look: Look = PLAIN) -> bytes:
    """Elements with a position each, and a style that shows their size, color and name.

    Cytoscape.js draws the content as it is: ``cytoscape({container: ..., ...content})`` or ``cy.json(content)``; so do
    Cytoscape and `networkx.cytoscape_graph` read it.
    """
    H = scalars(G, labels, Y, "cytoscape", look)
    nodes = []
    for k, label in enumerate(labels):
        taken = {"id", "value"} if look.names is None else {"id", "value", "name"}
        own = renamed(plain(H.nodes[label]), taken)
        name = own.get("name", str(label)) if look.names is None else look.names[k]
        shown: dict[str, Any] = {"id": str(label), "value": _name(label), "name": name}
        if look.sizes is not None:
            shown["size"] = float(look.sizes[k])
        if look.colors is not None:
            shown["color"] = look.colors[k]
        x, y = own.pop("x"), own.pop("y", 0.0)
        nodes.append({"data": {**own, **shown}, "position": {"x": x, "y": -y}})
    texts, mark = set(map(str, labels)), "e"
    while any(f"{mark}{k}" in texts for k in range(H.number_of_edges())):  # elements of both kinds share their ids
        mark += "e"
    edges = []
    for k, (u, v, key, attributes) in enumerate(edges_of(H)):
        own = renamed(plain(attributes), {"id", "source", "target", "key"})
        ends = {"id": f"{mark}{k}", "source": _name(u), "target": _name(v)}
        edges.append({"data": {**own, **ends, **({"key": _name(key)} if H.is_multigraph() else {})}})
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
        for u, v, _, attributes in edges_of(H)
    ]
    options = {
        "type": "directed" if H.is_directed() else "undirected",
        "multi": H.is_multigraph(),
        "allowSelfLoops": True,
    }
    return encode_json({"options": options, "attributes": {}, "nodes": nodes, "edges": edges})


NODE_LINK = FileFormat("json", ("json",), re.compile(r'\s*\{\s*"|\s*\[\s*\{\s*"'), read_json, to_json, matrix_to_json)
CYTOSCAPE = FileFormat(
    "cytoscape",
    ("cyjs",),
    re.compile(r'\s*\{.*?"elements"\s*:\s*[\[{]|\s*(?:\{\s*"nodes"\s*:\s*)?\[\s*\{\s*"data"\s*:', re.DOTALL),
    read_json,
    to_cytoscape,
    viewer=1000.0,
)
GRAPHOLOGY = FileFormat(
    "graphology",
    ("graphology.json",),
    re.compile(r'\s*\{.*?"nodes"\s*:\s*\[\s*\{\s*"key"\s*:[^{}]*"attributes"\s*:\s*\{', re.DOTALL),
    read_json,
    to_graphology,
    viewer=400.0,
)
