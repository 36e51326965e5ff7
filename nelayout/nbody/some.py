"""Exact sums for some of the nodes: what they feel of all others, and what all others feel of them.

Fast backends are accurate against the typical potential.  A node far from all others has a tiny one, and where it is
divided by that (connections by rows), its few pairs are summed one by one.  Of a Gaussian only those pairs count that
are not much longer than the node's shortest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..kernels import Kernel, Radial
from ..parallel import Workers
from .exact import form_of
from .field import Field
from .tree import Cells, cells_of, depth_of

__all__ = ["Some", "falls"]

TASK_PAIRS = 1 << 19
# Up to here all pairs cost less than the cells that tell which of them count.
FEW_PAIRS = 500_000
# Nodes in a task where only what is close to each counts.
TASK_NODES = 64
# Of a Gaussian, exp(-10) of a node's largest term is as good as nothing: all that is left out is below 5e-5 of it.
NEGLIGIBLE = 10.0


class Close(NamedTuple):
    """The cells of a drawing, where the nodes stand among its points, and the squared distance of what counts."""

    cells: Cells
    depth: int
    own: np.ndarray
    reach: np.ndarray

    @property
    def tree(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]:
        return self.cells.moments, self.cells.first, self.cells.last, self.cells.left, self.depth


@dataclass(frozen=True, slots=True)
class Some:
    """``nodes`` (k,) of a drawing ``Y`` (n, d), and which pairs count; None: all."""

    Y: np.ndarray
    nodes: np.ndarray
    close: Close | None
    crew: Workers

    @classmethod
    def of(cls, Y: np.ndarray, nodes: np.ndarray, radials: tuple[Radial, ...], crew: Workers) -> Some:
        """The pairs that count for all of the radial functions."""
        rate = min((_rate(radial) for radial in radials), default=0.0)
        if not (rate > 0 and len(nodes) * len(Y) > FEW_PAIRS and np.all(np.isfinite(Y))):
            return cls(Y, nodes, None, crew)
        from .. import compiled_close

        cells = cells_of(Y, np.ones(len(Y)))
        place = np.empty(len(Y), dtype=np.int64)
        place[cells.order] = np.arange(len(Y))
        close = Close(cells, depth_of(cells.parent), place[nodes], np.empty(len(nodes)))

        def work(start: int) -> None:
            stop = min(start + TASK_NODES, len(nodes))
            compiled_close.nearest(*close.tree, cells.points, close.own, start, stop, close.reach)

        crew.map(work, range(0, len(nodes), TASK_NODES))
        close.reach[:] += (NEGLIGIBLE + math.log(len(Y))) / rate
        return cls(Y, nodes, close, crew)

    def felt(self, charges: np.ndarray, radial: Radial) -> Field:
        """Potential (k,) and force (k, d) at the nodes, of the charges (n,) of all others."""
        if self.close is None:
            points = self._points()
            at = np.ascontiguousarray(points[:, self.nodes])
            return self._all(points, charges, radial, at, self.nodes)
        from .. import compiled_close

        close, k = self.close, len(self.nodes)
        potential, force = np.empty(k), np.empty((3, k))
        first = (*close.tree, close.cells.points, charges[close.cells.order], *form_of(radial), close.own, close.reach)

        def work(start: int) -> None:
            compiled_close.felt(*first, start, min(start + TASK_NODES, k), potential, force)

        self.crew.map(work, range(0, k, TASK_NODES))
        return Field(potential, np.ascontiguousarray(force[: self.Y.shape[1]].T))

    def felt_from(self, charges: np.ndarray, radial: Radial) -> np.ndarray:
        """Force (n, d) on all nodes of the charges (k,) that the nodes carry."""
        if self.close is None:
            points = self._points()
            own = np.full(len(self.Y), -1)
            own[self.nodes] = np.arange(len(self.nodes))
            sources = np.ascontiguousarray(points[:, self.nodes])
            return self._all(sources, charges, radial, points, own).force
        from .. import compiled_close

        close, force = self.close, np.zeros((3, len(self.Y)))
        points = close.cells.points
        compiled_close.felt_from(*close.tree, points, charges, *form_of(radial), close.own, close.reach, force)
        answer = np.empty_like(self.Y)
        answer[close.cells.order] = force[: self.Y.shape[1]].T
        return answer

    def _points(self) -> np.ndarray:
        from .. import compiled

        return compiled.as_points(self.Y)

    def _all(self, points: np.ndarray, charges: np.ndarray, radial: Radial, at: np.ndarray, own: np.ndarray) -> Field:
        from .. import compiled

        k, d = at.shape[1], self.Y.shape[1]
        potential, force = np.empty(k), np.empty((3, k))
        form = form_of(radial)
        rows = max(1, TASK_PAIRS // points.shape[1])

        def work(start: int) -> None:
            compiled.pair_sums(points, charges, *form, at, own, start, min(start + rows, k), potential, force)

        self.crew.map(work, range(0, k, rows))
        return Field(potential, np.ascontiguousarray(force[:d].T))


def falls(radials: tuple[Radial, ...]) -> bool:
    """Whether only what is close to a node counts for it, in all of the radial functions."""
    return all(_rate(radial) > 0 for radial in radials)


def _rate(radial: Radial) -> float:
    """How fast a radial function falls with the squared distance, as exp(-rate xi); 0 if it does not."""
    kernel: Kernel = radial.kernel
    gaussian = kernel.a == 0 and radial.form != "boxcox" and radial.order > 0
    return kernel.b * radial.order if gaussian else 0.0
