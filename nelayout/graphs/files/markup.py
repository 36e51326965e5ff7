"""GraphML and GEXF, read by networkx."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

from nelayout.graphs.files.record import FileFormat, GraphFile, from_networkx
from nelayout.graphs.files.source import Source
from nelayout.graphs.files.writers import to_gexf, to_graphml

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
        raise source.broken(f"not well-formed XML ({error}); is it {name}?", error.position[0]) from None
    except (networkx.NetworkXError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise source.broken(f"cannot be read as {name}: {error}") from None
    notes = tuple(dict.fromkeys(str(warning.message) for warning in caught))
    return from_networkx(G, name, notes)


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
