"""Read and write JSON: node-link (networkx, D3, vis.js), Cytoscape.js, graphology.

>>> source = Source("-", b'{"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]}')
>>> list(read_json(source).graph.edges)
[('a', 'b')]
>>> source = Source("-", b'{"elements": {"nodes": [{"data": {"id": "a"}, "position": {"x": 1, "y": 2}}], "edges": []}}')
>>> read_json(source).node_data
{'x': [1.0], 'y': [-2.0]}
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nelayout.errors import InputError, warn
from nelayout.graphs.files.json_shapes import graph_of_cx, graph_of_list, graph_of_vosviewer, is_cx, json_values
from nelayout.graphs.files.record import PLAIN, FileFormat, GraphFile, Look, Reading, Source, count_of, text_labels
from nelayout.graphs.files.writers import axes, edges_of, encode_json, keys_of, plain, renamed, scalars, without_axes
from nelayout.graphs.host import Attributes
from nelayout.graphs.plain import plain_text, python_value
from nelayout.graphs.to_floats import LARGEST_EXACT, short_repr

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["CYTOSCAPE", "GRAPHOLOGY", "NODE_LINK", "read_json", "to_cytoscape", "to_graphology", "to_json"]

NODE_LINKS = '{"nodes": [{"id": ...}, ...], "links" or "edges": [{"source": ..., "target": ...}, ...]}'
OTHERS = "the JSON of Cytoscape.js, graphology, VOSviewer, CX or JSON Graph"
# Field with the attributes of an element -> form, fields with a node's name, and text of the form for messages.
FORMS = {
    "data": (
        "cytoscape",
        ("id",),
        '{"elements": {"nodes": [{"data": {"id": ...}}, ...], "edges": [{"data": {"source": ..., "target": ...}}]}}',
    ),
    "attributes": (
        "graphology",
        ("key",),
        '{"nodes": [{"key": ..., "attributes": {...}}, ...], "edges": [{"source": ..., "target": ...}, ...]}',
    ),
    "metadata": ("json", ("id", "key", "name"), f'{NODE_LINKS}, lines {{"source": ..., "target": ...}}, or {OTHERS}'),
}
# Lists of objects that are read, or only style the graph.
LISTS = {"nodes", "edges", "links", "style"}
# Other shapes of JSON -> how to convert them.
SHAPES = {
    "networkx.adjacency_data": "networkx.adjacency_graph(json.load(file)) reads it in Python",
    "a tree": "networkx.tree_graph(json.load(file)) reads one with the fields id and children in Python",
    "a dict of neighbors": "networkx.Graph(json.load(file)) reads it in Python",
}
# Fields with the ends of an edge, in D3 and in vis.js.
ENDS = (("source", "from"), ("target", "to"))
# Fields that Cytoscape adds to every element for its own use.
INTERNAL = {"SUID", "selected", "shared_name", "shared_interaction"}


def read_json(source: Source) -> GraphFile:
    """Read a JSON file of any form, also JSON Graph: a list of nodes and a list of edges.

    Nodes are named by "id", "key", "name" or their position in the list.  "source" and "target" are ids; if no end
    is an id, they are positions in the list (D3).
    """
    reading = Reading(source, "json")
    data, whole = _graph_in(reading, _loaded(source))
    nodes, edges = whole.get("nodes"), whole.get("edges", whole.get("links"))
    keyed = isinstance(nodes, dict)
    if isinstance(nodes, dict):
        nodes = [{**node, "id": name} if isinstance(node, dict) else {"id": name} for name, node in nodes.items()]
    inner = "data" if "elements" in data else "metadata"
    if isinstance(nodes, list) and _holds(nodes, "data", "key") and "id" not in nodes[0]:
        inner = "data" if "data" in nodes[0] else "attributes"
    reading.name, naming, expected = FORMS[inner]
    edges = [] if edges is None and (keyed or inner == "data") else edges
    if not isinstance(edges, list) or not (isinstance(nodes, list) or (nodes is None and edges and inner != "data")):
        if (other := _shape(whole)) is not None:
            raise source.broken(f"this is {other}, which is not read; {SHAPES[other]}")
        raise source.unreadable(f"cannot be read as {reading.name}; expected {expected}")
    reading.notes += [
        f"the list {name!r} is not read as nodes or edges"
        for name, held in whole.items()
        if name not in LISTS and isinstance(held, list) and held and isinstance(held[0], dict)
    ]
    if inner == "attributes":
        options = data["options"] if isinstance(data.get("options"), dict) else {}
        reading.directed, reading.multigraph = options.get("type") != "undirected", bool(options.get("multi"))
    else:
        reading.directed, reading.multigraph = bool(data.get("directed", keyed)), bool(data.get("multigraph"))
    aliases: Attributes = {}  # networkx writes the label of a node as "value" beside its id as text
    for k, entry in enumerate(nodes or []):
        alone = inner == "metadata" and not isinstance(entry, dict)
        own: Attributes = {"id": entry} if alone else _own(source, entry, f"node {k}", inner)
        field = next((name for name in naming if name in own), None)
        if field is None and inner != "metadata":
            raise source.broken(f'node {k} has no "{naming[0]}"; expected {expected}')
        label = k if field is None else own.pop(field)
        if inner == "data":
            name = str(label)
            label = aliases[name] = own.pop("value") if str(own.get("value")) == name else label
            place = entry.get("position")
            if isinstance(place, dict) and all(type(place.get(axis)) in (int, float) for axis in "xy"):
                own.update(x=float(place["x"]), y=-float(place["y"]))
        reading.node(_hashable(label), own, f"node {k}")
    owns = [_own(source, entry, f"edge {k}", inner) for k, entry in enumerate(edges)]
    ends = [tuple(_end(source, own, k, names) for names in ENDS) for k, own in enumerate(owns)]
    ends = [tuple(aliases.get(str(end), end) for end in pair) for pair in ends] if aliases else ends
    kept = [k for k, pair in enumerate(ends) if not reading.is_nameless(*pair)]
    ends, owns = [ends[k] for k in kept], [owns[k] for k in kept]
    if nodes is None:
        reading.nodes.update({end: {} for pair in ends for end in pair})
    for (u, v), own in zip(_known(reading, ends), owns, strict=True):
        way = own.pop("undirected", None) if inner == "attributes" else None
        key = _hashable(own.pop("key", None)) if reading.multigraph else None
        reading.edge(u, v, own, "" if way is None else "undirected" if way else "directed", key)
    return reading.graph_file()


def _graph_in(reading: Reading, data: Any) -> tuple[Attributes, Attributes]:
    """Return the object that describes the graph, and the object with its nodes and edges."""
    if isinstance(data, dict) and isinstance(data.get("graphs"), list) and data["graphs"]:
        if len(data["graphs"]) > 1:
            reading.notes.append(f"the first of {len(data['graphs'])} graphs is read")
        data = {"graph": data["graphs"][0]}
    if isinstance(data, list) and is_cx(data):
        data = graph_of_cx(data)
    if isinstance(data, dict) and {"source", "target"} <= data.keys():  # one line of JSON lines
        data = [data]
    if isinstance(data, list):
        data = {"elements": data} if _holds(data, "data") else graph_of_list(data)
    data = data if isinstance(data, dict) else {}
    if isinstance(data.get("network"), dict) and "items" in data["network"]:
        data = graph_of_vosviewer(data["network"])
    if isinstance(data.get("graph"), dict) and "nodes" in data["graph"]:
        data = data["graph"]
    whole = data.get("elements", data)
    if isinstance(whole, list):  # nodes and edges in one list; edges have ends
        kinds: dict[str, list] = {"nodes": [], "edges": []}
        for each in whole:
            own = each.get("data") if isinstance(each, dict) else None
            is_edge = isinstance(own, dict) and ("source" in own or each.get("group") == "edges")
            kinds["edges" if is_edge else "nodes"].append(each)
        return data, kinds
    return data, whole if isinstance(whole, dict) else {}


def _shape(data: Attributes) -> str | None:
    """Return the name of another shape of JSON, see `SHAPES`, or None."""
    if isinstance(data.get("adjacency"), list):
        return "networkx.adjacency_data"
    if isinstance(data.get("children"), list):
        return "a tree"
    neighbors = [x for each in data.values() for x in (each if isinstance(each, (list, dict)) else [None])]
    inner = (x for each in data.values() if isinstance(each, dict) for x in each.values())
    plain = all(isinstance(x, (str, int)) for x in neighbors) and all(isinstance(x, dict) for x in inner)
    plain = plain and neighbors and LISTS.isdisjoint(data)
    return "a dict of neighbors" if plain else None


def _loaded(source: Source) -> Any:
    """Parse the text; raise an error for a repeated field, since one value would be lost."""

    def whole(pairs: list[tuple[str, object]]) -> Attributes:
        data = dict(pairs)
        if len(data) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise source.broken(f"an object has the field {short_repr(twice)} twice: {short_repr(data)}; remove one")
        return data

    try:
        return json_values(source.text, whole)
    except json.JSONDecodeError as error:
        raise source.unreadable(f"not valid JSON: {error.msg}", error.lineno) from None
    except RecursionError:
        raise source.unreadable("not valid JSON: brackets are nested too deeply") from None
    except InputError:
        raise
    except ValueError:  # Python's limit of digits
        raise source.unreadable("not valid JSON: a whole number has thousands of digits") from None


def _holds(listed: object, *names: str) -> bool:
    """Return whether a list begins with an object that has one of the fields."""
    first = listed[0] if isinstance(listed, list) and listed else None
    return isinstance(first, dict) and not first.keys().isdisjoint(names)


def _own(source: Source, entry: object, where: str, inner: str) -> Attributes:
    """Return the attributes of a node or an edge, with its name and its ends."""
    expected = FORMS[inner][2]
    if not isinstance(entry, dict):
        raise source.broken(f"{where} is not an object; expected {expected}")
    own = entry.get(inner)
    if inner == "data":
        if not isinstance(own, dict):
            raise source.broken(f'{where}: an element has no "data"; expected {expected}')
        ends = {"id"} if where.startswith("edge") else set()
        return {name: value for name, value in own.items() if name not in INTERNAL | ends}
    if not isinstance(own, dict):
        return {str(name): value for name, value in entry.items() if name != inner or inner == "metadata"}
    edge = inner == "attributes" and where.startswith("edge")
    outer = {name: value for name, value in entry.items() if name != inner and not (edge and name == "key")}
    return {**renamed(own, outer), **outer}


def _end(source: Source, own: Attributes, k: int, names: tuple[str, str]) -> Hashable:
    name = next((name for name in names if name in own), None)
    if name is None:
        raise source.broken(f'edge {k} has no "{names[0]}"; expected {NODE_LINKS}')
    end = own.pop(name)  # D3 replaces the id by the node itself after a layout
    return _hashable(end.get("id", end.get("name")) if isinstance(end, dict) else end)


def _known(reading: Reading, ends: list[tuple]) -> list[tuple]:
    """Return the nodes at the ends: ids, ids of another type (1, "1"), or list positions."""
    labels = list(reading.nodes)
    every, texts = {end for pair in ends for end in pair}, {str(label): label for label in labels}
    strangers = every.difference(labels)
    if not strangers:
        return ends
    if len(texts) == len(labels) and all(str(end) in texts for end in strangers):
        same = "are numbers in one place and text in another, and are taken as the same"
        reading.notes.append(f"{count_of(len(strangers), 'id')} {same}")
        return [tuple(end if end not in strangers else texts[str(end)] for end in pair) for pair in ends]
    if len(strangers) == len(every) and all(type(end) is int and 0 <= end < len(labels) for end in every):
        return [tuple(labels[end] for end in pair) for pair in ends]
    k = next(k for k, pair in enumerate(ends) if not strangers.isdisjoint(pair))
    stranger = next(end for end in ends[k] if end in strangers)
    large = isinstance(stranger, (int, float)) and abs(stranger) >= LARGEST_EXACT
    how = "JavaScript rounds such numbers: write them as text" if large else "name one that does"
    raise reading.source.broken(f"edge {k} names the node {stranger!r}, which does not exist; {how}")


def _hashable(value: object) -> Hashable:
    """Convert lists back to tuples, which JSON cannot store as labels."""
    if isinstance(value, dict):
        return json.dumps(value)
    return tuple(_hashable(part) for part in value) if isinstance(value, list) else value


# writing


def to_json(
    G: nx.Graph, labels: Sequence[Hashable], Y: np.ndarray, look: Look = PLAIN, links: str = "edges"
) -> bytes:
    """Encode as node-link: nodes with id, attributes, x and y; a list `links` of edges.

    If a whole number is larger than JavaScript can hold, names are written as text, with a warning.
    """
    names: Mapping[Hashable, Hashable] = dict(zip(labels, labels, strict=True))
    if any(map(_is_large, labels)):
        names = dict(zip(labels, text_labels(labels, "json"), strict=True))
        warn("names are written as text, as JavaScript rounds whole numbers beyond 2**53, and a name is one")
    own = dict(G.nodes(data=True))
    nodes = [
        {**renamed(plain(without_axes(own[label])), {"id"}), "id": name} if own[label] else {"id": name}
        for label, name in names.items()
    ]
    taken, edges = {"source", "target", *(("key",) if G.is_multigraph() else ())}, []
    for u, v, key, attributes in edges_of(G):
        edge = renamed(plain(attributes), taken) if attributes else {}
        if G.is_multigraph():
            edge["key"] = key
        edge["source"], edge["target"] = names[u], names[v]
        edges.append(edge)
    for name, column in zip(axes(Y.shape[1]), Y.T.tolist(), strict=True):
        for node, value in zip(nodes, column, strict=True):
            node[name] = value
    data = {"directed": G.is_directed(), "multigraph": G.is_multigraph(), "graph": {}, "nodes": nodes, links: edges}
    return encode_json(data)


def to_cytoscape(G: nx.Graph, labels: Sequence[Hashable], Y: np.ndarray, look: Look = PLAIN) -> bytes:
    """Encode elements with positions, and a style that shows their size, color and name.

    Cytoscape.js draws the content unchanged: ``cytoscape({container: ..., ...content})`` or ``cy.json(content)``.
    Cytoscape and `networkx.cytoscape_graph` read it too.
    """
    H = scalars(G, labels, Y, "cytoscape", look)
    nodes = []
    for k, label in enumerate(labels):
        shown = look.of(k, "name")
        own = renamed(plain(H.nodes[label]), {"id", "value", *({"name"} & shown.keys())})
        x, y = own.pop("x"), own.pop("y", 0.0)
        names = {"id": plain_text(label), "value": _name(label), "name": own.get("name", plain_text(label))}
        nodes.append({"data": {**own, **names, **shown}, "position": {"x": x, "y": -y}})
    texts, mark = set(map(plain_text, labels)), "e"
    while any(f"{mark}{k}" in texts for k in range(H.number_of_edges())):  # elements of both kinds share their ids
        mark += "e"
    edges = []
    for k, (u, v, key, attributes) in enumerate(edges_of(H)):
        own = renamed(plain(attributes), {"id", "source", "target", "key"})
        ends = {"id": f"{mark}{k}", "source": _end_name(u), "target": _end_name(v)}
        edges.append({"data": {**own, **ends, **({"key": _name(key)} if H.is_multigraph() else {})}})
    look_of_nodes: dict[str, str] = {"label": "data(name)"}
    if look.sizes is not None:
        look_of_nodes.update(width="data(size)", height="data(size)")
    if look.colors is not None:
        look_of_nodes["background-color"] = "data(color)"
    style: list[Attributes] = [{"selector": "node", "style": look_of_nodes}]
    if H.is_directed():
        style.append({"selector": "edge", "style": {"curve-style": "bezier", "target-arrow-shape": "triangle"}})
    data = {"data": {}, "directed": H.is_directed(), "multigraph": H.is_multigraph()}
    elements = {"nodes": nodes, "edges": edges}
    return encode_json({**data, "elements": elements, "layout": {"name": "preset"}, "style": style})


def _name(label: Hashable) -> str | int:
    """Return integers unchanged and other labels as text, as in `networkx.cytoscape_graph`."""
    label = python_value(label)
    return label if isinstance(label, int) and not isinstance(label, bool) else plain_text(label)


def _end_name(label: Hashable) -> str | int:
    """Return `_name`, and text for a whole number that JavaScript would round."""
    return str(label) if _is_large(label) else _name(label)


def _is_large(label: Hashable) -> bool:
    return isinstance(label, (int, np.integer)) and abs(int(label)) >= LARGEST_EXACT


def to_graphology(G: nx.Graph, labels: Sequence[Hashable], Y: np.ndarray, look: Look = PLAIN) -> bytes:
    """Encode nodes and edges for ``graph.import(...)``; sigma.js has y up and radii as `size`."""
    H = scalars(G, labels, Y, "graphology", look)
    nodes = []
    for k, label in enumerate(labels):
        own = plain(H.nodes[label])
        name = plain_text(label)
        nodes.append({"key": name, "attributes": {**own, "label": name, **own, **look.of(k, unit=2.0)}})
    plainly = {} if H.is_directed() else {"undirected": True}
    keys = [{"key": key} for key in keys_of(H)] or [{}] * H.number_of_edges()
    edges = [
        {"source": plain_text(u), "target": plain_text(v), "attributes": {**renamed(plain(own), key), **key}, **plainly}
        for (u, v, _, own), key in zip(edges_of(H), keys, strict=True)
    ]
    kind = "directed" if H.is_directed() else "undirected"
    options = {"type": kind, "multi": H.is_multigraph(), "allowSelfLoops": True}
    return encode_json({"options": options, "attributes": {}, "nodes": nodes, "edges": edges})


ENDINGS = ("json", "jsonl", "ndjson", "cx", "cx2")
NODE_LINK = FileFormat("json", ENDINGS, r'\s*\{\s*"|\s*\[\s*\{\s*"', read_json, to_json)
ELEMENTS = r'(?s)\s*\{.*?"elements"\s*:\s*[\[{]|\s*(?:\{\s*"nodes"\s*:\s*)?\[\s*\{\s*"data"\s*:'
CYTOSCAPE = FileFormat("cytoscape", ("cyjs",), ELEMENTS, read_json, to_cytoscape, viewer=1000.0)
KEYED = r'(?s)\s*\{.*?"nodes"\s*:\s*\[\s*\{\s*"key"\s*:[^{}]*"attributes"\s*:\s*\{'
GRAPHOLOGY = FileFormat("graphology", ("graphology.json",), KEYED, read_json, to_graphology, viewer=400.0)
