"""Graph files in, positions out.

>>> import tempfile, pathlib
>>> path = pathlib.Path(tempfile.mkdtemp()) / "triangle.csv"
>>> _ = path.write_text("source,target\\na,b\\nb,c\\nc,a\\n")
>>> file = read_graph(path)
>>> file.labels, file.format
(['a', 'b', 'c'], 'edgelist')
>>> out = path.with_name("drawing.csv")
>>> write_positions(out, file, {"a": (0, 0), "b": (1, 0), "c": (0, 1)})
>>> print(out.read_text())
node,x,y
a,0.0,0.0
b,1.0,0.0
c,0.0,1.0
<BLANKLINE>
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from nelayout.errors import InputError
from nelayout.graphs.arrays import recognizes as is_matrix
from nelayout.graphs.files.formats import EXTENSIONS, FORMATS, JSON, WRITERS, file_format, sniff
from nelayout.graphs.files.look import PLAIN, Look
from nelayout.graphs.files.outputs import atomic, check_output, deliver, refuse_folder
from nelayout.graphs.files.positions import as_networkx, as_record, place_nodes, read_columns, read_csv
from nelayout.graphs.files.record import GraphFile
from nelayout.graphs.files.source import Source, Unreadable, load

__all__ = [
    "FORMATS",
    "WRITERS",
    "GraphFile",
    "Look",
    "atomic",
    "check_output",
    "deliver",
    "output_format",
    "positions_of",
    "read_graph",
    "read_positions",
    "write_positions",
]

# Advice on a content that is not of its format and of no other that is known.
AGAIN = "fetch or export it again, or name its format with format="


def read_graph(path: str | os.PathLike, format: str | None = None) -> GraphFile:  # noqa: A002  # the name users know
    """Read the graph in a file, or on standard input for "-".

    Parameters
    ----------
    path : the file; gzip is unpacked whatever it is called.
    format : a name in `FORMATS` or a file ending ("net", "csv"); without it the file's name decides, and for
        standard input the content, which a note says.

    Raises
    ------
    InputError
        naming the file and, where known, the line: there is no such file, it is empty, its ending is unknown,
        its content is not what the format demands.
    """
    if format is not None:
        name = file_format(format)
    elif path == "-" or Path(path).is_dir():  # which `load` refuses
        name = None
    else:
        name = file_format(path=path)
    source = load(path)
    notes: tuple[str, ...] = ()
    if name is None:
        name = sniff(source.data)
        if name is None:
            raise source.broken("the format cannot be told from the content; name it with format=")
        notes = (f"standard input is read as {name}",)
    return _parse(source, name).noting(*notes)


def _parse(source: Source, name: str) -> GraphFile:
    seems = sniff(source.data)
    if seems in JSON and name in JSON:
        name = seems
    other = "" if seems in (None, name) else f'it looks like {seems}: say format="{seems}"'
    if other and name == "edgelist":  # which would read the words of any text as labels
        raise source.broken(f"this is no edge list; {other}")
    try:
        return FORMATS[name].read(source)
    except InputError as error:
        hint = other or (AGAIN if isinstance(error, Unreadable) else "")
        if not hint:
            raise
        raise InputError(f"{error}; {hint}") from None


def output_format(
    path: str | os.PathLike,
    format: str | None = None,  # noqa: A002  # see read_graph
    allowed: Iterable[str] = WRITERS,
) -> str:
    """The format to write: `format`, else the ending of `path`; `InputError` if it is not in `allowed`.

    Examples
    --------
    >>> output_format("map.svg", allowed=["svg", "json"])
    'svg'
    """
    if format is None and path != "-":
        refuse_folder(path)
    table = {name: name for name in allowed}
    table = {ending: name for ending, name in EXTENSIONS.items() if name in table} | table
    return file_format(format, path, table=table, kind="output format")


def write_positions(
    path: str | os.PathLike,
    graph: Any,
    pos: Any,
    format: str | None = None,  # noqa: A002  # see read_graph
    source: str | os.PathLike | None = None,
    look: Look = PLAIN,
) -> None:
    """Write a graph with its positions into a file, whole or not at all; "-" is standard output.

    Parameters
    ----------
    path : the file; its ending is the format unless `format` says it ("-" needs it).
    graph : what `read_graph` gave, or a graph of any host.
    pos : positions of every node as a layout returns them: dict, igraph.Layout or (n, dim) array.
    format : "json" (node-link with x and y), "csv" (node, x, y), "graphml", "gexf", "cytoscape", "graphology",
        "pajek" (in the unit square, y down), "npz".
    source : the file that the graph came from, which is not overwritten.
    look : sizes, colors and names of the nodes, for the formats of viewers: graphml, gexf, cytoscape, graphology.

    Raises
    ------
    InputError
        for an unknown format, an output that cannot be written (see `check_output`), a node without position.
    """
    name = output_format(path, format)
    check_output(path, *([] if source is None else [source]))
    file = as_record(graph)
    Y = place_nodes(pos, file)
    of_matrix = FORMATS[name].write_matrix if name in FORMATS else None
    if of_matrix is not None and is_matrix(file.graph) and not file.node_data:
        content = of_matrix(file.graph, file.labels, Y)
    else:
        content = WRITERS[name](None if name == "csv" else as_networkx(file), file.labels, Y, look)
    deliver(path, content)


def read_positions(
    path: str | os.PathLike,
    format: str | None = None,  # noqa: A002  # see read_graph
) -> dict[Any, np.ndarray]:
    """Read {label: coordinates} from a file with positions: any that `write_positions` writes, and others.

    A table (csv, tsv) needs a header with x and y; its labels are text, or whole numbers if all are.  Nodes
    without position are left out.

    Raises
    ------
    InputError
        if the file has no node columns x and y, and no array `positions` or `coords` (npz).
    """
    ending = format or str(path).removesuffix(".gz").rpartition(".")[2]
    if ending.lower() in ("csv", "tsv"):
        labels, Y = read_csv(load(path))
        with contextlib.suppress(ValueError):  # then they are text
            labels = [int(label) for label in labels]
        return dict(zip(labels, Y, strict=True))
    return positions_of(read_graph(path, format), str(path))


def positions_of(file: GraphFile, name: str) -> dict[Any, np.ndarray]:
    """Positions {label: coordinates} that a graph file of this name holds beside its graph; see `read_positions`."""
    labels, Y = read_columns(file, "standard input" if name == "-" else name)
    return dict(zip(labels, Y, strict=True))
