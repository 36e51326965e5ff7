"""Groups that a drawing shows: nodes with gaps around them that chance does not make.

A reader sees two groups where a gap is wide for the density of the points beside it.  So the gap between two
neighboring points counts relative to the larger of both local scales:

    x = distance / max(scale of one end, scale of the other end)

The local scale of a point is the median, over the point and its `NEAREST` nearest, of the distance to their
`NEAREST`-th nearest.  The minimum spanning tree of the Delaunay graph by x has the gaps that hold all points together.
As many points at uniform random places have gaps, too.  A gap of the tree parts two groups if it is wider than those,
at a false discovery rate of `LEVEL`.  Nodes that lie more evenly than random ones, as in a
lattice, have wider gaps everywhere: the gaps by chance are then shifted to the same median.  Small parts go back to
their neighbors.

Points at the same place count as one place.  Points on a line or in a plane are grouped along it.

Sources: Zahn, Graph-theoretical methods for detecting and describing gestalt clusters, IEEE Trans. Computers 20(1),
1971, for the tree; Benjamini & Hochberg, Controlling the false discovery rate, J. Royal Stat. Soc. B 57(1), 1995.

>>> rng = np.random.default_rng(0)
>>> Y = rng.random((200, 2)) + np.repeat([0, 2], 100)[:, None]
>>> label = drawn_groups(Y)
>>> bool((label[:100] == label[0]).all() and (label[100:] == label[100]).all()), int(label.max()) + 1
(True, 2)
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array, csr_array

from nelayout.quality.distances import TIE, lengths, standardize
from nelayout.quality.edges import neighboring
from nelayout.trust.chance import LEVEL, discoveries, tail

__all__ = ["Surroundings", "drawn_groups", "groups_of", "smallest_group", "surroundings", "wide_gap"]

# Fewest places of a group.
MIN_PLACES = 5
# Neighbors that set the local scale of a point.
NEAREST = 6
# Share of the gaps in random points below the exponential tail.
BULK = 0.95
# Gaps in random points that are pooled, unless this takes more sets of points than the second number.
POOLED_GAPS, MAX_RANDOM_SETS = 10_000, 200
# Largest number of points of one random set: gaps are relative to the local scale, so more points have the same ones.
MAX_RANDOM_POINTS = 10_000


def smallest_group(n: int) -> int:
    """Return the fewest nodes of a group in a drawing of n nodes."""
    return max(MIN_PLACES, math.ceil(math.sqrt(n) / 3.0))


class Surroundings(NamedTuple):
    """Places of a drawing, and the gaps between neighboring places.

    places  different positions (m, d), along the d dimensions that they span
    place   place (n,) of each node
    count   nodes (m,) at each place
    scale   local scale (m,) of each place
    i, j    places at both ends of each Delaunay edge
    x       length of the edge over the local scale
    """

    places: np.ndarray
    place: np.ndarray
    count: np.ndarray
    scale: np.ndarray
    i: np.ndarray
    j: np.ndarray
    x: np.ndarray


def drawn_groups(Y: np.ndarray) -> np.ndarray:
    """Return the group (n,) of each node, largest first; Y has positions (n, dim), dim <= 3."""
    return groups_of(surroundings(Y))


def groups_of(around: Surroundings) -> np.ndarray:
    """Return the group (n,) of each node of a drawing, largest first."""
    n = len(around.place)
    if len(around.places) < 2 * MIN_PLACES:
        return np.zeros(n, dtype=np.int64)
    i, j, gap = _tree(around)
    cut = discoveries(tail(_chance(around, gap), gap, BULK)) <= LEVEL
    part = _joined(i, j, gap, cut, around.count, smallest_group(n))[around.place]
    # The largest group comes first; equal sizes come in the order of their first nodes.
    _, first, part, size = np.unique(part, return_index=True, return_inverse=True, return_counts=True)
    rank = np.empty(len(size), dtype=np.int64)
    rank[np.lexsort((first, -size))] = np.arange(len(size))
    return rank[part]


def surroundings(Y: np.ndarray) -> Surroundings:
    """Return the places of the positions Y (n, dim), and the gaps between neighboring ones."""
    from scipy.spatial import KDTree

    Y = standardize(Y)
    Y = standardize(Y - Y.sum(axis=0) / max(len(Y), 1))
    _, spread, axes = np.linalg.svd(Y, full_matrices=False)
    flat = Y @ axes[spread > spread.max(initial=0.0) * TIE].T
    flat = flat if flat.shape[1] else np.zeros((len(Y), 1))
    _, first, place, count = np.unique(
        np.rint(flat / TIE) + 0.0, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    flat = flat[first]
    i, j = neighboring(flat)
    if not len(i):
        return Surroundings(flat, place.ravel(), count, np.ones(len(flat)), i, j, np.zeros(0))
    far, near = KDTree(flat).query(flat, k=min(NEAREST, len(flat) - 1) + 1, workers=-1)
    scale = np.median(far[:, -1][near], axis=1)  # over the place itself as well
    return Surroundings(flat, place.ravel(), count, scale, i, j, lengths(flat, i, j) / np.maximum(scale[i], scale[j]))


def _tree(around: Surroundings) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the edges (i, j, x) of the minimum spanning tree of all places by x."""
    from scipy.sparse.csgraph import minimum_spanning_tree

    m = len(around.places)
    ends = around.i.astype(np.int32), around.j.astype(np.int32)  # SciPy before 1.15 takes no others
    tree = coo_array(minimum_spanning_tree(csr_array((around.x, ends), shape=(m, m))))
    return tree.row, tree.col, tree.data


def wide_gap(around: Surroundings) -> float:
    """Return the gap that chance exceeds in 1 - `BULK` of all gaps; infinite for one place."""
    if len(around.places) < 2:
        return math.inf
    return float(np.quantile(_chance(around, _tree(around)[2]), BULK))


def _chance(around: Surroundings, gap: np.ndarray) -> np.ndarray:
    """Return gaps by chance; nodes more even than random points have wider ones."""
    null = _random_gaps(*around.places.shape)
    return null + max(0.0, float(np.median(gap) - np.median(null)))


@cache
def _random_gaps(n: int, dim: int) -> np.ndarray:
    """Return the gaps of the trees of n uniform random points, sorted, several sets pooled."""
    n = min(n, MAX_RANDOM_POINTS)
    rng, sets = np.random.default_rng(0), min(MAX_RANDOM_SETS, -(-POOLED_GAPS // max(n - 1, 1)))
    return np.sort(np.concatenate([_tree(surroundings(rng.random((n, dim))))[2] for _ in range(sets)]))


def _joined(
    i: np.ndarray, j: np.ndarray, x: np.ndarray, cut: np.ndarray, count: np.ndarray, smallest: int
) -> np.ndarray:
    """Return the part (m,) of each place in a cut tree; small parts go back."""
    from scipy.sparse.csgraph import connected_components

    whole = csr_array((np.ones(np.sum(~cut)), (i[~cut], j[~cut])), shape=(len(count), len(count)))
    parts, label = connected_components(whole, directed=False)
    size, root = np.bincount(label, count, parts).tolist(), list(range(parts))

    def root_of(part: int) -> int:
        while root[part] != part:
            root[part] = root[root[part]]
            part = root[part]
        return part

    i, j, x = i[cut], j[cut], x[cut]
    for e in np.argsort(x, kind="stable").tolist():
        a, b = root_of(label[i[e]]), root_of(label[j[e]])
        if min(size[a], size[b]) < smallest:
            root[b] = a
            size[a] += size[b]
    return np.array([root_of(part) for part in range(parts)], dtype=np.int64)[label]
