"""Scalar divergences phi(p, b) of p = P / M and b = lambda q, one family a file.

:func:`f_divergence` makes a divergence from a function of yours. The input is sparse and the drawing is dense. So a
divergence comes in two halves, up to constants that do not depend on b::

    phi(p, b) = pairs(b) + edge(p, b),        pairs(b) = phi(0, b),        edge(0, b) = 0

A sum over all pairs is a radial N-body sum (``pairs``, :class:`PairTerm` by term) plus a sum over edges.

>>> from nelayout.core.formula.divergences import beta, divergence_named
>>> divergence_named("beta:0.5") == beta(0.5)
True
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from nelayout.core.formula.alpha_choice import alpha_search, auto_alpha
from nelayout.core.formula.divergences.alpha import BACKGROUND, Alpha, alpha, reverse_kl
from nelayout.core.formula.divergences.beta import Beta, beta, i_divergence, itakura_saito, kl_divergence
from nelayout.core.formula.divergences.f_divergences import (
    FDivergence,
    OwnFunction,
    Type2Mixture,
    chi_square,
    f_divergence,
    hellinger,
    jensen_shannon,
    jse_divergence,
)
from nelayout.core.formula.divergences.forces import ForceAtlas, TForces, force_atlas, force_atlas_linlog, t_forces
from nelayout.core.formula.divergences.mixture import Mixture, mixture, nerv_divergence
from nelayout.core.formula.divergences.protocol import Divergence, PairTerm, Similarity
from nelayout.core.formula.part_names import as_number, split
from nelayout.errors import InputError, unknown

__all__ = [
    "BACKGROUND", "DIVERGENCES", "Alpha", "Beta", "Divergence", "FDivergence", "ForceAtlas", "Mixture", "OwnFunction",
    "PairTerm", "Similarity", "TForces", "Type2Mixture", "alpha", "auto_alpha", "beta", "chi_square",
    "divergence_named", "f_divergence", "force_atlas", "force_atlas_linlog", "hellinger", "i_divergence",
    "itakura_saito", "jensen_shannon", "jse_divergence", "kl_divergence", "mix", "nerv_divergence", "reverse_kl",
    "t_forces",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)


def mix(share: float, first: Any, second: Any) -> Mixture:
    """Return share * first + (1 - share) * second (Im, Verma & Branson 2018, (2)).

    >>> mix(0.5, "kl", "js").name
    'mix:0.5:kl:js'
    """
    return mixture(share, divergence_named(first), divergence_named(second))


# : name -> maker. Its parameters annotated ``float`` are numbers after colons, the others divergences.
DIVERGENCES: dict[str, Callable[..., Divergence]] = {
    "beta": beta,
    "alpha": alpha,
    "i-divergence": i_divergence,
    "kl": kl_divergence,
    "itakura-saito": itakura_saito,
    "reverse-kl": reverse_kl,
    "js": jensen_shannon,
    "hellinger": hellinger,
    "chi2": chi_square,
    "nerv": nerv_divergence,
    "jse": jse_divergence,
    "mix": mix,
    "forceatlas2": force_atlas,
    "forceatlas2-linlog": force_atlas_linlog,
    "t-fdp": t_forces,
}
_ALIASES = {"rkl": "reverse-kl", "hl": "hellinger", "ch": "chi2", "chi-square": "chi2", "jensen-shannon": "js"}


def divergence_named(divergence: Any) -> Divergence:
    """Return the divergence of a name or function f, or the Divergence itself.

    Numbers and the parts of a mixture follow colons: "beta:0.5", "reverse-kl:0.05", "mix:0.3:kl:js".

    >>> [part.name for _, part in divergence_named("mix:0.3:alpha:0.5:js").parts]
    ['alpha:0.5', 'js']
    """
    if isinstance(divergence, Divergence) and not isinstance(divergence, type):
        return divergence
    if alpha_search(divergence) is not None:
        raise InputError(
            "an order alpha is chosen for a method as a whole, not within a mixture or for a stage: give "
            "nelayout.Method divergence='alpha:auto', or give alpha as a number"
        )
    if isinstance(divergence, str):
        family, words = split(divergence)
        made, rest = _read([family, *words], divergence)
        if rest:
            raise InputError(f"divergence {divergence!r}: {_wanted(family)}")
        return made
    if callable(divergence) and not isinstance(divergence, type):
        f: Callable[..., Any] = divergence
        return f_divergence(f)
    raise InputError(f"divergence must be a name, a function f or a Divergence; got {type(divergence).__name__}")


def _read(words: list[str], given: str) -> tuple[Divergence, list[str]]:
    """Return the divergence that the words begin with, and the remaining words."""
    name, rest = _ALIASES.get(words[0], words[0]), words[1:]
    if name not in DIVERGENCES:
        raise unknown("divergence", given, map(_form, DIVERGENCES))
    least, most, parts = _takes(name)
    arguments: list[Any] = []
    while rest and len(arguments) < most and (number := as_number(rest[0])) is not None:
        arguments.append(number)
        rest = rest[1:]
    if rest and len(arguments) < least:
        raise InputError(f"divergence {given!r}: {rest[0]!r} is not a number")
    for _ in parts:
        if rest:
            part, rest = _read(rest, given)
            arguments.append(part)
    if len(arguments) < least + len(parts):
        raise InputError(f"divergence {given!r}: {_wanted(name)}")
    return DIVERGENCES[name](*arguments), rest


def _takes(name: str) -> tuple[int, int, list[str]]:
    """Return how many numbers a divergence needs and takes, and the names of its parts."""
    parameters = inspect.signature(DIVERGENCES[name]).parameters.values()
    numbers = [p for p in parameters if p.annotation == "float"]
    parts = [p.name.upper() for p in parameters if p.annotation != "float"]
    return sum(p.default is p.empty for p in numbers), len(numbers), parts


def _form(name: str) -> str:
    """Return the name with its parameters: "beta:NUMBER", "mix:NUMBER:FIRST:SECOND"."""
    least, _, parts = _takes(name)
    return ":".join([name, *["NUMBER"] * least, *parts])


def _wanted(name: str) -> str:
    form, most = _form(name), _takes(name)[1]
    return f"write {form}" if ":" in form else f"{name} takes {'one number at most' if most else 'no number'}"
