"""Neighbor graphs of vectors: an edge from each row to the k rows nearest to it.

Three points in a row and one apart: 2 is 3's nearest, but 3 is nobody's::

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
    metric_params: dict[str, Any] | None = None,
    progress: bool = False,
) -> csr_array:
    """Build the k-nearest-neighbor graph of vectors.

    A_ij = 1 where j is among the k nearest rows of i, itself not counted, and then symmetrized.  Equal
    distances are ordered by index, and rows that are equal are each other's neighbors at distance 0, so every
    row has exactly k neighbors before symmetrization.

    The search is exact up to about 140,000 rows (200,000 short ones, millions with few columns), with the same bits
    for any number of threads.  Beyond that pynndescent searches approximately (the extra ``[vectors]``): its graph
    depends on ``seed``, and may differ from run to run even with one.

    Parameters
    ----------
    X : (n, d) array, frame, nested list or sparse matrix
        one row per sample; any real numbers, integers included
    n_neighbors : default 10
        k, from 1 to n - 1; None: 10, or n - 1 for fewer rows
    metric : default "euclidean"
        a name that scikit-learn's NearestNeighbors knows ("cosine", "manhattan", "correlation", "haversine", ...),
        "hellinger" (of rows of numbers >= 0, each divided by its sum), "precomputed" (X holds distances, n x n; what a
        sparse matrix does not store is no neighbor), or a function of two rows that gives numbers >= 0 (slow).  Under
        "cosine", rows of zeros are alike and at distance 1 from all others.
    symmetrize : default "union"
        "union": i - j if either is among the other's nearest; "intersection": if both are; "none": directed,
        i -> its nearest
    pca : default "auto"
        an integer reduces the rows to that many principal components before they are compared (for "cosine"
        and "correlation", after they have been brought to length 1); "auto" and None do not
    seed : default None
        for the approximate search only
    metric_params : default None
        parameters of the metric, e.g. {"p": 3} for "minkowski"
    progress : default False
        show how many rows have their neighbors

    Returns
    -------
    csr_array (n, n)
        float64 ones, int32 indices, sorted, nothing on the diagonal

    Raises
    ------
    ValueError
        for what is no table of finite numbers, fewer than two rows, n_neighbors outside of 1 .. n - 1, unknown names
    ImportError
        if pynndescent is needed and not installed

    Examples
    --------
    >>> import nelayout as nl
    >>> A = nl.knn_graph([[0, 0], [0, 1], [5, 5], [5, 6]], n_neighbors=1)
    >>> A.nnz, A.indices.tolist()
    (4, [1, 0, 3, 2])
    """
    if symmetrize not in SYMMETRIZE:
        raise unknown("symmetrize", symmetrize, SYMMETRIZE)
    rng = generator(seed)
    space, k = space_of(X, n_neighbors, metric, metric_params, pca)
    with threads_for(None) as threads:
        found = space.nearest(k, rng, threads, progress=progress)
    for note in found.notes:
        warn(note)
    return neighbor_graph(found, symmetrize)


def space_of(
    X: Any, n_neighbors: Any, metric: Any, metric_params: Any, pca: Any, perplexity: Any = None
) -> tuple[Space, int]:
    """Space of the rows under their metric, and k as `support` reads it, once all arguments are checked."""
    rows = read_rows(X, metric)
    n, d = rows.shape
    k = support(n_neighbors, perplexity, n)
    if isinstance(pca, bool) or not (pca is None or pca == "auto" or isinstance(pca, (int, np.integer))):
        raise InputError(f"pca must be 'auto', None or a number of components, given {pca!r}")
    if isinstance(pca, (int, np.integer)):
        if metric == "precomputed":
            raise InputError(
                "pca reduces vectors; with metric='precomputed' there are only distances: leave pca out"
            )
        pca = count(pca, "pca", min(n, d), f"X is {n} x {d}")
    if metric_params is not None and not isinstance(metric_params, dict):
        raise InputTypeError(f"metric_params must be a dict or None, given {type(metric_params).__name__}")
    return Space(rows, metric, metric_params, pca), k


def neighbor_graph(found: Neighbors, symmetrize: str) -> csr_array:
    """Graph of neighbor lists, directed ("none") or made symmetric by their "union" or "intersection"."""
    n, k = found.indices.shape
    columns = np.sort(found.indices, axis=1).astype(np.int32).ravel()
    graph = csr_array((np.ones(n * k), columns, np.arange(0, n * k + 1, k, dtype=np.int32)), shape=(n, n))
    if symmetrize == "none":
        return graph
    both = graph.maximum(graph.T) if symmetrize == "union" else graph.minimum(graph.T)
    return canonical(both)


def canonical(matrix: Any) -> csr_array:
    """Matrix with each entry once, in order, under int32 indices."""
    graph = csr_array(matrix)
    graph.sum_duplicates()
    parts = graph.data, graph.indices.astype(np.int32), graph.indptr.astype(np.int32)
    return csr_array(parts, shape=graph.shape)
