"""Perplexity annealing: the drawing of wide neighborhoods is the start for that of narrower ones.

A narrow neighborhood knows little of the data's overall shape, and what it tears apart at the beginning it hardly
mends.  Annealing begins with half of all rows as neighbors, and each halving adds detail (Lee, Renard, Bernard,
Dupont & Verleysen, Type 1 and 2 mixtures of Kullback-Leibler divergences as cost functions in dimensionality reduction
based on similarity preservation, Neurocomputing 112, 2013, sec. 5.3)::

    >>> scales(400, 30.0, 90)
    ((200.0, 399), (100.0, 300), (50.0, 150), (30.0, 90))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from nelayout.catalogue.record import Method
from nelayout.numerics.parallel import Threads, threads_for
from nelayout.record.progress import observe
from nelayout.record.solution import Progress
from nelayout.run.alpha_walk import at_order
from nelayout.run.options import check_options
from nelayout.run.pipeline import run_parts
from nelayout.run.request import Known
from nelayout.run.variational_component import vector_features
from nelayout.sums.device import device_named
from nelayout.vectors.entropic import entropic_rows, joint
from nelayout.vectors.fit import Fit
from nelayout.vectors.input import support
from nelayout.vectors.joining import edges_in_words, join_components
from nelayout.vectors.neighbors import Neighbors, Space
from nelayout.vectors.start import Start, start_on

__all__ = ["at_perplexity", "draw_by_scales", "scales"]

# Similarities that the widest scale may have: all pairs of 3,800 rows, some 400 MB on the way.
PAIRS = 1.5e7

# Most steps at each scale but the last. Chosen among 20, 50 and 150 by t-SNE's value on a helix, a sphere and two
# rolled sheets of 400 to 1,000 rows, where it was the lowest or equal on all, in the same time.
STEPS = 150


def scales(n: int, perplexity: float, k: int) -> tuple[tuple[float, int], ...]:
    """(perplexity, neighbors of a row) from n/2 down by halves to the one asked for, on its k neighbors.

    Scales whose support would exceed `PAIRS` are left out.
    """
    wider, p = [], n / 2
    while p > perplexity:
        reach = support(None, p, n)
        if n * reach <= PAIRS:
            wider.append((p, reach))
        p /= 2
    return (*wider, (float(perplexity), k))


def at_perplexity(
    space: Space, found: Neighbors, perplexity: float, threads: Threads
) -> tuple[csr_array, np.ndarray, tuple[str, ...]]:
    """The joint similarities of neighbor lists with their components joined, their rows, and the note on that.

    The rows (nnz,) stand on the pattern of the joint similarities and sum to one.

    An edge that joins components weighs 1 / (2 n perplexity): as if one of its ends counted the other as one of
    as many equal neighbors as the perplexity says.
    """
    rows = entropic_rows(found, perplexity, threads)
    graph, added = join_components(space, joint(rows), threads, 0.5 / (space.n * perplexity))
    values = _on_pattern(rows, graph, 1.0 / perplexity)
    if not added:
        return graph, values, ()
    apart = f"the similarities of perplexity {perplexity:g} leave {added + 1} components apart"
    return graph, values, (f"{apart}; {edges_in_words(added, not issparse(space.given.table))}",)


def _on_pattern(rows: csr_array, graph: csr_array, joining: float) -> np.ndarray:
    """The entries of ``rows`` where ``graph`` has entries, each row divided by its sum; 0 where only the other end's
    row has one, ``joining`` where an edge was added, or made heavier, to join components.
    """
    n = graph.shape[0]

    def keys(A: csr_array) -> np.ndarray:
        return np.repeat(np.arange(n, dtype=np.int64) * n, np.diff(A.indptr)) + A.indices

    values, at, there = np.zeros(graph.nnz), keys(graph), keys(rows)
    values[np.searchsorted(at, there)] = rows.data
    both = values + values[np.searchsorted(at, at % n * n + at // n)]
    values[graph.data > both / n] = joining  # without the join it weighs half of that
    return values / np.repeat(np.add.reduceat(values, graph.indptr[:-1]), np.diff(graph.indptr))


def draw_by_scales(
    space: Space,
    k: int,
    perplexity: float,
    method: Method,
    start: Start,
    rng: np.random.Generator,
    *,
    n_jobs: int | None,
    max_iter: int | None = None,
    callback: Callable[[Progress], object] | None = None,
    progress: bool = False,
    **options: Any,
) -> Fit:
    """A drawing at each perplexity of `scales`, the first from ``start``, the others from the one before.

    ``max_iter`` counts the steps of all scales together.  Trace and callback go on from scale to scale, whose
    stages are named after them; value, connection and all else are those of the last.
    """
    # Refused before neighbors are searched for, not after.
    check_options({"max_iter": max_iter, "callback": callback, "progress": progress, **options})
    plan = scales(space.n, perplexity, k)
    share = STEPS if max_iter is None else min(STEPS, max_iter // len(plan))
    with threads_for(n_jobs) as threads, observe(method.name, callback, progress) as observer:
        on = device_named(options.get("device", "cpu"))
        everything = space.nearest(max(reach for _, reach in plan), rng, threads, on)
        for number, (p, reach) in enumerate(plan):
            near = Neighbors(everything.indices[:, :reach], everything.distances[:, :reach])
            graph, rows, joins = at_perplexity(space, near, p, threads)
            last = number == len(plan) - 1
            observer.prefix = "" if last else f"perplexity {p:g}: "
            here = method if last else replace(at_order(method), variational=False)
            steps = share if not last else None if max_iter is None else max_iter - share * number
            settings: Any = {"seed": rng, "scale": None, "components": "joint", "n_jobs": n_jobs, "max_iter": steps}
            features = vector_features(space.given.rows) if here.variational else None
            known = Known(rows=rows, features=features, observer=observer)
            begin = start_on(graph, start, int(options["dim"]))
            solution, parts = run_parts(graph, here, begin, None, settings | options, known)
            if last or solution.reason == "stopped":
                break
            start = solution.positions
    notes = (*everything.notes, *_about(plan, space.n, perplexity), *joins, *solution.notes)
    return Fit(space, k, perplexity, graph, parts[0], replace(solution, notes=notes, seconds=observer.seconds))


def _about(plan: tuple[tuple[float, int], ...], n: int, perplexity: float) -> tuple[str, ...]:
    """The note on scales that were left out."""
    widest = plan[0][0]
    if n / 2 <= max(widest, perplexity):
        return ()
    limit = f"the widest that {n} rows afford ({PAIRS:.0e} similarities)"
    return (f"the annealing of the perplexity begins at {widest:g}, {limit}, not at {n / 2:g}",)
