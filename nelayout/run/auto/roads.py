"""Road maps: graphs whose paths the method "auto" draws straight."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

__all__ = ["road_exaggeration"]

# A graph with fewer junctions is not treated as a road map.
LEAST_JUNCTIONS = 10
# The exaggeration is capped at the number of nodes divided by this: beside a kernel much wider than the whole drawing,
# it would shrink to a point.
WIDEST = 16
# A single path or ring is a road if its largest weight is at most this many times its least.
EVEN = 2.0


def road_exaggeration(P: csr_array) -> float:
    """Exaggeration that draws the paths of a road map straight; 1 for a graph that is none.

    A path with two neighbors a node has room to bend as soon as it is longer than the kernel reaches, and then winds
    through all the space that there is.  Edges that attract L^2 times as hard become L times as short beside the
    kernel, which so reaches from one end of a path of L edges to the other; L is the mean over all paths.

    A dangling part, or one no larger than the kernel, would collapse under so strong an attraction.  It is therefore
    applied only to graphs that look like road maps: most nodes have two neighbors, three or four roads meet at a
    junction, ends are at most half as many as junctions, and at most one edge of ten is in a triangle.  A single path
    or ring is a road as well if its weights hardly differ: the harder edges attract, the more of that difference is in
    their lengths.
    """
    degree = np.diff(P.indptr)
    n, junctions, ends = len(degree), degree[degree > 2], int(np.count_nonzero(degree == 1))
    inner = n - len(junctions) - ends
    if not len(junctions):
        return max(1.0, n / WIDEST) if P.data.max() <= EVEN * P.data.min() else 1.0
    if 2 * inner <= n or len(junctions) < LEAST_JUNCTIONS or np.mean(junctions) > 4.0 or 2 * ends > len(junctions):
        return 1.0
    A = csr_array((np.ones(P.nnz), P.indices, P.indptr), shape=P.shape)
    triangles = csr_array(A @ A).multiply(A)
    if 10 * triangles.nnz > P.nnz:
        return 1.0
    return max(1.0, min((P.nnz / (int(np.sum(junctions)) + ends)) ** 2, n / WIDEST))
