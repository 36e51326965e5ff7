"""Entropic affinities: similarities with a bandwidth per row, all of one perplexity.

The second of these rows has two equally near neighbors, which share its similarity at any bandwidth::

    >>> p = calibrate(np.array([[1.0, 2.0], [1.0, 1.0]]), 1.5)
    >>> (np.exp(-np.sum(p * np.log(p), axis=1))).round(6).tolist()
    [1.5, 2.0]
"""

from __future__ import annotations

import math

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.blocks import rows_at_once
from nelayout.numerics.parallel import Threads

__all__ = ["calibrate", "joint", "on_pattern"]

# Largest error of a row's entropy, in nats, and largest number of steps.
TOLERANCE, MOST_STEPS = 1e-11, 200
# Relative difference below which distances count as equal.
TIES = 1e-12
# Precisions in units of `_excess` are from LOWEST to 2 (ln k + BEYOND).  At LOWEST the entropy of the K nearest is ln K
# to rounding.  At the upper end all similarities from the K-th on are 0.
LOWEST, BEYOND = 1e-7, 40.0
# Similarities are at least e^-CUT of the largest in their row, so that products do not underflow to 0.
CUT = 600.0


def joint(rows: csr_array) -> csr_array:
    """Return (p_j|i + p_i|j) / 2n of rows with sum 1: symmetric to the last bit, with sum 1."""
    P = csr_array(rows + rows.T)
    P.sort_indices()
    P.data *= 0.5 / P.shape[0]
    return P


def on_pattern(rows: csr_array, graph: csr_array, joining: float | None = None) -> np.ndarray:
    """Return ``rows`` of sum 1 on the pattern of the graph of their joint similarities.

    An entry is 0 if only the other end's row has it. It is ``joining`` if joining components added or increased an
    edge; each row is then divided by its sum.
    """
    n = graph.shape[0]

    def keys(A: csr_array) -> np.ndarray:
        return np.repeat(np.arange(n, dtype=np.int64) * n, np.diff(A.indptr)) + A.indices

    values, at, there = np.zeros(graph.nnz), keys(graph), keys(rows)
    values[np.searchsorted(at, there)] = rows.data
    if joining is None:
        return values
    transposed = csr_array((np.arange(graph.nnz), graph.indices, graph.indptr), shape=(n, n)).T.tocsr().data
    both = values + values[transposed]
    values[graph.data > both / n] = joining  # other edges weigh less
    of = np.repeat(np.arange(n), np.diff(graph.indptr))
    return values / np.bincount(of, values, minlength=n)[of]


def calibrate(distances: np.ndarray, perplexity: float | np.ndarray, threads: Threads | None = None) -> np.ndarray:
    """Return similarities (n, k) of a perplexity from distances (n, k); each row has sum 1.

    Distances are nearest first; inf, which gives 0, fills rows with fewer neighbors. The perplexity, a number or (n,),
    is at least 1 and below the number of finite distances in each row. At 1 only the nearest count.
    """
    n, k = distances.shape
    p = np.empty((n, k))
    each = np.broadcast_to(perplexity, n)
    nearest = np.ceil(each).astype(np.intp)[:, None] - 1
    target, high = np.log(each), math.log(2.0 * (math.log(k) + BEYOND))
    size = rows_at_once(256 * k)  # few enough for the cache of a processor

    def block(start: int) -> None:
        here = slice(start, start + size)
        excess, equal = _excess(distances[here], nearest[here])
        tied = np.take_along_axis(equal, nearest[here], axis=1)[:, 0]
        found = equal / np.sum(equal, axis=1, keepdims=True)
        if not tied.all():
            found[~tied] = _calibrated(excess[~tied], target[here][~tied], high)
        found[np.isinf(distances[here])] = 0.0
        p[here] = found

    (threads or Threads()).map(block, range(0, n, size))
    return p


@np.errstate(over="ignore")
def _excess(distances: np.ndarray, nearest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (d_j^2 - d_1^2) / (d_K^2 - d_1^2), (m, k), and its zeros; ``nearest``: column K."""
    unit = np.take_along_axis(distances, nearest, axis=1)
    t = distances / np.where(unit > 0, unit, 1.0)  # squares of large distances would overflow
    first = t[:, :1]
    gap = t - first
    gap[gap <= TIES * t] = 0.0
    gap[np.isinf(t)] = np.inf
    excess = gap * (t + first)
    own = np.take_along_axis(excess, nearest, axis=1)
    excess /= np.where(own > 0, own, 1.0)
    # Even at the lowest precision, larger values are cut.
    return np.minimum(excess, 4.0 * CUT / LOWEST), gap == 0


def _calibrated(excess: np.ndarray, target: np.ndarray, high: float) -> np.ndarray:
    """Return rows exp(-pi_i excess[i] / 2) / sum of entropy ``target`` (m,); ln pi < ``high``."""
    m, p = len(excess), np.empty_like(excess)
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
        error = np.log(total) + 0.5 * pi * mean - target[going]
        left = np.abs(error) > TOLERANCE
        if not left.any():
            break
        going, e, w, mean, error = going[left], e[left], w[left], mean[left], error[left]
        pi, log_pi, below, above, before = pi[left], log_pi[left], below[left], above[left], before[left]
        below, above = np.where(error > 0, log_pi, below), np.where(error > 0, above, log_pi)
        slope = 0.25 * pi * pi * np.sum(w * (e - mean[:, None]) ** 2, axis=1)
        step = log_pi + np.divide(error, slope, out=np.full(len(going), np.inf), where=slope > 0)
        poor = ~((below < step) & (step < above)) | (np.abs(error) > 0.5 * before)
        log_pi = np.where(poor, 0.5 * (below + above), step)
        before = np.abs(error)
    return p
