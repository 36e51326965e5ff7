"""Exact sums for some of the nodes: what they feel of all others, and what all others feel of them.

Fast backends are accurate against the typical potential.  A node far from all others has a tiny one, and where it is
divided by that (connections by rows), its few pairs are summed one by one.  Of a Gaussian only those pairs count that
are not much longer than the node's shortest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kernels import Kernel, Radial
from ..parallel import Workers
from .exact import form_of
from .field import Field

__all__ = ["Some"]

TASK_PAIRS = 1 << 19
# Of a Gaussian, exp(-14) of a node's largest term is as good as nothing: 1e-6.
NEGLIGIBLE = 14.0


@dataclass(frozen=True, slots=True)
class Some:
    """``nodes`` (k,) of a drawing ``Y`` (n, d) and the pairs that count: index into nodes, other node, the way from it
    and its squared length; or None, which is all pairs.
    """

    Y: np.ndarray
    nodes: np.ndarray
    pairs: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None
    crew: Workers

    @classmethod
    def of(cls, Y: np.ndarray, nodes: np.ndarray, radials: tuple[Radial, ...], crew: Workers) -> Some:
        """The pairs that count for all of the radial functions."""
        rate = min((_rate(radial) for radial in radials), default=0.0)
        if not (rate > 0 and len(nodes) and np.all(np.isfinite(Y))):
            return cls(Y, nodes, None, crew)
        from scipy.spatial import KDTree

        tree = KDTree(Y)
        nearest = tree.query(Y[nodes], k=2)[0][:, 1]
        found = tree.query_ball_point(Y[nodes], np.sqrt(nearest**2 + NEGLIGIBLE / rate), return_sorted=True)
        row = np.repeat(np.arange(len(nodes)), [len(others) for others in found])
        other = np.concatenate([np.asarray(others, dtype=np.intp) for others in found])
        apart = other != nodes[row]
        row, other = row[apart], other[apart]
        away = Y[nodes[row]] - Y[other]
        return cls(Y, nodes, (row, other, away, np.sum(away * away, axis=1)), crew)

    def felt(self, charges: np.ndarray, radial: Radial) -> Field:
        """Potential (k,) and force (k, d) at the nodes, of the charges (n,) of all others."""
        if self.pairs is None:
            points = self._points()
            at = np.ascontiguousarray(points[:, self.nodes])
            return self._all(points, charges, radial, at, self.nodes)
        row, other, away, xi = self.pairs
        potential = np.bincount(row, charges[other] * radial.value(xi), minlength=len(self.nodes))
        return Field(potential, _summed(row, charges[other] * radial.slope(xi), away, len(self.nodes)))

    def felt_from(self, charges: np.ndarray, radial: Radial) -> np.ndarray:
        """Force (n, d) on all nodes of the charges (k,) that the nodes carry."""
        if self.pairs is None:
            points = self._points()
            own = np.full(len(self.Y), -1)
            own[self.nodes] = np.arange(len(self.nodes))
            sources = np.ascontiguousarray(points[:, self.nodes])
            return self._all(sources, charges, radial, points, own).force
        row, other, away, xi = self.pairs
        return _summed(other, charges[row] * radial.slope(xi), -away, len(self.Y))

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


def _rate(radial: Radial) -> float:
    """How fast a radial function falls with the squared distance, as exp(-rate xi); 0 if it does not."""
    kernel: Kernel = radial.kernel
    falls = kernel.a == 0 and radial.form != "boxcox" and radial.order > 0
    return kernel.b * radial.order if falls else 0.0


def _summed(at: np.ndarray, slope: np.ndarray, away: np.ndarray, n: int) -> np.ndarray:
    return np.stack([np.bincount(at, 2.0 * slope * part, minlength=n) for part in away.T], axis=1)
