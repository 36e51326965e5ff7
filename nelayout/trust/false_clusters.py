"""Drawn groups that the data do not have: small neighborhoods draw clusters into noise.

A drawing of a table joins each row with a few nearest rows.  With few neighbors, noise falls into groups: each row is
near some others by chance.  Drawings at larger neighborhoods, the references, keep groups of the data and dissolve
these.  A drawn group is kept by a reference if one of the reference's groups has a Jaccard index of `DISSOLVED` or more
with it.  Below, more of the union differs than agrees (Hennig 2008).  A group that half of the references keep is
believed.

Noise also makes knots: a few nodes much nearer to each other than to others, too small for a group.  `clumpiness` is
the median of the distance to the 3rd nearest over the distance to the 12th nearest, in standard deviations of the same
in as many uniform random points.

Source: Hennig, Dissolution point and isolation robustness: robustness criteria for general cluster analysis methods,
J. Multivariate Analysis 99(6), 2008.

>>> rng = np.random.default_rng(0)
>>> three = rng.random((180, 2)) + np.repeat([[0, 0], [2, 0], [0, 2]], 60, axis=0)
>>> found, notes = false_clusters(three, rng.random((4, 180, 2)))
>>> [len(cluster.nodes) for cluster in found]
[60, 60, 60]
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from nelayout.trust.groups import drawn_groups, surroundings
from nelayout.trust.records import Cluster

__all__ = ["clumpiness", "false_clusters"]

# Jaccard index below which a group is dissolved.
DISSOLVED = 0.5
# Nearest nodes that show knots, and those that show the density around.
KNOT, AROUND = 3, 12
# Random sets of points that a drawing's clumpiness is compared with.
RANDOM_SETS = 20
# Standard deviations of random points beyond which a drawing is clumpy.
CLUMPY = -3.0


def false_clusters(Y: np.ndarray, references: Sequence[np.ndarray]) -> tuple[tuple[Cluster, ...], tuple[str, ...]]:
    """Return the drawn groups that dissolve at larger neighborhoods, worst first, and notes.

    Parameters
    ----------
    Y : array (n, dim)
        the drawing of a table, dim at most 3
    references : sequence of arrays (n, dim)
        drawings of the same table at larger neighborhoods
    """
    group = drawn_groups(Y)
    if not len(references) or not len(Y):
        return (), ()
    found = []
    if group.max() > 0:
        kept = np.array([_best_jaccard(group, drawn_groups(each)) for each in references])
        for k in np.flatnonzero(np.mean(kept < DISSOLVED, axis=0) > 0.5).tolist():
            jaccard = float(np.median(kept[:, k]))
            found.append(Cluster(tuple(np.flatnonzero(group == k).tolist()), 1.0 - jaccard, jaccard, ""))
        found.sort(key=lambda each: (-each.score, -len(each.nodes), each.nodes))
    knots = clumpiness(Y) < CLUMPY <= np.median([clumpiness(each) for each in references])
    notes = ("rows lie in knots of a few, and drawings at larger neighborhoods do not show these knots",)
    return tuple(found), notes if knots else ()


def _best_jaccard(group: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the best Jaccard index of each group with a group, or its parts, elsewhere.

    The parts of a group are the groups of the other drawing that lie mostly in it: a group that the other drawing
    shows in several parts does not dissolve.
    """
    many = int(other.max()) + 1
    pair, both = np.unique(group * many + other, return_counts=True)
    a, b = np.divmod(pair, many)
    own, size = np.bincount(group), np.bincount(other)[b]
    best = np.zeros(len(own))
    np.maximum.at(best, a, both / (own[a] + size - both))
    part = both > size / 2
    shared, whole = (np.bincount(a[part], each[part], len(own)) for each in (both, size))
    return np.maximum(best, shared / (own + whole - shared))


def clumpiness(Y: np.ndarray) -> float:
    """Return how near the `KNOT`-th nearest is beside random points; negative is clumpy.

    The unit is one standard deviation of random points.  0 for fewer than `AROUND` + 1 different positions.
    """
    places = surroundings(Y).places
    if len(places) <= AROUND:
        return 0.0
    mean, spread = _random_knots(len(places), places.shape[1])
    return (_knots(places) - mean) / spread


def _knots(places: np.ndarray) -> float:
    from scipy.spatial import KDTree

    far, _ = KDTree(places).query(places, k=AROUND + 1, workers=-1)  # first the place itself
    return float(np.median(far[:, KNOT] / far[:, AROUND]))


@cache
def _random_knots(n: int, dim: int) -> tuple[float, float]:
    """Return the mean and the standard deviation of `_knots` of n uniform random points."""
    rng = np.random.default_rng(0)
    found = [_knots(rng.random((n, dim))) for _ in range(RANDOM_SETS)]
    return float(np.mean(found)), float(np.std(found, ddof=1))
