"""The compiled loop of `entropic`: one row at a time, by Newton's method within a bracket."""

from __future__ import annotations

import math

import numpy as np

from nelayout.numerics.compiling import compiled_loop
from nelayout.numerics.elementary_loops import exponential

__all__ = ["calibrate_rows"]


@compiled_loop
def calibrate_rows(excess, target, low, high, tolerance, most, cut, p):
    """p[i] = exp(-pi_i excess[i] / 2) / sum with an entropy of ``target``, for every row of ``excess`` (m, k).

    Each row has its least entry at 0, so that no exponent is above 0 and the sum is at least 1; ``low`` and
    ``high`` hold ln pi of every row between them; exponents below -``cut`` count as -``cut``.
    """
    m, k = excess.shape
    least = math.exp(-cut)
    for i in range(m):
        e, w = excess[i], p[i]
        below, above, log_pi, before = low, high, 0.0, np.inf
        for _ in range(most):
            pi = math.exp(log_pi)
            half = 0.5 * pi
            total, first = 0.0, 0.0
            for j in range(k):
                x = half * e[j]
                q = exponential(-x) if x < cut else least
                w[j] = q
                total += q
                first += q * e[j]
            mean = first / total
            error = math.log(total) + half * mean - target
            if abs(error) <= tolerance:
                break
            if error > 0.0:
                below = log_pi
            else:
                above = log_pi
            spread = 0.0
            for j in range(k):
                off = e[j] - mean
                spread += w[j] * off * off
            slope = 0.25 * pi * pi * (spread / total)
            step = log_pi + error / slope if slope > 0.0 else above
            if not (below < step < above) or abs(error) > 0.5 * before:
                step = 0.5 * (below + above)
            before = abs(error)
            log_pi = step
        total = 1.0 / total
        for j in range(k):
            w[j] *= total
