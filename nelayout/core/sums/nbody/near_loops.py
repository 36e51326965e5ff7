"""Compiled loops of `mesh` over near pairs that its grid does not resolve, cell by cell.

The nodes of a cell and its eight neighbors are copied side by side, relative to the cell's first node.  Each node of
the cell then runs over them in one long loop that the compiler vectorizes.  Some functions are summed in single
precision (`mesh.single_precision`): relative to a node so near, coordinates keep their digits.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from nelayout.core.sums.nbody.law_loops import radial
from nelayout.numerics.compiling import compiled_loop

__all__ = ["LANES", "most_near", "near_sums"]

# Near nodes are padded to a multiple of this number, so that no pair is left to a slow end of the loop.
LANES = 16


@cache
def near_sums(kind, form, real=np.float64):
    """Make the loop over near pairs of a kind and one of `law_loops.FORMS`."""
    value_and_slope = radial(kind, form, real)

    @compiled_loop
    def near_sums(
        X, Y, charges, starts, columns, rows, cutoff, a, b, c, order, smooth, first, last, potential, fx, fy, room
    ):
        """Add r - R over pairs within ``cutoff`` (squared), for nodes in cell rows first..last.

        R(xi) = smooth[0] + smooth[1] Z + smooth[2] Z^2 + smooth[3] Z^3, Z = xi - cutoff: the mesh's part.  Nodes are
        sorted by cell.  ``room``: scratch memory of three rows, for `most_near` nodes.  The loop takes z = Z / cutoff,
        because coefficients of wide drawings are too small for single precision.
        """
        zero, one, two, inverse = real(0.0), real(1.0), real(2.0), real(1.0 / cutoff)
        d1, d2, d3 = smooth[1], cutoff * smooth[2], cutoff * cutoff * smooth[3]
        s0, s1, s2, s3 = real(smooth[0]), real(cutoff * d1), real(cutoff * d2), real(cutoff * d3)
        t1, t2, t3 = real(d1), real(2.0 * d2), real(3.0 * d3)
        a, b, c, order, away = real(a), real(b), real(c), real(order), real(4.0 * math.sqrt(cutoff))
        bx, by, bm = room[0], room[1], room[2]
        for r in range(first, last):
            for col in range(columns):
                begin, end = starts[r * columns + col], starts[r * columns + col + 1]
                if begin == end:
                    continue
                low, high = col - (col > 0), col + (col < columns - 1)
                x0, y0 = X[begin], Y[begin]
                count, own = 0, 0
                for q in range(r - (r > 0), r + (r < rows - 1) + 1):
                    other, until = starts[q * columns + low], starts[q * columns + high + 1]
                    if q == r:
                        own = count - other
                    for j in range(until - other):
                        bx[count + j] = real(X[other + j] - x0)
                        by[count + j] = real(Y[other + j] - y0)
                        bm[count + j] = real(charges[other + j])
                    count += until - other
                while count % LANES:
                    bx[count], by[count], bm[count] = away, zero, zero
                    count += 1
                for i in range(begin, end):
                    # All pairs of the cells are computed and pairs out of range masked, so that the loop vectorizes.
                    # A node is moved out of range of itself, because functions may be infinite at distance 0.
                    x, y = bx[own + i], by[own + i]
                    bx[own + i] = x + away
                    p, px, py = zero, zero, zero
                    for k in range(count):
                        dx, dy = x - bx[k], y - by[k]
                        xi = dx * dx + dy * dy
                        z = xi * inverse - one
                        m = bm[k] if z < zero else zero
                        value, slope = value_and_slope(a, b, c, order, xi)
                        p += m * (value - (s0 + z * (s1 + z * (s2 + z * s3))))
                        w = m * (slope - (t1 + z * (t2 + z * t3)))
                        px += w * dx
                        py += w * dy
                    bx[own + i] = x
                    potential[i] += p
                    fx[i] += two * px
                    fy[i] += two * py

    return near_sums


def most_near(starts: np.ndarray, columns: int) -> int:
    """Return the largest number of nodes in a cell and the cells around it, padded."""
    column = np.arange(columns)
    before = starts[:-1].reshape(-1, columns)[:, np.maximum(column - 1, 0)]
    behind = starts[1:].reshape(-1, columns)[:, np.minimum(column + 1, columns - 1)]
    counts = behind - before
    around = counts.copy()
    around[1:] += counts[:-1]
    around[:-1] += counts[1:]
    return -(-int(np.max(around)) // LANES) * LANES
