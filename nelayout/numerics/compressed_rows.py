"""Sparse matrices in compressed rows, as the rest of the package takes them."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from nelayout.errors import InputError

__all__ = ["canonical"]


def canonical(matrix: object) -> csr_array:
    """Sort and sum the entries of a matrix, with int32 indices; reuse the memory of `matrix`."""
    matrix = csr_array(matrix)
    matrix.sum_duplicates()
    if not np.isfinite(matrix.data).all():
        raise InputError(
            "edge weights are too large to be added up in double precision; divide all of them by their "
            'largest, or use weight_kind="log"'
        )
    matrix.indices = matrix.indices.astype(np.int32, copy=False)
    matrix.indptr = matrix.indptr.astype(np.int32, copy=False)
    return matrix
