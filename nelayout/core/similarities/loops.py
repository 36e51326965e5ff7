"""Compiled loops: breadth-first search with path counts, and a walk's largest entries.

Row i of the walk's p solves K x = (1 - rho) e_i, K = I - rho S.  Pushing at node j moves omega r_j of its residual r_j
into x_j and sends rho S_jk of it on to each neighbor k.  Nodes wait in a queue while their residual is large.  So the
work does not depend on the size of the graph (Andersen, Chung & Lang 2006).  omega > 1 is successive over-relaxation:
each push still lowers x K x / 2 - (1 - rho) x_i, by omega (2 - omega) r_j^2 / 2.
"""

from __future__ import annotations

import math

import numpy as np

from nelayout.numerics.compiling import exact_loop

__all__ = ["largest_of_rows", "search_from"]

# Number of paths above which numbers are divided by their level's largest.
LARGEST_COUNT = 1e150


@exact_loop
def search_from(indptr, indices, sources, scale, hops, shares, paths):
    """Add to the arrays ``hops`` and ``shares``: level by level from each source, then back.

    The shares are Brandes' (J. Math. Sociol. 25, 163, 2001), counted if ``paths``.
    """
    n = len(indptr) - 1
    order = np.empty(n, dtype=np.int64)
    level = np.full(n, -1, dtype=np.int64)
    number = np.zeros(n)  # of shortest paths from the source, over the levels' shrink factors
    shrink = np.ones(n + 1)
    behind = np.zeros(n)  # Brandes' dependency of the source on the node
    for k in range(len(sources)):
        order[0] = sources[k]
        level[sources[k]] = 0
        number[sources[k]] = 1.0
        start, end, depth = 0, 1, 1
        while start < end:
            size = end
            largest = 0.0
            for a in range(start, end):
                v = order[a]
                for e in range(indptr[v], indptr[v + 1]):
                    w = indices[e]
                    if level[w] < 0:
                        level[w] = depth
                        order[size] = w
                        size += 1
                    if level[w] == depth:
                        number[w] += number[v]
                        largest = max(largest, number[w])
            shrink[depth] = 1.0
            if largest > LARGEST_COUNT:
                shrink[depth] = largest
                for a in range(end, size):
                    number[order[a]] = max(number[order[a]] / largest, 1.0 / LARGEST_COUNT)
            start, end, depth = end, size, depth + 1
        for a in range(end - 1, -1, -1):
            w = order[a]
            if paths and a > 0:
                share = (1.0 + behind[w]) / (number[w] * shrink[level[w]])
                for e in range(indptr[w], indptr[w + 1]):
                    v = indices[e]
                    if level[v] == level[w] - 1:
                        behind[v] += number[v] * share
                shares[w] += scale[k] * behind[w]
            hops[w] += scale[k] * level[w]
        for a in range(end):
            w = order[a]
            level[w] = -1
            number[w] = 0.0
            behind[w] = 0.0


@exact_loop
def largest_of_rows(indptr, indices, S, root, rho, tolerance, start, stop, columns, values, own):
    """Find the largest off-diagonal entries of rows start..stop of p, and its diagonal.

    Every entry is right to tolerance * root_i root_j.  ``columns`` and ``values`` (n, k) get at most k
    positive entries a row, the largest first; unused positions keep their values.  root = D^1/2.
    """
    n = len(root)
    omega = 2.0 / (1.0 + math.sqrt(1.0 - rho * rho))  # the best one when the spectrum of S fills [-1, 1]
    x, residual = np.zeros(n), np.zeros(n)
    queue, touched = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    queued, known = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
    for i in range(start, stop):
        # K^-1 root = root / (1 - rho), so residuals below this leave errors within the tolerance
        enough = (1.0 - rho) * tolerance * root[i]
        residual[i] = 1.0 - rho
        queue[0], queued[i], touched[0], known[i] = i, True, i, True
        head, waiting, seen = 0, 1, 1
        while waiting > 0:
            j = queue[head]
            head = head + 1 if head + 1 < n else 0
            waiting -= 1
            queued[j] = False
            part = omega * residual[j]
            x[j] += part
            residual[j] -= part
            for e in range(indptr[j], indptr[j + 1]):
                k = indices[e]
                if not known[k]:
                    known[k] = True
                    touched[seen] = k
                    seen += 1
                residual[k] += rho * S[e] * part
                if not queued[k] and abs(residual[k]) > enough * root[k]:
                    end = head + waiting
                    queue[end if end < n else end - n] = k
                    queued[k] = True
                    waiting += 1
            if not queued[j] and abs(residual[j]) > enough * root[j]:
                end = head + waiting
                queue[end if end < n else end - n] = j
                queued[j] = True
                waiting += 1
        own[i] = x[i]
        x[i] = 0.0
        near = touched[:seen]
        order = np.argsort(-x[near], kind="mergesort")[: columns.shape[1]]
        for t in range(len(order)):
            j = near[order[t]]
            if x[j] > 0.0:
                columns[i, t], values[i, t] = j, x[j]
        for t in range(seen):
            j = touched[t]
            x[j] = residual[j] = 0.0
            known[j] = False


@exact_loop
def nearest_rings(
    indptr, indices, lengths, nodes, alone, enough, most, farthest, ties, unit, columns, distances, counts
):
    """Find the nearest nodes of some nodes by Dijkstra's search, one ring at a time.

    ``columns`` and ``distances`` (m, k) get ``counts`` (m,) nodes each, the nearest first.  A first ring of ``alone``
    nodes is alone.  Else rings follow until there are ``enough`` nodes.  A later ring never brings them above
    ``most``.  All nodes are within the distance ``farthest``.  ``unit``: all lengths are 1.
    """
    n = len(indptr) - 1
    far = np.full(n, np.inf)
    heap, place = np.empty(n, dtype=np.int32), np.full(n, -1, dtype=np.int32)  # of a node in the heap
    touched = np.empty(n, dtype=np.int32)
    for row in range(len(nodes)):
        source = nodes[row]
        far[source], heap[0], place[source], touched[0] = 0.0, source, 0, source
        size, seen, found, ring, last, end = 1, 1, 0, 0, 0.0, farthest + 0.5
        while size > 0:
            node = heap[0]
            distance = far[node]
            if node != source:
                if found > 0 and distance > last * (1.0 + ties):
                    if found >= enough or (ring == 0 and found >= alone) or distance >= end:
                        break
                    ring = found
                if ring > 0 and found == most:
                    found = ring
                    break
                columns[row, found], distances[row, found] = node, distance
                found += 1
                last = distance
            size -= 1
            moved = heap[size]
            at = 0
            while 2 * at + 1 < size:
                child = 2 * at + 1
                if child + 1 < size and far[heap[child + 1]] < far[heap[child]]:
                    child += 1
                if far[heap[child]] >= far[moved]:
                    break
                heap[at] = heap[child]
                place[heap[at]] = at
                at = child
            heap[at] = moved
            place[moved] = at
            if unit and node != source and indptr[node + 1] - indptr[node] > most + 1:
                end = min(end, distance + 0.5)  # its neighbors alone are too many
                continue
            for e in range(indptr[node], indptr[node + 1]):
                other = indices[e]
                longer = distance + lengths[e]
                if longer >= far[other]:
                    continue
                if place[other] < 0:
                    place[other] = size
                    touched[seen] = other
                    seen += 1
                    size += 1
                far[other] = longer
                at = place[other]
                while at > 0 and far[heap[(at - 1) // 2]] > longer:
                    heap[at] = heap[(at - 1) // 2]
                    place[heap[at]] = at
                    at = (at - 1) // 2
                heap[at] = other
                place[other] = at
        for k in range(found, distances.shape[1]):
            distances[row, k] = np.inf
        counts[row] = found
        for k in range(seen):
            far[touched[k]], place[touched[k]] = np.inf, -1
