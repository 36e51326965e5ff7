"""Connected components, and each of them as a graph of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_array

__all__ = ["component_labels", "components", "side_by_side"]

# Above, what a step touches no longer fits into the processor's caches, and where nodes lie in memory tells.
LARGE = 50_000


def component_labels(P: csr_array) -> np.ndarray:
    """(n,) component of each node, 0 the largest (ties: the one with the earliest node).

    Labels sink to the smallest in reach, by hooking roots onto roots and halving paths: a few passes over the edges,
    also on long paths.  Large graphs are searched by scipy, whose import small ones are spared.

    >>> component_labels(csr_array(np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0]])))
    array([1, 0, 0])
    """
    n = P.shape[0]
    parent = _sunk(P) if n <= LARGE else _searched(P)
    roots, labels, sizes = np.unique(parent, return_inverse=True, return_counts=True)
    rank = np.empty(len(roots), dtype=np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(roots))
    return rank[labels]


def _sunk(P: csr_array) -> np.ndarray:
    """(n,) the smallest node of each node's component."""
    parent = np.arange(P.shape[0])
    rows = np.repeat(parent, np.diff(P.indptr))
    cols = P.indices
    while True:
        low = np.minimum(parent[rows], parent[cols])
        high = np.maximum(parent[rows], parent[cols])
        if not np.any(low != high):
            break
        np.minimum.at(parent, high, low)
        while True:
            grand = parent[parent]
            if np.array_equal(grand, parent):
                break
            parent = grand
    return parent


def _searched(P: csr_array) -> np.ndarray:
    """(n,) a label for each node's component, smaller where its smallest node is."""
    from scipy.sparse.csgraph import connected_components

    found: Any = connected_components(P, directed=False)
    return found[1]


def components(P: csr_array, labels: np.ndarray) -> Iterator[tuple[np.ndarray, csr_array]]:
    """(node indices, their graph) of every component in the order of the labels."""
    sizes = np.bincount(labels)
    if len(sizes) == 1:
        yield np.arange(P.shape[0]), P
        return
    order = np.argsort(labels, kind="stable")
    blocks = P[order][:, order]
    blocks.sort_indices()
    start = 0
    for size in sizes.tolist():
        stop = start + size
        low, high = blocks.indptr[start], blocks.indptr[stop]
        graph = csr_array(
            (blocks.data[low:high], blocks.indices[low:high] - start, blocks.indptr[start : stop + 1] - low),
            shape=(size, size),
        )
        yield order[start:stop], graph
        start = stop


def side_by_side(nodes: np.ndarray, graph: csr_array) -> tuple[np.ndarray, csr_array]:
    """A large component with its nodes in another order: neighbors near each other in memory (reverse Cuthill-McKee).

    With a million nodes in random order a step takes a third longer.
    """
    if len(nodes) <= LARGE:
        return nodes, graph
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    order = reverse_cuthill_mckee(graph, symmetric_mode=True)
    graph = graph[order][:, order]
    graph.sort_indices()
    return nodes[order], graph
