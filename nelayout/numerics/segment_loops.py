"""Compiled steps of many small minimizations at once: each graph of a batch on its own rows, one after another."""

from __future__ import annotations

import numpy as np

from nelayout.numerics.compiling import compiled_loop
from nelayout.numerics.vector_loops import advance, multiply, turn

__all__ = ["directions", "remember", "solve_each"]


@compiled_loop
def solve_each(indptr, indices, weights, scale, diagonal, inverse, right, tolerance, max_iter, starts, wanted, X):
    """X of (scale L_w + diag(diagonal)) X = right for every wanted graph, each by conjugate gradients of its own."""
    n, d = right.shape
    free = np.ones(n)
    residual, direction, product = right.copy(), np.empty_like(right), np.empty_like(right)
    sums, goal, rho = np.empty((2, d)), np.empty(d), np.empty(d)
    length, factor = np.zeros(d), np.zeros(d)
    for part in range(len(starts) - 1):
        if not wanted[part]:
            continue
        start, stop = starts[part], starts[part + 1]
        for axis in range(d):
            goal[axis], rho[axis] = 0.0, 0.0
            for i in range(start, stop):
                r = residual[i, axis]
                direction[i, axis] = inverse[i] * r
                goal[axis] += r * r
                rho[axis] += inverse[i] * r * r
            goal[axis] *= tolerance * tolerance
        for _ in range(max_iter):
            multiply(indptr, indices, weights, scale, diagonal, free, direction, start, stop, product, sums[0])
            going = False
            for axis in range(d):
                curved = sums[0, axis] > 0 and rho[axis] > 0
                length[axis] = rho[axis] / sums[0, axis] if curved else 0.0
                going = going or curved
            if not going:
                break
            advance(X, residual, direction, product, length, inverse, start, stop, sums)
            if np.all(sums[0] <= goal):
                break
            for axis in range(d):
                factor[axis] = sums[1, axis] / rho[axis] if rho[axis] > 0 else 0.0
                rho[axis] = sums[1, axis]
            turn(direction, residual, inverse, factor, start, stop)


@compiled_loop
def _product(a, b, start, stop):
    total = 0.0
    for i in range(start, stop):
        for axis in range(a.shape[1]):
            total += a[i, axis] * b[i, axis]
    return total


@compiled_loop
def _weighted(a, b, weights, start, stop):
    total = 0.0
    for i in range(start, stop):
        for axis in range(a.shape[1]):
            total += weights[i] * a[i, axis] * b[i, axis]
    return total


@compiled_loop
def _add(out, factor, other, start, stop):
    for i in range(start, stop):
        for axis in range(out.shape[1]):
            out[i, axis] += factor * other[i, axis]


@compiled_loop
def directions(gradient, moves, changes, curvatures, counts, inverse, starts, wanted, out, slopes):
    """The direction of limited-memory BFGS of every wanted graph (Nocedal & Wright 2006, alg. 7.4), and its slope.

    ``moves`` and ``changes`` (m, n, d) with ``curvatures`` (m, C) hold the last m of each graph's ``counts`` (C,)
    pairs, pair k in slot k modulo m.  A graph whose pairs lead uphill forgets them.
    """
    slots = len(moves)
    parts = np.empty(slots)
    for part in range(len(starts) - 1):
        if not wanted[part]:
            continue
        start, stop, count = starts[part], starts[part + 1], counts[part]
        oldest = max(count - slots, 0)
        for i in range(start, stop):
            for axis in range(out.shape[1]):
                out[i, axis] = -gradient[i, axis]
        for k in range(count - 1, oldest - 1, -1):
            slot = k % slots
            parts[slot] = _product(moves[slot], out, start, stop) / curvatures[slot, part]
            _add(out, -parts[slot], changes[slot], start, stop)
        factor = 1.0
        if count:
            slot = (count - 1) % slots
            factor = curvatures[slot, part] / _weighted(changes[slot], changes[slot], inverse, start, stop)
        for i in range(start, stop):
            for axis in range(out.shape[1]):
                out[i, axis] *= factor * inverse[i]
        for k in range(oldest, count):
            slot = k % slots
            seen = _product(changes[slot], out, start, stop) / curvatures[slot, part]
            _add(out, parts[slot] - seen, moves[slot], start, stop)
        slopes[part] = _product(out, gradient, start, stop)
        if count and not slopes[part] < 0:
            counts[part] = 0
            for i in range(start, stop):
                for axis in range(out.shape[1]):
                    out[i, axis] = -inverse[i] * gradient[i, axis]
            slopes[part] = _product(out, gradient, start, stop)


@compiled_loop
def remember(direction, length, before, after, moves, changes, curvatures, counts, inverse, starts, wanted):
    """Keep the last step and the change of gradient of every wanted graph where J curves upward along it."""
    slots = len(moves)
    for part in range(len(starts) - 1):
        if not wanted[part]:
            continue
        start, stop = starts[part], starts[part + 1]
        slot = counts[part] % slots
        curvature, squares, mean = 0.0, 0.0, 0.0
        for i in range(start, stop):
            mean += inverse[i]
            for axis in range(before.shape[1]):
                move, change = length[part] * direction[i, axis], after[i, axis] - before[i, axis]
                moves[slot, i, axis], changes[slot, i, axis] = move, change
                curvature += move * change
                squares += change * change
        if curvature > 1e-10 * squares * mean / (stop - start):
            curvatures[slot, part] = curvature
            counts[part] += 1
