"""The compiled loops of `ranks` and `crossings`: rankings of one node, pairs of segments.

Imported only where they are used.
"""

from __future__ import annotations

import numpy as np

from nelayout.numerics.compiling import exact_loop

__all__ = ["agreement", "count_crossings"]


@exact_loop
def agreement(level, size, order, tied, hits, early, late, best, whole, part):
    """Find the expected agreement of the K nearest in input and drawing, K = 1 .. m.

    level, size  rank class in the input of every node, and how many other nodes each class has
    order, tied  (m,) the other nodes, nearest in the drawing first; whether each is as far as the one before
    hits         (m,) out: how many nodes are among both; ties count as their mean over all orders
    early, late  (m,) out: how many of these have a smaller rank in the drawing than in the input, and a larger one
    best         (m,) out: the largest `hits` of any drawing
    whole, part  scratch, zeros, as long as `size`: nodes of each class in earlier groups of ties in the drawing, and in
                 the present one

    A node of the class with the ranks a + 1 .. a + s of the input is among the K nearest there with chance (K - a) / s.
    Every rank of a group of t ties in the drawing holds 1/t of each of its nodes.
    """
    m = len(order)
    now, a, s = 0, 0, size[0]
    begin, end, below = 0, 0, 0
    here = above = passed = 0.0
    done = early_done = late_done = 0.0
    for k in range(1, m + 1):
        if k - 1 == end:
            for p in range(begin, end):
                part[level[order[p]]] = 0
                whole[level[order[p]]] += 1
            begin, end = end, end + 1
            while end < m and tied[end]:
                end += 1
            below = 0
            for p in range(begin, end):
                part[level[order[p]]] += 1
                if level[order[p]] < now:
                    below += 1
        t = end - begin
        entering, earlier = part[now] / t, below / t
        here += entering
        above += entering * k
        passed += entering * (k - 1 - a)
        done += earlier
        late_done += earlier
        hits[k - 1] = done + here * (k - a) / s
        early[k - 1] = early_done + (here * k - above) / s
        late[k - 1] = late_done + passed / s
        best[k - 1] = a + (k - a) * (k - a) / s
        if k == a + s and k < m:
            done += here
            early_done += (here * k - above) / s
            late_done += passed / s
            below += part[now]
            now += 1
            a, s = k, size[now]
            here = whole[now] + part[now] * (k - begin) / t
            above, passed = here * a, 0.0
    for p in range(m):
        part[level[order[p]]] = 0
        whole[level[order[p]]] = 0


@exact_loop
def count_crossings(a, b, first, second, along, segment, band, least, entries, start, stop, found, angle, later):
    """Count for each entry t the entries start[t]..stop[t]-1 that meet it; sum the angles.

    a, b           (m, 2) ends of the segments, a[:, 0] <= b[:, 0]
    first, second  (m,) their nodes
    along          (m,) directions of the segments in radians, in [-pi / 2, pi / 2]
    segment, band  of each entry
    least          (m,) first band of each segment
    found, angle   out, of each entry: number of segments, sum of the angles with them (at most pi / 2 each)
    later          (m,) out: 1 is added for each that meets an entry; empty: not counted

    Segments with a common node, and pairs that belong to an earlier band, do not count. Two segments meet if their
    bounding boxes meet and neither is wholly on one side of the other's line. Touching and overlapping segments meet
    too.
    """
    for t in range(len(entries)):
        p, here = segment[entries[t]], band[entries[t]]
        earlier = least[p] < here
        ax, ay, bx, by = a[p, 0], a[p, 1], b[p, 0], b[p, 1]
        low, high = min(ay, by), max(ay, by)
        ux, uy = bx - ax, by - ay
        total, turned = 0, 0.0
        for other in range(start[t], stop[t]):
            q = segment[other]
            if earlier and least[q] < here:
                continue
            cx, cy, dx, dy = a[q, 0], a[q, 1], b[q, 0], b[q, 1]
            if dx < ax or (cy > high and dy > high) or (cy < low and dy < low):
                continue
            c_side = ux * (cy - ay) - uy * (cx - ax)
            d_side = ux * (dy - ay) - uy * (dx - ax)
            if (c_side > 0 and d_side > 0) or (c_side < 0 and d_side < 0):
                continue
            vx, vy = dx - cx, dy - cy
            a_side = vx * (ay - cy) - vy * (ax - cx)
            b_side = vx * (by - cy) - vy * (bx - cx)
            if (a_side > 0 and b_side > 0) or (a_side < 0 and b_side < 0):
                continue
            if first[p] == first[q] or first[p] == second[q] or second[p] == first[q] or second[p] == second[q]:
                continue
            total += 1
            if len(later) > 0:
                later[q] += 1
            turn = abs(along[p] - along[q])
            if turn > np.pi / 2:
                turn = np.pi - turn
            turned += turn
        found[t] = total
        angle[t] = turned
