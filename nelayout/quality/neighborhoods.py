"""How much of a node's neighborhood in the graph is its neighborhood in the drawing.

Take the path a - b - c drawn on a line at 0, 1, 3. Node b has two neighbors, and the two nodes nearest to it
are those two: Jaccard index 1. Node c has one neighbor, b, which is also the node nearest to it: 1. Were c
drawn at -0.5 instead, its nearest node would be a, and its index 0. The measure is the mean of this index
over the nodes.

Ties at the border of a neighborhood are broken at random: lattices and coincident nodes have many, and the order
in which a tree happens to report them must not count.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array

from nelayout.quality.distances import TIE, lengths, standardize
from nelayout.quality.protocol import SAMPLED_NODES, SIMILARITY, VALUE, Measure
from nelayout.quality.samples import Sampled, mean_of, sample_of

__all__ = [
    "NEIGHBORHOOD", "NEIGHBORHOOD2", "hits", "jaccard_by_number", "jaccard_of_nearest", "neighborhood_jaccard",
]

# Above this many nodes, this many are sampled: the standard error is then below 0.005.
SAMPLE_ABOVE, SAMPLE = 20_000, 5_000
# Neighborhoods above both n / BRUTE_SHARE and this are cheaper from all n distances than from a tree.
BRUTE_SHARE, BRUTE_LEAST = 50, 64
# Bound on (node, neighbor) pairs held at a time: about 100 MB.
PAIRS_AT_ONCE = 4_000_000


def neighborhood_jaccard(
    adjacency: csr_array, Y: np.ndarray, hops: int = 1, sample: str | int | None = "auto", seed: int = 0
) -> Sampled:
    """Mean over nodes of |N(i) & L(i)| / |N(i) | L(i)|, in [0, 1], higher is better.

    N(i) are the nodes within `hops` (1 or 2) edges of i, L(i) the |N(i)| nodes nearest to i in the drawing,
    ties broken at random. Isolated nodes have no N(i) and are left out; NaN when there are no others.
    `adjacency` is symmetric (n, n), `Y` is (n, dim).
    """
    rng = np.random.default_rng(seed)
    degree = np.diff(adjacency.indptr)
    population = np.flatnonzero(degree)
    nodes, exact = sample_of(population, sample, SAMPLE_ABOVE, SAMPLE, rng)
    Y = standardize(Y)
    index = np.empty(len(nodes))
    for chunk in _chunks(adjacency, degree, nodes, hops):
        relevant = _within(adjacency, nodes[chunk], hops)
        size = np.diff(relevant.indptr).astype(np.int64)
        found = hits(Y, nodes[chunk], relevant, rng)
        index[chunk] = found / (2 * size - found)
    return mean_of(index, len(population), exact)


def jaccard_by_number(adjacency: csr_array, nodes: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """The index of each of `nodes`, none of them isolated, in a drawing Y (n, d), ties by node number; (len(nodes),).

    From all distances between them and the n nodes, for small graphs.

    >>> path = csr_array(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> jaccard_by_number(path, np.arange(3), np.array([[0.0], [1.0], [-0.5]])).tolist()
    [0.0, 1.0, 0.0]
    """
    degree = np.diff(adjacency.indptr)[nodes].astype(np.int64)
    xi = np.zeros((len(nodes), len(Y)))
    for along in Y.T:
        apart = along[nodes, None] - along
        xi += apart * apart
    xi[np.arange(len(nodes)), nodes] = np.inf
    border = np.sort(xi, axis=1)[np.arange(len(nodes)), degree - 1]
    near = xi <= border[:, None]
    for row in np.flatnonzero(np.count_nonzero(near, axis=1) > degree):  # ties at the border
        near[row] = False
        near[row, np.argsort(xi[row], kind="stable")[: degree[row]]] = True
    row, entry = _entries(adjacency, nodes, degree)
    common = np.bincount(row[near[row, adjacency.indices[entry]]], minlength=len(nodes))
    return common / (2 * degree - common)


def jaccard_of_nearest(adjacency: csr_array, nodes: np.ndarray, nearest: np.ndarray) -> np.ndarray:
    """The index of each of `nodes` for given nearest nodes (len(nodes), most), nearest first; (len(nodes),).

    Of a node of degree k its first k nearest count. Where fewer are given, they are compared with all its neighbors.
    A table of len(nodes) x n bytes, most of them never touched, says who is whose neighbor.
    """
    n, most = len(adjacency.indptr) - 1, nearest.shape[1]
    degree = np.diff(adjacency.indptr)[nodes].astype(np.int64)
    k = np.minimum(degree, most)
    row, entry = _entries(adjacency, nodes, degree)
    neighbors = np.zeros((len(nodes), n), dtype=bool)
    neighbors[row, adjacency.indices[entry]] = True
    both = neighbors[np.arange(len(nodes))[:, None], nearest] & (np.arange(most) < k[:, None])
    common = np.count_nonzero(both, axis=1)
    return common / (degree + k - common)


def _entries(adjacency: csr_array, nodes: np.ndarray, degree: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The number in `nodes` of each node of these degrees, once for each neighbor, and the neighbor's entry."""
    row = np.repeat(np.arange(len(nodes)), degree)
    return row, np.arange(len(row)) + np.repeat(adjacency.indptr[nodes] - np.cumsum(degree) + degree, degree)


def hits(Y: np.ndarray, nodes: np.ndarray, relevant: csr_array, rng: np.random.Generator) -> np.ndarray:
    """How many of a node's k relevant nodes (its row's columns) are among its k nearest, (len(nodes),)."""
    k = np.diff(relevant.indptr).astype(np.int64)
    row = np.repeat(np.arange(len(nodes)), k)
    distance = lengths(Y, nodes[row], relevant.indices)
    radius, beyond = _border(Y, nodes, k)
    lower, upper = radius * (1 - TIE), radius * (1 + TIE)
    surely = np.bincount(row[distance < lower[row]], minlength=len(nodes))
    found = np.bincount(row[distance <= upper[row]], minlength=len(nodes))
    tied = np.flatnonzero(beyond <= upper)
    if len(tied):
        # Of `at` nodes at the border, `places` belong to L(i), a random choice: its hits are hypergeometric.
        from scipy.spatial import KDTree

        tree = KDTree(Y)
        within = tree.query_ball_point(Y[nodes[tied]], upper[tied], return_length=True, workers=-1) - 1
        inside = tree.query_ball_point(Y[nodes[tied]], lower[tied], return_length=True, workers=-1) - 1
        inside = np.where(radius[tied] > 0, inside, 0)
        good = found[tied] - surely[tied]
        found[tied] = surely[tied] + rng.hypergeometric(good, within - inside - good, k[tied] - inside)
    return found


def _border(Y: np.ndarray, nodes: np.ndarray, k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distances from each node to its k-th and (k+1)-th nearest other node (infinite where there is none)."""
    from scipy.spatial import KDTree

    n = len(Y)
    radius, beyond = np.full(len(nodes), np.inf), np.full(len(nodes), np.inf)
    brute = k > max(n / BRUTE_SHARE, BRUTE_LEAST)
    for t in np.flatnonzero(brute & (k < n)):
        # Position 0 of the sorted distances is the node itself.
        distance = np.zeros(n)
        for column in Y.T:
            distance += (column - column[nodes[t]]) ** 2
        last = min(k[t] + 1, n - 1)
        distance.partition((k[t], last))
        radius[t] = np.sqrt(distance[k[t]])
        beyond[t] = np.sqrt(distance[last]) if last > k[t] else np.inf
    rest = np.flatnonzero(~brute)
    if not len(rest):
        return radius, beyond
    tree = KDTree(Y)
    rest = rest[np.argsort(k[rest], kind="stable")]
    start = 0
    while start < len(rest):
        smallest = k[rest[start]]
        stop = np.searchsorted(k[rest], max(2 * smallest, 8), side="right")
        stop = min(stop, start + max(PAIRS_AT_ONCE // (2 * smallest + 10), 1))
        part = rest[start:stop]
        distance, _ = tree.query(Y[nodes[part]], k=np.arange(1, k[part].max() + 3), workers=-1)
        radius[part] = np.take_along_axis(distance, k[part, None], axis=1)[:, 0]
        beyond[part] = np.take_along_axis(distance, k[part, None] + 1, axis=1)[:, 0]
        start = stop
    return radius, beyond


def _within(adjacency: csr_array, nodes: np.ndarray, hops: int) -> csr_array:
    """Row t: the nodes at 1..hops edges from nodes[t], itself excluded."""
    step = csr_array(
        (np.ones(len(adjacency.indices), np.float32), adjacency.indices, adjacency.indptr), adjacency.shape
    )
    reach = step[nodes]
    for _ in range(hops - 1):
        reach = (reach @ step + reach).tocsr()
    row = np.repeat(np.arange(len(nodes)), np.diff(reach.indptr))
    other = reach.indices != nodes[row]
    counts = np.bincount(row[other], minlength=len(nodes))
    indptr = np.concatenate([[0], np.cumsum(counts)])
    return csr_array((np.ones(indptr[-1], np.float32), reach.indices[other], indptr), reach.shape)


def _chunks(adjacency: csr_array, degree: np.ndarray, nodes: np.ndarray, hops: int):
    """Slices of `nodes` whose neighborhoods hold at most about PAIRS_AT_ONCE nodes together."""
    size = degree[nodes].astype(np.int64)
    if hops > 1:
        ones = np.concatenate([[0], np.cumsum(degree[adjacency.indices])])
        size = size + ones[adjacency.indptr[nodes + 1]] - ones[adjacency.indptr[nodes]]
    chunk = np.cumsum(size) // PAIRS_AT_ONCE
    starts = np.concatenate([[0], np.flatnonzero(np.diff(chunk)) + 1, [len(nodes)]])
    for start, stop in pairwise(starts):
        if stop > start:
            yield slice(int(start), int(stop))


def _of_neighbors(neighbors: csr_array, Y: np.ndarray, hops: int, sample: str | int | None, seed: int) -> Sampled:
    return neighborhood_jaccard(neighbors, Y, hops, sample, seed)


NEIGHBORHOOD = Measure(
    "neighborhood",
    "mean Jaccard index of a node's neighbors and as many nearest nodes in the drawing (vectors: the 10 nearest of "
    "each)",
    partial(_of_neighbors, hops=1),
    ("neighbors", "Y", "sample", "seed"),
    VALUE,
    invariances=SIMILARITY,
    complexity="O(m + n log n)",
    sampling=SAMPLED_NODES,
    source="neighborhood preservation of Kruiger et al. 2017, at radius 1; ties at random",
)
NEIGHBORHOOD2 = Measure(
    "neighborhood2",
    "mean Jaccard index of the nodes within two edges of a node and as many nearest nodes in the drawing",
    partial(neighborhood_jaccard, hops=2),
    ("adjacency", "Y", "sample", "seed"),
    VALUE,
    invariances=SIMILARITY,
    complexity="O(nodes within two edges + n log n)",
    sampling=SAMPLED_NODES,
    source="neighborhood preservation of Kruiger et al. 2017, at radius 2; ties at random",
)
