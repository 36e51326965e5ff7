"""The alpha divergences, which become Renyi for the optimal connection.

    phi(p, b) = [p^t b^(1-t) - t p + (t - 1) b] / (t (t - 1)),

the I-divergence at t = 1, Hellinger at 1/2, chi-square at 2, reverse Kullback-Leibler b ln(b/p) - b + p at 0. For t > 0
pairs are b/t, an edge is (p/t) (bc(u, t-1) - 1), where u = p/b and bc(u, s) = (u^s - 1)/s.

For t <= 0 phi is infinite at p = 0. So pairs without an edge share ``background`` = delta of all similarity, in
proportion to their masses, at most delta of a mean edge each. Such pairs have eps M, edges max((1 - delta) P, eps M).
Let p' = max((1 - delta) p, eps). Then phi(p', b) = phi(eps, b) + [phi(p', b) - phi(eps, b)] has two halves again. If
every pair has an edge, p' = p. A smaller background makes false neighbors more expensive. A drawing shrunk to a point
costs a row at most about ln(1/delta).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nelayout.core.formula.divergences.beta import log_power_mean
from nelayout.core.formula.divergences.protocol import BackgroundShare, Divergence, PairTerm, Powers, Similarity
from nelayout.core.formula.kernels import boxcox
from nelayout.core.formula.part_names import number_within, spell
from nelayout.errors import InputError

__all__ = ["BACKGROUND", "Alpha", "NegativeAlpha", "alpha", "background_number", "reverse_kl", "with_background"]

# Distance of an order from 1 below which edges are a Box-Cox form: its factor and constant stay small.
NEAR_ONE = 1e-3
# : default share of all similarity for pairs without an edge
BACKGROUND = 0.01


@dataclass(frozen=True, slots=True)
class Alpha(Divergence):
    """Alpha divergence of one order > 0; ``said``: another name to print ("kl")."""

    order: float
    said: str = field(default="", compare=False, repr=False)

    @property
    def name(self) -> str:
        return self.said or spell("alpha", self.order)

    @property
    def degree(self) -> float:
        return 1.0 - self.order

    @property
    def pairs(self) -> tuple[PairTerm, ...]:
        return (PairTerm(1.0 / self.order, 1.0),)

    def edge_powers(self, p: np.ndarray) -> Powers:
        t = self.order
        if t == 1.0:
            return Powers(0.0, -p, p * (np.log(p) - 1.0), "boxcox")
        if abs(t - 1.0) < NEAR_ONE:
            return Powers(1.0 - t, -(p**t) / t, (p / t) * (boxcox(np.log(p), t - 1.0) - 1.0), "boxcox")
        return Powers(1.0 - t, p**t / (t * (t - 1.0)), p / (1.0 - t))

    def edge_and_slope(self, p: np.ndarray, b: Similarity) -> tuple[np.ndarray, np.ndarray]:
        t = self.order
        edge = (p / t) * (boxcox(np.log(p) - b.log(), t - 1.0) - 1.0)
        return edge, -p if t == 1.0 else (-1.0 / t) * p**t * b.power(1.0 - t)

    def invariant(self, edges: Any, pairs: Any, slopes: tuple[Any, Any], weight: Any, total: Any) -> tuple[Any, Any]:
        """Return Renyi: ln(E(P^t (Mq)^(1-t)) / sum P) / (t - 1) and ln S(M q)."""
        mean = self.order * edges / weight + 1.0  # of bc(u, t-1), weighted by P
        normalizer = self.order * pairs
        attraction = log_power_mean(mean, self.order - 1.0, -self.order * slopes[0] / weight)
        return attraction, math.log(normalizer) if normalizer > 0 else math.inf

    def invariant_constant(self, edges: Any, weight: Any, total: Any) -> Any:
        """Return -ln sum P."""
        return -np.log(weight)


@dataclass(frozen=True, slots=True)
class NegativeAlpha(Divergence):
    """Alpha divergence of one order <= 0; ``spread``: of the background, None before `bound`."""

    order: float
    background: float = BACKGROUND
    spread: Any = field(default=None, compare=False)

    @property
    def name(self) -> str:
        numbers = [] if self.background == BACKGROUND else [self.background]
        return spell("alpha", self.order, *numbers) if self.order else spell("reverse-kl", *numbers)

    def bound(self, spread: BackgroundShare) -> NegativeAlpha:
        return replace(self, spread=spread)

    @property
    def pairs(self) -> tuple[PairTerm, ...]:
        t, eps = self.order, 1.0 if self.spread is None else self.spread.eps
        if t == 0:
            return PairTerm(1.0, 1.0, "power-log"), PairTerm(-1.0 - np.log(eps), 1.0)
        return PairTerm(1.0 / (t * (t - 1.0)) * np.power(eps, t), 1.0 - t), PairTerm(1.0 / t, 1.0)

    def edge_powers(self, p: np.ndarray) -> Powers:
        t, eps, carried = self.order, self.spread.eps, self.spread.carried(p, self.background)
        if t == 0:
            return Powers(1.0, np.log(eps) - np.log(carried), p)
        return Powers(1.0 - t, 1.0 / (t * (t - 1.0)) * (np.power(carried, t) - np.power(eps, t)), p / (1.0 - t))


def alpha(order: float, background: float = BACKGROUND) -> Any:
    """Return the alpha divergence of any order: 1 I-divergence, 2 chi-square, 0 reverse KL.

    ``background``: as in `reverse_kl`, for orders <= 0 only.

    >>> alpha(0.5).name, alpha(-1, background=0.05).name
    ('alpha:0.5', 'alpha:-1:0.05')
    """
    order = number_within(order, "the order of an alpha divergence")
    if order > 0:
        return with_background(Alpha(order), background)
    return NegativeAlpha(order, background_number(background))


def reverse_kl(background: float = BACKGROUND) -> NegativeAlpha:
    """Return reverse Kullback-Leibler, b ln(b/p) - b + p, with a background in (0, 1).

    >>> reverse_kl().name, reverse_kl(0.05).name
    ('reverse-kl', 'reverse-kl:0.05')
    """
    return alpha(0.0, background)


def background_number(background: Any) -> float:
    """Return the number, or raise InputError unless it is in (0, 1)."""
    return number_within(background, "background", 0.0, 1.0, open_ends=True)


def with_background(divergence: Any, background: float) -> Any:
    """Return the divergence with that background; InputError if it has no use for it.

    >>> with_background(reverse_kl(), 0.05).background
    0.05
    """
    background = background_number(background)
    if background == BACKGROUND:
        return divergence
    if isinstance(divergence, NegativeAlpha) and divergence.background == BACKGROUND:
        return replace(divergence, background=background)
    if divergence.background:
        why = "has one already: give it to the divergence itself, as in reverse_kl(0.05)"
    else:
        why = "has no use for one (reverse-kl and alpha of order <= 0 have): leave it out"
    raise InputError(f"background {background:g} was given, but divergence {divergence.name!r} {why}")
