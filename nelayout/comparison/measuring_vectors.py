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

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from nelayout.comparison import drawings
from nelayout.comparison.measuring import Measured, integer_seed, measure_drawing, sample_size
from nelayout.errors import InputError
from nelayout.graphs import Network, every_position, places, points
from nelayout.quality.input_distances import VectorDistances
from nelayout.quality.protocol import MeasuredDrawing
from nelayout.vectors.input import read_rows
from nelayout.vectors.knn import knn_graph
from nelayout.vectors.metrics import Metric, prepare

__all__ = ["measure_vectors", "placed_rows", "vector_distances"]

# Nearest rows that are the neighbors of a row, for the measures that know neighbors of nodes from a graph.
NEIGHBORS = 10
# Squared distances below this share of the squared lengths are computed anew from differences: products lose digits.
CLOSE = 1e-6
# Numbers held at a time while that is done: 80 MB.
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
    Y : (n, dim) positions of the rows, dim 1, 2 or 3, or a `Solution`.
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
        some are not stored, an unknown measure or metric (with near matches), a measure whose `labels`, `coords` or
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
    opened = places(Y)
    n = rows.shape[0]
    if len(opened.given) != n:
        raise InputError(f"X has {n} rows and Y has {len(opened.given)}; every row needs one position: give both alike")
    network = points(Y)
    return vector_distances(prepare(rows, metric, params), n), network, every_position(network, Y, "Y")


def vector_distances(metric: Metric, n: int) -> VectorDistances:
    """Rows of distances in a metric; Euclidean ones by products of matrices, close pairs by differences."""
    if metric.table is not None:
        table = np.asarray(metric.table, np.float64)
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
