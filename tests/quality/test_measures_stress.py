"""Scale-normalized stress: by hand, against its definition, its invariances, and its samples."""

from typing import Any

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from nelayout.graphs import read
from nelayout.numerics.breadth_first import COMPILED_ABOVE, hops_from
from nelayout.numerics.parallel import Threads
from nelayout.quality.stress import scaled_stress


def pairs_of(G, Y):
    index = {node: i for i, node in enumerate(G)}
    d, e = [], []
    for u, reached in nx.all_pairs_shortest_path_length(G):
        for v, hops in reached.items():
            if u != v:
                d.append(hops)
                e.append(np.linalg.norm(Y[index[u]] - Y[index[v]]))
    return np.array(d), np.array(e)


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_equals_its_definition_at_the_best_factor(dim):
    rng = np.random.default_rng(dim)
    for G in (nx.path_graph(5), nx.gnm_random_graph(60, 130, seed=1), nx.gnm_random_graph(50, 30, seed=2)):
        Y = rng.normal(size=(len(G), dim))
        d, e = pairs_of(G, Y)
        best: Any = minimize_scalar(lambda s, e=e, d=d: np.mean(((s * e - d) / d) ** 2))
        found = scaled_stress(read(G).adjacency, Y)
        assert found.exact
        assert found.value == pytest.approx(best.fun, rel=1e-9)
        s = (e / d).sum() / (e**2 / d**2).sum()
        assert s == pytest.approx(best.x, rel=1e-6)


def test_by_hand():
    path = read(nx.path_graph(3)).adjacency
    assert scaled_stress(path, np.array([[0.0], [1], [2]])).value == pytest.approx(0, abs=1e-15)
    assert scaled_stress(path, np.array([[0.0], [1], [1]])).value == pytest.approx(0.4)
    assert scaled_stress(path, np.ones((3, 2))).value == 1
    assert np.isnan(scaled_stress(read(nx.empty_graph(4)).adjacency, np.ones((4, 2))).value)


def test_invariances():
    rng = np.random.default_rng(3)
    A = read(nx.gnm_random_graph(80, 200, seed=3)).adjacency
    Y = rng.normal(size=(80, 2))
    value = scaled_stress(A, Y).value
    turn = np.array([[0.6, 0.8], [-0.8, 0.6]])
    for changed in (Y @ turn + [5.0, -3.0], Y * [1, -1], Y * 1e-200, Y * 1e200):
        assert scaled_stress(A, changed).value == pytest.approx(value, rel=1e-9)
    order = rng.permutation(80)
    assert scaled_stress(A[order][:, order].tocsr(), Y[order]).value == pytest.approx(value, rel=1e-9)


GRAPHS = [nx.path_graph(70), nx.star_graph(9), nx.gnm_random_graph(90, 100, seed=4), nx.balanced_tree(3, 4)]


@pytest.mark.parametrize("G", [*GRAPHS, nx.path_graph(COMPILED_ABOVE + 9), nx.gnm_random_graph(400, 420, seed=4)])
@pytest.mark.parametrize("threads", [1, 2])
def test_hops_are_those_of_shortest_paths(G, threads):
    expected = dict(nx.all_pairs_shortest_path_length(G))
    for source, hops in enumerate(hops_from(read(G).adjacency, np.arange(len(G)), Threads(threads))):
        found = {node: int(hops[node]) for node in np.flatnonzero(hops).tolist()}
        assert {source: 0, **found} == expected[source]


def test_samples_lie_within_their_error():
    rng = np.random.default_rng(1)
    G = nx.random_geometric_graph(600, 0.09, seed=1)
    A, Y = (
        read(G).adjacency,
        rng.normal(size=(600, 2)) + 3 * np.array(list(nx.get_node_attributes(G, "pos").values())),
    )
    exact = scaled_stress(A, Y, sample=None).value
    z = []
    for seed in range(40):
        found = scaled_stress(A, Y, sample=60, seed=seed)
        assert not found.exact
        z.append((found.value - exact) / found.error)
    assert 0.6 < np.sqrt(np.mean(np.square(z))) < 1.6
    assert scaled_stress(A, Y, sample=600).exact
