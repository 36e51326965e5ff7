"""Compiled loops over pairs of nodes, for `exact`, and for `far_nodes` if all pairs count."""

from __future__ import annotations

from functools import cache

import numpy as np

from nelayout.numerics.compiling import compiled_loop
from nelayout.sums.nbody.law_loops import radial

__all__ = ["as_points", "pair_sums"]


@cache
def pair_sums(kind, form):
    """Make the loop over the pairs of a kind and one of `law_loops.FORMS`."""
    value_and_slope = radial(kind, form)

    @compiled_loop
    def pair_sums(points, charges, a, b, c, order, at, own, low, high, start, stop, potential, force):
        """Set potential[i] = sum_j c_j r(xi_ij) and force[:, i], its gradient, i in start..stop.

        force[:, i] = 2 sum_j c_j r'(xi_ij) (at_i - y_j).  ``points`` (3, n) have charges, ``at`` (3, k) feel charges
        low_i..high_i; both are padded with zeros.  ``own`` (k,): point that a point does not feel, itself; -1: none.
        """
        for i in range(start, stop):
            x, y, z = at[0, i], at[1, i], at[2, i]
            first, last = low[i], high[i]
            X, Y, Z = points[0, first:last], points[1, first:last], points[2, first:last]
            near, itself = charges[first:last], own[i] - first
            p, fx, fy, fz = 0.0, 0.0, 0.0, 0.0
            for j in range(len(near)):
                dx, dy, dz = x - X[j], y - Y[j], z - Z[j]
                value, slope = value_and_slope(a, b, c, order, dx * dx + dy * dy + dz * dz)
                if j == itself:  # one loop is faster than two parts
                    value, slope = 0.0, 0.0
                p += near[j] * value
                w = near[j] * slope
                fx += w * dx
                fy += w * dy
                fz += w * dz
            potential[i] = p
            force[0, i] = 2.0 * fx
            force[1, i] = 2.0 * fy
            force[2, i] = 2.0 * fz

    return pair_sums


def as_points(Y: np.ndarray) -> np.ndarray:
    """Return (n, d) positions as three contiguous coordinate rows."""
    points = np.zeros((3, len(Y)))
    points[: Y.shape[1]] = Y.T
    return points
