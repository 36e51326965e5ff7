"""Compiled loops over what lies close to some of the nodes, for sums of functions that fall off fast.

Plain loops over ranges, as in ``compiled``, on the cells of ``compiled_tree``: nodes stand in tree order, a cell is a
range first[c]..last[c] of them, and ``cells`` holds its centre and radius.
"""

from __future__ import annotations

import math

import numpy as np

from .compiled import GAUSSIAN, POWER_LOG, _compile, _inline, radial

__all__ = ["felt", "felt_from", "nearest"]


@_inline
def _gap(cells, cell, x, y, z):
    """The squared distance that a place has from a cell, or less."""
    dx, dy, dz = x - cells[cell, 0], y - cells[cell, 1], z - cells[cell, 2]
    gap = math.sqrt(dx * dx + dy * dy + dz * dz) - cells[cell, 3]
    return gap * gap if gap > 0.0 else 0.0


@_compile
def nearest(cells, first, last, left, depth, points, own, start, stop, out):
    """out[k] = squared distance of node own[k] to the node nearest to it, k in start..stop; inf if there is none."""
    X, Y, Z = points[0], points[1], points[2]
    todo = np.empty(2 * depth + 4, dtype=np.int64)
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
            # The half that is pushed last is looked at first.
            todo[waiting], todo[waiting + 1] = 2 * child + 1 - mine, mine
            waiting += 2
        out[k] = best


@_compile
def _ranges(cells, first, last, left, x, y, z, reach, todo, begins, ends):
    """The ranges of nodes in leaves that come as near as ``reach`` (squared), in order; gives how many."""
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


@_inline
def _feel(form, points, charges, a, b, c, order, i, low, high):
    X, Y, Z = points[0], points[1], points[2]
    x, y, z = X[i], Y[i], Z[i]
    p, fx, fy, fz = 0.0, 0.0, 0.0, 0.0
    for j in range(low, high):
        dx, dy, dz = x - X[j], y - Y[j], z - Z[j]
        value, slope = radial(form, a, b, c, order, dx * dx + dy * dy + dz * dz)
        p += charges[j] * value
        w = charges[j] * slope
        fx += w * dx
        fy += w * dy
        fz += w * dz
    return p, fx, fy, fz


@_compile
def felt(
    cells, first, last, left, depth, points, charges, form, a, b, c, order, own, reach, start, stop, potential, force
):
    """potential[k] = sum_j c_j r(xi_ij), force[:, k] = 2 sum_j c_j r'(xi_ij) (y_i - y_j), i = own[k], k in start..stop.

    j runs over the other nodes in leaves that come as near as reach[k], squared.
    """
    todo = np.empty(2 * depth + 4, dtype=np.int64)
    begins, ends = np.empty(len(first), dtype=np.int64), np.empty(len(first), dtype=np.int64)
    for k in range(start, stop):
        i = own[k]
        x, y, z = points[0, i], points[1, i], points[2, i]
        p, fx, fy, fz = 0.0, 0.0, 0.0, 0.0
        for r in range(_ranges(cells, first, last, left, x, y, z, reach[k], todo, begins, ends)):
            for part in range(2):  # before the node itself, and behind it
                low = begins[r] if part == 0 else max(begins[r], i + 1)
                high = min(ends[r], i) if part == 0 else ends[r]
                if form == GAUSSIAN:
                    q, gx, gy, gz = _feel(GAUSSIAN, points, charges, a, b, c, order, i, low, high)
                else:
                    q, gx, gy, gz = _feel(POWER_LOG, points, charges, a, b, c, order, i, low, high)
                p += q
                fx += gx
                fy += gy
                fz += gz
        potential[k] = p
        force[0, k] = 2.0 * fx
        force[1, k] = 2.0 * fy
        force[2, k] = 2.0 * fz


@_inline
def _act(form, points, charge, a, b, c, order, i, low, high, slopes, force):
    X, Y, Z = points[0], points[1], points[2]
    x, y, z = X[i], Y[i], Z[i]
    for j in range(low, high):  # a loop for each array that is written: such loops vectorise
        dx, dy, dz = X[j] - x, Y[j] - y, Z[j] - z
        slopes[j - low] = 2.0 * charge * radial(form, a, b, c, order, dx * dx + dy * dy + dz * dz)[1]
    for axis in range(3):
        here, at, out = points[axis, i], points[axis], force[axis]
        for j in range(low, high):
            out[j] += slopes[j - low] * (at[j] - here)


@_compile
def felt_from(cells, first, last, left, depth, points, charges, form, a, b, c, order, own, reach, force):
    """Adds 2 sum_k c_k r'(xi_jk) (y_j - y_k) to force[:, j], over the same pairs as `felt`; node own[k] has c_k."""
    todo = np.empty(2 * depth + 4, dtype=np.int64)
    begins, ends = np.empty(len(first), dtype=np.int64), np.empty(len(first), dtype=np.int64)
    slopes = np.empty(points.shape[1])
    for k in range(len(own)):
        i = own[k]
        x, y, z = points[0, i], points[1, i], points[2, i]
        for r in range(_ranges(cells, first, last, left, x, y, z, reach[k], todo, begins, ends)):
            for part in range(2):
                low = begins[r] if part == 0 else max(begins[r], i + 1)
                high = min(ends[r], i) if part == 0 else ends[r]
                if form == GAUSSIAN:
                    _act(GAUSSIAN, points, charges[k], a, b, c, order, i, low, high, slopes, force)
                else:
                    _act(POWER_LOG, points, charges[k], a, b, c, order, i, low, high, slopes, force)
