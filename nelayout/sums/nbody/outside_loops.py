"""Compiled loop of `outside`: the field of a tree of cells at one place after another, none of which is a node."""

from __future__ import annotations

import math

from nelayout.numerics.compiling import compiled_loop
from nelayout.sums.nbody.expansion_loops import profile

__all__ = ["fields_at"]


@compiled_loop
def fields_at(cells, first, last, left, points, charges, way, law, rule, at, start, stop, todo, potential, force):
    """potential[i] = sum_j c_j r(xi_ij), force[:, i] its gradient at the place at[:, i], for i in start..stop.

    A cell is far by the rule of `tree_loops.walk`, of which the place has no radius: it then acts through its mass and
    second moments, to third order in radius / distance; other leaves act node by node.  ``todo`` has room for the
    cells that wait.
    """
    X, Y, Z = points[0], points[1], points[2]
    a0, a1, a2, a3 = law[4], law[5], law[6], law[7]
    b0, b1, b2, b3, constant = law[8], law[9], law[10], law[11], law[12]
    decay, negligible = rule[2], rule[3]
    for i in range(start, stop):
        x, y, z = at[0, i], at[1, i], at[2, i]
        p, fx, fy, fz = 0.0, 0.0, 0.0, 0.0
        todo[0] = 0
        waiting = 1
        while waiting > 0:
            waiting -= 1
            cell = todo[waiting]
            dx, dy, dz, radius = x - cells[cell, 0], y - cells[cell, 1], z - cells[cell, 2], cells[cell, 3]
            xi = dx * dx + dy * dy + dz * dz
            allowed = rule[0] + rule[1] * xi
            if decay > 0.0:
                gap = math.sqrt(xi) - radius
                lost = decay * gap * gap if gap > 0.0 else 0.0
                allowed *= 1.0 + lost * (0.5 + lost * 0.125) if lost < negligible else math.inf
            if radius * radius <= allowed and xi > 0.0:
                w, v, log_q = profile(way, law, xi)
                m = cells[cell, 4]
                xx, xy, xz = cells[cell, 5], cells[cell, 6], cells[cell, 7]
                yy, yz, zz = cells[cell, 8], cells[cell, 9], cells[cell, 10]
                f0 = w * (a0 * log_q + b0) + constant
                f1 = 2.0 * w * v * (a1 * log_q + b1)
                f2 = 4.0 * w * v * v * (a2 * log_q + b2)
                f3 = 8.0 * w * v * v * v * (a3 * log_q + b3)
                sx = xx * dx + xy * dy + xz * dz
                sy = xy * dx + yy * dy + yz * dz
                sz = xz * dx + yz * dy + zz * dz
                trace, square = xx + yy + zz, sx * dx + sy * dy + sz * dz
                p += m * f0 + 0.5 * (f1 * trace + f2 * square)
                along = m * f1 + 0.5 * (f2 * trace + f3 * square)
                fx += along * dx + f2 * sx
                fy += along * dy + f2 * sy
                fz += along * dz + f2 * sz
            elif left[cell] >= 0:
                todo[waiting], todo[waiting + 1] = left[cell] + 1, left[cell]
                waiting += 2
            else:
                for j in range(first[cell], last[cell]):
                    dx, dy, dz = x - X[j], y - Y[j], z - Z[j]
                    w, v, log_q = profile(way, law, dx * dx + dy * dy + dz * dz)
                    p += charges[j] * (w * (a0 * log_q + b0) + constant)
                    s = 2.0 * charges[j] * (w * v * (a1 * log_q + b1))
                    fx += s * dx
                    fy += s * dy
                    fz += s * dz
        potential[i] = p
        force[0, i], force[1, i], force[2, i] = fx, fy, fz
