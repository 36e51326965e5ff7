r"""Arrays and texts as a page holds them: numbers as base64, text that no reader of HTML takes for markup.

>>> packed(np.array([1, 258], np.uint16))
{'type': 'u2', 'data': 'AQACAQ=='}
>>> embedded({"name": "</script>"})
'{"name":"\\u003c/script\\u003e"}'
"""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

__all__ = ["embedded", "node_numbers", "packed", "unpacked"]


def packed(x: np.ndarray) -> dict[str, str]:
    """An array as its type (NumPy's letter and bytes, little-endian) and its bytes in base64, row by row."""
    kind = x.dtype.kind + str(x.dtype.itemsize)
    data = np.ascontiguousarray(x, dtype=x.dtype.newbyteorder("<")).tobytes()
    return {"type": kind, "data": base64.b64encode(data).decode("ascii")}


def unpacked(held: dict[str, str]) -> np.ndarray:
    """The array that `packed` was given, in one dimension.

    >>> unpacked(packed(np.array([[0.5, 2.0]], np.float32))).tolist()
    [0.5, 2.0]
    """
    return np.frombuffer(base64.b64decode(held["data"]), dtype=f"<{held['type']}")


def node_numbers(x: np.ndarray, n: int) -> np.ndarray:
    """Numbers of nodes in the fewest bytes that hold those of `n` nodes."""
    return x.astype(np.uint16 if n <= 1 << 16 else np.uint32)


def embedded(data: Any) -> str:
    """JSON that may stand within a script element: no sign in it begins a tag, an entity or a comment.

    Raises ValueError for a NaN that stands outside of an array.
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
