"""Read edges with any ids into a matrix in blocks, in two passes over the parts.

First pass: each id becomes a 64-bit hash, and the number of a node is the rank of its hash.  So numbers depend neither
on the order of the edges nor on the workers.  Second pass: edges become entries in both directions and go to the block
of their row.  Edges are not stored between the passes.

Two ids with one hash are an error.  Whole numbers cannot share a hash; texts are compared by a second hash.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import coo_array, load_npz, save_npz

from nelayout.distributed.blocks import MIN_BLOCKS, Cut, assemble, cut_points, delete, save, stored, write_piece
from nelayout.distributed.worker_pool import WorkerPool, check_disk
from nelayout.errors import InputError, near_matches
from nelayout.graphs.files import read_graph
from nelayout.graphs.files.matrices import padded
from nelayout.graphs.to_floats import PLAIN_NUMBER

__all__ = ["Columns", "Graph", "Part", "from_matrix", "parts_of", "read"]

# Formats by the ending of a file.
ENDINGS = (".parquet", ".csv", ".npz", ".mtx")
# Size of a part: bytes of a csv file, and rows of a parquet file, if its row groups are smaller.
CSV_BYTES, PARQUET_ROWS = 32_000_000, 1_000_000
# Number of ids that are hashed together, and in a range of hashes.
CHUNK_IDS, RANGE_IDS = 1 << 17, 1 << 22
# Keys of the two hashes; pandas needs 16 letters.
HASH_KEYS = "nelayout-1-hash-", "nelayout-2-hash-"
# Largest weight, and inverse of the smallest one, in single precision with a margin for sums.
MAX_WEIGHT = 1e30


@dataclass(frozen=True, slots=True)
class Columns:
    """Names of the columns of the two ends and the weight; None: every edge weighs 1."""

    source: str
    target: str
    weight: str | None = None

    @property
    def names(self) -> list[str]:
        """Columns to read."""
        return [self.source, self.target, *([] if self.weight is None else [self.weight])]

    def check(self, there: Sequence[str], where: str, numeric: Sequence[str]) -> list[str]:
        """Raise an error for a missing column; return a note on a single other ``numeric`` one."""
        for keyword, name in zip(("source", "target", "weight"), self.names, strict=False):
            if name not in there:
                near = near_matches(name, there)
                hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else "."
                listed = ", ".join(map(repr, there))
                raise InputError(f"{keyword} must be a column of {where}; got {name!r}{hint} There are {listed}")
        others = [name for name in numeric if name not in self.names and not name.startswith("__")]
        if self.weight is not None or len(others) != 1:
            return []
        return [f"every edge weighs 1; the column {others[0]!r} is not read: weight={others[0]!r} reads it"]

    def check_table(self, table: Any, where: str) -> list[str]:
        """Check the columns of a pandas table."""
        names = list(map(str, table.columns))
        return self.check(names, where, [name for name in names if table.dtypes[name].kind in "iuf"])


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the edges: its ``name`` in errors, and how a worker reads it.

    read  a function of the arguments ``given`` that returns a pandas table or a matrix
    """

    name: str
    read: Callable[..., Any]
    given: tuple[Any, ...]


def parts_of(edges: Any, columns: Columns) -> tuple[list[Part], list[str]]:
    """Return the parts of a Dask dataframe, a folder or a file, checked, and notes."""
    if hasattr(edges, "to_delayed") and hasattr(edges, "columns"):
        notes = columns.check_table(edges, "the dataframe")
        delayed = edges[columns.names].to_delayed()
        return [Part(f"partition {k}", _as_it_is, (each,)) for k, each in enumerate(delayed)], notes
    path = Path(edges)
    if not path.exists():
        raise InputError(f"edges must be a folder or a file that exists; got {path}")
    files = sorted(file for file in path.iterdir() if file.suffix in ENDINGS) if path.is_dir() else [path]
    kinds = {file.suffix for file in files}
    if not files or not kinds <= set(ENDINGS):
        raise InputError(
            f"{path} must hold files with the ending {', '.join(ENDINGS)}; got none. Convert the edges first"
        )
    if len(kinds) > 1:
        listed = " and ".join(sorted(kind.lstrip(".") for kind in kinds))
        raise InputError(f"{path} must hold files of one format; got {listed}")
    if kinds & {".npz", ".mtx"}:
        return [Part(str(file), read_matrix, (str(file), columns.weight is not None)) for file in files], []
    parts_in, parts, notes = _parquet if kinds == {".parquet"} else _csv, list[Part](), dict[str, None]()
    for file in files:
        more, said = parts_in(file, columns)
        parts += more
        notes |= dict.fromkeys(said)
    return parts, list(notes)


def _as_it_is(table: Any) -> Any:
    return table


@contextmanager
def _whole(file: Path) -> Iterator[Any]:
    """Open a parquet file; its error names it."""
    import pyarrow
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(file) as opened:
            yield opened
    except (pyarrow.ArrowInvalid, OSError) as error:
        said = str(error).partition(". ")[0].partition("\n")[0]
        raise InputError(
            f"{file} must be a whole parquet file; got one that cannot be read ({said}). Write it again"
        ) from None


def _parquet(file: Path, columns: Columns) -> tuple[list[Part], list[str]]:
    types, parts = import_module("pyarrow.types"), []
    with _whole(file) as opened:
        schema, footer = opened.schema_arrow, opened.metadata
        ends = np.cumsum([footer.row_group(k).num_rows for k in range(footer.num_row_groups)])
    numeric = [field.name for field in schema if types.is_integer(field.type) or types.is_floating(field.type)]
    for some in np.split(np.arange(len(ends)), np.flatnonzero(np.diff(ends // PARQUET_ROWS)) + 1):
        name = str(file) if len(some) == len(ends) else f"{file}, row groups {some[0]} to {some[-1]}"
        parts.append(Part(name, read_parquet, (file, some.tolist(), columns.names)))
    return parts, columns.check(schema.names, str(file), numeric)


def read_parquet(path: Path, groups: list[int], names: list[str]) -> Any:
    """Return row groups of a parquet file as a pandas table."""
    with _whole(path) as file:
        return file.read_row_groups(groups, columns=names, use_threads=False).to_pandas()


def _csv(file: Path, columns: Columns) -> tuple[list[Part], list[str]]:
    import pandas

    try:
        head = pandas.read_csv(file, nrows=100)
    except (ValueError, OSError) as error:
        raise InputError(f"{file} must be a csv file with a line of headings; got {error}") from None
    notes = columns.check_table(head, str(file))
    whole = all(head[name].dtype.kind in "iu" for name in columns.names[:2])
    texts = {} if whole else dict.fromkeys(columns.names[:2], "str")
    size, parts = file.stat().st_size, []
    for start in range(0, size, CSV_BYTES):
        name = f"{file}, bytes from {start:,}" if size > CSV_BYTES else str(file)
        parts.append(Part(name, read_csv, (str(file), start, columns.names, texts)))
    return parts, notes


def read_csv(path: str, start: int, names: list[str], texts: Any) -> Any:
    """Return the lines of a csv file that begin in a range of bytes; ``texts`` stay text."""
    from io import BytesIO

    import pandas
    from fsspec.utils import read_block

    with Path(path).open("rb") as file:
        head = file.readline() if start else b""
        lines = head + read_block(file, start, CSV_BYTES, b"\n")
    try:
        table = pandas.read_csv(BytesIO(lines), usecols=names, dtype=texts)
        others = any(table[name].dtype.kind not in "iu" for name in names[:2])
        if texts or not (others or padded(lines)):
            return table
        table = pandas.read_csv(BytesIO(lines), usecols=names, dtype=dict.fromkeys(names[:2], "str"))
    except ValueError as error:
        raise InputError(f"{path} must be a csv file; got {error} in the lines from byte {start:,}") from None
    pattern = f"(?:{PLAIN_NUMBER.pattern})"
    plain = all(table[name].str.fullmatch(pattern, na=False).all() for name in names[:2])
    return table.astype(dict.fromkeys(names[:2], "int64")) if plain else table


def read_matrix(path: str, weighted: bool) -> coo_array:
    """Return the matrix in a file; without weights all entries are 1."""
    found = coo_array(read_graph(path).graph)
    if not weighted:
        found.data[:] = 1.0
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """A graph in blocks.

    cut     its weights
    ids     files (parquet) with number and id of each node; empty: ids are the numbers
    notes   sentences on the input
    """

    cut: Cut
    ids: tuple[str, ...]
    entries: int
    notes: tuple[str, ...] = ()


def read(parts: list[Part], columns: Columns, team: WorkerPool, folder: Path) -> Graph:
    """Read all parts into blocks."""
    if not parts:
        raise InputError("edges must have a row; got none")
    matrix = parts[0].read is read_matrix  # it may be symmetric, a list is not
    given = [(k, part.name, part.read, columns, *part.given) for k, part in enumerate(parts)]
    if matrix:
        files = [folder / f"matrix-{k}.npz" for k in range(len(parts))]
        pairs = zip(files, parts, strict=True)
        found, starts = team.spread("store", store, [(file, part.read, *part.given) for file, part in pairs]), None
        given = [(k, part.name, load_npz, columns, files[k]) for k, part in enumerate(parts)]
        n, edges = found[0][0], sum(entries for _, entries in found)
        for part, (rows, _) in zip(parts, found, strict=True):
            if rows != n:
                raise InputError(f"{part.name} must have the shape of {parts[0].name}; got {rows} and {n} rows")
    else:
        starts, edges = _table(team, given, folder)
        n = int(starts[-1])
    check_disk(folder, edges)
    cut = Cut(folder, "read", cut_points(n, 2 * edges))
    found = team.spread("rank", rank, [(folder, cut, starts, *each) for each in given])
    zeros, loops = (sum(each[k] for each in found) for k in (0, 1))
    pieces = [f"edges-{k}" for k in range(len(parts))]
    made = team.spread("block", assemble, [(folder, pieces, cut, b, matrix) for b in range(cut.count)])
    delete(folder, "table-*.hash.npy", "table-*.part.npy", "edges-*.entries.npy", "edges-*.starts.npy", "matrix-*.npz")
    if matrix and all(symmetric for _, symmetric in made):
        cut = replace(cut, factor=0.5)
    ids = () if matrix else tuple(str(folder / f"ids-{k}.parquet") for k in range(len(parts)))
    notes = []
    if zeros:
        notes.append(f"{zeros:,} edges of weight 0 were left out: a weight of 0 is no edge")
    if loops:
        notes.append(f"{loops:,} edges from a node to itself were left out")
    return Graph(cut, ids, sum(entries for entries, _ in made), tuple(notes))


def from_matrix(P: Any, folder: Path, blocks: int = 0) -> Graph:
    """Store a symmetric matrix of this process in ``blocks`` blocks; 0: chosen by its size."""
    cut = Cut(folder, "read", cut_points(P.shape[0], P.nnz, np.diff(P.indptr), blocks))
    _check_range(P.data, "the matrix")
    for b, (low, high) in enumerate(zip(cut.bounds[:-1], cut.bounds[1:], strict=True)):
        degree, here = np.diff(P.indptr[low : high + 1]), slice(P.indptr[low], P.indptr[high])
        strength = np.bincount(np.repeat(np.arange(high - low), degree), P.data[here], minlength=high - low)
        arrays = {"degree": degree.astype(np.int32), "cols": P.indices[here], "data": P.data[here].astype(np.float32)}
        save(cut.file(b), **arrays, strength=strength)
    return Graph(cut, (), int(P.nnz))


def _table(team: WorkerPool, given: list[tuple[Any, ...]], folder: Path) -> tuple[np.ndarray, int]:
    """Write a table of ids for each range of hashes; return their first numbers, and edges."""
    found = team.spread("ids", unique_ids, [(folder, *each) for each in given])
    kinds = [kind for kind, _, edges in found if edges]
    if "texts" in kinds and "whole numbers" in kinds and all(each[2] is read_csv for each in given):
        # a later part has a code such as 01001, so the whole numbers are texts as well
        texts = dict.fromkeys(given[0][3].names[:2], "str")
        given[:] = [(*each[:-1], texts) for each in given]
        found = team.spread("ids", unique_ids, [(folder, *each) for each in given])
        kinds = ["texts"]
    for each, (kind, _, edges) in zip(given, found, strict=True):
        if edges and kind != kinds[0]:
            raise InputError(
                f"ids must be of one type in all parts; got {kinds[0]} in {given[0][1]} and another in {each[1]}. "
                "Convert the columns to one type"
            )
    ranges = max(MIN_BLOCKS, -(-sum(ids for _, ids, _ in found) // RANGE_IDS))
    counts = team.spread("tables", join_ids, [(folder, r, ranges, len(given)) for r in range(ranges)])
    delete(folder, "ids-*.hash.npy", "ids-*.second.npy")
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    if not starts[-1]:
        raise InputError("edges must have a row; got none")
    return starts, sum(edges for _, _, edges in found)


def _ends(name: str, read_part: Any, columns: Columns, given: tuple[Any, ...]) -> tuple[Any, Any, np.ndarray]:
    """Return both ends and the weights of a part, checked; the ends of a matrix are numbers."""
    table = read_part(*given)
    if isinstance(table, coo_array):
        rows, cols, weights = table.row, table.col, table.data.astype(float)
    else:
        rows, cols = table[columns.source], table[columns.target]
        for column, ends in ((columns.source, rows), (columns.target, cols)):
            missing = np.flatnonzero(ends.isna().to_numpy())
            if len(missing):
                raise InputError(
                    f"column {column!r} must hold an id in every row; got none in row {missing[0]:,} of {name}. "
                    "Drop the row, or give the node an id"
                )
        weights = np.ones(len(table)) if columns.weight is None else table[columns.weight]
        try:
            weights = np.asarray(weights, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(f"column {columns.weight!r} must hold numbers; got others in {name}") from None
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        k = int(wrong[0])
        pair = " to ".join(str(np.asarray(ends[k : k + 1])[0]) for ends in (rows, cols))
        raise InputError(
            f"weights must be finite numbers >= 0; got {weights[k]:g} in row {k:,} of {name}, the edge from {pair}. "
            "Remove the edge, or give it another weight"
        )
    _check_range(weights, name)
    return rows, cols, weights


def _check_range(weights: np.ndarray, name: str) -> None:
    some = weights[weights > 0]
    if len(some) and not (some.min() > 1 / MAX_WEIGHT and some.max() < MAX_WEIGHT):
        raise InputError(
            f"weights must be 0, or between {1 / MAX_WEIGHT:g} and {MAX_WEIGHT:g}; got {some.min():g} to "
            f"{some.max():g} in {name}. Divide them by their mean"
        )


def _ids(rows: Any, cols: Any, name: str) -> tuple[Any, bool]:
    """Return the ids of all first ends, then of all other ends; True if they are texts."""
    import pandas as pd

    found = [_plain(ends, name) for ends in (rows, cols)]
    kinds = ["whole numbers" if isinstance(ids, np.ndarray) else "texts" for ids in found]
    if kinds[0] != kinds[1]:
        listed = f"{kinds[0]} and {kinds[1]}"
        raise InputError(f"ids must be of one type; got {listed} in {name}. Convert one of the columns")
    texts = kinds[0] == "texts"
    return pd.concat(found, ignore_index=True) if texts else np.concatenate(found), texts


def _plain(ends: Any, name: str) -> Any:
    """Return ids as an array of whole numbers, or a column of texts."""
    kind = getattr(ends.dtype, "kind", "O")
    if kind == "f":
        values = ends.to_numpy(dtype=np.float64)
        parts = values[values != np.floor(values)]
        if len(parts):
            raise InputError(f"ids must be whole numbers or texts; got {parts[0]} in {name}")
        return values.astype(np.int64)
    if kind in "iub":
        return ends.to_numpy(dtype=np.int64)
    return ends if kind != "O" else ends.astype("str")


def _hashes(ids: Any, keys: Sequence[str]) -> list[np.ndarray]:
    """Return hashes of ids for each key; chunks save memory, because texts become strings."""
    from pandas.util import hash_array as hashes_of

    hash_array: Any = hashes_of
    answer = [np.empty(len(ids), dtype=np.uint64) for _ in keys]
    for start in range(0, len(ids), CHUNK_IDS):
        here = slice(start, start + CHUNK_IDS)
        some: Any = ids[here] if isinstance(ids, np.ndarray) else ids.iloc[here].to_numpy(dtype=object)
        for out, key in zip(answer, keys, strict=True):
            out[here] = hash_array(some, hash_key=key, categorize=False)
    return answer


def unique_ids(folder: Path, k: int, name: str, read_part: Any, columns: Columns, *given: Any) -> tuple[str, int, int]:
    """Write the sorted hashes of a part's ids, and second hashes; return type, ids and edges."""
    rows, cols, weights = _ends(name, read_part, columns, given)
    ids, texts = _ids(rows, cols, name)
    found, *more = _hashes(ids, HASH_KEYS if texts else HASH_KEYS[:1])
    second = more[0] if texts else np.zeros(len(found), dtype=np.uint64)
    first = _distinct(found, second)
    save(folder / f"ids-{k}.hash.npy", found[first])
    save(folder / f"ids-{k}.second.npy", second[first])
    return "texts" if texts else "whole numbers", len(first), len(weights)


def join_ids(folder: Path, r: int, ranges: int, parts: int) -> int:
    """Write all hashes of a range, sorted, with their first part; return their number."""
    low, high = (np.uint64(min((2**64 * k) // ranges, 2**64 - 1)) for k in (r, r + 1))
    found, second, part = [], [], []
    for k in range(parts):
        hashes = np.load(folder / f"ids-{k}.hash.npy", mmap_mode="r")
        end = np.searchsorted(hashes, high, "right" if r + 1 == ranges else "left")
        here = slice(np.searchsorted(hashes, low), end)
        found.append(hashes[here])
        second.append(np.load(folder / f"ids-{k}.second.npy", mmap_mode="r")[here])
        part.append(np.full(len(found[-1]), k, dtype=np.int32))
    hashes = np.concatenate(found)
    first = _distinct(hashes, np.concatenate(second))
    save(folder / f"table-{r}.hash.npy", hashes[first])
    save(folder / f"table-{r}.part.npy", np.concatenate(part)[first])
    return len(first)


def _distinct(hashes: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the first index of each hash in sorted order; an error if second hashes differ."""
    order = np.argsort(hashes, kind="stable")
    found, others = hashes[order], second[order]
    again = found[1:] == found[:-1]
    clash = again & (others[1:] != others[:-1])
    if clash.any():
        raise InputError(
            f"ids must differ in their 64-bit hashes; two share {int(found[1:][clash][0])}. Use whole numbers as ids"
        )
    return order[np.concatenate([[True], ~again])[: len(found)]]


def _numbers(folder: Path, starts: np.ndarray, found: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers of nodes from their hashes, and the first part with each."""
    order = np.argsort(found)
    hashes, number, part = found[order], np.empty(len(found), np.int64), np.empty(len(found), np.int32)
    at = 0
    for r in np.flatnonzero(np.diff(starts)):
        table = np.load(folder / f"table-{r}.hash.npy")
        end = int(np.searchsorted(hashes, table[-1], side="right"))
        place, to = np.searchsorted(table, hashes[at:end]), order[at:end]
        number[to], part[to] = place + starts[r], np.load(folder / f"table-{r}.part.npy")[place]
        at = end
    return number, part


def store(file: Path, read_part: Any, *given: Any) -> tuple[int, int]:
    """Store the matrix of a part; return its numbers of rows and entries."""
    matrix = read_part(*given)
    with stored(file) as opened:
        save_npz(opened, matrix, compressed=False)
    return matrix.shape[0], matrix.nnz


def rank(
    folder: Path, cut: Cut, starts: np.ndarray | None, k: int, name: str, read_part: Any, columns: Columns, *given: Any
) -> tuple[int, int]:
    """Write a part's entries as a piece, and its new ids; count zero weights and loops."""
    rows, cols, weights = _ends(name, read_part, columns, given)
    if starts is not None:
        ids, _ = _ids(rows, cols, name)
        number, part = _numbers(folder, starts, *_hashes(ids, HASH_KEYS[:1]))
        _write_ids(folder / f"ids-{k}.parquet", number, ids, part == k)
        rows, cols = number[: len(weights)], number[len(weights) :]
        del ids, part
    zero, loop = weights == 0, rows == cols
    keep = ~(zero | loop)
    rows, cols, weights = np.asarray(rows, np.int64)[keep], np.asarray(cols, np.int64)[keep], weights[keep]
    given_way = np.repeat(np.array([1, 0], dtype=np.int8), len(rows))
    both = np.concatenate([rows, cols]), np.concatenate([cols, rows]), np.concatenate([weights, weights])
    write_piece(folder, f"edges-{k}", cut.bounds, *both, given_way)
    return int(np.count_nonzero(zero)), int(np.count_nonzero(loop))


def _write_ids(path: Path, number: np.ndarray, ids: Any, own: np.ndarray) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    here = np.flatnonzero(own)
    _, first = np.unique(number[here], return_index=True)
    here = here[first]
    column = pa.array(ids[here]) if isinstance(ids, np.ndarray) else pa.array(ids.iloc[here]).cast(pa.string())
    with stored(path) as file:
        pq.write_table(pa.table({"number": number[here], "id": column}), file)
