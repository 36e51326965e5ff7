"""From vectors to a finished embedding: the graph of nearest neighbors, drawn by any method of the catalogue.

Groups that no neighbor joins would repel each other without end: the shortest edges between them are added to the
graph.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array, issparse

from nelayout.catalogue import OWNERS, method_named, own_keywords, tune
from nelayout.catalogue.record import Method
from nelayout.errors import InputError, InputTypeError, unknown
from nelayout.numerics.parallel import threads_for
from nelayout.run.costs import warn_of_memory
from nelayout.run.keywords import checks_keywords
from nelayout.run.options import DEFAULTS, check_options, generator
from nelayout.run.pipeline import run_parts
from nelayout.run.plan import MANY_ROWS as MANY
from nelayout.run.request import Known
from nelayout.run.variational_component import vector_features
from nelayout.sums.device import device_named
from nelayout.vectors.annealing import at_perplexity, draw_by_scales
from nelayout.vectors.defaults import (
    distance_goal,
    outline,
    weights_for,
    weights_of_ties,
    with_equal_rows,
    with_last_bend,
    with_steps_for_vectors,
)
from nelayout.vectors.fit import Fit
from nelayout.vectors.given import most_known, read_neighbors
from nelayout.vectors.input import count, read_rows
from nelayout.vectors.joining import edges_in_words, join_components
from nelayout.vectors.knn import neighbor_graph, space_of
from nelayout.vectors.neighbors import Space
from nelayout.vectors.searching import searching
from nelayout.vectors.similarities import Similarities, is_similarity
from nelayout.vectors.start import Start, has_components, read_init, start_on
from nelayout.vectors.wide_start import wide_start

__all__ = ["check_dimensions", "fit_vectors"]

# Entries of a neighbor graph per row and neighbor, both directions counted (found: 1.1 to 1.7 for 2 to 784 columns),
# and bytes at the peak of the search: of a block of pairs, and per row and neighbor.
UNION = 1.5
BYTES_SEARCH, BYTES_ROW, BYTES_NEIGHBOR = 200_000_000, 1000, 100

# Common keywords that count as a method's options: those of the objective. The others have names of their own here.
PASSED_ON = ("mass", "smoothing")


@checks_keywords
def fit_vectors(
    X: Any,
    n_components: int = 2,
    *,
    method: str | Method = "ws-sne",
    n_neighbors: int | Literal["all"] | None = None,
    perplexity: float | None = None,
    perplexity_annealing: bool = False,
    metric: Any = "euclidean",
    metric_params: dict[str, Any] | None = None,
    knn: tuple[Any, Any] | None = None,
    pca: int | Literal["auto"] | None = "auto",
    init: Any = "auto",
    random_state: Any = None,
    n_jobs: int | None = None,
    max_iter: int | None = None,
    tol: float | None = None,
    optimizer: Any = "auto",
    nbody: str = "auto",
    device: str = "cpu",
    callback: Callable[..., object] | None = None,
    progress: bool = False,
    method_options: dict[str, Any] | None = None,
    **own: Any,
) -> Fit:
    """Embed vectors, and keep all the evidence and all that placing new rows takes.

    Parameters
    ----------
    X : (n, d) array, frame, nested list or sparse matrix
        one row per sample
    n_components : default 2
        columns of the answer: 1, 2 or 3
    method : default "ws-sne"
        a name (``nelayout.methods()`` lists them) or a ``nelayout.Method``
    n_neighbors : default 15 to 90, or 3 * perplexity
        k of the neighbor graph, from 1 to n - 1.  A number without a perplexity is a graph whose edges all weigh 1.
        None: with a perplexity 3 times it, at most n - 1; without one 30,000 / n, at least 15 and at most 90 (or
        n - 1).  With a perplexity "all" takes every other row
    perplexity : default 10 to 30, or none
        how many neighbors a row is worth by its weights, which have sum 1, as in `entropic_affinity`: a number > 1
        and below n_neighbors.  None: without n_neighbors 15,000 / n, at least 10 (from 1,500 rows on) and at most
        30 (up to 500; or (n - 1) / 3), because among few rows the nearest ten are coarse and among many rows they
        are enough; 30 on 90 neighbors of up to 50,000 rows of which half of the neighbors are equally near, as where
        rows have few values (a note says so); with n_neighbors no weights.  Methods with a fixed connection ("ee",
        "linlog", "quadlog", "polylog") compare weights as they are, and "auto" counts hops: unless you say otherwise,
        these take 10 neighbors without weights.  With a perplexity "ee" needs a ``repulsion`` near
        1 / (n perplexity) in place of 1
    perplexity_annealing : default False
        draw at perplexities n/2, n/4, ... before the one asked for, each from the drawing before, up to 150
        steps of the method's last stage at each (Lee et al. 2013).  It suits closed surfaces and curves; on
        rolled sheets the value ends higher than without (see the page on vectors).  A wide perplexity needs many
        similarities, and beyond 1.5e7 the annealing begins lower (the notes of `solve_vectors` say where).
        ``max_iter`` is shared by all scales
    metric : default "euclidean"
        as in `knn_graph`; "similarity": X (n, n), dense or sparse, holds similarities >= 0 in place of vectors, and is
        the graph that is drawn, A + A^T where it differs from its transpose.  Neighbors and weights are then given:
        n_neighbors, perplexity, knn and pca are left out
    metric_params : default None
        parameters of the metric
    knn : default None
        (indices, distances), two (n, k) arrays of an index of your own, row by row the nearest rows and how far they
        are, as openTSNE and UMAP take them; a row may stand in its own list.  They are taken in place of a search;
        without n_neighbors and perplexity all of them count, at most as many as else.  X is still read: its
        principal components are an outline, and its rows are joined where the lists leave them apart
    pca : default "auto"
        as in `knn_graph`: an integer reduces the rows to so many principal components before they are
        compared
    init : default "auto"
        where the points start: "auto" goes through coarser and coarser graphs and back, one of which is also drawn from
        the means of the first principal components (that drawing is kept unless its stress is a third higher, which
        means a fold), under kernels with a tail bends the drawing before each stage towards the distances between rows,
        and of methods that compare rows with a Gaussian ("nerv", "jse", "alpha-sne") tries a start from wide
        neighborhoods of up to 3,000 rows as well (see the page on vectors); "pca" takes the first principal components,
        the steps of the method alone, and "spectral" the slowest directions of the random walk on the graph, those of
        the normalized Laplacian with the smallest eigenvalues; or an (n, n_components) array. When the perplexity is
        annealed, "auto" is "pca" where there are vectors to take components of
    random_state : default None
        int, Generator or RandomState; the same seed gives the same bits
    n_jobs : default None
        threads; None: all cores
    max_iter : default None
        most steps of the method's last stage; None: the method's own, under a kernel with a tail 80 (up to
        5,000 rows 30 of them after the last bend, the other 50 not counted here), because groups of rows drift apart
        under more
    tol : default None
        stop when rows move by less than this part of the typical distance between rows in each of five steps
    optimizer : default "auto"
        "auto", "majorize", "momentum", or one of nelayout.optimizers
    nbody : default "auto"
        how the sums over all pairs are done
    device : default "cpu"
        where large tables and graphs are worked on: "cpu", or a GPU by PyTorch ("cuda", "cuda:1", "mps"), which also
        compares all pairs of dense rows; "auto" takes a GPU if there is one
    callback : default None
        called with the state (iteration, stage, value, positions) after each step; True stops
    progress : default False
        show a progress bar
    method_options : default None
        the same as ``own`` in a dict
    own : none
        what the layout function of the method takes: tail=3.0 for "hssne", repulsion=0.1 for "ee", and mass or
        smoothing for any.  With a perplexity the methods of the catalogue count all rows alike unless mass says
        otherwise: ws-SNE is then t-SNE; with neighbors alone rows have the masses of the method
    """
    began = time.perf_counter()
    chosen, passed = _tuned(method, method_options, own)
    chosen = with_steps_for_vectors(chosen)
    rng = generator(random_state, "random_state")
    check_dimensions(n_components)
    if perplexity_annealing and perplexity is None:
        raise InputError("perplexity_annealing needs the perplexity to end at, e.g. perplexity=30")
    if knn is not None and perplexity_annealing:
        raise InputError("perplexity_annealing looks at more neighbors than knn has: leave one of them out")
    rows = read_rows(X, metric)
    dim = int(n_components)
    run: dict[str, Any] = {
        "dim": dim,
        "n_jobs": n_jobs,
        "max_iter": max_iter,
        "tol": tol,
        "optimizer": optimizer,
        "nbody": nbody,
        "device": device,
        "callback": callback,
        "progress": progress,
        **passed,
    }
    if is_similarity(metric):
        given = {"n_neighbors": n_neighbors, "perplexity": perplexity, "metric_params": metric_params, "knn": knn}
        _refuse_of_similarities({**given, "pca": None if pca == "auto" else pca})
        table = Similarities(rows)
        start = read_init(init, None, table.n, dim)
        graph, joins = table.joined_graph()
        return _drawn(table, 0, None, graph, start, chosen, {"seed": rng, **run}, Known(), joins, began)
    lists = None if knn is None else read_neighbors(knn, rows.shape[0])
    most = most_known(rows, metric, lists)
    by_default = n_neighbors is None and perplexity is None and lists is None
    n_neighbors, perplexity = weights_for(chosen, n_neighbors, perplexity, rows.shape[0], most)
    if perplexity is not None and "mass" not in passed:
        chosen = with_equal_rows(chosen)
    space, k = space_of(rows, n_neighbors, metric, metric_params, pca, perplexity)
    if lists is not None:
        count(k, "n_neighbors", most, f"knn has {most}")
    if perplexity is not None and perplexity_annealing:
        if isinstance(init, str) and init == "auto" and has_components(space.given.rows, dim):
            init = "pca"
        start = read_init(init, space.given.rows, space.n, dim)
        return draw_by_scales(space, k, float(perplexity), chosen, start, rng, **run)
    start = read_init(init, space.given.rows, space.n, dim)
    warn_of_memory(chosen, check_options(dict(run)), *_sizes(space.n, k))
    ties: tuple[str, ...] = ()
    with threads_for(n_jobs) as threads:
        if lists is None:
            with searching(threads, space.n, bool(progress)) as watched:
                found = space.nearest(k, rng, watched, device_named(device))
                if by_default and perplexity is not None and (wider := weights_of_ties(found)) is not None:
                    ties = (_about_ties(k, *wider),)
                    k, perplexity = wider
                    found = space.nearest(k, rng, watched, device_named(device))
        else:
            found = lists.first(k)
        if perplexity is not None:
            graph, shares, joins = at_perplexity(space, found, float(perplexity), threads)
        else:
            shares = None
            graph, added = join_components(space, neighbor_graph(found, "union"), threads)
            joins = _joins(space, k, added)
    features = vector_features(space.given.rows) if chosen.variational else None
    sketch = outline(space.given.rows, chosen, dim) if start is None else None
    goal = distance_goal(space.given, space.n, chosen) if start is None else None
    if goal is not None and space.n <= MANY:
        chosen = with_last_bend(chosen)
    known = Known(True, shares, features, sketch, goal)
    if start is None and perplexity is not None and lists is None:
        known = known._replace(other_start=wide_start(space, float(perplexity), chosen, rng, run))
    run, notes = {"seed": rng, **run}, (*found.notes, *ties, *joins)
    return _drawn(space, k, perplexity, graph, start, chosen, run, known, notes, began)


def _drawn(
    space: Space | Similarities,
    k: int,
    perplexity: float | None,
    graph: csr_array,
    start: Start,
    method: Method,
    run: dict[str, Any],
    known: Known,
    notes: tuple[str, ...],
    began: float,
) -> Fit:
    """The drawing of a connected graph of rows, whose seconds count from the search for neighbors on."""
    settings: Any = {"scale": None, "components": "joint", **run}
    before = time.perf_counter() - began
    found, parts = run_parts(graph, method, start_on(graph, start, run["dim"]), None, settings, known)
    trace = tuple(step._replace(seconds=before + step.seconds) for step in found.trace)
    whole = replace(found, notes=(*notes, *found.notes), seconds=before + found.seconds, trace=trace)
    return Fit(space, k, perplexity, graph, parts[0], whole)


def _refuse_of_similarities(given: dict[str, Any]) -> None:
    """Refuse what a table of similarities has no use for."""
    asked = [name for name, value in given.items() if value is not None]
    if asked:
        raise InputError(
            f"with metric='similarity' X is the graph that is drawn, and {asked[0]} would change it: leave it out"
        )


def _sizes(n: int, k: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Rows, entries of their graph, and bytes of the search for k neighbors of each."""
    search = BYTES_SEARCH + n * (BYTES_ROW + BYTES_NEIGHBOR * k)
    return np.array([n]), np.array([round(UNION * n * k)]), search


def _about_ties(k: int, wider: int, perplexity: float) -> str:
    return (
        f"many rows have more than {k} others equally near, and which of them are nearest would be chance: "
        f"{wider} neighbors and a perplexity of {perplexity:g} are taken"
    )


def _joins(space: Space, k: int, added: int) -> tuple[str, ...]:
    said = f"the graph of the {k} nearest neighbors has {added + 1} components"
    return (f"{said}; {edges_in_words(added, not issparse(space.given.table))}",) if added else ()


def check_dimensions(n_components: Any) -> None:
    """Raise `InputError` for anything but 1, 2 or 3 columns."""
    if hasattr(n_components, "__len__") and not isinstance(n_components, str):  # as in fit(X, y)
        kind = type(n_components).__name__
        raise InputTypeError(f"n_components must be 1, 2 or 3, given {kind}: labels are not read, leave them out")
    if isinstance(n_components, (bool, np.bool_)) or n_components not in (1, 2, 3):
        raise InputError(f"n_components must be 1, 2 or 3, given {n_components!r}")


def _tuned(
    method: str | Method, options: dict[str, Any] | None, own: dict[str, Any]
) -> tuple[Method, dict[str, Any]]:
    """Split the options: the method with its own, and the common ones."""
    if options is not None and not isinstance(options, dict):
        raise InputTypeError(f"method_options must be a dict or None, given {type(options).__name__}")
    twice = [name for name in options or () if name in own]
    if twice:
        raise InputTypeError(f"{', '.join(twice)} is given twice: as a keyword and in method_options")
    name = method_named(method).name
    for option in options or ():
        if option in DEFAULTS and option not in PASSED_ON:
            raise InputError(
                f"method_options cannot hold {option!r}; nelayout.embed has its own keywords, "
                "and a graph of your own is drawn by the layout functions"
            )
        if option not in (*OWNERS, *PASSED_ON):
            raise unknown(f"option of method {name!r}", option, (*own_keywords(name), *PASSED_ON))
    given = {**(options or {}), **own}
    passed = {option: given.pop(option) for option in PASSED_ON if option in given}
    return tune(method, **given), passed
