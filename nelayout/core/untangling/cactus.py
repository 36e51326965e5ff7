"""Drawings without crossings of trees and cactuses, as other starts.

In a cactus no two cycles share an edge; a tree has no cycle.  The nodes are on circles, by their distance from a node
in the middle, and a node's children share its angle in proportion to their leaves.  The two sides of a cycle are
neighbors, and each node of a cycle has the next one at the end of its children that faces the other side.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.sparse import csr_array

__all__ = ["is_cactus", "radial_drawing", "searched"]



def is_cactus(P: csr_array) -> bool:
    """Return True if each edge of a connected graph is on at most one cycle.

    >>> triangle = csr_array(np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]]))
    >>> is_cactus(triangle), is_cactus(csr_array(np.ones((4, 4)) - np.eye(4)))
    (True, False)
    """
    return P.nnz // 2 <= 3 * (P.shape[0] - 1) // 2 and _tree(P) is not None


def radial_drawing(P: csr_array) -> np.ndarray:
    """Return positions (n, 2) of a tree or a cactus, with circles one unit apart."""
    tree = _tree(P)
    assert tree is not None
    order, children, depth = tree
    n = len(order)
    leaves, low, width = [1.0] * n, [0.0] * n, [0.0] * n
    for v in reversed(order):
        if children[v]:
            leaves[v] = sum(leaves[c] for c in children[v])
    width[order[0]] = 2.0 * math.pi
    for v in order:
        begin = low[v]
        for c in children[v]:
            low[c], width[c] = begin, width[v] * leaves[c] / leaves[v]
            begin += width[c]
    angle, radius = np.array(low) + 0.5 * np.array(width), np.array(depth, dtype=float)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def _tree(P: csr_array) -> tuple[list[int], list[list[int]], list[int]] | None:
    """Return the nodes of a cactus breadth-first, their ordered children and depths; or None."""
    order, parent = searched(P, deep=False)
    n, before = len(order), np.array(parent)
    depth, children = [0] * n, [list[int]() for _ in range(n)]
    for v in order[1:]:
        depth[v] = depth[parent[v]] + 1
        children[parent[v]].append(v)
    rows = np.repeat(np.arange(n), np.diff(P.indptr))
    closing = (rows < P.indices) & (before[rows] != P.indices) & (before[P.indices] != rows)
    # Of each child: before (-1), among or behind (1) the others; and with whom it stands, first or second.
    side, pair, climbed = [0] * n, [(v, 0) for v in range(n)], [False] * n
    for ends in zip(rows[closing].tolist(), P.indices[closing].tolist(), strict=True):
        at, below = list(ends), [-1, -1]
        while at[0] != at[1]:
            k = 0 if depth[at[0]] >= depth[at[1]] else 1
            if climbed[at[k]]:
                return None
            climbed[at[k]] = True
            if below[k] >= 0:
                side[below[k]] = 1 - 2 * k
            below[k], at[k] = at[k], parent[at[k]]
        pair[below[1]] = below[0], 1
    for each in children:
        each.sort(key=lambda c: (side[c], pair[c]))
    return order, children, depth


def searched(P: csr_array, deep: bool) -> tuple[list[int], list[int]]:
    """Return the nodes of a connected graph in search order, and the predecessor of each node.

    The search is depth-first (``deep``) or breadth-first.  It begins in the middle of a long shortest path.  The path
    ends are farthest from the first node and farthest from that end.  The first node is its own predecessor.
    """
    neighbors = [each.tolist() for each in np.split(P.indices, P.indptr[1:-1])]
    end = _broad(neighbors, 0)[0][-1]
    order, parent = _broad(neighbors, end)
    path = [order[-1]]
    while path[-1] != end:
        path.append(parent[path[-1]])
    return (_deep if deep else _broad)(neighbors, path[len(path) // 2])


def _broad(neighbors: list[list[int]], root: int) -> tuple[list[int], list[int]]:
    order, parent = [root], [-1] * len(neighbors)
    parent[root] = root
    for v in order:
        for w in neighbors[v]:
            if parent[w] < 0:
                parent[w] = v
                order.append(w)
    return order, parent


def _deep(neighbors: list[list[int]], root: int) -> tuple[list[int], list[int]]:
    order, parent, ways = [root], [-1] * len(neighbors), [iter(each) for each in neighbors]
    parent[root] = v = root
    while True:
        w = next((w for w in ways[v] if parent[w] < 0), -1)
        if w >= 0:
            parent[w] = v
            order.append(w)
            v = w
        elif v == root:
            return order, parent
        else:
            v = parent[v]
