"""Read vectors of users, one row per sample, as float32 or float64 (n, d), or CSR."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from nelayout.errors import InputError, InputTypeError, unknown
from nelayout.graphs.headings import FROM, TO
from nelayout.numerics.principal import principal_components

__all__ = [
    "NEIGHBORS", "REACH", "STARTS", "Neighbors", "Start", "check_table", "count", "is_table", "most_known",
    "read_init", "read_neighbors", "read_positions", "read_rows", "support", "unmasked",
]  # fmt: skip

# Names of initial positions; and their values after reading: an array, "spectral", or None for the default.
STARTS = ("auto", "pca", "random", "spectral")
Start = np.ndarray | str | None
# Default number of neighbors in a binary graph, and of neighbors per unit of perplexity.
NEIGHBORS, REACH = 10, 3.0
# Largest number of entries of a sparse matrix that is made dense.
DENSE_ENTRIES = 3e7
# Parts of errors: the form of neighbor lists, remedies for dates and for lengths of time.
KNN_FORM = "knn must be (indices, distances), two (n, k) arrays: for each row the nearest rows and their distances"
DATES, TIMES = "give times since some date as numbers", "divide by a unit, as X / np.timedelta64(1, 's')"


@dataclass(frozen=True, slots=True)
class Neighbors:
    """Neighbor lists, nearest first: indices (n, k) int64, distances (n, k) float64; notes."""

    indices: np.ndarray
    distances: np.ndarray
    notes: tuple[str, ...] = ()

    def first(self, k: int) -> Neighbors:
        """Return the k nearest of each row."""
        return Neighbors(self.indices[:, :k], self.distances[:, :k], self.notes)


def read_rows(X: Any, metric: Any = "euclidean", least: int = 2) -> Any:
    """Read finite rows (n, d), n >= ``least``: array, frame, nested list or sparse matrix.

    A sparse "precomputed" matrix keeps its zeros. Entries that it does not store are unknown, not distances of 0. For
    "similarity" the result is always a sparse matrix.
    """
    named = metric if isinstance(metric, str) else ""
    if issparse(X):
        table = named in ("precomputed", "similarity")
        matrix = _stored(X, least, zeros=table)
        return matrix if table or float(X.shape[0]) * X.shape[1] > DENSE_ENTRIES else matrix.toarray()
    check_table(X)
    try:
        array = np.asarray(unmasked(X))
    except ValueError:
        raise InputError("X must be an (n, d) array; the rows given have different lengths") from None
    _check_form(array, least, "biufO")
    if array.dtype.kind == "O":
        array = _numbers(array, X)
    dtype = np.float32 if np.can_cast(array.dtype, np.float32) else np.float64
    array = np.ascontiguousarray(array, dtype=dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.sum(array, dtype=np.float64)  # needs no array of flags; overflow is checked below
    bad: Any = np.argwhere(~np.isfinite(array)) if not np.isfinite(total) else ()
    if len(bad):
        raise _not_finite(array[tuple(bad[0])], int(bad[0][0]), int(bad[0][1]), X, len(bad))
    return csr_array(array.astype(np.float64)) if named == "similarity" else array


def check_table(X: Any) -> None:
    """Raise `InputTypeError` unless X is an array, a frame, a nested list or a sparse matrix."""
    if issparse(X) or hasattr(X, "__array__") or isinstance(X, (list, tuple)):
        return
    hint = ""
    if hasattr(X, "adjacency") or hasattr(X, "get_edgelist"):
        hint = "; a graph is drawn by a layout function, e.g. nelayout.ws_sne_layout"
    elif hasattr(X, "obsm"):
        hint = "; single cells are drawn by nelayout.embed_cells, and their vectors are in obsm"
    raise InputTypeError(f"X must be an (n, d) array of numbers, one row per sample; got {type(X).__name__}{hint}")


def unmasked(X: Any) -> Any:
    """Return the array with NaN for masked numbers; anything else unchanged."""
    if not np.ma.is_masked(X) or X.dtype.kind not in "biuf":
        return X
    return X.astype(np.float64).filled(np.nan)


def count(value: Any, name: str, most: int, reason: str) -> int:
    """Check an integer from 1 to ``most``; ``reason`` ends the sentence on the allowed values."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise InputTypeError(f"{name} must be an integer >= 1; got {value!r}")
    if not 1 <= value <= most:
        raise InputError(f"{name} must be from 1 to {most} ({reason}); got {value}")
    return int(value)


def support(n_neighbors: Any, perplexity: Any, n: int, known: int | None = None) -> int:
    """Return the number of neighbors of a row: as given, `NEIGHBORS`, or `REACH` * perplexity.

    A ``perplexity`` of None stands for binary graphs; otherwise "all" is every other row. ``known``: number of
    neighbors of each row that are known, all others if None.
    """
    most = n - 1 if known is None else known
    if perplexity is None:
        usual = min(NEIGHBORS, most)
        if isinstance(n_neighbors, str) and n_neighbors == "all":
            raise InputTypeError("n_neighbors='all' needs a perplexity, e.g. perplexity=30; else give a whole number")
        return usual if n_neighbors is None else count(n_neighbors, "n_neighbors", n - 1, f"there are {n} rows")
    if isinstance(perplexity, (bool, np.bool_)) or not isinstance(perplexity, (int, float, np.integer, np.floating)):
        raise InputTypeError(f"perplexity must be a number > 1, e.g. 30; got {perplexity!r}")
    if not 1 < perplexity < math.inf:
        raise InputError(
            f"perplexity must be a finite number > 1; got {perplexity}. It is the effective number of neighbors, "
            "e.g. 30"
        )
    if n < 3:
        raise InputError(
            f"a perplexity needs three rows or more, X has {n}: use knn_graph, or perplexity=None in embed"
        )
    if perplexity >= n - 1:
        raise InputError(
            f"perplexity must be > 1 and < {n - 1} ({n} rows have {n - 1} neighbors each); got {perplexity:g}. Try "
            f"{1 + (n - 2) / 4:.3g}, or less"
        )
    k = usual = min(most, math.ceil(REACH * perplexity))
    if isinstance(n_neighbors, str) and n_neighbors == "all":
        k = n - 1
    elif n_neighbors is not None:
        k = count(n_neighbors, "n_neighbors", n - 1, f"there are {n} rows")
    if perplexity >= k:
        more = f"Leave n_neighbors out, which takes {usual}" if usual > perplexity else "Give longer lists in knn"
        raise InputError(
            f"perplexity must be below n_neighbors; got {perplexity:g} of {k}. {more}, or give a smaller perplexity"
        )
    return k


def read_neighbors(knn: Any, n: int) -> Neighbors:
    """Read neighbor lists of n rows: nearest first, without each row's own number."""
    if isinstance(knn, (tuple, list)) and len(knn) == 3:
        knn = knn[:2]  # UMAP's third part is its search index
    if not isinstance(knn, (tuple, list)) or len(knn) != 2:
        raise InputTypeError(f"{KNN_FORM}; got {type(knn).__name__}")
    try:
        indices, distances = np.asarray(unmasked(knn[0])), np.asarray(unmasked(knn[1]), dtype=np.float64)
    except (TypeError, ValueError):
        raise InputTypeError(f"{KNN_FORM}; got lists that are not arrays of numbers") from None
    if indices.dtype.kind not in "iu":
        raise InputTypeError(f"{KNN_FORM}; the indices have dtype {indices.dtype}, not integers")
    if indices.ndim != 2 or indices.shape != distances.shape or len(indices) != n or not indices.shape[1]:
        raise InputError(f"{KNN_FORM}; X has {n} rows; got arrays of shapes {indices.shape} and {distances.shape}")
    indices = indices.astype(np.int64)
    for i, j in np.argwhere((indices < 0) | (indices >= n)).tolist():
        raise InputError(f"knn names row {indices[i, j]} as a neighbor of row {i}; there are rows 0 to {n - 1}")
    for i, j in np.argwhere(~((distances >= 0) & np.isfinite(distances))).tolist():
        raise InputError(f"knn holds the distance {distances[i, j]} in row {i}; distances are finite numbers >= 0")
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


def most_known(rows: Any, metric: Any, lists: Neighbors | None) -> int:
    """Return the number of known neighbors of each row, in lists or a sparse distance matrix."""
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


def read_init(init: Any, rows: Any, n: int, dim: int, rng: np.random.Generator) -> Start:
    """Read ``init`` before the search for neighbors; ``rows`` (n, d), or None if unknown."""
    if isinstance(init, str):
        if init not in STARTS:
            raise unknown("init", init, STARTS)
        if init == "auto":
            return None
        if init == "random":
            return rng.standard_normal((n, dim))
        if init == "spectral":
            if dim > n - 1:
                raise InputError(f"init='spectral' has at most {n - 1} coordinates, n_components is {dim}: use 'auto'")
            return init
        if rows is None:
            raise InputError("init='pca' needs vectors, and this metric has none: use 'auto', 'spectral' or an array")
        if dim > min(rows.shape):
            raise InputError(f"init='pca' has at most {min(rows.shape)} components, n_components is {dim}: use 'auto'")
        return principal_components(rows, dim)[0]
    return read_positions(init, n, dim, "init")


def read_positions(given: Any, n: int, dim: int, name: str) -> np.ndarray:
    """Read finite positions (n, dim)."""
    try:
        array = np.array(unmasked(given), dtype=np.float64)
    except (TypeError, ValueError):
        kind = type(given).__name__
        raise InputTypeError(f"{name} must be a name or ({n}, {dim}) numbers; got {kind}") from None
    if array.shape != (n, dim):
        raise InputError(f"{name} must be ({n}, {dim}) numbers; got {array.shape}")
    if not np.isfinite(array).all():
        row = int(np.argwhere(~np.isfinite(array))[0][0])
        raise InputError(f"{name} holds NaN or infinity in row {row}; give every row a position")
    return array


def _stored(X: Any, least: int, zeros: bool) -> csr_array:
    """Read a sparse matrix in float64, each entry once, with or without its stored zeros."""
    _check_form(X, least, "biuf")
    matrix: Any = csr_array(X)
    if matrix.dtype != np.float64:
        matrix = csr_array((matrix.data.astype(np.float64), matrix.indices, matrix.indptr), shape=matrix.shape)
    if not matrix.has_canonical_format or not (zeros or matrix.data.all()):
        matrix = matrix.copy()
        matrix.sum_duplicates()
        if not zeros:
            matrix.eliminate_zeros()
    bad = np.flatnonzero(~np.isfinite(matrix.data))
    if len(bad):
        row = int(np.searchsorted(matrix.indptr, bad[0], side="right")) - 1
        raise _not_finite(matrix.data[bad[0]], row, int(matrix.indices[bad[0]]), X, len(bad))
    return matrix


def _check_form(X: Any, least: int, kinds: str) -> None:
    """Raise an `InputError` unless X is (n, d), n >= ``least``, of these kinds of numbers."""
    shape, dtype = X.shape, X.dtype
    if len(shape) != 2:
        one, more = "for one number per sample give X.reshape(-1, 1)", "X.reshape(len(X), -1) flattens samples"
        remedy = one if len(shape) == 1 else more
        raise InputError(f"X has shape {shape}; it must be (n, d), one row per sample: {remedy}")
    if shape[0] < least:
        raise InputError(f"X has {'1 row' if shape[0] else 'no rows'}; neighbors need two or more: give more samples")
    if shape[1] < 1:
        raise InputError("X has no columns; it must be (n, d) with d >= 1")
    if dtype.kind not in kinds:
        remedies = {"c": "give np.abs(X), or real and imaginary parts as columns", "M": DATES, "m": TIMES}
        text = "encode text and categories as numbers, or convert digits by X.astype(float)"
        raise InputTypeError(f"X has dtype {dtype}; vectors are real numbers: {remedies.get(dtype.kind, text)}")


def _numbers(array: np.ndarray, X: Any) -> np.ndarray:
    for (row, column), value in np.ndenumerate(array):
        if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
            remedy = "encode text and categories as numbers, drop or fill what is missing"
            if hasattr(value, "total_seconds") or hasattr(value, "isoformat"):
                remedy = TIMES if hasattr(value, "total_seconds") else DATES
            where = f"row {row}, column {_column(X, column)}"
            raise InputTypeError(f"X holds {value!r} in {where}; vectors are real numbers: {remedy}")
    return array.astype(np.float64)


def _not_finite(value: Any, row: int, column: int, X: Any, how_many: int) -> InputError:
    what = "NaN" if np.isnan(value) else "infinity"
    more = f" ({how_many} such entries)" if how_many > 1 else ""
    return InputError(
        f"X holds {what} in row {row}, column {_column(X, column)}{more}; every entry must be finite: "
        "drop those rows, or fill them in, e.g. with the column's mean"
    )


def _column(X: Any, column: int) -> str:
    names = getattr(X, "columns", None)
    try:
        return str(column) if names is None else repr(names[column])
    except (TypeError, KeyError, IndexError):
        return str(column)


def is_table(G: Any) -> bool:
    """Return whether G is a table of rows: not square, or a frame without headings of edges."""
    if isinstance(G, np.ndarray) or issparse(G):
        return G.ndim == 2 and G.shape[0] != G.shape[1]
    names = getattr(G, "columns", None)
    if names is None or not hasattr(G, "shape"):
        return False
    words = {str(name).strip().lower() for name in names}
    return not (words & set(FROM) and words & set(TO)) and len(words) > 3
