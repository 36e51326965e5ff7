"""Stability: how much drawings of one graph differ that ought to be alike, such as those from several seeds.

A square and the same square with one corner moved: laid over each other as well as possible, they differ by a share of
their size; and who is next to whom may be the same in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from nelayout.quality.distances import nearest, standardize
from nelayout.quality.maps import map_r2
from nelayout.quality.samples import Sampled, sample_of

__all__ = ["neighbors_kept", "procrustes_apart"]

# Size of the neighborhoods that are compared, and nodes that are sampled above which number.
NEIGHBORS, SAMPLE_ABOVE, SAMPLE = 10, 20_000, 5_000


def procrustes_apart(drawings: Sequence[np.ndarray]) -> Sampled:
    """Mean over pairs of drawings (n, dim) of 1 - R^2, what is left after the best similarity transform; in [0, 1].

    It is the same whichever of the two is moved (Gower 1975; both brought to size 1). NaN where a drawing has all nodes
    in one place.
    """
    return _over_pairs(len(drawings), lambda a, b: 1 - map_r2(drawings[a], drawings[b]).value)


def neighbors_kept(drawings: Sequence[np.ndarray], sample: str | int | None = "auto", seed: int = 0) -> Sampled:
    """Mean over pairs of drawings (n, dim), and over nodes, of the Jaccard index of the 10 nearest; in [0, 1].

    Ties are broken at random; with fewer than 21 nodes, half of the others are compared.
    """
    n = len(drawings[0])
    k = max(min(NEIGHBORS, (n - 1) // 2), 1)
    if n < 2:
        return Sampled(float("nan"))
    rng = np.random.default_rng(seed)
    nodes, _ = sample_of(np.arange(n), sample, SAMPLE_ABOVE, SAMPLE, rng)
    lists = [np.sort(nearest(standardize(Y), nodes, k, rng), axis=1) for Y in drawings]
    row = np.arange(len(nodes))[:, None] * n
    codes = [(row + found).ravel() for found in lists]

    def index(a: int, b: int) -> float:
        shared = np.isin(codes[a], codes[b]).reshape(-1, k).sum(axis=1)
        return float((shared / (2 * k - shared)).mean())

    return _over_pairs(len(drawings), index)


def _over_pairs(count: int, of) -> Sampled:
    """Mean over pairs of drawings; its error for drawings in general comes from leaving out one at a time."""
    table = np.full((count, count), np.nan)
    for a, b in combinations(range(count), 2):
        table[a, b] = table[b, a] = of(a, b)
    pairs = table[np.triu_indices(count, 1)]
    if count < 3:
        return Sampled(float(pairs.mean()), float("inf"), exact=False)
    without = np.array(
        [np.delete(np.delete(table, g, 0), g, 1)[np.triu_indices(count - 1, 1)].mean() for g in range(count)]
    )
    error = np.sqrt((count - 1) / count * ((without - without.mean()) ** 2).sum())
    return Sampled(float(pairs.mean()), float(error), exact=False)
