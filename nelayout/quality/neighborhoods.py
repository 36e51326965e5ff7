"""How far neighborhoods in the input and in the drawing agree.

Take the path a - b - c drawn on a line at 0, 1, 3. Node b has two neighbors, which are also its two nearest nodes:
Jaccard index 1. If c were drawn at -0.5, its nearest node would be a, and its index 0. A tie counts as its mean over
all orders. Precision and recall reverse the question: a reader takes all nodes within one radius for neighbors.
Precision is the share of these nodes that are neighbors, recall the share of the neighbors that are found. Both are
measured at the radius with the largest F = 2 PR / (P + R).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, pairwise

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.blocks import rows_at_once
from nelayout.numerics.parallel import threads_for
from nelayout.quality import samples
from nelayout.quality.distances import TIE, blocks, lengths, near_shares, squared_from, standardize
from nelayout.quality.samples import NOTHING, Sample, Sampled, Sweep

__all__ = [
    "jaccard_by_number", "jaccard_index", "jaccard_of_nearest", "map_neighbors", "map_r2", "neighborhood2",
    "neighborhood_jaccard", "neighbors_kept", "procrustes_apart", "retrieval", "retrieval_at_best",
]  # fmt: skip

# Number of radii for precision and recall: even quantiles of the drawn distances of neighbors.
RADII = 100


def neighborhood_jaccard(
    neighbors: csr_array, Y: np.ndarray, hops: int = 1, sample: Sample = "auto", seed: int = 0
) -> Sampled:
    """Return the mean over nodes of |N(i) & L(i)| / |N(i) | L(i)|, in [0, 1]; 1 is best.

    N(i) are the nodes within `hops` (1 or 2) edges of i, L(i) the |N(i)| nodes nearest to i in the drawing. Ties count
    as the mean over all orders. Isolated nodes are left out.
    """
    degree = np.diff(neighbors.indptr)
    population = np.flatnonzero(degree)
    nodes, exact = samples.sample_of(population, sample, samples.NODES, np.random.default_rng(seed))
    Y = standardize(Y)
    index = np.empty(len(nodes))
    for chunk in _chunks(neighbors, degree, nodes, hops):
        index[chunk] = jaccard_index(Y, nodes[chunk], _within(neighbors, nodes[chunk], hops))
    return samples.mean_of(index, len(population), exact)


def neighborhood2(adjacency: csr_array, Y: np.ndarray, sample: Sample = "auto", seed: int = 0) -> Sampled:
    """Return `neighborhood_jaccard` of the nodes within two edges."""
    return neighborhood_jaccard(adjacency, Y, 2, sample, seed)


def jaccard_index(Y: np.ndarray, nodes: np.ndarray, relevant: csr_array) -> np.ndarray:
    """Return the Jaccard index (len(nodes),) of relevant nodes (> 0) and as many nearest."""
    from scipy.spatial import KDTree

    k = np.diff(relevant.indptr).astype(np.int64)
    row = np.repeat(np.arange(len(nodes)), k)
    distance = lengths(Y, nodes[row], relevant.indices)
    nearest, tree, power = np.empty((2, len(nodes))), KDTree(Y), np.frexp(k)[1]
    for each in np.unique(power):  # distances to the k-th and (k + 1)-th other node, infinite if missing
        part = np.flatnonzero(power == each)
        apart, _ = tree.query(Y[nodes[part]], k=np.arange(1, k[part].max() + 3), workers=-1)  # first the node itself
        nearest[:, part] = np.take_along_axis(apart, k[part, None] + np.arange(2), axis=1).T
    radius, beyond = nearest
    lower, upper = radius * (1 - TIE), radius * (1 + TIE)
    surely = np.bincount(row[distance < lower[row]], minlength=len(nodes))
    found = np.bincount(row[distance <= upper[row]], minlength=len(nodes))
    index = found / (2 * k - found)
    tied = np.flatnonzero(beyond <= upper)
    if len(tied):
        within = tree.query_ball_point(Y[nodes[tied]], upper[tied], return_length=True, workers=-1) - 1
        inside = tree.query_ball_point(Y[nodes[tied]], lower[tied], return_length=True, workers=-1) - 1
        inside = np.where(radius[tied] > 0, inside, 0)
        index[tied] = _mean_index(surely[tied], found[tied] - surely[tied], within - inside, k[tied] - inside, k[tied])
    return index


def _mean_index(surely: np.ndarray, good: np.ndarray, border: np.ndarray, drawn: np.ndarray, k: np.ndarray):
    """Return the mean Jaccard index (m,) if `drawn` of `border` tied nodes come at random."""
    from scipy.special import gammaln

    def log_binomial(n, r):
        return gammaln(n + 1.0) - gammaln(r + 1.0) - gammaln(n - r + 1.0)

    # Of the tied nodes `good` are relevant: hits are `surely` plus a hypergeometric number.
    least, most = np.maximum(0, drawn - (border - good)), np.minimum(good, drawn)
    count = most - least + 1
    at = np.repeat(np.arange(len(k)), count)
    h = np.arange(len(at)) - np.repeat(np.cumsum(count) - count, count) + least[at]
    log = log_binomial(good[at], h) + log_binomial((border - good)[at], drawn[at] - h)
    chance = np.exp(log - log_binomial(border, drawn)[at])
    hits = surely[at] + h
    total = np.bincount(at, chance * hits / (2 * k[at] - hits), minlength=len(k))
    return total / np.bincount(at, chance, minlength=len(k))


def _within(adjacency: csr_array, nodes: np.ndarray, hops: int) -> csr_array:
    """Return a matrix: row t has the nodes at 1..hops edges from nodes[t], without itself."""
    ones = np.ones(len(adjacency.indices), np.float32)
    step = csr_array((ones, adjacency.indices, adjacency.indptr), adjacency.shape)
    reach = step[nodes]
    for _ in range(hops - 1):
        reach = (reach @ step + reach).tocsr()
    row = np.repeat(np.arange(len(nodes)), np.diff(reach.indptr))
    other = reach.indices != nodes[row]
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row[other], minlength=len(nodes)))])
    return csr_array((np.ones(indptr[-1], np.float32), reach.indices[other], indptr), reach.shape)


def _chunks(adjacency: csr_array, degree: np.ndarray, nodes: np.ndarray, hops: int):
    """Return slices of `nodes`; pairs of a node and a neighbor take some 32 bytes."""
    size = degree[nodes].astype(np.int64)
    if hops > 1:
        ones = np.concatenate([[0], np.cumsum(degree[adjacency.indices])])
        size = size + ones[adjacency.indptr[nodes + 1]] - ones[adjacency.indptr[nodes]]
    chunk = np.cumsum(size) // rows_at_once(32)
    starts = np.concatenate([[0], np.flatnonzero(np.diff(chunk)) + 1, [len(nodes)]])
    return [slice(int(start), int(stop)) for start, stop in pairwise(starts) if stop > start]


def jaccard_by_number(adjacency: csr_array, nodes: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Return the Jaccard index (len(nodes),) of nodes with neighbors; node numbers order ties."""
    xi = np.zeros((len(nodes), len(Y)))
    for along in Y.T:
        apart = along[nodes, None] - along
        xi += apart * apart
    every, degree = np.arange(len(nodes)), np.diff(adjacency.indptr)[nodes].astype(np.int64)
    xi[every, nodes] = np.inf
    last = np.sort(xi, axis=1)[every, degree - 1][:, None]
    nearest, tied = xi < last, xi == last
    nearest |= tied & (np.cumsum(tied, axis=1) <= (degree - np.count_nonzero(nearest, axis=1))[:, None])
    common = np.count_nonzero(nearest & _linked(adjacency, nodes), axis=1)
    return common / (2 * degree - common)


def jaccard_of_nearest(adjacency: csr_array, nodes: np.ndarray, nearest: np.ndarray) -> np.ndarray:
    """Return the Jaccard index of each of `nodes` for known nearest nodes.

    `nearest` (len(nodes), most), nearest first. A node of degree k counts its first k nearest, or all if k > most.
    """
    most, degree = nearest.shape[1], np.diff(adjacency.indptr)[nodes].astype(np.int64)
    k = np.minimum(degree, most)
    both = _linked(adjacency, nodes)[np.arange(len(nodes))[:, None], nearest] & (np.arange(most) < k[:, None])
    common = np.count_nonzero(both, axis=1)
    return common / (degree + k - common)


def _linked(adjacency: csr_array, nodes: np.ndarray) -> np.ndarray:
    """Return the mask (len(nodes), n) of the neighbors of each of `nodes`."""
    degree, found = np.diff(adjacency.indptr)[nodes], np.zeros((len(nodes), adjacency.shape[0]), dtype=bool)
    row = np.repeat(np.arange(len(nodes)), degree)
    entry = np.arange(len(row)) + np.repeat(adjacency.indptr[nodes] - np.cumsum(degree) + degree, degree)
    found[row, adjacency.indices[entry]] = True
    return found


def map_r2(Y: np.ndarray, coords: np.ndarray) -> Sampled:
    """Return R^2 of the best similarity transform of the drawing onto the map, in [0, 1].

    For centered Y and X, R^2 = (sum of the singular values of Y^T X)^2 / (|Y|^2 |X|^2). `Y` (n, d), `coords` (n, d');
    rows of `coords` with NaN are left out.
    """
    known = np.isfinite(coords).all(axis=1)
    if known.sum() < 2:
        return NOTHING
    Y, X = (np.asarray(each, np.float64)[known] for each in (Y, coords))
    Y, X = Y - Y.mean(axis=0), X - X.mean(axis=0)
    size = (Y * Y).sum() * (X * X).sum()
    if not size:
        return Sampled(float("nan") if not (X * X).sum() else 0.0)
    return Sampled(min(float(np.linalg.svd(Y.T @ X, compute_uv=False).sum() ** 2 / size), 1.0))


def map_neighbors(
    Y: np.ndarray, coords: np.ndarray, k: int = samples.NEIGHBORS, sample: Sample = "auto", seed: int = 0
) -> Sampled:
    """Return the share of the k nearest on the map that are k nearest in the drawing."""
    from scipy.spatial import KDTree

    known = np.isfinite(coords).all(axis=1)
    n = int(known.sum())
    if n < 2:
        return NOTHING
    k = min(k, n - 1)
    nodes, exact = samples.sample_of(np.arange(n), sample, samples.NODES, np.random.default_rng(seed))
    true, drawn = KDTree(standardize(coords[known])), KDTree(standardize(Y[known]))
    both = ((near_shares(true, some, k), near_shares(drawn, some, k)) for some in blocks(nodes, n))
    shared = [A.multiply(B).sum(axis=1) for A, B in both]
    return samples.mean_of(np.concatenate(shared) / k, n, exact)


def procrustes_apart(drawings: Sequence[np.ndarray]) -> Sampled:
    """Return the mean of 1 - R^2 of `map_r2` over pairs of drawings (n, dim)."""
    return _over_pairs(len(drawings), lambda a, b: 1 - map_r2(drawings[a], drawings[b]).value)


def neighbors_kept(drawings: Sequence[np.ndarray], sample: Sample = "auto", seed: int = 0) -> Sampled:
    """Return the mean Jaccard index of the 10 nearest nodes, over nodes and pairs of drawings.

    Nodes tied at the tenth distance share the remaining ranks. The index is sum(min) / sum(max) of both shares. If
    there are fewer than 21 nodes, half of the others are compared.
    """
    from scipy.spatial import KDTree

    n = len(drawings[0])
    if n < 2:
        return NOTHING
    k = max(min(samples.NEIGHBORS, (n - 1) // 2), 1)
    nodes, _ = samples.sample_of(np.arange(n), sample, samples.NODES, np.random.default_rng(seed))
    trees = [KDTree(standardize(Y)) for Y in drawings]
    shares = [[near_shares(tree, some, k) for some in blocks(nodes, n)] for tree in trees]

    def index(a: int, b: int) -> float:
        shared = np.concatenate([A.minimum(B).sum(axis=1) for A, B in zip(shares[a], shares[b], strict=True)])
        return float((shared / (2 * k - shared)).mean())

    return _over_pairs(len(drawings), index)


def _over_pairs(count: int, of: Callable[[int, int], float]) -> Sampled:
    """Return the mean over pairs of drawings; the jackknife over drawings gives its error."""
    table = np.full((count, count), np.nan)
    for a, b in combinations(range(count), 2):
        table[a, b] = of(a, b)

    def mean(kept: np.ndarray) -> float:
        some = table[kept][:, kept]
        return float(some[np.triu_indices(len(some), 1)].mean())

    value = mean(np.ones(count, bool))
    return Sampled(value, samples.jackknife(mean, count, 1.0) if count > 2 else float("inf"), exact=False)


def retrieval(neighbors: csr_array, Y: np.ndarray, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return radii (r,), and precision and recall (m, r) of the m nodes with neighbors.

    `neighbors` (n, n): each row has the neighbors of a node. A node that finds nothing has precision 0. Radii are in
    units of the standardized drawing.
    """
    Y, n, degree = standardize(Y), len(Y), np.diff(neighbors.indptr)
    drawn = lengths(Y, np.repeat(np.arange(n), degree), neighbors.indices)
    radii = np.unique(np.quantile(drawn, np.linspace(0, 1, RADII), method="higher")) * (1 + TIE)

    def counted(distances: np.ndarray) -> np.ndarray:
        return np.cumsum(np.bincount(np.searchsorted(radii, distances), minlength=len(radii) + 1))[:-1]

    def look(node: int) -> tuple[np.ndarray, np.ndarray]:
        within = counted(np.sqrt(squared_from(Y, node))) - 1  # without the node itself
        hits = counted(drawn[neighbors.indptr[node] : neighbors.indptr[node + 1]])
        return hits / np.maximum(within, 1), hits / degree[node]

    with threads_for(None) as threads:
        found = threads.map(look, nodes[degree[nodes] > 0].tolist())
    return radii, np.array([p for p, _ in found]), np.array([r for _, r in found])


def retrieval_at_best(sweep: Sweep, neighbors: csr_array, *, part: str) -> Sampled:
    """Return "precision", "recall" or "f_score" 2 PR / (P + R) at the radius of the best F."""
    asked = np.flatnonzero(np.diff(neighbors.indptr)[sweep.nodes])
    if not len(asked):
        return NOTHING
    _, each_p, each_r = sweep.once(retrieval, neighbors, sweep.Y, sweep.nodes)
    group = sweep.group[asked]

    def value(kept: np.ndarray) -> float:
        p, r = (each[kept[group]].mean(axis=0) for each in (each_p, each_r))
        f = 2 * p * r / np.maximum(p + r, np.finfo(float).tiny)
        return float({"precision": p, "recall": r, "f_score": f}[part][np.argmax(f)])

    return samples.value_of_groups(value, group, sweep.share, samples.half_samples)
