"""Output of `nelayout embed`: a picture, or the formats of positions."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.vectors.tables import Table

__all__ = ["WRITERS", "picture"]

# Names of arrays in an archive that no column beside the positions may take.
ARCHIVED = ("positions", "names", "data", "indices", "indptr", "shape", "format")


def picture(table: Table, color: str | None, Y: np.ndarray, kind: str, under: np.ndarray | None = None) -> bytes:
    """The points without any edges, over those of a map that was there before, which are gray."""
    from nelayout.pictures import draw
    from nelayout.pictures.colors import PLAIN, UNKNOWN, class_names

    texts, classes = table.beside.get("--label"), table.beside.get("--color")
    labels = None if texts is None else ["" if text is None else str(text) for text in texts.values]
    colors: Any = color if classes is None else class_names(classes.values)
    if under is not None:
        from matplotlib.colors import to_hex

        if classes is None:
            colors = [UNKNOWN] * len(under) + [to_hex(color or PLAIN)] * len(Y)
        else:
            colors = [None] * len(under) + list(colors)
        labels = None if labels is None else [""] * len(under) + labels
        Y = np.concatenate([under, Y])
    content = io.BytesIO()
    draw(None, Y, content, labels=labels, color=colors, format=kind)
    return content.getvalue()


def _titled(table: Table, taken: Iterable[str]) -> dict[str, list[Any]]:
    """The columns beside the positions by their names; by its option one that has none, or one of `taken`."""
    found = {}
    for option, column in table.beside.items():
        free = column.title and column.title not in taken
        found[column.title if free else option.removeprefix("--")] = column.values
    return found


def _records(table: Table, Y: np.ndarray) -> tuple[list[str], list[list[Any]]]:
    """Header and rows: what a row is called or its number from 0, its coordinates, the columns beside them."""
    from nelayout.graphs.files.writers import axes

    header = ["row", *axes(Y.shape[1])]
    beside = _titled(table, header)
    names: Sequence[Any] = table.names or range(len(Y))
    columns = [names, *Y.T.tolist(), *beside.values()]
    return [*header, *beside], [list(row) for row in zip(*columns, strict=True)]


def _to_csv(table: Table, Y: np.ndarray, graph: csr_array | None) -> bytes:
    from nelayout.graphs.files.encode import encode_csv

    return encode_csv(*_records(table, Y))


def _to_json(table: Table, Y: np.ndarray, graph: csr_array | None) -> bytes:
    """A list of records."""
    from nelayout.graphs.files.encode import encode_json

    header, rows = _records(table, Y)
    return encode_json([dict(zip(header, row, strict=True)) for row in rows])


def _to_npz(table: Table, Y: np.ndarray, graph: csr_array | None) -> bytes:
    """Arrays `positions`, `names` where there are any, and the columns beside; text is text (no pickle).

    The graph that was drawn stands there as `scipy.sparse.load_npz` reads it: `data`, `indices`, `indptr`, `shape` and
    `format`.
    """
    from nelayout.graphs.files.encode import encode_npz

    arrays: dict[str, Any] = {"positions": Y}
    if graph is not None:
        arrays |= {"data": graph.data, "indices": graph.indices, "indptr": graph.indptr, "shape": graph.shape}
        arrays["format"] = b"csr"
    if table.names is not None:
        arrays["names"] = np.array(table.names)
    for title, values in _titled(table, ARCHIVED).items():
        numeric = all(value is None or isinstance(value, (int, float)) for value in values)
        unknown = np.nan if numeric else ""
        arrays[title] = np.array([unknown if x is None else x if numeric else str(x) for x in values])
    return encode_npz(arrays)


def _to_npy(table: Table, Y: np.ndarray, graph: csr_array | None) -> bytes:
    content = io.BytesIO()
    np.save(content, Y)
    return content.getvalue()


# Format -> (table, (n, dim) positions, the graph that was drawn) -> content.
WRITERS: dict[str, Callable[[Table, np.ndarray, csr_array | None], bytes]] = {
    "csv": _to_csv,
    "json": _to_json,
    "npz": _to_npz,
    "npy": _to_npy,
}
