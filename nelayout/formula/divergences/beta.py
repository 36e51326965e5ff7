"""The beta divergences, and gamma as what they become at the best connection scalar.

    phi(p, b) = [p^t + (t - 1) b^t - t p b^(t-1)] / (t (t - 1)),

the I-divergence (generalized Kullback-Leibler) at t = 1, Itakura-Saito at t = 0, half the squared Euclidean distance at
t = 2.  With bc(b, s) = (b^s - 1)/s, up to constants: pairs bc(b, t), edge -p bc(b, t-1), at every real order.  At t <=
0 a pair with p = 0 costs infinitely much, and what is left of phi is p b^(t-1) / (1-t) + bc(b, t); so it is up to t =
0.1, lest orders near 0 be 1/t and few digits of what moves.

At the best lambda this is the gamma divergence (Yang, Peltonen & Kaski 2014, Theorem 1): a difference of the
logarithms of two power means, ln PM_t(q; M) - ln PM_(t-1)(q; P).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from nelayout.errors import InputError
from nelayout.formula.divergences.protocol import SMALL_ORDER, PairTerm, Powers, Similarity
from nelayout.formula.kernels import boxcox
from nelayout.formula.part_names import spell

__all__ = ["Beta", "beta", "i_divergence", "itakura_saito", "kl_divergence", "log_power_mean"]


def log_power_mean(mean: Any, order: float, powers: Any = None) -> Any:
    """ln of the power mean of an order, from the mean of the Box-Cox forms: log1p(order mean) / order.

    ``powers``, the mean of the powers, is taken beyond small orders where it is known: of similarities near 0 the
    Box-Cox forms are all but -1 / order, and their digits are lost.  A mean of floats gives a float, an array of means
    an array.

    >>> log_power_mean(1e-20 - 1.0, 1.0), log_power_mean(1e-20 - 1.0, 1.0, powers=1e-20)
    (inf, -46.051701859880914)
    """
    if order == 0:
        return mean
    if powers is None or abs(order) <= SMALL_ORDER:
        log, inside, least = (np.log1p, math.log1p), order * mean, -1.0
    else:
        log, inside, least = (np.log, math.log), powers, 0.0
    if np.ndim(inside) > 0:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(inside > least, log[0](inside) / order, np.inf)
    return log[1](inside) / order if inside > least else math.inf


@dataclass(frozen=True, slots=True)
class Beta:
    """The beta divergence of one order; see the module.

    ``said``: the name to print where literature has another one for the same divergence ("kl").
    """

    order: float
    said: str = field(default="", compare=False, repr=False)

    @property
    def linear(self) -> bool:
        return True

    @property
    def name(self) -> str:
        return self.said or {1.0: "i-divergence", 0.0: "itakura-saito"}.get(self.order) or spell("beta", self.order)

    @property
    def degree(self) -> float:
        return self.order - 1.0

    @property
    def pairs(self) -> tuple[PairTerm, ...]:
        return (PairTerm(1.0, self.order, "boxcox"),)

    def edge(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        return -p * b.boxcox(self.order - 1.0)

    def edge_powers(self, p: np.ndarray) -> Powers:
        return Powers(self.order - 1.0, -p, 0.0, "boxcox")

    def slope(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        return -p if self.order == 1.0 else -p * b.power(self.order - 1.0)

    def left_out(self, p: np.ndarray) -> tuple[np.ndarray, float]:
        """phi(p, b) - phi(0, b) - edge(p, b), and phi(0, b) - bc(b, t); see the module for small orders."""
        t = self.order
        if t <= SMALL_ORDER:
            return p / (1.0 - t), 0.0
        return (p / t) * (boxcox(np.log(p), t - 1.0) - 1.0), 1.0 / t

    def invariant(self, edges: Any, pairs: Any, slopes: tuple[Any, Any], weight: Any, total: Any) -> tuple[Any, Any]:
        """gamma: -ln PM_(t-1)(q; P) and ln PM_t(q; M); the slopes are -sum P q^(t-1) and sum M q^t."""
        attraction = log_power_mean(-edges / weight, self.order - 1.0, -slopes[0] / weight)
        return -attraction, log_power_mean(pairs / total, self.order, slopes[1] / total)

    def invariant_constant(self, edges: Any, weight: Any, total: Any) -> Any:
        """gamma lacks (ln sum M - ln sum P + ln PM_(t-1)(P/M; P)) / t; at small orders nothing."""
        if self.order <= SMALL_ORDER:
            return 0.0 * weight
        own = log_power_mean(-edges / weight, self.order - 1.0)
        return (np.log(total) - np.log(weight) + own) / self.order


def beta(order: float) -> Beta:
    """The beta divergence of any real order: 1 I-divergence, 0 Itakura-Saito, 2 Euclidean.

    >>> beta(1.0).name
    'i-divergence'
    """
    if isinstance(order, bool) or not (isinstance(order, Real) and math.isfinite(order)):
        raise InputError(f"the order of a beta divergence must be a finite number, given {order!r}")
    return Beta(float(order))


def i_divergence() -> Beta:
    """p ln(p/b) - p + b, the generalized Kullback-Leibler divergence: beta of order 1."""
    return Beta(1.0)


def kl_divergence() -> Beta:
    """The I-divergence under the name that it has between similarities of sum 1: equal to it, printed as "kl"."""
    return Beta(1.0, "kl")


def itakura_saito() -> Beta:
    """p/b - ln(p/b) - 1: beta of order 0, which LinLog and QuadLog minimize."""
    return Beta(0.0)
