"""Compiled loop of `far_nodes` over the pairs close to each far node, for fast decay.

It runs on the cells of `tree_loops`.  Nodes are in tree order, a cell is a range first[c]..last[c] of them, and
``cells`` has its center and radius.
"""

from __future__ import annotations

import math

import numpy as np

from nelayout.numerics.compiling import compiled_loop
from nelayout.numerics.elementary_loops import exponential

__all__ = ["force_of_nodes"]


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
    X, Y, Z = points[0], points[1], points[2]
    lengths, slopes = np.empty(len(X)), np.empty(len(X))
    rate = b * order
    for k in range(start, stop):
        i = own[k]
        x, y, z = X[i], Y[i], Z[i]
        ranges = 0  # of nodes in leaves within reach, in order
        todo[0] = 0
        waiting = 1
        while waiting > 0:
            waiting -= 1
            cell = todo[waiting]
            dx, dy, dz = x - cells[cell, 0], y - cells[cell, 1], z - cells[cell, 2]
            gap = math.sqrt(dx * dx + dy * dy + dz * dz) - cells[cell, 3]
            if gap > 0.0 and gap * gap > reach[k]:
                continue
            child = left[cell]
            if child >= 0:
                todo[waiting], todo[waiting + 1] = child + 1, child
                waiting += 2
            elif ranges > 0 and ends[ranges - 1] == first[cell]:
                ends[ranges - 1] = last[cell]
            else:
                begins[ranges], ends[ranges] = first[cell], last[cell]
                ranges += 1
        m, itself = 0, 0
        for r in range(ranges):
            shift = m - begins[r]
            if begins[r] <= i < ends[r]:
                itself = shift + i
            for j in range(begins[r], ends[r]):
                dx, dy, dz = X[j] - x, Y[j] - y, Z[j] - z
                lengths[shift + j] = dx * dx + dy * dy + dz * dz
            m = shift + ends[r]
        for j in range(m):
            slopes[j] = exponential(-rate * lengths[j])
        slopes[itself] = 0.0
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
