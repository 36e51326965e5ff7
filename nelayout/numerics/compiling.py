"""Decorators of the compiled loops: everything that runs over pairs or edges when there are many.

A compiled loop is a plain sequential loop over a range of rows, without the interpreter lock, compiled once and cached
on disk.  It takes arrays, integers and floats, never functions, so that no method and no process compiles anew.  Each
stands beside its user in a file called ``*_loops.py`` and has a NumPy twin for small work, which needs no compiler.
"""

from __future__ import annotations

import numba

__all__ = ["FAST_MATH", "compiled_loop", "inlined"]

# Liberties with floating-point arithmetic.  Neither nnan nor ninf is among them: a NaN must stay one.
FAST_MATH = {"reassoc", "contract", "arcp", "nsz"}

compiled_loop = numba.njit(cache=True, nogil=True, fastmath=FAST_MATH, error_model="numpy")
inlined = numba.njit(forceinline=True, fastmath=FAST_MATH, error_model="numpy")
