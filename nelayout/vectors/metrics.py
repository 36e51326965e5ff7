"""Distances between rows, by the names of scikit-learn.

Some metrics order pairs like a Euclidean distance, which is faster and replaces them. The angle between rows becomes
the Euclidean distance of the rows at length 1. The distance on the sphere becomes the distance through it. scipy
computes all other metrics. Distances may have any common factor. So rows of huge or tiny numbers are divided by a power
of two, and no distance overflows or vanishes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import csr_array, hstack, issparse

from nelayout.errors import InputError, InputTypeError, Unsupported, unknown
from nelayout.numerics.blocks import rows_at_once

__all__ = ["ROUNDING", "Metric", "nonnegative", "odd_distances", "prepare"]

# Share of the largest distance up to which a distance or a difference counts as rounding: single precision.
ROUNDING = 1e-6

# Metrics of angles, between the rows themselves, the centered rows, and their square roots.
ANGLES = ("cosine", "correlation", "hellinger")
# Metrics that a Euclidean distance replaces, other names of scipy's metrics, metrics of rows of zeros and ones (any
# other number counts as 1), and all metrics that scipy computes.
EUCLIDEAN = ("euclidean", "l2", "sqeuclidean", "seuclidean", "haversine", *ANGLES)
ALIASES = {"manhattan": "cityblock", "l1": "cityblock", "infinity": "chebyshev", "p": "minkowski"}
BINARY = ("jaccard", "dice", "rogerstanimoto", "russellrao", "yule")
SCALED = ("cityblock", "chebyshev", "minkowski", "mahalanobis", "canberra", "braycurtis")
DIRECT = (*SCALED, "hamming", *BINARY)
PARAMETERS = {"seuclidean": ("V",), "minkowski": ("p", "w"), "mahalanobis": ("VI",)}
IN_PYNNDESCENT = ("cityblock", "chebyshev", "minkowski", "canberra", "braycurtis", "hamming")


@dataclass(frozen=True)
class Metric:
    """A metric, ready for use: the rows as it compares them, and the functions that compare.

    name       of the metric in errors
    rows       (n, d) array or CSR; None for a table of distances
    bring      function from other rows, read by `input.read_rows`, to rows as the metric compares them
    euclidean  whether the Euclidean distance between ``rows`` has the order of the metric's
    convert    the metric's distance, up to a factor, from the squared Euclidean one
    cdist      scipy's name of the metric, or a function of two rows
    table      the given distances; entries that a sparse matrix does not store are unknown
    notes      sentences on surprising facts about a table of distances
    """

    name: str
    rows: Any
    bring: Callable[[Any], Any]
    euclidean: bool = False
    convert: Callable[[np.ndarray], np.ndarray] = np.sqrt
    cdist: Any = "euclidean"
    table: Any = None
    params: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def X(self) -> Any:
        """The rows, or the table of distances in their place."""
        return self.rows if self.table is None else self.table

    @property
    def n(self) -> int:
        return self.X.shape[0]

    @property
    def in_pynndescent(self) -> str | None:
        """Return pynndescent's name of the metric, None if it has none."""
        if self.euclidean:
            return "euclidean"
        if self.cdist in IN_PYNNDESCENT and "w" not in self.params:
            return "manhattan" if self.cdist == "cityblock" else self.cdist
        return None

    def between_some(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray | None:
        """Return distances (k, m) between some rows and others; None if unknown or too slow."""
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

    def near(self, here: Any, k: int, numbers: np.ndarray, own: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return pairs (i, j) with the k nearest of each row, and their distances."""
        if not issparse(self.table):
            D = self.distances_from(here, "new row" if own is None else "row", numbers)
            if own is not None:
                D[own] = np.inf
            i, j = np.nonzero(np.partition(D, k - 1, axis=1)[:, k - 1 : k] >= D)
            return i, j, D[i, j]
        i, j, d = np.repeat(np.arange(len(numbers)), np.diff(here.indptr)), here.indices.astype(np.int64), here.data
        if own is not None:
            others = j != numbers[i]
            i, j, d = i[others], j[others], d[others]
        stored = np.bincount(i, minlength=len(numbers))
        if (stored < k).any():
            short = int(np.argmax(stored < k))
            raise InputError(
                f"row {numbers[short]} has {stored[short]} stored distances to other rows, fewer than n_neighbors={k}: "
                "store more, or give a smaller n_neighbors"
            )
        return i, j, d

    def distances_from(self, others: np.ndarray, kind: str, numbers: np.ndarray) -> np.ndarray:
        """Return distances (m, n) from other rows to all rows; ``numbers``: theirs in errors."""
        if self.table is not None:
            return others.astype(np.float64)
        from scipy.spatial.distance import cdist

        D: np.ndarray = cdist(others, self.rows, self.cdist, **self.params)
        np.maximum(D, 0.0, out=D, where=-ROUNDING * np.max(D, initial=0.0) <= D)
        if not (D >= 0).all() or np.isinf(D).any():
            i, j = np.argwhere(~((D >= 0) & (np.inf > D)))[0].tolist()
            raise InputError(
                f"metric {self.name!r} must give finite numbers >= 0; got {D[i, j]:g} between {kind} {numbers[i]} and "
                f"row {j}. Drop rows for which it is not defined, such as rows of zeros, or use another metric"
            )
        return D


def prepare(X: Any, metric: Any = "euclidean", params: dict[str, Any] | None = None) -> Metric:
    """Make a metric ready for the rows ``X`` of `input.read_rows`."""
    if params is not None and not isinstance(params, dict):
        raise InputTypeError(f"metric_params must be a dict or None; got {type(params).__name__}")
    params = dict(params or {})
    if callable(metric):
        name = getattr(metric, "__name__", "given")

        def distance(a: np.ndarray, b: np.ndarray) -> Any:  # a function with this name: scipy would use its own 'dice'
            return metric(a, b, **params)

        return Metric(name, _dense(X, name), lambda Z: _dense(Z, name), cdist=distance)
    if not isinstance(metric, str):
        raise InputTypeError(f"metric must be a name or a function of two rows; got {type(metric).__name__}")
    if metric == "similarity":
        raise InputError(
            "with metric='similarity' X is already a graph, which nelayout.embed and the layout functions draw; "
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
            raise InputError(f"metric 'precomputed' needs square (n, n) distances; got {X.shape}")
        table = nonnegative(X, "distances", "between rows {} and {}")
        aside = "nelayout leaves the diagonal out; if X holds similarities, give metric='similarity'"
        apart = "nelayout takes row i as the distances from row i; (X + X.T) / 2 is the same in both directions"
        notes = tuple(f"{said}; {aside if i == j else apart}" for i, j, said in odd_distances(table))

        def checked(Z: Any) -> Any:
            return nonnegative(Z, "distances", "between new row {} and row {}")

        return Metric(metric, None, checked, cdist=name, table=_within_range(table)(table), notes=notes)
    if name in EUCLIDEAN:
        bring, convert = _as_euclidean(X, name, params)
        return Metric(metric, bring(X), bring, True, convert)
    if name == "mahalanobis" and "VI" not in params:
        raise InputError(
            "metric 'mahalanobis' needs metric_params={'VI': the inverse covariance matrix}, "
            "e.g. np.linalg.inv(np.cov(X.T))"
        )
    divide = _within_range(_dense(X, metric), params.get("p", 2)) if name in SCALED else np.asarray

    def as_it_is(Z: Any) -> Any:
        rows = _dense(Z, metric)
        return rows != 0 if name in BINARY else divide(rows)

    return Metric(metric, as_it_is(X), as_it_is, cdist=name, params=params)


def nonnegative(X: Any, kind: str, where: str) -> Any:
    """Return a table without negative entries; `InputError` for those beyond rounding."""
    entries = X.data if issparse(X) else X
    if not entries.size or not (least := entries.min()) < 0:
        return X
    if least >= -ROUNDING * entries.max():
        return csr_array((np.maximum(entries, 0), X.indices, X.indptr), X.shape) if issparse(X) else np.maximum(X, 0)
    i, j = (int(each[0]) for each in (least == X).nonzero())
    found = f"got {least} {where.format(i, j)}. Negative values in data are no {kind}: correct them"
    raise InputError(f"{kind} must be >= 0; {found}, or use another metric")


def odd_distances(table: Any) -> Iterator[tuple[int, int, str]]:
    """Yield rows i, j and a sentence for d(i, i) > 0 or d(i, j) != d(j, i), beyond rounding."""
    far = ROUNDING * float(table.max())
    own = np.flatnonzero(table.diagonal() > far)
    if len(own):
        i = int(own[0])
        yield i, i, f"the distance of row {i} to itself is {table[i, i]:g} and not 0"
    size = rows_at_once(8 * table.shape[0])
    for start in range(0, table.shape[0], size):
        here, there = table[start : start + size], table[:, start : start + size].T
        if issparse(here):  # an entry that one side does not store is unknown
            here, there = here.multiply(there > 0), there.multiply(here > 0)
        i, j = (abs(here - there) > far).nonzero()
        if len(i):
            a, b = start + int(i[0]), int(j[0])
            yield a, b, f"the distance of rows {a} and {b} is {table[a, b]:g}, and of rows {b} and {a} {table[b, a]:g}"
            return


def _as_euclidean(X: Any, metric: str, params: dict[str, Any]) -> tuple[Callable[[Any], Any], Callable[..., Any]]:
    """Return the map to rows in Euclidean order, and from squared distances to the metric."""
    if metric == "haversine":
        return _on_sphere, lambda d2: 2 * np.arcsin(np.minimum(np.sqrt(d2) / 2, 1.0))
    if metric in ANGLES:
        divide = _within_range(X)

        def turned(Z: Any) -> Any:
            if metric == "cosine":
                return divide(Z)
            if metric == "hellinger":
                return np.sqrt(divide(nonnegative(Z, "entries under metric 'hellinger'", "in row {}, column {}")))
            dense = divide(_dense(Z, metric)).astype(np.float64)
            return dense - np.mean(dense, axis=1, keepdims=True)

        largest: Any = abs(turned(X)).max(axis=1)
        zeros = bool(((largest.toarray() if issparse(largest) else largest) == 0).any())
        root = metric == "hellinger"
        return lambda Z: _at_length_one(turned(Z), zeros), lambda d2: np.sqrt(d2 / 2) if root else d2 / 2
    if metric == "seuclidean":
        divide = _within_range(_dense(X, metric))
        V = params.get("V")
        variance = np.var(divide(X), axis=0, ddof=1, dtype=np.float64) if V is None else np.asarray(V, np.float64)
        if variance.shape != (X.shape[1],) or not (np.isfinite(variance) & (variance >= 0)).all():
            raise InputError(f"V of metric 'seuclidean' must be {X.shape[1]} finite numbers >= 0, one for each column")
        deviation = np.sqrt(np.where(variance > 0, variance, 1.0))
        again = _within_range(divide(X) / deviation)
        return lambda Z: again(divide(_dense(Z, metric)) / deviation), np.sqrt
    return _within_range(X), (lambda d2: d2) if metric == "sqeuclidean" else np.sqrt


def _dense(X: Any, metric: str) -> np.ndarray:
    if issparse(X):
        raise Unsupported(
            f"metric {metric!r} needs a dense array; got a sparse matrix of shape {X.shape}; "
            "use 'euclidean' or 'cosine', or X.toarray()"
        )
    return X


def _within_range(X: Any, power: float = 2) -> Callable[[Any], Any]:
    """Return the division by a power of two that avoids overflow; usual numbers stay."""
    largest = float(np.max(np.abs(X.data if issparse(X) else X), initial=0.0))
    if largest == 0 or abs(np.log10(largest)) * max(power, 1) < 200:
        return lambda Z: Z
    unit = float(2.0 ** (np.frexp(largest)[1] - 1))
    return lambda Z: Z / unit


def _at_length_one(X: Any, zeros: bool) -> Any:
    """Divide rows by their lengths; ``zeros`` adds a column for the direction of zero rows."""
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
        raise InputError(f"metric 'haversine' needs (n, 2): latitude and longitude in radians; got {X.shape}")
    latitude, longitude = X.astype(np.float64).T
    around = np.cos(latitude)
    return np.column_stack([around * np.cos(longitude), around * np.sin(longitude), np.sin(latitude)])
