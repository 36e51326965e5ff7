"""Radial functions in compiled code, for all loops over pairs, near pairs and cells.

Let u = c + a xi.  A radial function and its derivatives are products of w = q^order, v = 1/u and l = ln q.
`profile` makes the code that computes these for one kind of function (`Radial.kind`).  `radial` makes the code for
the value r(xi) and the slope dr/dxi.  Both take the kind when they make a loop, so that loops do not branch on it.
"""

from __future__ import annotations

import math

import numpy as np

from nelayout.numerics.compiling import inlined, inlined_as_written
from nelayout.numerics.elementary_loops import exponential, logarithm

__all__ = ["FORMS", "profile", "radial"]

# Forms of w, v and l: q^order, (q^order - 1)/order, q^order ln q, ln q.
FORMS = ("power", "boxcox", "power-log", "log")
_f = np.float32
PER_LN2, LN2_HIGH, LN2_LOW = _f(1.0 / math.log(2.0)), _f(0.693359375), _f(math.log(2.0) - 0.693359375)
ONE, C2, C3, C4, C5, C6 = _f(1.0), _f(1 / 2), _f(1 / 6), _f(1 / 24), _f(1 / 120), _f(1 / 720)
LOWEST = _f(-80.0)
# The lowest bits of WHOLE + x are the nearest whole number plus 127, for a small x.
WHOLE = _f(1.5 * 2.0**23 + 127.0)


@inlined_as_written
def _exponential_single(x):
    """Return e^x of a float32 x <= 0, at least e^-80: x = k ln 2 + r, series of e^r."""
    x = LOWEST if x < LOWEST else x
    shifted = x * PER_LN2 + WHOLE
    k = shifted - WHOLE
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    p = ONE + r * (ONE + r * (C2 + r * (C3 + r * (C4 + r * (C5 + r * C6)))))
    return p * np.int32(_f(shifted).view(np.int32) << 23).view(np.float32)


def profile(kind, real=np.float64):
    """Make (a, b, c, order, xi) -> w, v, l of one `Radial.kind`; unused values are 1 or 0."""
    single = real is np.float32
    exp = _exponential_single if single else exponential
    zero, one, two = real(0.0), real(1.0), real(2.0)
    k1, k25, k3, k4 = real(1.0), real(2.5), real(3.0), real(4.0)

    @inlined
    def profile_of_kind(a, b, c, order, xi):
        if kind == "gaussian":
            return exp(-(b * order) * xi), one, -b * xi
        u = c + a * xi
        if not single:  # there c > 0
            u = 1e-140 if u < 1e-140 else u
        v = one / u
        if kind == "inverse":
            return v, v, zero
        if kind == "half power":
            root = math.sqrt(v)
            k = two * b * order / a
            if k == k25:
                return v * math.sqrt(root), v, zero
            return (root if k == k1 else v * (root if k == k3 else v if k == k4 else v * v)), v, zero
        log_q = -(b / a) * logarithm(u)
        if kind == "logarithm":
            return one, v, log_q
        if kind == "inverse and logarithm":
            return v, v, log_q
        return exp(order * log_q), v, log_q

    return profile_of_kind


def radial(kind, form, real=np.float64):
    """Make (a, b, c, order, xi) -> r(xi), dr/dxi of one kind and one of `FORMS`."""
    profile_of_kind = profile(kind, real)

    @inlined
    def value_and_slope(a, b, c, order, xi):
        w, v, log_q = profile_of_kind(a, b, c, order, xi)
        if form == "power":
            return w, -(b * order) * w * v
        if form == "log":
            return log_q, -b * v
        if form == "boxcox":
            return math.expm1(order * log_q) / order, -b * v * w
        return w * log_q, -b * v * w * (1.0 + order * log_q)

    return value_and_slope
