"""Coarse to fine: what merging keeps, how fast graphs shrink, and that nothing is torn apart."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

from nelayout.core.catalogue.record import Method
from nelayout.core.formula.kernels import KERNELS
from nelayout.core.objective import Affinity, Objective
from nelayout.core.passes import coarsen
from nelayout.core.passes.coarsen import COARSEST, MAX_KEPT, Level, hierarchy, match
from nelayout.core.placing.components import component_labels
from nelayout.core.sums.nbody import Exact
from nelayout.graphs import read


def affinity(G: nx.Graph, mass: str = "unit") -> Affinity:
    P = read(G).adjacency
    degree = np.diff(P.indptr).astype(float)
    return Affinity(P, np.ones(len(G)) if mass == "unit" else degree / degree.mean())


def levels_of(G: nx.Graph | Affinity, mass: str = "unit", seed: int = 0, coarsest: int = COARSEST) -> list[Level]:
    fine = G if isinstance(G, Affinity) else affinity(G, mass)
    return hierarchy(fine, np.random.default_rng(seed), coarsest)


def weighted() -> nx.Graph:
    G = nx.barabasi_albert_graph(400, 3, seed=1)
    rng = np.random.default_rng(0)
    for _, _, data in G.edges(data=True):
        data["weight"] = float(rng.lognormal(0, 2))
    return G


GRAPHS = {
    "path": lambda: nx.path_graph(1000),
    "cycle": lambda: nx.cycle_graph(700),
    "star": lambda: nx.compose(nx.star_graph(999), nx.path_graph(range(999, 1060))),  # its last leaf begins a path
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
def test_large_graphs_are_coarsened_as_small_ones(name, mass, monkeypatch):
    plain = levels_of(GRAPHS[name](), mass)
    monkeypatch.setattr(coarsen, "MIN_LOOP_ENTRIES", 0)
    for one, two in zip(plain, levels_of(GRAPHS[name](), mass), strict=True):
        assert np.array_equal(one.affinity.P.toarray(), two.affinity.P.toarray())
        assert one.cluster is None or np.array_equal(one.cluster, two.cluster)


@pytest.mark.parametrize("mass", ["unit", "degree"])
@pytest.mark.parametrize("name", GRAPHS)
def test_masses_and_weights_add_up(name, mass):
    fine = affinity(GRAPHS[name](), mass)
    total = fine.P.data.sum()
    of_node = np.arange(len(fine.mass))
    levels = levels_of(fine)
    for level, finer in zip(levels[1:], levels, strict=False):
        of_node = finer.cluster[of_node]  # the cluster of every node of the graph itself
        coarse = level.affinity
        n = coarse.P.shape[0]
        assert np.array_equal(np.unique(of_node), np.arange(n))
        assert np.allclose(coarse.mass, np.bincount(of_node, fine.mass))
        assert coarse.P.data.sum() + coarse.merged_weight == pytest.approx(total)
        # the definition: pairs of nodes in one cluster, each ordered pair once
        inside = sum(w for (i, j), w in zip(pairs(fine.P), fine.P.data, strict=True) if of_node[i] == of_node[j])
        assert coarse.merged_weight == pytest.approx(inside)
        assert coarse.merged_pairs == pytest.approx((coarse.mass**2).sum() - (fine.mass**2).sum())
        expected = csr_array((fine.P.data, of_node[np.array(pairs(fine.P)).T]), shape=(n, n)).toarray()
        np.fill_diagonal(expected, 0.0)
        assert np.allclose(coarse.P.toarray(), expected)


def pairs(P: csr_array) -> list[tuple[int, int]]:
    rows = np.repeat(np.arange(len(P.indptr) - 1), np.diff(P.indptr))
    return list(zip(rows.tolist(), P.indices.tolist(), strict=True))


@pytest.mark.parametrize("name", GRAPHS)
def test_every_graph_shrinks_geometrically_to_a_small_canonical_one(name):
    """Paths and grids halve, stars collapse; each level is worth its time."""
    levels = levels_of(GRAPHS[name]())
    for level in levels:
        P = level.affinity.P
        assert P.has_canonical_format
        assert P.indices.dtype == P.indptr.dtype == np.int32
        assert (P.data > 0).all()
        assert P.diagonal().sum() == 0
        assert np.allclose((P - P.T).data, 0, atol=1e-9 * P.data.max(initial=1.0))
    sizes = [level.affinity.P.shape[0] for level in levels]
    ratios = np.array(sizes[1:]) / np.array(sizes[:-1])
    assert sizes[-1] <= COARSEST
    assert (ratios <= MAX_KEPT).all()
    assert np.exp(np.log(ratios).mean()) < 0.7
    assert sum(sizes) < 3.5 * sizes[0]


@pytest.mark.parametrize("leaves", [50, 5000])
def test_a_star_would_shrink_to_one_node_and_is_left_whole(leaves):
    """All leaves join the pair of their hub at once; with a path there is more to keep than a point."""
    assert len(levels_of(nx.star_graph(leaves))) == 1
    G = nx.compose(nx.star_graph(leaves), nx.path_graph(range(leaves, leaves + 30)))
    assert levels_of(G)[1].affinity.P.shape[0] <= 20


@pytest.mark.parametrize("name", GRAPHS)
def test_clusters_are_connected_and_neighbors(name):
    """Only nodes that an edge joins are merged, so connected stays connected and nothing foreign is glued."""
    levels = levels_of(GRAPHS[name](), seed=1)
    for level, coarser in pairwise(levels):
        P, cluster = level.affinity.P, level.cluster
        rows = np.repeat(np.arange(len(cluster)), np.diff(P.indptr))
        same = cluster[rows] == cluster[P.indices]
        kept = csr_array((np.ones(same.sum()), (rows[same], P.indices[same])), shape=P.shape)
        assert component_labels(kept).max() + 1 == coarser.affinity.P.shape[0]
        assert component_labels(coarser.affinity.P).max() == 0


@pytest.mark.parametrize("G", [nx.path_graph(9), nx.path_graph(COARSEST)])
def test_small_graphs_are_not_coarsened(G):
    (level,) = levels_of(G, "degree")
    assert level.cluster is None
    assert len(level.affinity.mass) == len(G)


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


def test_singular_kernels_leave_merged_pairs_out():
    method = Method(kernel="inverse-square", divergence="itakura-saito", connection="optimal")
    assert method.kernel == KERNELS["inverse-square"]
    level = levels_of(nx.grid_2d_graph(9, 9))[-1]
    Y = np.random.default_rng(0).standard_normal((level.affinity.P.shape[0], 2))
    values = []
    own = level.affinity
    for part in (Affinity(own.P, own.mass, own.merged_weight, own.merged_pairs), Affinity(own.P, own.mass)):
        objective = Objective(part, method.kernel, method.divergence, method.connection, Exact())
        values.append(objective.evaluate(Y, gradient=False).value)
    assert values[0] == values[1]
