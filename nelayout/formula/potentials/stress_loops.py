"""Compiled loops of `stress`.

points (3, n) and pivots (3, k) are of all graphs.  Node j has ``counts[j]`` pivots from ``lows[j]`` on, and so many
weights and pulls after the nodes before it, from ``start`` on.  Each inner loop writes to one array at most, so that
the compiler takes several pivots at a time.
"""

from __future__ import annotations

import math

from nelayout.numerics.compiling import compiled_loop

__all__ = ["forces", "sizes"]


@compiled_loop
def sizes(weights, pulls, start, stop, pivots, points, lows, counts, tiny, a, b):
    """a[j], b[j] = sums of w D d and of w d^2 over all pivots, j in start..stop."""
    at = 0
    for j in range(start, stop):
        low, count = lows[j], counts[j]
        w, u = weights[at : at + count], pulls[at : at + count]
        X, Y, Z = pivots[0][low : low + count], pivots[1][low : low + count], pivots[2][low : low + count]
        x, y, z = points[0, j], points[1, j], points[2, j]
        along, squares = 0.0, 0.0
        for k in range(len(w)):
            dx, dy, dz = x - X[k], y - Y[k], z - Z[k]
            squared = dx * dx + dy * dy + dz * dz + tiny
            along += u[k] * math.sqrt(squared)
            squares += w[k] * squared
        a[j], b[j] = along, squares
        at += count


@compiled_loop
def forces(
    weights, pulls, start, stop, pivots, points, lows, counts, tiny, scales, both, room, at_nodes, at_pivots
):
    """at_nodes[:, j] = sum of (scale w - w D / d) (y_j - y_k); ``both``: to at_pivots, too."""
    at = 0
    for j in range(start, stop):
        low, count, scale = lows[j], counts[j], scales[j]
        w, u = weights[at : at + count], pulls[at : at + count]
        X, Y, Z = pivots[0][low : low + count], pivots[1][low : low + count], pivots[2][low : low + count]
        x, y, z = points[0, j], points[1, j], points[2, j]
        gx, gy, gz = 0.0, 0.0, 0.0
        for k in range(len(w)):
            dx, dy, dz = x - X[k], y - Y[k], z - Z[k]
            factor = scale * w[k] - u[k] / math.sqrt(dx * dx + dy * dy + dz * dz + tiny)
            gx += factor * dx
            gy += factor * dy
            gz += factor * dz
            room[k] = factor
        at_nodes[0, j], at_nodes[1, j], at_nodes[2, j] = gx, gy, gz
        if both:
            for axis in range(3):
                here, there, sums = points[axis, j], pivots[axis][low : low + count], at_pivots[axis][low : low + count]
                for k in range(len(w)):
                    sums[k] += room[k] * (here - there[k])
        at += count
