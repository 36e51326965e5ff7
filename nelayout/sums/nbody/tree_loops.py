"""Compiled loops of `tree`: cutting the drawing into cells, and passing fields from cell to cell.

A cell is a range first[c]..last[c] of the nodes in tree order;
left[c] is the first of its two children, which follow each other, and -1 for a leaf.
"""

from __future__ import annotations

import math

import numpy as np

from nelayout.numerics.compiling import compiled_loop
from nelayout.sums.nbody.expansion_loops import (
    CELL,
    FAR,
    FIELD,
    at_one_place,
    far_sums,
    near_sums,
    shift_field,
    value_at,
    with_room,
)

__all__ = ["grow", "measure", "walk"]


@compiled_loop
def grow(points, charges, order, most, first, last, left, parent):
    """Cut all nodes, then the halves, across their longest sides, while they hold more than ``most`` nodes.

    Sorts ``points`` (3, n), ``charges`` and ``order``; gives the number of cells.  A cell is cut in the
    middle of what it holds, not of its parent's half: one node far away costs one cut.  Nodes at one place
    stay together.
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
    """Center of mass, radius, mass and second moments of cells start..stop."""
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
def _sift(cells, first, last, left, rule, cell, lists, begin, end, opened, far):
    """Sort the cells lists[begin:end] given to a cell: into ``far``, and into its own list, behind end.

    Gives both arrays, larger ones if they were full, where its own list ends, and how many are far, were seen.
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
            # Cells that share nodes, which are a cell, itself and what it lies in, are never far.
            if reach * reach <= allowed and (last[other] <= low or first[other] >= high):
                if count == far.shape[1]:
                    far = with_room(far)
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
    """Gather the nodes of a leaf, one for all of them if ``one_place``, then those of the other leaves of its list."""
    count = 0
    for turn in range(begin - 1, end):
        other = cell if turn < begin else lists[turn]
        if turn >= begin and other == cell:
            continue
        low, high = first[other], last[other]
        if other == cell and one_place:
            high = low + 1
        while count + (high - low) > near.shape[1]:
            near = with_room(near)
        for i in range(low, high):
            near[0, count], near[1, count], near[2, count] = points[0, i], points[1, i], points[2, i]
            near[3, count] = charges[i]
            count += 1
    return near, count


@compiled_loop
def walk(cells, first, last, left, path, depth, points, charges, way, law, rule, potential, force, counts):
    """Sum at the nodes of the cell at the end of ``path``, which leads there from the root.

    Each cell is given a list of cells by its parent.  Those far enough away enter its field; those larger
    than the cell are opened; what remains is the list of its children, and in a leaf it is summed node by
    node.

    Far enough is (sum of radii)^2 <= rule[0] + rule[1] distance^2; where the function decays like
    e^(-rule[2] xi) the more is allowed the less of it is left, and anything below e^-rule[3].  ``counts``:
    cells seen, far cells, pairs of nodes.
    """
    lists, far, near = np.empty(1024, dtype=np.int64), np.empty((FAR, 256)), np.empty((4, 1024))
    opened = np.empty(depth + 4, dtype=np.int64)
    todo, levels = np.empty(depth + 4, dtype=np.int64), np.empty(depth + 4, dtype=np.int64)
    # Level 0 stands above the root: its list holds only the root, its field is 0.
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
        shift_field(fields[up], x - centers[up, 0], y - centers[up, 1], z - centers[up, 2], field)
        center[0], center[1], center[2] = x, y, z
        begins[level] = ends[up]
        lists, far, ends[level], count, seen = _sift(
            cells, first, last, left, rule, cell, lists, begins[up], ends[up], opened, far
        )
        far_sums(way, law, far, count, x, y, z, field)
        counts[0] += seen
        counts[1] += count
        child = left[cell]
        if level < len(path):  # on the way down: only the child that leads on
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
        together = at_one_place(way, law) if one_place else 0.0
        near, count = _gather(first, last, cell, one_place, points, charges, lists, begins[level], ends[level], near)
        counts[2] += count * (end - begin)
        for i in range(begin, end):
            tx, ty, tz = points[0, i], points[1, i], points[2, i]
            p, fx, fy, fz = value_at(field, tx - x, ty - y, tz - z)
            q, gx, gy, gz = near_sums(way, law, near, count, 0 if one_place else i - begin, tx, ty, tz)
            if one_place:
                q += (mass - charges[i]) * together
            potential[i] = p + q
            force[0, i] = fx + gx
            force[1, i] = fy + gy
            force[2, i] = fz + gz
