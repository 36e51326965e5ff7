"""Similarities of nodes by path lengths: entropic affinities of distances in the graph.

::

    p_j|i = exp(-pi_i d_ij^2 / 2) / sum_k exp(-pi_i d_ik^2 / 2),    P_ij = (p_j|i + p_i|j) / 2n

d is the length of the shortest path.  A precision pi_i for each node makes its neighbors worth a perplexity.  Nodes at
the same distance form a ring, and rings are taken whole, so that no order of the nodes can matter.  A first ring with
as many nodes as the perplexity is taken alone.  Else rings are taken, the nearest first, until they hold `REACH` times
as many nodes as the perplexity.  In a graph of more than `WHOLE` nodes a ring is left out that would bring a row above
its most entries, unless it is the first.

Source: Kruiger et al., Graph layouts by t-SNE, Computer Graphics Forum 36, 2017 (all distances); Zhu et al., DRGraph,
IEEE TVCG 27, 2021 (near distances alone).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.sparse import csr_array

from nelayout.core.similarities.entropic import TIES, calibrate
from nelayout.numerics.blocks import rows_at_once
from nelayout.numerics.breadth_first import COMPILED_ABOVE
from nelayout.numerics.parallel import Threads

__all__ = ["hop_entries", "hop_rows", "path_lengths"]

# Nodes of a ball, in parts of the perplexity.
REACH = 3.0
# Nodes up to which every ring fits, and most entries of a row of a larger graph, in parts of the perplexity.
WHOLE, MOST = 2_000, 10.0
# Part of the nodes in several rings that a node is worth at most: as many as all would show no structure.
WORTH = 0.5
# Nodes that an estimate of entries looks at, and entries of P for each entry of its rows.
SAMPLED, UNION = 64, 1.25


# The nodes near some nodes, nearest first: columns, distances (m, k), counts (m,). Distances are infinite beyond these
# numbers, where columns mean nothing.
Rings = tuple[np.ndarray, np.ndarray, np.ndarray]


def path_lengths(graph: csr_array, weighted: bool) -> csr_array:
    """Return the graph with edge lengths as weights: 1 / weight, or 1 unless ``weighted``."""
    lengths = np.reciprocal(graph.data) if weighted else np.ones(graph.nnz)
    return csr_array((lengths, graph.indices, graph.indptr), shape=graph.shape)


def hop_rows(
    lengths: csr_array, perplexity: float, threads: Threads, hops: int | None = None
) -> tuple[csr_array, np.ndarray]:
    """Return rows p_j|i (n, n) of a graph of lengths, of sum 1, and each node's worth (n,).

    A node is worth the perplexity, or less where it has too few nodes in reach.  ``hops``: largest distance.
    """
    n = lengths.shape[0]

    def rows_from(nodes: np.ndarray) -> tuple[np.ndarray, ...]:
        columns, distances, counts = _rings(lengths, nodes, perplexity, hops)
        last = np.take_along_axis(distances, np.maximum(counts - 1, 0)[:, None], axis=1)[:, 0]
        several = last > (1.0 + TIES) * distances[:, 0]
        worth = np.clip(np.where(several, WORTH, 1.0) * counts, 1.0, perplexity)
        p, some = np.zeros_like(distances), counts > 0
        p[some] = calibrate(distances[some], worth[some])
        inside = np.arange(p.shape[1]) < counts[:, None]
        return p[inside], columns[inside], counts, worth

    order = np.argsort(np.diff(lengths.indptr), kind="stable")  # wide rows are hubs: these are found together
    found = threads.map(rows_from, _blocks(lengths, order, perplexity))
    p, columns, counts, worth = (np.concatenate(some) for some in zip(*found, strict=True))
    ends = np.concatenate([[0], np.cumsum(counts)])
    if len(p) < 2**31:
        ends = ends.astype(np.int32)
    place = np.argsort(order)
    rows = csr_array(csr_array((p, columns.astype(np.int32), ends), shape=(n, n))[place])
    rows.sort_indices()
    rows.eliminate_zeros()
    return rows, worth[place]


def hop_entries(lengths: csr_array, nodes: np.ndarray, perplexity: float, hops: int | None = None) -> float:
    """Return the mean entries of a row of P, about, from a sample of these nodes."""
    some = np.sort(np.random.default_rng(0).permutation(nodes)[:SAMPLED])
    return UNION * float(np.mean(_rings(lengths, some, perplexity, hops)[2]))


def _blocks(lengths: csr_array, order: np.ndarray, perplexity: float) -> list[np.ndarray]:
    """Cut nodes in the order of their degrees into blocks of rows that are found at a time."""
    widths, at, found = _widths(lengths, order, perplexity)[1], 0, list[np.ndarray]()
    while at < len(order):
        widest = widths[min(at + rows_at_once(64 * widths[at]), len(order) - 1)]
        found.append(order[at : at + rows_at_once(64 * widest)])
        at += len(found[-1])
    return found


def _widths(lengths: csr_array, nodes: np.ndarray, perplexity: float) -> tuple[int, np.ndarray]:
    """Return the most entries of a row without its first ring, its neighbors, and of each row."""
    n = lengths.shape[0]
    most = min(n - 1, max(math.ceil(MOST * perplexity), WHOLE * WHOLE // n))
    return most, np.maximum(max(1, most), np.diff(lengths.indptr)[nodes])


def _rings(lengths: csr_array, nodes: np.ndarray, perplexity: float, hops: int | None) -> Rings:
    """Return the nodes in reach of some nodes of a graph of lengths, up to a distance."""
    n, alone, enough = lengths.shape[0], math.ceil(perplexity), math.ceil(REACH * perplexity)
    farthest = math.inf if hops is None else float(hops)
    if n <= COMPILED_ABOVE:
        return _from_all(lengths, nodes, alone, enough, farthest)
    from nelayout.core.similarities.loops import nearest_rings

    most, widths = _widths(lengths, nodes, perplexity)
    shape, counts = (len(nodes), int(widths.max())), np.zeros(len(nodes), dtype=np.int64)
    columns, distances = np.zeros(shape, dtype=np.int32), np.full(shape, np.inf)
    nearest_rings(
        lengths.indptr, lengths.indices, lengths.data, nodes, alone, enough, most, farthest, TIES,
        bool((lengths.data == 1.0).all()), columns, distances, counts,
    )  # fmt: skip
    widest = int(counts.max(initial=1))
    return columns[:, :widest], distances[:, :widest], counts


def _from_all(lengths: csr_array, nodes: np.ndarray, alone: int, enough: int, farthest: float) -> Rings:
    """Return the rings of a small graph from all distances."""
    from scipy.sparse.csgraph import dijkstra

    n = lengths.shape[0]
    short = csr_array((lengths.data, *(each.astype(np.int32) for each in (lengths.indices, lengths.indptr))), (n, n))
    far = np.asarray(dijkstra(short, directed=False, indices=nodes), np.float64)  # scipy 1.13 takes no int64
    far[far > farthest] = np.inf
    far[np.arange(len(nodes)), nodes] = -1.0
    columns = np.argsort(far, axis=1)[:, 1:]
    distances = np.take_along_axis(far, columns, axis=1)
    last = np.ones(distances.shape, dtype=bool)  # of a ring
    last[:, :-1] = distances[:, 1:] > (1.0 + TIES) * distances[:, :-1]
    first = np.argmax(last, axis=1) + 1
    last[:, : enough - 1] = False
    counts = np.where(last.any(axis=1), np.argmax(last, axis=1) + 1, n)
    counts = np.minimum(np.where(first >= alone, first, counts), np.sum(np.isfinite(distances), axis=1))
    return columns, np.where(np.arange(distances.shape[1]) < counts[:, None], distances, np.inf), counts
