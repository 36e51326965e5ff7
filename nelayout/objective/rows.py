"""The formula with one connection for each row: SNE, NeRV, JSE, alpha-SNE.

    J(Y) = sum_i sum_{j != i} m_j phi(P_ij / m_j, lambda_i q_ij),      lambda_i = 1 / sum_{j != i} m_j q_ij

P is row-stochastic, so each node compares how its input and its drawn similarities are shared out, and isolated
groups weigh as much as dense ones.  With S_ki = sum_j m_j r_k(xi_ij) and c_ki = dJ/dS_ki,

    grad_i J = 2 sum_j (omega_ij + omega_ji) (y_i - y_j) + sum_k [c_ki grad Phi_k(y_i; m) + m_i grad Phi_k(y_i; c_k)]:

the repulsion takes two passes, the first with the masses as charges, whose potentials give lambda and so the charges
c of the second.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nelayout.formula.connections import LARGEST, Sums
from nelayout.formula.divergences import Similarity
from nelayout.formula.divergences.protocol import Spread, background_of, spread
from nelayout.formula.kernels import Radial
from nelayout.objective.whole import NOTHING, Evaluation, Objective
from nelayout.sums.edges.rows import RowEdges
from nelayout.sums.nbody.exact import Exact
from nelayout.sums.nbody.far_nodes import FarNodes, falls_off

__all__ = ["RowObjective"]

# Nodes with a potential below this part of the usual one are summed exactly: fast sums have errors of about 1e-4 of the
# usual potential.
FAR = 0.02
# Most pairs for these exact sums.  A drawing that needs more has flown apart: it counts as infinite, unless the kernel
# falls off so fast that only near pairs count.
MOST_PAIRS = 4e8
# Indices of far nodes where there are none.
NONE_FAR = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class RowObjective(Objective):
    """J of row-stochastic similarities, with the interface of `Objective`; P and its rows share one symmetric pattern.

    Merged graphs are drawn by the rows of their own similarities.

    largest  lambda of a row from which on J counts as infinite: the kernel values of a node so far away are 0 to floats
    """

    largest: float = LARGEST

    @cached_property
    def edges(self) -> RowEdges:
        """The edge half."""
        affinity, background = self.affinity, background_of(self.divergence)
        spreads = self._spread(background) if background else None
        if self.device is not None:
            return self.device.row_edges(affinity, spreads)
        return RowEdges(affinity.P, affinity.rows, affinity.mass, spreads, self.threads, self.compiled)

    def _spread(self, background: float) -> Spread:
        """A part ``background`` of each row spread over its pairs without an edge."""
        P, mass, rows = self.affinity.P, self.affinity.mass, self.affinity.rows
        n, own = len(mass), np.ones(P.nnz) if rows is None else rows > 0
        of = np.repeat(np.arange(n), np.diff(P.indptr))
        near, count = (np.bincount(of, own * each, minlength=n) for each in (mass[P.indices], 1.0))
        return spread(background, 1.0, near, self.total, count < n - 1)

    @cached_property
    def total(self) -> np.ndarray:
        """(n,) sum_j m_j over the pairs of each row."""
        mass = self.mass
        return float(np.sum(mass)) - mass

    @cached_property
    def constant(self) -> float:
        """Constant that makes of the sums the divergences of all rows, as far as these are finite."""
        return float(np.sum(self._constants))

    @cached_property
    def _constants(self) -> np.ndarray:
        """(n,) what the sums of each row lack."""
        return self._edge_constants + self._pair_constant * self.total

    @cached_property
    def _edge_constants(self) -> np.ndarray:
        """(n,) what the sum over each row's edges lacks."""
        return self.edges.constants(self.phi)

    @property
    def scale_free(self) -> bool:
        return self.kernel.is_power

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def evaluate(
        self, Y: np.ndarray, *, value: bool = True, gradient: bool = True, weights: bool = False
    ) -> Evaluation:
        """J(Y), its gradient (n, d) and the symmetrized attraction (omega_ij + omega_ji) / 2 of every edge."""
        Y, mass, plain = self.brought(Y), self.mass, Radial(self.kernel)
        sums = self.nbody.at(Y) if isinstance(self.nbody, Exact) else self.nbody
        fields, far = self._fields(Y, self.radials, sums)
        lam = self.connection.at(fields[plain].potential)
        lost = np.flatnonzero(~((lam > 0) & (lam < self.largest)))
        if len(lost):
            none = np.zeros_like(self.edges.values) if weights else NOTHING
            return Evaluation(np.inf, np.inf, np.zeros_like(Y), none, lost)
        asked = {"value": value, "pull": gradient, "weights": weights}
        want = frozenset(name for name, wanted in asked.items() if wanted)
        edges = self.edges.sums(Y, self.kernel, self.phi, lam, want)
        potentials = {r: f.potential for r, f in fields.items()}
        pairs, pairs_slope, charges = self.pair_terms(potentials, self.total, lam)
        coupling = self.connection.couple(
            self.phi,
            Sums(edges.value, edges.slope, pairs, pairs_slope, fields[plain].potential, self.edges.weight, self.total),
            self.exaggeration,
        )
        charges[plain] = charges.get(plain, 0.0) + coupling.d_normalizer
        slopes = NOTHING
        if gradient and edges.pull is not None:
            slopes = (4.0 * coupling.d_edges) * edges.pull
            slopes += mass[:, None] * self._back(Y, charges, far, sums)
            for r, charge in charges.items():
                slopes += charge[:, None] * fields[r].force
        omega = NOTHING if edges.weights is None else coupling.d_edges * edges.weights
        total, lam = float(np.sum(coupling.value)) + self.constant, float(np.exp(np.mean(np.log(coupling.lam))))
        strength = abs(float(np.sum(coupling.d_edges * edges.slope)))
        return self._held(Y, Evaluation(total, lam, slopes, omega, strength=strength))

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def linearized_rows(self, Y: np.ndarray) -> tuple[np.ndarray, dict[Radial, np.ndarray]]:
        """(n,) lambda of each row at Y, and (n,) the charge of each node in the field of each radial function.

        A node of mass m that is added without an edge changes the rows of the others by m sum_k Phi_k(y; charges).
        """
        Y, plain = self.brought(Y), Radial(self.kernel)
        fields, _ = self._fields(Y, self.radials)
        lam = self.connection.at(fields[plain].potential)
        edges = self.edges.sums(Y, self.kernel, self.phi, lam, frozenset({"value"}))
        potentials = {r: f.potential for r, f in fields.items()}
        pairs, slope, charges = self.pair_terms(potentials, self.total, lam)
        known = Sums(edges.value, edges.slope, pairs, slope, potentials[plain], self.edges.weight, self.total)
        moving = self.connection.couple(self.phi, known, 1.0).d_normalizer
        charges[plain] = charges.get(plain, 0.0) + moving
        return lam, {r: np.broadcast_to(charge, lam.shape) for r, charge in charges.items()}

    def _fields(self, Y: np.ndarray, radials: tuple[Radial, ...], sums: Any = None):
        """The first pass, and the nodes so far from all others that their sums were added up pair by pair."""
        mass, plain = self.mass, Radial(self.kernel)
        fields = dict(zip(radials, (sums or self.nbody).fields(Y, mass, radials), strict=True))
        if not self.compiled and self.device is None:  # small graphs are summed exactly as a whole
            return fields, FarNodes(Y, NONE_FAR, None, self.threads)
        usual = fields[plain].potential
        far = np.flatnonzero(~(usual > FAR * np.sqrt(np.mean(usual * usual))))
        if not len(far):
            return fields, FarNodes(Y, far, None, self.threads)
        if not falls_off(radials) and len(far) * len(Y) > MOST_PAIRS:
            fields[plain].potential[far] = 0.0  # no drawing to go on from
            return fields, FarNodes(Y, far, None, self.threads)
        at_far = FarNodes.of(np.asarray(Y), far, radials, self.threads)  # on any device by the CPU: they are few
        for r, exact in at_far.fields_at_nodes(np.asarray(mass), radials).items():
            fields[r].potential[far] = exact.potential
            fields[r].force[far] = exact.force
        return fields, at_far

    def _back(self, Y: np.ndarray, charges: dict[Radial, np.ndarray], far: FarNodes, sums: Any) -> np.ndarray:
        """(n, d) the second pass: the force of the charges; those of far nodes are large, so they act pair by pair."""
        force = np.zeros_like(Y)
        for radial, charge in charges.items():
            others = charge
            if len(far.nodes):
                others = charge.copy()
                others[far.nodes] = 0.0
            force += sums.fields(Y, others, (radial,))[0].force
        if len(far.nodes):
            force += far.force_of_nodes({radial: np.asarray(charge[far.nodes]) for radial, charge in charges.items()})
        return force

    def attraction_at_zero(self, lam: float) -> np.ndarray:
        """The symmetrized omega of every edge if all had length 0 and every lambda were ``lam``."""
        b = Similarity(self.kernel, np.zeros_like(self.edges.values), lam)
        slope = self.edges.scaled_slope(self.phi, b)
        return self.exaggeration * self.edges.symmetric(-self.kernel.decay(np.zeros(1)) * slope)

    def pairs(self, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """P_ij > 0 of the entries, and m_j q_ij / sum_k m_k q_ik > 0 of the same pairs, (N,) each.

        What is too far apart for floats has the smallest normal number.
        """
        edges, plain = self.edges, Radial(self.kernel)
        least = np.finfo(float).tiny
        sums = np.maximum(self._fields(Y, (plain,))[0][plain].potential, least)
        ends = Y[edges.rows] - Y[edges.indices]
        log_q = self.kernel.log(np.sum(ends * ends, axis=1)) - np.log(sums)[edges.rows]
        given = edges.values > 0
        return edges.values[given], np.maximum(edges.pair_mass * np.exp(log_q), least)[given]

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def node_cost(self, Y: np.ndarray, lam: float) -> np.ndarray:
        """(n,) the divergence of each row, each at a lambda of its own; infinity for a node too far from all others."""
        sums = {r: f.potential for r, f in self._fields(Y, self.radials)[0].items()}
        each = self.connection.at(sums[Radial(self.kernel)])
        edges = self.edges.sums(Y, self.kernel, self.phi, each, frozenset({"value"}))
        cost = edges.value + self.pair_terms(sums, self.total, each)[0] + self._constants
        return np.where((each > 0) & (each < self.largest), cost, np.inf)
