"""Distances between rows, by the names of scikit-learn.

A metric that orders pairs as some Euclidean distance does is computed as that, because it is fast: the angle between
rows by the Euclidean distance of the rows at length 1, the distance on the sphere by the distance through it::

    >>> prepare(np.array([[3.0, 4.0], [0.0, 2.0]]), "cosine").rows
    array([[0.6, 0.8],
           [0. , 1. ]])

All others are computed as they are, by scipy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array, hstack, issparse

from nelayout.errors import InputError, InputTypeError, Unsupported, unknown
from nelayout.numerics.parallel import Threads
from nelayout.vectors.nearest import first_k

__all__ = ["Metric", "check_distances", "prepare"]

# Distances of a table held at once.
BLOCK_PAIRS = 1 << 21

# Metrics that some Euclidean distance stands for, other names of scipy's metrics, metrics of rows of zeros and ones
# (any other number counts as 1), and all of scipy's that are computed as they are.
EUCLIDEAN = ("euclidean", "l2", "sqeuclidean", "seuclidean", "cosine", "correlation", "haversine")
ALIASES = {"manhattan": "cityblock", "l1": "cityblock", "infinity": "chebyshev", "p": "minkowski"}
BINARY = ("jaccard", "dice", "rogerstanimoto", "russellrao", "yule")
DIRECT = ("cityblock", "chebyshev", "minkowski", "mahalanobis", "canberra", "braycurtis", "hamming", *BINARY)
PARAMETERS = {"seuclidean": ("V",), "minkowski": ("p", "w"), "mahalanobis": ("VI",)}
IN_PYNNDESCENT = ("cityblock", "chebyshev", "minkowski", "canberra", "braycurtis", "hamming")


@dataclass(frozen=True)
class Metric:
    """A metric made ready: the rows as it compares them, and how it compares them.

    rows       (n, d) array or CSR; None for a table of distances that was given
    euclidean  whether the Euclidean distance between ``rows`` has the order of the metric's
    convert    the metric's distance from the squared Euclidean one
    cdist      scipy's name of the metric, or a function of two rows
    table      the distances given; what a sparse matrix does not store is not known
    bring      other rows, as `input.read_vectors` gives them, as the metric compares them
    """

    rows: Any
    euclidean: bool
    convert: Callable[[np.ndarray], np.ndarray] = np.sqrt
    cdist: Any = "euclidean"
    table: Any = None
    params: dict[str, Any] = field(default_factory=dict)
    bring: Callable[[Any], Any] = np.asarray

    @property
    def name(self) -> str:
        """The metric in errors."""
        return getattr(self.cdist, "__name__", self.cdist)

    def between(self, rows: np.ndarray, bring: Callable[[Any], Any]) -> Metric:
        """Return the metric between other rows, to which ``bring`` brings others."""
        return replace(self, rows=rows, bring=bring)

    def between_some(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray | None:
        """Distances (k, m) between some rows and some others; None if they are not known, or each takes a call."""
        if issparse(self.table) or callable(self.cdist):
            return None
        if self.table is not None:
            return self.table[np.ix_(rows, others)].astype(np.float64)
        here, there = self.rows[rows], self.rows[others]
        if issparse(here):
            squares = (np.asarray(each.multiply(each).sum(axis=1)).ravel() for each in (here, there))
            squared = np.add.outer(*squares) - 2.0 * (here @ there.T).toarray()
            return self.convert(np.maximum(squared, 0.0))
        from scipy.spatial.distance import cdist

        if self.euclidean:
            return self.convert(cdist(here, there, "sqeuclidean"))
        return cdist(here, there, self.cdist, **self.params)

    def name_for_pynndescent(self) -> str:
        """Return pynndescent's name of the metric; raise `Unsupported` if it has none."""
        if self.euclidean:
            return "euclidean"
        if self.cdist in IN_PYNNDESCENT and "w" not in self.params:
            return "manhattan" if self.cdist == "cityblock" else self.cdist
        raise Unsupported(
            f"{self.rows.shape[0]} rows are too many for metric {self.name!r}, which looks at all pairs; "
            "use 'euclidean', 'cosine' or 'manhattan', or fewer rows"
        )

    def table_nearest(
        self, rows: np.ndarray, k: int, threads: Threads, labels: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Indices and distances (m, k) of the nearest other rows, or rows of another label, by a table of distances."""
        if issparse(self.table):
            assert labels is None, "a sparse table tells no distance from one component to another"
            return _stored_nearest(self.table[rows], k, rows)

        def distances(at: slice) -> np.ndarray:
            here = rows[at]
            D = self._between((self.rows if self.table is None else self.table)[here], "row", here)
            if labels is None:
                D[np.arange(len(here)), here] = np.inf
            else:
                D[labels[here][:, None] == labels] = np.inf
            return D

        return self._blocks(distances, len(rows), k, threads)

    def nearest_from(self, others: Any, k: int, threads: Threads) -> tuple[np.ndarray, np.ndarray]:
        """Indices and distances (m, k) of the k rows nearest to each of other rows, or to rows of distances (m, n)."""
        if self.table is not None:
            check_distances(others, "new rows")
            if issparse(others):
                return _stored_nearest(others, k)
        return self._blocks(lambda at: self._between(others[at], "new row"), len(others), k, threads)

    def _blocks(
        self, distances: Callable[[slice], np.ndarray], m: int, k: int, threads: Threads
    ) -> tuple[np.ndarray, np.ndarray]:
        """Find the k nearest of m rows, some rows at a time."""
        size = max(1, BLOCK_PAIRS // (self.table if self.rows is None else self.rows).shape[0])

        def block(start: int) -> tuple[np.ndarray, np.ndarray]:
            D = distances(slice(start, start + size))
            i, j = np.nonzero(np.partition(D, k - 1, axis=1)[:, k - 1 : k] >= D)
            return first_k(i, j, D[i, j], len(D), k)

        found = threads.map(block, range(0, m, size))
        return np.concatenate([f[0] for f in found]), np.concatenate([f[1] for f in found])

    def _between(self, others: np.ndarray, kind: str, names: np.ndarray | None = None) -> np.ndarray:
        """Return the distances from other rows to all rows; ``names`` are their numbers in errors."""
        if self.table is not None:
            return others.astype(np.float64)
        from scipy.spatial.distance import cdist

        D: np.ndarray = cdist(others, self.rows, self.cdist, **self.params)
        if np.isnan(D).any():
            i, j = np.argwhere(np.isnan(D))[0].tolist()
            raise InputError(
                f"metric {self.name!r} is not defined between {kind} {i if names is None else int(names[i])} and row "
                f"{j} (it gives NaN): rows of zeros, perhaps; drop them or use another metric"
            )
        return D


def prepare(X: Any, metric: Any = "euclidean", params: dict[str, Any] | None = None) -> Metric:
    """Make a metric ready for the rows ``X``, which come from `input.read_vectors`."""
    params = dict(params or {})
    if callable(metric):
        name = getattr(metric, "__name__", "given")
        return Metric(_dense(X, name), False, cdist=metric, params=params, bring=lambda Z: _dense(Z, name))
    if not isinstance(metric, str):
        raise InputTypeError(f"metric must be a name or a function of two rows, given {type(metric).__name__}")
    if metric == "similarity":
        raise InputError(
            "with metric='similarity' X is a graph already, which nelayout.embed and the layout functions draw; "
            "neighbors are searched for among vectors or distances"
        )
    name = ALIASES.get(metric, metric)
    if name not in (*EUCLIDEAN, *DIRECT, "precomputed"):
        raise unknown("metric", metric, [*EUCLIDEAN, *ALIASES, *DIRECT, "precomputed", "similarity"])
    allowed = PARAMETERS.get(name, ("w",) if name in DIRECT else ())
    for key in params:
        if key not in allowed:
            raise unknown(f"parameter of metric {metric!r}", key, allowed)
    if name == "precomputed":
        if X.shape[0] != X.shape[1]:
            raise InputError(f"metric 'precomputed' needs square (n, n) distances, given {X.shape}")
        check_distances(X, "rows", diagonal=False)
        return Metric(None, False, cdist=name, table=X)
    if name in EUCLIDEAN:
        bring, convert = _as_euclidean(X, name, params)
        return Metric(bring(X), True, convert, bring=bring)
    if name == "mahalanobis" and "VI" not in params:
        raise InputError(
            "metric 'mahalanobis' needs metric_params={'VI': the inverse covariance matrix}, "
            "e.g. np.linalg.inv(np.cov(X.T))"
        )

    def as_it_is(Z: Any) -> Any:
        return _dense(Z, metric) != 0 if name in BINARY else _dense(Z, metric)

    return Metric(as_it_is(X), False, cdist=name, params=params, bring=as_it_is)


def check_distances(X: Any, what: str, diagonal: bool = True) -> None:
    """Raise `InputError` for a negative distance; without the ``diagonal``, rounding may be there.

    >>> check_distances(np.array([[1.0, -2.0]]), "new rows")
    Traceback (most recent call last):
    nelayout.errors.InputError: distances must be >= 0; got -2.0 between new rows 0 and 1
    """
    i, j = (X < 0).nonzero() if ((X.data if issparse(X) else X) < 0).any() else (np.zeros(0, int), np.zeros(0, int))
    if not diagonal:
        i, j = i[i != j], j[i != j]
    if len(i):
        raise InputError(f"distances must be >= 0; got {X[int(i[0]), int(j[0])]} between {what} {i[0]} and {j[0]}")


def _stored_nearest(D: Any, k: int, own: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Columns and entries (m, k) of the k smallest stored entries of each row, but those in the column ``own`` (m,)."""
    of = np.repeat(np.arange(D.shape[0]), np.diff(D.indptr))
    columns, entries = D.indices.astype(np.int64), D.data
    if own is not None:
        others = columns != own[of]
        of, columns, entries = of[others], columns[others], entries[others]
    stored = np.bincount(of, minlength=D.shape[0])
    if (stored < k).any():
        i = int(np.argmax(stored < k))
        raise InputError(
            f"row {i} has {stored[i]} stored distances to other rows, fewer than n_neighbors={k}: store more, or give "
            "a smaller n_neighbors"
        )
    return first_k(of, columns, entries, D.shape[0], k)


def _as_euclidean(X: Any, metric: str, params: dict[str, Any]) -> tuple[Callable[[Any], Any], Callable[..., Any]]:
    """Return the map to rows that Euclidean distances order as the metric, and the map of squares to its distances."""
    if metric == "haversine":
        return _on_sphere, lambda d2: 2 * np.arcsin(np.minimum(np.sqrt(d2) / 2, 1.0))
    if metric in ("cosine", "correlation"):

        def centered(Z: Any) -> Any:
            dense = _dense(Z, metric).astype(np.float64)
            return dense - np.mean(dense, axis=1, keepdims=True)

        first: Callable[[Any], Any] = centered if metric == "correlation" else lambda Z: Z
        largest: Any = abs(first(X)).max(axis=1)
        zeros = bool(((largest.toarray() if issparse(largest) else largest) == 0).any())
        return lambda Z: _at_length_one(first(Z), zeros), lambda d2: d2 / 2
    if metric == "seuclidean":
        deviation = _deviations(_dense(X, metric), params.get("V"))
        unit = _unit(X / deviation)
        return lambda Z: _dense(Z, metric) / deviation / unit, lambda d2: np.sqrt(d2) * unit
    unit = _unit(X)
    bring = (lambda Z: Z) if unit == 1.0 else (lambda Z: Z / unit)
    if metric == "sqeuclidean":
        return bring, lambda d2: d2 * unit * unit
    return bring, lambda d2: np.sqrt(d2) * unit


def _dense(X: Any, metric: str) -> np.ndarray:
    if issparse(X):
        raise Unsupported(
            f"metric {metric!r} needs a dense array, given a sparse matrix of shape {X.shape}; "
            "use 'euclidean' or 'cosine', or X.toarray()"
        )
    return X


def _unit(X: Any) -> float:
    """Return a power of two by which X is divided so that squares neither overflow nor vanish; 1 for usual numbers."""
    largest = float(np.max(np.abs(X.data if issparse(X) else X), initial=0.0))
    return 1.0 if largest == 0 or 1e-100 < largest < 1e100 else float(2.0 ** (np.frexp(largest)[1] - 1))


def _at_length_one(X: Any, zeros: bool) -> Any:
    """Divide rows by their lengths; ``zeros``: rows of zeros get a direction that no other row has."""
    if issparse(X):
        length = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
        matrix = csr_array(X)
        data = matrix.data / np.repeat(length, np.diff(matrix.indptr))
        matrix = csr_array((data, matrix.indices, matrix.indptr), shape=X.shape)
        zero = csr_array((length == 0).astype(np.float64)[:, None])
        return csr_array(hstack([matrix, zero], format="csr")) if zeros else matrix
    rows = X.astype(np.float64)
    largest = np.max(np.abs(rows), axis=1, keepdims=True, initial=0.0)
    zero = largest == 0
    rows /= np.where(zero, 1.0, largest)
    rows /= np.sqrt(np.sum(rows * rows, axis=1, keepdims=True)) + zero
    return np.column_stack([rows, zero.astype(np.float64)]) if zeros else rows


def _on_sphere(X: Any) -> np.ndarray:
    if issparse(X) or X.shape[1] != 2:
        raise InputError(f"metric 'haversine' needs (n, 2): latitude and longitude in radians; given {X.shape}")
    latitude, longitude = X.astype(np.float64).T
    around = np.cos(latitude)
    return np.column_stack([around * np.cos(longitude), around * np.sin(longitude), np.sin(latitude)])


def _deviations(X: np.ndarray, V: Any) -> np.ndarray:
    """(d,) roots of the columns' variances (n - 1), or of V; 1 for constant columns."""
    variance = np.var(X, axis=0, ddof=1, dtype=np.float64) if V is None else np.asarray(V, dtype=np.float64)
    if variance.shape != (X.shape[1],) or not (np.isfinite(variance) & (variance >= 0)).all():
        raise InputError(f"V of metric 'seuclidean' must be {X.shape[1]} finite numbers >= 0, one for each column")
    return np.sqrt(np.where(variance > 0, variance, 1.0))
