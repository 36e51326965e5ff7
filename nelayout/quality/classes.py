"""How well positions keep classes together: nodes near each other should be of one class.

Four nodes have the positions 0, 1, 5, 6 on a line and the classes a, a, b, b. Each node's nearest node is of its class.
So precision and recall at K = 1 are 1. At K = 3 recall is 1 and precision 1/3. The area under the curve is 1. The
positions form two clusters, which agree with the classes: adjusted Rand index 1. For the classes a, b, a, b the index
is -1/2, below chance: each cluster has one node of each class.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nelayout.numerics.parallel import threads_for
from nelayout.quality import samples
from nelayout.quality.distances import blocks, lengths, near_shares, standardize
from nelayout.quality.ranks import drawn_order, evened, retrieval_area
from nelayout.quality.samples import NOTHING, Sample, Sampled

__all__ = ["adjusted_rand", "class_accuracy", "class_ari", "class_auc", "k_means"]

# Starts of k-means, and most iterations of each on its nodes; on all nodes, from the centers of a sample.
STARTS, STEPS, STEPS_ON_ALL = 10, 100, 10


def class_auc(Y: np.ndarray, classes: np.ndarray, sample: Sample = "auto", seed: int = 0) -> Sampled:
    """Return the area under mean precision against mean recall of class retrieval, in [0, 1].

    Each node retrieves its K nearest others; the others of its class are relevant. Precision is hits / K, recall hits /
    (class size - 1). Both are means over nodes, for each K = 1..n-1 (Yang, Peltonen, Kaski 2014). Tied distances count
    as their mean over all orders. `classes` (n,): integers, -1 unknown, which are left out. A node alone in its class
    retrieves nothing.
    """
    rng = np.random.default_rng(seed)
    Y, classes, count = _known(Y, classes)
    others = count[classes] - 1 if len(classes) else np.zeros(0)
    asking, n = np.flatnonzero(others), len(classes)
    if not len(asking):
        return NOTHING
    nodes, exact = samples.sample_of(asking, sample, samples.ROWS, rng)
    group = samples.groups_of(len(nodes), exact, rng)
    size = np.bincount(group)
    found, recalled = np.zeros((2, len(size), n - 1))

    def look(node: int) -> np.ndarray:
        """Return the chance that the K-th nearest other node is of the node's class, K = 1..n-1."""
        order, tied = drawn_order(Y, node)
        return evened((classes[order] == classes[node]).astype(np.float64), tied)

    with threads_for(None) as threads:
        for some in blocks(np.arange(len(nodes)), n):
            for t, relevant in zip(some, threads.map(look, nodes[some].tolist()), strict=True):
                found[group[t]] += relevant
                recalled[group[t]] += relevant / others[nodes[t]]

    def area(kept: np.ndarray) -> float:
        means = (np.cumsum(each[kept].sum(axis=0)) / size[kept].sum() for each in (found, recalled))
        return retrieval_area(*means)

    return samples.value_of_groups(area, group, len(nodes) / len(asking))


def class_accuracy(
    Y: np.ndarray, classes: np.ndarray, k: int = samples.NEIGHBORS, sample: Sample = "auto", seed: int = 0
) -> Sampled:
    """Return the share of nodes with the majority class of their k nearest others, in [0, 1].

    Nodes tied at the k-th distance share the remaining votes. If classes have equal votes, the class with the nearest
    node wins. If several classes have such a node, each counts in part. `classes` as in `class_auc`.
    """
    from scipy.spatial import KDTree

    Y, classes, _ = _known(Y, classes)
    n, k = len(classes), min(k, len(classes) - 1)
    if k < 1:
        return NOTHING
    nodes, exact = samples.sample_of(np.arange(n), sample, samples.NODES, np.random.default_rng(seed))
    tree = KDTree(Y)
    right = [_right(Y, classes, some, near_shares(tree, some, k)) for some in blocks(nodes, n)]
    return samples.share_of(np.concatenate(right), n, exact)


def _right(Y: np.ndarray, classes: np.ndarray, nodes: np.ndarray, shares) -> np.ndarray:
    """Return each node's credit (m,): 1 / number of tied winners if its class is one, else 0."""
    row = np.repeat(np.arange(len(nodes)), np.diff(shares.indptr))
    width = int(classes.max()) + 1
    ballot, at = np.unique(row * width + classes[shares.indices], return_inverse=True)
    votes = np.bincount(at, weights=shares.data)
    nearest = np.full(len(ballot), np.inf)
    np.minimum.at(nearest, at, lengths(Y, nodes[row], shares.indices))
    voter, party = ballot // width, ballot % width
    most, first = np.zeros(len(nodes)), np.full(len(nodes), np.inf)
    np.maximum.at(most, voter, votes)
    wins = votes >= most[voter] * (1 - 1e-9)
    np.minimum.at(first, voter[wins], nearest[wins])
    wins &= nearest <= first[voter] * (1 + 1e-9)
    own = np.bincount(voter[wins & (party == classes[nodes][voter])], minlength=len(nodes))
    return own / np.bincount(voter[wins], minlength=len(nodes))


def class_ari(Y: np.ndarray, classes: np.ndarray, sample: Sample = "auto", seed: int = 0) -> Sampled:
    """Return the adjusted Rand index of the classes and as many k-means clusters; 0 by chance.

    The clusters are the best of ten starts. A sampled start takes its centers from a sample and improves them on all
    nodes. The error is then the standard deviation over the starts before that. `classes` as in `class_auc`.
    """
    Y, labels, count = _known(Y, classes)
    if len(count) < 2 or len(count) == len(labels):
        return NOTHING
    found, before = list[tuple[float, float]](), list[float]()
    for cost, clusters, first in k_means(Y, len(count), np.random.default_rng(seed), sample):
        found.append((cost, adjusted_rand(labels, clusters)))
        if first is not None:
            before.append(adjusted_rand(labels, first))
    value = min(found)[1]
    return Sampled(value, float(np.std(before, ddof=1)), exact=False) if before else Sampled(value)


def adjusted_rand(first: np.ndarray, second: np.ndarray) -> float:
    """Return the adjusted Rand index of two partitions (n,) of integers (Hubert, Arabie 1985)."""

    def pairs(numbers: np.ndarray) -> float:
        count = np.unique(numbers, return_counts=True)[1].astype(np.float64)
        return float((count * (count - 1)).sum() / 2)

    n = len(first)
    together = pairs(first.astype(np.int64) * (int(second.max()) + 1) + second)
    in_first, in_second = pairs(first), pairs(second)
    expected = in_first * in_second / (n * (n - 1) / 2)
    room = (in_first + in_second) / 2 - expected
    return (together - expected) / room if room > 0 else 1.0


def k_means(
    Y: np.ndarray, k: int, rng: np.random.Generator, sample: Sample = None
) -> Iterator[tuple[float, np.ndarray, np.ndarray | None]]:
    """Yield the cost and the clusters (n,) of each k-means++ start.

    Also the clusters by a sample's centers, or None. Fewer different positions than k give fewer clusters.
    """
    from scipy.spatial import KDTree

    for _ in range(STARTS):
        nodes, exact = samples.sample_of(np.arange(len(Y)), sample, samples.NODES, rng)
        centers, cost = _improved(Y[nodes], _spread_out(Y[nodes], k, rng), STEPS)
        first = None
        if not exact:
            first = np.asarray(KDTree(centers).query(Y)[1], np.int64)
            centers, cost = _improved(Y, centers, STEPS_ON_ALL)
        yield cost, np.asarray(KDTree(centers).query(Y)[1], np.int64), first


def _improved(Y: np.ndarray, centers: np.ndarray, steps: int) -> tuple[np.ndarray, float]:
    """Return centers after iterations of Lloyd, and the sum of squared distances."""
    from scipy.spatial import KDTree

    cost = np.inf
    for _ in range(steps):
        distance, cluster = KDTree(centers).query(Y)
        before, cost = cost, float((np.asarray(distance) ** 2).sum())
        if cost >= before * (1 - 1e-12):
            break
        size = np.bincount(cluster, minlength=len(centers))
        sums = np.column_stack([np.bincount(cluster, weights=y, minlength=len(centers)) for y in Y.T])
        centers = sums[size > 0] / size[size > 0, None]
    return centers, cost


def _spread_out(Y: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """Draw k positions with chances in proportion to the squared distance from earlier ones."""
    chosen = [int(rng.integers(len(Y)))]
    apart = np.full(len(Y), np.inf)
    for _ in range(k - 1):
        apart = np.minimum(apart, ((Y - Y[chosen[-1]]) ** 2).sum(axis=1))
        total = apart.sum()
        if total <= 0:
            break
        chosen.append(int(rng.choice(len(Y), p=apart / total)))
    return Y[chosen]


def _known(Y: np.ndarray, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return positions and classes of the nodes of known class, and the size of each class."""
    classes = np.asarray(classes)
    known = classes >= 0
    _, codes = np.unique(classes[known], return_inverse=True)
    return standardize(np.asarray(Y)[known]), codes, np.bincount(codes)
