"""`measure_vectors` takes the measures of an embedding: vectors, and where their rows are drawn.

>>> import numpy as np
>>> from nelayout import measure_vectors
>>> X = np.random.default_rng(0).normal(size=(200, 3))
>>> found = measure_vectors(X, X[:, :2])  # a projection
>>> list(found)
['coincident', 'trustworthiness', 'continuity', 'q_nx', 'r_nx_area', 'spearman']
>>> round(float(found["trustworthiness"]), 2), round(float(found["r_nx_area"]), 2)
(0.84, 0.41)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from nelayout.comparison import drawings
from nelayout.comparison.measuring import Measured, integer_seed, measure_drawing, sample_size
from nelayout.errors import InputError
from nelayout.graphs import Network, places, points
from nelayout.quality.input_distances import VectorDistances
from nelayout.quality.protocol import MeasuredDrawing
from nelayout.vectors.input import read_rows
from nelayout.vectors.knn import knn_graph
from nelayout.vectors.metrics import Metric, prepare

__all__ = ["check_rows", "finite_rows", "measure_vectors", "placed_rows", "vector_distances"]

# Nearest rows that are the neighbors of a row, for the measures that know neighbors of nodes from a graph.
NEIGHBORS = 10
# Squared distances below this share of the squared lengths are computed anew from differences: products lose digits.
CLOSE = 1e-6
# Rows of a table of distances that are compared with its columns at a time.
TABLE_ROWS = 1000
# Numbers held at a time while close distances are computed anew: 80 MB.
AT_ONCE = 10_000_000


def measure_vectors(
    X: Any,
    Y: Any,
    labels: Any = None,
    *,
    metric: Any = "euclidean",
    metric_params: dict[str, Any] | None = None,
    measures: str | Iterable[str] | None = None,
    coords: Any = None,
    node_size: Any = None,
    sample: str | int | None = "auto",
    seed: Any = 0,
) -> dict[str, Measured]:
    """Measure how good an embedding of vectors is.

    Measures have the names that they have for graphs where they mean the same: distances are those of the rows, and
    where a graph has neighbors of a node, the neighbors of a row are its 10 nearest (`neighborhood`, `precision`,
    `recall`, `f_score`). Measures of edges are not defined.

    Parameters
    ----------
    X : (n, d) array, frame, nested list or sparse matrix, or (n, n) distances for metric="precomputed".
    Y : (n, dim) positions of the rows in any number of dimensions, or a `Solution`.
    labels : classes of the rows, one each, for `class_auc`, `class_accuracy` and `class_ari`; None, NaN, -1 and "" are
        unknown.
    metric, metric_params : as in `nelayout.knn_graph`.
    measures : names to take, in this order; None takes those that are default for vectors (see `nelayout.measures`),
        and "all" takes all, for which everything needed was given. `neighborhood`, `neighborhood2`, `precision`,
        `recall` and `f_score` find the 10 nearest of every row, which takes a while above some 50,000 rows.
    coords : true coordinates of the rows, (n, d'), for `map_r2` and `map_neighbors`: what is known to lie behind them.
    node_size : diameters in the units of `Y`, for `overlaps`.
    sample, seed : as in `nelayout.measure`.

    Returns
    -------
    dict of `Measured` by name.

    Raises
    ------
    InputError
        for NaN or infinity in X or Y (row named), another number of rows in Y or labels than in X, distances of which
        some are not stored, that differ with the direction or that a row has to itself, an unknown measure or metric
        (with near matches), a measure whose `labels`, `coords` or
        `node_size` are missing, or one of edges.

    Examples
    --------
    >>> import numpy as np
    >>> from nelayout import measure_vectors
    >>> X = np.array([[0.0, 0, 0], [0, 1, 0], [5, 0, 0], [5, 1, 1]])
    >>> found = measure_vectors(X, X[:, :2], labels=[0, 0, 1, 1], measures=["spearman", "stress", "class_ari"])
    >>> {name: round(m.value, 3) for name, m in found.items()}
    {'spearman': 0.91, 'stress': 0.013, 'class_ari': 1.0}
    """
    distances, network, places_of_rows = placed_rows(X, Y, metric, metric_params)

    def near() -> csr_array:
        k = min(NEIGHBORS, len(places_of_rows) - 1)
        found = knn_graph(X, k, metric, symmetrize="none", seed=integer_seed(seed), metric_params=metric_params)
        return csr_array(found)

    for what, values in (("labels", labels), ("coords", coords), ("node_size", node_size)):
        check_rows(what, values, len(places_of_rows))
    drawing = MeasuredDrawing(
        None,
        places_of_rows,
        drawings.classes(drawings.class_names(network, labels)),
        drawings.coordinates(network, coords),
        None if node_size is None else network.host.values(node_size, "node_size", nonnegative=True),
        distances,
        near,
    )
    return measure_drawing(drawing, measures, sample_size(sample), integer_seed(seed))


def placed_rows(
    X: Any, Y: Any, metric: Any, params: dict[str, Any] | None
) -> tuple[VectorDistances, Network, np.ndarray]:
    """Distances of the rows of `X`, the rows as nodes without edges, and their positions (n, dim)."""
    rows = read_rows(X, metric)
    if issparse(rows) and isinstance(metric, str) and metric == "precomputed":
        raise InputError(
            "a sparse table of distances leaves most of them open, and measures compare them all: give an (n, n) "
            "array, or X with its metric"
        )
    n = rows.shape[0]
    Y = finite_rows(Y, n, "Y")
    return vector_distances(prepare(rows, metric, params), n), points(Y), Y


def finite_rows(pos: Any, n: int, what: str) -> np.ndarray:
    """(n, dim) float64, the positions of n rows of vectors; `InputError` that names the row that has none."""
    opened = places(pos)
    if len(opened.given) != n:
        raise InputError(f"{what} has {len(opened.given)} rows and X has {n}; give one position for each row of X")
    given = opened.rows  # of a frame in its order: rows of vectors have no names
    if isinstance(getattr(pos, "positions", pos), Mapping):
        check_rows(what, opened.given, n)
        given = [opened.given[row] for row in range(n)]
    try:
        Y = np.array(given, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{what} is no table of numbers; give (n, dim), as many numbers for each row") from None
    if Y.ndim != 2 or not Y.shape[1]:
        raise InputError(f"{what} has shape {Y.shape}; give (n, dim), one row of coordinates for each row of X")
    strange = np.flatnonzero(~np.isfinite(Y).all(axis=1))
    if len(strange):
        also = f" ({len(strange)} such rows)" if len(strange) > 1 else ""
        raise InputError(f"row {strange[0]} of {what} is {Y[strange[0]].tolist()}{also}; give finite numbers")
    return Y


def check_rows(what: str, values: Any, n: int) -> None:
    """Raise `InputError` for values that are not one for each of n rows; one number, and a dict by row, are left alone.

    >>> check_rows("labels", ["a", "b"], 3)
    Traceback (most recent call last):
    nelayout.errors.InputError: labels has 2 entries and X has 3 rows; give one for each row of X
    """
    if values is None or (np.isscalar(values) and not isinstance(values, str)):
        return
    given = getattr(values, "positions", values)
    if isinstance(given, str):
        raise InputError(f"{what}={given!r} is a name, and rows of vectors have no attributes; give one entry for each")
    if isinstance(given, Mapping):
        strange = next((key for key in given if key not in range(n)), None)
        if strange is not None:
            raise InputError(f"{what} has the key {strange!r}; rows are numbered 0 to {n - 1}")
    elif hasattr(given, "__len__") and len(given) != n:
        raise InputError(f"{what} has {len(given)} entries and X has {n} rows; give one for each row of X")


def _check_table(table: np.ndarray) -> None:
    """Raise `InputError` for distances that differ with the direction by more than rounding, or of a row to itself."""
    far = 1e-6 * float(table.max(initial=0.0))
    own = np.flatnonzero(np.abs(table.diagonal()) > far)
    if len(own):
        raise InputError(f"the distance of row {own[0]} to itself is {table[own[0], own[0]]:g}; it must be 0")
    for start in range(0, len(table), TABLE_ROWS):
        part = slice(start, start + TABLE_ROWS)
        i, j = np.nonzero(np.abs(table[part] - table[:, part].T) > far)
        if len(i):
            a, b = start + int(i[0]), int(j[0])
            raise InputError(
                f"the distance of rows {a} and {b} is {table[a, b]:g}, and of rows {b} and {a} {table[b, a]:g}; "
                "measures need distances that are the same in both directions: give their mean, say (X + X.T) / 2"
            )


def vector_distances(metric: Metric, n: int) -> VectorDistances:
    """Rows of distances in a metric; Euclidean ones by products of matrices, close pairs by differences."""
    if metric.table is not None:
        table = np.asarray(metric.table, np.float64)
        _check_table(table)
        return VectorDistances(n, lambda nodes: table[nodes])
    if not metric.euclidean:
        from scipy.spatial.distance import cdist

        return VectorDistances(n, lambda nodes: cdist(metric.rows[nodes], metric.rows, metric.cdist, **metric.params))
    rows: Any = metric.rows.astype(np.float64)
    if not issparse(rows):
        rows = rows - rows.mean(axis=0)
    squared = np.asarray((rows * rows).sum(axis=1)).ravel()

    def find(nodes: np.ndarray) -> np.ndarray:
        product = rows[nodes] @ rows.T
        product = product.toarray() if issparse(product) else np.asarray(product)
        length = squared[nodes][:, None] + squared
        xi = length - 2 * product
        i, j = np.nonzero(xi < CLOSE * length)
        step = max(AT_ONCE // rows.shape[1], 1)
        for start in range(0, len(i), step):
            part = slice(start, start + step)
            apart = rows[nodes[i[part]]] - rows[j[part]]
            xi[i[part], j[part]] = np.asarray((apart * apart).sum(axis=1)).ravel()
        return metric.convert(np.maximum(xi, 0.0))

    return VectorDistances(n, find)
