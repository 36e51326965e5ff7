"""Weighted sums of divergences: NeRV's (1 - kappa) KL(p, b) + kappa KL(b, p), and any other.

The parts keep what is theirs: a background enters only those that would be infinite without it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nelayout.divergences.auto import AutoAlpha
from nelayout.divergences.beta import Beta
from nelayout.divergences.f_divergences import kl
from nelayout.divergences.protocol import Divergence, Similarity, Tail, number_within
from nelayout.divergences.with_background import BACKGROUND, checked_background, reverse_kl
from nelayout.errors import InputError, Unsupported

__all__ = ["Mixture", "mixture", "nerv_divergence"]


@dataclass(frozen=True)
class Mixture:
    """sum_k weight_k phi_k."""

    parts: tuple[tuple[float, Any], ...]
    name: str = "mixture"
    linear: bool = False
    degree: float | None = None

    @property
    def background(self) -> float:
        return max(part.background for _, part in self.parts)

    def bound(self, eps: Any) -> Mixture:
        parts = tuple((weight, part.bound(eps)) for weight, part in self.parts)
        return replace(self, parts=parts)

    @property
    def tail(self) -> tuple[Tail, ...]:
        return tuple(
            replace(term, coefficient=weight * term.coefficient) for weight, part in self.parts for term in part.tail
        )

    def edge(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        return sum((weight * part.edge(p, b) for weight, part in self.parts), np.zeros_like(p))

    def slope(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        return sum((weight * part.slope(p, b) for weight, part in self.parts), np.zeros_like(p))

    def invariant(self, edges: float, tail: float, weight: float, total: float) -> tuple[float, float]:
        raise AssertionError("asked for divergences with a degree only")


def mixture(share: float, first: Any, second: Any, name: str = "") -> Mixture:
    """share * first + (1 - share) * second: equation (2) of Im, Verma & Branson (2018) for any two divergences.

    ``share`` in [0, 1]; both names or divergences.

    >>> mixture(0.25, kl(), reverse_kl()).name
    'mix:0.25:kl:reverse-kl'
    """
    share = number_within(share, "the share of a mixture", 0.0, 1.0)
    both = []
    for part in (first, second):
        if not isinstance(part, Divergence):
            raise InputError(f"a mixture is made of divergences, given {type(part).__name__}")
        if isinstance(part, AutoAlpha):
            raise Unsupported("an order is chosen for alpha-SNE alone, not within a mixture: give alpha as a number")
        # with its constants, which the parts of a sum must not lose
        both.append(kl() if isinstance(part, Beta) and part.order == 1.0 else part)
    names = [part.name for part in both]
    # A part of weight 0 would still ask for its background.
    parts = tuple((weight, part) for weight, part in zip((share, 1.0 - share), both, strict=True) if weight)
    return Mixture(parts, name or f"mix:{share:g}:{names[0]}:{names[1]}")


def nerv_divergence(kappa: float, background: float = BACKGROUND) -> Any:
    """NeRV: (1 - kappa) KL(p, b) + kappa KL(b, p) (Venna et al. 2010; kappa as in Lee et al. 2013: 0 is SNE).

    KL(p, b) counts the neighbors that are missed, KL(b, p) those that are none.

    >>> nerv_divergence(0.5).name
    'nerv:0.5'
    """
    kappa = number_within(kappa, "kappa", 0.0, 1.0)
    background = checked_background(background)
    if kappa == 0.0:
        return kl()
    if kappa == 1.0:
        return reverse_kl(background)
    return mixture(1.0 - kappa, kl(), reverse_kl(background), f"nerv:{kappa:g}")
