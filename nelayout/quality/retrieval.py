"""Precision and recall of neighborhoods that are read off a drawing by one radius.

A reader takes for neighbors of a node whatever is drawn within a hand's breadth of it. Precision is the share of these
that are neighbors indeed, recall the share of the neighbors that are found; both are means over the nodes. A small
radius gives precision, a large one recall, and F = 2 PR / (P + R) is largest somewhere between: the measures are those
at that radius.

The path a - b - c drawn at 0, 1, 3: with radius 1, a and b find each other and c nothing, so precision is 2/3 (who
finds nothing has precision 0) and recall (1 + 1/2 + 0) / 3; with radius 2 every node finds its neighbors and no other,
F = 1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.parallel import threads_for
from nelayout.quality.distances import TIE, lengths, standardize
from nelayout.quality.protocol import SIMILARITY, VALUE, Measure
from nelayout.quality.samples import NOTHING, Sampled
from nelayout.quality.sweep import Sweep, half_samples

__all__ = ["F_SCORE", "PRECISION", "RECALL", "f_score", "precision", "recall", "retrieval"]

# Radii that are tried: even quantiles of the drawn distances of neighbors, so that F is within some 1 % of the best.
RADII = 100


def f_score(sweep: Sweep, neighbors: csr_array) -> Sampled:
    """The largest F = 2 PR / (P + R) over radii, in [0, 1]; P and R as in `retrieval`."""
    return _at_best(sweep, neighbors, _harmonic)


def precision(sweep: Sweep, neighbors: csr_array) -> Sampled:
    """Mean share of the nodes within one radius that are neighbors, at the radius that makes F largest, in [0, 1]."""
    return _at_best(sweep, neighbors, lambda p, _: p)


def recall(sweep: Sweep, neighbors: csr_array) -> Sampled:
    """Mean share of a node's neighbors that are within one radius, at the radius that makes F largest, in [0, 1]."""
    return _at_best(sweep, neighbors, lambda _, r: r)


def retrieval(
    neighbors: csr_array, Y: np.ndarray, nodes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Radii (r,), and for each of `nodes` and each radius precision and recall, (len(nodes), r).

    `neighbors` (n, n): the entries of a row are the node's neighbors; `nodes` have some. The radii are 100 even
    quantiles of the drawn distances of all neighbors (the units are those of the standardized drawing).
    """
    Y, n = standardize(Y), len(Y)
    degree = np.diff(neighbors.indptr)
    rows = np.repeat(np.arange(n), degree)
    drawn = lengths(Y, rows, neighbors.indices)
    radii = np.unique(np.quantile(drawn, np.linspace(0, 1, RADII), method="higher")) * (1 + TIE)

    def look(node: int) -> tuple[np.ndarray, np.ndarray]:
        # The node itself is within every radius, and is taken off again.
        apart = lengths(Y, np.full(n, node), np.arange(n))
        within = np.cumsum(np.bincount(np.searchsorted(radii, apart), minlength=len(radii) + 1))[:-1] - 1
        mine = drawn[neighbors.indptr[node] : neighbors.indptr[node + 1]]
        hits = np.cumsum(np.bincount(np.searchsorted(radii, mine), minlength=len(radii) + 1))[:-1]
        return hits / np.maximum(within, 1), hits / degree[node]

    with threads_for(None) as threads:
        found = threads.map(look, nodes.tolist())
    return radii, np.array([p for p, _ in found]), np.array([r for _, r in found])


def _looked_at(sweep: Sweep, neighbors: csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Precision and recall of the sweep's nodes that have neighbors, and which of its nodes these are."""
    asked = np.flatnonzero(np.diff(neighbors.indptr)[sweep.nodes])
    if not len(asked):
        return np.zeros((0, 0)), np.zeros((0, 0)), asked
    _, each_p, each_r = retrieval(neighbors, sweep.Y, sweep.nodes[asked])
    return each_p, each_r, asked


def _at_best(sweep: Sweep, neighbors: csr_array, of: Callable) -> Sampled:
    each_p, each_r, asked = sweep.once(_looked_at, neighbors)
    if not len(asked):
        return NOTHING
    group = sweep.group[asked]

    def value(kept: np.ndarray) -> float:
        p, r = (each[kept[group]].mean(axis=0) for each in (each_p, each_r))
        at = int(np.argmax(_harmonic(p, r)))
        return float(of(p[at], r[at]))

    groups = int(group.max()) + 1
    found = value(np.ones(groups, bool))
    if sweep.exact:
        return Sampled(found)
    return Sampled(found, half_samples(value, groups, 1 - len(sweep.nodes) / len(sweep.Y)), exact=False)


def _harmonic(p, r):
    return 2 * p * r / np.maximum(p + r, np.finfo(float).tiny)


COST = "O(n^2), sampled O(n) a node"
SAMPLING = "what is drawn around 300 nodes above 5,000"
SOURCE = "Venna et al. 2010; Im et al. 2018 threshold similarities of both sides instead"

PRECISION = Measure(
    "precision",
    "mean share of the nodes drawn within one radius of a node that are its neighbors, at the radius of the largest F",
    precision, ("sweep", "neighbors"), VALUE,
    invariances=SIMILARITY, complexity=COST, sampling=SAMPLING, source=SOURCE, default_for=(),
)  # fmt: skip
RECALL = Measure(
    "recall",
    "mean share of a node's neighbors that are drawn within one radius of it, at the radius of the largest F",
    recall, ("sweep", "neighbors"), VALUE,
    invariances=SIMILARITY, complexity=COST, sampling=SAMPLING, source=SOURCE, default_for=(),
)  # fmt: skip
F_SCORE = Measure(
    "f_score",
    "harmonic mean of precision and recall of neighborhoods of one radius, at the radius where it is largest",
    f_score, ("sweep", "neighbors"), VALUE,
    invariances=SIMILARITY, complexity=COST, sampling=SAMPLING, source=SOURCE, default_for=(),
)  # fmt: skip
