"""Compiled loops of `tree` and `outside`: cut nodes into cells, and sum over cells.

A cell is a range first[c]..last[c] of the nodes in tree order.  left[c] is the first of its two children, which are
side by side, or -1 for a leaf.  A cell acts through its mass and its second moments around its center of mass.  Its
field around another center is stored to third order.  These are 20 numbers: the value and 3, 6 and 10 derivatives, in
the order of xx xy xz ...

A radial function r and its derivatives are w v^k (A_k l + B_k), k = 0..3, see `law_loops`.  ``law`` has a, b, c,
order, A_0..A_3, B_0..B_3 and a constant added to r.  Loops that compute r are made for one kind of function.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from nelayout.numerics.compiling import compiled_loop
from nelayout.sums.nbody.law_loops import profile

__all__ = ["CELL", "fields_at", "grow", "measure", "walk"]

# Number of columns of a cell: center of mass (0..2), radius, mass (4), second moments xx xy xz yy yz zz (5..10).
CELL = 11
# Number of rows in a list of far cells: the columns of a cell, then w, v and l.
FAR = CELL + 3
# Number of values of a field.
FIELD = 20
# Near nodes are padded to a multiple of this number, so that the loop over them has no remainder.
LANES = 8


@compiled_loop
def grow(points, charges, order, most, first, last, left, parent):
    """Cut cells of more than ``most`` nodes across their longest sides; return their number.

    Sorts ``points`` (3, n), ``charges`` and ``order``.  A cell is cut in the middle of its nodes' extent, not of its
    parent's half.  So one far node costs one cut.  Nodes at one point stay together.
    """
    n = points.shape[1]
    place, row = np.empty(n, dtype=np.int64), np.empty(n)
    was = np.empty(n, dtype=np.int64)
    first[0], last[0], parent[0] = 0, n, -1
    count, cell = 1, 0
    while cell < count:
        begin, end = first[cell], last[cell]
        left[cell] = -1
        axis, longest, middle = 0, 0.0, 0.0
        for c in range(3 if end - begin > most else 0):
            low, high = points[c, begin], points[c, begin]
            for i in range(begin, end):
                low, high = min(low, points[c, i]), max(high, points[c, i])
            if high - low > longest:
                axis, longest, middle = c, high - low, 0.5 * low + 0.5 * high
                if middle >= high:  # rounded up between two neighboring numbers
                    middle = low
        if longest > 0.0:
            below = begin
            for i in range(begin, end):
                below += points[axis, i] <= middle
            lower, upper = begin, below
            for i in range(begin, end):
                up = points[axis, i] > middle
                place[i] = upper if up else lower
                upper += up
                lower += not up
            for c in range(4):
                values = points[c] if c < 3 else charges
                for i in range(begin, end):
                    row[place[i]] = values[i]
                for i in range(begin, end):
                    values[i] = row[i]
            for i in range(begin, end):
                was[place[i]] = order[i]
            for i in range(begin, end):
                order[i] = was[i]
            left[cell] = count
            first[count], last[count], parent[count] = begin, below, cell
            first[count + 1], last[count + 1], parent[count + 1] = below, end, cell
            count += 2
        cell += 1
    return count


@compiled_loop
def measure(points, charges, first, last, start, stop, cells):
    """Set center of mass, radius, mass and second moments of cells start..stop."""
    X, Y, Z = points[0], points[1], points[2]
    for cell in range(start, stop):
        begin, end = first[cell], last[cell]
        mass, x, y, z = 0.0, 0.0, 0.0, 0.0
        x0, y0, z0 = X[begin], Y[begin], Z[begin]
        for i in range(begin, end):
            m = charges[i]
            mass += m
            x += m * (X[i] - x0)
            y += m * (Y[i] - y0)
            z += m * (Z[i] - z0)
        share = 1.0 / mass if mass > 0.0 else 0.0
        x, y, z = x0 + share * x, y0 + share * y, z0 + share * z
        farthest, xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(begin, end):
            dx, dy, dz, m = X[i] - x, Y[i] - y, Z[i] - z, charges[i]
            farthest = max(farthest, dx * dx + dy * dy + dz * dz)
            xx += m * dx * dx
            xy += m * dx * dy
            xz += m * dx * dz
            yy += m * dy * dy
            yz += m * dy * dz
            zz += m * dz * dz
        row = (x, y, z, math.sqrt(farthest), mass, xx, xy, xz, yy, yz, zz)
        for k in range(CELL):
            cells[cell, k] = row[k]


@compiled_loop
def _with_room(lists):
    """Copy rows to an array with twice the columns."""
    rows, columns = lists.shape
    wider = np.empty((rows, 2 * columns))
    for k in range(rows):
        for j in range(columns):
            wider[k, j] = lists[k, j]
    return wider


@compiled_loop
def _sift(cells, first, last, left, rule, cell, lists, begin, end, opened, far):
    """Sort cells lists[begin:end] of a cell: into ``far``, and into its own list, behind end.

    Returns both arrays (larger if they were full), the end of this list, and the numbers of cells far and seen.
    """
    x, y, z, radius = cells[cell, 0], cells[cell, 1], cells[cell, 2], cells[cell, 3]
    low, high, leaf = first[cell], last[cell], left[cell] < 0
    constant, ratio, decay, negligible = rule[0], rule[1], rule[2], rule[3]
    top, count, seen = end, 0, 0
    for item in range(begin, end):
        opened[0] = lists[item]
        pending = 1
        while pending > 0:
            pending -= 1
            other = opened[pending]
            seen += 1
            dx, dy, dz = x - cells[other, 0], y - cells[other, 1], z - cells[other, 2]
            distance = dx * dx + dy * dy + dz * dz
            reach = radius + cells[other, 3]
            allowed = constant + ratio * distance
            if decay > 0.0:
                gap = max(math.sqrt(distance) - reach, 0.0)
                lost = decay * gap * gap
                allowed *= 1.0 + lost * (0.5 + lost * 0.125) if lost < negligible else math.inf
            # Cells that share nodes (a cell, itself and its ancestors) are never far.
            if reach * reach <= allowed and (last[other] <= low or first[other] >= high):
                if count == far.shape[1]:
                    far = _with_room(far)
                for k in range(CELL):
                    far[k, count] = cells[other, k]
                count += 1
            elif left[other] >= 0 and (leaf or cells[other, 3] > radius):
                opened[pending] = left[other] + 1
                opened[pending + 1] = left[other]
                pending += 2
            else:
                if top == len(lists):
                    longer = np.empty(2 * top, dtype=np.int64)
                    for j in range(top):
                        longer[j] = lists[j]
                    lists = longer
                lists[top] = other
                top += 1
    return lists, far, top, count, seen


@compiled_loop
def _gather(first, last, cell, one_place, points, charges, lists, begin, end, near):
    """Gather the nodes of a leaf (one if ``one_place``), then of other leaves in its list."""
    count = 0
    for turn in range(begin - 1, end):
        other = cell if turn < begin else lists[turn]
        if turn >= begin and other == cell:
            continue
        low, high = first[other], last[other]
        if other == cell and one_place:
            high = low + 1
        while count + (high - low) > near.shape[1]:
            near = _with_room(near)
        for i in range(low, high):
            near[0, count], near[1, count], near[2, count] = points[0, i], points[1, i], points[2, i]
            near[3, count] = charges[i]
            count += 1
    return near, count


@compiled_loop
def _value_at(field, x, y, z):
    """Return value and gradient of a field at (x, y, z) from its center."""
    gx = field[4] * x + field[5] * y + field[6] * z
    gy = field[5] * x + field[7] * y + field[8] * z
    gz = field[6] * x + field[8] * y + field[9] * z
    xx, xy, xz, yy, yz, zz = x * x, 2.0 * x * y, 2.0 * x * z, y * y, 2.0 * y * z, z * z
    hx = field[10] * xx + field[11] * xy + field[12] * xz + field[13] * yy + field[14] * yz + field[15] * zz
    hy = field[11] * xx + field[13] * xy + field[14] * xz + field[16] * yy + field[17] * yz + field[18] * zz
    hz = field[12] * xx + field[14] * xy + field[15] * xz + field[17] * yy + field[18] * yz + field[19] * zz
    value = field[0]
    value += x * (field[1] + 0.5 * gx + hx / 6.0)
    value += y * (field[2] + 0.5 * gy + hy / 6.0)
    value += z * (field[3] + 0.5 * gz + hz / 6.0)
    return value, field[1] + gx + 0.5 * hx, field[2] + gy + 0.5 * hy, field[3] + gz + 0.5 * hz


@compiled_loop
def _shift_field(field, x, y, z, out):
    """Shift a field to a center at (x, y, z) from its own."""
    out[0], out[1], out[2], out[3] = _value_at(field, x, y, z)
    out[4] = field[4] + field[10] * x + field[11] * y + field[12] * z
    out[5] = field[5] + field[11] * x + field[13] * y + field[14] * z
    out[6] = field[6] + field[12] * x + field[14] * y + field[15] * z
    out[7] = field[7] + field[13] * x + field[16] * y + field[17] * z
    out[8] = field[8] + field[14] * x + field[17] * y + field[18] * z
    out[9] = field[9] + field[15] * x + field[18] * y + field[19] * z
    for k in range(10, FIELD):
        out[k] = field[k]


def _far_sums(kind):
    """Make the sum over far cells."""
    profile_of_kind = profile(kind)

    @compiled_loop
    def far_sums(law, far, count, x, y, z, field):
        """Add to ``field``, around (x, y, z), the contributions of the cells in far[:, :count]."""
        a, b, c, order = law[0], law[1], law[2], law[3]
        for k in range(count):
            dx, dy, dz = x - far[0, k], y - far[1, k], z - far[2, k]
            xi = dx * dx + dy * dy + dz * dz
            far[CELL, k], far[CELL + 1, k], far[CELL + 2, k] = profile_of_kind(a, b, c, order, xi)
        a0, a1, a2, a3 = law[4], law[5], law[6], law[7]
        b0, b1, b2, b3, constant = law[8], law[9], law[10], law[11], law[12]
        p, px, py, pz = 0.0, 0.0, 0.0, 0.0
        qxx, qxy, qxz, qyy, qyz, qzz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        hxxx, hxxy, hxxz, hxyy, hxyz = 0.0, 0.0, 0.0, 0.0, 0.0
        hxzz, hyyy, hyyz, hyzz, hzzz = 0.0, 0.0, 0.0, 0.0, 0.0
        X, Y, Z, M, W, V, LOG_Q = far[0], far[1], far[2], far[4], far[CELL], far[CELL + 1], far[CELL + 2]
        SXX, SXY, SXZ, SYY, SYZ, SZZ = far[5], far[6], far[7], far[8], far[9], far[10]
        for k in range(count):
            dx, dy, dz = x - X[k], y - Y[k], z - Z[k]
            w, v, log_q, m = W[k], V[k], LOG_Q[k], M[k]
            # Derivatives in xi, times the powers of 2 from the derivatives in space.
            f0 = w * (a0 * log_q + b0) + constant
            w *= v
            f1 = 2.0 * w * (a1 * log_q + b1)
            w *= v
            f2 = 4.0 * w * (a2 * log_q + b2)
            w *= v
            f3 = 8.0 * w * (a3 * log_q + b3)
            # Second moments times the second and the third derivatives.
            sx = SXX[k] * dx + SXY[k] * dy + SXZ[k] * dz
            sy = SXY[k] * dx + SYY[k] * dy + SYZ[k] * dz
            sz = SXZ[k] * dx + SYZ[k] * dy + SZZ[k] * dz
            trace, square = SXX[k] + SYY[k] + SZZ[k], sx * dx + sy * dy + sz * dz
            p += m * f0 + 0.5 * (f1 * trace + f2 * square)
            along = m * f1 + 0.5 * (f2 * trace + f3 * square)
            px += along * dx + f2 * sx
            py += along * dy + f2 * sy
            pz += along * dz + f2 * sz
            f1 *= m
            f2 *= m
            f3 *= m
            qxx += f1 + f2 * dx * dx
            qxy += f2 * dx * dy
            qxz += f2 * dx * dz
            qyy += f1 + f2 * dy * dy
            qyz += f2 * dy * dz
            qzz += f1 + f2 * dz * dz
            xx, yy, zz = f3 * dx * dx, f3 * dy * dy, f3 * dz * dz
            hxxx += (3.0 * f2 + xx) * dx
            hxxy += (f2 + xx) * dy
            hxxz += (f2 + xx) * dz
            hxyy += (f2 + yy) * dx
            hxyz += f3 * dx * dy * dz
            hxzz += (f2 + zz) * dx
            hyyy += (3.0 * f2 + yy) * dy
            hyyz += (f2 + yy) * dz
            hyzz += (f2 + zz) * dy
            hzzz += (3.0 * f2 + zz) * dz
        sums = (p, px, py, pz, qxx, qxy, qxz, qyy, qyz, qzz)
        thirds = (hxxx, hxxy, hxxz, hxyy, hxyz, hxzz, hyyy, hyyz, hyzz, hzzz)
        for k in range(10):
            field[k] += sums[k]
            field[10 + k] += thirds[k]

    return far_sums


def _near_sums(kind):
    """Make the sum over near nodes."""
    profile_of_kind = profile(kind)

    @compiled_loop
    def near_sums(law, near, count, own, x, y, z):
        """Return potential and force at (x, y, z) of nodes near[:, :count] except ``own``.

        The rows of near are x, y, z and charge.
        """
        a, b, c, order = law[0], law[1], law[2], law[3]
        a0, a1, b0, b1, constant = law[4], law[5], law[8], law[9], law[12]
        X, Y, Z, M = near[0], near[1], near[2], near[3]
        filled = LANES * ((count + LANES - 1) // LANES)
        # A node does not act on itself: during the sum its charge is 0, at a point where every function is finite.
        # The padding has the same charge and point.
        for k in range(count, filled):
            X[k], Y[k], Z[k], M[k] = x + 1.0, y, z, 0.0
        mine, place = M[own], X[own]
        M[own], X[own] = 0.0, x + 1.0
        p, fx, fy, fz = 0.0, 0.0, 0.0, 0.0
        for k in range(filled):
            dx, dy, dz = x - X[k], y - Y[k], z - Z[k]
            w, v, log_q = profile_of_kind(a, b, c, order, dx * dx + dy * dy + dz * dz)
            m = M[k]
            p += m * (w * (a0 * log_q + b0) + constant)
            s = m * (w * v * (a1 * log_q + b1))
            fx += s * dx
            fy += s * dy
            fz += s * dz
        M[own], X[own] = mine, place
        return p, 2.0 * fx, 2.0 * fy, 2.0 * fz

    return near_sums


@cache
def walk(kind):
    """Make the sum at nodes over the cells, for one of `law_loops.KINDS`."""
    far_sums, near_sums, profile_of_kind = _far_sums(kind), _near_sums(kind), profile(kind)

    @compiled_loop
    def walk(cells, first, last, left, path, depth, points, charges, law, rule, potential, force, counts):
        """Sum at the nodes of the cell at the end of ``path``, a path from the root.

        Each cell gets a list of cells from its parent.  Cells far enough away enter its field; cells larger than the
        cell are opened; the rest is the list of its children.  In a leaf, the rest is summed node by node.

        Cells are far if (sum of radii)^2 <= rule[0] + rule[1] distance^2.  If the function decays like e^(-rule[2] xi),
        the limit grows with the decay, and below e^-rule[3] all is far.  ``counts``: cells seen, far cells, pairs.
        """
        lists, far, near = np.empty(1024, dtype=np.int64), np.empty((FAR, 256)), np.empty((4, 1024))
        opened = np.empty(depth + 4, dtype=np.int64)
        todo, levels = np.empty(depth + 4, dtype=np.int64), np.empty(depth + 4, dtype=np.int64)
        # Level 0 is above the root: its list has only the root, its field is 0.
        begins, ends = np.zeros(depth + 4, dtype=np.int64), np.zeros(depth + 4, dtype=np.int64)
        fields, centers = np.zeros((depth + 4, FIELD)), np.zeros((depth + 4, 3))
        lists[0], ends[0] = 0, 1
        todo[0], levels[0] = 0, 1
        waiting = 1
        while waiting > 0:
            waiting -= 1
            cell, level = todo[waiting], levels[waiting]
            up, field, center = level - 1, fields[level], centers[level]
            x, y, z, radius, mass = cells[cell, 0], cells[cell, 1], cells[cell, 2], cells[cell, 3], cells[cell, 4]
            _shift_field(fields[up], x - centers[up, 0], y - centers[up, 1], z - centers[up, 2], field)
            center[0], center[1], center[2] = x, y, z
            begins[level] = ends[up]
            lists, far, ends[level], count, seen = _sift(
                cells, first, last, left, rule, cell, lists, begins[up], ends[up], opened, far
            )
            far_sums(law, far, count, x, y, z, field)
            counts[0] += seen
            counts[1] += count
            child = left[cell]
            if level < len(path):  # only the child on the path
                todo[waiting], levels[waiting] = path[level], level + 1
                waiting += 1
                continue
            if child >= 0:
                todo[waiting], levels[waiting] = child + 1, level + 1
                todo[waiting + 1], levels[waiting + 1] = child, level + 1
                waiting += 2
                continue
            begin, end = first[cell], last[cell]
            one_place = radius == 0.0 and end - begin > 1
            together = 0.0
            if one_place:
                w, _, log_q = profile_of_kind(law[0], law[1], law[2], law[3], 0.0)
                together = w * (law[4] * log_q + law[8]) + law[12]
            begun, ended = begins[level], ends[level]
            near, count = _gather(first, last, cell, one_place, points, charges, lists, begun, ended, near)
            counts[2] += count * (end - begin)
            for i in range(begin, end):
                tx, ty, tz = points[0, i], points[1, i], points[2, i]
                p, fx, fy, fz = _value_at(field, tx - x, ty - y, tz - z)
                q, gx, gy, gz = near_sums(law, near, count, 0 if one_place else i - begin, tx, ty, tz)
                if one_place:
                    q += (mass - charges[i]) * together
                potential[i] = p + q
                force[0, i] = fx + gx
                force[1, i] = fy + gy
                force[2, i] = fz + gz

    return walk


@cache
def fields_at(kind):
    """Make the sum at points other than nodes, for one of `law_loops.KINDS`."""
    profile_of_kind = profile(kind)

    @compiled_loop
    def fields_at(cells, first, last, left, points, charges, law, rule, at, start, stop, todo, potential, force):
        """Set potential[i] = sum_j c_j r(xi_ij), force[:, i] its gradient at at[:, i].

        A cell is far by the rule of `walk`, for a point of radius 0.  It then acts through its mass and second moments,
        to third order in radius / distance; other leaves act node by node.  ``todo``: scratch memory for waiting cells.
        """
        a, b, c, order = law[0], law[1], law[2], law[3]
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
                    w, v, log_q = profile_of_kind(a, b, c, order, xi)
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
                        w, v, log_q = profile_of_kind(a, b, c, order, dx * dx + dy * dy + dz * dz)
                        p += charges[j] * (w * (a0 * log_q + b0) + constant)
                        s = 2.0 * charges[j] * (w * v * (a1 * log_q + b1))
                        fx += s * dx
                        fy += s * dy
                        fz += s * dz
            potential[i] = p
            force[0, i], force[1, i], force[2, i] = fx, fy, fz

    return fields_at
