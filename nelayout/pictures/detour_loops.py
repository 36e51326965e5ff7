"""The compiled search for a way around an edge: Dijkstra's, with a binary heap, up to the edge's other end."""

from __future__ import annotations

import numpy as np

from nelayout.numerics.compiling import exact_loop

__all__ = ["lightest_path"]


@exact_loop
def lightest_path(
    indptr: np.ndarray,
    indices: np.ndarray,
    which: np.ndarray,
    weight: np.ndarray,
    left_out: np.ndarray,
    source: int,
    target: int,
    limit: float,
    found: np.ndarray,
    seen: np.ndarray,
    turn: int,
    before: np.ndarray,
    keys: np.ndarray,
    heap: np.ndarray,
    path: np.ndarray,
) -> int:
    """Write the nodes of the lightest path into `path`, target first; returns how many, 0 without one up to `limit`.

    which (2 m,) is the edge of each entry of the adjacency, weight (m,) and left_out (m,) are of edges.  Scratch
    memory: found, seen and before (n,), keys and heap (2 m + 2,).  `seen` holds no number as large as `turn`.
    """
    keys[0], heap[0], size = 0.0, source, 1
    found[source], seen[source], before[source] = 0.0, turn, -1
    node = -1
    while size > 0:
        key, node = keys[0], heap[0]
        size -= 1
        last, moved, at = keys[size], heap[size], 0
        while 2 * at + 1 < size:
            child = 2 * at + 1
            if child + 1 < size and keys[child + 1] < keys[child]:
                child += 1
            if keys[child] >= last:
                break
            keys[at], heap[at] = keys[child], heap[child]
            at = child
        keys[at], heap[at] = last, moved
        if node == target:
            break
        if key > found[node]:  # a lighter way there was found since
            continue
        for k in range(indptr[node], indptr[node + 1]):
            edge, other = which[k], indices[k]
            reached = key + weight[edge]
            if left_out[edge] or reached > limit or (seen[other] == turn and found[other] <= reached):
                continue
            found[other], seen[other], before[other] = reached, turn, node
            at = size
            size += 1
            while at > 0 and keys[(at - 1) // 2] > reached:
                keys[at], heap[at] = keys[(at - 1) // 2], heap[(at - 1) // 2]
                at = (at - 1) // 2
            keys[at], heap[at] = reached, other
    if node != target:
        return 0
    count = 0
    while node >= 0:
        path[count] = node
        count += 1
        node = before[node]
    return count
