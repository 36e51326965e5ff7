"""Seconds and bytes of a process beside the drawing: Python, packages, file, graph.

The costs hold for one core of a 2.5 GHz server, text files, and loops that are compiled already.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from nelayout.core.passes.costs import READ
from nelayout.graphs.files.record import LIMITS

__all__ = ["bytes_now", "reading_graph", "reading_table", "started"]

# Bytes and seconds of Python with the packages that every run imports; bytes of the compiler with its loops.
PACKAGES_BYTES, PACKAGES_SECONDS, LOOPS_BYTES = 75_000_000, 1.0, 130_000_000
# Bytes of a node and of an edge in a networkx graph that was read, and of an edge while its line is read.
GRAPH_NODE_BYTES, GRAPH_EDGE_BYTES, LINE_BYTES = 900, 180, 70
# Seconds of a line of a table of edges that becomes an edge of a networkx graph, or of a matrix.
EDGE_SECONDS, ENTRY_SECONDS = 8e-6, 1.5e-6
# Seconds and bytes of a number in a table of rows, while it is read as text.
NUMBER_SECONDS, NUMBER_BYTES = 2.5e-7, 16


def started(loops: bool) -> int:
    """Return the bytes of a process with nelayout, with or without compiled loops."""
    return PACKAGES_BYTES + LOOPS_BYTES * loops


def bytes_now(loops: bool) -> int:
    """Return the bytes of this process, with those of compiled loops that it will load."""
    loads = loops and "nelayout.numerics.compiling" not in sys.modules
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        import resource

        here = pages * resource.getpagesize()
    except (OSError, ValueError, IndexError, ImportError):  # another system
        here = started(not loads and loops)
    return here + LOOPS_BYTES * loads


def reading_graph(nodes: int, edges: int) -> tuple[float, int]:
    """Return the seconds and bytes of a graph that is read from a table of edges."""
    if edges > LIMITS.networkx_edges:  # a matrix, and the names of its nodes
        return ENTRY_SECONDS * edges + READ * nodes, LINE_BYTES * edges + 100 * nodes
    return EDGE_SECONDS * edges, GRAPH_NODE_BYTES * nodes + (GRAPH_EDGE_BYTES + LINE_BYTES) * edges


def reading_table(rows: int, columns: int) -> tuple[float, int]:
    """Return the seconds and bytes of a table of numbers that is read as text."""
    numbers = float(rows) * columns
    return NUMBER_SECONDS * numbers, int(np.ceil(NUMBER_BYTES * numbers))
