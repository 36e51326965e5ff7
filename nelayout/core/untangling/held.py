"""Descents without new crossings: L-BFGS on J and a barrier between nodes and edges.

With d the distance of a node from an edge of other nodes, and h the reach of the barrier, each such pair adds

    -c (1 - d / h)^2 ln(d / h),    d < h,

which is infinite where a node meets an edge.  No edges cross if no node passes an edge.  So in each step a node moves
less than half of the distance to the nearest edge, and an edge's ends less than half of the distance to the nearest
node.  This bound needs no count of crossings.
"""

from __future__ import annotations

import numpy as np

from nelayout.core.objective import Objective
from nelayout.core.optimizers.limited_memory import RENEWAL, Memory, pairs_kept
from nelayout.core.optimizers.line_search import MAX_TRIALS
from nelayout.core.optimizers.minimize import Report
from nelayout.core.record.evaluation import NOTHING

__all__ = ["Held", "held"]

# Reach of the barrier, and distance within which pairs are known, in typical lengths of an edge.
# see tuning: REACH, KNOWN
REACH, KNOWN = 0.3, 1.0
# Pairs for each node above which fewer are known, down to the reach; and how much farther they are looked for.
# see tuning: NODE_PAIRS, SLACK
NODE_PAIRS, SLACK = 20, 0.5
# Part of a distance that a node moves at most.
# see tuning: MOVED
MOVED = 0.45
# Steps that together must lower the value by a part of all the decrease.
# see tuning: STALL_STEPS, LEAST_DECREASE
STALL_STEPS, LEAST_DECREASE = 10, 1e-3
# Part of a step that is tried next.
# see tuning: SHORTER_STEP
SHORTER_STEP = 0.4


class _Pairs:
    """Nodes (k,) and edges (k,) of other nodes that may be near, for some steps."""

    def __init__(self, i: np.ndarray, j: np.ndarray, length: float) -> None:
        self.i, self.j, self.length, self.known = i, j, length, KNOWN * length
        self.then = None
        self.node = self.first = self.second = self.ends = i[:0]

    def find(self, Y: np.ndarray) -> None:
        """Look for the pairs again if nodes have moved too far for the last ones."""
        if self.then is not None and np.max(np.abs(Y - self.then)) < 0.35 * SLACK * self.known:
            return
        self.then, self.known = Y, KNOWN * self.length
        node, edge = self._within(Y)
        while len(node) > NODE_PAIRS * len(Y) and self.known > REACH * self.length:
            self.known = max(0.5 * self.known, REACH * self.length)
            node, edge = self._within(Y)
        self.node, self.first, self.second = node, self.i[edge], self.j[edge]
        self.ends = np.concatenate([self.node, self.first, self.second])

    def _within(self, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        a, b, around = Y[self.i], Y[self.j], (1.0 + SLACK) * self.known
        (left, bottom), (right, top) = (np.minimum(a, b) - around).T, (np.maximum(a, b) + around).T
        x, y = Y.T[:, :, None]
        near = (x >= left) & (x <= right)
        near &= y >= bottom
        near &= y <= top
        every = np.arange(len(self.i))
        near[self.i, every] = near[self.j, every] = False
        node, edge = np.nonzero(near)
        return node, edge


class Held:
    """J and the barrier, and how far each node may move."""

    def __init__(self, objective: Objective, i: np.ndarray, j: np.ndarray, strength: float, length: float) -> None:
        self.J, self.strength, self.reach = objective, strength, REACH * length
        self.pairs = _Pairs(i, j, length)

    def __call__(self, Y: np.ndarray, stiff: bool = False) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
        """Return value, gradient (n, 2), farthest moves (n,) and inverse curvature (n,)."""
        J, pairs, n = self.J.evaluate(Y, attraction=stiff), self.pairs, len(Y)
        pairs.find(Y)
        i, j, v, y = pairs.first, pairs.second, pairs.node, Y[:, 0] + 1j * Y[:, 1]
        u, w = y[j], y[v]
        a = y[i]
        u -= a
        w -= a
        t = np.clip(np.real(w * np.conj(u)) / np.maximum(np.real(u * np.conj(u)), 1e-300), 0.0, 1.0)
        w -= t * u
        d = np.maximum(np.abs(w), 1e-12)
        room = np.full(n, pairs.known)
        np.minimum.at(room, pairs.ends, np.tile(d, 3))
        k = np.flatnonzero(d < self.reach)
        i, j, v, t, w, d = i[k], j[k], v[k], t[k], w[k], d[k]
        x, c = d / self.reach, self.strength / self.reach
        log, rest = np.log(x), 1.0 - x
        ends, share = np.concatenate([v, i, j]), np.concatenate([np.ones(len(v)), t - 1.0, -t])
        force = share * np.tile(c * (2.0 * rest * log - rest * rest / x) / d * w, 3)
        gradient = np.stack([np.bincount(ends, each, n) for each in (np.real(force), np.imag(force))], axis=1)
        gradient = gradient + J.gradient
        value, inverse = float(J.value) - self.strength * float(np.sum(rest * rest * log)), NOTHING
        if stiff:
            bend = c / self.reach * (-2.0 * log + 4.0 * rest / x + (rest / x) ** 2)
            own = np.bincount(ends, share * share * np.tile(bend, 3), n)
            inverse = 1.0 / np.maximum(4.0 * np.maximum(J.attraction, 0.0) + own, 1e-300)
        return value, gradient, MOVED * room, inverse


def held(f: Held, Y: np.ndarray, steps: int, report: Report) -> tuple[np.ndarray, float]:
    """Descend from a drawing Y (n, 2) without crossings; return drawing and value."""
    memory, sums = Memory.empty(Y, pairs_kept(len(Y))), f.J.arithmetic
    now, values = f(Y, stiff=True), list[float]()
    first, inverse = now[0], now[3]
    for k in range(steps):
        value, gradient, room, _ = now
        direction = memory.direction(sums, gradient, inverse)
        for _ in range(MAX_TRIALS):
            size = np.sqrt(np.sum(direction * direction, axis=1))
            step = direction * np.minimum(1.0, room / np.maximum(size, 1e-300))[:, None]
            slope = float(np.sum(step * gradient))
            if slope >= 0:
                memory, direction = memory.forgotten(), -inverse[:, None] * gradient
                continue
            then = f(Y + step, stiff=k % RENEWAL == RENEWAL - 1)
            if then[0] <= value + 1e-4 * slope:
                break
            direction = SHORTER_STEP * step
        else:
            break
        memory = memory.with_pair(sums, step, then[1] - gradient, inverse)
        Y, now, inverse = Y + step, then, then[3] if len(then[3]) else inverse
        values.append(now[0])
        report(now[0], Y)
        if len(values) > STALL_STEPS and values[-STALL_STEPS - 1] - now[0] <= LEAST_DECREASE * (first - now[0]):
            break
    return Y, now[0]
