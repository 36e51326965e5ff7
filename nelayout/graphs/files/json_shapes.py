"""Turn other shapes of JSON into nodes and edges: JSON lines, CX and CX2, VOSviewer.

>>> graph_of_list([{"citing": "a", "cited": "b"}])
{'nodes': None, 'edges': [{'source': 'a', 'target': 'b'}]}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nelayout.graphs.headings import FROM, TO, ends_named, first_of
from nelayout.graphs.host import Attributes

__all__ = ["graph_of_cx", "graph_of_list", "graph_of_vosviewer", "is_cx", "json_values"]

Graph = dict[str, Any]
# Names of fields of nodes and edges in CX -> in other forms.
CX_NAMES = {"@id": "id", "n": "name", "s": "source", "t": "target", "i": "interaction"}
# Fields with the name of a node.
NAMING = frozenset({"id", "key", "name"})
# Aspects of CX that are read, or hold no nodes and edges.
CX_ASPECTS = frozenset(
    {"nodes", "edges", "nodeAttributes", "edgeAttributes", "cartesianLayout", "attributeDeclarations", "CXVersion"}
    | {"numberVerification", "metaData", "status", "networkAttributes", "visualProperties", "visualEditorProperties"}
    | {"nodeBypasses", "edgeBypasses", "tableProperties", "cyVisualProperties", "cyTableColumn", "ndexStatus"}
    | {"provenanceHistory", "subNetworks", "cyNetworkRelations", "cyHiddenAttributes", "@context"}
)


def json_values(text: str, hook: Callable[[list[tuple[str, object]]], object]) -> Any:
    """Return the value of a JSON text, or the list of objects in JSON lines."""
    decoder = json.JSONDecoder(object_pairs_hook=hook)
    try:
        return decoder.decode(text)
    except json.JSONDecodeError as error:
        if error.msg != "Extra data" or error.colno > 1 or text[error.pos] != "{" or text.lstrip()[0] != "{":
            raise
    found, at = [], 0
    while rest := text[at:].lstrip():
        at = len(text) - len(rest)
        value, at = decoder.raw_decode(text, at)
        found.append(value)
    return found


def graph_of_list(objects: Sequence[object]) -> Graph | None:
    """Return nodes and edges of a list of objects; None if no object has fields for both ends.

    An object with neither a name nor both ends is an edge that lacks one, which is an error.
    """
    first = objects[0] if objects and isinstance(objects[0], dict) else {}
    pair = [list(first)[k] for k in ends_named(list(first)) or ()]
    whole = bool(pair) and all(isinstance(each, dict) and set(pair) <= each.keys() for each in objects)
    nodes, edges, found = list[Any](), list[Any](), 0
    for each in objects:
        own = each if isinstance(each, dict) else {}
        at = [first_of(own, words) for words in (FROM, TO)]
        ends = pair if whole else [None if k is None else list(own)[k] for k in at]
        if None in ends and (own is not each or not NAMING.isdisjoint(own)):
            nodes.append(_flat(each, "properties"))
            continue
        edge = _flat({name: value for name, value in own.items() if name not in ends}, "properties")
        edges.append({**edge, **{key: own[end] for key, end in zip(("source", "target"), ends, strict=True) if end}})
        found += None not in ends
    return {"nodes": nodes or None, "edges": edges} if found else None


def graph_of_vosviewer(network: Mapping[str, Any]) -> Graph:
    """Return nodes and edges of a network of VOSviewer."""
    names = {"source_id": "source", "target_id": "target", "strength": "weight"}
    found = {name: held if isinstance(held, list) else None for name, held in network.items()}
    edges = found.pop("links", None)
    edges = edges and [{names.get(k, k): v for k, v in x.items()} if isinstance(x, dict) else x for x in edges]
    return {"nodes": [_flat(x, "weights", "scores") for x in found.pop("items") or []], "edges": edges, **found}


def is_cx(data: object) -> bool:
    """Return whether a JSON value is CX or CX2, the formats of NDEx."""
    first = data[0] if isinstance(data, list) and data else None
    return isinstance(first, dict) and not first.keys().isdisjoint({"CXVersion", "numberVerification"})


def graph_of_cx(aspects: Sequence[object]) -> Graph:
    """Return nodes and edges of CX or CX2, with unknown aspects; y points upward."""
    held: dict[str, list[Any]] = {}
    for each in aspects:
        for name, items in each.items() if isinstance(each, dict) else ():
            held.setdefault(name, []).extend(items if isinstance(items, list) else [])
    graph: Graph = {name: items for name, items in held.items() if name not in CX_ASPECTS}
    for kind in ("nodes", "edges"):
        declared = next((each[kind] for each in _objects(held, "attributeDeclarations") if kind in each), {})
        usual = {name: said["v"] for name, said in declared.items() if "v" in said}
        long = {said["a"]: name for name, said in declared.items() if "a" in said}
        graph[kind] = [_cx_element(each, usual, long) for each in held.get(kind, [])]
        by_id = {each["id"]: each for each in graph[kind] if isinstance(each, dict) and "id" in each}
        for each in _objects(held, f"{kind[:-1]}Attributes"):
            if each.get("po") in by_id:
                by_id[each["po"]].setdefault(str(each.get("n")), _cx_value(each.get("v"), each.get("d", "")))
        for each in _objects(held, "cartesianLayout") if kind == "nodes" else ():
            by_id.get(each.get("node"), {}).update({axis: each[axis] for axis in "xy" if axis in each})
    for node in graph["nodes"]:
        if isinstance(node, dict) and isinstance(node.get("y"), (int, float)):
            node["y"] = -node["y"]
    return graph


def _objects(held: Mapping[str, list[Any]], name: str) -> list[Any]:
    return [each for each in held.get(name, []) if isinstance(each, dict)]


def _cx_element(each: Any, usual: Attributes, long: Mapping[str, str]) -> Any:
    """Return the fields of a node or an edge; others than objects stay, for an error."""
    if not isinstance(each, dict):
        return each
    values = each["v"] if isinstance(each.get("v"), dict) else {}
    own = {CX_NAMES.get(name, name): value for name, value in each.items() if name != "v"}
    return {**usual, **{long.get(name, name): value for name, value in values.items()}, **own}


def _cx_value(value: Any, kind: str) -> Any:
    """Return a value of CX, which writes numbers as text."""
    try:
        return int(value) if kind in ("integer", "long") else float(value) if kind in ("double", "float") else value
    except (TypeError, ValueError):
        return value


def _flat(own: Any, *names: str) -> Any:
    """Return fields, with the fields of some of them in their place."""
    if not isinstance(own, dict):
        return own
    inner = {name: own[name] for name in names if isinstance(own.get(name), dict)}
    flat = {name: value for held in inner.values() for name, value in held.items()}
    return flat | {name: value for name, value in own.items() if name not in inner}
