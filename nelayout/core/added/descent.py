"""Minimize the objective of each added node independently of the other added nodes.

A node's J_t has several valleys: one between its neighbors, others on the far sides of them. A singular kernel adds a
narrow valley beside each neighbor. So every node starts twice: from the position of lowest J_t among some at its
neighbors, and among some around their mean. From both it takes steps of BFGS; the lower end is its position.
"""

from __future__ import annotations

import math

import numpy as np

from nelayout.core.added.objective import AddedNodes, NewEdges

__all__ = ["place"]

# Largest number of steps of a node: most need ten, but more near a saddle.
MAX_STEPS = 80
# A node stops if a step would move it by less than this share of the typical distance between old nodes.
STOP_DISTANCE = 1e-4
# Longest step, in typical distances: the quadratic model is invalid farther away.
MAX_STEP_DISTANCE = 10.0
# Share of the predicted decrease that a step must reach, and factor of its length after a failure.
DECREASE_SHARE, SHORTER_FACTOR = 1e-4, 0.3
# Number of most similar neighbors that give starts, and offset of the start from each, as a share of the distance to
# their mean: singular kernels are infinite at a node.
START_NEIGHBORS, START_OFFSET = 5, 0.1
# Distance of other starts from the mean of the neighbors, in typical distances.
START_DISTANCE = 2.0


def place(added: AddedNodes, ties: NewEdges) -> np.ndarray:
    """Return positions (m, d) of the added nodes; a node without edges goes to the centroid."""
    Y = added.Y
    n, d = Y.shape
    middle = np.sum(Y, axis=0) / n
    unit = math.sqrt(float(np.sum((Y - middle) ** 2)) / n) / n ** (1.0 / d) or 1.0
    sums = ties.sums(ties.weight)[:, None]
    mean = np.stack([ties.sums(ties.weight * column[ties.to]) for column in Y.T], axis=1)
    mean = np.where(sums > 0, mean / np.where(sums > 0, sums, 1.0), middle)
    axes = np.eye(d)
    around = mean + START_DISTANCE * unit * np.concatenate([axes, -axes])[:, None]
    lowest = np.argmin([added.evaluate(at, ties).value for at in around], axis=0)
    at, value = _descended(added, ties, _at_neighbors(added, ties, mean), unit)
    other, least = _descended(added, ties, around[lowest, np.arange(len(mean))], unit)
    return np.where((least < value)[:, None], other, at)


def _descended(added: AddedNodes, ties: NewEdges, start: np.ndarray, unit: float) -> tuple[np.ndarray, np.ndarray]:
    """Return (m, d) where the steps from a start end, and J_t (m,) there."""
    at, found = start.copy(), added.evaluate(start, ties)
    pull = np.where(found.pull > np.finfo(float).tiny, found.pull, 1.0)
    H = np.eye(start.shape[1]) / pull[:, None, None]
    value, slopes, sound = found.value, found.gradient, np.isfinite(found.value)
    active, here, lengths = np.flatnonzero(sound), ties.some(sound), np.ones(len(at))
    for _ in range(MAX_STEPS):
        g = slopes[active]
        step = -np.einsum("mij,mj->mi", H[active], g)
        promised = np.einsum("mi,mi->m", step, g)
        astray = ~(promised < 0)
        step[astray] = -g[astray] / pull[active][astray, None]
        # a nearly flat J makes steps so long that their square overflows: shorten them first
        step *= np.minimum(1.0, MAX_STEP_DISTANCE * unit / np.maximum(np.max(np.abs(step), axis=1), 1e-300))[:, None]
        promised = np.einsum("mi,mi->m", step, g)
        size = np.sqrt(np.einsum("mi,mi->m", step, step))
        part = lengths[active] * np.minimum(1.0, MAX_STEP_DISTANCE * unit / np.maximum(size, 1e-300))
        going = part * size > STOP_DISTANCE * unit
        if not going.any():
            break
        if not going.all():
            active, here, g, step = active[going], here.some(going), g[going], step[going]
            promised, part = promised[going], part[going]
        move = part[:, None] * step
        then = added.evaluate(at[active] + move, here)
        taken = then.value <= value[active] + DECREASE_SHARE * part * promised
        ok, moved = active[taken], move[taken]
        H[ok] = _updated(H[ok], moved, then.gradient[taken] - g[taken])
        at[ok] += moved
        value[ok], slopes[ok] = then.value[taken], then.gradient[taken]
        lengths[active] = np.where(taken, 1.0, SHORTER_FACTOR * lengths[active])
    return at, value


def _at_neighbors(added: AddedNodes, ties: NewEdges, mean: np.ndarray) -> np.ndarray:
    """Return (m, d), the lowest J_t among each neighbor mean and points near some neighbors."""
    best, least = mean.copy(), added.evaluate(mean, ties).value
    order = np.lexsort((ties.to, -ties.weight, ties.of))
    rank = np.arange(len(order)) - np.searchsorted(ties.of[order], np.arange(len(mean)))[ties.of[order]]
    for k in range(START_NEIGHBORS):
        chosen = order[rank == k]
        if not len(chosen):
            break
        here, near = ties.of[chosen], added.Y[ties.to[chosen]]
        start = near + START_OFFSET * (mean[here] - near)
        value = added.evaluate(start, ties.some(np.isin(np.arange(len(mean)), here))).value
        lower = value < least[here]
        best[here[lower]], least[here[lower]] = start[lower], value[lower]
    return best


def _updated(H: np.ndarray, move: np.ndarray, change: np.ndarray) -> np.ndarray:
    """Return the BFGS update of inverse Hessians H (m, d, d); H with curvature <= 0 stays."""
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
