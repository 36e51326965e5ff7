"""Divergences that are infinite at p = 0: reverse Kullback-Leibler, alpha of orders <= 0.

They need a similarity > 0 for every pair. So pairs without an edge share ``background`` = delta of all similarity, in
proportion to their masses. No pair gets more than delta of a mean edge. Such pairs have eps M, edges max((1 - delta) P,
eps M). Let p' = max((1 - delta) p, eps). Then

    phi(p', b) = phi(eps, b) + [phi(p', b) - phi(eps, b)]

is again a radial sum over all pairs plus a sum over edges. If every pair has an edge, p' = p. eps depends on the graph;
the objective sets it by ``bound``.

A smaller background makes false neighbors more expensive. A drawing shrunk to a point costs a row at most about
ln(1/delta).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nelayout.errors import InputError
from nelayout.formula.divergences.protocol import PairTerm, Powers, Similarity, Spread, background_of
from nelayout.formula.part_names import number_within, spell

__all__ = [
    "BACKGROUND",
    "NegativeAlpha",
    "ReverseKL",
    "background_number",
    "negative_alpha",
    "reverse_kl",
    "with_background",
]

# : default share of all similarity for pairs without an edge
BACKGROUND = 0.01


@dataclass(frozen=True, slots=True)
class ReverseKL:
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

    def _log_odds(self, p: np.ndarray) -> np.ndarray:
        return np.log(self.spread.carried(p, self.background)) - np.log(self.spread.eps)

    def edge(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        return p - b.power(1.0) * self._log_odds(p)

    def edge_powers(self, p: np.ndarray) -> Powers:
        return Powers(1.0, -self._log_odds(p), p)

    def slope(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        return -b.power(1.0) * self._log_odds(p)

    def edge_and_slope(self, p: np.ndarray, b: Similarity) -> tuple[np.ndarray, np.ndarray]:
        slope = self.slope(p, b)
        return p + slope, slope


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


@dataclass(frozen=True, slots=True)
class NegativeAlpha:
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

    def _factor(self, p: np.ndarray) -> np.ndarray:
        carried = self.spread.carried(p, self.background)
        return self._scale * (np.power(carried, self.order) - np.power(self.spread.eps, self.order))

    def _rise(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        return self._factor(p) * b.power(1.0 - self.order)

    def edge(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        return self._rise(p, b) - p / (self.order - 1.0)

    def edge_powers(self, p: np.ndarray) -> Powers:
        return Powers(1.0 - self.order, self._factor(p), p / (1.0 - self.order))

    def slope(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        return (1.0 - self.order) * self._rise(p, b)


def negative_alpha(order: float, background: float = BACKGROUND) -> ReverseKL | NegativeAlpha:
    """Return the alpha divergence of an order <= 0, with a background; at 0 it is reverse KL.

    >>> negative_alpha(-1.0).name
    'alpha:-1'
    """
    background = background_number(background)
    return ReverseKL(background) if order == 0 else NegativeAlpha(order, background)


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
    if background_of(divergence):
        why = "has one already: give it to the divergence itself, as in reverse_kl(0.05)"
    else:
        why = "has no use for one (reverse-kl and alpha of order <= 0 have): leave it out"
    raise InputError(f"background {background:g} was given, but divergence {divergence.name!r} {why}")
