"""The alpha divergences, which become Renyi for the optimal connection.

    phi(p, b) = [p^t b^(1-t) - t p + (t - 1) b] / (t (t - 1)),

the I-divergence at t = 1, Hellinger at 1/2, chi-square at 2, reverse Kullback-Leibler at 0. Pairs with p = 0 cost
phi(0, b) = b / t: finite for t > 0. Pairs are b/t, an edge is (p/t) (bc(u, t-1) - 1), where u = p/b and
bc(u, s) = (u^s - 1)/s. This is continuous at t = 1.

At orders t <= 0 phi is infinite at p = 0. So pairs without an edge share ``background`` = delta of all similarity, in
proportion to their masses. No pair gets more than delta of a mean edge. Such pairs have eps M, edges max((1 - delta) P,
eps M). Let p' = max((1 - delta) p, eps). Then

    phi(p', b) = phi(eps, b) + [phi(p', b) - phi(eps, b)]

is again a radial sum over all pairs plus a sum over edges. If every pair has an edge, p' = p. eps depends on the graph;
the objective sets it by ``bound``.

A smaller background makes false neighbors more expensive. A drawing shrunk to a point costs a row at most about
ln(1/delta).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nelayout.errors import InputError
from nelayout.formula.divergences.beta import log_power_mean
from nelayout.formula.divergences.protocol import Divergence, PairTerm, Powers, Similarity, Spread
from nelayout.formula.kernels import boxcox
from nelayout.formula.part_names import number_within, spell
from nelayout.numerics.groups import several

__all__ = [
    "BACKGROUND", "Alpha", "NegativeAlpha", "ReverseKL", "alpha", "background_number", "reverse_kl", "with_background",
]

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
        if several(normalizer):
            with np.errstate(invalid="ignore", divide="ignore"):
                return attraction, np.where(normalizer > 0, np.log(normalizer), np.inf)
        return attraction, math.log(normalizer) if normalizer > 0 else math.inf

    def invariant_constant(self, edges: Any, weight: Any, total: Any) -> Any:
        """Return -ln sum P."""
        return -np.log(weight)


@dataclass(frozen=True, slots=True)
class ReverseKL(Divergence):
    """b ln(b/p) - b + p; ``spread``: background on the drawn graph, None before it is bound."""

    background: float = BACKGROUND
    spread: Any = field(default=None, compare=False)

    @property
    def name(self) -> str:
        return _spelt("reverse-kl", background=self.background)

    def bound(self, spread: Spread) -> ReverseKL:
        return replace(self, spread=spread)

    @property
    def pairs(self) -> tuple[PairTerm, ...]:
        log_eps = 0.0 if self.spread is None else np.log(self.spread.eps)
        return PairTerm(1.0, 1.0, "power-log"), PairTerm(-1.0 - log_eps, 1.0)

    def edge_powers(self, p: np.ndarray) -> Powers:
        return Powers(1.0, np.log(self.spread.eps) - np.log(self.spread.carried(p, self.background)), p)


@dataclass(frozen=True, slots=True)
class NegativeAlpha(Divergence):
    """[p^t b^(1-t) - t p + (t-1) b] / (t (t-1)) at t < 0; ``spread`` as of `ReverseKL`."""

    order: float
    background: float = BACKGROUND
    spread: Any = field(default=None, compare=False)

    @property
    def name(self) -> str:
        return _spelt("alpha", self.order, background=self.background)

    def bound(self, spread: Spread) -> NegativeAlpha:
        return replace(self, spread=spread)

    @property
    def _scale(self) -> float:
        return 1.0 / (self.order * (self.order - 1.0))

    @property
    def pairs(self) -> tuple[PairTerm, ...]:
        power = 1.0 if self.spread is None else np.power(self.spread.eps, self.order)
        return PairTerm(self._scale * power, 1.0 - self.order), PairTerm(1.0 / self.order, 1.0)

    def edge_powers(self, p: np.ndarray) -> Powers:
        carried = self.spread.carried(p, self.background)
        factor = self._scale * (np.power(carried, self.order) - np.power(self.spread.eps, self.order))
        return Powers(1.0 - self.order, factor, p / (1.0 - self.order))


def alpha(order: float, background: float = BACKGROUND) -> Any:
    """Return the alpha divergence of any order: 1 I-divergence, 2 chi-square, 0 reverse KL.

    ``background``: as in `reverse_kl`, for orders <= 0 only.

    >>> alpha(0.5).name, alpha(-1, background=0.05).name
    ('alpha:0.5', 'alpha:-1:0.05')
    """
    order = number_within(order, "the order of an alpha divergence")
    if order > 0:
        return with_background(Alpha(order), background)
    background = background_number(background)
    return NegativeAlpha(order, background) if order else ReverseKL(background)


def _spelt(name: str, *numbers: float, background: float) -> str:
    """Return the name with its numbers, and with the background unless it is the default."""
    return spell(name, *numbers) if background == BACKGROUND else spell(name, *numbers, background)


def background_number(background: Any) -> float:
    """Return the number, or raise InputError unless it is in (0, 1)."""
    return number_within(background, "background", 0.0, 1.0, open_ends=True)


def reverse_kl(background: float = BACKGROUND) -> ReverseKL:
    """Return reverse Kullback-Leibler, b ln(b/p) - b + p, with a background in (0, 1).

    >>> reverse_kl().name, reverse_kl(0.05).name
    ('reverse-kl', 'reverse-kl:0.05')
    """
    return ReverseKL(background_number(background))


def with_background(divergence: Any, background: float) -> Any:
    """Return the divergence with that background; InputError if it has no background.

    >>> with_background(reverse_kl(), 0.05).background
    0.05
    """
    background = background_number(background)
    if background == BACKGROUND:
        return divergence
    if isinstance(divergence, (ReverseKL, NegativeAlpha)) and divergence.background == BACKGROUND:
        return replace(divergence, background=background)
    if divergence.background:
        why = "has one already: give it to the divergence itself, as in reverse_kl(0.05)"
    else:
        why = "has no use for one (reverse-kl and alpha of order <= 0 have): leave it out"
    raise InputError(f"background {background:g} was given, but divergence {divergence.name!r} {why}")
