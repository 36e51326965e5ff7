"""Taking a graph apart: its components, each with input similarities and masses.

Random-walk smoothing enters as an operator if that is exact: gamma-QuadLog, QuadLog and Elastic Embedding use the
dense p itself.  All others use every single p_ij, and get a sparse matrix of the largest.  With an operator, coarse
levels are drawn unsmoothed and the walk enters at the finest.  The objective ends as low or lower than with a walk at
each level, and sooner.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from nelayout.catalogue.record import Method
from nelayout.numerics.distances import hop_distances_of_each
from nelayout.numerics.parallel import Threads
from nelayout.objective import Affinity
from nelayout.placing.components import components, side_by_side
from nelayout.run.coarsen import strong_edges
from nelayout.run.drawing import Part
from nelayout.run.placement import GAP, pull_in_outliers
from nelayout.run.request import Known, Request
from nelayout.similarities.entropic import joint, on_pattern
from nelayout.similarities.hops import hop_rows, path_lengths
from nelayout.similarities.random_walk import RandomWalk, truncated_walk
from nelayout.sums.edges.walk import can_smooth_exactly

__all__ = ["input_affinity", "take_apart"]


def take_apart(
    request: Request, mass: np.ndarray, joint: bool, known: Known, threads: Threads, which: np.ndarray | None = None
) -> tuple[list[Part], list[str]]:
    """Parts with their input, the largest first, and notes.

    ``mass`` is of all nodes, (n,). ``joint``: the whole graph as one component; ``which``: a mask of the components,
    the others are left out.
    """
    found, graphs, notes = list[Part](), list[csr_array](), list[str]()
    pieces: Iterable[tuple[np.ndarray, csr_array]] = [(np.arange(len(request.labels)), request.P)]
    if not joint:
        pieces = components(request.P, request.labels, which) if len(request.labels) else []
        pieces = (side_by_side(*piece) for piece in pieces)
    for nodes, graph in pieces:
        own = known.of(nodes, request.P)
        affinity, said = _affinity(request, graph, mass[nodes], own, threads)
        notes.extend(note for note in said if note not in notes)
        start = None if request.start is None else request.start[nodes]
        fixed = None if request.fixed is None else request.fixed[nodes]
        if start is not None and request.options["max_iter"] != 0:
            start, count = pull_in_outliers(start, fixed)
            if count:
                notes.append(
                    f"{count} node{'s lie' if count > 1 else ' lies'} more than {GAP:.0f} times as far out in pos as "
                    "the others, which would be a dot: the drawing starts with them brought nearer"
                )
        if own.goal is not None and (request.method.mu or own.goal.agrees(strong_edges(graph), threads)):
            affinity = replace(affinity, distances=own.goal)
        elif request.method.emphasis:
            graphs.append(graph)
        found.append(Part(nodes, affinity, start, fixed, own.sketch))
    if graphs:
        grouped = request.method.emphasis == "auto"
        each = zip(found, hop_distances_of_each(graphs, threads, grouped), strict=True)
        found = [replace(part, affinity=replace(part.affinity, distances=goal)) for part, goal in each]
    return found, notes


def _affinity(
    request: Request, graph: csr_array, mass: np.ndarray, known: Known, threads: Threads
) -> tuple[Affinity, tuple[str, ...]]:
    """Return the input similarities of one component, with the caller's knowledge, and notes."""
    smoothing = request.options["smoothing"]
    lengths = request.options["weight_kind"] == "distance"
    affinity, notes = input_affinity(graph, mass, request.method, smoothing, threads, lengths)
    if known.features is not None:
        affinity = replace(affinity, features=known.features)
    # A walk has changed the pattern; what underflows on the way has left it.
    if known.rows is not None and len(known.rows) == affinity.P.nnz and not smoothing:
        affinity = replace(affinity, rows=known.rows)
    if known.merged is not None and affinity.P.nnz and affinity.walk is None:
        inside, count = known.merged
        P = csr_array(affinity.P * (1.0 - inside)) if request.method.affinity in ("sum-1", "rows") else affinity.P
        within = inside / (1.0 - inside) * float(np.sum(P.data))
        hidden = float(np.sum(mass * mass * (1.0 - 1.0 / count)))
        affinity = replace(affinity, P=P, inside=within, hidden=hidden)
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
