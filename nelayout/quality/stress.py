"""Scale-normalized stress: how far distances in the drawing are from distances in the graph.

The path a - b - c drawn at 0, 1, 2 has drawn distances e = (1, 1, 2) for graph distances d = (1, 1, 2):
stress 0, and 0 as well at 0, 10, 20. Drawn at 0, 1, 1 it has e = (1, 0, 1); the best factor is s = (1 + 1/2)
/ (1 + 1/4) = 1.2, the relative errors are (0.2, -1, -0.4), and the stress is their mean square 0.4. Without
the best factor, stress ranks drawings by their size.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from nelayout.quality.distances import standardize
from nelayout.quality.input_distances import Hops, InputDistances
from nelayout.quality.protocol import PIVOTS as SAMPLING
from nelayout.quality.protocol import REST, SIMILARITY, Measure
from nelayout.quality.samples import NOTHING, Sampled, sample_of, standard_error

__all__ = ["STRESS", "distance_stress", "scaled_stress", "stress_sums"]

# Up to this many nodes all pairs count; beyond, all pairs of this many sampled pivots.
PAIRS_ABOVE, PIVOTS = 2_000, 200
# Pivots whose distances to all nodes are held at a time.
PIVOTS_AT_ONCE = 64


def scaled_stress(
    adjacency: csr_array, Y: np.ndarray, sample: str | int | None = "auto", seed: int = 0
) -> Sampled:
    """The mean of ((s e_ij - d_ij) / d_ij)^2 at the best factor s, in [0, 1], lower is better.

    d: edges on the shortest path (pairs without one are left out), e: distance in the drawing; the best
    factor is s* = sum(e/d) / sum(e^2/d^2), so the value is 1 - sum(e/d)^2 / (N sum(e^2/d^2)). A drawing in
    which all nodes coincide has stress 1. `sample` counts pivots; its standard error treats each pivot's
    pairs as one draw.
    """
    return distance_stress(Hops(adjacency), Y, sample, seed)


def distance_stress(
    distances: InputDistances, Y: np.ndarray, sample: str | int | None = "auto", seed: int = 0
) -> Sampled:
    """The stress of `scaled_stress` for any distances d; pairs at distance 0, as equal vectors are, are left out
    too.
    """
    rng = np.random.default_rng(seed)
    n = len(Y)
    pivots, exact = sample_of(np.arange(n), sample, PAIRS_ABOVE, PIVOTS, rng)
    Y = standardize(Y)
    sums = np.zeros((len(pivots), 3))
    for start in range(0, len(pivots), PIVOTS_AT_ONCE):
        some = pivots[start : start + PIVOTS_AT_ONCE]
        for t, row in enumerate(distances.rows(some), start):
            sums[t] = stress_sums(Y, pivots[t], np.where(np.isfinite(row), row, 0.0))
    first, second, pairs = sums.sum(axis=0).tolist()
    if not pairs:
        return NOTHING
    if not second:
        return Sampled(1.0, 0.0, exact=exact)
    value = max(1.0 - first / pairs * (first / second), 0.0)
    if exact:
        return Sampled(value)
    # First-order change of the value with one pivot's sums (delta method).
    slope = np.array(
        [-2 * first / (pairs * second), (first / second) ** 2 / pairs, (first / pairs) ** 2 / second]
    )
    return Sampled(value, len(pivots) * standard_error((sums * slope).sum(axis=1), n), exact=False)


def stress_sums(Y: np.ndarray, pivot: int, hops: np.ndarray) -> tuple[float, float, int]:
    """Sums of e / d and (e / d)^2 over the nodes that are d > 0 edges from the pivot, and their number."""
    away = hops > 0
    apart = Y - Y[pivot]
    ratio = np.sqrt(np.einsum("ij,ij->i", apart, apart)) / np.where(away, hops, 1)
    ratio[~away] = 0.0
    return float(np.sum(ratio)), float(np.sum(ratio * ratio)), int(np.count_nonzero(away))


STRESS = Measure(
    "stress",
    "mean of ((s e - d) / d)^2 over pairs at distance d in the input (numbers of edges) and drawn e apart, at the "
    "best s",
    distance_stress,
    ("distances", "Y", "sample", "seed"),
    REST,
    invariances=SIMILARITY,
    complexity="O(n m), sampled O(m) a pivot",
    sampling=SAMPLING,
    source="Gansner, Koren & North 2004 with weights d^-2; the best scale as in Smelser, Miller & Kobourov 2024",
)
