"""The functions f of the named f-divergences: f, f', H, the Fenchel conjugate and the edges, in one record each.

The Fenchel conjugate f* turns a divergence into a greatest value over functions h of pairs,

    f(u) = max_h [h u - f*(h)],  greatest at h = f'(u),   so   sum q f(p/q) = max_h sum [h p - f*(h) q]

(Im, Verma & Branson 2018, Table 2).  For example p = (3/4, 1/4), q = (1/2, 1/2) under KL, f(t) = t ln t::

    >>> p, q = np.array([0.75, 0.25]), np.array([0.5, 0.5])
    >>> h = F_FUNCTIONS["kl"].slope(p / q)  # 1 + ln(p/q), where f*(h) = exp(h - 1)
    >>> bool(np.isclose(np.sum(h * p - np.exp(h - 1) * q), np.sum(p * np.log(p / q))))
    True

A network's output x is any real number; its activation h(x) keeps to the values that f' can take.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nelayout.formula.divergences.protocol import Powers, softplus_both_ways
from nelayout.numerics.pytorch import torch_module

__all__ = ["F_FUNCTIONS", "TABLE_2", "FFunction"]

# Of three arrays p, b and ln(p/b).
Scaled = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True, slots=True)
class FFunction:
    """One f with all that is made of it, as functions of a module: two records of one f are equal, and pickle.

    name       of the divergence
    generator  f(t), t > 0, on arrays
    slope      f'(t), on arrays
    h          x -> h, from all numbers onto all values that f' takes, on tensors
    conjugate  x -> f*(h(x)), written in x so that nothing cancels or overflows on the way, on tensors
    at_zero    f(0) where f'(1) = 0; infinite: the divergence needs a background and is none of `FDivergence`
    above      b (f(u) - f(0))
    pull       b H(u)
    powers     p -> the edges as one power of b, where they are one
    """

    name: str
    generator: Callable[[Any], Any]
    slope: Callable[[Any], Any]
    h: Callable[[Any], Any]
    conjugate: Callable[[Any], Any]
    at_zero: float = math.inf
    above: Scaled | None = None
    pull: Scaled | None = None
    powers: Callable[[np.ndarray], Powers] | None = None


def _softplus(x: Any) -> Any:
    """ln(1 + e^x)."""
    return torch_module().nn.functional.softplus(x)


# Kullback-Leibler: f*(h) = e^(h-1).


def _kl(t):
    return t * np.log(t)


def _kl_slope(t):
    return 1 + np.log(t)


def _kl_h(x):
    return x


def _kl_conjugate(x):
    return (x - 1).exp()


def _kl_above(p, b, L):
    return p * L - p


def _kl_pull(p, b, L):
    return p


# Its reverse: f*(h) = -1 - ln(-h), h < 0.


def _reverse(t):
    return -np.log(t)


def _reverse_slope(t):
    return -1 / t


def _reverse_h(x):
    return -(-x).exp()


def _reverse_conjugate(x):
    return x - 1


# Jensen-Shannon: f*(h) = -ln(2 - e^h), h < ln 2 (the paper has 1 for 2).


def _js(t):
    return t * np.log(t) - (t + 1) * np.log((t + 1) / 2)


def _js_slope(t):
    return np.log(2 * t / (t + 1))


def _js_h(x):
    return math.log(2.0) - _softplus(-x)


def _js_conjugate(x):
    return _softplus(x) - math.log(2.0)


def _js_above(p, b, L):
    # ln((1 + u)/2) = ln u + ln(1 + 1/u) - ln 2, whichever does not overflow
    pull, rest = softplus_both_ways(L)
    return p * (math.log(2.0) - rest) - b * pull


def _js_pull(p, b, L):
    return b * softplus_both_ways(L)[0]


# Hellinger, whose f*(h) = h/(1 - h), h < 1.


def _hellinger(t):
    return (np.sqrt(t) - 1) ** 2


def _hellinger_slope(t):
    return 1 - 1 / np.sqrt(t)


def _hellinger_h(x):
    return -(-x).expm1()


def _hellinger_conjugate(x):
    return x.expm1()


def _hellinger_above(p, b, L):
    return p - 2.0 * np.sqrt(p * b)


def _hellinger_pull(p, b, L):
    return np.sqrt(p * b)


def _hellinger_powers(p):
    return Powers(0.5, -2.0 * np.sqrt(p), p)


# Chi-square: f*(h) = h^2/4 + h, h > -2 (the paper has h = x, see `TABLE_2`; but p/q comes to thousands, and a network
# that knows x = ln(p/q) has the best h at once).


def _chi2(t):
    return (t - 1) ** 2


def _chi2_slope(t):
    return 2 * (t - 1)


def _chi2_h(x):
    return 2 * x.expm1()


def _chi2_conjugate(x):
    return (2 * x).expm1()


def _chi2_plain_conjugate(x):
    return x * (x / 4 + 1)


def _chi2_above(p, b, L):
    return p * np.exp(L) - 2.0 * p


def _chi2_pull(p, b, L):
    return p * np.exp(L)


def _chi2_powers(p):
    return Powers(-1.0, p * p, -2.0 * p)


F_FUNCTIONS: dict[str, FFunction] = {
    f.name: f
    for f in (
        FFunction("kl", _kl, _kl_slope, _kl_h, _kl_conjugate, 1.0, _kl_above, _kl_pull),
        FFunction("reverse-kl", _reverse, _reverse_slope, _reverse_h, _reverse_conjugate),
        FFunction("js", _js, _js_slope, _js_h, _js_conjugate, math.log(2.0), _js_above, _js_pull),
        FFunction(
            "hellinger", _hellinger, _hellinger_slope, _hellinger_h, _hellinger_conjugate, 1.0, _hellinger_above,
            _hellinger_pull, _hellinger_powers
        ),
        FFunction("chi2", _chi2, _chi2_slope, _chi2_h, _chi2_conjugate, 1.0, _chi2_above, _chi2_pull, _chi2_powers),
    )
}

# The same with the output activations of the paper's Table 2, which differ in one.  Below h = -2 its f* is above the
# conjugate: a bound is still one.
TABLE_2 = {**F_FUNCTIONS, "chi2": replace(F_FUNCTIONS["chi2"], h=_kl_h, conjugate=_chi2_plain_conjugate)}
