"""Exact sums for far nodes: their field of all other nodes, and their force on all nodes.

Fast backends are accurate relative to the typical potential.  The potential of a node far from all others is tiny, and
connections by rows divide by it.  So the pairs of such a node are summed one by one.  Under a Gaussian, only pairs not
much longer than the shortest pair of the node count::

    >>> from nelayout.formula.kernels import KERNELS
    >>> gaussian = Radial(KERNELS["gaussian"])
    >>> Y = np.array([[0.0, 0.0], [1.0, 0.0], [4.0, 0.0]])
    >>> far = FarNodes.of(Y, np.array([2]), (gaussian,), Threads())
    >>> far.fields_at_nodes(np.ones(3), (gaussian,))[gaussian].potential.round(6)
    array([0.000124])
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nelayout.formula.kernels import Kernel, Radial
from nelayout.numerics.parallel import Threads
from nelayout.sums.nbody.field import Field
from nelayout.sums.nbody.tree import Cells, cells_of

__all__ = ["FarNodes", "falls_off"]

# Number of pairs in a task if all count, and up to which all pairs are summed.
TASK_PAIRS, MAX_EXACT_PAIRS = 1 << 19, 500_000
# Number of nodes in a task if only close pairs count, and of arrays in which forces are added.
TASK_NODES, FORCE_PARTS = 64, 2
# Forms of a Gaussian, in the order of the compiled loops.
FORMS = "power", "power-log"
# Terms below exp(-NEGLIGIBLE_EXPONENT) / n of a node's largest term are left out.
NEGLIGIBLE_EXPONENT = 10.0


class Close(NamedTuple):
    """Cells, indices of the far nodes among their points, and squared cutoffs."""

    cells: Cells
    own: np.ndarray
    reach: np.ndarray

    @property
    def tree(self) -> tuple[np.ndarray, ...]:
        return self.cells.moments, self.cells.first, self.cells.last, self.cells.left


@dataclass(frozen=True, slots=True)
class FarNodes:
    """Far ``nodes`` (k,) among positions ``Y`` (n, d), and their ``close`` pairs (None: all)."""

    Y: np.ndarray
    nodes: np.ndarray
    close: Close | None
    threads: Threads

    @classmethod
    def of(cls, Y: np.ndarray, nodes: np.ndarray, radials: tuple[Radial, ...], threads: Threads) -> FarNodes:
        """Find the pairs that count for at least one of the radial functions."""
        rate = min((_rate(radial) for radial in radials), default=0.0)
        if not (rate > 0 and len(nodes) * len(Y) > MAX_EXACT_PAIRS and np.all(np.isfinite(Y))):
            return cls(Y, nodes, None, threads)
        from nelayout.sums.nbody import close_loops

        cells = cells_of(Y, np.ones(len(Y)))
        place = np.empty(len(Y), dtype=np.int64)
        place[cells.order] = np.arange(len(Y))
        close = Close(cells, place[nodes], np.empty(len(nodes)))

        def work(start: int) -> None:
            stop = min(start + TASK_NODES, len(nodes))
            close_loops.nearest(*close.tree, cells.points, close.own, start, stop, close.reach)

        threads.map(work, range(0, len(nodes), TASK_NODES))
        close.reach[:] += (NEGLIGIBLE_EXPONENT + math.log(len(Y))) / rate
        return cls(Y, nodes, close, threads)

    def fields_at_nodes(self, charges: np.ndarray, radials: tuple[Radial, ...]) -> dict[Radial, Field]:
        """Return potential (k,) and force (k, d) at the far nodes, of charges (n,) of other nodes."""
        if self.close is None:
            points = self._points()
            at = np.ascontiguousarray(points[:, self.nodes])
            return {radial: self._all(points, charges, radial, at, self.nodes) for radial in radials}
        answer, sorted_charges = {}, charges[self.close.cells.order]
        for b, order in _laws(radials):
            potential, force = self._fields_close(self.close, sorted_charges, b, order)
            for radial in radials:
                if (radial.kernel.b, radial.order) == (b, order):
                    form = FORMS.index(radial.form)
                    answer[radial] = Field(potential[form], np.ascontiguousarray(force[form, : self.Y.shape[1]].T))
        return answer

    def force_of_nodes(self, charges: dict[Radial, np.ndarray]) -> np.ndarray:
        """Return the force (n, d) on all nodes of the far nodes' charges (k,), by radial function."""
        if self.close is None:
            points = self._points()
            own = np.full(len(self.Y), -1)
            own[self.nodes] = np.arange(len(self.nodes))
            sources = np.ascontiguousarray(points[:, self.nodes])
            forces = [self._all(sources, charge, radial, points, own).force for radial, charge in charges.items()]
            return np.sum(forces, axis=0)
        k = len(self.nodes)
        forces = np.zeros((FORCE_PARTS, self.Y.shape[1], len(self.Y)))
        for b, order in _laws(tuple(charges)):
            carried = np.zeros((2, k))
            for radial, charge in charges.items():
                if (radial.kernel.b, radial.order) == (b, order):
                    carried[FORMS.index(radial.form)] = charge
            self._add_force_close(self.close, carried, b, order, forces)
        answer = np.empty_like(self.Y)
        answer[self.close.cells.order] = np.sum(forces, axis=0).T
        return answer

    def _fields_close(self, close: Close, charges: np.ndarray, b: float, order: float) -> tuple[np.ndarray, np.ndarray]:
        """Return potentials (2, k) and forces (2, 3, k) of `FORMS`; charges are in tree order."""
        from nelayout.sums.nbody import close_loops

        k = len(self.nodes)
        potential, force = np.empty((2, k)), np.empty((2, 3, k))

        def work(start: int) -> None:
            ends = start, min(start + TASK_NODES, k)
            close_loops.fields_at_nodes(
                *close.tree, close.cells.points, charges, b, order, close.own, close.reach, *ends, potential, force
            )

        self.threads.map(work, range(0, k, TASK_NODES))
        return potential, force

    def _add_force_close(self, close: Close, carried: np.ndarray, b: float, order: float, forces: np.ndarray) -> None:
        """Add the forces of charges (2, k) of both forms, each part to its array."""
        from nelayout.sums.nbody import close_loops

        cuts = np.linspace(0, len(self.nodes), FORCE_PARTS + 1).astype(int)

        def work(part: int) -> None:
            ends = cuts[part], cuts[part + 1]
            close_loops.force_of_nodes(
                *close.tree, close.cells.points, carried, b, order, close.own, close.reach, *ends, forces[part]
            )

        self.threads.map(work, range(FORCE_PARTS))

    def _points(self) -> np.ndarray:
        from nelayout.sums.nbody import pair_loops

        return pair_loops.as_points(self.Y)

    def _all(self, points: np.ndarray, charges: np.ndarray, radial: Radial, at: np.ndarray, own: np.ndarray) -> Field:
        from nelayout.sums.nbody import pair_loops

        k, d = at.shape[1], self.Y.shape[1]
        potential, force = np.empty(k), np.empty((3, k))
        key, *numbers = radial.code
        add, n = pair_loops.pair_sums(*key), points.shape[1]
        rows, everything = max(1, TASK_PAIRS // n), (np.zeros(k, dtype=np.int64), np.full(k, n))

        def work(start: int) -> None:
            add(points, charges, *numbers, at, own, *everything, start, min(start + rows, k), potential, force)

        self.threads.map(work, range(0, k, rows))
        return Field(potential, np.ascontiguousarray(force[:d].T))


def falls_off(radials: tuple[Radial, ...]) -> bool:
    """Return whether all radial functions decay so fast that only close pairs count."""
    return all(_rate(radial) > 0 for radial in radials)


def _laws(radials: tuple[Radial, ...]) -> list[tuple[float, float]]:
    """Return the distinct pairs (b, order) of the Gaussians among the radial functions."""
    return list(dict.fromkeys((radial.kernel.b, radial.order) for radial in radials))


def _rate(radial: Radial) -> float:
    """Return the rate of a radial function that decays as exp(-rate xi); 0 for slower decay."""
    kernel: Kernel = radial.kernel
    gaussian = kernel.a == 0 and radial.form != "boxcox" and radial.order > 0
    return kernel.b * radial.order if gaussian else 0.0
