"""Compiled quality scores of many small graphs; rounded as in NumPy, so ties stay ties."""

from __future__ import annotations

import math

from nelayout.numerics.breadth_first_loops import hops as count_hops
from nelayout.numerics.compiling import exact_loop

__all__ = ["hops_each", "score_each"]


@exact_loop
def hops_each(indptr, indices, starts, pivots, hops, queue):
    """Write to hops[k, i], at first 0, the edges from pivot k to i; ``queue`` (n,): scratch."""
    for part in range(len(starts) - 1):
        for k in range(pivots.shape[1]):
            if pivots[part, k] >= 0:
                count_hops(indptr, indices, starts[part] + pivots[part, k], hops[k], queue)


@exact_loop
def _squared(Y, i, j):
    total = 0.0
    for axis in range(Y.shape[1]):
        apart = Y[i, axis] - Y[j, axis]
        total += apart * apart
    return total


@exact_loop
def score_each(indptr, indices, starts, pivots, hops, Y, jaccard, stress, xi):
    """Write each graph's mean neighborhood Jaccard, ties by node number, and stress.

    ``xi`` (n,): scratch memory.
    """
    for part in range(len(starts) - 1):
        start, stop = starts[part], starts[part + 1]
        for i in range(start, stop):
            degree, common = indptr[i + 1] - indptr[i], 0
            for j in range(start, stop):
                xi[j] = _squared(Y, i, j)
            xi[i] = math.inf
            for entry in range(indptr[i], indptr[i + 1]):
                j, nearer = indices[entry], 0
                for other in range(start, stop):
                    if xi[other] < xi[j] or (xi[other] == xi[j] and other < j):
                        nearer += 1
                common += nearer < degree
            jaccard[part] += common / (2 * degree - common)
        jaccard[part] /= stop - start
        total, squares, count = 0.0, 0.0, 0
        for k in range(pivots.shape[1]):
            if pivots[part, k] < 0:
                continue
            pivot = starts[part] + pivots[part, k]
            for j in range(start, stop):
                if j != pivot:
                    ratio = math.sqrt(_squared(Y, pivot, j)) / hops[k, j]
                    total += ratio
                    squares += ratio * ratio
                    count += 1
        stress[part] = 1.0 - total * total / (squares * count) if squares > 0 else 1.0
