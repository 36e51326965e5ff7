"""Distances between rows, by the names of scikit-learn.

A metric that orders pairs as some Euclidean distance does is computed as that, because it is fast: the angle between
rows by the Euclidean distance of the rows at length 1, the distance on the sphere by that of points in space::

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
from nelayout.vectors.distances import check_distances, checked_table, smallest, stored_nearest

__all__ = ["METRICS", "Metric", "prepare"]

# Distances of a table held at once: 16 MB.
BLOCK_PAIRS = 1 << 21

# name -> (name in scipy's cdist, None for those that become Euclidean; parameters)
METRICS: dict[str, tuple[str | None, tuple[str, ...]]] = {
    "euclidean": (None, ()),
    "l2": (None, ()),
    "sqeuclidean": (None, ()),
    "seuclidean": (None, ("V",)),
    "cosine": (None, ()),
    "correlation": (None, ()),
    "haversine": (None, ()),
    "manhattan": ("cityblock", ("w",)),
    "cityblock": ("cityblock", ("w",)),
    "l1": ("cityblock", ("w",)),
    "chebyshev": ("chebyshev", ("w",)),
    "infinity": ("chebyshev", ("w",)),
    "minkowski": ("minkowski", ("p", "w")),
    "p": ("minkowski", ("p", "w")),
    "mahalanobis": ("mahalanobis", ("VI",)),
    "canberra": ("canberra", ("w",)),
    "braycurtis": ("braycurtis", ("w",)),
    "hamming": ("hamming", ("w",)),
    "jaccard": ("jaccard", ("w",)),
    "dice": ("dice", ("w",)),
    "rogerstanimoto": ("rogerstanimoto", ("w",)),
    "russellrao": ("russellrao", ("w",)),
    "yule": ("yule", ("w",)),
    "precomputed": ("precomputed", ()),
}

# Metrics of rows of zeros and ones: any other number counts as 1.
BINARY = {"jaccard", "dice", "rogerstanimoto", "russellrao", "yule"}
SAME_IN_PYNNDESCENT = {
    "cityblock": "manhattan",
    "chebyshev": "chebyshev",
    "minkowski": "minkowski",
    "canberra": "canberra",
    "braycurtis": "braycurtis",
    "hamming": "hamming",
}


@dataclass(frozen=True)
class Metric:
    """A metric made ready: the rows as it compares them, and how it compares them.

    rows       (n, d) array or CSR; None for a table of distances that was given
    euclidean  whether the Euclidean distance between ``rows`` has the order of the metric's
    convert    the metric's distance from the squared Euclidean one
    cdist      scipy's name of the metric, or a function of two rows
    table      the distances given; of a sparse matrix, what is not stored is not known
    bring      other rows, as `input.read_vectors` gives them, as the metric compares them
    """

    rows: Any
    euclidean: bool
    convert: Callable[[np.ndarray], np.ndarray] = np.sqrt
    cdist: Any = "euclidean"
    table: Any = None
    params: dict[str, Any] = field(default_factory=dict)
    bring: Callable[[Any], Any] = np.asarray

    def distance(self, squared: np.ndarray) -> np.ndarray:
        """Distances in the metric from squared Euclidean ones."""
        return self.convert(squared)

    def between(self, rows: np.ndarray, bring: Callable[[Any], Any]) -> Metric:
        """The metric between other rows, to which ``bring`` brings others."""
        return replace(self, rows=rows, bring=bring)

    def between_some(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray | None:
        """Distances (k, m) between some rows and some others; None where they are not known, or each takes a call."""
        if issparse(self.table) or callable(self.cdist):
            return None
        if self.table is not None:
            return self.table[np.ix_(rows, others)].astype(np.float64)
        here, there = self.rows[rows], self.rows[others]
        if not issparse(here):
            from scipy.spatial.distance import cdist

            if self.euclidean:
                return self.convert(cdist(here, there, "sqeuclidean"))
            return cdist(here, there, self.cdist, **self.params)
        squares = (np.asarray(each.multiply(each).sum(axis=1)).ravel() for each in (here, there))
        squared = np.add.outer(*squares) - 2.0 * (here @ there.T).toarray()
        return self.convert(np.maximum(squared, 0.0))

    def too_large(self, work: float) -> bool:
        """Whether the whole table takes more than ``work`` pairs times columns."""
        return self.rows is not None and float(self.rows.shape[0]) ** 2 * self.rows.shape[1] > work

    def name_for_pynndescent(self) -> str:
        """Name of the metric in pynndescent; raises Unsupported where it has none."""
        if self.euclidean:
            return "euclidean"
        if self.cdist in SAME_IN_PYNNDESCENT and "w" not in self.params:
            return SAME_IN_PYNNDESCENT[self.cdist]
        name = getattr(self.cdist, "__name__", self.cdist)
        raise Unsupported(
            f"{self.rows.shape[0]} rows are too many for metric {name!r}, which looks at all pairs; "
            "use 'euclidean', 'cosine' or 'manhattan', or fewer rows"
        )

    def table_nearest(
        self, rows: np.ndarray, k: int, threads: Threads, labels: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Indices and distances (m, k) of the k nearest other rows, or rows of another label, by a table of all
        distances; equal ones by index.
        """
        if issparse(self.table):
            assert labels is None, "a sparse table tells no distance from one component to another"
            return stored_nearest(self.table[rows], k, rows)
        n = len(self.table) if self.table is not None else self.rows.shape[0]
        size = max(1, BLOCK_PAIRS // n)

        def block(start: int) -> tuple[np.ndarray, np.ndarray]:
            here = rows[start : start + size]
            D = self._distances(here)
            if labels is None:
                D[np.arange(len(here)), here] = np.inf
            else:
                D[labels[here][:, None] == labels] = np.inf
            return smallest(D, k)

        found = threads.map(block, range(0, len(rows), size))
        return np.concatenate([f[0] for f in found]), np.concatenate([f[1] for f in found])

    def nearest_from(self, others: Any, k: int, threads: Threads) -> tuple[np.ndarray, np.ndarray]:
        """Indices and distances (m, k) of the k rows nearest to each of other rows, or to rows of distances (m, n)."""
        if self.table is not None:
            check_distances(others, "new rows")
        if issparse(others) and self.table is not None:
            return stored_nearest(others, k)
        n = self.table.shape[0] if self.table is not None else self.rows.shape[0]
        size = max(1, BLOCK_PAIRS // n)

        def block(start: int) -> tuple[np.ndarray, np.ndarray]:
            here = others[start : start + size]
            return smallest(here.astype(np.float64) if self.table is not None else self._between(here, "new row"), k)

        found = threads.map(block, range(0, len(others), size))
        return np.concatenate([f[0] for f in found]), np.concatenate([f[1] for f in found])

    def _distances(self, rows: np.ndarray) -> np.ndarray:
        if self.table is not None:
            return self.table[rows].astype(np.float64)
        return self._between(self.rows[rows], "row", rows)

    def _between(self, others: np.ndarray, kind: str, names: np.ndarray | None = None) -> np.ndarray:
        """Distances from other rows, whose numbers an error tells, to all rows."""
        from scipy.spatial.distance import cdist

        D: np.ndarray = cdist(others, self.rows, self.cdist, **self.params)
        if np.isnan(D).any():
            i, j = np.argwhere(np.isnan(D))[0].tolist()
            name = getattr(self.cdist, "__name__", self.cdist)
            raise InputError(
                f"metric {name!r} is not defined between {kind} {i if names is None else int(names[i])} and row {j} "
                "(it gives NaN): rows of zeros, perhaps; drop them or use another metric"
            )
        return D


def prepare(X: Any, metric: Any = "euclidean", params: dict[str, Any] | None = None) -> Metric:
    """Make a metric ready for the rows ``X``, which come from `input.read_vectors`."""
    params = dict(params or {})
    if callable(metric):
        name = getattr(metric, "__name__", "given")
        return Metric(_dense(X, name), False, cdist=metric, params=params, bring=lambda Z: _dense(Z, name))
    if not isinstance(metric, str):
        raise InputTypeError(
            f"metric must be a name or a function of two rows, given {type(metric).__name__}"
        )
    if metric == "similarity":
        raise InputError(
            "with metric='similarity' X is a graph already, which nelayout.embed and the layout functions draw; "
            "neighbors are searched for among vectors or distances"
        )
    if metric not in METRICS:
        raise unknown("metric", metric, [*METRICS, "similarity"])
    name, allowed = METRICS[metric]
    for key in params:
        if key not in allowed:
            raise unknown(f"parameter of metric {metric!r}", key, allowed)
    if metric == "precomputed":
        return Metric(None, False, cdist=name, table=checked_table(X))
    if name is not None:
        if metric == "mahalanobis" and "VI" not in params:
            raise InputError(
                "metric 'mahalanobis' needs metric_params={'VI': the inverse covariance matrix}, "
                "e.g. np.linalg.inv(np.cov(X.T))"
            )

        def as_it_is(Z: Any) -> Any:
            return _dense(Z, metric) != 0 if metric in BINARY else _dense(Z, metric)

        return Metric(as_it_is(X), False, cdist=name, params=params, bring=as_it_is)
    bring, convert = _as_euclidean(X, metric, params)
    return Metric(bring(X), True, convert, bring=bring)


def _as_euclidean(X: Any, metric: str, params: dict[str, Any]) -> tuple[Callable[[Any], Any], Callable[..., Any]]:
    """Rows -> those whose Euclidean distance has the metric's order, and squares of that -> the metric's distances."""
    if metric == "haversine":
        return _on_sphere, lambda d2: 2 * np.arcsin(np.minimum(np.sqrt(d2) / 2, 1.0))
    if metric in ("cosine", "correlation"):

        def centered(Z: Any) -> Any:
            dense = _dense(Z, metric).astype(np.float64)
            return dense - np.mean(dense, axis=1, keepdims=True)

        first: Callable[[Any], Any] = centered if metric == "correlation" else lambda Z: Z
        zeros = bool((_lengths(first(X)) == 0).any())
        return lambda Z: _at_length_one(first(Z), zeros), lambda d2: d2 / 2
    if metric == "seuclidean":
        deviation = _deviations(_dense(X, metric), params.get("V"))
        unit = _moderate(X / deviation)[1]
        return lambda Z: _dense(Z, metric) / deviation / unit, lambda d2: np.sqrt(d2) * unit
    unit = _moderate(X)[1]
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


def _moderate(X: Any) -> tuple[Any, float]:
    """Divide X by a power of two so that squares neither overflow nor vanish; that changes none of their digits."""
    largest = float(np.max(np.abs(X.data if issparse(X) else X), initial=0.0))
    if largest == 0 or 1e-100 < largest < 1e100:
        return X, 1.0
    unit = 2.0 ** (np.frexp(largest)[1] - 1)
    return X / unit, float(unit)


def _lengths(X: Any) -> np.ndarray:
    """The largest entry of each row, which is 0 for rows of zeros alone."""
    if issparse(X):
        return np.asarray(abs(X).max(axis=1).todense()).ravel()
    return np.max(np.abs(X), axis=1, initial=0.0)


def _at_length_one(X: Any, zeros: bool) -> Any:
    """Divide rows by their lengths; ``zeros``: rows of zeros get a direction of their own, which no other has."""
    if issparse(X):
        length = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
        matrix = csr_array(X)
        matrix = csr_array(
            (matrix.data / np.repeat(length, np.diff(matrix.indptr)), matrix.indices, matrix.indptr),
            shape=X.shape,
        )
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
        raise InputError(
            f"metric 'haversine' needs (n, 2): latitude and longitude in radians; given {X.shape}"
        )
    latitude, longitude = X[:, 0].astype(np.float64), X[:, 1].astype(np.float64)
    return np.column_stack(
        [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)]
    )


def _deviations(X: np.ndarray, V: Any) -> np.ndarray:
    """(d,) roots of the columns' variances (n - 1), or of V; 1 for constant columns."""
    variance = np.var(X, axis=0, ddof=1, dtype=np.float64) if V is None else np.asarray(V, dtype=np.float64)
    if variance.shape != (X.shape[1],) or not (np.isfinite(variance) & (variance >= 0)).all():
        raise InputError(
            f"V of metric 'seuclidean' must be {X.shape[1]} finite numbers >= 0, one for each column"
        )
    return np.sqrt(np.where(variance > 0, variance, 1.0))
