"""Compile loops in a second process while the first drawing compiles the others.

The compiler runs under Python's lock, so threads cannot share its work.  The second process compiles the sums over all
pairs of the planned objectives, stress and crossings, last first.  Both processes keep loops in one folder, and look
there before they compile.  So the second process may fail or end at any time: the drawing compiles what it does not
find.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from nelayout.core.formula.kernels import Radial
from nelayout.numerics import loop_store
from nelayout.numerics.parallel import Threads, thread_count

__all__ = ["compile_loops", "second_compiler"]

# Reads the caller's module path, loads the compiler, and reads the work.  The caller's main module is not imported.
PROGRAM = """
import pickle, sys
sys.path = pickle.load(sys.stdin.buffer)
from nelayout.core.run import ahead
from nelayout.core.sums.nbody import mesh_loops
ahead.compile_loops(*pickle.load(sys.stdin.buffer))
"""
# Most positions, and segments, for compiling: all sums and counts choose their usual forms.
MAX_POSITIONS, SEGMENTS = 2_000, 3_000


@contextmanager
def second_compiler(wanted: bool) -> Iterator[Callable[[Iterable[Radial | str], int, int], None]]:
    """Yield a function that starts a second process on work (`Pass.loops`), n and dim."""
    helper = None
    if wanted and not loop_store.stored("core.sums.nbody") and _possible():
        with suppress(OSError):  # not allowed here
            helper = subprocess.Popen(  # noqa: S603  this interpreter
                [sys.executable, "-c", PROGRAM], bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
            _send(helper, sys.path)
    try:
        yield lambda work, n, dim: _send(helper, (tuple(work), min(n, MAX_POSITIONS), dim))
    finally:
        if helper is not None and helper.stdin is not None:
            helper.kill()
            helper.wait()
            helper.stdin.close()


def _possible() -> bool:
    """Return whether a second process has a core, a folder for its loops, and a Python."""
    processes = sys.modules.get("multiprocessing.process")
    worker = processes is not None and processes.parent_process() is not None  # the others use the other cores
    python = Path(sys.executable or "").name.lower().startswith("python")  # not an application with Python inside
    return python and not worker and thread_count(None) > 1 and loop_store.place() is not None


def _send(helper: subprocess.Popen | None, what: object) -> None:
    if helper is not None and helper.stdin is not None:
        with suppress(OSError):  # it has ended
            helper.stdin.write(pickle.dumps(what))


def compile_loops(work: tuple[Radial | str, ...], n: int, dim: int) -> None:
    """Compile the loops of this work on n random positions; end with standard input."""
    from nelayout.core.formula.potentials.stress import Stress
    from nelayout.core.passes.tidiness import crossed
    from nelayout.core.sums.nbody import backend
    from nelayout.core.sums.nbody.auto import Auto
    from nelayout.numerics.distances import Distances

    threading.Thread(target=_end_with_input, daemon=True).start()
    rng, mass = np.random.default_rng(0), np.ones(n)
    Y, sums = np.sqrt(n) * rng.standard_normal((n, dim)), backend("auto", Threads(), compiled=True)
    assert isinstance(sums, Auto)
    for each in work[::-1]:
        if isinstance(each, Radial):
            sums.fields(Y, mass, (each,))
        elif each == "stress":
            stress = Stress(1.0, Distances.of(np.arange(8), np.ones((n, 8), np.float32)), compiled=True)
            stress.at(Y)
            stress.at(Y, gradient=False)
        else:
            i, j = rng.integers(n, size=(2, SEGMENTS))
            crossed(i, j, Y)
    for each in work[::-1]:
        if isinstance(each, Radial):  # coarse levels are summed exactly
            sums.exact.fields(Y, mass, (each,))


def _end_with_input() -> None:
    """End this process with the first process, however that ends."""
    while sys.stdin.buffer.read(1):
        pass
    os._exit(0)
