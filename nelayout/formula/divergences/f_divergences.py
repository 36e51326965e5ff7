"""f-divergences of input and drawn similarities (Csiszar; Im, Verma & Branson 2018).

    phi(p, b) = b f(p/b),      f convex, f(1) = f'(1) = 0

If both sides sum to one, f'(1) = 0 changes nothing; otherwise it makes phi >= 0. Let u = p/b and H(u) = f(0) - f(u) + u
f'(u) >= 0. Pairs are b f(0), an edge is b (f(u) - f(0)), and its slope is -b H(u). So every f with a finite f(0) takes
one pass over the edges and the sum of q over all pairs. Formulas are in ln u, because b may underflow for pairs at a
large distance.

    Kullback-Leibler   t ln t - t + 1                     f(0) = 1      H = u
    Jensen-Shannon     t ln t - (t + 1) ln((t + 1)/2)     f(0) = ln 2   H = ln(1 + u)
    Hellinger          (sqrt t - 1)^2                     f(0) = 1      H = sqrt u
    chi-square         (t - 1)^2                          f(0) = 1      H = u^2
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nelayout.formula.divergences.alpha import BACKGROUND, reverse_kl, with_background
from nelayout.formula.divergences.beta import Beta, kl_divergence
from nelayout.formula.divergences.protocol import Divergence, PairTerm, Powers, Similarity
from nelayout.formula.part_names import number_within, spell

__all__ = [
    "WITH_CONJUGATE", "FDivergence", "Type2Mixture", "chi_square", "conjugate_name", "hellinger", "jensen_shannon",
    "jse_divergence",
]  # fmt: skip

# : names of divergences with a known Fenchel conjugate, for the variational form of ft-SNE
WITH_CONJUGATE = ("kl", "reverse-kl", "js", "hellinger", "chi2")


class FDivergence(Divergence):
    """Base of b f(p/b) with a finite f(0), called ``at_zero``.

    ``halves(p, b, ln u)`` returns b (f(u) - f(0)) and b H(u).
    """

    __slots__ = ()
    at_zero: Any
    halves: Any

    @property
    def pairs(self) -> tuple[PairTerm, ...]:
        return (PairTerm(self.at_zero, 1.0),)

    def edge_and_slope(self, p: np.ndarray, b: Similarity) -> tuple[np.ndarray, np.ndarray]:
        edge, pull = self.halves(p, b.power(1.0), np.log(p) - b.log())
        return edge, -pull


@dataclass(frozen=True, slots=True)
class Type2Mixture(FDivergence):
    """Type-2 mixture of Lee et al. (2013, equation 12), 0 < kappa < 1, ``times`` a factor.

        phi(p, b) = p ln(p/z) / (1 - kappa) + b ln(b/z) / kappa,      z = kappa p + (1 - kappa) b,

    with f(0) = -ln(1 - kappa) / kappa and H = ln(1 + kappa u / (1 - kappa)) / kappa.  ``said``: another name ("js").
    """

    kappa: float
    times: float = 1.0
    said: str = field(default="", compare=False, repr=False)

    @property
    def name(self) -> str:
        return self.said or spell("jse", self.kappa)

    @property
    def at_zero(self) -> float:
        return -math.log1p(-self.kappa) / (self.kappa / self.times)

    def halves(self, p: np.ndarray, b: np.ndarray, log_u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        # ln z = ln(1-kappa) + ln(1 + kappa u/(1-kappa)); ln(u/z) = -ln kappa - ln(1 + (1-kappa)/(kappa u))
        kappa = self.kappa
        up, down = _softplus_both_ways(log_u + math.log(kappa / (1.0 - kappa)))
        pull = b * up * (self.times / kappa)
        return p * ((-math.log(kappa) - down) / ((1.0 - kappa) / self.times)) - pull, pull


def _softplus_both_ways(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return ln(1 + e^x) and ln(1 + e^-x), each with full precision.

    >>> [part.round(6).tolist() for part in _softplus_both_ways(np.array([0.0, 800.0, -800.0]))]
    [[0.693147, 800.0, 0.0], [0.693147, 0.0, 800.0]]
    """
    rest = np.log1p(np.exp(-np.abs(x)))
    return np.maximum(x, 0.0) + rest, np.maximum(-x, 0.0) + rest


@dataclass(frozen=True)
class Hellinger(Divergence):
    """(sqrt p - sqrt b)^2."""

    name = "hellinger"
    pairs = (PairTerm(1.0, 1.0),)

    def edge_powers(self, p: np.ndarray) -> Powers:
        return Powers(0.5, -2.0 * np.sqrt(p), p)


@dataclass(frozen=True)
class ChiSquare(Divergence):
    """(p - b)^2 / b."""

    name = "chi2"
    pairs = (PairTerm(1.0, 1.0),)

    def edge_powers(self, p: np.ndarray) -> Powers:
        return Powers(-1.0, p * p, -2.0 * p)


def jensen_shannon() -> Type2Mixture:
    """Return twice the Jensen-Shannon divergence: p ln p + b ln b - (p + b) ln((p + b)/2).

    >>> round(jensen_shannon().pairs[0].coefficient, 4)
    0.6931
    """
    return Type2Mixture(0.5, 0.5, "js")


def hellinger() -> Hellinger:
    """Return (sqrt p - sqrt b)^2: half of alpha at 1/2."""
    return Hellinger()


def chi_square() -> ChiSquare:
    """Return (p - b)^2 / b: twice alpha at 2."""
    return ChiSquare()


def jse_divergence(kappa: float, background: float = BACKGROUND) -> Any:
    """Return the type-2 mixture: KL(p, b) at kappa 0, 4 Jensen-Shannon at 1/2, KL(b, p) at 1.

    ``background``: as in `reverse_kl`, for kappa = 1 only.

    >>> jse_divergence(0.5).name
    'jse:0.5'
    """
    kappa = number_within(kappa, "kappa", 0.0, 1.0)
    if kappa == 1.0:
        return reverse_kl(background)
    return with_background(Type2Mixture(kappa) if kappa else kl_divergence(), background)


def conjugate_name(divergence: Any) -> str | None:
    """Return the name in `WITH_CONJUGATE` ("kl" also for the I-divergence), or None.

    >>> conjugate_name(jensen_shannon()), conjugate_name(Beta(0.5))
    ('js', None)
    """
    name = "kl" if divergence == Beta(1.0) else divergence.name.partition(":")[0]
    return name if name in WITH_CONJUGATE else None
