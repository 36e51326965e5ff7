"""Read GraphML and GEXF by the local names of their elements; write them with networkx.

A value that does not have the declared type of its attribute stays text, and a note counts such values.

>>> source = Source("a.gexf", b'<gexf xmlns="https://gexf.net/1.3"><graph><nodes><node id="a"/><node id="b"/></nodes>'
...     b'<edges><edge source="a" target="b" weight="2"/></edges></graph></gexf>')
>>> read_markup(source, "gexf").graph.edges(data="weight")
EdgeDataView([('a', 'b', 2.0)])
"""

from __future__ import annotations

import io
import re
from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np

from nelayout.errors import InputError
from nelayout.graphs.files.delimited import number
from nelayout.graphs.files.record import PLAIN, FileFormat, GraphFile, Look, Reading, Source
from nelayout.graphs.files.writers import NOT_XML, edges_of, keys_of, renamed, scalars
from nelayout.graphs.host import Attributes, networkx_graph
from nelayout.graphs.plain import plain_text
from nelayout.graphs.to_floats import short_repr

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["GEXF", "GRAPHML", "read_markup", "to_gexf", "to_graphml"]

INTEGERS, FLOATS = {"int", "integer", "long", "short", "byte", "biginteger"}, {"float", "double", "bigdecimal"}
TRUTH = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}
# Lower-case texts for a missing number or boolean.
MISSING_TEXTS = {"", "null", "none", "nan", "na", "n/a", "nil", "undefined"}
# Elements that hold nodes, edges and their values, and all elements that the formats define within them.
CONTAINERS = {"graph", "nodes", "edges", "node", "edge"}
KNOWN = CONTAINERS | {"data", "desc", "hyperedge", "port", "locator", "attributes", "attvalues", "parents", "spells"}
KNOWN |= {"slices", "meta", "default", "key", "color", "position", "size", "shape", "thickness"}
# Attribute names that networkx reserves for GEXF. The graph's attributes with these names are renamed.
GEXF_WORDS = {"id", "pid", "parents", "slices", "spells", "viz", "type", "start", "end", "key", "networkx_key"}
Element = ElementTree.Element
INVALID_TOKEN = expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN]


def _tree(source: Source, root: str) -> tuple[Element, dict[Element, str]]:
    """Parse elements and attributes by local names; also return the lines of nodes and edges."""
    lines: dict[Element, str] = {}

    def parsed(data: bytes, encoding: str | None = None) -> Element:
        builder = ElementTree.TreeBuilder()
        parser = expat.ParserCreate(encoding, namespace_separator=" ")

        def start(tag: str, attributes: dict[str, str]) -> None:
            own = {name.rpartition(" ")[2]: value for name, value in attributes.items()}
            element = builder.start(tag.rpartition(" ")[2], own)
            if element.tag in ("node", "edge"):
                lines[element] = f"line {parser.CurrentLineNumber}"

        parser.StartElementHandler, parser.CharacterDataHandler = start, builder.data
        parser.EndElementHandler = lambda tag: builder.end(tag.rpartition(" ")[2])
        parser.Parse(data, True)
        return builder.close()

    try:
        try:
            tree = parsed(source.data)
        except expat.ExpatError as error:
            if error.code != INVALID_TOKEN or not (source.text and source.notes):
                raise
            tree = parsed(source.text.encode(), "utf-8")  # not UTF-8, and without a declared encoding
    except InputError:  # of the text
        raise
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise source.unreadable(f"not well-formed XML ({error})", getattr(error, "lineno", 1)) from None
    if tree.tag != root or next(tree.iter("graph"), None) is None:
        raise source.unreadable(f"cannot be read as {root}: no element <graph> in <{root}>")
    return tree, lines


def _value(reading: Reading, text: str, kind: str) -> bool | int | float | str | None:
    """Convert a text to its declared type; None for a missing value."""
    kind, bare = kind.lower(), text.strip()
    if kind not in INTEGERS | FLOATS | {"boolean"}:
        return text
    off = f"{short_repr(text)} for the type {kind}"
    if bare.lower() in MISSING_TEXTS:
        reading.count("value", "not of the declared type count as missing", off)
        return None
    if kind == "boolean":
        known = TRUTH.get(bare.lower())
    elif kind in INTEGERS and re.fullmatch(r"[+-]?\d{1,4000}", bare):
        return int(bare)
    else:
        known = number(bare, comma=False)
        if known is not None and kind in INTEGERS:
            if not known.is_integer():
                reading.count("value", "not of the declared type are read as numbers", off)
            else:
                known = int(known)
    if known is None:
        reading.count("value", "not of the declared type stay text", off)
        return text
    return known


def read_markup(source: Source, root: str) -> GraphFile:
    """Read GraphML or GEXF: ids name nodes, "viz" holds GEXF's positions, sizes and colors."""
    tree, lines = _tree(source, root)
    graphs = tree.findall("graph") or list(tree.iter("graph"))[:1]
    graph, gexf = graphs[0], root == "gexf"
    usual = graph.get("defaultedgetype" if gexf else "edgedefault", "").strip().lower()
    reading = Reading(source, root, usual in ("directed", "mutual"))
    if len(graphs) > 1:
        reading.notes.append(f"the first of {len(graphs)} graphs is read")
    declared = _declared(tree, graph)

    def data_of(element: Element) -> Attributes:
        own: Attributes = {}
        known = declared[element.tag]
        for which, text, each in _values(element):
            if which not in known:
                own[which] = text
                what = "attribute" if gexf else "key"
                reading.count("value", f"of an undeclared {what} read as text", short_repr(which))
            elif len(each):  # elements of yEd
                own.update(_yed(each))
            else:
                own[known[which][0]] = _value(reading, text, known[which][1])
        for name, kind, default in known.values():
            if name not in own and default is not None:
                own[name] = _value(reading, default, kind)
        own |= _beside(reading, element) if gexf else {}
        return {name: value for name, value in own.items() if value is not None}

    for element in graph.iter():
        if element.tag == "graph" and element is not graph:
            reading.count("nested graph", "read as part of the whole")
        elif element.tag == "hyperedge":
            reading.count("hyperedge", "left out")
    for element in graph.iter():
        for child in element if element.tag in CONTAINERS else ():
            if (child.tail or "").strip():
                reading.count("text", "between elements, not read", short_repr((child.tail or "").strip()))
            if child.tag not in KNOWN:
                reading.count("element", "unknown, not read", f"<{child.tag}> in <{element.tag}>")
        if element.tag == "node":
            reading.node(element.get("id"), data_of(element), lines[element])
        elif element.tag == "edge":
            u, v = element.get("source"), element.get("target")
            if u is None or v is None:
                what = f"an edge has no source or no target: {short_repr(dict(element.attrib))}"
                raise source.broken(what, lines[element])
            said = element.get("directed", element.get("type", "")).strip().lower()
            kind = {"true": "directed", "false": "undirected", "1": "directed", "0": "undirected"}.get(said, said)
            if kind not in ("", "directed", "undirected", "mutual"):
                reading.count("edge", "with an unknown direction, read as the others are", repr(said))
                kind = ""
            reading.edge(u, v, data_of(element), kind, element.get("id"))
    return reading.graph_file()


def _declared(tree: Element, graph: Element) -> dict[str, dict[str, tuple[str, str, str | None]]]:
    """Return {"node" or "edge": {id of an attribute: its name, type, and default or None}}."""
    declared: dict[str, dict[str, tuple[str, str, str | None]]] = {"node": {}, "edge": {}}
    for key in tree.iter("key"):
        name, kind = key.get("attr.name") or key.get("id", ""), key.get("attr.type", "string")
        for element, known in declared.items():
            default = key.findtext("default") if key.get("for", "all") in ("all", element) else None
            known[key.get("id", "")] = name, kind, default
    for group in graph.iter("attributes"):
        known = declared.get(group.get("class", "node").lower(), {})
        for each in group.iter("attribute"):
            name, kind = each.get("title", each.get("id", "")), each.get("type", "string")
            known[each.get("id", "")] = name, kind, each.findtext("default")
    return declared


def _values(element: Element) -> Iterator[tuple[str, str, Element]]:
    """Yield attribute, text and element of each value of a node or an edge."""
    for data in element.iterfind("data"):
        yield data.get("key", ""), data.text or "", data
    for each in element.iterfind("attvalues/*"):
        yield each.get("for", each.get("id", "")), each.get("value", ""), each


def _yed(data: Element) -> Attributes:
    """Return the label and the coordinates of a node or an edge of yEd."""
    own: Attributes = {}
    for label in (*data.iter("NodeLabel"), *data.iter("EdgeLabel")):
        if (label.text or "").strip():
            own.setdefault("label", (label.text or "").strip())
    for geometry in data.iter("Geometry"):
        with suppress(ValueError):
            own.update(x=float(geometry.get("x", "")), y=float(geometry.get("y", "")))
    return own


def _beside(reading: Reading, element: Element) -> Attributes:
    """Return what GEXF holds beside values: the look, the label, and the weight of an edge."""
    viz: Attributes = {}
    for each in element:
        if each.tag in ("position", "color"):
            numbers = ((axis, text) for axis, text in each.attrib.items() if axis in "xyzrgba")
            viz[each.tag] = {axis: _value(reading, text, "float") for axis, text in numbers}
        elif each.tag in ("size", "thickness"):
            viz[each.tag] = _value(reading, each.get("value", ""), "float")
    own: Attributes = {"viz": viz} if viz else {}
    own |= {"label": element.get("label")} if element.get("label") is not None else {}
    weight = element.get("weight") if element.tag == "edge" else None
    weight = None if weight is None else _value(reading, weight, "float")
    return own if weight is None else {**own, "weight": weight}


# writing


def to_graphml(G: nx.Graph, labels: Sequence[Hashable], Y: np.ndarray, look: Look = PLAIN) -> bytes:
    """Encode GraphML with x, y (and z), size, r, g, b and label of nodes, and unique edge ids.

    Gephi finds attributes by these names; r, g and b must be whole numbers (class ImporterGraphML).
    """
    import networkx

    H = scalars(G, labels, Y, "graphml", look, xml=True)
    for k, label in enumerate(labels):
        for name, value in look.of(k).items():
            H.nodes[_text(label)].update(_channels(value) if name == "color" else {name: _legal(value)})
    if H.is_multigraph():  # networkx writes keys as ids
        keys = [{"key": _text(key)} for key in keys_of(H)] or [{}] * H.number_of_edges()
        own = [(u, v, f"e{k}", {**renamed(own, {"key"}), **keys[k]}) for k, (u, v, _, own) in enumerate(edges_of(H))]
        H = networkx_graph(dict(H.nodes(data=True)), own, H.is_directed(), True)
    buffer = io.BytesIO()
    networkx.write_graphml(H, buffer)
    return buffer.getvalue()


def to_gexf(G: nx.Graph, labels: Sequence[Hashable], Y: np.ndarray, look: Look = PLAIN) -> bytes:
    """Encode GEXF with viz:position, viz:size, viz:color (for Gephi) and the edge weights."""
    import networkx

    H = scalars(G, labels, Y, "gexf", Look(names=look.names), xml=True)
    for k, (label, row) in enumerate(zip(labels, Y.tolist(), strict=True)):
        own = H.nodes[_text(label)]
        kept = renamed(own, GEXF_WORDS)
        own.clear()
        x, y, z = [*row, 0.0, 0.0][:3]
        shown = look.of(k)
        text = {"label": _legal(shown.pop("label"))} if "label" in shown else {}
        if "color" in shown:
            shown["color"] = {**_channels(shown["color"]), "a": 1.0}
        own.update({**kept, "viz": {"position": {"x": x, "y": y, "z": z}, **shown}, **text})
    weights = [own.get(str(look.weight)) for *_, own in edges_of(H)]
    numeric = all(isinstance(w, (int, float)) and not isinstance(w, bool) for w in weights if w is not None)
    ids = [own.get("id") for *_, own in edges_of(H)]
    unique = None not in ids and len(set(map(str, ids))) == len(ids)
    for k, (*_, own) in enumerate(edges_of(H)):
        weight, edge_id = weights[k] if numeric else None, ids[k] if unique else f"e{k}"
        words = GEXF_WORDS - {"id"} if unique else GEXF_WORDS
        kept = renamed(own, words if look.weight == "weight" and numeric else {*words, "weight"})
        own.clear()
        own.update({**kept, "id": str(edge_id), **({} if weight is None else {"weight": float(weight)})})
    if keys := keys_of(H):
        own = [(u, v, _text(keys[k]), own) for k, (u, v, _, own) in enumerate(edges_of(H))]
        H = networkx_graph(dict(H.nodes(data=True)), own, H.is_directed(), True)
    buffer = io.BytesIO()
    networkx.write_gexf(H, buffer)
    return buffer.getvalue()


def _channels(color: str) -> dict[str, int]:
    """Return red, green and blue, 0 to 255, of "#rrggbb"."""
    return {c: int(color[i : i + 2], 16) for c, i in (("r", 1), ("g", 3), ("b", 5))}


def _legal(value: object) -> object:
    return NOT_XML.sub("", value) if isinstance(value, str) else value


def _text(label: Hashable) -> str:
    return NOT_XML.sub("", plain_text(label))


SIGN = r"(?s)\s*<.*<(?:\w+:)?{0}\b|\s*<(?:\w+:)?{0}\b"
GRAPHML, GEXF = (
    FileFormat(name, (name,), SIGN.format(name), partial(read_markup, root=name), write, viewer=1000.0)
    for name, write in (("graphml", to_graphml), ("gexf", to_gexf))
)
