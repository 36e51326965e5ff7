"""Matrix Market (.mtx) and NumPy archives (.npz): the graph is a csr_array."""

from __future__ import annotations

import inspect
import io
import re
import warnings
import zipfile
import zlib
from typing import Any

import numpy as np
from scipy.sparse import csr_array, load_npz

from nelayout.graphs.files.record import FileFormat, GraphFile, mirror
from nelayout.graphs.files.source import Source
from nelayout.graphs.files.writers import to_npz
from nelayout.graphs.to_floats import short_repr

__all__ = ["MTX", "NPZ", "load_arrays", "read_mtx", "read_npz"]

# Beginnings of what NumPy saves: archives, also without content, and single arrays.
ARCHIVES, ARRAY = (b"PK\x03\x04", b"PK\x05\x06"), b"\x93NUMPY"
# The lines of a Matrix Market file above its entries.
HEAD = re.compile(
    rb"%%MatrixMarket\s+matrix\s+(?P<form>coordinate|array)\s+(?P<field>\w+)[^\n]*\n(?:[ \t]*(?:%[^\n]*)?\r?\n)*"
    rb"(?P<sizes>[ \t]*\d+[ \t]+\d+(?:[ \t]+\d+)?)[ \t]*\r?\n",
    re.IGNORECASE,
)
# Numbers of a value.
FIELDS = {b"pattern": 0, b"complex": 2}
NUMBER = rb"[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|nan|inf(?:inity)?)"
# Bytes of memory for a row or an entry of a sparse matrix.
ROW = 16
NPZ_KEYS = "rows, cols and n (each undirected edge once), or what scipy.sparse.save_npz writes"


def read_mtx(source: Source) -> GraphFile:
    """A Matrix Market file; entries without values count 1, stored zeros stay (they are no edges later)."""
    from scipy.io import mmread

    if b"\0" in source.data:  # on which scipy 1.17 reads beyond its buffer
        raise source.no_text(source.data.partition(b"\0")[0].count(b"\n") + 1)
    head = HEAD.match(source.data)
    if head is not None:
        line, sizes = head[0].count(b"\n"), [int(size) for size in head["sizes"].split()]
        source.check_size(max(sizes[:2]), ROW, "rows", line)
        if len(sizes) > 2:
            source.check_size(sizes[2], ROW, "entries", line)
    # Newer scipy asks which class is wanted; older does not know the question.
    wanted = {"spmatrix": False} if "spmatrix" in inspect.signature(mmread).parameters else {}
    try:
        matrix: Any = mmread(io.BytesIO(source.data), **wanted)
    except (ValueError, OverflowError, TypeError, IndexError) as error:
        at = re.search(r"[Ll]ine (\d+)", str(error))
        raise source.unreadable(f"cannot be read as mtx: {error}", int(at[1]) if at else None) from None
    if head is not None:
        _check_entries(source, head)
    matrix = csr_array(matrix)
    return GraphFile(matrix, range(_check_square(source, matrix)), {}, "mtx")


def _check_entries(source: Source, head: re.Match[bytes]) -> None:
    """Raise `InputError` for a row of which scipy reads only the beginning, as of "0,5" or "1 2 3 4"."""
    columns = FIELDS.get(head["field"].lower(), 1) + (2 if head["form"].lower() == b"coordinate" else 0)
    body = source.data[head.end() :]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # older NumPy only warns of text that is no number
        try:
            if len(np.fromstring(body, sep=" ")) % columns == 0:
                return
        except (DeprecationWarning, ValueError):
            pass
    form = re.compile(rb"\s+".join([NUMBER] * columns), re.IGNORECASE)
    for line, row in enumerate(body.split(b"\n"), head[0].count(b"\n") + 1):
        if row.strip() and not form.fullmatch(row.strip()):
            text = short_repr(row.strip().decode("latin-1"))
            raise source.broken(f"expected {columns} number{'s' * (columns > 1)} in a row, found {text}", line)


def read_npz(source: Source) -> GraphFile:
    """An archive with `rows`, `cols`, `n` and perhaps `weights`, or a sparse or a dense matrix.

    `names` (or `labels` beside `positions`) name the nodes where they are distinct; all other arrays with one
    row per node are node data: `labels`, `coords`.
    """
    arrays = load_arrays(source, "npz", NPZ_KEYS)
    if "" in arrays:
        raise source.broken(f"holds a single array; expected {NPZ_KEYS}")
    if {"rows", "cols"} <= set(arrays):
        return _edges(source, arrays)
    if {"format", "shape", "data"} <= set(arrays):
        try:
            matrix = csr_array(load_npz(io.BytesIO(source.data)))
        except (ValueError, KeyError, TypeError) as error:
            raise source.broken(f"cannot be read as a sparse matrix: {error}") from None
    elif len(arrays) == 1 and next(iter(arrays.values())).ndim == 2:
        matrix = csr_array(next(iter(arrays.values())))
    else:
        raise source.broken(f"holds {', '.join(arrays) or 'nothing'}; expected {NPZ_KEYS}")
    return GraphFile(matrix, range(_check_square(source, matrix)), {}, "npz")


def load_arrays(source: Source, kind: str, expected: str) -> dict[str, np.ndarray]:
    """Name -> array of what NumPy has saved; a single array has the name "".

    Raises `InputError` for other contents, those not whole, and arrays of Python objects, which could run code.
    """
    if not source.data.startswith((*ARCHIVES, ARRAY)):
        raise source.unreadable(f"cannot be read as {kind}: NumPy has not saved this; expected {expected}")
    content = io.BytesIO(source.data)
    try:
        loaded = np.load(content, allow_pickle=False)
        if hasattr(loaded, "zip"):
            source.check_size(sum(member.file_size for member in loaded.zip.infolist()), 1, "bytes of arrays")
        found = {name: loaded[name] for name in loaded.files} if hasattr(loaded, "files") else {"": loaded}
    except (ValueError, OSError, EOFError, KeyError, zipfile.BadZipFile, zlib.error) as error:
        raise source.unreadable(f"cannot be read as {kind}: {error}; expected {expected}") from None
    if "" in found and content.read(1):
        raise source.unreadable(f"cannot be read as {kind}: there is more in it than its array")
    return found


def _edges(source: Source, arrays: dict[str, np.ndarray]) -> GraphFile:
    rows, cols = arrays.pop("rows"), arrays.pop("cols")
    weights = arrays.pop("weights", None)
    directed = bool(arrays.pop("directed", False))
    if rows.ndim != 1 or rows.shape != cols.shape or not {rows.dtype.kind, cols.dtype.kind} <= set("iu"):
        raise source.broken(f"rows {rows.shape} and cols {cols.shape} must be integers, one pair per edge")
    if weights is not None and (weights.shape != rows.shape or weights.dtype.kind not in "biuf"):
        raise source.broken(f"weights {weights.shape} must be numbers, one per edge ({len(rows)})")
    n = int(arrays.pop("n", max(rows.max(initial=-1), cols.max(initial=-1)) + 1))
    if len(rows) and not (min(rows.min(), cols.min()) >= 0 and max(rows.max(), cols.max()) < n):
        raise source.broken(f"rows and cols must lie in 0 .. {n - 1}, n being {n}")
    source.check_size(n, ROW, "nodes")
    if not directed:
        rows, cols = np.minimum(rows, cols), np.maximum(rows, cols)
    values = np.ones(len(rows)) if weights is None else weights.astype(np.float64)
    matrix = csr_array((values, (rows, cols)), shape=(n, n))
    matrix.sum_duplicates()
    names = arrays.pop("labels" if "positions" in arrays else "names", None)
    columns: dict[str, Any] = {name: array for name, array in arrays.items() if array.shape[:1] == (n,)}
    labels: Any = range(n)
    if names is not None and names.shape == (n,):
        if len(set(names.tolist())) == n:
            labels = names.tolist()
        else:
            columns["name"] = names
    if "label_names" in arrays and "labels" in columns and columns["labels"].dtype.kind in "iu":
        columns["label_names"] = arrays["label_names"]
    return GraphFile(matrix if directed else mirror(matrix), labels, columns, "npz")


def _check_square(source: Source, matrix: Any) -> int:
    """Number of rows of a square matrix; raises the error for one that is no graph."""
    shape = matrix.shape
    if len(shape) != 2 or shape[0] != shape[1]:
        raise source.broken(
            f"the matrix has shape {shape}; a graph needs a square one "
            "(a table of numbers, one row per sample, is drawn by nelayout.embed)"
        )
    return shape[0]


MTX = FileFormat(
    "mtx",
    ("mtx",),
    re.compile(r"\s*%%MatrixMarket", re.IGNORECASE),
    read_mtx,
)
NPZ = FileFormat(
    "npz",
    ("npz",),
    re.compile("PK\x03\x04|PK\x05\x06"),
    read_npz,
    to_npz,
    binary=True,
)
