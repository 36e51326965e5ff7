"""Tables of distances: the nearest of each row, where all are given, and where a sparse matrix stores some.

What a sparse matrix does not store is not known::

    >>> from scipy.sparse import csr_array
    >>> stored = csr_array(([2.0, 1.0, 0.0], ([0, 0, 1], [1, 2, 0])), shape=(2, 3))
    >>> stored_nearest(stored, 1)
    (array([[2],
           [0]]), array([[1.],
           [0.]]))
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from nelayout.errors import InputError

__all__ = ["check_distances", "checked_table", "smallest", "stored_nearest"]


def checked_table(X: Any) -> Any:
    """Check distances (n, n), dense or sparse, and give them back."""
    if X.shape[0] != X.shape[1]:
        raise InputError(f"metric 'precomputed' needs square (n, n) distances, given {X.shape}")
    check_distances(X, "rows", diagonal=False)
    return X


def check_distances(X: Any, what: str, diagonal: bool = True) -> None:
    """Raise `InputError` for a negative distance; without the ``diagonal``, which nobody reads, rounding may be there.

    >>> check_distances(np.array([[1.0, -2.0]]), "new rows")
    Traceback (most recent call last):
    nelayout.errors.InputError: distances are >= 0; that of new rows 0 and 1 is -2.0
    """
    if not (X.data < 0 if issparse(X) else X < 0).any():
        return
    i, j = (X < 0).nonzero()
    if not diagonal:
        i, j = i[i != j], j[i != j]
    if len(i):
        raise InputError(f"distances are >= 0; that of {what} {i[0]} and {j[0]} is {X[int(i[0]), int(j[0])]}")


def stored_nearest(D: Any, k: int, own: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Columns and entries (m, k) of the k smallest stored entries of each row, but those in the column ``own`` (m,)."""
    m = D.shape[0]
    of = np.repeat(np.arange(m), np.diff(D.indptr))
    columns, entries = D.indices.astype(np.int64), D.data
    if own is not None:
        others = columns != own[of]
        of, columns, entries = of[others], columns[others], entries[others]
    stored = np.bincount(of, minlength=m)
    if (stored < k).any():
        i = int(np.argmax(stored < k))
        raise InputError(
            f"row {i} has {stored[i]} stored distances to other rows, fewer than n_neighbors={k}: store more, or give "
            "a smaller n_neighbors"
        )
    order = np.lexsort((columns, entries, of))
    rank = np.arange(len(of)) - np.repeat(np.cumsum(stored) - stored, stored)
    order = order[rank < k]
    return columns[order].reshape(m, k), entries[order].reshape(m, k)


def smallest(D: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns (m, k) of the k smallest entries of each row, equal ones by column, and the entries."""
    kth = np.partition(D, k - 1, axis=1)[:, k - 1 : k]
    keep, equal = kth > D, kth == D
    equal &= np.cumsum(equal, axis=1) <= k - keep.sum(axis=1, keepdims=True)
    keep |= equal
    columns = np.nonzero(keep)[1].reshape(len(D), k)
    entries = np.take_along_axis(D, columns, axis=1)
    order = np.argsort(entries, axis=1, kind="stable")
    return np.take_along_axis(columns, order, axis=1), np.take_along_axis(entries, order, axis=1)
