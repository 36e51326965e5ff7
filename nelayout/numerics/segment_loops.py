"""Compiled steps of many small minimizations at once: each graph of a batch on its own rows, one after another."""

from __future__ import annotations

import math

from nelayout.numerics.compiling import compiled_loop
from nelayout.numerics.vector_loops import dot, iterate, scale_dot, subtract_dot, weighted_dot

__all__ = ["directions", "remember", "solve_each", "spread_each"]


@compiled_loop
def solve_each(
    indptr, indices, weights, scale, diagonal, free, inverse, tolerance, max_iter, starts, wanted, X, residual,
    direction, product, room
):
    """X of (scale L_w + diag(diagonal)) X = right for every wanted graph, each by conjugate gradients of its own.

    X is 0 and ``residual`` the right-hand sides at first; ``direction``, ``product`` (n, d) and ``room`` (6, d) are
    scratch memory.
    """
    goal, rho = room[4], room[5]
    for part in range(len(starts) - 1):
        if not wanted[part]:
            continue
        start, stop = starts[part], starts[part + 1]
        for axis in range(X.shape[1]):
            squares, scaled = 0.0, 0.0
            for i in range(start, stop):
                r = residual[i, axis]
                direction[i, axis] = inverse[i] * r
                squares += r * r
                scaled += inverse[i] * r * r
            goal[axis], rho[axis] = tolerance * tolerance * squares, scaled
        iterate(
            indptr, indices, weights, scale, diagonal, free, inverse, goal, max_iter, start, stop, X, residual,
            direction, rho, product, room
        )


@compiled_loop
def directions(gradient, moves, changes, curvatures, counts, inverse, starts, wanted, out, slopes, parts):
    """The direction of limited-memory BFGS of every wanted graph, as `vector_loops.two_loops` has it, and its slope.

    ``moves`` and ``changes`` with ``curvatures`` (m, C) hold the last m of each graph's ``counts`` (C,) pairs, pair k
    in slot k modulo m.  A graph whose pairs lead uphill forgets them.  ``gradient``, ``out`` (n, d) and ``changes``
    (m, n, d) come twice, as they are and as (n d,) and (m, n d), the shape of ``moves``; ``parts`` (m,): scratch memory
    """
    (out, flat), (gradient, uphill), (changes, steps), slots = out, gradient, changes, len(moves)
    d = out.shape[1]
    for part in range(len(starts) - 1):
        if not wanted[part]:
            continue
        start, stop = starts[part], starts[part + 1]
        low, high = d * start, d * stop
        for i in range(low, high):
            flat[i] = -uphill[i]
        count, slope = counts[part], 0.0
        if count > 0:
            oldest, newest = count - slots if count > slots else 0, (count - 1) % slots
            seen = dot(moves[newest], flat, low, high)
            for k in range(count - 1, oldest - 1, -1):
                slot = k % slots
                parts[slot] = seen / curvatures[slot, part]
                seen = subtract_dot(flat, parts[slot], steps[slot], moves[(k - 1) % slots], low, high)
            factor = curvatures[newest, part] / weighted_dot(changes[newest], changes[newest], inverse, start, stop)
            seen = scale_dot(out, factor, inverse, changes[oldest % slots], start, stop)
            for k in range(oldest, count):
                slot = k % slots
                ahead = seen / curvatures[slot, part] - parts[slot]
                seen = subtract_dot(flat, ahead, moves[slot], steps[(k + 1) % slots], low, high)
            slope = dot(flat, uphill, low, high)
        if not slope < 0:  # from the gradient alone
            counts[part] = 0
            for i in range(low, high):
                flat[i] = -uphill[i]
            slope = scale_dot(out, 1.0, inverse, gradient, start, stop)
        slopes[part] = slope


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


@compiled_loop
def spread_each(Y, before, factor, factor_before, starts, spread):
    """Root mean squared distance of factor Y - factor_before before to its centroid, for each graph."""
    for part in range(len(starts) - 1):
        start, stop = starts[part], starts[part + 1]
        now, then, squares = factor[part], factor_before[part], 0.0
        for axis in range(Y.shape[1]):
            total = 0.0
            for i in range(start, stop):
                total += now * Y[i, axis] - then * before[i, axis]
            middle = total / (stop - start)
            for i in range(start, stop):
                apart = now * Y[i, axis] - then * before[i, axis] - middle
                squares += apart * apart
        spread[part] = math.sqrt(squares / (stop - start))
