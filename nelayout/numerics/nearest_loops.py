"""Compiled loop of `nearest`: distances between pairs of long rows."""

from __future__ import annotations

import numpy as np

from nelayout.numerics.compiling import compiled_loop

__all__ = ["sum_squares"]


@compiled_loop
def sum_squares(A, rows, B, cols, out):
    """Set out[k] = |A[rows[k]] - B[cols[k]]|^2, in double precision."""
    for k in range(len(rows)):
        here, there, total = A[rows[k]], B[cols[k]], 0.0  # slices: the loop over them vectorizes
        for c in range(len(here)):
            apart = np.float64(here[c]) - np.float64(there[c])  # float() would keep single precision
            total += apart * apart
        out[k] = total
