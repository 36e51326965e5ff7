"""The k nearest rows of each row under a metric: exact, or approximate for large tables.

`nearest` searches under Euclidean metrics, and tables of distances serve other metrics. `backends` takes larger
tables. A device compares all pairs of dense rows of many columns. Equal distances are ordered by index, and equal rows
are neighbors at distance 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from nelayout.core.record.progress import counted
from nelayout.core.sums.device import Device
from nelayout.errors import InputError
from nelayout.numerics.nearest import (
    DIRECTIONS,
    TREE_COLUMNS,
    TREE_WORK,
    Table,
    first_k,
    nearest_different,
    nearest_rows,
    squared_distances,
    takes_tree,
)
from nelayout.numerics.parallel import Threads
from nelayout.numerics.principal import principal_components
from nelayout.vectors.backends import choose, has_quick
from nelayout.vectors.input import Neighbors, count
from nelayout.vectors.metrics import prepare

__all__ = ["DuplicateRows", "NeighborIndex", "row_keys", "search_seconds"]

# Largest number of pairs of rows, and of pairs times columns, for products of matrices; largest pairs times columns for
# tables of distances; part of the pairs up to which they are compared although a quick package is installed.
EXACT_PAIRS, EXACT_WORK, TABLE_WORK, BESIDE_QUICK = 4e10, 2e12, 3e11, 1 / 8
# Number of rows that choose the effort of an approximate search, and of rows that measure its recall.
SAMPLED = 200
# Seconds of a search on one core: for each row of a k-d tree; for each pair of compared rows, and for each column of a
# pair; for each row of an index of another package, and for each of its numbers.
TREE_ROW, PAIR, PAIR_COLUMN, INDEXED_ROW, INDEXED_COLUMN = 3e-5, 3e-9, 9e-11, 3e-4, 5e-7


class NeighborIndex:
    """Rows and a metric between them."""

    def __init__(
        self, X: Any, metric: Any = "euclidean", params: dict[str, Any] | None = None, pca: int | str | None = None
    ) -> None:
        self.n, self._made_of = X.shape[0], (X, metric, params, pca)
        n, d = X.shape
        if isinstance(pca, bool) or not (pca is None or pca == "auto" or isinstance(pca, (int, np.integer))):
            raise InputError(f"pca must be 'auto', None or a number of components; got {pca!r}")
        if isinstance(pca, (int, np.integer)):
            if metric == "precomputed":
                raise InputError("pca reduces vectors; metric='precomputed' has only distances: leave pca out")
            pca = count(pca, "pca", min(n, d), f"X is {n} x {d}")
        self.given = prepare(X, metric, params)
        self._tables: dict[int, Table] = {}
        if isinstance(pca, int):
            bring, (scores, directions, mean) = self.given.bring, principal_components(self.given.rows, pca)
            shift = np.einsum("j,jk->k", mean, directions)

            def along(X: Any) -> np.ndarray:
                Z = bring(X)
                if issparse(Z):
                    return np.asarray(Z @ directions) - shift
                return np.einsum("ij,jk->ik", Z.astype(np.float64), directions) - shift  # sums in one fixed order

            self.given = replace(self.given, rows=scores, bring=along)

    def __reduce__(self):
        return NeighborIndex, self._made_of  # functions of a metric cannot be pickled

    def nearest(
        self,
        k: int,
        rng: np.random.Generator,
        threads: Threads,
        device: Device | None = None,
        progress: bool = False,
        backend: str | None = None,
    ) -> Neighbors:
        """Find the k nearest other rows of each row.

        ``device``, if any, compares long rows. ``backend`` is "exact", a name in `backends`, or None for a choice.
        """
        X, exact, notes = self.given.rows, backend == "exact", ()
        if not self.given.euclidean:
            if exact or (backend is None and (X is None or float(self.n) ** 2 * X.shape[1] <= TABLE_WORK)):
                with _counting(self.n, progress) as done:
                    found = nearest_rows(self.given, k, threads, np.arange(self.n), done=done)
                return Neighbors(*found, self.given.notes)
            indices, distances, note = self._approximate(X, k, rng, threads, backend, progress)
            return Neighbors(indices, distances, (note,))
        copies = DuplicateRows.of(X)
        distinct = copies.one_of_each(X)
        few, free = min(k, distinct.shape[0] - 1), exact or backend is None
        if not few:
            indices, squared = np.zeros((1, 0), dtype=np.int64), np.zeros((1, 0))
        elif free and device is not None and self.n >= device.least and not (issparse(X) or takes_tree(X)):
            indices, squared = device.nearest(distinct, few)
        elif exact or (free and (takes_tree(distinct) or _affordable(distinct, has_quick(self.given)))):
            with _counting(distinct.shape[0], progress) as done:
                indices, squared = nearest_different(distinct, few, threads, done)
        else:
            indices, squared, note = self._approximate(distinct, few, rng, threads, backend, progress)
            notes = (note,)
        if copies.any:
            indices, squared = copies.neighbors(indices, squared, k)
        return Neighbors(indices, self.given.convert(squared), notes)

    def nearest_from(self, X: Any, k: int, threads: Threads) -> Neighbors:
        """Find the k nearest rows of each row of another table (`input.read_rows`), exactly."""
        indices, distances = nearest_rows(self._searched(k), k, threads, others=self.given.bring(X))
        return Neighbors(indices, self.given.convert(distances) if self.given.euclidean else distances)

    def nearest_across(self, labels: np.ndarray, rows: np.ndarray, threads: Threads) -> tuple[np.ndarray, np.ndarray]:
        """Find each row's nearest row of another label: indices and monotone distances (m,)."""
        j, d = nearest_rows(self._searched(1), 1, threads, rows, labels=labels)
        return j[:, 0], d[:, 0]

    def _searched(self, k: int) -> Any:
        """Return the table of a search for k neighbors; cached."""
        if not self.given.euclidean:
            return self.given
        if k not in self._tables:
            self._tables[k] = Table(self.given.rows, k)
        return self._tables[k]

    def _approximate(
        self, X: Any, k: int, rng: np.random.Generator, threads: Threads, name: str | None, progress: bool
    ) -> tuple[np.ndarray, np.ndarray, str]:
        """Search by another package, compute distances again, squared; note the recall."""
        backend, metric = choose(name, self.given), self.given
        n, seed = X.shape[0], int(rng.integers(2**31 - 1))
        table: Any = Table(X, k) if metric.euclidean else metric
        some = np.random.default_rng(0).permutation(n)[: 2 * SAMPLED]
        near, measured = nearest_rows(table, k, threads, some)
        trial, some, farthest = (some[:SAMPLED], near[:SAMPLED]), some[-SAMPLED:], measured[-SAMPLED:, -1:]
        with _counting(n, progress) as done:
            found, known = backend.search(X, k, seed, threads, metric, trial, done)
        bad = (found == np.arange(n)[:, None]) | (found < 0)  # the row itself, or none
        order = np.argsort(bad, axis=1, kind="stable")[:, :k]
        short = np.flatnonzero(np.take_along_axis(bad, order, 1).any(axis=1))
        indices = np.take_along_axis(found, order, 1).astype(np.int64)
        if metric.euclidean or known is None:
            indices.sort(axis=1)  # the index orders equal distances
            measured = squared_distances(X, np.repeat(np.arange(n), k), X, indices.ravel()).reshape(n, k)
            order = np.argsort(measured, axis=1, kind="stable")
            indices, distances = (np.take_along_axis(values, order, 1) for values in (indices, measured))
        else:
            distances = np.take_along_axis(known, order, 1).astype(np.float64)
        if len(short):  # rows with too few neighbors
            indices[short], distances[short] = nearest_rows(table, k, threads, short)
        recall = np.mean(distances[some] <= farthest * (1 + 1e-5))  # pynndescent measures in single precision
        note = (
            f"the neighbors of {n} rows are approximate, {recall:.1%} of the nearest were found (by {backend.name}, "
            f"measured on {len(some)} rows)"
        )
        note += "; backend='exact' finds all" if backend.repeats else ", and they may differ from run to run"
        return indices, distances, note


@contextmanager
def _counting(rows: int, progress: bool) -> Iterator[Callable[[int], object]]:
    """Show how many of `rows` are finished, if `progress`; yield a function for more rows."""
    if not progress:
        yield int
        return
    with counted("neighbors", "rows", rows) as bar:

        def done(more: int) -> None:
            with bar.get_lock():  # several threads search
                bar.update(more)

        yield done


def _affordable(X: Any, quick: bool) -> bool:
    """Return True if products of matrices take at most about a minute.

    ``quick``: some seconds, because a quick package is installed.
    """
    (n, d), part = X.shape, BESIDE_QUICK if quick else 1.0
    work = float(n) ** 2 * min(d, DIRECTIONS)
    if issparse(X):  # in dense columns: a product of two entries costs 20, a pair 100
        filled = np.bincount(X.indices, minlength=d).astype(np.float64)
        work = max(20.0 * float(np.sum(filled**2)), 100.0 * float(n) ** 2)
    return float(n) ** 2 <= part * EXACT_PAIRS and work <= EXACT_WORK


def search_seconds(n: int, d: int) -> float:
    """Return the forecast seconds of a search for the neighbors of n rows of d numbers."""
    if d <= TREE_COLUMNS and n * 2.0**d <= TREE_WORK:
        return TREE_ROW * n
    pairs = float(n) ** 2
    compared = pairs <= EXACT_PAIRS and pairs * min(d, DIRECTIONS) <= EXACT_WORK
    return pairs * (PAIR + PAIR_COLUMN * d) if compared else n * (INDEXED_ROW + INDEXED_COLUMN * d)


def row_keys(X: Any) -> Iterator[bytes]:
    """Yield a key for each row: equal rows have equal keys, for any type of numbers."""
    if issparse(X):
        for a, b in zip(X.indptr[:-1].tolist(), X.indptr[1:].tolist(), strict=True):
            yield X.indices[a:b].astype(np.int64).tobytes() + X.data[a:b].tobytes()
    else:
        for row in X:
            yield blake2b((row.astype(np.float64) + 0.0).tobytes(), digest_size=16).digest()  # -0.0 + 0.0 is 0.0


@dataclass(frozen=True, slots=True)
class DuplicateRows:
    """Kind (n,) of each row, one number for all equal rows, and first row (u,) of each kind.

    Equal rows are drawn once, as one node with all their weights and masses; afterwards, copies are set beside it. A
    search for neighbors breaks ties by index, so copies have different neighbors, which would separate them. Rows 0 and
    2 are equal, so that three of four rows are drawn::

    >>> copies = DuplicateRows.of(np.array([[1.0], [5.0], [1.0], [6.0]]))
    >>> copies.kind.tolist(), copies.first.tolist()
    ([0, 1, 0, 2], [0, 1, 3])
    >>> square = csr_array([[0.0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 1], [0, 1, 1, 0]])
    >>> copies.merged(square)[0].toarray().tolist()
    [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    """

    kind: np.ndarray
    first: np.ndarray

    @classmethod
    def of(cls, X: Any) -> DuplicateRows:
        """Find the equal rows of a table."""
        seen: dict[bytes, int] = {}
        kind = np.array([seen.setdefault(key, len(seen)) for key in row_keys(X)], dtype=np.int64)
        return cls(kind, np.unique(kind, return_index=True)[1])

    @property
    def any(self) -> bool:
        """True if two rows are equal."""
        return len(self.first) < len(self.kind)

    def one_of_each(self, values: Any) -> Any:
        """Return the values (u, ...) of the first rows of all kinds; None and names stay."""
        return values[self.first] if self.any and hasattr(values, "shape") else values

    def neighbors(self, indices: np.ndarray, squared: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Extend neighbors of kinds to all rows: own copies, then copies of neighbors."""
        kinds, n = len(self.first), len(self.kind)
        members = np.argsort(self.kind, kind="stable")
        size = np.bincount(self.kind, minlength=kinds)
        begin = np.cumsum(size) - size
        # Each kind's list of kinds, itself first; at most k + 1 members of a kind can be neighbors.
        listed = np.column_stack([np.arange(kinds), indices]).ravel()
        distance = np.column_stack([np.zeros(kinds), squared]).ravel()
        owner = np.repeat(np.arange(kinds), indices.shape[1] + 1)
        take = np.minimum(size, k + 1)[listed]
        offset = np.arange(take.sum()) - np.repeat(np.cumsum(take) - take, take)
        j = members[np.repeat(begin[listed], take) + offset]
        best, at = first_k(np.repeat(owner, take), j, np.repeat(distance, take), kinds, k + 1)
        best, at = best[self.kind], at[self.kind]  # one entry too many: the row itself, or the last
        own = best == np.arange(n)[:, None]
        own[:, -1] |= ~own.any(axis=1)
        return best[~own].reshape(n, k), at[~own].reshape(n, k)

    def merged(self, graph: csr_array, shares: np.ndarray | None = None) -> tuple[csr_array, np.ndarray | None, Any]:
        """Return the graph of kinds, similarities of rows on its edges, and `Known.merged`."""
        u, of = len(self.first), np.repeat(self.kind, np.diff(graph.indptr)).astype(np.int64)
        to = self.kind[graph.indices]
        apart = of != to
        key, at = np.unique(of[apart] * u + to[apart], return_inverse=True)
        i, j = key // u, key % u
        ends = np.searchsorted(i, np.arange(u + 1)).astype(np.int32)
        each = csr_array((np.bincount(at, graph.data[apart], len(key)), j.astype(np.int32), ends), (u, u))
        both = csr_array((each + each.T) / 2.0)  # bits equal to the transpose
        both.sort_indices()
        within = float(1.0 - both.sum() / graph.sum()), np.bincount(self.kind)
        if shares is None:
            return both, None, within
        rows = np.bincount(at, shares[apart], len(key))
        alone = np.bincount(i, rows, u)[i] == 0  # kinds with no neighbors other than their copies
        rows[alone] = both.data[alone]
        return both, rows / np.bincount(i, rows, u)[i], within

    def masses(self, mass: Any) -> Any:
        """Return the masses of kinds, sums over their rows; names stay, except "unit"."""
        if isinstance(mass, str) and mass != "unit":
            return mass
        n = len(self.kind)
        given = [mass[k] for k in range(n)] if isinstance(mass, Mapping) else 1.0 if isinstance(mass, str) else mass
        return np.bincount(self.kind, np.broadcast_to(np.asarray(given, np.float64), n))
