"""Facts about one connected graph, from which `plan` chooses its passes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from nelayout.catalogue.record import Method
from nelayout.catalogue.stages import Descend
from nelayout.run.drawing import Part
from nelayout.run.placement import centered_start, is_flat

__all__ = ["Facts", "circle", "is_crowded", "is_ring", "is_star"]

# Nodes of the smallest star.
MIN_STAR_NODES = 4
# Mean degree, and mean degree as a part of all nodes, from which a graph is crowded.
CROWDED_DEGREE, CROWDED_SHARE = 8.0, 0.01
# Mean squared degree, in squares of the mean degree, from which a graph of that mean degree is crowded.
CROWDED_BY_HUBS = 8.0


@dataclass(frozen=True, slots=True)
class Facts:
    """Properties of a connected graph that decide its passes.

    n, entries  nodes, and entries of its matrix (two an edge)
    placed      whether some node has an initial position
    missing     whether some node has none
    own_start   whether other initial positions may be tried: these come from this package, or are flat
    fixed       "none", "some" coordinates, "layers" (all nodes on an axis), or "all"
    free_axes   axes without layers
    special     "star" (a disc), "ring" (cycles and wheels) or ""; looked at for the method "auto" alone
    other_mass  whether other masses are to be tried
    goal        whether distances between rows count in the stages before the last
    """

    n: int
    entries: int
    placed: bool = False
    missing: bool = False
    own_start: bool = False
    fixed: str = "none"
    free_axes: int = 0
    special: str = ""
    other_mass: bool = False
    goal: bool = False

    @classmethod
    def of(cls, part: Part, method: Method, dim: int) -> Facts:
        """Look at a connected graph that is to be drawn by a method."""
        P, n = part.affinity.P, len(part.nodes)
        judged = any(isinstance(stage, Descend) and stage.judged for stage in method.stages)
        special = ""
        if judged and not part.placed and n > 2:
            special = "star" if not method.mu and is_star(P) else "ring" if dim > 1 and is_ring(P) else ""
        fixed = "none"
        if part.fixed is not None and part.fixed.any():
            fixed = "all" if part.fixed.all() else "layers" if part.layers.any() else "some"
        own = part.own_start or _flat(part.start)
        return cls(
            n, P.nnz, part.placed, not part.known.all(), own, fixed, int(np.count_nonzero(~part.layers)), special,
            part.other_mass is not None, bool(part.affinity.distances) and not method.emphasis,
        )


def _flat(start: np.ndarray | None) -> bool:
    """Return True if all nodes have a start, on one point or line (in space: plane)."""
    return start is not None and not np.isnan(start).any() and is_flat(centered_start(start)[0])


def is_star(P: csr_array) -> bool:
    """Return True if one node is joined to all others, most of them leaves.

    >>> spokes = csr_array((np.ones(200), (np.zeros(200, dtype=int), np.arange(1, 201))), shape=(201, 201))
    >>> is_star(csr_array(spokes + spokes.T)), is_star(csr_array((201, 201)))
    (True, False)
    """
    n, degree = P.shape[0], np.diff(P.indptr)
    if n < MIN_STAR_NODES or not P.nnz:
        return False
    return int(degree.max()) == n - 1 and 2 * int(np.count_nonzero(degree == 1)) > n


def is_ring(P: csr_array) -> bool:
    """Return True if a connected graph is a cycle, or a wheel (a cycle and a hub joined).

    >>> is_ring(csr_array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])), is_ring(csr_array([[0, 1], [1, 0]]))
    (True, False)
    """
    degree = np.diff(P.indptr)
    n = len(degree)
    if n > 2 and bool((degree == 2).all()):
        return True
    # Of five nodes or more: in K4 all are hubs.
    wheel = n > 4 and int(degree.max()) == n - 1 and int(np.count_nonzero(degree == 3)) == n - 1
    return wheel and len(_cycle(P)) == n - 1


def circle(P: csr_array, dim: int) -> np.ndarray:
    """Return a ring's nodes in order on a circle, (n, dim), one unit apart; hub in the middle.

    >>> circle(csr_array([[0, 1, 1], [1, 0, 1], [1, 1, 0]]), 2).round(2).tolist()
    [[0.48, 0.0], [-0.24, 0.41], [-0.24, -0.41]]
    """
    order = _cycle(P)
    angle = 2.0 * math.pi * np.arange(len(order)) / len(order)
    Y = np.zeros((P.shape[0], dim))
    Y[order, 0], Y[order, 1] = np.cos(angle), np.sin(angle)
    return Y * len(order) / (2.0 * math.pi)


def _cycle(P: csr_array) -> list[int]:
    """Return the nodes of the cycle in order, without a wheel's hub."""
    degree = np.diff(P.indptr)
    hub = int(np.argmax(degree)) if degree.max() > 2 else -1
    rows = np.repeat(np.arange(len(degree)), degree)
    ends = P.indices[(rows != hub) & (P.indices != hub)].reshape(-1, 2).tolist()
    neighbors = ends if hub < 0 else [*ends[:hub], [], *ends[hub:]]
    first = 0 if hub else 1
    order, before, here = [first], first, neighbors[first][0]
    while here != first:
        order.append(here)
        one, other = neighbors[here]
        before, here = here, other if one == before else one
    return order


def is_crowded(P: csr_array) -> bool:
    """Return True if hubs are joined to many nodes of a dense graph."""
    n = max(P.shape[0], 1)
    mean_degree = P.nnz / n
    squares = float(np.sum(np.diff(P.indptr).astype(np.float64) ** 2)) / n
    dense = mean_degree >= CROWDED_SHARE * n or squares >= CROWDED_BY_HUBS * mean_degree**2
    return mean_degree >= CROWDED_DEGREE and dense
