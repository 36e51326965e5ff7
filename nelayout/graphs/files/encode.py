"""Encode a table or named arrays as the bytes of a file; all commands write in this one way.

>>> encode_csv(["node", "x"], [["a", 0.5]])
b'node,x\\na,0.5\\n'
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["encode_csv", "encode_json", "encode_npz"]


def encode_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """Comma-separated, a header and a row for each line; floats such that they read back as the same."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()


def encode_json(data: Any, default: Callable[[Any], Any] = str, indent: int | None = None) -> bytes:
    """One JSON value; `default` turns what JSON does not know into what it does."""
    return (json.dumps(data, default=default, ensure_ascii=False, indent=indent) + "\n").encode()


def encode_npz(arrays: Mapping[str, Any]) -> bytes:
    """A compressed NumPy archive."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()
