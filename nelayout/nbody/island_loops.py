"""Compiled loops of `islands`: sums over the pairs within each of many small graphs."""

from __future__ import annotations

import numpy as np

from nelayout.nbody.pair_loops import (
    BOXCOX,
    GAUSSIAN,
    HALVES,
    INVERSE,
    LOGARITHM,
    POWER,
    POWER_LOG,
    radial,
)
from nelayout.numerics.compiling import compiled_loop, inlined

__all__ = ["island_sums"]


@inlined
def _islands(form, points, charges, a, b, c, order, starts, first, last, potential, force):
    X, Y, Z = points[0], points[1], points[2]
    sums = np.empty(3)
    for island in range(first, last):
        low, high = starts[island], starts[island + 1]
        for i in range(low, high):
            x, y, z = X[i], Y[i], Z[i]
            p, fx, fy, fz = 0.0, 0.0, 0.0, 0.0
            for j in range(low, high):
                dx, dy, dz = x - X[j], y - Y[j], z - Z[j]
                value, slope = radial(form, a, b, c, order, dx * dx + dy * dy + dz * dz)
                if j == i:  # one loop without a gap is the fastest
                    value, slope = 0.0, 0.0
                p += charges[j] * value
                w = charges[j] * slope
                fx += w * dx
                fy += w * dy
                fz += w * dz
            potential[i] = p
            sums[0], sums[1], sums[2] = 2.0 * fx, 2.0 * fy, 2.0 * fz
            for axis in range(force.shape[1]):
                force[i, axis] = sums[axis]


@compiled_loop
def island_sums(points, charges, form, a, b, c, order, starts, first, last, potential, force):
    """`pair_loops.pair_sums` over the pairs within each of the graphs first..last; force (n, d)."""
    if form == INVERSE:
        _islands(INVERSE, points, charges, a, b, c, order, starts, first, last, potential, force)
    elif form == LOGARITHM:
        _islands(LOGARITHM, points, charges, a, b, c, order, starts, first, last, potential, force)
    elif form == HALVES:
        _islands(HALVES, points, charges, a, b, c, order, starts, first, last, potential, force)
    elif form == GAUSSIAN:
        _islands(GAUSSIAN, points, charges, a, b, c, order, starts, first, last, potential, force)
    elif form == POWER:
        _islands(POWER, points, charges, a, b, c, order, starts, first, last, potential, force)
    elif form == BOXCOX:
        _islands(BOXCOX, points, charges, a, b, c, order, starts, first, last, potential, force)
    else:
        _islands(POWER_LOG, points, charges, a, b, c, order, starts, first, last, potential, force)
