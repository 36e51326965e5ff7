"""Stress: how far distances in a drawing are from given distances, as a potential that is added to J.

    S(Y) = f sigma,    sigma = 1 - (sum w D d)^2 / (sum w d^2 sum w D^2),    d = |y_i - y_k|,    w = 1 / max(D, 1)^2

over nodes i and pivots k, some of the nodes.  D is the distance that both should have, up to one factor for all.  sigma
is the scale-normalized stress: the least weighted mean of (t d - D)^2 over all factors t, in parts of the mean of D^2.
It is between 0 and 1, and the size of the drawing leaves it as it is.

>>> lengths = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]])
>>> path = Stress(np.ones(1), (Distances.of(np.arange(3), lengths),))
>>> straight, bent = np.array([[0.0, 0], [5, 0], [10, 0]]), np.array([[0.0, 0], [5, 0], [5, 5]])
>>> [round(float(path.at(Y, np.ones(3)).cost.sum()), 4) for Y in (straight, bent)]
[0.0, 0.0229]

Source: Gansner, Koren & North, Graph drawing by stress majorization, GD 2004; for pivots: Brandes & Pich, An
experimental study on distance-based graph drawing, GD 2008.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from nelayout.formula.potentials import TINY, Pull
from nelayout.numerics.distances import Distances
from nelayout.numerics.groups import Parts
from nelayout.numerics.parallel import Threads

__all__ = ["Stress"]

# Nodes of a task of the compiled form: their sums stay in the fastest memory.
TASK_NODES = 1024


@dataclass(frozen=True, eq=False)
class Stress:
    """The stress of one graph, or of several that lie one after another.

    factors    (C,) f of each graph
    distances  of each graph
    """

    factors: np.ndarray
    distances: tuple[Distances, ...]
    threads: Threads = field(default_factory=Threads)
    compiled: bool = False

    def at(self, Y: np.ndarray, mass: np.ndarray) -> Pull:
        """Return the pull at positions Y (n, d); a node costs as much as its pairs with all pivots."""
        spread = self._nodes.spread
        a, b, forces, back = self._compiled(Y) if self.compiled else self._plain(Y)
        by, scale = spread(self._by), spread(self._scale(a, b))
        cost = by * (scale * (scale * b - 2.0 * a) + self._squares)
        forces[:, self._pivots] -= back
        steep = 2.0 * by * scale
        return Pull(cost, np.ascontiguousarray((steep * forces).T), 2.0 * steep * scale * self._weights)

    @cached_property
    def _nodes(self) -> Parts:
        """The nodes of each graph, as ranges."""
        return Parts(np.array([len(goal.squares) for goal in self.distances]))

    @cached_property
    def _starts(self) -> list[int]:
        """The first pivot of each graph, and the end."""
        return np.cumsum([0, *(len(goal.pivots) for goal in self.distances)]).tolist()

    @cached_property
    def _pivots(self) -> np.ndarray:
        """(k,) pivots of all graphs."""
        first = self._nodes.starts[:-1]
        return np.concatenate([goal.pivots + at for goal, at in zip(self.distances, first, strict=True)])

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
    def _by(self) -> np.ndarray:
        """(C,) f / sum w D^2."""
        whole = self._nodes.sum(self._squares)
        return np.where(whole > 0, self.factors / np.where(whole > 0, whole, 1.0), 0.0)

    def _scale(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """(C,) the factor t of least stress, from sums of w D d and of w d^2 at each node."""
        over = self._nodes.sum(b)
        return np.where(over > 0, self._nodes.sum(a) / np.where(over > 0, over, 1.0), 0.0)

    def _plain(self, Y: np.ndarray) -> tuple[np.ndarray, ...]:
        """At nodes (n,) w D d and w d^2; at nodes (d, n) and pivots (d, k) (t w - w D / d) (y_i - y_k): by NumPy."""
        (a, b), d = np.empty((2, len(Y))), Y.shape[1]
        at_nodes, at_pivots = np.empty((d, len(Y))), np.empty((d, len(self._pivots)))
        for g, goal in enumerate(self.distances):
            nodes, some = slice(*self._nodes.starts[g : g + 2]), slice(*self._starts[g : g + 2])
            apart = [column[:, None] - column[goal.pivots] for column in Y[nodes].T]
            squares = sum(each * each for each in apart) + TINY
            (weights, pulls), far = goal.weights, np.sqrt(squares)
            a[nodes], b[nodes] = (pulls * far).sum(axis=1), (weights * squares).sum(axis=1)
            over = b[nodes].sum()
            factors = (a[nodes].sum() / over if over > 0 else 0.0) * weights - pulls / far
            for axis, each in enumerate(apart):
                each *= factors
                at_nodes[axis, nodes], at_pivots[axis, some] = each.sum(axis=1), each.sum(axis=0)
        return a, b, at_nodes, at_pivots

    def _compiled(self, Y: np.ndarray) -> tuple[np.ndarray, ...]:
        """Sums of `_plain` by compiled loops, in tasks of so many nodes."""
        from nelayout.formula.potentials import stress_loops

        (n, d), starts, first = Y.shape, self._starts, self._nodes.starts.tolist()
        points = np.zeros((3, n))
        points[:d] = Y.T
        pivots = [np.take(points, goal.pivots + at, axis=1) for goal, at in zip(self.distances, first, strict=False)]
        (a, b), at_nodes, at_pivots = np.empty((2, n)), np.empty((3, n)), np.zeros((3, starts[-1]))

        def measure(task: tuple[int, int, int]) -> None:
            g, low, high = task
            stress_loops.sizes(*self.distances[g].weights, pivots[g], points, first[g], low, high, TINY, a, b)

        self.threads.map(measure, self._tasks)
        scale = self._scale(a, b)

        def push(task: tuple[int, int, int]) -> np.ndarray:
            g, low, high = task
            goal, back, room = self.distances[g], np.zeros(pivots[g].shape), np.empty(len(pivots[g].T))
            given = *goal.weights, pivots[g], points, first[g], low, high, TINY, scale[g], not goal.symmetric
            stress_loops.forces(*given, room, at_nodes, back)
            return back

        for (g, low, high), back in zip(self._tasks, self.threads.map(push, self._tasks), strict=True):
            if self.distances[g].symmetric:  # each node is a pivot
                offset = starts[g] - first[g]
                at_pivots[:, low + offset : high + offset] = -at_nodes[:, low:high]
            else:
                at_pivots[:, starts[g] : starts[g + 1]] += back
        return a, b, at_nodes[:d], at_pivots[:d]

    @cached_property
    def _tasks(self) -> list[tuple[int, int, int]]:
        """A graph, and a range of its nodes, for the threads."""
        return [
            (g, start, min(start + TASK_NODES, stop))
            for g, (first, stop) in enumerate(pairwise(self._nodes.starts.tolist()))
            for start in range(first, stop, TASK_NODES)
        ]
