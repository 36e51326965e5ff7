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
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from nelayout.formula.kernels import Kernel, Radial
from nelayout.numerics.parallel import Threads
from nelayout.sums.nbody.exact import sums_at
from nelayout.sums.nbody.field import Field
from nelayout.sums.nbody.tree import TASK_GROUPS, Cells, cells_of, field_within

__all__ = ["FarNodes", "falls_off"]

# Number of pairs up to which all pairs are summed.
MAX_EXACT_PAIRS = 500_000
# Number of arrays in which forces are added.
FORCE_PARTS = 2
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
            stop = min(start + TASK_GROUPS, len(nodes))
            close_loops.nearest(*close.tree, cells.points, close.own, start, stop, close.reach)

        threads.map(work, range(0, len(nodes), TASK_GROUPS))
        close.reach[:] += (NEGLIGIBLE_EXPONENT + math.log(len(Y))) / rate
        return cls(Y, nodes, close, threads)

    def fields_at_nodes(self, charges: np.ndarray, radials: tuple[Radial, ...]) -> dict[Radial, Field]:
        """Return potential (k,) and force (k, d) at the far nodes, of charges (n,) of other nodes."""
        if self.close is None:
            given = self.Y[self.nodes], self.threads, self.nodes
            return {radial: sums_at(self.Y, charges, radial, *given) for radial in radials}
        cells = replace(self.close.cells, charges=charges[self.close.cells.order])
        given = self.close.own, self.close.reach, self.Y.shape[1], self.threads
        return {radial: field_within(cells, radial, *given) for radial in radials}

    def force_of_nodes(self, charges: dict[Radial, np.ndarray]) -> np.ndarray:
        """Return the force (n, d) on all nodes of the far nodes' charges (k,), by radial function."""
        if self.close is None:
            own = np.full(len(self.Y), -1)
            own[self.nodes] = np.arange(len(self.nodes))
            given = self.Y, self.threads, own
            each = (sums_at(self.Y[self.nodes], charge, radial, *given) for radial, charge in charges.items())
            return np.sum([field.force for field in each], axis=0)
        from nelayout.sums.nbody import close_loops

        close, cuts = self.close, np.linspace(0, len(self.nodes), FORCE_PARTS + 1).astype(int)
        forces = np.zeros((FORCE_PARTS, self.Y.shape[1], len(self.Y)))

        def work(part: int) -> None:
            for radial, charge in charges.items():
                law = radial.kernel.b, radial.order, radial.form == "power-log"
                ends = cuts[part], cuts[part + 1]
                close_loops.force_of_nodes(
                    *close.tree, close.cells.points, charge, *law, close.own, close.reach, *ends, forces[part]
                )

        self.threads.map(work, range(FORCE_PARTS))
        answer = np.empty_like(self.Y)
        answer[close.cells.order] = np.sum(forces, axis=0).T
        return answer


def falls_off(radials: tuple[Radial, ...]) -> bool:
    """Return whether all radial functions decay so fast that only close pairs count."""
    return all(_rate(radial) > 0 for radial in radials)


def _rate(radial: Radial) -> float:
    """Return the rate of a radial function that decays as exp(-rate xi); 0 for slower decay."""
    kernel: Kernel = radial.kernel
    gaussian = kernel.a == 0 and radial.form != "boxcox" and radial.order > 0
    return kernel.b * radial.order if gaussian else 0.0
