"""Angles: between the edges at a node, and between edges that cross.

A node with three edges could have them 120 degrees apart. Drawn at 0, 90 and 180 degrees their smallest gap is 90, and
its resolution 90 / 120 = 3/4. Two edges that cross are told apart best when they cross at 90 degrees; at 30 degrees the
crossing counts 1/3.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from nelayout.quality.crossings import Segments, sampled_edges
from nelayout.quality.distances import standardize
from nelayout.quality.protocol import SIMILARITY, VALUE, Measure
from nelayout.quality.samples import NOTHING, Sampled, standard_error

__all__ = ["ANGULAR_RESOLUTION", "CROSSING_ANGLE", "angular_resolution", "crossing_angle"]


def angular_resolution(adjacency: csr_array, Y: np.ndarray) -> Sampled:
    """Mean over nodes of degree k >= 2 of the smallest angle between two of their edges over 360 / k degrees, in [0,
    1].

    1: at every node the edges are evenly spread. A node with an edge of length 0, which has no direction, counts 0. NaN
    where no node has two edges. `Y` is (n, 2).
    """
    Y = standardize(Y)
    degree = np.diff(adjacency.indptr).astype(np.int64)
    several = degree > 1
    if not several.any():
        return NOTHING
    node = np.repeat(np.arange(len(Y)), degree)
    apart = Y[adjacency.indices] - Y[node]
    angle = np.arctan2(apart[:, 1], apart[:, 0])
    order = np.lexsort((angle, node))
    node, angle = node[order], angle[order]
    gap = np.diff(angle, append=0.0)
    last = np.cumsum(degree)[degree > 0] - 1
    gap[last] = angle[last - degree[degree > 0] + 1] + 2 * np.pi - angle[last]
    smallest = np.full(len(Y), np.inf)
    np.minimum.at(smallest, node, np.maximum(gap, 0.0))
    smallest[np.repeat(np.arange(len(Y)), degree)[~apart.any(axis=1)]] = 0.0
    share = smallest[several] * degree[several] / (2 * np.pi)
    return Sampled(float(np.minimum(share, 1.0).mean()))


def crossing_angle(
    adjacency: csr_array, Y: np.ndarray, sample: str | int | None = "auto", seed: int = 0
) -> Sampled:
    """Mean over crossings of the angle between the two edges, at most 90 degrees, over 90 degrees; in [0, 1].

    Crossings as in `crossings`; edges that overlap, and an edge of length 0 with any other, have the angle 0. NaN where
    no edges cross. `Y` is (n, 2).
    """
    drawn = Segments(adjacency, Y)
    chosen, exact = sampled_edges(drawn, sample, seed)
    crossed, angle = drawn.count(chosen, both=not exact, angles=True)
    if not crossed.any():
        return NOTHING
    right = angle / (np.pi / 2)
    value = min(float(right.sum() / crossed.sum()), 1.0)
    if exact:
        return Sampled(value)
    # A ratio of means: its first-order change with one edge's sums (delta method).
    spread = (right - value * crossed) / crossed.mean()
    return Sampled(value, standard_error(spread, len(drawn.first)), exact=False)


ANGULAR_RESOLUTION = Measure(
    "angular_resolution",
    "mean over nodes with k > 1 edges of the smallest angle between two of these over 360 / k degrees",
    angular_resolution, ("adjacency", "Y"), VALUE, dim=2,
    invariances=SIMILARITY, complexity="O(m log m)", default_for=(),
    source="Formann et al. 1993; mean over nodes as in Purchase 2002",
)  # fmt: skip
CROSSING_ANGLE = Measure(
    "crossing_angle",
    "mean angle of crossing edges over 90 degrees",
    crossing_angle, ("adjacency", "Y", "sample", "seed"), VALUE, dim=2,
    invariances=SIMILARITY, complexity="O(m log m + pairs of edges that overlap along one axis)",
    sampling="edges, where more than 4e8 pairs overlap along one axis", default_for=(),
    source="Huang, Eades & Hong 2014, whose mean is of the same angles",
)  # fmt: skip
