"""Divergences that are infinite where p = 0: the reverse Kullback-Leibler divergence and alpha of orders <= 0.

They need every pair to be similar to some degree.  So a part ``background`` = delta of all similarity is given to the
pairs without an edge, in proportion to their masses (and never more than delta of what an edge has): edges carry
(1 - delta) P, all others eps M, and
    phi(p, b) = phi(eps, b) + [phi((1 - delta) p, b) - phi(eps, b)]
is again a radial sum over all pairs plus a sum over edges.  eps follows from the graph; the objective sets it by
``bound``.  A small background punishes neighbors in the drawing that are none in the input the harder.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nelayout.divergences.protocol import Powers, Similarity, Tail, number_within
from nelayout.errors import InputError

__all__ = [
    "BACKGROUND",
    "NegativeAlpha",
    "ReverseKL",
    "checked_background",
    "negative_alpha",
    "reverse_kl",
    "with_background",
]

#: part of all similarity that pairs without an edge share, unless said otherwise
BACKGROUND = 0.1


@dataclass(frozen=True)
class ReverseKL:
    """b ln(b/p) - b + p.  ``eps``: p/M of a pair without an edge; a number, or one for each row or entry."""

    background: float = BACKGROUND
    eps: Any = None
    name: str = "reverse-kl"
    linear: bool = False
    degree: float | None = None

    def bound(self, eps: Any) -> ReverseKL:
        return replace(self, eps=eps)

    @property
    def tail(self) -> tuple[Tail, ...]:
        log_eps = 0.0 if self.eps is None else np.log(self.eps)
        return Tail(1.0, 1.0, "power-log"), Tail(-1.0 - log_eps, 1.0)

    def _log_odds(self, p: np.ndarray) -> np.ndarray:
        return np.log(p) + (math.log1p(-self.background) - np.log(self.eps))

    def edge(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        # the whole weight is put on the edges, whoever carries it: it is a constant
        return p - b.power(1.0) * self._log_odds(p)

    def edge_powers(self, p: np.ndarray) -> Powers:
        return Powers(1.0, -self._log_odds(p), p)

    def slope(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        return -b.power(1.0) * self._log_odds(p)

    def invariant(self, edges: float, tail: float, weight: float, total: float) -> tuple[float, float]:
        raise AssertionError("asked for divergences with a degree only")


def checked_background(background: Any) -> float:
    """The number, or InputError unless it lies in (0, 1)."""
    return number_within(background, "background", 0.0, 1.0, open_ends=True)


def reverse_kl(background: float = BACKGROUND) -> ReverseKL:
    """The reverse Kullback-Leibler divergence b ln(b/p) - b + p, with a background of the given weight in (0, 1).

    >>> reverse_kl(0.05).background
    0.05
    """
    return ReverseKL(checked_background(background))


@dataclass(frozen=True)
class NegativeAlpha:
    """[p^t b^(1-t) - t p + (t-1) b] / (t (t-1)) at an order t < 0."""

    order: float
    background: float = BACKGROUND
    eps: Any = None
    linear: bool = False
    degree: float | None = None

    @property
    def name(self) -> str:
        return f"alpha:{self.order:g}"

    def bound(self, eps: Any) -> NegativeAlpha:
        return replace(self, eps=eps)

    @property
    def _scale(self) -> float:
        return 1.0 / (self.order * (self.order - 1.0))

    @property
    def tail(self) -> tuple[Tail, ...]:
        power = 1.0 if self.eps is None else np.power(self.eps, self.order)
        return Tail(self._scale * power, 1.0 - self.order), Tail(1.0 / self.order, 1.0)

    def _factor(self, p: np.ndarray) -> np.ndarray:
        return self._scale * (np.power((1.0 - self.background) * p, self.order) - np.power(self.eps, self.order))

    def _rise(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        return self._factor(p) * b.power(1.0 - self.order)

    def edge(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        return self._rise(p, b) - p / (self.order - 1.0)

    def edge_powers(self, p: np.ndarray) -> Powers:
        return Powers(1.0 - self.order, self._factor(p), p / (1.0 - self.order))

    def slope(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        return (1.0 - self.order) * self._rise(p, b)

    def invariant(self, edges: float, tail: float, weight: float, total: float) -> tuple[float, float]:
        raise AssertionError("asked for divergences with a degree only")


def negative_alpha(order: float, background: float = BACKGROUND) -> ReverseKL | NegativeAlpha:
    """The alpha divergence of an order <= 0, with a background; at 0 it is the reverse Kullback-Leibler divergence.

    >>> negative_alpha(-1.0).name
    'alpha:-1'
    """
    background = checked_background(background)
    return ReverseKL(background, name="alpha:0") if order == 0 else NegativeAlpha(order, background)


def with_background(divergence: Any, background: float) -> Any:
    """The divergence with that background; InputError where another than the usual one would be without effect.

    >>> with_background(reverse_kl(), 0.05).background
    0.05
    """
    background = checked_background(background)
    if background == BACKGROUND:
        return divergence
    if isinstance(divergence, (ReverseKL, NegativeAlpha)) and divergence.background == BACKGROUND:
        return replace(divergence, background=background)
    if divergence.background:
        why = "has one of its own: give it to the divergence itself, as in reverse_kl(0.05)"
    else:
        why = "has no use for one (reverse-kl and alpha of order <= 0 have): leave it out"
    raise InputError(f"background {background:g} was given, but divergence {divergence.name!r} {why}")
