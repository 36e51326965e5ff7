"""The compiled loop of `bounds`: distances of pairs of rows that the bounds leave to be measured."""

from __future__ import annotations

import numpy as np

from nelayout.numerics.compiling import compiled_loop

__all__ = ["sum_squares"]


@compiled_loop
def sum_squares(A, rows, B, cols, out):
    """out[m] = |A[rows[m]] - B[cols[m]]|^2."""
    for m in range(len(rows)):
        i, j = rows[m], cols[m]
        total = 0.0
        for c in range(A.shape[1]):
            diff = np.float64(A[i, c]) - np.float64(B[j, c])
            total += diff * diff
        out[m] = total
