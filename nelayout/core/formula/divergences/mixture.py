"""Weighted sums of divergences, such as NeRV's (1 - kappa) KL(p, b) + kappa KL(b, p).

Only the parts that are infinite without a background get it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nelayout.core.formula.divergences.alpha import BACKGROUND, Alpha, background_number, reverse_kl
from nelayout.core.formula.divergences.beta import Beta, kl_divergence
from nelayout.core.formula.divergences.protocol import BackgroundShare, Divergence, PairTerm, Similarity
from nelayout.core.formula.part_names import number_within, spell
from nelayout.errors import InputError

__all__ = ["Mixture", "mixture", "nerv_divergence"]


@dataclass(frozen=True, slots=True)
class Mixture(Divergence):
    """share * first + (1 - share) * second; ``said``: another name to print ("nerv:0.5")."""

    share: float
    first: Any
    second: Any
    said: str = field(default="", compare=False, repr=False)

    @property
    def name(self) -> str:
        return self.said or f"{spell('mix', self.share)}:{self.first.name}:{self.second.name}"

    @property
    def parts(self) -> tuple[tuple[float, Any], ...]:
        """(weight, divergence) of the parts with a weight above 0."""
        both = (self.share, self.first), (1.0 - self.share, self.second)
        return tuple((weight, part) for weight, part in both if weight)

    @property
    def background(self) -> float:
        return max(part.background for _, part in self.parts)

    def bound(self, spread: BackgroundShare) -> Mixture:
        return replace(self, first=self.first.bound(spread), second=self.second.bound(spread))

    @property
    def pairs(self) -> tuple[PairTerm, ...]:
        terms = [(weight, term) for weight, part in self.parts for term in part.pairs]
        return tuple(term._replace(coefficient=weight * term.coefficient) for weight, term in terms)

    def edge_and_slope(self, p: np.ndarray, b: Similarity) -> tuple[np.ndarray, np.ndarray]:
        parts = [(weight, *part.edge_and_slope(p, b)) for weight, part in self.parts]
        edge, slope = (sum(part[0] * part[k] for part in parts) for k in (1, 2))
        return edge, slope  # pyright: ignore[reportReturnType]  # arrays, there or on a device


def mixture(share: float, first: Any, second: Any, said: str = "") -> Mixture:
    """Return share * first + (1 - share) * second, share in [0, 1] (Im et al. 2018, (2)).

    >>> mixture(0.25, kl_divergence(), reverse_kl()).name
    'mix:0.25:kl:reverse-kl'
    """
    share = number_within(share, "the share of a mixture", 0.0, 1.0)
    for part in (first, second):
        if not isinstance(part, Divergence):
            raise InputError(f"the parts of a mixture must be divergences; got {type(part).__name__}")
    # KL(p, b) with all its constants, which the parts of a sum must keep
    first, second = (Alpha(1.0, "kl") if part == Beta(1.0) else part for part in (first, second))
    return Mixture(share, first, second, said)


def nerv_divergence(kappa: float, background: float = BACKGROUND) -> Any:
    """Return NeRV: (1 - kappa) KL(p, b) + kappa KL(b, p) (Venna et al. 2010).

    KL(p, b) counts missed neighbors, KL(b, p) false ones. kappa as in Lee et al. 2013: 0 is SNE.

    >>> nerv_divergence(0.5).name, nerv_divergence(0.2, 0.05).name
    ('nerv:0.5', 'nerv:0.2:0.05')
    """
    kappa = number_within(kappa, "kappa", 0.0, 1.0)
    background = background_number(background)
    if kappa in (0.0, 1.0):
        return reverse_kl(background) if kappa else kl_divergence()
    numbers = (kappa,) if background == BACKGROUND else (kappa, background)
    return mixture(1.0 - kappa, kl_divergence(), reverse_kl(background), spell("nerv", *numbers))
