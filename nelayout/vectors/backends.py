"""Packages that search for near rows approximately, a function each, best first.

faiss and hnswlib compare rows in single precision, and look at as many candidates as some rows need for
`SOUGHT_RECALL`. Their answers have the same bits for any number of threads, because every row is searched by one thread
in the same index:

- faiss cuts the space into cells around centers of k-means, and compares a row with all rows of the nearest cells
  (Jegou, Douze & Schmid, Product quantization for nearest neighbor search, TPAMI 33, 2011, section IV);
- hnswlib walks on a layered graph, which one thread builds: several threads would build another graph in each run
  (Malkov & Yashunin, Efficient and robust approximate nearest neighbor search, TPAMI 42, 2020);
- pynndescent compares neighbors of neighbors (Dong, Moses & Li, Efficient k-nearest neighbor graph construction, WWW
  2011). It also takes sparse rows and other metrics.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.sparse import issparse

from nelayout.errors import Unsupported, missing_extra, unknown
from nelayout.numerics.blocks import rows_at_once
from nelayout.numerics.parallel import Threads
from nelayout.vectors.metrics import Metric

__all__ = ["BACKENDS", "Backend", "Trial", "check_backend", "choose", "has_quick"]

# Some rows (m,) and their nearest rows (m, k), to choose the effort of a search.
Trial = tuple[np.ndarray, np.ndarray]

# Share of the nearest rows that faiss and hnswlib are to find, where they can be told.
SOUGHT_RECALL = 0.98
# faiss: number of cells per root of the number of rows, rows per cell and rounds of k-means, and least rows in a cell.
CELLS_PER_ROOT, TRAINING_ROWS, TRAINING_ROUNDS, CELL_ROWS = 2.0, 64, 10, 40
# Rows that tell the unit of a search in single precision, and the largest number in this unit.
UNIT_ROWS, FARTHEST = 5000, 1e5
# hnswlib: links of a row, candidates while the graph is built, and most candidates while it is searched.
LINKS, BUILT_FROM, MAX_CANDIDATES = 16, 100, 2048
# A search of some rows in an index, the setter of its effort, the least and most effort, and all rows in an order in
# which near rows follow each other: their candidates are then in the cache.
Index = tuple[Callable[[np.ndarray], np.ndarray], Callable[[int], object], int, int, np.ndarray]


@dataclass(frozen=True, slots=True)
class Backend:
    """A package that searches approximately.

    name     its name, which is also the name of its module
    package  what pip calls it, and `extra` the extra of nelayout that installs it
    repeats  whether the same seed gives the same bits
    general  whether it takes sparse rows and metrics without a Euclidean form
    quick    whether it outruns comparing all pairs from a few ten thousand rows on
    search   (rows, k, seed, threads, metric, trial, done) -> numbers (n, k + 1) of near rows, perhaps with the row
             itself, -1 where it found none, and distances (n, k + 1) or None
    """

    name: str
    package: str
    extra: str
    repeats: bool
    general: bool
    quick: bool
    search: Callable[..., tuple[np.ndarray, np.ndarray | None]]


def check_backend(name: object) -> None:
    """Raise `InputError` unless the name is None, "exact" or a backend."""
    if name is not None and name not in ("exact", *BACKENDS):
        raise unknown("backend", name, ("exact", *BACKENDS))


def choose(name: str | None, metric: Metric) -> Backend:
    """Return the backend of a name; for None the first installed one for the metric."""
    rows = metric.rows
    if rows is None:
        raise Unsupported(f"backend {name!r} searches among vectors, and X holds distances; leave backend out")
    able = _able(metric)
    if name is not None and BACKENDS[name] not in able:
        what = "sparse rows" if metric.euclidean else f"metric {metric.name!r}"
        others = " or ".join(map(repr, ("exact", *(each.name for each in able))))
        raise Unsupported(f"backend {name!r} cannot take {what}; use {others}")
    if not able:
        raise Unsupported(
            f"{rows.shape[0]} rows are too many for metric {metric.name!r}, which looks at all pairs; "
            "use 'euclidean', 'cosine' or 'manhattan', or fewer rows"
        )
    wanted = able if name is None else [BACKENDS[name]]
    present = [each for each in wanted if find_spec(each.name) is not None]
    if not present:
        purpose = f"neighbors among {rows.shape[0]} rows" + (", too many to compare all of them" if not name else "")
        raise missing_extra(wanted[0].package, wanted[0].extra, purpose)
    return present[0]


def has_quick(metric: Metric) -> bool:
    """Return whether a quick backend for the metric is installed."""
    return any(each.quick and find_spec(each.name) is not None for each in _able(metric))


def _able(metric: Metric) -> list[Backend]:
    """Return the backends for the rows and their metric."""
    plain = metric.euclidean and not issparse(metric.rows)
    return [each for each in BACKENDS.values() if plain or (each.general and metric.in_pynndescent)]


@contextmanager
def _faiss(rows: np.ndarray, k: int, seed: int) -> Iterator[Index]:
    import faiss

    (n, d), before = rows.shape, faiss.omp_get_max_threads()
    cells = max(1, min(n // CELL_ROWS, round(CELLS_PER_ROOT * math.sqrt(n))))

    def look(some: np.ndarray) -> np.ndarray:
        faiss.omp_set_num_threads(1)  # a setting of each thread
        return index.search(some, k + 1)[1]

    def set_cells(near: int) -> None:
        index.nprobe = near

    try:
        faiss.omp_set_num_threads(1)
        index: Any = faiss.IndexIVFFlat(faiss.IndexFlatL2(d), d, cells)
        index.cp.seed, index.cp.niter, index.cp.max_points_per_centroid = seed, TRAINING_ROUNDS, TRAINING_ROWS
        index.cp.min_points_per_centroid = 1  # fewer rows than it likes are no fault: it would print a warning
        index.train(rows)
        cell = np.empty(n, dtype=np.int64)
        for some in _blocks(*rows.shape):
            cell[some] = index.quantizer.search(rows[some], 1)[1][:, 0]
            index.add(rows[some])
        yield look, set_cells, 1, cells, np.argsort(cell, kind="stable")
    finally:
        faiss.omp_set_num_threads(before)


@contextmanager
def _hnswlib(rows: np.ndarray, k: int, seed: int) -> Iterator[Index]:
    import hnswlib

    index = hnswlib.Index("l2", rows.shape[1])
    index.init_index(len(rows), M=LINKS, ef_construction=BUILT_FROM, random_seed=seed)
    for some in _blocks(*rows.shape):  # in the same order as at once; Ctrl-C ends it between blocks
        index.add_items(rows[some], num_threads=1)

    def look(some: np.ndarray) -> np.ndarray:
        try:
            return index.knn_query(some, k + 1, num_threads=1)[0].astype(np.int64)
        except RuntimeError:  # it found fewer for one of the rows
            return np.full((len(some), k + 1), -1)

    yield look, index.set_ef, k + 1, max(k + 1, MAX_CANDIDATES), np.arange(len(rows))


def _blocks(n: int, d: int) -> list[slice]:
    """Return blocks of n rows of d columns."""
    size = rows_at_once(64 * d)
    return [slice(start, start + size) for start in range(0, n, size)]


def _indexed(build: Callable[[np.ndarray, int, int], AbstractContextManager[Index]]) -> Callable[..., Any]:
    """Return the search by an index of rows in float32, with the effort that a trial needs."""

    def search(
        X: Any, k: int, seed: int, threads: Threads, metric: Metric, trial: Trial, done: Callable[[int], object]
    ) -> tuple[np.ndarray, None]:
        rows = _in_single_precision(X)
        with build(rows, k, seed) as (look, set_effort, effort, most, order):
            some, near = trial

            def suffices(effort: int) -> bool:
                set_effort(effort)
                return bool(np.mean((near[:, :, None] == look(rows[some])[:, None]).any(axis=2)) >= SOUGHT_RECALL)

            low, high = effort - 1, effort
            while high < most and not suffices(high):
                low, high = high, min(2 * high, most)
            while high - low > max(1, high // 8):  # closer is not worth a trial
                middle = (low + high) // 2
                low, high = (low, middle) if suffices(middle) else (middle, high)
            set_effort(high)

            found = np.empty((len(rows), k + 1), dtype=np.int64)

            def block(some: slice) -> None:
                found[order[some]] = look(rows[order[some]])
                done(len(order[some]))

            threads.map(block, _blocks(*rows.shape))
            return found, None

    return search


def _in_single_precision(X: np.ndarray) -> np.ndarray:
    """Return rows in float32 for a search, moved, divided and cut off.

    The unit is the typical deviation from the median in the widest column. One far-out number as the unit would leave
    all other rows equal.
    """
    some = X[np.linspace(0, len(X) - 1, min(len(X), UNIT_ROWS)).astype(np.int64)].astype(np.float64)
    middle = np.median(some, axis=0)
    away = np.abs(some - middle)
    unit = float(np.max(np.median(away, axis=0), initial=0.0)) or float(np.max(away, initial=0.0)) or 1.0
    with np.errstate(over="ignore"):  # it is cut off
        rows = (X - middle) / unit
    return np.ascontiguousarray(np.clip(rows, -FARTHEST, FARTHEST, out=rows), dtype=np.float32)


def _pynndescent(
    X: Any, k: int, seed: int, threads: Threads, metric: Metric, trial: Trial, done: Callable[[int], object]
) -> tuple[np.ndarray, np.ndarray]:
    from pynndescent import NNDescent

    how = {"metric": metric.in_pynndescent, "metric_kwds": metric.params or None}
    index = NNDescent(X, n_neighbors=k + 1, random_state=seed, n_jobs=threads.count, **how)
    assert index.neighbor_graph is not None
    done(X.shape[0])
    return index.neighbor_graph


# In the order of preference: faiss takes about as long as pynndescent and repeats its bits; hnswlib takes twice that.
BACKENDS = {
    each.name: each
    for each in (
        Backend("faiss", "faiss-cpu", "faiss", repeats=True, general=False, quick=True, search=_indexed(_faiss)),
        Backend("pynndescent", "pynndescent", "vectors", repeats=False, general=True, quick=False, search=_pynndescent),
        Backend("hnswlib", "hnswlib", "hnswlib", repeats=True, general=False, quick=False, search=_indexed(_hnswlib)),
    )
}
