"""Entropic affinities: similarities with a bandwidth per row, all of one perplexity.

Three rows are on a line. For the middle row both others are equally near at any bandwidth. Each end row has weights
with a perplexity of 1.5::

    >>> p = calibrate(np.array([[1.0, 2.0], [1.0, 1.0], [1.0, 2.0]]), 1.5)
    >>> p.round(3)
    array([[0.86, 0.14],
           [0.5 , 0.5 ],
           [0.86, 0.14]])
    >>> (np.exp(-np.sum(p * np.log(p), axis=1))).round(6).tolist()
    [1.5, 2.0, 1.5]
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array

from nelayout.catalogue.keywords import checks_keywords
from nelayout.catalogue.options import generator
from nelayout.errors import InputTypeError, unknown, warn
from nelayout.numerics.parallel import Threads, threads_for
from nelayout.vectors.input import Neighbors
from nelayout.vectors.knn import space_of

__all__ = ["calibrate", "entropic_affinity", "entropic_rows", "joint"]

SYMMETRIZE = ("joint", "none")

# Largest error of a row's entropy, in nats, and largest number of steps.
TOLERANCE, MOST_STEPS = 1e-11, 200
# Relative difference below which distances count as equal.
TIES = 1e-12
# Precisions in units of `_excess` are from LOWEST to 2 (ln k + BEYOND). At LOWEST the entropy of the K nearest is ln K
# to rounding; at the upper end all similarities from the K-th on are 0.
LOWEST, BEYOND = 1e-7, 40.0
# Similarities are at least e^-CUT of the largest in their row, so that products do not underflow to 0.
CUT = 600.0
# Number of similarities that are calibrated at a time.
ROWS_ENTRIES = 1 << 16


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
        for the approximate search in tables too large for the exact one (see `knn_graph`)

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
    rng = generator(seed)
    space, k = space_of(X, n_neighbors, metric, metric_params, pca, perplexity)
    with threads_for(None) as threads:
        found = space.nearest(k, rng, threads)
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


def joint(rows: csr_array) -> csr_array:
    """Return (p_j|i + p_i|j) / 2n of rows with sum 1: symmetric to the last bit, with sum 1."""
    P = csr_array(rows + rows.T)
    P.sort_indices()
    P.data *= 0.5 / P.shape[0]
    return P


def calibrate(
    distances: np.ndarray, perplexity: float, threads: Threads | None = None
) -> np.ndarray:
    """Return similarities (n, k) of one perplexity from distances (n, k); each row has sum 1.

    Distances are nearest first; inf, which gives 0, fills rows with fewer neighbors. The perplexity is above 1 and
    below the number of finite distances in each row.
    """
    n, k = distances.shape
    p = np.empty((n, k))
    nearest = math.ceil(perplexity)
    target, high = math.log(perplexity), math.log(2.0 * (math.log(k) + BEYOND))
    size = max(1, ROWS_ENTRIES // k)

    def block(start: int) -> None:
        here = slice(start, start + size)
        excess, equal = _excess(distances[here], nearest)
        _calibrate_rows(excess, target, high, p[here])
        p[here][np.isinf(distances[here])] = 0.0
        tied = equal[:, nearest - 1]
        if tied.any():
            p[here][tied] = equal[tied] / np.sum(equal[tied], axis=1, keepdims=True)

    (threads or Threads()).map(block, range(0, n, size))
    return p


@np.errstate(over="ignore")
def _excess(distances: np.ndarray, nearest: int) -> tuple[np.ndarray, np.ndarray]:
    """Return (d_j^2 - d_1^2) / (d_K^2 - d_1^2), (m, k), and the mask of zeros, K = nearest.

    Similarities depend on nothing else, and in this unit the precision is of order 1. If the K-th row is as near as the
    first, the row is settled, and its numbers have no meaning.
    """
    unit = distances[:, nearest - 1 : nearest]
    t = distances / np.where(unit > 0, unit, 1.0)  # squares of large distances would overflow
    first = t[:, :1]
    gap = t - first
    gap[gap <= TIES * t] = 0.0
    gap[np.isinf(t)] = np.inf
    excess = gap * (t + first)
    own = excess[:, nearest - 1 : nearest].copy()
    excess /= np.where(own > 0, own, 1.0)
    # Even at the lowest precision, larger values are cut.
    return np.minimum(excess, 4.0 * CUT / LOWEST), gap == 0


def _calibrate_rows(excess: np.ndarray, target: float, high: float, p: np.ndarray) -> None:
    """Write p = exp(-pi_i excess[i] / 2) / sum of entropy ``target``, for every row (m, k).

    Each row has its least entry at 0, and ``high`` is above every ln pi.
    """
    m = len(excess)
    going = np.arange(m)
    below, above, log_pi = np.full(m, math.log(LOWEST)), np.full(m, high), np.zeros(m)
    before = np.full(m, np.inf)
    for _ in range(MOST_STEPS):
        e, pi = excess[going], np.exp(log_pi)
        x = 0.5 * pi[:, None] * e
        w = np.exp(-np.minimum(x, CUT))
        total = np.sum(w, axis=1)
        w /= total[:, None]
        p[going] = w
        mean = np.sum(w * e, axis=1)
        error = np.log(total) + 0.5 * pi * mean - target
        left = np.abs(error) > TOLERANCE
        if not left.any():
            return
        going, e, w, mean, error = going[left], e[left], w[left], mean[left], error[left]
        pi, log_pi, below, above, before = pi[left], log_pi[left], below[left], above[left], before[left]
        below, above = np.where(error > 0, log_pi, below), np.where(error > 0, above, log_pi)
        slope = 0.25 * pi * pi * np.sum(w * (e - mean[:, None]) ** 2, axis=1)
        step = log_pi + np.divide(error, slope, out=np.full(len(going), np.inf), where=slope > 0)
        poor = ~((below < step) & (step < above)) | (np.abs(error) > 0.5 * before)
        log_pi = np.where(poor, 0.5 * (below + above), step)
        before = np.abs(error)
