"""The formula: every method of this package is this one function of the positions.

    J(Y) = sum_{i != j} M_ij phi(P_ij / M_ij, lambda q_ij),    q_ij = q(|y_i - y_j|^2),    M_ij = m_i m_j

phi is a divergence between input similarities P (sparse) and drawn similarities lambda q.  m are masses, and a rule
sets the scale factor lambda.  Because phi(p, b) = phi(0, b) + edge(p, b) with edge(0, b) = 0,

    J = [sum over all pairs of M phi(0, lambda q)]  +  [sum over edges of M edge(P/M, lambda q)],

the first bracket is made of radial N-body sums S_k.  The second costs one pass over the edges.  The gradient, with
omega_ij = d(second)/d xi_ij, is

    grad_i J = 4 sum_j omega_ij (y_i - y_j) + 2 sum_k (dJ/dS_k) m_i grad Phi_k(y_i).

The graph has one lambda, or every row has its own.  For SNE, NeRV, JSE and alpha-SNE

    J(Y) = sum_i sum_{j != i} m_j phi(P_ij / m_j, lambda_i q_ij),      lambda_i = 1 / sum_{j != i} m_j q_ij

with row-stochastic P.  With S_ki = sum_j m_j r_k(xi_ij) and c_ki = dJ/dS_ki,

    grad_i J = 2 sum_j (omega_ij + omega_ji) (y_i - y_j) + sum_k [c_ki grad Phi_k(y_i; m) + m_i grad Phi_k(y_i; c_k)]:

the repulsion takes two passes.  The first has the masses as charges.  Its potentials give lambda and so the charges
c of the second.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from nelayout.core.catalogue.record import Method
from nelayout.core.formula.connections import LARGEST, Connection, Coupling, Sums
from nelayout.core.formula.divergences import Divergence, Similarity, i_divergence
from nelayout.core.formula.divergences.protocol import BackgroundShare, PairTerm, spread
from nelayout.core.formula.kernels import Kernel, Radial
from nelayout.core.formula.potentials import Springs
from nelayout.core.formula.potentials.gravity import Gravity
from nelayout.core.formula.potentials.stress import Stress
from nelayout.core.objective.small import SmallGraph, packed
from nelayout.core.record.evaluation import NOTHING, Evaluation
from nelayout.core.similarities.affinity import Affinity
from nelayout.core.sums.device import Device
from nelayout.core.sums.edges.matrix import Edges
from nelayout.core.sums.edges.walk import WalkEdges, can_smooth_exactly
from nelayout.core.sums.nbody import Exact, Field, NBody
from nelayout.core.sums.nbody.exact import MAX_TABLE_PAIRS, PairTable
from nelayout.core.sums.nbody.far_nodes import FarNodes, falls_off
from nelayout.core.terms.pull import Pull
from nelayout.numerics.arithmetic import Arithmetic
from nelayout.numerics.parallel import Threads

__all__ = ["Objective"]

# Nodes with less than this fraction of the usual potential are summed exactly: fast sums have errors relative to it.
FAR = 0.02
# Most pairs for these exact sums.  A drawing that needs more has flown apart.  It counts as infinite, unless the kernel
# falls off so fast that only near pairs count.
MOST_PAIRS = 4e8
# Indices of far nodes if all nodes are near.
NONE_FAR = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Objective:
    """J as a frozen value.

    exaggeration  scales the edges (annealing)
    free      (n, d) mask of the coordinates that may change; None: all
    gravity   pulls all nodes to their middle
    springs   pull each node to a place
    emphasis  mu: F = J + mu sigma, with the stress sigma of the drawing, see `nelayout.core.formula.potentials.stress`
    device    holds the arrays, with the interface of NumPy; None: NumPy itself
    in_one_loop  whether one compiled loop may take all steps of L-BFGS, see `nelayout.core.objective.small`
    largest   lambda of a row from which on J counts as infinite: the node's kernel values are 0 to floats
    by_rows   whether there is one lambda for each node
    plain     the kernel itself as a radial function
    arithmetic  sums and updates of drawings, in this objective's form
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
    springs: Springs | None = None
    emphasis: float = 0.0
    device: Device | None = None
    in_one_loop: bool = False
    largest: float = LARGEST
    by_rows: bool = field(init=False, compare=False)
    plain: Radial = field(init=False, compare=False)
    arithmetic: Arithmetic = field(init=False, compare=False)

    def __post_init__(self) -> None:
        self.connection.check(self.divergence)
        vars(self).update(
            by_rows=self.connection.by_rows, plain=Radial(self.kernel),
            arithmetic=Arithmetic(self.threads, self.compiled),
        )

    @classmethod
    def of(
        cls, method: Method, affinity: Affinity, nbody: NBody, threads: Threads, compiled: bool, **own: Any
    ) -> Objective:
        """Return the objective of a method; ``own``: other fields."""
        rule = method.kernel, method.divergence, method.connection
        return cls(affinity, *rule, nbody, threads, compiled, gravity=method.gravity, emphasis=method.mu, **own)

    def sharing(self, **changes: Any) -> Objective:
        """Return the objective with another exaggeration or springs; it shares the edges."""
        other = replace(self, **changes)
        vars(other).update(phi=self.phi, edges=self.edges, constants=self.constants)
        return other

    @cached_property
    def phi(self) -> Divergence:
        """Return the divergence, with its background spread over the unlinked pairs."""
        return self.divergence if self._spread is None else self.divergence.bound(self._spread)

    @cached_property
    def _spread(self) -> BackgroundShare | None:
        """Return the background spread over the unlinked pairs of the graph or each row, or None."""
        background = self.divergence.background
        if not background:
            return None
        mass = self.affinity.mass
        n, (near, count, weights) = len(mass), self.affinity.around(self.by_rows)
        missing = count < n - 1
        if self.by_rows:
            return spread(background, 1.0, near, self.total, missing)
        weight = float(np.add.reduce(weights)) + self.affinity.merged_weight
        return spread(background, weight, float(np.add.reduce(mass * near)), self.total, bool(missing.any()))

    @cached_property
    def edges(self) -> Any:
        """Return the edge half: `Edges` or `WalkEdges`."""
        affinity, linear = self.affinity, self.divergence.linear
        if affinity.walk is not None and can_smooth_exactly(self.kernel, self.divergence, self.connection):
            return WalkEdges(affinity.walk if self.device is None else self.device.walk(affinity.walk))
        given: Any = {"by_rows": self.by_rows, "rows": affinity.rows, "spread": self._spread}
        if self.device is not None:
            return self.device.edges(affinity, linear, **given)

        def made() -> Edges:
            # A walk's own edges stand in for its dense p in earlier stages: their kernels would need every p_ij.
            return Edges(affinity.P, affinity.mass, linear, self.threads, self.compiled, **given)

        return self.shared(("edges", linear, self.by_rows, self.threads), made) if self._spread is None else made()

    def shared(self, name: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        """Return a part that a small graph's objectives have in common; make it at its first use."""
        if self.compiled or self.device is not None:
            return make()
        known = self.affinity.shared
        try:
            if name not in known:
                known[name] = make()
        except TypeError:  # a caller's own divergence may have no hash
            return make()
        return known[name]

    @cached_property
    def constants(self) -> Any:
        """Return the constant, or one of each row, from the sums to the divergence, if finite."""
        name = "constants", self.phi, self.connection, self._has_hidden, self._inside
        return self.shared(name, self._constants) if self._spread is None else self._constants()

    def _constants(self) -> Any:
        if self.connection.name != "optimal":
            return self._total_of(self._edge_constants) + self._pair_constant * self.total
        if isinstance(self.edges, WalkEdges) or not self.affinity.P.nnz:
            return 0.0
        edges = self._total_of(self.edges.at_input(self.phi))
        return self.phi.invariant_constant(edges, self._weight, self.total)

    def _total_of(self, rows: Any) -> Any:
        """Return the sum of numbers of the rows (n,); by rows, the numbers."""
        return rows if self.by_rows else float(np.add.reduce(rows, axis=0))

    @cached_property
    def _edge_constants(self) -> np.ndarray:
        """(n,) what the sum over each node's edges lacks."""
        if not isinstance(self.edges, WalkEdges):
            return self.edges.constants(self.phi)
        # only the sums of its p are known
        known = 0.0 if self._pair_constant else self.phi.left_out(np.ones(1))[0]
        return self.edges.walk.to_others * known

    @cached_property
    def _pair_constant(self) -> float:
        """Constant that the sum over all pairs lacks, for each unit of M."""
        return self.phi.left_out(np.ones(1))[1]

    @cached_property
    def radials(self) -> tuple[Radial, ...]:
        """Return the radial functions that are summed over all pairs."""
        own = [radial for _, radials in self._terms for radial in radials]
        return tuple(dict.fromkeys([*own, self.plain] if self.connection.needs_normalizer else own))

    @cached_property
    def _terms(self) -> list[tuple[PairTerm, tuple[Radial, ...]]]:
        """Return the terms of phi(0, lambda q), each with its radial functions."""
        return [(term, term.radials(self.kernel)) for term in self.phi.pairs]

    def pair_terms(
        self, sums: dict[Radial, Any], total: Any, lam: Any, phi: Divergence | None = None
    ) -> tuple[Any, Any, dict[Radial, Any]]:
        """Return the sum of phi(0, lambda q), its slope in ln lambda, its derivatives in the sums."""
        value, slope, d_sums = 0.0, 0.0, {}
        terms = self._terms if phi is None else [(term, term.radials(self.kernel)) for term in phi.pairs]
        for term, own in terms:
            part, slopes, steep = term.combine(tuple([sums[r] for r in own]), total, lam)
            value, slope = value + part, slope + steep
            for r, s in zip(own, slopes, strict=True):
                d_sums[r] = d_sums.get(r, 0.0) + s
        return value, slope, d_sums

    @property
    def scale_free(self) -> bool:
        """Return True if J does not depend on the size of the drawing."""
        free = self.by_rows or self.connection.name == "optimal"
        return free and self.kernel.singular and self.gravity is None

    def evaluate(self, Y: Any, *, gradient: bool = True, weights: bool = False, attraction: bool = False) -> Evaluation:
        """Return J, its gradient (n, d), and omega of every edge or omega's sums.

        By rows omega is (omega_ij + omega_ji) / 2.  Trials that go too far may give infinity or NaN, silently.
        """
        graph = self.small(Y.shape[1]) if self.in_one_loop and not weights and not attraction else None
        return graph.evaluate(Y) if graph is not None else self._evaluated(Y, gradient, weights, attraction)

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def _evaluated(self, Y: Any, gradient: bool, weights: bool, attraction: bool) -> Evaluation:
        Y = self.to_device(Y)
        table = self._table(Y)
        pull = "pull" if table is None else "weights"
        asked = (gradient, pull), (weights, "weights"), (attraction, "attraction")
        at = self._at(Y, frozenset([name for yes, name in asked if yes]), table)
        coupling, edges = at.coupling, at.edges
        slopes = self._gradient(Y, at) if gradient else NOTHING
        omega = self._pulls(at, 1.0) if weights else NOTHING
        sums = edges.attraction * coupling.d_edges if attraction else NOTHING
        own, lam, lost = coupling.value + self.constants, coupling.lam, NONE_FAR
        strength = coupling.d_edges * edges.slope
        if self.by_rows:
            near = self._near(at.normalizer)
            lost = np.flatnonzero(~near)
            own, strength = float(np.sum(np.where(near, own, np.inf))), float(np.sum(strength))
            lam = float(np.exp(np.sum(np.log(lam)) / len(lam)))
        if table is not None:
            vars(self)["_spare"] = table
        return self._held(Y, Evaluation(own, lam, slopes, omega, lost, abs(strength), attraction=sums))

    def small(self, d: int) -> SmallGraph | None:
        """Return the arrays of the compiled loop in d dimensions; None for parts unknown to it."""
        known: dict[int, SmallGraph | None] = vars(self).setdefault("_packed", {})
        if d not in known:
            parts = self.kernel, self.phi, self.connection, self.exaggeration, self.emphasis
            own = self.free, self._spread, self.gravity, self.springs
            alike = all(each is None for each in own)
            known[d] = self.shared(("loop", d, *parts), lambda: packed(self, d)) if alike else packed(self, d)
        return known[d]

    def _pulls(self, at: _At, times: float) -> Any:
        """Return omega of every entry, (nnz,), times a power of two."""
        return at.edges.weights * (times * at.coupling.d_edges)

    def _gradient(self, Y: Any, at: _At) -> Any:
        """Return the gradient (n, d) of sums over edges and pairs."""
        coupling, mass = at.coupling, self.mass
        charges = {r: coupling.d_pairs * slope for r, slope in at.d_sums.items()}
        if self.connection.needs_normalizer:
            charges[self.plain] = charges.get(self.plain, 0.0) + coupling.d_normalizer
        if self.by_rows:
            charges = {r: charge + np.zeros_like(mass) for r, charge in charges.items()}
        if at.table is not None:
            return at.table.gradient([charges[r] for r in self.radials], self._places, self._pulls(at, 4.0))
        scale: Any = 4.0 * coupling.d_edges
        slopes: Any = at.edges.pull
        if not charges:
            slopes *= scale
        for r, charge in charges.items():
            # under one lambda a pair acts on both its ends alike: twice
            factors = charge if self.by_rows else 2.0 * charge * mass
            self.arithmetic.combine(slopes, scale, at.fields[r].force, factors)
            scale = 1.0
        if self.by_rows:
            slopes += mass[:, None] * self._back(Y, charges, at.far)
        return slopes

    def _held(self, Y: Any, free: Evaluation) -> Evaluation:
        """Return the evaluation with gravity, springs and terms.

        The gradient in held coordinates is 0.
        """
        value, slopes, strength, stiffness = free.value, free.gradient, free.strength, free.stiffness
        pulls = [] if self.gravity is None else [self.gravity.at(Y, self.mass)]
        pulls += [] if self.springs is None else [self.springs.at(Y, self.mass)]
        pulls += self.terms(Y).values()
        pulls += [] if self.stress is None else [self.stress.at(Y, len(slopes) > 0)]
        for pull in pulls:
            cost = float(np.add.reduce(pull.cost, axis=0))
            value, strength, stiffness = value + cost, strength + cost, stiffness + pull.curvature
            slopes = slopes + pull.gradient if len(slopes) else slopes
        if self.free is not None and len(slopes):
            slopes[~self.free] = 0.0
        return free._replace(value=value, gradient=slopes, strength=strength, stiffness=stiffness)

    @cached_property
    def unit(self) -> float:
        """Return the unit of J: nats, n of them by rows, or the weight of all edges."""
        if self.by_rows:
            return float(len(self.affinity.mass))
        return 1.0 if self.connection.name == "optimal" or self.connection.needs_normalizer else self._weight

    def terms(self, Y: Any) -> dict[str, Pull]:
        """Return what each term of the graph adds to J at positions Y (n, d), by its name."""
        found, at = dict[str, Pull](), np.asarray(Y)
        for term in self.affinity.terms:
            factor, pull = term.strength * self.unit, term.at(at)
            found[term.name] = Pull(*(self.to_device(factor * each) for each in pull))
        return found

    @cached_property
    def stress(self) -> Any:
        """Return mu sigma in the units of J: nats or weights of edges."""
        if not self.emphasis or self.affinity.distances is None:
            return None
        given = self.emphasis * self.unit, self.affinity.distances
        return Stress(*given, self.threads, self.compiled) if self.device is None else self.device.stress(*given)

    @cached_property
    def _tabled(self) -> bool:
        """Return whether a `PairTable` serves."""
        numpy = isinstance(self.nbody, Exact) and not self.nbody.compiled and not self.compiled
        if not numpy or self.device is not None or not isinstance(self.edges, Edges) or not self.radials:
            return False
        return 0 < self.edges.n**2 <= MAX_TABLE_PAIRS

    def _table(self, Y: Any) -> PairTable | None:
        """Return the table of all pairs, which no other thread has; None if no table serves."""
        if not self._tabled:
            return None
        spare = vars(self).pop("_spare", None)
        fits = spare is not None and spare.dim == Y.shape[1]
        return spare if fits else PairTable(self.mass, self.radials, Y.shape[1])

    @cached_property
    def _places(self) -> np.ndarray:
        """Index of each entry in the flat array of all pairs, (nnz,)."""
        return self.edges.rows.astype(np.int64) * self.edges.n + self.edges.indices

    def _at(self, Y: Any, want: frozenset[str], table: PairTable | None = None) -> _At:
        """Return fields, edge sums, J, and all derivatives in the sums; by rows, J of each row."""
        fields, far, lengths = {}, None, {}
        if table is None:
            fields, far = self._fields(Y, self.radials)
            found: Any = [field.potential for field in fields.values()]
        else:
            found = table.potentials(Y) if self.by_rows else table.totals(Y)
            lengths = {"xi": table.xi.reshape(-1).take(self._places)}
        if table is None and not self.by_rows:
            found = [float(np.add.reduce(self.mass * potential, axis=0)) for potential in found]
        sums: dict[Radial, Any] = dict(zip(self.radials, found, strict=True))
        if self._has_hidden:
            sums = {r: total + r.at_zero * self.affinity.merged_pairs for r, total in sums.items()}
        normalizer = sums.get(self.plain, np.nan)
        lam = self.connection.at(normalizer)
        lam = lam if self.by_rows else np.float64(lam)  # its powers may be infinite, but raise no error
        pairs, pairs_slope, d_sums = self.pair_terms(sums, self.total, lam)
        # edges by rows bind the background of each entry's row
        edges = self.edges.sums(Y, self.kernel, self.divergence if self.by_rows else self.phi, lam, want, **lengths)
        if self._inside:  # merged pairs: q(0) = 1, so b = lambda
            p, b = np.atleast_1d(self._inside), Similarity(self.kernel, np.zeros(1), lam)
            value, slope = float(self.phi.edge(p, b)[0]), float(self.phi.slope(p, b)[0])
            edges = edges._replace(value=edges.value + value, slope=edges.slope + slope)
        known = Sums(edges.value, edges.slope, pairs, pairs_slope, normalizer, self._weight, self.total)
        coupling = self.connection.couple(self.phi, known, self.exaggeration)
        return _At(fields, far, d_sums, edges, coupling, normalizer, table)

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def linearized(self, Y: Any) -> tuple[Any, Coupling]:
        """Return lambda at Y, and the derivatives of J in the sums over edges and pairs."""
        coupling = self._at(self.to_device(Y), frozenset()).coupling
        return (coupling.lam if self.connection.needs_normalizer else self.connection.at(np.nan)), coupling

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def linearized_rows(self, Y: Any) -> tuple[Any, dict[Radial, Any]]:
        """Return lambda of each row at Y, (n,), and each node's charge (n,) for each radial.

        An added node of mass m without an edge changes the rows of the others by m sum_k Phi_k(y; charges).
        """
        at = self.sharing(exaggeration=1.0)._at(self.to_device(Y), frozenset())
        charges = dict(at.d_sums)
        charges[self.plain] = charges.get(self.plain, 0.0) + at.coupling.d_normalizer
        return at.coupling.lam, {r: charge + np.zeros_like(self.mass) for r, charge in charges.items()}

    def _fields(self, Y: Any, radials: tuple[Radial, ...]) -> tuple[dict[Radial, Field], FarNodes | None]:
        """Return the fields of the masses, and the nodes that are summed pair by pair."""
        fields = dict(zip(radials, self.nbody.fields(Y, self.mass, radials), strict=True))
        small = not self.compiled and self.device is None
        if not self.by_rows or small:  # summed exactly as a whole
            return fields, None
        usual = fields[self.plain].potential
        far = np.flatnonzero(~(usual > FAR * np.sqrt(np.mean(usual * usual))))
        if not len(far):
            return fields, None
        if not falls_off(radials) and len(far) * len(Y) > MOST_PAIRS:
            fields[self.plain].potential[far] = 0.0  # no drawing to go on from
            return fields, None
        at_far = FarNodes(np.asarray(Y), far, radials, self.threads)  # on any device by the CPU: they are few
        for r, exact in at_far.fields_at_nodes(np.asarray(self.mass), radials).items():
            fields[r].potential[far] = exact.potential
            fields[r].force[far] = exact.force
        return fields, at_far

    def _back(self, Y: Any, charges: dict[Radial, Any], far: FarNodes | None) -> Any:
        """Return the force of the charges (n, d), the second pass; far nodes act pair by pair."""
        force = np.zeros_like(Y)
        for radial, charge in charges.items():
            others = charge
            if far is not None:
                others = charge.copy()
                others[far.nodes] = 0.0
            force += self.nbody.fields(Y, others, (radial,))[0].force
        if far is not None:
            force += far.force_of_nodes({radial: np.asarray(charge[far.nodes]) for radial, charge in charges.items()})
        return force

    def _near(self, normalizer: Any) -> Any:
        """Return the mask (n,) of rows with a finite lambda."""
        lam = self.connection.at(normalizer)
        return (lam > 0) & (lam < self.largest)

    def attraction_at_zero(self, lam: Any) -> Any:
        """Return omega of every edge at length 0; by rows symmetrized, at one lambda."""
        lam = lam if self.by_rows else self.connection.at(1.0 / lam)
        slope = self.edges.scaled_slope(
            self.divergence if self.by_rows else self.phi,
            Similarity(self.kernel, self.to_device(np.zeros(self.edges.size)), lam),
        )
        omega, factor = -self.kernel.decay(np.zeros(1)) * slope, self.exaggeration
        if self.connection.name == "optimal":
            factor = factor / -np.sum(slope)
        return factor * (self.edges.symmetric(omega) if self.by_rows else omega)

    def pairs(self, Y: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return P_ij > 0 of the entries and m_j q_ij / sum_k m_k q_ik > 0, (N,) each; by rows.

        Values that underflow become the smallest normal number.
        """
        edges, least = self.edges, np.finfo(float).tiny
        sums = np.maximum(self._fields(Y, (self.plain,))[0][self.plain].potential, least)
        ends = Y[edges.rows] - Y[edges.indices]
        log_q = self.kernel.log(np.sum(ends * ends, axis=1)) - np.log(sums)[edges.rows]
        given = edges.values > 0
        return edges.values[given], np.maximum(edges.measure_of(0, edges.n) * np.exp(log_q), least)[given]

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def node_cost(self, Y: Any, lam: Any) -> Any:
        """Return (n,) sum_j M_ij phi(P_ij / M_ij, lambda q_ij): each node's share of separable J.

        By rows it is the divergence of each row at its own lambda, infinite for a node too far from all others.

        Take the I-divergence with p = P / sum P and drawn similarities of sum 1.  Then the share is the cost of
        retrieving the node and then its neighbors, with marginals p_i, q_i (Yang, Peltonen & Kaski 2014, sec. 5.1):

            p_i ln(p_i / q_i) - p_i + q_i + p_i KL(p_j|i || q_j|i) >= 0,        of sum KL(p || q).

        Elsewhere constants that depend on P alone are left out.  Where J is infinite, some costs are infinite, too.
        """
        Y, mass = self.to_device(Y), self.mass
        optimal, retrieval = self.connection.name == "optimal", self._retrieves
        fields = self._fields(Y, self.radials)[0]
        own = {r: f.potential if self.by_rows else mass * f.potential for r, f in fields.items()}
        lam = self.connection.at(own[self.plain]) if self.by_rows else np.float64(lam)
        # sum_j M_ij is among the constants; it would cancel, with the last digits of all else
        total = 0.0 if retrieval else self.total if self.by_rows else mass * (np.add.reduce(mass, axis=0) - mass)
        cost = self.edges.node_values(Y, self.kernel, self.divergence if self.by_rows else self.phi, lam)
        cost = cost + self.pair_terms(own, total, lam)[0]
        if self.gravity is not None:
            cost = cost + self.gravity.at(Y, mass).cost
        if not optimal or retrieval:
            cost = cost + self._edge_constants
            if not retrieval:
                cost = cost + self._pair_constant * total
            elif optimal:
                cost = cost / self.edges.weight
        for pull in self.terms(Y).values():
            cost = cost + pull.cost
        if self.stress is not None:
            cost = cost + self.to_device(self.stress.at(np.asarray(Y), gradient=False).cost)
        return np.where(self._near(own[self.plain]), cost, np.inf) if self.by_rows else cost

    @property
    def of_distributions(self) -> bool:
        """Return True if J compares similarities of sum 1: all nodes share one divergence."""
        return not self.by_rows and (self.connection.needs_normalizer or self._retrieves)

    @property
    def _retrieves(self) -> bool:
        """Return True if the costs of nodes measure a retrieval; see `node_cost`."""
        rule = self.connection
        return self.divergence == i_divergence() and (rule.name == "optimal" or rule.needs_normalizer)

    @cached_property
    def mass(self) -> Any:
        """(n,) masses, where the sums are taken."""
        return self.to_device(self.affinity.mass)

    def to_device(self, x: Any) -> Any:
        """Return the array on the device of the sums, if there is one."""
        return x if self.device is None else self.device.array(x)

    @cached_property
    def total(self) -> Any:
        """sum M over all pairs; by rows, (n,) sum_j m_j."""
        mass = self.affinity.mass
        whole = float(np.add.reduce(mass))
        if self.by_rows:
            return self.to_device(whole - mass)
        total = whole**2 - float(np.add.reduce(mass * mass))
        return total + self.affinity.merged_pairs if self._has_hidden else total

    @cached_property
    def _weight(self) -> Any:
        """sum P, with what merged pairs hold."""
        return self.edges.weight + self._inside

    @cached_property
    def _has_hidden(self) -> bool:
        """Return True if merged pairs, at distance 0, count in sums over pairs."""
        return not self.kernel.singular and bool(self.affinity.merged_pairs) and not self.by_rows

    @cached_property
    def _inside(self) -> Any:
        """Return the weight of merged pairs that counts among the edges."""
        counts = self.divergence.linear and not self.kernel.singular and not self.by_rows
        return self.affinity.merged_weight if counts else 0.0


class _At(NamedTuple):
    """The sums at one drawing, and J with its derivatives in them."""

    fields: dict[Radial, Field]
    far: FarNodes | None
    d_sums: dict[Radial, Any]
    edges: Any
    coupling: Coupling
    normalizer: Any
    table: PairTable | None
