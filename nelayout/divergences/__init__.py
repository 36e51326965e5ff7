"""Scalar divergences phi(p, q), one file each: the table of parts is the table of contents.

A divergence is given to the objective in two halves, because the input is sparse and the drawing is not:

    phi(p, b) = tail(b) + edge(p, b),        tail(b) = phi(0, b),        edge(0, b) = 0,

so that a sum over all pairs is a radial N-body sum (the tail) plus a sum over edges.  ``edge`` and ``slope`` (its
derivative in ln b) are plain array functions; the tail is a list of :class:`Tail` terms.  Values are up to constants
that depend on neither b nor its scale.

>>> from nelayout.divergences import beta, divergence_named
>>> divergence_named("beta:0.5") == beta(0.5)
True
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nelayout.divergences.alpha import Alpha, alpha
from nelayout.divergences.auto import AutoAlpha, auto_alpha
from nelayout.divergences.beta import Beta, beta, i_divergence, itakura_saito
from nelayout.divergences.f_divergences import (
    FDivergence,
    chi_square,
    f_divergence,
    hellinger,
    jensen_shannon,
    jse_divergence,
)
from nelayout.divergences.mixture import Mixture, mixture, nerv_divergence
from nelayout.divergences.protocol import Divergence, Similarity, Tail
from nelayout.divergences.with_background import BACKGROUND, reverse_kl
from nelayout.errors import InputError, unknown

__all__ = [
    "BACKGROUND",
    "DIVERGENCES",
    "Alpha",
    "AutoAlpha",
    "Beta",
    "Divergence",
    "FDivergence",
    "Mixture",
    "Similarity",
    "Tail",
    "alpha",
    "auto_alpha",
    "beta",
    "chi_square",
    "divergence_named",
    "f_divergence",
    "hellinger",
    "i_divergence",
    "itakura_saito",
    "jensen_shannon",
    "jse_divergence",
    "mix",
    "nerv_divergence",
    "reverse_kl",
]

#: name -> (maker, whether it takes a number behind a colon)
DIVERGENCES: dict[str, tuple[Callable[..., Divergence], bool]] = {
    "beta": (beta, True),
    "alpha": (alpha, True),
    "i-divergence": (i_divergence, False),
    "kl": (i_divergence, False),
    "itakura-saito": (itakura_saito, False),
    "reverse-kl": (reverse_kl, False),
    "js": (jensen_shannon, False),
    "hellinger": (hellinger, False),
    "chi2": (chi_square, False),
    "nerv": (nerv_divergence, True),
    "jse": (jse_divergence, True),
}
_ALIASES = {"rkl": "reverse-kl", "hl": "hellinger", "ch": "chi2", "chi-square": "chi2", "jensen-shannon": "js"}


def divergence_named(divergence: Any) -> Divergence:
    """The divergence of that name; parameters stand behind a colon ("beta:0.5", "alpha:2", "alpha:auto")."""
    if isinstance(divergence, Divergence) and not isinstance(divergence, type):
        return divergence
    if not isinstance(divergence, str):
        raise InputError(f"divergence must be a name or a Divergence, given {type(divergence).__name__}")
    name, colon, number = divergence.strip().lower().replace("_", "-").partition(":")
    name = _ALIASES.get(name, name)
    allowed = [f"{key}:NUMBER" if takes else key for key, (_, takes) in DIVERGENCES.items()]
    if name not in DIVERGENCES:
        raise unknown("divergence", divergence, allowed)
    make, takes_number = DIVERGENCES[name]
    if takes_number != bool(colon):
        want = f"write {name}:NUMBER" if takes_number else f"{name} takes no number"
        raise InputError(f"divergence {divergence!r}: {want}")
    if not takes_number:
        return make()
    if (name, number) == ("alpha", "auto"):
        return auto_alpha()
    try:
        order = float(number)
    except ValueError:
        raise InputError(f"divergence {divergence!r}: {number!r} is not a number") from None
    return make(order)


def mix(share: float, first: Any, second: Any) -> Mixture:
    """share * first + (1 - share) * second, of names or divergences: Im, Verma & Branson (2018), equation (2).

    >>> mix(0.5, "kl", "js").name
    'mix:0.5:kl:js'
    """
    return mixture(share, divergence_named(first), divergence_named(second))
