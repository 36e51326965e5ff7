"""Groups: the members of each group are near their middle.

    T(Y) = sum_g sum_{i in g} w_ig |y_i - c_g|^2 / sum_i n_i |y_i - c|^2,      c_g = sum_i w_ig y_i / sum_i w_ig

This is the part of the drawing's variance that is within groups, one minus the correlation ratio.  A node may be in
several groups, nested or not.  w_ig are 1, on a coarse graph the members that a node stands for, n_i all nodes that it
stands for.  Where all nodes coincide, T and its gradient count as 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from nelayout.core.terms.pull import Pull, about_middle

__all__ = ["Gathered"]


@dataclass(frozen=True, eq=False)
class Gathered:
    """Groups as a matrix ``members`` (n, G) of weights, and ``count`` (n,) of nodes."""

    members: csr_array
    count: np.ndarray
    strength: float = 1.0
    name = "groups"
    upright = False

    @classmethod
    def over(cls, group: np.ndarray, strength: float = 1.0) -> Gathered:
        """Return the term of one group for each node, (n,); -1: in none."""
        inside = np.flatnonzero(group >= 0)
        shape = len(group), int(group.max(initial=-1)) + 1
        return cls(
            csr_array((np.ones(len(inside)), (inside, group[inside])), shape=shape), np.ones(len(group)), strength
        )

    @cached_property
    def _sums(self) -> tuple[np.ndarray, csr_array, np.ndarray]:
        """Weight of each node (n,), the matrix (G, n) of means, and the part of the nodes (n,)."""
        weight = np.asarray(self.members.sum(axis=0))
        means = csr_array(self.members.T)
        means.data /= np.repeat(weight, np.diff(means.indptr))
        return np.asarray(self.members.sum(axis=1)), means, self.count / np.sum(self.count)

    def at(self, Y: np.ndarray) -> Pull:
        """Return T at positions Y (n, d)."""
        weight, means, part = self._sums
        Y, radius = about_middle(Y, part)
        if radius == 0.0:
            return Pull(np.zeros(len(Y)), np.zeros_like(Y), np.zeros(len(Y)))
        total = float(np.sum(self.count)) * radius * radius
        middles = means @ Y
        pulled = weight[:, None] * Y - self.members @ middles
        # sum_g w_ig |y_i - c_g|^2
        own = np.einsum("ij,ij->i", pulled, Y) - np.einsum("ij,ij->i", self.members @ middles, Y)
        cost = (own + self.members @ np.einsum("gj,gj->g", middles, middles)) / total
        gradient = (2.0 / total) * (pulled - (np.add.reduce(cost) * self.count)[:, None] * Y)
        return Pull(cost, gradient, 2.0 * weight / total)

    def of(self, nodes: np.ndarray) -> Gathered | None:
        """Return the term of some nodes; None if no group has two of them."""
        return _kept(csr_array(self.members[nodes]), self.count[nodes], self.strength)

    def merged(self, cluster: np.ndarray, n: int) -> Gathered | None:
        """Return the term of n clusters of nodes."""
        rows = np.repeat(cluster, np.diff(self.members.indptr))
        members = csr_array((self.members.data, (rows, self.members.indices)), shape=(n, self.members.shape[1]))
        members.sum_duplicates()
        return _kept(members, np.bincount(cluster, self.count, minlength=n), self.strength)


def _kept(members: csr_array, count: np.ndarray, strength: float) -> Gathered | None:
    """Return the term of the groups in two or more rows; None without one."""
    several = np.bincount(members.indices, minlength=members.shape[1]) > 1
    if not several.any():
        return None
    return Gathered(csr_array(members[:, np.flatnonzero(several)]), count, strength)
