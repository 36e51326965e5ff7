"""Tree sums: a group of nodes acts on distant nodes as one, and feels distant groups as one.

The drawing is halved again and again, across its longest side, into cells of at most ``LEAF`` nodes.  Two cells that
are far apart against their sizes meet once: the mass and the second moments of one cell make the field around the
center of the other, to third order.  This field is handed on to the halves of the cell and at last to its nodes.  Only
r and three derivatives enter, so all radial functions of the family share one tree, in 1, 2 and 3 dimensions.  The work
depends neither on the size of the drawing nor on how uneven it is.

Errors grow like (sum of the radii / distance)^3.  They are smaller within the width sqrt(c/a) of the kernel, where u
= c + a xi hardly changes.  The errors of many neighbor cells cancel in space; on a line there are two, and cells must
be farther apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from nelayout.formula.kernels import Radial
from nelayout.numerics.parallel import Threads
from nelayout.sums.nbody.field import Field

__all__ = ["Cells", "Tree", "cells_of", "depth_of", "law_of", "rule_of"]

# Most nodes in a cell that is not cut.
LEAF = 16
# Relative error of net forces, with the openings that follow.
TOLERANCE = 2e-3
# Largest sum of the radii against the distance of far cells, for clouds and lines; dimension up to which it is a line.
OPENING, LINE_OPENING, LINE = 0.5, 0.35, 1.15
# Largest sum of the radii against the width of the kernel, at any distance.
SOFT = 0.3
# Exponent beyond which a Gaussian counts as 0.
NEGLIGIBLE = 50.0
# Subtrees that are walked as single tasks, whatever the number of threads.
TASKS = 64
# Order of a Box-Cox form below which it is taken as 0: (q^t - 1)/t would lose its digits.
SMALLEST_ORDER = 1e-7


@dataclass(frozen=True, slots=True)
class Cells:
    """A drawing cut into cells: ranges of the nodes in tree order, the two halves of a cell side by side."""

    points: np.ndarray  # (3, n) in tree order
    charges: np.ndarray  # (n,) in tree order
    order: np.ndarray  # (n,) which node stands where
    first: np.ndarray  # (cells,) each cell's first node, and so on
    last: np.ndarray
    left: np.ndarray  # the first of its halves; -1: not cut
    parent: np.ndarray
    moments: np.ndarray  # (cells, 11) center of mass, radius, mass, second moments

    @property
    def dimension(self) -> float:
        """Power of the radius with which the number of nodes in a cell grows, over the three cuts above the leaves."""
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
        small = size <= max(size[0] // TASKS, LEAF)
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
    """Sums in O(n log n), for drawings in one to three dimensions, however uneven; ``tolerance`` of net forces."""

    threads: Threads = field(default_factory=Threads, compare=False)
    name: str = "tree"
    tolerance: float = TOLERANCE

    @classmethod
    def on(cls, threads: Threads, compiled: bool) -> Tree:
        """Make it with these threads; its loops are compiled in any case."""
        return cls(threads)

    def fields(self, Y: np.ndarray, charges: np.ndarray, radials: tuple[Radial, ...]) -> tuple[Field, ...]:
        """Potential and force of each radial function; NaN all over if a position is not finite."""
        if not np.all(np.isfinite(Y)):
            n, d = Y.shape
            return tuple(Field(np.full(n, np.nan), np.full((n, d), np.nan)) for _ in radials)
        if float(np.min(charges)) < 0.0 < float(np.max(charges)):  # centers of mass need charges of one sign
            parts = [self.fields(Y, np.maximum(sign * charges, 0.0), radials) for sign in (1.0, -1.0)]
            return tuple(Field(a.potential - b.potential, a.force - b.force) for a, b in zip(*parts, strict=True))
        cells = cells_of(Y, charges)
        return tuple(self.walk(cells, radial, Y.shape[1])[0] for radial in radials)

    def walk(self, cells: Cells, radial: Radial, d: int) -> tuple[Field, np.ndarray]:
        """Field of one radial function, and the work it took: cells seen, far cells, pairs of nodes."""
        from nelayout.sums.nbody import tree_loops

        loop, law = tree_loops.walk(radial.kind), law_of(radial)
        rule = rule_of(radial, cells, (self.tolerance / TOLERANCE) ** 0.25)  # the first order left out is the fourth
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
    """Cut a drawing into cells until they hold `LEAF` nodes or fewer."""
    from nelayout.sums.nbody import pair_loops, tree_loops

    n = len(Y)
    points, charges, order = pair_loops.as_points(Y), np.array(charges, dtype=float), np.arange(n)
    ranges = [np.empty(max(2 * n, 1), dtype=np.int64) for _ in range(4)]
    count = tree_loops.grow(points, charges, order, LEAF, *ranges)
    first, last, left, parent = (each[:count].copy() for each in ranges)
    moments = np.empty((count, tree_loops.CELL))
    tree_loops.measure(points, charges, first, last, 0, count, moments)
    return Cells(points, charges, order, first, last, left, parent, moments)


def depth_of(parent: np.ndarray) -> int:
    """Return the number of cells on the longest path down; cells stand level by level, each behind its parent."""
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
    opening, soft = (OPENING if cells.dimension > LINE else LINE_OPENING) * fineness, SOFT * fineness
    a, b, c, t = radial.kernel.a, radial.kernel.b, radial.kernel.c, radial.order
    if a == 0:
        rate = b * abs(t)
        constant = soft**2 / rate if rate > 0 else math.inf  # -b xi itself is a polynomial
        return np.array([constant, 0.0, rate if t > 0 else 0.0, NEGLIGIBLE])
    steep = max(1.0, abs(b * t / a))
    return np.array([soft**2 * c / (a * steep), opening**2 / math.sqrt(steep), 0.0, NEGLIGIBLE])
