"""Entropic affinities: similarities of neighbor lists, each row worth as many neighbors."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array

from nelayout.catalogue.keywords import checks_keywords
from nelayout.catalogue.options import generator
from nelayout.errors import InputTypeError, unknown, warn
from nelayout.numerics.parallel import Threads, threads_for
from nelayout.similarities.entropic import calibrate, joint
from nelayout.vectors.backends import check_backend
from nelayout.vectors.input import Neighbors
from nelayout.vectors.knn import space_of

__all__ = ["entropic_affinity", "entropic_rows"]

SYMMETRIZE = ("joint", "none")


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
    if symmetrize not in SYMMETRIZE:
        raise unknown("symmetrize", symmetrize, SYMMETRIZE)
    if perplexity is None:
        raise InputTypeError("perplexity must be a number > 1, e.g. 30; for a binary graph use knn_graph")
    check_backend(backend)
    rng = generator(seed)
    space, k = space_of(X, n_neighbors, metric, metric_params, pca, perplexity)
    with threads_for(None) as threads:
        found = space.nearest(k, rng, threads, backend=backend)
        rows = entropic_rows(found, perplexity, threads)
    for note in found.notes:
        warn(note)
    return joint(rows) if symmetrize == "joint" else rows


def entropic_rows(found: Neighbors, perplexity: float, threads: Threads) -> csr_array:
    """Return rows p_j|i of neighbor lists: (n, n), with sum 1, sorted, without zeros."""
    n, k = found.indices.shape
    p = calibrate(found.distances, perplexity, threads)
    order = np.argsort(found.indices, axis=1)
    columns = np.take_along_axis(found.indices, order, axis=1).astype(np.int32)
    p = np.take_along_axis(p, order, axis=1)
    # Row ends of 2^31 or more entries need 64 bits.
    ends = np.arange(0, n * k + 1, k, dtype=np.int32 if n * k < 2**31 else np.int64)
    rows = csr_array((p.ravel(), columns.ravel(), ends), shape=(n, n))
    if not p.all():
        rows.eliminate_zeros()
    return rows
