"""List the formats of graph files; detect the format by the file's name or first bytes.

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
from nelayout.graphs.files.arrow import ARROW, PARQUET, to_arrow, to_parquet
from nelayout.graphs.files.gml import GML
from nelayout.graphs.files.json_forms import CYTOSCAPE, GRAPHOLOGY, NODE_LINK
from nelayout.graphs.files.markup import GEXF, GRAPHML
from nelayout.graphs.files.matrices import MTX, NPZ
from nelayout.graphs.files.pajek import PAJEK
from nelayout.graphs.files.record import FileFormat
from nelayout.graphs.files.tables import EDGE_LIST, SIF
from nelayout.graphs.files.writers import to_csv

__all__ = ["EXTENSIONS", "FORMATS", "JSON", "POSITIONS", "WRITERS", "file_format", "sniff"]

# Number of bytes from which the format is detected.
SNIFFED_BYTES = 4096

# The formats in the order of detection. Edge lists come last, because almost any text looks like an edge list.
FORMATS: dict[str, FileFormat] = {
    entry.name: entry
    for entry in (NPZ, ARROW, PARQUET, MTX, GRAPHML, GEXF, CYTOSCAPE, GRAPHOLOGY, NODE_LINK, PAJEK, GML, SIF, EDGE_LIST)
}

# Formats with the ending .json; only the content distinguishes them.
JSON = {CYTOSCAPE.name, GRAPHOLOGY.name, NODE_LINK.name}

# File ending or name of a format -> format; `format=` accepts both.
EXTENSIONS = {ending: entry.name for entry in FORMATS.values() for ending in (*entry.endings, entry.name)}

# Output format -> writer: formats of positions only, and formats of the whole graph.
POSITIONS = {"csv": to_csv, "arrow": to_arrow, "parquet": to_parquet}
WRITERS = POSITIONS | {entry.name: entry.write for entry in FORMATS.values() if entry.write is not None}


# Ending of an unsupported file -> how to convert it.
CONVERSIONS = {
    **dict.fromkeys(("dot", "gv"), "Graphviz writes GML: gv2gml FILE.dot -o FILE.gml"),
    "xgmml": "Cytoscape opens it and exports Cytoscape.js JSON (.cyjs)",
    "dl": "igraph reads it in Python: igraph.Graph.Read_DL(path), and write_graphml writes GraphML",
    "lgl": "igraph reads it in Python: igraph.Graph.Read_Lgl(path), and write_graphml writes GraphML",
    "adjlist": "networkx reads it in Python: networkx.read_adjlist(path), and write_graphml writes GraphML",
    **dict.fromkeys(("g6", "s6"), "networkx reads it in Python: networkx.read_graph6 or read_sparse6(path)"),
    **dict.fromkeys(("vna", "gdf", "tlp", "dgs", "gephi"), "Gephi opens it and exports GraphML or GEXF"),
    **dict.fromkeys(("cys", "cx", "cx2"), "Cytoscape opens it and exports Cytoscape.js JSON (.cyjs)"),
    **dict.fromkeys(
        ("graph", "metis"), "networkit reads it in Python: networkit.readGraph(path, networkit.Format.METIS)"
    ),
    **dict.fromkeys(("xls", "xlsx", "ods"), "the spreadsheet program saves the sheet of edges as CSV"),
    **dict.fromkeys(("pickle", "pkl", "gpickle"), "load the graph in Python, and pass it to nelayout.layout"),
    **dict.fromkeys(("zip", "bz2", "xz", "7z", "tar", "tgz", "zst"), "unpack it first; gzip (.gz) is unpacked here"),
    "mat": "scipy.io.loadmat(path) reads it in Python, and its matrix is a graph as it is",
    "hdf5": "h5py reads it in Python, and a matrix is a graph as it is",
}


def file_format(
    given: str | None = None,
    path: str | os.PathLike | None = None,
    table: Mapping[str, str] = EXTENSIONS,
    kind: str = "file format",
) -> str:
    """Return the name of the format `given`, or of the ending of `path` without ".gz".

    Raises `InputError` with near matches and the whole list if `table` does not hold it.
    """
    if given is not None:
        name = str(given).lower().lstrip(".")
        if name not in table:
            raise _not_read(f"format {given!r}", name) if name in CONVERSIONS else unknown(kind, given, table)
        return table[name]
    if path is None or path == "-":
        raise InputError(f"the {kind} must be named for standard output: format=, {_name_all(table)}")
    pure = PurePath(path)
    pure = PurePath(pure.stem) if pure.suffix.lower() == ".gz" else pure
    double = "".join(pure.suffixes[-2:]).lower().lstrip(".")  # graphology.json
    ending = double if double in table else pure.suffix.lower().lstrip(".")
    if not ending:
        raise InputError(f"{str(path)!r} has no ending that names the {kind}; name it with format=, {_name_all(table)}")
    if ending not in table and ending in CONVERSIONS and table is EXTENSIONS:
        raise _not_read(repr(str(path)), ending)
    if ending not in table:
        raise InputError(f"{str(path)!r}: {unknown(kind, ending, table)}; or name it with format=")
    return table[ending]


def _not_read(name: str, ending: str) -> InputError:
    return InputError(f"{name}: .{ending} files are not read; {CONVERSIONS[ending]}")


def sniff(data: bytes) -> str | None:
    """Return the name of the first format that recognizes the content, or None."""
    wide = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    head = data[:SNIFFED_BYTES].decode(wide, errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    text = "\x00" not in head
    fitting = (name for name, entry in FORMATS.items() if (text or entry.binary) and entry.sign.match(head))
    return next(fitting, None)


def _name_all(table: Mapping[str, str]) -> str:
    return "one of " + ", ".join(sorted(table))
