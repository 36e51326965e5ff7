"""J as a function of the position of one added node, with the old nodes fixed.

An added node t adds terms to the sums over edges and pairs in J, and J changes by

    J_t(y) = (dJ/d edges) sum_j M_tj edge(P_tj / M_tj, lambda q_tj) + sum_k (dJ/dS_k) m_t sum_j m_j r_k(|y - y_j|^2),

with the derivatives at the finished drawing. This holds to first order in 1/n, for every connection. Connections by
rows give the node a row with its own lambda. They also give it an entry in the other rows, which changes their lambda a
little. If a drawing is a minimum, each node is a minimum of its J_t.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nelayout.core.formula.connections import LARGEST, Sums
from nelayout.core.formula.divergences import Similarity
from nelayout.core.formula.divergences.protocol import spread
from nelayout.core.formula.kernels import Radial
from nelayout.core.objective import Objective
from nelayout.core.objective.linearized import Linearized
from nelayout.core.similarities.random_walk import RandomWalk
from nelayout.core.sums.nbody.outside import Sources
from nelayout.numerics.parallel import Threads

__all__ = ["AddedNodes", "NewEdges", "new_edges_of", "walked"]


@dataclass(frozen=True, slots=True)
class NewEdges:
    """Edges from m added nodes to old ones, sorted by the added node.

    of, to    (E,) the added node and the old node of each edge
    weight    (E,) P_tj, in units of the objective's P; by rows, from the added node's row
    back      (E,) P_jt, from the old node's row, if connections are by rows
    mass      (m,) of the added nodes, in units of the old nodes' mean mass
    """

    of: np.ndarray
    to: np.ndarray
    weight: np.ndarray
    back: np.ndarray
    mass: np.ndarray

    def some(self, which: np.ndarray) -> NewEdges:
        """Return the ties of some of the nodes, by a mask (m,)."""
        here = which[self.of]
        number = np.cumsum(which) - 1
        return NewEdges(number[self.of[here]], self.to[here], self.weight[here], self.back[here], self.mass[which])

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Return sums (m,) of values (E,) over each node's edges, in their order."""
        return np.bincount(self.of, values, minlength=len(self.mass)).astype(float, copy=False)  # integers if empty


def new_edges_of(objective: Objective, new: np.ndarray, among: np.ndarray | None = None) -> NewEdges:
    """Return the edges of some nodes of the objective's graph, as if these were added.

    `new` is a mask (n,) of the nodes; ``among`` a mask (n,) of the other ends, None: all.
    """
    P, mass = objective.affinity.P, objective.affinity.mass
    of = np.repeat(np.arange(len(mass)), np.diff(P.indptr))
    kept = np.flatnonzero(new[of] if among is None else new[of] & among[P.indices])
    weight = back = P.data
    walk = objective.affinity.walk
    if walk is not None:
        weight = back = walk.rho * walk.S.data * walk.row_sums[P.indices]
    if objective.by_rows:
        weight, back = objective.edges.values, objective.edges.values[objective.edges.other]
    number = np.cumsum(new) - 1
    return NewEdges(number[of[kept]], P.indices[kept].astype(np.int64), weight[kept], back[kept], mass[new])


def walked(walk: RandomWalk, to: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Return weights (E,) of ties to the nodes ``to`` of a random walk.

    A walk from the added node t takes one of its ties, with chance ``share`` (E,), and continues: p_t = rho sum_j S_tj
    p_j. So the tie to j has the weight rho S_tj sum_l p_jl; t has the mean strength of the old nodes.
    """
    usual = float(np.mean(walk.strength))
    return walk.rho * share * np.sqrt(usual / walk.strength[to]) * walk.row_sums[to]


@dataclass(frozen=True, slots=True)
class Found:
    """J_t (m,), gradient (m, d), and 2 sum_j of the edges' attraction weights (m,)."""

    value: np.ndarray
    gradient: np.ndarray
    pull: np.ndarray


class AddedNodes:
    """Objectives of added nodes beside the nodes of a drawing Y (n, d), in objective units.

    ``among`` masks the rows of Y that repel; None: all. Other rows only count for lambda. They are nodes still to be
    added, near their final positions, if the objective belongs to the whole graph.
    """

    def __init__(self, objective: Objective, Y: np.ndarray, threads: Threads, among: np.ndarray | None = None) -> None:
        self.of, self.Y = objective, Y
        self.mass = objective.affinity.mass
        walk, those = objective.affinity.walk, slice(None) if among is None else among
        # A walk continues from its old node: the tie pulls to the mean of the walk's ends.
        self.ends = Y if walk is None else walk.times(Y) / walk.row_sums[:, None]
        self.still = Y[those], self.mass[those]
        self.sources = Sources(*self.still, threads)
        self.total = float(np.sum(self.mass[those]))
        self.charged: dict[Radial, Sources] = {}
        if objective.by_rows:
            self.rows, charges = objective.linearized_rows(Y)
            self.charged = {r: Sources(Y[those], charge[those], threads) for r, charge in charges.items()}
            self.radials = tuple(dict.fromkeys([*objective.radials, Radial(objective.kernel)]))
            return
        self.near = Linearized(objective, Y)
        self.radials = self.near.radials

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def evaluate(self, at: np.ndarray, ties: NewEdges) -> Found:
        """Return J_t of each node at ``at`` (m, d), and its gradient; infinite if it overflows."""
        fields = dict(zip(self.radials, self.sources.fields(at, self.radials), strict=True))
        potentials = {r: f.potential for r, f in fields.items()}
        diff = at[ties.of] - self.ends[ties.to]
        xi = np.einsum("ij,ij->i", diff, diff)
        terms = self._by_rows if self.of.by_rows else self._as_whole
        value, omega, factors = terms(self.of, potentials, xi, ties)
        gradient = np.stack([ties.sums(2.0 * omega * diff[:, c]) for c in range(at.shape[1])], axis=1)
        for r, factor in factors.items():
            gradient += factor[:, None] * fields[r].force
        for r, sources in self.charged.items():
            (field,) = sources.fields(at, (r,))
            value = value + ties.mass * field.potential
            gradient += ties.mass[:, None] * field.force
        if self.of.gravity is not None:  # J has it once, and every pair twice
            more, pull = self.of.gravity.beside(at, ties.mass, *self.still)
            value, gradient = value + 0.5 * more, gradient + 0.5 * pull
        sound = np.isfinite(value) & np.isfinite(gradient).all(axis=1)
        return Found(np.where(sound, value, np.inf), gradient, 2.0 * ties.sums(np.maximum(omega, 0.0)))

    def _as_whole(self, J: Objective, potentials: dict[Radial, np.ndarray], xi: np.ndarray, ties: NewEdges):
        """Return J_t, omega of each edge, dJ_t / d potential by radial, at the drawing's lambda."""
        own = {r: ties.mass * potential for r, potential in potentials.items()}
        pairs, slopes = self.near.of_pairs(own, ties.mass * self.total)
        M = 1.0 if J.divergence.linear else ties.mass[ties.of] * self.mass[ties.to]
        edges, omega, _ = self._edges(J.phi, ties, ties.weight, M, Similarity(J.kernel, xi, self.near.lam))
        d_edges = self.near.coupling.d_edges
        return d_edges * edges + pairs, d_edges * omega, {r: ties.mass * slope for r, slope in slopes.items()}

    def _by_rows(self, J: Objective, potentials: dict[Radial, np.ndarray], xi: np.ndarray, ties: NewEdges):
        """Return J_t, omega and dJ_t / d potential, with the edges of old nodes' rows."""
        plain, lam = Radial(J.kernel), J.connection.at(potentials[Radial(J.kernel)])
        total, near = np.full(len(lam), self.total), ties.sums(self.mass[ties.to])
        phi = here = J.divergence
        background = J.divergence.background
        if background:
            few = ties.sums(np.ones(len(ties.to))) < len(self.Y)
            shared = spread(background, 1.0, np.maximum(near, np.finfo(float).tiny), total, few)
            phi, here = J.divergence.bound(shared), J.divergence.bound(shared.at(ties.of))
        b = Similarity(J.kernel, xi, lam[ties.of], J.kernel.log(xi) + np.log(lam)[ties.of])
        edges, omega, slope = self._edges(here, ties, ties.weight, self.mass[ties.to], b)
        pairs, pairs_slope, factors = J.pair_terms(potentials, total, lam, phi)
        known = Sums(edges, slope, pairs, pairs_slope, potentials[plain], 1.0, total)
        coupling = J.connection.couple(phi, known, 1.0)
        factors[plain] = factors.get(plain, 0.0) + coupling.d_normalizer
        factors = {r: np.broadcast_to(factor, lam.shape) for r, factor in factors.items()}
        value = np.where((lam > 0) & (lam < LARGEST), coupling.value, np.inf)
        lam, phi = self.rows[ties.to], J.divergence  # of the old nodes' rows
        if J.edges.spread is not None:
            phi = phi.bound(J.edges.spread.at(ties.to))
        b = Similarity(J.kernel, xi, lam, J.kernel.log(xi) + np.log(lam))
        more, pull, _ = self._edges(phi, ties, ties.back, ties.mass[ties.of], b)
        return value + more, omega + pull, factors

    def _edges(self, phi: Any, ties: NewEdges, weight: np.ndarray, M: Any, b: Similarity):
        """Return sums (m,) over edges of weight > 0, omega (E,), and slopes (m,) in ln lambda."""
        x, there = weight / M, weight > 0
        each, slope = (np.where(there, M * part, 0.0) for part in phi.edge_and_slope(x, b))
        return ties.sums(each), -self.of.kernel.decay(b.xi) * slope, ties.sums(slope)
