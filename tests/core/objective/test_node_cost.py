"""`Solution.node_cost`: the two-stage retrieval of ws-SNE and its relatives, and what it means elsewhere."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from oracles import random_case
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from tables import first

import nelayout as nl
from nelayout.core.catalogue import METHODS
from nelayout.core.formula.connections import Normalized, Optimal
from nelayout.core.formula.divergences import beta
from nelayout.core.formula.kernels import KERNELS, heavy_tailed
from nelayout.core.objective import Affinity, Objective
from nelayout.core.sums.nbody import Exact

KERNEL_TABLE = [KERNELS["cauchy"], KERNELS["gaussian"], KERNELS["inverse-square"], heavy_tailed(2.0)]


KARATE = nx.karate_club_graph()


def two_stages(P: np.ndarray, m: np.ndarray, q: np.ndarray) -> np.ndarray:
    """(n,) costs by Yang, Peltonen & Kaski 2014, sec. 5.1, as it is written, for dense P and kernel values q."""
    n = len(P)
    q = q.copy()
    np.fill_diagonal(q, 0.0)
    p = P / P.sum()
    p_i = p.sum(axis=1)
    Z = sum(m[k] * m[l] * q[k, l] for k in range(n) for l in range(n))
    q_i = np.array([m[i] * sum(m[k] * q[i, k] for k in range(n)) / Z for i in range(n)])
    first = p_i * np.log(p_i / q_i) - p_i + q_i
    then = np.zeros(n)
    for i in range(n):
        given = p[i] / p_i[i]
        drawn = m * q[i] / sum(m[k] * q[i, k] for k in range(n))
        then[i] = sum(given[j] * np.log(given[j] / drawn[j]) for j in range(n) if given[j] > 0)
    return first + p_i * then


@pytest.mark.parametrize("kernel", KERNEL_TABLE, ids=lambda k: k.name)
@pytest.mark.parametrize("compiled", [False, True])
def test_the_i_divergence_costs_two_stages(kernel, compiled):
    P, m, Y = random_case(1, "varied", n=12)
    expected = two_stages(P.toarray(), m, np.exp(kernel.log(cdist(Y, Y, "sqeuclidean") + np.eye(12))))
    assert (expected > 0).all()
    for connection, given in ((Optimal(), P), (Optimal(), 7.0 * P), (Normalized(), P / P.sum())):
        J = Objective(Affinity(csr_array(given), m), kernel, beta(1.0), connection, Exact(compiled), compiled=compiled)
        found = J.node_cost(Y, J.evaluate(Y).lam)
        np.testing.assert_allclose(found, expected, rtol=1e-11)


@pytest.mark.parametrize("method", first(["ws-sne", "tsne", "ssne", "hssne", "ftsne"], 2))
def test_solutions_report_the_two_stages(method):
    # No two nodes have the same neighbors, which would have to be set apart.
    A = random_case(3, "unit", n=40)[0].toarray()
    solution = nl.solve(A, method, scale=None, seed=0)
    Y = solution.positions
    m = np.count_nonzero(A, axis=1) if method == "ws-sne" else np.ones(len(A))
    expected = two_stages(A, m, np.exp(METHODS[method].kernel.log(cdist(Y, Y, "sqeuclidean"))))
    np.testing.assert_allclose(solution.node_cost, expected, rtol=1e-9)
    if method != "ws-sne":
        assert solution.node_cost.sum() == pytest.approx(solution.value, rel=1e-12)


def test_a_node_drawn_where_it_belongs_costs_nothing():
    """P is what the drawing shows, but for one node, whose neighbors have been exchanged."""
    Y = np.random.default_rng(0).normal(size=(20, 2))
    q = 1.0 / (1.0 + cdist(Y, Y, "sqeuclidean"))
    np.fill_diagonal(q, 0.0)
    kernel, unit = KERNELS["cauchy"], np.ones(20)
    J = Objective(Affinity(csr_array(q), unit), kernel, beta(1.0), Optimal(), Exact())
    np.testing.assert_allclose(J.node_cost(Y, J.evaluate(Y).lam), 0.0, atol=1e-15)
    others = np.array([j for j in range(20) if j != 7])
    q[7, others] = q[others, 7] = q[7, others][::-1]
    J = Objective(Affinity(csr_array(q), unit), kernel, beta(1.0), Optimal(), Exact())
    cost = J.node_cost(Y, J.evaluate(Y).lam)
    assert cost.argmax() == 7
    assert cost[7] > 3 * np.delete(cost, 7).max()


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
@pytest.mark.parametrize("method", first((name for name, m in METHODS.items() if m.connection.name != "optimal"), 4))
def test_costs_add_up_to_the_value(method, smoothing):
    if smoothing and METHODS[method].perplexity is not None:
        return  # path lengths are not smoothed
    solution = nl.solve(nx.karate_club_graph(), method, smoothing=smoothing, seed=0, max_iter=20)
    assert solution.node_cost.sum() == pytest.approx(solution.value, rel=1e-9)


def test_costs_of_a_graph_in_pieces():
    """Each component is compared with its own similarities and counts by its nodes; an isolated node costs nothing."""
    G = nx.disjoint_union_all([nx.karate_club_graph(), nx.cycle_graph(7), nx.empty_graph(1)])
    solution = nl.solve(G, "ws-sne", weight=None, scale=None, seed=0)
    Y = np.array([solution.positions[v] for v in range(34)])  # the largest keeps its size when they are packed
    A = (nx.to_numpy_array(nx.karate_club_graph()) > 0).astype(float)
    expected = two_stages(A, A.sum(axis=1), 1.0 / (1.0 + cdist(Y, Y, "sqeuclidean")))
    np.testing.assert_allclose(solution.node_cost[:34], expected * 34 / 41, rtol=1e-7)
    cycle = solution.node_cost[34:41]
    assert (cycle > 0).all()
    assert np.ptp(cycle) < 1e-3 * cycle.mean()  # all its nodes are alike
    assert solution.node_cost[41] == 0.0


@pytest.mark.parametrize(("method", "alike"), [("ws-sne", True), ("sne", True), ("ee", False), ("gamma-linlog", False)])
def test_a_note_says_where_costs_do_not_compare(method, alike):
    G = nx.disjoint_union(nx.karate_club_graph(), nx.cycle_graph(7))
    said = [any("node costs compare within" in note for note in nl.solve(g, method, seed=0).notes) for g in (G, KARATE)]
    assert said == [not alike, False]


@pytest.mark.full
def test_costs_on_fast_sums():
    """Within the error of the sums they are those of exact ones, and still add up to a divergence."""
    G = nx.random_geometric_graph(1500, 0.06, seed=1)
    Y = nl.layout(G, "ws-sne", seed=0, scale=None, nbody="exact")
    costs = {
        nbody: nl.solve(G, "ws-sne", pos=Y, max_iter=0, scale=None, nbody=nbody).node_cost
        for nbody in ("exact", "tree", "mesh")
    }
    for nbody in ("tree", "mesh"):
        assert np.abs(costs[nbody] - costs["exact"]).max() < 0.02 * costs["exact"].max()
        assert costs[nbody].sum() == pytest.approx(costs["exact"].sum(), rel=2e-3)
