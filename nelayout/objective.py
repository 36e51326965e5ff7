"""The formula: every method of this package is this one function of the positions.

    J(Y) = sum_{i != j} M_ij phi(P_ij / M_ij, lambda q_ij),    q_ij = q(|y_i - y_j|^2),    M_ij = m_i m_j

a divergence phi between input similarities P (sparse) and drawn similarities lambda q, with masses m and a rule for the
connection scalar lambda.  Because phi(p, b) = tail(b) + edge(p, b) with edge(0, b) = 0,

    J = [sum over all pairs of M tail(lambda q)]  +  [sum over edges of M edge(P/M, lambda q)],

the first bracket is made of radial N-body sums S_k, the second costs one pass over the edges, and with
omega_ij = d(second)/d xi_ij

    grad_i J = 4 sum_j omega_ij (y_i - y_j) + 2 sum_k (dJ/dS_k) m_i grad Phi_k(y_i).

Example: P = adjacency / sum, the Cauchy kernel, the I-divergence, the normalized connection and unit masses are t-SNE;
degree masses and the optimal connection make it ws-SNE; exchange the kernel for 1/|y_i - y_j|^2 and the divergence for
Itakura-Saito, and it is gamma-QuadLog.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.connections import Connection, Sums
from nelayout.divergences import Divergence, Similarity
from nelayout.edges.matrix import Edges
from nelayout.edges.walk import WalkEdges, can_smooth_exactly
from nelayout.kernels import Kernel, Radial
from nelayout.nbody import NBody
from nelayout.numerics.arithmetic import Arithmetic
from nelayout.numerics.parallel import Threads
from nelayout.similarities.random_walk import RandomWalk

__all__ = ["Affinity", "Evaluation", "Objective"]


@dataclass(frozen=True, slots=True)
class Affinity:
    """Input similarities and masses; on a merged graph also what its merging has hidden.

    P      (n, n) CSR, symmetric, non-negative, zero diagonal
    mass   (n,) positive
    inside weight of P that merged pairs hold: they still count in sum P
    hidden sum over clusters of m_C^2 - sum_{i in C} m_i^2: pairs at distance 0 that still count in every sum over M
    rows   row-stochastic similarities on the pattern of P, for connections by rows; None: P's rows by their sums
    features (n, p) what is known of each node beside P, for variational methods; None: nothing
    walk   the random walk on P whose dense p stands in for P in objectives that are quadratic in the drawing
    """

    P: csr_array
    mass: np.ndarray
    inside: float = 0.0
    hidden: float = 0.0
    walk: RandomWalk | None = None
    rows: np.ndarray | None = None
    features: np.ndarray | None = None


# What was not asked for.
NOTHING = np.empty(0)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """J at one drawing, with whatever else was asked for; the rest is empty."""

    value: float
    connection: float
    gradient: np.ndarray = field(default_factory=lambda: NOTHING)
    # omega >= or < 0, on the pattern of P: the attraction of each edge
    weights: np.ndarray = field(default_factory=lambda: NOTHING)
    # indices of nodes too far from all others for floats, where J is infinite for their sake
    lost: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.intp))


@dataclass(frozen=True)
class Objective:
    """J as a frozen value; ``attraction`` scales the edges (annealing), ``free`` masks the nodes that may move."""

    affinity: Affinity
    kernel: Kernel
    divergence: Divergence
    connection: Connection
    nbody: NBody
    threads: Threads = field(default_factory=Threads)
    compiled: bool = False
    attraction: float = 1.0
    free: np.ndarray | None = None
    edges: Edges | WalkEdges = field(init=False, repr=False)
    # What makes J of normalized similarities the divergence itself.
    constant: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.connection.check(self.divergence)
        background = self.divergence.background
        if background:
            object.__setattr__(self, "divergence", self.divergence.bound(self._background(background)))
        object.__setattr__(self, "edges", self._edges())
        object.__setattr__(self, "constant", self._constant())

    def _edges(self) -> Edges | WalkEdges:
        affinity = self.affinity
        if affinity.walk is not None and can_smooth_exactly(self.kernel, self.divergence, self.connection):
            return WalkEdges(affinity.walk)
        # also for a stage on the way whose own kernel would need every single p_ij
        return Edges(affinity.P, affinity.mass, self.divergence.linear, self.threads, self.compiled)

    def _background(self, background: float) -> Any:
        """P/M of a pair without an edge when such pairs share a part ``background`` of sum P.

        Where edges are more than half of all pairs, the others get that part of what an edge has, and share less.
        """
        affinity = self.affinity
        P, mass = affinity.P, affinity.mass
        weight = float(np.sum(P.data)) + affinity.inside
        near = float(np.sum(np.repeat(mass, np.diff(P.indptr)) * mass[P.indices]))
        return background * weight / max(self.total - near, near)

    def _constant(self) -> float:
        """sum P ln(P/M) - sum P + sum M for the normalized I-divergence, whose J is then KL(P || Q)."""
        affinity = self.affinity
        if self.connection.name != "normalized" or self.divergence.name != "i-divergence" or not affinity.P.nnz:
            return 0.0
        return float(np.sum(self._edge_constants())) + self.total

    def _edge_constants(self) -> np.ndarray:
        """(nnz,) P ln(P/M) - P of every entry."""
        P, mass = self.affinity.P, self.affinity.mass
        return P.data * (np.log(P.data / (np.repeat(mass, np.diff(P.indptr)) * mass[P.indices])) - 1.0)

    def annealed(self, attraction: float) -> Objective:
        """The same objective with its edges pulling ``attraction`` times as hard."""
        return replace(self, attraction=attraction)

    @cached_property
    def radials(self) -> tuple[Radial, ...]:
        """The radial functions that are summed over all pairs."""
        own = [radial for term in self.divergence.tail for radial in term.radials(self.kernel)]
        return tuple(dict.fromkeys([*own, Radial(self.kernel)] if self.connection.needs_mass else own))

    @property
    def scale_free(self) -> bool:
        """Whether the size of the drawing leaves J as it is."""
        return self.connection.name == "optimal" and self.kernel.is_power

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def evaluate(
        self, Y: np.ndarray, *, value: bool = True, gradient: bool = True, weights: bool = False
    ) -> Evaluation:
        """J(Y), its gradient (n, d) and the attraction omega of every edge.

        At a trial that goes too far they may be infinite or NaN, silently: whoever tries judges the value.
        """
        affinity, mass = self.affinity, self.affinity.mass
        terms, radials, plain = self.divergence.tail, self.radials, Radial(self.kernel)
        fields = self.nbody.fields(Y, mass, radials)
        sums = {r: self._sum(r, f.potential) for r, f in zip(radials, fields, strict=True)}
        total = self.total

        connection = self.connection.at(sums.get(plain, np.nan))
        tail = tail_slope = 0.0
        d_sums = dict.fromkeys(radials, 0.0)
        for term in terms:
            own = term.radials(self.kernel)
            part, slopes, slope = term.combine(tuple(sums[r] for r in own), total, connection)
            tail, tail_slope = tail + part, tail_slope + slope
            for r, s in zip(own, slopes, strict=True):
                d_sums[r] += s

        want = {"value"} if value else set()
        want |= {"pull"} if gradient or weights else set()
        want |= {"weights"} if weights else set()
        edges = self.edges.sums(Y, self.kernel, self.divergence, connection, frozenset(want))
        inside = affinity.inside if self.divergence.linear and not self.kernel.singular else 0.0
        edges_value, edges_slope = edges.value, edges.slope
        if inside:  # merged pairs: q(0) = 1, so b = lambda
            edges_value, edges_slope = self._with_inside(edges_value, edges_slope, inside, connection)
        weight = self.edges.weight + inside
        coupling = self.connection.couple(
            self.divergence,
            Sums(edges_value, edges_slope, tail, tail_slope, sums.get(plain, np.nan), weight, total),
            self.attraction,
        )

        slopes = NOTHING
        if gradient and edges.pull is not None:
            slopes, scale = edges.pull, 4.0 * coupling.d_edges
            for r, f in zip(radials, fields, strict=True):
                factor = coupling.d_tail * d_sums[r] + (coupling.d_mass if r == plain else 0.0)
                self._arithmetic.combine(slopes, scale, f.force, 2.0 * factor, mass)
                scale = 1.0
            if not radials:
                slopes *= scale
            if self.free is not None:
                slopes[~self.free] = 0.0
        omega = NOTHING if edges.weights is None else np.multiply(edges.weights, coupling.d_edges, out=edges.weights)
        return Evaluation(coupling.value + self.constant, coupling.connection, slopes, omega)

    def attraction_at_zero(self, connection: float) -> np.ndarray:
        """omega of every edge if all had length 0: the curvature of the attraction that spectral directions use."""
        b = Similarity(self.kernel, np.zeros(self.edges.size), self.connection.at(1.0 / connection))
        slope = self.edges.scaled_slope(self.divergence, b)
        omega = -self.kernel.decay(np.zeros(1)) * slope
        if self.connection.name == "optimal":
            omega = omega / -np.sum(slope)
        return self.attraction * omega

    def node_cost(self, Y: np.ndarray, connection: float) -> np.ndarray:
        """(n,) sum_j M_ij phi(P_ij / M_ij, lambda q_ij): each node's share of the separable form at a given lambda.

        For the I-divergence with p = P / sum P and drawn similarities of sum 1 it is what retrieving the node as a
        first point and then its neighbors costs (Yang, Peltonen & Kaski 2014, sec. 5.1), with marginals p_i, q_i:

            p_i ln(p_i / q_i) - p_i + q_i + p_i KL(p_j|i || q_j|i) >= 0,        of sum KL(p || q).

        Elsewhere constants that depend on P alone are left out.
        """
        mass, terms = self.affinity.mass, self.divergence.tail
        optimal = self.connection.name == "optimal"
        stages = self.divergence.name == "i-divergence" and (optimal or self.connection.needs_mass)
        radials = tuple(dict.fromkeys(r for term in terms for r in term.radials(self.kernel)))
        fields = self.nbody.fields(Y, mass, radials)
        own = {r: mass * f.potential for r, f in zip(radials, fields, strict=True)}
        # sum_j M_ij is among the constants; it would cancel, with the last digits of all else
        total = 0.0 if stages else mass * (float(np.sum(mass)) - mass)
        cost = self.edges.node_values(Y, self.kernel, self.divergence, connection)
        for term in terms:
            cost += term.combine(tuple(own[r] for r in term.radials(self.kernel)), total, connection)[0]
        if not stages:
            return cost
        cost += self.edges.row_sums(self._edge_constants())
        return cost / self.edges.weight if optimal else cost

    def _sum(self, radial: Radial, potential: np.ndarray) -> float:
        total = self._arithmetic.product(self.affinity.mass, potential)
        if self.affinity.hidden and not self.kernel.singular:
            total += radial.at_zero * self.affinity.hidden
        return total

    @property
    def _arithmetic(self) -> Arithmetic:
        return Arithmetic(self.threads, self.compiled)

    @cached_property
    def total(self) -> Any:
        """sum M over all pairs; by rows, (n,) sum_j m_j."""
        return self._total()

    def _total(self) -> Any:
        mass = self.affinity.mass
        total = float(np.sum(mass)) ** 2 - float(np.sum(mass * mass))
        return total + (0.0 if self.kernel.singular else self.affinity.hidden)

    def _with_inside(self, value: float, slope: float, inside: float, connection: float) -> tuple[float, float]:
        b = Similarity(self.kernel, np.zeros(1), connection)
        p = np.array([inside])
        return value + float(self.divergence.edge(p, b)[0]), slope + float(self.divergence.slope(p, b)[0])
