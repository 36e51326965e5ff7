"""Logarithm and exponential as plain arithmetic, for vectorized loops; errors near 1e-16."""

from __future__ import annotations

import math

import numpy as np

from nelayout.numerics.compiling import inlined_as_written

__all__ = ["exponential", "logarithm"]

# A float64 has 52 bits of mantissa and an exponent that counts from 1023.  Bits of 1 and sqrt(1/2) as integers.
MANTISSA = (1 << 52) - 1
ONE, ROOT_HALF = (int(np.float64(x).view(np.int64)) for x in (1.0, math.sqrt(0.5)))
# The lowest bits of WHOLE + k are k + 1023, for a small whole number k.
WHOLE = 2.0**52 + 1023.0
# ln 2 = high + low; the product of high and a whole number is exact.
LN2 = math.log(2.0)
LN2_HIGH = math.floor(LN2 * 2.0**31) / 2.0**31
LN2_LOW = (LN2 - LN2_HIGH) + 2.319046813846e-17


@inlined_as_written
def logarithm(u):
    """Return ln u, normal u > 0: u = 2^e m, 1/2 <= m^2 < 2, ln m = 2 artanh((m-1)/(m+1))."""
    bits = np.float64(u).view(np.int64) + (ONE - ROOT_HALF)
    e = np.float64(np.int32((bits >> 52) - 1023))
    m = np.int64((bits & MANTISSA) + ROOT_HALF).view(np.float64)
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    t = 1 / 11 + z * (1 / 13 + z * (1 / 15 + z * (1 / 17 + z * (1 / 19))))
    t = z * (1 / 3 + z * (1 / 5 + z * (1 / 7 + z * (1 / 9 + z * t))))
    return e * LN2 + 2.0 * (s + s * t)


@inlined_as_written
def exponential(x):
    """Return e^x, clipped to e^-707 .. e^707: x = k ln 2 + r, |r| <= ln(2)/2, series of e^r."""
    x = -707.0 if x < -707.0 else 707.0 if x > 707.0 else x
    k = math.floor(x * (1.0 / LN2) + 0.5)
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    p = 1 / 5040 + r * (1 / 40320 + r * (1 / 362880 + r * (1 / 3628800 + r * (1 / 39916800 + r * (1 / 479001600)))))
    p = 1.0 + r * (1.0 + r * (1 / 2 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120 + r * (1 / 720 + r * p))))))
    return p * np.int64(np.float64(k + WHOLE).view(np.int64) << 52).view(np.float64)
