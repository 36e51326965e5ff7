"""Read Matrix Market files (.mtx) and NumPy archives (.npz) as csr_array."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from scipy.sparse import csr_array, load_npz

from nelayout.errors import InputError
from nelayout.graphs.files.record import (
    LIMITS,
    FileFormat,
    GraphFile,
    Source,
    count_of,
    edge_matrix,
    mirror,
    number_type,
)
from nelayout.graphs.files.writers import to_npz
from nelayout.graphs.to_floats import short_repr

__all__ = ["MTX", "NPZ", "load_arrays", "load_sparse", "number_columns", "padded", "read_mtx", "read_npz"]

# First bytes of NumPy files: archives, empty archives, and single arrays.
ARCHIVES, ARRAY = (b"PK\x03\x04", b"PK\x05\x06"), b"\x93NUMPY"
# Lines of a Matrix Market file above its entries.
HEAD = re.compile(
    rb"%%MatrixMarket\s+matrix\s+(?P<form>coordinate|array)\s+(?P<field>real|double|integer|unsigned-integer|pattern)\s+"
    rb"(?P<symmetry>general|symmetric|skew-symmetric)\s*?\n(?:[ \t]*(?:%[^\n]*)?\r?\n)*"
    rb"(?P<sizes>[ \t]*\d+(?:[ \t]+\d+)*)[ \t]*\r?(?:\n|$)",
    re.IGNORECASE,
)
# Numbers with 0 in place of each digit, and translations of bytes: all digits, all separators.
NUMBER, WHOLE = rb"[+-]?(?:0+\.?0*|\.0+)(?:[eE][+-]?0+)?", rb"-?0+"
ONE_DIGIT, APART = bytes.maketrans(b"123456789", b"0" * 9), bytes.maketrans(b" \t\r\v\f,;|", b"\n" * 8)
NPZ_KEYS = "rows, cols and n (each undirected edge once), or what scipy.sparse.save_npz writes"


def read_mtx(source: Source) -> GraphFile:
    """Read a Matrix Market file of real numbers; entries without values count 1, zeros stay."""

    def wrong(what: str, where: int | None = None) -> InputError:
        return source.unreadable(f"cannot be read as mtx: {what}", where)

    if b"\0" in source.data:
        raise source.no_text(source.data.partition(b"\0")[0].count(b"\n") + 1)
    head = HEAD.match(source.data)
    if head is None:
        what = "expected a line such as %%MatrixMarket matrix coordinate real general, and then one of sizes"
        raise wrong(what, 1)
    line, sizes = head[0].count(b"\n"), [int(size) for size in head["sizes"].split()]
    sparse, mirrored = head["form"].lower() == b"coordinate", head["symmetry"].lower() != b"general"
    if len(sizes) != 2 + sparse:
        raise wrong(f"expected {2 + sparse} sizes, got {len(sizes)}", line)
    n = sizes[0]
    _check_square(source, tuple(sizes[:2]), line)
    source.check_size(n, "rows", line)
    skew = head["symmetry"].lower() == b"skew-symmetric"
    entries = sizes[2] if sparse else n * (n + (-1 if skew else 1)) // 2 if mirrored else n * n
    source.check_size(entries, "entries", line)
    columns = (2 if sparse else 0) + (head["field"].lower() != b"pattern")
    table = number_columns(source.data, head.end(), columns)  # SciPy's reader alone reads "0,5" as 0
    body = io.BytesIO(source.data[head.end() :] if isinstance(table, int) else b"")
    if isinstance(table, int):
        row = short_repr(next(islice(body, table, None)).decode("latin-1").strip())
        raise wrong(f"expected {columns} number{'s' * (columns > 1)} in a row, got {row}", line + 1 + table)
    count = len(table[0]) if table else 0
    if count != entries:
        raise wrong(f"there are {count} of the {entries} entries that line {line} announces")
    if sparse:
        i, j = _ends(source, table, n, head.end(), line)
    else:
        j, i = np.triu_indices(n, int(skew)) if mirrored else np.divmod(np.arange(n * n), max(n, 1))
    values = table[-1] if columns % 2 else None
    del table
    if skew and values is not None:
        values = np.where(i > j, -values, values)
    matrix = edge_matrix(n, i, j, values, not mirrored)
    notes = ()
    if matrix.nnz < count:
        i, j = (ends.astype(np.int64) for ends in (i, j))
        pairs = np.sort(np.minimum(i, j) * n + np.maximum(i, j) if mirrored else i * n + j)
        notes = (f"{count_of(int(np.count_nonzero(pairs[1:] == pairs[:-1])), 'repeated entry')} added up",)
    matrix = mirror(matrix, -1.0 if skew else 1.0) if mirrored else matrix
    return GraphFile(matrix, range(n), {}, "mtx", notes)


def _ends(source: Source, table: list[np.ndarray], n: int, start: int, line: int) -> Iterator[np.ndarray]:
    """Yield rows and columns from 0; raise `InputError` for numbers beyond the matrix."""
    outside = [(ends < 1) | (ends > n) | (ends != np.floor(ends)) for ends in table[:2]]
    wrong = np.logical_or(*outside)
    if wrong.any():
        k = int(np.argmax(wrong))
        filled = (at for at, row in enumerate(io.BytesIO(source.data[start:]), 1) if row.strip())
        what = f"row and column must be whole numbers from 1 to {n}"
        at = line + next(islice(filled, k, None))
        raise source.broken(f"{what}; got {table[0][k]:g} and {table[1][k]:g}", at)
    for ends in table[:2]:
        yield (ends - 1).astype(number_type(n), copy=False)


def number_columns(
    content: str | bytes, start: int, columns: int, separator: bytes = rb"\s+", plain: Sequence[int] = ()
) -> list[np.ndarray] | int:
    """Return the columns of rows of numbers, or the first line that is no such row, from 0.

    Columns are int32 if possible, otherwise float64.  Numbers in `plain` columns must be whole and written as Python
    writes them; a code such as 01001 in any column is then refused.  Equal digits leave few different lines, which are
    checked.  SciPy then parses one number in each line.
    """
    from scipy.io import mmread

    row = re.compile(rb"\s*(?:%s\s*)?" % separator.join([WHOLE if k in plain else NUMBER for k in range(columns)]))
    parts: list[list[np.ndarray]] = [[np.zeros(0, np.int32)] for _ in range(columns)]
    lines, right = 0, set[bytes]()
    for block in _blocks(content, start):
        shapes = Counter(io.BytesIO(block.translate(ONE_DIGIT)))
        wrong = {shape for shape in shapes.keys() - right if not row.fullmatch(shape)}
        if not wrong and plain and padded(block):
            return lines
        if wrong:
            return lines + next(k for k, shape in enumerate(io.BytesIO(block.translate(ONE_DIGIT))) if shape in wrong)
        lines, right = lines + shapes.total(), right | shapes.keys()
        count = columns * sum(many for shape, many in shapes.items() if shape.strip())
        if count:
            head = b"%%%%MatrixMarket matrix array real general\n%d 1\n" % count
            numbers: Any = mmread(io.BytesIO(head + block.translate(APART, b"+")))
            for part, column in zip(parts, numbers.reshape(-1, columns).T, strict=True):
                with np.errstate(invalid="ignore"):
                    whole = column.astype(np.int32)
                part.append(whole if np.array_equal(whole, column) else column.copy())
    return [np.concatenate(part) for part in parts]


def padded(block: bytes) -> bool:
    """Return whether a number outside exponents begins with 0 and a digit, or is -0.

    >>> padded(b"1001,10 0.01 1e-05"), padded(b"1,01001"), padded(b"-007"), padded(b"-0")
    (False, True, True, True)
    """
    letters = np.frombuffer(b"\n\n%s\n" % block, np.uint8)
    digit = letters - ord("0") < 10
    zeros = np.flatnonzero((letters[2:-1] == ord("0")) & ~digit[1:-2] & (letters[1:-2] != ord("."))) + 2
    signed = np.isin(letters[zeros - 1], list(b"+-"))
    exponent = np.isin(letters[zeros - 1 - signed], list(b"eE"))
    alone = (letters[zeros - 1] == ord("-")) & ~np.isin(letters[zeros + 1], list(b".eE"))
    return bool((~exponent & (digit[zeros + 1] | alone)).any())


def _blocks(content: str | bytes, start: int) -> Iterator[bytes]:
    """Yield whole lines, about 2 MB at once."""
    while start < len(content):
        if isinstance(content, str):
            end = content.find("\n", start + LIMITS.block_letters) + 1 or len(content)
            yield content[start:end].encode()
        else:
            end = content.find(b"\n", start + LIMITS.block_letters) + 1 or len(content)
            yield content[start:end]
        start = end


def read_npz(source: Source) -> GraphFile:
    """Read an archive with `rows`, `cols`, `n` and perhaps `weights`, or a matrix.

    Distinct `names` (or `labels` beside `positions`) name the nodes; other arrays of n rows are node data.
    """
    arrays = load_arrays(source, "npz", NPZ_KEYS)
    if "" in arrays:
        raise source.broken(f"holds a single array; expected {NPZ_KEYS}")
    if {"rows", "cols"} <= set(arrays):
        return _edges(source, arrays)
    if {"format", "shape", "data"} <= set(arrays):
        matrix = load_sparse(source)
    elif len(arrays) == 1 and next(iter(arrays.values())).ndim == 2:
        matrix = csr_array(next(iter(arrays.values())))
    else:
        raise source.broken(f"holds {', '.join(arrays) or 'nothing'}; expected {NPZ_KEYS}")
    _check_square(source, matrix.shape)
    return GraphFile(matrix, range(matrix.shape[0]), {}, "npz")


def load_arrays(source: Source, kind: str, expected: str) -> dict[str, np.ndarray]:
    """Return {name: array} of a NumPy file, without Python objects; "" names a single array."""
    if not source.data.startswith((*ARCHIVES, ARRAY)):
        raise source.unreadable(f"cannot be read as {kind}: NumPy has not saved this; expected {expected}")
    content = io.BytesIO(source.data)
    try:
        loaded = np.load(content, allow_pickle=False)
        if hasattr(loaded, "zip"):
            source.check_size(sum(member.file_size for member in loaded.zip.infolist()), "bytes of arrays")
        found = {name: loaded[name] for name in loaded.files} if hasattr(loaded, "files") else {"": loaded}
    except (ValueError, OSError, EOFError, KeyError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise source.unreadable(f"cannot be read as {kind}: {error}; expected {expected}") from None
    if "" in found and content.read(1):
        raise source.unreadable(f"cannot be read as {kind}: there is more in it than its array")
    return found


def load_sparse(source: Source) -> csr_array:
    """Return the matrix of `scipy.sparse.save_npz`; refuse numbers beyond its shape."""
    try:
        stored = load_npz(io.BytesIO(source.data))
        if hasattr(stored, "check_format"):
            stored.check_format(full_check=True)
        source.check_size(max(stored.shape), "rows")
        return csr_array(stored)
    except (ValueError, KeyError, TypeError, IndexError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise source.broken(f"cannot be read as a sparse matrix: {error}") from None


def _edges(source: Source, arrays: dict[str, np.ndarray]) -> GraphFile:
    rows, cols = arrays.pop("rows"), arrays.pop("cols")
    weights = arrays.pop("weights", None)
    directed = bool(_single(source, arrays, "directed", 0))
    if rows.ndim != 1 or rows.shape != cols.shape or not {rows.dtype.kind, cols.dtype.kind} <= set("iu"):
        raise source.broken(f"rows {rows.shape} and cols {cols.shape} must be integers, one pair per edge")
    if weights is not None and (weights.shape != rows.shape or weights.dtype.kind not in "biuf"):
        raise source.broken(f"weights {weights.shape} must be numbers, one per edge ({len(rows)})")
    low = min(0, *(int(ends.min(initial=0)) for ends in (rows, cols)))
    high = max(int(ends.max()) if len(ends) else -1 for ends in (rows, cols))
    n = _single(source, arrays, "n", high + 1)
    if n < 0:
        raise source.broken(f"n must be the number of nodes, 0 or more; got {n}")
    if low < 0 or high >= n:
        raise source.broken(f"rows and cols must be in 0 .. {n - 1}, as n is {n}; got {low if low < 0 else high}")
    source.check_size(n, "nodes")
    matrix = edge_matrix(n, rows, cols, None if weights is None else weights.astype(np.float64), directed)
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


def _single(source: Source, arrays: dict[str, np.ndarray], name: str, usual: int) -> int:
    """Return a whole number that is stored by itself, `usual` if there is none."""
    value = arrays.pop(name, np.array(usual))
    if value.size != 1 or value.dtype.kind not in "biu":
        raise source.broken(f"{name} must be one whole number; got {value.dtype} {value.shape}")
    return int(value.item())


def _check_square(source: Source, shape: Any, line: int | None = None) -> None:
    if len(shape) != 2 or shape[0] != shape[1]:
        raise source.broken(
            f"the matrix has shape {shape}; a graph needs a square one "
            "(a table of numbers, one row per sample, is drawn by nelayout.embed)",
            line,
        )


MTX = FileFormat("mtx", ("mtx",), r"(?i)\s*%%MatrixMarket", read_mtx)
NPZ = FileFormat("npz", ("npz",), "PK\x03\x04|PK\x05\x06", read_npz, to_npz, binary=True)
