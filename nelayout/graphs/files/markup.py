"""GraphML and GEXF, read by networkx."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

from nelayout.graphs.files.record import FileFormat, GraphFile, from_networkx
from nelayout.graphs.files.source import Source
from nelayout.graphs.files.writers import to_gexf, to_graphml
from nelayout.graphs.to_floats import short_repr

__all__ = ["GEXF", "GRAPHML", "read_gexf", "read_graphml"]

# Versions differ in what we do not read; networkx looks for one version's names only.
GEXF_NAMESPACE = re.compile(rb"http://(?:www\.)?gexf\.net/1\.\w+(/viz)?")


def read_graphml(source: Source) -> GraphFile:
    """Nodes are named by their ids; the attributes keep their types."""
    import networkx

    return _parse(source, "graphml", source.data, networkx.read_graphml)


def read_gexf(source: Source) -> GraphFile:
    """Nodes are named by their ids; "label" is a node attribute."""
    import networkx

    def current(match: re.Match[bytes]) -> bytes:
        return b"http://www.gexf.net/1.2draft" + (match[1] or b"")

    data = GEXF_NAMESPACE.sub(current, source.data)
    return _parse(source, "gexf", data, networkx.read_gexf)


def _parse(source: Source, name: str, data: bytes, parse: Callable[[Any], Any]) -> GraphFile:
    import networkx

    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            G = parse(io.BytesIO(data))
    except ElementTree.ParseError as error:
        raise source.unreadable(f"not well-formed XML ({error})", error.position[0]) from None
    except (networkx.NetworkXError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise source.unreadable(f"cannot be read as {name}: {error}") from None
    _refuse_twins(source, data)
    notes = tuple(dict.fromkeys(str(warning.message) for warning in caught))
    return from_networkx(G, name, notes)


def _refuse_twins(source: Source, data: bytes) -> None:
    """Raise `InputError` naming the line of a node that has the id of another, which networkx would make one."""
    lines: dict[str, int] = {}
    parser = expat.ParserCreate(namespace_separator=" ")

    def opened(tag: str, attributes: dict[str, str]) -> None:
        if tag.rpartition(" ")[2] != "node" or "id" not in attributes:
            return
        node, line = attributes["id"], parser.CurrentLineNumber
        if node in lines:
            raise source.broken(
                f"the node {short_repr(node)} is there twice, first in line {lines[node]}; rename or remove one", line
            )
        lines[node] = line

    parser.StartElementHandler = opened
    parser.Parse(data, True)


GRAPHML = FileFormat(
    "graphml",
    ("graphml",),
    re.compile(r"\s*<.*<graphml\b|\s*<graphml\b", re.DOTALL),
    read_graphml,
    to_graphml,
    viewer=1000.0,
)
GEXF = FileFormat(
    "gexf",
    ("gexf",),
    re.compile(r"\s*<.*<gexf\b|\s*<gexf\b", re.DOTALL),
    read_gexf,
    to_gexf,
    viewer=1000.0,
)
