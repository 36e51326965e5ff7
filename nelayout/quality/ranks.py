"""Ranks in the input against ranks in the drawing: co-ranking, trustworthiness, continuity, retrieval.

Of every node all others are ranked twice, by their distance in the input and by their distance in the drawing.  Three
nodes on a line at 0, 1, 3, drawn at 0, 2, 1: seen from the first, the second has rank 1 and is drawn at rank 2, an
extrusion; the third comes in for it, an intrusion.

Ties.  Distances in a graph are small integers, and most nodes are tied with many.  A rank that is tied counts as its
mean over all orders, in the input and in the drawing.  No drawing can then have the value 1 that untied ranks allow, so
every measure is given in parts of what the best drawing reaches: 1 is a drawing that contradicts no distance of the
graph, and for R_NX 0 is a drawing at random.  Without ties, as between vectors, these are the measures as published.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nelayout.numerics.parallel import threads_for
from nelayout.quality.distances import TIE
from nelayout.quality.sweep import Sweep

__all__ = ["NEIGHBORS", "RELEVANT", "RETRIEVED", "Ranks", "evened", "neighborhood_size", "penalties", "ranks_of"]

# Size of the neighborhoods of trustworthiness, continuity, Q_NX and R_NX.
NEIGHBORS = 10
# Nearest nodes in the input that are relevant, and most that are retrieved in the drawing (Amid et al. 2015, sec. 4).
RELEVANT, RETRIEVED = 20, 100
# A sampled curve is kept at all K up to the first number, and then in steps of this share of K.
EVERY_K, STEP = 1_000, 0.01
# Rows that are held at a time.
AT_ONCE = 64


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Sums over the nodes of each group g.

    k                    (m,) the neighborhood sizes of the curves: 1 .. n - 1, thinned where sampled
    step                 (m,) sum of 1/K' over the sizes that each of them stands for
    count                (g,) number of nodes
    hits, early, late    (g, m) see `rank_loops.agreement`
    best                 (g, m) the most that hits can be
    intruded, extruded   (g, 3) penalty of trustworthiness and of continuity, the least and the most that it can be
    found, findable      (g, r) relevant nodes among the K = 1 .. r nearest in the drawing, and the most that can be
    there relevant             how many nodes are relevant to each
    """

    k: np.ndarray
    step: np.ndarray
    count: np.ndarray
    hits: np.ndarray
    early: np.ndarray
    late: np.ndarray
    best: np.ndarray
    intruded: np.ndarray
    extruded: np.ndarray
    found: np.ndarray
    findable: np.ndarray
    relevant: int


def neighborhood_size(n: int, k: int) -> int:
    """`k`, or half of the other nodes where there are fewer than 2 k of them."""
    return max(min(k, (n - 1) // 2), 1)


def ranks_of(sweep: Sweep) -> Ranks:
    """Rank all nodes twice, seen from each of the nodes of the sweep.

    About 2 n log n operations and 50 n bytes for each of these.
    """
    from nelayout.quality.rank_loops import agreement

    Y, group, n = sweep.places, sweep.group, len(sweep.Y)
    m = max(n - 1, 0)
    ks, step = _sizes(m, thin=not sweep.exact)
    count = np.bincount(group)
    relevant, retrieved, near = neighborhood_size(n, RELEVANT), min(RETRIEVED, m), neighborhood_size(n, NEIGHBORS)
    curves = np.zeros((4, len(count), len(ks)))
    intruded, extruded = np.zeros((len(count), 3)), np.zeros((len(count), 3))
    found, findable = np.zeros((len(count), retrieved)), np.zeros((len(count), retrieved))
    rank = np.arange(1, m + 1)
    inside, over = (rank <= near).astype(np.float64), np.maximum(rank - near, 0.0)

    def look(row: tuple[int, np.ndarray, int]) -> tuple[np.ndarray, ...]:
        node, level, levels = row
        size = np.bincount(level[level >= 0], minlength=levels)
        order, tied = drawn_order(Y, node)
        out = np.empty((4, m))
        agreement(level, size, order, tied, *out, np.zeros(levels, np.int64), np.zeros(levels, np.int64))
        seen = level[order]
        intruded, extruded = penalties(seen, size, evened(inside, tied), evened(over, tied), near)
        return out if sweep.exact else out[:, ks - 1], intruded, extruded, *_retrieved(
            seen, size, tied, relevant, retrieved
        )

    nodes = sweep.nodes if m else sweep.nodes[:0]
    with threads_for(None) as threads:
        for start in range(0, len(nodes), AT_ONCE):
            some = nodes[start : start + AT_ONCE]
            rows = [(int(node), *found) for node, found in zip(some, sweep.distances.levels(some), strict=True)]
            for t, part in enumerate(threads.map(look, rows), start):
                curves[:, group[t]] += part[0]
                for total, each in zip((intruded, extruded, found, findable), part[1:], strict=True):
                    total[group[t]] += each
    hits, early, late, best = curves
    return Ranks(ks, step, count, hits, early, late, best, intruded, extruded, found, findable, relevant)


def drawn_order(Y: np.ndarray, node: int) -> tuple[np.ndarray, np.ndarray]:
    """The other nodes from the nearest in the drawing on, and whether each is as far as the one before; (n - 1,)."""
    distance = np.zeros(len(Y))
    for column in Y.T:
        distance += (column - column[node]) ** 2
    distance[node] = np.inf
    order = np.argsort(distance)[:-1]
    distance = distance[order]
    tied = np.zeros(len(order), bool)
    tied[1:] = distance[1:] <= distance[:-1] * (1 + 2 * TIE)
    return order, tied


def evened(values: np.ndarray, tied: np.ndarray) -> np.ndarray:
    """Values at the ranks of the drawing (m,), replaced by their mean over each group of ties.

    >>> evened(np.array([4.0, 1.0, 3.0]), np.array([False, False, True])).tolist()
    [4.0, 2.0, 2.0]
    """
    if not tied.any():
        return values
    begins = np.flatnonzero(~tied)
    size = np.diff(np.append(begins, len(tied)))
    return np.repeat(np.add.reduceat(values, begins) / size, size)


def penalties(
    seen: np.ndarray, size: np.ndarray, inside: np.ndarray, over: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Expected penalties of one node's k nearest, and the least and the most of each: two arrays (3,).

    The first sums (rank in the input - k)+ over the k nearest in the drawing, the second (rank in the drawing - k)+
    over the k nearest in the input.  `seen` (m,): rank class in the input of the nodes in their order in the drawing,
    `size` of each class; `inside` and `over` (m,): their chance to be among the k nearest in the drawing, their (rank -
    k)+ there.
    """
    m, a = len(seen), np.cumsum(size) - size
    chance, penalty = _chance(a, size, k), _beyond(a, size, k)
    intruded, extruded = (inside * penalty[seen]).sum(), (chance[seen] * over).sum()
    least = (chance * size * penalty).sum()
    farthest = np.clip(k - (m - a - size), 0, size)
    far = _triangle(a + size, m - k) - _triangle(a, m - k)
    return np.array([intruded, least, (farthest * penalty).sum()]), np.array([extruded, least, (chance * far).sum()])


def _chance(before: np.ndarray, size: np.ndarray, k: int) -> np.ndarray:
    """Chance of a member of each class to have a rank of at most k."""
    return np.clip((k - before) / size, 0.0, 1.0)


def _beyond(before: np.ndarray, size: np.ndarray, k: int) -> np.ndarray:
    """Mean of (rank - k)+ of the members of each class, whose ranks are before + 1 .. before + size."""
    top = np.maximum(before + size - k, 0).astype(np.float64)
    bottom = np.maximum(before - k, 0)
    return (top * (top + 1) - bottom * (bottom + 1.0)) / (2 * size)


def _triangle(x: np.ndarray, room: int) -> np.ndarray:
    """Sum of (room - q)+ over q = 0 .. x - 1."""
    x = np.minimum(x, room).astype(np.float64)
    return x * room - x * (x - 1) / 2


def _retrieved(
    seen: np.ndarray, size: np.ndarray, tied: np.ndarray, relevant: int, most: int
) -> tuple[np.ndarray, np.ndarray]:
    """Relevant nodes among the K = 1 .. most nearest in the drawing, and among those in the best drawing; (most,)."""
    chance = _chance(np.cumsum(size) - size, size, relevant)
    stop = most
    while stop < len(tied) and tied[stop]:
        stop += 1
    worth = evened(chance[seen[:stop]], tied[:stop])
    ideal = np.repeat(chance, np.minimum(size, most))[:most]
    return np.cumsum(worth)[:most], np.cumsum(ideal)


def _sizes(m: int, *, thin: bool) -> tuple[np.ndarray, np.ndarray]:
    """Neighborhood sizes from 1 .. m, and the sum of 1/K over those that each stands for, itself and those before."""
    if not thin or m <= EVERY_K:
        ks = np.arange(1, m + 1)
    else:
        steps = int(np.log(m / EVERY_K) / STEP) + 2
        ks = np.unique(np.r_[np.arange(1, EVERY_K + 1), np.rint(np.geomspace(EVERY_K, m, steps))]).astype(np.int64)
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, m + 1))])
    return ks, np.diff(harmonic[np.concatenate([[0], ks])])
