"""Shapes and retrieval: by hand, against all triples and pairs."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from scipy.spatial.distance import cdist

from nelayout.graphs import read
from nelayout.quality.distances import hop_distances
from nelayout.quality.edges import gabriel_graph, relative_graph, shape_agreement
from nelayout.quality.neighborhoods import retrieval, retrieval_at_best
from nelayout.quality.samples import Sweep

RNG = np.random.default_rng(0)
TURN = np.array([[0.6, 0.8], [-0.8, 0.6]])
LATTICE = np.array([(x, y) for x in range(5) for y in range(4)], float)
PLACES = {
    "normal": RNG.normal(size=(60, 2)),
    "space": RNG.normal(size=(40, 3)),
    "line": RNG.normal(size=(20, 1)),
    "lattice": LATTICE,
    "turned lattice": LATTICE @ TURN * 3.3,
    "coincident": RNG.integers(4, size=(20, 2)).astype(float),
    "on a line": np.outer(RNG.normal(size=15), [1.0, 2.0]),
    "circle": np.column_stack([np.cos(np.arange(12) * np.pi / 6), np.sin(np.arange(12) * np.pi / 6)]),
    "one place": np.ones((5, 2)),
    "two": np.array([[0.0, 0], [1, 0]]),
    "three": np.array([[0.0, 0], [1, 0], [0.4, 0.7]]),
    "one": np.zeros((1, 2)),
    "none": np.zeros((0, 2)),
}


def sweep_of(A, Y):
    return Sweep(hop_distances(A), Y, None)


def at_best(part, A, Y):
    return retrieval_at_best(sweep_of(A, Y), A, part=part).value


def shape_by_definition(Y, *, relative):
    D = cdist(Y, Y) if len(Y) else np.zeros((0, 0))
    D[D < 1e-12] = 0
    shared = ((D == 0).sum(axis=1) > 1) if len(Y) else np.zeros(0, bool)
    found = set()
    for i, j in combinations(range(len(Y)), 2):
        if shared[i] or shared[j]:
            continue
        others = [k for k in range(len(Y)) if k not in (i, j)]
        if relative:
            blocked = any(max(D[i, k], D[j, k]) < D[i, j] * (1 - 1e-9) for k in others)
        else:
            blocked = any(np.linalg.norm(Y[k] - (Y[i] + Y[j]) / 2) <= D[i, j] / 2 * (1 + 1e-9) for k in others)
        if not blocked:
            found.add((i, j))
    return found


@pytest.mark.parametrize("places", PLACES)
@pytest.mark.parametrize("relative", [False, True])
def test_shape_graphs_equal_their_definition(places, relative):
    Y = PLACES[places]
    for scale in (1, 1e-120):
        i, j = gabriel_graph(Y * scale)
        i, j = relative_graph(Y * scale, i, j) if relative else (i, j)
        assert set(zip(i.tolist(), j.tolist(), strict=True)) == shape_by_definition(Y, relative=relative)


def test_a_grid_has_the_shape_of_a_grid():
    G = nx.grid_2d_graph(5, 4)
    A = read(G).adjacency
    for relative in (False, True):
        assert shape_agreement(sweep_of(A, np.array(list(G), float)), A, relative=relative).value == 1
        assert shape_agreement(sweep_of(A, np.zeros((20, 2))), A, relative=relative).value == 0
    empty = read(nx.empty_graph(3)).adjacency
    assert np.isnan(shape_agreement(sweep_of(empty, np.zeros((3, 2))), empty).value)
    G = nx.gnm_random_graph(60, 120, seed=1)
    shape = nx.Graph(list(shape_by_definition(PLACES["normal"], relative=False)))
    index = [len(set(G[v]) & set(shape[v])) / len(set(G[v]) | set(shape[v])) for v in G if G.degree(v)]
    A = read(G).adjacency
    assert shape_agreement(sweep_of(A, PLACES["normal"]), A).value == pytest.approx(np.mean(index))


def test_retrieval_equals_its_definition():
    G = nx.gnm_random_graph(50, 110, seed=3)
    A, Y = read(G).adjacency, RNG.normal(size=(50, 2))
    nodes = np.array([v for v in G if G.degree(v)])
    radii, each_p, each_r = retrieval(A, Y, nodes)
    D = cdist(Y, Y) / 2.0 ** np.frexp(abs(Y).max())[1]
    for at in (0, 20, 60, len(radii) - 1):
        for t, v in enumerate(nodes.tolist()):
            within = {u for u in G if u != v and D[u, v] <= radii[at]}
            shared = within & set(G[v])
            assert each_p[t, at] == pytest.approx(len(shared) / len(within) if within else 0)
            assert each_r[t, at] == pytest.approx(len(shared) / G.degree(v))
    p, r = each_p.mean(axis=0), each_r.mean(axis=0)
    best = np.argmax(2 * p * r / (p + r))
    found = [at_best(part, A, Y) for part in ("precision", "recall", "f_score")]
    assert found == pytest.approx([p[best], r[best], 2 * p[best] * r[best] / (p[best] + r[best])])


def test_all_in_one_place_are_retrieved_and_without_edges_there_is_no_value():
    empty = read(nx.empty_graph(3)).adjacency
    assert np.isnan(at_best("f_score", empty, np.zeros((3, 2))))
    star = read(nx.star_graph(4)).adjacency
    assert at_best("precision", star, np.zeros((5, 2))) == pytest.approx((1 + 4 * 1 / 4) / 5)
    assert at_best("recall", star, np.zeros((5, 2))) == 1
