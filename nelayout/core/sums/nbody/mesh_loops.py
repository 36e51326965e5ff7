"""Compiled loops of `mesh` and `grid`: spread and interpolate with cubic B-splines.

A node at x touches the four grid points floor(x/h) - 1 ... floor(x/h) + 2
along each axis.
"""

from __future__ import annotations

import numpy as np

from nelayout.numerics.compiling import compiled_loop, inlined

__all__ = ["add_back", "by_cells", "read", "spread", "square_counts"]


@inlined
def _spline(t):
    """Return weights of the four points around a node at fraction t of its cell."""
    s = 1.0 - t
    return s * s * s / 6.0, 2.0 / 3.0 - t * t * (2.0 - t) / 2.0, 2.0 / 3.0 - s * s * (2.0 - s) / 2.0, t * t * t / 6.0


@inlined
def _spline_slope(t):
    """Return derivatives in t of the weights of `_spline`."""
    s = 1.0 - t
    return -s * s / 2.0, t * (1.5 * t - 2.0), s * (2.0 - 1.5 * s), t * t / 2.0


@inlined
def _correlations(a):
    """Return u_k = sum_j a_j a_{j+k} of four weights, both signs of k = 0..3."""
    a0, a1, a2, a3 = a
    near, far = 2.0 * (a0 * a1 + a1 * a2 + a2 * a3), 2.0 * (a0 * a2 + a1 * a3)
    return a0 * a0 + a1 * a1 + a2 * a2 + a3 * a3, near, far, 2.0 * a0 * a3


@inlined
def _correlation_slopes(a, c):
    """Return half the derivatives of `_correlations`; c: derivatives of the weights."""
    a0, a1, a2, a3 = a
    c0, c1, c2, c3 = c
    near = a0 * c1 + c0 * a1 + a1 * c2 + c1 * a2 + a2 * c3 + c2 * a3
    far = a0 * c2 + c0 * a2 + a1 * c3 + c1 * a3
    return a0 * c0 + a1 * c1 + a2 * c2 + a3 * c3, near, far, a0 * c3 + c0 * a3


@inlined
def _weighted(table, i, j, a, b, c, d):
    """Return sum_kl a_k b_l table[i + k, j + l], and the sums with slopes: c for a, d for b."""
    b0, b1, b2, b3 = b
    d0, d1, d2, d3 = d
    p, px, py = 0.0, 0.0, 0.0
    for k in range(4):
        row = table[i + k]
        g0, g1, g2, g3 = row[j], row[j + 1], row[j + 2], row[j + 3]
        value = b0 * g0 + b1 * g1 + b2 * g2 + b3 * g3
        p += a[k] * value
        px += c[k] * value
        py += a[k] * (d0 * g0 + d1 * g1 + d2 * g2 + d3 * g3)
    return p, px, py


@compiled_loop
def spread(X, Y, charges, x0, y0, h, grid):
    """Add each node's charge to the 16 grid points around it; grid[0, 0] is at (x0, y0)."""
    for i in range(len(X)):
        gx, gy = (X[i] - x0) / h, (Y[i] - y0) / h
        ix, iy = np.int64(gx), np.int64(gy)
        a, m = _spline(gx - ix), charges[i]
        b0, b1, b2, b3 = _spline(gy - iy)
        b0, b1, b2, b3 = m * b0, m * b1, m * b2, m * b3
        for k in range(4):
            row = grid[ix - 1 + k]
            row[iy - 1] += a[k] * b0
            row[iy] += a[k] * b1
            row[iy + 1] += a[k] * b2
            row[iy + 2] += a[k] * b3


@compiled_loop
def read(X, Y, charges, x0, y0, h, grid, lags, start, stop, potential, force):
    """Interpolate field and gradient at nodes start..stop, without each node's own effect.

    lags[k, l]: the grid's own field of a unit charge at lag (k, l), k, l = 0..3.  A node's field on itself is the sum
    over lags of the splines' autocorrelations, exactly.
    """
    for i in range(start, stop):
        gx, gy = (X[i] - x0) / h, (Y[i] - y0) / h
        ix, iy = np.int64(gx), np.int64(gy)
        s, t = gx - ix, gy - iy
        a, b, c, d = _spline(s), _spline(t), _spline_slope(s), _spline_slope(t)
        p, px, py = _weighted(grid, ix - 1, iy - 1, a, b, c, d)
        own = _correlations(a), _correlations(b), _correlation_slopes(a, c), _correlation_slopes(b, d)
        q, qx, qy = _weighted(lags, 0, 0, own[0], own[1], own[2], own[3])
        m = charges[i]
        potential[i] = p - m * q
        force[i, 0] = (px - m * qx) / h
        if force.shape[1] == 2:
            force[i, 1] = (py - m * qy) / h


@compiled_loop
def square_counts(X, Y, x0, y0, cell, columns, counts):
    """Return the sum of squared numbers of nodes in square cells; ``counts`` must be zeros."""
    for i in range(len(X)):
        counts[np.int64((X[i] - x0) / cell) * columns + np.int64((Y[i] - y0) / cell)] += 1
    total = 0.0
    for k in range(len(counts)):
        total += np.float64(counts[k]) * counts[k]
    return total


@compiled_loop
def by_cells(X, Y, charges, x0, y0, cell, columns, starts, order, Xs, Ys, cs, at):
    """Sort nodes by square cell: order, positions, charges, and the start of each cell.

    ``starts`` must be zeros, one longer than the number of cells; ``at`` (n,) is scratch memory.
    """
    n = len(X)
    for i in range(n):
        at[i] = np.int64((X[i] - x0) / cell) * columns + np.int64((Y[i] - y0) / cell)
        starts[at[i] + 1] += 1
    for k in range(1, len(starts)):
        starts[k] += starts[k - 1]
    for i in range(n):
        k = starts[at[i]]
        starts[at[i]] = k + 1
        order[k] = i
        Xs[k], Ys[k], cs[k] = X[i], Y[i], charges[i]
    for k in range(len(starts) - 1, 0, -1):
        starts[k] = starts[k - 1]
    starts[0] = 0


@compiled_loop
def add_back(order, p, gx, gy, potential, force):
    """Add sums over sorted nodes to the entries of the nodes in their original order."""
    for k in range(len(order)):
        i = order[k]
        potential[i] += p[k]
        force[i, 0] += gx[k]
        if force.shape[1] == 2:
            force[i, 1] += gy[k]
