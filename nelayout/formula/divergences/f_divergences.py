"""f-divergences between the input and the drawn similarities (Csiszar; for drawings: Im, Verma & Branson 2018).

    phi(p, b) = b f(p/b),      f convex, f(1) = 0,

here with f'(1) = 0 too, which changes nothing where both sides sum to one and makes phi >= 0 where they do not.
With u = p/b and H(u) = f(0) - f(u) + u f'(u) >= 0: pairs b f(0), edge b (f(u) - f(0)), slope -b H(u).  So every
f with a finite f(0) costs one pass over the edges and the sum of q over all pairs.

    Kullback-Leibler   t ln t                             f(0) = 1 (with f'(1) = 0)   H = u
    Jensen-Shannon     t ln t - (t + 1) ln((t + 1)/2)     f(0) = ln 2                 H = ln(1 + u)
    Hellinger          (sqrt t - 1)^2                     f(0) = 1                    H = sqrt u
    chi-square         (t - 1)^2                          f(0) = 1                    H = u^2

Formulas are written in ln u: a pair may be drawn so far apart that b underflows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nelayout.formula.divergences.beta import Beta
from nelayout.formula.divergences.f_functions import F_FUNCTIONS, FFunction
from nelayout.formula.divergences.protocol import PairTerm, Powers, Similarity
from nelayout.formula.divergences.with_background import ReverseKL

__all__ = ["FDivergence", "chi_square", "f_function_of", "hellinger", "jensen_shannon", "kl"]


@dataclass(frozen=True, slots=True, repr=False)
class FDivergence:
    """b f(p/b) of a function with finite f(0)."""

    function: FFunction

    def __repr__(self) -> str:
        return f"FDivergence({self.name})"

    @property
    def name(self) -> str:
        return self.function.name

    @property
    def pairs(self) -> tuple[PairTerm, ...]:
        return (PairTerm(self.function.at_zero, 1.0),)

    def edge(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        assert self.function.above is not None
        return self.function.above(p, b.power(1.0), np.log(p) - b.log())

    def edge_powers(self, p: np.ndarray) -> Powers | None:
        return None if self.function.powers is None else self.function.powers(p)

    def slope(self, p: np.ndarray, b: Similarity) -> np.ndarray:
        assert self.function.pull is not None
        return -self.function.pull(p, b.power(1.0), np.log(p) - b.log())

    def edge_and_slope(self, p: np.ndarray, b: Similarity) -> tuple[np.ndarray, np.ndarray]:
        assert self.function.above is not None
        assert self.function.pull is not None
        known = p, b.power(1.0), np.log(p) - b.log()
        return self.function.above(*known), -self.function.pull(*known)


def f_function_of(divergence: Any) -> FFunction | None:
    """The f of a divergence whose conjugate is known, the I-divergence's being KL's; None for others.

    >>> f_function_of(jensen_shannon()).name, f_function_of(Beta(0.5))
    ('js', None)
    """
    if isinstance(divergence, FDivergence):
        return divergence.function
    if isinstance(divergence, ReverseKL):
        return F_FUNCTIONS["reverse-kl"]
    return F_FUNCTIONS["kl"] if divergence == Beta(1.0) else None


def kl() -> FDivergence:
    """p ln(p/b) - p + b: the I-divergence with all its constants, for mixtures.

    >>> kl().pairs[0].coefficient
    1.0
    """
    return FDivergence(F_FUNCTIONS["kl"])


def jensen_shannon() -> FDivergence:
    """Twice the Jensen-Shannon divergence: p ln p + b ln b - (p + b) ln((p + b)/2).

    >>> round(jensen_shannon().pairs[0].coefficient, 4)
    0.6931
    """
    return FDivergence(F_FUNCTIONS["js"])


def hellinger() -> FDivergence:
    """(sqrt p - sqrt b)^2: half of alpha at 1/2.

    >>> hellinger().name
    'hellinger'
    """
    return FDivergence(F_FUNCTIONS["hellinger"])


def chi_square() -> FDivergence:
    """(p - b)^2 / b: twice alpha at 2.

    >>> chi_square().name
    'chi2'
    """
    return FDivergence(F_FUNCTIONS["chi2"])
