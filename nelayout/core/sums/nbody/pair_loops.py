"""Compiled loops over pairs of nodes, for `exact` and `far_nodes`."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from nelayout.core.sums.nbody.law_loops import radial
from nelayout.numerics.compiling import compiled_loop, inlined
from nelayout.numerics.elementary_loops import exponential

__all__ = ["as_points", "force_of_nodes", "node_sums", "pair_sums"]


def node_sums(kind, form):
    """Make the loop over the pairs of one node, of a kind and one of `law_loops.FORMS`."""
    value_and_slope = radial(kind, form)

    @inlined
    def node_sums(X, Y, Z, charges, x, y, z, a, b, c, order, itself):
        """Return sum_j c_j r(xi_j) and half its gradient, without j = itself."""
        p, fx, fy, fz = 0.0, 0.0, 0.0, 0.0
        for j in range(len(charges)):
            dx, dy, dz = x - X[j], y - Y[j], z - Z[j]
            value, slope = value_and_slope(a, b, c, order, dx * dx + dy * dy + dz * dz)
            if j == itself:  # one loop is faster than two parts
                value, slope = 0.0, 0.0
            p += charges[j] * value
            w = charges[j] * slope
            fx += w * dx
            fy += w * dy
            fz += w * dz
        return p, fx, fy, fz

    return node_sums


@cache
def pair_sums(kind, form):
    """Make the loop over the pairs of a kind and one of `law_loops.FORMS`."""
    sums_of_node = node_sums(kind, form)

    @compiled_loop
    def pair_sums(points, charges, a, b, c, order, at, own, start, stop, potential, force):
        """Set potential[i] = sum_j c_j r(xi_ij) and force[:, i], its gradient, i in start..stop.

        force[:, i] = 2 sum_j c_j r'(xi_ij) (at_i - y_j).  ``points`` (3, n) have charges, ``at`` (3, k) feel them; both
        are padded with zeros.  ``own`` (k,): point that a point does not feel, itself; -1: none.
        """
        X, Y, Z = points[0], points[1], points[2]
        for i in range(start, stop):
            p, fx, fy, fz = sums_of_node(X, Y, Z, charges, at[0, i], at[1, i], at[2, i], a, b, c, order, own[i])
            potential[i] = p
            force[0, i] = 2.0 * fx
            force[1, i] = 2.0 * fy
            force[2, i] = 2.0 * fz

    return pair_sums


@compiled_loop
def force_of_nodes(
    cells, first, last, left, points, charges, b, order, by_log, own, reach, start, stop, numbers, rows, force
):
    """Add the force of nodes own[k], k in start..stop, to force[:, j], for fast decay.

    It acts on the nodes in leaves within reach[k], a squared distance; for cells and their leaves see `tree_loops`.
    Node own[k] has the charge charges[k] for q^order, or for q^order ln q (``by_log``), q = exp(-b xi).  ``numbers``
    (3, cells) and ``rows`` (2, n) are scratch memory.
    """
    todo, begins, ends, lengths, slopes = numbers[0], numbers[1], numbers[2], rows[0], rows[1]
    X, Y, Z = points[0], points[1], points[2]
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


def as_points(Y: np.ndarray) -> np.ndarray:
    """Return (n, d) positions as three contiguous coordinate rows."""
    points = np.zeros((3, len(Y)))
    points[: Y.shape[1]] = Y.T
    return points
