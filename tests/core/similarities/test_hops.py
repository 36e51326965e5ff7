"""Similarities of path lengths: each node is worth its perplexity, whatever the order of the nodes, ring by ring."""

import math
from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import pytest
from oracles import dense_value
from scipy.optimize import brentq
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path
from scipy.stats import entropy

import nelayout as nl
from nelayout.cli import main
from nelayout.core.catalogue import METHODS
from nelayout.core.similarities import hops
from nelayout.core.similarities.entropic import joint, on_pattern
from nelayout.core.similarities.hops import hop_entries, hop_rows
from nelayout.errors import InputError
from nelayout.numerics.parallel import Threads
from nelayout.plugins.igraph import register, unregister

PETERSEN, TORUS = nx.petersen_graph(), nx.grid_2d_graph(6, 7, periodic=True)
KARATE, TREE, ROAD = nx.karate_club_graph(), nx.balanced_tree(2, 4), nx.grid_2d_graph(20, 20)


def lengths_of(G, seed=None):
    """The matrix of lengths: 1, or random ones, some of them equal."""
    A = csr_array(nx.to_scipy_sparse_array(G, weight=None, dtype=float))
    if seed is None:
        return A
    rng = np.random.default_rng(seed)
    ends = np.triu(A.toarray()) * rng.choice([0.5, 1.0, 1.7, 3.1], size=A.shape)
    return csr_array(ends + ends.T)


def joint_of(L, perplexity):
    return joint(hop_rows(L, perplexity, Threads())[0])


def perplexities(rows):
    return np.exp(entropy(rows.toarray(), axis=1))


def by_definition(L, perplexity):
    """Rows of all nodes in whole rings, by a root of the entropy for each."""
    D = shortest_path(L.toarray(), directed=False)
    p = np.zeros_like(D)
    for i, row in enumerate(D):
        near = np.sort(row[np.isfinite(row)])[1:]
        alone = np.sum(near <= near[0] * (1 + 1e-9)) >= perplexity
        border = near[0 if alone else min(math.ceil(3 * perplexity), len(near)) - 1]
        others = np.flatnonzero((row > 0) & (row <= border * (1 + 1e-9)))
        squares = row[others] ** 2 - near[0] ** 2
        first = squares <= 1e-9
        worth = max(min(perplexity, len(others) * (1.0 if first.all() else 0.5)), 1.0)

        def similar(t, squares=squares):
            return np.exp(-math.exp(t) * squares) / np.sum(np.exp(-math.exp(t) * squares))

        def excess(t, similar=similar, worth=worth):
            return entropy(similar(t)) - math.log(worth)

        p[i, others] = first / first.sum() if first.sum() >= worth else similar(brentq(excess, -20, 20, xtol=1e-14))
    return p


@pytest.mark.parametrize("graph", [KARATE, TREE, PETERSEN, TORUS, nx.path_graph(9), nx.star_graph(6)])
@pytest.mark.parametrize("perplexity", [1.5, 4.0, 7.3])
@pytest.mark.parametrize("seed", [None, 0])
def test_rows_are_those_of_the_definition(graph, perplexity, seed):
    L = lengths_of(graph, seed)
    rows, _ = hop_rows(L, perplexity, Threads())
    np.testing.assert_allclose(rows.toarray(), by_definition(L, perplexity), atol=1e-9)


@pytest.mark.parametrize("perplexity", [3.0, 10.0, 40.0])
def test_a_node_is_worth_the_perplexity(perplexity):
    rows, worth = hop_rows(lengths_of(ROAD), perplexity, Threads())
    degree = np.diff(lengths_of(ROAD).indptr)
    assert (worth == perplexity).all()
    np.testing.assert_allclose(perplexities(rows), np.maximum(perplexity, np.where(degree >= perplexity, degree, 0)))


@pytest.mark.parametrize("method", ["nerv:0.2", "nerv:1.0", "sne", "jse:0.5", "jse:1.0"])
@pytest.mark.parametrize("graph", [KARATE, TREE, nx.les_miserables_graph()])
def test_rows_have_their_background_on_their_own_pattern(graph, method):
    """J is as in the definition, up to a constant, where only one end of a pair has it in its row."""
    p = by_definition(lengths_of(graph), 4.0)
    assert ((p > 0) != (p > 0).T).any()
    recipe = nl.method(method, affinity="hops", perplexity=4.0)
    left_out = []  # a constant, if a row's background is below its share
    for pos in (nx.circular_layout(graph), nx.spring_layout(graph, seed=0)):
        value = nl.evaluate(graph, pos, recipe, weight=None).value
        given = recipe.kernel, recipe.divergence.name, recipe.connection
        left_out.append(value - dense_value(p, np.ones(len(p)), np.array(list(pos.values())), *given))
    assert left_out[0] == pytest.approx(left_out[1], abs=1e-8)


@pytest.mark.parametrize("graph", [KARATE, ROAD, TREE])
def test_the_order_of_the_nodes_does_not_matter(graph):
    L = lengths_of(graph)
    order = np.random.default_rng(1).permutation(L.shape[0])
    P, R = joint_of(L, 5.0), joint_of(csr_array(L[order][:, order]), 5.0)
    np.testing.assert_allclose(R.toarray(), P.toarray()[order][:, order], rtol=1e-10)
    assert (P != P.T).nnz == 0
    assert P.sum() == pytest.approx(1.0)


ALIKE = PETERSEN, TORUS, nx.cycle_graph(30), nx.hypercube_graph(5), nx.circulant_graph(400, [1, 5])


@pytest.mark.parametrize("graph", ALIKE)
def test_nodes_that_are_alike_have_equal_rows_to_the_last_bit(graph):
    rows, _ = hop_rows(lengths_of(graph), 5.0, Threads())
    P = joint(rows)
    for values in (P.data, on_pattern(rows, P)):
        each = np.sort(values.reshape(P.shape[0], -1), axis=1)
        assert (each == each[0]).all()


@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize("perplexity", [2.0, 9.0, 30.0])
def test_the_search_of_large_graphs_finds_what_all_distances_say(seed, perplexity, monkeypatch):
    for graph in (ROAD, nx.barabasi_albert_graph(350, 2, seed=0), nx.random_regular_graph(3, 320, seed=0)):
        L = lengths_of(graph, seed)
        found = hop_rows(L, perplexity, Threads())[0]
        monkeypatch.setattr(hops, "COMPILED_ABOVE", 10_000)
        known = hop_rows(L, perplexity, Threads())[0]
        assert (found.indptr == known.indptr).all()
        assert (found.indices == known.indices).all()
        np.testing.assert_allclose(found.data, known.data, rtol=1e-8)
        monkeypatch.undo()


def test_rings_that_are_too_large_are_left_out_as_a_whole():
    rows, worth = hop_rows(lengths_of(nx.star_graph(5_000)), 10.0, Threads())
    assert np.diff(rows.indptr).tolist() == [5_000] + [1] * 5_000
    assert worth.tolist() == [10.0] + [1.0] * 5_000


def test_the_sample_knows_the_number_of_similarities():
    for graph in (ROAD, nx.barabasi_albert_graph(1_500, 3, seed=0)):
        L = lengths_of(graph)
        known = joint_of(L, 10.0).nnz / L.shape[0]
        assert hop_entries(L, np.arange(L.shape[0]), 10.0) == pytest.approx(known, rel=0.35)


# --- in the methods ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", METHODS)
def test_every_method_takes_path_lengths(name):
    hops: Any = {"affinity": "hops", "perplexity": 4}
    found = nl.solve(TREE, name, seed=0, max_iter=10, node_size=None, scale=None, **hops)
    assert np.isfinite(list(found.positions.values())).all()
    assert nl.evaluate(TREE, found, name, **hops).value == pytest.approx(found.value, rel=1e-9)
    assert nl.evaluate(TREE, found, name, affinity="weights").value != pytest.approx(found.value, rel=1e-3)


def test_tsnet_without_compression_and_drgraph_are_tsne_of_path_lengths():
    tsne = nl.layout(KARATE, "tsne", affinity="hops", perplexity=8, seed=0)
    for name, own in (("tsnet", {"compression": 0.0}), ("drgraph", {})):
        drawn = nl.layout(KARATE, name, perplexity=8, seed=0, **own)
        assert all((tsne[v] == drawn[v]).all() for v in KARATE)


def test_the_value_of_tsnet_is_its_formula():
    Y = 3.0 * np.random.default_rng(0).standard_normal((34, 2))
    P = joint_of(lengths_of(KARATE), 8.0).toarray()
    q = 1.0 / (1.0 + ((Y[:, None] - Y) ** 2).sum(axis=2)) - np.eye(34)
    near = P > 0
    divergence = np.sum(P[near] * np.log(P[near] * q.sum() / q[near]))
    compressed = 0.3 / (2 * 34) * np.sum((Y - Y.mean(axis=0)) ** 2)
    found = nl.evaluate(KARATE, dict(enumerate(Y)), "tsnet", perplexity=8, compression=0.3)
    assert found.value == pytest.approx(divergence + compressed)


def test_compression_pulls_a_drawing_together():
    spread = [
        np.std(list(nl.solve(TREE, "tsnet", perplexity=5, compression=c, seed=0, scale=None).positions.values()))
        for c in (0.0, 0.01, 0.1)
    ]
    assert spread[0] > 1.2 * spread[1] > 1.44 * spread[2]


def test_lengths_are_lengths_up_to_their_unit():
    G = nx.path_graph(12)
    for k, (u, v) in enumerate(G.edges):
        G.edges[u, v]["weight"] = 1.0 + 5.0 * (k == 5)
    meters = nx.path_graph(12)
    nx.set_edge_attributes(meters, {e: 1024.0 * G.edges[e]["weight"] for e in G.edges}, "weight")
    kind: Any = {"affinity": "hops", "perplexity": 3, "seed": 0}
    far, same = (nl.layout(each, "tsne", weight_kind="distance", **kind) for each in (G, meters))
    assert all((far[v] == same[v]).all() for v in G)

    def gap(pos):
        steps = [np.linalg.norm(pos[v] - pos[v + 1]) for v in range(11)]
        return steps[5] / np.median(steps)

    assert gap(far) > 1.5 * gap(nl.layout(G, "tsne", **kind))


def test_each_component_has_similarities_of_its_own():
    each = nx.grid_2d_graph(5, 6), nx.cycle_graph(20)
    both, circles = nx.disjoint_union(*each), [nx.circular_layout(G) for G in each]
    alone = [nl.evaluate(G, pos, "drgraph", perplexity=4).value for G, pos in zip(each, circles, strict=True)]
    places = dict(enumerate(place for pos in circles for place in pos.values()))
    assert nl.evaluate(both, places, "drgraph", perplexity=4).value == pytest.approx(sum(alone))
    joint = nl.layout(both, "tsnet", perplexity=4, components="joint", seed=0)
    assert np.isfinite(list(joint.values())).all()


def test_small_components_are_worth_half_of_their_nodes_and_a_note_says_so_once():
    G = nx.disjoint_union_all([nx.grid_2d_graph(5, 6), nx.path_graph(6), nx.path_graph(5), nx.path_graph(2)])
    G.add_node("alone")
    notes = [note for note in nl.solve(G, "tsne", affinity="hops", perplexity=8, seed=0).notes if "perplexity" in note]
    assert notes == ["a perplexity of 8 is too large for nodes with few others in reach"]
    rows, worth = hop_rows(lengths_of(nx.path_graph(6)), 8.0, Threads())
    np.testing.assert_allclose(worth, 2.5)
    np.testing.assert_allclose(perplexities(rows)[[0, 5]], 2.5)


@pytest.mark.parametrize("graph", [KARATE, ROAD])
@pytest.mark.parametrize("most", [1, 2])
def test_paths_have_at_most_so_many_edges(graph, most):
    L = lengths_of(graph)
    rows, worth = hop_rows(L, 9.0, Threads(), most)
    assert shortest_path(L.toarray(), directed=False)[rows.toarray() > 0].max() == most
    pos = nl.layout(graph, "drgraph", perplexity=9, hops=most, seed=0, max_iter=3)
    assert np.isfinite(list(pos.values())).all()
    if most == 1:  # edges alone, all of a node alike
        degree = np.diff(L.indptr)
        np.testing.assert_array_equal(rows.toarray(), L.toarray() / degree[:, None])
        np.testing.assert_array_equal(worth, np.minimum(degree, 9.0))


WRONG = {
    "perplexity alone": ("tsne", {"perplexity": 5}, "perplexity must come with affinity='hops'; got perplexity=5"),
    "weights": ("tsnet", {"affinity": "weights", "perplexity": 5}, "perplexity must come with affinity='hops'"),
    "smoothing": ("tsnet", {"smoothing": 0.5}, "smoothing must be 0 for affinity='hops'; got 0.5"),
    "auto": ("auto", {"affinity": "hops"}, "method 'auto' compares drawings by the edges of the graph"),
    "affinity": ("tsne", {"affinity": "hop"}, "did you mean 'hops'"),
    "one": ("tsnet", {"perplexity": 1}, "perplexity must be a finite number > 1; got 1"),
    "hops alone": ("tsne", {"hops": 2}, "hops must come with affinity='hops'; got hops=2"),
    "no hops": ("tsnet", {"hops": 0}, "hops must be None or a whole number >= 1; got 0"),
    "hops of lengths": ("tsnet", {"hops": 2, "weight_kind": "distance"}, "hops must be None for weight_kind="),
    "text": ("tsnet", {"perplexity": "30"}, "perplexity must be a finite number > 1; got '30'"),
    "compression": ("tsnet", {"compression": -1}, "compression must be a finite number >= 0; got -1"),
}


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("door", [nl.solve, nl.plan, nl.estimate, nl.layout])
def test_what_makes_no_sense_is_refused(case, door):
    method, options, message = WRONG[case]
    with pytest.raises((InputError, nl.Unsupported), match=message.replace("(", r"\(")):
        door(KARATE, method, **options)


def test_lengths_must_be_above_0():
    G = nx.path_graph(3)
    G.edges[0, 1]["weight"] = 0.0
    with pytest.raises(InputError, match="distances must be > 0"):
        nl.tsnet_layout(G, weight_kind="distance")


def test_a_method_may_have_path_lengths():
    ours = nl.method("ws-sne", affinity="hops:7")
    assert ours.perplexity == 7.0
    assert repr(ours) == "Method(cauchy, i-divergence, optimal, mass=degree, affinity=hops:7)"
    assert nl.Method(affinity="hops").perplexity == 10.0
    assert replace(ours, mass="unit").perplexity == 7.0
    given, asked = nl.layout(KARATE, ours, seed=0), nl.layout(KARATE, "ws-sne", affinity="hops", perplexity=7, seed=0)
    assert all((given[v] == asked[v]).all() for v in KARATE)
    with pytest.raises(InputError, match="affinity must be 'hops' or"):
        nl.Method(affinity="hops:many")


def test_plans_count_similarities_and_not_edges():
    few, many = (nl.estimate(ROAD, "drgraph", perplexity=p) for p in (5, 60))
    plain = nl.estimate(ROAD, "tsne")
    assert many.seconds > few.seconds
    assert many.bytes > 2 * few.bytes > 2 * plain.bytes
    assert plain.edges == few.edges


def test_tables_have_distances_of_their_own():
    X = np.random.default_rng(0).standard_normal((60, 3))
    options: Any = {"perplexity": 8, "random_state": 0, "max_iter": 5}
    assert (nl.embed(X, "drgraph", **options) == nl.embed(X, "tsne", **options)).all()


def test_new_nodes_and_snapshots():
    pos = nl.tsnet_layout(TREE, perplexity=5, seed=0)
    more = TREE.copy()
    more.add_edges_from([(30, "new"), ("new", "newer")])
    grown = nl.add_nodes(more, pos, "tsnet", perplexity=5, seed=0)
    assert all((grown[v] == pos[v]).all() for v in pos)
    assert np.isfinite(grown["newer"]).all()
    assert len(nl.layout_sequence([TREE, more], "tsnet", perplexity=5, seed=0)) == 2


def test_the_command_line_and_igraph_take_path_lengths(tmp_path):
    nx.write_edgelist(TREE, tmp_path / "tree.txt", data=False)
    out = tmp_path / "tree.csv"
    options = ["-m", "tsne", "--affinity", "hops", "--perplexity", "5", "--quiet"]
    assert not main(["layout", str(tmp_path / "tree.txt"), "-o", str(out), *options])
    assert len(out.read_text().splitlines()) == 32
    igraph = pytest.importorskip("igraph")
    register()
    try:
        assert len(igraph.Graph.Tree(31, 2).layout("tsnet", perplexity=5, seed=0)) == 31
    finally:
        unregister()
