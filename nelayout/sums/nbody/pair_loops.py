"""Compiled loops of `exact`, and of `far_nodes` where all pairs count: sums over pairs, and the radial functions."""

from __future__ import annotations

import math

import numpy as np

from nelayout.numerics.compiling import compiled_loop, inlined
from nelayout.numerics.elementary_loops import exponential, logarithm

__all__ = ["PAIR_SUMS", "RADIAL", "as_points"]

# Forms of a radial function, see nbody.exact: (a + b xi) to a power, and what is made of the logarithm of the kernel.
# INVERSE is 1/u with u = c + a xi, LOGARITHM -(b/a) ln u, HALVES u^(-k/2) with k of `HALF_POWERS`, GAUSSIAN
# exp(-b order xi).
FORMS = POWER, BOXCOX, POWER_LOG, INVERSE, LOGARITHM, HALVES, GAUSSIAN = 0, 1, 2, 3, 4, 5, 6
HALF_POWERS = 1.0, 2.5, 3.0, 4.0, 6.0


def _radial_by(form):
    """Make r(xi) and dr/dxi of the radial functions of one form, of the kernel (c + a xi)^(-b/a)."""

    @inlined
    def radial(a, b, c, order, xi):
        u = c + a * xi
        u = 1e-140 if u < 1e-140 else u
        if form == INVERSE:
            value = 1.0 / u
            return value, -a * value * value
        if form == LOGARITHM:
            return -(b / a) * logarithm(u), -b / u
        if form == HALVES:
            root = 1.0 / math.sqrt(u)
            k = 2.0 * b * order / a
            square = root * root
            if k == 2.5:
                value = square * math.sqrt(root)
            else:
                value = root if k == 1.0 else square * (root if k == 3.0 else square if k == 4.0 else square * square)
            return value, (-0.5 * a * k) * value * square
        if form == GAUSSIAN:
            value = exponential(-b * order * xi)
            return value, -b * order * value
        if a == 0.0:
            log_q, decay = -b * xi, b
        else:
            log_q, decay = -(b / a) * logarithm(u), b / u
        power = exponential(order * log_q)
        if form == POWER:
            return power, -order * decay * power
        if form == BOXCOX:
            if order == 0.0:
                return log_q, -decay
            return math.expm1(order * log_q) / order, -decay * power
        return power * log_q, -decay * power * (1.0 + order * log_q)

    return radial


def _pair_sums_by(radial):
    """Make the loop over pairs of one radial function."""

    @compiled_loop
    def pair_sums(points, charges, a, b, c, order, at, own, low, high, start, stop, potential, force):
        """potential[i] = sum_j c_j r(xi_ij), force[:, i] = 2 sum_j c_j r'(xi_ij) (at_i - y_j), i in start..stop.

        ``points`` (3, n) carry the charges, ``at`` (3, k) feel those of low_i..high_i; both are padded with zeros.
        ``own`` (k,): the point that a place does not feel, itself; -1: none.
        """
        for i in range(start, stop):
            x, y, z = at[0, i], at[1, i], at[2, i]
            first, last = low[i], high[i]
            X, Y, Z = points[0, first:last], points[1, first:last], points[2, first:last]
            near, itself = charges[first:last], own[i] - first
            p, fx, fy, fz = 0.0, 0.0, 0.0, 0.0
            for j in range(len(near)):
                dx, dy, dz = x - X[j], y - Y[j], z - Z[j]
                value, slope = radial(a, b, c, order, dx * dx + dy * dy + dz * dz)
                if j == itself:  # one loop without a gap is the fastest
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


# Form -> its function, and the sums over pairs with it compiled into them.
RADIAL = {form: _radial_by(form) for form in FORMS}
PAIR_SUMS = {form: _pair_sums_by(radial) for form, radial in RADIAL.items()}


def as_points(Y: np.ndarray) -> np.ndarray:
    """(n, d) positions as three contiguous coordinate rows."""
    points = np.zeros((3, len(Y)))
    points[: Y.shape[1]] = Y.T
    return points
