"""Read and write Arrow (Feather) and Parquet files: tables of typed columns, by pyarrow.

A table of edges has headings for both ends. A table of positions has the columns node, x, y::

    >>> content = encode_columns({"source": ["a", "b"], "target": ["b", "c"], "weight": [2.0, 1.0]}, "arrow")
    >>> read_arrow(Source("edges.arrow", content)).graph["b"]["a"]
    {'weight': 2.0}
    >>> read_arrow(Source("drawing.arrow", to_arrow(None, ["a", "b"], np.eye(2)))).node_data["x"]
    [1.0, 0.0]
"""

from __future__ import annotations

import io
from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from nelayout.errors import InputError, missing_extra
from nelayout.graphs.files.columns import Ends, column_of, of_column
from nelayout.graphs.files.record import (
    ANY,
    PLAIN,
    Columns,
    FileFormat,
    GraphFile,
    Look,
    Source,
    count_of,
    from_networkx,
    numbered,
)
from nelayout.graphs.files.writers import axes, labels_to_write
from nelayout.graphs.headings import NODE, WEIGHT, ends_named, first_of, is_length, is_time, is_weight
from nelayout.graphs.plain import listed, plain_text
from nelayout.graphs.to_floats import rounded_note, utf8, whole

__all__ = ["ARROW", "PARQUET", "encode_columns", "read_arrow", "read_columns", "to_arrow", "to_parquet"]


def _pyarrow(kind: str) -> Any:
    """Return pyarrow with the module that reads and writes this kind of file."""
    try:
        arrow = import_module("pyarrow")
        import_module("pyarrow.parquet" if kind == "parquet" else "pyarrow.ipc")
    except ImportError:
        raise missing_extra("pyarrow", "parquet", f"{kind} files") from None
    return arrow


def read_columns(source: Source, kind: str) -> Any:
    """Return the pyarrow table of a file."""
    arrow = _pyarrow(kind)
    content = arrow.BufferReader(source.data)
    try:
        if kind == "parquet":
            known = arrow.parquet.read_metadata(content)
            source.check_size(known.num_rows * known.num_columns, "cells")
            table = arrow.parquet.read_table(content)
        else:
            table = arrow.ipc.open_file(content).read_all()
            table.validate(full=True)
    except (MemoryError, InputError):
        raise
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise source.unreadable(f"cannot be read as {kind}: {error}") from None
    return table


def encode_columns(columns: Mapping[str, Any], kind: str) -> bytes:
    """Encode columns as a file; a column of several types becomes text."""
    arrow = _pyarrow(kind)

    def column(values: Any) -> Any:
        if isinstance(values, np.ndarray) and values.dtype.kind not in "OU":
            return arrow.array(values)
        values = listed(values)
        try:
            return arrow.array(values)
        except (arrow.ArrowException, TypeError, OverflowError, UnicodeError):
            return arrow.array([None if value is None else utf8(plain_text(value)).decode() for value in values])

    table = arrow.table({name: column(values) for name, values in columns.items()})
    content = io.BytesIO()
    if kind == "parquet":
        arrow.parquet.write_table(table, content)
    else:
        with arrow.ipc.new_file(content, table.schema) as writer:
            writer.write_table(table)
    return content.getvalue()


def _to_columns(G: Any, labels: Sequence[Hashable], Y: np.ndarray, look: Look = PLAIN, *, kind: str = "arrow") -> bytes:
    """Encode one row per node: node, x, y (and z)."""
    names = axes(Y.shape[1])
    return encode_columns({"node": labels_to_write(labels, kind), **dict(zip(names, Y.T.copy(), strict=True))}, kind)


def _read(source: Source, columns: Columns = ANY, *, kind: str = "arrow") -> GraphFile:
    """Read the undirected graph of a table of edges, or the nodes of a table of positions."""
    weight, ends = columns.weight, columns.ends
    table = read_columns(source, kind)
    names = table.column_names
    every = range(len(names))
    named = ends_named(names) if ends is None else tuple(column_of(source, x, names, every, "an end") for x in ends)
    if named is None and "x" in names:
        return _nodes(source, table, kind)
    if named is None and len(names) == 2 and first_of(names[:1], NODE) is None:
        named = (0, 1)
    if named is None:
        raise source.broken(
            f"the columns {', '.join(map(repr, names[:8]))} do not name the ends of edges; name them: source=NAME and "
            "target=NAME (a table of numbers, one row per sample, is drawn by nelayout.embed)"
        )
    numbers = [k for k in range(len(names)) if k not in named and _is_numeric(table.column(k))]
    at, notes = None, []
    if weight is not None and (weight != "weight" or "weight" in names):
        at = column_of(source, weight, names, every, "weight")
    else:
        exact = first_of((name if k in numbers else "" for k, name in enumerate(names)), WEIGHT)
        alike = (k for k in numbers if is_weight(names[k]) and not is_time(names[k]))
        at = next(alike, None) if exact is None else exact
        notes += [] if at is None or names[at] == "weight" else [f"the column {names[at]!r} is read as weight"]
        at = next((k for k in numbers if is_length(names[k])), None) if at is None else at
    left = [repr(name) for k, name in enumerate(names) if k not in (*named, at)]
    notes += [f"columns not read: {', '.join(left)}"] if left else []
    both = [table.column(k).combine_chunks() for k in named]
    kept = _named(both[0]) & _named(both[1])
    if not kept.all():
        notes.append(f"{count_of(int(np.count_nonzero(~kept)), 'row')} without a name at an end left out")
    labels, rows, cols, said = _labels(source, both, kept, [names[k] for k in named])
    notes += said
    weights = None
    if at is not None:
        arrow = import_module("pyarrow")
        try:
            weights = table.column(at).cast(arrow.float64()).to_numpy().astype(np.float64)[kept]  # NaN for null
        except arrow.ArrowException as error:
            what = "must hold weights, which are numbers"
            raise source.broken(f"the column {names[at]!r} {what} ({error})") from None
    del table, both
    heading = "" if at is None else names[at]
    nodes = Ends(labels, np.stack([rows, cols]), [names[k] for k in named])
    return of_column(nodes, weights, kind, notes, weight or "weight", heading, columns)


def _named(ends: Any) -> np.ndarray:
    """Return which ends are neither null nor NaN nor an empty text."""
    compute, types = import_module("pyarrow.compute"), import_module("pyarrow.types")
    text = types.is_string(ends.type) or types.is_large_string(ends.type)
    known = compute.not_equal(ends, "") if text else compute.invert(compute.is_null(ends, nan_is_null=True))
    return compute.fill_null(known, False).to_numpy(zero_copy_only=False)


def _nodes(source: Source, table: Any, kind: str) -> GraphFile:
    """Return the nodes of a table of positions, without edges; other columns are node data."""
    import networkx

    names = table.column_names
    at = first_of(names, NODE) or 0
    rows = {row.pop(names[at]): row for row in table.to_pylist()}
    if len(rows) < table.num_rows or None in rows:
        raise source.broken(f"the column {names[at]!r} must name each node once; rename or remove the others")
    G = networkx.Graph()
    G.add_nodes_from((label, {n: v for n, v in own.items() if v is not None}) for label, own in rows.items())
    return from_networkx(G, kind, ("there are positions and no edges",))


def _is_numeric(column: Any) -> bool:
    types, kind = import_module("pyarrow.types"), column.type
    return types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind) or types.is_boolean(kind)


def _labels(
    source: Source, ends: Sequence[Any], kept: np.ndarray, names: Sequence[str]
) -> tuple[Sequence[Hashable], np.ndarray, np.ndarray, list[str]]:
    """Return labels, whole numbers increasing, others as they appear, ends by number, notes."""
    arrow = import_module("pyarrow")
    ends = [end.filter(arrow.array(kept)) for end in ends]
    notes, integers = dict[str, None](), list[Any]()
    for end, name in zip(ends, names, strict=True):
        values = end.to_numpy(zero_copy_only=False) if _is_numeric(end) else None
        if values is not None and values.dtype.kind not in "ib":
            floats = values.astype(np.float64)
            if not (np.isfinite(floats) & (np.floor(floats) == floats)).all():
                raise source.broken(f"the column {name!r} has fractions; nodes are words or whole numbers")
            if (np.abs(floats) >= 2.0**63).any():
                raise source.broken(f"the column {name!r} has numbers of 2**63 and more; write such names as text")
            notes[rounded_note(floats) if values.dtype.kind == "f" else ""] = None
        integers.append(None if values is None else values.astype(np.int64, copy=False))
    if all(values is not None for values in integers):
        labels, (rows, cols) = numbered(np.stack(integers))
        return labels, rows, cols, list(filter(None, notes))
    mixed = any(values is not None for values in integers)
    known = [end if x is None else arrow.array(x) for end, x in zip(ends, integers, strict=True)]
    try:
        texts = [end.cast(arrow.string()) for end in known]
    except arrow.ArrowException as error:
        raise source.broken(f"the columns {names[0]!r} and {names[1]!r} must hold words or numbers: {error}") from None
    by_rows = np.arange(2 * len(texts[0])).reshape(2, -1).T.ravel()  # both ends of an edge after one another
    coded = arrow.chunked_array(texts).combine_chunks().take(by_rows).dictionary_encode()
    codes, labels = coded.indices.to_numpy().reshape(-1, 2), coded.dictionary.to_pylist()
    if mixed:  # numbers beside text are names as in a table of text
        notes["one end is a column of numbers and the other one of text: 1 and '1' are one node"] = None
        if (found := whole(labels)) is not None:
            labels, order = numbered(np.array(found, dtype=np.int64))
            codes = order[codes]
    return labels, *codes.T, list(filter(None, notes))


read_arrow, to_arrow = partial(_read, kind="arrow"), partial(_to_columns, kind="arrow")
to_parquet = partial(_to_columns, kind="parquet")
ARROW = FileFormat("arrow", ("arrow", "feather"), "ARROW1", read_arrow, binary=True, columns=True)
PARQUET = FileFormat("parquet", ("parquet",), "PAR1", partial(_read, kind="parquet"), binary=True, columns=True)
