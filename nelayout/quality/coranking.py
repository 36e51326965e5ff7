"""Measures of ranks: trustworthiness, continuity, Q_NX, B_NX, R_NX and its area, the area of retrieval.

See `ranks` for what is counted, and for ties.  With n nodes, Q_NX(K) is the mean share of a node's K nearest in the
input that are among its K nearest in the drawing.  A drawing at random reaches K / (n - 1), and R_NX(K) puts that at 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nelayout.quality.protocol import CHANCE, MONOTONE, REST, ROWS, SIMILARITY, VALUE, Measure
from nelayout.quality.ranks import NEIGHBORS, Ranks, neighborhood_size, ranks_of
from nelayout.quality.samples import NOTHING, Sampled
from nelayout.quality.sweep import Sweep

__all__ = [
    "B_NX", "CONTINUITY", "Q_NX", "RETRIEVAL_AUC", "R_NX", "R_NX_AREA", "TRUSTWORTHINESS", "RankCurves", "curves",
]  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class RankCurves:
    """Agreement of neighborhoods of every size, as `nelayout.rank_curves` returns it; arrays (m,).

    k               neighborhood sizes: 1 .. n - 1; sampled: all up to 1,000 and then in steps of 1 %
    q_nx            mean share of the K nearest in the input that are among the K nearest in the drawing, in [0, 1]
    b_nx            share of ranks that are smaller in the drawing than in the input (intrusions), less the share of
                    those that are larger (extrusions), among these nodes
    r_nx            q_nx brought to 0 for a drawing at random and 1 for the best; NaN where both are the same
    attainable      the largest q_nx of any drawing; below 1 where distances of the input are tied
    farthest        mean share of the K farthest in the input that are among the K farthest in the drawing; NaN at
                    sizes for which a thinned curve does not hold the counterpart n - 1 - K
    exact           whether every node entered
    """

    k: np.ndarray
    q_nx: np.ndarray
    b_nx: np.ndarray
    r_nx: np.ndarray
    attainable: np.ndarray
    farthest: np.ndarray
    exact: bool


def curves(sweep: Sweep) -> RankCurves:
    """The curves of a drawing; see `RankCurves`."""
    ranks = sweep.once(ranks_of)
    everyone = np.ones(len(ranks.count), bool)
    q, r, attainable = _normalized(ranks, everyone)
    scale = 1.0 / np.maximum(ranks.k * ranks.count.sum(), 1)
    b = (ranks.early.sum(axis=0) - ranks.late.sum(axis=0)) * scale
    # Who is not among the n - 1 - K nearest is among the K farthest.
    m = len(sweep.Y) - 1
    farthest = np.full(len(ranks.k), np.nan)
    shared = np.zeros(m + 1)
    shared[1:] = np.nan
    if m > 0:
        shared[ranks.k] = ranks.hits.sum(axis=0) / ranks.count.sum()
        farthest = (2.0 * ranks.k - m + shared[m - ranks.k]) / ranks.k
    return RankCurves(ranks.k, q, b, r, attainable, farthest, sweep.exact)


def trustworthiness(sweep: Sweep) -> Sampled:
    """1 - sum_i sum_{j in U_i} (rank in the input - k) over the most it can be; U_i: the intruders among i's k nearest.

    k = 10, or half of the other nodes where there are fewer than 20.  Venna and Kaski 2001; without ties the most that
    it can be is n k (2 n - 3 k - 1) / 2.  NaN where every drawing has the same penalty.
    """
    return _between(sweep, "intruded")


def continuity(sweep: Sweep) -> Sampled:
    """1 - sum_i sum_{j in V_i} (rank in the drawing - k) over the most it can be; V_i: the missing ones of i's k
    nearest.

    As `trustworthiness`, with drawing and input exchanged.
    """
    return _between(sweep, "extruded")


def q_nx(sweep: Sweep) -> Sampled:
    """Q_NX at K = 10 over its value in the best drawing, in [0, 1] (Lee and Verleysen 2009; Lee et al. 2013, (41))."""

    def share(kept: np.ndarray) -> float:
        at = neighborhood_size(len(sweep.Y), NEIGHBORS) - 1
        ranks = sweep.once(ranks_of)
        return float(ranks.hits[kept, at].sum() / ranks.best[kept, at].sum())

    return _estimate(sweep, share)


def b_nx(sweep: Sweep) -> Sampled:
    """Size of B_NX at K = 10, in [0, 1] (Lee et al. 2013, (43)); `curves` has its sign."""

    def bias(kept: np.ndarray) -> float:
        at = neighborhood_size(len(sweep.Y), NEIGHBORS) - 1
        ranks = sweep.once(ranks_of)
        difference = ranks.early[kept, at].sum() - ranks.late[kept, at].sum()
        return float(abs(difference) / ((at + 1) * ranks.count[kept].sum()))

    return _estimate(sweep, bias)


def r_nx(sweep: Sweep) -> Sampled:
    """R_NX at K = 10: 0 for a drawing at random, 1 for the best (Lee et al. 2013, (44))."""
    at = neighborhood_size(len(sweep.Y), NEIGHBORS) - 1
    return _estimate(sweep, lambda kept: float(_normalized(sweep.once(ranks_of), kept)[1][at]))


def r_nx_area(sweep: Sweep) -> Sampled:
    """Mean of R_NX(K) over K = 1 .. n - 2 with weights 1/K: the area under its curve over ln K (Lee et al. 2015).

    With ties, area of (Q_NX(K) - c) / (1 - c), c = K / (n - 1), over that of the best drawing.
    """

    def area(kept: np.ndarray) -> float:
        ranks, m = sweep.once(ranks_of), len(sweep.Y) - 1
        inside = ranks.k < m
        k, weight = ranks.k[inside], ranks.step[inside]
        if not len(k):
            return float("nan")
        nodes = ranks.count[kept].sum()
        hits, best = (each[kept].sum(axis=0)[inside] / nodes for each in (ranks.hits, ranks.best))
        # (Q - c) / (1 - c), Q = hits / K, c = K / m, times a factor that both areas have.
        scale = weight / k / (1 - k / m)
        least = k * k / m
        attainable = ((best - least) * scale).sum()
        return float(((hits - least) * scale).sum() / attainable) if attainable > m * np.spacing(m) else float("nan")

    return _estimate(sweep, area)


def retrieval_auc(sweep: Sweep) -> Sampled:
    """Area under mean precision against mean recall of retrieving the 20 nearest in the input, over its best value.

    The K = 1 .. 100 nearest in the drawing are retrieved (Amid et al. 2015, sec. 4); the curve begins at recall 0 with
    the first precision and is joined by straight lines.  Fewer than 41 nodes: half of the others are relevant.
    """

    def area(kept: np.ndarray) -> float:
        ranks = sweep.once(ranks_of)
        nodes = ranks.count[kept].sum() * 1.0
        areas = [_area(each[kept].sum(axis=0) / nodes, ranks.relevant) for each in (ranks.found, ranks.findable)]
        return areas[0] / areas[1]

    return _estimate(sweep, area)


def _area(found: np.ndarray, relevant: int) -> float:
    precision, recall = found / np.arange(1, len(found) + 1), found / relevant
    return float(recall[0] * precision[0] + (np.diff(recall) * (precision[1:] + precision[:-1])).sum() / 2)


def _normalized(ranks: Ranks, kept: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Q_NX, R_NX and the largest Q_NX at every size, of the nodes of some groups."""
    nodes, m = max(ranks.count[kept].sum(), 1), max(ranks.k.max(initial=1), 1)
    q, best = (each[kept].sum(axis=0) / (nodes * ranks.k) for each in (ranks.hits, ranks.best))
    chance = ranks.k / m
    room = best - chance
    r = np.full(len(q), np.nan)
    np.divide(q - chance, room, out=r, where=room > m * np.spacing(1.0))
    return q, r, best


def _between(sweep: Sweep, penalty: str) -> Sampled:
    def share(kept: np.ndarray) -> float:
        value, least, most = getattr(sweep.once(ranks_of), penalty)[kept].sum(axis=0)
        room = most - least
        return float(1 - (value - least) / room) if room > most * np.spacing(len(sweep.Y)) else float("nan")

    return _estimate(sweep, share)


def _estimate(sweep: Sweep, of) -> Sampled:
    return sweep.estimate(of) if len(sweep.Y) > 1 else NOTHING


INVARIANCES = (*SIMILARITY, MONOTONE)
COST = "O(n^2 log n), sampled O(n log n) a node"

TRUSTWORTHINESS = Measure(
    "trustworthiness",
    "1 - how far, in ranks of the input, the intruders among a node's 10 nearest in the drawing come from, over the "
    "most that any drawing has",
    trustworthiness, ("sweep",), VALUE,
    invariances=INVARIANCES, complexity=COST, sampling=ROWS, default_for=("vectors",),
    source="Venna & Kaski 2001; ties as their mean over all orders",
)  # fmt: skip
CONTINUITY = Measure(
    "continuity",
    "1 - how far, in ranks of the drawing, the missing ones of a node's 10 nearest in the input are, over the most "
    "that any drawing has",
    continuity, ("sweep",), VALUE,
    invariances=INVARIANCES, complexity=COST, sampling=ROWS, default_for=("vectors",),
    source="Venna & Kaski 2001; ties as their mean over all orders",
)  # fmt: skip
Q_NX = Measure(
    "q_nx",
    "mean share of a node's 10 nearest in the input that are among its 10 nearest in the drawing, over that of the "
    "best drawing",
    q_nx, ("sweep",), VALUE,
    invariances=INVARIANCES, complexity=COST, sampling=ROWS, default_for=("vectors",),
    source="Lee & Verleysen 2009; Lee et al. 2013, eq. 41; NN-precision of Im et al. 2018",
)  # fmt: skip
B_NX = Measure(
    "b_nx",
    "how much intrusions outnumber extrusions or the reverse among a node's 10 nearest, as a share of these",
    b_nx, ("sweep",), REST,
    invariances=INVARIANCES, complexity=COST, sampling=ROWS, default_for=(),
    source="Lee & Verleysen 2009; Lee et al. 2013, eq. 43, without the sign",
)  # fmt: skip
R_NX = Measure(
    "r_nx",
    "agreement of a node's 10 nearest in the input and in the drawing: 0 for a drawing at random, 1 for the best",
    r_nx, ("sweep",), CHANCE,
    invariances=INVARIANCES, complexity=COST, sampling=ROWS, default_for=(),
    source="Lee et al. 2013, eq. 44",
)  # fmt: skip
R_NX_AREA = Measure(
    "r_nx_area",
    "mean of R_NX over neighborhoods of all sizes K with weights 1/K: 0 for a drawing at random, 1 for the best",
    r_nx_area, ("sweep",), CHANCE,
    invariances=INVARIANCES, complexity=COST, sampling=ROWS, default_for=("vectors",),
    source="Lee, Peluffo-Ordonez & Verleysen 2015",
)  # fmt: skip
RETRIEVAL_AUC = Measure(
    "retrieval_auc",
    "area under mean precision against mean recall of the 20 nearest in the input among the 1 to 100 nearest in the "
    "drawing, over that of the best drawing",
    retrieval_auc, ("sweep",), VALUE,
    invariances=INVARIANCES, complexity=COST, sampling=ROWS, default_for=(),
    source="Amid et al. 2015, sec. 4",
)  # fmt: skip
