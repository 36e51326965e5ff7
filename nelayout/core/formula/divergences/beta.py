"""The beta divergences, which become gamma for the optimal connection.

    phi(p, b) = [p^t + (t - 1) b^t - t p b^(t-1)] / (t (t - 1)),

the I-divergence (generalized Kullback-Leibler) at t = 1, Itakura-Saito at t = 0, half the squared Euclidean distance at
t = 2. Let bc(b, s) = (b^s - 1)/s. Up to constants, pairs are bc(b, t) and edges -p bc(b, t-1), at every real order.
Up to t = 0.1 the constant of a pair with p = 0 is infinite or cancels digits: phi is p b^(t-1)/(1-t) + bc(b, t).

At the best lambda this is the gamma divergence ln PM_t(q; M) - ln PM_(t-1)(q; P), where PM are power means (Yang,
Peltonen & Kaski 2014, Theorem 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nelayout.core.formula.divergences.protocol import SMALL_ORDER, Divergence, PairTerm, Powers
from nelayout.core.formula.kernels import boxcox
from nelayout.core.formula.part_names import number_within, spell

__all__ = ["Beta", "beta", "i_divergence", "itakura_saito", "kl_divergence", "log_power_mean"]


def log_power_mean(mean: Any, order: float, powers: Any = None) -> Any:
    """Return ln of a power mean from the mean of Box-Cox forms: log1p(order mean) / order.

    ``powers``: the mean of the powers, used above small orders because it keeps the digits of tiny similarities.

    >>> log_power_mean(1e-20 - 1.0, 1.0), log_power_mean(1e-20 - 1.0, 1.0, powers=1e-20)
    (inf, -46.051701859880914)
    """
    if order == 0:
        return mean
    if powers is None or abs(order) <= SMALL_ORDER:
        log, inside, least = math.log1p, order * mean, -1.0
    else:
        log, inside, least = math.log, powers, 0.0
    return log(inside) / order if inside > least else math.inf


@dataclass(frozen=True, slots=True)
class Beta(Divergence):
    """Beta divergence of one order; ``said``: another name to print ("kl")."""

    linear = True
    order: float
    said: str = field(default="", compare=False, repr=False)

    @property
    def name(self) -> str:
        return self.said or {1.0: "i-divergence", 0.0: "itakura-saito"}.get(self.order) or spell("beta", self.order)

    @property
    def degree(self) -> float:
        return self.order - 1.0

    @property
    def pairs(self) -> tuple[PairTerm, ...]:
        return (PairTerm(1.0, self.order, "boxcox"),)

    def edge_powers(self, p: np.ndarray) -> Powers:
        return Powers(self.order - 1.0, p, 0.0, "boxcox", -1.0)

    def left_out(self, p: np.ndarray) -> tuple[np.ndarray, float]:
        """Return phi(p, b) - phi(0, b) - edge(p, b), and phi(0, b) - bc(b, t)."""
        t = self.order
        if t <= SMALL_ORDER:
            return p / (1.0 - t), 0.0
        return (p / t) * (boxcox(np.log(p), t - 1.0) - 1.0), 1.0 / t

    def invariant(self, edges: Any, pairs: Any, slopes: tuple[Any, Any], weight: Any, total: Any) -> tuple[Any, Any]:
        """Return gamma: -ln PM_(t-1)(q; P) and ln PM_t(q; M); slopes: -sum P q^(t-1), sum M q^t."""
        attraction = log_power_mean(-edges / weight, self.order - 1.0, -slopes[0] / weight)
        return -attraction, log_power_mean(pairs / total, self.order, slopes[1] / total)

    def invariant_constant(self, edges: Any, weight: Any, total: Any) -> Any:
        """Return (ln sum M - ln sum P + ln PM_(t-1)(P/M; P)) / t, and 0 at small orders."""
        if self.order <= SMALL_ORDER:
            return 0.0 * weight
        own = log_power_mean(-edges / weight, self.order - 1.0)
        return (np.log(total) - np.log(weight) + own) / self.order


def beta(order: float) -> Beta:
    """Return the beta divergence of an order: 1 I-divergence, 0 Itakura-Saito, 2 Euclidean.

    >>> beta(1.0).name
    'i-divergence'
    """
    return Beta(number_within(order, "the order of a beta divergence"))


def i_divergence() -> Beta:
    """Return p ln(p/b) - p + b, the generalized Kullback-Leibler divergence: beta of order 1."""
    return Beta(1.0)


def kl_divergence() -> Beta:
    """Return the I-divergence with the name "kl", its name for similarities of sum 1."""
    return Beta(1.0, "kl")


def itakura_saito() -> Beta:
    """Return p/b - ln(p/b) - 1: beta of order 0, which LinLog and QuadLog minimize."""
    return Beta(0.0)
