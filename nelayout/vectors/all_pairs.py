"""The k nearest rows of every row of a table: exact, with each pair of rows bounded once.

`bounds.search` bounds every pair twice, from either row.  Where limits are known beforehand, distances that none of a
row's k nearest exceeds, half of the pairs do: a pair is measured where its bound is within the limit of one of its
rows.  The limits come from a few of the pairs.  Rows are grouped about some of them, and each is compared with the
groups nearest to its own, in which most of its neighbors are; the k-th nearest there is the limit.  Rows of many
independent columns have no such groups, and their limits are too wide: these are searched row by row, as small tables
are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.parallel import Threads, blas_on_one_thread
from nelayout.vectors.bounds import Vectors, first_k, nearest_bounds, search

__all__ = ["search_all"]

# Fewest rows, and rows per neighbor, for which limits pay: 20,000 rows take nine tenths of the time of a search row by
# row, 70,000 and 100,000 six tenths.
FEWEST, EACH = 20_000, 60
# Part of all rows that the largest group may have.
LARGEST = 0.125
# Part of all rows that each row is compared with for its limit, at least so many per neighbor, and nearest bounds
# measured there per neighbor. Of the parts 0.03, 0.06, 0.12 and of 1, 2, 3 bounds, these take the least time on MNIST.
SHARE, LEAST, MEASURED = 0.06, 15, 2
# Limits pay where a row has at most so many times as many pairs to be measured as in a search row by row, and so many
# more: a pair is then measured once for both of its rows.
WIDER, SPARE = 1.5, 20
# Rows whose limits are looked at before all.
SAMPLE = 64
# Pairs bounded at once for limits, 16 MB of float32; and rows and columns of a tile of all pairs, 8 MB.
LIMIT_PAIRS, TILE = 1 << 22, (512, 4096)
# Entries of neighbor lists sorted at once.
SORTED = 1 << 18


def search_all(vectors: Vectors, k: int, threads: Threads) -> tuple[np.ndarray, np.ndarray]:
    """Find the k nearest other rows of each row, nearest first, equal distances in the order of their index.

    Returns
    -------
    indices (n, k) int64, squared distances (n, k) float64: the bits of `bounds.search`, for any number of threads
    """
    n = vectors.n
    if vectors.right is None or n < max(FEWEST, EACH * k):
        return search(vectors, np.arange(n), k, threads)
    with blas_on_one_thread():
        groups = _Groups(vectors, threads)
        if not _pays(groups, k):
            return search(vectors, np.arange(n), k, threads)
        worst = np.empty(n)
        for rows, theirs in threads.map(lambda group: groups.limits(group, k), range(len(groups.begin))):
            worst[rows] = theirs
        return _within(vectors, worst, k, threads)


class _Groups:
    """Rows grouped by the one of some evenly chosen rows that is nearest to them by the bound."""

    def __init__(self, vectors: Vectors, threads: Threads) -> None:
        self.vectors, n = vectors, vectors.n
        assert vectors.right is not None
        centers = np.unique(np.linspace(0, n - 1, int(np.sqrt(n))).astype(np.int64))
        there = vectors.right[centers].T
        step = max(1, LIMIT_PAIRS // len(centers))

        def nearest(start: int) -> np.ndarray:
            return np.argmin(vectors.bound.left(np.arange(start, min(start + step, n))) @ there, axis=1)

        self.group = np.concatenate(threads.map(nearest, range(0, n, step)))
        self.members = np.argsort(self.group, kind="stable")
        self.size = np.bincount(self.group, minlength=len(centers))
        self.begin = np.cumsum(self.size) - self.size
        self.between = vectors.bound.left(centers) @ there

    def of(self, group: int) -> np.ndarray:
        """The rows of a group."""
        return self.members[self.begin[group] : self.begin[group] + self.size[group]]

    def limits(self, group: int, k: int, rows: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The rows of a group, or some of them, and squared distances (m,) that none of their k nearest exceeds."""
        vectors = self.vectors
        rows = self.of(group) if rows is None else rows
        near = np.argsort(self.between[group], kind="stable")
        enough = np.searchsorted(np.cumsum(self.size[near]), max(SHARE * vectors.n, LEAST * k)) + 1
        others = np.concatenate([self.of(other) for other in near[:enough]])
        there = vectors.right[others].T
        measured = min(MEASURED * k, len(others) - 1)
        worst, step = np.empty(len(rows)), max(1, LIMIT_PAIRS // len(others))
        for start in range(0, len(rows), step):
            here = rows[start : start + step]
            A = vectors.bound.left(here) @ there
            A[here[:, None] == others] = np.inf
            j = others[nearest_bounds(A, measured)]
            d2 = vectors.squared(np.repeat(here, measured), j.ravel()).reshape(-1, measured)
            worst[start : start + step] = np.partition(d2, k - 1, axis=1)[:, k - 1]
        return rows, worst


def _pays(groups: _Groups, k: int) -> bool:
    """Whether limits are found among few pairs, and leave few to be measured, which is tried on a few rows."""
    vectors = groups.vectors
    if np.max(groups.size) > LARGEST * vectors.n:
        return False
    rows = np.unique(np.linspace(0, vectors.n - 1, SAMPLE).astype(np.int64))
    found = np.concatenate([groups.limits(int(groups.group[row]), k, np.array([row]))[1] for row in rows])
    left = np.count_nonzero(vectors.bound(rows) <= vectors.bound.limit(found)[:, None]) / len(rows)
    return bool(left <= WIDER * vectors.left_over(k) + SPARE)


def _within(vectors: Vectors, worst: np.ndarray, k: int, threads: Threads) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest of each row, whose squared distances ``worst`` (n,) is not below."""
    n, (tall, wide) = vectors.n, TILE
    limit = vectors.bound.limit(worst)
    strips = range(0, n, tall)

    def strip(start: int) -> list[tuple[np.ndarray, ...]]:
        stop = min(start + tall, n)
        here, mine = vectors.bound.left(np.arange(start, stop)), limit[start:stop, None]
        bounds = np.empty((stop - start) * wide, dtype=here.dtype)
        masks = np.empty((2, (stop - start) * wide), dtype=bool)
        found = []
        for left in range(start, n, wide):
            right = min(left + wide, n)
            shape = stop - start, right - left
            pairs = shape[0] * shape[1]
            A = np.matmul(here, vectors.right[left:right].T, out=bounds[:pairs].reshape(shape))
            near, theirs = (mask[:pairs].reshape(shape) for mask in masks)
            near = np.less_equal(A, mine, out=near)
            near |= np.less_equal(A, limit[left:right], out=theirs)
            i, j = np.divmod(np.flatnonzero(near), shape[1])
            i, j = i + start, j + left
            if left < stop:  # each pair once, no row with itself
                i, j = i[i < j], j[i < j]
            d2 = vectors.squared(i, j)
            own, other = d2 <= worst[i], d2 <= worst[j]
            found.append((i[own], j[own], d2[own]))
            found.append((j[other], i[other], d2[other]))
        return found

    # The first strip is compared with all rows, the last one with its own alone: first and last, second and last but
    # one, and so on, are chunks of equal work.
    def strips_of(chunk: int) -> tuple[np.ndarray, ...]:
        both = {chunk, len(strips) - 1 - chunk}
        found = [part for number in sorted(both) for part in strip(strips[number])]
        return tuple(np.concatenate(part) for part in zip(*found, strict=True))

    parts = threads.map(strips_of, range((len(strips) + 1) // 2))
    i, j, d2 = (np.concatenate(part) for part in zip(*parts, strict=True))
    return _sorted(i, j, d2, n, k, threads)


def _sorted(
    i: np.ndarray, j: np.ndarray, d2: np.ndarray, n: int, k: int, threads: Threads
) -> tuple[np.ndarray, np.ndarray]:
    """The k smallest (d2, j) of each row i < n."""
    lists = csr_array((np.arange(len(i)), (i, j)), shape=(n, n))
    at, begin = np.asarray(lists.data), np.asarray(lists.indptr)
    cuts = np.unique(np.searchsorted(begin, np.arange(0, begin[-1], SORTED)))

    def block(number: int) -> tuple[np.ndarray, np.ndarray]:
        first, end = cuts[number], cuts[number + 1] if number + 1 < len(cuts) else n
        mine: Any = at[begin[first] : begin[end]]
        return first_k(i[mine] - first, j[mine], d2[mine], end - first, k)

    found = threads.map(block, range(len(cuts)))
    return np.concatenate([f[0] for f in found]), np.concatenate([f[1] for f in found])
