"""Parting: nodes that hide each other in a picture move apart but keep their neighbors.

Four of the five members of a clique that share all their neighbors end up on one point.  Moved apart by the width of a
dot they are visible, and are still each other's nearest.  The nodes of a ring of 1,000 are also nearer to each other
than a dot is wide.  But side by side they would lose their order, so they stay.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from nelayout.core.passes.tidiness import crossings, step_between
from nelayout.core.placing.final import dot_diameter, dot_size, part_dots
from nelayout.numerics.breadth_first import COMPILED_ABOVE
from nelayout.quality.distances import nearest_in_tree
from nelayout.quality.edges import edges
from nelayout.quality.neighborhoods import jaccard_by_number, jaccard_of_nearest

__all__ = ["Neighborhoods", "separate_nodes"]

# Nodes in the comparison, neighbors of a hub in it, and nodes compared at a time.
# see tuning: SAMPLE, MOST_NEIGHBORS, BLOCK
SAMPLE, MOST_NEIGHBORS, BLOCK = 1000, 200, 100
# Minimum remaining share of the mean Jaccard index: cliques and clusters keep more, rings less.
# see tuning: KEPT
KEPT = 0.8
# Graphs of more nodes than the first have no room if more than this share would hide others: nothing is tried.
# see tuning: MANY, FULL
MANY, FULL = 1_000, 0.7
# Dots that do not fit are halved, down to this fraction of their size.
# see tuning: SMALLEST
SMALLEST = 1 / 8
# Growth of a picture's dots, as parting makes a drawing wider or less flat, from which it is parted once more.
# see tuning: WIDER
WIDER = 1.01


class Neighborhoods:
    """The neighbors of a sample of nodes, against which drawings of one graph are held."""

    def __init__(self, P: csr_array, seed: int = 0) -> None:
        self.P, self.degree = P, np.diff(P.indptr)
        some = np.random.default_rng(seed).permutation(np.flatnonzero(self.degree))[:SAMPLE]
        self.sample = some[np.lexsort([some, self.degree[some]])]  # a block of like degrees needs no more nearest nodes

    @cached_property
    def are_paths(self) -> bool:
        """Return True if most nodes have two unlinked neighbors, one of them with two as well."""
        two = np.flatnonzero(self.degree == 2)
        if 2 * len(two) <= len(self.degree):
            return False
        ends = self.P.indices[self.P.indptr[two][:, None] + np.arange(2)]
        joined = np.asarray(self.P[ends[:, 0], ends[:, 1]]).ravel() != 0
        return 2 * int(np.count_nonzero((self.degree[ends] == 2).any(axis=1) & ~joined)) > len(self.degree)

    def hidden(self, Y: np.ndarray) -> float:
        """Return the share of sampled nodes within a dot of another node of Y (n, d)."""
        from scipy.spatial import KDTree

        sides = Y.max(axis=0) - Y.min(axis=0)
        dot = dot_diameter(len(Y)) * float(sides.max()) / 2
        if not len(self.sample) or dot == 0.0:
            return 1.0
        nearest, _ = KDTree(Y).query(Y[self.sample], k=2)
        return float(np.mean(nearest[:, 1] < dot))

    def kept(self, Y: np.ndarray) -> float:
        """Return the mean Jaccard index of graph neighbors and nearest nodes of Y (n, d)."""
        n = len(Y)
        if not len(self.sample):
            return 1.0
        if n <= COMPILED_ABOVE:
            return float(np.mean(jaccard_by_number(self.P, self.sample, Y)))
        from scipy.spatial import KDTree

        tree, found = KDTree(Y), []
        for k in range(0, len(self.sample), BLOCK):
            nodes = self.sample[k : k + BLOCK]
            most = min(int(self.degree[nodes].max()), MOST_NEIGHBORS)
            found.append(jaccard_of_nearest(self.P, nodes, nearest_in_tree(tree, Y, nodes, most)))
        return float(np.mean(np.concatenate(found)))


def separate_nodes(Y: np.ndarray, neighborhoods: Neighborhoods, fixed: np.ndarray | None = None) -> np.ndarray:
    """Return Y (n, d) with its nodes moved apart by dots; ``fixed`` coordinates stay.

    A drawing without crossings gets none.  Dots are halved while parting costs neighborhoods.  If even small dots do,
    the drawing comes back unchanged.
    """
    unit = float(np.abs(Y).max(initial=0.0)) or 1.0
    X = Y / unit  # squares of coordinates stay within the range of floats
    whole = dot_size(X)
    if whole == 0.0 or neighborhoods.are_paths:
        return Y
    if len(X) > MANY and neighborhoods.hidden(X) > FULL:
        return Y
    size, before, free = whole, None, X.shape[1] == 2 and crossings(neighborhoods.P, X) == 0
    while size >= SMALLEST * whole:
        parted = part_dots(X, size, fixed)
        if np.array_equal(parted, X):
            break
        if (wider := dot_size(parted) / whole) > WIDER:
            parted = part_dots(parted, wider * size, fixed)
        if free:
            i, j = edges(neighborhoods.P)
            parted = (step_between(i, j, X, parted, np.zeros(len(i))) or (X,))[0]
        before = neighborhoods.kept(X) if before is None else before
        if neighborhoods.kept(parted) >= KEPT * before:
            return parted * unit
        size /= 2
    return Y

