"""Coarse to fine: what merging keeps, how fast graphs shrink, and that nothing is torn apart."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

from nelayout.catalogue.record import Method
from nelayout.formula.kernels import KERNELS
from nelayout.graphs import read
from nelayout.objective import Affinity, Objective
from nelayout.placing.components import component_labels
from nelayout.run.coarsen import COARSEST, WORTHWHILE, Level, hierarchy, match, merge
from nelayout.run.placement import prolong
from nelayout.sums.nbody import Exact


def affinity(G: nx.Graph, mass: str = "unit") -> Affinity:
    P = read(G).adjacency
    degree = np.diff(P.indptr).astype(float)
    return Affinity(P, np.ones(len(G)) if mass == "unit" else degree / degree.mean())


def levels_of(G: nx.Graph, mass: str = "unit", seed: int = 0) -> list[Level]:
    return hierarchy(affinity(G, mass), np.random.default_rng(seed))


def weighted() -> nx.Graph:
    G = nx.barabasi_albert_graph(400, 3, seed=1)
    rng = np.random.default_rng(0)
    for _, _, data in G.edges(data=True):
        data["weight"] = float(rng.lognormal(0, 2))
    return G


GRAPHS = {
    "path": lambda: nx.path_graph(1000),
    "cycle": lambda: nx.cycle_graph(700),
    "star": lambda: nx.star_graph(999),
    "grid": lambda: nx.grid_2d_graph(30, 30),
    "tree": lambda: nx.balanced_tree(3, 6),
    "hubs": lambda: nx.barabasi_albert_graph(1000, 2, seed=3),
    "weighted": weighted,
    "clique": lambda: nx.complete_graph(100),
    "caterpillar": lambda: nx.from_edgelist(
        [(i, i + 1) for i in range(60)] + [(i, (i, k)) for i in range(60) for k in range(12)]
    ),
    "broom": lambda: nx.lollipop_graph(60, 400),
}


@pytest.mark.parametrize("mass", ["unit", "degree"])
@pytest.mark.parametrize("name", GRAPHS)
def test_masses_and_weights_add_up(name, mass):
    fine = affinity(GRAPHS[name](), mass)
    total = fine.P.data.sum()
    of_node = np.arange(len(fine.mass))
    for level in hierarchy(fine, np.random.default_rng(0))[1:]:
        assert level.cluster is not None
        of_node = level.cluster[of_node]  # the cluster of every node of the graph itself
        coarse = level.affinity
        n = coarse.P.shape[0]
        assert np.array_equal(np.unique(of_node), np.arange(n))
        assert np.allclose(coarse.mass, np.bincount(of_node, fine.mass))
        assert coarse.P.data.sum() + coarse.inside == pytest.approx(total)
        # the definition: pairs of nodes in one cluster, each ordered pair once
        inside = sum(w for (i, j), w in zip(pairs(fine.P), fine.P.data, strict=True) if of_node[i] == of_node[j])
        assert coarse.inside == pytest.approx(inside)
        assert coarse.hidden == pytest.approx((coarse.mass**2).sum() - (fine.mass**2).sum())
        expected = csr_array((fine.P.data, of_node[np.array(pairs(fine.P)).T]), shape=(n, n)).toarray()
        np.fill_diagonal(expected, 0.0)
        assert np.allclose(coarse.P.toarray(), expected)


def pairs(P: csr_array) -> list[tuple[int, int]]:
    rows = np.repeat(np.arange(len(P.indptr) - 1), np.diff(P.indptr))
    return list(zip(rows.tolist(), P.indices.tolist(), strict=True))


@pytest.mark.parametrize("name", GRAPHS)
def test_coarse_graphs_are_canonical(name):
    for level in levels_of(GRAPHS[name]()):
        P = level.affinity.P
        assert P.has_canonical_format
        assert P.indices.dtype == P.indptr.dtype == np.int32
        assert (P.data > 0).all()
        assert P.diagonal().sum() == 0
        assert np.allclose((P - P.T).data, 0, atol=1e-9 * P.data.max(initial=1.0))


@pytest.mark.parametrize("name", GRAPHS)
def test_every_graph_shrinks_geometrically_to_a_small_one(name):
    """Paths and grids halve, stars collapse; each level is worth its time."""
    sizes = [level.affinity.P.shape[0] for level in levels_of(GRAPHS[name]())]
    ratios = np.array(sizes[1:]) / np.array(sizes[:-1])
    assert sizes[-1] <= COARSEST
    assert (ratios <= WORTHWHILE).all()
    assert np.exp(np.log(ratios).mean()) < 0.7
    assert sum(sizes) < 3.5 * sizes[0]


@pytest.mark.parametrize("leaves", [50, 5000])
def test_a_star_shrinks_at_once(leaves):
    """Pairing alone would take one leaf a level: all leaves join the pair of their hub."""
    assert len(levels_of(nx.star_graph(leaves))) == 2


@pytest.mark.parametrize("name", GRAPHS)
def test_clusters_are_connected_and_neighbors(name):
    """Only nodes that an edge joins are merged, so connected stays connected and nothing foreign is glued."""
    fine = affinity(GRAPHS[name]())
    for level in hierarchy(fine, np.random.default_rng(1))[1:]:
        assert level.cluster is not None
        P, cluster = fine.P, level.cluster
        rows = np.repeat(np.arange(len(cluster)), np.diff(P.indptr))
        same = cluster[rows] == cluster[P.indices]
        kept = csr_array((np.ones(same.sum()), (rows[same], P.indices[same])), shape=P.shape)
        assert component_labels(kept).max() + 1 == level.affinity.P.shape[0]
        assert component_labels(level.affinity.P).max() == 0
        fine = level.affinity


def test_components_stay_apart():
    G = nx.disjoint_union_all([nx.grid_2d_graph(8, 8), nx.star_graph(60), nx.path_graph(70)])
    for level in levels_of(G):
        assert component_labels(level.affinity.P).max() + 1 == 3


def test_the_heaviest_edge_of_both_its_ends_is_merged():
    G = nx.path_graph(6)
    nx.set_edge_attributes(G, {(0, 1): 1, (1, 2): 9, (2, 3): 1, (3, 4): 9, (4, 5): 1}, "weight")
    cluster = match(affinity(G), np.random.default_rng(0))
    assert cluster[1] == cluster[2]
    assert cluster[3] == cluster[4]
    assert cluster[1] != cluster[3]


def test_heavy_nodes_are_matched_last():
    """Along P_ij / (m_i m_j): of two edges alike, the one between light nodes goes first."""
    fine = affinity(nx.path_graph(4))
    heavy = Affinity(fine.P, np.array([1.0, 1.0, 50.0, 50.0]))
    cluster = match(heavy, np.random.default_rng(0))
    assert cluster[0] == cluster[1]


@pytest.mark.parametrize("name", ["grid", "weighted", "star"])
def test_hierarchy_is_deterministic(name):
    first, second = levels_of(GRAPHS[name](), seed=7), levels_of(GRAPHS[name](), seed=7)
    assert len(first) == len(second)
    for a, b in zip(first[1:], second[1:], strict=True):
        assert a.cluster is not None
        assert b.cluster is not None
        assert np.array_equal(a.cluster, b.cluster)
        assert np.array_equal(a.affinity.P.data, b.affinity.P.data)
    one, other = (levels_of(nx.grid_2d_graph(30, 30), seed=seed)[1].cluster for seed in (7, 8))
    assert one is not None
    assert other is not None
    assert not np.array_equal(one, other)


def test_merging_everything_and_nothing():
    fine = affinity(nx.cycle_graph(5))
    one = merge(fine, np.zeros(5, dtype=int), 1)
    assert (one.P.nnz, one.inside, one.hidden) == (0, 10.0, 20.0)
    same = merge(fine, np.arange(5), 5)
    assert np.array_equal(same.P.toarray(), fine.P.toarray())
    assert (same.inside, same.hidden) == (0.0, 0.0)


@pytest.mark.parametrize("divergence", ["i-divergence", "beta:0.5", "beta:2"])
@pytest.mark.parametrize("connection", ["fixed:0.7", "optimal"])
@pytest.mark.parametrize("kernel", ["cauchy", "gaussian", "heavy-tailed:2"])
def test_coarse_value_is_the_fine_one_at_the_merged_drawing(kernel, connection, divergence):
    """Exact for beta and gamma divergences with kernels that are finite at distance 0, level after level.

    But for the constants, which the weights of each level decide.
    """
    method = Method(kernel=kernel, divergence=divergence, connection=connection)
    fine = affinity(nx.les_miserables_graph(), "degree")
    levels = hierarchy(fine, np.random.default_rng(2), coarsest=6)
    assert len(levels) > 3
    Y = 0.3 * np.random.default_rng(0).standard_normal((levels[-1].affinity.P.shape[0], 2))
    values = []
    for level in reversed(levels):
        objective = Objective(level.affinity, method.kernel, method.divergence, method.connection, Exact())
        values.append(objective.evaluate(Y, gradient=False).value - objective.constant)
        if level.cluster is not None:
            Y = Y[level.cluster]
    assert np.allclose(values, values[-1], rtol=1e-10)


def test_singular_kernels_leave_merged_pairs_out():
    method = Method(kernel="inverse-square", divergence="itakura-saito", connection="optimal")
    assert method.kernel == KERNELS["inverse-square"]
    level = levels_of(nx.grid_2d_graph(9, 9))[-1]
    Y = np.random.default_rng(0).standard_normal((level.affinity.P.shape[0], 2))
    values = []
    for part in (level.affinity, Affinity(level.affinity.P, level.affinity.mass)):
        objective = Objective(part, method.kernel, method.divergence, method.connection, Exact())
        values.append(objective.evaluate(Y, gradient=False).value)
    assert values[0] == values[1]


def test_prolonged_nodes_lie_near_their_cluster_and_apart():
    rng = np.random.default_rng(0)
    Y = rng.standard_normal((20, 2))
    cluster = np.repeat(np.arange(20), 3)
    fine = prolong(Y, cluster, rng)
    assert len(np.unique(fine, axis=0)) == 60
    spacing = np.sqrt((Y**2).sum() / 20) / np.sqrt(60)
    assert np.hypot(*(fine - Y[cluster]).T).max() < spacing
    opened = prolong(np.zeros((1, 2)), np.zeros(50, dtype=int), rng)  # a star that has become one node
    assert opened.std(axis=0).min() > 0.5


@pytest.mark.parametrize("name", GRAPHS)
def test_compiled_coarsening_is_the_plain_one(name, monkeypatch):
    fine = affinity(GRAPHS[name](), "degree")
    plain = hierarchy(fine, np.random.default_rng(0))
    monkeypatch.setattr("nelayout.run.coarsen.COMPILED_FROM", 0)
    compiled = hierarchy(fine, np.random.default_rng(0))
    assert len(plain) == len(compiled) > 1
    for one, two in zip(plain[1:], compiled[1:], strict=True):
        assert one.cluster is not None
        assert two.cluster is not None
        assert np.array_equal(one.cluster, two.cluster)
        a, b = one.affinity, two.affinity
        assert np.array_equal(a.P.indptr, b.P.indptr)
        assert np.array_equal(a.P.indices, b.P.indices)
        assert np.allclose(a.P.data, b.P.data, rtol=1e-12)
        assert (a.inside, a.hidden) == (pytest.approx(b.inside), pytest.approx(b.hidden))
