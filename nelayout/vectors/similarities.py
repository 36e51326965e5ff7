"""Tables of similarities in the place of vectors: the graph that they are, and those of new rows to the fitted ones.

What is 0, or what a sparse matrix does not store, is no neighbor::

    >>> from nelayout.vectors.input import read_rows
    >>> table = Similarities(read_rows(np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 2.0], [0.0, 2.0, 1.0]]), "similarity"))
    >>> table.graph().toarray()
    array([[0. , 0.5, 0. ],
           [0.5, 0. , 2. ],
           [0. , 2. , 0. ]])
    >>> table.shares(csr_array([[0.0, 3.0, 1.0]]))  # new rows, fitted rows, parts
    (array([0, 0]), array([1, 2]), array([0.75, 0.25]))
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from nelayout.errors import InputError
from nelayout.graphs import arrays
from nelayout.vectors.joining import edges_in_words, join_heaviest

__all__ = ["Similarities", "is_similarity"]


def is_similarity(metric: object) -> bool:
    """Whether ``metric`` says that X holds similarities."""
    return isinstance(metric, str) and metric == "similarity"


@dataclass(frozen=True)
class Similarities:
    """Similarities between n rows, (n, n) float64 as `input.read_rows` gives them."""

    original: csr_array

    @property
    def n(self) -> int:
        return self.original.shape[0]

    def graph(self) -> csr_array:
        """The similarities without the diagonal; of a matrix A that differs from its transpose, A + A^T.

        Raises
        ------
        InputError
            for a table that is not square, a negative similarity, and one without any similarity.
        """
        if self.original.shape[0] != self.original.shape[1]:
            raise InputError(f"metric 'similarity' needs square (n, n) similarities, given {self.original.shape}")
        graph = arrays.read(self.original, "weight", "similarity").adjacency
        if not graph.nnz:
            raise InputError(f"no two of the {self.n} rows have a similarity > 0, so there is nothing to draw them by")
        return graph

    def joined_graph(self) -> tuple[csr_array, tuple[str, ...]]:
        """The graph, its components joined by edges of the median similarity, and the note on that."""
        graph = self.graph()
        graph, added = join_heaviest(graph, float(np.median(graph.data)))
        note = f"the similarities leave {added + 1} groups of rows apart; {edges_in_words(added, nearness=False)}"
        return graph, (note,) if added else ()

    def shares(self, X: csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The new row and the fitted row of each similarity in X (m, n), and its part of the new row's sum.

        Raises
        ------
        InputError
            for a negative similarity, and a row that has none, of which nothing is known.
        """
        if (X.data < 0).any():
            raise InputError(f"similarities are >= 0, given {float(X.data.min())}")
        of = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        there = X.data > 0
        of, to, weight = of[there], X.indices[there].astype(np.int64), X.data[there]
        sums = np.bincount(of, weight, minlength=X.shape[0])
        if not sums.all():
            raise InputError(f"row {int(np.argmin(sums))} of X has no similarity > 0 to any fitted row: leave it out")
        return of, to, weight / sums[of]
