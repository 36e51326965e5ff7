"""Connected components of a graph."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array

__all__ = ["component_labels", "components", "side_by_side"]

# Number of nodes up to which an iteration fits into the processor's caches.
MAX_CACHED_NODES = 50_000


def component_labels(P: csr_array) -> np.ndarray:
    """Return the component of each node, (n,): 0 is the largest (if equal, the earliest).

    Labels move to the smallest label in reach, by hooking roots onto roots and halving paths.
    """
    parent = np.arange(P.shape[0], dtype=np.int32)
    rows, cols = np.repeat(parent, np.diff(P.indptr)), P.indices
    while len(rows):
        one, other = parent[rows], parent[cols]
        np.minimum.at(parent, np.maximum(one, other), np.minimum(one, other))
        while not np.array_equal(grand := parent[parent], parent):
            parent = grand
        apart = parent[rows] != parent[cols]
        rows, cols = rows[apart], cols[apart]
    roots, labels, sizes = np.unique(parent, return_inverse=True, return_counts=True)
    rank = np.empty(len(roots), dtype=np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(roots))
    return rank[labels]


def components(
    P: csr_array, labels: np.ndarray, which: np.ndarray | None = None
) -> Iterator[tuple[np.ndarray, csr_array]]:
    """Yield nodes and graph of every component, or of a mask (C,) of them, in label order."""
    sizes = np.bincount(labels)
    if len(sizes) == 1:
        yield np.arange(P.shape[0]), P
        return
    order, ends = np.argsort(labels, kind="stable"), np.cumsum(sizes)
    blocks = P[order][:, order]
    blocks.sort_indices()
    for k in range(len(sizes)) if which is None else np.flatnonzero(which):
        start, stop, size = ends[k] - sizes[k], ends[k], int(sizes[k])
        low, high = blocks.indptr[start], blocks.indptr[stop]
        # copies, because a view would keep the arrays of all components
        part = blocks.data[low:high].copy(), blocks.indices[low:high] - start, blocks.indptr[start : stop + 1] - low
        yield order[start:stop], csr_array(part, shape=(size, size))


def side_by_side(nodes: np.ndarray, graph: csr_array) -> tuple[np.ndarray, csr_array]:
    """Reorder a large component by reverse Cuthill-McKee: neighbors are close in memory."""
    if len(nodes) <= MAX_CACHED_NODES:
        return nodes, graph
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    order = reverse_cuthill_mckee(graph, symmetric_mode=True)
    graph = graph[order][:, order]
    graph.sort_indices()
    return nodes[order], graph
