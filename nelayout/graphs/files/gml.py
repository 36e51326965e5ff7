"""Read GML: nested lists of keys and values.

Nodes are named by their labels, or by their ids if labels are missing or not distinct.
"""

from __future__ import annotations

import html
import math
import re

from nelayout.graphs.files.delimited import number
from nelayout.graphs.files.record import FileFormat, GraphFile, Reading, Source
from nelayout.graphs.host import Attributes
from nelayout.graphs.to_floats import short_repr

__all__ = ["GML", "read_gml"]

# Blanks and comments; or a text; or a bracket, a word, or a double quote without a second one.
TOKEN = re.compile(r'(?:\s|#.*)+|"([^"]*)"|([\[\]"]|[^\s\[\]"#]+)')
REFERENCE = re.compile(r"&(?:#(\d{1,6}|x[\da-f]{1,5})|[a-z]\w*);", re.IGNORECASE)
# Depth of a list -> its lists that are read; the others are attributes.
READ = (("graph",), ("node", "edge"), ())


def read_gml(source: Source) -> GraphFile:
    """Read the graph of a GML file; notes count what is not read."""
    reading = Reading(source, "gml")
    graphs = _parsed(reading).get("graph", [])
    if not graphs:
        raise source.unreadable('cannot be read as gml: there is no graph, "graph [ ... ]"')
    if len(graphs) > 1:
        reading.notes.append(f"the first of {len(graphs)} graphs is read")
    graph = graphs[0][1]
    reading.directed, reading.multigraph = bool(graph.get("directed")), bool(graph.get("multigraph"))
    nodes, ids = graph.pop("node", []), dict[object, object]()
    labels = [own.get("label") for _, own in nodes]
    named = None not in labels and len(set(labels)) == len(labels)
    if not named:
        why = "a node has no label" if None in labels else "labels appear more than once"
        reading.notes.append(f"nodes are named by their ids: {why}")
    for line, own in nodes:
        name = own.pop("id", None)
        if name in ids:
            raise source.broken(f"node id {name!r} is duplicated; rename or remove one node", line)
        ids[name] = own.pop("label") if named else name
        reading.node(None if name is None else ids[name], own, f"line {line}")
    for line, own in graph.pop("edge", []):
        ends = {end: own.pop(end, None) for end in ("source", "target")}
        for end, name in ends.items():
            if name is None:
                raise source.broken(f"an edge has no {end}; give it the id of a node", line)
            if name not in ids:
                raise source.broken(f"an edge has the undefined {end} {name}; name the id of a node", line)
        reading.edge(ids[ends["source"]], ids[ends["target"]], own)
    reading.notes += [
        f"the list {name!r} of the graph is not read as nodes or edges"
        for name, held in graph.items()
        if isinstance(held, dict) or (isinstance(held, list) and any(isinstance(each, dict) for each in held))
    ]
    return reading.graph_file()


def _parsed(reading: Reading) -> Attributes:
    """Return the outer list as a dict; graphs, nodes and edges are lists of (line, dict)."""
    lists: list[tuple[str, int, Attributes]] = [("", 1, {})]
    key, line = "", 1

    def wrong(what: str, at: int) -> Exception:
        return reading.source.unreadable(f"cannot be read as gml: {what}", at)

    def add(name: str, at: int, value: object) -> None:
        outer, opened, own = lists[-1]
        if name in READ[min(len(lists), 3) - 1]:
            if not isinstance(value, dict):
                raise wrong(f"a {name} has no brackets", at)
            own.setdefault(name, []).append((at, value))
        elif isinstance(value, float) and not math.isfinite(value):
            reading.count("value", "not finite and counted as missing")
        elif name in ("id", "label", "source", "target") and (name in own or isinstance(value, dict)):
            raise wrong(f"the {outer} has two values, or a list, as {name}", opened)
        else:
            before = own.get(name, [])
            own[name] = value if name not in own else [*(before if isinstance(before, list) else [before]), value]

    for found in TOKEN.finditer(reading.source.text):
        text, word, at = found[1], found[2], line
        line += found[0].count("\n")
        if text is None and word is None:
            continue
        if not key and word == "]" and len(lists) > 1:
            add(*lists.pop())
        elif not key:
            if not (word and word.isidentifier()):
                raise wrong(f"expected a key in place of {short_repr(found[0])}", at)
            key = word
        else:
            if word == "[":
                lists.append((key, at, {}))
            elif word is None:
                add(key, at, REFERENCE.sub(_letter, text or ""))
            elif (value := number(word, comma=False)) is None:
                raise wrong(f"the value of {key} must be a number, a text or a list; got {short_repr(word)}", at)
            else:
                add(key, at, int(word) if re.fullmatch(r"[+-]?\d{1,4000}", word) else value)
            key = ""
    if key or len(lists) > 1:
        raise wrong("the file ends within a list, or before a value", lists[-1][1])
    return lists[0][2]


def _letter(found: re.Match[str]) -> str:
    """Return the letter of a reference such as &#228; or &auml;."""
    if found[1] is None:
        return html.unescape(found[0])
    return chr(int(found[1][1:], 16) if found[1][0] in "xX" else int(found[1]))


GML = FileFormat("gml", ("gml",), r"(?i)(?:.*\n)*?\s*graph\s*\[", read_gml)
