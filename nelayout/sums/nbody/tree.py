"""Tree sums: a group of nodes acts on distant nodes as one, and feels distant groups so.

The bounding box is halved repeatedly, across its longest side, into cells of at most ``MAX_LEAF_NODES`` nodes.  Two
cells interact once if they are far apart relative to their sizes.  The mass and the second moments of one cell give the
field around the center of the other, to third order.  The field is passed on to the halves of the cell, and finally to
its nodes.  Only r and three derivatives enter, so all radial functions share one tree, in 1, 2 and 3 dimensions.  The
work depends neither on the extent of the layout nor on how uneven it is.

Errors grow like (sum of the radii / distance)^3.  They are smaller within the width sqrt(c/a) of the kernel, where u
= c + a xi hardly changes.  The errors of many neighbor cells cancel in space.  On a line there are only two, and cells
must be farther apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from nelayout.formula.kernels import Radial
from nelayout.numerics.parallel import Threads
from nelayout.sums.nbody.field import Field

__all__ = ["Cells", "Tree", "cells_of", "depth_of", "law_of", "rule_of"]

# Maximum number of nodes in a leaf.
MAX_LEAF_NODES = 16
# Relative error of net forces, with the openings below.
TOLERANCE = 2e-3
# Largest sum of the radii relative to the distance of far cells, for clouds and lines; largest dimension of a line.
OPENING, LINE_OPENING, LINE_DIMENSION = 0.5, 0.35, 1.15
# Largest sum of the radii relative to the width of the kernel, at any distance.
WIDTH_OPENING = 0.3
# Exponent above which a Gaussian counts as 0.
NEGLIGIBLE_EXPONENT = 50.0
# Number of subtrees that are single tasks, for any number of threads.
TASKS = 64
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
    parent: np.ndarray
    moments: np.ndarray  # (cells, 11) center of mass, radius, mass, second moments

    @property
    def dimension(self) -> float:
        """Power of the radius with which node counts grow, over the three cuts above the leaves."""
        leaf = np.flatnonzero((self.left < 0) & (self.moments[:, 3] > 0))
        above = self.parent[leaf]
        for _ in range(2):
            above = np.where(above >= 0, self.parent[above], -1)
        leaf, above = leaf[above >= 0], above[above >= 0]
        if not len(leaf):
            return 1.0
        size, radius = self.last - self.first, self.moments[:, 3]
        fewer = float(np.median(np.log(size[above] / size[leaf])))
        smaller = float(np.median(np.log(radius[above] / radius[leaf])))
        return fewer / max(smaller, 1e-12)

    @property
    def tasks(self) -> list[np.ndarray]:
        """Path of cells from the root to each subtree of about n / TASKS nodes."""
        size = self.last - self.first
        small = size <= max(size[0] // TASKS, MAX_LEAF_NODES)
        roots = np.flatnonzero((small | (self.left < 0)) & ~np.r_[False, small[self.parent[1:]]])
        paths = []
        for root in roots:
            path = [root]
            while path[-1] > 0:
                path.append(self.parent[path[-1]])
            paths.append(np.array(path[::-1]))
        return paths


@dataclass(frozen=True, slots=True)
class Tree:
    """Sums in O(n log n), in one to three dimensions; ``tolerance`` of net forces."""

    threads: Threads = field(default_factory=Threads, compare=False)
    name: str = "tree"
    tolerance: float = TOLERANCE

    @classmethod
    def on(cls, threads: Threads, compiled: bool) -> Tree:
        """Make it with these threads; its loops are always compiled."""
        return cls(threads)

    def fields(self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...]) -> tuple[Field, ...]:
        """Return potential and force of each radial function; all NaN if a position is not finite."""
        if not np.all(np.isfinite(Y)):
            n, d = Y.shape
            return tuple(Field(np.full(n, np.nan), np.full((n, d), np.nan)) for _ in radials)
        if float(np.min(charges)) < 0.0 < float(np.max(charges)):  # centers of mass need charges of one sign
            parts = [self.fields(Y, np.maximum(sign * charges, 0.0), radials) for sign in (1.0, -1.0)]
            return tuple(Field(a.potential - b.potential, a.force - b.force) for a, b in zip(*parts, strict=True))
        cells = cells_of(Y, charges)
        return tuple(self.walk(cells, radial, Y.shape[1])[0] for radial in radials)

    def walk(self, cells: Cells, radial: Radial, d: int) -> tuple[Field, np.ndarray]:
        """Return the field of one radial function, and numbers of cells seen, far cells, pairs."""
        from nelayout.sums.nbody import tree_loops

        loop, law = tree_loops.walk(radial.kind), law_of(radial)
        rule = rule_of(radial, cells, (self.tolerance / TOLERANCE) ** 0.25)  # the error is of fourth order
        n = len(cells.order)
        potential, force = np.empty(n), np.empty((3, n))
        tasks = cells.tasks
        counts = np.zeros((len(tasks), 3), dtype=np.int64)
        depth = depth_of(cells.parent)

        def work(task: int) -> None:
            loop(
                *(cells.moments, cells.first, cells.last, cells.left, tasks[task], depth),
                *(cells.points, cells.charges, law, rule, potential, force, counts[task]),
            )

        self.threads.map(work, range(len(tasks)))
        answer = Field(np.empty(n), np.empty((n, d)))
        answer.potential[cells.order] = potential
        answer.force[cells.order] = force[:d].T
        return answer, counts.sum(axis=0)


def cells_of(Y: np.ndarray, charges: np.ndarray) -> Cells:
    """Cut positions into cells until they contain at most `MAX_LEAF_NODES` nodes."""
    from nelayout.sums.nbody import pair_loops, tree_loops

    n = len(Y)
    points, charges, order = pair_loops.as_points(Y), np.array(charges, dtype=float), np.arange(n)
    ranges = [np.empty(max(2 * n, 1), dtype=np.int64) for _ in range(4)]
    count = tree_loops.grow(points, charges, order, MAX_LEAF_NODES, *ranges)
    first, last, left, parent = (each[:count].copy() for each in ranges)
    moments = np.empty((count, tree_loops.CELL))
    tree_loops.measure(points, charges, first, last, 0, count, moments)
    return Cells(points, charges, order, first, last, left, parent, moments)


def depth_of(parent: np.ndarray) -> int:
    """Return the number of levels; cells are stored level by level, each behind its parent."""
    levels, begin, end = 0, 0, 1
    while begin < end:
        levels, begin = levels + 1, end
        end = int(np.searchsorted(parent, begin))
    return levels


def law_of(radial: Radial) -> np.ndarray:
    """Return the constants (13,) of a radial function, see `tree_loops`.

    With t the order, w' = -b t w v, v' = -a v^2 and l' = -b v.  So the derivative of w v^k (A l + B) in xi is
    w v^(k+1) (A' l + B') with A' = -(b t + a k) A and B' = -(b t + a k) B - b A.
    """
    a, b, c, t = radial.kernel.a, radial.kernel.b, radial.kernel.c, radial.order
    A, B, constant = np.zeros(4), np.zeros(4), 0.0
    if radial.form == "boxcox" and abs(t) < SMALLEST_ORDER:
        t = 0.0
    if radial.form == "power-log" or (radial.form == "boxcox" and t == 0):
        A[0] = 1.0
    elif radial.form == "boxcox":
        B[0], constant = 1.0 / t, -1.0 / t
    else:
        B[0] = 1.0
    for k in range(3):
        rate = -(b * t + a * k)
        A[k + 1], B[k + 1] = rate * A[k], rate * B[k] - b * A[k]
    return np.array([a, b, c, t, *A, *B, constant])


def rule_of(radial: Radial, cells: Cells, fineness: float = 1.0) -> np.ndarray:
    """Return the rule of `tree_loops.walk` for when two cells are far apart."""
    opening, soft = (OPENING if cells.dimension > LINE_DIMENSION else LINE_OPENING) * fineness, WIDTH_OPENING * fineness
    a, b, c, t = radial.kernel.a, radial.kernel.b, radial.kernel.c, radial.order
    if a == 0:
        rate = b * abs(t)
        constant = soft**2 / rate if rate > 0 else math.inf  # -b xi itself is a polynomial
        return np.array([constant, 0.0, rate if t > 0 else 0.0, NEGLIGIBLE_EXPONENT])
    steep = max(1.0, abs(b * t / a))
    return np.array([soft**2 * c / (a * steep), opening**2 / math.sqrt(steep), 0.0, NEGLIGIBLE_EXPONENT])
