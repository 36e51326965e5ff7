"""Compiled loops of `stress`.

points (3, n) are of all graphs, ``first`` is the first node of one graph; weights and pulls (n, k) and pivots (3, k)
are of this graph.  Each inner loop writes to one array at most, so that the compiler takes several pivots at a time.
"""

from __future__ import annotations

import math

from nelayout.numerics.compiling import compiled_loop

__all__ = ["forces", "sizes"]


@compiled_loop
def sizes(weights, pulls, pivots, points, first, start, stop, tiny, a, b):
    """a[j], b[j] = sums of w D d and of w d^2 over all pivots, j in start..stop."""
    X, Y, Z = pivots[0], pivots[1], pivots[2]
    for j in range(start, stop):
        w, u = weights[j - first], pulls[j - first]
        x, y, z = points[0, j], points[1, j], points[2, j]
        along, squares = 0.0, 0.0
        for k in range(len(X)):
            dx, dy, dz = x - X[k], y - Y[k], z - Z[k]
            squared = dx * dx + dy * dy + dz * dz + tiny
            along += u[k] * math.sqrt(squared)
            squares += w[k] * squared
        a[j], b[j] = along, squares


@compiled_loop
def forces(weights, pulls, pivots, points, first, start, stop, tiny, scale, both, room, at_nodes, at_pivots):
    """at_nodes[:, j] = sum of (scale w - w D / d) (y_j - y_k); ``both``: also to at_pivots (3, k); room (k,)."""
    X, Y, Z = pivots[0], pivots[1], pivots[2]
    for j in range(start, stop):
        w, u = weights[j - first], pulls[j - first]
        x, y, z = points[0, j], points[1, j], points[2, j]
        gx, gy, gz = 0.0, 0.0, 0.0
        for k in range(len(X)):
            dx, dy, dz = x - X[k], y - Y[k], z - Z[k]
            factor = scale * w[k] - u[k] / math.sqrt(dx * dx + dy * dy + dz * dz + tiny)
            gx += factor * dx
            gy += factor * dy
            gz += factor * dz
            room[k] = factor
        at_nodes[0, j], at_nodes[1, j], at_nodes[2, j] = gx, gy, gz
        if both:
            for axis in range(3):
                here, there, sums = points[axis, j], pivots[axis], at_pivots[axis]
                for k in range(len(X)):
                    sums[k] += room[k] * (here - there[k])
