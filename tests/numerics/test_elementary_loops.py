"""Logarithm and exponential of the compiled loops, against the library's."""

from __future__ import annotations

import numba
import numpy as np

from nelayout.numerics.elementary_loops import exponential, logarithm


@numba.njit(fastmath={"reassoc", "contract", "arcp", "nsz"})
def logarithms(x, out):
    for i in range(len(x)):
        out[i] = logarithm(x[i])


@numba.njit(fastmath={"reassoc", "contract", "arcp", "nsz"})
def exponentials(x, out):
    for i in range(len(x)):
        out[i] = exponential(x[i])


def test_logarithm_to_the_last_bits():
    """Inside vectorized loops that may reorder, over all magnitudes, and around 1, where ln u is small."""
    rng = np.random.default_rng(0)
    for x in (np.exp(rng.uniform(-700, 700, 5000)), rng.uniform(0.5, 2, 5000), 1 + 1e-9 * rng.normal(size=5000)):
        out = np.empty_like(x)
        logarithms(x, out)
        np.testing.assert_allclose(out, np.log(x), rtol=1e-15, atol=1e-24)


def test_exponential_to_the_last_bits():
    rng = np.random.default_rng(0)
    for x in (rng.uniform(-700, 700, 5000), rng.uniform(-1, 1, 5000), 1e-9 * rng.normal(size=5000), np.arange(-9.0, 9)):
        out = np.empty_like(x)
        exponentials(x, out)
        np.testing.assert_allclose(out, np.exp(x), rtol=1e-15)


def test_exponential_holds_what_no_float_holds():
    """Far below and above it stays a positive number; NaN stays NaN."""
    x = np.array([-np.inf, -1e9, 1e9, np.inf, np.nan])
    out = np.empty(5)
    exponentials(x, out)
    assert np.all((out[:2] > 0) & (out[:2] < 1e-306))
    assert np.all((out[2:4] > 1e306) & np.isfinite(out[2:4]))
    assert np.isnan(out[4])
