"""Neighbor graphs of vectors: an edge from each row to the k rows nearest to it.

Three points are close together, and point 3 is far away. Point 2 is nearest to 3, but 3 is nearest to no point::

    >>> X = [[0.0], [1.0], [1.9], [9.0]]
    >>> knn_graph(X, n_neighbors=1, symmetrize="none").toarray()
    array([[0., 1., 0., 0.],
           [0., 0., 1., 0.],
           [0., 1., 0., 0.],
           [0., 0., 1., 0.]])
    >>> knn_graph(X, n_neighbors=1).toarray()  # i - j if either is among the other's nearest
    array([[0., 1., 0., 0.],
           [1., 0., 1., 0.],
           [0., 1., 0., 1.],
           [0., 0., 1., 0.]])
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array

from nelayout.catalogue.keywords import checks_keywords
from nelayout.catalogue.options import generator
from nelayout.errors import InputError, InputTypeError, unknown, warn
from nelayout.numerics.parallel import threads_for
from nelayout.vectors.backends import check_backend
from nelayout.vectors.input import Neighbors, count, read_rows, support
from nelayout.vectors.neighbors import Space

__all__ = ["canonical", "knn_graph", "neighbor_graph", "space_of"]

SYMMETRIZE = ("union", "intersection", "none")


@checks_keywords
def knn_graph(
    X: Any,
    n_neighbors: int | None = None,
    metric: Any = "euclidean",
    symmetrize: Literal["union", "intersection", "none"] = "union",
    pca: int | Literal["auto"] | None = "auto",
    seed: Any = None,
    *,
    backend: Literal["exact", "faiss", "hnswlib", "pynndescent"] | None = None,
    metric_params: dict[str, Any] | None = None,
    progress: bool = False,
) -> csr_array:
    """Build the k-nearest-neighbor graph of vectors.

    A_ij = 1 if j is among the k nearest other rows of i; then A is symmetrized. The index orders equal distances. Equal
    rows are neighbors at distance 0. So every row has exactly k neighbors before symmetrization.

    The search is exact up to about 140,000 rows (200,000 short ones, millions with few columns). For more rows, another
    package searches approximately. A warning then states the share of the nearest rows that it found, measured on 200
    rows.

    Parameters
    ----------
    X : (n, d) array, frame, nested list or sparse matrix
        one row per sample; any real numbers, integers included
    n_neighbors : default 10
        k, from 1 to n - 1; None: 10, or n - 1 for fewer rows
    metric : default "euclidean"
        a name of scikit-learn's NearestNeighbors ("cosine", "manhattan", "correlation", "haversine", ...), "hellinger"
        (of rows of numbers >= 0, each divided by its sum), "precomputed" (X holds distances, n x n; entries that a
        sparse matrix does not store are not neighbors), or a function of two rows that gives numbers >= 0 (slow). For
        "cosine", rows of zeros are equal, and at distance 1 from all others.
    symmetrize : default "union"
        "union": i - j if either is among the other's nearest; "intersection": if both are; "none": directed,
        i -> its nearest
    pca : default "auto"
        number of principal components in which rows are compared (for "cosine" and "correlation", of rows of length 1);
        "auto" and None use all columns
    seed : default None
        for the approximate search only
    backend : default None
        "exact" compares all pairs. "faiss" (the extra ``[faiss]``) and "hnswlib" (``[hnswlib]``) search approximately
        among dense rows, under metrics with a Euclidean form: "euclidean", "cosine", "correlation", "hellinger" and
        others. The same ``seed`` gives the same bits for any number of threads. For this, one thread builds the index
        of hnswlib, which takes twice as long as with two. "pynndescent" (``[vectors]``) also takes sparse rows and
        metrics such as "manhattan", and may differ from run to run even for one seed. None: exact as long as it takes
        about a minute, whatever is installed; for more rows the first of faiss, pynndescent and hnswlib that is
        installed
    metric_params : default None
        parameters of the metric, e.g. {"p": 3} for "minkowski"
    progress : default False
        show a progress bar of rows

    Returns
    -------
    csr_array (n, n)
        float64 ones, int32 indices, sorted, empty diagonal

    Raises
    ------
    ValueError
        if X is not a table of finite numbers or has fewer than two rows, n_neighbors is outside of 1 .. n - 1, or a
        name is unknown
    ImportError
        if a package is needed and not installed; the message has the command that installs it

    Examples
    --------
    >>> import nelayout as nl
    >>> A = nl.knn_graph([[0, 0], [0, 1], [5, 5], [5, 6]], n_neighbors=1)
    >>> A.nnz, A.indices.tolist()
    (4, [1, 0, 3, 2])
    """
    if symmetrize not in SYMMETRIZE:
        raise unknown("symmetrize", symmetrize, SYMMETRIZE)
    check_backend(backend)
    rng = generator(seed)
    space, k = space_of(X, n_neighbors, metric, metric_params, pca)
    with threads_for(None) as threads:
        found = space.nearest(k, rng, threads, progress=progress, backend=backend)
    for note in found.notes:
        warn(note)
    return neighbor_graph(found, symmetrize)


def space_of(
    X: Any, n_neighbors: Any, metric: Any, metric_params: Any, pca: Any, perplexity: Any = None
) -> tuple[Space, int]:
    """Check the arguments; return the rows with their metric, and k as `support` reads it."""
    rows = read_rows(X, metric)
    n, d = rows.shape
    k = support(n_neighbors, perplexity, n)
    if isinstance(pca, bool) or not (pca is None or pca == "auto" or isinstance(pca, (int, np.integer))):
        raise InputError(f"pca must be 'auto', None or a number of components; got {pca!r}")
    if isinstance(pca, (int, np.integer)):
        if metric == "precomputed":
            raise InputError(
                "pca reduces vectors; with metric='precomputed' there are only distances: leave pca out"
            )
        pca = count(pca, "pca", min(n, d), f"X is {n} x {d}")
    if metric_params is not None and not isinstance(metric_params, dict):
        raise InputTypeError(f"metric_params must be a dict or None; got {type(metric_params).__name__}")
    return Space(rows, metric, metric_params, pca), k


def neighbor_graph(found: Neighbors, symmetrize: str) -> csr_array:
    """Return the graph of neighbor lists: directed ("none"), or their union or intersection."""
    n, k = found.indices.shape
    columns = np.sort(found.indices, axis=1).astype(np.int32).ravel()
    graph = csr_array((np.ones(n * k), columns, np.arange(0, n * k + 1, k, dtype=np.int32)), shape=(n, n))
    if symmetrize == "none":
        return graph
    both = graph.maximum(graph.T) if symmetrize == "union" else graph.minimum(graph.T)
    return canonical(both)


def canonical(matrix: Any) -> csr_array:
    """Return the matrix with each entry once, in order, with int32 indices."""
    graph = csr_array(matrix)
    graph.sum_duplicates()
    parts = graph.data, graph.indices.astype(np.int32), graph.indptr.astype(np.int32)
    return csr_array(parts, shape=graph.shape)
