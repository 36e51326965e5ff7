"""Tree sums: a group of nodes acts on distant nodes as one.

The bounding box is halved repeatedly, across its longest side, into cells of at most ``MAX_LEAF_NODES`` nodes.  The
nodes of a leaf share two lists: far cells, which act through their masses and second moments, and near nodes.  Only r
and three derivatives enter, so all radial functions share one tree, in 1, 2 and 3 dimensions.  The work depends neither
on the extent of the layout nor on how uneven it is.  Errors grow like (radius / distance)^3.  They are smaller within
the width sqrt(c/a) of the kernel, where u = c + a xi hardly changes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from nelayout.core.formula.kernels import Radial
from nelayout.core.sums.nbody.field import Field
from nelayout.numerics.parallel import Threads

__all__ = ["Cells", "Tree", "cells_of", "field_at", "field_within", "law_of"]

# Maximum number of nodes in a leaf.
MAX_LEAF_NODES = 16
# Relative error of net forces, with the openings below.
TOLERANCE = 2e-3
# Largest radius of a far cell relative to its distance, and relative to the width of the kernel at any distance.
OPENING, WIDTH_OPENING = 0.4, 0.2
# Exponent above which a Gaussian counts as 0.
NEGLIGIBLE_EXPONENT = 50.0
# Number of groups of points in a task.
TASK_GROUPS = 256
# Box-Cox orders t below count as 0: (q^t - 1)/t would lose its digits.
SMALLEST_ORDER = 1e-7


@dataclass(frozen=True, slots=True)
class Cells:
    """Nodes cut into cells: ranges of nodes in tree order, both halves of a cell side by side."""

    points: np.ndarray  # (3, n) in tree order
    charges: np.ndarray  # (n,) in tree order
    order: np.ndarray  # (n,) original index of each node
    first: np.ndarray  # (cells,) each cell's first node
    last: np.ndarray
    left: np.ndarray  # the first of its halves; -1: not cut
    moments: np.ndarray  # (cells, 11) center of mass, radius, mass, second moments


@dataclass(frozen=True, slots=True)
class Tree:
    """Sums in O(n log n), in one to three dimensions; ``tolerance`` of net forces."""

    threads: Threads = field(default_factory=Threads, compare=False)
    name: str = "tree"
    tolerance: float = TOLERANCE

    def fields(self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...]) -> tuple[Field, ...]:
        """Return potential and force of each radial function; all NaN if a position is not finite."""
        if not np.all(np.isfinite(Y)):
            return tuple(Field(np.full(len(Y), np.nan), np.full(Y.shape, np.nan)) for _ in radials)
        if float(np.min(charges)) < 0.0 < float(np.max(charges)):  # centers of mass need charges of one sign
            parts = [self.fields(Y, np.maximum(sign * charges, 0.0), radials) for sign in (1.0, -1.0)]
            return tuple(Field(a.potential - b.potential, a.force - b.force) for a, b in zip(*parts, strict=True))
        cells = cells_of(Y, charges)
        return tuple(self.walk(cells, radial, Y.shape[1])[0] for radial in radials)

    def walk(self, cells: Cells, radial: Radial, d: int) -> tuple[Field, np.ndarray]:
        """Return the field of one radial function, and numbers of cells seen, far cells, pairs."""
        leaves = np.flatnonzero(cells.left < 0)
        groups = cells.moments[leaves, :4], np.inf, cells.first[leaves], cells.last[leaves]
        fineness = (self.tolerance / TOLERANCE) ** 0.25  # the error is of fourth order
        potential, force, counts = _summed(cells, radial, cells.points, True, *groups, self.threads, fineness)
        answer = Field(np.empty(len(potential)), np.empty((len(potential), d)))
        answer.potential[cells.order], answer.force[cells.order] = potential, force[:d].T
        return answer, counts


def field_at(cells: Cells, radial: Radial, at: np.ndarray, threads: Threads) -> Field:
    """Return the field at points ``at`` (k, d); each is a group by itself."""
    from nelayout.core.sums.nbody import pair_loops

    places, each = pair_loops.as_points(at), np.arange(len(at))
    groups = np.column_stack([places.T, np.zeros(len(at))]), np.inf, each, each + 1
    potential, force, _ = _summed(cells, radial, places, False, *groups, threads, 1.0)
    return Field(potential, np.ascontiguousarray(force[: at.shape[1]].T))


def field_within(
    cells: Cells, radial: Radial, nodes: np.ndarray, reach: np.ndarray, d: int, threads: Threads
) -> Field:
    """Return the exact field at nodes (k,) of leaves within squared distances (k,)."""
    groups = np.column_stack([cells.points[:, nodes].T, np.zeros(len(nodes))]), reach, nodes, nodes + 1
    potential, force, _ = _summed(cells, radial, cells.points, True, *groups, threads, 0.0)
    return Field(potential[nodes], np.ascontiguousarray(force[:d, nodes].T))


def _summed(
    cells: Cells, radial: Radial, at: np.ndarray, own: bool, spheres: np.ndarray, reach: np.ndarray | float,
    begins: np.ndarray, ends: np.ndarray, threads: Threads, fineness: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return potential (m,), force (3, m) and counts, see `tree_loops.cell_sums`."""
    from nelayout.core.sums.nbody import near_loops, tree_loops

    loop, law, rule = tree_loops.cell_sums(radial.kind), law_of(radial), _rule_of(radial, fineness)
    tree = cells.moments, cells.first, cells.last, cells.left, cells.points, cells.charges
    groups = np.column_stack([spheres, np.full(len(begins), reach)]), begins, ends
    potential, force = np.empty(at.shape[1]), np.empty((3, at.shape[1]))

    def work(start: int) -> np.ndarray:
        counts, stop = np.zeros(3, dtype=np.int64), min(start + TASK_GROUPS, len(begins))
        todo = np.empty(len(cells.first), dtype=np.int64)
        near, far = np.empty((4, len(cells.order) + near_loops.LANES)), np.empty((tree_loops.CELL, len(todo)))
        loop(*tree, law, rule, at, own, *groups, start, stop, todo, near, far, potential, force, counts)
        return counts

    counts = threads.map(work, range(0, len(begins), TASK_GROUPS))
    return potential, force, np.sum(counts, axis=0)


def cells_of(Y: np.ndarray, charges: np.ndarray) -> Cells:
    """Cut positions into cells until they contain at most `MAX_LEAF_NODES` nodes."""
    from nelayout.core.sums.nbody import pair_loops, tree_loops

    points, charges, order = pair_loops.as_points(Y), np.array(charges, dtype=float), np.arange(len(Y))
    ranges = [np.empty(max(2 * len(Y), 1), dtype=np.int64) for _ in range(3)]
    room = np.empty((2, len(Y)), dtype=np.int64), np.empty(len(Y))
    count = tree_loops.grow(points, charges, order, MAX_LEAF_NODES, *ranges, *room)
    first, last, left = (each[:count].copy() for each in ranges)
    moments = np.empty((count, tree_loops.CELL))
    tree_loops.measure(points, charges, first, last, moments)
    return Cells(points, charges, order, first, last, left, moments)


def law_of(radial: Radial) -> np.ndarray:
    """Return the constants (13,) of a radial function, see `tree_loops`.

    With t the order, w' = -b t w v, v' = -a v^2 and l' = -b v.  So the derivative of w v^k (A l + B) in xi is
    w v^(k+1) (A' l + B') with A' = -(b t + a k) A and B' = -(b t + a k) B - b A.
    """
    a, b, c, t = radial.kernel.a, radial.kernel.b, radial.kernel.c, radial.order
    A, B, constant = [0.0], [1.0], 0.0
    if radial.form == "boxcox" and abs(t) < SMALLEST_ORDER:
        t = 0.0
    if radial.form == "power-log" or (radial.form == "boxcox" and t == 0):
        A, B = [1.0], [0.0]
    elif radial.form == "boxcox":
        B, constant = [1.0 / t], -1.0 / t
    for k in range(3):
        rate = -(b * t + a * k)
        A, B = [*A, rate * A[k]], [*B, rate * B[k] - b * A[k]]
    return np.array([a, b, c, t, *A, *B, constant])


def _rule_of(radial: Radial, fineness: float) -> np.ndarray:
    """Return the rule of `tree_loops.cell_sums` for when a cell is far; fineness 0: never."""
    opening, soft = OPENING * fineness, WIDTH_OPENING * fineness
    a, b, c, t = radial.kernel.a, radial.kernel.b, radial.kernel.c, radial.order
    if fineness == 0:
        rule = -1.0, 0.0, 0.0
    elif a == 0:
        rate = b * abs(t)
        constant = soft**2 / rate if rate > 0 else math.inf  # -b xi itself is a polynomial
        rule = constant, 0.0, rate if t > 0 else 0.0
    else:
        steep = max(1.0, abs(b * t / a))
        rule = soft**2 * c / (a * steep), opening**2 / math.sqrt(steep), 0.0
    return np.array([*rule, NEGLIGIBLE_EXPONENT])
