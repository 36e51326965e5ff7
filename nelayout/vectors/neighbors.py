"""The k nearest rows of every row: exact while that takes seconds, approximate beyond.

Of three rows on a line, the last two are nearest to each other, and the second is nearest to the first::

    >>> from nelayout.numerics.parallel import Threads
    >>> found = Space(np.array([[0.0], [3.0], [4.0]])).nearest(1, np.random.default_rng(0), Threads())
    >>> found.indices.ravel(), found.distances.ravel()
    (array([1, 2, 1]), array([3., 1., 1.]))

Rows of few dimensions go to a k-d tree, others to lower bounds by matrix products (`all_pairs`), other metrics to
tables of distances; pynndescent takes what is too large for all of them.  A device compares all pairs of dense rows of
many columns.  Equal distances are ordered by index, and equal rows are neighbors at distance 0 like any others.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from scipy.sparse import issparse

from nelayout.errors import missing_extra
from nelayout.numerics.parallel import Threads
from nelayout.numerics.principal import principal_components
from nelayout.sums.device import Device
from nelayout.vectors.all_pairs import search_all
from nelayout.vectors.bounds import Vectors, first_k, search, search_from, squared_distances
from nelayout.vectors.kd_tree import Tree
from nelayout.vectors.metrics import Metric, prepare

__all__ = ["Neighbors", "Space"]

# Pairs of rows up to which neighbors are found exactly, by matrix products.  On two cores 200,000 rows of 50 columns
# take 33 s, about as long as the first approximate search of a process, which compiles for 30 s (later ones take 7 s,
# find 95 % of the neighbors, and others from run to run).
EXACT_PAIRS = 4e10

# Pairs times columns (at most 130, see `lower_bounds.DIRECTIONS`) up to which they are found so, too.
EXACT_WORK = 2e12

# Work of comparing two sparse rows at least, and of each product of two of their entries, in pairs times columns.
SPARSE_PAIR, SPARSE_PRODUCT = 100.0, 17.0

# Pairs times columns up to which distances of any other metric are computed: about five minutes of one core.
TABLE_WORK = 3e11

# Columns up to which a k-d tree may be taken.
TREE_COLUMNS = 12
# A tree looks at about 1000 * 1.6^d of the rows where the columns are independent (normal samples, d = 3 .. 16).
TREE_GROWTH = 1.6
# Rows over 1.6^d from which that is a small part of all of them, and rows times 1.6^d up to which it takes two minutes.
TREE_PAYS, TREE_WORK = 300.0, 3e7
# Columns from which products of matrices may be faster, and rows over 1.6^d from which the tree is, where the rows
# have d dimensions: 100,000 normal rows of 8 columns take the tree twice as long, 58,000 of shuttle's 9 half as long.
TREE_DOUBTFUL, TREE_PAYS_MORE = 7, 3000.0

# Components that approximate search works on when pca="auto" and rows are longer than `LONGEST`.
REDUCED = 100

# Columns up to which it works on the rows themselves: components lose neighbors (MNIST: 0.84 for 0.97).
LONGEST = 1000

# Rows that are compared with all others to measure how many neighbors an approximate search finds: its standard error
# is 0.2 % at 97 % of 10 neighbors.  Distances of pynndescent are of single precision.
SAMPLED, ROUNDING = 200, 1e-5

# Candidates among the components, as a multiple of k; the k nearest of them by their rows are kept.
MORE = 3


@dataclass(frozen=True, slots=True)
class Neighbors:
    """Neighbor lists: indices (n, k) int64, nearest first; distances (n, k) float64, in the metric; notes on what is
    not exact.
    """

    indices: np.ndarray
    distances: np.ndarray
    notes: tuple[str, ...] = ()

    def first(self, k: int) -> Neighbors:
        """The k nearest of each row."""
        return Neighbors(self.indices[:, :k], self.distances[:, :k], self.notes)


class Space:
    """Rows and a metric between them; ``original`` are the rows as they were given."""

    def __init__(
        self,
        X: Any,
        metric: Any = "euclidean",
        params: dict[str, Any] | None = None,
        pca: int | str | None = None,
    ) -> None:
        self.original = X
        self._made_of = X, metric, params, pca
        self.given: Metric = prepare(X, metric, params)
        self.n = X.shape[0]
        self.pca = pca
        self._ready: Vectors | None = None
        self._single: Vectors | None = None
        if isinstance(pca, int) and self.given.rows is not None:
            bring, (scores, directions, mean) = self.given.bring, principal_components(self.given.rows, pca)
            self.given = self.given.between(scores, lambda Z: _along(bring(Z), directions, mean))

    def __reduce__(self):
        return Space, self._made_of  # which a metric's own functions cannot be

    def nearest(
        self, k: int, rng: np.random.Generator, threads: Threads, device: Device | None = None
    ) -> Neighbors:
        """Find the k nearest other rows of each row; ``device`` compares long rows, where there is one."""
        rows = self.given.rows
        if rows is None or not self.given.euclidean:
            if not self.given.too_large(TABLE_WORK):
                indices, distances = self.given.table_nearest(np.arange(self.n), k, threads)
                return Neighbors(indices, distances)
            return self._approximate(rows, k, rng, threads)
        first, group = _distinct(rows)
        distinct = rows if len(first) == self.n else rows[first]
        if len(first) == 1:
            indices, squared, notes = np.zeros((1, 0), dtype=np.int64), np.zeros((1, 0)), ()
        else:
            indices, squared, notes = self._distinct_nearest(
                distinct, min(k, len(first) - 1), rng, threads, device
            )
        if len(first) < self.n:
            indices, squared = _with_copies(indices, squared, first, group, k)
        return Neighbors(indices, self.given.distance(squared), notes)

    def nearest_from(self, X: Any, k: int, threads: Threads) -> Neighbors:
        """Find the k nearest rows of each row of another table, as `input.read_vectors` gives it; always exactly."""
        if self.given.table is not None:
            return Neighbors(*self.given.nearest_from(X, k, threads))
        others = self.given.bring(X)
        if not self.given.euclidean:
            return Neighbors(*self.given.nearest_from(others, k, threads))
        indices, squared = search_from(self._compared(k), others, k, threads)
        return Neighbors(indices, self.given.distance(squared))

    def _compared(self, k: int) -> Vectors:
        """The rows made ready for comparing; kept."""
        if self._ready is None:
            self._ready = Vectors(self.given.rows, k)
        return self._ready

    def nearest_across(self, labels: np.ndarray, rows: np.ndarray, threads: Threads) -> tuple[np.ndarray, np.ndarray]:
        """Find the nearest row of another label for each of ``rows``: indices (m,), and distances (m,) in the order of
        the metric's.
        """
        if self.given.euclidean and self.given.rows is not None:
            if self._single is None:
                self._single = Vectors(self.given.rows, 1)
            j, d = search(self._single, rows, 1, threads, labels)
        else:
            j, d = self.given.table_nearest(rows, 1, threads, labels)
        return j[:, 0], d[:, 0]

    def _distinct_nearest(
        self, X: Any, k: int, rng: np.random.Generator, threads: Threads, device: Device | None
    ):
        """Indices and squared distances of the nearest, among rows of which no two are equal."""
        n, d = X.shape
        if issparse(X):
            columns = np.diff(X.tocsc().indptr).astype(np.float64)
            work = max(SPARSE_PRODUCT * float(np.sum(columns * columns)), SPARSE_PAIR * float(n) ** 2)
        else:
            work = float(n) ** 2 * min(d, 130)
        products = float(n) ** 2 <= EXACT_PAIRS and work <= EXACT_WORK
        growth = TREE_GROWTH**d if d <= TREE_COLUMNS and not issparse(X) else np.inf
        if TREE_PAYS * growth < n and growth * n <= TREE_WORK:
            tree = Tree(X)
            if d < TREE_DOUBTFUL or not products or TREE_PAYS_MORE * TREE_GROWTH ** tree.dimension() < n:
                return *tree.nearest(k, threads), ()
        if device is not None and n >= device.least and not issparse(X):
            return *device.nearest(X, k), ()
        if products:
            return *search_all(Vectors(X, k), k, threads), ()
        found = self._approximate(X, k, rng, threads)
        return found.indices, found.distances, found.notes

    def _approximate(self, X: Any, k: int, rng: np.random.Generator, threads: Threads) -> Neighbors:
        """Search by pynndescent: distances in the metric, squared ones where it is Euclidean."""
        name = self.given.name_for_pynndescent()
        try:
            from pynndescent import NNDescent
        except ImportError:
            raise missing_extra(
                "pynndescent",
                "vectors",
                f"neighbors among {X.shape[0]} rows, too many to compare all of them",
            ) from None
        notes = []
        searched, ask = X, k
        if self.pca == "auto" and self.given.euclidean and X.shape[1] > LONGEST:
            ask = min(MORE * k, X.shape[0] - 1)
            searched = principal_components(X, REDUCED)[0].astype(np.float32)
            notes.append(f"they were searched for in the first {REDUCED} principal components of {X.shape[1]} columns")
        index = NNDescent(
            searched,
            metric=name,
            metric_kwds=self.given.params or None,
            n_neighbors=ask + 1,
            random_state=int(rng.integers(2**31 - 1)),
            n_jobs=threads.count,
        )
        assert index.neighbor_graph is not None
        indices, distances, short = _without_self(*index.neighbor_graph, ask)
        if self.given.euclidean:
            rows = np.repeat(np.arange(len(indices)), ask)
            measured = squared_distances(X, rows, indices.ravel())
            indices, distances = first_k(rows, indices.ravel(), measured, len(indices), k)
        if len(short):  # the search has not found enough for these: look at all
            if self.given.euclidean:
                indices[short], distances[short] = search(Vectors(X, k), short, k, threads)
            else:
                indices[short], distances[short] = self.given.table_nearest(short, k, threads)
        found = self._recall(X, indices, distances, k, threads)
        about = (
            f"the neighbors of {X.shape[0]} rows are approximate, {found:.1%} of the nearest were found "
            f"({SAMPLED} rows looked at), and they may differ from run to run"
        )
        return Neighbors(indices, distances, (about, *notes))

    def _recall(self, X: Any, indices: np.ndarray, distances: np.ndarray, k: int, threads: Threads) -> float:
        """Part of the k nearest that `SAMPLED` rows have in their lists; of equally near ones any will do."""
        rows = np.linspace(0, len(indices) - 1, SAMPLED).astype(np.int64)
        if self.given.euclidean:
            exact = search(Vectors(X, k), rows, k, threads)[1]
        else:
            exact = self.given.table_nearest(rows, k, threads)[1]
        near = exact[:, -1:] * (1 + ROUNDING)
        return float(np.mean(distances[rows] <= near))


def _along(X: Any, directions: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Rows in principal components, each summed alone and in one order."""
    shift = np.einsum("j,jk->k", mean, directions)
    if issparse(X):
        return np.asarray(X @ directions) - shift
    return np.einsum("ij,jk->ik", X.astype(np.float64), directions) - shift


def _distinct(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """First row of each kind, (u,), and the kind of every row, (n,): equal rows are of one kind."""
    seen: dict[bytes, int] = {}
    group = np.empty(X.shape[0], dtype=np.int64)
    first = []
    if issparse(X):
        rows = (
            X.indices[a:b].tobytes() + X.data[a:b].tobytes()
            for a, b in zip(X.indptr[:-1].tolist(), X.indptr[1:].tolist(), strict=True)
        )
    else:
        rows = ((row + 0).tobytes() for row in X)  # -0.0 + 0 is 0.0
    for i, row in enumerate(rows):
        key = blake2b(row, digest_size=16).digest()
        group[i] = kind = seen.setdefault(key, len(seen))
        if kind == len(first):
            first.append(i)
    return np.array(first), group


def _with_copies(
    indices: np.ndarray, squared: np.ndarray, first: np.ndarray, group: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Neighbors among all rows from those among distinct ones: a row's own copies at 0, then its neighbors' copies."""
    kinds, n = len(first), len(group)
    members = np.argsort(group, kind="stable")
    size = np.bincount(group, minlength=kinds)
    begin = np.cumsum(size) - size
    # each kind's list of kinds, itself first; of every kind at most k + 1 members can matter
    listed = np.column_stack([np.arange(kinds), indices]).ravel()
    distance = np.column_stack([np.zeros(kinds), squared]).ravel()
    owner = np.repeat(np.arange(kinds), indices.shape[1] + 1)
    take = np.minimum(size, k + 1)[listed]
    offset = np.arange(take.sum()) - np.repeat(np.cumsum(take) - take, take)
    i, d = np.repeat(owner, take), np.repeat(distance, take)
    j = members[np.repeat(begin[listed], take) + offset]
    best, at = first_k(i, j, d, kinds, k + 1)
    best, at = best[group], at[group]  # one too many: the row itself, or the last
    own = best == np.arange(n)[:, None]
    own[:, -1] |= ~own.any(axis=1)
    return best[~own].reshape(n, k), at[~own].reshape(n, k)


def _without_self(found: np.ndarray, distances: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Drop each row itself from the (n, k + 1) lists of an approximate search: (n, k), and the rows with too few."""
    bad = (found == np.arange(len(found))[:, None]) | (found < 0)
    order = np.argsort(bad, axis=1, kind="stable")[:, :k]
    short = np.flatnonzero(np.take_along_axis(bad, order, 1).any(axis=1))
    found = np.take_along_axis(found, order, 1).astype(np.int64)
    return found, np.take_along_axis(distances, order, 1).astype(np.float64), short
