"""Neighbor graphs of vectors: from each row to the k nearest rows; similarities."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array

from nelayout.core.similarities.entropic import calibrate, joint
from nelayout.errors import InputTypeError, unknown, warn
from nelayout.keywords.options import generator
from nelayout.keywords.signatures import checks_keywords
from nelayout.numerics.compressed_rows import canonical
from nelayout.numerics.parallel import Threads, threads_for
from nelayout.vectors.backends import check_backend
from nelayout.vectors.input import Neighbors, read_rows, support
from nelayout.vectors.neighbors import NeighborIndex

__all__ = ["entropic_affinity", "entropic_rows", "knn_graph", "neighbor_graph"]

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

    If faiss is installed, the search is exact up to about 70,000 rows (millions with few columns); without it, up to
    about 140,000 rows (200,000 short ones). For more rows, another package searches approximately. A warning then
    states the share of the nearest rows that it found, measured on 200 rows.

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
        some seconds, or about a minute if faiss is not installed; for more rows the first of faiss, pynndescent and
        hnswlib that is installed
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
    found = _search(X, n_neighbors, None, (metric, metric_params, pca), seed, backend, progress)
    return neighbor_graph(found, symmetrize)


def _search(
    X: Any, n_neighbors: Any, perplexity: Any, space: tuple[Any, Any, Any], seed: Any, backend: Any, progress: bool
) -> Neighbors:
    """Find neighbors in a space of (metric, metric_params, pca), and warn of notes."""
    check_backend(backend)
    rng, rows = generator(seed), read_rows(X, space[0])
    k = support(n_neighbors, perplexity, rows.shape[0])
    with threads_for(None) as threads:
        found = NeighborIndex(rows, *space).nearest(k, rng, threads, progress=progress, backend=backend)
    for note in found.notes:
        warn(note)
    return found


def neighbor_graph(found: Neighbors, symmetrize: str) -> csr_array:
    """Return the graph of neighbor lists: directed ("none"), or their union or intersection."""
    n, k = found.indices.shape
    columns = np.sort(found.indices, axis=1).astype(np.int32).ravel()
    graph = csr_array((np.ones(n * k), columns, np.arange(0, n * k + 1, k, dtype=np.int32)), shape=(n, n))
    if symmetrize == "none":
        return graph
    both = graph.maximum(graph.T) if symmetrize == "union" else graph.minimum(graph.T)
    return canonical(both)


@checks_keywords
def entropic_affinity(
    X: Any,
    perplexity: float = 30.0,
    *,
    n_neighbors: int | Literal["all"] | None = None,
    metric: Any = "euclidean",
    metric_params: dict[str, Any] | None = None,
    pca: int | Literal["auto"] | None = "auto",
    symmetrize: Literal["joint", "none"] = "joint",
    seed: Any = None,
    backend: Literal["exact", "faiss", "hnswlib", "pynndescent"] | None = None,
) -> csr_array:
    """Return similarities of vectors with one perplexity, an effective number of neighbors.

    ::

        p_j|i = exp(-pi_i d_ij^2 / 2) / sum_k exp(-pi_i d_ik^2 / 2),    H_i = -sum_j p_j|i ln p_j|i = ln perplexity

    with d the distance in the metric, k and j among the nearest neighbors of i. A precision pi_i > 0 for each row meets
    its entropy to 1e-10. Then P_ij = (p_j|i + p_i|j) / 2n. Dense regions get narrow similarities, sparse regions wide
    ones. The scale of X has no effect.

    Some rows have at least as many equally near nearest rows as the perplexity, for example copies. These nearest rows
    share the similarity equally. Distances that agree to 1e-12 are equal.

    Parameters
    ----------
    X : (n, d) array, frame, nested list or sparse matrix
        one row per sample, three or more; with ``metric="precomputed"`` (n, n) distances
    perplexity : default 30
        effective number of neighbors, above 1 and below the number of neighbors
    n_neighbors : default None
        number of nearest rows with a similarity above 0; None: 3 * perplexity, at most n - 1; "all" or n - 1: every
        other row, n (n - 1) numbers
    metric : default "euclidean"
        as in `knn_graph`
    metric_params : default None
        parameters of the metric
    pca : default "auto"
        as in `knn_graph`; an integer also measures distances among the components
    symmetrize : default "joint"
        "joint": symmetric, the sum of all entries is 1; "none": p_j|i in row i, the sum of every row is 1
    seed : default None
        for the approximate search in tables too large for the exact one
    backend : default None
        what searches for neighbors, as in `knn_graph`

    Returns
    -------
    csr_array (n, n)
        float64, int32 indices, sorted, empty diagonal

    Raises
    ------
    ValueError
        for a perplexity that is not a number, not above 1, or not below the number of neighbors; for what `knn_graph`
        refuses

    Notes
    -----
    Hinton & Roweis, Stochastic neighbor embedding, NIPS 2002 (the rows); van der Maaten & Hinton, Visualizing data
    using t-SNE, JMLR 9, 2008 (the joint form). Newton's method in ln pi, with bisection, finds the precision
    (Vladymyrov & Carreira-Perpinan, Entropic affinities, ICML 2013).

    Examples
    --------
    >>> import numpy as np, nelayout as nl
    >>> X = np.random.default_rng(0).standard_normal((100, 5))
    >>> P = nl.entropic_affinity(X, perplexity=10)
    >>> round(float(P.sum()), 9), float(abs(P - P.T).max())
    (1.0, 0.0)
    """
    if symmetrize not in ("joint", "none"):
        raise unknown("symmetrize", symmetrize, ("joint", "none"))
    if perplexity is None:
        raise InputTypeError("perplexity must be a number > 1, e.g. 30; for a binary graph use knn_graph")
    found = _search(X, n_neighbors, perplexity, (metric, metric_params, pca), seed, backend, False)
    with threads_for(None) as threads:
        rows = entropic_rows(found, perplexity, threads)
    return joint(rows) if symmetrize == "joint" else rows


def entropic_rows(found: Neighbors, perplexity: float, threads: Threads) -> csr_array:
    """Return rows p_j|i of neighbor lists: (n, n), with sum 1, sorted, without zeros."""
    n, k = found.indices.shape
    p = calibrate(found.distances, perplexity, threads)
    ends = np.arange(0, n * k + 1, k, dtype=np.int32 if n * k < 2**31 else np.int64)
    rows = csr_array((p.ravel(), found.indices.astype(np.int32).ravel(), ends), shape=(n, n))
    rows.sort_indices()
    rows.eliminate_zeros()
    return rows
