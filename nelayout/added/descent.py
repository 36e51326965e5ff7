"""Minimizing the objectives of added nodes, each by itself: its place does not depend on who else is added.

A node's J_t has several valleys: one between its neighbors, others on the far sides of them, and under a singular
kernel a narrow one beside each.  So every node starts twice, where its J_t is lowest of a few places at its neighbors,
and of a few around the mean of them; from both it takes steps of BFGS, and the lower end is its place.
"""

from __future__ import annotations

import math

import numpy as np

from nelayout.added.objective import AddedNodes, Ties

__all__ = ["place"]

# Steps of a node at most: most are at rest after ten, but off a saddle after many.
STEPS = 80
# A node rests when a step would move it by less than this part of the typical distance between old nodes.
REST = 1e-4
# Longest step, in typical distances: farther than that the quadratic model knows nothing.
LONGEST = 10.0
# Part of the promised decrease that a step must bring, and the part of its length that follows one that does not.
SUFFICIENT, SHORTER = 1e-4, 0.3
# Neighbors whose surroundings are tried as a start, the most similar ones; and the part of the way from each to the
# mean of all that a start lies off, as objectives with a singular kernel are infinite at a node.
TRIED, OFF = 5, 0.1
# Distance of further starts from the mean of the neighbors, in typical distances.
AROUND = 2.0


def place(added: AddedNodes, ties: Ties) -> np.ndarray:
    """(m, d) places of the added nodes; one without edges goes to the centroid of the old ones."""
    Y = added.Y
    n, d = Y.shape
    middle = np.sum(Y, axis=0) / n
    unit = math.sqrt(float(np.sum((Y - middle) ** 2)) / n) / n ** (1.0 / d) or 1.0
    (at, least), *others = (_descended(added, ties, start, unit) for start in _starts(added, ties, middle, unit))
    for other, value in others:
        at = np.where((value < least)[:, None], other, at)
        least = np.minimum(value, least)
    return at


def _descended(added: AddedNodes, ties: Ties, start: np.ndarray, unit: float) -> tuple[np.ndarray, np.ndarray]:
    """(m, d) where the steps from a start end, and J_t (m,) there."""
    at, d = start.copy(), start.shape[1]
    found = added.evaluate(at, ties)
    H = np.zeros((len(at), d, d))
    pull = np.where(found.pull > np.finfo(float).tiny, found.pull, 1.0)
    H[:, np.arange(d), np.arange(d)] = (1.0 / pull)[:, None]
    value, slopes, here = found.value, found.gradient, ties
    active, lengths = np.flatnonzero(np.isfinite(value)), np.ones(len(at))
    if len(active) < len(at):
        here = ties.some(np.isfinite(value))
    for _ in range(STEPS):
        if not len(active):
            break
        g = slopes[active]
        step = -np.einsum("mij,mj->mi", H[active], g)
        promised = np.einsum("mi,mi->m", step, g)
        astray = ~(promised < 0)
        step[astray] = -g[astray] / pull[active][astray, None]
        # where J is all but flat a step is so long that its square is infinite: it is cut before it is measured
        step *= np.minimum(1.0, LONGEST * unit / np.maximum(np.max(np.abs(step), axis=1), 1e-300))[:, None]
        promised = np.einsum("mi,mi->m", step, g)
        size = np.sqrt(np.einsum("mi,mi->m", step, step))
        part = lengths[active] * np.minimum(1.0, LONGEST * unit / np.maximum(size, 1e-300))
        going = part * size > REST * unit
        if not going.all():
            active, here, g, step = active[going], here.some(going), g[going], step[going]
            promised, part = promised[going], part[going]
            if not len(active):
                break
        move = part[:, None] * step
        then = added.evaluate(at[active] + move, here)
        taken = then.value <= value[active] + SUFFICIENT * part * promised
        ok, moved = active[taken], move[taken]
        H[ok] = _updated(H[ok], moved, then.gradient[taken] - g[taken])
        at[ok] += moved
        value[ok], slopes[ok] = then.value[taken], then.gradient[taken]
        lengths[active] = np.where(taken, 1.0, SHORTER * lengths[active])
    return at, value


def _starts(added: AddedNodes, ties: Ties, middle: np.ndarray, unit: float) -> tuple[np.ndarray, np.ndarray]:
    """Two starts (m, d): the places of lowest J_t at each node's neighbors, and around the mean of them."""
    mean = _mean_of_neighbors(added.Y, ties, middle)
    return _at_neighbors(added, ties, mean), _around(added, ties, mean, unit)


def _mean_of_neighbors(Y: np.ndarray, ties: Ties, middle: np.ndarray) -> np.ndarray:
    """(m, d), weighted by the ties; the middle of all where a node has none."""
    sums = ties.sums(ties.weight)
    tied = sums > 0
    mean = np.stack([ties.sums(ties.weight * column[ties.to]) for column in Y.T], axis=1)
    return np.where(tied[:, None], mean / np.where(tied, sums, 1.0)[:, None], middle)


def _around(added: AddedNodes, ties: Ties, mean: np.ndarray, unit: float) -> np.ndarray:
    """(m, d) the places of lowest J_t on both sides of the mean of each node's neighbors along each axis."""
    axes = np.eye(mean.shape[1])
    places = mean + AROUND * unit * np.concatenate([axes, -axes])[:, None]
    lowest = np.argmin([added.evaluate(at, ties).value for at in places], axis=0)
    return places[lowest, np.arange(len(mean))]


def _at_neighbors(added: AddedNodes, ties: Ties, mean: np.ndarray) -> np.ndarray:
    """(m, d) the places of lowest J_t among the mean of each node's neighbors and the surroundings of some of them."""
    m, Y = len(ties.mass), added.Y
    best, least = mean, added.evaluate(mean, ties).value
    order = np.lexsort((ties.to, -ties.weight, ties.of))
    rank = np.arange(len(order)) - np.searchsorted(ties.of[order], np.arange(m))[ties.of[order]]
    for k in range(TRIED):
        chosen = order[rank == k]
        if not len(chosen):
            break
        which = np.zeros(m, dtype=bool)
        which[ties.of[chosen]] = True
        start = Y[ties.to[chosen]]
        start = start + OFF * (mean[which] - start)
        value = np.full(m, np.inf)
        value[which] = added.evaluate(start, ties.some(which)).value
        lower = value < least
        best = best.copy()
        best[lower] = start[lower[which]]
        least = np.where(lower, value, least)
    return best


def _updated(H: np.ndarray, move: np.ndarray, change: np.ndarray) -> np.ndarray:
    """The BFGS update of inverse Hessians H (m, d, d); H with curvature <= 0 stays."""
    curvature = np.einsum("mi,mi->m", move, change)
    size = np.einsum("mi,mi->m", change, change) * np.einsum("mi,mi->m", move, move)
    sound = curvature > 1e-10 * np.sqrt(size)
    rho = np.where(sound, 1.0 / np.where(sound, curvature, 1.0), 0.0)
    Hy = np.einsum("mij,mj->mi", H, change)
    yHy = np.einsum("mi,mi->m", change, Hy)
    outer = np.einsum("mi,mj->mij", move, Hy)
    new = H - rho[:, None, None] * (outer + np.swapaxes(outer, 1, 2))
    new += (rho * (1.0 + rho * yHy))[:, None, None] * np.einsum("mi,mj->mij", move, move)
    return np.where(sound[:, None, None], new, H)
