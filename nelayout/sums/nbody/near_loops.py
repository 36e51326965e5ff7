"""Compiled loops of `mesh`: sums over the near pairs that its grid cannot tell apart, cell by cell.

The nodes of a cell and of the eight around it are copied side by side, with places counted from the cell's first
node; each node of the cell then runs over them in one long loop that the compiler vectorizes.  Bounded functions of
the usual forms are summed in single precision, twice as many pairs at a time: counted from so near, places keep
their digits, and what rounding leaves, 1e-6 of the largest sum, is far below the error of the grid.
"""

from __future__ import annotations

import math

import numpy as np

from nelayout.numerics.compiling import compiled_loop, inlined, inlined_as_written
from nelayout.sums.nbody.pair_loops import GAUSSIAN, HALVES, INVERSE, RADIAL

__all__ = ["NEAR_SUMS", "NEAR_SUMS_SINGLE", "most_near"]

# The forms that have a single-precision loop, for kernels that are finite at distance 0.
SINGLE = INVERSE, HALVES, GAUSSIAN

_f = np.float32
ONE, HALF, LOWEST = _f(1.0), _f(0.5), _f(-80.0)
PER_LN2, LN2_HIGH, LN2_LOW = _f(1.0 / math.log(2.0)), _f(0.693359375), _f(math.log(2.0) - 0.693359375)
C2, C3, C4, C5, C6 = _f(1 / 2), _f(1 / 6), _f(1 / 24), _f(1 / 120), _f(1 / 720)
# Added to a small number, the lowest bits of the sum are the nearest whole number, counted from 127.
WHOLE = _f(1.5 * 2.0**23 + 127.0)


@inlined_as_written
def _exponential(x):
    """e^x of a float32 x <= 0, held above e^-80: x = k ln 2 + r with |r| <= ln(2)/2, and the series of e^r."""
    x = LOWEST if x < LOWEST else x
    shifted = x * PER_LN2 + WHOLE
    k = shifted - WHOLE
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    p = ONE + r * (ONE + r * (C2 + r * (C3 + r * (C4 + r * (C5 + r * C6)))))
    return p * np.int32(_f(shifted).view(np.int32) << 23).view(np.float32)


def _single_by(form):
    """`pair_loops.RADIAL` of float32 numbers, c > 0."""

    @inlined
    def radial(a, b, c, order, xi):
        if form == GAUSSIAN:
            rate = b * order
            value = _exponential(-rate * xi)
            return value, -rate * value
        u = c + a * xi
        if form == INVERSE:
            value = ONE / u
            return value, -a * value * value
        root = ONE / math.sqrt(u)
        k = _f(2.0) * b * order / a
        square = root * root
        if k == _f(1.0):
            value = root
        elif k == _f(2.5):
            value = square * math.sqrt(root)
        else:
            value = square * (root if k == _f(3.0) else square if k == _f(4.0) else square * square)
        return value, (-HALF * a * k) * value * square

    return radial


def _near_sums_by(radial, real):
    """Make the loop over the near pairs of one radial function, in numbers of one width."""

    @compiled_loop
    def near_sums(
        X, Y, charges, starts, columns, rows, cutoff, a, b, c, order, smooth, first, last, potential, fx, fy, room
    ):
        """Add r - R over pairs nearer than ``cutoff`` (squared) to nodes in cell rows first..last, sorted by cell.

        R(xi) = smooth[0] + smooth[1] z + smooth[2] z^2 + smooth[3] z^3, z = xi - cutoff: what the mesh has already
        added.  ``room``: scratch memory of three rows, for the nodes of a cell and the cells around it.
        """
        zero, two = real(0.0), real(2.0)
        s0, s1, s2, s3 = real(smooth[0]), real(smooth[1]), real(smooth[2]), real(smooth[3])
        t2, t3 = real(2.0 * smooth[2]), real(3.0 * smooth[3])
        a, b, c, order, away = real(a), real(b), real(c), real(order), real(4.0 * math.sqrt(cutoff))
        cutoff = real(cutoff)
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
                for i in range(begin, end):
                    # Every pair of the cells is computed and those out of range are masked: the loop vectorizes.
                    # A node is moved out of its own range: at distance 0 functions may be infinite.
                    x, y = bx[own + i], by[own + i]
                    bx[own + i] = x + away
                    p, px, py = zero, zero, zero
                    for k in range(count):
                        dx, dy = x - bx[k], y - by[k]
                        xi = dx * dx + dy * dy
                        z = xi - cutoff
                        m = bm[k] if z < zero else zero
                        value, slope = radial(a, b, c, order, xi)
                        p += m * (value - (s0 + z * (s1 + z * (s2 + z * s3))))
                        w = m * (slope - (s1 + z * (t2 + z * t3)))
                        px += w * dx
                        py += w * dy
                    bx[own + i] = x
                    potential[i] += p
                    fx[i] += two * px
                    fy[i] += two * py

    return near_sums


# Form -> the loop in double precision, and in single precision where there is one, for c > 0.
NEAR_SUMS = {form: _near_sums_by(radial, np.float64) for form, radial in RADIAL.items()}
NEAR_SUMS_SINGLE = {form: _near_sums_by(_single_by(form), np.float32) for form in SINGLE}


def most_near(starts: np.ndarray, columns: int) -> int:
    """Largest number of nodes in a cell and the cells around it."""
    column = np.arange(columns)
    before = starts[:-1].reshape(-1, columns)[:, np.maximum(column - 1, 0)]
    behind = starts[1:].reshape(-1, columns)[:, np.minimum(column + 1, columns - 1)]
    counts = behind - before
    around = counts.copy()
    around[1:] += counts[:-1]
    around[:-1] += counts[1:]
    return int(np.max(around))
