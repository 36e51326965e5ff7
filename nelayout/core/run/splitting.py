"""Taking a graph apart: its components, each with input similarities and masses.

Random-walk smoothing enters as an operator if that is exact: gamma-QuadLog, QuadLog and Elastic Embedding use the
dense p itself.  All others use every single p_ij, and get a sparse matrix of the largest.  With an operator, coarse
levels are drawn unsmoothed and the walk enters at the finest.  The objective ends as low or lower than with a walk at
each level, and sooner.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from nelayout.core.catalogue.record import Method
from nelayout.core.objective import Affinity
from nelayout.core.passes.coarsen import strong_edges
from nelayout.core.passes.drawing import Part
from nelayout.core.passes.placement import GAP, pull_in_outliers
from nelayout.core.placing.components import components, side_by_side
from nelayout.core.problem import Problem, Settings
from nelayout.core.similarities.entropic import joint, on_pattern
from nelayout.core.similarities.hops import hop_rows, path_lengths
from nelayout.core.similarities.random_walk import RandomWalk, truncated_walk
from nelayout.core.sums.edges.walk import can_smooth_exactly
from nelayout.numerics.distances import hop_distances_of_each
from nelayout.numerics.parallel import Threads

__all__ = ["input_affinity", "split", "with_similarities"]


def split(
    problem: Problem, method: Method, settings: Settings, mass: np.ndarray, joint: bool
) -> tuple[list[Part], list[str]]:
    """Return the components with their weights and masses, the largest first, and notes.

    ``mass`` is of all nodes, (n,); ``joint``: the whole graph as one component.
    """
    found, notes = list[Part](), list[str]()
    if joint:
        pieces: Iterable[tuple[np.ndarray, csr_array]] = [(np.arange(problem.n), problem.P)]
    else:
        pieces = components(problem.P, problem.labels) if problem.n else []
        pieces = (side_by_side(*piece) for piece in pieces)
    for nodes, graph in pieces:
        start = None if problem.start is None else problem.start[nodes]
        fixed = None if problem.fixed is None else problem.fixed[nodes]
        if start is not None and settings.max_iter != 0:
            start, count = pull_in_outliers(start, fixed)
            if count:
                notes.append(
                    f"{count} node{'s lie' if count > 1 else ' lies'} more than {GAP:.0f} times as far out in pos as "
                    "the others, which would be a dot: the drawing starts with them brought nearer"
                )
        terms = tuple(each for term in problem.terms if (each := term.of(nodes)) is not None)
        affinity = Affinity(graph, mass[nodes], terms=terms)
        if problem.distances is not None and len(nodes) == problem.n:
            goal = problem.distances.at(nodes)
            if method.mu or goal.agrees(strong_edges(graph), Threads()):
                affinity = replace(affinity, distances=goal)
        hint = None if problem.init_hint is None else problem.init_hint[nodes]
        lines = None if problem.lines is None else problem.lines[nodes]
        lines = None if lines is None or not (lines >= 0).any() else lines
        edges = None if problem.edges is None else csr_array(problem.edges[nodes][:, nodes])
        found.append(Part(nodes, affinity, start, fixed, hint, edges=edges, lines=lines))
    return found, notes


def with_similarities(
    parts: Sequence[Part], problem: Problem, method: Method, smoothing: float, threads: Threads
) -> tuple[list[Part], list[str]]:
    """Return components with input similarities in place of weights, and notes."""
    found, notes = list[Part](), list[str]()
    for part in parts:
        own = problem.of(part.nodes)
        affinity, said = _affinity(own, part.affinity.P, part.affinity.mass, method, smoothing, threads)
        notes.extend(note for note in said if note not in notes)
        known = part.affinity
        affinity = replace(affinity, distances=known.distances, terms=known.terms)
        found.append(replace(part, affinity=affinity))
    if method.emphasis:
        lacking = [k for k, part in enumerate(found) if part.affinity.distances is None]
        goals = hop_distances_of_each([parts[k].affinity.P for k in lacking], threads, method.emphasis == "auto")
        for k, goal in zip(lacking, goals, strict=True):
            found[k] = replace(found[k], affinity=replace(found[k].affinity, distances=goal))
    return found, notes


def _affinity(
    known: Problem, graph: csr_array, mass: np.ndarray, method: Method, smoothing: float, threads: Threads
) -> tuple[Affinity, tuple[str, ...]]:
    """Return the similarities of one component, with what is known of its nodes, and notes."""
    affinity, notes = input_affinity(graph, mass, method, smoothing, threads, known.lengths)
    if known.features is not None:
        affinity = replace(affinity, features=known.features)
    # A walk has changed the pattern; what underflows on the way has left it.
    if known.rows is not None and len(known.rows) == affinity.P.nnz and not smoothing:
        affinity = replace(affinity, rows=known.rows)
    if known.merged is not None and affinity.P.nnz and affinity.walk is None:
        inside, count = known.merged
        P = csr_array(affinity.P * (1.0 - inside)) if method.affinity in ("sum-1", "rows") else affinity.P
        within = inside / (1.0 - inside) * float(np.sum(P.data))
        hidden = float(np.sum(mass * mass * (1.0 - 1.0 / count)))
        affinity = replace(affinity, P=P, merged_weight=within, merged_pairs=hidden)
    return affinity, notes


def input_affinity(
    graph: csr_array, mass: np.ndarray, method: Method, rho: float, threads: Threads, lengths: bool = False
) -> tuple[Affinity, tuple[str, ...]]:
    """Return the affinity of a graph, smoothed by a walk with probability rho, and notes.

    ``lengths``: whether weights are reciprocals of lengths.
    """
    notes: tuple[str, ...] = ()
    if method.perplexity is not None and graph.nnz:
        rows, worth = hop_rows(path_lengths(graph, lengths), method.perplexity, threads, method.hops)
        P = joint(rows)
        own = on_pattern(rows, P) if method.connection.by_rows else None
        if method.affinity == "raw":  # as heavy as the weights, with which fixed connections compare
            P.data *= float(np.sum(graph.data))
        if (worth < method.perplexity).any():
            notes = (f"a perplexity of {method.perplexity:g} is too large for nodes with few others in reach",)
        return Affinity(P, mass, rows=own), notes
    if rho and graph.nnz:
        raw = method.affinity == "raw"
        if raw and can_smooth_exactly(method.kernel, method.divergence, method.connection):
            return Affinity(graph, mass, walk=RandomWalk(graph, rho)), ()
        graph, part = truncated_walk(graph, rho, threads)
        if part < 1.0:
            each = len(graph.data) / len(mass)
            note = (
                f"smoothing={rho:g} makes each of {len(mass)} nodes similar to all others; {method.name} "
                f"takes the largest, {each:.0f} a node with {part:.0%} of the sum (gamma-quadlog takes all)"
            )
            notes = (note,)
    # Rows are divided by their sums where they are compared; the way there is drawn by the whole.
    if method.affinity in ("sum-1", "rows") and graph.nnz:
        graph = csr_array((graph.data / np.sum(graph.data), graph.indices, graph.indptr), shape=graph.shape)
    return Affinity(graph, mass), notes
