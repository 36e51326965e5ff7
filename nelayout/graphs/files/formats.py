"""The formats of graph files, and which one a file is in: by its name, or by its first bytes.

>>> file_format(path="web.net"), file_format("csv"), file_format(path="luxembourg.mtx.gz")
('pajek', 'edgelist', 'mtx')
>>> file_format(path="web.graphology.json"), file_format(path="web.of.json")
('graphology', 'json')
>>> sniff(b'<?xml version="1.0"?><graphml>')
'graphml'
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import PurePath

from nelayout.errors import InputError, unknown
from nelayout.graphs.files.cytoscape import CYTOSCAPE
from nelayout.graphs.files.edgelist import EDGE_LIST
from nelayout.graphs.files.gml import GML
from nelayout.graphs.files.graphology import GRAPHOLOGY
from nelayout.graphs.files.markup import GEXF, GRAPHML
from nelayout.graphs.files.matrices import MTX, NPZ
from nelayout.graphs.files.nodelink import NODE_LINK
from nelayout.graphs.files.pajek import PAJEK
from nelayout.graphs.files.record import FileFormat
from nelayout.graphs.files.writers import to_csv

__all__ = ["EXTENSIONS", "FORMATS", "JSON", "WRITERS", "file_format", "sniff"]

# Bytes within which a format shows itself.
HEAD = 4096

# The formats of graph files, in the order in which a content is compared with their signs: almost any text looks like
# an edge list.
FORMATS: dict[str, FileFormat] = {
    entry.name: entry for entry in (NPZ, MTX, GRAPHML, GEXF, CYTOSCAPE, GRAPHOLOGY, NODE_LINK, PAJEK, GML, EDGE_LIST)
}

# The forms of JSON, which a content tells apart and a file name often does not.
JSON = {CYTOSCAPE.name, GRAPHOLOGY.name, NODE_LINK.name}

# File ending, or the format's own name -> format; both are understood where a format is asked for.
EXTENSIONS = {ending: entry.name for entry in FORMATS.values() for ending in (*entry.endings, entry.name)}

# Output format -> writer; CSV holds the positions only.
WRITERS = {"csv": to_csv} | {entry.name: entry.write for entry in FORMATS.values() if entry.write is not None}


def file_format(
    given: str | None = None,
    path: str | os.PathLike | None = None,
    table: Mapping[str, str] = EXTENSIONS,
    kind: str = "file format",
) -> str:
    """Name of the format that `given`, or else the ending of `path`, stands for; a final ".gz" does not count.

    Raises `InputError` with near matches and the whole list if `table` does not hold it.
    """
    if given is not None:
        name = str(given).lower().lstrip(".")
        if name not in table:
            raise unknown(kind, given, table)
        return table[name]
    if path is None or path == "-":
        raise InputError(
            f"the {kind} must be named for standard output: format=, {_name_all(table)}"
        )
    pure = PurePath(path)
    pure = PurePath(pure.stem) if pure.suffix.lower() == ".gz" else pure
    double = "".join(pure.suffixes[-2:]).lower().lstrip(".")  # graphology.json
    ending = double if double in table else pure.suffix.lower().lstrip(".")
    if not ending:
        raise InputError(
            f"{str(path)!r} has no ending that tells the {kind}; name it with format=, {_name_all(table)}"
        )
    if ending not in table:
        raise InputError(f"{str(path)!r}: {unknown(kind, ending, table)}; or name it with format=")
    return table[ending]


def sniff(data: bytes) -> str | None:
    """Name of the first format whose sign the content bears, None without one."""
    head = data[:HEAD].decode("utf-8-sig", errors="replace")
    text = "\x00" not in head
    fitting = (name for name, entry in FORMATS.items() if (text or entry.binary) and entry.sign.match(head))
    return next(fitting, None)


def _name_all(table: Mapping[str, str]) -> str:
    return "one of " + ", ".join(sorted(table))
