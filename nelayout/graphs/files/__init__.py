"""Read graph files, write positions.

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

import csv
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from nelayout.errors import InputError, unknown
from nelayout.graphs import host_of, places
from nelayout.graphs.files.arrow import ARROW, PARQUET, to_arrow, to_parquet
from nelayout.graphs.files.delimited import Rows, is_missing, number, typed
from nelayout.graphs.files.foreign import CONVERSIONS, head_of
from nelayout.graphs.files.gml import GML
from nelayout.graphs.files.json_forms import CYTOSCAPE, GRAPHOLOGY, NODE_LINK
from nelayout.graphs.files.json_forms import to_json as encode_node_link
from nelayout.graphs.files.markup import GEXF, GRAPHML
from nelayout.graphs.files.matrices import MTX, NPZ
from nelayout.graphs.files.opening import PathOrBuffer, is_buffer, load, name_of, reading
from nelayout.graphs.files.pajek import PAJEK
from nelayout.graphs.files.record import (
    PLAIN,
    Columns,
    FileFormat,
    GraphFile,
    Look,
    Source,
    Unreadable,
    count_of,
)
from nelayout.graphs.files.sheets import XLSX, sheet_text
from nelayout.graphs.files.tables import EDGE_LIST, SIF
from nelayout.graphs.files.writers import atomic, check_output, deliver, refuse_folder, to_csv
from nelayout.graphs.host import AXES
from nelayout.graphs.to_floats import whole

__all__ = [
    "CONVERSIONS", "EXTENSIONS", "FORMATS", "JSON", "POSITIONS", "WRITERS", "GraphFile", "Look", "PathOrBuffer",
    "atomic", "check_output", "deliver", "file_format", "is_buffer", "output_format", "positions_of", "read_graph",
    "read_positions", "sniff", "to_json", "write_positions",
]  # fmt: skip

# The formats in the order of detection. Edge lists come last, because almost any text looks like an edge list.
FORMATS: dict[str, FileFormat] = {
    entry.name: entry
    for entry in (
        XLSX,
        NPZ,
        ARROW,
        PARQUET,
        MTX,
        GRAPHML,
        GEXF,
        CYTOSCAPE,
        GRAPHOLOGY,
        NODE_LINK,
        PAJEK,
        GML,
        SIF,
        EDGE_LIST,
    )
}

# Formats with the ending .json; only the content distinguishes them.
JSON = {CYTOSCAPE.name, GRAPHOLOGY.name, NODE_LINK.name}

# File ending or name of a format -> format; `format=` accepts both.
EXTENSIONS = {ending: entry.name for entry in FORMATS.values() for ending in (*entry.endings, entry.name)}

# Output format -> writer: formats of positions only, and formats of the whole graph.
POSITIONS = {"csv": to_csv, "arrow": to_arrow, "parquet": to_parquet}
WRITERS = POSITIONS | {entry.name: entry.write for entry in FORMATS.values() if entry.write is not None}

# Form of `to_json` -> its writer.
JSON_FORMS = {
    "d3": partial(encode_node_link, links="links"),
    "node-link": encode_node_link,
    "cytoscape": CYTOSCAPE.write,
    "graphology": GRAPHOLOGY.write,
}


def file_format(
    given: str | None = None, path: PathOrBuffer | None = None, table: Mapping[str, str] = EXTENSIONS,
    kind: str = "file format",
) -> str:  # fmt: skip
    """Return the name of the format `given`, or of the ending of `path` without ".gz"."""
    known = "one of " + ", ".join(sorted(table))
    if given is not None:
        name = str(given).lower().lstrip(".")
        if name in CONVERSIONS and name not in table:
            raise InputError(f"format {given!r}: .{name} files are not read; {CONVERSIONS[name]}")
        if name not in table:
            raise unknown(kind, given, table)
        return table[name]
    if path is None or path == "-":
        raise InputError(f"the {kind} must be named for standard output: format=, {known}")
    ending = _ending(path, table)
    if is_buffer(path) and ending not in table:
        raise InputError(f"the {kind} must be named for a buffer: format=, {known}")
    if not ending:
        raise InputError(f"{str(path)!r} has no ending that names the {kind}; name it with format=, {known}")
    if ending in CONVERSIONS and (table is EXTENSIONS or ending == "h5ad"):  # cells are a graph and a table
        raise InputError(f"{str(path)!r}: .{ending} files are not read; {CONVERSIONS[ending]}")
    if ending not in table:
        raise InputError(f"{str(path)!r}: {unknown(kind, ending, table)}; or name it with format=")
    return table[ending]


def _ending(path: PathOrBuffer, table: Mapping[str, str]) -> str:
    """Return the ending of a file's or a buffer's name, without ".gz"; "" if it has none."""
    pure = PurePath(name_of(path))
    pure = PurePath(pure.stem) if pure.suffix.lower() == ".gz" else pure
    double = "".join(pure.suffixes[-2:]).lower().lstrip(".")  # graphology.json
    return double if double in table else pure.suffix.lower().lstrip(".")


def _format_of(path: PathOrBuffer, given: str | None) -> str | None:
    """Return the format by `given` or a file's name; None if only the content shows it."""
    unnamed = is_buffer(path) and _ending(path, EXTENSIONS) not in EXTENSIONS
    unnamed = unnamed or path == "-" or (not is_buffer(path) and Path(str(path)).is_dir())  # `load` refuses a folder
    return None if given is None and unnamed else file_format(given, path)


def sniff(data: bytes) -> str | None:
    """Return the name of the first format that recognizes the content, or None."""
    head = head_of(data)
    text = "\x00" not in head
    fitting = (name for name, entry in FORMATS.items() if (text or entry.binary) and re.match(entry.sign, head))
    return next(fitting, None)


# Headings of the column with node names, the most likely first; "row" is for embeddings of tables.
NODE_NAMES = ("node", "row", "id", "label", "name")


def read_graph(
    path: PathOrBuffer,
    format: str | None = None,  # noqa: A002  # a usual name of this keyword
    weight: str | None = None,
    nodes: PathOrBuffer | None = None,
    source: str | None = None,
    target: str | None = None,
    sheet: str | int | None = None,
    bipartite: bool = False,
) -> GraphFile:
    """Read the graph in a file, a buffer, or on standard input for "-".

    Parameters
    ----------
    path : the file, or a buffer: an open file, `io.BytesIO` or `io.StringIO`. gzip is unpacked under any name.
    format : a name in `FORMATS` or a file ending ("net", "csv").  The default is the file's ending; for standard
        input and for buffers without one, nelayout detects the format from the content and adds a note.
    weight : the column of a table that becomes the edge attribute of this name, by its heading or its number from 1;
        None: the column with the heading of a weight, else the one with the heading of a length, which layouts read
        as distances.
    nodes : a table of nodes with a header. The column node, row, id, label or name holds the names, else the first
        column does. Other columns become node attributes. Nodes without an edge are added.
    source, target : the columns of the ends of an edge in a table, by their headings or their numbers from 1; None:
        their headings or the first two columns.
    sheet : the sheet of a workbook, by its name or its number from 1; None: the sheet that is called edges or links,
        else the sheet with headings of both ends, else the first sheet. A note names it.
    bipartite : whether both columns of a table name nodes of two kinds, such as users and items. Equal names are then
        two nodes, called "user 1" and "item 1" after the headings. The node attributes `kind` and `name` hold the
        heading and the name. A table with a row for each user and a column for each item is read as well.

    Raises
    ------
    InputError
        naming the file and, if known, the line: the file is missing or empty, its ending is unknown,
        or its content does not fit the format.
    """
    began = time.perf_counter()
    if (source is None) != (target is None):
        raise InputError("source and target must both name columns of a table; got one. Name the other one as well")
    ends = None if source is None else (str(source), str(target))
    columns = Columns(weight, ends, None if sheet is None else str(sheet), bipartite)
    name = _format_of(path, format)
    with reading(path):
        content = load(path)
        file = _parse(content, name, columns)
        if nodes is not None:
            file = _with_nodes(file, _table(nodes, "nodes"))
    return replace(file, seconds=time.perf_counter() - began)


def _parse(source: Source, name: str | None, columns: Columns) -> GraphFile:
    """Return the graph in a file of a format; None: the format that the content shows."""
    seems = sniff(source.data)
    if name is None and seems is None:
        raise source.broken("the content does not show the format; name it with format=")
    said = f"{source.name} is read as {seems}" if name is None else ""
    name = name or str(seems)
    other = "" if seems in (None, name) or {seems, name} <= JSON else f'it looks like {seems}: say format="{seems}"'
    if other and name in ("edgelist", "sif") and seems != "edgelist":  # which read the words of any text as labels
        raise source.broken(f"this is not an edge list; {other}")
    table = FORMATS[name].columns
    if not table and (columns.ends is not None or columns.bipartite):
        what = "bipartite is" if columns.ends is None else "source and target are"
        raise source.broken(f"{what} for a table of edges; this is {name}. Leave them out")
    if columns.sheet is not None and name != XLSX.name:
        raise source.broken(f"sheet is for a workbook; this is {name}. Leave it out")
    try:
        file = FORMATS[name].read(source, columns) if table else FORMATS[name].read(source)
    except InputError as error:
        if other and seems == "edgelist":
            try:
                FORMATS["edgelist"].read(source)
            except InputError:
                other = ""
        if not other and not isinstance(error, Unreadable):
            raise
        hint = other or "fetch or export it again, or name its format with format="
        raise InputError(f"{error}; {hint}") from None
    file = file if columns.weight is None else replace(file, weight=columns.weight)
    file = _with_numbers(file, {"weight", file.weight})
    return file.noting(*(n for n in source.notes if n not in file.notes), said)


def _table(path: PathOrBuffer, held: str) -> Source:
    """Return a table of nodes or positions, as text if it is a sheet of a workbook."""
    source = load(path, f"a table of {held}")
    return sheet_text(source, "nodes") if sniff(source.data) == XLSX.name else source


def _with_nodes(file: GraphFile, source: Source) -> GraphFile:
    """Return the file with the columns and the other nodes of a table of nodes."""
    (_, header), key, rows = _node_rows(source, "expected a header, and a row for each node")
    table: dict[str, list[str]] = {}
    for line, row in rows:
        name = row[key].strip() if key < len(row) else ""
        if is_missing(name) or name in table:
            rule = f"the node {name!r} is there twice; a table of nodes has one row per node" * (name in table)
            raise source.broken(rule or "a node has no name", line)
        table[name] = row
    known = dict.fromkeys(map(str, file.labels))
    others = [name for name in table if name not in known]
    if len(others) == len(table):
        e_g = f"the graph has e.g. {next(iter(known), None)!r}"
        raise source.broken(f"all {len(table)} node names are unknown; {e_g}. Correct the names")
    numbers = whole(others) if all(isinstance(label, int) for label in file.labels) else None
    labels = [*file.labels, *(others if numbers is None else numbers)]
    columns = {name: [*values, *[None] * len(others)] for name, values in file.node_data.items()}
    for k, heading in enumerate(header):
        if k == key or not heading.strip():
            continue
        cells = [table[name][k].strip() if name in table and k < len(table[name]) else "" for name in map(str, labels)]
        columns[heading.strip()] = typed(cells)
    graph = file.graph
    if hasattr(graph, "edges"):
        from networkx import set_node_attributes

        graph.add_nodes_from(labels)
        for name, values in columns.items():
            set_node_attributes(graph, {v: x for v, x in zip(labels, values, strict=True) if x is not None}, name)
    else:
        graph.resize((len(labels), len(labels)))
    note = f"{count_of(len(others), 'node')} named by {source.name} alone" if others else ""
    return replace(file, labels=labels, node_data=columns).noting(note, *source.notes)


def _with_numbers(file: GraphFile, names: set[str]) -> GraphFile:
    """Convert weights that are text to numbers, and remove missing values."""
    if not hasattr(file.graph, "edges"):
        return file
    read = missing = 0
    edges = [own for *_, own in file.graph.edges(data=True)]
    for name in names:
        having = [own for own in edges if name in own]
        for own in having:
            value = own[name]
            if value is None or is_missing(str(value).strip()):
                del own[name]
            elif isinstance(value, str) and (known := number(value.strip())) is not None:
                own[name] = known
                read += 1
        missing += sum(name not in own for own in edges) if having else 0
    notes = (
        f"{count_of(missing, 'weight')} missing: such edges weigh 1" if missing else "",
        f"{count_of(read, 'weight')} read from text" if read else "",
    )
    return file.noting(*notes)


def output_format(
    path: PathOrBuffer,
    format: str | None = None,  # noqa: A002  # see read_graph
    allowed: Iterable[str] = WRITERS,
) -> str:
    """Return `format` or else the ending of `path`; raise `InputError` if not in `allowed`."""
    if format is None and path != "-" and not is_buffer(path):
        refuse_folder(str(path))
    table = {name: name for name in allowed}
    table = {ending: name for ending, name in EXTENSIONS.items() if name in table} | table
    return file_format(format, path, table=table, kind="output format")


def write_positions(
    path: PathOrBuffer,
    graph: object,
    pos: object,
    format: str | None = None,  # noqa: A002  # see read_graph
    source: PathOrBuffer | None = None,
    look: Look = PLAIN,
    weight: str | None = None,
) -> None:
    """Write a graph with its positions into a file, completely or not at all ("-": stdout).

    Parameters
    ----------
    path : the file, or a buffer of bytes or text; its ending is the format unless `format` is set. "-" and buffers
        without such a name need `format`.
    graph : result of `read_graph`, or a graph of any supported library.
    pos : positions of every node as a layout returns them: dict, igraph.Layout or (n, dim) array.
    format : "json" (node-link with x and y), "csv", "arrow" and
        "parquet" (node, x, y), "graphml", "gexf", "cytoscape", "graphology",
        "pajek" (in the unit square, y down), "npz".
    source : the file that the graph came from, which is not overwritten.
    look : sizes, colors and names of the nodes, for the formats of viewers: graphml, gexf, cytoscape, graphology.
    weight : the edge attribute that becomes the weight of the edges in gexf, pajek and npz; None: the attribute of
        `look`, which is "weight", or the one that `read_graph` was asked for.

    Raises
    ------
    InputError
        for an unknown format, an output that cannot be written (see `check_output`), a node without position.
    """
    name = output_format(path, format)
    check_output(path, *([] if source is None else [source]))
    deliver(path, _encoded(WRITERS[name], graph, pos, look, weight, bare=name in POSITIONS))


def to_json(G: object, pos: object, form: str = "d3") -> str:
    """Return a graph with its positions as JSON, for a page or another program.

    Parameters
    ----------
    G : graph of any supported library, or result of `read_graph`
    pos : positions of every node as a layout returns them: dict, igraph.Layout or (n, dim) array, or a `Solution`
    form : "d3", by default: nodes with id, x and y, and links with source and target. "node-link": the same with edges
        in place of links, as networkx reads it. "cytoscape": elements of Cytoscape.js. "graphology": for sigma.js. Node
        and edge attributes are kept. y points upward, except in "cytoscape"; an SVG picture needs -y.

    Returns
    -------
    str
        One JSON object. `json.loads` makes a dict of it.

    Raises
    ------
    InputError
        For an unknown form, a node without position, and names that are one text.

    Examples
    --------
    >>> import json, networkx as nx, nelayout as nl
    >>> text = nl.to_json(nx.path_graph(["a", "b"]), {"a": (0, 0), "b": (1, 0.5)})
    >>> data = json.loads(text)
    >>> data["nodes"], data["links"]
    ([{'id': 'a', 'x': 0.0, 'y': 0.0}, {'id': 'b', 'x': 1.0, 'y': 0.5}], [{'source': 'a', 'target': 'b'}])
    """
    if form not in JSON_FORMS:
        raise unknown("form", form, JSON_FORMS)
    return _encoded(JSON_FORMS[form], G, pos).decode().strip()


def _encoded(
    write: Callable[..., bytes], graph: object, pos: object, look: Look = PLAIN, weight: str | None = None,
    bare: bool = False,
) -> bytes:  # fmt: skip
    """Return what a writer makes of a graph with its positions; `bare`: without its edges."""
    file = graph if isinstance(graph, GraphFile) else GraphFile(graph, host_of(graph).aliases[0])
    if weight is None and look.weight == PLAIN.weight and file.weight_kind != "distance":
        weight = file.weight
    look = look if weight is None else replace(look, weight=weight)
    opened, host = places(pos), file.host
    host.aliases = [file.labels, *host.aliases]
    Y = host.positions(opened.given, opened.dim)
    missing = np.isnan(Y).any(axis=1)
    if missing.any():
        raise InputError(f"node {file.labels[int(np.argmax(missing))]!r} has no position; every node needs one")
    G = None if bare else file.host.as_networkx(file.labels, file.node_data)
    return write(G, file.labels, Y, look)


def read_positions(
    path: PathOrBuffer,
    format: str | None = None,  # noqa: A002  # see read_graph
) -> dict[Any, np.ndarray]:
    """Read {label: coordinates} from a file that `write_positions` wrote, or a similar file.

    `path` and `format` are as in `read_graph`. A table (csv, tsv, xlsx) needs a header with x and y; its labels are
    text, or whole numbers if all are.  Nodes without position are left out.

    Raises
    ------
    InputError
        if the file has no node columns x and y, and no array `positions` or `coords` (npz).
    """
    name, source = _format_of(path, format), _table(path, "positions")
    if (name or sniff(source.data)) not in ("edgelist", XLSX.name):
        return positions_of(_parse(source, name, Columns()), source.name)
    expected = "expected a header with node, x and y"
    (top, head), at, others = _node_rows(source, expected)
    header = [word.strip().lower() for word in head]
    columns = [header.index(axis) for axis in AXES if axis in header]
    if "x" not in header:
        raise source.broken(expected, top)
    places: dict[str, list[float]] = {}
    for line, row in others:
        if any(k < len(row) and is_missing(row[k].strip()) for k in columns):
            continue
        found = [number(row[k].strip()) for k in columns if k < len(row)]
        if len(found) < len(columns) or len(row) <= at or None in found:
            raise source.broken(f"expected a node and {len(columns)} numbers, found {row}", line)
        if row[at] in places:
            raise source.broken(f"the node {row[at]!r} is there twice; rename or remove one", line)
        places[row[at]] = [value for value in found if value is not None]
    labels = whole(list(places)) or list(places)
    return {label: np.array(place) for label, place in zip(labels, places.values(), strict=True)}


def positions_of(file: GraphFile, name: str) -> dict[Any, np.ndarray]:
    """Return the positions {label: coordinates} in a graph file; see `read_positions`."""
    if not len(file.labels):
        return {}
    data, down = file.node_data, file.format == "pajek"
    axes = next((axes for axes in (AXES, ("X", "Y", "Z")) if axes[0] in data), ())
    if file.format == "npz" and "positions" in data:
        rows = data["positions"]
    elif axes:
        flat = down and "z" in data and len(set(data["z"])) == 1
        columns = [data[axis] for axis in axes[: 2 if flat else 3] if axis in data]
        rows = [[np.nan if value is None else value for value in row] for row in zip(*columns, strict=True)]
    elif "coords" in data:
        rows = data["coords"]
    elif "viz" in data:
        spots = [(viz or {}).get("position", {}) for viz in data["viz"]]
        rows = [[spot.get(axis, np.nan) for axis in ("x", "y")] for spot in spots]
    else:
        what = "expected node attributes x and y, or an array positions or coords"
        raise InputError(f"{name} holds no positions; {what}")
    try:
        Y = np.array(rows, dtype=np.float64).reshape(len(file.labels), -1)
    except (TypeError, ValueError):
        raise InputError(f"{name} holds no positions: its attributes x, y or coords are not numbers") from None
    if down:
        Y[:, 1:2] *= -1
    return {file.labels[k]: Y[k] for k in np.flatnonzero(np.isfinite(Y).all(axis=1)).tolist()}


def _node_rows(source: Source, expected: str) -> tuple[tuple[int, list[str]], int, list[tuple[int, list[str]]]]:
    """Return the numbered header of a table of nodes, the column of names, numbered rows."""
    try:
        header, *rows = Rows(source, exact=True)
    except csv.Error as error:
        raise source.broken(f"cannot be read as a table: {error}; fetch or write it again") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise source.broken(expected, 1) from None
    words = [word.strip().lower() for word in header[1]]
    return header, next((words.index(word) for word in NODE_NAMES if word in words), 0), rows
