"""How certain positions are: what several drawings of one graph have in common.

Positions in two drawings cannot be compared as they are, and one rotation of the whole does not help: groups turn as
wholes.  So a node is compared with its neighborhood, the nodes nearest to it in the drawing that is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from nelayout.numerics.blocks import rows_at_once

__all__ = ["Home", "Neighborhoods", "lower_bound", "neighborhoods", "second_homes", "spreads", "touches"]

# Nearest nodes that make a neighborhood, at most, and at least; between them a tenth of all nodes, so that chance keeps
# at most a tenth of them in larger graphs.
MOST_NEAR, LEAST_NEAR = 10, 3
# Nearest nodes by which a node is placed in another drawing.
FITTED = 25
# Least share of the drawings that put a node at its second home.
SECOND = 0.2
# Largest share of nearest nodes that two homes have in common, of those that drawings of one home have.
APART = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Neighborhoods:
    """The nodes nearest to each node, in the drawing that is shown and in others.

    kept  (n, r) share of the nearest nodes of the shown drawing that are among the nearest in each other one; NaN where
          the node is not in it
    near  (n, r, k) nearest nodes in each other drawing; -1 where there are fewer, or the node is not in it
    """

    kept: np.ndarray
    near: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Home:
    """Another place where a node often is.

    share     of the drawings that put it there
    near      nodes that are near it there, the most frequent first
    position  (dim,) mean position of these nodes in the drawing that is shown
    """

    share: float
    near: np.ndarray
    position: np.ndarray


def neighborhoods(Y: np.ndarray, others: Sequence[np.ndarray]) -> Neighborhoods:
    """Compare neighborhoods of Y (n, dim) and of other drawings, NaN for nodes not in one."""
    n = len(Y)
    k = min(n - 1, max(LEAST_NEAR, min(MOST_NEAR, n // 10)))
    kept = np.full((n, len(others)), np.nan)
    near = np.full((n, len(others), k), -1, dtype=np.int64)
    whole = _nearest(Y, k)
    for number, other in enumerate(others):
        there = np.flatnonzero(np.isfinite(other).all(axis=1))
        own = min(k, len(there) - 1)
        if own < 1:
            continue
        shown = whole if len(there) == n else there[_nearest(Y[there], own)]
        found = there[_nearest(other[there], own)]
        near[there, number, :own] = found
        kept[there, number] = _common(shown, found) / own
    return Neighborhoods(kept, near)


def _nearest(Y: np.ndarray, k: int) -> np.ndarray:
    """Return the k nodes nearest to each node, itself left out, (n, k)."""
    from scipy.spatial import KDTree

    tree: Any = KDTree(Y)
    _, found = tree.query(Y, k=np.arange(1, k + 2), workers=-1)
    at = np.arange(len(Y))[:, None]
    strange = (found != at).all(axis=1)  # more coincident nodes than were asked for
    found[strange, -1] = at[strange, 0]
    return found[found != at].reshape(len(Y), k)


def _common(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Return the number of entries that rows of two (n, k) arrays have in common, (n,)."""
    both = np.sort(np.concatenate([one, two], axis=1), axis=1)
    return ((both[:, 1:] == both[:, :-1]) & (both[:, 1:] >= 0)).sum(axis=1)


def lower_bound(kept: np.ndarray, level: float) -> np.ndarray:
    """Return the one-sided lower confidence bound of each row's mean, by Student's t.

    ``kept``: (n, r); NaN is left out.
    """
    from scipy.special import stdtrit

    count = np.count_nonzero(np.isfinite(kept), axis=1)
    result = np.full(len(kept), -np.inf)
    some = count > 1
    spread = np.nanstd(kept[some], axis=1, ddof=1) / np.sqrt(count[some])
    result[some] = np.nanmean(kept[some], axis=1) - stdtrit(count[some] - 1, level) * spread
    return result


def spreads(Y: np.ndarray, others: Sequence[np.ndarray]) -> np.ndarray:
    """Return each node's median distance from its places in other drawings, in units of Y.

    In half of the drawings a node lies within this distance. Its nearest nodes are laid over themselves by a similarity
    transform, and the node goes with them.
    """
    n, dim = Y.shape
    if n < 3:
        return np.zeros(n)
    near = _nearest(Y, min(FITTED, n - 1))
    apart = np.full((n, len(others)), np.nan)
    for number, other in enumerate(others):
        known = ~np.isnan(other[:, 0])
        filled = np.where(known[:, None], other, 0.0)
        for start in range(0, n, rows := rows_at_once(8 * dim * near.shape[1] * 6)):
            at = np.arange(start, min(start + rows, n))
            at = at[known[at]]
            weight = known[near[at]].astype(float)[:, :, None]
            placed = _fitted(filled[near[at]], Y[near[at]], weight, filled[at])
            apart[at, number] = np.sqrt(((placed - Y[at]) ** 2).sum(axis=1))
    some = np.isfinite(apart).any(axis=1)
    apart[some, 0] = np.nanmedian(apart[some], axis=1)
    return apart[:, 0]


def _fitted(source: np.ndarray, target: np.ndarray, weight: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Return points (m, d) under the best similarity transforms of source onto target."""
    size = np.maximum(weight.sum(axis=1), 1.0)
    center, goal = (source * weight).sum(axis=1) / size, (target * weight).sum(axis=1) / size
    S, T = (source - center[:, None]) * weight, target - goal[:, None]
    U, stretch, Vt = np.linalg.svd(np.einsum("mia,mib->mab", S, T))
    extent = (S * S).sum(axis=(1, 2))
    factor = np.divide(stretch.sum(axis=1), extent, out=np.zeros(len(point)), where=extent > 0)
    return goal + factor[:, None] * np.einsum("ma,mab,mbc->mc", point - center, U, Vt)


def second_homes(Y: np.ndarray, found: Neighborhoods) -> dict[int, Home]:
    """Return nodes with two homes: their nearest nodes in other drawings are of two kinds."""
    n, r, k = found.near.shape
    homes = dict[int, Home]()
    if r < 2 / SECOND - 1:  # too few drawings for two homes
        return homes
    for start in range(0, n, rows := rows_at_once(8 * r * r * k)):
        near = found.near[start : start + rows]
        there = near[:, :, 0] >= 0  # the drawings that have the node
        alike = np.zeros((len(near), r, r))
        for a, b in combinations(range(r), 2):
            alike[:, a, b] = alike[:, b, a] = _common(near[:, a], near[:, b]) / k
        both = there[:, :, None] & there[:, None, :] & ~np.eye(r, dtype=bool)
        side = _halves(np.where(both, alike, there[:, :, None] * np.eye(r)), there)
        same = side[:, :, None] == side[:, None, :]
        within, between = _mean(alike, both & same), _mean(alike, both & ~same)
        count = there.sum(axis=1)
        fewer = np.minimum((side & there).sum(axis=1), (~side & there).sum(axis=1))
        for node in np.flatnonzero((fewer >= SECOND * count) & (between < APART * within)).tolist():
            known, half = there[node], side[node]
            shown = found.kept[start + node]
            like = shown[known & half].mean() >= shown[known & ~half].mean()  # the half that agrees with the shown one
            away = known & (~half if like else half)
            nodes, times = np.unique(near[node][away], return_counts=True)
            often = nodes[np.lexsort((nodes, -times))]
            often = often[often >= 0][:k]
            homes[start + node] = Home(float(away.sum() / known.sum()), often, Y[often].mean(axis=0))
    return homes


def _halves(alike: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Return the two halves of drawings, (m, r): signs of the leading centered eigenvector."""
    count = np.maximum(there.sum(axis=1), 1)
    mean = alike.sum(axis=1) / count[:, None]
    centered = alike - mean[:, :, None] - mean[:, None, :] + (mean.sum(axis=1) / count)[:, None, None]
    centered *= there[:, :, None] & there[:, None, :]
    return np.linalg.eigh(centered)[1][:, :, -1] > 0


def _mean(alike: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return the mean over pairs of drawings, (m,); 0 without pairs."""
    return (alike * pairs).sum(axis=(1, 2)) / np.maximum(pairs.sum(axis=(1, 2)), 1)


def touches(found: Neighborhoods, group: np.ndarray, count: int) -> np.ndarray:
    """Return the share of drawings in which groups touch, (count, count), 1 on the diagonal.

    Groups of a and b nodes touch if at least sqrt(min(a, b)) nodes of one have a node of the other among their nearest:
    so many nodes lie along a side of the smaller group.  ``group``: (n,) numbers, -1 for none.
    """
    n, r, k = found.near.shape
    size = np.bincount(group[group >= 0], minlength=count)
    side = np.sqrt(np.minimum(size[:, None], size[None, :]))
    times = np.zeros((count, count))
    for number in range(r):
        near = found.near[:, number]
        rows, cols = np.repeat(np.arange(n), k), near.ravel()
        good = (cols >= 0) & (group[rows] >= 0) & (group[cols] >= 0)
        pair = np.unique(rows[good] * count + group[cols[good]])  # each node counts once for each group near it
        border = np.zeros((count, count))
        np.add.at(border, (group[pair // count], pair % count), 1.0)
        times += np.maximum(border, border.T) >= side
    share = times / max(r, 1)
    np.fill_diagonal(share, 1.0)
    return share
