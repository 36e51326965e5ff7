"""Split long lists of edges into parts that one worker can read.

A part is some row groups of a parquet file, a range of a csv file, a matrix file, or a Dask partition.  Errors use its
name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import coo_array

from nelayout.errors import InputError, missing_extra, near_matches
from nelayout.graphs.files import read_graph

__all__ = ["Columns", "Part", "parts_of"]

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


def _parquet(files: list[Path], columns: Columns) -> Source:
    try:
        import pyarrow
        import pyarrow.parquet as pq
    except ImportError:
        raise missing_extra("pyarrow", "dask", "parquet files") from None
    parts, notes = [], dict[str, None]()
    for file in files:
        try:
            with pq.ParquetFile(file) as opened:
                schema, footer = opened.schema_arrow, opened.metadata
                ends = np.cumsum([footer.row_group(k).num_rows for k in range(footer.num_row_groups)])
        except (pyarrow.ArrowInvalid, OSError) as error:
            said = str(error).partition(". ")[0].partition("\n")[0]
            raise InputError(
                f"{file} must be a whole parquet file; got one that cannot be read ({said}). Write it again"
            ) from None
        whole, parted = pyarrow.types.is_integer, pyarrow.types.is_floating
        numeric = [field.name for field in schema if whole(field.type) or parted(field.type)]
        notes.update(dict.fromkeys(columns.check(schema.names, str(file), numeric)))
        for some in np.split(np.arange(len(ends)), np.flatnonzero(np.diff(ends // PARQUET_ROWS)) + 1):
            name = str(file) if len(some) == len(ends) else f"{file}, row groups {some[0]} to {some[-1]}"
            parts.append(Part(name, read_parquet, (str(file), some.tolist(), tuple(columns.names))))
    return Source(parts, False, tuple(notes))


def read_parquet(path: str, groups: list[int], names: tuple[str, ...]) -> Any:
    """Return row groups of a parquet file as a pandas table."""
    import pyarrow
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            return file.read_row_groups(groups, columns=list(names), use_threads=False).to_pandas()
    except (pyarrow.ArrowInvalid, OSError) as error:
        said = str(error).partition("\n")[0]
        raise InputError(f"{path} must be a whole parquet file; got one that cannot be read ({said})") from None


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
