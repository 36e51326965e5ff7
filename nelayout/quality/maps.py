"""Agreement of a drawing with true coordinates: its overall shape, and who is next to whom.

A drawing that is the map turned, mirrored, resized or moved agrees perfectly (R^2 = 1, overlap 1). A drawing
that tears the map in two and keeps both halves keeps the overlap and loses R^2.

Coordinates are taken as plane (or space) coordinates. For longitudes and latitudes give x = lon cos(median
lat), y = lat; otherwise the map itself is stretched.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from nelayout.quality.distances import nearest, standardize
from nelayout.quality.neighborhoods import hits
from nelayout.quality.protocol import BOTH, SAMPLED_NODES, SIMILARITY, VALUE, Measure
from nelayout.quality.samples import NOTHING, Sampled, mean_of, sample_of

__all__ = ["MAP_NEIGHBORS", "MAP_R2", "map_neighbors", "map_r2"]

NEIGHBORS = 10
SAMPLE_ABOVE, SAMPLE = 20_000, 5_000


def map_r2(Y: np.ndarray, coords: np.ndarray) -> Sampled:
    """R^2 of the best similarity transform (rotation, reflection, scale, shift) of the drawing onto the map.

    With both centered, R^2 = (sum of the singular values of Y^T X)^2 / (|Y|^2 |X|^2), in [0, 1], the same
    whichever of the two is transformed. `Y` (n, d) and `coords` (n, d'); rows of `coords` with NaN are left
    out.
    """
    Y, X = _known(Y, coords)
    if len(X) < 2:
        return NOTHING
    Y, X = Y - Y.mean(axis=0), X - X.mean(axis=0)
    size = (Y * Y).sum() * (X * X).sum()
    if not size:
        return Sampled(float("nan") if not (X * X).sum() else 0.0)
    return Sampled(min(float(np.linalg.svd(Y.T @ X, compute_uv=False).sum() ** 2 / size), 1.0))


def map_neighbors(
    Y: np.ndarray, coords: np.ndarray, k: int = NEIGHBORS, sample: str | int | None = "auto", seed: int = 0
) -> Sampled:
    """Mean share of a node's k nearest nodes on the map that are among its k nearest in the drawing, in [0,
    1].

    Ties on either side are broken at random. Nodes without coordinates take no part. With fewer than k + 1
    nodes, k is what is left. `Y` (n, d), `coords` (n, d').
    """
    rng = np.random.default_rng(seed)
    Y, X = _known(Y, coords)
    n, k = len(X), min(k, len(X) - 1)
    if k < 1:
        return NOTHING
    nodes, exact = sample_of(np.arange(n), sample, SAMPLE_ABOVE, SAMPLE, rng)
    relevant = np.sort(nearest(standardize(X), nodes, k, rng), axis=1)
    rows = csr_array(
        (np.ones(relevant.size, np.float32), relevant.ravel(), np.arange(0, relevant.size + 1, k)),
        (len(nodes), n),
    )
    return mean_of(hits(standardize(Y), nodes, rows, rng) / k, n, exact)


def _known(Y: np.ndarray, coords: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    known = np.isfinite(coords).all(axis=1)
    return np.asarray(Y, np.float64)[known], np.asarray(coords, np.float64)[known]


MAP_R2 = Measure(
    "map_r2",
    "R^2 of the best rotation, reflection, scale and shift of the drawing onto the true coordinates",
    map_r2,
    ("Y", "coords"),
    VALUE,
    invariances=SIMILARITY,
    complexity="O(n)",
    source="Procrustes analysis (Gower 1975): 1 - its statistic",
    default_for=BOTH,
)
MAP_NEIGHBORS = Measure(
    "map_neighbors",
    "mean share of a node's 10 nearest on the map that are among its 10 nearest in the drawing",
    map_neighbors,
    ("Y", "coords", "sample", "seed"),
    VALUE,
    invariances=SIMILARITY,
    complexity="O(n log n)",
    sampling=SAMPLED_NODES,
    source="Q_NX of the map and the drawing at K = 10, ties at random (Lee & Verleysen 2009)",
    default_for=BOTH,
)
