"""Nodes drawn as discs: which of them overlap.

Three discs of diameter 1 at 0, 0.5 and 3: the first two overlap, so two nodes do.
"""

from __future__ import annotations

import numpy as np

from nelayout.quality.protocol import BOTH, OTHER_NODES, RIGID, Measure
from nelayout.quality.samples import Sampled

__all__ = ["OVERLAPS", "overlapping_nodes"]

# Discs that touch, or overlap by less than this share of their diameters, do not overlap.
ROUNDING = 1e-9


def overlapping_nodes(Y: np.ndarray, diameters: np.ndarray) -> Sampled:
    """Number of nodes whose disc overlaps another: |y_i - y_j| < (s_i + s_j) / 2.

    `Y` (n, dim), `diameters` (n,) in its units, >= 0. Coincident nodes without size do not count.
    """
    from scipy.spatial import KDTree

    Y = np.asarray(Y, np.float64)
    radius = np.asarray(diameters, np.float64) / 2 * (1 - ROUNDING)
    struck = np.zeros(len(Y), bool)
    # Widest first: discs of radius in (r/2, r] are compared with all that are at most r, so no ball is much
    # larger than the discs in it, however unequal they are.
    order = np.argsort(-radius, kind="stable")
    start = 0
    while start < len(order) and radius[order[start]] > 0:
        widest = radius[order[start]]
        stop = int(np.searchsorted(-radius[order], -widest / 2, side="left"))
        smaller = order[start:]
        tree = KDTree(Y[smaller])
        for first in range(start, stop, 2_000):
            nodes = order[first : min(first + 2_000, stop)]
            balls = tree.query_ball_point(Y[nodes], radius[nodes] + widest, workers=-1)
            size = np.array([len(ball) for ball in balls])
            i, j = np.repeat(nodes, size), smaller[np.concatenate(balls).astype(np.int64)]
            apart = np.sqrt(((Y[i] - Y[j]) ** 2).sum(axis=1))
            hit = (apart < radius[i] + radius[j]) & (i != j)
            struck[i[hit]] = struck[j[hit]] = True
        start = stop
    return Sampled(float(struck.sum()))


OVERLAPS = Measure(
    "overlaps",
    "nodes whose disc of diameter node_size overlaps another",
    overlapping_nodes,
    ("Y", "diameters"),
    OTHER_NODES,
    invariances=RIGID,
    complexity="O(n log n + overlaps)",
    source="node occlusions of Taylor & Rodgers 2005, counted by node",
    default_for=BOTH,
)
