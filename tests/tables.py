"""Tables that several files of tests run over, and their products; a quick run takes a part of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from zlib import crc32

import pytest

from nelayout.core.catalogue import METHODS, tune

__all__ = ["EVERY_METHOD", "FEW", "RECIPES", "first", "thinned"]

# The catalogue, and ft-SNE with each of its divergences.
EVERY_METHOD = {
    **METHODS,
    **{f"ftsne {d}": tune("ftsne", divergence=d) for d in ("reverse-kl", "js", "hellinger", "chi2")},
}
# One method of each kind: node masses, a singular kernel, a Gaussian that is not normalized, a heavy tail, and a
# divergence with a lambda for each row.
RECIPES = ("ws-sne", "linlog", "ee", "hssne", "nerv")
# One for each form of objective, one lambda for all pairs or one for each row, where a drawing takes long.
FEW = ("ws-sne", "nerv")
# One in so many cases of a product over tables is part of a quick run.
SAMPLED = 18


def thinned(*tables: Iterable, plain: Callable[..., bool]) -> list:
    """Return the product of the tables as cases of a test: plain ones and one in `SAMPLED` others, the rest is full.

    The sample is chosen by a hash of the case, so that a new method changes no other case.
    """
    cases = list(product(*tables))
    return [pytest.param(*case, marks=() if plain(*case) or _sampled(case) else pytest.mark.full) for case in cases]


def _sampled(case: tuple) -> bool:
    return crc32(repr([getattr(part, "name", part) for part in case]).encode()) % SAMPLED == 0


def first(cases: Iterable, count: int) -> list:
    """Return cases of a test; all but the first ``count`` are full: each takes long, and they are alike."""
    return [pytest.param(case, marks=() if k < count else pytest.mark.full) for k, case in enumerate(cases)]
