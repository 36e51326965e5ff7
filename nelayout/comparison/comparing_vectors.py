"""`compare_vectors`: embeddings of the same vectors, made here by name or given, are measured with the same samples."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from nelayout.catalogue import method_named
from nelayout.catalogue.record import Method
from nelayout.comparison import drawings as given
from nelayout.comparison.compared import Comparison
from nelayout.comparison.comparing import check_measures, check_method, comparison_of
from nelayout.comparison.entries import Entry, Run, entries_of, function_entry, peer_entry, say_points, take_part
from nelayout.comparison.measuring import Measured, integer_seed, sample_size
from nelayout.comparison.measuring_vectors import check_rows, finite_rows, measure_vectors
from nelayout.comparison.peers import vector_peer, vector_peers
from nelayout.graphs import points
from nelayout.numerics.parallel import thread_count
from nelayout.vectors.embedding import solve_vectors
from nelayout.vectors.input import read_rows

__all__ = ["compare_vectors"]


def compare_vectors(
    X: Any,
    drawings: Mapping[str, Any] | Iterable[Any],
    labels: Any = None,
    *,
    metric: Any = "euclidean",
    measures: str | Iterable[str] | None = None,
    seeds: int = 1,
    sample: str | int | None = "auto",
    seed: Any = 0,
    n_jobs: int | None = None,
) -> Comparison:
    """Measure several embeddings of the same vectors with the same samples, and show them side by side.

    Parameters
    ----------
    X : (n, d) array, frame, nested list or sparse matrix, one row per sample.
    drawings : {name: drawing} or a list of drawings, at least one. Each is

        - an (n, dim) array, or several of them as an array (runs, n, dim); pictures and pages show up to three
          dimensions;
        - the name of a method ("ws-sne", "t-sne"), or a `Method`: made as `embed` does;
        - the name of another package's map, with that package's defaults and Euclidean distances: "opentsne", "umap",
          "sklearn:pca", "sklearn:tsne", "sklearn:isomap", "sklearn:spectral", "sklearn:lle". One that is not installed
          or fails is left out with a warning;
        - a function of ``X``, which gets ``seed=`` where it takes one.
    labels : classes of the rows, as in `measure`.
    metric : of the distances in the input, for our methods and for the measures, as in `embed`.
    measures, sample : as in `measure_vectors`.
    seeds, seed, n_jobs : as in `compare`.

    Returns
    -------
    Comparison
        as of `compare`; its ``G`` is None.

    Raises
    ------
    InputError
        as `compare` does.

    Examples
    --------
    >>> import numpy as np, nelayout as nl
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> found = nl.compare_vectors(X, ["tsne", {"axes": X[:, :2]}["axes"]], measures="trustworthiness")
    >>> list(found.measured), found.front
    (['tsne', 'given'], ['tsne'])
    """
    thread_count(n_jobs)
    check_measures(measures)
    sample, seed = sample_size(sample), integer_seed(seed)
    rows = read_rows(X, metric)
    network = points(np.zeros((rows.shape[0], 2)))
    check_rows("labels", labels, rows.shape[0])
    names = given.class_names(network, labels)

    def place(name: str, pos: Any) -> np.ndarray:
        return finite_rows(pos, rows.shape[0], f"the drawing {name!r}")

    entries = entries_of(drawings, *_artists(X, rows, network.host.write, metric, n_jobs))
    for entry in entries:
        given.check_dimensions(entry.name, entry.given)
        for pos in entry.given:
            place(entry.name, pos)

    def find(name: str, pos: Any) -> dict[str, Measured]:
        Y = place(name, pos)
        return measure_vectors(X, Y, names, metric=metric, measures=measures, sample=sample, seed=seed)

    runs, notes = take_part(entries, seeds, seed)
    found = {name: [find(name, run.positions) for run in each] for name, each in runs.items()}
    say_points(runs, notes)
    first = {name: place(name, each[0].positions) for name, each in runs.items()}
    return comparison_of(found, first, runs, notes, entries, None, names)


def _artists(
    X: Any, rows: np.ndarray, close: Callable[[np.ndarray], Any], metric: Any, n_jobs: int | None
) -> tuple[Callable[[str, str], Entry], Callable[[str, Method], Entry], Callable[[str, Callable], Entry]]:
    """Makers of entries, of names, of methods and of functions, for `entries_of`."""

    def method(row: str, record: Method) -> Entry:
        def draw(seed: int) -> Run:
            began = time.perf_counter()
            found = solve_vectors(X, method=record, metric=metric, random_state=seed, n_jobs=n_jobs)
            return Run(found.positions, time.perf_counter() - began, found.notes)

        return Entry(row, draw=draw, seeded=True)

    def named(row: str, name: str) -> Entry:
        peer = vector_peer(name)
        if peer is None:
            check_method(name, vector_peers())
            return method(row, method_named(name))
        return peer_entry(row, peer, rows, close, n_jobs)

    return named, method, lambda row, function: function_entry(row, function, X)
