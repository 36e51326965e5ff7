"""Compiled loops of `far_nodes` over the pairs close to each far node, for fast decay.

They run on the cells of `tree_loops`.  Nodes are in tree order, a cell is a range first[c]..last[c] of them, and
``cells`` has its center and radius.
"""

from __future__ import annotations

import math

import numpy as np

from nelayout.numerics.compiling import compiled_loop, inlined
from nelayout.numerics.elementary_loops import exponential

__all__ = ["force_of_nodes", "nearest"]


@inlined
def _gap(cells, cell, x, y, z):
    """Return a lower bound of the squared distance from a point to the nodes of a cell."""
    dx, dy, dz = x - cells[cell, 0], y - cells[cell, 1], z - cells[cell, 2]
    gap = math.sqrt(dx * dx + dy * dy + dz * dz) - cells[cell, 3]
    return gap * gap if gap > 0.0 else 0.0


@compiled_loop
def nearest(cells, first, last, left, points, own, start, stop, out):
    """Set out[k] = squared distance of node own[k] to its nearest node, inf without one."""
    X, Y, Z = points[0], points[1], points[2]
    todo = np.empty(len(first), dtype=np.int64)
    for k in range(start, stop):
        i = own[k]
        x, y, z = X[i], Y[i], Z[i]
        best = math.inf
        todo[0] = 0
        waiting = 1
        while waiting > 0:
            waiting -= 1
            cell = todo[waiting]
            if _gap(cells, cell, x, y, z) >= best:
                continue
            child = left[cell]
            if child < 0:
                for j in range(first[cell], last[cell]):
                    dx, dy, dz = x - X[j], y - Y[j], z - Z[j]
                    xi = dx * dx + dy * dy + dz * dz
                    if xi < best and j != i:
                        best = xi
                continue
            mine = child if i < last[child] else child + 1
            # the half pushed last is searched first
            todo[waiting], todo[waiting + 1] = 2 * child + 1 - mine, mine
            waiting += 2
        out[k] = best


@compiled_loop
def _ranges(cells, first, last, left, x, y, z, reach, todo, begins, ends):
    """Find the ranges of nodes in leaves within ``reach`` (squared), in order; count them."""
    count = 0
    todo[0] = 0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        cell = todo[waiting]
        if _gap(cells, cell, x, y, z) > reach:
            continue
        child = left[cell]
        if child >= 0:
            todo[waiting], todo[waiting + 1] = child + 1, child
            waiting += 2
        elif count > 0 and ends[count - 1] == first[cell]:
            ends[count - 1] = last[cell]
        else:
            begins[count], ends[count] = first[cell], last[cell]
            count += 1
    return count


@inlined
def _values(points, i, begins, ends, ranges, rate, lengths, values):
    """Fill in squared distances xi from node i to the ranges, and exp(-rate xi), 0 for itself."""
    X, Y, Z = points[0], points[1], points[2]
    x, y, z = X[i], Y[i], Z[i]
    m, itself = 0, 0
    for r in range(ranges):
        shift = m - begins[r]
        if begins[r] <= i < ends[r]:
            itself = shift + i
        for j in range(begins[r], ends[r]):
            dx, dy, dz = X[j] - x, Y[j] - y, Z[j] - z
            lengths[shift + j] = dx * dx + dy * dy + dz * dz
        m = shift + ends[r]
    for k in range(m):
        values[k] = exponential(-rate * lengths[k])
    values[itself] = 0.0
    return m


@compiled_loop
def force_of_nodes(
    cells, first, last, left, points, charges, b, order, by_log, own, reach, start, stop, force
):
    """Add the force of nodes own[k], k in start..stop, to force[:, j].

    It acts on the nodes in leaves within reach[k], a squared distance.
    Node own[k] has the charge charges[k] for q^order, or for q^order ln q (``by_log``), q = exp(-b xi).
    """
    todo = np.empty(len(first), dtype=np.int64)
    begins, ends = np.empty(len(first), dtype=np.int64), np.empty(len(first), dtype=np.int64)
    n = points.shape[1]
    lengths, slopes = np.empty(n), np.empty(n)
    rate = b * order
    for k in range(start, stop):
        i = own[k]
        x, y, z = points[0, i], points[1, i], points[2, i]
        ranges = _ranges(cells, first, last, left, x, y, z, reach[k], todo, begins, ends)
        m = _values(points, i, begins, ends, ranges, rate, lengths, slopes)
        charge = -2.0 * b * charges[k]
        for j in range(m):
            slopes[j] *= charge * (1.0 - rate * lengths[j] if by_log else order)
        for axis in range(force.shape[0]):  # one loop per written array, so that it vectorizes
            here, at, out = points[axis, i], points[axis], force[axis]
            m = 0
            for r in range(ranges):
                shift = m - begins[r]
                for j in range(begins[r], ends[r]):
                    out[j] += slopes[shift + j] * (at[j] - here)
                m = shift + ends[r]
