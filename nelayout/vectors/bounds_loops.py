"""The compiled loop of `bounds`: distances of pairs of rows that the bounds leave to be measured."""

from __future__ import annotations

import numpy as np

from nelayout.numerics.compiling import compiled_loop

__all__ = ["sum_squares"]


@compiled_loop
def sum_squares(X, rows, cols, out):
    """out[m] = |X[rows[m]] - X[cols[m]]|^2."""
    for m in range(len(rows)):
        i, j = rows[m], cols[m]
        total = 0.0
        for c in range(X.shape[1]):
            diff = np.float64(X[i, c]) - np.float64(X[j, c])
            total += diff * diff
        out[m] = total
