"""How well drawn distances follow the distances of the input: by order, by any rising function, by dependence.

The path a - b - c drawn at 0, 1, 3 has drawn distances 1 and 2 for two pairs one edge apart, and 3 for the pair two
edges apart: the order agrees as far as ties allow, and what a rising function of the distance in the graph cannot tell
is the difference between 1 and 2: non-metric stress sqrt(0.5 / 14).

Beside stress they ask for less: Spearman's correlation and non-metric stress read only the order of the distances in
the input, distance correlation asks for any dependence.
"""

from __future__ import annotations

import numpy as np

from nelayout.quality.pairs import Pairs, levels_of, pairs_of, products_of
from nelayout.quality.protocol import CHANCE, MONOTONE, REST, SIMILARITY, VALUE, Measure
from nelayout.quality.samples import NOTHING, Sampled
from nelayout.quality.sweep import Sweep, jackknife

__all__ = [
    "DISTANCE_CORRELATION", "NONMETRIC_STRESS", "SPEARMAN", "distance_correlation", "nonmetric_stress", "spearman",
]  # fmt: skip


def spearman(sweep: Sweep) -> Sampled:
    """Spearman's rank correlation of distances in the input and in the drawing, over pairs, in [-1, 1].

    Tied distances have the mean of their ranks. NaN where all distances of one side are equal.
    """
    pairs = sweep.once(pairs_of)
    if not len(pairs.d):
        return NOTHING
    sides = [levels_of(pairs.d), levels_of(pairs.e)]

    def correlation(kept: np.ndarray) -> float:
        inside = slice(None) if kept.all() else kept[pairs.of]
        ranks = []
        for level, count in sides:
            here = level[inside]
            size = np.bincount(here, minlength=count)
            ranks.append((np.cumsum(size) - (size - 1) / 2)[here])
            ranks[-1] -= ranks[-1].mean()
        spread = np.sqrt((ranks[0] ** 2).sum() * (ranks[1] ** 2).sum())
        return float((ranks[0] * ranks[1]).sum() / spread) if spread > 0 else float("nan")

    return sweep.estimate(correlation)


def nonmetric_stress(sweep: Sweep) -> Sampled:
    """Kruskal's stress-1, sqrt(sum (e - f(d))^2 / sum e^2) at the rising f that makes it least, in [0, 1].

    e: distance in the drawing, d: in the input; pairs with the same d have the same f(d) (Kruskal's secondary approach
    to ties: all pairs two edges apart should be equally far). 1 where all nodes coincide.
    """
    pairs = sweep.once(pairs_of)
    if not len(pairs.d):
        return NOTHING
    level, count = levels_of(pairs.d)
    return sweep.estimate(lambda kept: _kruskal(pairs, level, count, kept))


def _kruskal(pairs: Pairs, level: np.ndarray, count: int, kept: np.ndarray) -> float:
    from scipy.optimize import isotonic_regression

    inside = slice(None) if kept.all() else kept[pairs.of]
    level, e = level[inside], pairs.e[inside]
    size = np.bincount(level, minlength=count)
    there = size > 0
    mean = np.bincount(level, weights=e, minlength=count)[there] / size[there]
    fitted = np.zeros(count)
    fitted[there] = isotonic_regression(mean, weights=size[there]).x
    total = (e * e).sum()
    return float(np.sqrt(((e - fitted[level]) ** 2).sum() / total)) if total > 0 else 1.0


def distance_correlation(sweep: Sweep) -> Sampled:
    """Distance correlation of the input and the drawing, in [0, 1]: 0 where they are independent.

    With distances d and e, row means d_i, e_i and overall means, dCov^2(d, e) = mean(d e) - 2 mean(d_i e_i) + mean(d)
    mean(e), and the value is the root of dCov^2(d, e) / (dCov(d, d) dCov(e, e)). It needs the distances of all pairs,
    so of a graph that falls apart only the largest component counts. 0 where all nodes coincide, NaN below two nodes.
    """
    sums = sweep.once(products_of)
    if sums.size < 2 or not len(sums.d):
        return NOTHING
    n = sums.size

    def correlation(kept: np.ndarray) -> float:
        inside = kept[sums.of]
        d, e = sums.d[inside] / n, sums.e[inside] / n

        def covariance(product: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
            return float(product[inside].mean() / n - 2 * (a * b).mean() + a.mean() * b.mean())

        both = covariance(sums.dd, d, d) * covariance(sums.ee, e, e)
        if both <= 0:
            return 0.0
        return float(np.sqrt(min(max(covariance(sums.de, d, e), 0.0) / np.sqrt(both), 1.0)))

    count = int(sums.of.max()) + 1
    value = correlation(np.ones(count, bool))
    if sums.exact:
        return Sampled(value)
    return Sampled(value, jackknife(correlation, count, 1 - len(sums.d) / n), exact=False)


COST = "O(n^2 log n), sampled O(n) a node"
PAIRS = "300 nodes, each with 3,000 others, above 5,000 nodes"

SPEARMAN = Measure(
    "spearman",
    "Spearman's rank correlation of the distances in the input and in the drawing, over pairs that a path joins",
    spearman, ("sweep",), CHANCE,
    invariances=(*SIMILARITY, MONOTONE), complexity=COST, sampling=PAIRS, default_for=("vectors",),
    source="Spearman 1904; of a Shepard diagram (Shepard 1962)",
)  # fmt: skip
NONMETRIC_STRESS = Measure(
    "nonmetric_stress",
    "root of the share of squared drawn distances that no rising function of the distances in the input gives, over "
    "pairs that a path joins",
    nonmetric_stress, ("sweep",), REST,
    invariances=(*SIMILARITY, MONOTONE), complexity=COST, sampling=PAIRS, default_for=(),
    source="Kruskal 1964, stress-1 with the secondary approach to ties",
)  # fmt: skip
DISTANCE_CORRELATION = Measure(
    "distance_correlation",
    "distance correlation of the input and the drawing, in the largest component",
    distance_correlation, ("sweep",), VALUE,
    invariances=SIMILARITY, complexity="O(n^2), sampled O(n) a node",
    sampling="the distances of 300 nodes from all others in a component above 5,000", default_for=(),
    source="Szekely, Rizzo & Bakirov 2007",
)  # fmt: skip
