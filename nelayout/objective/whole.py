"""The formula: every method of this package is this one function of the positions.

    J(Y) = sum_{i != j} M_ij phi(P_ij / M_ij, lambda q_ij),    q_ij = q(|y_i - y_j|^2),    M_ij = m_i m_j

a divergence phi between input similarities P (sparse) and drawn similarities lambda q, with masses m and a rule for the
connection scalar lambda.  Because phi(p, b) = phi(0, b) + edge(p, b) with edge(0, b) = 0,

    J = [sum over all pairs of M phi(0, lambda q)]  +  [sum over edges of M edge(P/M, lambda q)],

the first bracket is made of radial N-body sums S_k, the second costs one pass over the edges, and with
omega_ij = d(second)/d xi_ij

    grad_i J = 4 sum_j omega_ij (y_i - y_j) + 2 sum_k (dJ/dS_k) m_i grad Phi_k(y_i).

Example: P = adjacency / sum, the Cauchy kernel, the I-divergence, the normalized connection and unit masses are t-SNE;
strengths as masses and the optimal connection make it ws-SNE; exchange the kernel for 1/|y_i - y_j|^2 and the
divergence for Itakura-Saito, and it is gamma-QuadLog.  Gravity, where a method has it, is one more sum, over the nodes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from nelayout.formula.connections import Connection, Coupling, Sums
from nelayout.formula.divergences import Divergence, Similarity, i_divergence
from nelayout.formula.divergences.protocol import (
    Homogeneous,
    PairTerm,
    Spread,
    UpToConstants,
    background_of,
    bind,
    is_linear,
    spread,
)
from nelayout.formula.kernels import Kernel, Radial
from nelayout.formula.potentials.anchors import Anchors
from nelayout.formula.potentials.gravity import Gravity
from nelayout.numerics.arithmetic import Arithmetic
from nelayout.numerics.parallel import Threads
from nelayout.record.evaluation import NOTHING, Evaluation
from nelayout.similarities.affinity import Affinity
from nelayout.sums.device import Device
from nelayout.sums.edges.matrix import Edges
from nelayout.sums.edges.walk import WalkEdges, can_smooth_exactly
from nelayout.sums.nbody import Field, NBody

__all__ = ["Affinity", "Evaluation", "Objective"]


@dataclass(frozen=True)
class Objective:
    """J as a frozen value.

    ``exaggeration`` scales the edges (annealing), ``free`` (n, d) masks the coordinates that may change, ``gravity``
    pulls all nodes to the middle, ``anchors`` each to a place of its own.  On a ``device`` arrays are the device's,
    which answer as NumPy's do.
    """

    affinity: Affinity
    kernel: Kernel
    divergence: Divergence
    connection: Connection
    nbody: NBody
    threads: Threads = field(default_factory=Threads)
    compiled: bool = False
    exaggeration: float = 1.0
    free: np.ndarray | None = None
    gravity: Gravity | None = None
    anchors: Anchors | None = None
    device: Device | None = None

    def __post_init__(self) -> None:
        self.connection.check(self.divergence)

    def exaggerated(self, factor: float) -> Objective:
        """The objective whose edges pull ``factor`` times as hard; it shares the edges of this one."""
        return self._sharing(exaggeration=factor)

    def anchored(self, anchors: Anchors) -> Objective:
        """The objective with springs to places; it shares the edges of this one."""
        return self._sharing(anchors=anchors)

    def _sharing(self, **changes: Any) -> Objective:
        other = replace(self, **changes)
        vars(other).update(phi=self.phi, edges=self.edges, constant=self.constant)  # none depends on the changes
        return other

    @cached_property
    def phi(self) -> Divergence:
        """The divergence, its background spread over the pairs of this graph that have no edge."""
        background = background_of(self.divergence)
        return bind(self.divergence, self._spread(background)) if background else self.divergence

    @cached_property
    def edges(self) -> Any:
        """The edge half: `Edges` or `WalkEdges`; by rows, `RowEdges`."""
        affinity = self.affinity
        if affinity.walk is not None and can_smooth_exactly(self.kernel, self.divergence, self.connection):
            return WalkEdges(affinity.walk if self.device is None else self.device.walk(affinity.walk))
        if self.device is not None:
            return self.device.edges(affinity, is_linear(self.divergence))
        # A walk's own edges stand in for its dense p in earlier stages, whose kernels would need every p_ij.
        return Edges(affinity.P, affinity.mass, is_linear(self.divergence), self.threads, self.compiled)

    def _spread(self, background: float) -> Spread:
        """A part ``background`` of sum P spread over the pairs without an edge."""
        affinity = self.affinity
        P, mass = affinity.P, affinity.mass
        weight = float(np.sum(P.data)) + affinity.inside
        near = float(np.sum(np.repeat(mass, np.diff(P.indptr)) * mass[P.indices]))
        return spread(background, weight, near, self.total, P.nnz < len(mass) * (len(mass) - 1))

    @cached_property
    def constant(self) -> float:
        """Constant that makes of the sums the divergence itself, as far as that is finite and each p_ij is known."""
        if self.connection.name != "optimal":
            return float(np.sum(self._edge_constants)) + self._pair_constant * self.total
        if not isinstance(self.phi, Homogeneous) or isinstance(self.edges, WalkEdges) or not self.affinity.P.nnz:
            return 0.0
        mass, ratio = self._pairs_of_edges
        as_input = Similarity(self.kernel, np.zeros(0), known=np.log(ratio))
        edges = float(np.sum(mass * self.phi.edge(ratio, as_input)))
        return float(self.phi.invariant_constant(edges, self.edges.weight + self._inside, self.total))

    @cached_property
    def _edge_constants(self) -> np.ndarray:
        """(n,) what the sum over each node's edges lacks."""
        if not isinstance(self.phi, UpToConstants):
            return np.zeros(len(self.affinity.mass))
        if isinstance(self.edges, WalkEdges):  # of whose p the sums are known
            return self.edges.walk.row_sums * (self.phi.left_out(np.ones(1))[0] if not self._pair_constant else 0.0)
        mass, ratio = self._pairs_of_edges
        return self.edges.row_sums(mass * self.phi.left_out(ratio)[0])

    @property
    def _pair_constant(self) -> float:
        """Constant that the sum over all pairs lacks, for each unit of M."""
        return self.phi.left_out(np.ones(1))[1] if isinstance(self.phi, UpToConstants) else 0.0

    @property
    def _pairs_of_edges(self) -> tuple[np.ndarray, np.ndarray]:
        """(nnz,) M and P/M of every entry; of those that are 0 to floats, the smallest ratio there is."""
        P, mass = self.affinity.P, self.affinity.mass
        both = np.repeat(mass, np.diff(P.indptr)) * mass[P.indices]
        return both, np.maximum(P.data / both, np.finfo(float).tiny)

    @cached_property
    def radials(self) -> tuple[Radial, ...]:
        """The radial functions that are summed over all pairs."""
        own = [radial for _, radials in self._terms for radial in radials]
        return tuple(dict.fromkeys([*own, Radial(self.kernel)] if self.connection.needs_normalizer else own))

    @cached_property
    def _terms(self) -> list[tuple[PairTerm, tuple[Radial, ...]]]:
        """The terms of phi(0, lambda q), each with its radial functions."""
        return [(term, term.radials(self.kernel)) for term in self.phi.pairs]

    def pair_terms(
        self, sums: dict[Radial, Any], total: Any, lam: Any, phi: Divergence | None = None
    ) -> tuple[Any, Any, dict[Radial, Any]]:
        """The sum of phi(0, lambda q), its slope in ln lambda and its derivatives in the sums of the radials."""
        value, slope, d_sums = 0.0, 0.0, {}
        terms = self._terms if phi is None else [(term, term.radials(self.kernel)) for term in phi.pairs]
        for term, own in terms:
            part, slopes, steep = term.combine(tuple(sums[r] for r in own), total, lam)
            value, slope = value + part, slope + steep
            for r, s in zip(own, slopes, strict=True):
                d_sums[r] = d_sums.get(r, 0.0) + s
        return value, slope, d_sums

    @property
    def scale_free(self) -> bool:
        """Whether the size of the drawing leaves J as it is."""
        return self.connection.name == "optimal" and self.kernel.is_power and self.gravity is None

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def evaluate(
        self, Y: np.ndarray, *, value: bool = True, gradient: bool = True, weights: bool = False
    ) -> Evaluation:
        """J(Y), its gradient (n, d) and the attraction omega of every edge.

        At a trial that goes too far they may be infinite or NaN, silently: whoever tries judges the value.
        """
        want = {"value"} if value else set()
        want |= {"pull"} if gradient or weights else set()
        want |= {"weights"} if weights else set()
        Y = self.brought(Y)
        fields, d_sums, edges, coupling, edges_slope = self._coupled(Y, frozenset(want))
        mass, plain = self.mass, Radial(self.kernel)
        slopes = NOTHING
        if gradient and edges.pull is not None:
            slopes, scale = edges.pull, 4.0 * coupling.d_edges
            for r, f in fields.items():
                factor = coupling.d_pairs * d_sums.get(r, 0.0) + (coupling.d_normalizer if r == plain else 0.0)
                self.arithmetic.combine(slopes, scale, f.force, 2.0 * factor, mass)
                scale = 1.0
            if not fields:
                slopes *= scale
        omega = NOTHING if edges.weights is None else np.multiply(edges.weights, coupling.d_edges, out=edges.weights)
        strength = abs(coupling.d_edges * edges_slope)
        return self._held(Y, Evaluation(coupling.value + self.constant, coupling.lam, slopes, omega, strength=strength))

    def _held(self, Y: np.ndarray, free: Evaluation) -> Evaluation:
        """The evaluation with what gravity and anchors add to it; the gradient in held coordinates becomes 0."""
        if self.gravity is None and self.anchors is None and self.free is None:
            return free
        value, slopes, strength, stiffness = free.value, free.gradient, free.strength, free.stiffness
        for potential in (self.gravity, self.anchors):
            if potential is None:
                continue
            pull = potential.at(Y, self.mass)
            value, strength = value + float(np.sum(pull.cost)), strength + float(np.sum(pull.cost))
            stiffness = stiffness + pull.curvature
            slopes = slopes + pull.gradient if len(slopes) else slopes
        if self.free is not None and len(slopes):
            slopes[~self.free] = 0.0
        return replace(free, value=value, gradient=slopes, strength=strength, stiffness=stiffness)

    def _coupled(self, Y: np.ndarray, want: frozenset[str]) -> tuple[dict[Radial, Field], dict, Any, Coupling, float]:
        """Fields, derivatives in their sums, sums over edges, J with its derivatives in both, slope of the edges."""
        radials, plain = self.radials, Radial(self.kernel)
        fields = dict(zip(radials, self.nbody.fields(Y, self.mass, radials), strict=True))
        sums = {r: self._sum(r, f.potential) for r, f in fields.items()}
        normalizer = sums.get(plain, np.nan)
        lam = self.connection.at(normalizer)
        pairs, pairs_slope, d_sums = self.pair_terms(sums, self.total, lam)
        edges, inside = self.edges.sums(Y, self.kernel, self.phi, lam, want), self._inside
        value, slope = edges.value, edges.slope
        if inside:  # merged pairs: q(0) = 1, so b = lambda
            value, slope = self._with_inside(value, slope, inside, lam)
        known = Sums(value, slope, pairs, pairs_slope, normalizer, self.edges.weight + inside, self.total)
        return fields, d_sums, edges, self.connection.couple(self.phi, known, self.exaggeration), slope

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def linearized(self, Y: np.ndarray) -> tuple[float, Coupling]:
        """The lambda at which the sums over edges and pairs are taken at Y, and the derivatives of J in these sums."""
        coupling = self._coupled(self.brought(Y), frozenset({"value"}))[3]
        return (coupling.lam if self.connection.needs_normalizer else self.connection.at(math.nan)), coupling

    def attraction_at_zero(self, lam: float) -> np.ndarray:
        """omega of every edge if all had length 0: the curvature of the attraction that spectral directions use."""
        b = Similarity(self.kernel, self.brought(np.zeros(self.edges.size)), self.connection.at(1.0 / lam))
        slope = self.edges.scaled_slope(self.phi, b)
        omega = -self.kernel.decay(np.zeros(1)) * slope
        if self.connection.name == "optimal":
            omega = omega / -np.sum(slope)
        return self.exaggeration * omega

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def node_cost(self, Y: np.ndarray, lam: float) -> np.ndarray:
        """(n,) sum_j M_ij phi(P_ij / M_ij, lambda q_ij): each node's share of the separable form at a given lambda.

        For the I-divergence with p = P / sum P and drawn similarities of sum 1 it is what retrieving the node as a
        first point and then its neighbors costs (Yang, Peltonen & Kaski 2014, sec. 5.1), with marginals p_i, q_i:

            p_i ln(p_i / q_i) - p_i + q_i + p_i KL(p_j|i || q_j|i) >= 0,        of sum KL(p || q).

        Elsewhere constants that depend on P alone are left out.  Of a drawing whose J is infinite some costs are, too.
        """
        Y, mass = self.brought(Y), self.mass
        optimal = self.connection.name == "optimal"
        retrieval = self.divergence == i_divergence() and (optimal or self.connection.needs_normalizer)
        radials = tuple(dict.fromkeys(r for term in self.phi.pairs for r in term.radials(self.kernel)))
        fields = self.nbody.fields(Y, mass, radials)
        own = {r: mass * f.potential for r, f in zip(radials, fields, strict=True)}
        # sum_j M_ij is among the constants; it would cancel, with the last digits of all else
        total = 0.0 if retrieval else mass * (float(np.sum(mass)) - mass)
        cost = self.edges.node_values(Y, self.kernel, self.phi, lam)
        cost += self.pair_terms(own, total, lam)[0]
        if self.gravity is not None:
            cost += self.gravity.at(Y, mass).cost
        if optimal and not retrieval:
            return cost
        cost += self._edge_constants
        if not retrieval:
            return cost + self._pair_constant * total
        return cost / self.edges.weight if optimal else cost

    def _sum(self, radial: Radial, potential: np.ndarray) -> float:
        total = self.arithmetic.product(self.mass, potential)
        if self.affinity.hidden and not self.kernel.singular:
            total += radial.at_zero * self.affinity.hidden
        return total

    @property
    def arithmetic(self) -> Arithmetic:
        """Sums and updates of drawings, in the form in which this objective is summed."""
        return Arithmetic(self.threads, self.compiled)

    @cached_property
    def mass(self) -> np.ndarray:
        """(n,) masses, where the sums are taken."""
        return self.brought(self.affinity.mass)

    def brought(self, x: np.ndarray) -> np.ndarray:
        """The array where the sums are taken: as it is, or on the device."""
        return x if self.device is None else self.device.array(x)

    @cached_property
    def total(self) -> Any:
        """sum M over all pairs; by rows, (n,) sum_j m_j."""
        mass = self.affinity.mass
        total = float(np.sum(mass)) ** 2 - float(np.sum(mass * mass))
        return total + (0.0 if self.kernel.singular else self.affinity.hidden)

    @cached_property
    def _inside(self) -> float:
        """The weight of merged pairs that counts among the edges: at distance 0, where the kernel must be finite."""
        return self.affinity.inside if is_linear(self.divergence) and not self.kernel.singular else 0.0

    def _with_inside(self, value: float, slope: float, inside: float, lam: float) -> tuple[float, float]:
        b = Similarity(self.kernel, np.zeros(1), lam)
        p = np.array([inside])
        return value + float(self.phi.edge(p, b)[0]), slope + float(self.phi.slope(p, b)[0])
