"""Compiled loops of `stress`.

points (3, n) are the nodes, pivots (3, k) some of them; weights and pulls (k, n) have a row for each pivot.  Inner
loops run over nodes, so that the compiler takes several at a time.
"""

from __future__ import annotations

import math

from nelayout.numerics.compiling import compiled_loop

__all__ = ["forces", "sizes"]


@compiled_loop
def sizes(weights, pulls, pivots, points, tiny, sums, start, stop):
    """Add sums of w D d and of w d^2 over all pivots to sums (2, n), for nodes start..stop."""
    X, Y, Z = points[0][start:stop], points[1][start:stop], points[2][start:stop]
    a, b = sums[0][start:stop], sums[1][start:stop]
    for pivot in range(pivots.shape[1]):
        w, u = weights[pivot][start:stop], pulls[pivot][start:stop]
        x, y, z = pivots[0, pivot], pivots[1, pivot], pivots[2, pivot]
        for j in range(len(X)):
            dx, dy, dz = X[j] - x, Y[j] - y, Z[j] - z
            squared = dx * dx + dy * dy + dz * dz + tiny
            a[j] += u[j] * math.sqrt(squared)
            b[j] += w[j] * squared


@compiled_loop
def forces(weights, pulls, pivots, points, tiny, sums, start, stop, back):
    """Add what `sizes` adds, and sums of w and of w D / d times y_j - y_k, to sums (8, n).

    The six sums of y_j - y_k of each pivot are added to back (6, k).
    """
    X, Y, Z = points[0][start:stop], points[1][start:stop], points[2][start:stop]
    a, b = sums[0][start:stop], sums[1][start:stop]
    px, py, pz = sums[2][start:stop], sums[3][start:stop], sums[4][start:stop]
    qx, qy, qz = sums[5][start:stop], sums[6][start:stop], sums[7][start:stop]
    for pivot in range(pivots.shape[1]):
        w, u = weights[pivot][start:stop], pulls[pivot][start:stop]
        x, y, z = pivots[0, pivot], pivots[1, pivot], pivots[2, pivot]
        fx, fy, fz, gx, gy, gz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for j in range(len(X)):
            dx, dy, dz = X[j] - x, Y[j] - y, Z[j] - z
            squared = dx * dx + dy * dy + dz * dz + tiny
            f, g = w[j], u[j] / math.sqrt(squared)
            a[j] += g * squared
            b[j] += f * squared
            px[j] += f * dx
            py[j] += f * dy
            pz[j] += f * dz
            qx[j] += g * dx
            qy[j] += g * dy
            qz[j] += g * dz
            fx += f * dx
            fy += f * dy
            fz += f * dz
            gx += g * dx
            gy += g * dy
            gz += g * dz
        back[0, pivot] += fx
        back[1, pivot] += fy
        back[2, pivot] += fz
        back[3, pivot] += gx
        back[4, pivot] += gy
        back[5, pivot] += gz
