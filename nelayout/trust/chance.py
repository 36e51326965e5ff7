"""Tails of null values, and false discovery rates: how rarely chance has such a value.

>>> tail(np.arange(100.0), np.array([50.0, 98.0]), 0.95).round(2).tolist()
[0.5, 0.02]
>>> discoveries(np.array([0.001, 0.5, 0.02])).round(3).tolist()
[0.003, 0.5, 0.03]

Source: Benjamini & Hochberg, J. Royal Statistical Society B 57(1), 1995.
"""

from __future__ import annotations

import numpy as np

__all__ = ["LEVEL", "bulk_tail", "discoveries", "tail"]

# False discovery rate of all tests on a drawing.
LEVEL = 0.05


def tail(null: np.ndarray, values: np.ndarray, above: float) -> np.ndarray:
    """Return the share of null values that are at least as large as each value.

    Above the quantile ``above`` of the null an exponential tail with the mean excess goes on, so that the share of a
    value beyond all null values is small but not 0.
    """
    null = np.sort(null)
    share = (len(null) - np.searchsorted(null, values, "left")) / max(len(null), 1)
    if not len(null):
        return np.ones(len(values))
    start = float(np.quantile(null, above))
    excess = float(np.mean(null[null >= start] - start))
    far = (1.0 - above) * np.exp(-np.maximum(values - start, 0.0) / max(excess, np.finfo(float).tiny))
    return np.where(values > start, np.maximum(share, far), share)


def bulk_tail(bulk: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return how rarely a value is so large, by an exponential tail through a bulk of values.

    The tail goes through the median, 1/2, and the upper quartile, 1/4.  So up to a quarter of wrong values do not hide
    each other.
    """
    middle, upper = np.quantile(bulk, [0.5, 0.75])
    scale = max(float(upper - middle), np.finfo(float).eps * max(1.0, float(np.abs(bulk).max())))
    return np.where(values < middle, 1.0, 0.5 * np.exp2(-np.maximum(values - middle, 0.0) / scale))


def discoveries(p: np.ndarray) -> np.ndarray:
    """Return q of each p: the least false discovery rate at which it is found."""
    count = len(p)
    order = np.argsort(p, kind="stable")
    q = np.minimum.accumulate((p[order] * count / np.arange(1, count + 1))[::-1])[::-1]
    result = np.empty(count)
    result[order] = np.minimum(q, 1.0)
    return result
