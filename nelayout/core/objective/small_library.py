"""The compiled loop of small graphs, in a shared library.

`build_small_library` makes it.  Without it, small graphs take the same steps in Python, more slowly.
"""

from __future__ import annotations

import ctypes
import hashlib
import platform
import sys
from functools import cache
from pathlib import Path
from typing import Any

from nelayout.errors import warn

__all__ = ["NAME", "file_name", "loop"]

PACKAGE = Path(__file__).parents[2]
# The loop is made of these files.
SOURCES = [
    PACKAGE / name
    for name in (
        "core/objective/small_loops.py", "core/sums/nbody/combination_loops.py", "core/sums/nbody/pair_loops.py",
        "core/sums/nbody/law_loops.py", "numerics/elementary_loops.py", "numerics/compiling.py",
    )
]
NAME = "nelayout_small_graph"


def file_name() -> str:
    """Return the name of the library of these sources on this kind of machine."""
    source = b"\0".join(path.read_bytes() for path in SOURCES)
    return f"small-graphs-{sys.platform}-{platform.machine()}-{hashlib.sha256(source).hexdigest()[:16]}.so"


@cache
def loop() -> Any:
    """Return the loop as a function of a table's address; None without the library."""
    try:
        path = Path(__file__).with_name(file_name())
    except OSError:  # without sources
        return None
    if not path.exists():
        return None
    try:
        function = getattr(ctypes.CDLL(str(path)), NAME)
    except OSError as error:
        warn(f"small graphs are drawn more slowly, as their loop cannot be loaded ({error}): install nelayout again")
        return None
    function.restype, function.argtypes = ctypes.c_int32, [ctypes.c_void_p] * 3
    return function
