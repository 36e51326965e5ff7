"""The formula for a batch: many graphs at once, each with its own lambda and its own value of J.

The graphs lie one after another in one block-diagonal matrix, and pairs across graphs do not count, so that J and its
gradient are those of each graph alone; only sums that were one number become arrays (C,), one for each graph.  Where a
method has a lambda for each row, the rows' values are added up by graphs.

For example, two pairs of nodes drawn at distances 1 and 2 by Elastic Embedding have two values:

>>> from nelayout.catalogue import METHODS
>>> pair = Affinity(csr_array(np.array([[0.0, 1.0], [1.0, 0.0]])), np.ones(2))
>>> batch = batch_of([pair, pair], METHODS["ee"], Threads())
>>> batch.evaluate(np.array([[0.0], [1.0], [0.0], [2.0]])).value.round(3)
array([0.736, 6.037])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nelayout.catalogue.record import Method
from nelayout.formula.connections import LARGEST, Normalized, NormalizedRows, Sums
from nelayout.formula.divergences import Divergence, i_divergence
from nelayout.formula.divergences.protocol import Homogeneous, Spread, background_of, bind, spread
from nelayout.formula.kernels import Radial
from nelayout.numerics.parallel import Threads
from nelayout.numerics.segments import Segments
from nelayout.objective.whole import NOTHING, Affinity, Objective
from nelayout.sums.edges.batch import BatchEdges
from nelayout.sums.edges.rows import RowEdges
from nelayout.sums.nbody.islands import Islands

__all__ = ["BatchEvaluation", "BatchObjective", "batch_of", "on_batch", "one_after_another", "some_of"]


@dataclass(frozen=True, slots=True)
class BatchEvaluation:
    """J, lambda and strength (C,) of each graph; gradient (n, d) and the attraction of each edge where they were asked
    for; the stiffness (n,) that gravity has, 0 without it.

    Of a graph whose J is infinite the others may be anything.
    """

    value: np.ndarray
    lam: np.ndarray
    strength: np.ndarray
    stiffness: np.ndarray
    gradient: np.ndarray = field(default_factory=lambda: NOTHING)
    weights: np.ndarray = field(default_factory=lambda: NOTHING)

    def updated(self, then: BatchEvaluation, taken: np.ndarray, rows: np.ndarray, entries: np.ndarray):
        """The evaluation after the graphs of a mask (C,), whose rows and entries have masks, too, have moved on.

        It has the attraction of the edges if that after the move is known.
        """
        return BatchEvaluation(
            np.where(taken, then.value, self.value),
            np.where(taken, then.lam, self.lam),
            np.where(taken, then.strength, self.strength),
            np.where(rows, then.stiffness, self.stiffness),
            np.where(rows[:, None], then.gradient, self.gradient),
            np.where(entries, then.weights, self.weights) if len(then.weights) == len(self.weights) else then.weights,
        )

    def take(self, kept: np.ndarray, rows: np.ndarray, entries: np.ndarray) -> BatchEvaluation:
        """The graphs of a mask (C,) alone."""
        return BatchEvaluation(
            self.value[kept], self.lam[kept], self.strength[kept], self.stiffness[rows], self.gradient[rows],
            self.weights[entries] if len(self.weights) else self.weights,
        )


def one_after_another(affinities: Sequence[Affinity]) -> tuple[Affinity, Segments]:
    """The graphs as one, and where each of them is."""
    sizes = np.array([len(each.mass) for each in affinities])
    nodes = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    entries = np.cumsum([0, *(each.P.nnz for each in affinities)])
    indices = np.concatenate([each.P.indices + at for each, at in zip(affinities, nodes, strict=True)])
    indptr = [each.P.indptr[:-1] + at for each, at in zip(affinities, entries[:-1], strict=True)]
    data = np.concatenate([each.P.data for each in affinities])
    n = int(sizes.sum())
    indptr = np.concatenate([*indptr, entries[-1:]]).astype(np.int32)
    P = csr_array((data, indices.astype(np.int32), indptr), shape=(n, n))
    return Affinity(P, np.concatenate([each.mass for each in affinities])), Segments(sizes)


def some_of(affinity: Affinity, parts: Segments, kept: np.ndarray) -> tuple[Affinity, Segments, np.ndarray]:
    """The graphs of a mask (C,) among graphs one after another, where each is, and the mask (n,) of their rows."""
    P, (fewer, rows) = affinity.P, parts.take(kept)
    entries = np.repeat(rows, np.diff(P.indptr))
    new = (np.cumsum(rows) - 1).astype(np.int32)
    indptr = np.concatenate([[0], np.cumsum(np.diff(P.indptr)[rows])]).astype(np.int32)
    n = len(fewer.of)
    graph = csr_array((P.data[entries], new[P.indices[entries]], indptr), shape=(n, n))
    return Affinity(graph, affinity.mass[rows]), fewer, rows


def batch_of(
    affinities: Sequence[Affinity], method: Method, threads: Threads, exaggeration: np.ndarray | None = None
) -> BatchObjective:
    """The objective of a method on several graphs; ``exaggeration`` (C,) scales their edges."""
    return on_batch(*one_after_another(affinities), method, threads, exaggeration)


def on_batch(
    affinity: Affinity, parts: Segments, method: Method, threads: Threads, exaggeration: np.ndarray | None = None
) -> BatchObjective:
    """`batch_of` for graphs that lie one after another."""
    return BatchObjective(
        affinity,
        method.kernel,
        method.divergence,
        method.connection,
        Islands(parts.starts, threads),
        threads,
        compiled=True,
        gravity=method.gravity,
        parts=parts,
        factors=np.ones(len(parts.sizes)) if exaggeration is None else exaggeration,
    )


@dataclass(frozen=True)
class BatchObjective(Objective):
    """J of each graph of a batch; ``parts`` says which rows are whose, ``factors`` (C,) scale the edges.

    Every node may move, and nothing is hidden: merged graphs count here only where kernels are singular.
    """

    parts: Segments = field(default_factory=lambda: Segments(np.zeros(0, dtype=int)))
    factors: np.ndarray = field(default_factory=lambda: NOTHING)

    def take(self, kept: np.ndarray) -> tuple[BatchObjective, np.ndarray, np.ndarray]:
        """The objective of the graphs of a mask (C,), and the masks of their rows (n,) and entries."""
        affinity, parts, rows = some_of(self.affinity, self.parts, kept)
        islands = Islands(parts.starts, self.threads)
        some = replace(self, affinity=affinity, nbody=islands, parts=parts, factors=self.factors[kept])
        return some, rows, rows[self.edges.rows]

    @cached_property
    def by_rows(self) -> bool:
        """Whether each node has a lambda of its own."""
        return self.connection.by_rows

    def _grouped(self, values: np.ndarray) -> np.ndarray:
        """Sums over the rows that share a lambda."""
        return values if self.by_rows else self.parts.sum(values)

    def _of_rows(self, values: np.ndarray) -> np.ndarray:
        """Each row's share of numbers that belong to a lambda."""
        return values if self.by_rows else values[self.parts.of]

    @cached_property
    def phi(self) -> Divergence:
        """The divergence, its background spread over the pairs of each graph that have no edge."""
        return self.divergence if self._spreads is None else bind(self.divergence, self._spreads)

    @cached_property
    def _spreads(self) -> Spread | None:
        """The background spread over the pairs without an edge, for each lambda; None where there is none."""
        background = background_of(self.divergence)
        if not background:
            return None
        P, mass = self.affinity.P, self.affinity.mass
        rows = np.repeat(np.arange(len(mass)), np.diff(P.indptr))
        near = np.bincount(rows, mass[P.indices], minlength=len(mass))
        weight, missing = np.ones(len(mass)), np.diff(P.indptr) < self.parts.sizes[self.parts.of] - 1
        if not self.by_rows:
            near = self.parts.sum(mass * near)
            weight = self.parts.sum(np.bincount(rows, P.data, minlength=len(mass)))
            missing = self.parts.sum(missing.astype(float)) > 0
        return spread(background, weight, near, self.total, missing)

    @cached_property
    def edges(self) -> RowEdges:
        """The edge half."""
        affinity = self.affinity
        if self.by_rows:
            return RowEdges(affinity.P, None, affinity.mass, self._spreads, self.threads, True)
        spreads = None if self._spreads is None else self._spreads.at(self.parts.of)
        return BatchEdges(affinity.P, affinity.mass, spreads, self.threads)

    @cached_property
    def total(self) -> np.ndarray:
        """sum M over all pairs of each graph; by rows, (n,) sum_j m_j."""
        mass = self.affinity.mass
        whole = self.parts.sum(mass)
        return whole[self.parts.of] - mass if self.by_rows else whole**2 - self.parts.sum(mass * mass)

    @cached_property
    def constants(self) -> np.ndarray:
        """For each lambda, the constant that makes of the sums the divergence itself, as far as that is finite."""
        if self.connection.name != "optimal":
            return self._grouped(self._edge_constants) + self._pair_constant * self.total
        if not isinstance(self.phi, Homogeneous):
            return np.zeros_like(self.total)
        edges = self._grouped(self.edges.at_input(self.phi, self.kernel))
        return self.phi.invariant_constant(edges, self._weight, self.total)

    @cached_property
    def _edge_constants(self) -> np.ndarray:
        """(n,) what the sum over each row's edges lacks."""
        return self.edges.constants(self.phi)

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def evaluate(self, Y: np.ndarray, *, gradient: bool = True, weights: bool = False) -> BatchEvaluation:
        """J(Y) of each graph, the gradient (n, d) and the attraction of every edge."""
        mass, plain = self.affinity.mass, Radial(self.kernel)
        fields = dict(zip(self.radials, self.nbody.fields(Y, mass, self.radials), strict=True))
        charges = np.ones(len(mass)) if self.by_rows else mass
        sums: dict[Radial, Any] = {r: self._grouped(charges * f.potential) for r, f in fields.items()}
        # the rule for rows is that for whole graphs, on arrays
        rule: Any = NormalizedRows() if isinstance(self.connection, Normalized) else self.connection
        normalizer = sums.get(plain, np.nan)
        lam = rule.at(normalizer) * np.ones(len(self.total))
        pairs, pairs_slope, d_sums = self.pair_terms(sums, self.total, lam)
        asked = {"value": True, "pull": gradient, "weights": weights}
        want = frozenset(name for name, wanted in asked.items() if wanted)
        edges = self.edges.sums(Y, self.kernel, self.divergence, self._of_rows(lam), want)
        value, slope = self._grouped(edges.value), self._grouped(edges.slope)
        factors: Any = self.factors[self.parts.of] if self.by_rows else self.factors
        coupling = rule.couple(
            self.phi, Sums(value, slope, pairs, pairs_slope, normalizer, self._weight, self.total), factors
        )
        slopes = NOTHING
        if gradient and edges.pull is not None:
            slopes = (4.0 * self._of_rows(coupling.d_edges))[:, None] * edges.pull
            for r, f in fields.items():
                c = coupling.d_pairs * d_sums.get(r, 0.0) + (coupling.d_normalizer if r == plain else 0.0)
                c = c * np.ones(len(self.total))
                if self.by_rows:
                    slopes += mass[:, None] * self.nbody.fields(Y, c, (r,))[0].force + c[:, None] * f.force
                else:
                    slopes += (2.0 * c[self.parts.of] * mass)[:, None] * f.force
        omega = NOTHING
        if edges.weights is not None:
            omega = edges.weights * self._of_rows(coupling.d_edges)[self.edges.rows]
        own = coupling.value + self.constants
        if self.by_rows:  # a node that floats lose from all others
            own = np.where((lam > 0) & (lam < LARGEST), own, np.inf)
        lam, strength = coupling.lam * np.ones(len(own)), np.abs(self._whole(coupling.d_edges * slope))
        value, stiffness = self._whole(own), np.zeros(len(mass))
        if self.gravity is not None:
            pull = self.gravity.at(Y, mass, self.parts)
            weight, stiffness = self.parts.sum(pull.cost), pull.curvature
            value, strength = value + weight, strength + weight
            slopes = slopes + pull.gradient if len(slopes) else slopes
        return BatchEvaluation(value, self._lambda(lam), strength, stiffness, slopes, omega)

    def _whole(self, values: np.ndarray) -> np.ndarray:
        """(C,) values of graphs from those that belong to a lambda."""
        return self.parts.sum(values) if self.by_rows else values

    def _lambda(self, lam: np.ndarray) -> np.ndarray:
        """(C,) lambda of each graph, by rows their geometric mean."""
        return np.exp(self.parts.mean(np.log(lam))) if self.by_rows else lam

    @cached_property
    def _weight(self) -> np.ndarray:
        """sum P of each graph (by rows of each row)."""
        return self._grouped(self.edges.row_sums(self.edges.values))

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def node_cost(self, Y: np.ndarray, lam: np.ndarray) -> np.ndarray:
        """(n,) each node's share of its graph's J, as `Objective.node_cost` and `RowObjective.node_cost` give it."""
        mass, plain = self.affinity.mass, Radial(self.kernel)
        fields = dict(zip(self.radials, self.nbody.fields(Y, mass, self.radials), strict=True))
        value = frozenset({"value"})
        if self.by_rows:
            sums = {r: f.potential for r, f in fields.items()}
            each = self.connection.at(sums[plain])
            edges = self.edges.sums(Y, self.kernel, self.divergence, each, value)
            return edges.value + self.pair_terms(sums, self.total, each)[0] + self.constants
        optimal = self.connection.name == "optimal"
        retrieval = self.divergence == i_divergence() and (optimal or self.connection.needs_normalizer)
        of, own = self.parts.of, {r: mass * f.potential for r, f in fields.items()}
        total = 0.0 if retrieval else mass * (self.parts.sum(mass)[of] - mass)
        each = lam[of]
        rows = self
        if self._spreads is not None:
            rows = replace(self, divergence=bind(self.divergence, self._spreads.at(of)))
            vars(rows).update(phi=rows.divergence)
        cost = self.edges.sums(Y, self.kernel, self.divergence, each, value).value
        cost = cost + rows.pair_terms(own, total, each)[0]
        if self.gravity is not None:
            cost = cost + self.gravity.at(Y, mass, self.parts).cost
        if optimal and not retrieval:
            return cost
        cost = cost + self._edge_constants
        if not retrieval:
            return cost + self._pair_constant * total
        return cost / self._weight[of] if optimal else cost
