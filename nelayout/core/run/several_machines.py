"""Bytes and seconds of a drawing on several machines, from sizes alone.

>>> Forecast.of(10**8, 2 * 10**9, workers=16, memory=64 * 10**9).fits
True
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from nelayout.errors import InputError
from nelayout.numerics.memory import size_in_words

__all__ = [
    "DRIVER", "LEAST_NODES", "MOST_ENTRIES", "READING", "WORKER", "Forecast", "bytes_of", "driver_bytes",
    "worker_bytes",
]  # fmt: skip

# Nodes below which workers only lose time.
LEAST_NODES = 1_000_000
# Entries of a graph that one machine draws; it is a number, so that the drawing does not depend on the machines.
MOST_ENTRIES = 1 << 25
# Bytes of a worker with its libraries; of an entry: column, weight and factor; of a row: positions, masses, sums, slab,
# and the tenth of the rows of others that it needs.
WORKER, ENTRY, ROW = 220_000_000, 12, 165
# Bytes of a worker that sorts a block or reads a part, beside its libraries; see `nelayout.distributed.blocks`.
READING = 330_000_000
# Bytes of this machine with its libraries.  For a node: positions, pairs of L-BFGS, gradient, and the mesh of the
# size search.  For an entry of the graph that it draws alone.
DRIVER, NODE, ALONE_ENTRY = 300_000_000, 900, 40
# Bytes of the messages of an evaluation for each node: out, for edges and slabs, and back.
OUT, BACK = 25.3, 20.0
# Seconds of an evaluation: of this machine for each node (grid, and L-BFGS), and of a worker for each node and entry.
# Seconds of two rounds of messages, and of a byte that is copied and sent at 1 GB/s.
DRIVER_NODE, WORKER_NODE, WORKER_ENTRY, ROUNDS, BYTE = 210e-9, 150e-9, 8e-9, 0.04, 2.5e-9
# Evaluations on the finest level, on the next one, and on each level of at most a fifth of its nodes.
FINEST, NEXT, BETWEEN = 175, 45, 12


@dataclass(frozen=True, slots=True)
class Forecast:
    """Bytes and seconds of a run on several machines.

    nodes, entries, workers  of the graph (two entries an edge), and of the cluster
    memory          bytes that each worker may take; None: not said
    worker, driver  bytes of each worker and of this machine at their peak
    sent, received  bytes of all messages of an evaluation
    computing, communicating  seconds of an evaluation, on one thread of each machine
    seconds         of all steps on workers; reading, and the drawing of the coarse graph, come on top
    """

    nodes: int
    entries: int
    workers: int
    memory: int | None
    worker: int
    driver: int
    sent: int
    received: int
    computing: float
    communicating: float
    seconds: float

    @classmethod
    def of(cls, nodes: int, entries: int, workers: int, memory: int | str | None = None) -> Forecast:
        """Forecast the run of a graph."""
        sent, received = round(OUT * nodes), round(BACK * nodes)
        computing = DRIVER_NODE * nodes + (WORKER_NODE * nodes + WORKER_ENTRY * entries) / workers
        communicating = ROUNDS + BYTE * (sent + received)
        n, work = nodes // 5, FINEST * nodes + (NEXT * nodes // 2 if nodes // 2 >= LEAST_NODES else 0)
        while n >= LEAST_NODES:
            n, work = n // 2, work + BETWEEN * n
        seconds = work * (computing + communicating) / nodes
        return cls(
            nodes, entries, workers, bytes_of(memory), worker_bytes(nodes, entries, workers), driver_bytes(nodes),
            sent, received, computing, communicating, seconds,
        )

    @property
    def fits(self) -> bool:
        """Return True if each worker's part fits its memory."""
        return self.memory is None or self.worker <= self.memory

    def __str__(self) -> str:
        """Return lines below a plan."""
        fits = "" if self.memory is None else f" of {size_in_words(self.memory)}, {'fits' if self.fits else 'too much'}"
        alone = f"\nbelow {LEAST_NODES:,} nodes workers only lose time: it is drawn on this machine alone"
        message = f"{size_in_words(self.sent)} out and {size_in_words(self.received)} back"
        return (
            f"{self.workers} workers: {size_in_words(self.worker)} each{fits}; this machine "
            f"{size_in_words(self.driver)}\n"
            f"a step: {self.computing:.2g} s of computing, {self.communicating:.2g} s for {message}\n"
            f"steps on workers: about {self.seconds:.2g} s{alone if self.nodes < LEAST_NODES else ''}"
        )


def worker_bytes(n: int, entries: int, workers: int) -> int:
    """Bytes of a worker at its peak: it reads and sorts, and it holds its share of the blocks."""
    return round(WORKER + max(READING + n // 10, (ENTRY * entries + ROW * n) / workers))


def driver_bytes(n: int) -> int:
    """Bytes of this machine at its peak."""
    return round(DRIVER + NODE * n + ALONE_ENTRY * min(MOST_ENTRIES, 10 * n))


def bytes_of(memory: int | str | None) -> int | None:
    """Read a number of bytes: a number, or a text such as "64GB".

    >>> bytes_of("64GB"), bytes_of("1.5 GiB")
    (64000000000, 1610612736)
    """
    if memory is None or (isinstance(memory, (int, float)) and not isinstance(memory, bool) and memory > 0):
        return None if memory is None else int(memory)
    found = re.fullmatch(r"\s*([\d.]+)\s*([kMGT]?)(i?)B\s*", memory) if isinstance(memory, str) else None
    if found is None:
        raise InputError(f'memory must be a number of bytes, or a text such as "64GB"; got {memory!r}')
    base = 1024 if found[3] else 1000
    return int(float(found[1]) * base ** " kMGT".index(found[2] or " "))
