"""Read GML with networkx, after repairs of files that networkx refuses.

Nodes are named by their labels, or by their ids if labels are missing or not distinct.  Repeated edges make a
multigraph, also if the header does not declare one.
"""

from __future__ import annotations

import re
import warnings

from nelayout.graphs.files.record import FileFormat, GraphFile, Source, count_of, from_networkx

__all__ = ["GML", "read_gml"]

# Values that networkx cannot parse: 2e5 without a point, nan, infinities.
EXPONENT = re.compile(r"(?<=\s)([+-]?\d+)(?=[eE][+-]?\d+(?:[\s\]]|$))")
NOT_FINITE = re.compile(r"(?<!\w)([A-Za-z]\w*[ \t]+)[+-]?(?:nan|inf|infinity)(?=[\s\]]|$)", re.IGNORECASE)
# Text that marks a value that is not finite, until the value is removed.
NOT_FINITE_MARK = "\ue000"
GRAPH_OPENS = re.compile(r"^(\s*graph\s*\[)", re.MULTILINE)
KEY_LINE = re.compile(r"^\s*key\s+\S+\s*$", re.MULTILINE)
AT_LINE = re.compile(r"\((\d+), \d+\)$")
AT_ELEMENT = re.compile(r"^(node|edge) #(\d+)")


def read_gml(source: Source) -> GraphFile:
    """Read the graph of a GML file; notes report every repair."""
    import networkx

    text = _known(source.text)
    label = "label"
    notes: list[str] = []
    for _ in range(4):  # number of repairs, plus one
        try:
            with warnings.catch_warnings():
                # networkx warns of text that only looks like a character reference, and keeps it.
                warnings.simplefilter("ignore")
                G = networkx.parse_gml(text, label=label)
        except RecursionError:
            raise source.unreadable("cannot be read as gml: brackets are nested too deeply") from None
        except (networkx.NetworkXError, ValueError, TypeError, KeyError, AttributeError) as error:
            message = str(error).partition("\n")[0]
            if "unhashable" in message:
                message = "a node has two ids or labels"
            elif "object has no attribute" in message:
                message = "a node or an edge has no brackets"
            missing, repeated = "'label' attribute" in message, "node label" in message
            if label == "label" and (missing or repeated):
                label = "id"
                notes.append(f"nodes are named by their ids: {message}")
            elif message.startswith("edge #") and "duplicated" in message and "keys dropped" not in notes:
                if "parallel edges" in "".join(notes):
                    text = KEY_LINE.sub("", text)
                else:
                    text = GRAPH_OPENS.sub(r"\1\n  multigraph 1", text, count=1)
                    notes.append(f"parallel edges are kept: {message}")
            else:
                raise source.unreadable(f"cannot be read as gml: {message}", _line(text, message)) from None
        else:
            missing = 0
            for data in (*G.nodes.values(), *G.edges.values()):
                for name in [name for name, value in data.items() if value == NOT_FINITE_MARK]:
                    del data[name]
                    missing += 1
            if missing:
                notes.append(f"{count_of(missing, 'value')} not finite and counted as missing")
            notes += [
                f"the list {name!r} of the graph is not read as nodes or edges"
                for name, held in G.graph.items()
                if isinstance(held, dict) or (isinstance(held, list) and any(isinstance(each, dict) for each in held))
            ]
            return from_networkx(G, "gml", tuple(notes))
    raise source.broken("cannot be read as gml: edges with the same ends and the same key")


def _line(text: str, message: str) -> int | None:
    """Return the line of the element in a message of networkx, which may only number elements."""
    if at := AT_LINE.search(message):
        return _lines_to(text, sum(len(line) + 1 for line in text.split("\n")[: int(at[1]) - 1]))
    bare = re.sub(r'"[^"]*"', lambda found: "x" * len(found[0]), text)
    blocks = list(re.finditer(r"\b(node|edge)\s*\[([^\[\]]*)", bare))
    if at := AT_ELEMENT.search(message):
        blocks = [block for block in blocks if block[1] == at[1]][int(at[2]) :]
    else:  # an id that appears twice, in one element or in two
        seen: set[str] = set()
        blocks = [block for block in blocks if _twice(block, seen)]
    return _lines_to(text, blocks[0].start()) if blocks else None


def _lines_to(text: str, at: int) -> int:
    """Return the line number of a character, counting line ends within quoted texts too."""
    return text.count("\n", 0, at) + text.count("&#10;", 0, at) + 1


def _twice(block: re.Match[str], seen: set[str]) -> bool:
    """Return whether an element has two ids, labels or ends, or the id of another node."""
    names = re.findall(r"(?<!\w)(id|label|source|target)\s+(\S+)", block[2])
    own = {value for name, value in names if name == "id" and block[1] == "node"}
    again = len({name for name, _ in names}) < len(names) or not own.isdisjoint(seen)
    seen |= own
    return again


def _known(text: str) -> str:
    """Rewrite numbers, and line ends within texts, in the form that networkx parses."""
    parts = text.split('"')
    for k, part in enumerate(parts):
        if k % 2:  # between quotes
            parts[k] = re.sub(r"[\n\v\f\x1c-\x1e\x85\u2028\u2029]", lambda found: f"&#{ord(found[0])};", part)
        else:
            parts[k] = NOT_FINITE.sub(rf'\1"{NOT_FINITE_MARK}"', EXPONENT.sub(r"\1.0", part))
    return '"'.join(parts) if len(parts) % 2 else text


GML = FileFormat("gml", ("gml",), re.compile(r"(?:.*\n)*?\s*graph\s*\[", re.IGNORECASE), read_gml)
