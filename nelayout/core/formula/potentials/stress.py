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
from typing import Any

import numpy as np

from nelayout.core.terms.pull import TINY, Pull
from nelayout.numerics.distances import Distances
from nelayout.numerics.parallel import Threads

__all__ = ["Stress"]

# Nodes of a task of the compiled form: their sums stay in fast memory.
TASK_NODES = 2048
# Pairs of a node and a pivot that an estimate of moved nodes sums over, and fewest nodes or pivots of its sample.
ESTIMATED_PAIRS, MIN_SAMPLE = 4096, 32

# Returns sum_k (t w - w D / d) (y_i - y_k), (d, n), for a number t; a pair counts at both its ends.
Push = Callable[[float], Any]


@dataclass(frozen=True, eq=False)
class Stress:
    """The stress of one graph; ``factor`` is f."""

    factor: float
    distances: Distances
    threads: Threads = field(default_factory=Threads)
    compiled: bool = False

    def at(self, Y: np.ndarray, gradient: bool = True) -> Pull:
        """Return the pull at positions Y (n, d), its gradient if asked; a node costs its pairs."""
        (a, b), push = self._sums(Y, gradient)
        over = float(np.sum(b))
        scale = float(np.sum(a)) / over if over > 0 else 0.0
        steep = 2.0 * self._by * scale
        cost = self._by * (scale * (scale * b - 2.0 * a) + self._squares)
        slopes = (steep * push(scale)).T if gradient else np.zeros((0, Y.shape[1]))
        return Pull(cost, slopes, 2.0 * steep * scale * self._weights)

    def near(self, Y: np.ndarray) -> Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
        """Return a function of Y, moved nodes and their positions (K, s, d): their cost (K,).

        The cost is of first order in its two sums at the first Y, less what other pairs cost.
        Of many pairs an even sample counts, so a cost takes the same time for a piece and for a node.
        """
        a, b = (float(np.sum(each)) for each in self._sums(Y, False)[0])
        goal, scale = self.distances, a / b if b > 0 else 0.0
        steep = self._by * scale

        def cost(Y: np.ndarray, nodes: np.ndarray, Z: np.ndarray) -> np.ndarray:
            own = np.full(len(Y), -1)
            own[nodes] = np.arange(len(nodes))

            def summed(of: np.ndarray, pivots: np.ndarray, twice: bool) -> np.ndarray:
                """Sum over pairs of nodes and pivots; ``twice``: a pivot that stays stands for a node too."""
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
    def _squares(self) -> Any:
        return self.distances.squares

    @cached_property
    def _weights(self) -> Any:
        """(n,) sums of the weights of the pairs of each node."""
        weights = self.distances.weights[0]
        sums = weights.sum(axis=1, dtype=float)
        sums[self.distances.pivots] += weights.sum(axis=0, dtype=float)
        return sums

    @cached_property
    def _by(self) -> float:
        """F / sum w D^2."""
        whole = float(np.sum(self.distances.squares))
        return self.factor / whole if whole > 0 else 0.0

    @cached_property
    def _pairs(self) -> np.ndarray:
        """(2, n, k) w and w D of each pair, a pivot's pairs side by side."""
        return np.ascontiguousarray(self.distances.weights, dtype=float)

    def _sums(self, Y: np.ndarray, gradient: bool) -> tuple[tuple[Any, Any], Push]:
        """At nodes (n,) w D d and w d^2, and a function of t, for calls with ``gradient`` alone."""
        return self._compiled(Y, gradient) if self.compiled else self._plain(Y)

    def _plain(self, Y: np.ndarray) -> tuple[tuple[np.ndarray, np.ndarray], Push]:
        """Return the same as `_sums` by NumPy; the function computes the forces."""
        goal, (weights, pulls) = self.distances, self._pairs
        apart = [np.subtract.outer(column, column[goal.pivots]) for column in Y.T]
        squares = apart[0] * apart[0]
        squares += TINY
        for each in apart[1:]:
            squares += each * each
        lengths = np.sqrt(squares)

        def push(scale: float) -> np.ndarray:
            factors = scale * weights
            factors -= pulls / lengths
            found = np.array([np.vecdot(factors, each) for each in apart])
            if goal.symmetric:
                return 2.0 * found
            found[:, goal.pivots] -= [np.einsum("nk,nk->k", factors, each) for each in apart]
            return found

        return (np.vecdot(pulls, lengths), np.vecdot(weights, squares)), push

    def _compiled(self, Y: np.ndarray, gradient: bool) -> tuple[tuple[np.ndarray, np.ndarray], Push]:
        """Return the same as `_sums` by compiled loops, in tasks of so many nodes."""
        from nelayout.core.formula.potentials import stress_loops

        (n, d), pivots = Y.shape, self.distances.pivots
        points, sums = np.zeros((3, n)), np.zeros((8 if gradient else 2, n))
        points[:d] = Y.T
        given = *self.distances.weights.swapaxes(1, 2), np.take(points, pivots, axis=1), points, TINY, sums
        starts = range(0, n, TASK_NODES)

        def work(start: int) -> np.ndarray:
            back = np.zeros((6, len(pivots)))
            stress_loops.forces(*given, start, min(start + TASK_NODES, n), back)
            return back

        if not gradient:
            self.threads.map(lambda start: stress_loops.sizes(*given, start, min(start + TASK_NODES, n)), starts)
        else:
            for back in self.threads.map(work, starts):
                sums[2:, pivots] -= back
        return (sums[0], sums[1]), lambda scale: scale * sums[2 : 2 + d] - sums[5 : 5 + d]


def _even(values: np.ndarray, most: int) -> tuple[np.ndarray, float]:
    """Return some of the values, evenly spaced, and the factor of their sums.

    At most so many, but at least `MIN_SAMPLE`.


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
