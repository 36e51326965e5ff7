"""How well a drawing keeps classes together: nodes near each other should be of one class.

Four nodes on a line at 0, 1, 5, 6 with classes a, a, b, b: each node's nearest node is of its class, so
precision at K = 1 is 1 and so is recall (one other node of the class exists). At K = 3 recall is 1 and
precision 1/3. The curve runs from (0, 1) along precision 1 to (1, 1) and then straight down: the area under
it is 1.
"""

from __future__ import annotations

import numpy as np

from nelayout.numerics.parallel import threads_for
from nelayout.quality.distances import TIE, nearest, standardize
from nelayout.quality.protocol import BOTH, SAMPLED_NODES, SIMILARITY, VALUE, Measure
from nelayout.quality.samples import NOTHING, Sampled, sample_of, share_of

__all__ = ["CLASS_ACCURACY", "CLASS_AUC", "class_accuracy", "class_auc"]

# Each node's ranking is a sort of all the others: all up to 5,000 nodes, 300 sampled beyond (luxembourg,
# 114,599 nodes: 2 s of one core, and a standard error of some 0.007).
AUC_ABOVE, AUC_SAMPLE = 5_000, 300
NEIGHBORS = 10
SAMPLE_ABOVE, SAMPLE = 20_000, 5_000
# Groups of sampled nodes left out in turn to find the standard error of the area (jackknife).
GROUPS = 20


def class_auc(
    Y: np.ndarray, classes: np.ndarray, sample: str | int | None = "auto", seed: int = 0
) -> Sampled:
    """Area under mean precision against mean recall of retrieving a node's class, over all K; in [0, 1].

    For each node the K nearest others are retrieved, those of its class are relevant; precision = hits / K,
    recall = hits / (class size - 1), both averaged over nodes for each K = 1..n-1, and joined by straight
    lines after a start at recall 0 with the first precision (Yang, Peltonen, Kaski 2014). Tied distances
    count as their mean over all orders. `classes` (n,): integers, -1 unknown; nodes of unknown class take no
    part, nodes alone in their class ask no question. NaN when no class has two nodes.
    """
    rng = np.random.default_rng(seed)
    Y, classes, count = _known(Y, classes)
    others = count[classes] - 1 if len(classes) else np.zeros(0)
    asking, n = np.flatnonzero(others), len(classes)
    if not len(asking):
        return NOTHING
    nodes, exact = sample_of(asking, sample, AUC_ABOVE, AUC_SAMPLE, rng)
    group = rng.permutation(np.arange(len(nodes)) % min(GROUPS, len(nodes)))

    def curve(g: int) -> tuple[np.ndarray, np.ndarray]:
        """Hits and recalled shares at each rank, summed over the nodes of one group."""
        found, recalled = np.zeros(n - 1), np.zeros(n - 1)
        for node in nodes[group == g]:
            relevant = _ranked_relevance(Y, classes, node)
            found += relevant
            recalled += relevant / others[node]
        return found, recalled

    sizes = np.bincount(group)
    groups = len(sizes)
    with threads_for(None) as threads:
        curves = threads.map(curve, range(groups))
    found, recalled = np.array([c[0] for c in curves]), np.array([c[1] for c in curves])
    value = _area(found.sum(axis=0), recalled.sum(axis=0), len(nodes))
    if exact or groups < 2:
        return Sampled(value, 0.0 if exact else float("inf"), exact=exact)
    without = np.array(
        [
            _area(found.sum(axis=0) - found[g], recalled.sum(axis=0) - recalled[g], len(nodes) - sizes[g])
            for g in range(groups)
        ]
    )
    variance = (
        (groups - 1) / groups * ((without - without.mean()) ** 2).sum() * (1 - len(nodes) / len(asking))
    )
    return Sampled(value, float(np.sqrt(variance)), exact=False)


def class_accuracy(
    Y: np.ndarray, classes: np.ndarray, k: int = NEIGHBORS, sample: str | int | None = "auto", seed: int = 0
) -> Sampled:
    """Share of nodes whose class is the majority among their k nearest other nodes (leave-one-out), in [0,
    1].

    Of classes tied for the majority the nearest one wins; ties in distance are broken at random. `classes`
    (n,): integers, -1 unknown; nodes of unknown class take no part, neither voting nor asking. NaN below two
    known nodes.
    """
    rng = np.random.default_rng(seed)
    Y, classes, _ = _known(Y, classes)
    n, k = len(classes), min(k, len(classes) - 1)
    if k < 1:
        return NOTHING
    nodes, exact = sample_of(np.arange(n), sample, SAMPLE_ABOVE, SAMPLE, rng)
    votes = classes[nearest(Y, nodes, k, rng)]
    # support[t, a]: how many of t's voters say what its a-th nearest says.
    support = (votes[:, :, None] == votes[:, None, :]).sum(axis=2)
    winner = votes[np.arange(len(nodes)), support.argmax(axis=1)]
    return share_of(winner == classes[nodes], n, exact)


def _ranked_relevance(Y: np.ndarray, classes: np.ndarray, node: int) -> np.ndarray:
    """For rank K = 1..n-1 the chance that the K-th nearest other node is of the node's class."""
    distance = np.zeros(len(Y))
    for column in Y.T:
        distance += (column - column[node]) ** 2
    distance[node] = np.inf
    order = np.argsort(distance)[:-1]
    relevant = (classes[order] == classes[node]).astype(np.float64)
    distance = distance[order]
    tied = distance[1:] <= distance[:-1] * (1 + 2 * TIE)
    if tied.any():
        start = np.flatnonzero(np.concatenate([[True], ~tied]))
        size = np.diff(np.append(start, len(order)))
        relevant = np.repeat(np.add.reduceat(relevant, start) / size, size)
    return relevant


def _area(found: np.ndarray, recalled: np.ndarray, nodes: int) -> float:
    precision = np.cumsum(found) / (nodes * np.arange(1, len(found) + 1))
    recall = np.cumsum(recalled) / nodes
    return float(recall[0] * precision[0] + (np.diff(recall) * (precision[1:] + precision[:-1])).sum() / 2)


def _known(Y: np.ndarray, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions and classes of the nodes whose class is known, and the size of each class."""
    classes = np.asarray(classes)
    known = classes >= 0
    _, codes = np.unique(classes[known], return_inverse=True)
    return standardize(np.asarray(Y)[known]), codes, np.bincount(codes)


CLASS_AUC = Measure(
    "class_auc",
    "area under mean precision against mean recall of a node's class among its K nearest, over all K",
    class_auc,
    ("Y", "classes", "sample", "seed"),
    VALUE,
    invariances=SIMILARITY,
    complexity="O(n^2 log n), sampled O(n log n) a node",
    sampling="300 nodes above 5,000",
    source="Yang, Peltonen & Kaski 2014, sec. 6",
    default_for=BOTH,
)
CLASS_ACCURACY = Measure(
    "class_accuracy",
    "share of nodes whose class is the majority among the 10 nearest others",
    class_accuracy,
    ("Y", "classes", "sample", "seed"),
    VALUE,
    invariances=SIMILARITY,
    complexity="O(n log n)",
    sampling=SAMPLED_NODES,
    source="leave-one-out k-nearest-neighbor accuracy, as in van der Maaten & Hinton 2008",
    default_for=BOTH,
)
