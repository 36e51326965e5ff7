"""Read adjacency matrices, sparse or dense; positions go back as an array.

Entry (i, j) is the weight of the edge i -> j.  A matrix that equals its transpose (to 1e-12 of its largest
entry) is an undirected graph.  For any other matrix A, the weights are A + A^T::

    >>> ArrayHost(np.array([[9.0, 2.0], [2.0, 0.0]])).read("weight", "similarity").adjacency.toarray()
    array([[0., 2.],
           [2., 0.]])
    >>> ArrayHost(np.array([[9.0, 2.0], [1.0, 0.0]])).read("weight", "similarity").adjacency.toarray()
    array([[0., 3.],
           [3., 0.]])
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from nelayout.errors import InputError, InputTypeError
from nelayout.graphs.host import MISSING, Host, Links, Places
from nelayout.graphs.libraries import PandasHost
from nelayout.graphs.network import NEGATIVE, Network, canonical, check_kind, check_size, similarities, zero_note

__all__ = ["ArrayHost"]

# Fraction of nonzeros, on the diagonal and in all. An asymmetric dense array above both is probably a table of rows:
# self-loops are rare, and graphs sparse.
TABLE_FRACTION = 0.25
# Largest difference between an undirected matrix and its transpose, relative to the largest entry.
SYMMETRY_TOLERANCE = 1e-12


class ArrayHost(Host):
    """A matrix as the host of a layout: nodes are 0 .. n-1, arrays are in this order."""

    package = "arrays"

    def __init__(self, G: Any):
        super().__init__(G)
        self.aliases = [range(*G.shape[:1] or [0])]

    @property
    def directed(self) -> bool:
        """Whether the matrix differs from its transpose."""
        return _symmetric(_as_csr(self.G))[1]

    def links(self, weight: Any = MISSING) -> Links:
        """Return the stored entries row by row; if symmetric, only from the diagonal upward."""
        matrix = _as_csr(self.G)
        rows = np.repeat(np.arange(len(matrix.indptr) - 1), np.diff(matrix.indptr))
        cols, weights = matrix.indices.astype(np.int64), matrix.data.astype(self.G.dtype, copy=False)
        if not _symmetric(matrix)[1]:
            upper = rows <= cols
            rows, cols, weights = rows[upper], cols[upper], weights[upper]
        return Links(rows, cols, ["weight"], lambda _: weights.tolist())

    def attribute(self, name: str, what: str) -> list:
        raise InputError(
            f"{what}={name!r}: a matrix has no node attributes; give an array of "
            f"{len(self.aliases[0])} entries, or a number if one is enough"
        )

    def opened(self, x: Any) -> Any:
        """Return the n rows of a pandas Series or DataFrame in their own order, without its index.

        >>> from pandas import Series
        >>> ArrayHost(np.eye(2)).objects(Series(["a", "b"], index=[1, 0]), "labels")
        ['a', 'b']
        """
        nodes = self.aliases[0]
        if not (isinstance(nodes, range) and hasattr(x, "iloc") and len(x) == len(nodes)):
            return x
        table = PandasHost.places(x)
        return x.tolist() if table is None else table.rows

    @classmethod
    def recognizes(cls, G: Any) -> bool:
        """Return whether `G` is a sparse matrix or array, or a NumPy array (of any shape)."""
        return issparse(G) or isinstance(G, np.ndarray)

    @staticmethod
    def places(pos: Any) -> Places | None:
        return Places(pos, lambda Y: Y) if hasattr(pos, "__len__") else None

    def read(self, weight: Any, weight_kind: str) -> Network:
        """Return the `Network` of an adjacency matrix; see `nelayout.graphs.read` for the rules.

        ``weight=None`` takes every stored entry as 1, any attribute name takes the entries as they are.
        Duplicate entries of a sparse matrix are added up first, as SciPy defines them.
        """
        G = self.G
        check_kind(weight_kind)
        matrix = _as_csr(G)
        rows = np.repeat(np.arange(len(matrix.indptr) - 1, dtype=matrix.indices.dtype), np.diff(matrix.indptr))
        matrix = _where(matrix, rows != matrix.indices)
        notes: tuple[str, ...] = ()
        zeros = 0
        if weight is None:
            matrix.data = np.ones(len(matrix.data))
        else:

            def name(k: int) -> str:
                row = int(np.searchsorted(matrix.indptr, k, side="right")) - 1
                return f"edge ({row}, {int(matrix.indices[k])})"

            of_rows = "" if issparse(G) else "; vectors, one row per sample, are drawn by nelayout.embed"
            matrix.data = similarities(matrix.data, weight_kind, "weight", name, f"{NEGATIVE}{of_rows}")
            zeros = len(matrix.data) - np.count_nonzero(matrix.data)
            matrix, notes = _where(matrix, matrix.data != 0), zero_note(int(zeros), "stored entries")
        weighted = bool(np.any(matrix.data != 1))
        adjacency, directed = _symmetric(matrix)
        doubts = _doubts(G) if directed and not issparse(G) else ()
        notes = (*notes, *doubts)
        return Network(self.aliases[0], canonical(adjacency), directed, weighted, notes, self, bool(zeros), doubts)

    def as_networkx(self, labels: Sequence[Hashable], node_data: Mapping[str, Any]) -> Any:
        """Make a graph of a symmetric matrix, else a digraph; edges have weights unless all are 1."""
        H = super().as_networkx(labels, node_data)
        if all(weight == 1 for *_, weight in H.edges(data="weight")):
            for *_, own in H.edges(data=True):
                own.clear()
        return H


def _doubts(G: np.ndarray) -> tuple[str, ...]:
    """Return a doubt if an asymmetric dense array looks like a table of rows."""
    n = len(G)
    if np.count_nonzero(np.diagonal(G)) <= TABLE_FRACTION * n or np.count_nonzero(G) <= TABLE_FRACTION * n * n:
        return ()
    doubt = (
        "the square array is taken for a graph, with weights A + A.T and without its diagonal; vectors, one row per "
        "sample, are drawn by nelayout.embed (a graph is taken without this warning when its diagonal is 0)"
    )
    return (doubt,)


def _as_csr(G: Any) -> csr_array:
    """Return a float64 matrix, sorted, without duplicates; it may share memory with `G`."""
    if isinstance(G, np.ma.MaskedArray):
        G = G.filled(0)
    shape, kind = G.shape, G.dtype
    if len(shape) != 2 or shape[0] != shape[1]:
        turned = ".T" if shape[:1] == (2,) else ""
        raise InputError(
            f"the array must be a square adjacency matrix (n, n); got the shape {shape}. An array E of edges becomes "
            f"a graph by networkx.Graph(E{turned}.tolist()). For vectors, one row per sample, use nelayout.embed"
        )
    if kind.kind not in "biuf":
        raise InputTypeError(
            f"the matrix has dtype {kind}; weights must be real numbers: convert it, e.g. A.astype(float)"
        )
    check_size(shape[0], G.nnz if issparse(G) else int(np.count_nonzero(G)))
    if not issparse(G):
        return csr_array(np.asarray(G, dtype=np.float64))
    matrix: Any = csr_array(G.tocsr()).astype(np.float64, copy=False)
    # new flags and index arrays of the same memory: sorting must not change the caller's matrix
    matrix = csr_array((matrix.data, matrix.indices, matrix.indptr), shape=shape)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def _where(matrix: csr_array, keep: np.ndarray) -> csr_array:
    """Return the entries marked in `keep`; share memory with `matrix` if all are."""
    if keep.all():
        return csr_array((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
    before = np.concatenate([[0], np.cumsum(keep)])
    parts = matrix.data[keep], matrix.indices[keep], before[matrix.indptr]
    return csr_array(parts, shape=matrix.shape)


def _symmetric(matrix: csr_array) -> tuple[csr_array, bool]:
    """Return (A, False) for a symmetric matrix, else (A + A^T, True); exactly symmetric copy."""
    mirrored = matrix.T.tocsr()
    if len(matrix.data) == 0:
        return mirrored, False
    apart = abs(matrix - mirrored).max()
    if apart == 0:
        return mirrored, False
    with np.errstate(over="ignore"):
        total = matrix + mirrored
    undirected = apart <= SYMMETRY_TOLERANCE * matrix.data.max()
    return (total * 0.5, False) if undirected else (total, True)
