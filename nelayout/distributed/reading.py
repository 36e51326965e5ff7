"""Read edges with any ids into a matrix in blocks, in two passes over the parts.

First pass: each id becomes a 64-bit hash, and the number of a node is the rank of its hash.  So numbers depend neither
on the order of the edges nor on the workers.  Second pass: edges become entries in both directions and go to the block
of their row.  Edges are not stored between the passes.

Two ids with one hash are an error.  Whole numbers cannot share a hash; texts are compared by a second hash.

A part of the edges is row groups of a parquet file, a range of a csv file, a matrix file or a Dask partition.
Errors use its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import coo_array, load_npz, save_npz

from nelayout.distributed.blocks import Cut, assemble, block_count, cut_points, dropped_loops, stored, write_piece
from nelayout.distributed.team import Team, check_disk
from nelayout.errors import InputError, near_matches
from nelayout.graphs.files import read_graph

__all__ = ["Columns", "Graph", "Part", "from_matrix", "parts_of", "read"]

# Formats by the ending of a file.
ENDINGS = {".parquet": "parquet", ".csv": "csv", ".npz": "npz", ".mtx": "mtx"}
# Size of a part of a csv file, in bytes.
CSV_BYTES = 32_000_000
# Number of rows of a part of a parquet file, if its row groups are smaller.
PARQUET_ROWS = 1_000_000


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

    def check(self, there: Sequence[str], where: str, numeric: Sequence[str] = ()) -> tuple[str, ...]:
        """Raise an error for a missing column; note a single other ``numeric`` column."""
        for keyword, name in zip(("source", "target", "weight"), self.names, strict=False):
            if name not in there:
                near = near_matches(name, there)
                hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else "."
                listed = ", ".join(map(repr, there))
                raise InputError(f"{keyword} must be a column of {where}; got {name!r}{hint} There are {listed}")
        if self.weight is None:
            others = [name for name in numeric if name not in self.names and not name.startswith("__")]
            if len(others) == 1:
                return (f"every edge weighs 1; the column {others[0]!r} is not read: weight={others[0]!r} reads it",)
        return ()


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the edges: its ``name``, and how a worker reads it.

    read  a function of the arguments ``given`` that returns a pandas table or a matrix
    """

    name: str
    read: Callable[..., Any]
    given: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """All parts; ``matrix``: whether they are matrices, which may be symmetric, not lists."""

    parts: list[Part]
    matrix: bool = False
    notes: tuple[str, ...] = ()


def parts_of(edges: Any, columns: Columns) -> Source:
    """Return the parts of a Dask dataframe, a folder or a file, after all possible checks."""
    if hasattr(edges, "to_delayed") and hasattr(edges, "columns"):
        numeric = [name for name in map(str, edges.columns) if edges.dtypes[name].kind in "iuf"]
        notes = columns.check(list(map(str, edges.columns)), "the dataframe", numeric)
        delayed = edges[columns.names].to_delayed()
        return Source([Part(f"partition {k}", _as_it_is, (each,)) for k, each in enumerate(delayed)], False, notes)
    path = Path(edges)
    if not path.exists():
        raise InputError(f"edges must be a folder or a file that exists; got {path}")
    files = sorted(file for file in path.iterdir() if file.suffix in ENDINGS) if path.is_dir() else [path]
    kinds = {ENDINGS.get(file.suffix) for file in files}
    if not files or None in kinds:
        raise InputError(
            f"{path} must hold files with the ending {', '.join(ENDINGS)}; got none. Convert the edges first"
        )
    if len(kinds) > 1:
        raise InputError(f"{path} must hold files of one format; got {' and '.join(sorted(map(str, kinds)))}")
    return {"parquet": _parquet, "csv": _csv, "npz": _matrices, "mtx": _matrices}[str(kinds.pop())](files, columns)


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


def _parquet(files: list[Path], columns: Columns) -> Source:
    types, parts, notes = import_module("pyarrow.types"), [], dict[str, None]()
    for file in files:
        with _whole(file) as opened:
            schema, footer = opened.schema_arrow, opened.metadata
            ends = np.cumsum([footer.row_group(k).num_rows for k in range(footer.num_row_groups)])
        numeric = [field.name for field in schema if types.is_integer(field.type) or types.is_floating(field.type)]
        notes.update(dict.fromkeys(columns.check(schema.names, str(file), numeric)))
        for some in np.split(np.arange(len(ends)), np.flatnonzero(np.diff(ends // PARQUET_ROWS)) + 1):
            name = str(file) if len(some) == len(ends) else f"{file}, row groups {some[0]} to {some[-1]}"
            parts.append(Part(name, read_parquet, (file, some.tolist(), columns.names)))
    return Source(parts, False, tuple(notes))


def read_parquet(path: Path, groups: list[int], names: list[str]) -> Any:
    """Return row groups of a parquet file as a pandas table."""
    with _whole(path) as file:
        return file.read_row_groups(groups, columns=names, use_threads=False).to_pandas()


def _csv(files: list[Path], columns: Columns) -> Source:
    import pandas

    parts, notes = [], dict[str, None]()
    for file in files:
        try:
            head = pandas.read_csv(file, nrows=100)
        except (ValueError, OSError) as error:
            raise InputError(f"{file} must be a csv file with a line of headings; got {error}") from None
        numeric = [name for name in map(str, head.columns) if head[name].dtype.kind in "iuf"]
        notes.update(dict.fromkeys(columns.check(list(map(str, head.columns)), str(file), numeric)))
        kinds = {name: "str" for name in columns.names[:2] if head[name].dtype.kind not in "iu"}
        size = file.stat().st_size
        for start in range(0, size, CSV_BYTES):
            name = f"{file}, bytes from {start:,}" if size > CSV_BYTES else str(file)
            parts.append(Part(name, read_csv, (str(file), start, tuple(columns.names), kinds)))
    return Source(parts, False, tuple(notes))


def read_csv(path: str, start: int, names: tuple[str, ...], texts: Any) -> Any:
    """Return the lines of a csv file that begin in a range of bytes; ``texts`` stay text."""
    from io import BytesIO

    import pandas
    from fsspec.utils import read_block

    with Path(path).open("rb") as file:
        head = file.readline() if start else b""
        lines = head + read_block(file, start, CSV_BYTES, b"\n")
    try:
        return pandas.read_csv(BytesIO(lines), usecols=list(names), dtype=texts)
    except ValueError as error:
        raise InputError(f"{path} must be a csv file; got {error} in the lines from byte {start:,}") from None


def _matrices(files: list[Path], columns: Columns) -> Source:
    return Source([Part(str(file), read_matrix, (str(file), columns.weight is not None)) for file in files], True)


def read_matrix(path: str, weighted: bool) -> coo_array:
    """Return the matrix in a file; without weights all entries are 1."""
    found = coo_array(read_graph(path).graph)
    if not weighted:
        found.data[:] = 1.0
    return found


# Number of ids that are hashed together.
CHUNK_IDS = 1 << 17
# Minimum number of ranges of hashes, and number of ids in a range.
MIN_RANGES, RANGE_IDS = 16, 1 << 22
# Keys of the two hashes; pandas needs 16 letters.
HASH_KEYS = "nelayout-1-hash-", "nelayout-2-hash-"
# Range of weights in single precision, with a margin for sums.
MIN_WEIGHT, MAX_WEIGHT = 1e-30, 1e30


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


def read(source: Source, columns: Columns, team: Team, folder: Path) -> Graph:
    """Read all parts into blocks."""
    parts = source.parts
    if not parts:
        raise InputError("edges must have a row; got none")
    given = [(k, part.name, part.read, columns, *part.given) for k, part in enumerate(parts)]
    if source.matrix:
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
    cut = Cut(folder, "read", cut_points(n, block_count(2 * edges)))
    found = team.spread("rank", rank, [(folder, cut, starts, *each) for each in given])
    for r in range(0 if starts is None else len(starts) - 1):
        for what in ("hash", "part"):
            (folder / f"table-{r}.{what}.npy").unlink()
    zeros, loops = (sum(each[k] for each in found) for k in (0, 1))
    pieces = [f"edges-{k}" for k in range(len(parts))]
    made = team.spread("block", assemble, [(folder, pieces, cut, b, source.matrix) for b in range(cut.count)])
    remove(folder, pieces)
    for file in folder.glob("matrix-*.npz"):
        file.unlink()
    if source.matrix and all(symmetric for _, _, symmetric in made):
        cut = Cut(folder, "read", cut.bounds, 0.5)
    ids = () if source.matrix else tuple(str(folder / f"ids-{k}.parquet") for k in range(len(parts)))
    notes = list(source.notes)
    if zeros:
        notes.append(f"{zeros:,} edges of weight 0 were left out: a weight of 0 is no edge")
    if loops:
        notes.append(f"{loops:,} edges from a node to itself were left out")
    return Graph(cut, ids, sum(entries for entries, _, _ in made), tuple(notes))


def remove(folder: Path, pieces: Sequence[str]) -> None:
    """Remove the files of pieces."""
    for name in pieces:
        for what in ("entries", "starts"):
            (folder / f"{name}.{what}.npy").unlink(missing_ok=True)


def from_matrix(P: Any, folder: Path, blocks: int = 0) -> Graph:
    """Store a symmetric matrix of this process in ``blocks`` blocks; 0: chosen by its size."""
    cut = Cut(folder, "read", cut_points(P.shape[0], blocks or block_count(P.nnz), np.diff(P.indptr)))
    if P.nnz:
        _check_range(P.data, "the matrix")
    for b, (low, high) in enumerate(zip(cut.bounds[:-1], cut.bounds[1:], strict=True)):
        degree, here = np.diff(P.indptr[low : high + 1]), slice(P.indptr[low], P.indptr[high])
        rows = np.repeat(np.arange(high - low), degree)
        strength = np.bincount(rows, P.data[here], minlength=high - low)
        arrays = {"degree": degree.astype(np.int32), "cols": P.indices[here], "data": P.data[here].astype(np.float32)}
        with stored(cut.file(b)) as file:
            np.savez(file, **arrays, strength=strength)
    return Graph(cut, (), int(P.nnz))


def _table(team: Team, given: list[tuple[Any, ...]], folder: Path) -> tuple[np.ndarray, int]:
    """Write a table of ids for each range of hashes; return their first numbers, and edges."""
    found = team.spread("ids", unique_ids, [(folder, *each) for each in given])
    kinds = [kind for kind, _, edges in found if edges]
    for each, (kind, _, edges) in zip(given, found, strict=True):
        if edges and kind != kinds[0]:
            raise InputError(
                f"ids must be of one type in all parts; got {kinds[0]} in {given[0][1]} and another in {each[1]}. "
                "Convert the columns to one type"
            )
    ranges = max(MIN_RANGES, -(-sum(ids for _, ids, _ in found) // RANGE_IDS))
    counts = team.spread("tables", join_ids, [(folder, r, ranges, len(given)) for r in range(ranges)])
    for k in range(len(given)):
        for what in ("hash", "second"):
            (folder / f"ids-{k}.{what}.npy").unlink()
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
    if len(some) and not (some.min() > MIN_WEIGHT and some.max() < MAX_WEIGHT):
        raise InputError(
            f"weights must be 0, or between {MIN_WEIGHT:g} and {MAX_WEIGHT:g}; got {some.min():g} to {some.max():g} "
            f"in {name}. Divide them by their mean"
        )


def _plain(ends: Any, name: str) -> tuple[Any, str]:
    """Return ids as whole numbers or texts, and the name of their type."""
    kind = getattr(ends.dtype, "kind", "O")
    if kind in "iub":
        return ends.to_numpy(dtype=np.int64), "whole numbers"
    if kind == "f":
        values = ends.to_numpy(dtype=np.float64)
        if not (values == np.floor(values)).all():
            raise InputError(
                f"ids must be whole numbers or texts; got {values[values != np.floor(values)][0]} in {name}"
            )
        return values.astype(np.int64), "whole numbers"
    return ends if kind != "O" else ends.astype("str"), "texts"


def _joined(one: Any, other: Any) -> Any:
    """Return the ids of both ends, one after another."""
    import pandas as pd

    return np.concatenate([one, other]) if isinstance(one, np.ndarray) else pd.concat([one, other], ignore_index=True)


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
    (one, kind), (other, kind_other) = _plain(rows, name), _plain(cols, name)
    if kind != kind_other:
        raise InputError(f"ids must be of one type; got {kind} and {kind_other} in {name}. Convert one of the columns")
    ids = _joined(one, other)
    texts = kind == "texts"
    found, *more = _hashes(ids, HASH_KEYS if texts else HASH_KEYS[:1])
    second = more[0] if texts else np.zeros(len(found), dtype=np.uint64)
    order = np.argsort(found, kind="stable")
    first = _distinct(found[order], second[order])
    for what, values in (("hash", found), ("second", second)):
        with stored(folder / f"ids-{k}.{what}.npy") as file:
            np.save(file, values[order][first])
    return kind, len(first), len(weights)


def join_ids(folder: Path, r: int, ranges: int, parts: int) -> int:
    """Write all hashes of a range, sorted, with their first part; return their number."""
    low, high = (np.uint64(min((2**64 * k) // ranges, 2**64 - 1)) for k in (r, r + 1))
    found, second, part = [], [], []
    for k in range(parts):
        hashes = np.load(folder / f"ids-{k}.hash.npy", mmap_mode="r")
        here = slice(
            np.searchsorted(hashes, low), np.searchsorted(hashes, high, "right" if r + 1 == ranges else "left")
        )
        found.append(hashes[here])
        second.append(np.load(folder / f"ids-{k}.second.npy", mmap_mode="r")[here])
        part.append(np.full(len(found[-1]), k, dtype=np.int32))
    hashes, others = np.concatenate(found), np.concatenate(second)
    order = np.argsort(hashes, kind="stable")  # parts come in order
    first = _distinct(hashes[order], others[order])
    for what, values in (("hash", hashes), ("part", np.concatenate(part))):
        with stored(folder / f"table-{r}.{what}.npy") as file:
            np.save(file, values[order][first])
    return len(first)


def _distinct(found: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the first of equal hashes; raise `InputError` if the second hashes differ."""
    again = found[1:] == found[:-1]
    clash = again & (second[1:] != second[:-1])
    if clash.any():
        raise InputError(
            f"ids must differ in their 64-bit hashes; two share {int(found[1:][clash][0])}. Use whole numbers as ids"
        )
    return np.flatnonzero(np.concatenate([[True], ~again])[: len(found)])


def _numbers(folder: Path, starts: np.ndarray, found: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers of nodes from their hashes, and the first part with each."""
    order = np.argsort(found)
    hashes, number, part = found[order], np.empty(len(found), np.int64), np.empty(len(found), np.int32)
    at = 0
    for r in range(len(starts) - 1):
        table = np.load(folder / f"table-{r}.hash.npy")
        if not len(table):
            continue
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
        ids = _joined(_plain(rows, name)[0], _plain(cols, name)[0])
        number, part = _numbers(folder, starts, *_hashes(ids, HASH_KEYS[:1]))
        _write_ids(folder / f"ids-{k}.parquet", number, ids, part == k)
        rows, cols = number[: len(weights)], number[len(weights) :]
        del ids, part
    zeros, loops = int(np.count_nonzero(weights == 0)), int(np.count_nonzero(rows == cols))
    rows, cols, weights = dropped_loops(np.asarray(rows, np.int64), np.asarray(cols, np.int64), weights)
    given_way = np.repeat(np.array([1, 0], dtype=np.int8), len(rows))
    both = np.concatenate([rows, cols]), np.concatenate([cols, rows]), np.concatenate([weights, weights])
    write_piece(folder, f"edges-{k}", cut.bounds, *both, given_way)
    return zeros, loops


def _write_ids(path: Path, number: np.ndarray, ids: Any, own: np.ndarray) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    here = np.flatnonzero(own)
    here = here[np.argsort(number[here], kind="stable")]
    here = here[np.flatnonzero(np.diff(number[here], prepend=-1))]
    column = pa.array(ids[here]) if isinstance(ids, np.ndarray) else pa.array(ids.iloc[here]).cast(pa.string())
    with stored(path) as file:
        pq.write_table(pa.table({"number": number[here], "id": column}), file)
