"""Join components of a graph by the shortest edges between them; read similarities.

Most methods have no minimum on a graph of several components, which would repel each other without end.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, issparse

from nelayout.core.placing.components import component_labels
from nelayout.errors import InputError
from nelayout.graphs import ArrayHost
from nelayout.numerics.compressed_rows import canonical
from nelayout.numerics.parallel import Threads
from nelayout.vectors.metrics import nonnegative
from nelayout.vectors.neighbors import NeighborIndex

__all__ = ["edges_in_words", "graph_of_similarities", "join_components", "shares_of_similarities"]

# Weights below this share of an added edge's weight do not join components.
MIN_JOINING_SHARE = 1e-3
# Largest number of pairs of rows in each round of the search for the shortest edges.
JOINING_PAIRS = 2.5e8


def join_components(
    space: NeighborIndex, graph: csr_array, threads: Threads, weight: float = 1.0
) -> tuple[csr_array, int]:
    """Join components of a symmetric graph by edges of a weight; also return their number.

    Every component except the largest takes its shortest edge to another component, until there is one component
    (Boruvka's minimum spanning tree). This is exact for at most `JOINING_PAIRS` pairs of rows. For more, evenly spaced
    rows of every component stand for all of them. If distances between components are unknown, as in a sparse table,
    their heaviest rows are joined.
    """
    if issparse(space.given.table):
        return _join_heaviest(graph, weight)
    firm = graph
    if graph.nnz and float(np.min(graph.data)) < MIN_JOINING_SHARE * weight:
        firm = graph.copy()  # eliminate_zeros changes the indices, which would be shared
        firm.data[firm.data < MIN_JOINING_SHARE * weight] = 0.0
        firm.eliminate_zeros()
    labels = component_labels(firm)
    links: list[tuple[int, int]] = []
    while (parts := int(labels.max()) + 1) > 1:
        rows = _seekers(labels, parts)
        found, distance = space.nearest_across(labels, rows, threads)
        low, high = np.minimum(rows, found), np.maximum(rows, found)
        order = np.lexsort((high, low, distance))
        shortest = order[np.sort(np.unique(labels[rows][order], return_index=True)[1])]  # one per component
        merged = np.arange(parts)
        for i, j in zip(low[shortest].tolist(), high[shortest].tolist(), strict=True):
            one, other = merged[labels[i]], merged[labels[j]]
            if one != other:
                merged[merged == max(one, other)] = min(one, other)
                links.append((i, j))
        labels = np.unique(merged[labels], return_inverse=True)[1]
    return _with_edges(graph, np.array(links, dtype=np.int64).reshape(-1, 2).T, weight), len(links)


def _join_heaviest(graph: csr_array, weight: float) -> tuple[csr_array, int]:
    """Join the row with the largest sum in each component to such a row of the largest one."""
    labels = component_labels(graph)
    order = np.lexsort((-np.asarray(graph.sum(axis=1)).ravel(), labels))
    largest, *others = order[np.unique(labels[order], return_index=True)[1]]
    return _with_edges(graph, np.array([others, [largest] * len(others)], dtype=np.int64), weight), len(others)


def _with_edges(graph: csr_array, ends: np.ndarray, weight: float) -> csr_array:
    """Return the graph with edges between ends (2, m), of at least `weight`."""
    if not ends.size:
        return graph
    i, j = ends
    extra = csr_array((np.full(2 * len(i), weight), (np.r_[i, j], np.r_[j, i])), shape=graph.shape)
    return canonical(graph.maximum(extra))


def _seekers(labels: np.ndarray, parts: int) -> np.ndarray:
    """Return rows outside the largest component, thinned out above `JOINING_PAIRS`."""
    n = len(labels)
    size = np.bincount(labels, minlength=parts)
    rows = np.flatnonzero(labels != np.argmax(size))
    every = int(np.ceil(len(rows) * n / JOINING_PAIRS))
    if every <= 1:
        return rows
    order = rows[np.argsort(labels[rows], kind="stable")]
    first = np.flatnonzero(np.diff(labels[order], prepend=-1))
    rank = np.arange(len(order)) - np.repeat(first, np.diff(np.r_[first, len(order)]))
    return order[rank % every == 0]


def edges_in_words(added: int, nearness: bool = True) -> str:
    """Return the end of a note on added edges; ``nearness``: distances were known."""
    kind, ends = ("shortest ", "them") if nearness else ("", "their heaviest rows")
    return f"{added} {kind}edge{'' if added == 1 else 's'} between {ends} {'was' if added == 1 else 'were'} added"


def graph_of_similarities(table: csr_array) -> tuple[csr_array, tuple[str, ...]]:
    """Return the graph of a table (n, n) of similarities, as A + A^T if not symmetric; a note.

    The diagonal does not count, and no similarity is one of 0. Edges of the median similarity join components.
    """
    n = table.shape[0]
    if n != table.shape[1]:
        raise InputError(f"metric 'similarity' needs square (n, n) similarities; got {table.shape}")
    table = nonnegative(table, "similarities", "between rows {} and {}")
    graph = ArrayHost(table).read("weight", "similarity").adjacency
    if not graph.nnz:
        raise InputError(f"no two of the {n} rows have a similarity > 0, so there is nothing to draw them by")
    graph, added = _join_heaviest(graph, float(np.median(graph.data)))
    note = f"the similarities leave {added + 1} groups of rows apart; {edges_in_words(added, nearness=False)}"
    return graph, (note,) if added else ()


def shares_of_similarities(X: csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return new row, fitted row and share of the new row's sum for each entry of X (m, n)."""
    X = nonnegative(X, "similarities", "between new row {} and row {}")
    of = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    there = X.data > 0
    of, to, weight = of[there], X.indices[there].astype(np.int64), X.data[there]
    sums = np.bincount(of, weight, minlength=X.shape[0])
    if not sums.all():
        raise InputError(f"row {int(np.argmin(sums))} of X has no similarity > 0 to any fitted row: leave it out")
    return of, to, weight / sums[of]
