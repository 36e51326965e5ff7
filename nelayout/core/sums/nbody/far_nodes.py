"""Exact sums for far nodes: their field of all other nodes, and their force on all nodes.

Fast backends are accurate relative to the typical potential.  The potential of a node far from all others is tiny, and
connections by rows divide by it.  So the pairs of such a node are summed one by one.  Under a Gaussian, only pairs not
much longer than the shortest pair of the node count::

    >>> from nelayout.core.formula.kernels import KERNELS
    >>> gaussian = Radial(KERNELS["gaussian"])
    >>> Y = np.array([[0.0, 0.0], [1.0, 0.0], [4.0, 0.0]])
    >>> far = FarNodes(Y, np.array([2]), (gaussian,), Threads())
    >>> far.fields_at_nodes(np.ones(3), (gaussian,))[gaussian].potential.round(6)
    array([0.000124])
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from nelayout.core.formula.kernels import Radial
from nelayout.core.sums.nbody.exact import sums_at
from nelayout.core.sums.nbody.field import Field
from nelayout.core.sums.nbody.tree import Cells, cells_of, field_within
from nelayout.numerics.parallel import Threads

__all__ = ["FarNodes", "falls_off"]

# Number of pairs up to which all pairs are summed.
MAX_EXACT_PAIRS = 500_000
# Number of arrays in which forces are added.
FORCE_PARTS = 2
# Terms below exp(-NEGLIGIBLE_EXPONENT) / n of a node's largest term are left out.
NEGLIGIBLE_EXPONENT = 10.0


class FarNodes:
    """Far ``nodes`` (k,) among positions Y (n, d), and their pairs that count.

    cells  of all nodes, if only close pairs count, else None
    own    (k,) places of the far nodes in the cells
    reach  (k,) squared distances within which pairs of each far node count
    """

    def __init__(self, Y: np.ndarray, nodes: np.ndarray, radials: tuple[Radial, ...], threads: Threads) -> None:
        self.Y, self.nodes, self.threads = Y, nodes, threads
        self.cells: Cells | None = None
        rate = min((_rate(radial) for radial in radials), default=0.0)
        if rate > 0 and len(nodes) * len(Y) > MAX_EXACT_PAIRS and np.all(np.isfinite(Y)):
            from scipy.spatial import KDTree

            self.cells = cells_of(Y, np.ones(len(Y)))
            self.own = np.argsort(self.cells.order)[nodes]
            nearest = KDTree(Y).query(Y[nodes], 2)[0][:, 1]
            self.reach = nearest * nearest + (NEGLIGIBLE_EXPONENT + math.log(len(Y))) / rate

    def fields_at_nodes(self, charges: np.ndarray, radials: tuple[Radial, ...]) -> dict[Radial, Field]:
        """Return potential (k,) and force (k, d) at the far nodes, of charges (n,) of other nodes."""
        if self.cells is None:
            given = self.Y[self.nodes], self.threads, self.nodes
            return {radial: sums_at(self.Y, charges, radial, *given) for radial in radials}
        cells = replace(self.cells, charges=charges[self.cells.order])
        given = self.own, self.reach, self.Y.shape[1], self.threads
        return {radial: field_within(cells, radial, *given) for radial in radials}

    def force_of_nodes(self, charges: dict[Radial, np.ndarray]) -> np.ndarray:
        """Return the force (n, d) on all nodes of the far nodes' charges (k,), by radial function."""
        if self.cells is None:
            own = np.full(len(self.Y), -1)
            own[self.nodes] = np.arange(len(self.nodes))
            given = self.Y, self.threads, own
            each = (sums_at(self.Y[self.nodes], charge, radial, *given) for radial, charge in charges.items())
            return np.sum([field.force for field in each], axis=0)
        from nelayout.core.sums.nbody import pair_loops

        cells, cuts = self.cells, np.linspace(0, len(self.nodes), FORCE_PARTS + 1).astype(int)
        forces = np.zeros((FORCE_PARTS, self.Y.shape[1], len(self.Y)))
        tree = cells.moments, cells.first, cells.last, cells.left, cells.points

        def work(part: int) -> None:
            room = np.empty((3, len(cells.first)), dtype=np.int64), np.empty((2, len(self.Y)))
            for radial, charge in charges.items():
                law = radial.kernel.b, radial.order, radial.form == "power-log"
                ends = cuts[part], cuts[part + 1]
                pair_loops.force_of_nodes(*tree, charge, *law, self.own, self.reach, *ends, *room, forces[part])

        self.threads.map(work, range(FORCE_PARTS))
        answer = np.empty_like(self.Y)
        answer[cells.order] = np.sum(forces, axis=0).T
        return answer


def falls_off(radials: tuple[Radial, ...]) -> bool:
    """Return whether all radial functions decay so fast that only close pairs count."""
    return all(_rate(radial) > 0 for radial in radials)


def _rate(radial: Radial) -> float:
    """Return the rate of a radial function that decays as exp(-rate xi); 0 for slower decay."""
    gaussian = radial.kernel.a == 0 and radial.form != "boxcox" and radial.order > 0
    return radial.kernel.b * radial.order if gaussian else 0.0
