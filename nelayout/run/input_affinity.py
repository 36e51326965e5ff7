"""The similarities that a method compares with the drawing: a graph's weights, scaled or smoothed as it asks.

Random-walk smoothing enters as an operator where that is exact: gamma-QuadLog, QuadLog and Elastic
Embedding take the dense p itself.  All others look at every single p_ij, and get a sparse matrix of the
largest.  With an operator, coarse levels are drawn unsmoothed and the walk enters at the finest: the
objective ends as low or lower, and sooner, than with a walk at each level.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.edges.walk import can_smooth_exactly
from nelayout.method import Method
from nelayout.numerics.parallel import Threads
from nelayout.objective import Affinity
from nelayout.similarities.random_walk import RandomWalk
from nelayout.similarities.truncated_walk import truncated_walk

__all__ = ["input_affinity", "mass_for"]

# The mass "auto" of the method "auto" is the degree from this mean degree and share of all nodes on: in dense graphs
# hubs crowd the middle unless they repel in proportion; in sparse ones equal masses keep neighbors and distances
# better. (Decided on usairports2010, usair97, email_eu_core, polblogs, worldtrade against jazz, musae_facebook,
# lastfm_asia, cora.) Of graphs of that mean degree also those are meant where hubs have most of the edges: the mean of
# the squared degrees is HUBS times the square of the mean, or more. (soc_slashdot0902 has 12, and equal masses find a
# third of the neighbors there that strengths do; random graphs of power-law degrees with 8 and 9 gain a quarter and
# more. The graphs above have at most 4.2; ndwww has 42, but a mean degree below 7, and is drawn better without.)
DENSE_DEGREE, DENSE_SHARE, HUBS = 8.0, 0.01, 8.0


def mass_for(P: csr_array, mass: Any) -> Any:
    """The mass that is asked for; "auto": strengths where hubs are joined to a good part of a dense graph.

    >>> mass_for(csr_array((3, 3)), "auto"), mass_for(csr_array((3, 3)), "degree")
    ('unit', 'degree')
    """
    if not (isinstance(mass, str) and mass == "auto"):
        return mass
    n = max(P.shape[0], 1)
    mean_degree = P.nnz / n
    squares = float(np.sum(np.diff(P.indptr).astype(np.float64) ** 2)) / n
    crowded = mean_degree >= DENSE_SHARE * n or squares >= HUBS * mean_degree**2
    return "strength" if mean_degree >= DENSE_DEGREE and crowded else "unit"


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
