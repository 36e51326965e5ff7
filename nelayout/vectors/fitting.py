"""From vectors to a finished embedding: the graph of nearest neighbors, drawn by any method of the catalogue.

Groups that no neighbor joins would repel each other without end: the shortest edges between them are added to the
graph.

Perplexity annealing draws wide neighborhoods first, and each drawing is the start for neighborhoods half as wide (Lee,
Renard, Bernard, Dupont & Verleysen, Type 1 and 2 mixtures of Kullback-Leibler divergences as cost functions in
dimensionality reduction based on similarity preservation, Neurocomputing 112, 2013, sec. 5.3)::

    >>> scales(400, 30.0, 90)
    ((200.0, 399), (100.0, 300), (50.0, 150), (30.0, 90))
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array, issparse

from nelayout.catalogue import METHODS, OWNERS, method_named, own_keywords, tune
from nelayout.catalogue.keywords import checks_keywords
from nelayout.catalogue.options import DEFAULTS, check_options, generator
from nelayout.catalogue.record import Method
from nelayout.catalogue.stages import CoarseToFine, Descend
from nelayout.errors import InputError, InputTypeError, unknown
from nelayout.formula.connections import Fixed
from nelayout.numerics.parallel import Threads, threads_for
from nelayout.numerics.principal import principal_components
from nelayout.numerics.spectral import spectral_coordinates
from nelayout.record.solution import Progress, Solution, Step
from nelayout.run.alpha_walk import at_order
from nelayout.run.bending import Goal, goal_between
from nelayout.run.costs import warn_of_memory
from nelayout.run.drawing import Drawing
from nelayout.run.pipeline import run_parts
from nelayout.run.request import Known
from nelayout.run.variational_component import vector_features
from nelayout.sums.device import device_named
from nelayout.vectors.copies import Copies
from nelayout.vectors.entropic import entropic_rows, joint
from nelayout.vectors.fit import Fit
from nelayout.vectors.input import (
    NEIGHBORS,
    REACH,
    Neighbors,
    Start,
    count,
    has_components,
    most_known,
    read_init,
    read_neighbors,
    read_rows,
    support,
)
from nelayout.vectors.joining import Similarities, edges_in_words, is_similarity, join_components
from nelayout.vectors.knn import neighbor_graph, space_of
from nelayout.vectors.metrics import Metric
from nelayout.vectors.neighbors import Space

__all__ = ["at_perplexity", "check_dimensions", "fit_vectors", "scales"]

# Neighbors of a row are SHARED_NEIGHBORS / n, at least and at most these, unless the user says otherwise.
SHARED_NEIGHBORS, LEAST_NEIGHBORS, MOST_NEIGHBORS = 30_000, 20, 60
# Similarities of the widest scale of annealing, and most steps at each scale but the last.
ANNEALED_PAIRS, ANNEALED_STEPS = 1.5e7, 150
# Entries of a neighbor graph for each row and neighbor, both directions counted, and bytes at the peak of the search.
UNION, SEARCH_BYTES = 1.5, 150
# Common keywords that count as a method's options: they belong to the objective. The others have names of their own.
PASSED_ON = ("mass", "smoothing")


@checks_keywords
def fit_vectors(
    X: Any,
    method: str | Method = "ws-sne",
    *,
    n_components: int = 2,
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
    method : default "ws-sne"
        a name (``nelayout.methods()`` lists them) or a ``nelayout.Method``
    n_components : default 2
        columns of the answer: 1, 2 or 3
    n_neighbors : default 20 to 60, or 3 * perplexity
        k of the neighbor graph, from 1 to n - 1.  With a number and no perplexity all edges weigh 1.
        None: with a perplexity 3 times it, without one 30,000 / n, at least 20 and at most 60 (or n - 1).  With a
        perplexity "all" takes every other row
    perplexity : default 10 to 30, or none
        how many neighbors a row is worth by its weights, which have sum 1, as in `entropic_affinity`: a number > 1
        and below n_neighbors.  None: without n_neighbors half of the neighbors, with n_neighbors no weights.  Methods
        with a fixed connection ("ee", "linlog", "quadlog", "polylog") compare weights as they are, and "auto" counts
        hops: unless you say otherwise, these take 10 neighbors without weights.  With a perplexity "ee" needs a
        ``repulsion`` near 1 / (n perplexity) in place of 1
    perplexity_annealing : default False
        draw at perplexities n/2, n/4, ... before the given one, each from the drawing before, up to 150 steps of the
        method's last stage at each (Lee et al. 2013).  It suits closed surfaces and curves, and no rolled sheets.  A
        wide perplexity needs many similarities, and beyond 1.5e7 the annealing begins lower (the notes say where).
        ``max_iter`` is shared by all scales
    metric : default "euclidean"
        as in `knn_graph`; "similarity": X (n, n), dense or sparse, holds similarities >= 0 in place of vectors, and is
        the graph that is drawn, A + A^T where it differs from its transpose.  Neighbors and weights are then given:
        n_neighbors, perplexity, knn and pca are left out
    metric_params : default None
        parameters of the metric
    knn : default None
        (indices, distances), two (n, k) arrays of an index of your own, row by row the nearest rows and how far they
        are, as openTSNE and UMAP take them; a row may stand in its own list.  They replace the search.  X is still read
        for principal components and to join components
    pca : default "auto"
        as in `knn_graph`: an integer reduces the rows to so many principal components before they are compared
    init : default "auto"
        initial positions.  "auto" goes through coarser graphs and back.  It also draws one of these from the
        means of the first principal components, and keeps that drawing unless its stress is a third higher, which means
        a fold.  Under kernels with a tail it bends the drawing before each stage towards the distances between rows.
        "pca" takes the first principal components and the last stage alone, and is "auto" if the perplexity is
        annealed.  "spectral" takes the slowest directions of the random walk on the graph, "random" normal random
        numbers from ``random_state``.  Or an (n, n_components) array
    random_state : default None
        int, Generator or RandomState; the same seed gives the same bits
    n_jobs : default None
        threads; None: all cores
    max_iter : default None
        most steps of the method's last stage; None: the method's own, under a kernel with a tail as many for few rows
        as for many, because groups of rows drift apart under more
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
    chosen = _with_steps_of_many(chosen)
    rng = generator(random_state, "random_state")
    check_dimensions(n_components)
    if perplexity_annealing and perplexity is None:
        raise InputError("perplexity_annealing needs the perplexity to end at, e.g. perplexity=30")
    if knn is not None and perplexity_annealing:
        raise InputError("perplexity_annealing looks at more neighbors than knn has: leave one of them out")
    rows = read_rows(X, metric)
    n, dim = rows.shape[0], int(n_components)
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
    settings = check_options(dict(run))  # refused before neighbors are searched for, not after
    run |= {"seed": rng, "scale": None, "components": "joint"}
    if is_similarity(metric):
        _refuse_of_similarities(n_neighbors, perplexity, metric_params, knn, None if pca == "auto" else pca)
        table = Similarities(rows)
        start = read_init(init, None, n, dim, rng)
        graph, joins = table.joined_graph()
        begun = time.perf_counter() - began
        solution, parts = run_parts(graph, chosen, _start_on(graph, start, dim), None, run)  # pyright: ignore[reportArgumentType]
        solution = replace(solution, trace=_later(solution.trace, begun), seconds=begun + solution.seconds)
        return Fit(table, 0, None, graph, parts[0], replace(solution, notes=(*joins, *solution.notes)))
    lists = None if knn is None else read_neighbors(knn, n)
    most = most_known(rows, metric, lists)
    n_neighbors, perplexity = _weights(chosen, n_neighbors, perplexity, n, most)
    if perplexity is not None and "mass" not in passed:
        chosen = _with_equal_rows(chosen)
    space, k = space_of(rows, n_neighbors, metric, metric_params, pca, perplexity)
    if lists is not None:
        count(k, "n_neighbors", most, f"knn has {most}")
    known = space.given.rows
    if perplexity_annealing and isinstance(init, str) and init == "auto" and has_components(known, dim):
        init = "pca"
    copies = Copies.of(rows)
    start = copies.one_of_each(read_init(init, known, n, dim, rng))
    free = start is None and not perplexity_annealing
    sketch = copies.one_of_each(_outline(known, chosen, dim)) if free else None
    goal = _distance_goal(space.given, copies.first, chosen) if free else None
    if copies.any:
        run["mass"], callback = copies.masses(passed.get("mass", chosen.mass)), copies.told(callback)
        run["callback"] = callback
    plan: list[tuple[Any, int]] = [(perplexity, k)]
    if perplexity is not None and perplexity_annealing:
        plan = list(scales(n, float(perplexity), k))
    share = ANNEALED_STEPS if max_iter is None else min(ANNEALED_STEPS, max_iter // len(plan))
    widest = max(reach for _, reach in plan)
    warn_of_memory(chosen, settings, np.array([n]), np.array([round(UNION * n * widest)]), SEARCH_BYTES * n * widest)
    trace: tuple[Step, ...] = ()
    with threads_for(n_jobs) as threads:
        if lists is None:
            found = space.nearest(widest, rng, threads, device_named(device), progress)
        else:
            found = lists.first(widest)
        for number, (p, reach) in enumerate(plan):
            graph, shares, joins = at_perplexity(space, found.first(reach), p, threads)
            last = number == len(plan) - 1
            here = chosen if last else replace(at_order(chosen), variational=False)
            prefix = "" if last else f"perplexity {p:g}: "
            if len(plan) > 1:
                run["max_iter"] = share if not last else None if max_iter is None else max_iter - share * number
                run["callback"] = _told_on(callback, len(trace), prefix)
            features = copies.one_of_each(vector_features(known)) if here.variational else None
            begun = time.perf_counter() - began
            drawn, each = copies.merged(graph, shares) if copies.any else (graph, shares)
            facts = Known(True, each, features, sketch, goal, merged=copies.within(graph, drawn))
            solution, parts = run_parts(drawn, here, _start_on(drawn, start, dim), None, run, facts)  # pyright: ignore[reportArgumentType]
            trace += _later(solution.trace, begun, len(trace), prefix)
            if last or solution.reason == "stopped":
                break
            start = solution.positions
    about: tuple[str, ...] = ()
    if copies.any:
        run["mass"], method = passed.get("mass"), parts[0].method or here
        solution, parts = _with_copies(copies, solution, method, graph, shares, run)
        many = f"{n - len(copies.first):,} of the {n:,} rows are copies of others"
        about = (f"{many}: nelayout draws equal rows as one node and puts the copies beside it",)
    if perplexity_annealing and n / 2 > max(p for p, _ in plan):
        limit = f"the widest that {n} rows afford ({ANNEALED_PAIRS:.0e} similarities)"
        about += (f"the annealing of the perplexity begins at {plan[0][0]:g}, {limit}, not at {n / 2:g}",)
    notes = (*found.notes, *about, *joins, *solution.notes)
    solution = replace(solution, notes=notes, seconds=time.perf_counter() - began, trace=trace)
    return Fit(space, k, perplexity, graph, parts[0], solution)


def _with_copies(
    copies: Copies,
    drawn: Solution,
    method: Method,
    graph: csr_array,
    shares: np.ndarray | None,
    run: dict[str, Any],
) -> tuple[Solution, list[Drawing]]:
    """Return the solution for all rows, with the drawing of their graph, from the one for the kinds of rows."""
    run = {**run, "max_iter": 0, "callback": None, "progress": False}
    Y = copies.beside(np.asarray(drawn.positions))
    whole, parts = run_parts(graph, replace(method, variational=False), Y, None, run, Known(True, shares))  # pyright: ignore[reportArgumentType]
    own = {"reason": drawn.reason, "choice": drawn.choice, "method": drawn.method, "unit": 1.0}
    positions = np.asarray(whole.positions) * whole.unit
    return replace(whole, **own, positions=positions, notes=(*drawn.notes, *whole.notes)), parts


def scales(n: int, perplexity: float, k: int) -> tuple[tuple[float, int], ...]:
    """Return (perplexity, neighbors of a row) from n/2 down by halves to the given perplexity on its k neighbors.

    Scales that need more similarities than `ANNEALED_PAIRS` are left out.
    """
    wider, p = [], n / 2
    while p > perplexity:
        reach = support(None, p, n)
        if n * reach <= ANNEALED_PAIRS:
            wider.append((p, reach))
        p /= 2
    return (*wider, (float(perplexity), k))


def _later(trace: tuple[Step, ...], seconds: float, number: int = 0, prefix: str = "") -> tuple[Step, ...]:
    """Return the steps of a run that began after so many seconds and steps."""
    return tuple(Step(number + t.iteration, t.value, seconds + t.seconds, prefix + t.stage) for t in trace)


def _told_on(callback: Callable[..., object] | None, number: int, prefix: str) -> Callable[[Progress], object] | None:
    """Return the callback of a run after so many steps; ``prefix`` stands before the names of stages."""
    if callback is None:
        return None
    return lambda state: callback(replace(state, iteration=number + state.iteration, stage=prefix + state.stage))


def at_perplexity(
    space: Space, found: Neighbors, perplexity: float | None, threads: Threads
) -> tuple[csr_array, np.ndarray | None, tuple[str, ...]]:
    """Return the connected graph of neighbor lists, the similarities of rows on its pattern, and the note on joins.

    Edges weigh 1 if ``perplexity`` is None; else they are joint similarities, and the similarities of rows (nnz,) sum
    to one in each row.  An edge that joins components weighs 1 / (2 n perplexity): as if one of its ends counted the
    other as one of as many equal neighbors as the perplexity says.
    """
    if perplexity is None:
        rows, said = None, f"the graph of the {found.indices.shape[1]} nearest neighbors has {{}} components"
        graph, added = join_components(space, neighbor_graph(found, "union"), threads)
    else:
        rows, said = entropic_rows(found, perplexity, threads), f"the similarities of perplexity {perplexity:g} leave "
        said += "{} components apart"
        graph, added = join_components(space, joint(rows), threads, 0.5 / (space.n * perplexity))
    values = None if rows is None or perplexity is None else _on_pattern(rows, graph, 1.0 / perplexity)
    if not added:
        return graph, values, ()
    return graph, values, (f"{said.format(added + 1)}; {edges_in_words(added, not issparse(space.given.table))}",)


def _on_pattern(rows: csr_array, graph: csr_array, joining: float) -> np.ndarray:
    """Return ``rows`` on the pattern of the graph, each row divided by its sum.

    They are 0 where only the other end's row has an entry, and ``joining`` where an edge was added, or made heavier, to
    join components.
    """
    n = graph.shape[0]

    def keys(A: csr_array) -> np.ndarray:
        return np.repeat(np.arange(n, dtype=np.int64) * n, np.diff(A.indptr)) + A.indices

    values, at, there = np.zeros(graph.nnz), keys(graph), keys(rows)
    values[np.searchsorted(at, there)] = rows.data
    both = values + values[np.searchsorted(at, at % n * n + at // n)]
    values[graph.data > both / n] = joining  # without the join it weighs half of that
    return values / np.repeat(np.add.reduceat(values, graph.indptr[:-1]), np.diff(graph.indptr))


def _weights(method: Method, n_neighbors: Any, perplexity: Any, n: int, most: int) -> tuple[Any, Any]:
    """Return the number of neighbors and the perplexity as they were given, or the defaults if neither was.

    Methods with a fixed connection compare weights as they are, and "auto" counts hops: their default is the graph
    without weights.  Where no more than ``most`` neighbors of each row are known, these have to do.
    """
    if n_neighbors is not None or (perplexity is not None and most == n - 1):
        return n_neighbors, perplexity
    if perplexity is not None:
        return min(most, math.ceil(REACH * perplexity)), perplexity
    if n <= NEIGHBORS or _judges(method) or isinstance(method.connection, Fixed):
        return (None if most == n - 1 else min(most, NEIGHBORS)), None
    k = min(max(math.ceil(SHARED_NEIGHBORS / n), LEAST_NEIGHBORS), MOST_NEIGHBORS, most)
    return k, k / 2 if k > 2 else None


def _has_tail(method: Method) -> bool:
    return method.kernel.a > 0 and not method.kernel.singular


def _judges(method: Method) -> bool:
    """Whether a method chooses among drawings, as "auto" does."""
    return any(isinstance(stage, Descend) and stage.judged for stage in method.stages)


def _with_steps_of_many(method: Method) -> Method:
    """Return the method with as many steps for few rows as for many, if its kernel has a tail.

    Under such a kernel groups that few edges join drift apart without end.
    """
    if not _has_tail(method):
        return method
    stages = (replace(stage, small=None) if isinstance(stage, Descend) else stage for stage in method.stages)
    return replace(method, stages=tuple(stages))


def _with_equal_rows(method: Method) -> Method:
    """Return a method of the catalogue with rows that count alike, if its masses are the degrees of nodes."""
    degrees = isinstance(method.mass, str) and method.mass == "degree"
    return replace(method, mass="unit") if degrees and method.name in METHODS else method


def _outline(rows: Any, method: Method, dim: int) -> np.ndarray | None:
    """Return the first principal components (n, dim) of rows for a method with coarse levels."""
    if not has_components(rows, dim) or not any(isinstance(stage, CoarseToFine) for stage in method.stages):
        return None
    return principal_components(rows, dim)[0]


def _distance_goal(metric: Metric, rows: np.ndarray, method: Method) -> Goal | None:
    """Return distances between some of these rows, towards which a drawing is bent on its way, or None.

    Under kernels with a tail many arrangements of groups have nearly the same J.
    """
    if not _has_tail(method) or _judges(method) or method.variational:
        return None
    return goal_between(len(rows), lambda some, others: metric.between_some(rows[some], rows[others]), len(rows))


def _start_on(graph: csr_array, start: Start, dim: int) -> np.ndarray | None:
    """Return positions (n, dim) to start from on a connected graph; None for the method's own way."""
    if not isinstance(start, str):
        return start
    return spectral_coordinates(graph, dim) if dim < graph.shape[0] else None


def _refuse_of_similarities(n_neighbors: Any, perplexity: Any, metric_params: Any, knn: Any, pca: Any) -> None:
    """Refuse what a table of similarities has no use for."""
    asked = [name for name, value in locals().items() if value is not None]
    if asked:
        raise InputError(
            f"with metric='similarity' X is the graph that is drawn, and {asked[0]} would change it: leave it out"
        )


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
