"""Decorators of the compiled loops: everything that runs over pairs or edges when there are many.

A compiled loop is a plain sequential loop over a range of rows, without the interpreter lock, compiled once and cached
on disk.  It takes arrays, integers and floats, never functions, so that no method and no process compiles anew.  Each
stands beside its user in a file called ``*_loops.py`` and has a NumPy twin for small work, which needs no compiler.

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

import numba

__all__ = ["compiled_loop", "exact_loop", "inlined", "inlined_as_written", "inlined_in_source"]

# Liberties with floating-point arithmetic.  Neither nnan nor ninf is among them: a NaN must stay one.
FAST_MATH = {"reassoc", "contract", "arcp", "nsz"}

# For sums: reordered, they run several terms at a time.
compiled_loop = numba.njit(cache=True, nogil=True, fastmath=FAST_MATH, error_model="numpy")
# For integers, comparisons and recurrences: rounds as NumPy does, so that small work gets the same bits from Python.
exact_loop = numba.njit(cache=True, nogil=True, error_model="numpy")
# For pieces of a `compiled_loop`: merged into it by the compiler, so that the loop around them still vectorizes.
inlined = numba.njit(forceinline=True, fastmath=FAST_MATH, error_model="numpy")
# Likewise, but copied into the source of the loop before anything is compiled.  It takes the same time and rounds
# differently: drawings by the mesh, whose splines use it, keep their bits.
inlined_in_source = numba.njit(inline="always", fastmath=FAST_MATH)
# For pieces that split off low bits, as the exponential does: reordering would lose them.
inlined_as_written = numba.njit(forceinline=True, fastmath={"contract"}, error_model="numpy")
