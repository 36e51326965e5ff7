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

from nelayout.kernels import Kernel, Radial
from nelayout.nbody.exact import form_of
from nelayout.nbody.field import Field
from nelayout.nbody.tree import Cells, cells_of, depth_of
from nelayout.numerics.parallel import Threads

__all__ = ["Some", "falls"]

TASK_PAIRS = 1 << 19
# Up to here all pairs cost less than the cells that tell which of them count.
FEW_PAIRS = 500_000
# Nodes in a task where only what is close to each counts, and the parts they come in where they add to one sum.
TASK_NODES, PARTS = 64, 2
# Nodes in a cell that is not cut: as many pairs are looked at more than need be, but fewer cells are made.
LEAF = 48
# What a Gaussian is summed as, in the order of the compiled loops.
FORMS = "power", "power-log"
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
    threads: Threads

    @classmethod
    def of(cls, Y: np.ndarray, nodes: np.ndarray, radials: tuple[Radial, ...], threads: Threads) -> Some:
        """The pairs that count for all of the radial functions."""
        rate = min((_rate(radial) for radial in radials), default=0.0)
        if not (rate > 0 and len(nodes) * len(Y) > FEW_PAIRS and np.all(np.isfinite(Y))):
            return cls(Y, nodes, None, threads)
        from nelayout.nbody import close_loops

        cells = cells_of(Y, np.ones(len(Y)), LEAF)
        place = np.empty(len(Y), dtype=np.int64)
        place[cells.order] = np.arange(len(Y))
        close = Close(cells, depth_of(cells.parent), place[nodes], np.empty(len(nodes)))

        def work(start: int) -> None:
            stop = min(start + TASK_NODES, len(nodes))
            close_loops.nearest(*close.tree, cells.points, close.own, start, stop, close.reach)

        threads.map(work, range(0, len(nodes), TASK_NODES))
        close.reach[:] += (NEGLIGIBLE + math.log(len(Y))) / rate
        return cls(Y, nodes, close, threads)

    def felt(self, charges: np.ndarray, radials: tuple[Radial, ...]) -> dict[Radial, Field]:
        """Potential (k,) and force (k, d) at the nodes, of the charges (n,) of all others."""
        if self.close is None:
            points = self._points()
            at = np.ascontiguousarray(points[:, self.nodes])
            return {radial: self._all(points, charges, radial, at, self.nodes) for radial in radials}
        answer, sorted_charges = {}, charges[self.close.cells.order]
        for b, order in _laws(radials):
            potential, force = self._felt_close(self.close, sorted_charges, b, order)
            for radial in radials:
                if (radial.kernel.b, radial.order) == (b, order):
                    form = FORMS.index(radial.form)
                    answer[radial] = Field(potential[form], np.ascontiguousarray(force[form, : self.Y.shape[1]].T))
        return answer

    def felt_from(self, charges: dict[Radial, np.ndarray]) -> np.ndarray:
        """Force (n, d) on all nodes of the charges (k,) that the nodes carry for each radial function."""
        if self.close is None:
            points = self._points()
            own = np.full(len(self.Y), -1)
            own[self.nodes] = np.arange(len(self.nodes))
            sources = np.ascontiguousarray(points[:, self.nodes])
            forces = [self._all(sources, charge, radial, points, own).force for radial, charge in charges.items()]
            return np.sum(forces, axis=0)
        k = len(self.nodes)
        forces = np.zeros((PARTS, self.Y.shape[1], len(self.Y)))
        for b, order in _laws(tuple(charges)):
            carried = np.zeros((2, k))
            for radial, charge in charges.items():
                if (radial.kernel.b, radial.order) == (b, order):
                    carried[FORMS.index(radial.form)] = charge
            self._act_close(self.close, carried, b, order, forces)
        answer = np.empty_like(self.Y)
        answer[self.close.cells.order] = np.sum(forces, axis=0).T
        return answer

    def _felt_close(self, close: Close, charges: np.ndarray, b: float, order: float) -> tuple[np.ndarray, np.ndarray]:
        """Potentials (2, k) and forces (2, 3, k) of both `FORMS`; the charges stand in the order of the cells."""
        from nelayout.nbody import close_loops

        k = len(self.nodes)
        potential, force = np.empty((2, k)), np.empty((2, 3, k))

        def work(start: int) -> None:
            ends = start, min(start + TASK_NODES, k)
            close_loops.felt(
                *close.tree, close.cells.points, charges, b, order, close.own, close.reach, *ends, potential, force
            )

        self.threads.map(work, range(0, k, TASK_NODES))
        return potential, force

    def _act_close(self, close: Close, carried: np.ndarray, b: float, order: float, forces: np.ndarray) -> None:
        """Adds the forces of the charges (2, k) that the nodes carry for both forms, each part of the nodes apart."""
        from nelayout.nbody import close_loops

        cuts = np.linspace(0, len(self.nodes), PARTS + 1).astype(int)

        def work(part: int) -> None:
            ends = cuts[part], cuts[part + 1]
            close_loops.felt_from(
                *close.tree, close.cells.points, carried, b, order, close.own, close.reach, *ends, forces[part]
            )

        self.threads.map(work, range(PARTS))

    def _points(self) -> np.ndarray:
        from nelayout.nbody import pair_loops

        return pair_loops.as_points(self.Y)

    def _all(self, points: np.ndarray, charges: np.ndarray, radial: Radial, at: np.ndarray, own: np.ndarray) -> Field:
        from nelayout.nbody import pair_loops

        k, d = at.shape[1], self.Y.shape[1]
        potential, force = np.empty(k), np.empty((3, k))
        form = form_of(radial)
        rows = max(1, TASK_PAIRS // points.shape[1])

        def work(start: int) -> None:
            pair_loops.pair_sums(points, charges, *form, at, own, start, min(start + rows, k), potential, force)

        self.threads.map(work, range(0, k, rows))
        return Field(potential, np.ascontiguousarray(force[:d].T))


def falls(radials: tuple[Radial, ...]) -> bool:
    """Whether only what is close to a node counts for it, in all of the radial functions."""
    return all(_rate(radial) > 0 for radial in radials)


def _laws(radials: tuple[Radial, ...]) -> list[tuple[float, float]]:
    """b and order of the Gaussians, each once."""
    return list(dict.fromkeys((radial.kernel.b, radial.order) for radial in radials))


def _rate(radial: Radial) -> float:
    """How fast a radial function falls with the squared distance, as exp(-rate xi); 0 if it does not."""
    kernel: Kernel = radial.kernel
    gaussian = kernel.a == 0 and radial.form != "boxcox" and radial.order > 0
    return kernel.b * radial.order if gaussian else 0.0
