"""What a run on several machines needs: bytes and seconds, from sizes alone."""

from __future__ import annotations

from nelayout.distributed.drawing import MOST_ENTRIES

__all__ = ["driver_bytes", "reading_bytes", "worker_bytes"]

# Bytes of a worker with its libraries; of an entry: column, weight and factor; of a row: positions, masses and sums; of
# a node of the halo.
WORKER, ENTRY, ROW, HALO = 200_000_000, 12, 60, 28
# Bytes while edges are read: of a part, of an entry of a block that is sorted, and of an id in the table.
PART, SORTED_ENTRY, ID = 250_000_000, 60, 12
# Bytes of this machine, with its libraries, and for each node: positions, curvature pairs, gradient and mesh.
DRIVER, NODE = 300_000_000, 400
# Part of its rows that a worker's halo has, once nodes are numbered by place.
NEAR = 0.1


def worker_bytes(n: int, entries: int, workers: int) -> int:
    """Bytes of a worker that holds its share of the blocks."""
    return round(WORKER + (ENTRY * entries + ROW * n + HALO * NEAR * n) / workers)


def reading_bytes(n: int, entries: int, blocks: int) -> int:
    """Bytes of a worker that reads a part or sorts a block."""
    return round(WORKER + max(PART + ID * n, SORTED_ENTRY * entries / blocks))


def driver_bytes(n: int) -> int:
    """Bytes of this machine."""
    return round(DRIVER + NODE * n + 40 * min(MOST_ENTRIES, 20 * n))
