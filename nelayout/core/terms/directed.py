"""Direction: arcs point one way.

    T(Y) = sum_a w_a max(0, delta - (z_head - z_tail))^2 / (delta^2 sum_a w_a),      z_i = <e, y_i - c> / r

e is the direction, c the middle of the drawing and r its radius, sqrt(mean |y_i - c|^2).  An arc costs nothing from a
rise of delta on.  It costs 1 if it lies across, and 4 if it points back by delta.  So graphs with cycles have a
minimum: some arcs of each cycle point back.  Where all nodes coincide, T is 1 and its gradient counts as 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nelayout.core.terms.pull import Pull, about_middle, flat

__all__ = ["Directed"]


@dataclass(frozen=True, eq=False)
class Directed:
    """Arcs from ``tail`` to ``head`` (m,) with weights.

    along  (d,) unit vector of the direction
    rise   delta > 0, in radii
    count  (n,) nodes that a node stands for
    """

    tail: np.ndarray
    head: np.ndarray
    weight: np.ndarray
    along: np.ndarray
    rise: float
    count: np.ndarray
    strength: float = 1.0
    name = "direction"
    upright = True

    def at(self, Y: np.ndarray) -> Pull:
        """Return T at positions Y (n, d)."""
        n, tail, head = len(Y), self.tail, self.head
        part = self.count / np.sum(self.count)
        about, size = about_middle(Y, part)
        own = self.weight / np.sum(self.weight)
        if size == 0.0:
            return Pull(_halves(tail, head, own, n), np.zeros_like(Y), np.zeros(n))
        along = flat(self.along, Y.shape[1])
        z = np.einsum("ij,j->i", about, along) / size
        lacking = np.maximum(self.rise - (z[head] - z[tail]), 0.0) / self.rise
        pull = 2.0 * own * lacking / self.rise
        slope = np.bincount(tail, pull, minlength=n) - np.bincount(head, pull, minlength=n)
        # the radius and the middle move with the nodes; the slopes of z sum to 0
        gradient = (slope[:, None] * along - (float(np.dot(slope, z)) * part / size)[:, None] * about) / size
        curvature = 4.0 * _halves(tail, head, 2.0 * own, n) / (self.rise * size) ** 2
        return Pull(_halves(tail, head, own * lacking * lacking, n), gradient, curvature)

    def of(self, nodes: np.ndarray) -> Directed | None:
        """Return the term of some nodes; None without an arc between two of them."""
        index = np.full(len(self.count), -1)
        index[nodes] = np.arange(len(nodes))
        return self._kept(index[self.tail], index[self.head], self.count[nodes])

    def merged(self, cluster: np.ndarray, n: int) -> Directed | None:
        """Return the term of n clusters of nodes."""
        return self._kept(cluster[self.tail], cluster[self.head], np.bincount(cluster, self.count, minlength=n))

    def _kept(self, tail: np.ndarray, head: np.ndarray, count: np.ndarray) -> Directed | None:
        kept = (tail >= 0) & (head >= 0) & (tail != head)
        if not kept.any():
            return None
        return replace(self, tail=tail[kept], head=head[kept], weight=self.weight[kept], count=count)


def _halves(tail: np.ndarray, head: np.ndarray, x: np.ndarray, n: int) -> np.ndarray:
    """Return half of each arc's x at each of its ends, (n,)."""
    return 0.5 * (np.bincount(tail, x, minlength=n) + np.bincount(head, x, minlength=n))
