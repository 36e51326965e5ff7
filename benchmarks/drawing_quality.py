"""The few measures that the benchmarks compare drawings by, from arrays alone and under short names."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from nelayout.quality.classes import class_accuracy, class_auc
from nelayout.quality.crossings import edge_crossings
from nelayout.quality.distances import hop_distances
from nelayout.quality.neighborhoods import map_neighbors, map_r2, neighborhood_jaccard
from nelayout.quality.stress import distance_stress

__all__ = ["quality"]


def quality(adjacency: csr_array, Y: np.ndarray, labels=None, coords=None, crossings=False, seed=0) -> dict[str, float]:
    """Measures of the drawing `Y` (n, d), sampled where exact is slow.

    np1, np2          neighborhood Jaccard within 1 and 2 edges
    sns               scale-normalized stress
    knn_auc, knn_acc  with `labels` (integers, -1 unknown)
    geo_r2, geo_np    with `coords` (rows may be NaN)
    crossings         when asked for
    """
    found = {
        "np1": neighborhood_jaccard(adjacency, Y, 1, seed=seed),
        "np2": neighborhood_jaccard(adjacency, Y, 2, seed=seed),
        "sns": distance_stress(hop_distances(adjacency), Y, seed=seed),
    }
    if labels is not None:
        found["knn_auc"] = class_auc(Y, labels, seed=seed)
        found["knn_acc"] = class_accuracy(Y, labels, seed=seed)
    if coords is not None:
        found["geo_r2"] = map_r2(Y, coords)
        found["geo_np"] = map_neighbors(Y, coords, seed=seed)
    if crossings:
        found["crossings"] = edge_crossings(adjacency, Y, seed=seed)
    return {name: sampled.value for name, sampled in found.items()}
