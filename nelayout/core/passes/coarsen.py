"""Coarse to fine: merge matched nodes until a graph is small, adding masses and weights.

Nodes are matched along P_ij / (m_i m_j), each with the neighbor of its strongest edge, in rounds of mutual choice.  An
unmatched node joins its favorite neighbor's pair if it has no other choice (leaves of a star, ends of a path).  So hubs
and stars shrink as fast as meshes.  `Affinity.merged_weight` and `.merged_pairs` hold what was merged, so that the
coarse objective is the fine one at the merged drawing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from nelayout.core.objective import Affinity
from nelayout.core.placing.components import component_labels

__all__ = ["COARSEST", "MAX_KEPT", "Level", "favorites_of", "hierarchy", "matched", "merge", "merged", "strong_edges"]

# Nodes of a graph that is not coarsened.
COARSEST = 40
# Rounds of mutual choice.
# see tuning: ROUNDS
ROUNDS = 6
# Part of its nodes that a coarser graph must not exceed.
# see tuning: MAX_KEPT
MAX_KEPT = 0.9
# Part by which equal edges differ, by the tickets of their ends, and the factor that spreads tickets.
# see tuning: TIES, GOLDEN
TIES, GOLDEN = 0.3, 0.6180339887498949
# Largest mass of a cluster, in means of the level's masses.
# see tuning: MAX_CLUSTER_MASS
MAX_CLUSTER_MASS = 8.0
# An edge is strong if it has at least this fraction of the largest weight at one of its ends.
# see tuning: STRONG
STRONG = 0.1

# Entries from which a compiled loop finds favorites: arrays of all entries would be the most memory of a run.
# see tuning: MIN_LOOP_ENTRIES
MIN_LOOP_ENTRIES = 1 << 17

Favorites = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True, slots=True)
class Level:
    """The graph of one level.

    cluster  (n,) each node's node in the next coarser level; None on the coarsest
    """

    affinity: Affinity
    cluster: np.ndarray | None = None


def hierarchy(affinity: Affinity, rng: np.random.Generator, coarsest: int = COARSEST) -> list[Level]:
    """Return levels from the finest to the coarsest."""
    levels = list[Level]()
    while (n := len(affinity.mass)) > coarsest:
        cluster = match(affinity, rng)
        m = int(cluster.max()) + 1
        if not 1 < m <= MAX_KEPT * n:  # a star becomes a single node
            break
        levels.append(Level(affinity, cluster))
        affinity = merge(affinity, cluster, m)
    return [*levels, Level(affinity)]


def match(affinity: Affinity, rng: np.random.Generator) -> np.ndarray:
    """(n,) cluster index of every node."""
    P, mass = affinity.P, affinity.mass
    n = P.shape[0]
    # Ties, which unweighted meshes are full of, are broken at random but alike from both ends.
    tickets = rng.permutation(n)
    favorites = favorites_of(P.indptr, P.indices, P.data, mass, tickets)
    return matched(favorites, mass, np.diff(P.indptr))


def matched(favorites: Favorites, mass: np.ndarray, degree: np.ndarray) -> np.ndarray:
    """Return the cluster index (n,) of every node; ``degree`` counts its neighbors."""
    n = len(mass)
    mate, unmatched = np.full(n, -1, dtype=np.int64), np.ones(n, dtype=bool)
    for _ in range(ROUNDS):
        choice = favorites(unmatched, unmatched)
        chosen = np.flatnonzero(choice >= 0)
        if not len(chosen):
            break
        mutual = chosen[choice[choice[chosen]] == chosen]
        mate[mutual], unmatched[mutual] = choice[mutual], False
    cluster = np.where(unmatched, np.arange(n), np.minimum(np.arange(n), mate))
    if unmatched.any():
        choice = favorites(unmatched, ~unmatched)
        guests = np.flatnonzero(choice >= 0)
        home = cluster[choice[guests]]
        # Leaves may all join: they have nowhere else to go.  Others only while the cluster stays of moderate mass.
        size = np.bincount(cluster[~unmatched], mass[~unmatched], minlength=n)
        load = size[home] + np.bincount(home, mass[guests], minlength=n)[home]
        welcome = (degree[guests] == 1) | (load <= MAX_CLUSTER_MASS * float(np.mean(mass)))
        cluster[guests[welcome]] = home[welcome]
    used = np.zeros(n, dtype=np.int64)
    used[cluster] = 1
    return (np.cumsum(used) - 1)[cluster]


def favorites_of(
    indptr: np.ndarray, cols: np.ndarray, weights: np.ndarray, mass: np.ndarray, tickets: np.ndarray
) -> Favorites:
    """Return the function that finds the favorite neighbor of each of the first rows."""
    n = len(indptr) - 1
    if len(cols) >= MIN_LOOP_ENTRIES:
        return _favorites_by_loop(indptr, cols, weights, mass, tickets)
    rows = np.repeat(np.arange(n, dtype=np.int32), np.diff(indptr))
    jitter = ((tickets[rows] + tickets[cols]) * GOLDEN) % 1.0
    score = weights / (mass[rows] * mass[cols]) * (1.0 + TIES * jitter)

    def favorites(chooses: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        choice = np.full(n, -1, dtype=np.int64)
        keep = np.flatnonzero(chooses[rows] & chosen[cols])
        if not len(keep):
            return choice
        here, there, kept = rows[keep], cols[keep], score[keep]
        starts = np.flatnonzero(np.r_[True, here[1:] != here[:-1]])
        best = np.maximum.reduceat(kept, starts)
        lengths = np.diff(np.r_[starts, len(here)])
        is_best = np.flatnonzero(kept == np.repeat(best, lengths))[::-1]  # the first of several stays
        choice[here[is_best]] = there[is_best]
        return choice

    return favorites


def _favorites_by_loop(*graph: np.ndarray) -> Favorites:
    """Return the function of `favorites_of` with a compiled loop; its favorites are the same."""
    from nelayout.core.passes import coarsen_loops

    def favorites(chooses: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        choice = np.empty(len(graph[0]) - 1, dtype=np.int64)
        coarsen_loops.favorites(*graph, TIES, GOLDEN, chooses, chosen, choice)
        return choice

    return favorites


def merge(affinity: Affinity, cluster: np.ndarray, n: int) -> Affinity:
    """Return the affinity of n clusters: masses and weights added, merged ones counted."""
    coarse = merged(affinity.P, cluster, n)
    mass = np.bincount(cluster, affinity.mass, minlength=n)
    hidden = float(np.add.reduce(mass**2) - np.add.reduce(affinity.mass**2))
    inside = float(np.add.reduce(affinity.P.data) - np.add.reduce(coarse.data))
    terms = tuple(each for term in affinity.terms if (each := term.merged(cluster, n)) is not None)
    return Affinity(coarse, mass, affinity.merged_weight + inside, affinity.merged_pairs + hidden, terms=terms)


def merged(P: csr_array, cluster: np.ndarray, n: int) -> csr_array:
    """Return the weights between clusters."""
    cluster = cluster.astype(np.int32)  # half the memory
    rows, cols = np.repeat(cluster, np.diff(P.indptr)), cluster[P.indices]
    across = rows != cols
    rows, cols, weights = rows[across], cols[across], P.data[across]
    coarse = csr_array((weights, (rows, cols)), shape=(n, n))
    del rows, cols, weights, across
    coarse.sum_duplicates()
    return csr_array((coarse.data, coarse.indices.astype(np.int32), coarse.indptr.astype(np.int32)), shape=(n, n))


def strong_edges(P: csr_array) -> csr_array:
    """Return the strong edges of a connected graph, and weak edges that keep it connected.

    Paths between nodes use them, because weak edges are shortcuts.  The smallest similarities of a perplexity are a
    hundredth of the largest.  Two of them between turns of a rolled sheet shorten a long path, though they hardly pull.

    >>> P = csr_array(np.array([[0, 1, 0.01, 0], [1, 0, 1, 0], [0.01, 1, 0, 0.01], [0, 0, 0.01, 0]]))
    >>> (strong_edges(P).toarray() > 0).astype(int)
    array([[0, 1, 0, 0],
           [1, 0, 1, 0],
           [0, 1, 0, 1],
           [0, 0, 1, 0]])
    """
    rows, top = np.repeat(np.arange(P.shape[0]), np.diff(P.indptr)), np.zeros(P.shape[0])
    np.maximum.at(top, rows, P.data)
    kept = P.data >= STRONG * np.minimum(top[rows], top[P.indices])
    if kept.all():
        return P
    part = component_labels(_some(P, kept))
    return _some(P, kept | (part[rows] != part[P.indices]))


def _some(P: csr_array, kept: np.ndarray) -> csr_array:
    """Return the entries of a mask (nnz,)."""
    some = csr_array((np.where(kept, P.data, 0.0), P.indices, P.indptr), shape=P.shape, copy=True)
    some.eliminate_zeros()
    return some
