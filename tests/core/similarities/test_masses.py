"""Node masses against networkx's centralities; scaled to mean 1, floored at 1e-3, wrong ones named."""

import signal
import time
from typing import Any

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

import nelayout as nl
from nelayout.core.similarities import masses
from nelayout.core.similarities.masses import FLOOR, node_mass
from nelayout.errors import InputError
from nelayout.graphs import read

GRAPHS = {
    "karate": nx.karate_club_graph(),
    "path": nx.path_graph(7),
    "star": nx.star_graph(6),
    "complete": nx.complete_graph(5),
    "bipartite": nx.complete_bipartite_graph(2, 5),
    "grid": nx.grid_2d_graph(4, 5),
    "tree": nx.balanced_tree(2, 4),
    "disconnected": nx.disjoint_union_all([nx.cycle_graph(4), nx.lollipop_graph(4, 3), nx.empty_graph(2)]),
}


def expected(values):
    values = np.array([values[v] for v in values] if isinstance(values, dict) else values, dtype=float)
    return np.maximum(values / values.mean(), FLOOR) if values.any() else np.ones(len(values))


ORACLES: dict[str, Any] = {
    "unit": lambda G: dict.fromkeys(G, 1.0),
    "degree": lambda G: dict(G.degree),
    "strength": lambda G: dict(G.degree(weight="weight")),
    "closeness": nx.closeness_centrality,
    "betweenness": nx.betweenness_centrality,
    "eigenvector": nx.eigenvector_centrality_numpy,
}
CONNECTED = [("eigenvector", graph) for graph in GRAPHS if graph != "disconnected"]


@pytest.mark.parametrize(
    ("mass", "graph"), [*((mass, graph) for mass in ORACLES if mass != "eigenvector" for graph in GRAPHS), *CONNECTED]
)
def test_against_networkx(graph, mass):
    G = GRAPHS[graph]
    m, notes = node_mass(read(G).adjacency, mass)
    np.testing.assert_allclose(m, expected(ORACLES[mass](G)), rtol=1e-6 if mass == "eigenvector" else 1e-12)
    assert m.dtype == np.float64
    assert notes == ()


def test_eigenvector_of_each_component_for_itself():
    G = GRAPHS["disconnected"]
    m, _ = node_mass(read(G).adjacency, "eigenvector")
    assert (m[:4] == m[0]).all()
    tail = nx.eigenvector_centrality_numpy(G.subgraph(range(4, 11)))
    vector = np.array([tail[v] for v in range(4, 11)])
    np.testing.assert_allclose(m[4:11] / m[0], vector / vector.mean(), rtol=1e-6)
    assert (m[11:] == FLOOR).all()


@pytest.mark.parametrize("mass", ["auto", "eigenvector"])
def test_masses_of_a_component_do_not_depend_on_the_others(mass):
    """By themselves the dense graph is crowded and the path is not."""
    dense, path = nx.gnm_random_graph(60, 600, seed=1), nx.path_graph(300)
    alone = [node_mass(read(G).adjacency, mass)[0] for G in (dense, path)]
    together = nx.disjoint_union_all([dense, path, nx.empty_graph(500)])
    m, _ = node_mass(read(together).adjacency, mass)
    for found, own in zip((m[:60], m[60:360]), alone, strict=True):
        np.testing.assert_allclose(found / found.mean(), own / own.mean(), rtol=1e-6)
    assert len(np.unique(np.round(m[60:360], 9))) > 1


def test_centralities_count_hops_not_weights():
    G = nx.path_graph(5)
    H = G.copy()
    for k, edge in enumerate(H.edges):
        H.edges[edge]["weight"] = 10.0**k
    for mass in ("degree", "closeness", "betweenness", "eigenvector", "strength"):
        found = [node_mass(read(each).adjacency, mass)[0] for each in (G, H)]
        assert np.array_equal(*found) is (mass != "strength")


@pytest.mark.parametrize("mass", [*masses.NAMED, np.array([0.0, 5, 1, 2])])
def test_scaled_and_floored(mass):
    G: Any = nx.Graph([(0, 1), (1, 2)])
    G.add_node(3)
    m, _ = node_mass(read(G).adjacency, mass)
    assert m.min() >= FLOOR == 1e-3
    assert abs(m[m > FLOOR].sum() - 4) < 1e-12


def test_named_masses_of_small_graphs_are_ones():
    for n in (0, 1, 2):
        for mass in masses.NAMED:
            assert node_mass(read(nx.empty_graph(n)).adjacency, mass)[0].tolist() == [1.0] * n
    assert node_mass(read(nx.complete_graph(4)).adjacency, "betweenness")[0].tolist() == [1.0] * 4


def test_huge_weights_and_masses_stay_finite():
    G: Any = nx.Graph([(0, 1, {"weight": 1e308}), (0, 2, {"weight": 1e308}), (0, 3, {"weight": 1e308})])
    np.testing.assert_allclose(node_mass(read(G).adjacency, "strength")[0], [2, 2 / 3, 2 / 3, 2 / 3], rtol=1e-12)
    assert node_mass(read(G).adjacency, np.full(4, 1e308))[0].tolist() == [1, 1, 1, 1]


def test_path_counts_beyond_floats():
    """A chain of 1,200 diamonds has 2^1200 shortest paths from end to end; the largest float is 2^1024."""
    chain = nx.Graph()
    chain.add_nodes_from(range(3601))
    for a in range(0, 3600, 3):
        chain.add_edges_from([(a, a + 1), (a, a + 2), (a + 1, a + 3), (a + 2, a + 3)])
    values, _ = masses.NAMED["betweenness"](read(chain).adjacency, np.random.default_rng(0))
    for joint in (3, 21, 1797, 3597):
        # every pair left and right of a joint passes it, and half the paths of the two pairs beside it
        assert values[joint] == pytest.approx(2 * joint * (3600 - joint) + 2, rel=1e-9)


def test_sampled_masses_are_near_the_exact_ones_and_say_so(monkeypatch):
    G = nx.disjoint_union(nx.barabasi_albert_graph(600, 3, seed=1), nx.path_graph(5))
    A = read(G).adjacency
    exact = {mass: node_mass(A, mass)[0] for mass in ("closeness", "betweenness")}
    monkeypatch.setattr(masses, "EXACT_WORK", 4e5)
    for mass, full in exact.items():
        m, notes = node_mass(A, mass, rng=3)
        assert f"{mass} is estimated from" in notes[0]
        assert np.array_equal(m, node_mass(A, mass, rng=3)[0])
        assert np.corrcoef(m, full)[0, 1] > 0.95
        assert not np.array_equal(m, full)
    closeness = node_mass(A, "closeness", rng=3)[0]
    np.testing.assert_allclose(closeness[:600], exact["closeness"][:600], rtol=0.1)
    # components with few nodes are exact: their proportions are
    np.testing.assert_allclose(
        closeness[600:] / closeness[602], exact["closeness"][600:] / exact["closeness"][602], rtol=1e-12
    )


def test_unconverged_eigenvector_says_so():
    m, notes = node_mass(read(nx.path_graph(400)).adjacency, "eigenvector")
    assert "still changes" in notes[0]
    assert np.isfinite(m).all()


def test_attribute_array_dict_and_names_win():
    G: Any = nx.Graph([("a", "b"), ("b", "c")])
    nx.set_node_attributes(G, {"a": 1, "b": 2, "c": 3}, "population")
    nx.set_node_attributes(G, {"a": -1, "b": -1, "c": -1}, "degree")
    network = read(G)
    for mass in ("population", [1, 2, 3], np.array([1, 2, 3]), {"a": 1, "b": 2, "c": 3}):
        m, _ = node_mass(network.adjacency, mass, network.host)
        assert m.tolist() == [0.5, 1, 1.5]
    assert node_mass(network.adjacency, "degree", network.host)[0].tolist() == [0.75, 1.5, 0.75]
    assert node_mass(network.adjacency, None)[0].tolist() == [1, 1, 1]
    assert node_mass(network.adjacency, 7, network.host)[0].tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("mass", "message"),
    [
        ("population", "unknown mass 'population'"),
        (np.array([1.0, -1, 1]), "node 1 has mass -1"),
        (np.ones(2), "mass has 2 rows"),
        ({0: 1}, "node 1 has no mass"),
        ({0: 1, "one": 1, 1: 1, 2: 1}, "'one'"),
        ({1, 2, 3}, "mass is of type set; allowed are 'unit'"),
    ],
)
def test_wrong_masses_are_refused(mass, message):
    network = read(nx.path_graph(3))
    with pytest.raises((InputError, TypeError), match=message):
        node_mass(network.adjacency, mass, network.host)


def test_all_zero_masses_are_equal_and_said():
    m, notes = node_mass(csr_array((3, 3)), np.zeros(3))
    assert m.tolist() == [1, 1, 1]
    assert "every node weighs the same" in notes[0]


@pytest.mark.full
def test_ws_sne_composed_of_its_parts_weighs_nodes_by_their_degrees():
    G = nx.les_miserables_graph()
    drawn = nl.ws_sne_layout(G, seed=0, scale=None)
    for mass, same in (("degree", True), ("strength", False)):
        own = nl.Method(kernel="cauchy", divergence="i-divergence", connection="optimal", mass=mass)
        composed = nl.layout(G, method=own, seed=0, scale=None)
        assert all(np.array_equal(composed[v], drawn[v]) for v in G) is same


def test_parallel_edges_add_to_the_strength_and_not_to_the_degree():
    G = nx.MultiGraph([(0, 1), (0, 1), (1, 2)])
    assert node_mass(read(G).adjacency, "strength")[0].tolist() == [1.0, 1.5, 0.5]
    assert node_mass(read(G).adjacency, "degree")[0].tolist() == [0.75, 1.5, 0.75]


@pytest.mark.full
def test_an_interrupt_ends_the_search_of_paths_at_once():
    A = nx.to_scipy_sparse_array(nx.barabasi_albert_graph(20_000, 3, seed=1), dtype=float)
    A = read(A).adjacency
    node_mass(A[:500][:, :500], "betweenness")

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        began = time.process_time()
        with pytest.raises(KeyboardInterrupt):
            node_mass(A, "betweenness")
        assert time.process_time() - began < 1.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
