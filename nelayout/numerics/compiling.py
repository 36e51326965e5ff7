"""Decorators of the compiled loops: everything that runs over pairs or edges when there are many.

A compiled loop is a plain sequential loop over a range of rows, without the interpreter lock, compiled once and stored
on disk (`loop_store`).  It takes arrays, integers and floats, never functions, so that no process compiles anew.
Each stands in a file called ``*_loops.py`` beside its user and has a NumPy twin for small work, which needs no
compiler.

A new machine waits for all compiling that its first drawing needs, 0.06 s for each function and 0.01 s for each of its
lines.  So a loop is made for one form of what it sums, by a function that returns it: only the forms that are needed
are compiled.  It allocates nothing and assigns no slices, whose error messages alone take a second, but is given its
scratch memory; and it chooses between two numbers by ``if``, as `max` is one more function.

Sums of many terms take ``compiled_loop``, whose compiler may reorder them::

    @compiled_loop
    def dot(a, b):
        total = 0.0
        for k in range(len(a)):
            total += a[k] * b[k]
        return total

The order is chosen when a loop is compiled, not when it runs: on one machine its bits are always the same.
"""

from __future__ import annotations

import gc
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from nelayout.numerics import loop_store
from nelayout.numerics.interrupts import interrupts_held
from nelayout.numerics.notices import announce

with interrupts_held():  # an interrupt here would leave the compiler half loaded, or its lock taken
    import numba
    from numba.core import config
    from numba.core.caching import NullCache
    from numba.core.compiler import CompileResult
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.registry import CPUDispatcher, cpu_target
    from numba.core.serialize import dumps

    _TARGET = cpu_target.target_context

__all__ = ["compiled_loop", "exact_loop", "inlined", "inlined_as_written", "inlined_in_source"]

# Liberties with floating-point arithmetic.  Neither nnan nor ninf is among them: a NaN must stay one.
FAST_MATH = {"reassoc", "contract", "arcp", "nsz"}
# Each function needs its callers' form alone: Python's for loops, C's for none, and neither for pieces of loops.
LOOP = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
PIECE = {"forceinline": True, "error_model": "numpy", "no_cfunc_wrapper": True, "no_cpython_wrapper": True}


class _Loop(CPUDispatcher):
    """Dispatcher of numba that keeps its code in `loop_store`, and compiles without being interrupted."""

    def enable_caching(self) -> None:
        self._cache = _Stored(self)

    def compile(self, sig: Any) -> Any:
        """Load or compile the loop for arguments of these types."""
        if global_compiler_lock.is_locked():  # as part of another loop
            return super().compile(sig)
        with interrupts_held(), global_compiler_lock, _collector_resting():
            before = len(loop_store.missed)
            try:
                return super().compile(sig)
            finally:
                if len(loop_store.missed) > before:
                    announce("")


class _Stored(NullCache):
    """Stored code of one loop, in the protocol by which a dispatcher asks for it."""

    def __init__(self, loop: CPUDispatcher) -> None:
        self.function, self.identity = loop.py_func, _identity(loop)

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        target_context.refresh()
        data = loop_store.read(self._key(sig, target_context.codegen()))
        if data is not None:
            return CompileResult._rebuild(target_context, *pickle.loads(data))  # noqa: S301  written by this package
        announce("compiling, once per machine" if loop_store.place() else "compiling: no folder to keep it in")
        return None

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        plain = data._replace(type_annotation="")  # the source with its types, a long text that nobody reads
        loop_store.write(self._key(sig, data.codegen), dumps(plain._reduce()))

    def _key(self, sig: Any, codegen: Any) -> loop_store.Key:
        name = f"{self.function.__module__.removeprefix('nelayout.')}.{self.function.__name__}"
        return loop_store.Key(name, f"{codegen.magic_tuple()} {numba.__version__}", f"{self.identity} {sig}")


def _identity(loop: CPUDispatcher) -> str:
    """Name a loop by its code, by its options, and by what the function that made it has put into it."""
    function = loop.py_func
    options = {name: sorted(value) if isinstance(value, set) else value for name, value in loop.targetoptions.items()}
    parts = [cell.cell_contents for cell in function.__closure__ or ()]
    inside = [_identity(part) if isinstance(part, CPUDispatcher) else repr(part) for part in parts]
    code = function.__code__  # of a function whose file is no file of loops, too
    own = (code.co_firstlineno, code.co_code, code.co_consts, code.co_names)
    return f"{function.__module__}.{function.__qualname__} {own} {sorted(options.items())} {inside}"


@contextmanager
def _collector_resting() -> Iterator[None]:
    """Without the garbage collector, which would look at the compiler's many objects for a tenth of the time."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _loop(**options: Any) -> Callable[[Callable], Callable]:
    """Make a decorator of loops."""

    def decorate(function: Callable) -> Callable:
        if getattr(config, "DISABLE_JIT", False):  # numba's own switch, which its decorators obey for the pieces
            return function
        loop = _Loop(py_func=function, targetoptions={"nopython": True, "boundscheck": None, **LOOP, **options})
        if function.__module__.startswith("nelayout."):
            loop.enable_caching()
        return loop

    return decorate


# For sums: reordered, they run several terms at a time.
compiled_loop = _loop(fastmath=FAST_MATH)
# For integers, comparisons and recurrences: rounds as NumPy does, so that small work gets the same bits from Python.
exact_loop = _loop()
# For pieces of a `compiled_loop`: merged into it by the compiler, so that the loop around them still vectorizes.
inlined = numba.njit(fastmath=FAST_MATH, **PIECE)
# Likewise, but copied into the source of the loop before anything is compiled.  It takes the same time and rounds
# differently: drawings by the mesh, whose splines use it, keep their bits.
inlined_in_source = numba.njit(inline="always", fastmath=FAST_MATH)
# For pieces that split off low bits, as the exponential does: reordering would lose them.
inlined_as_written = numba.njit(fastmath={"contract"}, **PIECE)
