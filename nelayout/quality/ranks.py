"""Ranks in the input against ranks in the drawing, and measures of how well they agree.

Each node ranks all others twice, by distance in the input and in the drawing. Q_NX(K) is the mean share of a node's K
nearest in the input that are among its K nearest in the drawing. A random drawing reaches K / (n - 1), and R_NX(K) puts
this at 0. A node with a smaller rank in the drawing is an intrusion, with a larger one an extrusion. A tied rank counts
as its mean over all orders, in the input and in the drawing, and every measure is divided by the value of the best
drawing. Without ties, as between vectors, these are the published measures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nelayout.numerics.parallel import threads_for
from nelayout.quality.distances import TIE, dense_levels, squared_from
from nelayout.quality.samples import NEIGHBORS, NOTHING, Sampled, Sweep

__all__ = [
    "RELEVANT", "RETRIEVED", "RankCurves", "Ranks", "b_nx", "by_ranks", "continuity", "curves", "drawn_order",
    "evened", "neighborhood_size", "penalties", "q_nx", "r_nx", "r_nx_area", "ranks_of", "retrieval_area",
    "retrieval_auc", "trustworthiness",
]  # fmt: skip

# Number of relevant nearest nodes in the input, and of retrieved ones in the drawing (Amid et al. 2015, sec. 4).
RELEVANT, RETRIEVED = 20, 100
# A sampled curve has all K up to EVERY_K, then relative steps of STEP.
EVERY_K, STEP = 1_000, 0.01


@dataclass(frozen=True, slots=True, eq=False)
class RankCurves:
    """Agreement of neighborhoods of every size, the result of `rank_curves`; arrays (m,).

    Attributes
    ----------
    k
        neighborhood sizes: 1 .. n - 1; sampled: all up to 1,000 and then in steps of 1 %
    q_nx
        mean share of the K nearest in the input that are among the K nearest in the drawing, in [0, 1]
    b_nx
        share of ranks that are smaller in the drawing than in the input (intrusions), less the share of those
        that are larger (extrusions), among these nodes
    r_nx
        q_nx brought to 0 for a drawing at random and 1 for the best; NaN where both are the same
    attainable
        the largest q_nx of any drawing; below 1 where distances of the input are tied
    farthest
        mean share of the K farthest in the input that are among the K farthest in the drawing; NaN at sizes for
        which a thinned curve does not hold the counterpart n - 1 - K
    exact
        whether every node entered
    """

    k: np.ndarray
    q_nx: np.ndarray
    b_nx: np.ndarray
    r_nx: np.ndarray
    attainable: np.ndarray
    farthest: np.ndarray
    exact: bool


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Sums over the nodes of each group g; measures take them and a mask of groups (g,).

    k                    (m,) the neighborhood sizes of the curves: 1 .. n - 1, thinned if sampled
    step                 (m,) sum of 1/K' over the sizes K' that each K represents
    count                (g,) number of nodes
    hits, early, late    (g, m) see `loops.agreement`
    best                 (g, m) the largest possible hits
    intruded, extruded   (g, 3) penalty of trustworthiness and of continuity, its least and its largest possible value
    found, findable      (g, r) relevant nodes among the K = 1 .. r nearest in the drawing, and their largest number
    n, at, relevant      number of nodes; index of K = 10 in k, or of half of the others; number of relevant nodes
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
    n: int
    at: int
    relevant: int


def neighborhood_size(n: int, k: int) -> int:
    """Return `k`, or half of the other nodes if there are fewer than 2 k of them."""
    return max(min(k, (n - 1) // 2), 1)


def ranks_of(sweep: Sweep) -> Ranks:
    """Rank all nodes twice for each sampled node: about 2 n log n operations, 50 n bytes each."""
    from nelayout.quality.loops import agreement

    Y, group, n = sweep.Y, sweep.group, len(sweep.Y)
    m = max(n - 1, 0)
    ks, step = _sizes(m, thin=not sweep.exact)
    count = np.bincount(group)
    relevant, retrieved, near = neighborhood_size(n, RELEVANT), min(RETRIEVED, m), neighborhood_size(n, NEIGHBORS)
    sums = [np.zeros((len(count), *shape)) for shape in ((4, len(ks)), (3,), (3,), (retrieved,), (retrieved,))]
    rank = np.arange(1, m + 1)
    inside, over = (rank <= near).astype(np.float64), np.maximum(rank - near, 0.0)

    def look(entry: tuple[int, int, np.ndarray]) -> tuple[np.ndarray, ...]:
        _, node, row = entry
        level, other = np.full(n, -1, np.int32), np.arange(n) != node
        level[other], levels = dense_levels(row[other])
        size = np.bincount(level[level >= 0], minlength=levels)
        order, tied = drawn_order(Y, node)
        out = np.empty((4, m))
        agreement(level, size, order, tied, *out, np.zeros(levels, np.int64), np.zeros(levels, np.int64))
        seen = level[order]
        penalty = penalties(seen, size, evened(inside, tied), evened(over, tied), near)
        return out if sweep.exact else out[:, ks - 1], *penalty, *_retrieved(seen, size, tied, relevant, retrieved)

    nodes = sweep.nodes if m else sweep.nodes[:0]
    with threads_for(None) as threads:
        for block in sweep.distances.blocks(nodes):
            for (t, *_), parts in zip(block, threads.map(look, block), strict=True):
                for total, part in zip(sums, parts, strict=True):
                    total[group[t]] += part
    return Ranks(ks, step, count, *np.moveaxis(sums[0], 1, 0), *sums[1:], n=n, at=near - 1, relevant=relevant)


def drawn_order(Y: np.ndarray, node: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the other nodes, nearest first, and a mask of those as far as the one before."""
    distance = squared_from(Y, node)
    distance[node] = np.inf
    order = np.argsort(distance)[:-1]
    distance = distance[order]
    tied = np.zeros(len(order), bool)
    tied[1:] = distance[1:] <= distance[:-1] * (1 + 2 * TIE)
    return order, tied


def evened(values: np.ndarray, tied: np.ndarray) -> np.ndarray:
    """Replace values at the ranks of the drawing (m,) by their mean over each group of ties."""
    if not tied.any():
        return values
    begins = np.flatnonzero(~tied)
    size = np.diff(np.append(begins, len(tied)))
    return np.repeat(np.add.reduceat(values, begins) / size, size)


def penalties(
    seen: np.ndarray, size: np.ndarray, inside: np.ndarray, over: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return penalties of one node's k nearest, and their least and largest values: two (3,).

    The first sums (rank in the input - k)+ over the k nearest in the drawing, the second (rank in the drawing - k)+
    over the k nearest in the input. `seen` (m,): rank class in the input, nodes in the order of the drawing. `size`: of
    each class. `inside`, `over` (m,): chance to be among the k nearest in the drawing, (rank - k)+ there.
    """
    m, a = len(seen), np.cumsum(size) - size
    chance = np.clip((k - a) / size, 0.0, 1.0)  # to have a rank of at most k in the input

    def triangle(x: np.ndarray) -> np.ndarray:
        """Return the sum of (m - k - q)+ over q = 0 .. x - 1."""
        x = np.minimum(x, m - k).astype(np.float64)
        return x * (m - k) - x * (x - 1) / 2

    # Mean of (rank - k)+ in each class, which has the ranks a + 1 .. a + size.
    top, bottom = np.maximum(a + size - k, 0).astype(np.float64), np.maximum(a - k, 0)
    penalty = (top * (top + 1) - bottom * (bottom + 1.0)) / (2 * size)
    intruded, extruded = (inside * penalty[seen]).sum(), (chance[seen] * over).sum()
    least = (chance * size * penalty).sum()
    farthest = np.clip(k - (m - a - size), 0, size)
    most = (chance * (triangle(a + size) - triangle(a))).sum()
    return np.array([intruded, least, (farthest * penalty).sum()]), np.array([extruded, least, most])


def _retrieved(
    seen: np.ndarray, size: np.ndarray, tied: np.ndarray, relevant: int, most: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return relevant nodes among the K = 1 .. most nearest, drawn and at best; (most,) each."""
    chance = np.clip((relevant - np.cumsum(size) + size) / size, 0.0, 1.0)
    stop = most
    while stop < len(tied) and tied[stop]:
        stop += 1
    worth = evened(chance[seen[:stop]], tied[:stop])
    return np.cumsum(worth)[:most], np.cumsum(np.repeat(chance, np.minimum(size, most))[:most])


def _sizes(m: int, *, thin: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return sizes from 1 .. m, and the sum of 1/K over the sizes that each stands for."""
    if not thin or m <= EVERY_K:
        ks = np.arange(1, m + 1)
    else:
        steps = int(np.log(m / EVERY_K) / STEP) + 2
        ks = np.unique(np.r_[np.arange(1, EVERY_K + 1), np.rint(np.geomspace(EVERY_K, m, steps))]).astype(np.int64)
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, m + 1))])
    return ks, np.diff(harmonic[np.concatenate([[0], ks])])


def curves(sweep: Sweep) -> RankCurves:
    """Return the curves of a drawing; see `RankCurves`."""
    ranks = sweep.once(ranks_of, sweep)
    q, r, attainable = _normalized(ranks, np.ones(len(ranks.count), bool))
    b = (ranks.early.sum(axis=0) - ranks.late.sum(axis=0)) / np.maximum(ranks.k * ranks.count.sum(), 1)
    # A node that is not among the n - 1 - K nearest is among the K farthest.
    m = len(sweep.Y) - 1
    farthest = np.full(len(ranks.k), np.nan)
    if m > 0:
        shared = np.full(m + 1, np.nan)
        shared[0], shared[ranks.k] = 0.0, ranks.hits.sum(axis=0) / ranks.count.sum()
        farthest = (2.0 * ranks.k - m + shared[m - ranks.k]) / ranks.k
    return RankCurves(ranks.k, q, b, r, attainable, farthest, sweep.exact)


def by_ranks(sweep: Sweep, of: Callable[[Ranks, np.ndarray], float]) -> Sampled:
    """Return a measure of ranks, such as `trustworthiness`, with its standard error."""
    if len(sweep.Y) < 2:
        return NOTHING
    ranks = sweep.once(ranks_of, sweep)
    return sweep.estimate(lambda kept: float(of(ranks, kept)))


def trustworthiness(ranks: Ranks, kept: np.ndarray, penalty: str = "intruded") -> float:
    """Return 1 - (sum of input rank - k over intruders in the k nearest) / (its maximum).

    k = 10, or half of the other nodes if there are fewer than 20. If nothing is tied, the maximum is n k (2 n - 3 k -
    1) / 2 (Venna and Kaski 2001). NaN if every drawing has the same penalty.
    """
    value, least, most = getattr(ranks, penalty)[kept].sum(axis=0)
    room = most - least
    return 1 - (value - least) / room if room > most * np.spacing(ranks.n) else np.nan


def continuity(ranks: Ranks, kept: np.ndarray) -> float:
    """Return `trustworthiness` with drawing and input exchanged: missing neighbors cost."""
    return trustworthiness(ranks, kept, "extruded")


def q_nx(ranks: Ranks, kept: np.ndarray) -> float:
    """Return Q_NX at K = 10 over its best value, in [0, 1] (Lee et al. 2013, (41))."""
    return ranks.hits[kept, ranks.at].sum() / ranks.best[kept, ranks.at].sum()


def b_nx(ranks: Ranks, kept: np.ndarray) -> float:
    """Return |B_NX| at K = 10, in [0, 1] (Lee et al. 2013, (43)); `curves` has the sign."""
    difference = ranks.early[kept, ranks.at].sum() - ranks.late[kept, ranks.at].sum()
    return abs(difference) / ((ranks.at + 1) * ranks.count[kept].sum())


def r_nx(ranks: Ranks, kept: np.ndarray) -> float:
    """Return R_NX at K = 10: 0 for a random drawing, 1 for the best (Lee et al. 2013, (44))."""
    return _normalized(ranks, kept)[1][ranks.at]


def r_nx_area(ranks: Ranks, kept: np.ndarray) -> float:
    """Return the mean of R_NX(K), K = 1 .. n - 2, with weights 1/K (Lee et al. 2015).

    With ties, this is the area of (Q_NX(K) - c) / (1 - c), c = K / (n - 1), over ln K, over the best area.
    """
    m = ranks.n - 1
    inside = ranks.k < m
    k, nodes = ranks.k[inside], ranks.count[kept].sum()
    hits, best = (each[kept].sum(axis=0)[inside] / nodes for each in (ranks.hits, ranks.best))
    # (Q - c) / (1 - c), Q = hits / K, c = K / m, times a factor that both areas have.
    scale = ranks.step[inside] / k / (1 - k / m)
    least = k * k / m
    attainable = ((best - least) * scale).sum()
    return ((hits - least) * scale).sum() / attainable if attainable > m * np.spacing(m) else np.nan


def retrieval_auc(ranks: Ranks, kept: np.ndarray) -> float:
    """Return the area under precision against recall of the 20 nearest, over its best value."""
    nodes = ranks.count[kept].sum() * 1.0
    means = [each[kept].sum(axis=0) / nodes for each in (ranks.found, ranks.findable)]
    area, best = (retrieval_area(mean, mean / ranks.relevant) for mean in means)
    return area / best


def retrieval_area(found: np.ndarray, recall: np.ndarray) -> float:
    """Return the area under precision against recall for K = 1, 2, ... retrieved nodes.

    `found`: relevant nodes among them. The curve starts at recall 0 with the first precision; lines join its points.
    """
    precision = found / np.arange(1, len(found) + 1)
    return float(recall[0] * precision[0] + (np.diff(recall) * (precision[1:] + precision[:-1])).sum() / 2)


def _normalized(ranks: Ranks, kept: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return Q_NX, R_NX and the largest Q_NX at every size, from the nodes of some groups."""
    nodes, m = max(ranks.count[kept].sum(), 1), max(ranks.k.max(initial=1), 1)
    q, best = (each[kept].sum(axis=0) / (nodes * ranks.k) for each in (ranks.hits, ranks.best))
    chance = ranks.k / m
    room = best - chance
    r = np.full(len(q), np.nan)
    np.divide(q - chance, room, out=r, where=room > m * np.spacing(1.0))
    return q, r, best
