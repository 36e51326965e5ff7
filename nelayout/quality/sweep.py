"""One pass over nodes of a drawing, whose parts several measures share: ranks, and pairs of distances.

All measures of ranks read the same `Ranks`, all measures of distances the same `Pairs`, so that taking ten of them
costs little more than one.  Both are sums over groups of nodes: leaving out one group at a time gives the standard
error (jackknife), whatever a measure makes of the sums.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from nelayout.quality.distances import standardize
from nelayout.quality.input_distances import Hops, InputDistances, PathLengths
from nelayout.quality.samples import NOTHING, Sampled, sample_of

__all__ = ["GROUPS", "ROWS_ABOVE", "ROWS_SAMPLED", "Sweep", "half_samples", "jackknife"]

Part = TypeVar("Part")

# Each node's row is a search and a sort of all others: all up to 5,000 nodes, 300 sampled beyond (luxembourg, 114,599
# nodes: 8 s on one core).
ROWS_ABOVE, ROWS_SAMPLED = 5_000, 300
# Groups of sampled nodes: with 30 the estimated error is itself within some 13 %.
GROUPS = 30
# Random halves of the groups for values that jump: the error is then itself within some 7 %.
HALVES = 100


@dataclass(frozen=True, eq=False)
class Sweep:
    """Distances in the input and a drawing `Y` (n, dim), and which nodes' rows are looked at.

    sample, seed  as in `nelayout.measure`; the sample is of nodes
    """

    distances: InputDistances
    Y: np.ndarray
    sample: str | int | None = "auto"
    seed: int = 0

    @cached_property
    def places(self) -> np.ndarray:
        """The positions, standardized."""
        return standardize(self.Y)

    @cached_property
    def nodes(self) -> np.ndarray:
        """The nodes whose rows are looked at, sorted."""
        return self._chosen[0]

    @cached_property
    def exact(self) -> bool:
        """Whether these are all nodes."""
        return self._chosen[1]

    @cached_property
    def _chosen(self) -> tuple[np.ndarray, bool]:
        rng = np.random.default_rng(self.seed)
        return sample_of(np.arange(len(self.Y)), self.sample, ROWS_ABOVE, ROWS_SAMPLED, rng)

    @cached_property
    def group(self) -> np.ndarray:
        """The group of each of `nodes`, (len(nodes),); all in group 0 where nothing is sampled."""
        m = len(self.nodes)
        if self.exact:
            return np.zeros(m, np.int64)
        return np.random.default_rng([self.seed, 1]).permutation(np.arange(m) % min(GROUPS, m))

    @cached_property
    def component(self) -> np.ndarray:
        """Number of the component of every node, (n,): between components no distance is defined."""
        from scipy.sparse.csgraph import connected_components

        d = self.distances
        if isinstance(d, (Hops, PathLengths)):
            return connected_components(d.adjacency if isinstance(d, Hops) else d.lengths, directed=False)[1]
        return np.zeros(len(self.Y), np.int32)

    def once(self, find: Callable[..., Part], *others: object) -> Part:
        """Return ``find(self, *others)``, found at the first call with these and kept."""
        key = find, *map(id, others)
        if key not in self._kept:
            self._kept[key] = find(self, *others), others  # kept too, so that no other object gets their number
        return self._kept[key][0]

    @cached_property
    def _kept(self) -> dict:
        return {}

    def estimate(self, of: Callable[[np.ndarray], float]) -> Sampled:
        """The value of a function of groups, a boolean mask, with its standard error."""
        count = int(self.group.max(initial=-1)) + 1
        if not count:
            return NOTHING
        value = of(np.ones(count, bool))
        if self.exact:
            return Sampled(value)
        return Sampled(value, jackknife(of, count, 1 - len(self.nodes) / len(self.Y)), exact=False)


def half_samples(of: Callable[[np.ndarray], float], count: int, share_left: float) -> float:
    """Standard error of ``of(every group)`` from its values for random halves of the groups; see `jackknife`.

    For values that jump, as at a best place that is looked for: leaving out one group at a time moves them too little.
    """
    if count < 2:
        return float("inf")
    rng, value = np.random.default_rng(count), of(np.ones(count, bool))
    halves = np.array([of(rng.permutation(count) < count // 2) for _ in range(HALVES)])
    return float(np.sqrt(((halves - value) ** 2).mean() * (count // 2) / (count - count // 2) * share_left))


def jackknife(of: Callable[[np.ndarray], float], count: int, share_left: float) -> float:
    """Standard error of ``of(every group)`` from its values when each of `count` groups is left out in turn.

    `share_left`: share of the population that was not sampled, by which the variance of a sample drawn without
    replacement is smaller.  Infinite below two groups.
    """
    if count < 2:
        return float("inf")
    without = np.array([of(np.arange(count) != g) for g in range(count)])
    return float(np.sqrt((count - 1) / count * ((without - without.mean()) ** 2).sum() * share_left))
