"""The alpha divergences, which become Renyi for the optimal connection.

    phi(p, b) = [p^t b^(1-t) - t p + (t - 1) b] / (t (t - 1)),

the I-divergence at t = 1, Hellinger at 1/2, chi-square at 2. Pairs with p = 0 cost phi(0, b) = b / t: finite for t > 0.
Orders t <= 0 need a background, see `with_background`. Pairs are b/t, an edge is (p/t) (bc(u, t-1) - 1), where u = p/b
and bc(u, s) = (u^s - 1)/s. This is continuous at t = 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from nelayout.formula.divergences.beta import log_power_mean
from nelayout.formula.divergences.protocol import PairTerm, Powers, Similarity
from nelayout.formula.divergences.with_background import BACKGROUND, negative_alpha, with_background
from nelayout.formula.kernels import boxcox
from nelayout.formula.part_names import number_within, spell

__all__ = ["Alpha", "alpha"]

# Distance of an order from 1 below which edges are a Box-Cox form: its factor and constant stay small.
NEAR_ONE = 1e-3


@dataclass(frozen=True, slots=True)
class Alpha:
    """Alpha divergence of one order > 0; see the module."""

    order: float

    @property
    def name(self) -> str:
        return spell("alpha", self.order)

    @property
    def degree(self) -> float:
        return 1.0 - self.order

    @property
    def pairs(self) -> tuple[PairTerm, ...]:
        return (PairTerm(1.0 / self.order, 1.0),)

    def edge(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        return (p / self.order) * (boxcox(np.log(p) - b.log(), self.order - 1.0) - 1.0)

    def edge_powers(self, p: np.ndarray) -> Powers:
        t = self.order
        if t == 1.0:
            return Powers(0.0, -p, p * (np.log(p) - 1.0), "boxcox")
        if abs(t - 1.0) < NEAR_ONE:
            return Powers(1.0 - t, -(p**t) / t, (p / t) * (boxcox(np.log(p), t - 1.0) - 1.0), "boxcox")
        return Powers(1.0 - t, p**t / (t * (t - 1.0)), p / (1.0 - t))

    def slope(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        if self.order == 1.0:
            return -p
        return (-1.0 / self.order) * p**self.order * b.power(1.0 - self.order)

    def invariant(self, edges: Any, pairs: Any, slopes: tuple[Any, Any], weight: Any, total: Any) -> tuple[Any, Any]:
        """Return Renyi: ln(E(P^t (Mq)^(1-t)) / sum P) / (t - 1) and ln S(M q)."""
        mean = self.order * edges / weight + 1.0  # of bc(u, t-1), weighted by P
        normalizer = self.order * pairs
        attraction = log_power_mean(mean, self.order - 1.0, -self.order * slopes[0] / weight)
        if np.ndim(normalizer) > 0:
            with np.errstate(invalid="ignore", divide="ignore"):
                return attraction, np.where(normalizer > 0, np.log(normalizer), np.inf)
        return attraction, math.log(normalizer) if normalizer > 0 else math.inf

    def invariant_constant(self, edges: Any, weight: Any, total: Any) -> Any:
        """Return -ln sum P."""
        return -np.log(weight)


def alpha(order: float, background: float = BACKGROUND) -> Any:
    """Return the alpha divergence of any order: 1 I-divergence, 2 chi-square, 0 reverse KL.

    ``background``: as in `reverse_kl`, for orders <= 0 only.

    >>> alpha(0.5).name, alpha(-1, background=0.05).name
    ('alpha:0.5', 'alpha:-1:0.05')
    """
    order = number_within(order, "the order of an alpha divergence")
    return negative_alpha(order, background) if order <= 0 else with_background(Alpha(order), background)
