"""Neighbors that the caller brings: lists with their distances, or a sparse matrix of distances.

Lists as openTSNE, UMAP and pynndescent have them, where each row may or may not stand in its own list::

    >>> found = read_neighbors(([[0, 1], [1, 2], [2, 1]], [[0.0, 1.0], [0.0, 0.5], [0.0, 0.5]]), 3)
    >>> found.indices.ravel(), found.distances.ravel()
    (array([1, 2, 1]), array([1. , 0.5, 0.5]))
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from nelayout.errors import InputError, InputTypeError
from nelayout.vectors.neighbors import Neighbors

__all__ = ["most_known", "read_neighbors"]

HOW = "knn must be (indices, distances), two (n, k) arrays, row by row the nearest rows and how far they are"


def read_neighbors(knn: Any, n: int) -> Neighbors:
    """Read neighbor lists of n rows: each row's own number is left out, the nearest stand first.

    Raises
    ------
    InputTypeError, InputError
        for anything but two arrays of one shape (n, k), numbers of rows that there are not, a row with a neighbor
        twice or with none but itself, distances that are negative, NaN or infinite.
    """
    if isinstance(knn, (tuple, list)) and len(knn) == 3:
        knn = knn[:2]  # of UMAP, whose third part is the index that searched
    if not isinstance(knn, (tuple, list)) or len(knn) != 2:
        raise InputTypeError(f"{HOW}; given {type(knn).__name__}")
    try:
        indices, distances = np.asarray(knn[0]), np.asarray(knn[1], dtype=np.float64)
    except (TypeError, ValueError):
        raise InputTypeError(f"{HOW}; given lists that are no arrays of numbers") from None
    if indices.dtype.kind not in "iu":
        raise InputTypeError(f"{HOW}; the indices have dtype {indices.dtype}, which are no integers")
    if indices.ndim != 2 or indices.shape != distances.shape or len(indices) != n or not indices.shape[1]:
        raise InputError(f"{HOW}; X has {n} rows, given are arrays of shapes {indices.shape} and {distances.shape}")
    indices = indices.astype(np.int64)
    wrong = (indices < 0) | (indices >= n)
    if wrong.any():
        i, j = np.argwhere(wrong)[0].tolist()
        raise InputError(f"knn names row {indices[i, j]} as a neighbor of row {i}; there are rows 0 to {n - 1}")
    wrong = ~((distances >= 0) & np.isfinite(distances))
    if wrong.any():
        i, j = np.argwhere(wrong)[0].tolist()
        raise InputError(f"knn holds the distance {distances[i, j]} in row {i}; distances are finite numbers >= 0")
    return _in_order(indices, distances)


def most_known(rows: Any, metric: Any, lists: Neighbors | None) -> int:
    """How many neighbors of each row are known: as many as lists have, or a sparse matrix of distances stores."""
    n = rows.shape[0]
    if lists is not None:
        return lists.indices.shape[1]
    if not (issparse(rows) and isinstance(metric, str) and metric == "precomputed"):
        return n - 1
    of = np.repeat(np.arange(n), np.diff(rows.indptr))
    stored = np.bincount(of[rows.indices != of], minlength=n)
    if not stored.all():
        row = int(np.argmin(stored))
        raise InputError(f"row {row} of the distances has none to another row: store the nearest of each row")
    return int(stored.min())


def _in_order(indices: np.ndarray, distances: np.ndarray) -> Neighbors:
    """Leave each row's own number out, and sort by distance, equal ones by number."""
    n = len(indices)
    own = indices == np.arange(n)[:, None]
    k = indices.shape[1] - int(own.any())
    if not k:
        raise InputError("knn names each row as its only neighbor; give one more neighbor a row")
    order = np.lexsort((indices, np.where(own, np.inf, distances)), axis=1)[:, :k]
    indices, distances = (np.take_along_axis(each, order, axis=1) for each in (indices, distances))
    twice = np.diff(np.sort(indices, axis=1), axis=1) == 0
    if twice.any():
        i = int(np.argmax(twice.any(axis=1)))
        raise InputError(f"knn names a neighbor of row {i} twice, or the row itself")
    return Neighbors(indices, distances)
