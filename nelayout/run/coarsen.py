"""Coarse to fine: merge matched nodes until a graph is small, adding masses and weights.

Nodes are matched along P_ij / (m_i m_j), each with the neighbor to which it belongs most, in rounds of mutual choice;
a node that stays unmatched joins its favorite neighbor's pair when that is all it can do (leaves of a star, ends of a
path), so hubs and stars shrink as fast as meshes.  Merged weight and merged pairs are remembered (`Affinity.inside`,
`.hidden`), so that the coarse objective is the fine one at the merged drawing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from nelayout.objective import Affinity

__all__ = ["Level", "hierarchy", "merge"]

COARSEST = 40  # nodes; a drawing of this size is found from scratch
ROUNDS = 6
# A level that keeps more than this fraction of its nodes is not worth its time, and the hierarchy ends.
WORTHWHILE = 0.9
# Above this many entries the loops are compiled.
COMPILED_FROM = 50_000
# Equal edges differ by up to this part, by the tickets of their ends.
TIES, GOLDEN = 0.3, 0.6180339887498949
# Largest mass of a cluster in units of the level's mean, so that one hub does not swallow a level.
LARGEST = 8.0

Favorites = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True, slots=True)
class Level:
    """One graph of the hierarchy and, but for the finest, where its finer nodes went."""

    affinity: Affinity
    cluster: np.ndarray | None  # (n of the finer level,) index of the cluster that each finer node is in


def hierarchy(
    affinity: Affinity, rng: np.random.Generator, coarsest: int = COARSEST, most: int | None = None
) -> list[Level]:
    """Levels from the finest, which is the graph itself, to the coarsest; at most ``most`` beside the finest."""
    levels = [Level(affinity, None)]
    while levels[-1].affinity.P.shape[0] > coarsest and len(levels) - 1 != most:
        fine = levels[-1].affinity
        cluster = match(fine, rng)
        n = int(cluster.max()) + 1
        if n > WORTHWHILE * len(cluster):
            break
        levels.append(Level(merge(fine, cluster, n), cluster))
    return levels


def match(affinity: Affinity, rng: np.random.Generator) -> np.ndarray:
    """(n,) cluster index of every node."""
    P, mass = affinity.P, affinity.mass
    n = P.shape[0]
    # Ties, which unweighted meshes are full of, are broken at random but alike from both ends.
    tickets = rng.permutation(n)
    favorites = _compiled(P, mass, tickets) if P.nnz > COMPILED_FROM else _plain(P, mass, tickets)
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
        welcome = (np.diff(P.indptr)[guests] == 1) | (load <= LARGEST * float(np.mean(mass)))
        cluster[guests[welcome]] = home[welcome]
    used = np.zeros(n, dtype=np.int64)
    used[cluster] = 1
    return (np.cumsum(used) - 1)[cluster]


def _plain(P: csr_array, mass: np.ndarray, tickets: np.ndarray) -> Favorites:
    """The neighbor to which each of some nodes belongs most, among others: by NumPy, over all edges at once."""
    n = P.shape[0]
    rows, cols = np.repeat(np.arange(n, dtype=np.int32), np.diff(P.indptr)), P.indices
    jitter = ((tickets[rows] + tickets[cols]) * GOLDEN) % 1.0
    score = P.data / (mass[rows] * mass[cols]) * (1.0 + TIES * jitter)

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


def _compiled(P: csr_array, mass: np.ndarray, tickets: np.ndarray) -> Favorites:
    """`_plain` by a compiled loop."""
    from nelayout.run import coarsen_loops

    def favorites(chooses: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        choice = np.empty(P.shape[0], dtype=np.int64)
        coarsen_loops.favorites(P.indptr, P.indices, P.data, mass, tickets, TIES, GOLDEN, chooses, chosen, choice)
        return choice

    return favorites


def merge(affinity: Affinity, cluster: np.ndarray, n: int) -> Affinity:
    """The coarse affinity: masses and weights added, merged ones remembered."""
    P, mass = affinity.P, affinity.mass
    coarse, inside = _merged(P, cluster, n) if P.nnz > COMPILED_FROM else _merged_plain(P, cluster, n)
    coarse_mass = np.bincount(cluster, mass, minlength=n)
    hidden = affinity.hidden + float(np.sum(coarse_mass**2)) - float(np.sum(mass**2))
    return Affinity(coarse, coarse_mass, affinity.inside + inside, hidden)


def _merged_plain(P: csr_array, cluster: np.ndarray, n: int) -> tuple[csr_array, float]:
    """Weights between clusters, and the sum of those within."""
    rows = np.repeat(cluster, np.diff(P.indptr))
    cols = cluster[P.indices]
    across = rows != cols
    coarse = csr_array((P.data[across], (rows[across], cols[across])), shape=(n, n))
    coarse.sum_duplicates()
    coarse = csr_array((coarse.data, coarse.indices.astype(np.int32), coarse.indptr.astype(np.int32)), shape=(n, n))
    return coarse, float(np.sum(P.data[~across]))


def _merged(P: csr_array, cluster: np.ndarray, n: int) -> tuple[csr_array, float]:
    """Weights between clusters and their inner sum, by a compiled loop."""
    from nelayout.run import coarsen_loops

    members = np.argsort(cluster, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(cluster, minlength=n))])
    indptr, place = np.zeros(n + 1, dtype=np.int32), np.full(n, -1, dtype=np.int64)
    indices, data = np.empty(P.nnz, dtype=np.int32), np.empty(P.nnz)
    inside = coarsen_loops.merged(
        P.indptr, P.indices, P.data, cluster, starts, members, place, indptr, indices, data
    )
    coarse = csr_array((data[: indptr[-1]].copy(), indices[: indptr[-1]].copy(), indptr), shape=(n, n))
    coarse.sort_indices()
    return coarse, inside
