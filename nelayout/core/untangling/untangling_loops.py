"""Compiled loop of `untangling`: moved edges against all others."""

from __future__ import annotations

from nelayout.numerics.compiling import exact_loop

__all__ = ["count_met"]


@exact_loop
def count_met(i, j, where, Z, Y, k, l, found):
    """Write to found[q] the pairs of a moved edge (i, j) and an edge (k, l) that cross.

    ``where`` (n,) numbers the moved nodes, which are at Z[q]; -1: at Y.
    """
    for q in range(len(Z)):
        total = 0
        for e in range(len(i)):
            s, t = where[i[e]], where[j[e]]
            ax, ay = (Y[i[e], 0], Y[i[e], 1]) if s < 0 else (Z[q, s, 0], Z[q, s, 1])
            bx, by = (Y[j[e], 0], Y[j[e], 1]) if t < 0 else (Z[q, t, 0], Z[q, t, 1])
            left, right = (ax, bx) if ax < bx else (bx, ax)
            low, high = (ay, by) if ay < by else (by, ay)
            ux, uy = bx - ax, by - ay
            for f in range(len(k)):
                cx, dx = Y[k[f], 0], Y[l[f], 0]
                if (cx < left and dx < left) or (cx > right and dx > right):
                    continue
                cy, dy = Y[k[f], 1], Y[l[f], 1]
                if (cy < low and dy < low) or (cy > high and dy > high):
                    continue
                c_side, d_side = ux * (cy - ay) - uy * (cx - ax), ux * (dy - ay) - uy * (dx - ax)
                if (c_side > 0 and d_side > 0) or (c_side < 0 and d_side < 0):
                    continue
                vx, vy = dx - cx, dy - cy
                a_side, b_side = vx * (ay - cy) - vy * (ax - cx), vx * (by - cy) - vy * (bx - cx)
                if (a_side > 0 and b_side > 0) or (a_side < 0 and b_side < 0):
                    continue
                if i[e] != k[f] and i[e] != l[f] and j[e] != k[f] and j[e] != l[f]:
                    total += 1
        found[q] = total
