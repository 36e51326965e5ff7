"""Values with standard errors, samples of nodes, and one pass over nodes for all measures."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from nelayout.quality.distances import InputDistances, standardize

__all__ = [
    "NEIGHBORS", "NODES", "NOTHING", "PIVOTS", "ROWS", "Sample", "Sampled", "Sweep", "groups_of", "half_samples",
    "jackknife", "mean_of", "sample_of", "share_of", "standard_error", "value_of_groups",
]  # fmt: skip

Part = TypeVar("Part")
Sample = str | int | None

# Number of nearest nodes in measures of neighborhoods.
NEIGHBORS = 10
# Number of groups of sampled nodes; the jackknife leaves out each in turn.
GROUPS = 30


class Size(NamedTuple):
    """Size of a sample."""

    above: int  # nodes, up to which all are taken
    taken: int  # nodes of larger drawings

    def __format__(self, words: str) -> str:
        """Return "300 nodes above 5,000" for `words` "nodes"."""
        return f"{self.taken:,} {words} above {self.above:,}"


# Of nodes with their near nodes, of nodes that sort all others, and of pivots with the distances to all others.
NODES, ROWS, PIVOTS = Size(20_000, 5_000), Size(5_000, 300), Size(2_000, 200)


class Sampled(NamedTuple):
    """A value, its standard error (0 if exact), and True if every node, pair or edge entered."""

    value: float
    error: float = 0.0
    exact: bool = True


# The measure of an empty set: a graph without edges has no neighborhoods.
NOTHING = Sampled(float("nan"))


def sample_of(
    population: np.ndarray, sample: Sample, auto: tuple[int, int], rng: np.random.Generator
) -> tuple[np.ndarray, bool]:
    """Return members of `population`, sorted, and True if they are all.

    `sample` "auto" takes the number of `auto`. None takes all; an int takes that number.
    """
    above, wanted = auto if sample == "auto" else (0, len(population) if sample is None else int(sample))
    if len(population) <= max(above, wanted):
        return population, True
    return np.sort(rng.choice(population, wanted, replace=False)), False


def mean_of(values: np.ndarray, population: int, exact: bool) -> Sampled:
    """Return the mean of a sample drawn without replacement, with its standard error."""
    if not len(values):
        return NOTHING
    return Sampled(float(values.mean()), 0.0 if exact else standard_error(values, population), exact)


def share_of(hits: np.ndarray, population: int, exact: bool) -> Sampled:
    """Return `mean_of` hits (1) and misses (0), with the standard error of Agresti and Coull."""
    found, count = mean_of(hits, population, exact), len(hits)
    # Two more hits and two more misses: a sample without misses has an error, too.
    share = (hits.sum() + 2.0) / (count + 4.0)
    error = np.sqrt(share * (1 - share) / (count + 4.0) * (1 - count / population))
    return found if found.exact else found._replace(error=float(error))


def standard_error(values: np.ndarray, population: int) -> float:
    """Return the standard error of the mean of `values`, a sample from `population` members."""
    if len(values) < 2:
        return float("inf")
    return float(values.std(ddof=1) * np.sqrt((1 - len(values) / population) / len(values)))


def groups_of(count: int, exact: bool, rng: np.random.Generator) -> np.ndarray:
    """Return a random group for each of `count` sampled nodes; one group if all are taken."""
    return np.zeros(count, np.int64) if exact else rng.permutation(np.arange(count) % max(min(GROUPS, count), 1))


def jackknife(of: Callable[[np.ndarray], float], count: int, unsampled: float) -> float:
    """Return the standard error by leaving out one of `count` groups at a time."""
    without = np.array([of(np.arange(count) != g) for g in range(count)])
    return float(np.sqrt((count - 1) / count * ((without - without.mean()) ** 2).sum() * unsampled))


def half_samples(of: Callable[[np.ndarray], float], count: int, unsampled: float) -> float:
    """Return the error of `jackknife` from random half samples, for values that jump."""
    rng, value = np.random.default_rng(count), of(np.ones(count, bool))
    halves = np.array([of(rng.permutation(count) < count // 2) for _ in range(100)])
    return float(np.sqrt(((halves - value) ** 2).mean() * (count // 2) / (count - count // 2) * unsampled))


def value_of_groups(
    of: Callable[[np.ndarray], float], group: np.ndarray, sampled: float, error: Callable[..., float] = jackknife
) -> Sampled:
    """Return the value of a function of groups, a boolean mask, with its standard error.

    `group`: of each node; `sampled`: share of the population in the sample, 1 for all of it.
    """
    count = int(group.max(initial=-1)) + 1
    if not count:
        return NOTHING
    value = of(np.ones(count, bool))
    if sampled == 1:
        return Sampled(value)
    return Sampled(value, error(of, count, 1 - sampled) if count > 1 else float("inf"), exact=False)


class Sweep:
    """Distances in the input, a drawing, and a sample of nodes for all measures.

    Measures of ranks share one `Ranks`, and measures of distances one `Pairs`. Both are sums over groups of nodes,
    which give the standard error.

    Y             standardized positions (n, dim)
    sample, seed  as in `nelayout.measure`
    nodes         the sampled nodes, sorted
    exact         whether the sample has all nodes
    group         group of each of `nodes`
    share         share of the nodes in the sample
    """

    def __init__(self, distances: InputDistances, Y: np.ndarray, sample: Sample = "auto", seed: int = 0) -> None:
        self.distances, self.Y, self.sample, self.seed = distances, standardize(Y), sample, seed
        self.nodes, self.exact = sample_of(np.arange(len(Y)), sample, ROWS, np.random.default_rng(seed))
        self.group = groups_of(len(self.nodes), self.exact, np.random.default_rng([seed, 1]))
        self.share = len(self.nodes) / max(len(Y), 1)
        self._kept: dict = {}

    def once(self, find: Callable[..., Part], *arguments: object) -> Part:
        """Return ``find(*arguments)``; a second call with the same arguments reuses the result."""
        key = find, *map(id, arguments)
        if key not in self._kept:
            # Arguments stay alive, and so their ids; a sweep that kept itself would outlive its last user.
            self._kept[key] = find(*arguments), [each for each in arguments if each is not self]
        return self._kept[key][0]

    def estimate(self, of: Callable[[np.ndarray], float]) -> Sampled:
        """Return the value of a function of the groups of `nodes`, with its standard error."""
        return value_of_groups(of, self.group, self.share)
