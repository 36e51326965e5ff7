"""Stress: how far drawn distances are from given ones, as a potential added to J.

    S(Y) = f sigma,    sigma = 1 - (sum w D d)^2 / (sum w d^2 sum w D^2),    d = |y_i - y_k|,    w = 1 / max(D, 1)^2

over nodes i and pivots k, some of the nodes.  D is the distance that both should have, up to one factor for all.  sigma
is the scale-normalized stress: the least weighted mean of (t d - D)^2 over all factors t, in parts of the mean of D^2.
It is between 0 and 1, and the size of the drawing leaves it as it is.
Source: Gansner, Koren & North, Graph drawing by stress majorization, GD 2004; for pivots: Brandes & Pich, An
experimental study on distance-based graph drawing, GD 2008.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from nelayout.formula.potentials import TINY, Pull
from nelayout.numerics.distances import Distances
from nelayout.numerics.groups import WHOLE, Parts, Whole, several
from nelayout.numerics.parallel import Threads

__all__ = ["Stress"]

# Nodes of a task of the compiled form: their sums stay in fast memory.
TASK_NODES = 2048
# Pairs of a node and a pivot that an estimate of moved nodes sums over, and fewest nodes or pivots of its sample.
ESTIMATED_PAIRS, MIN_SAMPLE = 4096, 32

# Returns sum_k (t w - w D / d) (y_i - y_k), (d, n), for t, a number or (n,); a pair counts at both its ends.
Push = Callable[[Any], np.ndarray]


@dataclass(frozen=True, eq=False)
class Stress:
    """The stress of one graph, or of several that lie one after another."""

    factors: np.ndarray  # (C,) f of each graph
    distances: tuple[Distances, ...]
    threads: Threads = field(default_factory=Threads)
    compiled: bool = False

    def at(self, Y: np.ndarray, mass: np.ndarray, gradient: bool = True) -> Pull:
        """Return the pull at positions Y (n, d), its gradient if asked; a node costs its pairs."""
        groups, spread = self._groups, self._groups.spread
        (a, b), push = self._sums(Y, gradient)
        over = groups.sum(b)
        scale = spread(groups.where(over > 0, groups.sum(a) / groups.where(over > 0, over, 1.0), 0.0))
        steep = 2.0 * self._by * scale
        cost = self._by * (scale * (scale * b - 2.0 * a) + self._squares)
        slopes = (steep * push(scale)).T if gradient else np.zeros((0, Y.shape[1]))
        return Pull(cost, slopes, 2.0 * steep * scale * self._weights)

    def near(self, Y: np.ndarray) -> Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
        """Return a function of Y, moved nodes and their positions (K, s, d): their cost (K,).

        The graph is one.  The cost is of first order in its two sums at the first Y, less what other pairs cost.
        Of many pairs an even sample counts, so a cost takes the same time for a piece and for a node.
        """
        a, b = (float(np.sum(each)) for each in self._sums(Y, False)[0])
        (goal,), scale = self.distances, a / b if b > 0 else 0.0
        steep = float(self._by[0]) * scale

        def cost(Y: np.ndarray, nodes: np.ndarray, Z: np.ndarray) -> np.ndarray:
            own = np.full(len(Y), -1)
            own[nodes] = np.arange(len(nodes))

            def summed(of: np.ndarray, pivots: np.ndarray, twice: bool) -> np.ndarray:
                """Sum over pairs of nodes and pivots; ``twice``: a pivot that stays stands for a node as well."""
                to = np.arange(len(pivots))
                to, more = _even(to, ESTIMATED_PAIRS // len(of))
                some, times = _even(of, ESTIMATED_PAIRS // len(to))
                ends, moved = goal.pivots[pivots[to]], own[goal.pivots[pivots[to]]] >= 0
                weights = goal.weights[:, some[:, None], pivots[to]].astype(float)
                if twice:
                    weights[:, :, ~moved] *= 2.0
                found = np.empty(len(Z))
                for k, each in enumerate(Z):
                    here, there = (np.where((own[v] < 0)[:, None], Y[v], each[own[v]]) for v in (some, ends))
                    found[k] = _cost(weights, here, there, scale)
                return times * more * found

            found, moved = summed(nodes, np.arange(len(goal.pivots)), goal.symmetric), own[goal.pivots] >= 0
            if moved.any() and not goal.symmetric:
                found += summed(np.flatnonzero(own < 0), np.flatnonzero(moved), False)
            return steep * found

        return cost

    @cached_property
    def _sizes(self) -> np.ndarray:
        """Nodes and pivots of each graph, (2, C)."""
        return np.array([(len(goal.squares), len(goal.pivots)) for goal in self.distances]).T

    @cached_property
    def _groups(self) -> Whole | Parts:
        """The nodes of each graph, as ranges."""
        return WHOLE if len(self.distances) == 1 else Parts(self._sizes[0])

    @cached_property
    def _around(self) -> tuple[np.ndarray, np.ndarray]:
        """(n,) the first pivot of each node's graph, and the number of its pivots."""
        nodes, pivots = self._sizes
        return np.repeat(np.cumsum(pivots) - pivots, nodes), np.repeat(pivots, nodes)

    @cached_property
    def _pivots(self) -> np.ndarray:
        """(k,) pivots of all graphs."""
        nodes, pivots = self._sizes
        return np.concatenate([goal.pivots for goal in self.distances]) + np.repeat(np.cumsum(nodes) - nodes, pivots)

    @property
    def _symmetric(self) -> bool:
        """Whether each node is a pivot."""
        return len(self._pivots) == len(self._squares)

    @cached_property
    def _squares(self) -> np.ndarray:
        return np.concatenate([goal.squares for goal in self.distances])

    @cached_property
    def _weights(self) -> np.ndarray:
        """(n,) sums of the weights of the pairs of each node."""
        sums = np.concatenate([goal.weights[0].sum(axis=1, dtype=float) for goal in self.distances])
        sums[self._pivots] += np.concatenate([goal.weights[0].sum(axis=0, dtype=float) for goal in self.distances])
        return sums

    @cached_property
    def _by(self) -> Any:
        """F / sum w D^2 of each node's graph, (n,) or (1,)."""
        whole = np.atleast_1d(self._groups.sum(self._squares))
        return self._groups.spread(np.where(whole > 0, self.factors / np.where(whole > 0, whole, 1.0), 0.0))

    @cached_property
    def _pairs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The first pair of each node (n,), the pivot of each pair, and its w and w D, (N,)."""
        lows, counts = self._around
        ends = np.cumsum(counts)
        pivots = np.arange(ends[-1]) - np.repeat(ends - counts - lows, counts)
        weights, pulls = (np.concatenate([goal.weights[k].ravel() for goal in self.distances]) for k in (0, 1))
        return ends - counts, pivots, weights.astype(float), pulls.astype(float)

    def _sums(self, Y: np.ndarray, gradient: bool) -> tuple[tuple[np.ndarray, np.ndarray], Push]:
        """At nodes (n,) w D d and w d^2, and a function of t, for calls with ``gradient`` alone."""
        return self._compiled(Y, gradient) if self.compiled else self._plain(Y)

    def _plain(self, Y: np.ndarray) -> tuple[tuple[np.ndarray, np.ndarray], Push]:
        """Return the same as `_sums` by NumPy; the function computes the forces."""
        counts, (first, pivots, weights, pulls) = self._around[1], self._pairs
        (n, d), room = Y.shape, vars(self).pop("_room", None)  # arrays of the last call; no other thread has them
        room = np.empty((d + 2, len(weights))) if room is None or len(room) != d + 2 else room
        *apart, far, other = room
        for column, each in zip(Y.T, apart, strict=True):
            if len(self.distances) == 1:
                np.subtract.outer(column, column[self._pivots], out=each.reshape(n, -1))
            else:
                np.subtract(np.repeat(column, counts), column[self._pivots][pivots], out=each)
        np.multiply(apart[0], apart[0], out=far)
        far += TINY
        for each in apart[1:]:
            far += np.multiply(each, each, out=other)
        squares = np.add.reduceat(np.multiply(weights, far, out=other), first)
        np.sqrt(far, out=far)

        def push(scale: Any) -> np.ndarray:
            factors = np.multiply(np.repeat(scale, counts) if several(scale) else scale, weights, out=other)
            factors -= np.divide(pulls, far, out=far)
            found = np.empty((d, n))
            for each, own in zip(apart, found, strict=True):
                each *= factors
                np.add.reduceat(each, first, out=own)
                if not self._symmetric:
                    own[self._pivots] -= np.bincount(pivots, each, minlength=len(self._pivots))
            vars(self)["_room"] = room
            return 2.0 * found if self._symmetric else found

        return (np.add.reduceat(np.multiply(pulls, far, out=other), first), squares), push

    def _compiled(self, Y: np.ndarray, gradient: bool) -> tuple[tuple[np.ndarray, np.ndarray], Push]:
        """Return the same as `_sums` by compiled loops, in tasks of so many nodes."""
        from nelayout.formula.potentials import stress_loops

        n, d = Y.shape
        points, sums = np.zeros((3, n)), np.zeros((8 if gradient else 2, n))
        points[:d] = Y.T
        at = np.take(points, self._pivots, axis=1), points, TINY, sums

        def work(task: tuple[np.ndarray, np.ndarray, np.ndarray]) -> np.ndarray:
            back = np.zeros((6, task[2][-1, 3] - task[2][0, 2]))
            stress_loops.forces(*task, *at, back)
            return back

        if not gradient:
            self.threads.map(lambda task: stress_loops.sizes(*task, *at), self._tasks)
        else:
            for (_, _, pieces), back in zip(self._tasks, self.threads.map(work, self._tasks), strict=True):
                sums[2:, self._pivots[pieces[0, 2] : pieces[-1, 3]]] -= back
        return (sums[0], sums[1]), lambda scale: scale * sums[2 : 2 + d] - sums[5 : 5 + d]

    @cached_property
    def _tasks(self) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Return w and w D, (k, m), and the pieces of each task; small graphs are together."""
        tasks, stops = list[tuple[np.ndarray, np.ndarray, np.ndarray]](), np.cumsum(self._sizes, axis=1)
        cuts = np.flatnonzero(np.diff(stops[0] // TASK_NODES, append=-1)) + 1
        for first, last in pairwise([0, *cuts.tolist()]):
            goals = [goal.weights.swapaxes(1, 2) for goal in self.distances[first:last]]
            nodes, pivots = self._sizes[:, first:last]
            weights, columns = goals[0], np.cumsum(nodes) - nodes
            if len(goals) > 1:
                weights = np.zeros((2, pivots.max(), nodes.sum()), dtype=np.float32)
                for goal, column, n, k in zip(goals, columns, nodes, pivots, strict=True):
                    weights[:, :k, column : column + n] = goal
            ends = *stops[:, first:last], nodes, pivots, columns
            pieces = np.array([
                (stop - n + at, min(stop - n + at + TASK_NODES, stop), high - k, high, column + at)
                for stop, high, n, k, column in zip(*ends, strict=True) for at in range(0, n, TASK_NODES)
            ])  # fmt: skip
            parts = np.split(pieces, len(pieces)) if len(goals) == 1 else [pieces]
            tasks += [(weights[0], weights[1], part) for part in parts]
        return tasks


def _even(values: np.ndarray, most: int) -> tuple[np.ndarray, float]:
    """Return at most so many of the values (at least `MIN_SAMPLE`), evenly spaced, and the factor of their sums.

    >>> _even(np.arange(100), 50)[0][:3], _even(np.arange(100), 50)[1]
    (array([0, 2, 4]), 2.0)
    """
    most = max(most, MIN_SAMPLE)
    if len(values) <= most:
        return values, 1.0
    return values[np.arange(most) * len(values) // most], len(values) / most


def _cost(weights: np.ndarray, Y: np.ndarray, ends: np.ndarray, scale: float) -> float:
    """Return sum t w d^2 - 2 w D d of nodes Y (n, d) and ``ends`` (k, d); w, w D (2, n, k)."""
    squares = np.sum([np.subtract.outer(x, y) ** 2 for x, y in zip(Y.T, ends.T, strict=True)], axis=0)
    return float(scale * np.vdot(weights[0], squares) - 2.0 * np.vdot(weights[1], np.sqrt(squares)))
