"""The compiled loop behind `crossings`: one segment against many. Imported only where it is used."""

from __future__ import annotations

import numpy as np

from nelayout.numerics.compiling import exact_loop

__all__ = ["count_crossings"]


@exact_loop
def count_crossings(
    a, b, first, second, along, segment, band, least, entries, start, stop, found, angle
):
    """For each entry t, how many of the entries start[t]..stop[t]-1 are segments that meet its own, and at which
    angles.

    a, b           (m, 2) ends of the segments, a[:, 0] <= b[:, 0]
    first, second  (m,) their nodes
    along          (m,) directions of the segments in radians, NaN for those of length 0
    segment, band  of each entry
    least          (m,) first band of each segment
    found, angle   out, of each entry: number of segments, sum of the angles with them (at most pi / 2 each)

    Segments with a common node, and pairs that belong to an earlier band, do not count. Two segments meet when their
    bounding boxes do and neither lies wholly on one side of the other's line: true for touching and overlapping ones
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
            if (
                first[p] == first[q]
                or first[p] == second[q]
                or second[p] == first[q]
                or second[p] == second[q]
            ):
                continue
            total += 1
            turn = abs(along[p] - along[q])
            while turn > np.pi:
                turn -= np.pi
            # Of a segment of length 0 the angle is NaN, which no comparison holds for.
            if turn <= np.pi / 2:
                turned += turn
            elif turn <= np.pi:
                turned += np.pi - turn
        found[t] = total
        angle[t] = turned
