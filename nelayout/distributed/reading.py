"""Read edges with any ids into a matrix in blocks, in two passes over the parts.

First pass: each id becomes a 64-bit hash, and the number of a node is the rank of its hash.  So numbers depend neither
on the order of the edges nor on the workers.  Second pass: edges become entries in both directions and go to the block
of their row.  Edges are not stored between the passes.

Two ids with one hash are an error.  Whole numbers cannot share a hash; texts are compared by a second hash.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import coo_array, load_npz, save_npz

from nelayout.distributed.blocks import Cut, assemble, block_count, cut_points, dropped_loops, stored, write_piece
from nelayout.distributed.cluster import check_disk
from nelayout.distributed.sources import Columns, Source
from nelayout.distributed.team import Team
from nelayout.errors import InputError

__all__ = ["Graph", "from_matrix", "read"]

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
