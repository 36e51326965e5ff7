"""Embed vectors as points: any method draws the graph of nearest neighbors.

Groups without a joining edge would repel each other without end, so the shortest edges between them are added.

Perplexity annealing draws wide neighborhoods first. Each drawing gives the initial positions for neighborhoods half as
wide. Source: Lee, Renard, Bernard, Dupont & Verleysen, Neurocomputing 112, 2013, sec. 5.3 ("Type 1 and 2 mixtures of
Kullback-Leibler divergences as cost functions").
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array, issparse

from nelayout.core import Settings
from nelayout.core.catalogue import METHODS, OWNERS, method_named, own_keywords, tune
from nelayout.core.catalogue.record import Method
from nelayout.core.catalogue.stages import CoarseToFine, Descend
from nelayout.core.formula.connections import Fixed
from nelayout.core.passes.drawing import Drawing
from nelayout.core.passes.variational_component import vector_features
from nelayout.core.placing.overlap import split_coincident
from nelayout.core.problem import Limit
from nelayout.core.record.solution import Frame, Progress, Solution, Step
from nelayout.core.run.alpha_walk import at_order
from nelayout.core.run.forecast import warn_of_memory
from nelayout.core.similarities.entropic import joint, on_pattern
from nelayout.core.sums.device import device_named
from nelayout.errors import InputError, InputTypeError, unknown, warn
from nelayout.keywords.options import DEFAULTS, check_options, generator
from nelayout.keywords.signatures import PASSED_ON, checks_keywords, takes_keywords_of
from nelayout.layouts.call import read_call
from nelayout.layouts.checkpoint import Checkpoint, check_kept, digest, named, seed_text
from nelayout.layouts.solving import solution_of
from nelayout.numerics.distances import row_distances
from nelayout.numerics.parallel import Threads, threads_for
from nelayout.numerics.principal import principal_components, spectral_coordinates
from nelayout.vectors import input as given
from nelayout.vectors.backends import check_backend
from nelayout.vectors.fit import Fit
from nelayout.vectors.input import Neighbors, Start
from nelayout.vectors.joining import edges_in_words, graph_of_similarities, join_components
from nelayout.vectors.knn import entropic_rows, neighbor_graph
from nelayout.vectors.neighbors import DuplicateRows, NeighborIndex, search_seconds

__all__ = [
    "SEARCH_BYTES", "UNION", "at_perplexity", "check_dimensions", "default_weights", "embed", "fit_vectors", "has_tail",
    "scales", "solve_vectors",
]  # fmt: skip

# Default neighbors of a row: SHARED_NEIGHBORS / n, between MIN_NEIGHBORS and MAX_NEIGHBORS. Least default
# perplexity; of fewer than 15 neighbors it is two thirds of them.
SHARED_NEIGHBORS, MIN_NEIGHBORS, MAX_NEIGHBORS = 30_000, 15, 60
MIN_PERPLEXITY = 10.0
# Largest number of similarities of a scale of annealing, and largest number of steps at each scale before the last.
ANNEALED_PAIRS, ANNEALED_STEPS = 1.5e7, 150
# Arguments of a run that change no bit of its result, and "seed", which has another name here.
UNNAMED = ("callback", "progress", "n_jobs", "seed")
# Per row and neighbor: entries of the symmetric neighbor graph, and peak bytes of the search.
UNION, SEARCH_BYTES = 1.5, 150


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
    backend: Literal["exact", "faiss", "hnswlib", "pynndescent"] | None = None,
    pca: int | Literal["auto"] | None = "auto",
    init: Any = "auto",
    random_state: Any = None,
    n_jobs: int | None = None,
    max_iter: int | None = None,
    time_limit: float | None = None,
    tol: float | None = None,
    optimizer: Any = "auto",
    nbody: str = "auto",
    device: str = "cpu",
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    callback: Callable[..., object] | None = None,
    progress: bool = False,
    method_options: dict[str, Any] | None = None,
    **own: Any,
) -> Fit:
    """Embed vectors; return all results and what `Fit.place` needs for new rows.

    Parameters
    ----------
    X : (n, d) array, frame, nested list or sparse matrix
        one row per sample
    method : default "ws-sne"
        a name (``nelayout.methods()`` lists them) or a ``nelayout.Method``
    n_components : default 2
        columns of the result: 1, 2 or 3
    n_neighbors : default 15 to 60, or 3 * perplexity
        k of the neighbor graph, from 1 to n - 1. A number without a perplexity gives all edges weight 1. None takes 3
        times the perplexity; without a perplexity 30,000 / n, at least 15 and at most 60 (or n - 1). If a perplexity is
        given, "all" takes every other row
    perplexity : default 10 to 30, or none
        effective number of neighbors by a row's weights, which have sum 1, as in `entropic_affinity`: a number > 1 and
        below n_neighbors. None takes half of the default neighbors and at least 10 (two thirds of fewer than 15
        neighbors), or no weights if n_neighbors is given. Methods with a fixed connection ("ee", "linlog", "quadlog",
        "polylog", "forceatlas2", "tfdp") use the weights' absolute values, and "auto" counts edges of paths. Their
        default is 10 neighbors without weights. For a perplexity, "ee" needs a ``repulsion`` near 1 / (n perplexity)
        instead of 1
    perplexity_annealing : default False
        draw at perplexities n/2, n/4, ... before the given one (Lee et al. 2013). Each drawing starts from the one
        before and takes up to 150 steps of the method's last stage. It suits closed surfaces and curves, but not rolled
        sheets. Perplexities that need more than 1.5e7 similarities are left out; a note has the first one. All scales
        share ``max_iter``
    metric : default "euclidean"
        as in `knn_graph`; "similarity": X (n, n), dense or sparse, holds similarities >= 0 instead of vectors. It is
        the drawn graph (A + A^T if it differs from its transpose). Leave n_neighbors, perplexity, knn and pca out then
    metric_params : default None
        parameters of the metric
    knn : default None
        (indices, distances), two (n, k) arrays from your own index: for each row the nearest rows and their distances,
        as in openTSNE and UMAP. A row may be in its own list. The lists replace the search. X is still used for
        principal components and to join components
    backend : default None
        what searches for neighbors, as in `knn_graph`: "exact", "faiss", "hnswlib", "pynndescent", or None for a choice
        by the number of rows. ``notes`` of `nelayout.solve_vectors` state the share of neighbors that were found
    pca : default "auto"
        as in `knn_graph`: an integer is the number of principal components in which rows are compared
    init : default "auto"
        initial positions. "auto" coarsens the graph and draws it from coarse to fine. It also draws one coarse graph
        from the first principal components, and keeps that drawing unless its stress is a third higher, which means a
        fold. For kernels with a tail, distances between rows count in the first descent. "pca" takes the first
        principal components and only the last stage; annealing uses it for "auto". "spectral" takes the slowest
        directions of the random walk on the graph, "random" normal random numbers from ``random_state``. Or an
        (n, n_components) array
    random_state : default None
        int, Generator or RandomState; the same seed gives the same bits, except with pynndescent
    n_jobs : default None
        threads; None: all cores
    max_iter : default None
        maximum iterations of the method's last stage; None: the method's own. A kernel with a tail takes the same
        number for few and many rows, because groups of rows drift apart in more iterations
    time_limit : default None
        seconds of the whole call, > 0: nelayout takes a plan that fits, and at the limit the best drawing so far. The
        search for neighbors takes the time that it needs
    tol : default None
        stop if rows move by less than this share of the typical distance between rows in each of five steps
    optimizer : default "auto"
        "auto", "majorize", "momentum", or one of nelayout.optimizers
    nbody : default "auto"
        how the sums over all pairs are done
    device : default "cpu"
        device for large tables and graphs: "cpu", or a GPU by PyTorch ("cuda", "cuda:1", "mps"), which also compares
        all pairs of dense rows; "auto" takes a GPU if there is one
    checkpoint : default None
        file for the state of the run, at most every few seconds, so that a run that was killed can go on. The neighbors
        of all rows are in a second file, with ".neighbors" after the name. A run that is over deletes both
    resume : default False
        go on from the file ``checkpoint`` of the same call, and end with the bits of a run without an interruption.
        Without the file the run starts anew and says so
    callback : default None
        called with the state (iteration, stage, value, positions, done, total, seconds_left) after each step; True
        stops
    progress : default False
        show a progress bar
    method_options : default None
        the same as ``own`` in a dict
    own : none
        keywords of the method's layout function: tail=3.0 for "hssne", repulsion=0.1 for "ee", and mass, smoothing or
        emphasis for any. If a perplexity is used, the default mass of every row is 1: ws-SNE is then t-SNE. In binary
        graphs rows have the masses of the method. emphasis takes distances between rows
    """
    began = time.perf_counter()
    chosen, passed = _tuned(method, method_options, own)
    rng = generator(random_state, "random_state")
    check_dimensions(n_components)
    check_backend(backend)
    if knn is not None and backend is not None:
        raise InputError(f"knn has the neighbors, and backend={backend!r} would search for them: leave one of them out")
    if perplexity_annealing and perplexity is None:
        raise InputError("perplexity_annealing needs the perplexity to end at, e.g. perplexity=30")
    if knn is not None and perplexity_annealing:
        raise InputError("perplexity_annealing looks at more neighbors than knn has: leave one of them out")
    rows = given.read_rows(X, metric)
    n, dim = rows.shape[0], int(n_components)
    run: dict[str, Any] = {
        "dim": dim, "n_jobs": n_jobs, "max_iter": max_iter, "time_limit": time_limit, "tol": tol,
        "optimizer": optimizer, "nbody": nbody, "device": device, "callback": callback, "progress": progress, **passed,
    }  # fmt: skip
    # before the search for neighbors, which is slow
    settings = check_options({**run, "checkpoint": checkpoint, "resume": resume})
    run |= {"seed": rng, "scale": None, "components": "joint"}
    keeps: Checkpoint | None = None
    if checkpoint is not None:
        check_kept(chosen)
        same = {"n_neighbors": n_neighbors, "perplexity": perplexity, "perplexity_annealing": perplexity_annealing}
        same |= {"metric": metric, "metric_params": metric_params, "knn": knn, "backend": backend, "pca": pca}
        same |= {"init": init, **{name: each for name, each in run.items() if name not in UNNAMED}, **passed}
        texts = {name: named(each) for name, each in same.items()}
        texts |= {"X": f"{n:,} rows, {digest(rows)}", "method": f"{chosen.name}, {digest(chosen)}"}
        keeps = Checkpoint(checkpoint, resume, {**texts, "random_state": seed_text(random_state, rng)}, rng)
    if isinstance(metric, str) and metric == "similarity":
        asked = {"n_neighbors": n_neighbors, "perplexity": perplexity, "metric_params": metric_params, "knn": knn}
        asked |= {"backend": backend, "pca": None if pca == "auto" else pca}
        start = given.read_init(init, None, n, dim, rng)
        return _kept(_similarities_drawn(rows, chosen, start, run, asked, began, keeps), keeps)

    # neighbors
    lists = None if knn is None else given.read_neighbors(knn, n)
    most = given.most_known(rows, metric, lists)
    if n_neighbors is None and perplexity is None:
        n_neighbors, perplexity = default_weights(chosen, n, most)
    k = given.support(n_neighbors, perplexity, n, most)
    degrees = isinstance(chosen.mass, str) and chosen.mass == "degree" and chosen.name in METHODS
    if perplexity is not None and degrees and "mass" not in passed:
        chosen = replace(chosen, mass="unit")
    space = NeighborIndex(rows, metric, metric_params, pca)
    if lists is not None:
        given.count(k, "n_neighbors", most, f"knn has {most}")

    # initial positions, and distances between rows
    known = space.given.rows
    auto, has_components = isinstance(init, str) and init == "auto", known is not None and dim <= min(known.shape)
    init = "pca" if auto and perplexity_annealing and has_components else init
    copies = DuplicateRows.of(rows)
    start = copies.one_of_each(given.read_init(init, known, n, dim, rng))
    free, init_hint, goal = auto and not perplexity_annealing, None, None
    if free and has_components and any(isinstance(stage, CoarseToFine) for stage in chosen.stages):
        init_hint = copies.one_of_each(principal_components(known, dim)[0])
    emphasis = passed.get("emphasis")
    # Under kernels with a tail, many arrangements of groups have nearly the same J: distances choose among them.
    if (chosen.mu if emphasis is None else emphasis) or (free and has_tail(chosen) and not chosen.variational):
        first, between = copies.first, space.given.between_some
        goal = row_distances(len(first), lambda some, others: between(first[some], first[others]))
    if copies.any:
        run["mass"] = copies.masses(passed.get("mass", chosen.mass))

    # one drawing, or one for each perplexity
    plan: list[tuple[Any, int]] = [(perplexity, k)]
    if perplexity is not None and perplexity_annealing:
        plan = list(scales(n, float(perplexity), k))
    share = ANNEALED_STEPS if max_iter is None else min(ANNEALED_STEPS, max_iter // len(plan))
    widest = max(reach for _, reach in plan)
    needs = np.array([n]), np.array([round(UNION * n * widest)]), SEARCH_BYTES * n * widest
    warn_of_memory(chosen, Settings(dim, smoothing=settings["smoothing"], nbody=nbody), *needs)
    trace: tuple[Step, ...] = ()
    searching = search_seconds(*rows.shape) if lists is None else 0.0
    with threads_for(n_jobs) as threads:

        def searched() -> Neighbors:
            return space.nearest(widest, rng, threads, device_named(device), progress, backend)

        if lists is not None:
            found = lists.first(widest)
        else:
            found = searched() if keeps is None else keeps.beside("neighbors", rng, searched)
        for number, (p, reach) in enumerate(plan):
            graph, shares, joins = at_perplexity(space, found.first(reach), p, threads)
            last = number == len(plan) - 1
            here = chosen if last else replace(at_order(chosen), variational=False)
            prefix = "" if last else f"perplexity {p:g}: "
            if len(plan) > 1:
                run["max_iter"] = share if not last else None if max_iter is None else max_iter - share * number
            run["callback"] = _told_on(callback, len(trace), prefix, copies, (number, len(plan)))
            features = copies.one_of_each(vector_features(known)) if here.variational else None
            limit = _limit(settings["time_limit"], searching, began, number, len(plan))
            begun = max(time.perf_counter() - began, trace[-1].seconds if trace else 0.0)
            drawn, each, within = copies.merged(graph, shares) if copies.any else (graph, shares, None)
            solution, drawing = _drawn(
                drawn, here, start, run, limit=limit, checkpoint=keeps, rows=each, features=features,
                init_hint=init_hint, distances=goal, merged=within,
            )
            trace += _later(solution.trace, begun, len(trace), prefix)
            if last or solution.reason == "stopped":
                break
            start = solution.positions

    notes = found.notes
    if copies.any:
        many = f"{n - len(copies.first):,} of the {n:,} rows are copies of others"
        notes += (f"{many}: nelayout draws equal rows as one node and puts the copies beside it",)
    if perplexity_annealing and n / 2 > plan[0][0]:
        limit = f"the widest that {n} rows afford ({ANNEALED_PAIRS:.0e} similarities)"
        notes += (f"the annealing of the perplexity begins at {plan[0][0]:g}, {limit}, not at {n / 2:g}",)
    notes += (*joins, *solution.notes)
    if copies.any:
        run |= {"mass": passed.get("mass"), "max_iter": 0, "callback": None, "progress": False, "time_limit": None}
        here = replace(drawing.method or here, variational=False)
        whole, drawing = _with_copies(copies, solution, graph, here, run, rows=shares)
        notes, solution = notes + whole.notes, whole
    solution = replace(solution, notes=notes, seconds=time.perf_counter() - began, trace=trace)
    return _kept(Fit(rows, space, k, perplexity, graph, drawing, solution), keeps)


def _kept(fit: Fit, checkpoint: Checkpoint | None) -> Fit:
    """Return the results of a run after the end of its file, with the notes of the file."""
    if checkpoint is None:
        return fit
    checkpoint.end(fit.solution.reason != "stopped")
    return replace(fit, solution=replace(fit.solution, notes=(*checkpoint.notes, *fit.solution.notes)))


def _similarities_drawn(
    rows: Any, method: Method, start: Start, run: dict[str, Any], asked: dict[str, Any], began: float,
    checkpoint: Checkpoint | None,
) -> Fit:
    """Draw a table of similarities, a graph; refuse keywords that would change it."""
    for name, value in asked.items():
        if value is not None:
            raise InputError(
                f"with metric='similarity' X is the graph that is drawn, and {name} would change it: leave it out"
            )
    graph, notes = graph_of_similarities(rows)
    begun = time.perf_counter() - began
    solution, drawing = _drawn(graph, method, start, run, memory=True, checkpoint=checkpoint)
    trace, notes = _later(solution.trace, begun), (*notes, *solution.notes)
    solution = replace(solution, trace=trace, seconds=begun + solution.seconds, notes=notes)
    return Fit(rows, None, 0, None, graph, drawing, solution)


def _with_copies(
    copies: DuplicateRows, solution: Solution, graph: csr_array, method: Method, run: dict[str, Any], **known: Any
) -> tuple[Solution, Drawing]:
    """Return solution and drawing of all rows; copies stand beside the first."""
    beside = split_coincident(np.asarray(solution.positions)[copies.kind])
    whole, drawing = _drawn(graph, method, beside, run, **known)
    own = {"reason": solution.reason, "choice": solution.choice, "method": solution.method, "unit": 1.0}
    return replace(whole, **own, positions=np.asarray(whole.positions) * whole.unit), drawing


def _drawn(
    graph: csr_array, method: Method, start: Start, run: dict[str, Any], memory: bool = False, **known: Any
) -> tuple[Solution, Drawing]:
    """Draw a connected graph from initial positions (n, dim), from "spectral" ones, or freely.

    ``memory``: compare what this needs with what there is; ``known``: fields of a `Problem`.
    """
    if isinstance(start, str):
        start = spectral_coordinates(graph, run["dim"]) if run["dim"] < graph.shape[0] else None
    with read_call(graph, method, run, start, **known) as call:
        solution, drawings = solution_of(call, memory)
    return solution, drawings[0]


def scales(n: int, perplexity: float, k: int) -> tuple[tuple[float, int], ...]:
    """Return (perplexity, neighbors) from n/2 down by halves to the given perplexity and k.

    Scales that need more similarities than `ANNEALED_PAIRS` are left out.
    """
    wider, p = [], n / 2
    while p > perplexity:
        reach = given.support(None, p, n)
        if n * reach <= ANNEALED_PAIRS:
            wider.append((p, reach))
        p /= 2
    return (*wider, (float(perplexity), k))


def _limit(seconds: float | None, searching: float, began: float, number: int, count: int) -> Limit | None:
    """Return the limit of one of several drawings, which share the time after the search."""
    if seconds is None:
        return None
    spent, end = (searching + max(seconds - searching, 0.0) * k / count for k in (number, number + 1))
    return Limit(end if number + 1 < count else seconds, spent, began)


def _later(trace: tuple[Step, ...], seconds: float, number: int = 0, prefix: str = "") -> tuple[Step, ...]:
    """Return the steps of a run that began after `seconds` and `number` earlier steps."""
    return tuple(Step(number + t.iteration, t.value, seconds + t.seconds, prefix + t.stage) for t in trace)


def _told_on(
    callback: Callable[..., object] | None, number: int, prefix: str, copies: DuplicateRows, run: tuple[int, int]
) -> Callable[[Progress], object] | None:
    """Return the callback for all rows of a run after `number` steps, with prefixed stages.

    ``run``: its number and the number of all, which are taken as equally long.
    """
    if callback is None:
        return None

    def told(state: Progress) -> object:
        frame = Frame(lambda: state.positions[copies.kind]) if copies.any else state.frame
        at = {"iteration": number + state.iteration, "stage": prefix + state.stage}
        (k, count), share = run, state.done / state.total if state.total > 0 else 0.0
        whole = state.seconds_left / (1.0 - share) if share < 1.0 else math.nan
        work = {"done": k * state.total + state.done, "total": count * state.total}
        left = state.seconds_left + (count - 1 - k) * whole if k + 1 < count else state.seconds_left
        return callback(replace(state, **at, **work, seconds_left=left, frame=frame))

    return told


def at_perplexity(
    space: NeighborIndex, found: Neighbors, perplexity: float | None, threads: Threads
) -> tuple[csr_array, np.ndarray | None, tuple[str, ...]]:
    """Return the connected graph of neighbor lists, similarities of rows on it, and a note.

    If ``perplexity`` is None, edges weigh 1. Else they are joint similarities, and the similarities of rows (nnz,) sum
    to one in each row. An edge that joins components weighs 1 / (2 n perplexity), like one of ``perplexity`` equal
    neighbors of one end. The note counts these edges.
    """
    if perplexity is None:
        values, said = None, f"the graph of the {found.indices.shape[1]} nearest neighbors has {{}} components"
        graph, added = join_components(space, neighbor_graph(found, "union"), threads)
    else:
        rows, said = entropic_rows(found, perplexity, threads), f"the similarities of perplexity {perplexity:g} leave "
        said += "{} components apart"
        graph, added = join_components(space, joint(rows), threads, 0.5 / (space.n * perplexity))
        values = on_pattern(rows, graph, 1.0 / perplexity)
    note = f"{said.format(added + 1)}; {edges_in_words(added, not issparse(space.given.table))}"
    return graph, values, (note,) if added else ()


def default_weights(method: Method, n: int, most: int) -> tuple[int | None, float | None]:
    """Return number of neighbors and perplexity; ``most``: known neighbors of each row.

    Methods with a fixed connection use absolute weights, and "auto" counts edges of paths: they take no perplexity.
    """
    judged = any(isinstance(stage, Descend) and stage.candidate for stage in method.stages)
    if n <= given.NEIGHBORS or judged or isinstance(method.connection, Fixed):
        return None, None
    k = min(max(math.ceil(SHARED_NEIGHBORS / n), MIN_NEIGHBORS), MAX_NEIGHBORS, most)
    return k, max(k / 2, min(MIN_PERPLEXITY, k / 1.5)) if k > 2 else None


def has_tail(method: Method) -> bool:
    """Return whether the kernel has a tail: distances then choose among drawings."""
    return method.kernel.a > 0 and not method.kernel.singular


def check_dimensions(n_components: Any) -> None:
    """Raise `InputError` for anything but 1, 2 or 3 columns."""
    if hasattr(n_components, "__len__") and not isinstance(n_components, str):  # as in fit(X, y)
        kind = type(n_components).__name__
        raise InputTypeError(f"n_components must be 1, 2 or 3; got {kind}. Labels are not read, leave them out")
    if isinstance(n_components, (bool, np.bool_)) or n_components not in (1, 2, 3):
        raise InputError(f"n_components must be 1, 2 or 3; got {n_components!r}")


def _tuned(method: str | Method, options: dict[str, Any] | None, own: dict[str, Any]) -> tuple[Method, dict[str, Any]]:
    """Split the options: the method of vectors with its own, and the common ones."""
    if options is not None and not isinstance(options, dict):
        raise InputTypeError(f"method_options must be a dict or None; got {type(options).__name__}")
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
    tuned = replace(tune(method, **given), perplexity=None, hops=None)
    if has_tail(tuned):  # groups that few edges join drift apart without end: few rows take no more steps than many
        stages = (replace(stage, small=None) if isinstance(stage, Descend) else stage for stage in tuned.stages)
        tuned = replace(tuned, stages=tuple(stages))
    return tuned, passed


@takes_keywords_of(fit_vectors)
def solve_vectors(*vectors: Any, **keywords: Any) -> Solution:
    """Embed vectors and return all results: value, trace, scale factor and notes.

    Returns
    -------
    Solution
        as of `nelayout.solve`; ``positions`` are the result of `embed`

    Examples
    --------
    >>> import nelayout as nl
    >>> solution = nl.solve_vectors([[0.0], [1.0], [10.0], [11.0]], n_neighbors=1, random_state=0)
    >>> solution.notes
    ('the graph of the 1 nearest neighbors has 2 components; 1 shortest edge between them was added',)
    """
    X: Any = vectors[0] if vectors else keywords.get("X")
    if getattr(getattr(X, "dtype", None), "kind", "") in ("i", "u") and np.ndim(X) == 2 and np.shape(X)[1] == 2:
        warn(
            "X has two columns of whole numbers, like a list of edges; embed draws each row as a point. For the "
            "graph of them take nelayout.layout(networkx.Graph(X.tolist())); floats are taken without this warning"
        )
    return fit_vectors(*vectors, **keywords).solution


@takes_keywords_of(solve_vectors)
def embed(*vectors: Any, **keywords: Any) -> np.ndarray:
    """Embed vectors as points in the plane, so that similar rows are close to each other.

    ``method`` draws the graph of each row's nearest rows. The weights of its edges are the joint similarities of
    `entropic_affinity`. The default ``perplexity`` is smaller for more rows. If only ``n_neighbors`` is given, all
    weights are 1 (the union of both directions, see `knn_graph`). Most methods have no minimum on a graph with several
    components. So `embed` adds the shortest edges between components, with weight 1 in the binary graph, else 1 / (2 n
    perplexity).

    Returns
    -------
    (n, n_components) float64 array
        in the method's own units

    Raises
    ------
    ValueError
        for what `knn_graph` and `entropic_affinity` refuse, unknown names, an ``init`` with another shape, annealing
        without a perplexity

    Examples
    --------
    >>> import numpy as np, nelayout as nl
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> nl.embed(X, random_state=0).shape
    (60, 2)
    >>> nl.embed(X, method="hssne", tail=3.0, random_state=0).shape
    (60, 2)
    >>> nl.embed(X, method="tsne", perplexity=8, random_state=0).shape
    (60, 2)
    """
    return solve_vectors(*vectors, **keywords).positions
