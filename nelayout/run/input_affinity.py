"""The similarities that a method compares with the drawing: a graph's weights, scaled or smoothed as it asks.

Random-walk smoothing enters as an operator where that is exact: gamma-QuadLog, QuadLog and Elastic
Embedding take the dense p itself.  All others look at every single p_ij, and get a sparse matrix of the
largest.  With an operator, coarse levels are drawn unsmoothed and the walk enters at the finest: the
objective ends as low or lower, and sooner, than with a walk at each level.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from nelayout.edges.walk import can_smooth_exactly
from nelayout.method import Method
from nelayout.numerics.parallel import Threads
from nelayout.objective import Affinity
from nelayout.similarities.random_walk import RandomWalk
from nelayout.similarities.truncated_walk import truncated_walk

__all__ = ["input_affinity"]


def input_affinity(
    graph: csr_array, mass: np.ndarray, method: Method, rho: float, threads: Threads
) -> tuple[Affinity, tuple[str, ...]]:
    """The affinity of a connected graph, smoothed by a walk that goes on with probability rho, and notes."""
    notes: tuple[str, ...] = ()
    if rho and graph.nnz:
        raw = method.affinity == "raw"
        if raw and can_smooth_exactly(method.kernel, method.divergence, method.connection):
            return Affinity(graph, mass, walk=RandomWalk(graph, rho)), ()
        graph, part = truncated_walk(graph, rho, threads)
        each = len(graph.data) / len(mass)
        if part < 1.0:
            note = (
                f"smoothing={rho:g} makes each of {len(mass)} nodes similar to all others; {method.name} "
                f"takes the largest, {each:.0f} a node with {part:.0%} of the sum (gamma-quadlog takes all)"
            )
            notes = (note,)
    # Rows are divided by their sums where they are compared; the way there is drawn by the whole.
    if method.affinity in ("sum-1", "rows") and graph.nnz:
        graph = csr_array((graph.data / np.sum(graph.data), graph.indices, graph.indptr), shape=graph.shape)
    return Affinity(graph, mass), notes
