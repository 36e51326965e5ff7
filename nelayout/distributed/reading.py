"""Reading: edges with any ids become a matrix in blocks, in two passes over the parts, with nothing kept in between.

First pass: each id becomes a 64-bit hash, and a node's number is the rank of its hash among all.  So numbers depend
neither on the order of the edges nor on the workers.  Second pass: edges become entries in both directions and go to
the block of their row.

Two ids of one hash are refused.  Whole numbers cannot share a hash; texts are compared by a second one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nelayout.distributed.blocks import Cut, assemble, block_count, cut_points, dropped_loops, stored, write_piece
from nelayout.distributed.sources import Columns, Part, Source
from nelayout.distributed.team import Team
from nelayout.errors import InputError

__all__ = ["Graph", "from_matrix", "read"]

# Tables of ids that one task joins.
JOINED = 4
# Keys of the two hashes, of 16 letters as pandas asks for them.
KEYS = "nelayout-1-hash-", "nelayout-2-hash-"
# Weights that single precision holds: from the smallest normal number, with room for sums.
LEAST_WEIGHT, MOST_WEIGHT = 1e-30, 1e30


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """A graph in blocks.

    cut     its weights
    ids     files (parquet) with a number and an id of each node; empty: ids are the numbers
    zeros   edges of weight 0, which are left out
    loops   edges from a node to itself, which are left out
    notes   sentences about what was read
    """

    cut: Cut
    ids: tuple[str, ...]
    entries: int
    zeros: int = 0
    loops: int = 0
    notes: tuple[str, ...] = ()


def read(source: Source, columns: Columns, team: Team, folder: Path) -> Graph:
    """Read all parts into blocks."""
    parts = source.parts
    if not parts:
        raise InputError("edges must have a row; got none")
    given = [(k, part.name, part.read, columns, *part.given) for k, part in enumerate(parts)]
    if source.matrix:
        n, tables = source.matrix, [None] * len(parts)
        edges = sum(team.spread("count", count_entries, [each[1:3] + each[4:] for each in given]))
    else:
        n, edges = _table(team, given, folder)
    cut = Cut(folder, "read", cut_points(n, block_count(2 * edges)))
    table = "" if source.matrix else str(folder / "ids.npz")
    tables = [table] * len(parts)
    found = team.spread("rank", rank, [(folder, cut, own, *each) for own, each in zip(tables, given, strict=True)])
    zeros, loops = (sum(each[k] for each in found) for k in (0, 1))
    pieces = [f"edges-{k}" for k in range(len(parts))]
    matrix = bool(source.matrix)
    made = team.spread("block", assemble_block, [(folder, pieces, cut, b, matrix) for b in range(cut.count)])
    remove(folder, pieces)
    if matrix and all(symmetric for _, _, symmetric in made):
        cut = Cut(folder, "read", cut.bounds, 0.5)
    ids = () if matrix else tuple(str(folder / f"ids-{k}.parquet") for k in range(len(parts)))
    return Graph(cut, ids, sum(entries for entries, _, _ in made), zeros, loops, source.notes)


def assemble_block(folder: Path, pieces: Sequence[str], cut: Cut, b: int, ways: bool) -> tuple[int, float, bool]:
    """See `blocks.assemble`."""
    return assemble(folder, pieces, cut, b, ways=ways)


def remove(folder: Path, pieces: Sequence[str]) -> None:
    """Remove the files of pieces."""
    for name in pieces:
        for what in ("entries", "starts"):
            (folder / f"{name}.{what}.npy").unlink(missing_ok=True)


def from_matrix(P: Any, folder: Path, name: str = "read") -> Graph:
    """A symmetric matrix of this process in blocks."""
    cut = Cut(folder, name, cut_points(P.shape[0], block_count(P.nnz), np.diff(P.indptr)))
    if P.nnz:
        _check_range(P.data, "the matrix")
    for b, (low, high) in enumerate(zip(cut.bounds[:-1], cut.bounds[1:], strict=True)):
        degree, here = np.diff(P.indptr[low : high + 1]), slice(P.indptr[low], P.indptr[high])
        rows = np.repeat(np.arange(high - low), degree)
        strength = np.bincount(rows, P.data[here], minlength=high - low)
        with stored(cut.file(b)) as file:
            np.savez(
                file, degree=degree.astype(np.int32), cols=P.indices[here], data=P.data[here].astype(np.float32),
                strength=strength,
            )
    return Graph(cut, (), int(P.nnz))


def _table(team: Team, given: list[tuple[Any, ...]], folder: Path) -> tuple[int, int]:
    """Write the table of all ids, and return the number of nodes and edges."""
    names = [f"ids-part-{k}" for k in range(len(given))]
    found = team.spread("ids", unique_ids, [(folder, name, *each) for name, each in zip(names, given, strict=True)])
    kinds = {kind for kind, edges in found if edges}
    if len(kinds) > 1:
        wrong = next(each[1] for each, (kind, edges) in zip(given, found, strict=True) if edges and kind != found[0][0])
        raise InputError(
            f"ids must be of one type in all parts; got {found[0][0]} in {given[0][1]} and {kinds - {found[0][0]}} in "
            f"{wrong}. Convert the columns to one type"
        )
    edges = sum(edges for _, edges in found)
    level = 0
    while len(names) > 1:
        level += 1
        some = [names[k : k + JOINED] for k in range(0, len(names), JOINED)]
        names = [f"ids-joined-{level}-{k}" for k in range(len(some))]
        team.spread("join-ids", join_ids, [(folder, name, each) for name, each in zip(names, some, strict=True)])
    (folder / f"{names[0]}.npz").replace(folder / "ids.npz")
    with np.load(folder / "ids.npz") as table:
        n = len(table["hash"])
    if not n:
        raise InputError("edges must have a row; got none")
    return n, edges


def _ends(name: str, read_part: Any, columns: Columns, given: tuple[Any, ...]) -> tuple[Any, Any, np.ndarray]:
    """Both ends and the weights of a part, checked; the ends of a matrix are numbers."""
    table = read_part(*given)
    if isinstance(table, tuple):
        rows, cols, weights = table
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
        pair = f"from {np.asarray(rows)[k]} to {np.asarray(cols)[k]}"
        raise InputError(
            f"weights must be finite numbers >= 0; got {weights[k]:g} in row {k:,} of {name}, the edge {pair}. "
            "Remove the edge, or give it another weight"
        )
    _check_range(weights, name)
    return rows, cols, weights


def _check_range(weights: np.ndarray, name: str) -> None:
    some = weights[weights > 0]
    if len(some) and not (some.min() > LEAST_WEIGHT and some.max() < MOST_WEIGHT):
        raise InputError(
            f"weights must be 0, or between {LEAST_WEIGHT:g} and {MOST_WEIGHT:g}; got {some.min():g} to {some.max():g} "
            f"in {name}. Divide them by their mean"
        )


def _plain(ends: Any, name: str) -> tuple[np.ndarray, str]:
    """Ids as whole numbers or texts, and which of the two they are."""
    kind = getattr(ends.dtype, "kind", "O")
    if kind in "iub":
        return ends.to_numpy(dtype=np.int64), "whole numbers"
    if kind == "f":
        values = ends.to_numpy(dtype=np.float64)
        if not (values == np.floor(values)).all():
            raise InputError(f"ids must be whole numbers or texts; got {values[values != np.floor(values)][0]} in {name}")
        return values.astype(np.int64), "whole numbers"
    return np.asarray(ends.astype(str), dtype=object), "texts"


def _hashes(ids: np.ndarray, key: int = 0) -> np.ndarray:
    from pandas.util import hash_array

    return hash_array(ids, hash_key=KEYS[key], categorize=True)


def unique_ids(folder: Path, out: str, k: int, name: str, read_part: Any, columns: Columns, *given: Any) -> tuple[str, int]:
    """Write the ids of a part: hashes in order, second hashes, and the number of the part."""
    rows, cols, weights = _ends(name, read_part, columns, given)
    (one, kind), (other, kind_other) = _plain(rows, name), _plain(cols, name)
    if kind != kind_other:
        raise InputError(f"ids must be of one type; got {kind} and {kind_other} in {name}. Convert the columns to one type")
    ids = np.concatenate([one, other])
    found = _hashes(ids)
    second = _hashes(ids, 1) if kind == "texts" else np.zeros(len(found), dtype=np.uint64)
    _write_table(folder, out, found, second, np.full(len(found), k, dtype=np.int32))
    return kind, len(weights)


def join_ids(folder: Path, out: str, names: list[str]) -> None:
    """Write the ids of some tables in one."""
    tables = []
    for name in names:
        with np.load(folder / f"{name}.npz") as file:
            tables.append((file["hash"], file["second"], file["part"]))
    _write_table(folder, out, *map(np.concatenate, zip(*tables, strict=True)))
    for name in names:
        (folder / f"{name}.npz").unlink()


def _write_table(folder: Path, out: str, found: np.ndarray, second: np.ndarray, part: np.ndarray) -> None:
    """Write each hash once, with the first part that has it."""
    order = np.argsort(found, kind="stable")  # parts come in order
    found, second, part = found[order], second[order], part[order]
    again = found[1:] == found[:-1]
    clash = again & (second[1:] != second[:-1])
    if clash.any():
        raise InputError(
            f"two ids share the 64-bit hash {int(found[1:][clash][0])}, so they cannot be told apart: use whole numbers as ids"
        )
    first = np.flatnonzero(np.concatenate([[True], ~again])[: len(found)])
    with stored(folder / f"{out}.npz") as file:
        np.savez(file, hash=found[first], second=second[first], part=part[first])


def count_entries(name: str, read_part: Any, *given: Any) -> int:
    """Number of entries of a matrix file."""
    return len(_ends(name, read_part, Columns("", ""), given)[2])


def rank(
    folder: Path, cut: Cut, table: str, k: int, name: str, read_part: Any, columns: Columns, *given: Any
) -> tuple[int, int]:
    """Write the entries of a part as a piece, and the ids that no earlier part has; count zero weights and loops."""
    rows, cols, weights = _ends(name, read_part, columns, given)
    if table:
        ids = np.concatenate([_plain(rows, name)[0], _plain(cols, name)[0]])
        with np.load(table) as file:
            hashes, part = file["hash"], file["part"]
        found = _hashes(ids)
        order = np.argsort(found)
        number = np.empty(len(found), dtype=np.int64)
        number[order] = np.searchsorted(hashes, found[order])
        _write_ids(folder / f"ids-{k}.parquet", number, ids, part[number] == k)
        m = len(weights)
        rows, cols = number[:m], number[m:]
        del ids, hashes, found, order, number
    zeros, loops = int(np.count_nonzero(weights == 0)), int(np.count_nonzero(rows == cols))
    rows, cols, weights = dropped_loops(np.asarray(rows, np.int64), np.asarray(cols, np.int64), weights)
    given_way = np.repeat(np.array([1, 0], dtype=np.int8), len(rows))
    both = np.concatenate([rows, cols]), np.concatenate([cols, rows]), np.concatenate([weights, weights])
    write_piece(folder, f"edges-{k}", cut.bounds, *both, given_way)
    return zeros, loops


def _write_ids(path: Path, number: np.ndarray, ids: np.ndarray, own: np.ndarray) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    here = np.flatnonzero(own)
    here = here[np.argsort(number[here], kind="stable")]
    here = here[np.flatnonzero(np.diff(number[here], prepend=-1))]
    values = ids[here]
    column = pa.array(values.tolist(), type=pa.string()) if values.dtype == object else pa.array(values)
    with stored(path) as file:
        pq.write_table(pa.table({"number": number[here], "id": column}), file)
