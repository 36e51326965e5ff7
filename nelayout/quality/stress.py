"""How well drawn distances follow the distances of the input.

Stress wants equal distances up to one factor, non-metric stress any increasing function of the input distance.
Spearman's correlation wants the same order, and distance correlation any dependence. The path a - b - c has distances
d = (1, 1, 2). Drawn at 0, 1, 1 it has drawn distances e = (1, 0, 1). The best factor is s = (1 + 1/2) / (1 + 1/4) =
1.2. The relative errors are (0.2, -1, -0.4), and the stress is their mean square 0.4.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nelayout.core.placing.components import component_labels
from nelayout.numerics.memory import warn_if_short
from nelayout.quality import samples
from nelayout.quality.distances import InputDistances, dense_levels, squared_from, standardize
from nelayout.quality.samples import NOTHING, Sample, Sampled, Sweep

__all__ = ["distance_correlation", "distance_stress", "nonmetric_stress", "spearman", "stress_sums"]

# Number of other nodes that Spearman's correlation and non-metric stress pair with each sampled node.
PARTNERS = 3_000
# Bytes that ranking needs for each pair.
PAIR_BYTES = 77


def distance_stress(distances: InputDistances, Y: np.ndarray, sample: Sample = "auto", seed: int = 0) -> Sampled:
    """Return the mean of ((s e_ij - d_ij) / d_ij)^2 at the best factor s, in [0, 1]; 0: best.

    d: distance in the input, e: in the drawing. Pairs without a path and pairs at distance 0 are left out. The best
    factor is s = sum(e/d) / sum(e^2/d^2). The value is 1 - sum(e/d)^2 / (N sum(e^2/d^2)); 1 if all nodes coincide.
    `sample` counts pivots. The standard error treats all pairs of one pivot as one draw.
    """
    Y, n = standardize(Y), len(Y)
    pivots, exact = samples.sample_of(np.arange(n), sample, samples.PIVOTS, np.random.default_rng(seed))
    sums = np.zeros((len(pivots), 3))
    for block in distances.blocks(pivots):
        for t, pivot, row in block:
            sums[t] = stress_sums(Y, pivot, np.where(np.isfinite(row), row, 0.0))
    first, second, pairs = sums.sum(axis=0).tolist()
    if not pairs:
        return NOTHING
    if not second:
        return Sampled(1.0, 0.0, exact=exact)
    value = max(1.0 - first / pairs * (first / second), 0.0)
    if exact:
        return Sampled(value)
    # Derivative of the value by one pivot's sums (delta method).
    slope = np.array([-2 * first / (pairs * second), (first / second) ** 2 / pairs, (first / pairs) ** 2 / second])
    return Sampled(value, len(pivots) * samples.standard_error((sums * slope).sum(axis=1), n), exact=False)


def stress_sums(Y: np.ndarray, pivot: Any, hops: np.ndarray) -> tuple[float, float, int]:
    """Return sum e / d, sum (e / d)^2 and the number of nodes at d > 0 from a pivot or pivots."""
    away = hops > 0
    apart = Y - Y[pivot][..., None, :]
    ratio = np.sqrt(np.einsum("...j,...j->...", apart, apart)) / np.where(away, hops, 1)
    ratio[~away] = 0.0
    return float(np.sum(ratio)), float(np.sum(ratio * ratio)), int(np.count_nonzero(away))


class Pairs(NamedTuple):
    """Distances of p pairs in input and drawing, and the group of each pair's sampled node."""

    d: np.ndarray
    e: np.ndarray
    of: np.ndarray


def pairs_of(sweep: Sweep) -> Pairs:
    """Return every pair once if all nodes are taken, else up to 3,000 pairs a sampled node."""
    n, rng = len(sweep.Y), np.random.default_rng([sweep.seed, 2])
    if sweep.exact:
        remedy = 'sample="auto" looks at 300 nodes and tells the standard error'
        warn_if_short(PAIR_BYTES * n * (n - 1) // 2, f"ranking the distances of all pairs of {n:,} nodes", remedy)
    parts: list[tuple[np.ndarray, ...]] = [(np.zeros(0), np.zeros(0), np.zeros(0, np.int8))]
    for block in sweep.distances.blocks(sweep.nodes):
        for t, node, row in block:
            if sweep.exact:
                others = np.arange(node + 1, n)
            elif n - 1 <= PARTNERS:
                others = np.delete(np.arange(n), node)
            else:
                others = rng.choice(n - 1, PARTNERS, replace=False)
                others += others >= node
            others = others[np.isfinite(row[others])]
            drawn = np.sqrt(squared_from(sweep.Y, node)[others])
            parts.append((row[others], drawn, np.full(len(others), sweep.group[t], np.int8)))
    return Pairs(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def spearman(sweep: Sweep) -> Sampled:
    """Return Spearman's rank correlation of input and drawn distances; ties get mean ranks."""
    pairs = sweep.once(pairs_of, sweep)
    if not len(pairs.d):
        return NOTHING
    sides = [dense_levels(pairs.d), dense_levels(pairs.e)]

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
    """Return Kruskal's stress-1, sqrt(sum (e - f(d))^2 / sum e^2), at the best increasing f.

    Pairs with equal d have equal f(d) (Kruskal's secondary approach to ties). 1 if all nodes coincide.
    """
    pairs = sweep.once(pairs_of, sweep)
    if not len(pairs.d):
        return NOTHING
    levels, count = dense_levels(pairs.d)

    def kruskal(kept: np.ndarray) -> float:
        from scipy.optimize import isotonic_regression

        inside = slice(None) if kept.all() else kept[pairs.of]
        level, e = levels[inside], pairs.e[inside]
        size = np.bincount(level, minlength=count)
        there = size > 0
        mean = np.bincount(level, weights=e, minlength=count)[there] / size[there]
        fitted = np.zeros(count)
        fitted[there] = isotonic_regression(mean, weights=size[there]).x
        total = (e * e).sum()
        return float(np.sqrt(((e - fitted[level]) ** 2).sum() / total)) if total > 0 else 1.0

    return sweep.estimate(kruskal)


def distance_correlation(sweep: Sweep) -> Sampled:
    """Return the distance correlation in the largest component, in [0, 1].

    d_i and e_i are row means of the distances d and e. dCov^2(d, e) = mean(d e) - 2 mean(d_i e_i) + mean(d) mean(e).
    The value is the root of dCov^2(d, e) / (dCov(d, d) dCov(e, e)); 0 if all nodes coincide, NaN below two nodes.
    """
    graph = sweep.distances.graph
    inside = np.arange(len(sweep.Y)) if graph is None else np.flatnonzero(component_labels(graph) == 0)
    n, rng = len(inside), np.random.default_rng([sweep.seed, 3])
    if n < 2:
        return NOTHING
    nodes, exact = samples.sample_of(inside, sweep.sample, samples.ROWS, rng)
    sums = np.zeros((5, len(nodes)))
    for block in sweep.distances.blocks(nodes):
        for t, node, row in block:
            d, e = row[inside], np.sqrt(squared_from(sweep.Y, node)[inside])
            sums[:, t] = d.sum(), e.sum(), (d * d).sum(), (d * e).sum(), (e * e).sum()
    d, e, dd, de, ee = sums / n
    group = samples.groups_of(len(nodes), exact, rng)

    def correlation(kept: np.ndarray) -> float:
        some = kept[group]

        def covariance(product: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
            return float(product[some].mean() - 2 * (a[some] * b[some]).mean() + a[some].mean() * b[some].mean())

        both = covariance(dd, d, d) * covariance(ee, e, e)
        if both <= 0:
            return 0.0
        return float(np.sqrt(min(max(covariance(de, d, e), 0.0) / np.sqrt(both), 1.0)))

    return samples.value_of_groups(correlation, group, len(nodes) / n)
