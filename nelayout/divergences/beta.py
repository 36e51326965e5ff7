"""The beta divergences, and gamma as what they become at the best connection scalar.

    phi(p, b) = [p^t + (t - 1) b^t - t p b^(t-1)] / (t (t - 1)),

the I-divergence (generalized Kullback-Leibler) at t = 1, Itakura-Saito at t = 0, half the squared Euclidean distance at
t = 2.  With bc(b, s) = (b^s - 1)/s, up to constants: tail bc(b, t), edge -p bc(b, t-1), at every real order.

At the best lambda this is the gamma divergence (Yang, Peltonen & Kaski 2014, Theorem 1): a difference of the
logarithms of two power means, ln PM_t(q; M) - ln PM_(t-1)(q; P).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from nelayout.divergences.protocol import Powers, Similarity, Tail
from nelayout.errors import InputError

__all__ = ["Beta", "beta", "i_divergence", "itakura_saito"]


def log_power_mean(mean: float, order: float) -> float:
    """ln of the power mean of an order, from the mean of the Box-Cox forms: log1p(order mean) / order."""
    if order == 0:
        return mean
    inside = order * mean
    return math.log1p(inside) / order if inside > -1.0 else math.inf


@dataclass(frozen=True, slots=True)
class Beta:
    """The beta divergence of one order; see the module."""

    order: float

    @property
    def name(self) -> str:
        return {1.0: "i-divergence", 0.0: "itakura-saito"}.get(self.order, f"beta:{self.order:g}")

    @property
    def linear(self) -> bool:
        return True

    @property
    def degree(self) -> float:
        return self.order - 1.0

    @property
    def background(self) -> float:
        return 0.0

    def bound(self, eps: Any) -> Beta:
        return self

    @property
    def tail(self) -> tuple[Tail, ...]:
        return (Tail(1.0, self.order, "boxcox"),)

    def edge(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        return -p * b.boxcox(self.order - 1.0)

    def edge_powers(self, p: np.ndarray) -> Powers | None:
        return Powers(0.0, -p, np.zeros_like(p)) if self.order == 1.0 else None

    def slope(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        return -p if self.order == 1.0 else -p * b.power(self.order - 1.0)

    def invariant(self, edges: float, tail: float, weight: float, total: float) -> tuple[float, float]:
        """gamma: -ln PM_(t-1)(q; P) and ln PM_t(q; M)."""
        attraction = log_power_mean(-edges / weight, self.order - 1.0)
        return -attraction, log_power_mean(tail / total, self.order)


def beta(order: float) -> Beta:
    """The beta divergence of any real order: 1 I-divergence, 0 Itakura-Saito, 2 Euclidean.

    >>> beta(1.0).name
    'i-divergence'
    """
    if isinstance(order, bool) or not (isinstance(order, Real) and math.isfinite(order)):
        raise InputError(f"the order of a beta divergence must be a finite number, given {order!r}")
    return Beta(float(order))


def i_divergence() -> Beta:
    """p ln(p/b) - p + b, the generalized Kullback-Leibler divergence: beta and alpha of order 1."""
    return Beta(1.0)


def itakura_saito() -> Beta:
    """p/b - ln(p/b) - 1: beta of order 0, which LinLog and QuadLog minimize."""
    return Beta(0.0)
