"""The type-2 mixture of Lee et al. (2013, equation 12), which JSE minimizes: both similarities against their mean.

    phi(p, b) = p ln(p/z) / (1 - kappa) + b ln(b/z) / kappa,      z = kappa p + (1 - kappa) b,

the Kullback-Leibler divergence in the limit kappa = 0, its reverse at kappa = 1, and four times the Jensen-Shannon
divergence at kappa = 1/2.  It is the f-divergence with f(0) =
-ln(1 - kappa) / kappa and H = ln(1 + kappa u / (1 - kappa)) / kappa; see `f_divergences`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from nelayout.formula.divergences.beta import kl_divergence
from nelayout.formula.divergences.protocol import PairTerm, Similarity, number_within, softplus_both_ways
from nelayout.formula.divergences.with_background import BACKGROUND, reverse_kl, with_background
from nelayout.formula.part_names import spell

__all__ = ["Type2Mixture", "jse_divergence"]


@dataclass(frozen=True, slots=True)
class Type2Mixture:
    """The type-2 mixture of one kappa, 0 < kappa < 1; see the module."""

    kappa: float

    @property
    def name(self) -> str:
        return spell("jse", self.kappa)

    @property
    def pairs(self) -> tuple[PairTerm, ...]:
        return (PairTerm(-math.log1p(-self.kappa) / self.kappa, 1.0),)

    @property
    def _odds(self) -> float:
        return math.log(self.kappa / (1.0 - self.kappa))

    def edge(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        return self.edge_and_slope(p, b)[0]

    def slope(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        return self.edge_and_slope(p, b)[1]

    def edge_and_slope(self, p: np.ndarray, b: Similarity) -> tuple[np.ndarray, np.ndarray]:
        # ln z = ln(1-kappa) + ln(1 + kappa u/(1-kappa)); ln(u/z) = -ln kappa - ln(1 + (1-kappa)/(kappa u))
        pull, rest = softplus_both_ways(np.log(p) - b.log() + self._odds)
        slope = b.power(1.0) * pull * (-1.0 / self.kappa)
        return p * ((-math.log(self.kappa) - rest) / (1.0 - self.kappa)) + slope, slope


def jse_divergence(kappa: float, background: float = BACKGROUND) -> Any:
    """The type-2 mixture of Lee et al. (2013): KL(p, b) at kappa = 0, over 4 Jensen-Shannon at 1/2, to KL(b, p) at 1.

    ``background``: as in `reverse_kl`, for kappa = 1 only; another than the usual one is refused below.

    >>> jse_divergence(0.5).name
    'jse:0.5'
    """
    kappa = number_within(kappa, "kappa", 0.0, 1.0)
    if kappa == 1.0:
        return reverse_kl(background)
    return with_background(Type2Mixture(kappa) if kappa else kl_divergence(), background)
