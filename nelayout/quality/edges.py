"""Even edges and distinct nodes.

The path a - b - c drawn at 0, 1, 3 has edges of length 1 and 2: mean 1.5, standard deviation 0.5, variation
1/3.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from nelayout.quality.distances import lengths, standardize
from nelayout.quality.protocol import AFFINE, BOTH, EVENNESS, OTHER_NODES, SIMILARITY, VALUE, Measure
from nelayout.quality.samples import NOTHING, Sampled

__all__ = [
    "COINCIDENT",
    "EDGE_LENGTH_VARIATION",
    "RESOLUTION",
    "coincident_nodes",
    "edge_length_variation",
    "edges",
    "node_resolution",
]


def edge_length_variation(adjacency: csr_array, Y: np.ndarray) -> Sampled:
    """Standard deviation of the edges' drawn lengths over their mean, >= 0, lower is more even.

    NaN without edges and where every edge has length 0.
    """
    i, j = edges(adjacency)
    length = lengths(standardize(Y), i, j)
    if not len(length) or not length.any():
        return NOTHING
    return Sampled(float(length.std() / length.mean()))


def coincident_nodes(Y: np.ndarray) -> Sampled:
    """Number of nodes that share their exact position with another node."""
    _, inverse, count = np.unique(np.asarray(Y), axis=0, return_inverse=True, return_counts=True)
    return Sampled(float((count[inverse.ravel()] > 1).sum()))


def node_resolution(Y: np.ndarray) -> Sampled:
    """Smallest distance between two nodes over the median distance to the nearest node, in [0, 1].

    1: all nodes have the same distance to their nearest node; 0: two nodes coincide. NaN below two nodes.
    """
    from scipy.spatial import KDTree

    Y = standardize(Y)
    if len(Y) < 2:
        return NOTHING
    gap = KDTree(Y).query(Y, k=2, workers=-1)[0][:, 1]
    typical = np.median(gap)
    return Sampled(float(gap.min() / typical) if typical > 0 else 0.0)


def edges(adjacency: csr_array) -> tuple[np.ndarray, np.ndarray]:
    """Each undirected edge once, as index arrays (i, j) with i < j."""
    i = np.repeat(np.arange(len(adjacency.indptr) - 1), np.diff(adjacency.indptr))
    once = i < adjacency.indices
    return i[once], adjacency.indices[once].astype(np.int64)


EDGE_LENGTH_VARIATION = Measure(
    "edge_length_variation",
    "standard deviation of the edges' lengths over their mean",
    edge_length_variation,
    ("adjacency", "Y"),
    EVENNESS,
    invariances=SIMILARITY,
    complexity="O(m)",
    source="edge length variation of Haleem et al. 2019, without their division by sqrt(m - 1)",
)
COINCIDENT = Measure(
    "coincident",
    "nodes that share their exact position with another",
    coincident_nodes,
    ("Y",),
    OTHER_NODES,
    invariances=AFFINE,
    complexity="O(n log n)",
    source="this package",
    default_for=BOTH,
)
RESOLUTION = Measure(
    "resolution",
    "smallest distance between two nodes over the median distance to the nearest node: near 0 two nodes hide each "
    "other, far above it says nothing more (nodes on a circle have 1)",
    node_resolution,
    ("Y",),
    VALUE,
    invariances=SIMILARITY,
    complexity="O(n log n)",
    source="node resolution, here over the median of the nearest distances and not over the diameter",
)
