"""How many rows of an array are computed at a time, so that temporary arrays stay small."""

from __future__ import annotations

__all__ = ["BLOCK_BYTES", "rows_at_once"]

# Bytes of the temporary arrays of a block of rows.
BLOCK_BYTES = 1 << 24


def rows_at_once(bytes_each: int) -> int:
    """Return the number of rows of so many bytes that fit one block, at least 1."""
    return max(1, BLOCK_BYTES // max(1, int(bytes_each)))
