"""Even edges, distinct nodes, discs that overlap, and the shape of a drawing.

The eye joins near nodes with nothing between them. The Gabriel graph joins two nodes if the disc on their line as
diameter has no other node, also on its border. The relative neighborhood graph joins them unless a node is nearer to
both than they are to each other. A square has its sides in both graphs. Its diagonals are in neither: their discs have
the other corners on the border. A node that shares its position with another has no neighbors in either graph.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from nelayout.core.placing.overlap import near_pairs
from nelayout.numerics.blocks import rows_at_once
from nelayout.quality.distances import TIE, lengths, standardize
from nelayout.quality.samples import NOTHING, Sampled, Sweep, mean_of

__all__ = [
    "coincident_nodes", "edge_length_variation", "edges", "gabriel_graph", "node_resolution", "overlapping_nodes",
    "relative_graph", "shape_agreement",
]  # fmt: skip


def edges(adjacency: csr_array) -> tuple[np.ndarray, np.ndarray]:
    """Return each undirected edge once, as index arrays (i, j) with i < j."""
    i = np.repeat(np.arange(len(adjacency.indptr) - 1), np.diff(adjacency.indptr))
    once = i < adjacency.indices
    return i[once], adjacency.indices[once].astype(np.int64)


def edge_length_variation(adjacency: csr_array, Y: np.ndarray) -> Sampled:
    """Return the standard deviation of drawn edge lengths over their mean; NaN if all are 0."""
    length = lengths(standardize(Y), *edges(adjacency))
    return Sampled(float(length.std() / length.mean())) if length.any() else NOTHING


def coincident_nodes(Y: np.ndarray) -> Sampled:
    """Return the number of nodes that share their exact position with another node."""
    _, inverse, count = np.unique(np.asarray(Y), axis=0, return_inverse=True, return_counts=True)
    return Sampled(float((count[inverse.ravel()] > 1).sum()))


def node_resolution(Y: np.ndarray) -> Sampled:
    """Return the smallest node distance over the median nearest-node distance, in [0, 1]."""
    from scipy.spatial import KDTree

    Y = standardize(Y)
    if len(Y) < 2:
        return NOTHING
    gap = KDTree(Y).query(Y, k=2, workers=-1)[0][:, 1]
    typical = np.median(gap)
    return Sampled(float(gap.min() / typical) if typical > 0 else 0.0)


def overlapping_nodes(Y: np.ndarray, diameters: np.ndarray) -> Sampled:
    """Return the number of nodes with discs that overlap: |y_i - y_j| < (s_i + s_j) / 2.

    `diameters` (n,) in the units of `Y`, >= 0. Discs that touch do not overlap, up to rounding.
    """
    Y, radius = np.asarray(Y, np.float64), np.asarray(diameters, np.float64) / 2 * (1 - 1e-9)
    struck, discs = np.zeros(len(Y), bool), np.flatnonzero(radius > 0)
    for i, j in near_pairs(Y[discs], radius[discs]) if len(discs) else ():
        struck[discs[i]] = struck[discs[j]] = True
    return Sampled(float(struck.sum()))


def shape_agreement(sweep: Sweep, adjacency: csr_array, *, relative: bool = False) -> Sampled:
    """Return the mean Jaccard index of a node's neighbors in graph and shape, in [0, 1]."""
    i, j = sweep.once(gabriel_graph, sweep.Y)
    if relative:
        i, j = relative_graph(sweep.Y, i, j)
    degree, n = np.diff(adjacency.indptr), adjacency.shape[0]
    shape = csr_array((np.ones(2 * len(i)), (np.r_[i, j], np.r_[j, i])), shape=(n, n))
    graph = csr_array((np.ones(adjacency.nnz), adjacency.indices, adjacency.indptr), shape=(n, n))
    both = np.asarray(graph.multiply(shape).sum(axis=1)).ravel()
    either, asked = degree + np.diff(shape.indptr) - both, degree > 0
    return mean_of(both[asked] / either[asked], int(asked.sum()), exact=True)


def gabriel_graph(Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the Gabriel edges (i, j), i < j, of positions (n, dim), dim 1 to 3; closed discs."""
    from scipy.spatial import KDTree

    places, first, count = np.unique(standardize(Y), axis=0, return_index=True, return_counts=True)
    i, j = neighboring(places)
    keep = (count[i] == 1) & (count[j] == 1)
    i, j = i[keep], j[keep]
    if len(i) and len(places) > 2:
        radius = lengths(places, i, j) / 2
        third = KDTree(places).query((places[i] + places[j]) / 2, k=3, workers=-1)[0][:, 2]
        free = third > radius * (1 + TIE)
        i, j = i[free], j[free]
    low, high = np.minimum(first[i], first[j]), np.maximum(first[i], first[j])
    order = np.lexsort((high, low))
    return low[order], high[order]


def relative_graph(Y: np.ndarray, i: np.ndarray, j: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the Gabriel edges (i, j) with empty open lunes: the relative neighborhood graph."""
    from scipy.spatial import KDTree

    Y = standardize(Y)
    if not len(i):
        return i, j
    tree, apart = KDTree(Y), lengths(Y, i, j)
    blocked = np.zeros(len(i), bool)
    size = rows_at_once(1000)  # lists of some ten numbers of Python
    for start in range(0, len(i), size):
        part = slice(start, start + size)
        # The lune of two points at distance 1 is within sqrt(3) / 2 of their middle.
        balls = tree.query_ball_point((Y[i[part]] + Y[j[part]]) / 2, apart[part] * np.sqrt(0.75), workers=-1)
        edge = np.repeat(np.arange(len(balls)), [len(ball) for ball in balls]) + start
        third = np.concatenate([np.asarray(ball, np.int64) for ball in balls])
        others = (third != i[edge]) & (third != j[edge])
        edge, third = edge[others], third[others]
        nearer = np.maximum(lengths(Y, i[edge], third), lengths(Y, j[edge], third)) < apart[edge] * (1 - TIE)
        blocked[edge[nearer]] = True
    return i[~blocked], j[~blocked]


def neighboring(places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return Delaunay pairs of different positions; they include every Gabriel edge."""
    from scipy.spatial import Delaunay

    n = len(places)
    if n < 2:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    centered = places - places.mean(axis=0)
    # Positions on a line or in a plane have no triangulation in the full space, so their coordinates along it are used.
    _, spread, axes = np.linalg.svd(centered, full_matrices=False)
    flat = centered @ axes[spread > spread[0] * TIE].T
    if flat.shape[1] == 1:
        order = np.argsort(flat[:, 0])
        return order[:-1], order[1:]
    if n <= flat.shape[1] + 1:
        i, j = np.triu_indices(n, 1)
        return i, j
    found = Delaunay(flat)
    simplex = found.simplices.astype(np.int64)
    a, b = np.triu_indices(simplex.shape[1], 1)
    # Positions that rounding left out of the triangulation are joined with the corners around them.
    out, around, _ = found.coplanar.astype(np.int64).reshape(-1, 3).T
    i = np.concatenate([simplex[:, a].ravel(), np.repeat(out, simplex.shape[1])])
    j = np.concatenate([simplex[:, b].ravel(), simplex[around].ravel()])
    code = np.unique(np.minimum(i, j) * n + np.maximum(i, j))
    return code // n, code % n
