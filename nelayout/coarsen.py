"""Coarse to fine: merge matched nodes until a graph is small, adding masses and weights.

Nodes are matched along P_ij / (m_i m_j), each with the neighbour to which it belongs most, in rounds of mutual choice;
a node that stays alone joins its favourite neighbour's pair when that is all it can do (leaves of a star, ends of a
path), so hubs and stars shrink as fast as meshes.  Merged weight and merged pairs are remembered (`Affinity.inside`,
`.hidden`), so that the coarse objective is the fine one at the merged drawing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from .objective import Affinity

__all__ = ["Level", "hierarchy", "merge"]

COARSEST = 40  # nodes; a drawing of this size is found from scratch
ROUNDS = 6
# A level that keeps more than this fraction of its nodes is not worth its time, and the hierarchy ends.
WORTHWHILE = 0.9
# Largest mass of a cluster in units of the level's mean, so that one hub does not swallow a level.
LARGEST = 8.0


@dataclass(frozen=True, slots=True)
class Level:
    """One graph of the hierarchy and, but for the finest, where its finer nodes went."""

    affinity: Affinity
    cluster: np.ndarray | None  # (n of the finer level,) index of the cluster that each finer node is in


def hierarchy(affinity: Affinity, rng: np.random.Generator, coarsest: int = COARSEST) -> list[Level]:
    """Levels from the finest, which is the graph itself, to the coarsest."""
    levels = [Level(affinity, None)]
    while levels[-1].affinity.P.shape[0] > coarsest:
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
    degree = np.diff(P.indptr)
    rows = np.repeat(np.arange(n, dtype=np.int32), degree)
    cols = P.indices
    # Ties, which unweighted meshes are full of, are broken at random but alike from both ends.
    tickets = rng.permutation(n)
    jitter = ((tickets[rows] + tickets[cols]) * 0.6180339887498949) % 1.0
    score = P.data / (mass[rows] * mass[cols]) * (1.0 + 0.3 * jitter)
    mate = np.full(n, -1, dtype=np.int64)
    keep = np.ones(len(rows), dtype=bool)
    for _ in range(ROUNDS):
        keep &= (mate[rows] < 0) & (mate[cols] < 0)
        if not keep.any():
            break
        choice = _favourite(rows[keep], cols[keep], score[keep], n)
        chosen = np.flatnonzero(choice >= 0)
        mutual = chosen[choice[choice[chosen]] == chosen]
        mate[mutual] = choice[mutual]
    cluster = np.where(mate >= 0, np.minimum(np.arange(n), mate), np.arange(n))
    lonely = mate < 0
    if lonely.any():
        joins = lonely[rows] & ~lonely[cols]
        choice = _favourite(rows[joins], cols[joins], score[joins], n)
        guests = np.flatnonzero(choice >= 0)
        home = cluster[choice[guests]]
        # Leaves may all join: they have nowhere else to go.  Others only while the cluster stays of moderate mass.
        size = np.bincount(cluster[mate >= 0], mass[mate >= 0], minlength=n)
        load = size[home] + np.bincount(home, mass[guests], minlength=n)[home]
        welcome = (degree[guests] == 1) | (load <= LARGEST * float(np.mean(mass)))
        cluster[guests[welcome]] = home[welcome]
    return np.unique(cluster, return_inverse=True)[1]


def _favourite(rows: np.ndarray, cols: np.ndarray, score: np.ndarray, n: int) -> np.ndarray:
    """(n,) the column with the highest score in each row, -1 where a row has none; rows are sorted."""
    answer = np.full(n, -1, dtype=np.int64)
    if not len(rows):
        return answer
    starts = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]])
    best = np.maximum.reduceat(score, starts)
    lengths = np.diff(np.r_[starts, len(rows)])
    is_best = np.flatnonzero(score == np.repeat(best, lengths))
    answer[rows[is_best[::-1]]] = cols[is_best[::-1]]
    return answer


def merge(affinity: Affinity, cluster: np.ndarray, n: int) -> Affinity:
    """The coarse affinity: masses and weights added, merged ones remembered."""
    P, mass = affinity.P, affinity.mass
    rows = np.repeat(cluster, np.diff(P.indptr))
    cols = cluster[P.indices]
    across = rows != cols
    coarse = csr_array((P.data[across], (rows[across], cols[across])), shape=(n, n))
    coarse.sum_duplicates()
    coarse = csr_array((coarse.data, coarse.indices.astype(np.int32), coarse.indptr.astype(np.int32)), shape=(n, n))
    coarse_mass = np.bincount(cluster, mass, minlength=n)
    inside = affinity.inside + float(np.sum(P.data[~across]))
    hidden = affinity.hidden + float(np.sum(coarse_mass**2)) - float(np.sum(mass**2))
    return Affinity(coarse, coarse_mass, inside, hidden)
