"""Taking a graph apart: its components, each with the similarities and masses that its drawing is compared with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from nelayout.numerics.parallel import Threads
from nelayout.objective import Affinity
from nelayout.placing.components import components, side_by_side
from nelayout.run.input_affinity import input_affinity
from nelayout.run.request import Known, Request
from nelayout.run.start import GAP, pull_in_outliers
from nelayout.run.state import Component

__all__ = ["take_apart"]


def take_apart(
    request: Request, mass: np.ndarray, joint: bool, known: Known, threads: Threads
) -> tuple[list[Component], list[str]]:
    """Components with their input, the largest first, and notes; ``joint``: the whole graph as one component."""
    found, notes = list[Component](), list[str]()
    for nodes, graph in _pieces(request, joint, known):
        affinity, said = _affinity(request, graph, mass[nodes], known, threads)
        notes.extend(said)
        start = None if request.start is None else request.start[nodes]
        fixed = None if request.fixed is None else request.fixed[nodes]
        if start is not None and request.options["max_iter"] != 0:
            start, count = pull_in_outliers(start, fixed)
            if count:
                notes.append(
                    f"{count} node{'s lie' if count > 1 else ' lies'} more than {GAP:.0f} times as far out in pos as "
                    "the others, which would be a dot: the drawing starts with them brought nearer"
                )
        found.append(Component(nodes, affinity, start, fixed))
    return found, notes


def _pieces(request: Request, joint: bool, known: Known) -> Iterable[tuple[np.ndarray, csr_array]]:
    if joint:
        return [(np.arange(len(request.labels)), request.P)]
    if not len(request.labels):
        return []
    pieces = components(request.P, request.labels)
    in_order = known.rows is not None or known.features is not None  # these go by the order of the nodes
    return pieces if in_order else (side_by_side(*piece) for piece in pieces)


def _affinity(
    request: Request, graph: csr_array, mass: np.ndarray, known: Known, threads: Threads
) -> tuple[Affinity, tuple[str, ...]]:
    """Input similarities of one component, with what the caller knows of it, and notes."""
    smoothing = request.options["smoothing"]
    affinity, notes = input_affinity(graph, mass, request.method, smoothing, threads)
    if known.features is not None and len(known.features) == len(mass):
        affinity = replace(affinity, features=known.features)
    # A walk has changed the pattern; what underflows on the way has left it.
    if known.rows is not None and len(known.rows) == affinity.P.nnz and not smoothing:
        affinity = replace(affinity, rows=known.rows)
    return affinity, notes
