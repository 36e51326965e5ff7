"""Logarithm and exponential of the compiled loops, against the library's."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from nelayout.numerics.elementary_loops import exponential, logarithm


@numba.njit(fastmath={"reassoc", "contract", "arcp", "nsz"})
def both(x, y, logarithms, exponentials):
    for i in range(len(x)):
        logarithms[i] = logarithm(x[i])
    for i in range(len(y)):
        exponentials[i] = exponential(y[i])


RNG, NONE = np.random.default_rng(0), np.empty(0)
LARGE, SMALL = RNG.uniform(-700, 700, 5000), 1e-9 * RNG.normal(size=5000)
# All magnitudes, the middle, around 1, where ln u is small, and whole numbers.
CASES = [(np.exp(LARGE), LARGE), (RNG.uniform(0.5, 2, 5000), RNG.uniform(-1, 1, 5000)), (1 + SMALL, SMALL)]


@pytest.mark.parametrize(("x", "y"), [*CASES, (NONE, np.arange(-9.0, 9))])
def test_to_the_last_bits(x, y):
    """Inside vectorized loops that may reorder."""
    logarithms, exponentials = np.empty_like(x), np.empty_like(y)
    both(x, y, logarithms, exponentials)
    np.testing.assert_allclose(logarithms, np.log(x), rtol=1e-15, atol=1e-24)
    np.testing.assert_allclose(exponentials, np.exp(y), rtol=1e-15)


def test_exponential_holds_what_no_float_holds():
    """Far below and above it stays a positive number; NaN stays NaN."""
    x, out = np.array([-np.inf, -1e9, 1e9, np.inf, np.nan]), np.empty(5)
    both(NONE, x, NONE, out)
    assert np.all((out[:2] > 0) & (out[:2] < 1e-306))
    assert np.all((out[2:4] > 1e306) & np.isfinite(out[2:4]))
    assert np.isnan(out[4])
