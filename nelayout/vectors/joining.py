"""Join components of a graph by the shortest edges between them; read similarities.

Three pairs of points on a line are three components; their inner ends are joined::

    >>> import numpy as np
    >>> from nelayout.vectors.knn import knn_graph
    >>> X = np.array([[0.0], [1.0], [10.0], [11.0], [30.0], [31.0]])
    >>> pairs = knn_graph(X, 1)
    >>> graph, added = join_components(Space(X), pairs, Threads())
    >>> added, (graph - pairs).nonzero()
    (2, (array([1, 2, 3, 4], dtype=int32), array([2, 1, 4, 3], dtype=int32)))

Most methods have no minimum on a graph of several components, which would repel each other without end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, issparse

from nelayout.errors import InputError
from nelayout.graphs import ArrayHost
from nelayout.graphs.network import canonical
from nelayout.numerics.parallel import Threads
from nelayout.placing.components import component_labels
from nelayout.vectors.metrics import nonnegative
from nelayout.vectors.neighbors import Space

__all__ = ["Similarities", "edges_in_words", "join_components", "join_heaviest"]

# Weights below this share of an added edge's weight do not join components.
MIN_JOINING_SHARE = 1e-3
# Largest number of pairs of rows in each round of the search for the shortest edges.
JOINING_PAIRS = 1e9


def join_components(space: Space, graph: csr_array, threads: Threads, weight: float = 1.0) -> tuple[csr_array, int]:
    """Join components of a symmetric graph by edges of a weight; also return their number.

    Every component except the largest takes its shortest edge to another component, until there is one component
    (Boruvka's minimum spanning tree). This is exact for at most `JOINING_PAIRS` pairs of rows. For more, evenly spaced
    rows of every component stand for all of them. If distances between components are unknown, as in a sparse table,
    `join_heaviest` joins them.
    """
    if issparse(space.given.table):
        return join_heaviest(graph, weight)
    firm = graph
    if graph.nnz and float(np.min(graph.data)) < MIN_JOINING_SHARE * weight:
        firm = graph.copy()  # eliminate_zeros changes the indices, which would be shared
        firm.data[firm.data < MIN_JOINING_SHARE * weight] = 0.0
        firm.eliminate_zeros()
    labels = component_labels(firm)
    parts = int(labels.max()) + 1
    if parts == 1:
        return graph, 0
    links: list[tuple[int, int]] = []
    while parts > 1:
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
        parts = int(labels.max()) + 1
    i, j = np.array(links).T
    return _with_edges(graph, i, j, weight), len(links)


def join_heaviest(graph: csr_array, weight: float) -> tuple[csr_array, int]:
    """Join components of a symmetric graph without distances; also return the number of edges.

    The row with the largest sum in each component gets an edge to the same row of the largest component.
    """
    labels = component_labels(graph)
    order = np.lexsort((-np.asarray(graph.sum(axis=1)).ravel(), labels))
    largest, *others = order[np.unique(labels[order], return_index=True)[1]]
    if not others:
        return graph, 0
    return _with_edges(graph, np.array(others), np.full(len(others), largest), weight), len(others)


def _with_edges(graph: csr_array, i: np.ndarray, j: np.ndarray, weight: float) -> csr_array:
    """Return the graph with edges i to j of at least `weight`."""
    extra = csr_array((np.full(2 * len(i), weight), (np.r_[i, j], np.r_[j, i])), shape=graph.shape)
    return canonical(graph.maximum(extra))


def _seekers(labels: np.ndarray, parts: int) -> np.ndarray:
    """Return rows outside the largest component, thinned out above `JOINING_PAIRS`."""
    n = len(labels)
    size = np.bincount(labels, minlength=parts)
    rows = np.flatnonzero(labels != np.argmax(size))
    if float(len(rows)) * n <= JOINING_PAIRS:
        return rows
    order = rows[np.argsort(labels[rows], kind="stable")]
    of = labels[order]
    first = np.flatnonzero(np.r_[True, of[1:] != of[:-1]])
    every = int(np.ceil(len(rows) * n / JOINING_PAIRS))
    rank = np.arange(len(order)) - np.repeat(first, np.diff(np.r_[first, len(order)]))
    return order[rank % every == 0]


def edges_in_words(added: int, nearness: bool = True) -> str:
    """Return the end of a note on added edges; ``nearness``: distances were known."""
    kind, ends = ("shortest ", "them") if nearness else ("", "their heaviest rows")
    return f"{added} {kind}edge{'' if added == 1 else 's'} between {ends} {'was' if added == 1 else 'were'} added"


@dataclass(frozen=True)
class Similarities:
    """Similarities (n, n) float64 between n rows, from `input.read_rows`.

    Rows with similarity 0, or with none stored, are not neighbors::

    >>> table = Similarities(csr_array([[1.0, 0.5, 0.0], [0.5, 1.0, 2.0], [0.0, 2.0, 1.0]]))
    >>> table.graph().toarray()[1].tolist()
    [0.5, 0.0, 2.0]
    >>> table.shares(csr_array([[0.0, 3.0, 1.0]]))  # new rows, fitted rows, parts
    (array([0, 0]), array([1, 2]), array([0.75, 0.25]))
    """

    original: csr_array

    def graph(self) -> csr_array:
        """Return the similarities without the diagonal, as A + A^T if A is not symmetric."""
        if self.original.shape[0] != self.original.shape[1]:
            raise InputError(f"metric 'similarity' needs square (n, n) similarities; got {self.original.shape}")
        table = nonnegative(self.original, "similarities", "between rows {} and {}")
        graph = ArrayHost(table).read("weight", "similarity").adjacency
        if not graph.nnz:
            n = self.original.shape[0]
            raise InputError(f"no two of the {n} rows have a similarity > 0, so there is nothing to draw them by")
        return graph

    def joined_graph(self) -> tuple[csr_array, tuple[str, ...]]:
        """Return the graph, components joined by edges of the median similarity, and a note."""
        graph = self.graph()
        graph, added = join_heaviest(graph, float(np.median(graph.data)))
        note = f"the similarities leave {added + 1} groups of rows apart; {edges_in_words(added, nearness=False)}"
        return graph, (note,) if added else ()

    def shares(self, X: csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return new row, fitted row and share of the new row's sum for each entry of X (m, n)."""
        X = nonnegative(X, "similarities", "between new row {} and row {}")
        of = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        there = X.data > 0
        of, to, weight = of[there], X.indices[there].astype(np.int64), X.data[there]
        sums = np.bincount(of, weight, minlength=X.shape[0])
        if not sums.all():
            raise InputError(f"row {int(np.argmin(sums))} of X has no similarity > 0 to any fitted row: leave it out")
        return of, to, weight / sums[of]
