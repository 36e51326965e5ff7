"""Closeness and betweenness by breadth-first search, from sampled sources on large graphs.

On the path 0 - 1 - 2 the middle node is one hop from all others and on the only path between them::

    >>> path = csr_array(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> closeness(path, np.random.default_rng(0))[0].round(3)
    array([0.667, 1.   , 0.667])
    >>> betweenness(path, np.random.default_rng(0))[0]
    array([0., 2., 0.])

Distances are hops: the weights of the layouts are similarities, not lengths.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.blocks import rows_at_once

__all__ = ["betweenness", "closeness"]

# Nodes times entries visited up to which every node is a source, and least number of sources in a component.
EXACT_WORK, FEWEST_SOURCES = 3e8, 64


def closeness(adjacency: csr_array, rng: np.random.Generator) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return closeness: ((r-1) / (n-1)) (r-1) / sum of hops to the r-1 other nodes reached.

    Isolated nodes get 0.  Wasserman and Faust's form, as in `networkx.closeness_centrality`: comparable in components.

    Returns
    -------
    (n,) float64, and one sentence if sources were sampled.
    """
    n = len(adjacency.indptr) - 1
    component, size, sources, scale, notes = _sources(adjacency, rng, "closeness")
    hops, _ = _search(adjacency, sources, scale, paths=False)
    # the hops from a source to itself do not count: the sum over the others is scaled by the sources sampled
    sampled = np.bincount(component[sources], minlength=len(size))[component].astype(np.float64)
    others = sampled - np.isin(np.arange(n), sources)
    reach = size[component] - 1.0
    step = size[component] / np.maximum(sampled, 1)
    total = np.where(others > 0, hops / step * reach / np.maximum(others, 1), 0)
    return np.where(total > 0, reach / max(n - 1, 1) * reach / np.where(total > 0, total, 1), 0), notes


def betweenness(adjacency: csr_array, rng: np.random.Generator) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return betweenness: over ordered pairs (s, t), the share of shortest paths through i.

    Ends do not count.  Twice `networkx.betweenness_centrality(normalized=False)`, by Brandes (J. Math. Sociol. 25,
    163, 2001).

    Returns
    -------
    (n,) float64, and one sentence if sources were sampled.
    """
    _, _, sources, scale, notes = _sources(adjacency, rng, "betweenness")
    return _search(adjacency, sources, scale, paths=True)[1], notes


def _sources(adjacency: csr_array, rng: np.random.Generator, what: str):
    """Return components and their sizes, sources, the nodes that each stands for, and a note."""
    from scipy.sparse.csgraph import connected_components

    count, component = connected_components(adjacency, directed=False)
    size = np.bincount(component, minlength=count)
    work = size + np.bincount(component, weights=np.diff(adjacency.indptr), minlength=count)
    share = EXACT_WORK * size / max(len(component), 1)
    wanted = np.minimum(size, np.maximum(FEWEST_SOURCES, share // np.maximum(work, 1)).astype(np.int64))
    members = np.argsort(component, kind="stable")
    first = np.concatenate([[0], np.cumsum(size)])
    chosen = []
    for c in np.flatnonzero(size > 1).tolist():
        nodes = members[first[c] : first[c + 1]]
        if wanted[c] < size[c]:
            nodes = np.sort(rng.choice(nodes, int(wanted[c]), replace=False))
        chosen.append(nodes)
    sources = np.concatenate(chosen) if chosen else np.zeros(0, dtype=np.int64)
    scale = (size / np.maximum(wanted, 1))[component[sources]]
    notes: tuple[str, ...] = ()
    if (wanted < size).any():
        note = (
            f"{what} is estimated from {len(sources)} of {len(component)} nodes as sources; "
            "an exact one can be given as an array"
        )
        notes = (note,)
    return component, size, sources, scale, notes


def _search(adjacency: csr_array, sources: np.ndarray, scale: np.ndarray, *, paths: bool):
    """Return scaled sums over sources: hops to each node, and shares of paths through it."""
    from nelayout.similarities.loops import search_from

    n = len(adjacency.indptr) - 1
    hops, shares = np.zeros(n), np.zeros(n)
    size = rows_at_once(n + adjacency.nnz)
    for first in range(0, len(sources), size):  # between blocks an interrupt comes through
        block = slice(first, first + size)
        search_from(adjacency.indptr, adjacency.indices, sources[block], scale[block], hops, shares, paths)
    return hops, shares
