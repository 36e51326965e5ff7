"""Positions from which an embedding starts, as ``init`` says: of its rows, or of the graph of their neighbors.

    >>> from scipy.sparse import csr_array
    >>> path = csr_array(np.array([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> start_on(path, read_init("spectral", None, 3, 1), 1).ravel().round(2).tolist()
    [0.71, -0.0, -0.71]
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.errors import InputError, InputTypeError, unknown
from nelayout.numerics.principal import principal_components
from nelayout.numerics.spectral import spectral_coordinates

__all__ = ["STARTS", "Start", "has_components", "read_init", "start_on"]

STARTS = ("auto", "pca", "spectral")

# Positions, a name of which the graph makes positions, or None for the method's own way.
Start = np.ndarray | str | None


def read_init(init: Any, rows: Any, n: int, dim: int) -> Start:
    """Read ``init`` before neighbors are searched for; ``rows`` (n, d), or None where only distances are known."""
    if isinstance(init, str):
        if init not in STARTS:
            raise unknown("init", init, STARTS)
        if init == "auto":
            return None
        if init == "spectral":
            if dim > n - 1:
                raise InputError(f"init='spectral' has at most {n - 1} coordinates, n_components is {dim}: use 'auto'")
            return init
        if rows is None:
            raise InputError("init='pca' needs vectors, and this metric has none: use 'auto', 'spectral' or an array")
        if not has_components(rows, dim):
            raise InputError(f"init='pca' has at most {min(rows.shape)} components, n_components is {dim}: use 'auto'")
        return principal_components(rows, dim)[0]
    try:
        array = np.array(init, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputTypeError(
            f"init must be {', '.join(map(repr, STARTS))} or ({n}, {dim}) numbers, given {type(init).__name__}"
        ) from None
    if array.shape != (n, dim):
        raise InputError(f"init must have shape ({n}, {dim}), given {array.shape}")
    if not np.isfinite(array).all():
        raise InputError(f"init holds NaN or infinity in row {int(np.argwhere(~np.isfinite(array))[0][0])}")
    return array


def has_components(rows: Any, dim: int) -> bool:
    """Whether there are rows with so many principal components."""
    return rows is not None and dim <= min(rows.shape)


def start_on(graph: csr_array, start: Start, dim: int) -> np.ndarray | None:
    """Positions (n, dim) to start from on a connected graph; None for the method's own way."""
    return spectral_coordinates(graph, dim) if isinstance(start, str) else start
