"""Communities that a drawing hides: two groups of the graph are drawn as one.

Take two communities and their nodes alone.  If each keeps to itself in the drawing, the nearest nodes of a node are of
its own community.  If both are drawn as one, they are of either by chance.  The mixing of a pair is the share of the
other community among the `NEAREST` nearest, over the share by chance, averaged over both communities: 0 apart, 1 mixed.
A pair that does not touch in the drawing is apart.

Honest drawings of the same graph, the references, may mix a pair as well.  Each reference differs from the mean of the
others, for each pair.  These differences are chance.  A pair is hidden if its mixing in the drawing differs more from
the references, at a false discovery rate of `LEVEL`, and if it lies nearer to chance than to the references.

Every graph has groups of nodes with more edges inside than outside, a random graph as well.  So communities count only
if their modularity is beyond the one of random graphs with the same degrees.

>>> rng = np.random.default_rng(0)
>>> P = csr_array(np.kron(np.eye(2), np.ones((20, 20)) - np.eye(20)) + 1e-3)
>>> apart = rng.normal(size=(5, 40, 2)) + np.repeat([0, 9], 20)[:, None]
>>> merged, notes = false_neighbors(P, rng.normal(size=(40, 2)), apart, seed=0)
>>> [len(each) for each in merged[0].nodes]
[20, 20]
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.breadth_first import COMPILED_ABOVE
from nelayout.numerics.communities import communities
from nelayout.quality.distances import nearest_in_tree
from nelayout.trust.chance import LEVEL, discoveries, tail
from nelayout.trust.groups import smallest_group, surroundings
from nelayout.trust.records import Hidden

__all__ = ["false_neighbors"]

# Nearest nodes that show how mixed two communities are.
NEAREST = 8
# Part of the way from mixed by chance to the references: a pair that keeps less is hidden.
KEPT = 0.5
# Share of the differences between references below the exponential tail.
BULK = 0.8
# Random graphs with which the communities are compared.
RANDOM_GRAPHS = 5
# Largest number of pairs of communities that are tested; those that touch most come first.
MAX_PAIRS = 2000


def false_neighbors(
    P: csr_array, Y: np.ndarray, references: Sequence[np.ndarray], seed: int = 0
) -> tuple[tuple[Hidden, ...], tuple[str, ...]]:
    """Return the pairs of communities that are drawn as one, worst first, and notes.

    Parameters
    ----------
    P : csr_array (n, n)
        symmetric similarities; communities follow their weights, or the edges alone where these tell more
    Y : array (n, dim)
        the drawing, dim at most 3
    references : sequence of arrays (n, dim)
        two or more honest drawings of the same graph
    seed : int
        order of the nodes in the search for communities
    """
    label = _communities(P, np.random.default_rng(seed))
    if label is None:
        return (), ("the graph has no communities beyond chance: hidden ones were not looked for",)
    members = [np.flatnonzero(label == each) for each in range(int(label.max(initial=-1)) + 1)]
    pairs, left_out = _touching(Y, label)
    if not len(pairs) or len(references) < 2:
        return (), ()
    mixed = np.array([[_mixing(each, members[a], members[b]) for each in (Y, *references)] for a, b in pairs])
    drawn, honest = mixed[:, 0], mixed[:, 1:]
    middle = honest.mean(axis=1)
    # A reference against the mean of the others: r / (r - 1) times its difference from the mean of all.
    chance = (honest - middle[:, None]) * (honest.shape[1] / (honest.shape[1] - 1.0))
    p = tail(chance.ravel(), drawn - middle, BULK)
    hidden = (discoveries(p) <= LEVEL) & (1.0 - drawn < KEPT * (1.0 - middle))
    found = []
    for k in np.flatnonzero(hidden).tolist():
        nodes = sorted((tuple(members[each].tolist()) for each in pairs[k]), key=lambda each: (len(each), each))
        found.append(Hidden((nodes[0], nodes[1]), float(drawn[k] - middle[k]), float(p[k]), ""))
    found.sort(key=lambda each: (-each.score, each.nodes))
    notes = (f"{left_out} pairs of communities that touch less than {MAX_PAIRS} others were not tested",)
    return tuple(found), notes if left_out else ()


def _communities(P: csr_array, rng: np.random.Generator) -> np.ndarray | None:
    """Return the community (n,) of each node, or None if random graphs have ones as good."""
    from scipy.stats import t

    found = [_standing_out(P, rng)]
    if P.nnz and np.ptp(P.data) > 0:  # a few heavy edges may hide what the edges say
        found.append(_standing_out(csr_array((np.ones(P.nnz), P.indices, P.indptr), shape=P.shape), rng))
    label, beyond = max(found, key=lambda each: each[1])
    return label if beyond > t.isf(LEVEL, RANDOM_GRAPHS - 1) else None


def _standing_out(P: csr_array, rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """Return the community (n,) of each node, and how far beyond chance (Student's t) all are."""
    compiled = P.shape[0] > COMPILED_ABOVE
    label = communities(P, rng, compiled=compiled)
    at_random = []
    for _ in range(RANDOM_GRAPHS):
        other = _with_same_degrees(P, rng)
        at_random.append(_modularity(other, communities(other, rng, compiled=compiled)))
    mean, spread = np.mean(at_random), np.std(at_random, ddof=1) * np.sqrt(1.0 + 1.0 / RANDOM_GRAPHS)
    return label, float((_modularity(P, label) - mean) / max(spread, np.finfo(float).tiny))


def _with_same_degrees(P: csr_array, rng: np.random.Generator) -> csr_array:
    """Return a random graph with the degrees and weights of P, less the loops."""
    row = np.repeat(np.arange(P.shape[0]), np.diff(P.indptr))
    once = row < P.indices
    ends = rng.permutation(np.concatenate([row[once], P.indices[once]]))
    i, j = ends.reshape(2, -1)
    weight = rng.permutation(P.data[once]) * (i != j)
    graph = csr_array((np.tile(weight, 2), (np.append(i, j), np.append(j, i))), shape=P.shape)
    graph.eliminate_zeros()
    return graph


def _modularity(P: csr_array, label: np.ndarray) -> float:
    """Return the weights within communities less those by chance (Newman & Girvan 2004)."""
    strength, row = np.asarray(P.sum(axis=1)).ravel(), np.repeat(np.arange(P.shape[0]), np.diff(P.indptr))
    whole = max(float(strength.sum()), np.finfo(float).tiny)
    within = float(P.data[label[row] == label[P.indices]].sum())
    return within / whole - float(np.sum((np.bincount(label, strength) / whole) ** 2))


def _touching(Y: np.ndarray, label: np.ndarray) -> tuple[np.ndarray, int]:
    """Return pairs (p, 2) of communities that touch as drawn, and how many are left out."""
    around, size = surroundings(Y), np.bincount(label)
    shown = np.empty(len(around.count), dtype=np.int64)
    shown[around.place[::-1]] = label[::-1]
    a, b = shown[around.i], shown[around.j]
    a, b = np.minimum(a, b), np.maximum(a, b)
    large = (a != b) & (size[a] >= smallest_group(len(Y))) & (size[b] >= smallest_group(len(Y)))
    pair, touches = np.unique(a[large] * len(size) + b[large], return_counts=True)
    a, b = pair // len(size), pair % len(size)
    most = np.lexsort((pair, -touches / np.minimum(size[a], size[b])))
    return np.stack([a, b], axis=1)[most[:MAX_PAIRS]], max(len(pair) - MAX_PAIRS, 0)


def _mixing(Y: np.ndarray, A: np.ndarray, B: np.ndarray) -> float:
    """Return how mixed two groups of nodes are drawn: 0 apart, 1 as by chance."""
    from scipy.spatial import KDTree

    nodes, other = np.concatenate([A, B]), np.repeat([False, True], [len(A), len(B)])
    tree, k = KDTree(Y[nodes]), min(NEAREST, len(nodes) - 1)
    near = nearest_in_tree(tree, Y[nodes], np.arange(len(nodes)), k)
    strange = np.mean(other[near] != other[:, None], axis=1)
    most = len(nodes) - 1
    return float(strange[~other].mean() * most / len(B) + strange[other].mean() * most / len(A)) / 2.0
