"""Fenchel conjugates of the f-divergences: what turns a divergence into a greatest value over functions of pairs.

    f(u) = max_h [h u - f*(h)],  greatest at h = f'(u),   so   sum q f(p/q) = max_h sum [h p - f*(h) q]

(Im, Verma & Branson 2018, Table 2).  For example p = (3/4, 1/4), q = (1/2, 1/2) under KL, f(t) = t ln t::

    >>> p, q = np.array([0.75, 0.25]), np.array([0.5, 0.5])
    >>> h = CONJUGATES["kl"].slope(p / q)  # 1 + ln(p/q), where f*(h) = exp(h - 1)
    >>> bool(np.isclose(np.sum(h * p - np.exp(h - 1) * q), np.sum(p * np.log(p / q))))
    True

A network's output x is any real number; its activation h(x) keeps to the values that f' can take.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["CONJUGATES", "Conjugate", "torch_module"]


def torch_module() -> Any:
    """PyTorch, an extra: imported when it is needed, and unknown to whoever checks types without it."""
    return importlib.import_module("torch")


@dataclass(frozen=True, slots=True)
class Conjugate:
    """One line of the table, corrected where a comment says so: how a network's output x becomes h and f*(h).

    name       of the divergence
    generator  f(t), t > 0, on arrays
    slope      f'(t), the h at which the greatest value is attained, on arrays
    h          x -> h, onto all values that f' takes, on tensors
    conjugate  x -> f*(h(x)), written in x so that nothing cancels or overflows on the way, on tensors
    """

    name: str
    generator: Callable[[Any], Any]
    slope: Callable[[Any], Any]
    h: Callable[[Any], Any]
    conjugate: Callable[[Any], Any]


def _softplus(x: Any) -> Any:
    """ln(1 + e^x)."""
    return torch_module().nn.functional.softplus(x)


CONJUGATES = {
    line.name: line
    for line in (
        # f*(h) = e^(h-1)
        Conjugate("kl", lambda t: t * np.log(t), lambda t: 1 + np.log(t), lambda x: x, lambda x: (x - 1).exp()),
        # f*(h) = -1 - ln(-h), h < 0
        Conjugate("reverse-kl", lambda t: -np.log(t), lambda t: -1 / t, lambda x: -(-x).exp(), lambda x: x - 1),
        # f*(h) = -ln(2 - e^h), h < ln 2 (the paper has 1 for 2)
        Conjugate(
            "js",
            lambda t: t * np.log(t) - (t + 1) * np.log((t + 1) / 2),
            lambda t: np.log(2 * t / (t + 1)),
            lambda x: math.log(2.0) - _softplus(-x),
            lambda x: _softplus(x) - math.log(2.0),
        ),
        # f*(h) = h/(1 - h), h < 1
        Conjugate(
            "hellinger",
            lambda t: (np.sqrt(t) - 1) ** 2,
            lambda t: 1 - 1 / np.sqrt(t),
            lambda x: -(-x).expm1(),
            lambda x: x.expm1(),
        ),
        # f*(h) = h^2/4 + h, h > -2 (the paper has h = x; but p/q comes to thousands, and x = ln(p/q) is learned sooner)
        Conjugate(
            "chi2",
            lambda t: (t - 1) ** 2,
            lambda t: 2 * (t - 1),
            lambda x: 2 * x.expm1(),
            lambda x: (2 * x).expm1(),
        ),
    )
}
