"""Whether the clusters that a drawing shows are the classes.

Four nodes at 0, 1, 8, 9 fall into two clusters. Are their classes a, a, b, b, the two partitions agree: adjusted Rand
index 1. Are they a, b, a, b, no pair is together in both, fewer than by chance: -1/2.
"""

from __future__ import annotations

import numpy as np

from nelayout.quality.distances import standardize
from nelayout.quality.protocol import CHANCE, SIMILARITY, Measure
from nelayout.quality.samples import NOTHING, Sampled, sample_of

__all__ = ["CLASS_ARI", "adjusted_rand", "class_ari", "k_means"]

# Centers are found from all nodes up to 20,000; beyond from 5,000, in this many samples.
SAMPLE_ABOVE, SAMPLE, RUNS = 20_000, 5_000, 8
# Starts, of which the best counts, and most steps of each: k-means rests after some 20 steps on clustered drawings.
STARTS, STEPS = 10, 100
# Starts of each clustering of a sample, of which there are several.
SAMPLE_STARTS = 4


def class_ari(
    Y: np.ndarray, classes: np.ndarray, sample: str | int | None = "auto", seed: int = 0
) -> Sampled:
    """Adjusted Rand index of the classes and of as many clusters of positions by k-means, at most 1, 0 by chance.

    `classes` (n,): integers, -1 unknown; nodes of unknown class take no part. NaN below two classes, or where every
    node is a class of its own. A sampled value is the mean over eight clusterings, each with the centers of a sample of
    its own and of all nodes; its error is the standard deviation between them.
    """
    known = np.asarray(classes) >= 0
    Y, classes = standardize(np.asarray(Y)[known]), np.asarray(classes)[known]
    rng = np.random.default_rng(seed)
    names, labels = np.unique(classes, return_inverse=True)
    if len(names) < 2 or len(names) == len(labels):
        return NOTHING
    found = []
    for _ in range(RUNS):
        nodes, exact = sample_of(np.arange(len(labels)), sample, SAMPLE_ABOVE, SAMPLE, rng)
        starts = STARTS if exact else SAMPLE_STARTS
        found.append(adjusted_rand(labels, k_means(Y, len(names), rng, nodes, starts)))
        if exact:
            return Sampled(found[0])
    return Sampled(float(np.mean(found)), float(np.std(found, ddof=1)), exact=False)


def adjusted_rand(first: np.ndarray, second: np.ndarray) -> float:
    """Adjusted Rand index of two partitions, integers (n,) each (Hubert and Arabie 1985); 1 where both are
    trivial.

    >>> round(adjusted_rand(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])), 9)
    -0.5
    """

    def pairs(numbers: np.ndarray) -> float:
        count = np.unique(numbers, return_counts=True)[1].astype(np.float64)
        return float((count * (count - 1)).sum() / 2)

    n = len(first)
    together = pairs(first.astype(np.int64) * (int(second.max()) + 1) + second)
    in_first, in_second = pairs(first), pairs(second)
    expected = in_first * in_second / (n * (n - 1) / 2)
    room = (in_first + in_second) / 2 - expected
    return (together - expected) / room if room > 0 else 1.0


def k_means(
    Y: np.ndarray, k: int, rng: np.random.Generator, nodes: np.ndarray | None = None, starts: int = STARTS
) -> np.ndarray:
    """Clusters (n,) of the positions by Lloyd's steps from the best of several starts by k-means++.

    Fewer than k clusters where there are fewer different positions. With `nodes`, centers are those of their positions.
    """
    from scipy.spatial import KDTree

    some = Y if nodes is None else Y[nodes]
    best, least = some[:1], np.inf
    for _ in range(starts):
        centers, cost = _spread_out(some, k, rng), np.inf
        for _ in range(STEPS):
            distance, cluster = KDTree(centers).query(some)
            before, cost = cost, float((np.asarray(distance) ** 2).sum())
            if cost >= before * (1 - 1e-12):
                break
            size = np.bincount(cluster, minlength=len(centers))
            sums = np.column_stack([np.bincount(cluster, weights=y, minlength=len(centers)) for y in some.T])
            centers = sums[size > 0] / size[size > 0, None]
        if cost < least:
            best, least = centers, cost
    return np.asarray(KDTree(best).query(Y)[1], np.int64)


def _spread_out(Y: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """k positions, each drawn with a chance in proportion to its squared distance from those before."""
    chosen = [int(rng.integers(len(Y)))]
    apart = np.full(len(Y), np.inf)
    for _ in range(k - 1):
        apart = np.minimum(apart, ((Y - Y[chosen[-1]]) ** 2).sum(axis=1))
        total = apart.sum()
        if total <= 0:
            break
        chosen.append(int(rng.choice(len(Y), p=apart / total)))
    return Y[chosen]


CLASS_ARI = Measure(
    "class_ari",
    "adjusted Rand index of the classes and of as many clusters of positions by k-means (best of 10 starts)",
    class_ari, ("Y", "classes", "sample", "seed"), CHANCE,
    invariances=SIMILARITY, complexity="O(n log c) a step for c classes",
    sampling="the centers of 5,000 nodes, eight times, above 20,000", default_for=(),
    source="Hubert & Arabie 1985",
)  # fmt: skip
