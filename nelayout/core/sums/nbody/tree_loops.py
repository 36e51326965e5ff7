"""Compiled loops of `tree` and `outside`: cut nodes into cells, and sum over cells.

A cell is a range first[c]..last[c] of the nodes in tree order.  left[c] is the first of its two children, which are
side by side, or -1 for a leaf.  A cell acts through its mass and its second moments around its center of mass.

A radial function r and its derivatives are w v^k (A_k l + B_k), k = 0..3, see `law_loops`.  ``law`` has a, b, c,
order, A_0..A_3, B_0..B_3 and a constant added to r.  Loops that compute r are made for one kind of function.
"""

from __future__ import annotations

import math
from functools import cache

from nelayout.core.sums.nbody.law_loops import profile
from nelayout.core.sums.nbody.near_loops import LANES
from nelayout.numerics.compiling import compiled_loop

__all__ = ["CELL", "cell_sums", "grow", "measure"]

# Number of columns of a cell: center of mass (0..2), radius, mass (4), second moments xx xy xz yy yz zz (5..10).
CELL = 11


@compiled_loop
def grow(points, charges, order, most, first, last, left, places, row):
    """Cut cells of more than ``most`` nodes across their longest sides; return their number.

    Sorts ``points`` (3, n), ``charges`` and ``order``.  A cell is cut in the middle of its nodes' extent, not of its
    parent's half.  So one far node costs one cut.  Nodes at one point stay together.  ``places`` (2, n) and ``row``
    (n,) are scratch memory.
    """
    n = points.shape[1]
    place, was = places[0], places[1]
    first[0], last[0] = 0, n
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
            first[count], last[count] = begin, below
            first[count + 1], last[count + 1] = below, end
            count += 2
        cell += 1
    return count


@compiled_loop
def measure(points, charges, first, last, cells):
    """Set center of mass, radius, mass and second moments of each cell."""
    X, Y, Z = points[0], points[1], points[2]
    for cell in range(len(first)):
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


@cache
def cell_sums(kind):
    """Make the sum over cells, for one kind of radial functions."""
    profile_of_kind = profile(kind)

    @compiled_loop
    def cell_sums(
        cells, first, last, left, points, charges, law, rule, at, own, spheres, begins, ends, start, stop, todo, near,
        far, potential, force, counts
    ):
        """Set potential[i] = sum_j c_j r(xi_ij) and force[:, i], in groups start..stop.

        A group has the points begins..ends, in a sphere (center, radius), and does not feel cells beyond a distance.
        The last column of ``spheres`` has the squared distance.  ``own``: point i is node i.  A cell is far if
        radius^2 <= rule[0] + rule[1] distance^2.  If the function decays like e^(-rule[2] xi), the limit grows with the
        decay, and below e^-rule[3] all is far.  A far cell acts through its mass and second moments, to third order in
        radius / distance; other leaves act node by node.  ``todo``, ``near`` and ``far``: scratch memory for cells,
        nodes and far cells.  ``counts``: cells seen, far cells, pairs.
        """
        a, b, c, order = law[0], law[1], law[2], law[3]
        a0, a1, a2, a3 = law[4], law[5], law[6], law[7]
        b0, b1, b2, b3, constant = law[8], law[9], law[10], law[11], law[12]
        decay, negligible = rule[2], rule[3]
        X, Y, Z, M = near[0], near[1], near[2], near[3]
        CX, CY, CZ, CM = far[0], far[1], far[2], far[4]
        XX, XY, XZ, YY, YZ, ZZ = far[5], far[6], far[7], far[8], far[9], far[10]
        for g in range(start, stop):
            x, y, z, radius = spheres[g, 0], spheres[g, 1], spheres[g, 2], spheres[g, 3]
            begin, end = begins[g], ends[g]
            shift, pile, rest, m, k = -1, -1, 0.0, 0, 0
            todo[0] = 0
            waiting = 1
            while waiting > 0:
                waiting -= 1
                cell = todo[waiting]
                counts[0] += 1
                low, high, size = first[cell], last[cell], cells[cell, 3]
                dx, dy, dz = x - cells[cell, 0], y - cells[cell, 1], z - cells[cell, 2]
                gap = math.sqrt(dx * dx + dy * dy + dz * dz) - radius
                beyond = max(gap - size, 0.0)
                if beyond * beyond > spheres[g, 4]:
                    continue
                mine = own and low <= begin and begin < high
                allowed = rule[0] + rule[1] * gap * gap
                if decay > 0.0:
                    lost = decay * beyond * beyond
                    allowed *= 1.0 + lost * (0.5 + lost * 0.125) if lost < negligible else math.inf
                if gap > 0.0 and not mine and size * size <= allowed:
                    for row in range(CELL):
                        far[row, k] = cells[cell, row]
                    k += 1
                elif left[cell] >= 0:
                    todo[waiting], todo[waiting + 1] = left[cell] + 1, left[cell]
                    waiting += 2
                elif mine and size == 0.0:  # all nodes of the leaf are at one place
                    pile, rest = cell, 0.0
                    for j in range(low, high):
                        rest += charges[j]
                else:
                    if mine:
                        shift = m - low
                    for j in range(low, high):
                        X[m], Y[m], Z[m], M[m] = points[0, j], points[1, j], points[2, j], charges[j]
                        m += 1
            while m % LANES:
                X[m], Y[m], Z[m], M[m] = x + radius + 1.0, y, z, 0.0
                m += 1
            counts[1] += k
            counts[2] += m * (end - begin)
            for i in range(begin, end):
                x, y, z = at[0, i], at[1, i], at[2, i]
                p, fx, fy, fz = 0.0, 0.0, 0.0, 0.0
                for j in range(k):
                    dx, dy, dz = x - CX[j], y - CY[j], z - CZ[j]
                    w, v, log_q = profile_of_kind(a, b, c, order, dx * dx + dy * dy + dz * dz)
                    # Derivatives in xi, times the powers of 2 from the derivatives in space.
                    f0 = w * (a0 * log_q + b0) + constant
                    w *= v
                    f1 = 2.0 * w * (a1 * log_q + b1)
                    w *= v
                    f2 = 4.0 * w * (a2 * log_q + b2)
                    f3 = 8.0 * w * v * (a3 * log_q + b3)
                    sx = XX[j] * dx + XY[j] * dy + XZ[j] * dz
                    sy = XY[j] * dx + YY[j] * dy + YZ[j] * dz
                    sz = XZ[j] * dx + YZ[j] * dy + ZZ[j] * dz
                    trace, square = XX[j] + YY[j] + ZZ[j], sx * dx + sy * dy + sz * dz
                    p += CM[j] * f0 + 0.5 * (f1 * trace + f2 * square)
                    along = CM[j] * f1 + 0.5 * (f2 * trace + f3 * square)
                    fx += along * dx + f2 * sx
                    fy += along * dy + f2 * sy
                    fz += along * dz + f2 * sz
                # A node does not act on itself: its charge is 0 then, at a point where every function is finite.
                itself = i + shift if own and pile < 0 else -1
                if itself >= 0:
                    X[itself], M[itself] = x + 1.0, 0.0
                q, gx, gy, gz = 0.0, 0.0, 0.0, 0.0
                for j in range(m):
                    dx, dy, dz = x - X[j], y - Y[j], z - Z[j]
                    w, v, log_q = profile_of_kind(a, b, c, order, dx * dx + dy * dy + dz * dz)
                    q += M[j] * (w * (a0 * log_q + b0) + constant)
                    s = M[j] * (w * v * (a1 * log_q + b1))
                    gx += s * dx
                    gy += s * dy
                    gz += s * dz
                if itself >= 0:
                    X[itself], M[itself] = x, charges[i]
                if pile >= 0:
                    w, v, log_q = profile_of_kind(a, b, c, order, 0.0)
                    p += (rest - charges[i]) * (w * (a0 * log_q + b0) + constant)
                potential[i] = p + q
                force[0, i], force[1, i], force[2, i] = fx + 2.0 * gx, fy + 2.0 * gy, fz + 2.0 * gz

    return cell_sums
