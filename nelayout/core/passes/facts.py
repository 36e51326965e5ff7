"""Facts about one connected graph, from which `plan` chooses its passes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from nelayout.core.catalogue.record import Method
from nelayout.core.catalogue.stages import Descend
from nelayout.core.passes.drawing import Part
from nelayout.core.passes.placement import centered_start, is_flat
from nelayout.numerics.planarity import is_planar

__all__ = ["Facts", "circle", "is_round"]

# Nodes up to which planar graphs have a drawing without crossings among their candidates.
# see tuning: MAX_PLANAR_NODES
MAX_PLANAR_NODES = 1000


@dataclass(frozen=True, slots=True)
class Facts:
    """Properties of a connected graph that decide its passes.

    n, entries  nodes, and entries of its matrix (two an edge)
    placed      whether some node has an initial position
    missing     whether some node has none
    own_start   whether other initial positions may be tried: these come from this package, or are flat
    fixed       "none", "some" coordinates, "layers" (all nodes on an axis), or "all"
    free_axes   axes without layers
    special     "even circle" for a cycle, wheel or star with equal weights and masses, "circle" with others, "disc" if
                one node is joined to all others, most of them leaves, or ""; looked at for the method "auto" alone
    row_distances  whether distances between rows count in the first of several descents
    wished      whether there are terms or similarities beside the edges
    aligned     whether some nodes share a coordinate
    rings       whether its nodes lie on circles: "" (no), "rings" or "circle" (one, at equal angles)
    planar      whether the graph has a drawing without crossings, but is no tree; looked at for the method "auto"
                alone, in the plane, up to `MAX_PLANAR_NODES`
    """

    n: int
    entries: int
    placed: bool = False
    missing: bool = False
    own_start: bool = False
    fixed: str = "none"
    free_axes: int = 0
    special: str = ""
    row_distances: bool = False
    wished: bool = False
    aligned: bool = False
    rings: str = ""
    planar: bool = False

    @property
    def is_tree(self) -> bool:
        """Return True if no edge closes a ring."""
        return self.entries == 2 * (self.n - 1)

    @classmethod
    def of(cls, part: Part, method: Method, dim: int) -> Facts:
        """Look at a connected graph that is to be drawn by a method."""
        P, n = part.affinity.P, len(part.nodes)
        judged = any(isinstance(stage, Descend) and stage.candidate for stage in method.stages)
        wished = bool(part.affinity.terms) or part.edges is not None
        judged = judged and not wished  # no shape is known beforehand
        special = ""
        if judged and not part.placed and is_round(P, dim):
            alike = (np.allclose(each, each[0]) for each in (P.data, part.affinity.mass[_cycle(P)]))
            special = "even circle" if all(alike) else "circle"
        elif judged and not part.placed and not method.mu and is_hub(P):
            special = "disc"
        fixed = "none"
        if part.fixed is not None and part.fixed.any():
            fixed = "all" if part.fixed.all() else "layers" if part.layers.any() else "some"
        flat = part.start is not None and part.known.all() and is_flat(centered_start(part.start)[0])
        own, axes = part.own_start or bool(flat), int(np.count_nonzero(~part.layers))
        row_distances = part.affinity.distances is not None and not method.emphasis
        planar = judged and dim == 2 and not part.placed and not special and n <= MAX_PLANAR_NODES
        planar = planar and P.nnz > 2 * (n - 1) and is_planar(P)
        placed = part.placed, not part.known.all(), own, fixed, axes
        return cls(n, P.nnz, *placed, special, row_distances, wished, part.lines is not None, planar=planar)


def is_hub(P: csr_array) -> bool:
    """Return True if one node is joined to all others, most of them leaves.

    >>> is_hub(csr_array([[0, 1, 1, 1], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]))
    True
    """
    n, degree = P.shape[0], np.diff(P.indptr)
    return n > 3 and int(degree.max()) == n - 1 and 2 * int(np.count_nonzero(degree == 1)) > n


def is_round(P: csr_array, dim: int) -> bool:
    """Return True if a graph is a cycle, a wheel (a cycle and a hub) or, in the plane, a star.

    >>> is_round(csr_array([[0, 1, 1], [1, 0, 1], [1, 1, 0]]), 2), is_round(csr_array([[0, 1], [1, 0]]), 2)
    (True, False)
    """
    degree = np.diff(P.indptr)
    n = len(degree)
    if dim == 1 or n < 3:
        return False
    if bool((degree == 2).all()):
        return True
    # Wheels have five nodes or more: in K4 all are hubs.
    if n < 4 or int(degree.max()) != n - 1:
        return False
    star, wheel = (int(np.count_nonzero(degree == k)) == n - 1 for k in (1, 3))
    return (star and dim == 2) or (wheel and n > 4 and len(_cycle(P)) == n - 1)


def circle(P: csr_array, dim: int) -> np.ndarray:
    """Return a round graph's nodes, (n, dim), one unit apart on a circle; hub in the middle.

    >>> circle(csr_array([[0, 1, 1], [1, 0, 1], [1, 1, 0]]), 2).round(2).tolist()
    [[0.48, 0.0], [-0.24, 0.41], [-0.24, -0.41]]
    """
    order = _cycle(P)
    angle = 2.0 * math.pi * np.arange(len(order)) / len(order)
    Y = np.zeros((P.shape[0], dim))
    Y[order, 0], Y[order, 1] = np.cos(angle), np.sin(angle)
    return Y * len(order) / (2.0 * math.pi)


def _cycle(P: csr_array) -> list[int]:
    """Return the nodes of the cycle in order, without a wheel's hub; the leaves of a star."""
    degree = np.diff(P.indptr)
    hub = int(np.argmax(degree)) if degree.max() > 2 else -1
    if degree.min() == 1:
        return np.delete(np.arange(len(degree)), hub).tolist()
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
