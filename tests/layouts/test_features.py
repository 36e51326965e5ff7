"""Similarities of edges and of a table of features, in one objective."""

import json
import re

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import nelayout as nl
from nelayout.cli import main

KARATE = nx.karate_club_graph()
X = np.random.default_rng(0).standard_normal((34, 4))
CAMPS = np.repeat(np.arange(3), 20)
ROWS = np.random.default_rng(1).standard_normal((60, 3)) + 6.0 * np.eye(3)[CAMPS]


def drawn(G=KARATE, **own):
    pos = nl.ws_sne_layout(G, seed=0, **own)
    return np.array(list(pos.values()))


def kept(Y, rows, k=5):
    """Mean share of the k nearest rows of a table that are among the k nearest nodes."""
    near = [np.argsort(((each[:, None] - each) ** 2).sum(axis=2) + 1e9 * np.eye(len(each)), axis=1)[:, :k]
            for each in (Y, rows)]  # fmt: skip
    return np.mean([len(set(a) & set(b)) / k for a, b in zip(*near, strict=True)])


def named(X, **more):
    G = nx.Graph(KARATE.edges)
    G.add_nodes_from(KARATE)
    H = nx.Graph()
    H.add_nodes_from((v, {"a": float(X[v, 0]), "b": float(X[v, 1]), **more}) for v in KARATE)
    H.add_edges_from(KARATE.edges)
    return H


def test_all_ways_to_give_features_are_one():
    ways = [X, X.tolist(), {v: X[v] for v in reversed(list(KARATE))}, pd.DataFrame(X).iloc[::-1], sp.csr_array(X)]
    first, *others = [drawn(features=way) for way in ways]
    assert all(np.array_equal(first, other) for other in others)
    H = named(X)
    assert np.array_equal(drawn(H, features="a, b"), drawn(H, features=X[:, :2]))
    g = igraph.Graph.from_networkx(H)
    assert np.array_equal(np.array(nl.ws_sne_layout(g, seed=0, features="a,b").coords), drawn(H, features="a,b"))
    assert np.array_equal(drawn(features=X[:, 0]), drawn(features=X[:, :1]))


def test_columns_count_alike_in_any_unit():
    assert np.abs(drawn(features=X) - drawn(features=X * [1, 1e3, 1e-5, 7] + [0, 3, 1, -50])).max() < 1e-6


def test_a_larger_share_keeps_more_neighbors_of_the_table():
    found = [kept(drawn(features=X, features_share=share), X) for share in (0.05, 0.5, 0.95)]
    assert found[0] < found[1] < found[2]


def test_features_alone_draw_a_graph_without_edges():
    G = nx.empty_graph(60)
    for method in ("auto", "ws-sne", "nerv"):
        solution = nl.solve(G, method, seed=0, features=ROWS)
        Y = np.array(list(solution.positions.values()))
        middles = np.array([Y[camp == CAMPS].mean(axis=0) for camp in range(3)])
        nearest = np.argmin(((Y[:, None] - middles) ** 2).sum(axis=2), axis=1)
        assert np.array_equal(nearest, CAMPS)
    graph = nl.knn_graph((ROWS - ROWS.mean(axis=0)) / ROWS.std(axis=0), 10)
    assert np.array_equal(np.array(list(nl.ws_sne_layout(G, seed=0, features=ROWS).values())),
                          nl.ws_sne_layout(graph, seed=0))  # fmt: skip


def test_edges_and_features_have_their_shares_of_all_similarities():
    Y = nx.circular_layout(KARATE)
    edges = nx.to_scipy_sparse_array(KARATE).astype(float)
    alike = nl.knn_graph((X - X.mean(axis=0)) / X.std(axis=0), 10)
    mixed = 0.6 * edges + 0.4 * edges.sum() / alike.sum() * alike
    for method in ("ws-sne", "linlog"):
        found = nl.evaluate(KARATE, Y, method, features=X, features_share=0.4).value
        assert found == pytest.approx(nl.evaluate(mixed, np.array(list(Y.values())), method).value)


def test_equal_rows_have_no_hubs():
    codes = np.repeat([0.0, 1.0], 100)
    P = nl.evaluate(nx.empty_graph(200), np.random.default_rng(0).standard_normal((200, 2)), "ws-sne", features=codes)
    assert np.isfinite(P.value)
    cost = P.node_cost
    assert cost.max() < 10 * np.median(cost)


@pytest.mark.parametrize("own", [{"rings": 0}, {"circle": True}, {"groups": "club"}, {"layers": "club"},
                                 {"align": [([0, 33], "x")]}, {"components": "joint"}])  # fmt: skip
def test_features_go_with_other_structure(own):
    assert drawn(features=X, **own).shape == (34, 2)


def test_threads_leave_the_bits_and_the_plan_is_the_run():
    assert np.array_equal(drawn(features=X, n_jobs=1), drawn(features=X, n_jobs=2))
    planned = nl.plan(KARATE, features=X).passes
    ran = nl.solve(KARATE, seed=0, features=X).passes
    assert {each.name for each in ran} <= {each.name for each in planned}


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ({"features": X[:5]}, "features has 5 rows and the graph has 34 nodes"),
        ({"features": X[:, :0]}, "features has no columns"),
        ({"features": 5}, "features must be a table, got 5"),
        ({"features": "clubs"}, "did you mean 'club'"),
        ({"features": "club"}, "node 0 has feature 'club' 'Mr. Hi'"),
        ({"features": np.where(X > 2, np.nan, X)}, "node 19 has feature 3 nan; every feature 3 must be a finite"),
        ({"features": np.c_[X, np.ones(34)]}, "feature 4 has the value 1 at every node"),
        ({"features": {0: X[0]}}, "node 1 has no features (33 of 34 nodes have none)"),
        ({"features": [[1, 2], [3]] * 17}, "rows of different lengths"),
        ({"features": pd.DataFrame(X, index=range(5, 39))}, "the frame features has no row for node 0"),
        ({"features": X, "features_share": 1}, "features_share must be > 0 and < 1"),
        ({"features": X, "features_share": "half"}, "features_share must be > 0 and < 1"),
        ({"features": X, "affinity": "hops", "method": "tsne"}, "tsne takes path lengths in place of weights"),
    ],
)
def test_wrong_features_are_refused_before_work(own, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        nl.layout(KARATE, **own)


def test_the_shell_takes_features(tmp_path, capsys):
    H = named(X, kind="text")
    nx.write_gml(H, tmp_path / "g.gml")
    call = ["layout", str(tmp_path / "g.gml"), "--quiet", "-o", str(tmp_path / "out.json"), "--features"]
    assert main([*call, "a,b", "--features-share", "0.5"]) == 0
    there = {node["id"]: (node["x"], node["y"]) for node in json.loads((tmp_path / "out.json").read_text())["nodes"]}
    here = nl.layout(H, seed=0, features="a,b", features_share=0.5)
    assert np.allclose([there[str(v)] for v in H], list(here.values()), atol=1e-6)
    assert main([*call, "c"]) == 1
    assert main([*call, "kind"]) == 1
    assert "has feature 0 'text'" in capsys.readouterr().err


def test_only_edges_of_the_graph_count_as_crossings():
    ring = nx.relabel_nodes(nx.cycle_graph(34), dict(enumerate(np.random.default_rng(0).permutation(34).tolist())))
    pos = nl.ws_sne_layout(ring, seed=0, circle=True, features={v: X[v] for v in ring})
    assert nl.measure(ring, pos, measures=["crossings"])["crossings"].value == 0


def test_a_frame_of_other_labels_or_of_one_label_twice_is_refused():
    G = nx.cycle_graph(6)
    table = np.random.default_rng(0).random((6, 2))
    with pytest.raises(ValueError, match="its index is like '5', and nodes are like 0"):
        nl.layout(G, features=pd.DataFrame(table, index=[str(v) for v in reversed(range(6))]))
    with pytest.raises(ValueError, match="two rows for 2"):
        nl.layout(G, features=pd.DataFrame(table[[0, 1, 2, 3, 4, 5, 2]], index=[0, 1, 2, 3, 4, 5, 2]))
    named = nx.relabel_nodes(G, dict(enumerate("abcdef")))
    one = nl.layout(named, seed=0, features=pd.DataFrame(table))
    two = nl.layout(named, seed=0, features=table)
    assert all(np.array_equal(one[v], two[v]) for v in named)
    A = nx.to_numpy_array(G)
    assert np.array_equal(
        nl.layout(A, seed=0, features=pd.DataFrame(table, index=list("uvwxyz"))), nl.layout(A, seed=0, features=table)
    )
