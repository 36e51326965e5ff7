"""Stress and other agreements of distances: by hand, by definition, by SciPy and scikit-learn; components, lengths."""

import weakref
from typing import Any

import networkx as nx
import numpy as np
import pytest
from measured import distances_of
from scipy.optimize import minimize_scalar
from scipy.spatial.distance import cdist, pdist, squareform
from scipy.stats import spearmanr

from nelayout.comparison import measure
from nelayout.errors import InputError
from nelayout.graphs import read
from nelayout.numerics.breadth_first import COMPILED_ABOVE, hops_from
from nelayout.numerics.parallel import Threads
from nelayout.quality.distances import hop_distances
from nelayout.quality.ranks import curves
from nelayout.quality.samples import Sweep
from nelayout.quality.stress import distance_correlation, distance_stress, nonmetric_stress, spearman

ALL = (spearman, nonmetric_stress, distance_correlation)


def cases():
    rng = np.random.default_rng(0)
    for G in (nx.gnm_random_graph(40, 90, seed=2), nx.path_graph(3), nx.star_graph(12), nx.balanced_tree(2, 4)):
        G = G.subgraph(max(nx.connected_components(G), key=len))
        A = read(G).adjacency
        for Y in (rng.normal(size=(len(G), 2)), rng.integers(3, size=(len(G), 2)).astype(float)):
            yield hop_distances(A), hop_distances(A).rows(np.arange(len(G))), Y
    X = rng.normal(size=(35, 5))
    yield distances_of(cdist(X, X)), cdist(X, X), X[:, :2] ** 3


CASES = list(cases())


@pytest.mark.parametrize("of", [spearman, nonmetric_stress, curves])
def test_a_sweep_with_all_its_pairs_is_freed_with_its_last_user(of):
    distances, _, Y = CASES[0]
    sweep = Sweep(distances, Y)
    of(sweep)
    left = weakref.ref(sweep)
    del sweep
    assert left() is None


@pytest.mark.parametrize("case", range(len(CASES)))
def test_agreements_are_those_of_scipy_of_scikit_learn_and_of_the_definition(case):
    from sklearn.isotonic import IsotonicRegression

    distances, D, Y = CASES[case]
    d, e, sweep = squareform(D, checks=False), pdist(Y), Sweep(distances, Y)
    if len(set(d)) > 1 and len(set(e)) > 1:
        assert spearman(sweep).value == pytest.approx(spearmanr(d, e)[0], abs=1e-12)
    fitted = IsotonicRegression().fit_transform(d, e)
    expected = np.sqrt(((e - fitted) ** 2).sum() / (e**2).sum())
    assert nonmetric_stress(sweep).value == pytest.approx(expected, abs=1e-9)

    def centered(M):
        return M - M.mean(axis=0) - M.mean(axis=1)[:, None] + M.mean()

    a, b = centered(D), centered(cdist(Y, Y))
    expected = np.sqrt((a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum()))
    assert distance_correlation(sweep).value == pytest.approx(expected, abs=1e-9)


def test_a_straight_path_is_perfect():
    path = hop_distances(read(nx.path_graph(3)).adjacency)
    straight = np.array([[0.0], [2], [4]])
    for found, best in zip(ALL, (1, 0, 1), strict=True):
        assert found(Sweep(path, straight)).value == pytest.approx(best, abs=1e-12)


def test_pairs_without_a_path_are_left_out():
    whole, part = nx.gnm_random_graph(30, 70, seed=3), nx.path_graph(5)
    whole = whole.subgraph(max(nx.connected_components(whole), key=len))
    n = len(whole)
    G = nx.disjoint_union(whole, part)
    Y = np.random.default_rng(1).normal(size=(n + 5, 2))
    hops = hop_distances(read(G).adjacency)
    D = hops.rows(np.arange(n + 5))
    joined = np.isfinite(D) & np.triu(np.ones_like(D, bool), 1)
    e = cdist(Y, Y)[joined]
    assert spearman(Sweep(hops, Y)).value == pytest.approx(spearmanr(D[joined], e)[0])
    alone = distance_correlation(Sweep(hop_distances(read(whole).adjacency), Y[:n])).value
    assert distance_correlation(Sweep(hops, Y)).value == pytest.approx(alone)
    # The places of the components make no difference to any of them.
    far = Y + np.r_[np.zeros(n), np.full(5, 50.0)][:, None]
    for found in ALL:
        assert found(Sweep(hops, far)).value == pytest.approx(found(Sweep(hops, Y)).value, abs=1e-9)


def test_lengths_of_edges_make_lengths_of_paths():
    rng = np.random.default_rng(4)
    G = nx.gnm_random_graph(25, 60, seed=5)
    for _, _, at in G.edges(data=True):
        at["long"] = float(rng.uniform(0.5, 3))
    D = np.array([[nx.shortest_path_length(G, a, b, "long") for b in G] for a in G])
    Y = rng.normal(size=(25, 2))
    pos = dict(enumerate(Y))
    found = measure(G, pos, measures=["spearman", "stress", "trustworthiness", "neighborhood"], lengths="long")
    d, e = squareform(D, checks=False), pdist(Y)
    assert found["spearman"].value == pytest.approx(spearmanr(d, e)[0])
    ratio = e / d
    assert found["stress"].value == pytest.approx(1 - ratio.sum() ** 2 / (len(d) * (ratio**2).sum()))
    assert found["neighborhood"] == measure(G, pos, measures="neighborhood")["neighborhood"]
    matrix = nx.to_scipy_sparse_array(G, weight="long")
    assert measure(matrix, Y, measures="spearman", lengths="weight")["spearman"].value == pytest.approx(
        found["spearman"].value
    )
    double = nx.MultiGraph(G)
    double.add_edge(*next(iter(G.edges)), long=100.0)
    assert measure(double, pos, measures="spearman", lengths="long")["spearman"] == found["spearman"]
    # Of opposite edges of a directed graph the shorter counts, and an edge without a length has length 1.
    turned = nx.DiGraph([(0, 1, {"long": 2.0}), (1, 0, {"long": 5.0}), (1, 2)])
    line = {0: (0.0, 0.0), 1: (2.0, 0.0), 2: (3.0, 0.0)}
    assert measure(turned, line, measures="stress", lengths="long")["stress"].value == pytest.approx(0, abs=1e-12)


def test_lengths_that_are_none_are_refused():
    G = nx.path_graph(3)
    pos = {v: (float(v), 0.0) for v in G}
    with pytest.raises(InputError, match="unknown edge attribute for lengths 'long'"):
        measure(G, pos, lengths="long")
    for wrong in (0, -1, np.nan, np.inf, "far"):
        G[0][1]["long"] = wrong
        with pytest.raises(InputError, match=r"edge \(0, 1\)"):
            measure(G, pos, lengths="long")


def test_every_pair_of_a_large_graph_is_warned_of_where_memory_is_short(monkeypatch):
    G, Y = nx.path_graph(400), np.random.default_rng(0).normal(size=(400, 2))
    monkeypatch.setattr("nelayout.numerics.memory.available", lambda: 5_000_000)
    with pytest.warns(UserWarning, match=r'pairs of 400 nodes needs about .* sample="auto" looks at 300 nodes'):
        whole = measure(G, dict(enumerate(Y)), measures="spearman", sample=None)["spearman"]
    assert whole.exact
    assert not measure(G, dict(enumerate(Y)), measures="spearman", sample=100)["spearman"].exact


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_stress_equals_its_definition_at_the_best_factor(dim):
    rng = np.random.default_rng(dim)
    for G in (nx.path_graph(5), nx.gnm_random_graph(60, 130, seed=1), nx.gnm_random_graph(50, 30, seed=2)):
        hops, Y = hop_distances(read(G).adjacency), rng.normal(size=(len(G), dim))
        D = hops.rows(np.arange(len(G)))
        joined = np.isfinite(D) & (D > 0)
        d, e = D[joined], cdist(Y, Y)[joined]
        best: Any = minimize_scalar(lambda s, e=e, d=d: np.mean(((s * e - d) / d) ** 2))
        found = distance_stress(hops, Y)
        assert found.exact
        assert found.value == pytest.approx(best.fun, rel=1e-9)


GRAPHS = [nx.path_graph(COMPILED_ABOVE + 9), nx.star_graph(9), nx.gnm_random_graph(400, 420, seed=4)]


@pytest.mark.parametrize("G", GRAPHS)
@pytest.mark.parametrize("threads", [1, 2])
def test_hops_are_those_of_shortest_paths(G, threads):
    expected = dict(nx.all_pairs_shortest_path_length(G))
    for source, hops in enumerate(hops_from(read(G).adjacency, np.arange(len(G)), Threads(threads))):
        found = {node: int(hops[node]) for node in np.flatnonzero(hops).tolist()}
        assert {source: 0, **found} == expected[source]
