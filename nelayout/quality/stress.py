"""Scale-normalized stress: how far distances in the drawing are from distances in the graph.

The path a - b - c drawn at 0, 1, 2 has drawn distances e = (1, 1, 2) for graph distances d = (1, 1, 2):
stress 0, and 0 as well at 0, 10, 20. Drawn at 0, 1, 1 it has e = (1, 0, 1); the best factor is s = (1 + 1/2)
/ (1 + 1/4) = 1.2, the relative errors are (0.2, -1, -0.4), and the stress is their mean square 0.4. Without
the best factor, stress ranks drawings by their size.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from nelayout.quality.neighborhoods import standardized
from nelayout.quality.protocol import REST, Measure
from nelayout.quality.samples import NOTHING, Sampled, sample_of, standard_error

__all__ = ["STRESS", "distances", "scaled_stress"]

# Up to this many nodes all pairs count; beyond, all pairs of this many sampled pivots.
PAIRS_ABOVE, PIVOTS = 2_000, 200


def scaled_stress(
    adjacency: csr_array, Y: np.ndarray, sample: str | int | None = "auto", seed: int = 0
) -> Sampled:
    """The mean of ((s e_ij - d_ij) / d_ij)^2 at the best factor s, in [0, 1], lower is better.

    d: edges on the shortest path (pairs without one are left out), e: distance in the drawing; the best
    factor is s* = sum(e/d) / sum(e^2/d^2), so the value is 1 - sum(e/d)^2 / (N sum(e^2/d^2)). A drawing in
    which all nodes coincide has stress 1. `sample` counts pivots; its standard error treats each pivot's
    pairs as one draw.
    """
    rng = np.random.default_rng(seed)
    n = len(Y)
    pivots, exact = sample_of(np.arange(n), sample, PAIRS_ABOVE, PIVOTS, rng)
    Y = standardized(Y)
    sums = np.zeros((len(pivots), 3))
    for t, (pivot, reached, hops) in enumerate(distances(adjacency, pivots)):
        total = np.zeros(len(reached))
        for column in Y.T:
            total += (column[reached] - column[pivot]) ** 2
        ratio = np.sqrt(total) / hops
        sums[t] = ratio.sum(), (ratio * ratio).sum(), len(ratio)
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


def distances(adjacency: csr_array, sources: np.ndarray):
    """Yield (source, nodes reached other than it, their distance in edges) for each source."""
    from scipy.sparse.csgraph import breadth_first_order

    n = len(adjacency.indptr) - 1
    # float64 data and int32 indices are what csgraph works on: anything else would be converted for each
    # source.
    graph = csr_array(
        (
            np.ones(len(adjacency.indices)),
            adjacency.indices.astype(np.int32),
            adjacency.indptr.astype(np.int32),
        ),
        (n, n),
    )
    place = np.zeros(n, np.int32)
    for source in sources:
        order, before = breadth_first_order(graph, int(source), directed=True, return_predecessors=True)
        place[order] = np.arange(len(order), dtype=np.int32)
        ancestor = np.zeros(len(order), np.int32)
        ancestor[1:] = place[before[order[1:]]]
        depth = np.ones(len(order), np.int32)
        depth[0] = 0
        # Pointer doubling: `ancestor` is depth[] steps up; after log2(eccentricity) rounds all stand at the
        # source.
        while ancestor[-1]:
            depth += depth[ancestor]
            ancestor = ancestor[ancestor]
        yield int(source), order[1:], depth[1:]


STRESS = Measure(
    "stress",
    "mean of ((s e - d) / d)^2 over pairs of nodes d edges apart and drawn e apart, at the best s",
    scaled_stress,
    ("adjacency", "Y", "sample", "seed"),
    REST,
)
