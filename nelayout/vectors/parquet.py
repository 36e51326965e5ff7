"""Parquet files as tables; columns that hold a list of numbers each (embeddings) count as so many coordinates."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from nelayout.errors import missing_extra
from nelayout.graphs.files.source import Source
from nelayout.vectors.columns import Column, Table, choose_columns, names_that_tell_apart, no_number

__all__ = ["read_parquet"]

# How pandas calls the columns in which it keeps the names of rows.
INDEX = "__index_level_"


def read_parquet(source: Source, columns: Sequence[str] | None, beside: Mapping[str, str]) -> Table:
    """See `nelayout.vectors.tables.read_table`."""
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise missing_extra("pyarrow", "parquet", "parquet files") from None
    try:
        table: Any = parquet.read_table(io.BytesIO(source.data))
    except (arrow.ArrowException, OSError) as error:
        raise source.broken(f"cannot be read as parquet: {error}") from None
    index = [name for name in table.column_names if name.startswith(INDEX)]
    called = [str(name) for name in table.column(index[0]).to_pylist()] if index else None
    table = table.drop_columns(index)
    names = table.column_names
    taken, others = choose_columns(source, columns, beside, names)
    blocks, bad, good = [], [], []
    for k in taken:
        block, culprit = _numbers(table.column(k))
        (blocks if culprit is None else bad).append(block if culprit is None else (names[k], *culprit))
        if culprit is None:
            good.append(names[k])
    if bad:
        row = bad[0][2]
        raise no_number(source, f"row {row + 1}", [(name, value) for name, value, _ in bad], good, bool(beside))
    X = np.concatenate(blocks, axis=1)
    found = {option: Column(names[k], table.column(k).to_pylist()) for option, k in others.items()}
    fitted = names_that_tell_apart([names[k] for k in taken]) if X.shape[1] == len(taken) else None
    return Table(X, found, called, columns=fitted)


def _numbers(column: Any) -> tuple[np.ndarray, None] | tuple[None, tuple[Any, int]]:
    """(n, width) numbers; else the first value that is none, and its row."""
    types, kind = import_module("pyarrow.types"), column.type
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        if not column.null_count:
            wide = column.to_numpy()
            block = np.asarray(wide, dtype=np.float32 if wide.dtype == np.float32 else np.float64).reshape(-1, 1)
            wrong = np.flatnonzero(~np.isfinite(block).all(axis=1))
            if not len(wrong):
                return block, None
            value = block[wrong[0], 0]
            return None, (None if np.isnan(value) else value, int(wrong[0]))
        return None, (None, column.to_pylist().index(None))
    values = column.to_pylist()
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        width = next((len(value) for value in values if value is not None), 0)
        for i, value in enumerate(values):
            if value is None or len(value) != width or any(x is None for x in value):
                return None, (value, i)
        try:
            return np.array(values, dtype=np.float64), None
        except (TypeError, ValueError):
            return None, (values[0], 0)
    return None, (next((value for value in values if value is not None), None), 0)
