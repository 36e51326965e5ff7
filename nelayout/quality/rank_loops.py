"""The compiled loop behind `ranks`: one node's ranks in the input against its ranks in the drawing.

Imported only where it is used.
"""

from __future__ import annotations

from nelayout.numerics.compiling import exact_loop

__all__ = ["agreement"]


@exact_loop
def agreement(level, size, order, tied, hits, early, late, best, whole, part):
    """Expected agreement of the K nearest in the input and the K nearest in the drawing, for K = 1 .. m.

    level, size  rank class in the input of every node, and how many other nodes each class has
    order, tied  (m,) the other nodes, nearest in the drawing first; whether each is as far as the one before
    hits         (m,) out: how many nodes are among both; ties count as their mean over all orders
    early, late  (m,) out: how many of these have a smaller rank in the drawing than in the input, and a larger one
    best         (m,) out: the most that `hits` can be in any drawing
    whole, part  scratch, zeros, as long as `size`: nodes of each class in earlier groups of ties in the drawing, and in
                 the present one

    A node of the class that holds the ranks a + 1 .. a + s of the input is among the K nearest there with chance
    (K - a) / s; and every rank of a group of t ties in the drawing holds 1/t of each of its nodes.
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
