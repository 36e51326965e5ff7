"""Layouts of other packages by name: what they draw is what these packages draw, and nothing of theirs is changed."""

import inspect
import random
import shutil
import sys

import igraph
import networkx as nx
import numpy as np
import pytest

from nelayout.comparison.peers import IGRAPH, Peer, graph_peer, graph_peers, vector_peers

G = nx.karate_club_graph()
A = nx.to_scipy_sparse_array(G, dtype=float, format="csr")
BINARY = nx.to_scipy_sparse_array(G, weight=None, dtype=float, format="csr")


def drawn(name, adjacency=A, seed=0):
    peer = graph_peer(name)
    assert peer is not None
    if peer.missing:
        pytest.skip(peer.missing)
    return peer.prepare(adjacency, seed, 1)()


def plain(seed):
    """A graph with nodes 0 .. n-1 in place of its own, as networkx draws it."""
    return np.array(list(nx.spring_layout(nx.from_scipy_sparse_array(A), seed=seed).values()))


@pytest.mark.parametrize("seed", [0, 3])
def test_networkx_by_its_own_function(seed):
    assert np.array_equal(drawn("nx:spring", seed=seed), plain(seed))
    assert np.array_equal(drawn("networkx:spring_layout", seed=seed), plain(seed))


def test_weights_for_lengths_are_not_given():
    """Kamada-Kawai of networkx takes a weight for a length; a similarity is none."""
    few, few_binary = A[:9, :9], BINARY[:9, :9]
    expected = nx.kamada_kawai_layout(nx.from_scipy_sparse_array(few), weight=None)
    assert np.array_equal(drawn("nx:kamada_kawai", few), np.array(list(expected.values())))
    assert np.array_equal(drawn("nx:kamada_kawai", few), drawn("nx:kamada_kawai", few_binary))
    assert not np.allclose(drawn("nx:spring"), drawn("nx:spring", BINARY))


def test_every_networkx_layout_that_needs_the_graph_alone():
    peers = [name for name in graph_peers() if name.startswith("nx:")]
    assert {"nx:spring", "nx:kamada_kawai", "nx:spectral", "nx:circular", "nx:planar"} <= set(peers)
    assert ("nx:forceatlas2" in peers) == hasattr(nx, "forceatlas2_layout")
    assert not {"nx:bfs", "nx:rescale", "nx:multipartite"} & set(peers)
    for name in set(peers) - {"nx:planar", "nx:bipartite"}:  # of graphs of their kind alone
        assert drawn(name).shape == (34, 2)


def test_igraph_by_its_own_method_with_the_seed_and_its_random_numbers_left_as_they_were():
    graph = igraph.Graph.Weighted_Adjacency(A.toarray().tolist(), mode="undirected")
    random.seed(5)
    expected = np.array(graph.layout_fruchterman_reingold(weights=graph.es["weight"]).coords)
    random.seed(7)
    before = random.getstate()
    assert np.allclose(drawn("igraph:fr", seed=5), expected, atol=1e-9)
    assert random.getstate() == before
    assert np.array_equal(drawn("igraph:fr", seed=5), drawn("ig:fruchterman-reingold", seed=5))
    assert not np.allclose(drawn("igraph:fr", seed=6), expected)
    kk = np.array(igraph.Graph(34, list(G.edges)).layout_kamada_kawai().coords)
    assert np.allclose(drawn("igraph:kk"), kk, atol=1e-6)


@pytest.mark.full
def test_seeds_say_what_depends_on_them():
    """Every peer that is here and fast; `seeded` is what drawing twice shows."""
    slow = {"opentsne", "umap", "s_gd2"}
    if "seed" not in inspect.signature(nx.arf_layout).parameters:  # networkx 3.3 draws its start and takes no seed
        slow.add("nx:arf")
    for name, peer in graph_peers().items():
        if peer.missing or name in slow or name in ("nx:planar", "nx:bipartite", "igraph:auto"):
            continue
        again, other = peer.prepare(A, 0, 1)(), peer.prepare(A, 1, 1)()
        assert np.array_equal(peer.prepare(A, 0, 1)(), again), name
        if not peer.seeded:
            assert np.array_equal(again, other), name
        elif name != "graphviz:sfdp":  # from another start it comes to the same drawing of a small graph
            assert not np.array_equal(again, other), name


@pytest.mark.skipif(shutil.which("sfdp") is None, reason="Graphviz is not installed")
def test_graphviz_places_every_node_and_takes_the_seed():
    Y = drawn("sfdp", BINARY)
    assert Y.shape == (34, 2)
    near = np.mean([np.linalg.norm(Y[i] - Y[j]) for i, j in G.edges])
    assert near < 0.7 * np.mean([np.linalg.norm(a - b) for a in Y for b in Y])
    lonely = drawn("graphviz:neato", nx.to_scipy_sparse_array(nx.empty_graph(3), dtype=float))
    assert np.isfinite(lonely).all()
    assert not np.array_equal(drawn("graphviz:neato", seed=0), drawn("graphviz:neato", seed=1))


def test_a_program_that_fails_says_why(tmp_path, monkeypatch):
    program = tmp_path / "sfdp"
    program.write_text("#!/bin/sh\necho 'out of ink' >&2\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(RuntimeError, match="out of ink"):
        drawn("graphviz:sfdp")


def test_spellings_and_strangers():
    for name, key in {
        "NX:Kamada-Kawai": "nx:kamada_kawai", "networkx:spring": "nx:spring", "openTSNE": "opentsne",
        "gv:sfdp": "graphviz:sfdp", "umap-learn": "umap", "igraph:layout_drl": "igraph:drl",
    }.items():  # fmt: skip
        found = graph_peer(name)
        assert found is not None
        assert found.name == key
    assert graph_peer("ws-sne") is graph_peer("nerv:0.3") is graph_peer("nx:sprng") is None


def test_what_is_missing_is_named_with_the_way_to_install_it(monkeypatch):
    nothing = Peer("a", lambda *_: lambda: np.zeros((0, 2)), package="no_such_package", install="no-such")
    assert nothing.missing == "no_such_package is not installed (pip install no-such)"
    monkeypatch.setenv("PATH", "")
    sfdp = graph_peer("sfdp")
    assert sfdp is not None
    assert sfdp.missing == "there is no program sfdp (it comes with Graphviz, such as apt install graphviz)"


def test_igraph_layouts_have_names_where_igraph_is_not(monkeypatch):
    assert all(hasattr(igraph.Graph, f"layout_{name}") for name in IGRAPH)
    monkeypatch.setitem(sys.modules, "igraph", None)
    peers = [peer for name, peer in graph_peers().items() if name.startswith("igraph:")]
    assert {peer.missing for peer in peers} == {"igraph is not installed (pip install igraph)"}


@pytest.mark.full
@pytest.mark.filterwarnings("default")  # umap-learn warns of packages that it can do without
@pytest.mark.parametrize("name", list(vector_peers()))
def test_maps_of_vectors_keep_two_groups_apart(name):
    peer = vector_peers()[name]
    if peer.missing:
        pytest.skip(peer.missing)
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(60, 5)), rng.normal(size=(60, 5)) + 1.8])
    Y = peer.prepare(X, 0, 1)()
    assert Y.shape == (120, 2)
    far = np.linalg.norm(Y[:, None] - Y[None, :], axis=2)
    np.fill_diagonal(far, np.inf)
    other = np.arange(120) // 60
    assert np.mean(other[far.argmin(axis=1)] == other) > 0.8  # a coin says 0.5


@pytest.mark.full
@pytest.mark.filterwarnings("default")  # as above
@pytest.mark.parametrize("name", ["opentsne", "umap", "s_gd2"])
def test_embeddings_of_a_graph_bring_neighbors_together(name):
    Y = drawn(name, BINARY)
    near = np.mean([np.linalg.norm(Y[i] - Y[j]) for i, j in G.edges])
    assert near < 0.8 * np.mean([np.linalg.norm(a - b) for a in Y for b in Y])
