"""Values with their errors: exact ones have error 0, sampled ones a standard error."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["NOTHING", "Sampled", "mean_of", "sample_of", "share_of", "standard_error"]


class Sampled(NamedTuple):
    """A value, its standard error (0 when exact), and whether every node, pair or edge entered it."""

    value: float
    error: float = 0.0
    exact: bool = True


# The measure of an empty set: a graph without edges has no neighborhoods.
NOTHING = Sampled(float("nan"))


def sample_of(
    population: np.ndarray, sample: str | int | None, above: int, size: int, rng: np.random.Generator
) -> tuple[np.ndarray, bool]:
    """Members of `population` to look at, sorted, and whether they are all of it.

    `sample` "auto" takes all up to `above` members and `size` of them beyond; None takes all; an int that
    many.
    """
    if sample is None or (sample == "auto" and len(population) <= above):
        return population, True
    wanted = size if sample == "auto" else int(sample)
    if wanted >= len(population):
        return population, True
    return np.sort(rng.choice(population, wanted, replace=False)), False


def mean_of(values: np.ndarray, population: int, exact: bool) -> Sampled:
    """The mean of a sample drawn without replacement, with its standard error."""
    if not len(values):
        return NOTHING
    if exact:
        return Sampled(float(values.mean()))
    return Sampled(float(values.mean()), standard_error(values, population), exact=False)


def share_of(hits: np.ndarray, population: int, exact: bool) -> Sampled:
    """The share of members of a sample, drawn without replacement, that are hits.

    Its standard error is that of Agresti and Coull, as if two more hits and two more misses were known: also where all
    of a sample are hits, some of the others need not be.

    >>> round(share_of(np.ones(96, bool), 10**6, False).error, 4)
    0.014
    """
    count = len(hits)
    if exact or not count:
        return mean_of(hits.astype(float), population, exact)
    share = (hits.sum() + 2.0) / (count + 4.0)
    error = np.sqrt(share * (1 - share) / (count + 4.0) * (1 - count / population))
    return Sampled(float(hits.mean()), float(error), exact=False)


def standard_error(values: np.ndarray, population: int) -> float:
    """Standard error of the mean of `values`, drawn without replacement from `population` members."""
    if len(values) < 2:
        return float("inf")
    return float(values.std(ddof=1) * np.sqrt((1 - len(values) / population) / len(values)))
