"""Split long lists of edges into parts that one worker can read.

A part is a row group of a parquet file, a range of a csv file, a matrix file, or a Dask partition.  Errors use its
name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nelayout.errors import InputError, missing_extra, near_matches

__all__ = ["Columns", "Part", "parts_of"]

# Formats by the ending of a file.
ENDINGS = {".parquet": "parquet", ".csv": "csv", ".npz": "npz", ".mtx": "mtx"}
# Size of a part of a csv file, in bytes.
CSV_BYTES = 32_000_000
# Number of rows at which a part of a parquet file ends; a part has whole row groups.
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

    read  a function of the arguments ``given`` that returns a pandas table, or three arrays of a matrix's entries
    """

    name: str
    read: Callable[..., Any]
    given: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """All parts; ``matrix``: number of rows of a matrix, which may be symmetric; 0: a list."""

    parts: list[Part]
    matrix: int = 0
    notes: tuple[str, ...] = ()


def parts_of(edges: Any, columns: Columns) -> Source:
    """Return the parts of a Dask dataframe, a folder or a file, after all possible checks."""
    if hasattr(edges, "to_delayed") and hasattr(edges, "columns"):
        numeric = [name for name in map(str, edges.columns) if edges.dtypes[name].kind in "iuf"]
        notes = columns.check(list(map(str, edges.columns)), "the dataframe", numeric)
        delayed = edges[columns.names].to_delayed()
        return Source([Part(f"partition {k}", _as_it_is, (each,)) for k, each in enumerate(delayed)], 0, notes)
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
                groups = [footer.row_group(k).num_rows for k in range(footer.num_row_groups)]
        except (pyarrow.ArrowInvalid, OSError) as error:
            said = str(error).partition(". ")[0].partition("\n")[0]
            raise InputError(
                f"{file} must be a whole parquet file; got one that cannot be read ({said}). Write it again"
            ) from None
        whole, parted = pyarrow.types.is_integer, pyarrow.types.is_floating
        numeric = [field.name for field in schema if whole(field.type) or parted(field.type)]
        notes.update(dict.fromkeys(columns.check(schema.names, str(file), numeric)))
        some, rows = list[int](), 0
        for k, count in enumerate(groups):
            some, rows = [*some, k], rows + count
            if rows >= PARQUET_ROWS or k + 1 == len(groups):
                name = str(file) if len(some) == len(groups) else f"{file}, row groups {some[0]} to {some[-1]}"
                parts.append(Part(name, read_parquet, (str(file), tuple(some), tuple(columns.names))))
                some, rows = [], 0
    return Source(parts, 0, tuple(notes))


def read_parquet(path: str, groups: tuple[int, ...], names: tuple[str, ...]) -> Any:
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
        size = file.stat().st_size
        kinds = {name: "str" for name in columns.names[:2] if head[name].dtype.kind not in "iu"}
        for start in range(0, size, CSV_BYTES):
            name = f"{file}, bytes from {start:,}" if size > CSV_BYTES else str(file)
            parts.append(Part(name, read_csv, (str(file), start, tuple(columns.names), tuple(kinds))))
    return Source(parts, 0, tuple(notes))


def read_csv(path: str, start: int, names: tuple[str, ...], texts: tuple[str, ...]) -> Any:
    """Return the lines of a csv file that begin in a range of bytes; ``texts`` stay text."""
    from io import BytesIO

    import pandas

    with Path(path).open("rb") as file:
        head = file.readline()
        body = file.tell()
        if start > 0:
            file.seek(max(start, body) - 1)
            file.readline()
        low = file.tell()
        file.seek(min(start + CSV_BYTES, Path(path).stat().st_size))
        if file.tell() > body:
            file.seek(file.tell() - 1)
            file.readline()
        high = file.tell()
        file.seek(low)
        lines = head + file.read(max(high - low, 0))
    try:
        return pandas.read_csv(BytesIO(lines), usecols=list(names), dtype=dict.fromkeys(texts, "str"))
    except ValueError as error:
        raise InputError(f"{path} must be a csv file; got {error} in the lines from byte {start:,}") from None


def _matrices(files: list[Path], columns: Columns) -> Source:
    """Return the parts of matrix files of one shape; matrices are added."""
    shapes = {file: _shape(file) for file in files}
    first = next(iter(shapes.values()))
    for file, shape in shapes.items():
        if shape != first or shape[0] != shape[1]:
            raise InputError(f"{file} must be a square matrix of the shape of the others; got {shape} and {first}")
    weighted = columns.weight is not None
    return Source([Part(str(file), read_matrix, (str(file), weighted)) for file in files], first[0])


def _shape(file: Path) -> tuple[int, int]:
    try:
        if file.suffix == ".mtx":
            from scipy.io import mminfo

            return tuple(map(int, mminfo(file)[:2]))  # pyright: ignore[reportReturnType]
        with np.load(file) as opened:
            return tuple(map(int, opened["shape"]))  # pyright: ignore[reportReturnType]
    except (ValueError, OSError, KeyError, EOFError) as error:
        raise InputError(
            f"{file} must be a sparse matrix of scipy.sparse.save_npz or Matrix Market; got {error}"
        ) from None


def read_matrix(path: str, weighted: bool) -> Any:
    """Return rows, columns and values of a matrix file."""
    from scipy import io, sparse

    found: Any = io.mmread(path) if path.endswith(".mtx") else sparse.load_npz(path)
    found = sparse.coo_array(found)
    return found.row, found.col, found.data.astype(float) if weighted else np.ones(len(found.data))
