"""Shortest paths from chosen nodes, by breadth-first search: numbers of hops, and shares of paths through each node.

From the first node of the path 0 - 1 - 2 there are 0, 1 and 2 hops, and the way to node 2 leads through node 1::

    >>> hops, shares = np.zeros(3), np.zeros(3)
    >>> search_from(np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1]), [0], [1.0], hops, shares, True)
    >>> hops, shares
    (array([0., 1., 2.]), array([0., 1., 0.]))
"""

from __future__ import annotations

import numpy as np

__all__ = ["search_from"]

# Numbers of paths above this are divided by their level's largest: a 600 x 600 grid has up to 1e359.
LARGEST_COUNT = 1e150


def search_from(indptr, indices, sources, scale, hops, shares, paths):
    """Add to ``hops`` and ``shares`` in place: level by level from each source, then back.

    The shares are Brandes' (J. Math. Sociol. 25, 163, 2001), counted if ``paths``.  Small work runs it as it stands,
    large work compiled (`centrality_loops`).
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
